"""Sine, cosine and tangent as they are compiled, against mpmath, in units of the last place."""

import math

import mpmath
import numpy as np
import pytest

from multibody.compiler import Function, engine
from multibody.compiler.sincos import LIMIT
from multibody.graph import cos, sin, symbols, tan

(x,) = symbols("x")
LANES = [1, 2, 4, 8]


@pytest.fixture(scope="module")
def circle():
    return Function("circle", {"x": x}, {"s": sin(x), "c": cos(x), "t": tan(x)})


def _lanes(function, angles, lanes):
    """All three functions, computed in vectors of the given width."""
    port = function.inputs[0]
    kernel = function._kernel(frozenset(), lanes)
    return kernel.run(function, [(port, np.ascontiguousarray(angles, dtype=float), len(angles))], 1)


def _errors(got, angles, function):
    """Distances from the true values, in units of the last place of the true value."""
    with mpmath.workprec(1200 if max(map(abs, angles)) > 1e10 else 150):
        truth = [function(mpmath.mpf(float(angle))) for angle in angles]
        return np.array(
            [float(abs(mpmath.mpf(float(g)) - t) / math.ulp(float(t))) for g, t in zip(got, truth, strict=True)]
        )


def _check(function, angles, lanes=(1,), limits=(1.5, 1.5, 3.0)):
    truths = (mpmath.sin, mpmath.cos, mpmath.tan)
    for width in lanes:
        for got, truth, limit in zip(_lanes(function, angles, width), truths, limits, strict=True):
            errors = _errors(got, angles, truth)
            worst = int(errors.argmax())
            assert errors[worst] <= limit, (
                f"{truth.__name__}({angles[worst]!r}) is off by {errors[worst]} ulp, lanes {width}"
            )


def _around(centres, rng, steps=4):
    """Doubles next to the centres, and a little further away."""
    near = [math.nextafter(c, math.inf * s) for c in centres for s in (-1, 1)]
    scattered = [c * (1 + rng.uniform(-1, 1) * 10.0 ** rng.uniform(-15, -3)) for c in centres for _ in range(steps)]
    return np.array([*centres, *near, *scattered])


@pytest.mark.parametrize("magnitude", [1e-8, 1e-3, 0.1, 1.0, 10.0, 1e3, 9.9e4])
def test_random_angles(circle, magnitude):
    rng = np.random.default_rng(int(-math.log10(magnitude)) + 10)
    _check(circle, rng.uniform(-magnitude, magnitude, 1500))


def test_angles_close_to_multiples_of_a_right_angle(circle):
    """There a sine or cosine is tiny, and every bit that the reduction lost would show."""
    rng = np.random.default_rng(1)
    small = [k * math.pi / 4 for k in range(-20, 21) if k]
    large = [k * math.pi / 2 for k in rng.integers(1, int(LIMIT / math.pi * 2), 300)]
    _check(circle, _around([*small, *large], rng))


def test_the_angles_below_the_limit_that_are_closest_to_a_multiple_of_a_right_angle(circle):
    """Found by trying them all: the worst cases for the reduction."""
    bits = 160
    with mpmath.workprec(bits + 10):
        quarter = int(mpmath.floor(mpmath.ldexp(mpmath.pi / 2, bits)))
    distances = []
    for k in range(1, int(LIMIT / math.pi * 2)):
        angle = k * quarter / 2**bits
        numerator, denominator = angle.as_integer_ratio()
        distances.append((abs(numerator * (2**bits // denominator) - k * quarter) / k, angle))
    worst = [angle for _, angle in sorted(distances)[:200]]
    _check(circle, np.array(worst + [-angle for angle in worst]))


def test_around_the_limit_where_the_library_takes_over(circle):
    edges = [LIMIT, math.nextafter(LIMIT, 0), math.nextafter(LIMIT, math.inf), LIMIT * 1.0001, LIMIT * 0.9999]
    _check(circle, np.array([*edges, *(-e for e in edges)]), LANES)


def test_huge_angles(circle):
    rng = np.random.default_rng(2)
    angles = 10.0 ** rng.uniform(5, 300, 300) * rng.choice([-1, 1], 300)
    _check(circle, np.array([*angles, 1e22, 2.0**53, 2.0**1000, 1.7976931348623157e308]))
    closest = (
        6381956970095103 * 2.0**797
    )  # of all doubles to a multiple of π/2; the C library itself is 8 ulp off there
    _check(circle, np.array([closest, -closest]), LANES, limits=(10, 10, 20))


@pytest.mark.parametrize("lanes", LANES)
def test_every_width_of_vectors(circle, lanes):
    rng = np.random.default_rng(lanes)
    mixed = np.concatenate(
        [rng.uniform(-10, 10, 200), 10.0 ** rng.uniform(-300, 10, 200), _around([math.pi, math.pi / 2], rng)]
    )
    rng.shuffle(mixed)
    _check(circle, mixed, [lanes])


def test_tiny_angles_are_their_own_sine(circle):
    tiny = np.array([5e-324, 1e-310, 2.2250738585072014e-308, 1e-200, 1e-20, 1e-9, 7e-9])
    for lanes in LANES:
        for angles in (tiny, -tiny):
            s, c, t = _lanes(circle, angles, lanes)
            assert np.array_equal(s, angles)
            assert np.array_equal(t, angles)
            assert np.array_equal(c, np.ones(len(tiny)))


@pytest.mark.parametrize("lanes", LANES)
def test_zero_keeps_its_sign(circle, lanes):
    s, c, t = _lanes(circle, [0.0, -0.0], lanes)
    assert s.tolist() == t.tolist() == [0.0, 0.0]
    assert c.tolist() == [1.0, 1.0]
    assert [math.copysign(1, value) for value in (*s, *t)] == [1, -1, 1, -1]


@pytest.mark.parametrize("lanes", LANES)
def test_infinity_and_not_a_number(circle, lanes):
    angles = [math.inf, 0.5, -math.inf, math.nan, 1e6]
    for values in _lanes(circle, angles, lanes):
        assert np.isnan(values).tolist() == [True, False, True, True, False]


def test_symmetry_is_exact(circle):
    angles = np.random.default_rng(3).uniform(0, 1e6, 2000)
    there, back = circle.batch(angles), circle.batch(-angles)
    assert np.array_equal(there.s, -back.s)
    assert np.array_equal(there.c, back.c)
    assert np.array_equal(there.t, -back.t)


def test_sine_and_cosine_lie_on_the_circle(circle):
    s, c, _ = circle.batch(np.random.default_rng(4).uniform(-1e5, 1e5, 20000))
    assert np.abs(s * s + c * c - 1).max() < 6e-16
    assert max(np.abs(s).max(), np.abs(c).max()) <= 1.0


def test_this_machine_uses_vectors(circle):
    assert engine.lanes() in (2, 4, 8)
    assert f"<{engine.lanes()} x double>" in circle._kernel(frozenset())._module.text
