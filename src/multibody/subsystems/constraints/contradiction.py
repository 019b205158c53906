"""Invariants that follow from others: whether they demand the same, at all their levels.

A row of A that is a combination of others, A_j = Σ f_k·A_k, restricts nothing more. It agrees with them if positions,
velocities and γ are the same combination; otherwise a state that satisfies all of them is looked for by numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.errors import ExpressionError, ModelError
from multibody.graph import ZERO, Expr, Symbol, evaluate, free_symbols, solve
from multibody.graph.identity import independent_rows
from multibody.graph.linear_algebra import Matrix
from multibody.graph.running_error import balanced_sizes
from multibody.subsystems.constraints.closed_state import Numbers, closed_state
from multibody.subsystems.constraints.invariant import Invariant, coefficients
from multibody.subsystems.tolerances import CONTRADICTING_RESIDUAL, VANISHING_TERMS

TRIES = 6


def require_agreement(one: Invariant, others: Sequence[Invariant], rates: Sequence[Symbol], values: Numbers) -> None:
    """An error if an invariant contradicts those that it follows from.

    Args:
        one: that restricts nothing more than the others.
        others: of this level and of the parts, independent of each other.
        rates: of all variables of the highest order.
        values: of parameters and variables at the start, as far as they are known.

    Raises:
        ModelError: if no state satisfies all of them, or if it fixes positions that the others leave open.
    """
    A, gamma = coefficients([*others, one], rates)
    used, factors = _combination(A)
    others = [others[k] for k in used]
    _require_positions(one, others)
    gaps = [gamma[-1] - _total(factors, list(gamma[used]))]
    gaps += [level - _total(factors, rest) for level, *rest in _levels(one, others)]
    if all(gap.fp == 0 for gap in gaps):
        return
    if _apart(one, others, gaps[0], values):
        raise _contradiction(one, others)


def _combination(A: Matrix) -> tuple[list[int], list[Expr]]:
    """The rows that the last row is a combination of, and the factors."""
    above, last = A[:-1], A[-1]
    columns = independent_rows([[entry.fp for entry in column] for column in above.T]) if len(above) else []
    if not columns:
        return [], []
    factors = solve(above[:, columns].T, last[columns])
    used = [k for k, factor in enumerate(factors) if factor.fp != 0]
    return used, [factors[k] for k in used]


def _total(factors: Sequence[Expr], terms: Sequence[Expr]) -> Expr:
    return sum((factor * term for factor, term in zip(factors, terms, strict=True)), start=ZERO)


def _levels(one: Invariant, others: Sequence[Invariant]) -> list[tuple[Expr, ...]]:
    """Velocity and positions, of one and of the others, as far as all of them have these levels."""
    everything = [_descending(each) for each in (one, *others)]
    return list(zip(*everything, strict=False))


def _descending(one: Invariant) -> list[Expr]:
    return [*([] if one.velocity is None else [one.velocity]), *reversed(one.positions)]


def _require_positions(one: Invariant, others: Sequence[Invariant]) -> None:
    """An error if the others keep only the rates of what this one fixes; it would be lost."""
    rough = [other for other in others if len(_descending(other)) < len(_descending(one))]
    if rough:
        raise ModelError(
            f"The constraint '{one.name}' restricts positions whose rates {_named(one, rough)} restricts already.",
            where=f"subsystem '{one.owner}'",
            cause=f"Both say the same of the motion, but not of the start: {'; '.join(map(_short, [one, *rough]))}.",
            remedy=f"Remove {_named(one, rough)}: its rates follow from '{one.name}'.",
            code="constraint-of-position-and-rate",
            name=one.name,
        )


def _apart(one: Invariant, others: Sequence[Invariant], bias: Expr, values: Numbers) -> bool:
    """Whether the others can be satisfied, and one together with them never."""
    first = [level for other in others for level in _descending(other)]
    both, checked = [*first, *_descending(one)], False
    symbols = free_symbols([*both, bias])
    unknown = [s for s in symbols if s.kind not in ("time", "input") and not (s.kind == "parameter" and s in values)]
    for known in _guesses(symbols, values):
        alone = closed_state(first, unknown, known)
        checked = checked or alone is not None
        together = None if alone is None else closed_state(both, unknown, alone)
        if together is not None and _share(bias, together, known) < CONTRADICTING_RESIDUAL:
            return False
    return checked


def _guesses(symbols: Sequence[Symbol], values: Numbers) -> list[dict[Any, float]]:
    """Starting points: that of a run, and random ones; values of parameters are kept."""
    rng = np.random.default_rng(0)
    held = {s: values[s] for s in symbols if s in values and s.kind == "parameter"}
    drawn = [{s: float(rng.uniform(0.5, 1.5) * rng.choice(_signs(s))) for s in symbols} for _ in range(TRIES)]
    return [known | held for known in (drawn[0] | {s: values[s] for s in symbols if s in values}, *drawn)]


def _signs(one: Symbol) -> list[int]:
    return [1] if one.kind in ("parameter", "time") else [-1, 1]


def _share(bias: Expr, known: Numbers, before: Numbers) -> float:
    """A residual relative to its terms; to a small part of those before where they all vanish.

    Zero where there is no value: the invariants are not a combination of each other there.
    """
    try:
        value = abs(float(evaluate(bias, dict(known))))
    except ExpressionError:
        return 0.0
    size, usual = (float(np.nan_to_num(balanced_sizes([bias], each), posinf=0.0)[0]) for each in (known, before))
    return value / max(size, value, VANISHING_TERMS * usual) if value else 0.0


def _contradiction(one: Invariant, others: Sequence[Invariant]) -> ModelError:
    return ModelError(
        f"The constraint '{one.name}' contradicts {_named(one, others) or 'all motions'}.",
        where=f"subsystem '{one.owner}'",
        cause=f"They restrict the same motion, and demand different things: {'; '.join(map(_short, [*others, one]))}.",
        remedy="Remove one of them, or correct the constants in it.",
        code="constraints-contradict",
        name=one.name,
    )


def _named(one: Invariant, others: Sequence[Invariant]) -> str:
    return ", ".join(f"'{o.name}'" + (f" of '{o.owner}'" if o.owner != one.owner else "") for o in others)


def _short(one: Invariant) -> str:
    text = str(one.levels[0])
    return f"{text if len(text) <= 80 else text[:77] + '…'} = 0"
