"""Every benchmark, one after the other, and the report: ``benchmarks/report.md`` with a plot for each claim.

``./dev bench all`` runs all of them, ``./dev bench all graph loops`` some and keeps what is known of the others, and
``./dev bench all --page`` runs none and only writes the pages anew. Each runs in a process of its own. One that fails,
or does not end within a quarter of an hour, is reported, and the others go on; the exit code then is 1. Figures that
fall short are marked in the report, and are no failure.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from _lines import bar
from _report import running
from _report.charts import CHARTS
from _report.expected import EXPECTED, short
from _report.page import groups, picture, report
from _report.plots import draw
from _report.running import Result

HERE = Path(__file__).resolve().parent
STORED = HERE / "figures.json"


def write(results: dict[str, Result]) -> None:
    """The figures, the page, its plots, and the tables in the documentation."""
    running.store(results, STORED)
    results = running.stored(STORED)  # rounded, so that the page can be made again
    for old in (HERE / "plots").glob("*.svg"):
        old.unlink()
    for name, claims in groups(results).items():
        draw(claims, CHARTS[name], HERE / "plots" / picture(name))
    (HERE / "report.md").write_text(report(results), encoding="utf-8")
    subprocess.run([sys.executable, str(HERE.parent / "docs" / "peers_tables.py")], check=True)


def chosen(names: list[str]) -> list[str]:
    """The benchmarks to run; all of them unless some are named."""
    unknown = [name for name in names if name not in EXPECTED]
    if unknown:
        sys.exit(f"there is no {', '.join(unknown)} in the report; there are {', '.join(EXPECTED)}")
    return names or list(EXPECTED)


def main(*arguments: str) -> int:
    """Run, write, and tell whether all of them gave figures."""
    wanted = [] if "--page" in arguments else chosen(list(arguments))
    results = running.stored(STORED)
    for number, name in enumerate(wanted, 1):
        print(f"\n--- {name}, {number} of {len(wanted)}", flush=True)
        results[name] = running.run(running.script(name))
        results = {name: results[name] for name in EXPECTED if name in results}
        write(results)  # at once: what is there stays there, should this be interrupted
    if not wanted:
        write(results)
    failed = [name for name, result in results.items() if result.failure]
    below = short({name: result.figures for name, result in results.items()})
    print(f"\nwrote benchmarks/report.md; without figures: {', '.join(failed) or 'none'}")
    bar({"benchmarks": len(results), "failed": len(failed), "short": len(below)})
    return 1 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the benchmark that runs is ended, too
    sys.exit(main(*sys.argv[1:]))
