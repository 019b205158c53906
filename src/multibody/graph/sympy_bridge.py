"""SymPy's expressions and ours, in both directions.

Names: SymPy's ``q(t)`` is the coordinate "q", its time derivative the speed "q_dot", the second derivative the variable
"q_ddot", ``t`` the time, any other symbol a variable. Both directions take a mapping that says otherwise. Shared parts
stay shared, and depth is no limit.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, reduce
from operator import add, and_, mul, or_
from typing import Any

import numpy as np

from multibody.errors import ConversionError
from multibody.graph import functions as f
from multibody.graph.arrangement import Leaf, Product, Sum, arranged, operation
from multibody.graph.assignments import nodes_below
from multibody.graph.conditions import Condition, equal, less, less_equal, where
from multibody.graph.expr import Constant, Expr, Symbol, as_expr, constant, neg, recip
from multibody.graph.node import Node
from multibody.graph.number import is_number

Functions = Mapping[str, Callable[..., Any]]

MAX_EVALUATED = 2000
"""Larger graphs are handed to SymPy as they are, without its automatic simplifications, which would take too long."""


# --- from SymPy ----------------------------------------------------------------------------------------------------


def from_sympy(expr: Any, symbols: Any = None, *, functions: Functions | None = None) -> Any:
    """The expression, condition, or array of expressions that a SymPy object describes.

    Args:
        expr: a SymPy expression, condition or matrix.
        symbols: what SymPy's symbols, functions of time and derivatives stand for: a mapping from these objects, or
            from names, to expressions; or symbols, which are found by their names.
        functions: what undefined functions other than those of time stand for, such as tables.

    Raises:
        ConversionError: for what has no counterpart: the imaginary unit, infinity, integrals, unknown functions.

    Example:
        >>> import sympy
        >>> m, t = sympy.symbols("m t")
        >>> q = sympy.Function("q")(t)
        >>> expr = from_sympy(m * q.diff(t) ** 2 / 2 - sympy.cos(q))
        >>> expr
        m*q_dot**2/2 - cos(q)
    """
    import sympy

    if isinstance(expr, Node) or is_number(expr):
        return expr if isinstance(expr, Node) else as_expr(expr)
    reader = _Reader(_lookup(symbols), functions or {})
    if isinstance(expr, sympy.MatrixBase):
        entries = np.empty(expr.shape, dtype=object)
        entries.flat = [reader.read(entry) for entry in expr.flat()]
        return entries
    if not isinstance(expr, sympy.Basic):
        raise ConversionError(f"A {type(expr).__name__} is not a SymPy expression.", where=repr(expr)[:200])
    return reader.read(expr)


def _lookup(symbols: Any) -> dict[Any, Any]:
    if isinstance(symbols, Mapping):
        return {key: as_expr(value) for key, value in symbols.items()}
    return {symbol.name: symbol for symbol in symbols or ()}


class _Reader:
    """Converts with an own stack; each object once."""

    def __init__(self, symbols: Mapping[Any, Any], functions: Functions) -> None:
        self._symbols = symbols
        self._functions = functions
        self._done: dict[int, tuple[Any, Any]] = {}  # the object is kept too, so that its id stays its own

    def read(self, root: Any) -> Any:
        stack = [root]
        while stack:
            node = stack[-1]
            if id(node) not in self._done:
                args = () if self._is_leaf(node) else node.args
                missing = [arg for arg in args if id(arg) not in self._done]
                if missing:
                    stack += missing
                    continue
                self._done[id(node)] = node, self._converted(node, [self._done[id(arg)][1] for arg in args])
            stack.pop()
        return self._done[id(root)][1]

    def _is_leaf(self, node: Any) -> bool:
        import sympy

        return not node.args or isinstance(node, sympy.Derivative) or _of_time(node)

    def _converted(self, node: Any, args: list[Any]) -> Any:
        import sympy

        if isinstance(node, sympy.Symbol | sympy.Derivative) or _of_time(node):
            return self._symbol(node)
        if node.is_Number or node.is_NumberSymbol:
            return _number(node)
        if isinstance(node, sympy.core.function.AppliedUndef) and node.func.__name__ in self._functions:
            return self._functions[node.func.__name__](*args)
        rule = _rules().get(node.func)
        if rule is None:
            raise _unknown(node)
        return rule(*args)

    def _symbol(self, node: Any) -> Any:
        name, kind = _name_and_kind(node)
        for key in (node, name):
            if key in self._symbols:
                return self._symbols[key]
        return f.symbol(name, kind)


def _time() -> Any:
    """SymPy's symbol for the time, which its mechanics package allows to be changed."""
    import sympy

    module = sys.modules.get("sympy.physics.vector.functions")
    return module.dynamicsymbols._t if module else sympy.Symbol("t")


def _of_time(node: Any) -> bool:
    from sympy.core.function import AppliedUndef

    return isinstance(node, AppliedUndef) and node.args == (_time(),)


def _name_and_kind(node: Any) -> tuple[str, Any]:
    if node == _time():
        return node.name, "time"
    if node.is_Symbol:
        return node.name, "variable"
    if _of_time(node):
        return node.func.__name__, "coordinate"
    variables = [(variable, int(times)) for variable, times in node.variable_count if times.is_Integer]
    if _of_time(node.expr) and variables in ([(_time(), 1)], [(_time(), 2)]):
        return (f"{node.expr.func.__name__}_dot", "speed") if variables[0][1] == 1 else (f"{node.expr.func.__name__}_ddot", "variable")
    raise _unknown(node)
