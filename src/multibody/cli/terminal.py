"""Output of answers, progress and errors: tables on a terminal, plain text in a pipe, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from multibody.cli.answer import Answer, AnswerTable
from multibody.errors import LABELS, MultibodyError
from multibody.support.text_tables import aligned

PIPE_WIDTH = 10_000
"""Columns of a pipe: lines are not broken there, because no window limits them."""


@dataclass(frozen=True)
class Terminal:
    """The standard streams of a command.

    Attributes:
        as_json: whether the answer is one JSON document on standard output, and nothing else.
        debug: whether errors come with all that Python knows about them.
    """

    as_json: bool = False
    debug: bool = False

    @cached_property
    def out(self) -> Console:
        """Standard output. Rich looks after NO_COLOR, and after colours in a pipe."""
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        """Standard error: progress and errors."""
        return _console(stderr=True)

    def present(self, answer: Answer) -> None:
        """Show an answer."""
        if self.as_json:
            self._dump(answer.data)
            return
        if not self.out.is_terminal:
            texts = [_aligned(piece) if isinstance(piece, AnswerTable) else piece for piece in answer.shown]
            sys.stdout.write("\n\n".join(texts) + "\n")
            return
        for number, piece in enumerate(answer.shown):
            if number:
                self.out.print()
            self.out.print(_table(piece) if isinstance(piece, AnswerTable) else Text(piece), soft_wrap=True)

    def complain(self, error: MultibodyError) -> None:
        """Show an error as one block; programs get it on standard output, too."""
        if self.as_json:
            said = {key: getattr(error, key) for key in LABELS if getattr(error, key)}
            self._dump({"error": {"kind": type(error).__name__, "code": error.code, "what": error.what, **said}})
        text = Text.assemble(("error:", "bold red"), f" {error.what}", f" [{error.code}]" if error.code else "")
        for label, words in error.labeled.items():
            text.append(f"\n  {label}: ", "bold").append(words)
        self.err.print(text, soft_wrap=True)
        for other in getattr(error, "others", ()):
            self.err.print(Text(str(other)), soft_wrap=True)
        if self.debug:
            self.err.print(Text("".join(traceback.format_exception(error))), soft_wrap=True)

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Something that may take a moment; on a terminal there is a sign of life."""
        if not self.err.is_terminal:
            yield
            return
        with self.err.status(Text(what)):
            yield

    def _dump(self, data: Mapping[str, Any]) -> None:
        """One line; where the stream does not know all letters, they are escaped as JSON does it."""
        unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        sys.stdout.write(json.dumps(plain(data), ensure_ascii=not unicode, allow_nan=False) + "\n")


def _table(grid: AnswerTable) -> Table:
    title = Text(grid.title, "bold") if grid.title else None
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, header_style="bold")
    for number, name in enumerate(grid.head):
        table.add_column(Text(name), justify="right" if number in grid.right else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table


def _aligned(grid: AnswerTable) -> str:
    """A table in a pipe: columns side by side."""
    columns = list(zip(grid.head, *grid.rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    for number in grid.right:
        columns[number] = tuple(cell.rjust(widths[number]) for cell in columns[number])
    return "\n".join([*([grid.title] if grid.title else []), aligned(list(zip(*columns, strict=True)))])


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    return console


def plain(thing: Any) -> Any:
    """What JSON can say: arrays as lists, complex numbers as pairs, and null for numbers that are not finite.

    Example:
        >>> plain({"poles": np.array([1 + 2j]), "gap": float("inf"), "n": np.int64(3)})
        {'poles': [[1.0, 2.0]], 'gap': None, 'n': 3}
    """
    match thing:
        case None | bool() | int() | str():
            return thing
        case np.ndarray() | np.generic():
            return plain(thing.tolist())
        case float():
            return thing if math.isfinite(thing) else None
        case complex():
            return [plain(thing.real), plain(thing.imag)]
        case Mapping():
            return {str(key): plain(value) for key, value in thing.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in thing]
    return str(thing)
