"""Mathematics as a PyMbs script writes it: matrices whose ``*`` is the product of matrices, functions of anything."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from multibody import graph
from multibody.compat.pymbs.refusals import UsageError
from multibody.graph.number import is_number
from multibody.model.error_context import concerning
from multibody.model.quantity import acceleration_symbol, rate_name

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


def symmetric_matrix(entries: Any) -> Matrix:
    """A symmetric matrix from six entries, in the order of an inertia: xx, xy, yy, xz, yz, zz.

    Example:
        >>> symmetric_matrix([1, 2, 3, 4, 5, 6]).tolist()
        [[1, 2, 4], [2, 3, 5], [4, 5, 6]]
    """
    given = list(np.ravel(np.array(entries, dtype=object)))
    if len(given) != 6:
        raise UsageError(
            f"A symmetric matrix has six entries, not {len(given)}.", where="PyMbs' symmetric_matrix",
            remedy="Write symmetric_matrix([xx, xy, yy, xz, yz, zz]).", code="count-mismatch",
        )  # fmt: skip
    xx, xy, yy, xz, yz, zz = given
    return Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def solve(A: Any, b: Any) -> Any:
    """x with A·x = b, for numbers and expressions; b may have several columns.

    Example:
        >>> solve([[2, 0], [1, 4]], [2, 9]).tolist()
        [1, 2]
    """
    return Matrix(_solved(A, b, "solve"))


def inv(A: Any) -> Any:
    """The inverse of a matrix, or of a number.

    Example:
        >>> a = graph.symbol("a")
        >>> inv(Matrix([[a, 0], [0, 2]])).tolist(), inv(4.0)
        ([[1/a, 0], [0, 1/2]], 0.25)
    """
    return Matrix(_solved(A, np.eye(len(A), dtype=int), "inv")) if np.ndim(A) else 1 / A


def _solved(A: Any, b: Any, label: str) -> Any:
    matrix, right = (np.array(entries, dtype=object) for entries in (A, b))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or right.shape[:1] != matrix.shape[:1]:
        raise UsageError(
            f"Shapes {matrix.shape} and {right.shape} do not fit.", where=f"PyMbs' {label}",
            remedy="Give a square matrix, and a right-hand side with as many rows.", code="shapes-do-not-fit",
        )  # fmt: skip
    with concerning(f"PyMbs' {label}"):
        return graph.solve(matrix.tolist(), right.tolist())


def der(expression: Any) -> Any:
    """The derivative by time of a number, an expression, or a vector or matrix of them.

    The rate of a coordinate is the speed of its joint, that of a speed the acceleration; parameters do not change.

    Raises:
        UsageError: for an input or a sensor, whose rates are not known.

    Example:
        >>> from multibody.compat.pymbs import MbsSystem
        >>> world = MbsSystem()
        >>> swing = world.addJoint(world, world.addBody(1.0), "Ry", name="swing")
        >>> der(sin(swing.coord) + 3), der(2.0)
        (swing_dot*cos(swing), 0)
    """
    if np.ndim(expression):
        entries = np.array(expression, dtype=object)
        return Matrix(np.reshape(np.array([der(entry) for entry in entries.flat], dtype=object), entries.shape))
    if is_number(expression):
        return 0
    return graph.directional(expression, {symbol: _rate(symbol) for symbol in graph.free_symbols(expression)})


def _rate(one: graph.Symbol) -> Any:
    if one.kind == "coordinate":
        return graph.symbol(rate_name(one.name), "speed", one.scope)
    if one.kind == "speed":
        return acceleration_symbol(one)
    if one.kind in ("parameter", "time"):
        return int(one.kind == "time")
    raise UsageError(
        f"The rate of '{one.name}' is not known.", where="PyMbs' der",
        cause="It is an input, or what a sensor measures.",
        remedy="Use joint.coord and joint.vel, or a sensor that measures the rate, such as addSensor.Velocity.",
        code="rate-unknown", name=one.name,
    )  # fmt: skip


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
        raise UsageError(
            f"{axis!r:.100} is not an axis.",
            where="PyMbs' rotMat",
            remedy="Write 'x', 'y' or 'z'.",
            code="axis-unknown",
        )
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
sign = _function("sign", lambda x: (x > 0) - (x < 0))
