"""Where the outcomes of a sweep are kept as they come: one SQLite file, or memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np

from multibody.errors import StorageError
from multibody.regular_files import open_regular, require_regular
from multibody.simulate.runner import Outcome
from multibody.simulate.sweep_rows import (
    BRIEF,
    COLUMNS,
    array_bytes,
    brief_of,
    bytes_array,
    checksum,
    outcome_of,
    row_of,
)

KIND = 0x4D425357  # "MBSW" in the header of the file
FORMAT = 2
_CHECKSUM = "checksum"  # the name of a fact about all others
_MAGIC = b"SQLite format 3\0"
_ELSEWHERE = "Choose another path; this file was not changed."
_FAILURES = (sqlite3.Error, OSError, ValueError, TypeError, KeyError, RecursionError, MemoryError)
WAIT = 5.0  # seconds for others to finish with the file

_TABLES = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    """CREATE TABLE runs (
    number INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT NOT NULL, seconds REAL NOT NULL,
    ending TEXT NOT NULL, counts TEXT NOT NULL, occurrences TEXT NOT NULL, measures TEXT NOT NULL,
    brief_checksum BLOB NOT NULL, t BLOB NOT NULL, y BLOB NOT NULL, r BLOB NOT NULL, arrays_checksum BLOB NOT NULL
)""",
)


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
            self.empty = self._value("PRAGMA schema_version") == 0

    @property
    def where(self) -> str:
        """The place, for messages."""
        return "memory" if self.path is None else str(self.path)

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def _refuse_others(self) -> None:
        """SQLite takes very short files for empty ones; a journal means that a sweep was killed while it wrote."""
        if self.path is None or not self.path.exists():
            return
        require_regular(self.path)
        if Path(f"{self.path}-journal").exists():
            return
        with open_regular(self.path) as stream:
            if stream.read(len(_MAGIC)) not in (_MAGIC, b""):
                raise StorageError("The file is not a sweep.", where=self.where, remedy=_ELSEWHERE)

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
                cause = f"It is of version {version}." if kind == KIND else "It is something else."
                raise StorageError(
                    "The file is not a sweep that can be read.",
                    where=self.where,
                    cause=cause,
                    remedy=_ELSEWHERE,
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
        """Keep everybody else out.

        Raises:
            StorageError: if another one is at work.
        """
        with self._explained():
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._base.execute("BEGIN EXCLUSIVE")
            self._base.execute("COMMIT")

    def release(self) -> None:
        """Let others look at it again."""
        with self._explained():
            self._base.execute("PRAGMA locking_mode = NORMAL")
            self._base.execute("SELECT count(*) FROM facts").fetchone()  # locks are released after the next look

    # outcomes ----------------------------------------------------------------------------------------------------

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Keep outcomes, all of them or none; those that are there already stay as they are."""
        with self._transaction():
            self._base.executemany(
                f"INSERT OR IGNORE INTO runs VALUES ({', '.join('?' * len(COLUMNS))})",  # noqa: S608
                map(row_of, outcomes),
            )

    def numbers(self) -> list[int]:
        """The runs that are there."""
        return [number for (number,) in self._rows("SELECT number FROM runs ORDER BY number")]

    def column(self, name: str) -> list[tuple[int, Any]]:
        """The number of each run, and what one of the short columns says about it."""
        rows = self._rows(f"SELECT {', '.join(BRIEF)}, brief_checksum FROM runs ORDER BY number")  # noqa: S608 - ours
        place = BRIEF.index(name)
        with self._explained():
            return [(brief[0], brief[place]) for brief in map(brief_of, rows)]

    def outcome(self, number: int) -> Outcome | None:
        """What came of a case; None if it was not run."""
        rows = self._rows(f"SELECT {', '.join(COLUMNS)} FROM runs WHERE number = ?", (number,))  # noqa: S608
        with self._explained():
            return outcome_of(rows[0]) if rows else None

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
            what, remedy = _meaning(error)
            cause = str(error) or "It asks for more memory than there is."
            raise StorageError(what, where=self.where, cause=cause, remedy=remedy) from error


def _checksum_of(rows: Iterable[tuple[str, Any]]) -> bytes:
    """Of all facts, in the order of their names."""
    return checksum([part for row in rows for part in row])


def _meaning(error: Exception) -> tuple[str, str]:
    """What is wrong, and what to do."""
    text = str(error)
    if "locked" in text:
        return "The file is in use.", "Wait until the other sweep has ended, or choose another path."
    if "full" in text or "I/O" in text:
        kept = "All runs that were stored before are kept; make room, and start the sweep again to go on from there."
        return "The disk is full, or cannot be written.", kept
    if "open" in text or "readonly" in text:
        return "The file cannot be opened for writing.", "Check that the folder exists, and that you may write to it."
    if "not a database" in text:
        return "The file is not a sweep.", _ELSEWHERE
    return "The file is damaged.", "Choose another path, and keep this file for a closer look."
