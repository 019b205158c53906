"""Recordings in files: CSV, NPZ and Parquet. Nothing is ever pickled.

CSV: the first line holds ``name [unit]`` for each column, arrays have a column ``name_1``, ``name_2_3`` … for each
number; all digits are written, so that reading gives the same numbers. The last column of a whole run, and of one that
failed, is called ``status: NOT_FINITE; format: …; equations: …; arrays: tip 3`` and holds 1 or 0, so that all programs
that read numbers read it. NPZ: an array for each name, as NumPy reads it, and a text ``__about__`` in JSON. Parquet:
the columns of the CSV file with plain names, units and JSON in its metadata. All of them hold a checksum of their
content: a file that was changed by one bit is refused, or has the same numbers.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from multibody.errors import StorageError
from multibody.simulation.contract import Status, Vector
from multibody.simulation.results.digests import digest
from multibody.simulation.results.recording import Recording, split
from multibody.support.files import atomic_file, open_regular
from multibody.support.optional_libraries import require_library

ABOUT, SHAPES = "__about__", "__shapes__"  # no quantity can have these names

FORMAT, EARLIER_FORMATS = "multibody trajectory 3", ("multibody trajectory 1", "multibody trajectory 2")
"""What files say about themselves; files of the earlier format have no checksum, and identify the equations alone."""

HEAD_KEYS = ("status", "format", "equations", "sensors", "contacts", "digest", "arrays", "checksum")
"""What the last column of a CSV file says in its head."""

CHECKSUM = "; checksum: "

BAD_TIMES = "Its times do not increase, or are not finite numbers."


def write(recording: Recording, path: str | PathLike[str], overwrite: bool = False) -> None:
    """Write a file; the suffix says how.

    Raises:
        StorageError: if the file exists and must not be replaced, or if it cannot be written.
    """
    chosen = _format(path)
    with atomic_file(path, overwrite) as stream:
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
            return _with_times(chosen.read(stream))
    except (ImportError, StorageError):
        raise
    except Exception as error:  # readers of damaged files raise errors of many kinds
        missing = isinstance(error, FileNotFoundError)
        raise StorageError(
            "There is no such file." if missing else "The file cannot be read as a recording.",
            code="file-missing" if missing else "file-damaged",
            where=str(path),
            cause="" if missing else _damage(error, path),
            remedy="Check the path." if missing else "Read what Trajectory.save has written, or a CSV table with t.",
            path=str(path),
        ) from error


def _with_times(recording: Recording) -> Recording:
    """The recording, if its times are finite and do not decrease; at a jump, two samples have the same time.

    Raises:
        ValueError: otherwise.
    """
    t = recording.arrays.get("t")
    if t is not None and (t.ndim != 1 or not np.isfinite(t).all() or (np.diff(t) < 0).any()):
        raise ValueError(BAD_TIMES)
    return recording


def _damage(error: Exception, path: str | PathLike[str]) -> str:
    """What readers say; but never their advice to load what may run code."""
    said = str(error)
    return f"It is no {Path(path).suffix} file." if "pickle" in said else said


# CSV -----------------------------------------------------------------------------------------------------------------


def _write_csv(recording: Recording, stream: BinaryIO) -> None:
    columns = recording.columns()
    units = [recording.units.get(split(name, recording.arrays)[0], "") for name in columns]
    heads = [f"{name} [{unit}]" if unit else name for name, unit in zip(columns, units, strict=True)]
    values = list(columns.values())
    status = Status.named(recording.about.get("status"))
    identified = status is not Status.UNKNOWN or "equations" in recording.about
    if identified and (recording.about.get("everything") or not status.ok):
        heads.append(_run_head(status, recording, heads))
        values.append(np.full(len(values[0]), float(status.ok)))
    table = csv.writer(codecs.getwriter("utf-8")(stream))
    table.writerow(heads)
    table.writerows(np.column_stack(values).tolist())


def _run_head(status: Status, recording: Recording, heads: list[str]) -> str:
    """The head of the column that says how a run ended, and what it was made with."""
    about = recording.about
    known = {
        "status": status.name,
        "format": FORMAT if "equations" in about else None,
        "equations": _short(about.get("motion")),
        "sensors": _listed(about.get("sensors")),
        "contacts": _listed(about.get("contacts")),
        "digest": about.get("digest"),
        "arrays": recording.shapes,
    }
    said = "; ".join(f"{key}: {value}" for key, value in known.items() if value)
    return f"{said}{CHECKSUM}{_table_checksum([*heads, said], recording.arrays)}"


def _table_checksum(heads: list[str], arrays: Mapping[str, Vector]) -> str:
    """A checksum of a CSV file: of its heads with all units, of what it says about the run, and of its numbers."""
    text = json.dumps([*heads, numbers_checksum(arrays)])
    return sha256(text.encode()).hexdigest()[:32]


def _require_checksum(heads: list[str], arrays: Mapping[str, Vector]) -> None:
    """An error if a CSV file of a run was changed; files of earlier formats may have no checksum.

    Raises:
        ValueError: if it was changed.
    """
    said, _, checksum = heads[-1].partition(CHECKSUM)
    about = _about(said)
    required = "format" in about and about["format"] not in EARLIER_FORMATS
    if (checksum or required) and checksum != _table_checksum([*heads[:-1], said], arrays):
        raise ValueError("It was changed: its checksum does not fit its numbers, units or status.")


def _short(parts: Any) -> str | None:
    """One digest for all parts; a CSV file that was read has this one already."""
    return digest(dict(parts))[:16] if isinstance(parts, Mapping) else parts


def _listed(parts: Any) -> str | None:
    return " ".join(f"{name}={part}" for name, part in parts.items()) if isinstance(parts, Mapping) else parts


def _about(head: str) -> dict[str, Any]:
    """The inverse; empty for other columns."""
    if not head.startswith("status: "):
        return {}
    parts = (part.partition(": ") for part in head.split("; "))
    about: dict[str, Any] = {key: value for key, _, value in parts if key in HEAD_KEYS}
    if "format" in about:
        about["motion"] = about.get("equations", "")
        for key in ("sensors", "contacts"):
            pairs = (pair.partition("=") for pair in about.get(key, "").split())
            about[key] = {name: part for name, _, part in pairs}
    return about


def _read_csv(stream: BinaryIO) -> Recording:
    with io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
        heads = next(csv.reader([text.readline()]))
        rows = [line for line in text if line.strip()]
    if not rows:
        raise ValueError("It has no samples.")
    table = np.loadtxt(rows, delimiter=",", comments=None, ndmin=2)
    about, all_heads = _about(heads[-1]) if heads else {}, heads
    if about and table.shape[1] == len(heads):
        if (table[:, -1] != float(Status.named(about["status"]).ok)).any():
            about["status"] = Status.UNKNOWN.name
        heads, table = heads[:-1], table[:, :-1]
    names, units = zip(*(_named(head) for head in heads), strict=True)
    doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if doubled:
        raise ValueError(f"Two columns have the same name: {', '.join(doubled)}.")
    columns = dict(zip(names, table.T, strict=True))
    shapes = about.pop("arrays", "")
    found = Recording(columns, _with_arrays(dict(zip(names, units, strict=True))))
    found = found.joined(shapes) if shapes else found
    if about:
        _require_checksum(all_heads, found.arrays)
        about.pop("checksum", None)
    return Recording(found.arrays, found.units, {"status": "UNKNOWN", **about})


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
    text = str(arrays.pop(ABOUT, "{}"))
    numbers = {name: np.asarray(values, dtype=float) for name, values in arrays.items()}
    return Recording(numbers, *_known(text, numbers))


# Parquet -------------------------------------------------------------------------------------------------------------


def _write_parquet(recording: Recording, stream: BinaryIO) -> None:
    arrow, parquet = require_library("pyarrow", "data"), require_library("pyarrow.parquet", "data")
    table = arrow.table({name: np.ascontiguousarray(values) for name, values in recording.columns().items()})
    described = table.replace_schema_metadata({ABOUT: _described(recording), SHAPES: recording.shapes})
    parquet.write_table(described, stream, write_page_checksum=True)


def _read_parquet(stream: BinaryIO) -> Recording:
    arrow, parquet = require_library("pyarrow", "data"), require_library("pyarrow.parquet", "data")
    content = stream.read()
    source = arrow.BufferReader(content)
    # in one thread: with damaged files, those of the library may wait for each other for ever
    file = parquet.ParquetFile(source, pre_buffer=False, page_checksum_verification=True)
    table = file.read(use_threads=False)
    if len(set(table.column_names)) < len(table.column_names):
        raise ValueError("Two columns have the same name.")
    columns: dict[str, Vector] = {
        name: np.asarray(table[name].to_numpy(), dtype=float) for name in table.column_names
    }  # fmt: skip
    metadata = table.schema.metadata or {}
    if ABOUT.encode() not in metadata and any(mark.encode() in content for mark in (ABOUT, SHAPES, FORMAT)):
        raise ValueError("It was changed: its units and its status are missing.")
    arrays = Recording(columns, {}).joined(metadata.get(SHAPES.encode(), b"").decode()).arrays
    units, about = _known(metadata.get(ABOUT.encode(), b"{}"), arrays)
    return Recording(arrays, {name: units.get(split(name, units)[0], "") for name in arrays}, about)


def _with_arrays(units: Mapping[str, str]) -> dict[str, str]:
    """Units of columns, and of the arrays that columns may be elements of."""
    return {re.sub(r"(_\d+)+$", "", name): unit for name, unit in units.items()} | dict(units)


# all -----------------------------------------------------------------------------------------------------------------


def numbers_checksum(arrays: Mapping[str, Vector]) -> str:
    """A checksum of names, shapes and numbers; all zeros are the same, and all that are not numbers."""
    content = sha256()
    for name in sorted(arrays):
        values = np.asarray(arrays[name], dtype="<f8") + 0.0
        values[np.isnan(values)] = np.nan
        content.update(f"{name} {values.shape} ".encode("utf-8", "surrogatepass") + values.tobytes())
    return content.hexdigest()[:32]


def _described(recording: Recording) -> str:
    """What is known beside the numbers, as JSON, with a checksum of everything."""
    about = {**recording.about, "format": FORMAT, "units": dict(recording.units)}
    return json.dumps({**about, "checksum": _checksum(about, recording.arrays)}, ensure_ascii=False)


def _checksum(about: Mapping[str, Any], arrays: Mapping[str, Vector]) -> str:
    text = json.dumps(about, sort_keys=True)
    return sha256(f"{text} {numbers_checksum(arrays)}".encode()).hexdigest()[:32]


def _known(text: str | bytes, arrays: Mapping[str, Vector]) -> tuple[dict[str, str], dict[str, Any]]:
    """The inverse: units by name, and what else is known.

    Raises:
        ValueError: if the file was changed since it was written.
    """
    about = json.loads(text)
    has_checksum = "checksum" in about or about.get("format") not in EARLIER_FORMATS
    if about and has_checksum and about.pop("checksum", "") != _checksum(about, arrays):
        raise ValueError("It was changed: its checksum does not fit.")
    units = about.pop("units", {})
    if not all(isinstance(unit, str) for unit in units.values()):
        raise ValueError("Its units are not texts.")
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
            code="file-format-unknown",
            where=str(path),
            remedy=f"Use {', '.join(_FORMATS)}.",
            suffix=suffix,
        )
    return _FORMATS[suffix]
