"""Derivatives of the graph: forward, reverse, Jacobians that use sparsity, total time derivatives.

Each rule gives the partial derivatives of one operation as expressions of its operands and its result, so that the
derivative of a graph with n nodes is a graph with a small multiple of n nodes, sharing sub-expressions with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import MissingValueError, ShapeError
from multibody.graph.expr import ONE, TWO, ZERO, Expr, Symbol, as_expr, constant, neg, recip
from multibody.graph.functions import cos, cosh, log, power, sign, sin, sinh, sqrt
from multibody.graph.piecewise.conditions import Condition, less_equal, where
from multibody.graph.traverse import Nested, flat, shaped, topological

Partials = Callable[[Any], tuple[Expr, ...]]

_MINUS_ONE = constant(-1)

_PARTIALS: dict[str, Partials] = {
    "add": lambda node: (ONE, ONE),
    "sub": lambda node: (ONE, _MINUS_ONE),
    "neg": lambda node: (_MINUS_ONE,),
    "mul": lambda node: (node.args[1], node.args[0]),
    "recip": lambda node: (neg(node * node),),
    "sqrt": lambda node: (recip(TWO * node),),
    "sin": lambda node: (cos(node.args[0]),),
    "cos": lambda node: (neg(sin(node.args[0])),),
    "tan": lambda node: (ONE + node * node,),
    "asin": lambda node: (recip(sqrt(ONE - node.args[0] * node.args[0])),),
    "acos": lambda node: (neg(recip(sqrt(ONE - node.args[0] * node.args[0]))),),
    "atan": lambda node: (recip(ONE + node.args[0] * node.args[0]),),
    "atan2": lambda node: _atan2_partials(*node.args),
    "sinh": lambda node: (cosh(node.args[0]),),
    "cosh": lambda node: (sinh(node.args[0]),),
    "tanh": lambda node: (ONE - node * node,),
    "exp": lambda node: (node,),
    "log": lambda node: (recip(node.args[0]),),
    "abs": lambda node: (sign(node.args[0]),),
    "sign": lambda node: (ZERO,),
    "pow": lambda node: _power_partials(node, *node.args),
    "table": lambda node: (node.table.derivative().applied(node.args[0]),),
}


def _atan2_partials(y: Expr, x: Expr) -> tuple[Expr, Expr]:
    scale = recip(x * x + y * y)
    return x * scale, neg(y * scale)


_CHOICES: dict[str, Callable[[Any], tuple[Any, Any, Any]]] = {
    "where": lambda node: node.args,
    "min": lambda node: (less_equal(*node.args), *node.args),
    "max": lambda node: (less_equal(node.args[1], node.args[0]), *node.args),
}
"""Operations that choose one of two operands: the condition, and the two."""


def _power_partials(node: Expr, base: Expr, exponent: Expr) -> tuple[Expr, Expr]:
    by_exponent = ZERO if exponent.op == "const" else node * log(base)
    return exponent * power(base, exponent - ONE), by_exponent


def _half_power(node: Any) -> tuple[int, Expr] | None:
    """For a product ±aⁿ·√a, n > 0: the number of the operand ±aⁿ, and the derivative (1 + 1/2n)·√a by it; else None.

    The product rule would add aⁿ/(2·√a), which has no value at a = 0.
    """
    for k, root in enumerate(node.args):
        exponent = _exponent(node.args[1 - k], root.args[0]) if root.op == "sqrt" else 0
        if exponent:
            return 1 - k, constant(Fraction(2 * exponent + 1, 2 * exponent)) * root
    return None


def _exponent(node: Any, base: Any) -> int:
    """n of a product ±baseⁿ; 0 for other expressions."""
    if node is base or (base.op == "neg" and base.args[0] is node):
        return 1
    if node.op != "mul":
        return 0
    first, second = (_exponent(factor, base) for factor in node.args)
    return first + second if first and second else 0


def directional(thing: Nested, direction: Mapping[Expr, Any]) -> Any:
    """The derivative of ``thing`` when each key of ``direction`` changes at the given rate; no Jacobian is formed.

    Example:
        >>> from multibody.graph import symbols, sin
        >>> x, y, v = symbols("x y v")
        >>> directional(x * sin(y), {x: 1, y: v})
        sin(y) + v*x*cos(y)
    """
    outputs = flat(thing)
    rates: dict[Any, Expr] = {node: as_expr(rate) for node, rate in direction.items()}
    for node in topological(outputs):
        if node.args and node not in rates:
            moving = [rates.get(arg) for arg in node.args]
            if any(rate is not None for rate in moving) and not isinstance(node, Condition):
                rates[node] = _rate(node, moving)
    return shaped([rates.get(output, ZERO) for output in outputs], thing)


def _rate(node: Any, rates: Sequence[Any]) -> Expr:
    """The rate of a node from those of its operands, None for zero; the commonest operations come first."""
    op = node.op
    if op == "mul":
        (a, b), (da, db) = node.args, rates
        if da is None:
            return a * db
        if db is None:
            return da * b
        half_power = _half_power(node)
        if half_power is not None:
            return half_power[1] * rates[half_power[0]]
        return da * b + a * db
    if op == "add":
        da, db = rates
        return db if da is None else da if db is None else da + db
    if op == "sub":
        da, db = rates
        return neg(db) if da is None else da if db is None else da - db
    if op in _CHOICES:
        condition, *_ = _CHOICES[op](node)
        return where(condition, *[ZERO if rate is None else rate for rate in rates[-2:]])
    partials = _PARTIALS[node.op](node)
    first = rates[0]
    if len(partials) == 1 or rates[1] is None:
        return _scaled(partials[0], first)
    second = _scaled(partials[1], rates[1])
    return second if first is None else _scaled(partials[0], first) + second


def _scaled(factor: Expr, rate: Expr) -> Expr:
    """factor · rate, without the search for a product that is known to be trivial."""
    if factor is ONE:
        return rate
    return neg(rate) if factor is _MINUS_ONE else factor * rate


def gradient(output: Expr, inputs: Sequence[Expr]) -> list[Expr]:
    """The derivatives of one expression by many symbols, in one reverse sweep.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> gradient(x * y + x, [x, y])
        [y + 1, x]
    """
    return adjoint([output], [ONE], inputs)


def adjoint(outputs: Nested, weights: Nested, inputs: Sequence[Expr]) -> list[Expr]:
    """weightsᵀ · ∂outputs/∂inputs in one reverse sweep.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> adjoint([x * y, x + y], [1, 2], [x, y])
        [y + 2, x + 2]
    """
    results = flat(outputs)
    if len(results) != len(flat(weights)):
        raise ShapeError(
            f"{len(results)} outputs need {len(results)} weights, not {len(flat(weights))}.",
            code="array-wrong-shape",
            shape=(len(flat(weights)),),
            expected=(len(results),),
        )
    order = topological(results)
    if _has_hidden_singularity(order):
        columns = _forward_columns(order, inputs)
        rates = [[columns.get(output, {}).get(j, ZERO) for output in results] for j in range(len(inputs))]
        return [sum((w * d for w, d in zip(flat(weights), column, strict=True)), ZERO) for column in rates]
    return _reverse_sweep(order, results, flat(weights), inputs, _depends_on(order, inputs))


def _has_hidden_singularity(order: list[Any]) -> bool:
    """A branch that is not taken may be infinite, and 0·∞ would spoil a reverse sweep."""
    return any(node.op in _CHOICES and not all(arg.total for arg in node.args[-2:]) for node in order)


def _reverse_sweep(
    order: list[Any], outputs: list[Expr], weights: list[Expr], inputs: Sequence[Expr], needed: Collection[Any]
) -> list[Expr]:
    bars: dict[Any, Expr] = {}
    for output, weight in zip(outputs, weights, strict=True):
        bars[output] = bars[output] + weight if output in bars else weight
    leaves = set(inputs)
    for node in reversed(order):
        if node in bars and node in needed and node not in leaves:
            for arg, share in _shares(node, bars[node], needed):
                bars[arg] = bars[arg] + share if arg in bars else share
    return [bars.get(symbol, ZERO) for symbol in inputs]


def _shares(node: Any, bar: Expr, needed: Collection[Any]) -> list[tuple[Any, Expr]]:
    """What each operand of a node gets of the node's weight."""
    op = node.op
    if op == "mul":
        a, b = node.args
        half_power = _half_power(node) if a in needed and b in needed else None
        if half_power is not None:
            return [(node.args[half_power[0]], bar * half_power[1])]
        if a in needed:
            return [(a, bar * b), (b, bar * a)] if b in needed else [(a, bar * b)]
        return [(b, bar * a)]
    if op == "add":
        return [(arg, bar) for arg in node.args if arg in needed]
    if op in _CHOICES:
        condition, a, b = _CHOICES[op](node)
        return [(a, where(condition, bar, ZERO)), (b, where(condition, ZERO, bar))]
    partials = _PARTIALS[op](node)
    return [(arg, _scaled(p, bar)) for arg, p in zip(node.args, partials, strict=True) if arg in needed]


