"""Rolling without slip on a plane: what all round bodies have in common, and balls.

At the contact the material point of the body stands still relative to the plane. That point, at c from the origin of
the body's frame, has the velocity v + ω × c, and the contact force acts there; so the multipliers are the components of
this force in N. All is seen from the base frame, whose plane z = 0 may move in any way: a table, a turntable, a belt.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from multibody.algebra import ForceMotor, Vec3
from multibody.errors import ModelError
from multibody.graph import Constant, Expr, is_zero
from multibody.model.body import Frame
from multibody.model.constraints.between import CONSTANT, BetweenFrames, given, positive
from multibody.model.constraints.contract import Equation
from multibody.model.joints.axis import UNIT
from multibody.model.kinematics import Kinematics


class Contact(NamedTuple):
    """Where and how a rolling body touches the plane, in the axes of its frame.

    Attributes:
        point: from the origin of the frame.
        tangents: directions in the plane in which it does not slip, by the names of the equations.
        normal: of the plane.
        height: of the lowest point above the plane.
    """

    point: Vec3
    tangents: Mapping[str, Vec3]
    normal: Vec3
    height: Expr


class Rolling(BetweenFrames):
    """A round body that rolls on the plane z = 0 of the base and touches it from above.

    Args:
        base: the frame that carries the plane.
        frame: the frame at the centre of the round body, fixed to it.
        radius: in m, a number or an expression of parameters.
        touching: whether the body is held on the plane as well, by a third equation. It is left out by itself where the
            coordinates keep the body on the plane in all positions.
    """

    def __init__(self, base: Frame, frame: Frame, radius: Any, touching: bool) -> None:
        super().__init__(base, frame)
        self.radius = positive(radius, "radius", self, "Give a positive radius.")
        self.touching = touching

    @abstractmethod
    def contact(self, kinematics: Kinematics) -> Contact:
        """Where it touches the plane."""

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """No slip in two directions; then the touching."""
        contact = self.contact(kinematics)
        slips = [self._along(kinematics, contact, name, e) for name, e in contact.tangents.items()]
        if not self.touching:
            return slips
        lift = self._along(kinematics, contact, "normal", contact.normal, contact.height)
        if not is_zero(lift.velocity):
            return [*slips, lift]
        self._require_touching(contact.height)
        return slips

    def _along(
        self, kinematics: Kinematics, contact: Contact, name: str, direction: Vec3, position: Expr | None = None
    ) -> Equation:
        force = ForceMotor.single_force(direction, contact.point)
        return Equation.between(kinematics, name, self.frame, self.base, force, position)

    def _require_touching(self, height: Expr) -> None:
        rounded = isinstance(height, Constant) and abs(float(height.value)) < 1e-12
        if not rounded and not is_zero(height):
            raise ModelError(
                f"The body keeps the height {height} above the plane in all positions.",
                code="contact-without-effect",
                where=repr(self),
                cause="The joints hold it there; the plane is z = 0 of the base frame.",
                remedy="Put a base frame where the ground is, or use touching=False.",
            )

    @property
    def expressions(self) -> Sequence[Expr]:
        """The radius."""
        return (self.radius,)


class RollingSphere(Rolling):
    """A ball that rolls without slip on the plane z = 0 of the base; it may spin about the normal.

    The equations are ``x`` and ``y``, no slip along these axes of the base, and ``normal``, the centre at the height of
    the radius (holonomic). The multipliers are the forces on the ball at the contact in N, in these directions.

    Args:
        base: the frame that carries the plane.
        frame: the frame at the centre of the ball, fixed to it.
        radius: in m, a number or an expression of parameters.
        touching: whether the ball is held on the plane as well. This equation is left out by itself where the
            coordinates keep the height in all positions.

    Example:
        >>> from multibody.model import Free, System
        >>> alley = System("alley")
        >>> ball = alley.body("ball", mass=5, inertia=(0.02, 0.02, 0.02))
        >>> motion = alley.joint("motion", alley.world, ball, Free(), q=(0, 0, 0.1, 1, 0, 0, 0))
        >>> grip = alley.constraint(RollingSphere(alley.world, ball, radius=0.1), name="grip")
        >>> [equation.name for equation in grip.equations(Kinematics(alley.freeze()))]
        ['x', 'y', 'normal']
    """

    def __init__(self, base: Frame, frame: Frame, radius: Any, *, touching: bool = True) -> None:
        super().__init__(base, frame, radius, touching)

    def contact(self, kinematics: Kinematics) -> Contact:
        """The point below the centre."""
        radius = given(self.radius, kinematics, self, CONSTANT)
        pose = kinematics.pose(self.frame, self.base)
        x, y, n = (pose.vector_to_child(unit.symbolic()) for unit in UNIT)
        return Contact(-n * radius, {"x": x, "y": y}, n, pose.position.z - radius)
