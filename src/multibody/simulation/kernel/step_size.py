"""The rules of step sizes, as functions of numbers: the loops for one run and for several follow the same ones.

Hairer, Nørsett & Wanner 1993, II.4. Loaded late: everything here is compiled.
"""

from __future__ import annotations

import math

from multibody.compiler.loops.language import EPSILON, compiled, larger, smaller

SAFETY, SHRINK, GROW = 0.9, 0.2, 6.0
"""The margin of a new step, and the largest changes of its length after one that was tried."""

RETREAT = 0.25
"""How much shorter the next trial is, where there is nothing to estimate an error from."""

ALMOST = 1e-6
"""By so much a step may be longer than it should be, to come to the end with it."""


@compiled
def combined_error(h: float, first: float, second: float, count: float) -> float:
    """The error of a step from the sums of squares of its estimates; with two of them as in DOP853 (II.10)."""
    if first == 0.0:
        return 0.0
    return h * first / math.sqrt((first + 0.01 * second) * count)


@compiled
def growth(order: int, beta: float, error: float, last_error: float, rejected_last: bool) -> float:
    """By how much the step changes after a success: PI control (IV.2 (2.43c) of volume II)."""
    exponent = 1.0 / order - 0.75 * beta
    factor = SAFETY * larger(error, 1e-10) ** -exponent
    if beta > 0.0:
        factor *= last_error**beta
    return smaller(larger(factor, SHRINK), 1.0 if rejected_last else GROW)


@compiled
def reduction(order: int, error: float) -> float:
    """By how much the step changes when its error was too large; infinite and undefined errors tell nothing."""
    return larger(SHRINK, SAFETY * error ** (-1.0 / order)) if 1.0 < error < math.inf else RETREAT


@compiled
def next_step(h: float, factor: float, proposed: float, longest: float) -> float:
    """The length of the next step; one that was cut off at the end says little about it."""
    is_cut_off = h < (1.0 - ALMOST) * proposed
    return smaller(larger(h * factor, proposed if is_cut_off else 0.0), longest)


@compiled
def end_of_step(t: float, planned: float, last: float) -> float:
    """Where a step ends that begins at t: where it is planned to, or at the last possible time if that is near."""
    return last if planned + ALMOST * (planned - t) >= last else planned


@compiled
def smallest_step(t: float, end: float) -> float:
    """Steps must not be smaller, or time does not move on reliably."""
    return 16.0 * EPSILON * larger(abs(t), abs(end))


@compiled
def step_to_look(state: float, rate: float, left: float, longest: float) -> float:
    """How far ahead the second derivative is taken at the start, from the sizes of y and ẏ (II.4, page 169)."""
    h = 1e-6 if state < 1e-5 or rate < 1e-5 else 0.01 * state / rate
    return smaller(h, smaller(left, longest))


@compiled
def first_step(order: int, h: float, rate: float, change: float) -> float:
    """The first step, from the sizes of ẏ and ÿ, where the latter is taken a step h ahead (II.4, page 169)."""
    largest = larger(rate, change)
    if not 1e-15 < largest < math.inf:
        return larger(1e-6, 1e-3 * h)
    return smaller(100.0 * h, (0.01 / largest) ** (1.0 / order))
