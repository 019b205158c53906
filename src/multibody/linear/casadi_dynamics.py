"""The dynamics as a CasADi function, for optimal control."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.dependent_angles import require_no_acting_angles
from multibody.graph import Table
from multibody.linear.point import require_equations
from multibody.linear.translation import ARITHMETIC, Operations, translated
from multibody.simulate.optional import library


def casadi_function(eom: EquationsOfMotion) -> Any:
    """The dynamics (t, x, r, p) → ẋ as a ``casadi.Function`` of scalar expressions, with x = (q, u).

    CasADi differentiates it, compiles it, and hands it to its solvers. Constraints are met through their forces, as in
    ``eom.forward_dynamics``.

    Args:
        eom: equations of motion.

    Raises:
        MissingLibraryError: if CasADi is not installed; it comes with the extra ``casadi``.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> (l,) = pendulum.parameters(l=0.5)
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2.0, (0, 0, -l)), "Ry")
        >>> drive = pendulum.load(mb.JointLoad(hinge, pendulum.input("M")))
        >>> dynamics = casadi_function(mb.derive(pendulum))
        >>> print(dynamics)
        pendulum_dynamics:(t,x[2],r,p)->(xdot[2]) SXFunction
        >>> print(dynamics(0, [0.0, 3.0], 1.0, 0.5))
        [3, 2]
    """
    require_equations(eom, "casadi_function")
    require_no_acting_angles(eom, "casadi_function")
    casadi = library("casadi", "casadi")
    groups = {
        "t": (eom.model.time,), "x": (*eom.coordinates, *eom.speeds), "r": eom.inputs, "p": eom.parameters,
    }  # fmt: skip
    ports = {name: casadi.SX.sym(name, len(symbols)) for name, symbols in groups.items()}
    known = {one: ports[name][k] for name, symbols in groups.items() for k, one in enumerate(symbols)}
    rates = translated(list(eom.explicit_form()), known, _operations(casadi), lambda *args: _table(casadi, *args))
    name = f"{eom.model.name}_dynamics"
    return casadi.Function(name, list(ports.values()), [casadi.vertcat(*rates)], list(ports), ["xdot"])


def _operations(casadi: Any) -> Operations:
    names = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt sign".split()
    return {
        **ARITHMETIC,
        **{name: getattr(casadi, name) for name in names},
        "abs": casadi.fabs,
        "min": casadi.fmin,
        "max": casadi.fmax,
        "pow": casadi.power,
        "and": casadi.logic_and,
        "or": casadi.logic_or,
        "not": casadi.logic_not,
        "where": casadi.if_else,
    }


def _table(casadi: Any, table: Table, x: Any) -> Any:
    """The polynomial of the interval that x lies in, with coefficients that are constant there."""

    def chosen(values: Any) -> Any:
        return casadi.pw_const(x, casadi.DM(table.breaks), casadi.DM(np.asarray(values)))

    offset = x - chosen(table.starts)
    result: Any = 0.0
    for row in table.coefficients[::-1]:
        result = result * offset + chosen(row)
    return result
