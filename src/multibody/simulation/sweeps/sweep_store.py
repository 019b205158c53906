"""Where the outcomes of a sweep are kept as they come: one SQLite file, or memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np

from multibody.errors import StorageError
from multibody.simulation.sweeps.outcome_rows import (
    BRIEF,
    COLUMNS,
    array_bytes,
    brief_of,
    bytes_array,
    checked,
    checksum,
    measure_rows,
    outcome_of,
    row_of,
)
from multibody.simulation.sweeps.runner import Outcome
from multibody.simulation.sweeps.writer_lock import WriterLock, is_supported
from multibody.support.files import open_regular, require_regular

KIND = 0x4D425357  # "MBSW" in the header of the file
FORMAT = 4
"""The version of the tables; 1 and 2 did not identify the whole model, and kept measures with the runs."""
_CHECKSUM = "checksum"  # the name of a fact about all others
_MAGIC = b"SQLite format 3\0"
_ELSEWHERE = "Choose another path; this file was not changed."
_EARLIER = (
    "Run the sweep again with another path, because files of earlier versions do not identify the whole model; this "
    "file was not changed, and the version of multibody that wrote it can read it."
)
_FAILURES = (sqlite3.Error, OSError, ValueError, TypeError, KeyError, RecursionError, MemoryError)
WAIT = 5.0  # seconds for others to finish with the file
PATIENCE = 60.0  # seconds that a sweep waits for readers before it gives up

_TABLES = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    """CREATE TABLE measure_digests (
    name TEXT PRIMARY KEY, place INTEGER NOT NULL, digest TEXT NOT NULL, checksum BLOB NOT NULL
) WITHOUT ROWID""",
    """CREATE TABLE measures (
    number INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, error TEXT NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (number, name)
) WITHOUT ROWID""",
    """CREATE TABLE runs (
    number INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT NOT NULL, seconds REAL NOT NULL,
    ending TEXT NOT NULL, counts TEXT NOT NULL, occurrences TEXT NOT NULL, brief_checksum BLOB NOT NULL,
    t BLOB NOT NULL, y BLOB NOT NULL, r BLOB NOT NULL, arrays_checksum BLOB NOT NULL
)""",
)


class Measured(NamedTuple):
    """What was measured of a run: the value, or why there is none."""

    value: Any
    error: str


class Store:
    """The outcomes of a sweep.

    Args:
        path: of the file; None for memory.
    """

    def __init__(self, path: str | PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self._refuse_others()
        with self._explained():
            self._base = sqlite3.connect(":memory:" if path is None else path, WAIT, check_same_thread=False)
            finalize(self, self._base.close)
            self._base.isolation_level = None  # transactions begin where it says so
            self._value("PRAGMA schema_version")  # opens the file
        self._lock: WriterLock | None = None
        self._seen: frozenset[int] | None = None  # the runs of a snapshot

    @property
    def where(self) -> str:
        """The place, for messages."""
        return "memory" if self.path is None else str(self.path)

    @property
    def empty(self) -> bool:
        """Whether nothing was written yet."""
        with self._explained():
            return self._value("PRAGMA schema_version") == 0

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _refuse_others(self) -> None:
        """SQLite takes very short files for empty ones; a journal means that a sweep was killed while it wrote."""
        if self.path is None or not self.path.exists():
            return
        require_regular(self.path)
        if Path(f"{self.path}-journal").exists():
            return
        with open_regular(self.path) as stream:
            if stream.read(len(_MAGIC)) not in (_MAGIC, b""):
                raise StorageError(
                    "The file is not a sweep.", code="file-not-a-sweep", where=self.where, remedy=_ELSEWHERE
                )

    # facts -------------------------------------------------------------------------------------------------------

    def create(self, facts: Mapping[str, Any]) -> None:
        """Begin with what is known about the sweep."""
        with self._transaction():
            for statement in _TABLES:
                self._base.execute(statement)
            rows = [(name, array_bytes(value) if isinstance(value, np.ndarray) else json.dumps(value))
                    for name, value in sorted(facts.items())]  # fmt: skip
            self._base.executemany("INSERT INTO facts VALUES (?, ?)", [*rows, (_CHECKSUM, _checksum_of(rows))])
            self._base.execute(f"PRAGMA application_id = {KIND}")
            self._base.execute(f"PRAGMA user_version = {FORMAT}")

    def facts(self) -> dict[str, Any]:
        """What was known at the beginning.

        Raises:
            StorageError: if the file is something else, or of a version that is not known.
        """
        with self._explained():
            kind, version = self._value("PRAGMA application_id"), self._value("PRAGMA user_version")
            if (kind, version) != (KIND, FORMAT):
                raise StorageError(
                    "The file is not a sweep that can be read.",
                    code="file-version-unknown" if kind == KIND else "file-not-a-sweep",
                    where=self.where,
                    cause=f"It is of version {version}, and this is version {FORMAT}."
                    if kind == KIND
                    else "It is something else.",
                    remedy=_EARLIER if kind == KIND and version < FORMAT else _ELSEWHERE,
                    version=version,
                )
            self._require_tables()
            query = "SELECT name, value FROM facts WHERE name {} ? ORDER BY name"
            rows = self._base.execute(query.format("<>"), (_CHECKSUM,)).fetchall()
            if self._base.execute(query.format("="), (_CHECKSUM,)).fetchall() != [(_CHECKSUM, _checksum_of(rows))]:
                raise ValueError("What it says about itself is not as it was written.")
            return {name: json.loads(value) if isinstance(value, str) else bytes_array(value) for name, value in rows}

    def _require_tables(self) -> None:
        """Only our own tables: a view of that name could do anything, and for ever."""
        found = self._base.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
        if [text for (text,) in found] != list(_TABLES):
            raise ValueError("Its tables are not those of a sweep.")

    def reserve(self) -> None:
        """Keep other writers out; readers see what was stored by then.

        Where the system has no locks of open files, readers have to wait, too.

        Raises:
            StorageError: if another one is at work.
        """
        if self.path is not None and is_supported():
            with self._explained():
                self._lock = WriterLock(self.path)
                self._base.execute(f"PRAGMA busy_timeout = {int(1000 * PATIENCE)}")
            return
        with self._explained():
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._base.execute("BEGIN EXCLUSIVE")
            self._base.execute("COMMIT")

    def release(self) -> None:
        """Let others write again."""
        self._unlock()
        with self._explained():
            self._base.execute("PRAGMA locking_mode = NORMAL")
            self._base.execute("SELECT count(*) FROM facts").fetchone()  # locks are released after the next look

    def take_snapshot(self) -> None:
        """From now on, show only the runs that are there now: another process may add some."""
        self._seen = frozenset(self.numbers())

    # outcomes ----------------------------------------------------------------------------------------------------

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Keep outcomes, all of them or none; those that are there already stay as they are."""
        kept = list(outcomes)
        with self._transaction():
            self._base.executemany(
                f"INSERT OR IGNORE INTO runs VALUES ({', '.join('?' * len(COLUMNS))})",  # noqa: S608
                map(row_of, kept),
            )
            self._insert_measures(kept)

    def numbers(self) -> list[int]:
        """The runs that are there."""
        rows = self._rows("SELECT number FROM runs ORDER BY number")
        return [number for (number,) in rows if self._shows(number)]

    def _shows(self, number: int) -> bool:
        return self._seen is None or number in self._seen

    def column(self, name: str) -> list[tuple[int, Any]]:
        """The number of each run, and what one of the short columns says about it."""
        rows = self._rows(f"SELECT {', '.join(BRIEF)}, brief_checksum FROM runs ORDER BY number")  # noqa: S608 - ours
        place = BRIEF.index(name)
        with self._explained():
            return [(brief[0], brief[place]) for brief in map(brief_of, rows) if self._shows(brief[0])]

    def outcome(self, number: int) -> Outcome | None:
        """What came of a case, without its measures; None if it was not run."""
        rows = self._rows(f"SELECT {', '.join(COLUMNS)} FROM runs WHERE number = ?", (number,))  # noqa: S608
        with self._explained():
            return outcome_of(rows[0]) if rows and self._shows(number) else None

    # measures ----------------------------------------------------------------------------------------------------

    def measure_digests(self) -> dict[str, str]:
        """The digest of each measure, by name, in the order in which they were added."""
        rows = self._rows("SELECT name, place, digest, checksum FROM measure_digests ORDER BY place")
        with self._explained():
            return {name: text for name, _, text in (checked(row, f"Measure {row[0]}") for row in rows)}

    def define_measures(self, digests: Mapping[str, str], anew: bool = False) -> None:
        """Add measures; what was measured under the same name by another function is forgotten.

        Args:
            digests: of the measures, by name.
            anew: whether what was measured by the same functions is forgotten, too.
        """
        known = self.measure_digests()
        new = {name: text for name, text in digests.items() if anew or known.get(name) != text}
        with self._transaction():
            for place, (name, text) in enumerate({**known, **new}.items()):
                if name in new:
                    row = (name, place, text)
                    self._base.execute("DELETE FROM measures WHERE name = ?", (name,))
                    self._base.execute("REPLACE INTO measure_digests VALUES (?, ?, ?, ?)", (*row, checksum(row)))

    def add_measures(self, outcomes: Iterable[Outcome]) -> None:
        """Keep the measures of outcomes, in place of those that failed."""
        with self._transaction():
            self._insert_measures(outcomes)

    def _insert_measures(self, outcomes: Iterable[Outcome]) -> None:
        self._base.executemany(
            "REPLACE INTO measures VALUES (?, ?, ?, ?, ?)",
            [row for outcome in outcomes for row in measure_rows(outcome)],
        )

    def measured(self) -> dict[str, dict[int, Measured]]:
        """What was measured, by the names of measures and the numbers of runs."""
        found: dict[str, dict[int, Measured]] = {name: {} for name in self.measure_digests()}
        rows = self._rows("SELECT number, name, value, error, checksum FROM measures ORDER BY number")
        with self._explained():
            for row in rows:
                number, name, value, error = checked(row, f"Measure {row[1]} of run {row[0]}")
                if self._shows(number):
                    found.setdefault(name, {})[number] = Measured(None if error else json.loads(value), error)
        return found

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._explained():
            return self._base.execute(query, values).fetchall()

    def _value(self, query: str) -> int:
        return int(self._base.execute(query).fetchone()[0])

    # failures ----------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing."""
        with self._explained():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of the data base in words."""
        try:
            yield
        except _FAILURES as error:
            if isinstance(error, StorageError):
                raise
            raise _explanation(error, self.where) from error


def _checksum_of(rows: Iterable[tuple[str, Any]]) -> bytes:
    """Of all facts, in the order of their names."""
    return checksum([part for row in rows for part in row])


def _explanation(error: Exception, where: str) -> StorageError:
    """The error for a failure of the data base: what is wrong, and what to do."""
    text = str(error)
    cause = text or "It asks for more memory than there is."
    if "locked" in text:
        return StorageError(
            "The file is in use.", code="file-in-use", where=where, cause=cause,
            remedy="Wait until the other sweep has ended, or choose another path.",
        )  # fmt: skip
    if "full" in text or "I/O" in text:
        return StorageError(
            "The disk is full, or cannot be written.", code="disk-full", where=where, cause=cause,
            remedy="All runs that were stored before are kept; free some disk space, and start the sweep again "
            "to go on from there.",
        )  # fmt: skip
    if "open" in text or "readonly" in text or isinstance(error, PermissionError):
        return StorageError(
            "The file cannot be opened for writing.", code="file-not-writable", where=where, cause=cause,
            remedy="Check that the folder exists, and that you may write to it.",
        )  # fmt: skip
    if "not a database" in text:
        return StorageError(
            "The file is not a sweep.", code="file-not-a-sweep", where=where, cause=cause, remedy=_ELSEWHERE
        )  # fmt: skip
    return StorageError(
        "The file is damaged.", code="file-damaged", where=where, cause=cause,
        remedy="Choose another path, and keep this file for a closer look.",
    )  # fmt: skip
