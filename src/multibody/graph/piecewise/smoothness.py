"""Expressions that runs treat as smooth, although they contain conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from multibody.graph.expr import ONE, ZERO, Expr, as_expr
from multibody.graph.functions import atan, pi
from multibody.graph.piecewise.conditions import Condition, less, smooth_comparison, where
from multibody.graph.traverse import flat, rebuilt, shaped, topological


def smooth(thing: Any) -> Any:
    """Mark expressions whose conditions are not root functions of a run, as ``smooth`` and ``noEvent`` in Modelica.

    A run ends its steps where a condition, an absolute value, an extremum or a table changes its branch, and where
    ``atan2`` jumps by 2π. Where both
    branches have the same value, as in a guard against division by zero, this only costs time; where branches change
    back and forth without end, the run stops with an error. Marked expressions have the same values and derivatives,
    and no step ends where they switch: give ``max_step`` where the step control alone could miss a change.

    Args:
        thing: an expression or a condition, or nested lists or arrays of expressions.

    Example:
        >>> from multibody.graph import evaluate, symbols, where
        >>> (v,) = symbols("v")
        >>> brake = smooth(where(abs(v) < 0.01, 100 * v, v / abs(v)))
        >>> evaluate(brake, {v: -2.0})
        -1.0
    """
    if isinstance(thing, Condition | bool):
        return _marked([thing])[0] if isinstance(thing, Condition) else thing
    return shaped(_marked(flat(thing)), thing)


def _marked(outputs: list[Any]) -> list[Any]:
    values: dict[Any, Any] = {}
    for node in topological(outputs):
        args = [values[arg] for arg in node.args]
        rule = _RULES.get(node.op)
        if rule is not None:
            values[node] = rule(*args)
        elif node.op == "table":
            values[node] = node.table.marked_smooth().applied(args[0])
        else:
            same = all(a is b for a, b in zip(args, node.args, strict=True))
            made = node if same else rebuilt(node, args)
            values[node] = smooth_comparison(made)
    return [values[output] for output in outputs]


def _below(a: Any, b: Any) -> Any:
    return smooth_comparison(less(a, b))


def _sign(x: Expr) -> Expr:
    return where(_below(ZERO, x), ONE, where(_below(x, ZERO), as_expr(-1), ZERO))


def _atan2(y: Expr, x: Expr) -> Expr:
    """By arctangents of the smaller one of both divided by the larger one."""
    half_turn, right = where(_below(y, ZERO), -pi, pi), where(_below(y, ZERO), -pi / 2, pi / 2)
    flat_angle = where(_below(x, ZERO), half_turn, ZERO) + atan(y / x)
    return where(_below(y * y, x * x), flat_angle, right - atan(x / y))


_RULES: dict[str, Callable[..., Expr]] = {
    "atan2": _atan2,
    "abs": lambda x: where(_below(x, ZERO), -x, x),
    "sign": _sign,
    "min": lambda a, b: where(_below(b, a), b, a),
    "max": lambda a, b: where(_below(a, b), b, a),
}
"""The same values by comparisons, which can be marked."""
