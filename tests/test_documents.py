"""What the README shows and what ``./dev demo`` runs must work as they stand."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(code: str, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_demo_runs():
    output = run((ROOT / "examples" / "demo.py").read_text(encoding="utf-8"))
    assert "agree (True)" in output
    assert "is T (True)" in output


def test_the_code_in_the_readme_runs():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1
    assert "d/dt swing_dot" in run(blocks[0])


def test_importing_is_quick_because_heavy_libraries_are_not_touched():
    heavy = "sympy scipy matplotlib pinocchio casadi mujoco".split()
    loaded = run("import sys, multibody; print(' '.join(sys.modules))").split()
    assert not [name for name in heavy if name in loaded]


@pytest.mark.parametrize("page", ["constraints", "loops"])
def test_the_code_on_a_page_runs(page):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    run("\n".join(blocks))


@pytest.mark.parametrize("page", ["simulation", "many_runs", "linearization", "modular"])
def test_a_page_prints_what_it_shows(page, tmp_path):
    """What stands as text right below a piece of code is what it prints; only the time taken may differ."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    code, shown = zip(*re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL), strict=True)
    printed = run("\n".join(code), tmp_path)
    assert _comparable(printed) == _comparable("".join(shown))


def _comparable(text: str) -> list[str]:
    return [re.sub("(time taken).*", r"\1", line.rstrip()) for line in text.splitlines()]


@pytest.mark.parametrize("page", ["formalisms"])
def test_the_examples_on_a_page_print_what_they_show(page):
    failed, tried = doctest.testfile(str(ROOT / "docs" / f"{page}.md"), module_relative=False)
    assert tried > 3
    assert failed == 0
