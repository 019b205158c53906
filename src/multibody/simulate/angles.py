"""Continuous angles of dependent joints and of joints that close loops.

Such an angle is atan2(y, x) of expressions of the state, between -π and π. In a run it is measured from a reference
angle ρ, a discrete input: ρ + atan2(y·cos ρ - x·sin ρ, x·cos ρ + y·sin ρ). The branch cut is always π away from the
reference. Where the angle has moved away from it by π/2, it becomes the new reference: the angle is continuous over
any number of turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from multibody.equations import EquationsOfMotion
from multibody.equations.compiled import continuous_angle
from multibody.graph import Expr, Symbol, cos, sin, symbol, topological
from multibody.graph.traverse import flat
from multibody.model import Input
from multibody.simulate.events import Event
from multibody.simulate.questions import expression_of


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
    """The equations with a reference for each angle that forces, energies, sensors or events depend on, and its event.

    Args:
        eom: equations of motion.
        events: of the run.
        inputs: inputs, with what they follow.
    """
    angles = _angles(eom)
    if not angles:
        return eom, list(events)
    where = f"events of a run of '{eom.model.name}'"
    used: list[Expr] = [expression_of(one.expression, eom, where, "") for one in events]
    present = eom.once("angles in equations", lambda: _present(_equations(eom)))
    present = present | _present([*used, *inputs.values()])
    chosen = {fp: angle for fp, angle in angles.items() if fp in present}
    if not chosen:
        return eom, list(events)
    references: dict[object, Symbol] = {}
    more: list[Event] = []
    for number, (fp, (name, angle)) in enumerate(chosen.items()):
        taken = [one for one, _ in list(chosen.values())[:number]]
        label = f"{name}_reference" + (f"_{taken.count(name) + 1}" if name in taken else "")
        references[fp] = reference = symbol(label, "input", eom.model.name)
        y, x = angle.args
        away = x * cos(reference) + y * sin(reference)
        value = continuous_angle(angle, reference)
        more.append(Quadrant(away, -1, reset={label: value}, name=f"{label}_changes", reference=label))
    described = [Input(str(one), one, description="reference of a continuous angle") for one in references.values()]
    model = replace(eom.model, inputs=(*eom.model.inputs, *described))
    changed = replace(eom, model=model, angles=references)
    vars(changed)["kinetics"] = eom.kinetics
    return changed, [*events, *more]


def _angles(eom: EquationsOfMotion) -> dict[object, tuple[str, Expr]]:
    """The angles atan2(y, x) that values of joints are made of, by fingerprint, with the names of coordinates."""
    found: dict[object, tuple[str, Expr]] = {}
    for coordinate, value in eom.model.values.items():
        if coordinate.kind == "coordinate":
            for node in topological([value]):
                if node.op == "atan2":
                    found.setdefault(node.fp, (coordinate.name, node))
    return found


def _present(expressions: Iterable[Expr]) -> set[object]:
    return {node.fp for node in topological(list(expressions)) if node.op == "atan2"}


def _equations(eom: EquationsOfMotion) -> list[Expr]:
    """Everything in which an angle itself may act or be seen."""
    energy = [eom.potential_energy] if eom.energy_known else []
    return [*eom.acceleration, *energy, *(part for one in eom.outputs.values() for part in flat(one))]