def _depends_on(order: list[Any], inputs: Sequence[Expr]) -> set[Any]:
    found = set(inputs)
    for node in order:
        for arg in node.args:
            if arg in found:
                found.add(node)
    return found


def jacobian(outputs: Nested, inputs: Nested) -> NDArray[Any]:
    """∂outputs/∂inputs as a matrix, one row per output; zeros that the structure shows cost nothing.

    Rows come from reverse sweeps or columns from one forward sweep, whichever touches fewer nodes.

    Example:
        >>> from multibody.graph import symbols, sin
        >>> x, y = symbols("x y")
        >>> jacobian([x * y, sin(x)], [x, y])
        array([[y, x],
               [cos(x), 0]], dtype=object)
    """
    rows, columns = flat(outputs), flat(inputs)
    order = topological(rows)
    below = _inputs_below(order, columns)
    needed, by_columns = below.keys(), sum(map(int.bit_count, below.values()))
    result = np.full((len(rows), len(columns)), ZERO, dtype=object)
    by_rows = len(rows) * len(needed) < by_columns or _reverse_cost(order, rows, needed) < by_columns
    if by_rows and not _has_hidden_singularity(order):
        for i, row in enumerate(rows):
            result[i, :] = _reverse_sweep(topological([row]), [row], [ONE], columns, needed)
    else:
        rates = _forward_columns(order, columns)
        for i, row in enumerate(rows):
            for j, rate in rates.get(row, {}).items():
                result[i, j] = rate
    return result


