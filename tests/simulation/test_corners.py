"""Steps end at points of tables and at other kinks of functions of time, without leaving the compiled loop."""

import math

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import Table
from multibody.simulation import Sampled
from multibody.simulation.integrators.compiled_integrator import CompiledIntegrator

COMPILED = [None, mb.DormandPrince5(), mb.RungeKutta4(step=0.004)]
OTHERS = [mb.ScipySolver(), mb.Cvode(), mb.IndependentCoordinates()]
MASS = 2.0


def oscillator():
    """A body of 2 kg on a spring of 3 N/m, pushed by F."""
    system = mb.System("oscillator")
    (stiffness,) = system.parameters(k=3.0)
    slide = system.joint("x", system.world, system.body("box", MASS), "Tx")
    system.load(mb.JointLoad(slide, system.input("F")))
    system.load(mb.JointSpring(slide, stiffness))
    return mb.derive(system)


def course(points, end=20.0, seed=1):
    """A random walk, as times and forces."""
    rng = np.random.default_rng(seed)
    times = np.append(np.sort(rng.uniform(0, end, points - 1)), end)
    times[0] = 0.0
    return times, 0.1 * np.cumsum(rng.normal(size=points))


def exact(times, forces, stiffness=3.0, x=0.0, v=0.0):
    """x and ẋ at the last time: from point to point, the solution for a force that changes linearly."""
    w = math.sqrt(stiffness / MASS)
    for h, low, high in zip(np.diff(times), forces, forces[1:], strict=False):
        mean, slope = low / stiffness, (high - low) / (h * stiffness)
        c, s = math.cos(w * h), math.sin(w * h)
        x, v = (x - mean) * c + (v - slope) * s / w + mean + slope * h, -(x - mean) * w * s + (v - slope) * c + slope
    return x, v


@pytest.fixture(scope="module")
def eom():
    return oscillator()


@pytest.fixture
def segments(monkeypatch):
    """The number of segments of all runs with compiled integrators."""
    counted = []
    run = CompiledIntegrator.run
    monkeypatch.setattr(CompiledIntegrator, "run", lambda *arguments: counted.append(1) or run(*arguments))
    return counted


@pytest.mark.parametrize("integrator", [*COMPILED, *OTHERS], ids=str)
def test_a_table_with_many_points(eom, integrator):
    times, forces = course(1001 if integrator in COMPILED else 51)
    run = mb.simulate(eom, 20.0, inputs={"F": Table("walk", times, forces)}, integrator=integrator)
    accuracy = 1e-8 if integrator is None else 1e-6
    assert (run["x"][-1], run["x_dot"][-1]) == pytest.approx(exact(times, forces), abs=accuracy)


@pytest.mark.parametrize("integrator", COMPILED, ids=str)
def test_a_table_is_one_segment(eom, segments, integrator):
    """10,000 points would take seconds with a segment for each of them."""
    times, forces = course(10_001)
    run = mb.simulate(eom, 20.0, inputs={"F": Table("walk", times, forces)}, integrator=integrator)
    assert len(segments) == 1
    assert run["x"][-1] == pytest.approx(exact(times, forces)[0], abs=1e-6)


def test_every_point_is_the_end_of_a_step(eom):
    times, forces = course(101)
    run = mb.simulate(
        eom, 20.0, inputs={"F": Table("walk", times, forces)}, integrator=mb.DormandPrince8(every_step=True)
    )
    assert np.abs(run.t[:, None] - times).min(axis=0).max() == 0


@pytest.mark.parametrize("integrator", COMPILED, ids=str)
@pytest.mark.parametrize("rise", [1e-8, 1e-9, 1e-12])
def test_steep_rises(eom, integrator, rise):
    """From 0 to 6 N within the rise, and back after one second: to its length, the answer to two jumps by 2 m."""
    times = [0.0, 1.0, 1.0 + rise, 2.0, 2.0 + rise, 5.0]
    forces = [0.0, 0.0, 6.0, 6.0, 0.0, 0.0]
    run = mb.simulate(eom, 5.0, inputs={"F": Table("pulse", times, forces)}, integrator=integrator)
    w = math.sqrt(3 / MASS)
    x, v = 2 * (math.cos(3 * w) - math.cos(4 * w)), 2 * w * (math.sin(4 * w) - math.sin(3 * w))
    assert (run["x"][-1], run["x_dot"][-1]) == pytest.approx((x, v), abs=1e-7)


@pytest.mark.parametrize("integrator", COMPILED, ids=str)
def test_other_kinks(eom, integrator, segments):
    """F = max(sin(2πt), 0) for ten periods: the same as a table with enough points, to its error."""
    run = mb.simulate(eom, 10.0, inputs={"F": "max(sin(6.283185307179586*t), 0)"}, integrator=integrator)
    assert len(segments) == 1
    times = np.linspace(0, 10, 20_001)
    x, v = exact(times, np.maximum(np.sin(2 * np.pi * times), 0))
    assert (run["x"][-1], run["x_dot"][-1]) == pytest.approx((x, v), abs=1e-6)


