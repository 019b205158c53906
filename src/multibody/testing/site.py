"""A system under construction, to which random loads, sensors and motions are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import count
from typing import Any

from multibody.graph import Expr, cos, is_zero, sin
from multibody.model import Body, Frame, Joint, Kinematics, System
from multibody.testing.chance import Chance


class Site:
    """Frames, joints and quantities to choose from; what is missing is made.

    Args:
        system: the system; when frames and joints are asked for, all its bodies must be connected.
        chance: who chooses.
        bodies: those that may be touched; by default all, and the world.
        joints: those that may be touched; by default all.
    """

    def __init__(
        self,
        system: System,
        chance: Chance,
        bodies: Sequence[Body] | None = None,
        joints: Sequence[Joint] | None = None,
    ) -> None:
        self.system = system
        self.chance = chance
        self.bodies = [*system.all(Body)] if bodies is None else list(bodies)
        self.joints = [*system.all(Joint)] if joints is None else list(joints)

    # places ------------------------------------------------------------------------------------------------------

    def frame(self, body: Body | None = None) -> Frame:
        """A new frame somewhere on a body; the body itself, if the frame would be the same."""
        carrier = self.chance.choice(self.bodies) if body is None else body
        position, rotation = self.chance.vector(), self.chance.rotation()
        if rotation is None and not any(position):
            return carrier
        return carrier.frame(self.name("spot"), position, rotation)

    def line(self) -> tuple[Frame, Frame]:
        """Two frames, on different bodies if there are two, whose origins do not always coincide."""
        first = self.chance.choice(self.bodies)
        others = [body for body in self.bodies if body is not first]
        a, b = self.frame(first), self.frame(self.chance.choice(others or [first]))
        if is_zero(self._kinematics.pose(b, a).position.norm()):
            b = b.frame(self.name("spot"), (1, 0, 0))
        return a, b

    def massive(self) -> Body:
        """A body that is not the world."""
        return self.chance.choice([body for body in self.bodies if body is not self.system.world])

    def joint(self, fits: Callable[[Joint], bool] = lambda joint: True) -> Joint | None:
        """A joint with a certain property, or None if there is no such joint."""
        fitting = [joint for joint in self.joints if fits(joint)]
        return self.chance.choice(fitting) if fitting else None

    @cached_property
    def _kinematics(self) -> Kinematics:
        return Kinematics(self.system.freeze())

    def made(self, makers: Sequence[Callable[[Site], Any]]) -> Any:
        """What one of several makers makes of this site; a maker that finds no place for its thing returns None."""
        rest = list(makers)
        while True:
            thing = rest.pop(self.chance.index(len(rest)))(self)
            if thing is not None:
                return thing

    # quantities --------------------------------------------------------------------------------------------------

    def quantity(self) -> Any:
        """A number, a parameter, an input, or something that changes with time."""
        forms: list[Callable[[], Any]] = [
            self.chance.number,
            lambda: self.system.parameter(self.name("p"), self.chance.number()),
            lambda: self.system.input(self.name("r")),
            lambda: self.chance.positive() * cos(self.system.time),
        ]
        return self.chance.choice(forms)()

    def quantities(self, size: int = 3) -> list[Any]:
        """Several of them."""
        return [self.quantity() for _ in range(size)]

    def strength(self) -> Any:
        """Something positive that stays the same: a number or a parameter."""
        value = self.chance.positive()
        return self.system.parameter(self.name("p"), value) if self.chance.index(2) else value

    def motion(self) -> Expr:
        """A coordinate as a function of time: an oscillation, an acceleration, or whatever comes in from outside."""
        t, size, shift = self.system.time, self.strength(), self.chance.number()
        forms: list[Callable[[], Any]] = [
            lambda: shift + size * t * t / 2,
            lambda: size * sin(2 * t + shift),
            lambda: size * self.system.input(self.name("r")) + shift,
        ]
        return self.chance.choice(forms)()

    def name(self, prefix: str) -> str:
        """A name that is not taken."""
        taken = {element.name for element in self.system.all(object) if hasattr(element, "name")}
        taken |= self.system.loads.keys() | self.system.sensors.keys()
        return next(f"{prefix}{k}" for k in count(1) if f"{prefix}{k}" not in taken)
