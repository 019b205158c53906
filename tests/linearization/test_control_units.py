"""The same models in meters, millimeters and micrometers: the same verdicts, and gains that differ by units only."""

import functools

import numpy as np
import pytest
from tests.reference.linear_control import STUDIES
from tests.reference.linear_points import UNITS, Scale

import multibody as mb
from multibody.errors import ModelError
from multibody.linearization import kalman, linearize, lqr

OTHERS = [name for name in UNITS if name != "SI"]


@functools.cache
def described(seed, unit):
    """A random model whose numbers are those of SI, in another unit."""
    length, mass = UNITS[unit]
    rng = np.random.default_rng(seed)
    size, weight = 10 ** rng.uniform(-4, 2), 10 ** rng.uniform(-6, 3)
    scale = Scale(unit, size * length, weight * mass, 9.81 * length)
    study = STUDIES[seed % len(STUDIES)](rng, scale)
    return study, scale, linearize(mb.derive(study.system), outputs=list(study.outputs))


def judged(call):
    """What a design says: its first line, or that it is accepted."""
    try:
        call()
    except ModelError as error:
        return str(error).splitlines()[0]
    return "accepted"


def designs(study, scale, lin):
    """A regulator and an observer with weights that are the same physical quantities in all units."""
    lengths, rate = np.array(study.sizes), 9.81 / (scale.length / UNITS[scale.unit][0])
    weights = dict(zip(study.names, 1 / lengths**2, strict=True))
    speeds = {f"{name}_dot": rate**1.5 * size**2 for name, size in zip(study.names, lengths, strict=True)}
    effort = dict.fromkeys(lin.inputs, 1 / scale.force**2)
    noise = dict.fromkeys(lin.outputs, scale.length**2)
    return lambda: lqr(lin, weights, effort), lambda: kalman(lin, speeds, noise)


@pytest.mark.parametrize("seed", range(21))
def test_verdicts_are_those_of_other_units(seed):
    study, scale, expected = described(seed, "SI")
    for unit in OTHERS:
        other, other_scale, lin = described(seed, unit)
        for name in ("controllability", "observability"):
            one, two = getattr(expected, name), getattr(lin, name)
            assert sorted(one.verdicts) == sorted(two.verdicts)
            assert (one.rank, one.complete) == (two.rank, two.complete)
            for verdict in ("missing", "undecided"):
                first, second = (np.sort_complex(getattr(table, verdict)) for table in (one, two))
                assert np.abs(first - second).max(initial=0.0) <= 1e-5 * np.abs(expected.poles).max()
        for first, second in zip(designs(study, scale, expected), designs(other, other_scale, lin), strict=True):
            assert judged(first) == judged(second)


@pytest.mark.parametrize("seed", range(21))
def test_gains_are_those_of_other_units(seed):
    """K has the unit force/state, and L has the unit state/output/s."""
    study, scale, expected = described(seed, "SI")
    regulator, observer = designs(study, scale, expected)
    for unit in OTHERS:
        other, other_scale, lin = described(seed, unit)
        length, mass = UNITS[unit]
        states = np.tile(np.array(other.sizes) / study.sizes, 2)  # angles stay as they are
        compare(regulator, designs(other, other_scale, lin)[0], lambda law: law.K, mass * length, 1 / states)
        compare(observer, designs(other, other_scale, lin)[1], lambda law: law.L.T, 1 / length, states)


def compare(first, second, gains, signals, states):
    """Entries agree to nine digits, and those that are small to twelve digits of the largest one."""
    if judged(first) == "accepted":
        wanted, units = gains(first()) * signals * states, signals * states
        largest = np.abs(wanted / units).max() * units
        assert (np.abs(gains(second()) - wanted) <= 1e-9 * np.abs(wanted) + 1e-12 * largest).all()
