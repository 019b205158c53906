"""The page ``report.md``: the machine, a plot for each claim, a table of key figures for each benchmark."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill

from _lines import Claim

from _report.charts import CHARTS
from _report.expected import EXPECTED, LIMITS, Expected, short
from _report.running import Result

INTRODUCTION = """\
# Figures

Made by `./dev bench all`; `./dev bench all NAME …` measures some benchmarks anew and keeps the others. Ratios say how
many times faster we are than the peer, at equal accuracy where that matters. The best of several runs counts, on one
core for everybody; what is compiled is compiled before, and its time given apart. On a machine that others use as well,
ratios vary by a fifth. `benchmarks/figures.json` holds the same for programs.

## The machine"""

LEFT_OUT = """\
## What is left out

`./dev bench mutants` puts mistakes into the code and asks which test notices: it measures the tests, not the code, and
takes hours. Its table is `mutants.md`. `./dev bench trust` compares random runs with a reference simulator and with
closed forms: it measures results, not speed."""


def groups(results: Mapping[str, Result]) -> dict[str, list[Claim]]:
    """Claims of all benchmarks by name, in the order of the charts."""
    everything = [claim for result in results.values() for claim in result.claims]
    found = {name: [claim for claim in everything if claim.name == name] for name in CHARTS}
    return {name: claims for name, claims in found.items() if claims}


def picture(name: str) -> str:
    """The file of a claim's plot."""
    return f"{name.replace(' ', '_')}.svg"


def report(results: Mapping[str, Result]) -> str:
    """The whole page."""
    parts = [INTRODUCTION, "\n".join(machines(results)), "\n".join(summary(results)), "## Claims"]
    parts += [plot(name) for name in groups(results)]
    parts += ["## Key figures"]
    parts += [f"### {name}\n\n" + "\n".join(rows(name, result)) for name, result in results.items()]
    return "\n\n".join([*parts, LEFT_OUT]) + "\n"


def machines(results: Mapping[str, Result]) -> Iterator[str]:
    """What was measured where; more than one table if machines differ."""
    known: dict[str, list[str]] = {}
    for name, result in results.items():
        known.setdefault(str(result.machine), []).append(name)
    for names in known.values():
        first, last = results[names[0]], results[names[-1]]
        if len(known) > 1:
            yield f"\n{', '.join(names)}:\n"
        facts = first.machine | {
            "load": f"{first.load[0]:.2f} at the start, {last.load[1]:.2f} at the end",
            "time": f"{sum(results[one].seconds for one in names) / 60:.0f} minutes",
        }
        yield from ["| | |", "| --- | --- |", *(f"| {what} | {value} |" for what, value in facts.items())]


def summary(results: Mapping[str, Result]) -> Iterator[str]:
    """How many figures are as expected, and why others are not."""
    judged = [(name, key) for name, result in results.items() for key in EXPECTED.get(name, {}) if not result.failure]
    missing = [name for name, result in results.items() if result.failure]
    below = short({name: result.figures for name, result in results.items()})
    yield f"## What falls short, and why\n\n{len(judged) - len(below)} of {len(judged)} figures are as expected."
    if below or missing:
        yield ""
    yield from (f"- `{name}` gave no figures: {results[name].failure}." for name in missing)
    for figure in below:
        name, _, key = figure.partition(".")
        found = f"{results[name].figures[key]:.3g}, expected {EXPECTED[name][key]}"
        text = f"- `{figure}`: {found}. {LIMITS.get(figure, 'What limits it is not known yet.')}"
        yield fill(text, 120, subsequent_indent="  ")


def plot(name: str) -> str:
    """A claim with its picture."""
    chart = CHARTS[name]
    return f"### {chart.title}\n\n{fill(chart.says, 120)}\n\n![{chart.title}](plots/{picture(name)})"


def rows(name: str, result: Result) -> Sequence[str]:
    """The table of one benchmark: what something is expected of first."""
    if result.failure:
        return [f"**No figures**: {result.failure}."]
    figures, known = result.figures, EXPECTED.get(name, {})
    lines = [f"{result.seconds:.0f} s, load {result.load[0]:.1f} to {result.load[1]:.1f}.", ""]
    lines += ["| figure | measured | expected | |", "| --- | ---: | ---: | --- |"]
    for key in [*known, *(key for key in figures if key not in known)]:
        expected, figure = known.get(key, Expected("")), figures.get(key, math.nan)
        lines.append(f"| `{key}` | {figure:.4g} | {expected} | {verdict(expected, figure)} |")
    return lines


def verdict(expected: Expected, figure: float) -> str:
    """What a figure means, and whether it is as expected."""
    if math.isnan(figure):
        return f"**not measured**: {expected.what}"
    return expected.what if expected.met(figure) else f"**falls short**: {expected.what}"
