"""Names of the user that are names of ports, too: t, q, u, r, p."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb


def swing(**names):
    """A pendulum with a torque, a sensor and a parameter of any names."""
    system = mb.System("swing", gravity=(0, 0, -9.81))
    mass = system.parameter(names.get("parameter", "m"), 2.0)
    bob = system.body("bob", mass, (0, 0, -1))
    hinge = system.joint(names.get("joint", "angle"), system.world, bob, "Ry", q=0.3)
    system.load(mb.JointLoad(hinge, system.input(names.get("input", "M"))))
    system.sensor(names.get("sensor", "tip"), mb.Position(bob.frame("end", (0, 0, -1))))
    system.sensor("q_", mb.Energy())
    return system


@pytest.mark.parametrize("name", ["q", "u", "r", "p"])
def test_sensors_may_be_called_as_ports_are(name, tmp_path):
    eom, plain = mb.derive(swing(sensor=name)), mb.derive(swing())
    seen = []

    def law(t, q, u, sensors):
        seen.append(sensors)
        return 0.1 * sensors[name][0]

    run = mb.simulate(eom, duration=0.2, samples=5, inputs={"M": law})
    other = mb.simulate(plain, duration=0.2, samples=5, inputs={"M": lambda t, q, u, sensors: 0.1 * sensors["tip"][0]})
    assert run[name] == pytest.approx(np.stack([-np.sin(run["angle"]), 0 * run.t, -np.cos(run["angle"])], axis=1))
    assert np.array_equal(run[name], other["tip"])
    assert set(seen[0]) == {name, "q_"}
    run.save(tmp_path / "run.npz")
    assert np.array_equal(mb.Trajectory.read(tmp_path / "run.npz", eom)[name], run[name])


def test_the_port_of_such_a_sensor_has_a_name_of_its_own():
    state = 0.0, [0.3], [0.0], [0.0], [2.0]
    found = mb.derive(swing(sensor="q")).sensors(*state)
    plain = mb.derive(swing()).sensors(*state)
    assert set(found.as_dict()) == {"q__", "q_"}
    assert np.array_equal(found["q__"], plain["tip"])
    assert found["q_"] == plain["q_"]


@pytest.mark.parametrize("name", ["q", "u", "r", "p", "a"])
@pytest.mark.parametrize("kind", ["parameter", "joint", "input"])
def test_everything_else_may_be_called_as_ports_are(kind, name):
    eom, plain = mb.derive(swing(**{kind: name})), mb.derive(swing())
    inputs = {eom.inputs[0].name: 0.5}, {"M": 0.5}
    one, other = (mb.simulate(e, duration=0.2, samples=5, inputs=r) for e, r in zip((eom, plain), inputs, strict=True))
    assert np.array_equal(one.y, other.y)


@pytest.mark.parametrize("kind", ["sensor", "parameter", "joint", "input"])
def test_time_has_its_name_for_itself(kind):
    with refused("name-taken"):
        swing(**{kind: "t"})
