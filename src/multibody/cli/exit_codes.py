"""Exit codes of commands: their meanings, and the errors that lead to each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from multibody.errors import (
    EquilibriumError,
    MissingLibraryError,
    MultibodyError,
    SimulationError,
    SimulationInterrupted,
    StepError,
    StorageError,
)


class ExitCode(IntEnum):
    """The exit codes of the ``multibody`` command."""

    OK = 0
    FINDING = 1
    USAGE = 2
    MODEL = 3
    RUN = 4
    FILE = 5
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANINGS = {
    ExitCode.OK: "all went well",
    ExitCode.FINDING: "the answer is no: check has found an error, or formalisms do not agree",
    ExitCode.USAGE: "the command line is wrong: an option, a name that the model lacks, a value or an expression",
    ExitCode.MODEL: "the model does not exist, cannot be read, or is not valid with these values",
    ExitCode.RUN: "a run did not come to its end, or no equilibrium was found",
    ExitCode.FILE: "a file cannot be read or written, or a library is not installed",
    ExitCode.BUG: "an error in multibody; --debug shows where",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C",
    ExitCode.BROKEN_PIPE: "the program that reads the output has gone",
}
"""What each code says, for the documentation and for ``--help``."""


class CommandError(MultibodyError, ValueError):
    """A command line that cannot be understood."""

    @classmethod
    def of(cls, error: MultibodyError, where: str, remedy: str = "") -> CommandError:
        """An error about what was written on the command line, with code and fields of the original."""
        found = cls(error.what, code=error.code, where=where, cause=error.cause, remedy=remedy or error.remedy)
        found.fields.update(error.fields)
        return found


@contextmanager
def on_command_line(option: str) -> Iterator[None]:
    """While what stands behind an option is read: all errors are about the command line.

    Example:
        >>> from multibody.errors import ModelError
        >>> with on_command_line("--input"):
        ...     raise ModelError("There is no input 'G'.", where="system 'crane'")
        Traceback (most recent call last):
            ...
        multibody.cli.exit_codes.CommandError: There is no input 'G'.
          where: --input, system 'crane'
    """
    try:
        yield
    except CommandError:
        raise
    except MultibodyError as error:
        where = ", ".join(part for part in (option, error.where) if part)
        raise CommandError.of(error, where) from error


def code_of(error: MultibodyError) -> ExitCode:
    """The exit code for an error.

    Example:
        >>> from multibody.errors import ModelError
        >>> code_of(ModelError("A mass is negative.")), code_of(CommandError("What is 'smiulate'?"))
        (<ExitCode.MODEL: 3>, <ExitCode.USAGE: 2>)
    """
    match error:
        case CommandError():
            return ExitCode.USAGE
        case StorageError() | MissingLibraryError():
            return ExitCode.FILE
        case SimulationInterrupted():
            return ExitCode.INTERRUPTED
        case EquilibriumError() | SimulationError() | StepError():
            return ExitCode.RUN
    return ExitCode.MODEL
