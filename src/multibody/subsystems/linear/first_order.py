"""Expressions expanded to first order about a reference motion; deviations keep the names of their variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import ModelError, MultibodyError
from multibody.graph import ZERO, Expr, Symbol, absolute, as_expr, free_symbols, jacobian, substitute, topological
from multibody.graph.linear_algebra import Matrix

_KINKS: dict[str, Callable[..., Expr]] = {
    "abs": lambda x: x,
    "sign": lambda x: x,
    "min": lambda x, y: x - y,
    "max": lambda x, y: x - y,
}
"""Functions with kinks or jumps, and what is zero there."""


class Expanded(NamedTuple):
    """Expressions to first order.

    Attributes:
        constants: their values on the reference motion.
        linear: the parts that are linear in the deviations.
        sizes: Σ|∂g/∂s|·|s₀|, what the reference values of the variables contribute to each constant g that is not zero.
            Beside this a constant is rounding, such as m·g·l·sin(3.14159…).
    """

    constants: list[Expr]
    linear: list[Expr]
    sizes: list[Expr]


class Expansion:
    """The reference value of every variable, rate and input, and expansions about them.

    Args:
        nominal: expressions of time and parameters, by symbol.
    """

    def __init__(self, nominal: Mapping[Expr, Expr]) -> None:
        self.nominal = dict(nominal)

    def split(self, expressions: Sequence[Expr]) -> Expanded:
        """The values on the reference motion, and the parts that are linear in the deviations."""
        if not len(expressions):
            return Expanded([], [], [])
        symbols: list[Symbol] = [symbol for symbol in free_symbols(list(expressions)) if symbol in self.nominal]
        slopes = jacobian(list(expressions), symbols).reshape(len(expressions), len(symbols))
        constants = list(self._at_reference(list(expressions)))
        if not symbols:
            return Expanded(constants, [ZERO] * len(expressions), [ZERO] * len(expressions))
        self._require_smooth(expressions)
        table = np.array(self._at_reference(slopes), dtype=object)
        values = [absolute(self.nominal[symbol]) for symbol in symbols]
        sizes = [
            ZERO if as_expr(constant).fp == 0 else _sum([absolute(as_expr(slope)) for slope in row], values)
            for constant, row in zip(constants, table, strict=True)
        ]
        return Expanded(constants, [_sum(row, symbols) for row in table], sizes)

    def linear(self, expressions: Sequence[Expr]) -> list[Expr]:
        """The parts that are linear in the deviations."""
        return self.split(expressions).linear

    def matrix(self, entries: Matrix) -> tuple[Matrix, Matrix]:
        """A matrix on the reference motion, and its part that is linear in the deviations."""
        constants, linear, _ = self.split(list(entries.flat))
        return _shaped(constants, entries), _shaped(linear, entries)

    def _require_smooth(self, expressions: Sequence[Expr]) -> None:
        """An error where the reference motion is on a kink: |x| has no derivative at zero."""
        kinks = [node for node in topological(expressions) if node.op in _KINKS]
        gaps = self._at_reference([_KINKS[node.op](*node.args) for node in kinks]) if kinks else []
        for node, gap in zip(kinks, gaps, strict=True):
            if as_expr(gap).fp == 0:
                raise ModelError(
                    f"{node} has a kink on the reference motion, and no first derivative there.",
                    cause="Friction that changes its direction, or a limit that is just reached.",
                    remedy="Choose a reference beside it, or a smooth law such as tanh(v/v0).",
                    code="reference-on-a-kink",
                )

    def _at_reference(self, thing: Any) -> Any:
        try:
            return substitute(thing, self.nominal)
        except MultibodyError as error:
            raise ModelError(
                "The equations have no first derivatives on the reference motion.",
                cause=str(error).splitlines()[0],
                remedy="Choose another reference, or other independent variables: it may be a singular configuration.",
                code="reference-without-derivatives",
            ) from error


def _sum(row: Sequence[Expr], factors: Sequence[Expr]) -> Expr:
    return sum((as_expr(slope) * factor for slope, factor in zip(row, factors, strict=True)), ZERO)


def _shaped(values: list[Expr], like: Matrix) -> Matrix:
    result = np.empty(like.shape, dtype=object)
    result[...] = np.array(values, dtype=object).reshape(like.shape)
    return result
