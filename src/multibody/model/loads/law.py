"""Force laws of one variable: linear, tabulated, any function; and the energy that belongs to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Table, as_expr, directional, substitute, symbol

Function = Callable[[Expr], Any]

LawLike = Any
"""A number or an expression (the slope of a linear law), a ``Table``, or a function of one expression."""

_X = symbol("x", "variable", "law")


@dataclass(frozen=True)
class Law:
    """A force as a function of one variable, such as the elongation of a spring.

    Attributes:
        force: the function.
        energy: its integral, the stored energy; zero where it is not known, and then nothing counts as stored.
        consistent: whether the energy was made from the force, or the force from the energy; False for two functions
            of the user's, which ``derive`` compares.
    """

    force: Function
    energy: Function
    consistent: bool = False

    @property
    def stores(self) -> bool:
        """Whether the stored energy is known."""
        return as_expr(self.energy(_X)) is not ZERO or as_expr(self.force(_X)) is ZERO

    @classmethod
    def of(cls, law: LawLike) -> Law:
        """The law that a user means.

        Example:
            >>> from multibody.graph import symbol
            >>> x = symbol("x")
            >>> Law.of(3).energy(x), Law.of(lambda x: x**3).force(x)
            (3*x**2/2, x**3)
        """
        if isinstance(law, Law):
            return law
        if isinstance(law, Table):
            return cls(law, _antiderivative(law), consistent=True)
        if callable(law):
            return cls(law, lambda x: ZERO, consistent=True)
        slope = as_expr(law)
        return cls(lambda x: slope * x, lambda x: slope * x * x / 2, consistent=True)

    @classmethod
    def from_energy(cls, energy: Function) -> Law:
        """The law whose stored energy is given; the force is its derivative.

        Example:
            >>> from multibody.graph import symbol
            >>> Law.from_energy(lambda x: x**4 / 4).force(symbol("x"))
            x**3
        """
        slope = directional(as_expr(energy(_X)), {_X: 1})
        return cls(lambda x: substitute(slope, {_X: x}), energy, consistent=True)


def require_one(stiffness: Any, energy: Any, where: str) -> None:
    """An error unless a spring is given by its force or by its energy, and not by both."""
    if (stiffness is None) == (energy is None):
        raise ModelError(
            "A spring needs either a stiffness or an energy.",
            code="spring-law-missing",
            where=where,
            cause="Neither was given." if energy is None else "Both were given, and one follows from the other.",
            remedy="Write stiffness=k, stiffness=Table(…) or energy=lambda x: k * x**2 / 2.",
        )


def _antiderivative(table: Table) -> Table:
    """The table of the integral of a table, zero where the argument is zero."""
    powers = np.arange(1, len(table.coefficients) + 1)[:, None]
    rising = np.vstack([np.zeros(table.coefficients.shape[1]), table.coefficients / powers])
    for k, width in enumerate(np.diff(table.starts)):  # each interval goes on where the one before it ends
        rising[0, k + 1] = np.polyval(rising[::-1, k], width)
    home = int(np.searchsorted(table.breaks, 0.0, side="right"))
    rising[0] -= np.polyval(rising[::-1, home], -table.starts[home])
    return table.derived("_energy", rising)
