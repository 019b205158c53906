"""Factorisations, solutions and complements of random sparse symbolic matrices, proved by fingerprint."""

import random

import numpy as np
import pytest

from multibody.errors import ShapeError, SingularMatrixError
from multibody.graph import (
    cos,
    evaluate,
    is_zero,
    ldl,
    ldl_solve,
    lu,
    orthogonal_complement,
    product,
    rank,
    same,
    sin,
    solve,
    sqrt,
    symbols,
    topological,
)

from .recipes import built, random_recipe

x, y, z = symbols("x y z")
POINT = {"x": 0.3, "y": -1.1, "z": 0.7}


def _entry(rng):
    return built(random_recipe(rng, rng.randint(0, 3), ("add", "sub", "mul", "sin", "cos")))


def _sparse(rng, rows, columns, density=0.4):
    entries = [[_entry(rng) if rng.random() < density else 0 for _ in range(columns)] for _ in range(rows)]
    return np.array(entries, dtype=object).reshape(rows, columns)


def _regular(rng, n, density=0.4):
    """A sparse matrix whose rank is full, with its columns in any order."""
    result = _sparse(rng, n, n, density)
    for i, j in enumerate(rng.sample(range(n), n)):
        result[i, j] = result[i, j] + symbols(f"p{i}")[0]
    return result if rank(result) == n else _regular(rng, n, density)


def _equal(a, b):
    return all(
        same(i, j) for i, j in zip(np.asarray(a, dtype=object).flat, np.asarray(b, dtype=object).flat, strict=True)
    )


def _zero(a):
    return all(is_zero(entry) for entry in np.asarray(a, dtype=object).flat)


