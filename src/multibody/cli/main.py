"""``main``: from the words on the command line to an answer and an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from typing import Any

import typer
from rich.text import Text

from multibody.cli import commands  # noqa: F401 - every sub-command enters itself
from multibody.cli.answer import Answer
from multibody.cli.app import app
from multibody.cli.exit_codes import CommandError, ExitCode, code_of
from multibody.cli.terminal import Terminal
from multibody.errors import MultibodyError, StartWarning, StorageError

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
