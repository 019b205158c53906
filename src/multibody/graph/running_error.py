"""Sizes of the terms that add up in expressions, by running error analysis.

A sum is zero if it is so beside its terms; a fixed number would depend on the units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.graph.evaluate import evaluate
from multibody.graph.expr import Constant, Expr, Symbol
from multibody.graph.traverse import topological

_SPREADS: dict[str, Any] = {
    "mul": lambda a, b, da, db: abs(a) * db + abs(b) * da,
    "neg": lambda x, dx: 0.0 * x + dx - abs(x),
    "recip": lambda x, dx: dx / (x * x),
    "sin": lambda x, dx: abs(np.cos(x)) * dx,
    "cos": lambda x, dx: abs(np.sin(x)) * dx,
    "tan": lambda x, dx: (1 + np.tan(x) ** 2) * dx,
    "sqrt": lambda x, dx: 0.5 * dx / np.sqrt(x),
    "exp": lambda x, dx: np.exp(x) * dx,
    "log": lambda x, dx: dx / abs(x),
    "abs": lambda x, dx: dx - abs(x),
    "pow": lambda x, b, dx, _: abs(b * x ** (b - 1)) * dx,
    "atan2": lambda y, x, dy, dx: (dy * abs(x) + dx * abs(y)) / (x * x + y * y),
}
"""By how much a value changes where its arguments a, b … change by da, db …, to first order."""


def balanced_sizes(expressions: Sequence[Expr], known: Mapping[Symbol, float]) -> NDArray[np.float64]:
    """The sum of the sizes of the terms of each expression: what balances in it where its value is zero.

    It is the error of the value for relative errors of one of each operation and each symbol, to first order: so the
    rounding error of the value is the rounding unit times this number (running error analysis, Higham 2002, 3.3).

    Example:
        >>> from multibody.graph import sin, symbols
        >>> x, y = symbols("x y")
        >>> float(balanced_sizes([3 * x - y], {x: 2.0, y: 6.0})[0]) > 12
        True
    """
    order = [node for node in topological(list(expressions)) if isinstance(node, Expr)]  # conditions have no size
    given: dict[Any, Any] = {one: np.array([value]) for one, value in known.items()}
    numbers = evaluate(order, given) if order else []
    values = {node: float(np.ravel(one)[0]) for node, one in zip(order, numbers, strict=True)}
    sizes: dict[Any, float] = {}
    with np.errstate(all="ignore"):
        for node in order:
            sizes[node] = _size(node, values, sizes)
    return np.array([sizes[one] for one in expressions], dtype=float)


def _size(node: Any, values: Mapping[Any, float], sizes: Mapping[Any, float]) -> float:
    value = abs(values[node])
    if isinstance(node, Constant | Symbol):
        return value
    if node.op == "where":
        return max(sizes[arg] for arg in node.args[1:] if values[arg] == values[node] or not np.isfinite(values[node]))
    parts = [sizes[arg] for arg in node.args]
    if node.op in ("add", "sub"):
        return parts[0] + parts[1]
    arguments = [np.float64(values[arg]) for arg in node.args]
    spread = 0.0 if node.op not in _SPREADS else float(_SPREADS[node.op](*arguments, *parts))
    return value * (node.op != "mul") + (spread if np.isfinite(spread) else 0.0)
