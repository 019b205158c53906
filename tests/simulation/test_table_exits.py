"""Tables that a motion leaves: never without a word, in runs, sweeps, linear systems, files and exports.

A unit mass on a unit spring moves as x = v·sin(t). The table of the spring covers |x| <= 1, so that a motion with v = 2
leaves it at t = asin(1/2) and reaches 2 at t = pi/2.
"""

from __future__ import annotations

import logging
from math import asin, pi

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import Table, evaluate, symbols, where
from multibody.graph.piecewise.table_uses import table_uses
from multibody.io.model_files import model_text, read_model


def law(outside: str = "warn", interpolation: str = "linear", end: float = 1.0) -> Table:
    return Table("law", [-end, 0, end], [-end, 0, end], interpolation, outside)  # type: ignore[arg-type]


def oscillator(table: Table, v: float = 2.0, kind: str = "spring") -> mb.EquationsOfMotion:
    system = mb.System("oscillator")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", u=v)
    force = {
        "spring": lambda: mb.JointSpring(slide, table),
        "load": lambda: mb.JointLoad(slide, -table(slide.coordinate)),
        "smooth": lambda: mb.JointLoad(slide, -mb.smooth(table(slide.coordinate))),
    }[kind]()
    system.load(force)
    return mb.derive(system)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
@pytest.mark.parametrize("kind", ["spring", "load"])
@pytest.mark.parametrize(
    "integrator", [None, mb.RungeKutta4(step=0.05), mb.DormandPrince5(), mb.Cvode()], ids=lambda one: type(one).__name__
)
def test_a_run_says_which_table_it_leaves_when_and_how_far(interpolation, kind, integrator, caplog):
    with caplog.at_level(logging.WARNING, "multibody"):
        run = mb.simulate(oscillator(law("warn", interpolation), kind=kind), 3.0, integrator=integrator)
    (left,) = run.table_exits
    assert (left.table, left.quantity, left.range) == ("law", "x", (-1.0, 1.0))
    assert left.t == pytest.approx(asin(0.5), abs=1e-5)
    assert left.furthest == pytest.approx(2.0, abs=1e-5)
    assert left.furthest_t == pytest.approx(pi / 2, abs=1e-3)
    assert run.status.ok
    assert "table 'law' covers x from -1 to 1; it is left at 0.52" in str(run)
    assert "table 'law'" in caplog.text


@pytest.mark.parametrize("v", [0.5, 0.99, 0.9999, 1.0])
@pytest.mark.parametrize("kind", ["spring", "load", "smooth"])
def test_a_motion_within_the_table_is_not_reported(v, kind, caplog):
    run = mb.simulate(oscillator(law(), v, kind), 10.0)
    assert run.table_exits == ()
    assert not caplog.records
    assert "tables left" not in str(run)


def test_a_short_excursion_within_one_step_is_reported():
    """It begins and ends with a step; no end of a step is beyond the table."""
    run = mb.simulate(oscillator(law(), 1.001), 2.5)
    (left,) = run.table_exits
    assert left.t == pytest.approx(asin(1 / 1.001), abs=1e-6)
    assert left.furthest == pytest.approx(1.001, abs=1e-6)


def test_a_start_outside_is_left_at_once():
    eom = oscillator(law(), 0.0)
    (left,) = mb.simulate(eom, 0.5, q={"x": -3.0}).table_exits
    assert (left.t, left.furthest, left.furthest_t) == pytest.approx((0.0, -3.0, 0.0), abs=1e-8)


def test_a_smooth_table():
    (left,) = mb.simulate(oscillator(law(), kind="smooth"), 3.0).table_exits
    assert left.t == pytest.approx(asin(0.5), abs=0.02)
    assert left.furthest == pytest.approx(2.0, abs=1e-3)


def test_a_table_that_must_not_be_left():
    """Also with runs that end by an event, and with those that are returned."""
    with refused("run-failed", "law") as caught:
        mb.simulate(oscillator(law("error")), 3.0)
    assert 'outside="hold"' in caught.value.remedy
    run = mb.simulate(oscillator(law("error")), 3.0, on_failure="return")
    assert run.status is mb.Status.TABLE_LEFT
    assert run.t[-1] == 3.0
    assert mb.simulate(oscillator(law("error")), 0.5).status.ok


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_a_table_that_holds_its_end_values(interpolation):
    """Beyond x = 1 the force is -1: x = 1 + sqrt(3)·s - s²/2, s = t - asin(1/2), from energy or from kinematics."""
    run = mb.simulate(oscillator(law("hold", interpolation)), times=[0.0, asin(0.5) + 1.0])
    assert run.table_exits == ()
    assert run["x"][-1] == pytest.approx(1 + np.sqrt(3) - 0.5, abs=1e-7)
    assert run.energy_drift < 1e-7
    table = law("hold", interpolation)
    assert table.evaluate(np.array([-7.0, 7.0])).tolist() == pytest.approx([-1, 1])
    assert table.derivative().evaluate(np.array([-7.0, 7.0])).tolist() == [0, 0]


