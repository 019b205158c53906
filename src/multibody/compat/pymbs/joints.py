"""Joints of a PyMbs script, and the elementary movements that they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from multibody import model
from multibody.compat.pymbs.refusals import UnsupportedError, UsageError
from multibody.equations import EquationsOfMotion
from multibody.model.quantity import acceleration_symbol


class Derived(Protocol):
    """The world, as far as joints need it."""

    def derived(self, label: str) -> EquationsOfMotion:
        """The equations of motion, for a command that needs them."""


class PymbsJoint:
    """A joint, or one of its movements: ``joint[0]`` is the first one of a joint with several.

    Scripts know it as ``Joint``.

    Attributes:
        made: the joint of the system.
        numbers: which of its coordinates are meant.
    """

    def __init__(self, world: Derived, made: model.Joint, numbers: tuple[int, ...]) -> None:
        self._world = world
        self.made = made
        self.numbers = numbers

    @property
    def name(self) -> str:
        """Of the joint as a whole."""
        return self.made.name

    @property
    def whole(self) -> bool:
        """Whether all of the joint is meant."""
        return len(self.numbers) == len(self.made.coordinates)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: int) -> PymbsJoint:
        return PymbsJoint(self._world, self.made, (self.numbers[place],))

    def __iter__(self) -> Iterator[PymbsJoint]:
        return (self[k] for k in range(len(self)))

    def single(self, task: str) -> PymbsJoint:
        """The same, if it has one movement.

        Raises:
            UsageError: if it has none, or several.
        """
        if len(self) != 1:
            raise UsageError(
                f"{task} needs a joint with one movement, and {self!r} has {len(self)}.",
                remedy="Name one of several movements: joint[0], joint[1] and so on.",
                code="joint-with-several-coordinates",
            )
        return self

    def entire(self, task: str) -> model.Joint:
        """The joint of the system.

        Raises:
            UnsupportedError: if one of several movements is meant.
        """
        if not self.whole:
            raise UnsupportedError(
                f"{task} needs a joint of its own, and {self!r} is a part of one.",
                remedy="Split the joint: addBody(0), and one addJoint for each movement.",
            )
        return self.made

    @property
    def coord(self) -> Any:
        """The symbol of the coordinate; a list for several."""
        return _one_or_all([self.made.coordinates[k] for k in self.numbers])

    @property
    def vel(self) -> Any:
        """The symbol of the speed; a list for several."""
        return _one_or_all([self.made.speeds[k] for k in self.numbers])

    @property
    def acc(self) -> Any:
        """The symbol of the acceleration; a list for several."""
        return _one_or_all([acceleration_symbol(self.made.speeds[k]) for k in self.numbers])

    @property
    def IsIndependent(self) -> bool:
        """Whether it has coordinates, and they are states; those that follow from a loop are not."""
        states = self._world.derived("joint.IsIndependent").coordinates
        return bool(self.numbers) and all(self.made.coordinates[k] in states for k in self.numbers)

    def __repr__(self) -> str:
        part = "" if self.whole else f"[{', '.join(map(str, self.numbers))}]"
        return f"Joint({self.name!r}){part}"


def _one_or_all(symbols: list[Any]) -> Any:
    return symbols[0] if len(symbols) == 1 else symbols
