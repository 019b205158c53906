"""SymPy's expressions and ours, in both directions.

Names: SymPy's ``q(t)`` is the coordinate "q", its time derivative the speed "q_dot", the second derivative the variable
"q_ddot", ``t`` is the time, any other symbol a variable. Both directions take a mapping that says otherwise. Shared
parts stay shared, and depth is no limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from multibody.errors import ConversionError
from multibody.graph.expr import Symbol, as_expr
from multibody.graph.node import Node
from multibody.graph.number import is_number
from multibody.graph.sympy.reader import Functions, SympyReader
from multibody.graph.sympy.writer import SympyWriter
from multibody.graph.text.assignments import nodes_below
from multibody.graph.traverse import array

MAX_EVALUATED = 2000
"""Larger graphs reach SymPy as they are, without its automatic simplifications, which would take too long."""


def from_sympy(
    expr: Any, symbols: Mapping[Any, Any] | Iterable[Symbol] | None = None, *, functions: Functions | None = None
) -> Any:
    """The expression, condition, or array of expressions that a SymPy object describes.

    Args:
        expr: a SymPy expression, condition or matrix.
        symbols: what SymPy's symbols, functions of time and derivatives stand for: a mapping from these objects, or
            from names, to expressions; or symbols, which are found by their names.
        functions: what undefined functions, other than those of time, stand for; tables, for example.

    Raises:
        ConversionError: for what has no counterpart: the imaginary unit, infinity, integrals, unknown functions.

    Example:
        >>> import sympy
        >>> m, t = sympy.symbols("m t")
        >>> q = sympy.Function("q")(t)
        >>> from_sympy(m * q.diff(t) ** 2 / 2 - sympy.cos(q))
        m*q_dot**2/2 - cos(q)
    """
    import sympy

    if isinstance(expr, Node):
        return expr
    reader = SympyReader(_lookup(symbols), functions or {})
    if isinstance(expr, sympy.MatrixBase):
        entries = np.empty(expr.rows * expr.cols, dtype=object)
        entries[:] = [reader.read(entry) for entry in expr.flat()]
        return entries.reshape(expr.shape)
    if isinstance(expr, sympy.Basic):
        return reader.read(expr)
    if is_number(expr):
        return as_expr(expr)
    raise ConversionError(
        f"A {type(expr).__name__} is not a SymPy expression.",
        code="value-not-a-sympy-expression",
        where=repr(expr)[:200],
        remedy="Use parse for text.",
        value=type(expr).__name__,
    )


def _lookup(symbols: Mapping[Any, Any] | Iterable[Symbol] | None) -> dict[Any, Any]:
    if isinstance(symbols, Mapping):
        return {key: as_expr(value) for key, value in symbols.items()}
    return {symbol.name: symbol for symbol in symbols or ()}


def to_sympy(expr: Any, symbols: Mapping[Any, Any] | None = None, *, evaluate: bool | None = None) -> Any:
    """The SymPy object that describes an expression or a condition; a matrix for an array of expressions.

    Coordinates, inputs and speeds become functions of time, a speed "q_dot" the derivative of ``q(t)``. With
    ``from_sympy(to_sympy(e), free_symbols(e))`` everything comes back.

    Args:
        expr: an expression, a condition, or a list or array (one- or two-dimensional) of expressions.
        symbols: SymPy objects for symbols, or for names of symbols, that are to be used instead.
        evaluate: whether SymPy may collect sums and products as it usually does; by default up to a moderate size.

    Raises:
        ConversionError: if two symbols would become the same SymPy object.

    Example:
        >>> from multibody.graph import sin, symbol
        >>> q, l = symbol("q", "coordinate"), symbol("l", "parameter")
        >>> to_sympy(l * sin(q) / 2)
        l*sin(q(t))/2
    """
    import sympy

    single = isinstance(expr, Node)
    entries = np.array(expr, dtype=object) if single else array(expr)
    nodes = nodes_below(entries.flat)
    writer = SympyWriter(nodes, symbols or {}, len(nodes) <= MAX_EVALUATED if evaluate is None else evaluate)
    written = [writer.write(entry) for entry in entries.flat]
    if entries.ndim == 0:
        return written[0]
    if entries.ndim > 2:
        raise ConversionError(
            f"SymPy has no matrix with {entries.ndim} dimensions.", code="array-wrong-shape", shape=entries.shape
        )
    return sympy.Matrix(entries.shape[0], entries.shape[1] if entries.ndim == 2 else 1, written)
