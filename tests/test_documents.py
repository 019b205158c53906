"""What the README and the pages of the documentation show, and what ``./dev demo`` runs, must work as they stand.

All Python blocks of a page are run in order, as one script, in an empty folder, with warnings as errors. A block of
text, YAML or LaTeX right below one is what it prints; without it, it prints nothing. A block of another language whose
first line is a comment with the name of a file, ``# crane.yaml``, is that file. Pages with ``>>>`` are doctests.
"""

import doctest
import gc
import os
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from difflib import unified_diff
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CODE = re.compile(r"^```python\n(.*?)^```$(?:\n\n```(?:text|yaml|latex)\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"^```(?!python)\w+\n((?:#|<!--) ([\w/]+\.\w+)(?: -->)?\n.*?)^```$", re.DOTALL | re.MULTILINE)
README = "README.md"


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


PAGES = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
DOCTESTS = [page for page in PAGES if "```python\n>>>" in text_of(page)]
SCRIPTS = [page for page in PAGES if CODE.search(text_of(page)) and page not in DOCTESTS]


def run(code: str) -> str:
    """What a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def _nothing_is_left_for_the_next_page():
    """Neither figures nor expressions: an exact 1/4 that is still alive stands for a 0.25 of another page."""
    gc.freeze()  # only what the page makes is looked through
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    gc.collect()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in; a page can import what it has written there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def outputs(page: str) -> list[str]:
    """What each Python block of a page prints; errors tell the line of the page."""
    text, names, printed = text_of(page), {"__name__": "__main__"}, []
    for content, name in FILE.findall(text):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")
    for block in CODE.finditer(text):
        above = "\n" * text.count("\n", 0, block.start(1))
        with redirect_stdout(StringIO()) as stream:
            exec(compile(above + block[1], page, "exec"), names)
        printed.append(stream.getvalue())
    return printed


def comparable(text: str) -> list[str]:
    """Lines without what differs from run to run: the time taken."""
    return [re.sub("(time taken).*", r"\1", line.rstrip()) for line in text.rstrip().splitlines()]


def labelled(page: str, texts: list[str]) -> list[str]:
    """The lines that belong to each block, below the place of the block on the page."""
    text = text_of(page)
    places = [f"block in line {text.count(chr(10), 0, block.start()) + 1}:" for block in CODE.finditer(text)]
    return [line for place, one in zip(places, texts, strict=True) for line in (place, *comparable(one))]


# pages ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", SCRIPTS)
def test_a_page_prints_what_it_shows(page, folder):
    shown = [block[2] or "" for block in CODE.finditer(text_of(page))]
    wanted, found = labelled(page, shown), labelled(page, outputs(page))
    assert wanted == found, "\n".join(unified_diff(wanted, found, f"{page} shows", "it prints", lineterm=""))


@pytest.mark.parametrize("page", DOCTESTS)
def test_the_examples_on_a_page_print_what_they_show(page, folder):
    blocks = [block[1] for block in CODE.finditer(text_of(page))]
    assert all(block.startswith(">>>") for block in blocks), "a page is a script or a doctest, not both"
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=flags)
    assert tried > 3
    assert failed == 0


def test_pages_of_both_kinds_are_found():
    assert {"docs/simulation.md", "docs/reference/testing.md"} <= set(SCRIPTS)
    assert {"docs/formalisms.md", "docs/wittenburg.md"} <= set(DOCTESTS)


# README and demo ------------------------------------------------------------------------------------------------------


def test_the_code_in_the_readme_runs(folder):
    (printed,) = outputs(README)
    assert "d/dt swing_dot" in printed
    assert "status       done" in printed


def test_the_links_in_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^)#:]+)", text_of(README))
    assert len(links) > 10
    assert not [link for link in links if not (ROOT / link).exists()]


def test_the_demo_runs(folder, capsys):
    runpy.run_path(str(ROOT / "examples" / "demo.py"))
    output = capsys.readouterr().out
    assert "agree (True)" in output
    assert "is T (True)" in output
    assert (folder / "out").is_dir()


def test_importing_is_quick_because_heavy_libraries_are_not_touched():
    heavy = "sympy scipy matplotlib pinocchio casadi mujoco".split()
    loaded = run("import sys, multibody; print(' '.join(sys.modules))").split()
    assert not [name for name in heavy if name in loaded]
