"""Equations that a SymbolicSystem holds, in any of its three forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.compat.sympy.kinematics import SympyKinematics
from multibody.compat.sympy.read_equations import ReadEquations
from multibody.compat.sympy.vocabulary import SympyVocabulary
from multibody.errors import ModelError
from multibody.graph import (
    ONE,
    ZERO,
    Expr,
    Symbol,
    array,
    free_symbols,
    jacobian,
    names,
    rank,
    solve_regular,
    substitute,
)
from multibody.graph.linear_algebra import Matrix
from multibody.graph.sympy.system import ConstrainedForm, constrained_form


def solved_with_algebraic(name: str, matrix: Matrix, right: Matrix, algebraic: Mapping[int, Symbol]) -> Matrix:
    """(ẋ, λ) in the order of the columns, from (M - ∂F/∂λ)·(ẋ, λ) = F(x, 0).

    Args:
        name: of the model.
        matrix: M.
        right: F.
        algebraic: the symbol of each λ, by its column.
    """
    unknown = list(algebraic.values())
    W = matrix.copy()
    W[:, list(algebraic)] = W[:, list(algebraic)] - jacobian(list(right), unknown)
    if set(unknown) & set(free_symbols(W)) or rank(W) < len(W):
        raise ModelError(
            f"The algebraic equations {', '.join(map(str, algebraic))} of the SymbolicSystem cannot be solved.",
            where=f"model '{name}'",
            cause="They do not determine their own states, or are not linear in them: constraints on other states have "
            "to be differentiated first.",
            remedy="Convert the KanesMethod, LagrangesMethod or System that has the constraints.",
            code="algebraic-equations-unsolvable",
        )
    still: Any = dict.fromkeys(unknown, ZERO)
    solved: Matrix = solve_regular(W, array(substitute(list(right), still)))
    return solved


def given_by_forms(vocabulary: SympyVocabulary, system: Any) -> ReadEquations:
    """Equations from explicit rates, from one matrix for all rates, or from kinematics and dynamics apart.

    States that are not said to be coordinates or speeds, such as the activation of a muscle, are speeds too: u̇ = f is
    all that is known of them. Those of algebraic equations, such as multipliers, are not states here: they are solved
    for. Constraints are known if this library has made the object.
    """
    _require_fit(vocabulary.scope, system)
    qs, us = _split(system)
    q = {node: vocabulary.coordinate(node, with_speed=False) for node in qs}
    algebraic = [_order(system)[k] for k in system.alg_con or ()]
    u = {node: vocabulary.speed(node) for node in us if node not in algebraic}
    kinematics = SympyKinematics(vocabulary, tuple(q.values()), tuple(u.values()), (), vocabulary.reader().read)
    motion = constrained_form(system)
    if motion is not None and (motion.constraints or motion.quaternions):
        given = _with_constraints(kinematics, system, motion)
    elif algebraic:
        given = _without_states(kinematics, system, algebraic)
    else:
        given = _as_it_stands(kinematics, system, qs, us)
    read = vocabulary.reader().read  # a new one, which knows what algebraic states are
    outputs = {names.check(name, "output"): read(value) for name, value in (system.output_eqns or {}).items()}
    return replace(given, outputs=outputs, constraints_known=motion is not None)


def _as_it_stands(kinematics: SympyKinematics, system: Any, qs: Sequence[Any], us: Sequence[Any]) -> ReadEquations:
    states = list(system.states)
    if system._dyn_implicit_mat is not None:  # asking for it would be an error in the other forms
        rates = _column(kinematics, system.kin_explicit_rhs)
        return _given(kinematics, rates, _matrix(kinematics, system.dyn_implicit_mat), _dynamics(kinematics, system))
    if system._comb_implicit_mat is not None:
        matrix, right = _matrix(kinematics, system.comb_implicit_mat), _column(kinematics, system.comb_implicit_rhs)
        places = [*map(states.index, qs)], [*map(states.index, us)]
        return _combined(kinematics, matrix[:, places[0] + places[1]], right)
    explicit = dict(zip(states, _column(kinematics, system.comb_explicit_rhs), strict=True))
    return _explicit(kinematics, [explicit[coordinate] for coordinate in qs], [explicit[speed] for speed in us])


def _with_constraints(kinematics: SympyKinematics, system: Any, motion: ConstrainedForm) -> ReadEquations:
    """M·u̇ = f - h + Bᵀ·λ with the constraints and quaternions that were kept."""
    explicit = system._comb_explicit_rhs
    rates = system.kin_explicit_rhs if _apart(system) else explicit[: len(kinematics.q)]
    kinematics = replace(kinematics, rates=tuple(_column(kinematics, rates)))
    mass, forces = _matrix(kinematics, motion.mass_matrix), _column(kinematics, motion.forces)
    given = _given(kinematics, kinematics.rates, mass, forces)
    constraints = {name: kinematics.read(value) for name, value in motion.constraints.items()}
    speeds = set(kinematics.u)
    moving = [constraint for constraint in constraints.values() if not speeds & set(free_symbols(constraint))]
    velocities = [constraint for constraint in constraints.values() if speeds & set(free_symbols(constraint))]
    kinematics.vocabulary.input_rates([*(kinematics.change(moving) if moving else ()), *velocities])  # γ needs them
    return replace(given, constraints=constraints, quaternions=motion.quaternions)


def _without_states(kinematics: SympyKinematics, system: Any, algebraic: Sequence[Any]) -> ReadEquations:
    """The explicit rates of those states that are not algebraic."""
    vocabulary = kinematics.vocabulary
    stand_ins = vocabulary.stand_ins(algebraic, "algebraic")
    if _is_implicit(system):
        matrix, right = _matrix(kinematics, system.comb_implicit_mat), _column(kinematics, system.comb_implicit_rhs)
    else:
        right = _column(kinematics, system.comb_explicit_rhs)
        matrix = _unit(len(right))
    order = _order(system)
    columns = {order.index(node): stand_in for node, stand_in in zip(algebraic, stand_ins, strict=True)}
    rates = dict(zip(order, solved_with_algebraic(vocabulary.scope, matrix, right, columns), strict=True))
    for node in algebraic:
        vocabulary.learn(node, rates[node])
    own = {vocabulary[node]: rate for node, rate in rates.items() if node not in algebraic}
    return _explicit(
        kinematics, [own[coordinate] for coordinate in kinematics.q], [own[speed] for speed in kinematics.u]
    )


def _is_implicit(system: Any) -> bool:
    return system._dyn_implicit_mat is not None or system._comb_implicit_mat is not None


def _order(system: Any) -> list[Any]:
    """The states in the order of the rows: where kinematics stand apart, coordinates come first."""
    return [state for part in _split(system) for state in part] if _apart(system) else list(system.states)


def _apart(system: Any) -> bool:
    return system._kin_explicit_rhs is not None


def _split(system: Any) -> tuple[list[Any], list[Any]]:
    """Coordinates and speeds; asking for those that were not told apart would be an error."""
    states, q, u = list(system.states), system._coordinates, system._speeds
    if q is None:
        q = states[: len(system.kin_explicit_rhs)] if _apart(system) else []
    first = [*q, *(u or ())]
    return list(q), first[len(q) :] + [state for state in states if state not in first]


def _require_fit(name: str, system: Any) -> None:
    """As many equations as states, and a matrix of that size."""
    count = len(system.states)
    rows, shape = _size(system)
    outside = [k for k in system.alg_con or () if not 0 <= k < count]
    if (rows, *shape) != (count, count, count) or outside:
        raise ModelError(
            f"The equations of the SymbolicSystem do not fit its {count} states.",
            where=f"model '{name}'",
            cause=f"The algebraic rows {outside} do not exist."
            if outside
            else f"There are {rows} rows, and a matrix of {shape[0]} × {shape[1]} with that of the kinematics.",
            remedy="Give one row for each state; a mass matrix for speeds alone needs coordinate_derivatives.",
            code="sympy-system-inconsistent",
        )


def _size(system: Any) -> tuple[int, tuple[int, ...]]:
    """How many rows there are, and the size of the matrix of all rates."""
    if _apart(system):
        kinematic, matrix = len(system._kin_explicit_rhs), system._dyn_implicit_mat
        shape = (0, 0) if matrix is None else matrix.shape
        return kinematic + len(system._dyn_implicit_rhs), tuple(kinematic + size for size in shape)
    if system._comb_implicit_mat is not None:
        return len(system._comb_implicit_rhs), system._comb_implicit_mat.shape
    count = len(system._comb_explicit_rhs)
    return count, (count, count)


def _dynamics(kinematics: SympyKinematics, system: Any) -> Matrix:
    return _column(kinematics, system.dyn_implicit_rhs)


def _matrix(kinematics: SympyKinematics, matrix: Any) -> Matrix:
    return array([[kinematics.read(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)])


def _column(kinematics: SympyKinematics, column: Any) -> Matrix:
    return array([kinematics.read(entry) for entry in column])


def _combined(kinematics: SympyKinematics, matrix: Matrix, right: Matrix) -> ReadEquations:
    """Rows in which only q̇ stand are kinematics, if there are as many as coordinates; the others are dynamics."""
    n = len(kinematics.q)
    dynamic = [k for k, row in enumerate(matrix) if any(entry.fp != 0 for entry in row[n:])]
    kinematic = [k for k in range(len(matrix)) if k not in dynamic]
    if len(kinematic) == n and all(entry.fp == 0 for entry in matrix[dynamic, :n].flat):
        rates = solve_regular(matrix[np.ix_(kinematic, range(n))], right[kinematic]) if n else array([])
        return _given(kinematics, rates, matrix[np.ix_(dynamic, range(n, len(right)))], right[dynamic])
    solved = solve_regular(matrix, right)
    return _explicit(kinematics, solved[:n], solved[n:])


def _given(kinematics: SympyKinematics, rates: Iterable[Expr], M: Matrix, right: Matrix) -> ReadEquations:
    """M·u̇ = right as it is if M is symmetric, as a mass matrix must be; otherwise solved."""
    if any(M[i, j].fp != M[j, i].fp for i in range(len(M)) for j in range(i)):
        return _explicit(kinematics, rates, solve_regular(M, right))
    return ReadEquations("SymPy", kinematics.q, kinematics.u, tuple(rates), (M, *_shared(kinematics, right)))


def _explicit(kinematics: SympyKinematics, rates: Iterable[Expr], acceleration: Iterable[Expr]) -> ReadEquations:
    """1·u̇ + h = f with h and f of the explicit rates."""
    parts = _unit(len(kinematics.u)), *_shared(kinematics, array(list(acceleration)))
    return ReadEquations("SymPy", kinematics.q, kinematics.u, tuple(rates), parts, acceleration=tuple(acceleration))


def _unit(count: int) -> Matrix:
    return array([[ONE if i == j else ZERO for j in range(count)] for i in range(count)])


def _shared(kinematics: SympyKinematics, right: Matrix) -> tuple[Matrix, Matrix]:
    """h and f: what is there without inputs, and what they add."""
    inputs: dict[Any, Any] = dict.fromkeys(_inputs(kinematics.vocabulary), ZERO)
    without = array(substitute(list(right), inputs)) if len(right) else right
    return -without, right - without


def _inputs(vocabulary: SympyVocabulary) -> list[Symbol]:
    return [symbol for symbol in vocabulary.values() if isinstance(symbol, Symbol) and symbol.kind == "input"]
