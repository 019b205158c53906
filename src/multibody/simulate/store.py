"""Recordings in files: CSV, NPZ and Parquet. Nothing is ever pickled.

CSV: the first line holds ``name [unit]`` for each column, arrays have a column ``name[0]``, ``name[1][2]`` … for each
number; all digits are written, so that reading gives the same numbers. The last column of a whole run, and of one that
failed, is called ``status: NOT_FINITE; equations: …; digest: …`` and holds 1 or 0, so that all programs that read
numbers read it. NPZ: an array for each name, as NumPy reads it,
and a text ``__about__`` in JSON. Parquet: the columns of the CSV file with plain names, units and JSON in its metadata.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from multibody.errors import StorageError
from multibody.regular_files import open_regular
from multibody.simulate.contract import Status, Vector
from multibody.simulate.files import whole_file
from multibody.simulate.optional import library
from multibody.simulate.recording import Recording
from multibody.simulate.sweep_digest import digest

ABOUT = "__about__"  # no quantity can have this name


def write(recording: Recording, path: str | PathLike[str], overwrite: bool = False) -> None:
    """Write a file; the suffix says how.

    Raises:
        StorageError: if the file exists and must not be replaced, or if it cannot be written.
    """
    chosen = _format(path)
    with whole_file(path, overwrite) as stream:
        chosen.write(recording, stream)


def read_trajectory(path: str | PathLike[str]) -> Recording:
    """The arrays of a saved trajectory by name, with their units; no equations are needed.

    Args:
        path: of a file that ``Trajectory.save`` has written; a CSV file with a column ``t`` from elsewhere will do.

    Raises:
        StorageError: if the file cannot be read, or is damaged.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path, numbers = Path(folder, "measured.csv"), [[0.0, 0.1], [0.5, 0.3]]
        ...     np.savetxt(path, numbers, delimiter=",", header="t [s],angle [rad]", comments="")
        ...     found = read_trajectory(path)
        >>> found["angle"], found.units["angle"]
        (array([0.1, 0.3]), 'rad')
    """
    chosen = _format(path)
    try:
        with open_regular(path) as stream:
            return chosen.read(stream)
    except (ImportError, StorageError):
        raise
    except Exception as error:  # readers of damaged files raise errors of many kinds
        missing = isinstance(error, FileNotFoundError)
        raise StorageError(
            "There is no such file." if missing else "The file cannot be read as a recording.",
            where=str(path),
            cause="" if missing else _damage(error, path),
            remedy="Check the path." if missing else "Read what Trajectory.save has written, or a CSV table with t.",
        ) from error


def _damage(error: Exception, path: str | PathLike[str]) -> str:
    """What readers say; but never their advice to load what may run code."""
    said = str(error)
    return f"It is no {Path(path).suffix} file." if "pickle" in said else said


# CSV -----------------------------------------------------------------------------------------------------------------


def _write_csv(recording: Recording, stream: BinaryIO) -> None:
    columns = recording.columns()
    units = [recording.units.get(name.partition("[")[0], "") for name in columns]
    heads = [f"{name} [{unit}]" if unit else name for name, unit in zip(columns, units, strict=True)]
    values = list(columns.values())
    status = Status.named(recording.about.get("status"))
    if status is not Status.UNKNOWN and (recording.about.get("everything") or not status.ok):
        heads.append(_run_head(status, recording.about))
        values.append(np.full(len(values[0]), float(status.ok)))
    table = csv.writer(codecs.getwriter("utf-8")(stream))
    table.writerow(heads)
    table.writerows(np.column_stack(values).tolist())


def _run_head(status: Status, about: Mapping[str, Any]) -> str:
    """The head of the column that says how a run ended, and what it was made with."""
    equations = about.get("equations")
    known = {
        "status": status.name,
        "equations": digest(equations)[:16] if isinstance(equations, Mapping) else equations,
        "digest": about.get("digest"),
    }
    return "; ".join(f"{key}: {value}" for key, value in known.items() if value)


def _about(head: str) -> dict[str, str]:
    """The inverse; empty for other columns."""
    if not head.startswith("status: "):
        return {}
    parts = (part.partition(": ") for part in head.split("; "))
    return {key: value for key, _, value in parts if key in ("status", "equations", "digest")}


def _read_csv(stream: BinaryIO) -> Recording:
    with io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
        heads = next(csv.reader([text.readline()]))
        rows = [line for line in text if line.strip()]
    if not rows:
        raise ValueError("It has no samples.")
    table = np.loadtxt(rows, delimiter=",", comments=None, ndmin=2)
    about = _about(heads[-1]) if heads else {}
    if about:
        heads, table = heads[:-1], table[:, :-1]
    names, units = zip(*(_named(head) for head in heads), strict=True)
    columns = dict(zip(names, table.T, strict=True))
    return Recording.of_columns(columns, dict(zip(names, units, strict=True)), {"status": "UNKNOWN", **about})


def _named(head: str) -> tuple[str, str]:
    """Name and unit from the head of a column."""
    name, _, rest = head.partition(" [")
    return name, rest.removesuffix("]")


# NPZ -----------------------------------------------------------------------------------------------------------------


def _write_npz(recording: Recording, stream: BinaryIO) -> None:
    """As ``numpy.savez`` does; which cannot take an array called ``file``."""
    about = np.array(_described(recording))
    with zipfile.ZipFile(stream, "w") as archive:
        for name, values in {**recording.arrays, ABOUT: about}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asarray(values, order="C"), allow_pickle=False)


def _read_npz(stream: BinaryIO) -> Recording:
    with np.load(stream, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    units, about = _known(str(arrays.pop(ABOUT, "{}")))
    return Recording({name: np.asarray(values, dtype=float) for name, values in arrays.items()}, units, about)


# Parquet -------------------------------------------------------------------------------------------------------------


def _write_parquet(recording: Recording, stream: BinaryIO) -> None:
    arrow, parquet = library("pyarrow", "data"), library("pyarrow.parquet", "data")
    table = arrow.table({name: np.ascontiguousarray(values) for name, values in recording.columns().items()})
    parquet.write_table(table.replace_schema_metadata({ABOUT: _described(recording)}), stream)


def _read_parquet(stream: BinaryIO) -> Recording:
    arrow, parquet = library("pyarrow", "data"), library("pyarrow.parquet", "data")
    # in one thread: with damaged files, those of the library may wait for each other for ever
    table = parquet.ParquetFile(arrow.BufferReader(stream.read()), pre_buffer=False).read(use_threads=False)
    units, about = _known((table.schema.metadata or {}).get(ABOUT.encode(), b"{}"))
    columns: dict[str, Vector] = {
        name: np.asarray(table[name].to_numpy(), dtype=float) for name in table.column_names
    }  # fmt: skip
    by_column = {name: units.get(name.partition("[")[0], "") for name in columns}
    return Recording.of_columns(columns, by_column, about)


# all -----------------------------------------------------------------------------------------------------------------


def _described(recording: Recording) -> str:
    """What is known beside the numbers, as JSON."""
    return json.dumps({**recording.about, "units": dict(recording.units)}, ensure_ascii=False)


def _known(text: str | bytes) -> tuple[dict[str, str], dict[str, Any]]:
    """The inverse: units by name, and what else is known."""
    about = json.loads(text)
    units = about.pop("units", {})
    if not all(isinstance(unit, str) for unit in units.values()):
        raise ValueError("Its units are no texts.")
    return units, about


class _Format(NamedTuple):
    write: Callable[[Recording, BinaryIO], Any]
    read: Callable[[BinaryIO], Recording]


_FORMATS = {
    ".csv": _Format(_write_csv, _read_csv),
    ".npz": _Format(_write_npz, _read_npz),
    ".parquet": _Format(_write_parquet, _read_parquet),
}


def _format(path: str | PathLike[str]) -> _Format:
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise StorageError(
            f"'{suffix}' is not a format for trajectories." if suffix else "The file name has no suffix.",
            where=str(path),
            remedy=f"Use {', '.join(_FORMATS)}.",
        )
    return _FORMATS[suffix]
