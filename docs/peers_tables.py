"""Write the benchmark tables of ``docs/peers.md`` from ``benchmarks/figures.json``, which ``./dev bench all`` makes.

Run it when there are new figures: ``python docs/peers_tables.py``; ``./dev bench all`` does so itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))

from _lines import Claim
from _report.charts import CHARTS
from _report.page import groups
from _report.plots import figure_text
from _report.running import Result, stored

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "peers.md"
FIGURES = ROOT / "benchmarks" / "figures.json"
TABLES = re.compile(r"(?<=<!-- tables -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
WITHOUT_PEERS = {"rows of four-bars", "many runs", "legs", "first picture", "poses"}
"""Claims about ourselves alone: they stand in the report, not on a page about others."""


def cell(claim: Claim, who: str) -> str:
    """A figure; empty for one who did not take part."""
    return figure_text(claim.figures[who]) if who in claim.figures else ""


def table(claims: list[Claim]) -> str:
    """A row for each case, a column for each who took part."""
    everybody = list(dict.fromkeys(who for claim in claims for who in claim.figures))
    head = [f"[{claims[0].unit}]", *everybody]
    rows = [[claim.case, *(cell(claim, who) for who in everybody)] for claim in claims]
    lines = [head, ["---", *["---:"] * len(everybody)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def machine(results: Mapping[str, Result]) -> str:
    """What was measured on."""
    facts = next(iter(results.values())).machine
    named = ", ".join(facts[one] for one in ("processor", "memory", "system", "Python", "peers"))
    return fill(f"Measured on: {named}.", 120)


def tables(results: Mapping[str, Result]) -> str:
    """The part of the page between its marks."""
    parts = [machine(results)] if results else []
    for name, claims in groups(results).items():
        if name not in WITHOUT_PEERS:
            parts.append(f"### {CHARTS[name].title}\n\n{fill(CHARTS[name].says, 120)}\n\n{table(claims)}")
    return "\n" + "\n\n".join(parts) + "\n\n"


if __name__ == "__main__":
    made = tables(stored(FIGURES))
    PAGE.write_text(TABLES.sub(lambda _: made, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
