"""Mechanisms in other units of length move as they do in metres: tolerances of constraints have no unit of their own.

With lengths and gravity multiplied by the same factor, angles are the same functions of time.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.mechanics.assembly.assembly import Assembly

SCALES = (1e-12, 1e-9, 1e-6, 1e-3, 1e3, 1e6)
LENGTHS = (2.0, 0.9, 1.8, 1.3)
INTEGRATORS = (mb.DormandPrince8(), mb.SemiImplicitEuler(step=1e-3), mb.ScipySolver(method="BDF"), mb.Cvode())


def four_bar(scale: float) -> mb.EquationsOfMotion:
    """Three angles, and a loop whose equations are lengths."""
    system = library.four_bar("q4", lengths=[scale * length for length in LENGTHS], g=9.81 * scale)
    return mb.derive(system, constraints=mb.Multipliers())


def rods(scale: float) -> mb.EquationsOfMotion:
    """Two masses on three rods, in coordinates that are lengths."""
    system = mb.System("rods", gravity=(0, -9.81 * scale, 0))
    points = [system.world]
    for k, place in enumerate([(0.8, -0.5), (1.7, -0.4)]):
        mass = system.body(f"mass{k}", mass=1.0 + k)
        system.joint(f"place{k}", system.world, mass, ["Tx", "Ty"], q=[scale * x for x in place])
        points.append(mass)
    points.append(system.frame("end", (2.0 * scale, 0, 0)))
    for k, length in enumerate((0.9, 1.0, 0.8)):
        system.constraint(mb.DistanceConstraint(points[k], points[k + 1], length * scale), name=f"rod{k}")
    return mb.derive(system)


def moved(eom: mb.EquationsOfMotion, integrator: mb.Integrator | None = None, **start: float) -> mb.Trajectory:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mb.StartWarning)
        return mb.simulate(eom, duration=2.0, samples=21, q=start or None, integrator=integrator)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", SCALES)
def test_a_four_bar_of_any_size_from_a_random_start(scale: float, seed: int) -> None:
    start = dict(zip(("q1", "q2", "q3"), np.random.default_rng(seed).uniform(0.5, 2.0, 3), strict=True))
    run, in_metres = moved(four_bar(scale), **start), moved(four_bar(1.0), **start)
    assert np.allclose(run.q, in_metres.q, rtol=0, atol=1e-9)
    assert run.statistics.steps == in_metres.statistics.steps


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("scale", [1e-12, 1e6])
def test_integrators_close_loops_of_any_size(scale: float, integrator: mb.Integrator) -> None:
    start = {"q1": 0.7, "q2": 1.9, "q3": 1.1}
    run, in_metres = moved(four_bar(scale), integrator, **start), moved(four_bar(1.0), integrator, **start)
    assert np.allclose(run.q, in_metres.q, rtol=0, atol=5e-6)


@pytest.mark.parametrize("scale", SCALES)
def test_lengths_as_coordinates(scale: float) -> None:
    run, in_metres = moved(rods(scale)), moved(rods(1.0))
    assert np.allclose(run.q / scale, in_metres.q, rtol=0, atol=1e-7)


@pytest.mark.parametrize("scale", [1.0, *SCALES])
def test_links_that_are_too_short_are_refused_at_any_size(scale: float) -> None:
    system = library.four_bar("q4", lengths=[scale * length for length in (4.0, 0.9, 1.8, 1.29)])
    with refused("loop-cannot-close", "q4"):
        mb.simulate(mb.derive(system, constraints=mb.Multipliers()), duration=1.0)


@pytest.mark.parametrize("scale", SCALES)
def test_speeds_follow_at_any_size(scale: float) -> None:
    eom = four_bar(scale)
    state = eom.consistent(q={"q1": 0.9}, u={"q1_dot": 1.0}, fixed=["q1", "q1_dot"])
    in_metres = four_bar(1.0).consistent(q={"q1": 0.9}, u={"q1_dot": 1.0}, fixed=["q1", "q1_dot"])
    assert np.allclose([*state.q, *state.u], [*in_metres.q, *in_metres.u], rtol=0, atol=1e-9)
    B, beta = Assembly(eom.constraints).velocity(state.q, state.u)
    assert np.abs(B @ state.u + beta).max() < 1e-12 * scale


def test_a_gap_that_is_given_is_in_units_of_the_equations() -> None:
    """1e-12 m is less than rounding in links of 1e6 m; 1 m is not."""
    start = {"q1": 0.7, "q2": 1.9, "q3": 1.1}
    with pytest.raises(mb.SimulationError):
        moved(four_bar(1e6), mb.DormandPrince5(gap=1e-12), **start)
    run = moved(four_bar(1e6), mb.DormandPrince5(gap=1.0), **start)
    assert np.allclose(run.q, moved(four_bar(1.0), **start).q, rtol=0, atol=1e-6)
