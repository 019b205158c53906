"""Joints that leave their limits: the run says which, when and how far."""

import json
import logging

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import multibody as mb
from multibody.cli import main
from multibody.graph import sin
from multibody.simulation.checks.joint_limits import limit_violations

INTEGRATORS = [None, mb.RungeKutta4(step=0.01), mb.Symplectic(step=0.001), mb.ScipySolver(method="Radau")]


def oscillator(limits, kind="Tx", **options):
    """x = cos t for a box on a spring, or an angle for a wheel."""
    system = mb.System("oscillator")
    joint = system.joint(
        "slide", system.world, system.body("box", 1.0, (0, 0, 0), (1, 1, 1)), kind, limits=limits, **options
    )
    system.load(mb.JointSpring(joint, 1.0))
    return mb.derive(system)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("samples", [2, 101])
def test_time_and_furthest_value(integrator, samples):
    """cos t is below -0.5 from 2π/3 on, and furthest at π."""
    run = mb.simulate(oscillator((-0.5, 2.0), q=1.0), 6.0, samples=samples, integrator=integrator)
    (found,) = run.limit_violations
    assert run.status.ok
    assert (found.joint, found.coordinate, found.limits) == ("slide", "slide", (-0.5, 2.0))
    assert found.t == pytest.approx(2 * np.pi / 3, abs=1e-3)
    assert found.furthest == pytest.approx(-1.0, abs=1e-3)
    assert found.furthest_t == pytest.approx(np.pi, abs=1e-3)


@pytest.mark.parametrize("kind", ["Tx", "Rz"])
@pytest.mark.parametrize("limits", [(-2.0, 2.0), (-1.0, 1.0), (-np.inf, 1.0), None])
def test_limits_that_are_kept(kind, limits, caplog):
    run = mb.simulate(oscillator(limits, kind, q=1.0), 20.0)
    assert run.limit_violations == ()
    assert "limits" not in str(run)
    assert not caplog.records


def test_a_start_beyond_a_limit():
    (found,) = mb.simulate(oscillator((-2.0, 0.25), q=1.0), 1.0).limit_violations
    assert (found.t, found.furthest, found.furthest_t) == (0.0, 1.0, 0.0)


def test_one_message_for_a_run(caplog):
    with caplog.at_level(logging.WARNING, "multibody"):
        run = mb.simulate(oscillator((-0.5, 2.0), q=1.0), 20.0)
    (record,) = caplog.records
    for text in (record.getMessage(), str(run)):
        assert "slide leaves [-0.5, 2] at 2.094" in text
        assert "reaches -0.9999" in text


def test_each_coordinate_of_a_joint_has_its_range():
    """x = t and y = 2·t."""
    system = mb.System("plane")
    system.joint("move", system.world, system.body("box", 1.0), ["Tx", "Ty"], u=(1.0, 2.0), limits=[None, (0, 3)])
    (found,) = mb.simulate(mb.derive(system), 5.0).limit_violations
    assert found.joint == "move"
    assert found.t == pytest.approx(1.5)
    assert found.furthest == pytest.approx(10.0)


def test_a_prescribed_joint_leaves_its_limits():
    system = mb.System("driven")
    system.joint("drive", system.world, system.body("box", 1.0), "Tx", prescribed=system.time, limits=(-1, 2))
    system.joint("x", system.world, system.body("other", 1.0), "Tx", u=1.0)
    (found,) = mb.simulate(mb.derive(system), 5.0).limit_violations
    assert found.t == pytest.approx(2.0)
    assert found.furthest == pytest.approx(5.0)


def test_a_dependent_joint_leaves_its_limits():
    """Two sliders on one rod of length 5 m: y² = 25 - x², and y is below 3.5 from x = √12.75 on."""
    system = mb.System("ladder")
    a, b = system.body("a", 1.0), system.body("b", 1.0)
    system.joint("x", system.world, a, "Tx", q=3.0, u=1.0)
    system.joint("y", system.world, b, "Ty", q=4.0, limits=(3.5, 9.0))
    system.constraint(mb.DistanceConstraint(a, b, 5.0))
    run = mb.simulate(mb.derive(system), 1.0)
    (found,) = run.limit_violations
    when = np.interp(np.sqrt(12.75), run["x"], run.t)
    assert found.coordinate == "y"
    assert found.t == pytest.approx(when, abs=1e-3)


