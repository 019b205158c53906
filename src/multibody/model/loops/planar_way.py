"""Ways that stay in a plane: what they look like, and the two coordinates that close them."""

from __future__ import annotations

from typing import Any, NamedTuple

from multibody.algebra import Vec3
from multibody.errors import ModelError
from multibody.graph import Expr, Symbol
from multibody.model.loops.plane import angle_between, flat, slid_to_reach, turned_to_reach
from multibody.model.loops.way import Way, names, parallel, vanishes


class Solved(NamedTuple):
    """A loop that is closed.

    Attributes:
        values: the dependent coordinates.
        transmission: sin² of the transmission angle, see ``Root``.
        arm: |w|², the square of the distance from the pivot to the closing hinge; at zero the pivot may turn freely.
    """

    values: dict[Symbol, Expr]
    transmission: Expr
    arm: Expr


def closed(way: Way, first: int, second: int, posture: int) -> Solved:
    """The coordinates of two passages that close a planar loop: R(θ)·v(x) = w, eq. (1) of ``plane``."""
    if way.passages[first].slides:  # the pivot is a hinge and comes first
        last = len(way.passages) - 1
        return closed(way.reversed(), last - second, last - first, posture)
    pivot, other = way.passages[first], way.passages[second]
    count = len(way.passages)
    near, between, far = (
        way.reversed().pose(count - first, count),
        way.pose(first + 1, second),
        way.pose(second + 1, count),
    )
    n = pivot.axis
    w = flat(near.position, n)
    b, c = (flat(vector, n) for vector in (between.position, between.vector_to_parent(far.position)))
    arm = w.dot(w)
    if other.turns:
        root = turned_to_reach(b, c, between.vector_to_parent(other.axis), arm, -posture if other.inward else posture)
    else:
        root = slid_to_reach(b + c, between.vector_to_parent(other.direction), n, arm, posture)
    moved = between @ other.motion.pose([root.value])
    theta = angle_between(flat(moved.point_to_parent(far.position), n), w, n)
    values: dict[Any, Expr] = {pivot.coordinate: theta, other.coordinate: root.value}
    return Solved(values, root.transmission, arm)


def plane_axes(way: Way) -> list[Vec3]:
    """The axis of the first hinge on a way, in the frames of its start, of all its passages, and of its end.

    If the way is planar, no passage turns the axis.
    """
    first = next(k for k, passage in enumerate(way.passages) if passage.turns)
    axis = way.passages[first].axis
    for passage in reversed(way.passages[: first + 1]):
        axis = passage.before.vector_to_parent(axis)
    axes = [axis]
    for transform in (*(passage.before for passage in way.passages), way.after):
        axes.append(transform.vector_to_child(axes[-1]))
    return axes


def last_bar(way: Way) -> Vec3:
    """From the last hinge to the end of the way, or the direction of the last translation, in its frame."""
    last = way.passages[-1]
    return last.direction if last.slides else flat(way.after.position, last.axis)


def check_plane(way: Way, where: str) -> None:
    """All movements are hinges about one direction, or translations perpendicular to it.

    Raises:
        ModelError: with the name of the joint that does not fit.
    """
    odd = [passage for passage in way.passages if not (passage.turns or passage.slides)]
    hinges = [passage for passage in way.passages if passage.turns]
    if odd or not hinges:
        raise ModelError(
            f"{names(odd)} is neither a hinge nor a translation." if odd else "There is no hinge in the loop.",
            code="loop-not-planar",
            where=where,
            cause=f"The way between the frames leads through {names(way.passages) or 'no joint'}.",
            remedy="Check the frames; close loops of other shapes by a constraint or a joint.",
        )
    for passage, axis in zip(way.passages, plane_axes(way)[1:-1], strict=True):
        fits = parallel(passage.axis, axis) if passage.turns else vanishes(passage.direction.dot(axis))
        if not fits:
            raise ModelError(
                f"The loop is not planar: {names([passage])} does not fit to the axis of {names(hinges[:1])}.",
                code="loop-not-planar",
                where=where,
                cause="Hinges must be parallel to it, translations perpendicular.",
                remedy="Turn the frames of the joint, or close the loop by a constraint or a joint.",
            )
