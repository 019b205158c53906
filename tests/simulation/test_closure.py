"""Equations that are left out because they follow from others are watched all the same."""

import math
from dataclasses import replace

import numpy as np
import pytest

import multibody as mb
from multibody.simulation import IndependentCoordinates
from multibody.simulation.checks.redundant_constraints import checked
from multibody.simulation.contract import Status
from multibody.simulation.integrators.scipy_solvers import ScipySolver
from multibody.simulation.integrators.sundials import Cvode
from multibody.simulation.results.named_samples import EventRecord

from ..formalisms.mechanisms import bricard  # noqa: TID252
from .runs import parallelogram


def three_cranks():
    """A bar on three parallel cranks, upright at the start; it moves only if the third is as long as the others."""
    system = parallelogram()
    length = system.parameter("length", 1.0)
    crank = system.body("middle", 1, (length / 2, 0, 0), (0, 1 / 12, 1 / 12))
    system.joint("e", system.frame("foot", (0.5, 1 - length, 0)), crank, "Rz", q=math.pi / 2)
    middle = system["top"].frame("half", (0.5, 0, 0))
    system.joint("f", middle, crank.frame("tip3", (length, 0, 0)), "Rz", cut=True)
    return system


def bennett():
    """Bennett's linkage: hinges along z, each at (a, 0, 0) from the last and turned by α about x; it is driven."""
    system = mb.System("bennett", gravity=(0, 0, -9.81))
    alpha, beta = math.radians(40), math.radians(75)
    end = system.world
    for k, (angle, start) in enumerate([(alpha, 1.0), (beta, 2.0), (alpha, -1.0)]):
        link = system.body(f"link{k}", 1.0, (0.3, 0, 0), (0.1, 0.1, 0.1))
        system.joint(f"theta{k}", end, link, "Rz", q=start, u=1.0 if k == 0 else None)
        end = link.frame(f"end{k}", (math.sin(angle), 0, 0), mb.Rotation.about_x(angle))
    back = mb.Rotation.about_x(-beta)
    foot = system.frame("foot", -(back @ mb.Vec3(math.sin(beta), 0, 0)), back)
    system.joint("closing", end, foot, "Rz", cut=True)
    return system


@pytest.fixture(scope="module")
def cranks():
    return mb.derive(three_cranks())


def test_one_equation_follows_from_special_lengths(cranks):
    constraints = cranks.constraints
    assert len(constraints.generic) == 4
    assert len(constraints.independent) == 3


@pytest.mark.parametrize(("integrator", "duration"), [(None, 1.2), (ScipySolver(), 1.2), (Cvode(), 0.5)], ids=str)
def test_cranks_of_equal_length_turn(cranks, integrator, duration):
    """One step at a time also through the position in which all of them lie flat, soon after 0.78 s."""
    run = mb.simulate(cranks, duration=duration, samples=21, integrator=integrator)
    assert run.status is Status.DONE
    assert run["e"] == pytest.approx(run["a"], abs=1e-6)


@pytest.mark.parametrize("integrator", [None, ScipySolver(), Cvode(), IndependentCoordinates()], ids=repr)
def test_a_crank_of_another_length_cannot_turn(cranks, integrator):
    """It fits at the start, where its speed is right, too; a little later it does not."""
    run = mb.simulate(
        cranks, duration=1.0, samples=21, parameters={"length": 0.8}, integrator=integrator, on_failure="return"
    )
    assert run.status is Status.CONSTRAINTS_LOST
    assert run.t[-1] <= 0.05
    assert "the constraints could not be kept" in run.message
    assert "special lengths" in run.message


def turned(eom, angles, length=1.0):
    """A trajectory in which the cranks turn, as the equations that are solved for want it: tip over tip."""
    a = np.array(angles)
    e = np.arccos(np.cos(a) / length)
    states = {"a": a, "b": -a, "c": a, "e": e}
    y = np.zeros((len(a), 2 * len(states) + 3))
    y[:, : len(states)] = np.stack([states[one.name] for one in eom.coordinates], axis=1)
    event = EventRecord("late", 2.0, y[-1])
    return mb.Trajectory(eom, np.arange(len(a)), y, np.zeros((len(a), 0)), [length], occurrences=[event])


