"""Forces that auxiliary speeds bring into evidence (Kane and Levinson 1985, section 4.9).

An auxiliary speed is zero in truth, but velocities have partial derivatives for it, too. So there is an equation
F_r + F_r* = 0 for it, in which forces appear that are in no other: these are solved for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from multibody.compat.sympy.kinematics import SympyKinematics
from multibody.compat.sympy.mechanism import Mechanism
from multibody.graph import (
    ZERO,
    Expr,
    array,
    free_symbols,
    jacobian,
    product,
    rank,
    solve_regular,
    substitute,
    symbol,
)
from multibody.model.quantity import acceleration_symbol


def forces_in_evidence(
    kinematics: SympyKinematics, mechanism: Mechanism, auxiliary: Sequence[Any], motion: Sequence[Expr]
) -> dict[str, Expr]:
    """The forces by name, as expressions with u̇; none where they do not follow from the equations.

    Args:
        kinematics: in which auxiliary speeds are zero.
        mechanism: bodies and loads.
        auxiliary: SymPy's auxiliary speeds.
        motion: what the motion depends on; forces in it are inputs, and known.
    """
    rows = _balance(kinematics, mechanism, auxiliary) if auxiliary else []
    known = set(free_symbols(list(motion)))
    forces = [symbol for symbol in free_symbols(rows) if symbol.kind == "input" and symbol not in known]
    if not forces or len(forces) != len(rows):
        return {}
    A = jacobian(rows, forces)
    if set(forces) & set(free_symbols(A)) or rank(A) < len(rows):
        return {}
    rest = array(substitute(rows, dict.fromkeys(forces, ZERO)))
    return dict(zip((force.name for force in forces), solve_regular(A, -rest), strict=True))


def _balance(kinematics: SympyKinematics, mechanism: Mechanism, auxiliary: Sequence[Any]) -> list[Expr]:
    """M·u̇ + h - f in the rows of the auxiliary speeds, while these are zero."""
    scope, count = kinematics.vocabulary.scope, len(kinematics.u)
    speeds = [symbol(f"auxiliary_{k}", "variable", scope) for k in range(len(auxiliary))]
    read = kinematics.vocabulary.reader(dict(zip(auxiliary, speeds, strict=True))).read
    M, h, f = mechanism.seen_with(replace(kinematics, u=(*kinematics.u, *speeds), read=read)).balance()
    rates = array([acceleration_symbol(speed) for speed in kinematics.u])
    rows = product(M[count:, :count], rates) + h[count:] - f[count:]
    return list(substitute(list(rows), dict.fromkeys(speeds, ZERO)))
