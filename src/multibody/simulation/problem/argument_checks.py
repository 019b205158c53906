"""Checks of the arguments of ``simulate`` and ``sweep``: equations, an integrator, values by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_equations
from multibody.equations.validation.known_symbols import require_distinct, require_known
from multibody.errors import ModelError
from multibody.simulation.integrators.integrator import Integrator


def check_simulate_arguments(where: str, eom: Any, integrator: Any = None, **by_name: Any) -> None:
    """An error unless a run is asked of equations, with an integrator if any, and with values by name.

    Args:
        where: the verb that the user called.
        eom: equations of motion.
        integrator: an integrator, or None.
        by_name: arguments that are mappings, or None.
    """
    require_equations(eom, where)
    if integrator is not None and not isinstance(integrator, Integrator):
        kind = integrator if isinstance(integrator, type) else type(integrator)
        made = isinstance(integrator, type) and issubclass(integrator, Integrator)
        raise ModelError(
            f"{integrator!r} is not an integrator."
            if not made
            else f"{kind.__name__} is a class of integrators, not one.",
            code="integrator-expected",
            where=where,
            remedy=f"Write integrator={kind.__name__ if made else 'DormandPrince8'}(), with brackets.",
        )
    for what, given in by_name.items():
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(
                f"{given!r:.200} is not a mapping from names to values.",
                code="values-by-name-expected",
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