def test_what_is_open_is_named(cranks):
    """The tip of a crank of 0.8 m above a pivot 0.2 m higher is below the bar by 1 - sin a - 0.8·(1 - sin e)."""
    run = checked(turned(cranks, [math.pi / 2, math.pi / 2 - 1e-4, 1.2, 0.9], 0.8))
    gap = abs(math.sin(1.2) - 0.2 - 0.8 * math.sin(math.acos(math.cos(1.2) / 0.8)))
    assert run.status is Status.CONSTRAINTS_LOST
    assert run.t.tolist() == [0.0, 1.0, 2.0]
    assert f"f_fy is open by {gap:.2g}" in run.message
    assert "f_fx" not in run.message
    assert "special lengths" in run.message
    assert [one.name for one in run.occurrences] == ["late"]


def test_what_is_closed_is_left_alone(cranks):
    run = turned(cranks, [math.pi / 2, 1.2, 0.9])
    assert checked(run) is run
    failed = replace(turned(cranks, [math.pi / 2, 1.2], 0.8), status=Status.NOT_FINITE)
    assert checked(failed) is failed


def test_bennett_keeps_all_equations():
    """tan(θ/2)·tan(φ/2) = sin((β + α)/2)/sin((β - α)/2) for neighbours (Bennett 1903)."""
    eom = mb.derive(bennett())
    assert len(eom.constraints.redundant) == 3
    run = mb.simulate(eom, duration=10.0)  # many times through positions in which some equations lose their meaning
    assert run.status is Status.DONE
    assert run.residuals.position.max() < 1e-8
    assert run.energy_drift < 1e-4
    half, other = run["theta0"] / 2, run["theta1"] / 2
    ratio = math.sin(math.radians(57.5)) / math.sin(math.radians(17.5))
    np.testing.assert_allclose(
        np.abs(np.sin(half) * np.sin(other)), ratio * np.abs(np.cos(half) * np.cos(other)), atol=1e-8
    )


def test_bricard_turns_inside_out():
    """cos θ + cos φ + cos θ·cos φ = 0 for neighbours (Chen, You and Tarnai 2005)."""
    run = mb.simulate(mb.derive(bricard()), duration=10.0)
    assert run.status is Status.DONE
    assert run.residuals.position.max() < 1e-8
    assert run.energy_drift < 1e-4
    first, second = np.cos(run["theta1"]), np.cos(run["theta2"])
    np.testing.assert_allclose(first + second + first * second, 0, atol=1e-8)


def test_residuals_count_all_equations(cranks):
    """A state in which the third crank alone is off: what is open then belongs to the loop that it closes."""
    start = cranks.consistent()
    q = np.array(start.q) + 0.01 * np.array([one.name == "e" for one in cranks.coordinates])
    run = mb.Trajectory(cranks, [0.0], [[*q, *start.u, 0, 0, 0]], np.zeros((1, 0)), [1.0])
    assert run.residuals.position[0] == pytest.approx(0.01, rel=1e-4)


@pytest.mark.parametrize("closed_form", [True, False])
def test_a_rod_without_mass_does_not_make_the_motion_rough(closed_form):
    """A crank with a massless rod and a piston of 2 kg: ½·(J + m·x'²)·ω² keeps its value."""
    system = mb.System("engine", recognise_loops=closed_form)
    crank = system.body("crank", 1.0, (0, 0, 0), (0, 0, 0.5))
    rod, piston = system.body("rod"), system.body("piston", mass=2.0)
    system.joint("angle", system.world, crank, "Rz", q=0.4, u=5.0)
    system.joint("elbow", crank.frame("pin", (0.3, 0, 0)), rod, "Rz", q=-0.5)
    system.joint("stroke", system.world, piston, "Tx", q=1.2)
    system.joint("wrist", rod.frame("end", (1, 0, 0)), piston, "Rz", cut=True)
    run = mb.simulate(mb.derive(system), 5.0)
    assert run.status is Status.DONE
    assert run.counts.steps < 500
    angle, speed = run["angle"], run["angle_dot"]
    slope = -0.3 * np.sin(angle) * (1 + 0.3 * np.cos(angle) / np.sqrt(1 - 0.09 * np.sin(angle) ** 2))
    energy = (0.5 + 2.0 * slope**2) * speed**2 / 2
    np.testing.assert_allclose(energy, energy[0], rtol=1e-6)