def test_jumps_are_still_ends_of_segments(eom, segments):
    """Two jumps, and 200 points beside them: F = walk(t) + 2·(5 < t < 7)."""
    times, forces = course(201)
    walk = Table("walk", times, forces)
    run = mb.simulate(eom, 20.0, inputs={"F": walk(eom.model.time) + mb.graph.parse(
        "where(t > 5 and t < 7, 2, 0)", {"t": eom.model.time})})  # fmt: skip
    assert len(segments) == 3
    knots = np.union1d(times, [5.0, 7.0])
    values = np.interp(knots, times, forces)
    state = (0.0, 0.0)
    for first, last, more in ((0.0, 5.0, 0.0), (5.0, 7.0, 2.0), (7.0, 20.0, 0.0)):
        part = (knots >= first) & (knots <= last)
        state = exact(knots[part], values[part] + more, 3.0, *state)
    assert (run["x"][-1], run["x_dot"][-1]) == pytest.approx(state, abs=1e-8)


def test_a_table_beside_a_controller_and_events(eom):
    """Segments begin between points of the table, and at them."""
    times, forces = course(401)
    pushes = []
    run = mb.simulate(
        eom, 20.0, inputs={"F": Table("walk", times, forces)},
        events=[mb.Event(eom.coordinates[0] - 0.01, reset=lambda t, q, u: pushes.append(t) or {"x_dot": u[0]})],
    )  # fmt: skip
    assert pushes
    assert (run["x"][-1], run["x_dot"][-1]) == pytest.approx(exact(times, forces), abs=1e-7)
    zero = Sampled(lambda t, q, u: 0.0, 0.37)
    system = mb.System("two")
    slide = system.joint("x", system.world, system.body("box", MASS), "Tx")
    for name in ("F", "G"):
        system.load(mb.JointLoad(slide, system.input(name)))
    system.load(mb.JointSpring(slide, 3.0))
    run = mb.simulate(mb.derive(system), 20.0, inputs={"F": Table("walk", times, forces), "G": zero})
    assert (run["x"][-1], run["x_dot"][-1]) == pytest.approx(exact(times, forces), abs=1e-7)


def test_the_limit_of_steps_counts_from_point_to_point(eom):
    times, forces = course(301)
    options = {"inputs": {"F": Table("walk", times, forces)}}
    assert mb.simulate(eom, 20.0, integrator=mb.DormandPrince8(max_steps=100), **options).counts.steps >= 300
    with refused("run-failed"):
        mb.simulate(eom, 20.0, integrator=mb.DormandPrince8(max_steps=20), inputs={"F": "sin(t)"})


@pytest.mark.parametrize("argument", ["t", "2*t + 1"])
def test_cubic_tables(eom, argument):
    """A spline through sin(x) with steps of 0.01 in x."""
    x = np.arange(-1, 50, 0.01)
    spline = Table("wave", x, np.sin(x), "cubic")
    force = spline(mb.graph.parse(argument, {"t": eom.model.time}))
    runs = [mb.simulate(eom, 20.0, inputs={"F": one}) for one in (force, f"sin({argument})")]
    assert runs[0]["x"][-1] == pytest.approx(runs[1]["x"][-1], abs=1e-8)
    assert runs[0].counts.steps >= 2000


@pytest.mark.parametrize("integrator", COMPILED, ids=str)
def test_sweeps(eom, integrator):
    times, forces = course(301)
    stiffnesses = np.linspace(1, 40, 19)
    found = mb.sweep(
        eom, 20.0, parameters={"k": stiffnesses}, inputs={"F": Table("walk", times, forces)},
        integrator=integrator, workers=1,
    )  # fmt: skip
    wanted = [exact(times, forces, k)[0] for k in stiffnesses]
    assert [run["x"][-1] for run in found] == pytest.approx(wanted, abs=1e-6)


def test_sweeps_of_points_that_depend_on_parameters():
    system = mb.System("scaled")
    rate = system.parameters(c=1.0)[0]
    slide = system.joint("x", system.world, system.body("box", MASS), "Tx")
    pulse = Table("pulse", [0, 1, 1.01, 1.02, 100], [0, 0, 8, 0, 0])
    system.load(mb.JointLoad(slide, pulse(rate * system.time)))
    found = mb.sweep(mb.derive(system), 10.0, parameters={"c": [0.5, 1.0, 3.0]}, workers=1)
    assert [run["x_dot"][-1] for run in found] == pytest.approx([0.08, 0.04, 0.04 / 3], rel=1e-7)