def _forward_columns(order: list[Any], inputs: Sequence[Expr]) -> dict[Any, dict[int, Expr]]:
    """For each node its nonzero derivatives, by the number of the input."""
    rates: dict[Any, dict[int, Expr]] = {}
    for j, symbol in enumerate(inputs):
        rates.setdefault(symbol, {})[j] = ONE
    for node in order:
        if not node.args or node in rates or isinstance(node, Condition):
            continue
        below = [rates.get(arg, {}) for arg in node.args]
        moving = sorted(set().union(*below))
        if moving:
            rates[node] = {j: _rate(node, [rate.get(j) for rate in below]) for j in moving}
    return rates


def _inputs_below(order: list[Any], inputs: list[Expr]) -> dict[Any, int]:
    """For each node that depends on inputs a bit for each of them: all columns together touch so many nodes."""
    below: dict[Any, int] = {node: 1 << i for i, node in enumerate(inputs)}
    for node in order:
        mask = below.get(node, 0)
        for arg in node.args:
            mask |= below.get(arg, 0)
        if mask:
            below[node] = mask
    return below


def _reverse_cost(order: list[Any], outputs: list[Expr], needed: Collection[Any]) -> int:
    """How many nodes all rows touch: for each node, the number of outputs above it."""
    above: dict[Any, int] = {}
    for i, output in enumerate(outputs):
        above[output] = above.get(output, 0) | 1 << i
    cost = 0
    for node in reversed(order):
        mask = above.get(node, 0)
        if mask and node in needed:
            cost += mask.bit_count()
            for arg in node.args:
                above[arg] = above.get(arg, 0) | mask
    return cost


def time_derivative(thing: Nested, rates: Mapping[Expr, Any]) -> Any:
    """d/dt along given rates, for example ``{q: u}``; time runs at rate 1, parameters stand still.

    Every coordinate, speed, input and variable in ``thing`` must have a rate.

    Example:
        >>> from multibody.graph import symbol, sin
        >>> q, u = symbol("q", "coordinate"), symbol("u", "speed")
        >>> time_derivative(sin(q), {q: u})
        u*cos(q)
    """
    found = [node for node in topological(flat(thing)) if isinstance(node, Symbol)]
    missing = [s.name for s in found if s not in rates and s.kind not in ("parameter", "time")]
    if missing:
        raise MissingValueError(
            f"No rate for: {', '.join(sorted(missing))}.",
            cause="The expression depends on quantities that change with time.",
            remedy="Give the rate of each, 0 for those that stand still.",
            names=sorted(missing),
        )
    clock: dict[Expr, Any] = {s: ONE for s in found if s.kind == "time"}
    return directional(thing, {**clock, **rates})
