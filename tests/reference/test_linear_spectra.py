"""A sample of the spectra half of the battery of linear studies, and that it notices what is wrong."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from multibody.linearization.state_space.linear_system import LinearSystem
from multibody.linearization.state_space.linearized_system import LinearizedSystem

from . import linear_spectra
from .case import REFUSED, RIGHT, WRONG
from .linear_spectra import case

SAMPLE = range(40)  # all kinds of models
LEFT_OPEN = {30}
"""Poles at -8e-8 ± 0.01i of a mass matrix that has lost twelve digits: the package says so."""


def test_the_sample_has_all_kinds_of_models():
    kinds = {case(seed).what.split(" in ")[0].split()[-1] for seed in SAMPLE}
    names = {one.__name__ for one in linear_spectra.STUDIES}
    assert kinds >= names | {"pole_on_cart", "oversteer", "whirl", "follower"}


@pytest.mark.parametrize("seed", SAMPLE)
def test_a_spectrum_is_right(seed):
    found = case(seed)
    assert found.verdict == (REFUSED if seed in LEFT_OPEN else RIGHT), f"{found.what}\n{found.detail}"


def disturbed(monkeypatch, change):
    linearize = linear_spectra.linearize
    monkeypatch.setattr(linear_spectra, "linearize", lambda *args: change(linearize(*args)))


@cache
def pole_seeds():
    return [seed for seed in range(12) if linear_spectra.case(seed).what.startswith("poles")]


def test_the_battery_notices_other_poles(monkeypatch):
    disturbed(monkeypatch, lambda lin: dataclasses.replace(lin, A=lin.A * (1 + 1e-7 * np.eye(len(lin.A))[::-1])))
    assert WRONG in {case(seed).verdict for seed in pole_seeds()}


def test_the_battery_notices_poles_of_plain_numbers(monkeypatch):
    """LAPACK's eigenvalues in the place of those that are corrected, where they spread over many orders."""
    found = property(lambda lin: np.sort_complex(np.linalg.eigvals(lin.A)))
    monkeypatch.setattr(LinearizedSystem, "poles", found)
    assert {case(seed).verdict for seed in pole_seeds()} >= {WRONG}


def test_the_battery_notices_another_verdict(monkeypatch):
    monkeypatch.setattr(LinearizedSystem, "stability", "stable")
    assert WRONG in {case(seed).verdict for seed in pole_seeds()}


def test_the_battery_counts_verdicts_that_are_left_open(monkeypatch):
    monkeypatch.setattr(LinearizedSystem, "stability", "undecided")
    verdicts = [case(seed).verdict for seed in pole_seeds()]
    assert WRONG not in verdicts
    assert REFUSED in verdicts


def test_the_battery_notices_bounds_that_are_too_small(monkeypatch):
    spectrum = LinearSystem.spectrum.func

    def sharp(lin):
        found = spectrum(lin)
        return found._replace(bounds=1e-16 * np.abs(found.poles))

    monkeypatch.setattr(LinearizedSystem, "spectrum", property(sharp))
    assert WRONG in {case(seed).verdict for seed in pole_seeds()}


def test_the_battery_notices_another_critical_value(monkeypatch):
    critical_values = linear_spectra.critical_values

    def moved(*args, **options):
        return tuple(one._replace(value=one.value * (1 + 1e-6)) for one in critical_values(*args, **options))

    monkeypatch.setattr(linear_spectra, "critical_values", moved)
    crossings = [seed for seed in range(12) if seed not in pole_seeds()]
    assert {case(seed).verdict for seed in crossings} == {WRONG}
