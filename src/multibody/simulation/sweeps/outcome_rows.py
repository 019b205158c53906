"""Outcomes of runs as rows of a table, and back; without pickle, so that a file can do no harm."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from io import BytesIO
from typing import Any

import numpy as np

from multibody.simulation.checks.joint_limits import LimitViolation
from multibody.simulation.checks.run_checks import NO_CHECKS, RunChecks
from multibody.simulation.checks.table_exits import TableExit, exit_from, plain_exit
from multibody.simulation.contract import Vector
from multibody.simulation.problem.input_limits import Saturation, plain_saturation, saturation_from
from multibody.simulation.results.named_samples import EventRecord
from multibody.simulation.results.statistics import Counts
from multibody.simulation.sweeps.runner import Outcome

BRIEF = ("number", "status", "message", "seconds", "ending", "counts", "occurrences")
"""The columns that are short; they are read, and can be trusted, without the arrays."""

COLUMNS = (*BRIEF, "brief_checksum", "t", "y", "r", "arrays_checksum")


def row_of(one: Outcome) -> tuple[Any, ...]:
    """An outcome as values of the columns."""
    occurrences = [[event.name, float(event.t), np.asarray(event.y).tolist()] for event in one.occurrences]
    brief = (
        one.number, one.status, one.message, one.seconds, one.ending,
        json.dumps(_counts_of(one)), json.dumps(occurrences),
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
    number, status, message, seconds, ending, counts, occurrences = brief_of(row[:n])
    *arrays, last = row[n:]
    if last != checksum([number, *arrays]):
        raise ValueError(f"Run {number} is not as it was written.")
    events = tuple(EventRecord(name, at, np.array(state)) for name, at, state in json.loads(occurrences))
    t, y, r = map(bytes_array, arrays)
    numbers = json.loads(counts)
    saturations = tuple(map(saturation_from, numbers.pop("saturations", ())))
    exits = tuple(map(exit_from, numbers.pop("table_exits", ())))
    checks = _checks_from(numbers.pop("checks", None), saturations, exits)
    return Outcome(
        number, status, message, seconds, ending, t, y, r, Counts(**numbers), events, saturations=saturations,
        table_exits=exits, checks=checks,
    )  # fmt: skip


def _counts_of(one: Outcome) -> dict[str, Any]:
    """What the integrator did; with saturated inputs, tables that were left, and checks, where there are some."""
    reports = {
        "saturations": [*map(plain_saturation, one.saturations)],
        "table_exits": [*map(plain_exit, one.table_exits)],
    }
    checks = {} if one.checks is NO_CHECKS else {"checks": _plain_checks(one.checks)}
    return {**vars(one.counts), **{name: listed for name, listed in reports.items() if listed}, **checks}


def _plain_checks(checks: RunChecks) -> list[Any]:
    violations = [
        [*violation[:2], [repr(float(x)) for x in (*violation.limits, *violation[3:])]]
        for violation in checks.limit_violations
    ]
    return [repr(checks.energy_scale), repr(checks.energy_error), dict(checks.generated), violations]


def _checks_from(plain: Any, saturations: tuple[Saturation, ...], exits: tuple[TableExit, ...]) -> RunChecks:
    if plain is None:
        return NO_CHECKS
    scale, error, generated, listed = plain
    violations = []
    for joint, coordinate, numbers in listed:
        low, high, *others = map(float, numbers)
        violations.append(LimitViolation(str(joint), str(coordinate), (low, high), *others))
    return RunChecks(float(scale), float(error), dict(generated), tuple(violations), saturations, exits)


def measure_rows(one: Outcome) -> list[tuple[Any, ...]]:
    """A row for each measure of an outcome."""
    rows = [(one.number, name, json.dumps(value), "") for name, value in one.measures.items()]
    rows += [(one.number, name, "", error) for name, error in one.measure_errors.items()]
    return [(*row, checksum(row)) for row in rows]


def checked(row: Sequence[Any], what: str) -> Sequence[Any]:
    """The values of a short row without their checksum.

    Raises:
        ValueError: if they were changed since.
    """
    *values, last = row
    if last != checksum(values):
        raise ValueError(f"{what} is not as it was written.")
    return values


def brief_of(row: Sequence[Any]) -> Sequence[Any]:
    """The values of the short columns of a run, from these and their checksum."""
    return checked(row, f"Run {row[0]}")


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
