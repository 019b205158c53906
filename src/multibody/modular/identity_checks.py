"""Tests of identities that a user gives: by numbers, in states in which the constraints are kept.

An identity that is false would make formulas shorter and wrong. Those between parameters alone are tested where all of
them have values; elsewhere they say what the values will be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelError, MultibodyError
from multibody.graph import ZERO, Expr, evaluate, free_symbols
from multibody.modular.closed_state import closed_state
from multibody.modular.starting import start_values
from multibody.modular.subsystem import Identities, Subsystem
from multibody.modular.vocabulary import rate_symbol

SIZES = (0.1, 0.1, 0.3, 0.3, 1.0, 1.0)
"""How far the states are from the start."""

SAME = 1e-7
"""Relative difference of numbers that are equal."""


def require_identities(system: Subsystem, pairs: Identities) -> None:
    """An error for an identity that does not hold where the constraints of a subsystem are kept.

    One that holds only in some ways to assemble the system is accepted if it holds in one of the states near the start.

    Raises:
        ModelError: with the identity, and the numbers on both sides.
    """
    own = [pair for pair in pairs if pair[0].fp != pair[1].fp]
    require_parameters_equal(system, own)
    moving = [pair for pair in own if not _of_parameters(pair)]
    if not moving:
        return
    states = list(_states(system, own))
    for pair in moving:
        gaps = [gap for gap in (_difference(pair, state) for state in states) if gap is not None]
        if gaps and all(not np.isclose(a, b, rtol=SAME, atol=SAME) for a, b in gaps):
            raise _false(system, pair, *gaps[0], "in a state in which the constraints are kept")


def require_parameters_equal(system: Subsystem, pairs: Iterable[tuple[Expr, Expr]]) -> None:
    """An error for an identity between parameters whose values contradict it."""
    known = start_values((), {}, {}, system.parameters)
    for pair in pairs:
        found = _difference(pair, known) if _of_parameters(pair) else None
        if found is not None and not np.isclose(*found, rtol=SAME, atol=SAME):
            raise _false(system, pair, *found, "with the values of the parameters")


def _of_parameters(pair: tuple[Expr, Expr]) -> bool:
    return all(one.kind == "parameter" for one in free_symbols(list(pair)))


def _states(system: Subsystem, pairs: Sequence[tuple[Expr, Expr]]) -> Iterator[dict[Any, float]]:
    """Random states near the start with values of all symbols, in which invariants of all levels are kept."""
    closing = [gap for one in system.all_invariants() for gap in one.levels]
    closing += [sum((one**2 for one in group), ZERO) - 1 for group in system.quaternions]
    closing += [a - b for a, b in pairs if _of_parameters((a, b))]
    values = start_values(system.orders, system.start, system.reference, system.parameters)
    rates = [rate_symbol(one) for one in system.top]
    symbols = (
        set(free_symbols([*closing, *(side for pair in pairs for side in pair)])) | set(system.orders) | set(rates)
    )
    given = {one for each in system.parameters for one, value in each.default.items() if value is not None}
    unknown = sorted((one for one in symbols if one.kind not in ("time", "input") and one not in given), key=str)
    rng = np.random.default_rng(1)
    for size in SIZES:
        state: dict[Any, float] = {one: values.get(one, rng.uniform(0.5, 1.5)) for one in sorted(symbols, key=str)}
        state |= {one: state[one] + size * rng.normal() for one in unknown}
        found = closed_state(closing, unknown, state) if closing else state
        if found is not None:
            yield found


def _difference(pair: tuple[Expr, Expr], known: dict[Any, float]) -> tuple[float, float] | None:
    """Both sides as numbers; None where they have none."""
    if any(one not in known for one in free_symbols(list(pair))):
        return None
    try:
        a, b = evaluate(list(pair), known)
        return float(a), float(b)
    except MultibodyError:
        return None


def _false(system: Subsystem, pair: tuple[Expr, Expr], a: float, b: float, where: str) -> ModelError:
    return ModelError(
        f"The identity {pair[0]!r:.80} = {pair[1]!r:.80} does not hold.",
        where=f"identities of subsystem '{system.label}'",
        cause=f"It is {a:.6g} on one side and {b:.6g} on the other, {where}.",
        remedy="Correct it or leave it out: identities only make formulas shorter.",
    )
