"""Parts of a system that must not change while it moves: masses, inertias, frames, axes of joints, gravity in space.

Frames are fixed to their bodies, and velocities follow from the coordinates of joints alone. A place that depends on
time has a velocity that no joint knows of, so it is refused; a joint with prescribed motion moves it correctly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from multibody.algebra import Rotation, Transform, Vec3
from multibody.errors import ModelError
from multibody.graph import ZERO, Constant, Expr, Symbol, as_expr, atan2, free_symbols, isolated, symbol
from multibody.model.body import Body, Frame
from multibody.model.description import Description
from multibody.model.freeze.unknown_symbols import no_value
from multibody.model.given import expressions_in, given_to
from multibody.model.joint import Joint
from multibody.model.joints import Screw

FOLLOWED = ("parameter", "input", "time")
"""Symbols that gravity may depend on: it is the same everywhere, but may change."""

CONSTANT_MASS = "The equations of motion hold for rigid bodies with constant mass and inertia."


def require_constant(system: Description, nodes: Sequence[Any]) -> None:
    """An error for the first part of a system that changes while it moves.

    Args:
        system: what is looked at.
        nodes: of the expressions for its gravity, inertias and frames.
    """
    symbols = [node for node in nodes if isinstance(node, Symbol)]
    still = all(symbol.kind == "parameter" for symbol in symbols)
    for error in _foreign_symbols(system, symbols):
        raise error
    for error in changing_joints(system.all(Joint)) if still else changing_parts(system):
        raise error


def _foreign_symbols(system: Description, symbols: Sequence[Symbol]) -> Iterator[ModelError]:
    """An error for symbols of other systems, or of none; it says where the first one is."""
    foreign = [symbol for symbol in symbols if symbol.scope != system.name]
    if not foreign:
        return
    places = [
        (f"frame '{frame.name}'", frame.pose.components()) for frame in system.all(Frame) if not isinstance(frame, Body)
    ]
    places += [(f"body '{body.name}'", [body.mass, *body.com, *body.inertia.components()]) for body in system.all(Body)]
    uses = [where for where, parts in places if not set(free_symbols(list(map(as_expr, parts)))).isdisjoint(foreign)]
    where = f"{uses[0]} of system '{system.name}'" if uses else f"system '{system.name}'"
    yield no_value(
        foreign, system.name, where, remedy="Use parameters of this system; system.check() says where it is."
    )


def changing_parts(system: Description) -> Iterator[ModelError]:
    """Errors for all parts of a system that depend on time, coordinates, speeds or inputs."""
    yield from _gravity(system)
    for body in system.all(Body):
        yield from _body(body)
    for frame in system.all(Frame):
        if not isinstance(frame, Body):
            yield from _frame(frame)
    yield from changing_joints(system.all(Joint))


def changing_joints(joints: Any) -> Iterator[ModelError]:
    """Errors for joints whose axis, pitch or offset changes."""
    for joint in joints:
        names = _changing(_geometry(joint))
        if names:
            yield ModelError(
                f"The geometry of the joint depends on {', '.join(names)}: its axis, its pitch or an offset.",
                code="joint-geometry-moving",
                where=f"joint '{joint.name}'",
                cause="The velocity that such a change causes is not part of the equations.",
                remedy=_joint_remedy(joint),
                name=joint.name,
                names=tuple(names),
            )


def _gravity(system: Description) -> Iterator[ModelError]:
    found = [symbol.name for symbol in free_symbols(list(system.gravity)) if symbol.kind not in FOLLOWED]
    if found:
        yield ModelError(
            f"Gravity depends on {', '.join(found)}.",
            code="gravity-not-uniform",
            where=f"system '{system.name}'",
            cause="The gravity of a system is the same everywhere: a function of time, inputs and parameters.",
            remedy="For a field that depends on the place, use gravity=(0, 0, 0) and "
            "system.load(GravityField(potential=lambda r: …)).",
            names=tuple(found),
        )


def _body(body: Body) -> Iterator[ModelError]:
    where = f"body '{body.name}'"
    for what, part in (("mass", [body.mass]), ("inertia", body.inertia.components())):
        names = _changing(part)
        if names:
            yield ModelError(
                f"The {what} depends on {', '.join(names)}, but must not change with time.",
                code="mass-changing",
                where=where,
                cause=CONSTANT_MASS,
                remedy="Use numbers and parameters. Give a part that moves within it a body of its own:\n"
                + _code(f"{body.name}_part", body, ["Tx"], "0.1*sin(t)", mass="1.0"),
                name=body.name,
                names=tuple(names),
            )
    names = _changing(body.com.components())
    if names:
        yield ModelError(
            f"The center of mass depends on {', '.join(names)}, but must not change with time.",
            code="center-of-mass-moving",
            where=where,
            cause=CONSTANT_MASS,
            remedy=_moved(f"{body.name}_part", body, body.com, Rotation.identity(), names, mass=str(body.mass)),
            name=body.name,
            names=tuple(names),
        )


def _frame(frame: Frame) -> Iterator[ModelError]:
    """A frame that moves in the frame that it was placed on; frames on it are not to blame."""
    base, place = _placed(frame)
    names = _changing(place.components())
    if names:
        yield ModelError(
            f"The frame moves on the body '{frame.body.name}': it depends on {', '.join(names)}, "
            "but must not change with time.",
            code="frame-moving",
            where=f"frame '{frame.name}'",
            cause="A frame is fixed to its body. The velocity of one that moves on it is not part of the equations.",
            remedy=_moved(f"{frame.name}_carrier", base, place.position, place.rotation, names),
            name=frame.name,
            names=tuple(names),
        )


def _placed(frame: Frame) -> tuple[Frame, Transform]:
    """The frame that a frame was placed on, and where."""
    made = given_to(frame)
    base = frame.body if made is None else made["self"]
    return base, base.pose.inverse() @ frame.pose


def _geometry(joint: Joint) -> list[Expr]:
    """What a joint is made of, for coordinates that stay the same; nothing where no symbol can be in it."""
    kind = joint.kind
    if type(kind).__module__.startswith("multibody.") and all(
        isinstance(expression, Constant) for value in vars(kind).values() for expression in expressions_in(value)
    ):
        return []
    with isolated():
        found: list[Any] = [*kind.end().components()]
        for step in kind.steps():
            held = [symbol(f"held_{k}", "parameter", "joint") for k in range(len(step.motion.coordinates))]
            found += [*step.before.components(), *step.motion.pose(held).components()]
            found += [part for axis in step.motion.axes(held) for part in axis.components()]
        return [as_expr(expression) for expression in found]


def _changing(parts: Sequence[Any]) -> list[str]:
    """The names of symbols that are not constant."""
    expressions = [expression for expression in map(as_expr, parts) if not isinstance(expression, Constant)]
    symbols = free_symbols(expressions) if expressions else []
    return [
        symbol.name for symbol in symbols if symbol.kind != "parameter" and symbol.scope
    ]  # symbols of no system have no scope


def _moved(name: str, base: Frame, position: Vec3, rotation: Rotation, names: list[str], mass: str = "") -> str:
    """The joint that moves something in the way that was written."""
    parts = [*map(as_expr, position.components())]
    others = [
        symbol for symbol in free_symbols([*parts, *map(as_expr, rotation.components())]) if symbol.kind not in FOLLOWED
    ]
    if others:
        return (
            "Use a joint whose coordinate follows from others: "
            f"system.loop(ExpJoint(joint, {next((part for part in parts if _changing([part])), 'expression')}))."
        )
    movements = [f"T{letter}" for letter, part in zip("xyz", parts, strict=True) if part is not ZERO]
    motions = [str(part) for part in parts if part is not ZERO]
    if _changing(rotation.components()):
        movements.append(f"R{rotation.axis or 'z'}")
        motions.append(_angle(rotation))
    use = "it" if mass else f"'{name}'"
    head = "Move it by a joint with prescribed motion" + ("" if mass else f", and use {use} in its place") + ":\n"
    return head + _code(name, base, movements, ", ".join(motions), mass)


def _angle(rotation: Rotation) -> str:
    """The angle of a turn about a coordinate axis, as it was written where that can be seen."""
    if rotation.axis is None:
        return "angle"
    cosine, sine = rotation.components()[-2:]
    both = [as_expr(expression) for expression in (cosine, sine)]
    if [expression.op for expression in both] == ["cos", "sin"] and both[0].args[0] is both[1].args[0]:
        return str(both[0].args[0])
    return str(atan2(both[1], both[0]))


def _code(name: str, base: Frame, movements: list[str], motions: str, mass: str = "") -> str:
    weight = f", mass={mass}" if mass else ""
    return (
        f"    t = system.time\n"
        f'    {name} = system.body("{name}"{weight})\n'
        f'    system.joint("{name}_motion", system["{base.name}"], {name}, {movements}, prescribed=[{motions}])'
    )


def _joint_remedy(joint: Joint) -> str:
    """A thread by a constraint, which knows its rate; an axis that turns by a frame that turns."""
    if isinstance(joint.kind, Screw):
        return (
            "For a pitch that changes, use a cylindrical joint and a constraint, whose rate is taken into account:\n"
            f'    {joint.name} = system.joint("{joint.name}", parent, child, Cylindrical({joint.kind.axis!r}))\n'
            f"    advance, turn = {joint.name}.coordinates\n"
            f"    system.constraint(advance - ({joint.kind.pitch})*turn)"
        )
    return (
        "Keep numbers and parameters in it, and turn the frame that it starts from by a joint with prescribed motion:\n"
        + _code(f"{joint.name}_carrier", joint.parent, ["Rz"], "angle")
    )
