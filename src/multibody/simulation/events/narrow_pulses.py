"""Narrow pulses of smooth functions of time, such as exp(-((t - 3)/0.01)²), found before a run.

All stages of a long step may miss a pulse, and an integrator that sees nothing of it does not shorten the step. So
functions of time alone are examined by bounds of their rates on intervals of time, as in ``switching_times``: intervals
on which such a function is not nearly a straight line are halved. Where intervals are much shorter than elsewhere there
is a pulse, or a steep slope, and steps end within it, so that they cannot pass over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from multibody.graph import ONE, Expr, Symbol, directional, free_symbols, topological
from multibody.graph.expr import Constant
from multibody.simulation.contract import Vector
from multibody.simulation.events.switching_times import TimeFunction

PARTS = 64
"""Intervals of a run at first: more than the shortest number of steps, 50."""

HALVINGS = 18
"""How often an interval is halved, at most: pulses of 1e-7 of the duration are found."""

NARROW = 3
"""Intervals that were halved so often are short compared with a step of 1/50 of the duration."""

BEND = 0.03
"""A function that differs from a straight line by less, relative to all that it varies, is nearly one."""

BUSY = 0.5
"""A function that is bent on a larger share of the time cannot be missed: step control follows it."""

MOST_INTERVALS = 20_000
"""Intervals at one level; a function with more of them is bent everywhere."""

_PASSED = frozenset({"add", "sub", "neg", "mul", "where", "abs", "min", "max"})
"""Operations whose operands are examined one by one."""

_WAVES = frozenset({"sin", "cos", "add", "sub", "neg", "mul", "const", "symbol"})
"""Functions of these alone, such as sin(a·sin(ω·t)) of a drive, vary fast most of the time, or never."""

_EVEN_PACED = frozenset({"exp", "sqrt"})
"""Functions that vary as fast everywhere, relative to their value, where their argument is a + b·t."""


def parts_of_time(outputs: Iterable[Expr], of_time: Callable[[Any], bool]) -> Iterator[Expr]:
    """Functions of time alone in some expressions: terms and factors, each once."""
    waiting, seen = [*outputs], set()
    while waiting:
        node: Any = waiting.pop()
        if node in seen or not node.args or not isinstance(node, Expr):  # conditions are known as times of jumps
            continue
        seen.add(node)
        if not of_time(node) or node.op in _PASSED:
            waiting += node.args
        elif node.op != "table":
            yield node


def may_be_narrow(expression: Any, time: Symbol) -> bool:
    """Whether a function of time may vary in a short part of it alone."""
    if expression.op == "sign" or all(node.op in _WAVES for node in topological([expression])):
        return False
    base, *others = expression.args
    paced = expression.op in _EVEN_PACED
    paced |= expression.op == "pow" and all(isinstance(other, Constant) and float(other.value) >= 1 for other in others)
    return not (paced and time not in free_symbols([directional(base, {time: ONE})]))


def narrow_times(function: TimeFunction, first: float, last: float) -> Vector:
    """Times that no step may pass: within and around narrow pulses and steep slopes of a function of time.

    Args:
        function: of time, with numbers for its parameters.
        first: the start of the run.
        last: its end.
    """
    edges = np.linspace(first, last, PARTS + 1)
    begin, end, low, high = edges[:-1], edges[1:], np.inf, -np.inf
    ends: list[Vector] = []
    covered = 0.0
    with np.errstate(all="ignore"):
        for level in range(HALVINGS + 1):
            values = function(np.concatenate([begin, end, 0.5 * (begin + end)]))
            values = values[np.isfinite(values)]
            low, high = min(low, values.min(initial=np.inf)), max(high, values.max(initial=-np.inf))
            rate = function.bounds(function.rate, begin, end)
            bent = ~((rate.high - rate.low) * (end - begin) <= BEND * (high - low))
            begin, end = begin[bent], end[bent]
            if not len(begin) or len(begin) > MOST_INTERVALS:
                break
            if level == NARROW - 1:
                covered = float((end - begin).sum())
            middle = 0.5 * (begin + end)
            begin, end = np.concatenate([begin, middle]), np.concatenate([middle, end])
            if level >= NARROW - 1:
                ends += [begin, end]
    if not ends or len(begin) > MOST_INTERVALS or covered > BUSY * (last - first):
        return np.empty(0)
    found = np.unique(np.concatenate(ends))
    return found[(found > first) & (found < last)]
