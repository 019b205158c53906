"""What a drawing of a system shows: bodies, joints, and what acts between them, in words and pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from multibody.errors import ExpressionError, MissingValueError
from multibody.graph import Expr, evaluate, free_symbols
from multibody.model import Body, Frame, Joint, Model
from multibody.model.joints import Elementary
from multibody.model.kinematics import Kinematics

LONGEST = 26  # characters in a line


class Bond(NamedTuple):
    """A load or a constraint: its name, what it is, and the bodies and joints that it acts on."""

    name: str
    kind: str
    ends: tuple[Body | Joint, ...]


def branches(model: Model) -> list[tuple[Body, Body, Joint]]:
    """For each joint of the tree the body nearer to the world, the one that it carries, and itself."""
    reached, found = {model.world}, []
    for joint in model.joints:  # parents first
        ends = joint.parent.body, joint.child.body
        inner, outer = ends if ends[0] in reached else ends[::-1]
        reached.add(outer)
        found.append((inner, outer, joint))
    return found


def bonds(model: Model) -> list[Bond]:
    """All constraints that are no joints, then all loads."""
    full = model.unreduced or model
    cuts = {one.name for one in model.cuts}
    kinematics = Kinematics(full)
    found = [
        Bond(name, "constraint", _ends(full, one.touches, one.expressions))
        for name, one in full.constraints.items()
        if name not in cuts
    ]
    return found + [Bond(name, "load", _acted_on(full, kinematics, one)) for name, one in full.loads.items()]


def _ends(model: Model, touched: Iterable[Any], expressions: Iterable[Expr]) -> tuple[Body | Joint, ...]:
    """Bodies and joints; an expression acts on the joints whose coordinates or speeds it contains."""
    symbols = set(free_symbols(list(expressions)))
    moved = [one for one in (*model.joints, *model.cuts) if symbols & {*one.coordinates, *one.speeds}]
    things = [one.body if isinstance(one, Frame) else one for one in touched]
    return tuple(dict.fromkeys([*things, *(moved if not things else [])]))


def _acted_on(model: Model, kinematics: Kinematics, load: Any) -> tuple[Body | Joint, ...]:
    """Where the forces of a load act, whatever else it looks at."""
    owners = {speed: joint for joint in (*model.joints, *model.cuts) for speed in joint.speeds}
    joints = [owners[speed] for speed in load.generalized(kinematics) if speed in owners]
    return tuple(dict.fromkeys([*(one.frame.body for one in load.forces(kinematics)), *joints]))


# in words ------------------------------------------------------------------------------------------------------------


def mass_text(model: Model, body: Body) -> str:
    """The mass in kg with the values of parameters that have one, else as a formula; nothing for none."""
    if body.mass.fp == 0:
        return ""
    try:
        known: dict[Any, Any] = dict(model.parameter_values()) if free_symbols(body.mass) else {}
        return f"{float(evaluate(body.mass, known)):.4g} kg"
    except (MissingValueError, ExpressionError):
        return f"{clipped(str(body.mass))} [kg]"


def kind_text(joint: Joint) -> str:
    """What a joint allows, and whether it is driven."""
    kind = joint.kind
    if isinstance(kind, Elementary):
        text = " ".join(kind.movements)
    else:
        axes = [one for one in vars(kind).values() if isinstance(one, str) and len(one) <= 3]
        text = " ".join([type(kind).__name__, *axes])
    return clipped(text if joint.prescribed is None else f"{text}, driven")


def clipped(text: str) -> str:
    """A text that is not too long."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
