"""Sums of two expressions that are zero: by proof, or by numbers at random states and beside conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import MultibodyError
from multibody.graph import Expr, Symbol, as_expr, evaluate, free_symbols, topological
from multibody.graph.piecewise.conditions import deciding_value
from multibody.graph.piecewise.tables import Tabulated
from multibody.mechanics.tolerances import POTENTIAL_MISMATCH
from multibody.model.quantity import Parameter, known_defaults

SCALES = (0.001, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4)
"""Distances of random states from the start: near it loops can be closed, farther away other pieces of a law begin."""

STATES_PER_SCALE = 20

ANGLES = 100.0
"""Angles larger than this lose digits."""

REACHES = (0.0, *(10.0**k for k in range(-3, 9)))
"""Distances from the start; between them, changes of conditions are searched for."""

RAYS = 8
BISECTIONS = 40
BESIDE = (1e-9, 1e-6, 1e-4, 1e-3, 0.03, 0.3)  # distances from a change, relative to that from the start
MAX_MARGINS = 50

Vector = NDArray[np.float64]


def cancel(power: Expr, slope: Expr, parameters: Iterable[Parameter], start: Mapping[Symbol, float]) -> bool:
    """Whether the sum of two expressions is zero: proved, or to rounding at random states.

    Where they have no value at any of these states, nothing is said against them.

    Args:
        power: of a force.
        slope: of a potential.
        parameters: whose defaults say how large they are.
        start: values of coordinates that the states are around.
    """
    if (power + slope).fp == 0:
        return True
    rng = np.random.default_rng(0)
    defaults = known_defaults(parameters)
    symbols = free_symbols([power, slope])
    center = {
        symbol: defaults.get(symbol) or 1.0 if symbol.kind == "parameter" else start.get(symbol, 0.0)
        for symbol in symbols
    }
    known: dict[Any, Any] = _random_states(center, rng)
    groups = [np.full(STATES_PER_SCALE, scale) for scale in SCALES]
    for states, distances in _beside_conditions([power, slope], center, rng):
        groups.append(distances)
        known = {symbol: np.concatenate([values, states[symbol]]) for symbol, values in known.items()}
    try:
        with np.errstate(all="ignore"):
            force, change = (np.asarray(evaluate(expression, known), dtype=np.float64) for expression in (power, slope))
    except MultibodyError:
        return False
    count = sum(map(len, groups))
    with np.errstate(all="ignore"):
        gap = np.broadcast_to(np.abs(force + change), count)
        size = np.broadcast_to(np.maximum(np.abs(force), np.abs(change)), count)
    finite = np.isfinite(gap) & np.isfinite(size)
    ends = np.cumsum([len(distances) for distances in groups])[:-1]
    gaps, sizes = (np.split(np.where(finite, row, 0.0), ends) for row in (gap, size))
    for distances, differences, terms in zip(groups, gaps, sizes, strict=True):
        rounding = POTENTIAL_MISMATCH * max(1.0, distances.max() / ANGLES)  # relative to the largest term of the group
        if differences.max() > rounding * terms.max():
            return False
    return True


def _random_states(center: Mapping[Symbol, float], rng: np.random.Generator) -> dict[Any, Vector]:
    """States about the center, at all distances; parameters change by a half of their values at most."""
    distances = np.repeat(SCALES, STATES_PER_SCALE)
    states: dict[Any, Vector] = {}
    for symbol, value in center.items():
        drawn = rng.normal(size=distances.size) * distances
        if symbol.kind == "parameter":
            states[symbol] = value * (1 + np.minimum(distances, 0.5) * rng.uniform(-1, 1, distances.size))
        else:
            states[symbol] = value + drawn
    return states


def _beside_conditions(
    expressions: Sequence[Expr], center: Mapping[Symbol, float], rng: np.random.Generator
) -> Iterator[tuple[Mapping[Symbol, Vector], Vector]]:
    """States on both sides of each place where a condition changes, with their distances from the center.

    Places are searched for along rays from the center. Each side is a group, whose states are close to the place and
    farther away, so that narrow ranges between two conditions are met as well.
    """
    margins = _margins(expressions)
    moving = [symbol for symbol in center if symbol.kind != "parameter"]
    if not margins or not moving:
        return
    direction = rng.normal(size=(len(moving), RAYS))
    direction[:, RAYS // 2 :] = -direction[:, : RAYS // 2]

    def states(t: Vector) -> dict[Any, Vector]:
        held: dict[Any, Vector] = {symbol: np.full(t.shape, value) for symbol, value in center.items()}
        return held | {symbol: center[symbol] + row * t for symbol, row in zip(moving, direction, strict=True)}

    for margin in margins:
        try:
            reach = _first_change(margin, states)
        except MultibodyError:  # no value there
            continue
        changing = np.isfinite(reach)
        if not changing.any():
            continue
        for side in (-1, 1):
            at = [states(reach * (1 + side * share)) for share in BESIDE]
            distances = np.concatenate([np.abs(reach * direction).max(axis=0)[changing]] * len(BESIDE))
            yield {symbol: np.concatenate([each[symbol][changing] for each in at]) for symbol in center}, distances


def _first_change(margin: Expr, states: Callable[[Vector], dict[Any, Vector]]) -> Vector:
    """How far along each ray a margin changes its sign for the first time; infinite where it does not.

    Args:
        margin: an expression.
        states: gives the states at a distance along each ray.
    """

    def signs(t: Vector) -> Vector:
        with np.errstate(all="ignore"):
            return np.sign(np.broadcast_to(np.asarray(evaluate(margin, states(t)), dtype=np.float64), t.shape))

    found = [signs(np.full(RAYS, reach)) for reach in REACHES]
    changes = np.array([a * b < 0 for a, b in pairwise(found)])
    first = np.argmax(changes, axis=0)
    inner, outer = np.take(REACHES, first), np.take(REACHES, first + 1)
    if changes.any():
        begin = signs(inner)
        for _ in range(BISECTIONS):
            middle = (inner + outer) / 2
            before = signs(middle) == begin
            inner, outer = np.where(before, middle, inner), np.where(before, outer, middle)
    return np.where(changes.any(axis=0), outer, np.inf)


def _margins(expressions: Sequence[Expr]) -> list[Expr]:
    """What changes its sign where another piece of an expression begins."""
    found: dict[Expr, None] = {}
    for node in topological(list(expressions)):
        if node.op in ("lt", "le", "abs", "sign"):
            found[deciding_value(node)] = None
        elif isinstance(node, Tabulated):
            breaks = node.table.breaks
            found |= dict.fromkeys(deciding_value(node) - as_expr(float(end)) for end in (breaks[0], breaks[-1]))
    return [expression for expression in found if free_symbols(expression)][:MAX_MARGINS]
