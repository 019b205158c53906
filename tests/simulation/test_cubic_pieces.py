"""Turning points of cubics, and where they pass limits, against the roots of polynomials."""

import numpy as np
import pytest

from multibody.simulation.checks.cubic_pieces import CubicPieces


def cubics(count, seed):
    """Changes and rates, and the polynomials a·s + b·s² + c·s³ with the highest power first."""
    change, first, last = np.random.default_rng(seed).normal(size=(3, count))
    polynomials = np.stack([first + last - 2 * change, 3 * change - 2 * first - last, first, 0 * first], axis=1)
    return change, first, last, polynomials


def within(roots):
    """The real ones between 0 and 1, increasing."""
    return sorted(root.real for root in roots if abs(root.imag) < 1e-9 and 0 <= root.real <= 1)


def test_turning_points_are_roots_of_the_slope():
    change, first, last, polynomials = cubics(500, 1)
    limits = np.full(500, -0.1), np.full(500, 0.1)
    facts = CubicPieces().facts(change, (first, last), limits)
    turns = np.flatnonzero(first * last < 0)
    assert len(turns) > 200
    for k in turns:
        (expected,) = within(np.roots(np.polyder(polynomials[k])))
        value = np.polyval(polynomials[k], expected)
        assert facts.turn[k] == pytest.approx(expected, abs=1e-9)
        assert facts.turn_value[k] == pytest.approx(value, abs=1e-12)
        assert facts.turn_excess[k] == pytest.approx(abs(value) - 0.1, abs=1e-12)


def test_crossings_are_the_first_roots_of_the_distance_to_a_limit():
    """Of pieces without a turning point, with one within the limits, and with one beyond."""
    change, first, last, polynomials = cubics(2000, 2)
    facts = CubicPieces().facts(change, (first, last), (np.full(2000, -0.3), np.full(2000, 0.3)))
    kinds = dict.fromkeys(("straight on", "turns within", "turns beyond"), 0)
    for k in range(2000):
        turns = first[k] * last[k] < 0
        beyond = turns and facts.turn_excess[k] > 0
        if not turns and len(within(np.roots(np.polyder(polynomials[k])))) > 0:
            continue  # it turns around twice: runs look at values and at one turning point
        if not beyond and abs(change[k]) <= 0.3:
            continue
        levels = [within(np.roots(polynomials[k] - [0, 0, 0, level])) for level in (-0.3, 0.3)]
        expected = min(root for roots in levels for root in roots)
        assert facts.crossing[k] == pytest.approx(expected, abs=1e-6)
        kinds["turns beyond" if beyond else "turns within" if turns else "straight on"] += 1
    assert min(kinds.values()) > 100


def test_a_straight_line():
    one = np.ones(1)
    facts = CubicPieces().facts(2 * one, (2 * one, 2 * one), (-one, 0.5 * one))
    assert facts.crossing == pytest.approx([0.25], abs=1e-12)


def test_limits_on_one_side():
    one = np.ones(1)
    facts = CubicPieces().facts(-2 * one, (-2 * one, -2 * one), (-one, np.inf * one))
    assert facts.crossing == pytest.approx([0.5], abs=1e-12)


def test_memory_grows():
    """The facts of a piece do not depend on how many there are."""
    pieces = CubicPieces()
    change, first, last, _ = cubics(1000, 5)
    limits = np.full(1000, -0.2), np.full(1000, 0.2)
    few = [
        part[:10].copy() for part in pieces.facts(change[:10], (first[:10], last[:10]), [one[:10] for one in limits])
    ]
    many = pieces.facts(change, (first, last), limits)
    assert all(np.array_equal(a, b[:10], equal_nan=True) for a, b in zip(few, many, strict=True))