@pytest.mark.parametrize("seed", range(12))
def test_lu_factors_multiply_to_the_matrix(seed):
    rng = random.Random(seed)
    a = _regular(rng, rng.randint(1, 6))
    factors = lu(a)
    n = len(a)
    assert sorted(factors.rows) == sorted(factors.columns) == list(range(n))
    assert _equal(factors.l @ factors.u, a[list(factors.rows)][:, list(factors.columns)])
    assert _zero(np.triu(factors.l, 1))
    assert _zero(np.tril(factors.u, -1))
    assert all(entry == 1 for entry in np.diag(factors.l))
    assert all(d * i == 1 for d, i in zip(np.diag(factors.u), factors.inverse_diagonal, strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_solutions_solve(seed):
    rng = random.Random(100 + seed)
    a = _regular(rng, rng.randint(1, 5))
    b = _sparse(rng, len(a), 2, 0.7)
    solution = solve(a, b)
    assert solution.shape == b.shape
    assert _equal(a @ solution, b)
    assert _equal(a @ solve(a, b[:, 0]), b[:, 0])


def test_a_solution_agrees_with_numpy():
    rng = random.Random(7)
    a, b = _regular(rng, 6), _sparse(rng, 6, 1, 1.0)[:, 0]
    point = POINT | {f"p{k}": 1.5 + k for k in range(6)}
    numbers = [evaluate(thing, point).astype(float) for thing in (a, b, solve(a, b))]
    assert numbers[2] == pytest.approx(np.linalg.solve(numbers[0], numbers[1]), rel=1e-9)


def test_pivots_that_cancel_are_found_to_be_zero():
    a = [[sin(x) ** 2 + cos(x) ** 2 - 1, 1], [1, y]]
    assert _equal(np.array(a) @ solve(a, [x, y]), [x, y])
    b = [[1, x, 0], [x, x * x, 1], [0, 1, y]]  # the second pivot vanishes
    assert _equal(np.array(b) @ solve(b, [1, 2, 3]), [1, 2, 3])


def test_permutations_and_arrowheads_keep_their_zeros():
    n = 8
    p = symbols(" ".join(f"p{k}" for k in range(n)))
    arrow = np.diag(np.array(p, dtype=object))
    arrow[0, 1:], arrow[1:, 0] = x, y
    factors = lu(arrow)
    assert sum(not is_zero(entry) for entry in (*factors.l.flat, *factors.u.flat)) <= 4 * n  # the order avoids fill-in


# --- LDL -------------------------------------------------------------------------------------------------------------


def _symmetric(rng, n):
    half = _sparse(rng, n, n, 0.5)
    return half.T @ half + np.diag(np.array(symbols(" ".join(f"p{k}" for k in range(n))), dtype=object))


@pytest.mark.parametrize("seed", range(10))
def test_ldl_factors_multiply_to_the_matrix_and_solve(seed):
    rng = random.Random(seed)
    a = _symmetric(rng, rng.randint(1, 5))
    factors = ldl(a)
    d = np.diag(factors.d)
    assert _equal(factors.l @ d @ factors.l.T, a)
    assert _zero(np.triu(factors.l, 1))
    assert all(p * q == 1 for p, q in zip(factors.d, factors.inverse_d, strict=True))
    b = _sparse(rng, len(a), 3, 0.8)
    assert _equal(a @ ldl_solve(factors, b), b)
    assert _equal(a @ ldl_solve(factors, b[:, 0]), b[:, 0])


def test_ldl_reads_the_lower_triangle_only():
    a = np.array([[x, 99, 99], [y, z, 99], [1, 2, 3]], dtype=object)
    symmetric = np.array([[x, y, 1], [y, z, 2], [1, 2, 3]], dtype=object)
    factors = ldl(a)
    assert _equal(factors.l @ np.diag(factors.d) @ factors.l.T, symmetric)
    assert a[0, 1] == 99  # the argument is not changed


def test_ldl_of_a_tree_has_no_fill_in():
    """Leaves first, each tied to its parent: the zeros of the lower triangle stay."""
    n, parent = 7, [2, 2, 6, 5, 5, 6, None]
    a = np.diag(np.array(symbols(" ".join(f"p{k}" for k in range(n))), dtype=object))
    for k, p in enumerate(parent):
        if p is not None:
            a[p, k] = a[k, p] = symbols(f"h{k}")[0]
    assert sum(not is_zero(e) for e in np.tril(ldl(a).l, -1).flat) == n - 1


# --- products and errors ---------------------------------------------------------------------------------------------


def test_products_of_matrices_and_vectors():
    a, b = np.array([[x, 0], [y, 1], [0, 0]], dtype=object), np.array([[z, 1], [0, x]], dtype=object)
    assert _equal(product(a, b), a @ b)
    assert _equal(product(a, [x, y]), a @ np.array([x, y]))
    assert _equal(product([1, x, y], a), np.array([1, x, y], dtype=object) @ a)
    assert same(product([x, y], [y, x]), 2 * x * y)
    assert product(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0] * 3] * 2
    assert product(np.zeros((0, 2)), [x, y]).shape == (0,)


@pytest.mark.parametrize(
    "matrix",
    [
        [[x, y], [2 * x, 2 * y]],
        [[x, y], [0, 0]],
        [[sin(x) ** 2, 1 - cos(x) ** 2], [1, 1]],
        [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
        [[sqrt(x), x], [1, sqrt(x)]],
        [[0]],
    ],
)
def test_singular_matrices_are_refused(matrix):
    with pytest.raises(SingularMatrixError):
        lu(matrix)
    with pytest.raises(SingularMatrixError):
        solve(matrix, [1] * len(matrix))


def test_a_symmetric_matrix_that_only_needs_pivoting_is_not_called_singular():
    with pytest.raises(SingularMatrixError) as caught:
        ldl([[0, 1], [1, 0]])
    assert "singular for all values" not in caught.value.what


@pytest.mark.parametrize(
    "call",
    [
        lambda: lu([[x, y]]), lambda: lu([x, y]), lambda: lu(x), lambda: ldl([[x, y], [y, z], [1, 2]]),
    lambda: solve([[x, 0], [0, y]], [1, 2, 3]), lambda: solve([[x, 0], [0, y]], 1),
    lambda: product([[x, y]], [[x, y]]),
    lambda: product(x, [y]), lambda: orthogonal_complement([x, y]),
    lambda: ldl_solve(ldl([[x, 0], [0, y]]), [1, 2, 3]),
        lambda: ldl_solve(ldl([[x, 0], [0, y]]), [1, 2, 3, 4]), lambda: ldl_solve(ldl([[x, 0], [0, y]]), 1),
    ],
)  # fmt: skip
def test_wrong_shapes_are_refused(call):
    with pytest.raises(ShapeError):
        call()


def test_a_solution_of_a_chain_grows_linearly():
    """A tridiagonal system: elimination in a good order needs a few operations per row."""
    sizes = []
    for n in (10, 20):
        p = symbols(" ".join(f"p{k}" for k in range(n)))
        a = np.diag(np.array(p, dtype=object)) + np.diag([x] * (n - 1), 1) + np.diag([y] * (n - 1), -1)
        sizes.append(len(topological(list(solve(a, [1] * n)))))
    assert sizes[1] < 2.6 * sizes[0]