def test_a_stop_at_the_limit_holds_the_joint():
    eom = oscillator((-0.5, 2.0), q=1.0)
    stop = mb.Impact(eom.coordinates[0] + 0.5, 0.5)
    assert mb.simulate(eom, 6.0, events=[stop]).limit_violations == ()


def test_runs_of_a_sweep_are_counted(caplog):
    eom = oscillator((-1.5, 1.5))
    runs = mb.sweep(eom, 7.0, initial={"slide": [1.0, 2.0, 3.0]}, samples=701)
    assert sorted(runs.limit_violations) == [1, 2]
    assert abs(runs[2].limit_violations[0].furthest) == pytest.approx(3.0, abs=1e-3)
    assert "slide in 2 of 3 runs" in str(runs)
    assert not caplog.records


@pytest.mark.parametrize("samples", [2, 5, 40])
def test_runs_of_a_sweep_are_watched_between_their_samples(samples):
    """Samples at full periods show the start only; both runs are at -q half a period later."""
    runs = mb.sweep(oscillator((-0.5, 4.0)), 8 * np.pi, initial={"slide": [0.4, 1.0, 3.0]}, samples=samples)
    assert sorted(runs.limit_violations) == [1, 2]
    for number, furthest in ((1, -1.0), (2, -3.0)):
        (found,) = runs[number].limit_violations
        assert found.furthest == pytest.approx(furthest, abs=1e-3)
        assert found.t == pytest.approx(np.arccos(0.5 / furthest), abs=1e-3)


def test_a_run_from_a_file_knows(tmp_path):
    eom = oscillator((-0.5, 2.0), q=1.0)
    mb.simulate(eom, 6.0).save(tmp_path / "run.csv")
    (found,) = mb.Trajectory.read(tmp_path / "run.csv", eom).limit_violations
    assert found.furthest == pytest.approx(-1.0, abs=1e-4)


def test_a_continued_run_knows_both_parts():
    """0.5·cos t is below -0.25 from 2π/3 on."""
    eom = oscillator((-0.25, 0.9), q=0.5)
    first = mb.simulate(eom, 2.5)
    (found,) = (first + mb.simulate(eom, 4.0, start=first)).limit_violations
    assert found.t == pytest.approx(2 * np.pi / 3, abs=0.02)
    assert found.furthest == pytest.approx(-0.5, abs=1e-4)


def test_the_command_line_knows(tmp_path, capsys):
    path = tmp_path / "oscillator.yaml"
    system = mb.System("oscillator")
    slide = system.joint("slide", system.world, system.body("box", 1.0), "Tx", q=1.0, limits=(-0.5, 2.0))
    system.load(mb.JointSpring(slide, 1.0))
    mb.write_model(system, path)
    main(["simulate", str(path), "-d", "6", "--json"])
    (found,) = json.loads(capsys.readouterr().out)["limit_violations"]
    assert found["furthest"] == pytest.approx(-1.0, abs=1e-3)


def test_values_that_are_not_numbers_leave_no_limit():
    """Between them, the dependent joint is at most at 1.2² = 1.44."""
    system = mb.System("square")
    slide = system.joint("x", system.world, system.body("a", 1.0), "Tx")
    follower = system.joint("z", system.world, system.body("b", 1.0), "Ty", limits=(-0.5, 0.8))
    system.loop(mb.ExpJoint(follower, slide.coordinate**2))
    q = np.array([[0.0], [1.0], [np.nan], [1.2], [0.1]])
    found = limit_violations(mb.derive(system), np.arange(5.0), q, np.zeros((5, 1)), np.zeros((5, 0)), np.empty(0))
    assert [one.coordinate for one in found] == ["z"]
    assert (found[0].furthest, found[0].furthest_t) == pytest.approx((1.44, 3.0))
    assert found[0].t == pytest.approx(0.8)


