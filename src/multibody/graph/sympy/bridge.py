"""SymPy's expressions and ours, in both directions.

Names: SymPy's ``q(t)`` is the coordinate "q", its time derivative the speed "q_dot", the second derivative the variable
"q_ddot", ``t`` is the time, any other symbol a variable. Both directions take a mapping that says otherwise. Shared
parts stay shared, and expressions may be deep.

From expressions to SymPy's objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from multibody.errors import ConversionError
from multibody.graph.expr import Symbol, as_expr
from multibody.graph.node import Node
from multibody.graph.number import is_number
from multibody.graph.sympy.reader import Functions, SympyReader, time_symbol
from multibody.graph.text.arrangement import Call, Product, Sum, arranged, operation
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


class SympyWriter:
    """Makes SymPy objects, one for each node, on a stack of its own.

    Args:
        nodes: all nodes that will be needed.
        symbols: SymPy objects to be used for symbols, or for their names.
        evaluate: whether SymPy may collect and expand sums and products. Functions are never evaluated: what there is
            to simplify has been simplified, and SymPy's questions whether something is positive can take minutes.
    """

    def __init__(self, nodes: Iterable[Any], symbols: Mapping[Any, Any], evaluate: bool) -> None:
        known = list(nodes)
        uses = Counter(arg for node in known for arg in set(operation(node)[1]))
        self._shared = {node for node, n in uses.items() if n > 1}
        self._evaluate = evaluate
        self._done: dict[Any, Any] = _sympy_symbols(known, symbols)

    def write(self, root: Any) -> Any:
        """The SymPy object for an expression or a condition."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node not in self._done:
                arrangement = arranged(node, self._shared)
                missing = [child for child in arrangement.children if child not in self._done]
                if missing:
                    stack += missing
                    continue
                self._done[node] = made = self._made(node, arrangement)
                getattr(made, "is_commutative", None)  # SymPy remembers it, and need not look deeper the next time
            stack.pop()
        return self._done[root]

    def _made(self, node: Any, arrangement: Any) -> Any:
        import sympy

        if isinstance(arrangement, Sum):
            terms = [self._product([sympy.Integer(s * n), self._done[term]]) for s, n, term in arrangement.terms]
            return self._combined(sympy.Add, terms)
        if isinstance(arrangement, Product):
            over = [self._power(factor, exponent) for factor, exponent in arrangement.over]
            under = [self._power(divisor, -1) for divisor in arrangement.under]
            return self._product([_number(arrangement.number), *over, *under])
        if isinstance(arrangement, Call):
            return self._called(node, arrangement.op, [self._done[child] for child in arrangement.children])
        return _number(node.value)

    def _combined(self, function: Any, args: list[Any]) -> Any:
        return args[0] if len(args) == 1 else function(*args, evaluate=self._evaluate)

    def _product(self, factors: list[Any]) -> Any:
        import sympy

        return self._combined(sympy.Mul, [factor for factor in factors if factor != 1] or [sympy.Integer(1)])

    def _power(self, factor: Any, exponent: int) -> Any:
        import sympy

        base = self._done[factor]
        return base if exponent == 1 else sympy.Pow(base, exponent, evaluate=self._evaluate)

    def _called(self, node: Any, op: str, args: list[Any]) -> Any:
        import sympy

        if op == "pi":
            return sympy.pi
        if op == "table":
            return sympy.Function(node.table.name)(*args)
        if op == "where":
            condition, value, other = args
            return sympy.Piecewise((value, condition), (other, True), evaluate=False)
        if op in ("sqrt", "pow"):
            base, exponent = args if op == "pow" else (args[0], sympy.Rational(1, 2))
            return sympy.Pow(base, exponent, evaluate=self._evaluate and base.is_Number)
        return _classes()[op](*args, evaluate=False)


def _number(value: Any) -> Any:
    import sympy

    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    return sympy.Integer(value) if isinstance(value, int) else sympy.Float(value)


@cache
def _classes() -> dict[str, Any]:
    """SymPy's class for each operation."""
    import sympy as s

    return {
        "abs": s.Abs, "sign": s.sign, "exp": s.exp, "log": s.log, "sin": s.sin, "cos": s.cos,
        "tan": s.tan, "asin": s.asin, "acos": s.acos, "atan": s.atan, "atan2": s.atan2, "sinh": s.sinh,
        "cosh": s.cosh, "tanh": s.tanh, "min": s.Min, "max": s.Max, "lt": s.Lt, "le": s.Le, "eq": s.Eq,
        "and": s.And, "or": s.Or, "not": s.Not,
    }  # fmt: skip


def _sympy_symbols(nodes: list[Any], given: Mapping[Any, Any]) -> dict[Any, Any]:
    """A SymPy object for each symbol, different for different symbols."""
    owners: dict[Any, Symbol] = {}
    for node in nodes:
        if isinstance(node, Symbol):
            made = given[node] if node in given else given[node.name] if node.name in given else _sympy_symbol(node)
            if owners.setdefault(made, node) is not node:
                raise ConversionError(
                    f"Two symbols would both become {made} in SymPy.",
                    code="symbol-name-ambiguous",
                    where=f"the {node.kind} '{node.name}' and the {owners[made].kind} '{owners[made].name}'",
                    remedy="Give SymPy objects for them: to_sympy(expr, {symbol: sympy.Symbol('…')}).",
                    name=str(made),
                )
    return {node: made for made, node in owners.items()}


def _sympy_symbol(node: Symbol) -> Any:
    import sympy

    time = time_symbol()
    if node.kind == "time":
        return time
    if node.kind == "speed" and node.name.endswith("_dot"):
        return sympy.Derivative(sympy.Function(node.name.removesuffix("_dot"))(time), time)
    if node.kind == "variable" and node.name.endswith("_ddot"):
        return sympy.Derivative(sympy.Function(node.name.removesuffix("_ddot"))(time), time, time)
    if node.kind in ("coordinate", "speed", "input"):
        return sympy.Function(node.name)(time)
    return sympy.Symbol(node.name)
