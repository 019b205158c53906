"""What a user may ask for: equations that can move, an integrator, values by name; anything else is told at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.equations.known_symbols import require_distinct, require_known
from multibody.errors import ConversionError, ModelError
from multibody.graph import Expr, as_expr
from multibody.graph.node import within
from multibody.model import Model, System
from multibody.model.concerning import concerning
from multibody.model.sensors.signal import resolved
from multibody.simulate.contract import Integrator


def require_question(where: str, eom: Any, integrator: Any = None, **by_name: Any) -> None:
    """An error unless a run is asked of equations, with an integrator if any, and with values by name.

    Args:
        where: the verb that the user called.
        eom: equations of motion.
        integrator: an integrator, or None.
        by_name: arguments that are mappings, or None.
    """
    if not isinstance(eom, EquationsOfMotion):
        found = isinstance(eom, System | Model)
        raise ModelError(
            f"A {type(eom).__name__} stands where equations of motion are needed.",
            where=where,
            cause="They have not been derived yet." if found else "Arguments are in another order.",
            remedy=f"Write {where}(mb.derive(system), …).",
        )
    if integrator is not None and not isinstance(integrator, Integrator):
        kind = integrator if isinstance(integrator, type) else type(integrator)
        made = isinstance(integrator, type) and issubclass(integrator, Integrator)
        raise ModelError(
            f"{integrator!r} is no integrator." if not made else f"{kind.__name__} is a class of integrators, not one.",
            where=where,
            remedy=f"Write integrator={kind.__name__ if made else 'DormandPrince8'}(), with brackets.",
        )
    for what, given in by_name.items():
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(
                f"{given!r:.200} is no mapping from names to values.",
                where=f"{what} of {where}",
                remedy=f"Write {what}={{'name': value}}.",
            )
    eom.once("names and values of all symbols", lambda: _require_names_and_values(eom))


def _require_names_and_values(eom: EquationsOfMotion) -> bool:
    """An error if a name has two meanings, or a symbol of the equations has no value in a run."""
    require_distinct(eom.model, eom.model.sensors)
    bodies = eom.model.expressions()  # also what cancels in the accelerations counts, for the energies
    require_known([*eom.rates, *eom.acceleration, *bodies], eom, f"system '{eom.model.name}'")
    return True


def expression_of(thing: Any, eom: EquationsOfMotion, where: str, remedy: str) -> Expr:
    """What the user gave as an expression, with sensors and dependent coordinates put in.

    Args:
        thing: an expression or a number.
        eom: the equations of the run.
        where: what it is for.
        remedy: what to write instead of something else.
    """
    try:
        with concerning(where), within(eom.table):
            found = as_expr(resolved(as_expr(thing), eom.kinetics))
    except ConversionError as error:
        raise ModelError(f"{thing!r:.200} is no expression.", where=where, remedy=remedy) from error
    require_known([found], eom, where)
    return found
