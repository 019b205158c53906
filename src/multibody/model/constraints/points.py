"""A point that stays on a straight line or on a plane."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import ForceMotor, Vec3
from multibody.errors import ModelError
from multibody.model.body import Frame
from multibody.model.constraints.between import BetweenFrames, axis_of, fixed_vector
from multibody.model.constraints.contract import Equation
from multibody.model.constraints.frames import held
from multibody.model.joints.axis import Axis, Direction
from multibody.model.joints.contract import fixed
from multibody.model.joints.locks import others, translation_locks
from multibody.model.kinematics import ZERO3, Kinematics


class PointOnLine(BetweenFrames):
    """Keeps a frame's origin on a straight line: a bead on a rod, a ball in a pipe.

    There are two equations, for the directions across the line. For a line along x they are called ``fy`` and ``fz``,
    along y ``fx`` and ``fz``, and so on; for any other direction ``fx`` and ``fy``, the axes of a frame that is turned
    from the base by the shortest way such that its z axis is the direction of the line, or the opposite one where the
    direction points down by 30° or more (z ≤ -0.5 for length one). The multipliers are forces on ``frame`` in N.

    Args:
        base: the frame that carries the line, which goes through its origin.
        frame: the frame whose origin stays on it.
        direction: of the line in the base: ``"x"``, ``"y"``, ``"z"`` or three numbers.

    Example:
        >>> from multibody.model import System
        >>> abacus = System("abacus")
        >>> bead = abacus.body("bead", mass=0.01)
        >>> motion = abacus.joint("p", abacus.world, bead, ["Tx", "Ty", "Tz"])
        >>> wire = abacus.constraint(PointOnLine(abacus.world, bead, "x"), name="wire")
        >>> [equation.position for equation in wire.equations(Kinematics(abacus.freeze()))]
        [p_ty, p_tz]
    """

    def __init__(self, base: Frame, frame: Frame, direction: Direction = "x") -> None:
        super().__init__(base, frame)
        self.axis = _with_neighbours(direction, self)

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """Two, across the line."""
        seen = fixed(self.axis.rotation).inverse() @ kinematics.pose(self.frame, self.base)
        return held(kinematics, self.base, self.frame, list(translation_locks(seen, others(self.axis.index))))


class PointOnPlane(BetweenFrames):
    """Keeps a frame's origin on a plane: the foot of a table, a puck.

    The multiplier is the force on ``frame`` in N, along the normal: positive if the plane pushes.

    Args:
        base: the frame that carries the plane, which goes through its origin.
        frame: the frame whose origin stays on it.
        normal: of the plane in the base: ``"x"``, ``"-z"`` …, or three numbers or expressions of parameters.

    Example:
        >>> from multibody.model import Free, System
        >>> table = System("table")
        >>> top = table.body("top", mass=10, inertia=(1, 1, 2))
        >>> motion = table.joint("motion", table.world, top, Free())
        >>> feet = [top.frame(f"foot_{x}_{y}", (x, y, -1)) for x, y in [(0, 1), (1, 0), (0, 0)]]
        >>> stand = [table.constraint(PointOnPlane(table.world, foot), name=f"on_{foot.name}") for foot in feet]
    """

    def __init__(self, base: Frame, frame: Frame, normal: Direction = "z") -> None:
        super().__init__(base, frame)
        self.normal: Vec3 = fixed_vector(normal, self)

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One, along the normal."""
        pose = kinematics.pose(self.frame, self.base)
        push = ForceMotor(pose.vector_to_child(self.normal), ZERO3)
        height = self.normal.dot(pose.position)
        return [Equation.between(kinematics, "", self.frame, self.base, push, height)]


def _with_neighbours(direction: Direction, owner: PointOnLine) -> Axis:
    """The direction as an axis of a frame, whose other two axes are perpendicular to it."""
    found = axis_of(direction, owner)
    if isinstance(found, Vec3):
        raise ModelError(
            "The direction of the line has symbols, so that no directions across it are known.",
            code="direction-symbolic",
            where=repr(owner),
            remedy="Turn a frame, body.frame(name, rotation=…), such that the line is its x axis.",
        )
    return found
