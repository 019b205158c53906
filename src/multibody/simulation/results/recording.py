"""Arrays by name over time, with their units: what is written to files and read back."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import zip_longest
from typing import Any

import numpy as np

from multibody.errors import ModelError, ShapeError, UnknownNameError
from multibody.graph.names import element_name, usual_element_name
from multibody.simulation.contract import Vector
from multibody.support.optional_libraries import require_library
from multibody.support.text_tables import counted

_COLUMN = re.compile(r"(?P<name>.+?)(?P<place>(_[1-9]\d{0,8})+)", re.DOTALL)


def unknown(
    name: object, known: Iterable[str], where: str, arrays: Iterable[str] | None = None
) -> UnknownNameError:  # fmt: skip
    """The error for a name that is not among the known ones, with those that look like it.

    Args:
        name: that is not known.
        known: others.
        where: for the message.
        arrays: those of the known names that have elements; all if it is not known.
    """
    listed = list(known)
    if isinstance(name, list | tuple):
        return UnknownNameError(
            f"{name!r:.200} is not a name.", where=where, remedy="Give names one by one, separated by commas: 'a', 'b'."
        )
    usual = usual_element_name(str(name), listed if arrays is None else arrays)
    usual = usual or (owner if (owner := re.sub(r"(\[\d+\])+$", "", str(name))) in listed else "")
    near = [usual] if usual else get_close_matches(str(name), listed, 3) or (listed if len(listed) == 1 else [])
    return UnknownNameError(
        f"There is no '{name}'.",
        where=where,
        cause=f"Did you mean {' or '.join(map(repr, near))}?" if near else "",
        remedy=f"There are: {', '.join(listed[:40])}{', …' if len(listed) > 40 else ''}.",
        name=name,
    )


@dataclass(frozen=True, eq=False)
class Recording(Mapping[str, Vector]):
    """Arrays by name; the first axis of each is time.

    An array ``tip`` can be stored as a whole, or by its columns ``tip_1``, ``tip_2`` as in a CSV file; both are found.

    Attributes:
        arrays: the values by name; ``"t"`` is time.
        units: SI units by name.
        about: what else is known about the run: system, parameters, status, statistics.

    Example:
        >>> run = Recording({"t": np.array([0.0, 1.0]), "tip": np.array([[1.0, 2.0], [3.0, 4.0]])}, {"tip": "m"})
        >>> run["tip"][:, 1]
        array([2., 4.])
        >>> list(run.columns())
        ['t', 'tip_1', 'tip_2']
    """

    arrays: Mapping[str, Vector]
    units: Mapping[str, str]
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        samples = {values.shape[:1] for values in self.arrays.values()}
        if len(samples) != 1 or () in samples:
            raise ShapeError(
                "The arrays do not agree on the number of samples.",
                code="sample-counts-differ",
                where="recording",
                cause=", ".join(f"{name}: {values.shape}" for name, values in self.arrays.items())[:300],
            )

    def __getitem__(self, name: str) -> Vector:
        if name in self.arrays:
            return self.arrays[name]
        head, place = split(str(name), self.arrays)
        if place and all(k < size for k, size in zip_longest(place, self.arrays[head].shape[1:], fillvalue=-1)):
            return component(self.arrays[head], place)
        elements = {found: values for column, values in self.arrays.items() if (found := _place(column, str(name)))}
        shape = tuple(max(places) + 1 for places in zip(*elements, strict=False))
        if not elements or sorted(elements) != list(np.ndindex(shape)):
            raise unknown(name, self.arrays, "recording")
        return np.stack([elements[element] for element in sorted(elements)], axis=1).reshape(-1, *shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        samples = len(next(iter(self.arrays.values())))
        return f"Recording({counted(samples, 'sample')} of {', '.join(self.arrays)})"

    def columns(self) -> dict[str, Vector]:
        """The same numbers as columns of a table: an array ``tip`` becomes ``tip_1``, ``tip_2`` …."""
        columns: dict[str, Vector] = {}
        for name, values in self.arrays.items():
            for place in np.ndindex(values.shape[1:]):
                column = element_name(name, place)
                if column in columns or (place and column in self.arrays):
                    raise ModelError(
                        f"Two quantities are called '{column}'.",
                        code="name-taken",
                        where="recording",
                        cause=f"One of them is an element of '{name}'.",
                        remedy="Give the sensor, or the other quantity, another name.",
                        name=column,
                    )
                columns[column] = component(values, place)
        return columns

    @property
    def shapes(self) -> str:
        """The shapes of all that is an array at each time, as a text: ``tip 3, R 3x3``."""
        arrays = ((name, values.shape[1:]) for name, values in self.arrays.items() if values.ndim > 1)
        return ", ".join(f"{name} {'x'.join(map(str, shape))}" for name, shape in arrays)

    def joined(self, shapes: str) -> Recording:
        """The same with arrays in place of their columns, as far as all columns of an array are there."""
        arrays = dict(self.arrays)
        for part in filter(None, shapes.split(", ")):
            name, _, sizes = part.rpartition(" ")
            elements = [element_name(name, place) for place in np.ndindex(*map(int, sizes.split("x")))]
            if elements and all(element in arrays for element in elements):
                whole = self[name]
                arrays = {
                    name if array == elements[0] else array: arrays[array]
                    for array in arrays
                    if array not in elements[1:]
                }
                arrays[name] = whole
        units = {name: self.units.get(name, "") for name in arrays}
        return Recording(arrays, units, self.about)


def component(values: Vector, place: tuple[int, ...]) -> Vector:
    """One number of an array, over time."""
    index: Any = (slice(None), *place)
    return values[index]


def _place(column: str, name: str) -> tuple[int, ...]:
    """The place of a column in an array; empty if it is not an element of it."""
    return split(column, {name})[1]


def split(column: str, known: Container[str]) -> tuple[str, tuple[int, ...]]:
    """A name that is known, and a place within the array of that name; the text itself where none is meant.

    Example:
        >>> split("tip_3", ["tip"]), split("swing", ["swing"]), split("R_1_2", ["R", "tip"]), split("x_1", ["x_1", "x"])
        (('tip', (2,)), ('swing', ()), ('R', (0, 1)), ('x_1', ()))
    """
    match = None if column in known else _COLUMN.fullmatch(column)
    if match is None:
        return column, ()
    head, numbers = match["name"], match["place"][1:].split("_")
    for count in range(len(numbers)):  # "a_1_2" is an element of "a_1" if there is one
        name = "_".join([head, *numbers[: len(numbers) - 1 - count]])
        if name in known:
            return name, tuple(int(k) - 1 for k in numbers[len(numbers) - 1 - count :])
    return column, ()


# tables of other libraries --------------------------------------------------------------------------------------------


def dataframe(recording: Recording) -> Any:
    """A pandas table with the time as its index; units by name, and what is known of the run, are in its ``attrs``."""
    columns = recording.columns()
    index = require_library("pandas", "data").Index(columns.pop("t"), name="t")
    table = require_library("pandas", "data").DataFrame(columns, index=index)
    table.attrs = {**recording.about, "units": dict(recording.units)}
    return table


def dataset(recording: Recording) -> Any:
    """An xarray data set; the axes of an array ``tip`` after the first are the dimensions ``tip_0``, ``tip_1`` …."""
    variables = {
        name: (
            ("t", *(f"{name}_{axis}" for axis in range(values.ndim - 1))),
            values,
            {"units": recording.units.get(name, "")},
        )
        for name, values in recording.items()
    }
    time = {"t": variables.pop("t")}
    return require_library("xarray", "data").Dataset(variables, coords=time, attrs=_plain(recording))


def _plain(recording: Recording) -> dict[str, Any]:
    """What can be written to NetCDF: texts and numbers."""
    about = recording.about
    parameters = {f"parameter_{name}": value for name, value in about.get("parameters", {}).items()}
    return {key: about[key] for key in ("system", "formalism", "status", "message") if key in about} | parameters
