"""Running a user's own Python file. It is code, and is run as Python runs it; but not its part for ``__main__``."""

from __future__ import annotations

import contextlib
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from multibody.errors import ModelError, MultibodyError

RUN_NAME = "multibody_model"
"""``__name__`` in the file."""


def run_script(path: Path) -> dict[str, Any]:
    """Everything that a Python file defines.

    What it prints goes to standard error, because standard output belongs to the answer of the command.

    Raises:
        ModelError: if it fails; it says in which line.
    """
    with _told(path):
        return runpy.run_path(str(path), run_name=RUN_NAME)


def called(function: Callable[[], Any], name: str, path: Path) -> Any:
    """What a function of a Python file returns.

    Raises:
        ModelError: if it fails, or needs arguments.
    """
    with _told(path):
        needed = [parameter.name for parameter in signature(function).parameters.values() if _is_needed(parameter)]
        if needed:
            raise ModelError(
                f"The function '{name}' needs arguments: {', '.join(needed)}.",
                remedy="Give them defaults, or assign the system to a name.",
                code="function-needs-arguments",
                name=name,
            )
        return function()


def _is_needed(one: Parameter) -> bool:
    return one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors of a file are told with its line; what it prints goes to standard error."""
    with _beside(path), contextlib.redirect_stdout(sys.stderr):
        try:
            yield
        except MultibodyError as error:
            error.where = "; ".join(part for part in (error.where, _line(error, path)) if part)
            raise
        except SyntaxError as error:
            line = f", line {error.lineno}" if error.lineno else ""
            where = f"{error.filename or path}{line}"  # it may be in a module that the file imports
            raise ModelError(f"The file is not Python: {error.msg}.", where=where, code="script-fails") from error
        except SystemExit as error:
            raise ModelError(
                f"The file ends by itself, with exit code {error.code!r}.",
                where=_line(error, path),
                remedy='Put what is not the model below: if __name__ == "__main__":',
                code="script-fails",
            ) from error
        except Exception as error:
            raise ModelError(
                f"The file cannot be run: {type(error).__name__}: {error}", where=_line(error, path),
                remedy="--debug shows the traceback.", code="script-fails",
            ) from error  # fmt: skip


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[None]:
    """Modules beside the file can be imported, as when Python runs it."""
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


def _line(error: BaseException, path: Path) -> str:
    """The last line of the file that Python came through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path}, line {lines[-1]}" if lines else str(path)
