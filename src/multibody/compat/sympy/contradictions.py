"""Velocities, angular velocities and accelerations that were set in SymPy and contradict what they follow from.

SymPy takes F_r* from the acceleration that was set for a center of mass, if one was, whatever the velocity says. What
``a2pt_theory`` sets holds for two points of one body; a point of contact, which moves on, is none.

SymPy takes ω from ``set_ang_vel``, if it was called, whatever the orientation says. With the rotation R that maps
components in a frame to those in another one, both must agree: Ṙ·Rᵀ = ω× (Kane and Levinson 1985, section 2.1). They
need not agree everywhere: quaternions have unit length, and constraints are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.compat.sympy.geometry import Geometry
from multibody.compat.sympy.kinematics import SympyKinematics
from multibody.errors import ConversionError, ExpressionError, ModelError
from multibody.graph import Expr, array, free_symbols, product, same
from multibody.graph.linear_algebra import Matrix
from multibody.subsystems.constraints.closed_state import closed_state, numbers


def require_rates_of_velocities(kinematics: SympyKinematics, world: Any, bodies: Iterable[Any]) -> None:
    """An error if an acceleration that was set in the world is not the rate of the velocity."""
    said = list(_set_accelerations(world, bodies))
    if not said:
        return
    geometry = Geometry(world, kinematics.with_accelerations())
    for thing, acceleration in said:
        velocity = geometry.velocity(thing) if hasattr(thing, "vel") else geometry.angular_velocity(thing)
        follows = kinematics.change(list(velocity))
        if not all(map(same, geometry.vector(acceleration), follows)):
            raise ModelError(
                f"The acceleration of '{thing}' that was set in '{world}' is not the rate of its velocity.",
                where=f"model '{kinematics.vocabulary.scope}'",
                cause="a2pt_theory holds for two points of one body; a point of contact, which moves on, is none.",
                remedy="Do not set accelerations: they follow from the velocities.",
                code="acceleration-contradicts-velocity",
                name=str(thing),
            )


def _set_accelerations(world: Any, bodies: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Points and frames of bodies with their accelerations, where these were set in the world."""
    for body in bodies:
        point, frame = body.masscenter, getattr(body, "frame", None)
        if world in point._acc_dict:
            yield point, point._acc_dict[world]
        if frame is not None and world in frame._ang_acc_dict:
            yield frame, frame._ang_acc_dict[world]


RANDOM_STATES = 4  # random states in which numbers decide
MAX_RATE_DIFFERENCE = 1e-7  # relative difference of angular velocities that contradict each other


def require_rates_of_orientations(
    kinematics: SympyKinematics, world: Any, bodies: Iterable[Any], loads: Iterable[Any], constraints: Iterable[Expr]
) -> None:
    """An error if an angular velocity that was set is not the rate of the orientation.

    Args:
        kinematics: coordinates, speeds and rates.
        world: the SymPy frame that stands still.
        bodies: RigidBody and Particle objects.
        loads: pairs of a point and a force, or of a frame and a torque.
        constraints: what stays zero, of positions or velocities.

    Raises:
        ModelError: with the names of both frames, and both angular velocities.
    """
    own = kinematics.apart()
    geometry = Geometry(world, own)
    held = list(constraints)
    for frame, base in _set_angular_velocities(geometry, _frames(world, bodies, loads)):
        try:
            rotation = geometry.rotation(frame, base)
            said = geometry.vector(frame._ang_vel_dict[base], base)
        except ConversionError:  # of something that the model does not use; what it uses is read elsewhere
            continue
        turning = product(array(own.change(rotation)), rotation.T)
        follows = array([turning[2, 1], turning[0, 2], turning[1, 0]])
        gaps = list(said - follows)
        if any(gap.fp != 0 for gap in gaps) and _apart(own, gaps, said, rotation, held):
            raise _contradiction(own, frame, base, said, follows)


