"""Legs of parallel robots: two hinges and a translation carry a point that belongs to a platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from multibody.errors import ModelError
from multibody.graph import Constant, Expr, Symbol, atan2, sqrt
from multibody.model.body import Frame
from multibody.model.constraints import Constraint, FrameConstraint
from multibody.model.joints.locks import others
from multibody.model.kinematics import Kinematics
from multibody.model.loops.contract import ExplicitLoop
from multibody.model.loops.meeting import Directions, Meeting
from multibody.model.loops.planar import as_posture
from multibody.model.loops.plane import angle_between, flat, slid_to_reach
from multibody.model.loops.way import Way, names, vanishes
from multibody.model.model import Model


class Hexapod(ExplicitLoop):
    """A leg of a Stewart platform: a universal joint, a cylinder, and a ball joint that closes the loop.

    From its foot the leg turns about two perpendicular axes and then changes its length, perpendicular to the second
    axis: ``["Ry", "Rz"]`` and ``"Tx"``, or any other such three movements; offsets between the axes are allowed. Both
    angles and the length follow from where the platform is, in whatever coordinates that is given.

    Args:
        first: a frame at the ball joint, on the platform or at the end of the leg.
        second: a frame at the ball joint, on the other one.
        posture: 1 if the second hinge stays within a quarter turn of where the leg stretches away from the first axis;
            -1 for the other solution, with the first hinge turned round.

    Example:
        >>> from multibody.model import Free, System
        >>> stand = System("stand")
        >>> table, barrel, piston = (
        ...     stand.body(name, 1, (0, 0, 0), (1, 1, 1)) for name in ("table", "barrel", "piston")
        ... )
        >>> flight = stand.joint("flight", stand.world, table, Free("xyz"), q=(1, 1, 1, 0, 0, 0))
        >>> foot = stand.joint("foot", stand.world, barrel, ["Ry", "Rz"])
        >>> length = stand.joint("length", barrel, piston, "Tx")
        >>> loop = stand.loop(Hexapod(table.frame("corner", (0.2, 0, 0)), piston))
        >>> model = stand.freeze()
        >>> len(model.coordinates), len(model.unreduced.coordinates)
        (6, 9)
    """

    def __init__(self, first: Frame, second: Frame, posture: int = 1) -> None:
        self.first = first
        self.second = second
        self.posture = as_posture(posture, type(self).__name__)

    @property
    def closure(self) -> Constraint:
        """The origins of the frames coincide."""
        return Meeting(self.first, self.second, self._directions)

    def dependent(self, kinematics: Kinematics) -> Sequence[Symbol]:
        """Both angles and the length."""
        return list(self.solution(kinematics))

    def solution(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """The first hinge turns the plane of the leg to the point; there, hinge and length are a planar problem."""
        return reached(self._way(kinematics.model), self.posture).values

    def _way(self, model: Model) -> Way:
        """The way to the end of the leg."""
        way = Way.between(model, self.first, self.second)
        for direction in (way, way.reversed()):
            if is_leg(direction, model):
                return direction
        raise ModelError(
            f"Neither end of the loop is a leg: it leads through {names(way.passages) or 'no joint'}.",
            code="loop-of-other-kind",
            where=repr(self),
            cause="A leg ends with two hinges at right angles, and a translation at a right angle to the second.",
            remedy="Check the order and the axes of the joints, and that none of them is determined otherwise.",
        )

    def _directions(self, kinematics: Kinematics) -> Directions:
        """The axes of the leg at its end: along its length, along its second hinge, and across both."""
        way = self._way(kinematics.model)
        _, second, slide = way.passages[-3:]
        along, axis = slide.direction, slide.before.vector_to_child(second.axis)
        vectors = {"along": along, "sideways": axis, "across": axis.cross(along)}
        return Directions(way, {name: way.after.vector_to_child(vector) for name, vector in vectors.items()})


class Reached(NamedTuple):
    """A leg that reaches its point.

    Attributes:
        values: both angles and the length.
        distance: the square of the distance of the point from the first axis; at zero the first hinge may turn freely.
        sideways: how far the leg passes the first axis by; its square must not be larger than the distance.
        transmission: see ``Root``; it is 1 for a leg without offsets.
    """

    values: dict[Symbol, Expr]
    distance: Expr
    sideways: Expr
    transmission: Expr


def is_leg(way: Way, model: Model) -> bool:
    """Whether a way ends with two perpendicular hinges and a translation perpendicular to the second one."""
    leg = way.passages[-3:]
    if len(leg) < 3 or not all(passage.is_free(model) and not passage.inward for passage in leg):
        return False
    first, second, slide = leg
    if not (first.turns and second.turns and slide.slides):
        return False
    across = second.before.vector_to_child(first.axis).dot(second.axis)
    return vanishes(across) and vanishes(slide.before.vector_to_parent(slide.direction).dot(second.axis))


def reached(way: Way, posture: int) -> Reached:
    """Angles α and β and length s of the leg at the end of a way, whose start is the point p to be reached.

    With axes e₁, e₂ and e₃ = e₁×e₂ after the first hinge, the point is at R₁(α)ᵀ·p there, and at o + R₂(β)·(c + s·d) by
    the leg. Along e₂ the latter is a constant k: p₂·cos α + p₃·sin α = k. This gives α; what is left is eq. (1) of
    ``plane`` for β and s.
    """
    first, second, slide = way.passages[-3:]
    p = way.reversed().pose(3, len(way.passages)).position
    foot, shank = second.before, second.before @ slide.before
    e1, e2 = first.axis, foot.vector_to_parent(second.axis)
    e3 = e1.cross(e2)
    o, d = foot.position, shank.vector_to_parent(slide.direction)
    c = shank.point_to_parent(way.after.position) - o
    k, p2, p3 = e2.dot(o + c), e2.dot(p), e3.dot(p)
    square = p2 * p2 + p3 * p3
    h = sqrt(square - k * k) * (posture * _sense(e3.dot(d)))
    alpha = atan2((p3 * k - p2 * h) / square, (p2 * k + p3 * h) / square)
    w = flat(e1 * e1.dot(p) + e3 * h - o, e2)
    a = flat(c, e2)
    s, transmission = slid_to_reach(a, d, e2, w.dot(w), 1)
    beta = angle_between(a + d * s, w, e2)
    values: dict[Any, Expr] = {first.coordinate: alpha, second.coordinate: beta, slide.coordinate: s}
    return Reached(values, square, k, transmission)


def _sense(component: Expr) -> int:
    """-1 for a direction that is known to point backwards."""
    return -1 if isinstance(component, Constant) and component.value < 0 else 1


class HexapodWithOffset(FrameConstraint):
    """A leg with offset axes at both ends, ``Hexapod_m_AV`` of the PyMbs manual ("mit Achsversatz"), as a constraint.

    The leg is a hinge on the base, an offset, a hinge across it, a cylinder that turns, a hinge, an offset, and a hinge
    on the platform, which closes the loop. Its line lies in a plane through the axis on the base and in a plane through
    the axis on the platform; where both are offset, these two conditions lead to an irreducible equation of eighth
    degree, without a closed form. So the closing hinge is kept by multipliers: give it to ``system.constraint``. With
    an offset at the foot alone, and a ball joint at the platform, ``Hexapod`` solves the loop.

    Args:
        base: a frame at the closing hinge, on the platform.
        frame: a frame at the closing hinge, at the end of the leg.
        axis: of the closing hinge, in both frames: ``"x"``, ``"y"`` or ``"z"``.
    """

    def __init__(self, base: Frame, frame: Frame, axis: str = "y") -> None:
        if axis not in ("x", "y", "z"):
            raise ModelError(
                f"{axis!r} is not an axis.",
                code="axis-unknown",
                where="HexapodWithOffset",
                remedy="Use 'x', 'y' or 'z'.",
            )
        super().__init__(base, frame, translation="xyz", rotation=others("xyz".index(axis)))
