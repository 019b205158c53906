"""Runs that are right or refused: random batteries against a reference simulator and closed forms.

Pulses and switching inputs by all integrators, event functions with known roots, over-constrained linkages, passages
through singular positions, springs on dependent joints, stops, generated code with changed parameters, elements of
robot files that are neither used nor reported, stored results asked by other questions, equilibria, poles, critical
values, controllability and gains in random units, and loads with wrong potentials and moving geometry, which must fail.
A case is right, refused with a message, or wrong silently. ``./dev bench trust`` runs all of them on two processes,
``./dev bench trust pulses 50`` some cases of one battery, and ``./dev bench trust pulses 50 200`` those from number 200
on. Cases that are wrong or refused are printed with the numbers that reproduce them. It measures results, not speed;
``./dev test`` runs a small sample.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT)]
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from _lines import bar  # noqa: E402
from tests.reference.batteries import COUNTS, Outcome, outcome  # noqa: E402

FIGURES = {
    "pulses": "pulses_wrong",
    "events": "events_missed",
    "linkages": "linkages_wrong",
    "singular": "singular_silent",
    "angles": "angles_wrong",
    "stops": "stops_passed",
    "urdf": "urdf_elements_unreported",
    "potentials": "potentials_unnoticed",
    "moving_geometry": "moving_geometry_accepted",
    "exports": "exports_wrong",
    "stored": "stored_wrong",
    "linear": "linear_wrong",
}
PROCESSES = 2


def outcomes(cases: list[tuple[str, int]]) -> Iterator[Outcome]:
    """What came of the cases, in their order."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        yield from pool.map(outcome, *zip(*cases, strict=True), chunksize=5)


def report(results: list[Outcome]) -> dict[str, Counter[str]]:
    """The table of counts by battery."""
    counts = {name: Counter(one.verdict for one in results if one.battery == name) for name in COUNTS}
    print(f"\n{'battery':15} {'cases':>6} {'right':>6} {'refused':>8} {'wrong':>6} {'undecided':>10} {'seconds':>8}")
    for name, found in counts.items():
        if found:
            seconds = sum(one.seconds for one in results if one.battery == name)
            print(f"{name:15} {found.total():6d} {found['right']:6d} {found['refused']:8d} {found['wrong']:6d}"
                  f" {found['undecided']:10d} {seconds:8.1f}")  # fmt: skip
    return counts


def main(*arguments: str) -> None:
    """Run the batteries, print what went wrong, the table, and the line of key figures."""
    name, count, first = [*arguments, *["", "0", "0"][len(arguments) :]]
    if name and name not in COUNTS:
        sys.exit(f"There is no battery {name!r}; the batteries are {', '.join(COUNTS)}.")
    chosen = {name: int(count) or COUNTS[name]} if name else COUNTS
    cases = [(battery, seed) for battery, n in chosen.items() for seed in range(int(first), int(first) + n)]
    results = []
    for one in outcomes(cases):
        results.append(one)
        if one.verdict != "right":
            print(f"{one.verdict} {one.battery} {one.seed}: {one.what}\n    {one.detail[:500]}", flush=True)
    counts = report(results)
    figures: dict[str, float] = {}
    for battery, figure in FIGURES.items():
        figures[figure] = counts[battery]["wrong"]
        if battery == "singular":
            figures["singular_right"] = counts[battery]["right"]
    decided = sum(found.total() - found["undecided"] for found in counts.values())
    figures["refused_share"] = sum(found["refused"] for found in counts.values()) / max(1, decided)
    bar(figures)


if __name__ == "__main__":
    main(*sys.argv[1:])