def _frames(world: Any, bodies: Iterable[Any], loads: Iterable[Any]) -> list[Any]:
    """The frames that bodies, loads, and the places and velocities of their points are written in."""
    found: dict[Any, None] = {}
    points: list[Any] = []
    for body in bodies:
        points.append(body.masscenter)
        if hasattr(body, "frame"):
            found[body.frame] = None
            found |= dict.fromkeys(
                frame for _, *sides in body.inertia[0].args for one in sides for _, frame in one.args
            )
    for what, vector in loads:
        (points.append if hasattr(what, "vel") else found.setdefault)(what)
        found |= _written_in(vector)
    for point in _connected(points, world):
        for vector in (*point._pos_dict.values(), point._vel_dict.get(world, 0)):
            found |= _written_in(vector)
    return list(found)


def _written_in(vector: Any) -> dict[Any, None]:
    return dict.fromkeys(frame for _, frame in getattr(vector, "args", ()))


def _connected(points: Sequence[Any], world: Any) -> list[Any]:
    """Points, and those that they are located from, up to points that stand still: other models may begin there."""
    seen = dict.fromkeys(points)
    pending = list(seen)
    while pending:
        point = pending.pop()
        if world in point._vel_dict and point._vel_dict[world] == 0:
            continue
        for other in point._pos_dict:
            if other not in seen:
                seen[other] = None
                pending.append(other)
    return list(seen)


def _set_angular_velocities(geometry: Geometry, frames: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Pairs of frames with known orientations, of which one has an angular velocity in the other; each once.

    The second one is that which is nearer to the world.
    """
    known = dict.fromkeys(one for frame in frames if geometry.knows(frame) for one in geometry.to_world(frame))
    ordered = sorted(known, key=lambda one: len(geometry.to_world(one)))
    for k, frame in enumerate(ordered):
        yield from ((frame, base) for base in ordered[:k] if base in frame._ang_vel_dict)


def _apart(
    kinematics: SympyKinematics, gaps: Sequence[Expr], said: Matrix, rotation: Matrix, held: Sequence[Expr]
) -> bool:
    """Whether two angular velocities differ in a state in which R is a rotation and the constraints are kept."""
    lengths = (product(rotation, rotation.T) - np.eye(3, dtype=int).astype(object)).flat
    moving = [one for one in held if not set(kinematics.u) & set(free_symbols(one))]
    rates = list(kinematics.change(moving)) if moving else []
    closing = [one for one in (*lengths, *held, *rates) if one.fp != 0]
    symbols = free_symbols([*gaps, *said, *closing])
    unknown = [one for one in symbols if one.kind != "time"]
    rng = np.random.default_rng(1)
    for _ in range(RANDOM_STATES):
        start = {one: float(rng.uniform(0.3, 1.3)) for one in symbols}
        state = closed_state(closing, unknown, dict(start)) if closing else start
        if state is not None and _differ(gaps, list(said), state):
            return True
    return False


def _differ(gaps: Sequence[Expr], said: Sequence[Expr], state: Mapping[Any, float]) -> bool:
    try:
        scale = max(1.0, float(np.abs(numbers(said, state)).max()))
        return bool(np.abs(numbers(gaps, state)).max() > MAX_RATE_DIFFERENCE * scale)
    except ExpressionError:  # a singular state
        return False


def _contradiction(kinematics: SympyKinematics, frame: Any, base: Any, said: Matrix, follows: Matrix) -> ModelError:
    return ModelError(
        f"The angular velocity of '{frame}' that was set in '{base}' is not the rate of its orientation.",
        where=f"model '{kinematics.vocabulary.scope}'",
        cause=f"In the axes of '{base}', set_ang_vel says {_short(said)}; the orientation and the kinematic "
        f"differential equations give {_short(follows)}.",
        remedy="Leave set_ang_vel away: the angular velocity follows from the orientation. Or correct it, or the "
        "kinematic differential equations.",
        code="angular-velocity-contradicts-orientation",
        names=[str(frame), str(base)],
    )


def _short(vector: Matrix) -> str:
    return "(" + ", ".join(f"{entry!r:.60}" for entry in vector) + ")"
