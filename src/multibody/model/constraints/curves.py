"""A point that stays on a surface or on a curve.

A surface is given by a function that vanishes on it, F(x, y, z) = 0, and a curve as the intersection of two surfaces,
so that no coordinate along it is needed. With the unit normal n = ∇F/|∇F| the constraint is φ = F/|∇F|, to first order
the distance in metres, and B·u + β = n·v + (∂F/∂t)/|∇F|, which is the same as φ̇ while φ = 0. So the multiplier is a
force in N along n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from multibody.algebra import ForceMotor, Transform, Vec3
from multibody.errors import ModelError
from multibody.graph import Expr, as_expr, gradient, is_zero, substitute, symbol, time_derivative
from multibody.model.body import Frame
from multibody.model.constraints.between import BetweenFrames, given
from multibody.model.constraints.contract import Equation
from multibody.model.kinematics import ZERO3, Kinematics

Surface = Callable[[Expr, Expr, Expr], Any]
"""A function of x, y, z, which are coordinates in the base frame, that is zero on the surface."""

Graph = Callable[[Expr], Any] | Expr | float
"""A function of x, such as a ``Table``; or a constant."""

_PLACE = [symbol(name, "parameter", "place") for name in "xyz"]  # they stand still while F changes with time


class _Implicit(BetweenFrames):
    """A point on one surface or more.

    Args:
        base: the frame that carries the surfaces.
        frame: the frame whose origin stays on them.
        surfaces: by the names of their equations.
    """

    def __init__(self, base: Frame, frame: Frame, surfaces: dict[str, Surface]) -> None:
        super().__init__(base, frame)
        self.values = {name: self._value(surface) for name, surface in surfaces.items()}

    def _value(self, surface: Surface) -> Expr:
        """F, in symbols for the place."""
        if not callable(surface):
            raise ModelError(
                f"{surface!r} is not a function of x, y and z.",
                code="surface-not-a-function",
                where=repr(self),
                remedy="Give a function that is zero on the surface, such as lambda x, y, z: x**2 + y**2 - 1.",
            )
        value = as_expr(surface(*_PLACE))
        if all(map(is_zero, gradient(value, _PLACE))):
            raise ModelError(
                f"The function of the place is {value} everywhere.",
                code="surface-constant",
                where=repr(self),
                remedy="Give a function that is zero on the surface and changes across it.",
            )
        return value

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One for each surface."""
        pose = kinematics.pose(self.frame, self.base)
        return [self._equation(kinematics, pose, name, value) for name, value in self.values.items()]

    def _equation(self, kinematics: Kinematics, pose: Transform, name: str, surface: Expr) -> Equation:
        """φ = F/|∇F| and n·v + (∂F/∂t)/|∇F|."""
        value = given(surface, kinematics, self)
        drift = time_derivative(value, kinematics.model.flow())
        here: dict[Expr, Expr] = dict(zip(_PLACE, pose.position, strict=True))
        position, drift, *slopes = substitute([value, drift, *gradient(value, _PLACE)], here)
        steepest = Vec3(*slopes)
        size = steepest.norm()
        push = ForceMotor(pose.vector_to_child(steepest / size), ZERO3)
        still = Equation.between(kinematics, name, self.frame, self.base, push, position / size)
        return replace(still, velocity=still.velocity + drift / size)

    @property
    def expressions(self) -> Sequence[Expr]:
        """The functions, with symbols for the place."""
        return tuple(self.values.values())


class PointOnSurface(_Implicit):
    """Keeps a frame's origin on a surface.

    The multiplier is the force on ``frame`` in N, in the direction in which the function grows.

    Args:
        base: the frame that carries the surface.
        frame: the frame whose origin stays on it.
        function: of x, y, z, the coordinates in the base, zero on the surface, where its gradient must not vanish. It
            may contain parameters, time and inputs.

    Example:
        >>> from multibody.model import System
        >>> bowl = System("bowl")
        >>> pea = bowl.body("pea", mass=0.001)
        >>> motion = bowl.joint("p", bowl.world, pea, ["Tx", "Ty", "Tz"])
        >>> wall = bowl.constraint(PointOnSurface(bowl.world, pea, lambda x, y, z: z - x**2 - y**2), name="wall")
    """

    def __init__(self, base: Frame, frame: Frame, function: Surface) -> None:
        super().__init__(base, frame, {"": function})


class PointOnCurve(_Implicit):
    """Keeps a frame's origin on a curve, where two surfaces meet.

    The two equations are called ``1`` and ``2``. Their multipliers are the forces on ``frame`` in N, each in the
    direction in which its function grows: together the force across the curve. ``graph`` makes a curve y(x), z(x).

    A curve (X(s), Y(s), Z(s)) with a parameter s needs s as a coordinate: that of a body without mass on a joint
    ``"Tx"``, together with three constraints such as ``system.measured("place")[0] - X(slider.coordinate)``.

    Args:
        base: the frame that carries the curve.
        frame: the frame whose origin stays on it.
        first: a function of x, y, z, the coordinates in the base, that is zero on the curve. It may contain parameters,
            time and inputs.
        second: another one; on the curve the two gradients must not be parallel.

    Example:
        >>> from multibody.model import System
        >>> toy = System("toy")
        >>> bead = toy.body("bead", mass=0.01)
        >>> motion = toy.joint("p", toy.world, bead, ["Tx", "Ty", "Tz"])
        >>> ring = PointOnCurve(toy.world, bead, lambda x, y, z: x**2 + y**2 + z**2 - 1, lambda x, y, z: x - y)
        >>> wire = toy.constraint(ring, name="wire")
    """

    def __init__(self, base: Frame, frame: Frame, first: Surface, second: Surface) -> None:
        super().__init__(base, frame, {"1": first, "2": second})

    @classmethod
    def graph(cls, base: Frame, frame: Frame, y: Graph = 0.0, z: Graph = 0.0) -> PointOnCurve:
        """The curve y = f(x), z = g(x).

        Args:
            base: the frame that carries the curve.
            frame: the frame whose origin stays on it.
            y: a function of x, such as a ``Table`` (a cubic one: forces need its second derivative), or a constant.
            z: the same.

        Example:
            >>> from multibody.graph import sin
            >>> from multibody.model import System
            >>> coaster = System("coaster")
            >>> car = coaster.body("car", mass=500)
            >>> motion = coaster.joint("p", coaster.world, car, ["Tx", "Ty", "Tz"])
            >>> rail = coaster.constraint(PointOnCurve.graph(coaster.world, car, z=lambda x: 5 * sin(x / 10)))
            >>> [equation.position for equation in rail.equations(Kinematics(coaster.freeze()))][0]
            p_ty
        """
        return cls(base, frame, lambda x_, y_, z_: y_ - _at(y, x_), lambda x_, y_, z_: z_ - _at(z, x_))


def _at(graph: Graph, x: Expr) -> Expr:
    return as_expr(graph(x) if callable(graph) else graph)
