"""Planar loops with names: FourBar, CrankSlider, ThreeBarTrans, FourBarTrans and Steering of the PyMbs manual.

Each says what its loop looks like and what drives it. The loop stands on a *base*, the body that both sides of the loop
start from; it is closed by a hinge between the two frames.
"""

from __future__ import annotations

from typing import ClassVar

from multibody.errors import ModelError
from multibody.model.loops.planar import PlanarLoop
from multibody.model.loops.way import Passage, Way, names
from multibody.model.model import Model


class Linkage(PlanarLoop):
    """A planar loop of a known shape; its way starts at the end of the longer side.

    Attributes:
        hinges: how many hinges there are besides the closing one.
        translations: how many translations there are.
        on_base: whether the translation starts from the base; None if it may be anywhere.
        shape: what it looks like, in words.
    """

    hinges: ClassVar[int]
    translations: ClassVar[int]
    on_base: ClassVar[bool | None] = None
    shape: ClassVar[str]

    def way(self, model: Model) -> Way:
        """The way through the loop, whose shape has been checked."""
        way = super().way(model)
        counted = sum(passage.turns for passage in way.passages), sum(passage.slides for passage in way.passages)
        sliding = any(passage.slides for passage, _ in _on_base(way))
        if counted != (self.hinges, self.translations) or self.on_base not in (None, sliding):
            raise ModelError(
                f"The loop is not a {type(self).__name__}: it leads through {names(way.passages)}.",
                code="loop-of-other-kind",
                where=repr(self),
                cause=f"A {type(self).__name__} has {self.shape}.",
                remedy="Check the frames, or use PlanarLoop, which takes any shape.",
            )
        near, far = way.sides
        return way if len(near) >= len(far) else way.reversed()


class FourBar(Linkage):
    """A four-bar linkage: four hinges, one of them closing the loop.

    The first hinge of the longer side, the crank, is independent. With posture 1, the hinge next to it, the other
    dependent hinge and the closing one form a triangle that runs counterclockwise about their axes.

    Args:
        first: a frame at the closing hinge, on one end of the loop.
        second: a frame at the closing hinge, on the other end.
        posture: which solution, 1 or -1: beams crossed or not.
        independent: another joint to be the independent one.

    Example:
        >>> from multibody.model import System
        >>> loom = System("loom")
        >>> crank, coupler, rocker = (
        ...     loom.body(name, 1, (1, 0, 0), (1, 1, 1)) for name in ("crank", "coupler", "rocker")
        ... )
        >>> a = loom.joint("a", loom.world, crank, "Rz")
        >>> b = loom.joint("b", crank.frame("B", (1, 0, 0)), coupler, "Rz")
        >>> d = loom.joint("d", loom.frame("D", (3, 0, 0)), rocker, "Rz")
        >>> loop = loom.loop(FourBar(coupler.frame("C3", (3, 0, 0)), rocker.frame("C4", (2, 0, 0))))
        >>> model = loom.freeze()
        >>> model.coordinates, len(model.unreduced.coordinates)
        ((a,), 3)
    """

    hinges = 3
    translations = 0
    shape = "three hinges besides the closing one, and no translation"

    def drives(self, way: Way) -> list[Passage]:
        """The crank."""
        return way.sides[0][:1]


class CrankSlider(Linkage):
    """A crank, a connecting rod and a piston; the piston slides on the base.

    The crank is independent; the rod's hinge and the piston's translation are dependent. Posture 1 takes the larger
    coordinate of the piston.

    Args:
        first: a frame at the closing hinge, on one end of the loop.
        second: a frame at the closing hinge, on the other end.
        posture: which solution, 1 or -1.
        independent: another joint to be the independent one.
    """

    hinges = 2
    translations = 1
    on_base = True
    shape = "two hinges besides the closing one, and a translation that starts from the base"

    def drives(self, way: Way) -> list[Passage]:
        """The hinge on the base."""
        return [passage for passage, _ in _on_base(way) if passage.turns]


class Steering(Linkage):
    """A steering linkage: a rack that slides on the base moves a tie rod and an arm.

    The translation is independent, both hinges are dependent: a crank and slider, driven by the slider. With posture 1,
    the triangle of the dependent hinges and the closing one runs counterclockwise about their axes, the hinge nearer to
    the end of the longer side first.

    Args:
        first: a frame at the closing hinge, on one end of the loop.
        second: a frame at the closing hinge, on the other end.
        posture: which solution, 1 or -1; ``setUp`` of the PyMbs manual.
        independent: another joint to be the independent one.
    """

    hinges = 2
    translations = 1
    on_base = True
    shape = "two hinges besides the closing one, and a translation that starts from the base"

    def drives(self, way: Way) -> list[Passage]:
        """The translation."""
        return [passage for passage in way.passages if passage.slides]


class ThreeBarTrans(Linkage):
    """A lever and a cylinder that pushes it: the translation lies between two hinges.

    The lever is independent; the cylinder's hinge and its length are dependent. Posture 1 takes the larger coordinate
    of the translation.

    Args:
        first: a frame at the closing hinge, on one end of the loop.
        second: a frame at the closing hinge, on the other end.
        posture: which solution, 1 or -1.
        independent: another joint to be the independent one.
    """

    hinges = 2
    translations = 1
    on_base = False
    shape = "two hinges besides the closing one, and a translation that does not start from the base"

    def drives(self, way: Way) -> list[Passage]:
        """The hinge on the base that does not carry the cylinder."""
        return [passage for passage, following in _on_base(way) if following is None or following.turns]


class FourBarTrans(Linkage):
    """A four-bar linkage one of whose bars is a cylinder, as in wheel loaders: two degrees of freedom.

    The crank and the translation are independent, the other two hinges dependent. The crank is the hinge on the base on
    the side without the translation. The posture is that of the four-bar which the length of the cylinder makes.

    Args:
        first: a frame at the closing hinge, on one end of the loop.
        second: a frame at the closing hinge, on the other end.
        posture: which solution, 1 or -1: beams crossed or not.
        independent: two other joints to be the independent ones.
    """

    hinges = 3
    translations = 1
    shape = "three hinges besides the closing one, and a translation"

    def drives(self, way: Way) -> list[Passage]:
        """The translation, and the first hinge of the side without it, if there is one."""
        with_slide = [any(passage.slides for passage in side) for side in way.sides]
        sides = [side for _, side in sorted(zip(with_slide, way.sides, strict=True), key=lambda pair: pair[0]) if side]
        return [passage for passage in way.passages if passage.slides] + [
            passage for passage in sides[0] if passage.turns
        ][:1]


def _on_base(way: Way) -> list[tuple[Passage, Passage | None]]:
    """The movements that start from the base, each with the one that follows it; None if that is the closing hinge."""
    return [(side[0], side[1] if len(side) > 1 else None) for side in way.sides if side]
