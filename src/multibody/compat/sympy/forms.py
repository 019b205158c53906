"""Equations that a SymbolicSystem holds, in any of its three forms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from multibody.compat.sympy.given import Given
from multibody.compat.sympy.kinematics import Kinematics
from multibody.compat.sympy.names import Vocabulary
from multibody.errors import ModelError
from multibody.graph import ONE, ZERO, Expr, Symbol, array, solve_regular, substitute
from multibody.graph.linear_algebra import Matrix


def given_by_forms(vocabulary: Vocabulary, system: Any) -> Given:
    """Equations from explicit rates, from one matrix for all rates, or from kinematics and dynamics apart.

    States that are not said to be coordinates or speeds, such as the activation of a muscle, are speeds too: u̇ = f is
    all that is known of them.
    """
    if system.alg_con:
        raise ModelError(
            f"The equations {', '.join(map(str, system.alg_con))} of the SymbolicSystem are algebraic.",
            where=f"model '{vocabulary.scope}'",
            remedy="Convert the KanesMethod, LagrangesMethod or System that has the constraints.",
        )
    states = list(system.states)
    qs, us = _split(system)
    q = {node: vocabulary.coordinate(node, with_speed=False) for node in qs}
    u = {node: vocabulary.speed(node) for node in us}
    kinematics = Kinematics(vocabulary, tuple(q.values()), tuple(u.values()), (), vocabulary.reader().read)
    if system._dyn_implicit_mat is not None:  # asking for it would be an error in the other forms
        rates = _column(kinematics, system.kin_explicit_rhs)
        return _given(kinematics, rates, _matrix(kinematics, system.dyn_implicit_mat), _dynamics(kinematics, system))
    if system._comb_implicit_mat is not None:
        matrix, right = _matrix(kinematics, system.comb_implicit_mat), _column(kinematics, system.comb_implicit_rhs)
        places = [*map(states.index, qs)], [*map(states.index, us)]
        return _combined(kinematics, matrix[:, places[0] + places[1]], right)
    explicit = dict(zip(states, _column(kinematics, system.comb_explicit_rhs), strict=True))
    return _explicit(kinematics, [explicit[one] for one in qs], [explicit[one] for one in us])


def _split(system: Any) -> tuple[list[Any], list[Any]]:
    """Coordinates and speeds; asking for those that nobody told apart would be an error."""
    states, q, u = list(system.states), system._coordinates, system._speeds
    if q is None:
        q = states[: len(system.kin_explicit_rhs)] if system._kin_explicit_rhs is not None else []
    first = [*q, *(u or ())]
    return list(q), first[len(q) :] + [one for one in states if one not in first]


def _dynamics(kinematics: Kinematics, system: Any) -> Matrix:
    return _column(kinematics, system.dyn_implicit_rhs)


def _matrix(kinematics: Kinematics, matrix: Any) -> Matrix:
    return array([[kinematics.read(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)])


def _column(kinematics: Kinematics, column: Any) -> Matrix:
    return array([kinematics.read(entry) for entry in column])


def _combined(kinematics: Kinematics, matrix: Matrix, right: Matrix) -> Given:
    """Rows in which only q̇ stand are kinematics, if there are as many as coordinates; the others are dynamics."""
    n = len(kinematics.q)
    dynamic = [k for k, row in enumerate(matrix) if any(entry.fp != 0 for entry in row[n:])]
    kinematic = [k for k in range(len(matrix)) if k not in dynamic]
    if len(kinematic) == n and all(entry.fp == 0 for entry in matrix[dynamic, :n].flat):
        rates = solve_regular(matrix[np.ix_(kinematic, range(n))], right[kinematic]) if n else array([])
        return _given(kinematics, rates, matrix[np.ix_(dynamic, range(n, len(right)))], right[dynamic])
    solved = solve_regular(matrix, right)
    return _explicit(kinematics, solved[:n], solved[n:])


def _given(kinematics: Kinematics, rates: Iterable[Expr], M: Matrix, right: Matrix) -> Given:
    """M·u̇ = right as it is if M is symmetric, as a mass matrix must be; otherwise solved."""
    if any(M[i, j].fp != M[j, i].fp for i in range(len(M)) for j in range(i)):
        return _explicit(kinematics, rates, solve_regular(M, right))
    return Given("SymPy", kinematics.q, kinematics.u, tuple(rates), (M, *_shared(kinematics, right)))


def _explicit(kinematics: Kinematics, rates: Iterable[Expr], acceleration: Iterable[Expr]) -> Given:
    """1·u̇ + h = f with h and f of the explicit rates."""
    count = len(kinematics.u)
    unit = array([[ONE if i == j else ZERO for j in range(count)] for i in range(count)])
    parts = unit, *_shared(kinematics, array(list(acceleration)))
    return Given("SymPy", kinematics.q, kinematics.u, tuple(rates), parts, acceleration=tuple(acceleration))


def _shared(kinematics: Kinematics, right: Matrix) -> tuple[Matrix, Matrix]:
    """h and f: what is there without inputs, and what they add."""
    inputs: dict[Any, Any] = dict.fromkeys(_inputs(kinematics.vocabulary), ZERO)
    without = array(substitute(list(right), inputs)) if len(right) else right
    return -without, right - without


def _inputs(vocabulary: Vocabulary) -> list[Symbol]:
    return [one for one in vocabulary.values() if isinstance(one, Symbol) and one.kind == "input"]
