"""Checks of the arguments of ``simulate`` and ``sweep``: equations, an integrator, values by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_distinct, require_equations, require_known
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
        is_class = isinstance(integrator, type) and issubclass(integrator, Integrator)
        name = integrator.__name__ if is_class else _class_named(integrator)
        raise ModelError(
            f"{name} is a class of integrators, not one." if is_class else f"{integrator!r} is not an integrator.",
            code="integrator-expected",
            where=where,
            remedy=f"Write integrator=mb.{name or 'DormandPrince8'}(), with brackets.",
        )
    for what, names in by_name.items():
        if names is not None and not isinstance(names, Mapping):
            raise ModelError(
                f"{names!r:.200} is not a mapping from names to values.",
                code="values-by-name-expected",
                where=f"{what} of {where}",
                remedy=f"Write {what}={{'name': value}}.",
            )
    eom.once("names and values of all symbols", lambda: _require_names_and_values(eom))


def _class_named(asked: Any, among: type[Integrator] = Integrator) -> str:
    """The name of the class of integrators that is meant by a text; empty if there is none."""
    names = (_class_named(asked, kind) or kind.__name__ for kind in among.__subclasses__())
    return next((name for name in names if name.casefold() == str(asked).casefold()), "")


def _require_names_and_values(eom: EquationsOfMotion) -> bool:
    """An error if a name has two meanings, or a symbol of the equations has no value in a run."""
    require_distinct(eom.model, eom.model.sensors)
    bodies = eom.model.expressions()  # also what cancels in the accelerations counts, for the energies
    require_known([*eom.rates, *eom.acceleration, *bodies], eom, f"system '{eom.model.name}'")
    return True
