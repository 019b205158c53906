"""Equations between the two frames of a joint that closes a loop: the motions that it prevents.

A lock is one equation φ = 0 for the pose X of the child frame (the held one) relative to the parent frame (the base),
with the wrench that keeps it: a force motor at the origin and in the axes of the child, such that φ̇ is its inner
product with the relative velocity whenever all locks of the joint are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from multibody.algebra import ForceMotor, Rotation, Transform, Vec3
from multibody.graph import ZERO, Expr, atan2, cos, sin
from multibody.model.joints.axis import UNIT
from multibody.model.joints.contract import Gauge, Lock, fixed

_NOTHING = Vec3(ZERO, ZERO, ZERO)


def translation_locks(pose: Transform, letters: str) -> Iterator[Lock]:
    """The displacement along axes of the base is zero; the force acts at the held frame's origin."""
    for letter in letters:
        k = "xyz".index(letter)
        along = pose.vector_to_child(UNIT[k].symbolic())
        yield Lock(f"f{letter}", pose.position.components()[k], ForceMotor(along, _NOTHING))


def rotation_locks(pose: Transform, letters: str) -> Iterator[Lock]:
    """Axes of the frame stay perpendicular to axes of the base; the torque points along the locked axis.

    One locked axis leaves a universal joint: the first turn is about the next axis of the base, the second about the
    one after that in the frame. Two leave a hinge. Three keep the orientation: e_y · r_z = e_z · r_x = e_x · r_y = 0.
    """
    for letter, (j, k) in zip(letters, _pairs(letters), strict=True):
        sign = 1 if (k + 1) % 3 == j else -1
        lock = angle_lock(f"t{letter}", pose, UNIT[j], UNIT[k])
        upright = pose.vector_to_parent(UNIT[k].symbolic()).components()[k] if len(letters) > 1 else None
        yield Lock(lock.name, lock.position * sign, lock.wrench * sign, upright)


def _pairs(letters: str) -> list[tuple[int, int]]:
    """For each locked axis the axes e_j of the base and r_k of the frame that stay perpendicular."""
    numbers = ["xyz".index(letter) for letter in letters]
    if len(numbers) == 2:
        (rest,) = set(range(3)) - set(numbers)
        return [(next(j for j in range(3) if j not in (rest, axis)), rest) for axis in numbers]
    return [((axis + 1) % 3, (axis + 2) % 3) for axis in numbers]


def angle_lock(name: str, pose: Transform, first: Vec3, second: Vec3) -> Lock:
    """A direction e of the base and a direction r of the frame keep the angle that they have when the frames coincide.

    d/dt (e · r) = ω · (r × e) with the relative angular velocity ω: so a torque along r × e keeps it.
    """
    e, r = first.symbolic(), pose.vector_to_parent(second.symbolic())
    torque = pose.vector_to_child(r.cross(e))
    return Lock(name, e.dot(r) - first.symbolic().dot(second.symbolic()), ForceMotor(_NOTHING, torque))


def thread_lock(pose: Transform, index: int, sign: int, pitch: Expr) -> Lock:
    """Advance and angle of a screw belong together: s = pitch·θ, for any number of turns.

    φ = pitch·sin(s/pitch - θ), with cos θ and sin θ from the relative rotation; a zero pitch is not a screw.
    """
    i, j = (index + 1) % 3, (index + 2) % 3
    turned = pose.vector_to_parent(UNIT[i].symbolic()).components()
    advance = pose.position.components()[index] * sign
    x = advance / pitch
    position = pitch * (sin(x) * turned[i] - cos(x) * turned[j] * sign)
    axis = (UNIT[index] * sign).symbolic()
    along = pose.vector_to_child(axis)
    return Lock(f"f{'xyz'[index]}", position, ForceMotor(along, along * -pitch))


def turned_locks(pose: Transform, rotation: Rotation, locks: Sequence[str]) -> Iterator[Lock]:
    """Locks along axes of frames that are turned by ``rotation`` in the base and in the held frame alike.

    Args:
        pose: of the held frame in the base.
        rotation: from the turned to the given axes.
        locks: letters of locked translations, and of locked rotations.
    """
    there = fixed(rotation)
    seen = there.inverse() @ pose @ there
    for lock in (*translation_locks(seen, locks[0]), *rotation_locks(seen, locks[1])):
        yield Lock(lock.name, lock.position, there.to_parent(lock.wrench), lock.side)


def seen_from_child(pose: Transform, locks: Sequence[Lock]) -> Iterator[Lock]:
    """Locks that were found for the parent frame as the held one."""
    for lock in locks:
        yield Lock(lock.name, lock.position, -pose.to_child(lock.wrench), lock.side)


def others(*indices: int) -> str:
    """The letters of the axes that are not among the given ones."""
    return "".join(letter for k, letter in enumerate("xyz") if k not in indices)


def turn_gauge(pose: Transform, rotation: Rotation, index: int, sign: int) -> Gauge:
    """The angle about axis ``index`` of frames that are turned by ``rotation``; no other turn is allowed."""
    there = fixed(rotation)
    seen = there.inverse() @ pose @ there
    i, j = (index + 1) % 3, (index + 2) % 3
    turned = seen.vector_to_parent(UNIT[i].symbolic()).components()
    axis = rotation.apply((UNIT[index] * sign).symbolic())
    return Gauge(atan2(turned[j] * sign, turned[i]), ForceMotor(_NOTHING, axis))


def slide_gauge(pose: Transform, direction: Vec3) -> Gauge:
    """The displacement along a direction of the base."""
    along = direction.symbolic()
    return Gauge(pose.position.dot(along), ForceMotor(pose.vector_to_child(along), _NOTHING))
