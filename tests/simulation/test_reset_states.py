"""Resets in mechanisms with constraints: what a reset sets is kept, and the rest follows, or the run says so."""

import math

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.simulation import Status

WAYS = {
    "derive": mb.derive,
    "Kane": lambda system: mb.derive(system, mb.Kane()),
    "IndependentSpeeds": lambda system: mb.derive(system, constraints=mb.IndependentSpeeds()),
    "Modular": lambda system: mb.derive(system, mb.Modular()),
    "from_system": lambda system: mb.modular.from_system(system).equations(),
}


def rail_and_rod(gravity=-9.81):
    """A slider of 1 kg with a rod of 1 m, whose end of 2 kg is held on a vertical line by a second slider."""
    system = mb.System("trammel", gravity=(0, gravity, 0), recognise_loops=False)
    rod = system.body("rod", 1.0, (0.5, 0, 0), (0, 0.1, 0.1))
    low, high = system.body("low", 1.0), system.body("high", 2.0)
    system.joint("x", system.world, low, "Tx", q=math.cos(1.0))
    system.joint("turn", low, rod, "Rz", q=math.pi - 1.0)
    system.joint("y", system.world, high, "Ty", q=math.sin(1.0))
    system.joint("pin", rod.frame("end", (1, 0, 0)), high, "Rz", cut=True)
    return system


def kept(eom, reset, integrator=None, **options):
    """A run whose reset happens where the end falls through 0.7 m, and the places of both samples there."""
    names = {one.name: one for one in (*eom.coordinates, *eom.speeds)}
    event = mb.Event(names["y"] - 0.7, direction=-1, reset={name: law(names) for name, law in reset.items()})
    run = mb.simulate(eom, 0.6, events=[event], integrator=integrator, **options)
    after = np.searchsorted(run.t, run.occurrences[0].t, side="right") - 1
    return run, after - 1, after


@pytest.mark.parametrize("way", WAYS)
def test_a_speed_that_is_set_is_kept_and_the_others_follow(way):
    run, before, after = kept(WAYS[way](rail_and_rod()), {"x_dot": lambda names: -0.5 * names["x_dot"]})
    for name in ("x_dot", "turn_dot", "y_dot"):
        assert run[name][after] == pytest.approx(-0.5 * run[name][before], rel=1e-7)
    assert run["x"][after] == pytest.approx(run["x"][before], abs=1e-9)


@pytest.mark.parametrize(
    "integrator", [mb.RungeKutta4(step=1e-3), mb.ScipySolver(), mb.Cvode(), mb.IndependentCoordinates()], ids=repr
)
def test_other_integrators_keep_it(integrator):
    run, before, after = kept(mb.derive(rail_and_rod()), {"turn_dot": lambda names: -names["turn_dot"]}, integrator)
    assert run["turn_dot"][after] == pytest.approx(-run["turn_dot"][before], rel=1e-7)
    assert run["y_dot"][after] == pytest.approx(-run["y_dot"][before], rel=1e-7)


def test_a_coordinate_that_is_set_is_kept():
    run, _, after = kept(mb.derive(rail_and_rod()), {"y": lambda names: 0.9 + 0 * names["y"]})
    assert run["y"][after] == pytest.approx(0.9, abs=1e-9)
    assert run["x"][after] == pytest.approx(math.sqrt(1 - 0.81), abs=1e-9)
    assert run.residuals.position.max() < 1e-9


def test_runs_of_a_sweep_keep_it():
    eom = mb.derive(rail_and_rod())
    x = {one.name: one for one in (*eom.coordinates, *eom.speeds)}
    event = mb.Event(x["y"] - 0.7, direction=-1, reset={"x_dot": -0.5 * x["x_dot"]})
    for run in mb.sweep(eom, 0.6, initial={"y_dot": [0.0, -0.5]}, events=[event]):
        after = np.searchsorted(run.t, run.occurrences[0].t, side="right") - 1
        assert run["x_dot"][after] == pytest.approx(-0.5 * run["x_dot"][after - 1], rel=1e-7)


@pytest.mark.parametrize(
    "reset",
    [
        {"x_dot": lambda names: -names["x_dot"], "y_dot": lambda names: names["y_dot"] + 0},
        {"x": lambda names: 0.2 + 0 * names["x"], "y": lambda names: 0.2 + 0 * names["y"]},
        {"y": lambda names: 1.5 + 0 * names["y"]},
    ],
    ids=["speeds", "places", "reach"],
)
def test_resets_that_contradict_the_constraints_end_the_run(reset):
    with refused("run-failed", *reset) as caught:
        kept(mb.derive(rail_and_rod()), reset)
    assert caught.value.trajectory.status is Status.CONSTRAINTS_LOST


def test_values_that_belong_together_need_no_change():
    reset = {name: lambda names, name=name: -names[name] for name in ("x_dot", "turn_dot", "y_dot")}
    run, before, after = kept(mb.derive(rail_and_rod()), reset)
    assert run.u[after] == pytest.approx(-run.u[before], rel=1e-9)
