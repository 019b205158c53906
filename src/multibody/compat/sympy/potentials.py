"""Potential energies of SymPy's bodies compared with the loads beside them.

Kane's equations use loads alone, so that a ``potential_energy`` is a second statement of the same forces. It must be
that of some of the loads: those of a spring or of gravity, where dampers and drives act as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from multibody.compat.sympy.bodies_and_loads import ActingLoad
from multibody.compat.sympy.kinematics import SympyKinematics
from multibody.compat.sympy.mechanism import Mechanism
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, array, as_expr, free_symbols, product, substitute
from multibody.graph.field import P, Value
from multibody.mechanics.validation.cancellation import cancel

MAX_LOADS = 14
"""Of so many loads all selections are tried; of more than these, the whole and each one alone."""


def require_potentials(kinematics: SympyKinematics, mechanism: Mechanism, name: str) -> None:
    """An error for a body whose potential energy is not that of any of the loads, nor of several of them.

    Args:
        kinematics: coordinates and speeds.
        mechanism: bodies and loads.
        name: of the model.
    """
    for body in mechanism.written:
        stored = _read(kinematics, body)
        if stored is not ZERO and not _is_explained(kinematics, mechanism.loads, stored):
            raise ModelError(
                f"The potential energy of body '{body.name}' does not belong to the loads.",
                where=f"model '{name}'",
                cause="Kane's equations use loads alone, and no selection of them has this potential.",
                remedy="Correct potential_energy or the loads, or use LagrangesMethod, which takes the potential.",
                code="potential-not-of-force",
                name=body.name,
            )


def _read(kinematics: SympyKinematics, body: Any) -> Expr:
    given = getattr(body, "potential_energy", 0)
    return ZERO if given == 0 else as_expr(kinematics.read(given))


def _is_explained(kinematics: SympyKinematics, loads: Sequence[ActingLoad], stored: Expr) -> bool:
    """Whether loads at rest do the work that the potential loses."""
    rate = as_expr(kinematics.change(stored))
    unseen = {symbol for symbol in free_symbols(rate) if symbol.kind == "input"}
    powers = [_power_at_rest(kinematics, load, unseen) for load in loads]
    powers = [power for power in powers if power.fp != 0]
    if any(cancel(power, rate, (), {}) for power in (sum(powers, start=ZERO), *powers)):
        return True
    return len(powers) <= MAX_LOADS and -rate.fp % P in set(_sums([power.fp for power in powers]))


def _power_at_rest(kinematics: SympyKinematics, load: ActingLoad, inputs: set[Any]) -> Expr:
    """With all speeds zero in the force, and all inputs that the potential does not follow."""
    force = list(load.force)
    driven = [symbol for symbol in free_symbols(force) if symbol.kind == "input" and symbol not in inputs]
    still: dict[Expr, Expr] = dict.fromkeys((*kinematics.u, *driven), ZERO)
    return as_expr(product(array(substitute(force, still)), load.motion))


def _sums(values: list[Value]) -> Iterator[Value]:
    """The sums of all selections."""
    found: list[Value] = [0]
    for value in values:
        found += [(other + value) % P for other in found]
    yield from found
