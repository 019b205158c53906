"""Velocities, angular velocities and accelerations that were set in SymPy and contradict what they follow from.

SymPy takes F_r* from the acceleration that was set for a center of mass, if one was, whatever the velocity says, and
leaves out the rates of the speeds in it. These must be right here as well. What ``a2pt_theory`` sets holds for two
points of one body; a point of contact, which moves on, is none.

SymPy takes ω from ``set_ang_vel``, if it was called, whatever the orientation says. With the rotation R that maps
components in a frame to those in another one, both must agree: Ṙ·Rᵀ = ω× (Kane and Levinson 1985, section 2.1). They
need not agree everywhere: quaternions have unit length, and constraints are kept.

A velocity from ``set_vel`` must be the rate of the position relative to a point at rest. There is one exception: models
of wheels give positions relative to the point of contact, which is at rest for an instant only. There v = ω × r, with
the ω of a body, is right, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from multibody.compat.sympy.geometry import Geometry, cross
from multibody.compat.sympy.kinematics import SympyKinematics
from multibody.errors import ConversionError, ExpressionError, ModelError
from multibody.graph import Expr, array, free_symbols, product, same, symbol
from multibody.graph.linear_algebra import Matrix
from multibody.subsystems.constraints.closed_state import closed_state, numbers


def require_rates_of_velocities(kinematics: SympyKinematics, world: Any, bodies: Iterable[Any]) -> None:
    """An error if an acceleration that was set in the world is not the rate of the velocity."""
    said = list(_set_accelerations(world, bodies))
    if not said:
        return
    rates = [symbol(f"rate_of_speed_{k}", "parameter", "accelerations that were set") for k in range(len(kinematics.u))]
    geometry = Geometry(world, kinematics.with_accelerations(rates))
    for frame, acceleration in said:
        velocity = geometry.velocity(frame) if hasattr(frame, "vel") else geometry.angular_velocity(frame)
        follows = kinematics.change(list(velocity), rates)
        if not all(map(same, geometry.vector(acceleration), follows)):
            raise ModelError(
                f"The acceleration of '{frame}' that was set in '{world}' is not the rate of its velocity.",
                where=f"model '{kinematics.vocabulary.scope}'",
                cause="a2pt_theory holds for two points of one body; a point of contact, which moves on, is none.",
                remedy="Do not set accelerations: they follow from the velocities.",
                code="acceleration-contradicts-velocity",
                name=str(frame),
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
MAX_RATE_DIFFERENCE = 1e-7  # relative difference of velocities that contradict each other


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
        except ConversionError:  # the model does not use it; what it uses is read elsewhere
            continue
        turning = product(array(own.change(rotation)), rotation.T)
        follows = array([turning[2, 1], turning[0, 2], turning[1, 0]])
        gaps = list(said - follows)
        if _contradict(own, gaps, said, [rotation], held):
            raise _contradiction(own, frame, base, said, follows)


def require_rates_of_positions(
    kinematics: SympyKinematics, world: Any, bodies: Iterable[Any], loads: Iterable[Any], constraints: Iterable[Expr]
) -> None:
    """An error if a velocity that was set is not the rate of the position relative to a point at rest.

    Mass centers and points with loads are checked. For the arguments see ``require_rates_of_orientations``.
    """
    own = kinematics.apart()
    geometry = Geometry(world, own)
    held, bodies = list(constraints), list(bodies)
    points = [body.masscenter for body in bodies] + [what for what, _ in loads if hasattr(what, "vel")]
    turning = list(dict.fromkeys(body.frame for body in bodies if hasattr(body, "frame")))
    for point in dict.fromkeys(points):
        if world not in point._vel_dict or point._vel_dict[world] == 0:
            continue
        for origin in (other for other in _connected([point], world) if world in other._vel_dict):
            if origin._vel_dict[world] == 0:
                known = [between for between in geometry.points_between(point, origin) if world in between._vel_dict]
                for symbol, base in pairwise(known):
                    _require_rate_of_position(own, geometry, symbol, base, turning, held)


def _require_rate_of_position(
    own: SympyKinematics, geometry: Geometry, point: Any, origin: Any, turning: Sequence[Any], held: Sequence[Expr]
) -> None:
    """The same for one point, relative to another one whose velocity was set, too."""
    try:
        place = geometry.position(point, origin)
        said = geometry.velocity(point) - geometry.velocity(origin)
        if place is None or any(symbol.kind == "input" for symbol in free_symbols(list(place))):
            return  # a position that does not follow from coordinates
        follows = array(own.change(list(place)))
        frames = [frame for frame in geometry.on_the_way(point, origin) if geometry.knows(frame)]
        rotations = [geometry.rotation(frame) for frame in frames]
    except ConversionError:  # the model does not use it; what it uses is read elsewhere
        return
    if not _contradict(own, list(said - follows), said, rotations, held):
        return
    for frame in turning:  # of a wheel that rolls on the point
        rolling = cross(geometry.angular_velocity(frame), place)
        known = [geometry.rotation(frame)] if geometry.knows(frame) else []
        if not _contradict(own, list(said - rolling), said, [*rotations, *known], held):
            return
    raise ModelError(
        f"The velocity of '{point}' that was set in '{geometry.world}' is not the rate of its position.",
        where=f"model '{own.vocabulary.scope}'",
        cause=f"In the axes of '{geometry.world}' and relative to '{origin}', set_vel or v2pt_theory gives "
        f"{_short(said)}; the position and the kinematic differential equations give {_short(follows)}.",
        remedy="Remove set_vel: the velocity follows from the position. Or correct the velocity, the position or the "
        "kinematic differential equations.",
        code="velocity-contradicts-position",
        names=[str(point), str(origin)],
    )


def _contradict(
    own: SympyKinematics, gaps: Sequence[Expr], said: Matrix, rotations: Sequence[Matrix], held: Sequence[Expr]
) -> bool:
    return any(gap.fp != 0 for gap in gaps) and _apart(own, gaps, said, rotations, held)


def _frames(world: Any, bodies: Iterable[Any], loads: Iterable[Any]) -> list[Any]:
    """The frames that bodies, loads, and the places and velocities of their points are written in."""
    found: dict[Any, None] = {}
    points: list[Any] = []
    for body in bodies:
        points.append(body.masscenter)
        if hasattr(body, "frame"):
            found[body.frame] = None
            found |= dict.fromkeys(
                frame for _, *sides in body.inertia[0].args for side in sides for _, frame in side.args
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
    kinematics: SympyKinematics, gaps: Sequence[Expr], said: Matrix, rotations: Sequence[Matrix], held: Sequence[Expr]
) -> bool:
    """Whether two velocities differ in a state in which each R is a rotation and the constraints are kept."""
    unit = np.eye(3, dtype=int).astype(object)
    lengths = [entry for R in rotations for entry in (product(R, R.T) - unit).flat]
    moving = [symbol for symbol in held if not set(kinematics.u) & set(free_symbols(symbol))]
    rates = list(kinematics.change(moving)) if moving else []
    closing = [expression for expression in (*lengths, *held, *rates) if expression.fp != 0]
    symbols = free_symbols([*gaps, *said, *closing])
    unknown = [symbol for symbol in symbols if symbol.kind != "time"]
    rng = np.random.default_rng(1)
    for _ in range(RANDOM_STATES):
        start = {symbol: float(rng.uniform(0.3, 1.3)) for symbol in symbols}
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
