"""Answers of commands: data for programs, and the same as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from multibody.cli.exit_codes import ExitCode


@dataclass(frozen=True)
class AnswerTable:
    """A table.

    Attributes:
        head: what the columns are called.
        rows: their cells, as text.
        title: what stands above it.
        right: numbers of the columns that are aligned to the right.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    right: Sequence[int] = ()


@dataclass(frozen=True)
class Answer:
    """What a command has found out.

    Attributes:
        data: for programs, with ``--json``; its keys stay the same from version to version.
        shown: texts and tables for people, one below the other.
        code: of the exit.
    """

    data: Mapping[str, Any]
    shown: Sequence[str | AnswerTable] = field(default_factory=tuple)
    code: ExitCode = ExitCode.OK


def shown_number(value: float, digits: int = 6) -> str:
    """A number for people.

    Example:
        >>> shown_number(0.1 + 0.2), shown_number(-0.0), shown_number(1e-9)
        ('0.3', '0', '1e-09')
    """
    return f"{value + 0.0:.{digits}g}"
