"""Arrays by name over time, with their units: what is written to files and read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from multibody.errors import ShapeError, UnknownNameError
from multibody.simulate.contract import Vector

_COLUMN = re.compile(r"(?P<name>.*?)(?P<place>(\[\d{1,9}\])*)", re.DOTALL)


def unknown(name: object, known: Iterable[str], where: str) -> UnknownNameError:
    """The error for a name that is not among the known ones, with those that look like it."""
    listed = list(known)
    if isinstance(name, list | tuple):
        return UnknownNameError(
            f"{name!r:.200} is no name.", where=where, remedy="Give names one by one, separated by commas: 'a', 'b'."
        )
    near = get_close_matches(str(name), listed, 3) or (listed if len(listed) == 1 else [])
    return UnknownNameError(
        f"There is no '{name}'.",
        where=where,
        cause=f"Did you mean {' or '.join(map(repr, near))}?" if near else "",
        remedy=f"There are: {', '.join(listed[:40])}{', …' if len(listed) > 40 else ''}.",
    )


@dataclass(frozen=True, eq=False)
class Recording(Mapping[str, Vector]):
    """Arrays by name; the first axis of each is time.

    Attributes:
        arrays: the values by name; ``"t"`` is time.
        units: SI units by name.
        about: what else is known about the run: system, parameters, status, statistics.

    Example:
        >>> run = Recording({"t": np.array([0.0, 1.0]), "tip": np.array([[1.0, 2.0], [3.0, 4.0]])}, {"tip": "m"})
        >>> run["tip"][:, 1]
        array([2., 4.])
        >>> list(run.columns())
        ['t', 'tip[0]', 'tip[1]']
    """

    arrays: Mapping[str, Vector]
    units: Mapping[str, str]
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        samples = {values.shape[:1] for values in self.arrays.values()}
        if len(samples) != 1 or () in samples:
            raise ShapeError(
                "The arrays do not agree on the number of samples.",
                where="recording",
                cause=", ".join(f"{name}: {values.shape}" for name, values in self.arrays.items())[:300],
            )

    def __getitem__(self, name: str) -> Vector:
        if name not in self.arrays:
            raise unknown(name, self.arrays, "recording")
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        samples = len(next(iter(self.arrays.values())))
        return f"Recording({samples} samples of {', '.join(self.arrays)})"

    def columns(self) -> dict[str, Vector]:
        """The same numbers as columns of a table: an array ``tip`` becomes ``tip[0]``, ``tip[1]`` …."""
        return {
            column_name(name, place): component(values, place)
            for name, values in self.arrays.items()
            for place in np.ndindex(values.shape[1:])
        }

    @staticmethod
    def of_columns(columns: Mapping[str, Vector], units: Mapping[str, str], about: Mapping[str, Any]) -> Recording:
        """A recording from the columns of a table.

        Args:
            columns: as ``columns()`` gives them.
            units: by column.
            about: what else is known.
        """
        parts: dict[str, dict[tuple[int, ...], Vector]] = {}
        for column, values in columns.items():
            name, place = split(column)
            parts.setdefault(name, {})[place] = values
        arrays: dict[str, Vector] = {}
        for name, found in parts.items():
            arrays |= _joined(name, found)
        unit_of = {split(column)[0]: unit for column, unit in units.items()}
        return Recording(arrays, {name: unit_of.get(split(name)[0], "") for name in arrays}, about)


def column_name(name: str, place: tuple[int, ...]) -> str:
    """The inverse of ``split``."""
    return name + "".join(f"[{k}]" for k in place)


def component(values: Vector, place: tuple[int, ...]) -> Vector:
    """One number of an array, over time."""
    index: Any = (slice(None), *place)
    return values[index]


def split(column: str) -> tuple[str, tuple[int, ...]]:
    """A name, and a place within the array of that name.

    Example:
        >>> split("tip[2]"), split("swing")
        (('tip', (2,)), ('swing', ()))
    """
    match = _COLUMN.fullmatch(column)
    assert match is not None  # the pattern fits every text
    return match["name"], tuple(map(int, re.findall(r"\d+", match["place"])))


def _joined(name: str, parts: Mapping[tuple[int, ...], Vector]) -> dict[str, Vector]:
    """One array from its columns, if every place is filled; else the columns as they are."""
    shape = tuple(max(places) + 1 for places in zip(*parts, strict=False))
    if np.prod(shape, dtype=float) != len(parts) or sorted(parts) != list(np.ndindex(shape)):
        return {column_name(name, place): values for place, values in parts.items()}
    return {name: np.stack([parts[place] for place in sorted(parts)], axis=1).reshape(-1, *shape)}
