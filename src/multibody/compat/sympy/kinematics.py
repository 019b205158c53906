"""Coordinates, speeds, kinematic differential equations and constraints that were written in SymPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multibody.compat.sympy.vocabulary import SympyVocabulary
from multibody.errors import ModelError
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    free_symbols,
    jacobian,
    rank,
    solve_regular,
    substitute,
    time_derivative,
)
from multibody.graph.linear_algebra import Matrix
from multibody.graph.sympy.reader import is_symbol, time_symbol

Read = Callable[[Any], Expr]


@dataclass(frozen=True)
class SympyKinematics:
    """Coordinates, speeds and the rates q̇, and how everything else is read with them."""

    vocabulary: SympyVocabulary
    q: tuple[Symbol, ...]
    u: tuple[Symbol, ...]
    rates: tuple[Expr, ...]
    read: Read

    def change(self, things: Any, accelerations: Sequence[Expr] | None = None) -> Any:
        """d/dt of expressions; by default the speeds do not change."""
        flow: dict[Expr, Expr] = {**dict(zip(self.q, self.rates, strict=True)), **dict.fromkeys(self.u, ZERO)}
        if accelerations is not None:
            flow |= dict(zip(self.u, accelerations, strict=True))
        return time_derivative(things, {**flow, **self.vocabulary.input_rates(things)})

    def apart(self) -> SympyKinematics:
        """The same with a vocabulary of its own: what is met from now on becomes no input or parameter of the model."""
        own = self.vocabulary.copied()
        return replace(self, vocabulary=own, read=own.reader().read)

    def with_accelerations(self, accelerations: Sequence[Expr]) -> SympyKinematics:
        """The same, but rates of speeds can be read, and q̈ is d/dt q̇.

        Args:
            accelerations: what the rates of the speeds are read as.
        """
        changes = self.change(list(self.rates), accelerations) if self.q else []
        drifts: dict[Expr, Expr] = dict(zip(self.q, changes, strict=True))
        seconds = {
            rate_of(rate_of(node)): drifts[symbol] for node, symbol in self.vocabulary.items() if symbol in drifts
        }
        known: dict[Expr, Expr] = dict(zip(self.u, accelerations, strict=True))
        speeds = {rate_of(node): known[symbol] for node, symbol in self.vocabulary.items() if symbol in known}
        return replace(self, read=self.vocabulary.reader({**seconds, **speeds}).read)


def rate_of(function: Any) -> Any:
    """SymPy's derivative of a function of time; it is only written, because evaluation takes SymPy a millisecond."""
    import sympy

    return sympy.Derivative(function, time_symbol(), evaluate=not is_symbol(function) or not function.is_Function)


def linear_rows(products: Iterable[tuple[Any, Any]], rest: Any) -> list[Any]:
    """The rows of Σ A·x + b, only written: SymPy's own product goes through long entries to simplify them."""
    from sympy import Add, Mul

    written = [[entry] for entry in rest.flat()]
    for matrix, vector in products:
        for terms, row in zip(written, matrix.tolist(), strict=True):
            terms += [Mul(a, x, evaluate=False) for a, x in zip(row, vector.flat(), strict=True) if a != 0]
    return [Add(*terms, evaluate=False) for terms in written]


def kinematics_of(
    vocabulary: SympyVocabulary, coordinates: Iterable[Any], speeds: Iterable[Any], equations: Iterable[Any],
    auxiliary: Iterable[Any] = (),
) -> SympyKinematics:  # fmt: skip
    """Coordinates and speeds with k_q̇(q,t)·q̇ + k_u(q,t)·u + f(q,t) = 0 solved for q̇; auxiliary speeds are zero."""
    time, qs, us = time_symbol(), list(coordinates), list(speeds)
    derivatives = [rate_of(coordinate) for coordinate in qs]
    q = tuple(
        vocabulary.coordinate(coordinate, with_speed=rate in us)
        for coordinate, rate in zip(qs, derivatives, strict=True)
    )
    u = tuple(vocabulary.speed(speed) for speed in us)
    for speed in auxiliary:
        vocabulary.learn(speed, ZERO)
        vocabulary.learn(speed.diff(time), ZERO)
    unknown = [rate for rate in derivatives if rate not in us]
    stand_ins = vocabulary.stand_ins(unknown, "rate")
    rows = [vocabulary.reader().read(equation) for equation in equations] if unknown else []
    for rate, solution in zip(unknown, _solved(vocabulary.scope, rows, stand_ins), strict=True):
        vocabulary.learn(rate, solution)
    return SympyKinematics(vocabulary, q, u, tuple(vocabulary[rate] for rate in derivatives), vocabulary.reader().read)


def _solved(name: str, rows: Sequence[Expr], unknown: Sequence[Symbol]) -> list[Expr]:
    real = [row for row in rows if row.fp != 0]
    K = jacobian(real, unknown).reshape(len(real), len(unknown))
    if len(real) != len(unknown) or set(unknown) & set(free_symbols(K.tolist())) or rank(K) < len(real):
        raise ModelError(
            "The kinematic differential equations cannot be solved for the rates of the coordinates.",
            where=f"model '{name}'",
            cause=f"There are {len(real)} equations for {len(unknown)} rates; they must be linear and independent.",
            remedy="Give one equation, linear in the derivatives and speeds, for each coordinate.",
            code="kinematic-equations-unsolvable",
        )
    rest = array(substitute(list(real), dict.fromkeys(unknown, ZERO))) if real else array([])
    return list(solve_regular(K, -rest)) if real else []


def constraints_of(kinematics: SympyKinematics, positions: Iterable[Any], velocities: Iterable[Any]) -> dict[str, Expr]:
    """φ(q, t) of all holonomic constraints, and those velocity constraints that do not follow from them."""
    found = {f"holonomic_{k}": kinematics.read(position) for k, position in enumerate(positions, 1)}
    rows = list(kinematics.change(list(found.values()))) if found else []
    known = _rank(rows, kinematics.u)
    for k, velocity in enumerate(velocities, 1):
        row = kinematics.read(velocity)
        if _rank([*rows, row], kinematics.u) > known:
            known += 1
            rows.append(row)
            found[f"velocity_{k}"] = row
    kinematics.vocabulary.input_rates(rows)  # γ needs them
    return found


def _rank(rows: Sequence[Expr], speeds: Sequence[Symbol]) -> int:
    """Of [B β] in B·u + β = 0."""
    if not rows:
        return 0
    still: Mapping[Any, Any] = dict.fromkeys(speeds, ZERO)
    B: Matrix = jacobian(list(rows), speeds).reshape(len(rows), len(speeds))
    return int(rank(np.column_stack([B, array(substitute(list(rows), still))])))
