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
from multibody.simulate.statistics import Counts
from multibody.simulate.trajectory import EventRecord

COLUMNS = "number, status, message, seconds, ending, t, y, r, counts, occurrences, measures, checksum"


def row_of(one: Outcome) -> tuple[Any, ...]:
    """An outcome as values of the columns."""
    occurrences = [[event.name, float(event.t), np.asarray(event.y).tolist()] for event in one.occurrences]
    row = (
        one.number, one.status, one.message, one.seconds, one.ending,
        array_bytes(one.t), array_bytes(one.y), array_bytes(one.r),
        json.dumps(vars(one.counts)), json.dumps(occurrences), json.dumps(dict(one.measures)),
    )  # fmt: skip
    return (*row, _checksum(row))


def outcome_of(row: Sequence[Any]) -> Outcome:
    """The outcome of such values.

    Raises:
        ValueError: if they were changed since.
    """
    *values, checksum = row
    if checksum != _checksum(values):
        raise ValueError(f"Run {row[0]} is not as it was written.")
    number, status, message, seconds, ending, t, y, r, counts, occurrences, measures = values
    events = tuple(EventRecord(name, at, np.array(state)) for name, at, state in json.loads(occurrences))
    return Outcome(
        number, status, message, seconds, ending, bytes_array(t), bytes_array(y), bytes_array(r),
        Counts(**json.loads(counts)), events, json.loads(measures),
    )  # fmt: skip


def _checksum(row: Sequence[Any]) -> bytes:
    parts = [value if isinstance(value, bytes) else repr(value).encode() for value in row]
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
