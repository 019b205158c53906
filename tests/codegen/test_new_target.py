"""A new target, as the documentation shows it: AWK, in less than 100 lines, run by a real awk."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from multibody.codegen import Target

from .conftest import named_case
from .driving import run, tool, written

PAGE = Path(__file__).parents[2] / "docs" / "export.md"


def documented() -> str:
    """The program on the page."""
    text = PAGE.read_text(encoding="utf-8")
    return next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "class Awk" in block)


def awk() -> Target:
    """The target that the program defines."""
    module = ModuleType("documented")
    exec(compile(documented(), str(PAGE), "exec"), vars(module))
    return module.Awk()


def test_the_first_lines_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    exec(compile(first, str(PAGE), "exec"), {})
    assert sorted(path.suffix for path in (tmp_path / "out").glob("crane*")) == [".c", ".c", ".cmake", ".h"]


def test_the_page_shows_a_target_in_less_than_100_lines() -> None:
    assert len(documented().splitlines()) < 100


def test_what_it_writes_is_right(tmp_path: Path) -> None:
    interpreter = tool("awk")
    case = named_case("four_bar_explicit")
    (path,) = written(case, awk(), tmp_path)
    lines = [" ".join(repr(float(x)) for x in np.concatenate([[t], *rest])) for t, *rest in case.states]
    output = run(interpreter, "-f", path, folder=tmp_path, stdin="\n".join(lines).encode()).decode()
    table = np.array([[float(x) for x in line.split()] for line in output.splitlines()])
    n = len(case.program.coordinates)
    case.agrees(
        {"q_dot": table[:, :n], "u_dot": table[:, n:]}, expected={k: case.expected[k] for k in ("q_dot", "u_dot")}
    )
