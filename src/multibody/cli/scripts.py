"""Running a user's own Python file. It is code, and is run as Python runs it; but not its part for ``__main__``."""

from __future__ import annotations

import contextlib
import runpy
import sys
import traceback
from collections.abc import Iterator
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
    with _beside(path), contextlib.redirect_stdout(sys.stderr):
        try:
            return runpy.run_path(str(path), run_name=RUN_NAME)
        except MultibodyError as error:
            error.where = "; ".join(part for part in (error.where, _line(error, path)) if part)
            raise
        except SyntaxError as error:
            raise ModelError(
                f"The file is not Python: {error.msg}.", where=f"{error.filename}, line {error.lineno}"
            ) from error
        except SystemExit as error:
            raise ModelError(
                f"The file ends by itself, with exit code {error.code!r}.",
                where=_line(error, path),
                remedy='Put what is not the model below: if __name__ == "__main__":',
            ) from error
        except Exception as error:
            raise ModelError(
                f"The file cannot be run: {type(error).__name__}: {error}", where=_line(error, path),
                remedy="--debug shows the traceback.",
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
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == str(path)]
    return f"{path}, line {lines[-1]}" if lines else str(path)
