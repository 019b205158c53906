"""Tests of identities that a user gives: by numbers, in states in which the constraints are kept.

An identity that is false would make formulas shorter and wrong. Those between parameters alone are tested where all of
them have values; elsewhere they say what the values will be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import ModelError, MultibodyError
from multibody.graph import Constant, Expr, as_expr, evaluate, free_symbols, gradient
from multibody.mechanics.constraints.equations import unit_length_gaps
from multibody.model.quantity import Parameter
from multibody.subsystems.arguments.named_values import start_values
from multibody.subsystems.arguments.vocabulary import TIME, rate_symbol
from multibody.subsystems.constraints.closed_state import closed_state
from multibody.subsystems.content import Identities, SubsystemContent
from multibody.subsystems.tolerances import EQUAL_SIDES

SIZES = (0.1, 0.1, 0.3, 0.3, 1.0, 1.0)
"""Distances of the random states from the start."""


SMALLEST = 1e-8
"""Size of a variable below which its rounding does not become smaller: states begin with random numbers of size 1."""

CHANGE = 0.2
"""Relative change of the values of parameters, to see whether an identity holds with other values, too."""


def require_identities(system: SubsystemContent, pairs: Identities) -> None:
    """An error for an identity that does not hold where the constraints of a subsystem are kept.

    One that holds only in some ways to assemble the system is accepted if it holds in one of the states near the start.
    It must also hold with other values of the parameters, as long as the constraints can be kept with them.

    Raises:
        ModelError: with the identity, and the numbers on both sides.
    """
    own = [pair for pair in pairs if pair[0].fp != pair[1].fp]
    require_parameters_equal(system, own)
    moving = [pair for pair in own if not of_parameters(pair)]
    if not moving:
        return
    states, others = list(_states(system, own)), list(_states(system, own, CHANGE))
    for pair in moving:
        sides = _in_states(pair, states)
        if not sides:
            raise _untested(system, pair)
        if not any(each.equal for each in sides):
            raise _false(system, pair, sides[0], "in a state in which the constraints are kept")
        sides = _in_states(pair, others)
        if sides and not any(each.equal for each in sides):
            raise _false(system, pair, sides[0], "with other values of the parameters")


def require_parameters_equal(system: SubsystemContent, pairs: Iterable[tuple[Expr, Expr]]) -> None:
    """An error for an identity between parameters whose values contradict it."""
    known = start_values((), {}, {}, system.parameters)
    for pair in pairs:
        sides = _sides(pair, known) if of_parameters(pair) else None
        if sides is not None and not sides.equal:
            raise _false(system, pair, sides, "with the values of the parameters")


def of_parameters(pair: tuple[Expr, Expr]) -> bool:
    """Whether an identity is one of parameters alone."""
    return all(symbol.kind == "parameter" for symbol in free_symbols(list(pair)))


def _states(
    system: SubsystemContent, pairs: Sequence[tuple[Expr, Expr]], change: float = 0.0
) -> Iterator[dict[Any, float]]:
    """Random states near the start with values of all symbols, in which invariants of all levels are kept.

    Args:
        system: the subsystem.
        pairs: identities; those between parameters are kept as well.
        change: relative change of the values of parameters.
    """
    closing = [gap for invariant in system.all_invariants() for gap in invariant.levels]
    closing += unit_length_gaps(system.quaternions)
    between = [pair for pair in pairs if of_parameters(pair)]
    closing += [a - b for a, b in between]
    symbols = {*free_symbols([*closing, *(side for pair in pairs for side in pair)]), *system.orders}
    symbols |= {rate_symbol(variable) for variable in system.top}
    tied = {symbol for pair in between for symbol in free_symbols(list(pair))} if change else set()
    given = {symbol for each in system.parameters for symbol, value in each.default.items() if value is not None} - tied
    unknown = sorted(
        (symbol for symbol in symbols if symbol.kind not in ("time", "input") and symbol not in given), key=str
    )
    rng = np.random.default_rng(1)
    for size in SIZES:
        parameters = _changed(system.parameters, change, rng) if change else system.parameters
        values = start_values(system.orders, system.start, system.reference, parameters)
        values[TIME] = size * rng.uniform(0.5, 1.5)
        state: dict[Any, float] = {
            symbol: values.get(symbol, rng.uniform(0.5, 1.5)) for symbol in sorted(symbols, key=str)
        }
        state |= {symbol: state[symbol] + size * rng.normal() for symbol in unknown if symbol not in tied}
        closed = closed_state(closing, unknown, state) if closing else state
        if closed is not None:
            yield closed


def _changed(parameters: Iterable[Parameter], change: float, rng: np.random.Generator) -> list[Parameter]:
    """The same parameters with other numbers; formulas stay."""
    changed = []
    for each in parameters:
        factors = 1 + change * rng.uniform(-1, 1, len(each.default))
        pairs = zip(each.default.items(), factors, strict=True)
        changed.append(replace(each, default={key: _multiple(value, factor) for (key, value), factor in pairs}))
    return changed


def _multiple(value: Expr | None, factor: float) -> Expr | None:
    return as_expr(float(value.value) * factor) if isinstance(value, Constant) else value


class _Sides(NamedTuple):
    """The numbers on both sides of an identity, and whether they are equal up to rounding."""

    left: float
    right: float
    equal: bool


def _in_states(pair: tuple[Expr, Expr], states: Iterable[dict[Any, float]]) -> list[_Sides]:
    return [sides for sides in (_sides(pair, state) for state in states) if sides is not None]


def _sides(pair: tuple[Expr, Expr], known: dict[Any, float]) -> _Sides | None:
    """Both sides as numbers; None where they have none.

    They are equal up to what rounded values of their symbols can make of them: |a - b| is small against
    Σ |∂(a - b)/∂s|·|s|.
    """
    symbols = free_symbols(list(pair))
    if any(symbol not in known for symbol in symbols):
        return None
    try:
        a, b = map(float, evaluate(list(pair), known))
    except MultibodyError:
        return None
    size = 0.0
    try:
        for variable, slope in zip(symbols, evaluate(gradient(pair[0] - pair[1], symbols), known), strict=True):
            size += abs(float(slope)) * max(abs(known[variable]), 0.0 if variable.kind == "parameter" else SMALLEST)
    except MultibodyError:  # a root of zero has no slope
        size = 0.0
    return _Sides(a, b, abs(a - b) <= EQUAL_SIDES * (size or max(abs(a), abs(b))))


def _false(system: SubsystemContent, pair: tuple[Expr, Expr], sides: _Sides, where: str) -> ModelError:
    return ModelError(
        f"The identity {pair[0]!r:.80} = {pair[1]!r:.80} does not hold.",
        where=f"identities of subsystem '{system.label}'",
        cause=f"It is {sides.left:.6g} on one side and {sides.right:.6g} on the other, {where}.",
        remedy="Correct it or leave it out: identities only make formulas shorter.",
        code="identity-false",
        value=(sides.left, sides.right),
    )


def _untested(system: SubsystemContent, pair: tuple[Expr, Expr]) -> ModelError:
    return ModelError(
        f"The identity {pair[0]!r:.80} = {pair[1]!r:.80} cannot be tested.",
        where=f"identities of subsystem '{system.label}'",
        cause="No state near the start was found in which the constraints are kept and both sides have values.",
        remedy="Give start values with which the constraints can be kept, or leave the identity out.",
        code="identity-untested",
    )
