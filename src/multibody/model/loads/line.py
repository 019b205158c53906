"""Loads along the straight line between two points: forces, springs, dampers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from multibody.algebra import ForceMotor
from multibody.errors import ModelError
from multibody.graph import Expr, as_expr
from multibody.model.body import Frame
from multibody.model.kinematics import ZERO3, Kinematics
from multibody.model.loads.contract import Applied, Load
from multibody.model.loads.law import Function, Law, LawLike, require_one
from multibody.model.sensors.contract import named
from multibody.model.sensors.distance import ConnectingLine


class AlongLine(Load):
    """What all loads between two points have in common: equal and opposite forces along the line that joins them.

    While the two points coincide the line has no direction, and the force does not exist (NaN). The one exception is a
    linear spring of length zero, whose force is -k·r: it is made without a division.
    """

    def __init__(self, a: Frame, b: Frame) -> None:
        self.a = a
        self.b = b
        if a is b:
            raise ModelError(
                f"A {type(self).__name__} from {named(a)} to itself has no direction.",
                code="load-without-direction",
                where=repr(self),
                remedy="Give two frames that move relative to each other.",
            )

    @abstractmethod
    def push(self, line: ConnectingLine, kinematics: Kinematics) -> Expr:
        """The force with which the points are pushed apart."""

    def forces(self, kinematics: Kinematics) -> Iterator[Applied]:
        """One force on each point."""
        line = ConnectingLine(kinematics, self.a, self.b)
        line.require_length()
        density = self.push(line, kinematics) / line.length  # dividing first lets the length of -k·length cancel
        yield Applied(self.a, ForceMotor(line.in_a * -density, ZERO3))
        yield Applied(self.b, ForceMotor(line.in_b * density, ZERO3))

    @property
    def touches(self) -> tuple[object, ...]:
        """Two frames."""
        return self.a, self.b


class PointToPointForce(AlongLine):
    """A force along the line between two points; a positive one pushes them apart.

    Args:
        a: one frame; the force acts at its origin.
        b: the other.
        force: a number or an expression.

    Example:
        >>> from multibody.model import System
        >>> crane = System("crane")
        >>> F = crane.input("F")
        >>> crab = crane.body("crab", mass=1)
        >>> slide = crane.joint("slide", crane.world, crab, "Tx")
        >>> drive = crane.load(PointToPointForce(crane.frame("wall", (-9, 0, 0)), crab, F))
    """

    def __init__(self, a: Frame, b: Frame, force: Any) -> None:
        super().__init__(a, b)
        self.force = force

    def push(self, line: ConnectingLine, kinematics: Kinematics) -> Expr:
        """The force itself."""
        return self.scalar(self.force, kinematics)


class Spring(AlongLine):
    """A spring between two points, which pulls while it is longer than its rest length.

    Args:
        a: one frame; the spring is fixed at its origin.
        b: the other.
        stiffness: N/m, as a number or expression; or a ``Table`` or function that gives the pull for an elongation. A
            function stores no energy that is known; use ``energy`` where the energy matters.
        length: the length without force.
        energy: instead of a stiffness, the stored energy as a function of the elongation; the pull is its derivative.

    Example:
        >>> from multibody.model import System
        >>> space = System("space", gravity=(0, 0, 0))
        >>> earth, moon = space.body("earth", mass=81), space.body("moon", mass=1)
        >>> newton = space.load(Spring(earth, moon, energy=lambda r: -81 * 6.7e-11 / r))
    """

    holds_arguments = True

    def __init__(
        self, a: Frame, b: Frame, stiffness: LawLike = None, length: Any = 0, *, energy: Function | None = None
    ) -> None:
        super().__init__(a, b)
        require_one(stiffness, energy, repr(self))
        self.law = Law.of(stiffness) if energy is None else Law.from_energy(energy)
        self.length = length

    def push(self, line: ConnectingLine, kinematics: Kinematics) -> Expr:
        """Against the elongation."""
        return -self.scalar(self.law.force(self._elongation(line, kinematics)), kinematics)

    def potential(self, kinematics: Kinematics) -> Expr:
        """The integral of the pull."""
        line = ConnectingLine(kinematics, self.a, self.b)
        return self.scalar(self.law.energy(self._elongation(line, kinematics)), kinematics)

    def _elongation(self, line: ConnectingLine, kinematics: Kinematics) -> Expr:
        return line.length - self.scalar(self.length, kinematics)


class Damper(AlongLine):
    """A damper between two points, which works against the change of their distance.

    Args:
        a: one frame; the damper is fixed at its origin.
        b: the other.
        damping: N·s/m, as a number or expression; or a ``Table`` or function (such as ``Friction``) that gives the pull
            for a rate.
    """

    def __init__(self, a: Frame, b: Frame, damping: LawLike) -> None:
        super().__init__(a, b)
        self.law = Law.of(damping)

    def push(self, line: ConnectingLine, kinematics: Kinematics) -> Expr:
        """Against the rate."""
        return -self.scalar(self.law.force(line.rate), kinematics)

    @property
    def dissipative(self) -> bool:
        """A damper takes energy."""
        return True


class SpringDamper(AlongLine):
    """A spring and a damper side by side, or any law of elongation and rate.

    Args:
        a: one frame.
        b: the other.
        stiffness: as for ``Spring``.
        damping: as for ``Damper``.
        length: the length without force.
        law: a further pull as a function of elongation and rate, for what is not a sum of the two.

    Example:
        >>> from multibody.model import System
        >>> car = System("car")
        >>> k, c = car.parameters(k=2e4, c=1e3)
        >>> wheel, chassis = car.body("wheel", mass=30), car.body("chassis", mass=300)
        >>> strut = car.load(SpringDamper(wheel, chassis, stiffness=k, damping=c, length=0.4))
        >>> bump = car.load(SpringDamper(wheel, chassis, length=0.2, law=lambda x, v: -1e5 * abs(x) ** 3 * (1 + v)))
    """

    holds_arguments = True

    def __init__(
        self, a: Frame, b: Frame, stiffness: LawLike = 0, damping: LawLike = 0, length: Any = 0, *,
        law: Callable[[Expr, Expr], Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(a, b)
        self.spring = Spring(a, b, stiffness, length)
        self.damper = Damper(a, b, damping)
        self.length = length
        self.law = law

    def push(self, line: ConnectingLine, kinematics: Kinematics) -> Expr:
        """Of spring, damper and law."""
        total = self.spring.push(line, kinematics) + self.damper.push(line, kinematics)
        if self.law is None:
            return total
        elongation = line.length - self.scalar(self.length, kinematics)
        return total - self.scalar(as_expr(self.law(elongation, line.rate)), kinematics)

    def potential(self, kinematics: Kinematics) -> Expr:
        """Of the spring."""
        return self.spring.potential(kinematics)

    @property
    def conservative(self) -> bool:
        """True without an additional law: only the spring stores energy."""
        return self.law is None

    @property
    def dissipative(self) -> bool:
        """True without an additional law, which may add energy."""
        return self.law is None
