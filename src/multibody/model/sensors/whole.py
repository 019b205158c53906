"""Sensors of several bodies: energy, mass, center of mass, momentum.

Without bodies, or with the world as the only one, the whole system is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.graph import Expr
from multibody.model import energy
from multibody.model.body import Body, Frame
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import Sensor, as_array, given, in_axes


class WholeSensor(Sensor):
    """A sensor for one body, several bodies, or the whole system.

    Args:
        bodies: those that count; none, or the world, for the whole system.
    """

    def __init__(self, *bodies: Body) -> None:
        self.bodies = bodies

    def chosen(self, kinematics: Kinematics) -> Sequence[Body] | None:
        """The bodies, or None for all of them."""
        return None if not self.bodies or self.bodies == (kinematics.model.world,) else self.bodies

    @property
    def touches(self) -> tuple[object, ...]:
        """The bodies."""
        return self.bodies


class KineticEnergy(WholeSensor):
    """Kinetic energy.

    Args:
        bodies: those that count; none, or the world, for the whole system.
        relative_to: the frame that sees them move; by default the world.
    """

    unit = "J"

    def __init__(self, *bodies: Body, relative_to: Frame | None = None) -> None:
        super().__init__(*bodies)
        self.relative_to = relative_to

    def measure(self, kinematics: Kinematics) -> Expr:
        """An energy."""
        return energy.kinetic_energy(kinematics, self.chosen(kinematics), self.relative_to)

    @property
    def touches(self) -> tuple[object, ...]:
        """The bodies, and a frame if one was named."""
        return *self.bodies, *given(self.relative_to)


class PotentialEnergy(WholeSensor):
    """Potential energy: of the system's gravity, zero in the world's origin; for the whole, fields and springs too."""

    unit = "J"

    def measure(self, kinematics: Kinematics) -> Expr:
        """An energy."""
        return energy.potential_energy(kinematics, self.chosen(kinematics))


class Energy(WholeSensor):
    """Kinetic and potential energy together, as PyMbs' ``Energy``.

    Example:
        >>> from multibody.model import System
        >>> fall = System("fall", gravity=(0, 0, -10))
        >>> stone = fall.body("stone", mass=2)
        >>> drop = fall.joint("drop", fall.world, stone, "Tz")
        >>> Energy(stone).measure(Kinematics(fall.freeze()))
        20*drop + drop_dot**2
    """

    unit = "J"

    def measure(self, kinematics: Kinematics) -> Expr:
        """An energy."""
        chosen = self.chosen(kinematics)
        return energy.kinetic_energy(kinematics, chosen) + energy.potential_energy(kinematics, chosen)


class TotalMass(WholeSensor):
    """The sum of masses."""

    unit = "kg"

    def measure(self, kinematics: Kinematics) -> Expr:
        """A mass."""
        return energy.total_mass(kinematics, self.chosen(kinematics))


class CenterOfMass(WholeSensor):
    """The position of the common centre of mass.

    Args:
        bodies: those that count; none, or the world, for the whole system.
        relative_to: the frame from whose origin it is measured, and along whose axes; by default the world.
    """

    unit = "m"
    shape = (3,)

    def __init__(self, *bodies: Body, relative_to: Frame | None = None) -> None:
        super().__init__(*bodies)
        self.relative_to = relative_to

    def measure(self, kinematics: Kinematics) -> Any:
        """Three coordinates."""
        point = energy.center_of_mass(kinematics, self.chosen(kinematics))
        return as_array(kinematics.pose(self.relative_to or kinematics.model.world).point_to_child(point))

    @property
    def touches(self) -> tuple[object, ...]:
        """The bodies, and a frame if one was named."""
        return *self.bodies, *given(self.relative_to)


class LinearMomentum(WholeSensor):
    """The sum of masses times velocities.

    Args:
        bodies: those that count; none, or the world, for the whole system.
        relative_to: the frame that sees them move; by default the world.
        expressed_in: the frame whose axes give the three coordinates; by default ``relative_to``.
    """

    unit = "kg·m/s"
    shape = (3,)

    def __init__(self, *bodies: Body, relative_to: Frame | None = None, expressed_in: Frame | None = None) -> None:
        super().__init__(*bodies)
        self.relative_to = relative_to
        self.expressed_in = expressed_in

    def measure(self, kinematics: Kinematics) -> Any:
        """Three coordinates."""
        vector = energy.linear_momentum(kinematics, self.chosen(kinematics), self.relative_to)
        world = kinematics.model.world
        return as_array(in_axes(kinematics, vector, world, self.expressed_in or self.relative_to or world))

    @property
    def touches(self) -> tuple[object, ...]:
        """The bodies, and the frames that were named."""
        return *self.bodies, *given(self.relative_to, self.expressed_in)


class AngularMomentum(WholeSensor):
    """The moment of all momenta about a point.

    Args:
        bodies: those that count; none, or the world, for the whole system.
        about: a frame whose origin is the point, or ``"com"`` for the common centre of mass; by default the origin of
            ``relative_to``.
        expressed_in: the frame whose axes give the three coordinates; by default ``relative_to``.
        relative_to: the frame that sees the bodies move; by default the world.
    """

    unit = "kg·m²/s"
    shape = (3,)

    def __init__(
        self, *bodies: Body, about: Frame | str | None = None, expressed_in: Frame | None = None,
        relative_to: Frame | None = None,
    ) -> None:  # fmt: skip
        super().__init__(*bodies)
        self.about = about
        self.expressed_in = expressed_in
        self.relative_to = relative_to

    def measure(self, kinematics: Kinematics) -> Any:
        """Three coordinates."""
        about = self.relative_to if self.about is None else self.about
        vector = energy.angular_momentum(kinematics, about, self.chosen(kinematics), self.relative_to)
        world = kinematics.model.world
        return as_array(in_axes(kinematics, vector, world, self.expressed_in or self.relative_to or world))

    @property
    def touches(self) -> tuple[object, ...]:
        """The bodies, and the frames that were named."""
        point = None if self.about == "com" else self.about
        return *self.bodies, *([] if point is None else [point]), *given(self.expressed_in, self.relative_to)