def test_a_message_lists_six_joints_and_counts_the_others(caplog):
    """All boxes of a row swing beyond their limits; the run lists all of them."""
    system = mb.System("row")
    for k in range(9):
        joint = system.joint(f"x{k}", system.world, system.body(f"box{k}", 1.0), "Tx", limits=(-0.5, 2.0), q=1.0)
        system.load(mb.JointSpring(joint, 1.0))
    with caplog.at_level(logging.WARNING, "multibody"):
        run = mb.simulate(mb.derive(system), 4.0)
    (record,) = caplog.records
    assert record.getMessage().count("leaves") == 6
    assert "and 3 more: run.limit_violations" in record.getMessage()
    assert [one.joint for one in run.limit_violations] == [f"x{k}" for k in range(9)]


def test_a_joint_that_leaves_after_thousands_of_steps():
    """x = t·cos t, by resonance: |x| reaches 30 in the half period after t = 30; steps are looked at in groups."""
    system = mb.System("resonance")
    joint = system.joint("x", system.world, system.body("box", 1.0), "Tx", limits=(-30.0, 40.0), u=1.0)
    system.load(mb.JointSpring(joint, 1.0))
    system.load(mb.JointLoad(joint, -2 * sin(system.time)))
    run = mb.simulate(mb.derive(system), 40.0, integrator=mb.RungeKutta4(step=0.004))
    (found,) = run.limit_violations
    assert run.counts.steps == 10_000
    crossing = brentq(lambda t: t * np.cos(t) + 30, 30.0, 34.5)
    furthest = minimize_scalar(lambda t: t * np.cos(t), bounds=(33.0, 36.0)).x
    furthest = max((x for x in (furthest, furthest + 2 * np.pi) if x <= 40.0), key=lambda t: -t * np.cos(t))
    assert found.t == pytest.approx(crossing, abs=1e-6)
    assert found.furthest == pytest.approx(min(t * np.cos(t) for t in (furthest, 40.0)), abs=1e-5)


@pytest.mark.parametrize("peak", [0.9999, 1.0001])
def test_a_turning_point_between_two_states(peak):
    """x = t·(2 - t)·peak is given at 0 and 2 alone, and has its largest value between them."""
    eom = oscillator((-2.0, 1.0))
    t, q, u = np.array([0.0, 2.0]), np.zeros((2, 1)), peak * np.array([[2.0], [-2.0]])
    found = limit_violations(eom, t, q, u, np.zeros((2, 0)), np.empty(0))
    assert [(one.furthest, one.furthest_t) for one in found] == ([(pytest.approx(peak), 1.0)] if peak > 1 else [])
    assert all(one.t == pytest.approx(1 - np.sqrt(1 - (1 + 2e-9) / peak), abs=1e-9) for one in found)


def test_both_sides_of_a_range_are_two_violations():
    """A pendulum that swings through a range: each side has its own first time and its own furthest value."""
    system = mb.System("swing", gravity=(0, 0, -9.81))
    bob = system.body("bob", 1.0, (0, 0, -1))
    system.joint("angle", system.world, bob, "Ry", q=0.0, u=3.0, limits=(-0.2, 0.5))
    run = mb.simulate(mb.derive(system), 2.0)
    high, low = sorted(run.limit_violations, key=lambda one: one.t)
    assert (high.furthest, low.furthest) == pytest.approx((run["angle"].max(), run["angle"].min()), abs=1e-3)
    assert np.interp([high.t, low.t], run.t, run["angle"]) == pytest.approx([0.5, -0.2], abs=1e-3)
    parts = mb.simulate(mb.derive(system), 1.0)
    both = parts + mb.simulate(mb.derive(system), 1.0, start=parts)
    assert len(both.limit_violations) == 2
