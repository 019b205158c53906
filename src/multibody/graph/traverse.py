"""Walking the graph: topological order, symbols, arrays of expressions, substitution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ExpressionError
from multibody.graph.expr import Expr, Symbol, as_expr, neg, recip
from multibody.graph.field import sort_key
from multibody.graph.functions import apply
from multibody.graph.node import Node
from multibody.graph.piecewise.conditions import (
    Condition,
    SmoothCondition,
    equal,
    less,
    less_equal,
    smooth_comparison,
    where,
)

Nested = Any
"""An expression, a number, or nested lists, tuples or arrays of them."""

_as_exprs = np.frompyfunc(as_expr, 1, 1)


def array(thing: Nested) -> NDArray[Any]:
    """``thing`` as a NumPy array of expressions; a scalar becomes a 0-dimensional array."""
    result = np.array(thing, dtype=object)
    return _as_exprs(result) if result.shape else np.array(as_expr(result.item()), dtype=object)


def flat(thing: Nested) -> list[Expr]:
    """All expressions in ``thing``, row by row."""
    return [thing] if isinstance(thing, Expr) else list(array(thing).flat)


def shaped(values: Iterable[Any], like: Nested) -> Any:
    """``values`` in the shape of ``like``: a scalar for a scalar, an array for an array."""
    items = list(values)
    shape = np.shape(np.array(like, dtype=object))
    if not shape:
        return items[0]
    result = np.empty(len(items), dtype=object)
    result[:] = items
    return result.reshape(shape)


def topological(
    outputs: Iterable[Node], operands: Callable[[Any], Iterable[Any]] = attrgetter("args"), limit: float = inf
) -> list[Any]:
    """All nodes below ``outputs``, operands before results; at most about ``limit`` of them."""
    seen = set(outputs)
    stack = list(seen)
    while stack and len(seen) <= limit:
        for arg in operands(stack.pop()):
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return sorted(seen, key=attrgetter("serial"))


def depth_first(roots: Iterable[Any], operands: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """All nodes below ``roots`` in the order of a walk in depth, operands before results.

    Args:
        roots: where to begin, one after the other.
        operands: what a node depends on, in the order of the walk.

    Example:
        >>> "".join(depth_first("ab", {"a": "cd", "b": "ec", "c": "", "d": "c", "e": ""}.__getitem__))
        'cdaeb'
    """
    done: dict[Any, None] = {}
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if ready:
            done[node] = None
        elif node not in done:
            stack.append((node, True))
            stack += [(arg, False) for arg in reversed(list(operands(node))) if arg not in done]
    return list(done)


def content_rank(node: Any, operands: Sequence[Any]) -> tuple[bool, str, int]:
    """A key that sorts nodes by what they are, not by when they were made: symbols by name, the rest by fingerprint."""
    return bool(operands), node.name if isinstance(node, Symbol) else "", sort_key(node.fp)


def free_symbols(thing: Nested) -> list[Symbol]:
    """The symbols in ``thing``, in alphabetical order."""
    found = [node for node in topological(flat(thing)) if isinstance(node, Symbol)]
    return sorted(found, key=lambda s: (s.name, s.kind, s.scope))


_REBUILD: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": neg,
    "recip": recip,
    "where": where,
    "lt": less,
    "le": less_equal,
    "eq": equal,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "not": lambda a: ~a if isinstance(a, Condition) else not a,
}


def rebuilt(node: Any, args: list[Any]) -> Any:
    """The operation of ``node`` applied to other operands."""
    if node.op == "table":
        return node.table.applied(args[0])
    if isinstance(node, SmoothCondition):
        return smooth_comparison(_REBUILD[node.op](*args))
    if node.op in _REBUILD:
        return _REBUILD[node.op](*args)
    from multibody.graph import functions  # by name, so that each function's own simplifications apply

    own = getattr(functions, _FUNCTION_NAMES.get(node.op, node.op), None)
    return own(*args) if own else apply(node.op, *args)


_FUNCTION_NAMES = {"abs": "absolute", "min": "minimum", "max": "maximum", "pow": "power"}


def substitute(thing: Nested, replacements: Mapping[Expr, Any]) -> Any:
    """Replace nodes (mostly symbols) by expressions or numbers, all at once.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> substitute(x + 2 * y, {x: y, y: x})
        2*x + y
    """
    outputs = flat(thing)
    new = {node: as_expr(value) for node, value in replacements.items()}
    values: dict[Any, Any] = dict(new)
    for node in topological(outputs):
        if node not in values:
            args = [values[arg] for arg in node.args]
            same = all(a is b for a, b in zip(args, node.args, strict=True))
            values[node] = node if same else _rebuilt_if_possible(node, args)
    results = [values[output] for output in outputs]
    for result in results:
        if isinstance(result, ExpressionError):
            raise result
    return shaped(results, thing)


def _rebuilt_if_possible(node: Any, args: list[Any]) -> Any:
    """The node with new operands, or the error that it leads to: it counts only if the result needs this node."""
    if node.op == "where" and isinstance(args[0], bool):
        return args[1] if args[0] else args[2]
    broken = [arg for arg in args if isinstance(arg, ExpressionError)]
    if broken:
        return broken[0]
    try:
        return rebuilt(node, args)
    except ExpressionError as error:
        return error
