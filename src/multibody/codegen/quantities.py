"""What an exported program is made of: named scalars, results, routines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from multibody.graph import Expr, Symbol, array


@dataclass(frozen=True)
class ScalarVariable:
    """A scalar with a name: a state, an input, a parameter, an output.

    Attributes:
        name: the user's name; entries of arrays are called ``name_1`` or ``name_1_2``.
        unit: SI unit, as text; empty where it is not known.
        description: what it is.
        value: start value, default, or zero.
        symbol: its symbol in the expressions; None for outputs.
        formula: of a parameter that follows from others, unless it is given a number; the value is that for the
            defaults of these.
        limits: low and high of an input that ``simulate`` holds within them; an end may be infinite.
    """

    name: str
    unit: str = ""
    description: str = ""
    value: float = 0.0
    symbol: Symbol | None = None
    formula: Expr | None = None
    limits: tuple[float, float] | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is a parameter that has no number, and no formula: it must be given one."""
        return isnan(self.value) and self.formula is None

    @property
    def meaning(self) -> str:
        """Unit, description and limits, for comments; code that takes an input as an argument does not hold it."""
        unit = f"[{self.unit}]" if self.unit else ""
        limits = "" if self.limits is None else "(limits {:g} to {:g}: to be kept by the caller)".format(*self.limits)
        return " ".join(part for part in (unit, self.description, limits) if part)

    def meaning_of(self, spelled: str) -> str:
        """The meaning, after the user's name where that is spelled in another way."""
        return self.meaning if spelled == self.name else f"{self.name} {self.meaning}".strip()


@dataclass(frozen=True)
class Result:
    """A scalar, vector or matrix that a routine computes.

    Attributes:
        name: an identifier such as ``"M"``.
        description: what it is, for comments.
        shape: ``()``, ``(n,)`` or ``(n, m)``.
        values: its expressions, row by row.
        labels: a name for each of them.
    """

    name: str
    description: str
    shape: tuple[int, ...]
    values: tuple[Expr, ...]
    labels: tuple[str, ...]

    @staticmethod
    def of(name: str, values: Any, description: str = "", labels: Sequence[str] | None = None) -> Result:
        """A result from an expression, a list or an array of expressions.

        Example:
            >>> from multibody.graph import symbols
            >>> x, y = symbols("x y")
            >>> Result.of("M", [[x, 0], [0, y]]).labels
            ('M_1_1', 'M_1_2', 'M_2_1', 'M_2_2')
        """
        entries = array(values)
        places = ("_".join([name, *(str(k + 1) for k in place)]) for place in np.ndindex(*entries.shape))
        return Result(
            name, description, entries.shape, tuple(entries.flat), tuple(places if labels is None else labels)
        )

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return len(self.values)


@dataclass(frozen=True)
class Routine:
    """A function of (t, q, u, r, p) with named results."""

    name: str
    description: str
    results: tuple[Result, ...]
