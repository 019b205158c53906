"""Runs of the same equations one after the other and at the same time: nothing of one run is left for the next."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

import multibody as mb
from multibody.graph import atan2
from multibody.simulation import Status


def slider_crank():
    """A crank and a rod of equal length, closed by constraint equations, which are singular where both are upright."""
    system = mb.System("slider_crank", gravity=(0, -9.81, 0), recognise_loops=False)
    mass = system.parameter("mass", 1.0)
    crank, rod = (system.body(name, mass, (0.5, 0, 0), (0, 0, 1 / 12)) for name in ("crank", "rod"))
    piston = system.body("piston", 1.0)
    system.joint("turn", system.world, crank, "Rz", limits=(-2.0, 1.0))
    system.joint("knee", crank.frame("pin", (1, 0, 0)), rod, "Rz")
    system.joint("stroke", system.world, piston, "Tx")
    system.joint("eye", rod.frame("end", (1, 0, 0)), piston, "Rz", cut=True)
    return mb.derive(system)


def start(angle, speed):
    q = {"turn": angle, "knee": -2 * angle, "stroke": 2 * math.cos(angle)}
    u = {"turn_dot": speed, "knee_dot": -2 * speed, "stroke_dot": -2 * math.sin(angle) * speed}
    return {"q": q, "u": u}


CASES = {
    "regular": start(0.5, 1.0),
    "through the singular position": start(0.7, 6.0),
    "heavy": start(0.5, 1.0) | {"parameters": {"mass": 2.0}},
    "fixed steps": start(0.5, 1.0) | {"integrator": mb.RungeKutta4(step=0.01)},
    "every step": start(0.7, 6.0) | {"integrator": mb.DormandPrince5(every_step=True)},
    "library": start(0.5, 1.0) | {"integrator": mb.Cvode()},
    "few steps": start(0.5, 1.0) | {"integrator": mb.DormandPrince5(max_steps=5)},
}


def facts(eom, name):
    """All numbers of a run, to the last bit."""
    run = mb.simulate(eom, 1.0, samples=21, on_failure="return", **CASES[name])
    return run.t.tobytes(), run.y.tobytes(), run.status, run.message, run.limit_violations, run.energy_drift


@pytest.fixture(scope="module")
def first():
    """Each run as the first one whose code is not made in haste, of equations of its own."""

    def alone(name):
        eom = slider_crank()
        facts(eom, "few steps")
        return facts(eom, name)

    return {name: alone(name) for name in CASES}


def test_runs_one_after_the_other(first):
    eom = slider_crank()
    facts(eom, "few steps")
    assert {one[2] for one in first.values()} >= {Status.DONE, Status.TOO_MANY_STEPS}
    for name in [*CASES, *reversed(CASES), *CASES, *sorted(CASES), *sorted(CASES)]:
        assert facts(eom, name) == first[name], name


def test_runs_after_errors(first):
    def broken(*_):
        raise KeyError("of the user")

    eom = slider_crank()
    facts(eom, "few steps")
    for name in ("regular", "through the singular position", "regular"):
        failing = mb.Event(eom.coordinates[0] - 0.6, reset=broken)
        with pytest.raises(Exception, match="of the user"):
            mb.simulate(eom, 1.0, events=[failing], **start(0.5, 3.0))
        assert facts(eom, name) == first[name]


def test_runs_at_the_same_time(first):
    eom = slider_crank()
    facts(eom, "few steps")
    names = [*CASES] * 4
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda name: facts(eom, name), names))
    assert [name for name, result in zip(names, results, strict=True) if result != first[name]] == []


def test_parameters_that_differ_in_the_sign_of_zero():
    """atan2(±0, -1) = ±π is the force on 1 kg: after 1 s it is at ±π/2."""
    system = mb.System("mass")
    sign, box = system.parameter("sign", 0.0), system.body("box", 1.0)
    system.joint("x", system.world, box, "Tx")
    system.load(mb.Force(box, (atan2(sign, -1.0), 0, 0)))
    eom = mb.derive(system)
    for value in (0.0, 0.0, 0.0, -0.0, 0.0):
        run = mb.simulate(eom, 1.0, parameters={"sign": value})
        assert run["x"][-1] == pytest.approx(math.copysign(math.pi / 2, value))
