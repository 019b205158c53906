"""Controllers beside other inputs and events: what they see, when they are asked, and what is kept of it."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import Table, sin
from multibody.simulation import Cvode, Sampled


@pytest.fixture(scope="module")
def cart():
    """A mass of 2 kg with two forces and an accelerometer."""
    system = mb.System("cart")
    box = system.body("box", 2.0)
    slide = system.joint("x", system.world, box, "Tx", q=1.0)
    for name in ("F", "G"):
        system.load(mb.JointLoad(slide, system.input(name)), name=f"push_{name}")
    system.sensor("felt", mb.Acceleration(box))
    return mb.derive(system)


@pytest.mark.parametrize(
    "force", [lambda t: 6.0 + t, Table("force", [0.0, 1.0], [6.0, 7.0]), "6 + t"], ids=["function", "table", "text"]
)
def test_controllers_feel_what_other_inputs_do(cart, force):
    felt = []

    def law(t, q, u, sensors):
        felt.append(sensors["felt"][0])
        return 0.0

    mb.simulate(cart, 1.0, samples=3, inputs={"F": force, "G": Sampled(law, 0.25)})
    assert felt == pytest.approx([3.0, 3.125, 3.25, 3.375])


def test_a_sample_has_what_the_controller_says_at_its_time(cart):
    """Not what it said a period ago; so that a run that goes on from any instant goes on with the same force."""
    law = {"G": Sampled(lambda t, q, u: -4 * q[0] - 3 * u[0], 0.1)}
    run = mb.simulate(cart, times=np.linspace(0, 2, 21), inputs=law)
    assert run["G"][:-1] == pytest.approx(-4 * run["x"][:-1] - 3 * run["x_dot"][:-1])
    branch = mb.simulate(cart, times=[0.52, 0.6, 1.0], start=run.at(0.52), inputs=law)
    assert branch["G"][0] == run["G"][5]


@pytest.mark.parametrize("integrator", [None, Cvode()])
@pytest.mark.parametrize("speed", [0.1, 0.3, 0.7])
def test_events_at_the_time_of_a_sample_do_not_ask_twice(cart, integrator, speed):
    """A cart comes by marks when the controller is asked, give or take some rounding."""
    asked = []
    x, v = cart.coordinates[0], cart.speeds[0]
    marks = [mb.Event(x - 1 - speed * k / 10, 1, reset={"x_dot": v}) for k in range(1, 10)]
    law = Sampled(lambda t: asked.append(round(10 * t)) or 0.0, 0.1)
    run = mb.simulate(cart, 1.0, u=[speed], samples=2, inputs={"F": law}, events=marks, integrator=integrator)
    assert asked == list(range(10))
    assert len(run.occurrences) == 9


@pytest.mark.parametrize("integrator", [None, Cvode()])
def test_an_event_of_an_input_that_follows_a_function(cart, integrator):
    force = cart.inputs[0]
    passed = mb.Event(force, 1, name="passed")
    run = mb.simulate(cart, 2.0, samples=3, inputs={"F": lambda t: t - 0.7}, events=[passed], integrator=integrator)
    assert [one.t for one in run.occurrences] == pytest.approx([0.7], abs=1e-10)


def test_an_event_of_an_input_that_leaps(cart):
    """The controller says 0, 0.5, 1, 1.5 …; 1.2 is passed when it is asked at 0.75 s."""
    limit = mb.Event(cart.inputs[0] - 1.2, 1, terminal=True, name="limit")
    noted = mb.Event(cart.inputs[0] - 0.7, name="noted")
    law = Sampled(lambda t: 2 * t, 0.25)
    run = mb.simulate(cart, 2.0, samples=3, inputs={"F": law}, events=[limit, noted])
    assert [(one.name, one.t) for one in run.occurrences] == [("noted", 0.5), ("limit", 0.75)]
    assert run.status.name == "EVENT"
    assert run.t.tolist() == [0.0, 0.75]


@pytest.mark.parametrize("force", [lambda t: 1.0, "1 + t"])
@pytest.mark.parametrize("reset", [{"F": 0.0}, lambda t, q, u: {"F": 0.0}])
def test_a_reset_without_effect_is_refused(cart, force, reset):
    off = mb.Event(cart.model.time - 0.5, reset=reset, name="off")
    with refused("reset-without-effect", "F"):
        mb.simulate(cart, 1.0, inputs={"F": force}, events=[off])


def test_impacts_on_a_base_that_follows_an_input_keep_the_balance():
    """Energies count with the speed of the base: a blow takes (1 - e²)·m·v²/2 of the relative speed, and work."""
    system = mb.System("shaker")
    base = system.body("base", 5.0)
    system.joint("drive", system.world, base, "Tx", prescribed=system.input("place"))
    slide = system.joint("x", base, system.body("block", 1.0), "Tx", q=0.5)
    system.load(mb.JointSpring(slide, 20.0, rest=-0.2))
    stop = mb.Impact(slide.coordinate, 0.6, rest=1e-3, name="stop")
    run = mb.simulate(mb.derive(system), 2.0, inputs={"place": 0.3 * sin(3 * system.time)}, events=[stop])
    assert len(run.occurrences) > 3
    assert run.energy_drift < 1e-6
