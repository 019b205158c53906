"""Write the tables of ``docs/published_numbers.md``: every published number, ours beside the reference.

Run it when a model or a number changes: ``python docs/published_table.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from time import process_time

import numpy as np
from library_table import TABLES, number, row as library_row
from published import andrews, la_coruna, modelica, robots, sympy_tests, whipple
from published.problem import Found, Problem, solved

import multibody as mb
from multibody import library

PAGE = Path(__file__).resolve().with_name("published_numbers.md")
SOURCES = la_coruna, andrews, whipple, modelica, robots, sympy_tests
PROBLEMS = [problem for source in SOURCES for problem in source.PROBLEMS]
COLUMNS = ["quantity", "ours", "reference", "error", "ms", "source"]


def values(numbers: object, scale: float, tolerance: float) -> str:
    """With the digits that count; what is below the tolerance is zero."""
    shown = (0.0 if abs(one) <= tolerance * scale else float(one) for one in np.ravel(np.asarray(numbers, dtype=float)))
    return ", ".join(number(one, tolerance) for one in shown)


def row(found: Found) -> list[str]:
    """What, ours, the reference, the error, the time, the source."""
    quantity = found.quantity
    scale = float(np.abs(np.asarray(quantity.reference, dtype=float)).max()) or 1.0
    ours, reference = (values(one, scale, quantity.tolerance) for one in (found.ours, quantity.reference))
    return [quantity.what, ours, reference, told(found.error), f"{found.milliseconds:.0f}", quantity.source]


def told(error: float) -> str:
    """An error with one digit."""
    return f"{error:.0e}" if error else "0"


def table(rows: Sequence[Sequence[str]]) -> str:
    """With the head that all tables have."""
    lines = [COLUMNS, ["---", "---:", "---:", "---:", "---:", "---"], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def section(problem: Problem, found: Sequence[Found]) -> str:
    """A problem with its table."""
    return f"\n## {problem.title}\n\n{fill(problem.about, 120)}\n\n{table([row(one) for one in found])}"


def overview(found: Mapping[str, Sequence[Found]]) -> str:
    """All problems: how many numbers, the errors of half of the rows and of all, and the time for all of them."""
    lines = ["| problem | numbers | median error | largest error | ms |", "| --- | ---: | ---: | ---: | ---: |"]
    for title, rows in found.items():
        errors, times = [one.error for one in rows], {one.milliseconds for one in rows}
        numbers = sum(np.size(one.quantity.reference) for one in rows)
        lines.append(f"| {title} | {numbers} | {told(median(errors))} | {told(max(errors))} | {sum(times):.0f} |")
    return "\n" + "\n".join(lines) + "\n"


def checked(name: str) -> list[list[str]]:
    """Every check of a model of the library, with its time."""
    model = library.find(name)
    eom, rows = mb.derive(model.build()), []
    for check in model.checks:
        begun = process_time()
        what, ours, reference, error, source = library_row(check.run(eom))
        rows.append([what, ours, reference, error, f"{1e3 * (process_time() - begun):.0f}", source])
    return rows


def models() -> Iterator[str]:
    """The numbers of the library."""
    yield "\n## The library\n\nEach model of the [library](library.md) has numbers of its own, many in closed form.\n"
    for name in library.names():
        yield f"\n### {library.find(name).title}\n\n{table(checked(name))}"


if __name__ == "__main__":
    results = {problem.title: solved(problem) for problem in PROBLEMS}
    made = overview(results) + "".join(section(one, results[one.title]) for one in PROBLEMS) + "".join(models()) + "\n"
    PAGE.write_text(TABLES.sub(lambda _: made, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
