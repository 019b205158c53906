"""Wheels that roll without slip on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.algebra import Transform
from multibody.errors import ModelError
from multibody.graph import Constant, Expr, as_expr, is_zero, sqrt
from multibody.model.body import Frame
from multibody.model.constraints.between import CONSTANT, fixed_vector, given
from multibody.model.constraints.rolling import Contact, Rolling
from multibody.model.joints.axis import UNIT, Direction
from multibody.model.kinematics import Kinematics


class RollingDisc(Rolling):
    """A wheel that rolls without slip on the plane z = 0 of the base: a coin, a bicycle wheel, a wheel of a robot.

    With the normal n of the plane and the axis a of the wheel, in the middle plane of the wheel the direction
    m = (n - (n·a)·a)/s, s = |a × n|, points away from the lowest point, which is at c = -(r - ρ)·m - ρ·n from the
    centre. The equations are

    - ``forward``: no slip along the track a × n / s; a positive spin about the axis carries the wheel this way,
    - ``sideways``: no slip across it, along n × forward, where the axis points,
    - ``normal``: the lowest point is at height zero, z - (r - ρ)·s - ρ = 0 (holonomic).

    The multipliers are the forces on the wheel at the contact in N, in these directions. A wheel that lies flat,
    a = ±n, has no lowest point: there the equations do not exist (NaN).

    Args:
        base: the frame that carries the plane.
        frame: the frame at the centre of the wheel, fixed to it.
        radius: r of the upright wheel in m, a number or an expression of parameters.
        axis: of the wheel in its frame; numbers or expressions of parameters.
        crown: radius ρ of the tyre's cross-section, smaller than r; zero for a thin disc.
        touching: whether the wheel is held on the plane as well. This equation is left out by itself where the
            coordinates keep the height in all positions, as they do for a cart in the plane.

    Example:
        >>> from multibody.model import System
        >>> cart = System("cart")
        >>> wheel = cart.body("wheel", mass=2, inertia=(1, 2, 1))
        >>> joint = cart.joint("w", cart.frame("axle", (0, 0, 0.3)), wheel, ["Tx", "Ty", "Rz", "Ry"])
        >>> grip = cart.constraint(RollingDisc(cart.world, wheel, radius=0.3), name="grip")
        >>> [equation.name for equation in grip.equations(Kinematics(cart.freeze()))]
        ['forward', 'sideways']
    """

    def __init__(
        self, base: Frame, frame: Frame, radius: Any, axis: Direction = "y", *, crown: Any = 0, touching: bool = True
    ) -> None:
        super().__init__(base, frame, radius, touching)
        self.axis = fixed_vector(axis, self)
        self.crown = self._smaller(as_expr(crown))

    def contact(self, kinematics: Kinematics) -> Contact:
        """The lowest point of the rim."""
        radius, crown = (given(value, kinematics, self, CONSTANT) for value in self.expressions)
        pose = kinematics.pose(self.frame, self.base)
        n, a = pose.vector_to_child(UNIT[2].symbolic()), self.axis
        track = a.cross(n)
        s = _upright(pose, track.dot(track), radius - crown, crown)
        forward = track / s
        m = forward.cross(a)
        return Contact(
            point=-m * (radius - crown) - n * crown,
            tangents={"forward": forward, "sideways": n.cross(forward)},
            normal=n,
            height=pose.position.z - (radius - crown) * s - crown,
        )

    def _smaller(self, crown: Expr) -> Expr:
        rest = self.radius - crown
        numbers = [float(radius.value) for radius in (crown, rest) if isinstance(radius, Constant)]
        if is_zero(rest) or any(number < 0 for number in numbers):
            raise ModelError(
                f"The crown {crown} of a wheel with radius {self.radius} is not between zero and the radius.",
                code="wheel-crown-impossible",
                where=repr(self),
                remedy="Give a smaller crown, or use RollingSphere.",
            )
        return crown

    @property
    def expressions(self) -> Sequence[Expr]:
        """Radius and crown."""
        return self.radius, self.crown


def _upright(pose: Transform, square: Any, ring: Expr, crown: Expr) -> Expr:
    """s = |a × n| from its square: one for an upright wheel, zero for a flat one.

    As √(1 - (n·a)²) it would lose its digits by cancellation where the wheel is nearly flat.

    Where the coordinates themselves keep the wheel on the plane, (z - ρ)² = (r - ρ)²·s² holds identically. Then s is
    (z - ρ)/(r - ρ), without a root of unknown sign, and it is seen that the touching restricts nothing.
    """
    above = pose.position.z - crown
    kept = is_zero(above * above - ring * ring * square)
    return above / ring if kept else sqrt(as_expr(square))
