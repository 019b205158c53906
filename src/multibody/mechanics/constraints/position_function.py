"""Expressions of (t, q, r, p) that are evaluated again and again while loops are closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from multibody.graph import Expr, topological
from multibody.model.model import Model


class Compiler(Protocol):
    """Makes a function of expressions; packages above this one have it."""

    def __call__(self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Callable[..., Any]:
        """The function with the given name; symbols by input port, expressions by output port."""


class PositionFunction:
    """Expressions of (t, q, r, p), with machine code that is made when it is first needed.

    Args:
        name: what the expressions are, an identifier.
        model: the model whose time, coordinates, inputs and parameters they depend on.
        expressions: one for each value.
        compiler: makes machine code; without one, the expressions can only be interpreted.
    """

    def __init__(self, name: str, model: Model, expressions: Sequence[Expr], compiler: Compiler | None) -> None:
        self.name = name
        self.model = model
        self.expressions = list(expressions)
        self._compiler = compiler

    @cached_property
    def nodes(self) -> int:
        """The number of nodes of the expressions: the work of one evaluation that interprets them."""
        return len(topological(self.expressions))

    @cached_property
    def compiled(self) -> Callable[..., Any] | None:
        """(t, q, r, p) → all values; None without a compiler."""
        if self._compiler is None or not self.expressions:
            return None
        model = self.model
        ports = {"t": model.time, "q": model.coordinates, "r": model.input_symbols, "p": model.parameter_symbols}
        return self._compiler(f"{model.name}_{self.name}", ports, {"values": self.expressions})
