"""The lines of output that are meant for machines, written and read.

``CLAIM name case unit who=figure who=figure …`` holds the absolute figures of one case of a claim, everybody's in the
same unit; a figure behind ``>`` is a lower bound, of a tool that did not finish. Spaces in names become
underscores, and underscores two of them.
``BAR key=figure …`` comes last and holds the key figures of a benchmark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class AtLeast(float):
    """A figure that would be larger, had there been more patience."""


class Claim(NamedTuple):
    """One case of a claim: who, and the figure."""

    name: str
    case: str
    unit: str
    figures: Mapping[str, float]

    def __str__(self) -> str:
        figures = (f"{_word(who)}={_number(figure)}" for who, figure in self.figures.items())
        return " ".join(["CLAIM", *map(_word, self[:3]), *figures])

    @classmethod
    def read(cls, line: str) -> Claim:
        """The claim of a line."""
        name, case, unit, *pairs = line.split()[1:]
        figures = {_text(who): _figure(number) for who, _, number in (pair.rpartition("=") for pair in pairs)}
        return cls(_text(name), _text(case), _text(unit), figures)


class Lines(NamedTuple):
    """What a benchmark tells machines: its claims, and its key figures."""

    claims: list[Claim]
    figures: dict[str, float]


def claim(name: str, case: str, unit: str, figures: Mapping[str, float], scale: float = 1.0) -> None:
    """Print one case of a claim; figures are divided by the scale, and those that are not numbers are left out."""
    known = {who: _scaled(figure, scale) for who, figure in figures.items() if not math.isnan(figure)}
    print(Claim(name, case, unit, known), flush=True)


def bar(figures: Mapping[str, float]) -> None:
    """Print the line of key figures."""
    print("BAR " + " ".join(f"{key}={value:.4g}" for key, value in figures.items()))


def read(output: Iterable[str]) -> Lines:
    """Claims and key figures in the output of a benchmark."""
    lines = [line.strip() for line in output]
    bars = [line.split()[1:] for line in lines if line.startswith("BAR ")] or [[]]
    figures = {key: float(value) for key, _, value in (pair.partition("=") for pair in bars[-1])}
    return Lines([Claim.read(line) for line in lines if line.startswith("CLAIM ")], figures)


def _scaled(figure: float, scale: float) -> float:
    return AtLeast(figure / scale) if isinstance(figure, AtLeast) else figure / scale


def _word(text: str) -> str:
    return text.replace("_", "__").replace(" ", "_")


def _text(word: str) -> str:
    return "_".join(part.replace("_", " ") for part in word.split("__"))


def _number(figure: float) -> str:
    return f"{'>' if isinstance(figure, AtLeast) else ''}{float(figure):.4g}"


def _figure(number: str) -> float:
    return AtLeast(number[1:]) if number.startswith(">") else float(number)
