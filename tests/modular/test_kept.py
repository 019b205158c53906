"""What a subsystem keeps of the system that it was made from: sensors, drawings, bodies."""

import numpy as np
import pytest

import multibody as mb
from multibody import modular
from multibody.errors import ModelFileError
from multibody.view.build import scene


def pendulum(name="pendulum"):
    system = mb.System(name, gravity=(0, 0, -9.81))
    length = system.parameter("l", 1.2)
    bob = system.body("bob", 2.0, (0, 0, -length), (0.1, 0.1, 0.1))
    system.joint("angle", system.world, bob, "Ry", q=0.3)
    end = bob.frame("end", (0.1, 0, -length))
    system.draw(bob, mb.Sphere(length / 10), position=(0.2, 0, -length))
    system.draw(system.world, mb.Line(), to=end)
    system.sensor("tip", mb.Position(end))
    system.sensor("push", mb.Acceleration(end))
    system.sensor("energy", mb.KineticEnergy(bob))
    return system


def coupled():
    """Two equal pendulums that swing as one."""
    first = modular.from_system(pendulum())
    second = first.renamed("second", suffix="_2", shared=["l"])
    return modular.couple("pair", [first, second], {"tie": "angle - angle_2"})


def test_sensors_of_parts_measure_what_they_measure_in_the_system():
    alone = mb.simulate(mb.derive(pendulum()), 1.0, samples=21)
    one = mb.simulate(modular.from_system(pendulum()).equations(), 1.0, samples=21)
    both = mb.simulate(coupled().equations(), 1.0, samples=21)
    for name in ("tip", "push", "energy"):
        np.testing.assert_allclose(one[name], alone[name], atol=1e-6)
        for part in ("pendulum", "second"):
            np.testing.assert_allclose(both[f"{part}_{name}"], alone[name], atol=1e-6)
    units = {name: sensor.unit for name, sensor in coupled().equations().model.sensors.items()}
    assert units["second_push"] == pendulum().freeze().sensors["push"].unit != ""


def test_a_coupled_machine_is_seen_as_its_system():
    theirs, ours = scene(pendulum()), scene(coupled().equations())
    assert [place.name for place in ours.places] == ["world", "pendulum_bob", "second_bob"]
    drawn = [one for one in ours.solids if one.layer == "drawings"]
    assert [one.name for one in drawn] == ["visual_1", "visual_1_2"]
    assert len(ours.ties) == 2
    assert ours.hidden == {"skeleton"}
    q = np.array([0.3, 0.3])
    there, here = theirs.poses(0.0, np.array([0.3])), ours.poses(0.0, q)
    (ball,) = [one for one in theirs.solids if one.layer == "drawings"]
    for k, one in zip((1, 2), drawn, strict=True):
        expected = _point(there, ball.place, ball.pose.position)
        np.testing.assert_allclose(_point(here, k, one.pose.position), expected, atol=1e-12)
        assert np.ptp(one.parts[0].vertices, axis=0) == pytest.approx(np.ptp(ball.parts[0].vertices, axis=0))
    assert scene(coupled()).places[1].name == "pendulum_bob"


def _point(poses, place, local):
    w, x, y, z = poses.quaternion[place]
    turn = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    return poses.position[place] + turn @ local


def test_pages_of_a_coupled_machine(tmp_path):
    eom = coupled().equations()
    mb.write_page(eom, tmp_path / "pair.html", mb.simulate(eom, 0.2))
    assert "second_bob" in (tmp_path / "pair.html").read_text()


@pytest.mark.parametrize("make", [coupled, lambda: coupled().equations(), lambda: pendulum().freeze()])
def test_what_has_no_joints_of_its_own_is_not_written_to_a_model_file(make, tmp_path):
    with pytest.raises(ModelFileError, match="cannot be written to a model file") as caught:
        mb.write_model(make(), tmp_path / "pair.yaml")
    assert "the System of each part" in caught.value.remedy
    assert not (tmp_path / "pair.yaml").exists()
    mb.write_model(pendulum(), tmp_path / "part.yaml")
    again = modular.from_system(mb.read_model(tmp_path / "part.yaml"))
    assert list(again.equations().model.sensors) == ["tip", "push", "energy"]
