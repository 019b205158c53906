"""Outcomes of runs as rows of a table, and back; without pickle, so that a file can do no harm."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from io import BytesIO
from typing import Any

import numpy as np

from multibody.simulate.contract import Vector
from multibody.simulate.runner import Outcome
from multibody.simulate.saturation import plain_saturation, saturation_from
from multibody.simulate.statistics import Counts
from multibody.simulate.trajectory import EventRecord

BRIEF = ("number", "status", "message", "seconds", "ending", "counts", "occurrences", "measures")
"""The columns that are short; they are read, and can be trusted, without the arrays."""

COLUMNS = (*BRIEF, "brief_checksum", "t", "y", "r", "arrays_checksum")


def row_of(one: Outcome) -> tuple[Any, ...]:
    """An outcome as values of the columns."""
    occurrences = [[event.name, float(event.t), np.asarray(event.y).tolist()] for event in one.occurrences]
    brief = (
        one.number, one.status, one.message, one.seconds, one.ending,
        json.dumps(_counts_of(one)), json.dumps(occurrences), json.dumps(dict(one.measures)),
    )  # fmt: skip
    return signed(brief, (array_bytes(one.t), array_bytes(one.y), array_bytes(one.r)))


def signed(brief: Sequence[Any], arrays: Sequence[bytes]) -> tuple[Any, ...]:
    """The values of all columns, with their checksums; that of the arrays tells which run they belong to."""
    return (*brief, checksum(brief), *arrays, checksum([brief[0], *arrays]))


def outcome_of(row: Sequence[Any]) -> Outcome:
    """The outcome of such values.

    Raises:
        ValueError: if they were changed since.
    """
    n = len(BRIEF) + 1
    number, status, message, seconds, ending, counts, occurrences, measures = brief_of(row[:n])
    *arrays, last = row[n:]
    if last != checksum([number, *arrays]):
        raise ValueError(f"Run {number} is not as it was written.")
    events = tuple(EventRecord(name, at, np.array(state)) for name, at, state in json.loads(occurrences))
    t, y, r = map(bytes_array, arrays)
    numbers = json.loads(counts)
    saturations = tuple(map(saturation_from, numbers.pop("saturations", ())))
    return Outcome(
        number, status, message, seconds, ending, t, y, r, Counts(**numbers), events, json.loads(measures),
        saturations=saturations,
    )  # fmt: skip


def _counts_of(one: Outcome) -> dict[str, Any]:
    """What the integrator did; with saturated inputs, where there are some."""
    held = [plain_saturation(saturation) for saturation in one.saturations]
    return {**vars(one.counts), **({"saturations": held} if held else {})}


def brief_of(row: Sequence[Any]) -> Sequence[Any]:
    """The values of the short columns, from these and their checksum.

    Raises:
        ValueError: if they were changed since.
    """
    *brief, last = row
    if last != checksum(brief):
        raise ValueError(f"Run {brief[0]} is not as it was written.")
    return brief


def checksum(values: Sequence[Any]) -> bytes:
    """Of numbers, texts and bytes."""
    parts = [value if isinstance(value, bytes) else repr(value).encode() for value in values]
    return blake2b(b"".join(b"%d " % len(part) + part for part in parts), digest_size=16).digest()


def array_bytes(array: Vector) -> bytes:
    """An array in NumPy's format, which says its shape."""
    stream = BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def bytes_array(data: bytes) -> Vector:
    """The array of such bytes; never anything else than numbers."""
    try:
        return np.asarray(np.lib.format.read_array(BytesIO(data), allow_pickle=False))
    except Exception as error:  # damaged headers raise errors of many kinds
        raise ValueError("An array cannot be read.") from error
