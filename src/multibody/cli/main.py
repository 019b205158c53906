"""``main``: from the words on the command line to an answer and an exit code.

Answers, progress and errors are tables on a terminal, plain text in a pipe, and JSON for programs.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import TextIOWrapper
from typing import Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from multibody.cli import commands  # noqa: F401 - every sub-command enters itself
from multibody.cli.answer import Answer, AnswerTable
from multibody.cli.app import app
from multibody.cli.exit_codes import CommandError, ExitCode, code_of
from multibody.errors import LABELS, MultibodyError, StartWarning, StorageError
from multibody.support.text_tables import aligned

UsageError: Any = typer.BadParameter.__base__
"""What typer raises for a command line that it does not understand."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``multibody`` command.

    Args:
        arguments: the words behind ``multibody``; those of this process by default.

    Returns:
        The exit code, see ``multibody --help``.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    terminal = Terminal(as_json="--json" in words, debug="--debug" in words)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without Greek letters must not end the command
    try:
        code = _answered(words, terminal)
        sys.stdout.flush()
    except OSError as error:  # standard output cannot be written: its reader has gone, or the disk is full
        with contextlib.suppress(OSError):  # or else Python complains at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return ExitCode.BROKEN_PIPE
        Terminal(debug=terminal.debug).complain(_inaccessible(error))
        return ExitCode.FILE
    except (KeyboardInterrupt, typer.Abort):
        terminal.err.print("interrupted")
        return ExitCode.INTERRUPTED
    return code


def _answered(words: list[str], terminal: Terminal) -> int:
    try:
        with _warnings_on(terminal):
            found = typer.main.get_command(app).main(words, prog_name="multibody", standalone_mode=False, obj=terminal)
        if not isinstance(found, Answer):
            return int(found or 0)
        terminal.present(found)
    except MultibodyError as error:
        if error.fields.get("allowed_by") == "overwrite":
            error.remedy = "Choose another name, or give --force."  # as it is called here
        terminal.complain(error)
        return code_of(error)
    except UsageError as error:
        if error.format_message():  # nothing is said where nothing was asked for: the help has been shown
            terminal.complain(_misunderstood(error))
        return ExitCode.USAGE
    except (BrokenPipeError, typer.Abort):
        raise
    except OSError as error:
        terminal.complain(_inaccessible(error))
        return ExitCode.FILE
    except Exception as error:  # noqa: BLE001 - whatever it is, the user is told in one block
        terminal.complain(_unforeseen(error))
        return ExitCode.BUG
    return found.code


@contextlib.contextmanager
def _warnings_on(terminal: Terminal) -> Iterator[None]:
    """Warnings about start values go to standard error, without the line of the program that they come from."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", StartWarning)
        show = warnings.showwarning

        def show_text(message: Warning | str, category: type[Warning], *details: Any) -> None:
            if issubclass(category, StartWarning):
                terminal.err.print(Text(f"warning: {message}"), soft_wrap=True)
            else:
                show(message, category, *details)

        warnings.showwarning = show_text  # type: ignore[assignment]
        yield


def _misunderstood(error: Any) -> CommandError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "multibody"
    return CommandError(
        error.format_message(), remedy=f"{path} --help tells what there is.", code="command-line-invalid"
    )


def _inaccessible(error: OSError) -> MultibodyError:
    place = str(error.filename or "")
    told = StorageError(
        f"{error.strerror or error}.",
        where=place,
        remedy="Check the path, and what you may do there.",
        code="file-unreadable",
    )
    told.__cause__ = error
    return told


def _unforeseen(error: Exception) -> MultibodyError:
    told = MultibodyError(
        f"{type(error).__name__}: {error}",
        cause="This is an error in multibody.",
        remedy="Run it again with --debug, and report what it shows.",
        code="error-unforeseen",
    )
    told.__cause__ = error
    return told


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
