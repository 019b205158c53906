"""A plot for each claim: horizontal bars, ours and those of the peers side by side, and marks where ours should end."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _lines import AtLeast, Claim

from _report.charts import Chart

OURS, ALSO_OURS, PEER, EXPECTED_MARK = "#1b5e9e", "#6fa3d0", "#b9b9b9", "#c1272d"
FONT = "DejaVu Sans"  # which comes with matplotlib, to measure texts by
WIDTH, ROW = 7.2, 0.19  # inches
TEXT = 40  # pixels that a figure takes
ATTRIBUTE, LONG = re.compile(r'\b(?:d|x|y|transform)="[^"]*"'), re.compile(r"(\.\d\d)\d+")
STYLE = {
    "svg.hashsalt": "multibody",  # the same figures, the same file
    "svg.fonttype": "none",  # text stays text
    "font.family": FONT,
    "font.size": 8,
}


class Bar(NamedTuple):
    """One bar: its row counted from above, who it belongs to, how long it is, and where it should end."""

    row: float
    who: str
    figure: float
    marks: tuple[float, ...]

    @property
    def color(self) -> str:
        """Ours are blue, the first of a name darker than its variants."""
        if self.who.startswith("multibody"):
            return ALSO_OURS if "," in self.who else OURS
        return PEER


def figure_text(figure: float) -> str:
    """A figure with three digits, a lower bound as such."""
    digits = max(0, 2 - math.floor(math.log10(abs(figure)))) if figure else 0
    text = f"{figure:,.{digits}f}" if figure < 1e6 else f"{figure:.2e}"
    return f"> {text}" if isinstance(figure, AtLeast) else text


def bars(claims: Sequence[Claim], chart: Chart) -> Iterator[Bar]:
    """The bars of all cases, with a row for the title of a case, and half a row between cases."""
    row = 0.0
    for claim in claims:
        for who, figure in claim.figures.items():
            row += 1
            marks = (mark.place(claim) for mark in chart.marks if (mark.case, mark.bar) == (claim.case, who))
            yield Bar(row, who, figure, tuple(one for one in marks if not math.isnan(one)))
        row += 1.5


def draw(claims: Sequence[Claim], chart: Chart, path: Path) -> None:
    """Write the plot of a claim as SVG."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = list(bars(claims, chart))
    last = rows[-1].row
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, ROW * (last + 1.5) + 0.75), layout="constrained")
        axes = figure.add_subplot(title=chart.title)
        axes.set_xlabel(_axis_label(claims[0].unit, chart, marked=any(bar.marks for bar in rows)))
        axes.set_ylim(last + 0.8, -0.8)
        _scale(axes, rows)
        for bar in rows:
            _draw_bar(axes, bar)
        _label_cases(axes, claims)
        axes.set_yticks([bar.row for bar in rows], [bar.who for bar in rows])
        axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right", "left"]].set_visible(False)
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(smaller(path.read_text(encoding="utf-8")), encoding="utf-8")


def smaller(svg: str) -> str:
    """The same picture with coordinates to a hundredth of a point, and without indentation."""
    svg = svg.replace(f"'{FONT}'", "sans-serif")
    rounded = ATTRIBUTE.sub(lambda one: LONG.sub(r"\1", " ".join(one.group().split())), svg)
    return "\n".join(line.strip() for line in rounded.splitlines() if line.strip()) + "\n"


def _axis_label(unit: str, chart: Chart, *, marked: bool) -> str:
    better = "more is better" if chart.more_is_better else "less is better"
    return f"{unit}, {better}" + ("; red: where our bar should end" if marked else "")


def _scale(axes: Any, rows: Sequence[Bar]) -> None:
    """Logarithmic if figures differ much; with space for the text at the end of a bar."""
    figures = [one for bar in rows for one in (bar.figure, *bar.marks)]
    least, most = min(figures), max(figures)
    if most > 20 * least > 0:
        axes.set_xscale("log")
        margin = (most / least) ** 0.12
        axes.set_xlim(least / max(2.0, margin**0.3), most * max(2.0, margin))
        axes.xaxis.set_minor_locator(_no_ticks())
    else:
        axes.set_xlim(0, 1.15 * most)


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _draw_bar(axes: Any, bar: Bar) -> None:
    start = axes.get_xlim()[0]
    open_end = isinstance(bar.figure, AtLeast)
    look = {"color": "none", "edgecolor": PEER, "hatch": "///"} if open_end else {"color": bar.color}
    axes.barh(bar.row, bar.figure - start, left=start, height=0.8, **look)
    place = {"textcoords": "offset points", "va": "center_baseline"}
    axes.annotate(figure_text(bar.figure), (_label_place(axes, bar), bar.row), (4, 0), **place)
    for mark in bar.marks:
        axes.plot([mark, mark], [bar.row - 0.48, bar.row + 0.48], color=EXPECTED_MARK, linewidth=1.6)


def _label_place(axes: Any, bar: Bar) -> float:
    """Behind the end of the bar, and behind a mark that stands where the text would be."""
    end, *marks = (axes.transData.transform((x, 0))[0] for x in (bar.figure, *bar.marks))
    in_the_way = [mark for mark, place in zip(bar.marks, marks, strict=True) if 0 <= place - end < TEXT]
    return max([bar.figure, *in_the_way])


def _label_cases(axes: Any, claims: Sequence[Claim]) -> None:
    """The name of a case stands above its bars."""
    row = 0.0
    for claim in claims:
        text = {"xycoords": axes.get_yaxis_transform(), "va": "center_baseline", "fontweight": "bold"}
        axes.annotate(claim.case, (0.005, row), **text)
        row += len(claim.figures) + 1.5
