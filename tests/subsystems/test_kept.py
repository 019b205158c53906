"""What a subsystem keeps of the system that it was made from: sensors, drawings, bodies."""

import math

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody import modular
from multibody.view.scenes.build import scene


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


@pytest.mark.parametrize("make", [lambda: coupled().equations(), lambda: pendulum().freeze()])
def test_what_was_derived_or_frozen_is_not_written_to_a_model_file(make, tmp_path):
    with refused("value-not-writable") as caught:
        mb.write_model(make(), tmp_path / "pair.yaml")
    assert "Write the System, or the Subsystem" in caught.value.remedy
    assert not (tmp_path / "pair.yaml").exists()
    mb.write_model(pendulum(), tmp_path / "part.yaml")
    again = modular.from_system(mb.read_model(tmp_path / "part.yaml"))
    assert list(again.equations().model.sensors) == ["tip", "push", "energy"]


def test_nothing_is_derived_from_the_model_of_a_coupled_machine():
    """It has no links: a mass matrix of zeros, and a subsystem without dynamics, would come out."""
    model = coupled().equations().model
    for use in (mb.derive, mb.compare, modular.from_system, mb.Kane().derive, mb.Lagrange().derive):
        with refused("model-without-bodies", "pair"):
            use(model)


def four_bar(spring=0.0):
    """A crank with a start value; the other joints follow from it, and there may be a spring in the last one."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0), recognise_loops=False)
    bars = {
        name: system.body(name, 1.0, (length / 2, 0, 0), (0, 0.01, 0.01))
        for name, length in (("crank", 0.3), ("coupler", 1.0), ("rocker", 0.8))
    }
    drive = system.joint("drive", system.world, bars["crank"], "Rz", q=0.3, u=8.0)
    system.joint("swing", system.frame("foot", (0.9, 0, 0)), bars["rocker"], "Rz", guess=2.0, limits=(0.0, 2.0))
    system.joint("knee", bars["crank"].frame("end", (0.3, 0, 0)), bars["coupler"], "Rz", guess=1.0)
    ends = bars["coupler"].frame("tip", (1.0, 0, 0)), bars["rocker"].frame("top", (0.8, 0, 0))
    pin = system.joint("pin", *ends, "Rz", cut=True)
    if spring:
        system.load(mb.JointSpring(pin, spring))
    system.sensor("in_the_loop", mb.ConstraintForce(pin))
    system.sensor("at_the_base", mb.ConstraintForce(drive))
    return system


def test_start_values_that_only_select_an_assembly_stay_guesses():
    """As given values they moved the crank from 0.3 to 0.004 rad, and from 8 to 2.3 rad/s."""
    alone, made = mb.derive(four_bar()), modular.from_system(four_bar())
    run = mb.simulate(made.equations(), 0.5, samples=6)
    assert (run["drive"][0], run["drive_dot"][0]) == pytest.approx((0.3, 8.0))
    expected = mb.simulate(alone, 0.5, samples=6)
    for name in ("drive", "swing", "knee", "knee_dot"):
        np.testing.assert_allclose(run[name], expected[name], atol=1e-6)
    both = modular.couple("both", [made, made.renamed("other", suffix="_2")], {"tie": "drive - drive_2"})
    assert not mb.simulate(both.equations(), 0.1).start_changes
    turned = mb.simulate(made.with_start(swing=1.9).equations(), 0.1, on_failure="return")
    assert turned.start_changes  # a value that was given, and contradicts that of the crank


@pytest.mark.parametrize("name", ["bicycle", "rolling_disc", "spatial_four_bar"])
def test_machines_of_the_library_start_as_they_do_alone(name):
    model = getattr(mb.library, name)()
    alone, made = (
        mb.simulate(eom, 0.1, samples=3) for eom in (mb.derive(model), modular.from_system(model).equations())
    )
    for one in alone.eom.model.speeds:
        np.testing.assert_allclose(made[one.name], alone[one.name], atol=1e-6)


def test_joints_that_close_loops_are_measured_and_act_as_alone():
    """The angle of the pin follows from the others by atan2, and is continuous in a run."""
    alone, made = mb.derive(four_bar(2.0)), modular.from_system(four_bar(2.0)).equations()
    runs = [mb.simulate(eom, 2.0, samples=41) for eom in (alone, made)]
    for name in ("pin", "pin_dot", "drive", "in_the_loop", "at_the_base"):
        np.testing.assert_allclose(runs[1][name], runs[0][name], atol=2e-5)
    assert runs[1].energy_drift < 1e-6


def test_a_spring_on_a_joint_that_turns_beyond_half_a_turn():
    """A rod that is carried round by a slider crank, with a spring in the joint that closes the loop."""
    system = mb.System("round", gravity=(0, -9.81, 0), recognise_loops=False)
    crank, other = (system.body(name, 1.0, (0.5, 0, 0), (0, 0.1, 0.1)) for name in ("crank", "other"))
    bar = system.body("bar", 1.0, (0.5, 0, 0), (0, 0.1, 0.1))
    system.joint("turn", system.world, crank, "Rz", q=1.0, u=9.0)
    system.joint("far", system.frame("foot", (1, 0, 0)), other, "Rz", guess=1.0)
    system.joint("carry", crank.frame("a", (1, 0, 0)), bar, "Rz", guess=-1.0)
    pin = system.joint("pin", bar.frame("b", (1, 0, 0)), other.frame("c", (1, 0, 0)), "Rz", cut=True)
    system.load(mb.JointSpring(pin, 0.5))
    runs = [mb.simulate(eom, 1.5, samples=31) for eom in (mb.derive(system), modular.from_system(system).equations())]
    assert np.ptp(runs[0]["pin"]) > 2 * math.pi
    np.testing.assert_allclose(runs[1]["pin"], runs[0]["pin"], atol=1e-4)


def test_limits_of_joints_are_watched():
    alone, made = mb.derive(four_bar()), modular.from_system(four_bar())
    (there,), (here,) = (mb.simulate(eom, 1.0).limit_violations for eom in (alone, made.equations()))
    assert (here.joint, here.coordinate, here.limits) == ("swing", "swing", (0.0, 2.0))
    assert here.t == pytest.approx(there.t, abs=1e-6)
    both = modular.couple("both", [made, made.renamed("other", suffix="_2")], {"tie": "drive - drive_2"})
    assert [one.coordinate for one in mb.simulate(both.equations(), 1.0).limit_violations] == ["swing", "swing_2"]


def slider_crank(rod=1.8):
    """A loop in closed form."""
    system = mb.System("slider", gravity=(0, -9.81, 0))
    bodies = [system.body(name, 1.0, (0.5, 0, 0), (0, 0, 0.1)) for name in ("crank", "rod", "piston")]
    system.joint("turn", system.world, bodies[0], "Rz", q=0.7, u=6.0)
    system.joint("bend", bodies[0].frame("pin", (1, 0, 0)), bodies[1], "Rz", limits=(-1.0, 0.2))
    system.joint("slide", system.world, bodies[2], "Tx")
    system.loop(mb.CrankSlider(bodies[1].frame("eye", (rod, 0, 0)), bodies[2].frame("gudgeon")))
    return system


def test_loops_in_closed_form_are_read_limited_and_stopped_at_dead_points():
    made = modular.from_system(slider_crank())
    alone, run = (mb.simulate(eom, 0.5, samples=6) for eom in (mb.derive(slider_crank()), made.equations()))
    both = modular.couple("both", [made, made.renamed("other", suffix="_2")], {"tie": "turn - turn_2"})
    pair = mb.simulate(both.equations(), 0.5, samples=6)
    for name in ("bend", "slide", "slide_dot"):
        np.testing.assert_allclose(run[name], alone[name], atol=1e-7)
        np.testing.assert_allclose(pair[f"other_{name}"], alone[name], atol=1e-7)
    assert [one.coordinate for one in run.limit_violations] == ["bend"]
    assert [one.coordinate for one in pair.limit_violations] == ["slider_bend", "other_bend"]
    dead = mb.simulate(modular.from_system(slider_crank(1.0)).equations(), 2.0, on_failure="return")
    assert dead.status is mb.Status.SINGULAR
    assert dead["turn"][-1] < math.pi / 2


def test_forces_in_joints_of_coupled_systems_are_not_measured(caplog):
    """The force of a tie acts on variables: through which joints it goes is not known."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    hinge = system.joint("angle", system.world, system.body("bob", 2, (0, 0, -1)), "Ry", q=0.3)
    system.sensor("force", mb.ConstraintForce(hinge))
    system.sensor("state", mb.JointSensor(hinge))
    one = modular.from_system(system)
    np.testing.assert_allclose(mb.simulate(one.equations(), 0.1)["force"], mb.simulate(mb.derive(system), 0.1)["force"])
    assert not caplog.records
    pair = modular.couple("pair", [one, one.renamed("two", suffix="_2")], {"tie": "angle - angle_2"})
    assert set(pair.equations().model.sensors) == {"pendulum_state", "two_state"}
    assert "pendulum_force, two_force" in caplog.text


@pytest.mark.parametrize("family", ["cranks3", "four_bar", "sarrus2", "bennett"])
def test_redundant_forces_are_shared_as_alone(family):
    """Forces and torques are groups of their own, also where a subsystem keeps the equations of the joints."""
    from tests.reference.linkages import FAMILIES, GRAVITY, system_of

    kind, rng = FAMILIES[family], np.random.default_rng(3)
    values = kind.values(rng)
    system = system_of(family, kind.layout, kind.defaults, GRAVITY, recognise_loops=False)
    alone, made = mb.derive(system), modular.from_system(system).equations()
    names = {one.name for one in alone.coordinates}
    guess = {name: value for name, value in kind.guess(rng, values).items() if name in names}
    state, p = alone.consistent(q=guess, parameters=values), list(alone.model.parameter_values(values).values())
    expected = dict(zip(alone.constraints.names, alone.constraint_forces(0.0, state.q, state.u, [], p), strict=True))
    found = dict(zip(made.constraints.names, made.constraint_forces(0.0, state.q, state.u, [], p), strict=True))
    assert max(map(abs, expected.values())) > 1
    for name, force in expected.items():
        assert found.get(f"{family}_{name}", 0.0) == pytest.approx(force, abs=1e-9)
