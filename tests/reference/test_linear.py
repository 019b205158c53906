"""Linear systems of over-constrained linkages against accelerations of the reference simulator."""

import numpy as np
import pytest

import multibody as mb

from .case import generator
from .linkages import FAMILIES, GRAVITY, SKEW, equations
from .mechanisms import closed_start, mechanism_of

CASES = [("cranks3", "Kane"), ("stack32", "Recursive"), ("four_bar", "modular"), ("bennett", "Recursive"),
         ("bricard", "Wittenburg"), ("sarrus2", "Recursive Multipliers")]  # fmt: skip
TIME_STEP = 1e-2
ANGLE_STEP = 2e-3


def linkage(family, guess, values, rates):
    layout = FAMILIES[family].layout(**values)
    return layout, mechanism_of(layout, guess, rates, GRAVITY, conservative=True, project_stages=family in SKEW)


def accelerated(family, guess, values, name):
    """A joint at rest: its coordinate, and its acceleration by speeds a little later, which are odd in time."""
    layout, mechanism = linkage(family, guess, values, {})
    column = [pair.name for pair in layout.pairs].index(name)
    motion = mechanism.move([0.0, TIME_STEP, 2 * TIME_STEP], rtol=1e-12)
    _, soon, later = motion.rates[:, column]
    return motion.values[0, column], (8 * soon - later) / (6 * TIME_STEP)


@pytest.mark.parametrize(("family", "way"), CASES)
def test_the_slope_of_the_acceleration_at_rest(family, way):
    """∂q̈/∂q of the independent coordinate, at a random position and with random lengths."""
    rng, eom = generator("linear", CASES.index((family, way))), equations(family, way)
    values = FAMILIES[family].values(rng)
    guess = FAMILIES[family].guess(rng, values)
    layout, mechanism = linkage(
        family, guess, values, {pair.name: 1.0 for pair in FAMILIES[family].layout(**values).tree}
    )
    q, motion = closed_start(mechanism, layout)
    linear = mb.linearize(eom, at=q, parameters=values)
    name, speed = linear.states
    way_on = {key: motion[f"{key}_dot"] / motion[speed] for key in q}
    points = [
        accelerated(family, {key: q[key] + step * way_on[key] for key in q}, values, name)
        for step in (-2 * ANGLE_STEP, -ANGLE_STEP, 0.0, ANGLE_STEP, 2 * ANGLE_STEP)
    ]
    angles, accelerations = np.array(points).T
    slope = np.polyfit(angles - angles[2], accelerations, 4)[-2]
    assert linear.point.acceleration[[one.name for one in eom.speeds].index(speed)] == pytest.approx(
        accelerations[2], rel=1e-5, abs=1e-6
    )
    assert pytest.approx(np.array([[0, 1], [slope, 0]]), rel=1e-4, abs=1e-5) == linear.A


@pytest.mark.parametrize(("family", "way"), CASES)
def test_forces_of_redundant_equations_are_those_of_the_accelerations(family, way):
    rng, eom = generator("linear", CASES.index((family, way))), equations(family, way)
    values = FAMILIES[family].values(rng)
    guess = FAMILIES[family].guess(rng, values)
    layout, mechanism = linkage(
        family, guess, values, {pair.name: 1.0 for pair in FAMILIES[family].layout(**values).tree}
    )
    q, u = closed_start(mechanism, layout)
    point = mb.linearize(eom, at=q | u, parameters=values).point
    forces = eom.constraint_forces(0.0, point.q, point.u, point.r, point.p)
    assert point.multipliers == pytest.approx(forces, rel=1e-4, abs=1e-4 * np.abs(forces).max())
