"""Linear systems as CSV files: [A B; C D] with names, kinds and units of its rows and columns."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from io import StringIO, TextIOWrapper
from os import PathLike
from typing import NamedTuple, TypeVar

import numpy as np

from multibody.errors import MultibodyError, StorageError
from multibody.linearization.operating_points.point import Matrix
from multibody.support.files import atomic_file, open_regular

MARK = "linear system"

T = TypeVar("T")


class NamedMatrices(NamedTuple):
    """A, B, C and D with names of states, inputs and outputs, units by name, and a name."""

    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    units: Mapping[str, str]
    name: str


def write(system: NamedMatrices, path: str | PathLike[str], *, overwrite: bool) -> None:
    """Write a system; see ``LinearSystem.to_csv``."""
    text = StringIO(newline="")
    csv.writer(text).writerows(_rows(system))
    with atomic_file(path, overwrite) as stream:
        stream.write(text.getvalue().encode())


def _rows(system: NamedMatrices) -> list[list[str]]:
    columns = (*system.states, *system.inputs)
    kinds = ["state"] * len(system.states) + ["input"] * len(system.inputs)
    unit = system.units.get
    upper, lower = np.hstack([system.A, system.B]), np.hstack([system.C, system.D])
    return [
        [MARK, system.name, "", *columns],
        ["", "", "kind", *kinds],
        ["name", "kind", "unit", *(unit(name, "") for name in columns)],
        *([n, "state", unit(n, ""), *map(repr, row)] for n, row in zip(system.states, upper.tolist(), strict=True)),
        *([n, "output", unit(n, ""), *map(repr, row)] for n, row in zip(system.outputs, lower.tolist(), strict=True)),
    ]


def read(path: str | PathLike[str], make: Callable[..., T]) -> T:
    """A system that was written; see ``read_linear_system``.

    Args:
        path: of the file.
        make: makes it from A, B, C, D, names of states, inputs and outputs, units and a name.
    """
    try:
        with open_regular(path) as file, TextIOWrapper(file, encoding="utf-8", newline="") as stream:
            rows = [row for row in csv.reader(stream) if row]
        return _system(rows, make)
    except StorageError:
        raise
    except (OSError, ValueError, IndexError, csv.Error, MultibodyError) as error:
        raise StorageError(
            "The file holds no linear system.",
            code="file-not-a-linear-system",
            where=str(path),
            cause=str(error),
            remedy="Give a file that LinearSystem.to_csv has written.",
            path=str(path),
        ) from error


def _system(rows: Sequence[Sequence[str]], make: Callable[..., T]) -> T:
    (mark, name, _, *columns), (*_, kind), *_ = rows[0], rows[1][2:], rows[2]
    if mark != MARK or (columns and kind not in ("state", "input")):
        raise ValueError(f"It does not begin with '{MARK}'.")
    kinds, units, body = rows[1][3:], rows[2][3:], rows[3:]
    states = tuple(column for column, what in zip(columns, kinds, strict=True) if what == "state")
    outputs = tuple(row[0] for row in body if row[1] == "output")
    if tuple(row[0] for row in body if row[1] == "state") != states:
        raise ValueError("Its rows and columns have different states.")
    values = np.array([[float(cell) for cell in row[3:]] for row in body]).reshape(len(body), len(columns))
    known = dict(zip(columns, units, strict=True)) | {row[0]: row[2] for row in body}
    n = len(states)
    return make(
        values[:n, :n], values[:n, n:], values[n:, :n], values[n:, n:], states, tuple(columns[n:]), outputs,
        {symbol: unit for symbol, unit in known.items() if unit}, name,
    )  # fmt: skip
