"""The page of published numbers: all are computed again, hold, and stand on the page as they are."""

import importlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from multibody import library

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module", autouse=True)
def _documents():
    """Makers of pages import each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        patch.syspath_prepend(str(DOCS.parent))
        yield


@cache
def maker():
    return importlib.import_module("published_table")


@cache
def page():
    """The rows of the page, by the titles above them."""
    found, title = {}, ""
    for line in (DOCS / "published_numbers.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            title = line.lstrip("# ")
        elif line.startswith("| ") and not line.startswith(("| quantity", "| ---")):
            found.setdefault(title, []).append(line.strip("| ").split(" | "))
    return found


TITLES = [
    "A01, simple pendulum", "A02, row of N four-bar linkages", "A03, Andrews' squeezing mechanism",
    "Carvallo–Whipple bicycle", "Modelica, Elementary.Pendulum", "Modelica, Elementary.DoublePendulum",
    "Modelica, Loops.Fourbar1", "Modelica, Loops.Fourbar2", "Puma 560", "Two-link arm", "Chains of RBDL",
    "SymPy, rolling disc", "SymPy, four-bar linkage",
]  # fmt: skip


def test_problems_are_all_there():
    assert [problem.title for problem in maker().PROBLEMS] == TITLES
    assert [cells[0] for cells in page()["Published numbers"][1:]] == TITLES
    assert set(page()) == {
        "Published numbers",
        *TITLES,
        *(library.find(name).title for name in library.names()),
        "Expressions",
    }


@pytest.mark.parametrize("title", TITLES)
def test_numbers_of_a_problem_hold_and_are_shown(title):
    (problem,) = (one for one in maker().PROBLEMS if one.title == title)
    found = maker().solved(problem)
    assert [(one.quantity.what, one.error) for one in found if not one.ok] == []
    for one, cells in zip(found, page()[title], strict=True):
        what, ours, reference, _, _, source = cells
        expected = maker().row(one)
        assert [what, reference, source] == [expected[0], expected[2], expected[5]]
        shown = [float(value) for value in ours.split(", ")]
        assert one.quantity.error(shown) <= 2 * one.quantity.tolerance + 1e-11


def test_an_error_is_seen():
    """In one number of many, in a number that is none, and beside zeros."""
    quantity = maker().la_coruna.Quantity("three", (1.0, 2.0, 4.0), "nowhere", 1e-3)
    assert quantity.error((1.0, 2.0, 4.0)) == 0
    assert quantity.error((1.0, 2.1, 4.0)) == pytest.approx(0.025)
    nothing = maker().la_coruna.Quantity("none", (0.0, 0.0), "nowhere", 1e-3)
    assert nothing.error((0.0, 0.5)) == 0.5
    assert not maker().Found(nothing, (np.nan, 0.0), 1.0).ok


@pytest.mark.parametrize("name", library.names())
def test_numbers_of_the_library_are_shown(name):
    """As on the page of the library, whose test computes them."""
    model = library.find(name)
    rows = page()[model.title]
    assert len(rows) == len(model.checks)
    for check, (what, ours, _, _, _, source) in zip(model.checks, rows, strict=True):
        assert what.startswith(check.what)
        assert source == check.source
        assert float(ours) == pytest.approx(check.reference, rel=max(2 * check.tolerance, 1e-10), abs=check.tolerance)
