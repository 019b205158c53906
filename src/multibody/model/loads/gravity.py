"""Gravity that is not the same everywhere, or not for all bodies.

A field acts in addition to the gravity of the system, which is usually switched off beside it by ``gravity=(0, 0, 0)``.
It acts at the centre of mass of each body; its change over the extent of a body is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from multibody.algebra import ForceMotor, Vec3
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, as_expr, gradient, substitute, symbol
from multibody.model.body import Body, Frame
from multibody.model.kinematics import Kinematics
from multibody.model.loads.contract import Applied, Load

Field = Callable[[Vec3], Any]

_R = Vec3(*[symbol(name, "variable", "gravity") for name in "xyz"])


class GravityField(Load):
    """Any field of accelerations.

    Args:
        field: the acceleration of free fall as a function of the position, both in the world's axes.
        potential: the energy per kilogram as a function of the position; without ``field``, the field is minus its
            gradient.
        bodies: those that feel it; None for all.

    Example:
        >>> from multibody.model import Free, System
        >>> hill = System("hill", gravity=(0, 0, 0))
        >>> car = hill.body("car", mass=2)
        >>> drive = hill.joint("drive", hill.world, car, ["Tx", "Tz"])
        >>> field = hill.load(GravityField(potential=lambda r: 10 * r.z - r.x**2))
        >>> [applied.force.resultant for applied in field.forces(Kinematics(hill.freeze()))]
        [Vec3(4*drive_tx, 0, -20)]
    """

    holds_arguments = True

    def __init__(
        self, field: Field | None = None, potential: Field | None = None, bodies: Sequence[Body] | None = None
    ) -> None:
        if field is None and potential is None:
            raise ModelError(
                "A gravity field needs a field or a potential.",
                code="field-missing",
                remedy="Give one of the two functions.",
            )
        self._field = field
        self._potential = potential
        self.bodies = None if bodies is None else tuple(bodies)

    def forces(self, kinematics: Kinematics) -> Iterator[Applied]:
        """The weight of each body."""
        for body in self._chosen(kinematics):
            pose = kinematics.pose(body)
            field = self.vector(self.field(pose.point_to_parent(body.com), kinematics), kinematics)
            weight = pose.vector_to_child(field * body.mass)
            yield Applied(body, ForceMotor.single_force(weight, body.com))

    def potential(self, kinematics: Kinematics) -> Expr:
        """The sum over all bodies; zero if only the field is known."""
        total: Expr = ZERO
        for body in self._chosen(kinematics):
            place = kinematics.pose(body).point_to_parent(body.com)
            total = total + body.mass * self.scalar(self.specific_energy(place, kinematics), kinematics)
        return total

    def field(self, r: Vec3, kinematics: Kinematics) -> Any:
        """The acceleration at a point, in the world's axes."""
        if self._field is not None:
            return self._field(r)
        assert self._potential is not None
        slope = gradient(as_expr(self._potential(_R)), list(_R))
        return [-part for part in substitute(slope, dict(zip(_R, r.symbolic(), strict=True)))]

    def specific_energy(self, r: Vec3, kinematics: Kinematics) -> Expr:
        """The energy per kilogram at a point."""
        return ZERO if self._potential is None else as_expr(self._potential(r.symbolic()))

    def _chosen(self, kinematics: Kinematics) -> Sequence[Body]:
        return kinematics.model.bodies if self.bodies is None else self.bodies

    @property
    def touches(self) -> tuple[object, ...]:
        """The bodies that were named."""
        return self.bodies or ()


class UniformGravity(GravityField):
    """The same acceleration everywhere, for chosen bodies: a field of its own beside that of the system.

    Args:
        acceleration: of free fall, in the world's axes.
        bodies: those that feel it; None for all.
    """

    def __init__(self, acceleration: Any, bodies: Sequence[Body] | None = None) -> None:
        g = Vec3.from_any(acceleration, what="gravity").symbolic()
        super().__init__(lambda r: g, lambda r: -g.dot(r), bodies)


class CentralGravity(GravityField):
    """The attraction of a planet: mu / r² towards a point, without reaction on what carries the point.

    For two bodies that attract each other, use ``Spring(a, b, energy=lambda r: -G * m1 * m2 / r)``.

    Args:
        mu: gravitational constant times mass of the planet, in m³/s².
        centre: the frame whose origin is the centre of the planet.
        bodies: those that feel it; None for all.
    """

    def __init__(self, mu: Any, centre: Frame, bodies: Sequence[Body] | None = None) -> None:
        super().__init__(lambda r: -r * mu / r.norm() ** 3, lambda r: -mu / r.norm(), bodies)
        self.centre = centre

    def field(self, r: Vec3, kinematics: Kinematics) -> Any:
        """Towards the centre."""
        return super().field(r - kinematics.pose(self.centre).position, kinematics)

    def specific_energy(self, r: Vec3, kinematics: Kinematics) -> Expr:
        """Zero at infinity."""
        return super().specific_energy(r - kinematics.pose(self.centre).position, kinematics)

    @property
    def touches(self) -> tuple[object, ...]:
        """The centre, and the bodies that were named."""
        return self.centre, *super().touches