def test_a_table_that_extrapolates():
    run = mb.simulate(oscillator(law("extrapolate")), times=[0.0, pi / 2])
    assert run.table_exits == ()
    assert run["x"][-1] == pytest.approx(2.0, abs=1e-6)


def test_branches_that_are_not_taken_do_not_count():
    """The table of a stop is used for x < 0 only."""
    system = mb.System("stop")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", u=1.0)
    x = slide.coordinate
    stop = Table("stop", [0, 0.5], [0, 50])
    system.load(mb.JointLoad(slide, where(x < 0, stop(-x), 0)))
    eom = mb.derive(system)
    assert mb.simulate(eom, 5.0).table_exits == ()
    assert mb.simulate(eom, 5.0, q={"x": 1.0}, u={"x_dot": -1.0}).table_exits == ()
    (left,) = mb.simulate(eom, 5.0, q={"x": 1.0}, u={"x_dot": -9.0}).table_exits
    assert left.furthest == pytest.approx(9 / np.sqrt(100), abs=1e-3)


def test_tables_in_conditions_and_in_both_branches_count():
    (x,) = symbols("x")
    table = law()
    assert [one.argument for one in table_uses([where(table(x) > 0, 1, 2)])] == [x]
    (both,) = table_uses([where(x < 0, table(x), 2 * table(x))])
    assert evaluate(both.argument, {x: 5.0}) == 5.0
    assert evaluate(both.argument, {x: -5.0}) == -5.0
    (inner,) = table_uses([where(x < 0, where(x > -2, table(x), 0), 0)])
    assert [evaluate(inner.argument, {x: value}) for value in (-3.0, -1.5, 1.0)] == [-1.0, -1.5, -1.0]


@pytest.mark.parametrize("outside", ["warn", "error"])
def test_a_table_of_time_that_is_too_short_is_refused_in_loads_as_in_inputs(outside):
    table = Table("pulse", [0, 1], [0, 5], outside=outside)
    system = mb.System("cart")
    force = system.input("F")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    system.load(mb.JointLoad(slide, force))
    driven = mb.derive(system)
    system.load(mb.JointLoad(slide, table(system.time)))
    loaded = mb.derive(system)
    for eom, inputs in ((loaded, None), (driven, {"F": table})):
        assert mb.simulate(eom, 1.0, inputs=inputs).status.ok
        with refused("table-too-short", "pulse"):
            mb.simulate(eom, 2.0, inputs=inputs)
        with refused("table-too-short", "pulse"):
            mb.sweep(eom, 2.0, initial={"x": [0.0, 1.0]}, inputs=inputs)


def test_a_table_of_time_that_holds():
    """5 N from 1 s on: x(2) = 5/6 + 5/2 + 5/2."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    force = system.input("F")
    system.load(mb.JointLoad(slide, force))
    table = Table("pulse", [0, 1], [0, 5], outside="hold")
    run = mb.simulate(mb.derive(system), 2.0, inputs={"F": table})
    assert run["x"][-1] == pytest.approx(5 / 6 + 5 / 2 + 5 / 2, abs=1e-7)


def test_tables_of_other_times_inputs_parameters_and_sensors():
    system = mb.System("cart")
    k, force = system.parameter("k", 5.0), system.input("F")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", u=1.0)
    system.load(mb.JointLoad(slide, 1e-9 * (law(end=2)(2 * system.time) + law(end=3)(k) + law(end=4)(force))))
    system.sensor("shown", mb.Expression(law(end=0.5)(slide.coordinate)))
    exits = {one.quantity: one for one in mb.simulate(mb.derive(system), 2.0, inputs={"F": 7.0}).table_exits}
    assert {one: exits[one].furthest for one in exits} == pytest.approx({"2*t": 4, "k": 5, "F": 7, "x": 2}, abs=1e-6)
    assert {one: exits[one].t for one in exits} == pytest.approx({"2*t": 1, "k": 0, "F": 0, "x": 0.5}, abs=0.01)
    quiet = mb.simulate(mb.derive(system), 0.4, parameters={"k": 1.0}, inputs={"F": 1.0})
    assert quiet.table_exits == ()


def test_an_input_that_follows_a_table_of_the_state():
    system = mb.System("cart")
    force = system.input("F")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", u=2.0)
    system.load(mb.JointLoad(slide, force))
    (left,) = mb.simulate(mb.derive(system), 3.0, inputs={"F": -law()(slide.coordinate)}).table_exits
    assert left.t == pytest.approx(asin(0.5), abs=1e-6)


def test_sweeps(tmp_path, caplog):
    eom = oscillator(law())
    with caplog.at_level(logging.WARNING, "multibody"):
        runs = mb.sweep(eom, 3.0, initial={"x_dot": [0.5, 2.0, 4.0]}, path=tmp_path / "runs.sweep")
    assert {number: exits[0].t for number, exits in runs.table_exits.items()} == pytest.approx(
        {1: asin(1 / 2), 2: asin(1 / 4)}, abs=1e-6
    )
    assert "tables left  law in 2 of 3 runs" in str(runs)
    assert "2 runs of system 'oscillator' go beyond its tables" in caplog.text
    assert mb.read_sweep(tmp_path / "runs.sweep", eom).table_exits == runs.table_exits
    failed = mb.sweep(oscillator(law("error")), 3.0, initial={"x_dot": [0.5, 2.0]})
    assert list(failed.status) == ["DONE", "TABLE_LEFT"]


def test_sweeps_side_by_side():
    """A table of a sensor keeps no runs from moving together."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    system.sensor("shown", mb.Expression(law()(slide.coordinate)))
    runs = mb.sweep(mb.derive(system), 2.0, initial={"x_dot": [0.1, 0.4, 2.0]})
    assert list(runs.table_exits) == [2]
    assert runs.table_exits[2][0].t == pytest.approx(0.5, abs=1e-3)


