"""The way from one frame to another through the tree: fixed transforms and the movements between them, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from multibody.algebra import Transform, Vec3
from multibody.graph import Constant, Expr, Symbol
from multibody.model.body import Frame
from multibody.model.joint import Joint
from multibody.model.joints import Motion
from multibody.model.joints.contract import IDENTITY
from multibody.model.model import Link, Model

DUST = 1e-9
"""A direction cosine below this is the rounding error of a frame that was given in floats."""


def vanishes(value: Expr) -> bool:
    """Whether an expression is zero, or a constant that differs from zero by rounding only."""
    return value.fp == 0 or (isinstance(value, Constant) and abs(float(value)) < DUST)


def no_vector(vector: Vec3) -> bool:
    """Whether all components vanish."""
    return all(map(vanishes, vector))


def parallel(first: Vec3, second: Vec3) -> bool:
    """Whether two directions are the same, or opposite."""
    return no_vector(first.cross(second))


def is_turn(motion: Motion, q: Sequence[Expr]) -> bool:
    """Whether a movement is a plain rotation about one axis."""
    return len(q) == 1 and no_vector(motion.axes(q)[0].moment)


def is_slide(motion: Motion, q: Sequence[Expr]) -> bool:
    """Whether a movement is a plain translation along one direction."""
    return len(q) == 1 and no_vector(motion.axes(q)[0].resultant)


@dataclass(frozen=True, eq=False)
class Passage:
    """One movement on the way.

    Attributes:
        link: the link that moves by it.
        before: the fixed transform X from the frame after the passage before, or from the start.
        motion: the movement as it is met: from the child to the parent where the way leads towards the world.
        q: its coordinates.
        inward: whether the way leads towards the world.
    """

    link: Link
    before: Transform
    motion: Motion
    q: tuple[Expr, ...]
    inward: bool

    @property
    def joint(self) -> Joint:
        """The joint that the movement belongs to."""
        return self.link.joint

    @property
    def coordinate(self) -> Expr:
        """The coordinate of a movement with one degree of freedom."""
        return self.q[0]

    @property
    def axis(self) -> Vec3:
        """The axis of a rotation: the same in the frames before and after it."""
        return self.motion.axes(self.q)[0].resultant

    @property
    def direction(self) -> Vec3:
        """The direction of a translation: the same in the frames before and after it."""
        return self.motion.axes(self.q)[0].moment

    @cached_property
    def turns(self) -> bool:
        """Whether it is a plain rotation about one axis."""
        return is_turn(self.motion, self.q)

    @cached_property
    def slides(self) -> bool:
        """Whether it is a plain translation along one direction."""
        return is_slide(self.motion, self.q)

    def is_free(self, model: Model) -> bool:
        """Whether its coordinate is one of the model's: not prescribed, not determined by another loop."""
        return len(self.q) == 1 and isinstance(self.coordinate, Symbol) and self.coordinate in model.coordinates

    def at(self, q: Expr) -> Passage:
        """The same movement with another coordinate."""
        return replace(self, q=(q,))


@dataclass(frozen=True, eq=False)
class Way:
    """A way through the tree.

    Attributes:
        start: the frame where it begins.
        end: the frame where it ends.
        passages: the movements, in order.
        after: the fixed transform X from the frame after the last passage to the end.
    """

    start: Frame
    end: Frame
    passages: tuple[Passage, ...]
    after: Transform

    @staticmethod
    def between(model: Model, start: Frame, end: Frame) -> Way:
        """The shortest way from one frame to another."""
        (here, place), (there, target) = model.attachment(start), model.attachment(end)
        up, down = _to_world(model, here), _to_world(model, there)
        while up and down and up[-1] is down[-1]:
            up.pop(), down.pop()
        passages, before = [], place.inverse()
        for link in up:
            passages.append(Passage(link, before, link.motion.reversed(), link.q, inward=True))
            before = link.before.inverse()
        for link in reversed(down):
            passages.append(Passage(link, before @ link.before, link.motion, link.q, inward=False))
            before = IDENTITY
        return Way(start, end, tuple(passages), before @ target)

    @property
    def sides(self) -> tuple[list[Passage], list[Passage]]:
        """The passages on the side of the start and on that of the end, each from the common body outwards."""
        return [passage for passage in reversed(self.passages) if passage.inward], [
            passage for passage in self.passages if not passage.inward
        ]

    def reversed(self) -> Way:
        """The same way from its end to its start."""
        passages, before = [], self.after.inverse()
        for passage in reversed(self.passages):
            passages.append(
                replace(passage, before=before, motion=passage.motion.reversed(), inward=not passage.inward)
            )
            before = passage.before.inverse()
        return Way(self.end, self.start, tuple(passages), before)

    def free(self, model: Model) -> list[Passage]:
        """The passages whose coordinates are the model's own."""
        return [passage for passage in self.passages if passage.is_free(model)]

    def pose(self, first: int, last: int) -> Transform:
        """X from the frame before passage ``first`` to that in which passage ``last`` moves, or to the end."""
        pose = IDENTITY
        for passage in self.passages[first:last]:
            pose = pose @ passage.before @ passage.motion.pose(passage.q)
        return pose @ (self.after if last == len(self.passages) else self.passages[last].before)


def names(passages: Sequence[Passage]) -> str:
    """The passages as a text, with the names of their joints."""
    kinds = [
        (passage.joint.name, "hinge" if passage.turns else "translation" if passage.slides else "joint")
        for passage in passages
    ]
    return ", ".join(f"{kind} '{name}'" for name, kind in kinds)


def _to_world(model: Model, index: int) -> list[Link]:
    """A link, its parent, and so on."""
    links = []
    while index >= 0:
        links.append(model.links[index])
        index = model.links[index].parent
    return links
