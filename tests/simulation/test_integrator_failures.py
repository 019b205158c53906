"""Runs that cannot go on say why, and keep what they have."""

import math

import numpy as np
import pytest

import multibody as mb
from multibody.graph import cos, sqrt
from multibody.simulation.contract import Status
from multibody.simulation.integrators.fixed_step import RungeKutta4, SemiImplicitEuler, Symplectic
from multibody.simulation.integrators.runge_kutta import DormandPrince5, DormandPrince8

from .motions import double_pendulum, move, on_a_rail, start

ADAPTIVE = pytest.mark.parametrize("kind", [DormandPrince5, DormandPrince8])
FIXED = pytest.mark.parametrize("kind", [RungeKutta4, SemiImplicitEuler, Symplectic])
ALL = pytest.mark.parametrize(
    "integrator", [DormandPrince5(), DormandPrince8(), RungeKutta4(), SemiImplicitEuler(), Symplectic()], ids=str
)


@ADAPTIVE
def test_a_root_of_a_negative_number_ends_the_run_just_before_it(kind):
    """v̇ = √(1 - x) with x beyond 1 soon."""
    problem, y0 = start(on_a_rail(lambda t, x, v: 0.1 * sqrt(1 - x), v=1.0))
    segment = move(kind(), problem, y0, np.linspace(0, 2, 21))
    x, v = segment.last_y[:2]
    assert segment.status is Status.NOT_FINITE
    assert x == pytest.approx(1.0, abs=1e-9)
    assert v**2 / 2 - 0.5 == pytest.approx(0.1 * 2 / 3, abs=1e-7)  # the work of the force up to there
    assert len(segment.t) == len(segment.y) == np.sum(np.linspace(0, 2, 21) <= segment.last_t)
    assert np.isfinite(segment.y).all()


@FIXED
def test_fixed_steps_end_before_what_is_not_finite(kind):
    problem, y0 = start(on_a_rail(lambda t, x, v: sqrt(1 - x), v=1.0))
    segment = move(kind(step=0.01), problem, y0, 2.0)
    assert segment.status is Status.NOT_FINITE
    assert 0.95 < segment.last_y[0] <= 1.0


@ALL
def test_a_start_that_is_not_finite_is_no_start(integrator):
    problem, y0 = start(on_a_rail(lambda t, x, v: sqrt(x - 1)))
    segment = move(integrator, problem, y0, 1.0)
    assert (segment.status, segment.last_t, segment.steps) == (Status.NOT_FINITE, 0.0, 0)


@ADAPTIVE
def test_a_pole_makes_steps_too_small(kind):
    """ẍ = 6·x² from (1, 2): x = 1/(1 - t)²."""
    problem, y0 = start(on_a_rail(lambda t, x, v: 6 * x**2, x=1.0, v=2.0))
    segment = move(kind(), problem, y0, 2.0)
    assert segment.status in (Status.STEP_TOO_SMALL, Status.NOT_FINITE)
    assert segment.last_t == pytest.approx(1.0, abs=1e-3)


@ADAPTIVE
def test_a_stiff_problem_ends_with_a_status_and_says_so(kind):
    problem, y0 = start(on_a_rail(lambda t, x, v: -1e9 * (v - cos(t))))
    segment = move(kind(max_steps=5000), problem, y0, 10.0)
    assert segment.status is Status.TOO_MANY_STEPS
    assert segment.steps + segment.rejected == 5000
    assert "stiff" in segment.message
    assert abs(segment.last_y[1] - math.cos(segment.last_t)) < 1e-6  # right as far as it came


def test_what_is_not_stiff_does_not_say_so():
    problem, y0 = start(double_pendulum())
    assert move(DormandPrince5(), problem, y0, 10.0).message == ""


def test_leapfrog_with_too_long_steps_for_its_damping_says_so():
    problem, y0 = start(on_a_rail(lambda t, x, v: -1e3 * v, v=1.0))
    assert move(Symplectic(step=0.01), problem, y0, 1.0).status is Status.SOLVER_FAILED


def test_a_given_motion_beyond_what_a_mechanism_reaches_is_named_as_the_cause():
    """A piston on a crank of 1 m and a rod of 2 m is driven beyond 3 m."""
    engine = mb.System("engine")
    crank, rod = (engine.body(name, 1.0, (l / 2, 0, 0), (0, 1, 1)) for name, l in (("crank", 1.0), ("rod", 2.0)))
    engine.joint("turn", engine.world, crank, "Rz", q=0.5)
    engine.joint("knee", crank.frame("pin", (1.0, 0, 0)), rod, "Rz")
    engine.joint("stroke", engine.world, engine.body("piston", 1.0), "Tx", prescribed=2.5 + engine.time)
    engine.joint("eye", rod.frame("end", (2.0, 0, 0)), engine["piston"], "Rz")
    run = mb.simulate(mb.derive(engine), duration=1.0, on_failure="return")
    assert run.t[-1] == pytest.approx(0.5, abs=5e-3)
    assert "a given motion leads beyond what it can reach" in run.message
