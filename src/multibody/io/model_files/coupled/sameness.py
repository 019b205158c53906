"""Whether a subsystem that was read is the one that was written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from multibody.graph import Expr, evaluate, free_symbols, same
from multibody.subsystems.content import SubsystemContent

STATES = 4
TOLERANCE = 1e-9
"""Of values at random states, relative; for numbers that were rounded inside an expression."""


def difference(one: SubsystemContent, other: SubsystemContent) -> str:
    """The first level and property in which two subsystems differ; empty if they are the same.

    Names, values and all expressions are compared: by fingerprint, or by values at random states.
    """
    levels, others = one.levels(), other.levels()
    if len(levels) != len(others):
        return "the number of parts"
    for level, again in zip(levels, others, strict=True):
        for (what, value), (_, found) in zip(_properties(level), _properties(again), strict=True):
            if value != found:
                return f"{what} of '{level.label}'"
        if not _equal(list(level.expressions()), list(again.expressions())):
            return f"the equations of '{level.label}'"
    return ""


def _properties(level: SubsystemContent) -> Iterator[tuple[str, Any]]:
    """All that is no expression."""
    seen = level.appearance
    yield "the label", level.label
    yield "the description", level.description
    yield "the variables", ([(one.name, order) for one, order in level.orders.items()], [one.name for one in level.top])
    yield "the rates", [one.name for one in level.rates]
    yield "other names", sorted(level.aliases)
    yield "the rows", [one.name for one in level.rows]
    yield "the independent variables", [one.name for one in (*level.independent, *level.chosen)]
    yield "the constraints", [(one.name, one.unit, one.owner) for one in (*level.invariants, *level.redundant)]
    yield (
        "the parameters",
        [
            (one.name, one.unit, one.description, [value is None for value in one.default.values()])
            for one in level.parameters
        ],
    )
    yield (
        "the inputs",
        [(one.name, one.unit, one.description, one.limits, one.slider, np.shape(one.symbols)) for one in level.inputs],
    )
    yield "the start", ({one.name: value for one, value in level.start.items()}, {one.name for one in level.guesses})
    yield "the reference", [one.name for one in level.reference]
    yield "the quaternions", [[one.name for one in group] for group in level.quaternions]
    yield "the energy", level.energy is None
    yield "the bodies", ([one.name for one in seen.bodies], [one.bodies for one in seen.inertias])
    yield "the drawings", [(one.name, one.body, type(one.shape), one.to) for one in seen.drawings]
    yield "the sensors", ([(name, s.unit, s.value.shape) for name, s in seen.sensors.items()], seen.reactions)
    yield "the joints", ([*seen.values], [(one.joint, str(one.coordinate), one.limits) for one in seen.limits])


def _equal(some: Sequence[Expr], others: Sequence[Expr]) -> bool:
    if len(some) != len(others):
        return False
    open_ = [pair for pair in zip(some, others, strict=True) if not same(*pair)]
    if not open_:
        return True
    rng = np.random.default_rng(0)
    pairs = [list(side) for side in zip(*open_, strict=True)]
    known: dict[Any, Any] = {
        one: rng.uniform(0.3, 1.2, STATES) for one in free_symbols([part for side in pairs for part in side])
    }
    with np.errstate(all="ignore"):
        a, b = ([np.broadcast_to(value, STATES) for value in evaluate(side, known)] for side in pairs)
    return bool(np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True))
