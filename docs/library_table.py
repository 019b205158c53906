"""Write the tables of ``docs/library.md``: run every check of every model of the library.

Run it when a model or a number changes: ``python docs/library_table.py``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

from multibody import library

PAGE = Path(__file__).resolve().with_name("library.md")
TABLES = re.compile(r"(?<=<!-- tables -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)


def number(value: float, tolerance: float) -> str:
    """With the digits that count."""
    digits = min(12, max(4, 1 + math.ceil(-math.log10(tolerance))))
    return f"{value:.{digits}g}" if value else "0"


def row(one: library.CheckResult) -> list[str]:
    """What, ours, the reference, the error, and the source of the reference."""
    values = (number(value, one.tolerance) for value in (one.ours, one.reference))
    unit = f" [{one.unit.replace('*', '·').replace('^2', '²').replace('^3', '³')}]" if one.unit else ""
    return [f"{one.what}{unit}", *values, f"{one.error:.0e}" if one.error else "0", one.source]


def section(name: str, results: Sequence[library.CheckResult]) -> str:
    """A model with its table."""
    model = library.find(name)
    lines = [["number", "ours", "reference", "error", "source"], ["---", "---:", "---:", "---:", "---"]]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in [*lines, *map(row, results)])
    text = fill(f"`library.{name}()`: {model.description} Source: {model.source}.", 120)
    return f"\n### {model.title}\n\n{text}\n\n{table}\n"


def tables(results: Mapping[str, Sequence[library.CheckResult]]) -> str:
    """The part of the page between its marks."""
    return "".join(section(name, found) for name, found in results.items()) + "\n"


if __name__ == "__main__":
    made = tables({name: library.find(name).check() for name in library.names()})
    PAGE.write_text(TABLES.sub(lambda _: made, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
