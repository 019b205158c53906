"""Mathematics as a PyMbs script writes it: matrices whose ``*`` is the product of matrices, functions of anything."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from multibody import graph
from multibody.compat.pymbs.complaints import UsageError
from multibody.graph.number import is_number

pi = math.pi


class Matrix(np.ndarray):
    """A vector or a matrix of numbers and expressions; ``A*B`` is the product of matrices, ``v*w`` that of vectors.

    Example:
        >>> A = Matrix([[0, 1], [2, 3]])
        >>> (A * Matrix([1, 10])).tolist(), (2 * A).tolist(), Matrix([1, 2]) * Matrix([3, 4])
        ([10, 32], [[0, 2], [4, 6]], 11)
    """

    def __new__(cls, entries: Any) -> Matrix:
        """From nested lists, or from an array."""
        return np.array(entries, dtype=object).view(cls)

    def __mul__(self, other: Any) -> Any:
        return _product(self, other) if np.ndim(other) else super().__mul__(other)

    def __rmul__(self, other: Any) -> Any:
        return _product(other, self) if np.ndim(other) else super().__rmul__(other)


def _product(first: Any, second: Any) -> Any:
    """The product of matrices; that of two vectors is a scalar."""
    made = np.asarray(first, dtype=object) @ np.asarray(second, dtype=object)
    return Matrix(made) if np.ndim(made) else made


def zeros(shape: Any) -> Matrix:
    """A vector or matrix of zeros.

    Example:
        >>> zeros((2, 2)).tolist(), zeros(3).tolist()
        ([[0, 0], [0, 0]], [0, 0, 0])
    """
    return Matrix(np.zeros(shape, dtype=int))


def eye(size: Any) -> Matrix:
    """The unit matrix.

    Example:
        >>> eye(2).tolist()
        [[1, 0], [0, 1]]
    """
    return Matrix(np.eye(size if np.ndim(size) == 0 else size[0], dtype=int))


def diag(entries: Any) -> Matrix:
    """A matrix with these entries on its diagonal.

    Example:
        >>> diag([1, 2]).tolist()
        [[1, 0], [0, 2]]
    """
    return Matrix(np.diag(np.array(entries, dtype=object)))


Ex, Ey, Ez = (Matrix(row) for row in np.eye(3, dtype=int))
"""Unit vectors."""


def norm(vector: Any) -> Any:
    """The length of a vector.

    Example:
        >>> norm(Matrix([2, 3, 6]))
        7.0
    """
    return sqrt(sum(part * part for part in np.ravel(vector)))


def skew(vector: Any) -> Matrix:
    """The matrix of a cross product: ``skew(v)*w`` is v × w.

    Example:
        >>> (skew([1, 0, 0]) * Matrix([0, 1, 0])).tolist()
        [0, 0, 1]
    """
    x, y, z = np.ravel(np.array(vector, dtype=object))
    return Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def outer(first: Any, second: Any) -> Matrix:
    """The matrix of all products of two vectors' entries."""
    return Matrix(np.outer(np.array(first, dtype=object), np.array(second, dtype=object)))


def transpose(matrix: Any) -> Any:
    """Rows as columns; a number is its own."""
    return Matrix(np.transpose(matrix)) if np.ndim(matrix) else matrix


def rotMat(angle: Any, axis: Any) -> Matrix:
    """The matrix of a turn about an axis as PyMbs has it: it leads from the old axes to the turned ones.

    Given to ``addFrame`` as ``R``, whose columns are the axes of the frame, it turns the frame by *minus* the angle.
    PyMbs does so, and its scripts are written accordingly.

    Args:
        angle: in radians, a number or an expression of parameters.
        axis: ``'x'``, ``'y'`` or ``'z'``; also 1, 2, 3 or ``'Rx'`` ….

    Example:
        >>> rotMat(pi / 2, "z").astype(float).round(12).tolist()
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    number = {"x": 0, "y": 1, "z": 2, 1: 0, 2: 1, 3: 2}.get(axis.lower()[-1:] if isinstance(axis, str) else axis)
    if number is None:
        raise UsageError(f"{axis!r:.100} is no axis.", where="PyMbs' rotMat", remedy="Write 'x', 'y' or 'z'.")
    c, s, j, k = cos(angle), sin(angle), (number + 1) % 3, (number + 2) % 3
    turned = eye(3)
    turned[j, j], turned[j, k], turned[k, j], turned[k, k] = c, s, -s, c
    return turned


rot_mat = rotMat
"""As later versions of PyMbs call it."""


def If(condition: Any, then: Any, otherwise: Any) -> Any:
    """One value where a condition holds, another one elsewhere.

    Example:
        >>> If(Less(2, 1), "less", "not less"), If(Less(graph.symbol("x"), 0), 1, 2)
        ('not less', where(x < 0, 1, 2))
    """
    if isinstance(condition, bool):
        return then if condition else otherwise
    return graph.where(condition, then, otherwise)


def Less(first: Any, second: Any) -> Any:
    """Whether the first is less than the second."""
    return graph.less(first, second)


def Greater(first: Any, second: Any) -> Any:
    """Whether the first is greater than the second."""
    return graph.less(second, first)


def Equal(first: Any, second: Any) -> Any:
    """Whether both are the same."""
    return graph.equal(first, second)


def _function(name: str, plain: Callable[..., float]) -> Callable[..., Any]:
    """A function of numbers, which gives a number, and of expressions."""
    symbolic = getattr(graph, name)

    def apply(*args: Any) -> Any:
        return plain(*args) if all(map(is_number, args)) else symbolic(*args)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"The {name} of numbers or expressions."
    return apply


sin, cos, tan = _function("sin", math.sin), _function("cos", math.cos), _function("tan", math.tan)
asin, acos, atan = _function("asin", math.asin), _function("acos", math.acos), _function("atan", math.atan)
atan2, sqrt, exp = _function("atan2", math.atan2), _function("sqrt", math.sqrt), _function("exp", math.exp)
