"""The report on a URDF file: every element and attribute that is not used, or is kept without acting on the motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

MAX_PLACES_LISTED = 3
"""Places that a line of the report names; it says how many more there are."""


class Unused(NamedTuple):
    """A part of the file that does not act on the motion. An element represents everything inside it.

    Attributes:
        path: the elements from the robot to it, and an attribute: ``"transmission"``, ``"joint/limit@velocity"``;
            text between tags is ``"joint/text()"``.
        line: in the file, counted from 1.
        owner: the link or joint that it belongs to, such as ``"joint 'elbow'"``; may be empty.
        value: the text of an attribute, or the first text between tags; empty for an element.
        why: the reason, as a sentence.
        kept: where the reader keeps it, such as ``"robot.limits"``; empty if it is nowhere.
    """

    path: str
    line: int
    owner: str
    value: str
    why: str
    kept: str = ""


@dataclass(frozen=True)
class UrdfReport:
    """What a URDF file says that the motion does not depend on. ``print(robot.report)`` shows all of it.

    Attributes:
        robot: its name.
        entries: in the order of the file.

    Example:
        >>> report = UrdfReport("arm", (Unused("gazebo", 7, "", "", "It is an extension for a simulator."),))
        >>> print(report)
        Not used:
          gazebo: It is an extension for a simulator. Line 7.
        >>> report.summary()
        'not used: gazebo'
    """

    robot: str
    entries: tuple[Unused, ...] = ()

    @property
    def unused(self) -> tuple[Unused, ...]:
        """What is in the file only."""
        return tuple(entry for entry in self.entries if not entry.kept)

    @property
    def kept(self) -> tuple[Unused, ...]:
        """What the robot keeps as data, and what does not act on the motion."""
        return tuple(entry for entry in self.entries if entry.kept)

    def lines(self) -> list[str]:
        """One line for each kind of thing, with how many there are and where the first ones stand."""
        return [*self._section("Not used:", self.unused), *self._section("Kept, but without effect on the motion:",
                                                                         self.kept)]  # fmt: skip

    def summary(self) -> str:
        """Both lists on one line; empty if everything is used."""
        titles = (("not used", self.unused), ("kept, but without effect on the motion", self.kept))
        return "; ".join(f"{title}: {', '.join(_counted(entries))}" for title, entries in titles if entries)

    def __str__(self) -> str:
        return "\n".join(self.lines() or ["All elements and attributes of the file are used."])

    def __bool__(self) -> bool:
        return bool(self.entries)

    @staticmethod
    def _section(title: str, entries: tuple[Unused, ...]) -> Iterator[str]:
        groups: dict[tuple[str, str, str], list[Unused]] = {}
        for entry in entries:
            groups.setdefault((entry.path, entry.why, entry.kept), []).append(entry)
        if groups:
            yield title
        for (path, why, kept), group in groups.items():
            times = f" ({len(group)} times)" if len(group) > 1 else ""
            kept_in = f" It is in {kept}." if kept else ""
            yield f"  {path}{times}: {why}{kept_in} {_places(group)}."


def _counted(entries: tuple[Unused, ...]) -> list[str]:
    counts: dict[str, int] = {}
    for entry in entries:
        counts[entry.path] = counts.get(entry.path, 0) + 1
    return [path if count == 1 else f"{path} ({count})" for path, count in counts.items()]


def _places(group: list[Unused]) -> str:
    """The first few places, and how many more there are."""
    shown = [
        f"line {variable.line}" + (f", {variable.owner}" if variable.owner else "")
        for variable in group[:MAX_PLACES_LISTED]
    ]
    more = len(group) - len(shown)
    text = "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
    return text[:1].upper() + text[1:]
