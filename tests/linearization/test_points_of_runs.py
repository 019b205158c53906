"""Operating points that are objects: instants of runs with inputs that switch, and states off the constraints."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import AssemblyError
from multibody.graph import Table, less, where
from multibody.library import four_bar
from multibody.linearization import equilibrium, linearize, linearize_symbolic


def spring_with_an_input():
    """ẍ = -F·x."""
    system = mb.System("spring", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx", q=0.1)
    system.load(mb.JointLoad(slide, -system.input("F") * slide.coordinate))
    return system, mb.derive(system)


def switching(t, before=20.0, after=10.0, at=1.0):
    return {
        "expression": where(less(t, at), before, after),
        "text": f"where(t < {at!r}, {before!r}, {after!r})",
        "function": lambda time: before if time < at else after,
        "function of the state": lambda time, q, u: before if time < at else after,
        "table": Table("F", [0.0, at - 1e-9, at, 2.0], [before, before, after, after]),
    }


@pytest.mark.parametrize("kind", ["expression", "text", "function", "function of the state", "table"])
def test_an_input_between_samples_is_what_it_is_then(kind):
    system, eom = spring_with_an_input()
    run = mb.simulate(eom, duration=2.0, samples=22, inputs={"F": switching(system.time)[kind]})
    slopes = {t: linearize(eom, run.interpolated(t)).A[1, 0] for t in (0.97, 0.999, 1.001, 1.03)}
    assert slopes == pytest.approx({0.97: -20.0, 0.999: -20.0, 1.001: -10.0, 1.03: -10.0})


def test_an_input_beyond_its_limits_is_held_within_them():
    system = mb.System("spring", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx", q=0.1)
    system.load(mb.JointLoad(slide, -system.input("F", limits=(0.0, 12.0)) * slide.coordinate))
    eom = mb.derive(system)
    run = mb.simulate(eom, duration=2.0, samples=22, inputs={"F": lambda t: 20.0 * t})
    assert linearize(eom, run.interpolated(1.03)).A[1, 0] == pytest.approx(-12.0)
    assert linearize(eom, run.interpolated(0.53)).A[1, 0] == pytest.approx(-10.6)


def test_a_sampled_controller_holds_its_value():
    _, eom = spring_with_an_input()
    law = mb.Sampled(lambda t: 10.0 + np.round(t, 9), period=0.25)
    run = mb.simulate(eom, duration=2.0, samples=41, inputs={"F": law})
    assert linearize(eom, run.interpolated(1.02)).A[1, 0] == pytest.approx(-11.0)
    assert linearize(eom, run.interpolated(0.98)).A[1, 0] == pytest.approx(-10.75)


def test_an_input_that_nobody_knows_is_refused_between_samples(tmp_path):
    system, eom = spring_with_an_input()
    run = mb.simulate(eom, duration=2.0, samples=22, inputs={"F": switching(system.time)["text"]})
    run.save(tmp_path / "run.npz")
    stored = mb.Trajectory.read(tmp_path / "run.npz", eom)
    with refused("input-unknown-between-samples", "F"):
        linearize(eom, stored.interpolated(0.98))
    assert linearize(eom, stored.interpolated(stored.t[3])).A[1, 0] == pytest.approx(-20.0)


def test_a_state_off_the_constraints_is_refused_as_values_by_name_are():
    eom = mb.derive(four_bar())
    good = eom.consistent({"q1": 1.2})
    moved = type(good)(good.model, good.q + np.array([0.0, 0.2, -0.1]), good.u)
    with refused("values-break-constraints"):
        linearize(eom, at=moved)
    with refused("values-break-constraints"):
        linearize(eom, at=dict(zip(("q1", "q2", "q4"), moved.q, strict=True)))
    fast = type(good)(good.model, good.q, good.u + np.array([1.0, 0.0, 0.0]))
    with refused("values-break-constraints"):
        linearize(eom, at=fast)
    assert linearize(eom, at=good).A[1, 0] == pytest.approx(10.286216, rel=1e-7)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_slider_off_its_constraint_is_refused_in_any_unit(size):
    """A slider on a rail whose place follows from another one: half a percent of its length is too much."""
    system = mb.System("rails", gravity=(0, 0, 0))
    joints = [system.joint(name, system.world, system.body(f"box_{name}", 1.0), "Tx") for name in "xy"]
    system.joint("swing", joints[0].child, system.body("rod", 1.0, (0, 0, -size)), "Ry")
    system.constraint(mb.DistanceConstraint(joints[0].child, joints[1].child, size), name="bar")
    eom = mb.derive(system)
    good = eom.consistent({"x": 0.0, "y": size})
    assert linearize(eom, at=good).point["y"] == pytest.approx(size)
    off = type(good)(good.model, good.q + np.array([0.0, 0.005 * size, 0.0]), good.u)
    with pytest.raises(AssemblyError):
        linearize(eom, at=off)


def test_an_instant_between_samples_keeps_the_loops_by_interpolation():
    eom = mb.derive(four_bar())
    start = eom.consistent({"q1": 1.2})
    run = mb.simulate(eom, duration=0.5, q=start.q, u=start.u, samples=51)
    t = 0.5 * (run.t[20] + run.t[21])
    assert linearize(eom, at=run.at(t)).point["q1"] == pytest.approx(float(run.at(t).q[0]), abs=1e-6)


def test_an_equilibrium_takes_the_time_of_an_instant():
    """A force 5·t at a spring of 10 N/m: at 1.5 s the equilibrium is 0.75 m."""
    system = mb.System("ramp", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointLoad(slide, 5 * system.time - 10 * slide.coordinate))
    eom = mb.derive(system)
    run = mb.simulate(eom, duration=2.0, samples=21)
    found = equilibrium(eom, at=run.at(1.5))
    assert (found.point.t, found["x"]) == (1.5, pytest.approx(0.75))
    assert equilibrium(eom, at=run.at(1.5), t=1.0)["x"] == pytest.approx(0.5)
    assert equilibrium(eom, at=found)["x"] == pytest.approx(0.75)
    assert equilibrium(eom)["x"] == 0.0


# symbols -------------------------------------------------------------------------------------------------------------


def test_dependent_coordinates_do_not_stay_behind_one_that_is_left_free():
    with refused("coordinates-frozen"):
        linearize_symbolic(mb.derive(four_bar()), free=["q1"])


def test_free_coordinates_of_a_loop_need_numbers_that_close_it():
    eom = mb.derive(four_bar())
    symbolic = linearize_symbolic(eom, free=["q1", "q2", "q4"])
    state = eom.consistent({"q1": 1.2})
    values = {name: state[name] for name in ("q1", "q2", "q4")}
    assert pytest.approx(linearize(eom, at={"q1": 1.2}).A, rel=1e-9) == symbolic.at(**values).A
    with refused("values-break-constraints"):
        symbolic.at(**values | {"q2": values["q2"] + 1e-3})
