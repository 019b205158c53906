"""Orthogonal complements of constraint matrices, with and without redundant rows."""

import random

import numpy as np
import pytest

from multibody.errors import SingularMatrixError
from multibody.graph import is_zero, orthogonal_complement, rank, same, sin, symbols

from .recipes import built, random_recipe

x, y, z = symbols("x y z")


def _entry(rng):
    return built(random_recipe(rng, rng.randint(0, 3), ("add", "sub", "mul", "sin", "cos")))


def _sparse(rng, rows, columns, density=0.4):
    entries = [[_entry(rng) if rng.random() < density else 0 for _ in range(columns)] for _ in range(rows)]
    return np.array(entries, dtype=object).reshape(rows, columns)


def _equal(a, b):
    return all(
        same(i, j) for i, j in zip(np.asarray(a, dtype=object).flat, np.asarray(b, dtype=object).flat, strict=True)
    )


def _zero(a):
    return all(is_zero(entry) for entry in np.asarray(a, dtype=object).flat)


@pytest.mark.parametrize("seed", range(15))
def test_a_complement_is_orthogonal_and_has_unit_rows(seed):
    rng = random.Random(seed)
    rows, columns = rng.randint(1, 4), rng.randint(4, 7)
    b = _sparse(rng, rows, columns, 0.5)
    result = orthogonal_complement(b)
    r = rank(b)
    assert result.matrix.shape == (columns, columns - r)
    assert len(result.used_rows) == r
    assert sorted(result.independent + result.dependent) == list(range(columns))
    assert _zero(b @ result.matrix)
    assert _equal(result.matrix[list(result.independent)], np.eye(columns - r, dtype=int))


@pytest.mark.parametrize("seed", range(6))
def test_redundant_rows_are_left_out(seed):
    rng = random.Random(50 + seed)
    b = _sparse(rng, 2, 5, 0.8)
    redundant = np.vstack([b, [sin(x) * b[0] + y * b[1]], [b[0] - b[0]], [b[1] / (z + 2)]])
    result = orthogonal_complement(redundant)
    assert set(result.used_rows) <= {0, 1, 4}
    assert len(result.used_rows) == rank(b)
    assert _zero(redundant @ result.matrix)


def test_chosen_independent_columns_are_kept():
    b = np.array([[1, x, 0, y], [0, 1, z, 1]], dtype=object)
    for free in ([0, 3], [3, 0], [2, 3], [0, 1]):
        result = orthogonal_complement(b, independent=free)
        assert result.independent == tuple(free)
        assert _zero(b @ result.matrix)
        assert _equal(result.matrix[free], np.eye(2, dtype=int))


@pytest.mark.parametrize("free", [[0], [0, 1, 2], [0, 0], [0, 9], [-1, 0], [0, 3]])
def test_impossible_independent_columns_are_refused(free):
    with pytest.raises(SingularMatrixError):
        orthogonal_complement([[1, 0, 0, y], [0, 0, 0, 1]], independent=free)


def test_no_constraints_and_only_constraints():
    assert _equal(orthogonal_complement(np.zeros((0, 3))).matrix, np.eye(3, dtype=int))
    assert orthogonal_complement([[x, 0], [1, y]]).matrix.shape == (2, 0)
    assert _equal(orthogonal_complement([[0, x - x]]).matrix, np.eye(2, dtype=int))
