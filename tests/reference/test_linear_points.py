"""A sample of the points half of the battery of linear studies, and that it notices what is wrong."""

import dataclasses

import numpy as np
import pytest

from multibody.linearization.trim.equilibrium_point import Equilibrium

from . import linear_points
from .case import REFUSED, RIGHT, WRONG
from .linear_points import case

SAMPLE = [*range(16), 17, 35, 39, 43]  # all kinds of models


@pytest.mark.parametrize("seed", SAMPLE)
def test_a_point_is_right(seed):
    found = case(seed)
    assert found.verdict == RIGHT, f"{found.what}\n{found.detail}"


def test_the_battery_notices_another_equilibrium(monkeypatch):
    """A start value that is given back in the place of the solution."""
    equilibrium = linear_points.equilibrium

    def moved(eom, **options):
        found = equilibrium(eom, **options)
        w = found.w.copy()
        w[found.equations.free[0]] *= 1 + 1e-6
        w[found.equations.free[0]] += 1e-6 * (w[found.equations.free[0]] == 0)
        return dataclasses.replace(found, w=w)

    monkeypatch.setattr(linear_points, "equilibrium", moved)
    for seed in (2, 9, 13):
        assert case(seed).verdict == WRONG


@pytest.mark.parametrize("word", ["stable", "unstable", "marginal", "undecided"])
def test_the_battery_notices_another_verdict(word, monkeypatch):
    """The same one for all; "undecided" is not wrong, but not right either."""
    monkeypatch.setattr(linear_points, "STUDIES", (linear_points.pendulum, linear_points.double_pendulum))
    seeds = range(4)
    assert {linear_points.static(np.random.default_rng(seed), seed).verdict for seed in seeds} == {RIGHT}
    monkeypatch.setattr(Equilibrium, "stability", word)
    found = {linear_points.static(np.random.default_rng(seed), seed).verdict for seed in seeds}
    assert (REFUSED if word == "undecided" else WRONG) in found
    assert word != "undecided" or found == {REFUSED}


def test_the_battery_notices_another_slope(monkeypatch):
    linearize = linear_points.linearize

    def steeper(*args, **options):
        found = linearize(*args, **options)
        return dataclasses.replace(found, A=found.A * (1 + 1e-6 * np.eye(len(found.A))[::-1]))

    monkeypatch.setattr(linear_points, "linearize", steeper)
    for seed in (1, 3, 43):
        assert case(seed).verdict == WRONG


def test_the_battery_notices_a_state_that_does_not_last(monkeypatch):
    monkeypatch.setattr(Equilibrium, "lasts", True)
    for seed in (11, 35, 39):
        assert case(seed).verdict == WRONG


def test_the_battery_notices_slopes_that_are_taken_for_rounding(monkeypatch):
    """As they were where a force changes within much less than the size of its body."""
    monkeypatch.setattr(linear_points, "STUDIES", (linear_points.contact,))
    verdicts = {}
    for way in ("right", "wrong"):
        verdicts[way] = [linear_points.static(np.random.default_rng(seed), seed).verdict for seed in range(6)]
        monkeypatch.setattr("multibody.linearization.state_space.linearizer.Linearizer._law_sizes", lambda *_: {})
    assert set(verdicts["right"]) == {RIGHT}
    assert WRONG in verdicts["wrong"]
