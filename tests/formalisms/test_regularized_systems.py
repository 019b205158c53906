"""Solutions of symmetric systems that are nearly singular, against exact ones."""

import numpy as np
import pytest

from multibody.equations.regularized import regularized
from multibody.graph import array


def system(small):
    """A matrix with the eigenvalues 2 - small and small, and the solution (1, -1) in the direction of the small one."""
    matrix = np.array([[1.0, 1.0 - small], [1.0 - small, 1.0]])
    return array(matrix.tolist()), array((matrix @ [1.0, -1.0]).tolist())


@pytest.mark.parametrize(("small", "softness"), [(1e-2, 1e-6), (1e-3, 1e-6), (1e-4, 1e-6)])
def test_shares_of_the_solution(small, softness):
    """A plain solution has the share f = σ/(σ + ε), a refined one f·(2 - f), a filtered one f²·(3 - 2·f)."""
    matrix, right = system(small)
    factors = regularized(matrix, ["force", "force"], softness)
    f = small / (small + softness)
    shares = {"solved": f, "refined": f * (2 - f), "filtered": f**2 * (3 - 2 * f)}
    for name, share in shares.items():
        x = [float(one) for one in getattr(factors, name)(right)]
        np.testing.assert_allclose(x, [share, -share], rtol=1e-9)


def test_repeated_corrections_without_a_filter_converge():
    """Each correction leaves ε/(σ + ε) of the error: Newton's method needs no refinement of its own."""
    small, softness = 1e-6, 1e-7
    matrix, right = system(small)
    factors = regularized(matrix, ["force", "force"], softness)
    S, x = np.array(matrix, dtype=float), np.zeros(2)
    errors = []
    for _ in range(4):
        rest = array((np.array(right, dtype=float) - S @ x).tolist())
        x = x + np.array([float(one) for one in factors.solved(rest)])
        errors.append(abs(x[0] - 1.0))
    left = softness / (small + softness)
    np.testing.assert_allclose(errors, [left**k for k in range(1, 5)], rtol=1e-3)


def test_smallest_pivot_is_relative_to_its_unit():
    """A row in other units does not change it; dependent rows make it zero."""
    matrix = np.diag([4.0, 1.0, 2e6, 1e6])
    pivot = regularized(array(matrix.tolist()), ["force", "force", "torque", "torque"], 0.0).smallest_pivot
    assert float(pivot) == pytest.approx(1.0 / 2.5)
    small = 1e-5
    assert float(regularized(system(small)[0], ["force"] * 2, 0.0).smallest_pivot) == pytest.approx(2 * small, rel=1e-4)
