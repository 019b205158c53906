"""Walk with the crane crab of ``docs/architecture.md``: every function of multibody that its code enters, in order.

Run it to see them all: ``python docs/walk.py``. What runs as machine code is not seen.
"""

from __future__ import annotations

import re
import runpy
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

PAGE = Path(__file__).resolve().with_name("architecture.md")
PACKAGE = Path(__file__).resolve().parents[1] / "src" / "multibody"


class Step(NamedTuple):
    """A function that is entered: its file in ``src/multibody``, its name there, and the file of its caller."""

    file: str
    function: str
    caller: str


def code() -> str:
    """The code on the page."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(block)


def walk(text: str) -> list[Step]:
    """Run some code, and note every function of multibody that is entered; importing does not count."""
    import multibody as mb

    mb.simulate  # noqa: B018 - imports the package of simulations
    steps: list[Step] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        file = _file(frame)
        if event == "call" and file and not frame.f_code.co_name.startswith("<"):
            steps.append(Step(file, frame.f_code.co_qualname, next(_callers(frame), "")))

    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(text, encoding="utf-8")
        sys.setprofile(note)
        try:
            runpy.run_path(str(script))
        finally:
            sys.setprofile(None)
    return steps


def _file(frame: FrameType) -> str:
    """The file of a function in the package; nothing for all others."""
    path = Path(frame.f_code.co_filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else ""


def _callers(frame: FrameType) -> Iterator[str]:
    """The files of the package from which a function was called, the nearest first.

    ``once`` calls what it is handed, and stays out of it: the call is that of whoever has handed it over. So does
    ``graph/workspace.py``, which calls the methods that it wraps.
    """
    outer = frame.f_back
    while outer is not None:
        if (file := _file(outer)) and outer.f_code.co_name != "once" and file != "graph/workspace.py":
            yield file
        outer = outer.f_back


def first_entries(steps: list[Step]) -> list[tuple[str, str]]:
    """Each function once, where it is entered for the first time."""
    return list(dict.fromkeys((step.file, step.function) for step in steps))


if __name__ == "__main__":
    for file, function in first_entries(walk(code())):
        print(f"{file:40} {function}")  # noqa: T201 - a script
