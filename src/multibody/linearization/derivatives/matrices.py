"""How matrices are multiplied and solved: of numbers, and of expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from multibody.equations.regularized import least_fill
from multibody.equations.solution import massless, tips_first
from multibody.errors import SingularMatrixError
from multibody.graph import ONE, ZERO, Constant, array, ldl, ldl_solve, product, solve, solve_regular
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import ROUNDING_CONSTANT, SINGULAR_CONDITION
from multibody.model import Model

SCALINGS = 12
"""Iterations of the scaling: each takes the square root of what is left of the differences."""


class Algebra(ABC):
    """What a linearization does with matrices."""

    one: Any

    @abstractmethod
    def zeros(self, rows: int, columns: int) -> Any:
        """A matrix of zeros."""

    @abstractmethod
    def product(self, a: Any, b: Any) -> Any:
        """a·b."""

    @abstractmethod
    def solve(self, matrix: Any, right: Any) -> Any:
        """x with matrix·x = right."""

    @abstractmethod
    def balance(self, mass: Any, forces: Any, rows: Any, right: Any) -> Any:
        """x with [mass forces; rows 0]·x = right: mass matrix, constraint forces and constraints."""


class Floats(Algebra):
    """Matrices of numbers.

    Args:
        model: whose matrices they are, for messages.
    """

    one = 1.0

    def __init__(self, model: Model) -> None:
        self._model = model

    def zeros(self, rows: int, columns: int) -> Matrix:
        """A matrix of zeros."""
        return np.zeros((rows, columns))

    def product(self, a: Matrix, b: Matrix) -> Matrix:
        """By NumPy."""
        return a @ b

    def solve(self, matrix: Matrix, right: Matrix) -> Matrix:
        """By LU with pivoting."""
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)

    def balance(self, mass: Matrix, forces: Matrix, rows: Matrix, right: Matrix) -> Matrix:
        """By LU of the whole, after its rows and columns were scaled to the same size."""
        size = len(rows)
        whole = np.block([[mass, forces], [rows, np.zeros((size, size))]]) if size else np.array(mass)
        if not len(whole):
            return np.zeros((0, right.shape[1]))
        matrix, scale = scaled(whole, len(mass))
        if not np.linalg.cond(matrix) < 1 / SINGULAR_CONDITION:
            raise _singular(self._model)
        return scale[:, None] * np.linalg.solve(matrix, scale[:, None] * right)


class Expressions(Algebra):
    """Matrices of expressions.

    Args:
        model: whose tree says in which order the mass matrix is factored.
    """

    one = ONE

    def __init__(self, model: Model) -> None:
        self._model = model

    def zeros(self, rows: int, columns: int) -> Any:
        """A matrix of zeros."""
        return np.full((rows, columns), ZERO, dtype=object)

    def product(self, a: Any, b: Any) -> Any:
        """Without the zeros."""
        return product(a, b)

    def solve(self, matrix: Any, right: Any) -> Any:
        """Without pivots that may vanish for special values, or that are nothing but rounding."""
        if _constant(matrix):
            return product(self._inverse(matrix), right)
        return solve_regular(_without_rounding(matrix), right)

    def balance(self, mass: Any, forces: Any, rows: Any, right: Any) -> Any:
        """By the Schur complement of the mass matrix, from the tips of the tree to its root; constants as numbers."""
        m, size = len(mass), len(rows)
        if not m:
            return right
        if all(map(_constant, (mass, forces, rows))):
            whole = np.vstack([np.hstack([mass, forces]), np.hstack([rows, self.zeros(size, size)])])
            return product(self._inverse(whole, m), right)
        try:
            free = _symmetric(mass, tips_first(self._model), np.hstack([right[:m], forces]))
        except SingularMatrixError:
            return self._at_once(mass, forces, rows, right)
        if not size:
            return free
        free, effect = free[:, : right.shape[1]], free[:, right.shape[1] :]
        complement = product(rows, effect)
        pushed = _symmetric(complement, least_fill(complement), product(rows, free) - right[m:])
        return np.vstack([free - product(effect, pushed), pushed])

    def _inverse(self, matrix: Any, masses: int = 0) -> Any:
        """Of a matrix of constants, without what is nothing but rounding."""
        numbers, scale = scaled(_numbers(matrix), masses)
        if not np.linalg.cond(numbers) < 1 / SINGULAR_CONDITION:
            raise _singular(self._model)
        found = np.linalg.inv(numbers)
        found[np.abs(found) < ROUNDING_CONSTANT * np.abs(found).max()] = 0.0
        return array(scale[:, None] * found * scale)

    def _at_once(self, mass: Any, forces: Any, rows: Any, right: Any) -> Any:
        """With pivots, where bodies without mass make the mass matrix singular."""
        whole = np.vstack([np.hstack([mass, forces]), np.hstack([rows, self.zeros(len(rows), len(rows))])])
        try:
            return solve(whole, right)
        except SingularMatrixError as error:
            raise massless(self._model, mass) from error


def _constant(matrix: Any) -> bool:
    return all(isinstance(entry, Constant) for entry in np.ravel(matrix))


def _numbers(matrix: Any) -> Matrix:
    return np.array([[float(entry.value) for entry in row] for row in matrix], dtype=np.float64)


def _without_rounding(matrix: Any) -> Any:
    """A matrix in which constants that are nothing but rounding are zero: they must not become pivots."""
    sizes = np.array([[abs(float(x.value)) if isinstance(x, Constant) else np.inf for x in row] for row in matrix])
    largest = float(sizes[np.isfinite(sizes)].max(initial=0.0))
    found = np.array(matrix, dtype=object)
    found[sizes < ROUNDING_CONSTANT * largest] = ZERO
    return found


def scaled(matrix: Matrix, masses: int = 0) -> tuple[Matrix, Matrix]:
    """A matrix with rows and columns of the same size, s·matrix·s, and s, whatever the units (Ruiz 2001).

    Args:
        matrix: any.
        masses: how many rows, from the first, are those of a mass matrix; those below are constraints. Masses are
            scaled to one first, or else they would be lost beside constraints of another unit.
    """
    scale = np.ones(len(matrix))
    inertia = np.diagonal(matrix)[:masses]
    scale[:masses] = 1 / np.sqrt(np.where(inertia > 0, inertia, 1.0))
    largest = np.abs(matrix[masses:, :masses] * scale[:masses]).max(axis=1, initial=0.0)
    scale[masses:] = 1 / np.where(largest > 0, largest, 1.0) if masses else 1.0
    for _ in range(SCALINGS):
        largest = np.abs(scale[:, None] * matrix * scale).max(axis=1)
        scale = scale / np.sqrt(np.where(largest > 0, largest, 1.0))
    return scale[:, None] * matrix * scale, scale


def _singular(model: Model) -> SingularMatrixError:
    return SingularMatrixError(
        "The mass matrix is singular at the operating point: accelerations do not follow from the forces.",
        code="mass-matrix-singular",
        where=f"system '{model.name}'",
        cause="The axes of three hinges line up (gimbal lock), or a body has neither mass nor inertia.",
        remedy="Choose another point, a ball joint with a quaternion, or give the body an inertia.",
        name=model.name,
    )


def _symmetric(matrix: Any, order: list[int], right: Any) -> Any:
    """x with matrix·x = right, for a symmetric matrix that is factored in the given order."""
    result = np.empty(right.shape, dtype=object)
    result[order] = ldl_solve(ldl(matrix[np.ix_(order, order)]), right[order])
    return result
