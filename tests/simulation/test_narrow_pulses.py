"""Narrow pulses of smooth functions of time: known before the run, so that no step passes over them."""

import math

import numpy as np
import pytest

import multibody as mb
from multibody.graph import cos, exp, symbol, tanh
from multibody.simulation.events.narrow_pulses import narrow_times, parts_of_time
from multibody.simulation.events.switching_times import TimeFunction

SHAPES = {
    "gauss": (lambda x: exp(-(x**2)), lambda a, b: math.sqrt(math.pi)),
    "lorentz": (lambda x: 1 / (1 + x**2), lambda a, b: math.atan(b) - math.atan(a)),
    "box": (lambda x: tanh(x) - tanh(x - 2), lambda a, b: 4.0),
    "train": (lambda x: exp(-((cos(x / 2000) * 2000) ** 2)), None),
}
INTEGRATORS = [None, mb.DormandPrince5(), mb.Cvode(), mb.Ida(), mb.ScipySolver(method="LSODA"),
               mb.RungeKutta4(step=0.01), mb.Symplectic(step=0.01), mb.SemiImplicitEuler(step=0.01)]  # fmt: skip


def cart(shape, speed=0.0, by_input=False):
    """A mass of 1 kg that a pulse sets in motion, whose impulse does not depend on its width."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx", u=speed)
    c, w = system.parameters(c=3.0, w=0.01)
    force = SHAPES[shape][0]((system.time - c) / w) / w
    system.load(mb.JointLoad(slide, system.input("F") if by_input else force))
    return mb.derive(system)


def impulse(shape, c, w, end):
    return SHAPES[shape][1](-c / w, (end - c) / w)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("shape", ["gauss", "lorentz", "box"])
def test_no_pulse_is_missed(shape, integrator):
    eom, rng = cart(shape, 1.0), np.random.default_rng(7)
    allowed = 1e-6 if integrator is None or not hasattr(integrator, "step") else 0.02
    for w in (1e-4, 1e-3, 1e-2):
        c = rng.uniform(1, 9)
        run = mb.simulate(eom, 10.0, parameters={"c": c, "w": w}, integrator=integrator)
        assert run["x_dot"][-1] - 1 == pytest.approx(impulse(shape, c, w, 10.0), rel=allowed)


def test_pulses_of_inputs_and_in_sweeps():
    given = {"F": "100*exp(-((t - 6.123)/0.01)**2)"}
    eom = cart("gauss", by_input=True)
    assert mb.simulate(eom, 10.0, inputs=given)["x_dot"][-1] == pytest.approx(math.sqrt(math.pi), rel=1e-6)
    for integrator in (None, mb.RungeKutta4(step=0.05)):
        runs = mb.sweep(eom, 10.0, inputs=given, initial={"x_dot": [0.0, 1.0, 2.0]}, integrator=integrator)
        gains = [run["x_dot"][-1] - run["x_dot"][0] for run in runs]
        assert gains == pytest.approx([math.sqrt(math.pi)] * 3, rel=1e-2)
        moved = mb.sweep(cart("gauss"), 10.0, parameters={"c": np.linspace(1, 9, 9), "w": 1e-3}, integrator=integrator)
        assert [run["x_dot"][-1] for run in moved] == pytest.approx([math.sqrt(math.pi)] * 9, rel=1e-2)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_events_see_narrow_pulses(integrator):
    """Where nothing else depends on the pulse; alone, and beside a coordinate that grows evenly."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx", u=1.0)
    c, w = system.parameters(c=5.123, w=0.01)
    pulse = exp(-(((system.time - c) / w) ** 2))
    events = [mb.Event(pulse - 0.5, name="alone"), mb.Event(100 * pulse + slide.coordinate - 50.0, name="beside")]
    eom = mb.derive(system)
    runs = mb.sweep(eom, 10.0, parameters={"w": [1e-5, 1e-4, 1e-3, 1e-2]}, events=events, integrator=integrator)
    for width, run in zip([1e-5, 1e-4, 1e-3, 1e-2], runs, strict=True):
        apart = width * math.sqrt(math.log(2))
        found = [one.t for one in run.occurrences if one.name == "alone"]
        assert found == pytest.approx([5.123 - apart, 5.123 + apart], abs=1e-3 * width)
        assert len([one for one in run.occurrences if one.name == "beside"]) == 2


def test_a_train_of_pulses():
    """cos(x/2000)·2000 has roots π/2 apart in (t - 3)/(2000·w); its slope there is 1 in x."""
    run = mb.simulate(cart("train"), 10.0, parameters={"w": 2.5e-4})
    roots = np.count_nonzero(np.diff(np.sign(np.cos((np.linspace(0, 10, 100_001) - 3) / 0.5))))
    assert run["x_dot"][-1] == pytest.approx(roots * math.sqrt(math.pi), rel=1e-5)


def test_functions_that_vary_everywhere_have_no_such_times():
    t = symbol("t", "time")
    for plain in (cos(5 * t) * exp(-t), 3 + t**2, 1 / (t + 1), exp(-(((t - 5) / 2) ** 2)), cos(t**2), tanh(t - 5)):
        for part in parts_of_time([plain], lambda node: True):
            assert not len(narrow_times(TimeFunction(part, t, {}), 0.0, 10.0)), plain
    assert len(narrow_times(TimeFunction(tanh((t - 5) / 1e-3), t, {}), 0.0, 10.0))