def test_files_and_continued_runs(tmp_path):
    eom = oscillator(law())
    first = mb.simulate(eom, 1.0)
    second = mb.simulate(eom, 1.0, start=first)
    (left,) = (first + second).table_exits
    assert (left.t, left.furthest) == (first.table_exits[0].t, second.table_exits[0].furthest)
    first.save(tmp_path / "run.npz")
    assert mb.Trajectory.read(tmp_path / "run.npz", eom).table_exits == first.table_exits


def test_operating_points():
    eom = oscillator(law())
    assert mb.linearize(eom, {"x": 0.5}).A[1, 0] == pytest.approx(-1)
    with refused("table-left", "law"):
        mb.linearize(eom, {"x": 1.5})
    assert mb.linearize(oscillator(law("extrapolate")), {"x": 1.5}).A[1, 0] == pytest.approx(-1)
    assert mb.linearize(oscillator(law("hold")), {"x": 1.5}).A[1, 0] == 0


@pytest.mark.parametrize(("force", "outside", "x"), [(0.5, "warn", 0.5), (3.0, "extrapolate", 3.0)])
def test_equilibria_within_the_table(force, outside, x):
    assert mb.equilibrium(pulled(force, outside)).state["x"] == pytest.approx(x)


@pytest.mark.parametrize("outside", ["warn", "error"])
def test_equilibria_outside_the_table(outside):
    with refused("equilibrium-beyond-limits", "law"):
        mb.equilibrium(pulled(3.0, outside))


def pulled(force: float, outside: str) -> mb.EquationsOfMotion:
    system = mb.System("pulled")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    system.load(mb.JointSpring(slide, law(outside)))
    system.load(mb.JointLoad(slide, force))
    return mb.derive(system)


def test_numbers_outside_a_table_are_refused():
    with refused("argument-outside-table", "law"):
        law()(1.5)
    assert law()(0.5).value == 0.5
    assert law("hold")(1.5).value == 1.0
    assert law("extrapolate")(1.5).value == 1.5
    with refused("option-unknown", "clip"):
        law("clip")


@pytest.mark.parametrize("outside", ["warn", "error", "hold", "extrapolate"])
@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_model_files_keep_what_a_table_does_outside(outside, interpolation):
    system = mb.System("s")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    system.load(mb.JointSpring(slide, law(outside, interpolation)))
    text = model_text(system)
    assert ("outside" in text) == (outside != "warn")
    again = read_model(text)
    assert model_text(again) == text
    (table,) = {one.table for one in table_uses(mb.derive(again).acceleration)} or {law(outside)}
    assert table.outside == outside


def test_a_file_with_a_word_that_is_not_known():
    with refused("option-unknown", "clip"):
        read_model("multibody: 1\nname: s\ntables:\n  law: {x: [0, 1], y: [0, 1], outside: clip}\n")


@pytest.mark.parametrize(
    "target", ["C", "Cpp", "Rust", "Julia", "JavaScript", "Python", "Modelica", "Matlab", "Casadi", "Jax"]
)
def test_exports_say_what_a_table_does_outside(target, tmp_path):
    for outside, words in {"hold": "keeps its first and last value", "warn": "continues along a straight line"}.items():
        mb.export(oscillator(law(outside)), getattr(mb, target)(), tmp_path / outside)
        written = "".join(path.read_text() for path in (tmp_path / outside).rglob("*") if path.is_file())
        assert f"Outside [-1, 1] the table {words}" in written


def test_models_without_tables_are_not_looked_at(monkeypatch):
    """No function of arguments is made for them."""
    eom = mb.derive(mb.library.pendulum())
    run = mb.simulate(eom, 1.0)
    assert run.table_exits == ()
    monkeypatch.setattr("multibody.simulation.checks.table_exits.Course", None)
    assert mb.simulate(eom, 1.0, q={"angle": 0.3}).table_exits == ()
