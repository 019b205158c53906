"""Tables against SciPy: values, slopes, and the straight lines outside."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.interpolate import CubicSpline
from tests.refusal import refused

from multibody.errors import ExpressionError, InvalidNameError
from multibody.graph import Table, constant, directional, evaluate, same, symbols, topological, where, without_sharing

s, t = symbols("s t")
X = np.array([-1.0, 0.0, 0.5, 2.0, 2.25])
Y = np.array([3.0, 1.0, -2.0, 0.5, 0.75])
INSIDE = np.linspace(-1, 2.25, 101)
points = st.lists(
    st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=2, max_size=8, unique_by=lambda p: round(p[0], 2)
)


def _values(node, at):
    return np.array([evaluate(node, {s: float(number)}) for number in at])


def test_linear_values_inside():
    assert _values(Table("f", X, Y)(s), INSIDE) == pytest.approx(np.interp(INSIDE, X, Y), rel=1e-14, abs=1e-14)


def test_cubic_values_slopes_and_curvatures_inside():
    table, spline = Table("f", X, Y, "cubic"), CubicSpline(X, Y, bc_type="natural")
    inside = INSIDE[:-1]
    slope = directional(table(s), {s: 1})
    curvature = directional(slope, {s: 1})
    assert _values(table(s), inside) == pytest.approx(spline(inside), rel=1e-13, abs=1e-13)
    assert _values(slope, inside) == pytest.approx(spline(inside, 1), rel=1e-13, abs=1e-13)
    assert _values(curvature, inside) == pytest.approx(spline(inside, 2), rel=1e-12, abs=1e-12)


def test_linear_slopes_are_those_of_the_segments_and_curvature_is_none():
    slope = directional(Table("f", X, Y)(s), {s: 1})
    middles = (X[1:] + X[:-1]) / 2
    assert _values(slope, middles) == pytest.approx(np.diff(Y) / np.diff(X))
    curvature = directional(slope, {s: 1})
    assert all(value == 0 for value in _values(curvature, middles))


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_outside_goes_on_along_a_straight_line(interpolation):
    node = Table("f", X, Y, interpolation)(s)
    slope = directional(node, {s: 1})
    for end, step in ((X[0], -1.0), (X[-1], 1.0)):
        at_end = evaluate(node, {s: float(end)})
        inward = evaluate(slope, {s: float(end - step * 1e-9)})
        for distance in (1e-3, 1.0, 50.0):
            assert evaluate(node, {s: end + step * distance}) == pytest.approx(
                at_end + step * distance * inward, rel=1e-6
            )
            assert evaluate(slope, {s: end + step * distance}) == pytest.approx(inward, rel=1e-6)


@settings(max_examples=60)
@given(points, st.sampled_from(["linear", "cubic"]))
def test_a_table_goes_through_its_points_without_a_jump(pairs, interpolation):
    x, y = np.array(sorted(pairs)).T
    if np.diff(x).min() < 1e-3:
        return
    node = Table("f", x, y, interpolation)(s)
    assert _values(node, x) == pytest.approx(y, rel=1e-9, abs=1e-9)
    steep = 1 + max(abs(v) for v in _values(directional(node, {s: 1}), x))
    left, right = _values(node, x - 1e-9), _values(node, x + 1e-9)
    assert np.abs(left - right).max() <= 1e-6 * steep


def test_the_derivative_agrees_with_the_complex_step():
    node = Table("f", X, Y, "cubic")(s * s - 1) * s
    slope = directional(node, {s: 1})
    for at in (-1.7, 0.0, 0.3, 1.2, 3.0):
        step = evaluate(node, {s: complex(at, 1e-100)}).imag / 1e-100
        assert evaluate(slope, {s: at}) == pytest.approx(step, rel=1e-13)


def test_arrays_of_arguments():
    node = Table("f", X, Y, "cubic")(s)
    assert np.allclose(evaluate(node, {s: INSIDE}), _values(node, INSIDE), rtol=1e-15, atol=0)
    assert evaluate(node, {s: np.zeros((2, 3))}).shape == (2, 3)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_not_a_number_and_infinity(interpolation):
    node = Table("f", X, Y, interpolation)(s)
    assert math.isnan(evaluate(node, {s: math.nan}))
    assert evaluate(node, {s: math.inf}) == math.inf
    assert evaluate(node, {s: -math.inf}) in (math.inf, -math.inf)


# --- identity --------------------------------------------------------------------------------------------------------


def test_tables_are_equal_if_their_numbers_are():
    assert Table("f", X, Y)(s) is Table("g", list(X), tuple(Y))(s)
    assert not same(Table("f", X, Y)(s), Table("f", X, Y, "cubic")(s))
    assert not same(Table("f", X, Y)(s), Table("f", X, Y + 1e-15)(s))
    assert not same(Table("f", X, Y)(s), Table("f", X, Y)(t))


def test_different_tables_stay_different_without_sharing():
    one, other = Table("one", X, Y), Table("other", X, 2 * Y)
    with without_sharing():
        a, b = one(s), other(s)
    assert evaluate(b, {s: 0.0}) == 2 * evaluate(a, {s: 0.0})


def test_a_table_of_a_constant_is_a_constant():
    assert Table("f", X, Y)(0.25) == constant(-0.5)
    assert Table("f", X, Y)(np.float64(0.5)) == -2


def test_the_table_keeps_its_own_copy_of_the_numbers():
    x, y = X.copy(), Y.copy()
    node = Table("f", x, y)(s)
    y[:] = 0
    assert evaluate(node, {s: 0.0}) == 1.0
    with pytest.raises(ValueError, match="read-only"):
        node.table.breaks[0] = 5


def test_a_table_in_a_condition_counts_as_an_operand():
    node = where(Table("f", X, Y)(s) < 0, 1, 2)
    assert any(n.op == "table" for n in topological([node]))
    assert [evaluate(node, {s: v}) for v in (0.5, 0.0)] == [1, 2]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([0, 1], [1]),  # lists of different length
        ([0], [1]),  # a single point
        ([], []),
        ([0, 0, 1], [1, 2, 3]),  # two points at one place
        ([1, 0], [1, 2]),  # points in reverse
        ([0, math.nan], [1, 2]),
        ([0, 1], [1, math.inf]),
        ([[0, 1]], [[1, 2]]),
        (["a", "b"], [1, 2]),
    ],
)
def test_unusable_tables_are_refused(x, y):
    with refused("table-invalid", "'f'", kind=ExpressionError):
        Table("f", x, y)


def test_unknown_interpolations_and_bad_names_are_refused():
    with refused("option-unknown"):
        Table("f", X, Y, "quadratic")
    with pytest.raises(InvalidNameError):
        Table("my table", X, Y)
