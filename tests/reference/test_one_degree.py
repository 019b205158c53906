"""Closed forms with one degree of freedom against the reference in maximal coordinates."""

import numpy as np
import pytest

from . import angles, one_degree, singular
from .linkages import FAMILIES
from .mechanisms import mechanism_of


@pytest.mark.parametrize("seed", range(6))
def test_both_references_agree_through_singular_positions(seed):
    """Six random passages: slider-cranks with equal arms, antiparallelograms, parallelograms, kites."""
    rng = np.random.default_rng(seed)
    passage = singular.random_passage(rng)
    start, speed = passage.singular_angle - 0.4, 4.0
    times = np.linspace(0, 0.4, 5)
    angle, rate = one_degree.motion(singular.rods_of(passage), -9.81j, start, speed, times)
    assert angle[-1] > passage.singular_angle
    q, u = singular.state(passage, start, speed)
    layout = singular.slider_layout if passage.name == "slider" else FAMILIES["four_bar"].layout
    rates = {name.removesuffix("_dot"): value for name, value in u.items()}
    made = layout(**passage.values)
    motion = mechanism_of(made, q, rates, (0, -9.81, 0), conservative=True, project_stages=True, cut=1e-6).move(times)
    assert motion.values[:, 0] == pytest.approx(angle, abs=1e-6)
    assert motion.rates[:, 0] == pytest.approx(rate, abs=1e-5)


@pytest.mark.parametrize("sprung", angles.JOINTS)
def test_both_references_agree_on_a_spring_that_passes_half_a_turn(sprung):
    """Of a four-bar, on a joint that is not the crank's."""
    question = angles.random_question(np.random.default_rng(3), sprung)
    index = ("drive", "knee", "swing", "pin").index(sprung)
    k, rest = question.values["k"], question.values["rest"]

    def loads(t, x, v):
        force = np.zeros(4)
        force[index] = -k * (x[index] - rest)
        return force

    rates = {name.removesuffix("_dot"): value for name, value in question.u.items()}
    made = mechanism_of(angles.layout(**question.values), question.q, rates, angles.GRAVITY, loads=loads)
    times = np.linspace(0, 2.0, 41)
    motion = made.move(times[[0, 8, 16]])
    assert motion.values[:, 0] == pytest.approx(question.motion[0][[0, 8, 16]], abs=1e-6)
    assert motion.values[:, index] == pytest.approx(question.motion[2][[0, 8, 16]], abs=1e-6)
