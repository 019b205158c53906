"""Continuous angles of dependent joints and of joints that close loops.

Such an angle is atan2(y, x) of expressions of the state, between -π and π. In a run it is measured from a reference
angle ρ, a discrete input: ρ + atan2(y·cos ρ - x·sin ρ, x·cos ρ + y·sin ρ). The branch cut is always π away from the
reference. Where the angle has moved away from it by π/2, it becomes the new reference: the angle is continuous over
any number of turns.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from multibody.equations import EquationsOfMotion
from multibody.equations.compiled import continuous_angle
from multibody.equations.dependent_angles import angles_in, dependent_angles
from multibody.graph import Expr, Symbol, as_expr, cos, sin, symbol
from multibody.graph.traverse import flat
from multibody.model import Input
from multibody.simulation.events.events import Event
from multibody.simulation.problem.given_expressions import expression_of


@dataclass(frozen=True, eq=False)
class Quadrant(Event):
    """The event of an angle that has moved away from its reference by π/2.

    Args:
        reference: the input.
    """

    reference: str = ""


def with_continuous_angles(
    eom: EquationsOfMotion, events: Sequence[Event], inputs: Mapping[Expr, Expr]
) -> tuple[EquationsOfMotion, list[Event]]:
    """The equations with references for angles that forces, energies, sensors, limits or events depend on; its events.

    Args:
        eom: equations of motion.
        events: of the run.
        inputs: inputs, with what they follow.
    """
    angles = dependent_angles(eom.model)
    if not angles:
        return eom, list(events)
    where = f"events of a run of '{eom.model.name}'"
    used: list[Expr] = [expression_of(event.expression, eom, where, "") for event in events]
    present = eom.once("angles in equations", lambda: angles_in(_equations(eom)))
    present = present | angles_in([*used, *inputs.values()])
    references = {fp: label for fp, label in _reference_names(eom).items() if fp in present}
    changed = _measured_from(eom, references)
    more = [_quadrant(angles[fp][1], reference) for fp, reference in changed.angles.items()]
    return changed, [*events, *more]


def with_recorded_angles(eom: EquationsOfMotion, recorded: Collection[str]) -> EquationsOfMotion:
    """The equations of a stored run, with a reference for each angle whose reference was recorded.

    Args:
        eom: equations of motion.
        recorded: names of what was recorded.
    """
    return _measured_from(eom, {fp: label for fp, label in _reference_names(eom).items() if label in recorded})


def _reference_names(eom: EquationsOfMotion) -> dict[Hashable, str]:
    """Names of the reference inputs of all angles that may need one, by the fingerprint of the angle."""
    names: dict[Hashable, str] = {}
    for fp, (coordinate, _) in dependent_angles(eom.model).items():
        number = sum(name.startswith(f"{coordinate}_reference") for name in names.values())
        names[fp] = f"{coordinate}_reference" + (f"_{number + 1}" if number else "")
    return names


def _measured_from(eom: EquationsOfMotion, references: Mapping[Hashable, str]) -> EquationsOfMotion:
    """The equations with angles measured from references, which are additional inputs."""
    if not references:
        return eom
    symbols = {fp: symbol(label, "input", eom.model.name) for fp, label in references.items()}
    described = [
        Input(str(variable), variable, description="reference of a continuous angle") for variable in symbols.values()
    ]
    model = replace(eom.model, inputs=(*eom.model.inputs, *described))
    return replace(eom, model=model, angles=symbols, known={"kinetics": eom.kinetics})


def _quadrant(angle: Expr, reference: Symbol) -> Quadrant:
    """The event that moves a reference to its angle."""
    y, x = angle.args
    away, label = x * cos(reference) + y * sin(reference), str(reference)
    value = continuous_angle(angle, reference)
    return Quadrant(away, -1, reset={label: value}, name=f"{label}_changes", reference=label)


def _equations(eom: EquationsOfMotion) -> list[Expr]:
    """Everything in which an angle itself may act or be seen."""
    energy = [eom.potential_energy] if eom.energy_known else []
    limited = [
        as_expr(eom.model.values[coordinate])
        for _, coordinate, limits in eom.model.limited_coordinates
        if coordinate in eom.model.values and any(map(isfinite, limits))
    ]
    return [*eom.acceleration, *energy, *limited, *(part for output in eom.outputs.values() for part in flat(output))]
