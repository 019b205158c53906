"""Planar loops: all hinges parallel, all translations perpendicular to them, closed by one more hinge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, free_symbols
from multibody.model.body import Frame
from multibody.model.constraints import Constraint
from multibody.model.joint import Joint
from multibody.model.kinematics import Kinematics
from multibody.model.loops.contract import ExplicitLoop
from multibody.model.loops.meeting import Directions, Meeting
from multibody.model.loops.planar_way import check_plane, closed, last_bar, plane_axes
from multibody.model.loops.way import Passage, Way, names, no_vector
from multibody.model.model import Model


class PlanarLoop(ExplicitLoop):
    """A planar loop with any number of hinges and translations, two of which are determined by the others.

    It is closed by a hinge: seen along the loop's axis, the origins of two frames coincide. The two dependent
    coordinates are those of two hinges, or of a hinge and a translation; either way there are two solutions.

    Args:
        first: a frame at the closing hinge, on one end of the loop.
        second: a frame at the closing hinge, on the other end.
        posture: which solution, 1 or -1. With a translation, 1 means its larger coordinate. With two hinges, 1 means
            that the triangle of the first one, the second one and the closing hinge runs counterclockwise about the
            axis of the second; the first one is that nearer to ``first``.
        independent: the joints, or single coordinates, that stay independent: all but two of the loop.

    Example:
        >>> from multibody.model import System
        >>> press = System("press")
        >>> beam, rod, ram = (press.body(name, mass=1, inertia=(1, 1, 1)) for name in ("beam", "rod", "ram"))
        >>> lift = press.joint("lift", press.world, beam, "Ry")
        >>> swing = press.joint("swing", beam.frame("pin", (2, 0, 0)), rod, "Ry")
        >>> slide = press.joint("slide", press.frame("guide", (2, 0, 0)), ram, "Tz")
        >>> loop = press.loop(PlanarLoop(rod.frame("end", (0, 0, 1)), ram, independent=slide))
        >>> press.freeze().coordinates
        (slide,)
    """

    def __init__(self, first: Frame, second: Frame, posture: int = 1, *, independent: Any = ()) -> None:
        self.first = first
        self.second = second
        self.posture = as_posture(posture, type(self).__name__)
        self.independent: tuple[Joint | Symbol, ...] = _listed(independent)

    @property
    def closure(self) -> Constraint:
        """The origins of the frames coincide in the plane."""
        return Meeting(self.first, self.second, self._directions)

    @property
    def touches(self) -> tuple[object, ...]:
        """Both frames, and the joints that were named."""
        return self.first, self.second, *(variable for variable in self.independent if isinstance(variable, Joint))

    def dependent(self, kinematics: Kinematics) -> Sequence[Symbol]:
        """Two coordinates of the loop."""
        return list(self.solution(kinematics))

    def solution(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """Both dependent coordinates, from the triangle that they form with the closing hinge."""
        way = self.way(kinematics.model)
        unknown = self._unknown(way, kinematics.model)
        if len(unknown) != 2 or all(passage.slides for passage in unknown):
            raise self._undetermined(unknown)
        first, second = map(way.passages.index, unknown)
        return closed(way, first, second, self.posture).values

    def way(self, model: Model) -> Way:
        """The way through the loop, which has been found to be planar."""
        way = Way.between(model, self.first, self.second)
        check_plane(way, repr(self))
        return way

    def drives(self, way: Way) -> list[Passage]:
        """The movements whose coordinates stay independent unless the user chooses others, the best ones first."""
        return []

    def _unknown(self, way: Way, model: Model) -> list[Passage]:
        """The passages whose coordinates are dependent, in order."""
        free = way.free(model)
        if self.independent:
            kept = self._chosen(free)
        else:
            leading = _leading(way, free)
            drives = leading + [passage for passage in self.drives(way) if passage in free and passage not in leading]
            kept = drives[: max(0, len(free) - 2)]
        return [passage for passage in free if passage not in kept]

    def _chosen(self, free: Sequence[Passage]) -> list[Passage]:
        wanted = [
            q
            for variable in self.independent
            for q in (variable.coordinates if isinstance(variable, Joint) else (variable,))
        ]
        known = {passage.coordinate: passage for passage in free}
        unknown = [q.name for q in wanted if q not in known]
        if unknown:
            raise ModelError(
                f"The coordinate {', '.join(unknown)} cannot be an independent one of this loop.",
                code="coordinate-not-in-loop",
                where=repr(self),
                cause="It does not belong to the loop, is prescribed, or is determined by another loop.",
                remedy=f"Choose from {names(free)}.",
                names=tuple(unknown),
            )
        return [known[q] for q in wanted]

    def _directions(self, kinematics: Kinematics) -> Directions:
        """Along and across the last bar at an end of the loop; it should be moved by a dependent joint."""
        way = self.way(kinematics.model)
        unknown = [passage.link for passage in self._unknown(way, kinematics.model)]
        ends = sorted((way, way.reversed()), key=lambda one: one.passages[-1].link not in unknown)
        end = next((end for end in ends if not no_vector(last_bar(end))), None)
        if end is None:
            raise ModelError(
                "The closing hinge is another hinge of the loop, on both ends.",
                code="loop-without-links",
                where=repr(self),
                remedy="Check the positions of the frames.",
            )
        along = last_bar(end)
        vectors = {"along": along, "across": plane_axes(end)[-2].cross(along)}
        return Directions(end, {name: end.after.vector_to_child(vector) for name, vector in vectors.items()})

    def _undetermined(self, rest: Sequence[Passage]) -> ModelError:
        kinds = "two translations" if len(rest) == 2 else f"{len(rest)} of them"
        return ModelError(
            f"A planar loop determines two coordinates, one of a hinge at least, and here are {kinds}: {names(rest)}.",
            code="loop-of-other-kind",
            where=repr(self),
            cause="Other coordinates of the loop are independent, prescribed, or determined by another loop.",
            remedy="Name the independent joints with independent=…, so that two dependent ones are left.",
        )


def _leading(way: Way, free: Sequence[Passage]) -> list[Passage]:
    """Passages that others of the way follow, by other loops; they must be known before this loop is solved."""
    known = free_symbols([q for passage in way.passages if passage not in free for q in passage.q])
    return [passage for passage in free if passage.coordinate in known]


def as_posture(posture: Any, where: str) -> int:
    """1 or -1."""
    if posture not in (1, -1):
        raise ModelError(
            f"A posture is 1 or -1, not {posture!r}.",
            code="posture-invalid",
            where=where,
            remedy="Choose one of the solutions.",
        )
    return int(posture)


def _listed(things: Any) -> tuple[Joint | Symbol, ...]:
    return (things,) if isinstance(things, Joint | Symbol) else tuple(things)
