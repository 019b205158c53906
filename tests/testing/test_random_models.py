"""Random systems: the same for the same seed, all classes of loads and sensors, states that make sense."""

import numpy as np
import pytest

import multibody.model as vocabulary
from multibody.formalisms import Recursive, derive
from multibody.graph import evaluate
from multibody.model import Free, Joint, Load, Sensor, Spherical, System, Weld
from multibody.model.kinematics import Kinematics
from multibody.testing import (
    INTERNAL_LOADS,
    KINDS,
    LOADS,
    SENSORS,
    add_random_loads,
    add_random_sensors,
    random_arguments,
    random_floating_system,
    random_state,
    random_system,
    random_tree,
)
from multibody.testing.chance import Seeded
from multibody.testing.random_values import quaternions
from multibody.testing.site import Site
from multibody.testing.strategies import outline


def public(contract):
    """All classes in the public vocabulary that keep a contract."""
    things = (getattr(vocabulary, name) for name in vocabulary.__all__)
    return {thing for thing in things if isinstance(thing, type) and issubclass(thing, contract)} - {contract}


def test_the_same_seed_gives_the_same_system():
    one, other, another = (outline(random_system(seed, 3, sensors=3)) for seed in (5, 5, 6))
    assert one == other
    assert one != another


def test_loads_and_drives_leave_the_tree_alone():
    """They draw from generators of their own."""

    def bare(system):
        return [line.split(", prescribed")[0] for line in outline(system).splitlines() if "load" not in line]

    for seed in range(4):
        assert bare(random_tree(seed, 4)) == bare(random_system(seed, 4, prescribed=0.5))


def test_trees_are_drawn_in_the_order_of_old():
    """Gravity first, then for each body its inertia, mass and centre of mass: seeds in use keep their meaning."""
    system, rng = random_tree(1, 2), np.random.default_rng(1)
    assert [float(x) for x in system.gravity] == list(rng.normal(size=3) * 5)
    root = rng.normal(size=(3, 3))
    assert float(system["b1"].mass) == rng.uniform(0.5, 2)
    assert [float(x) for x in system["b1"].com] == list(rng.normal(size=3))
    assert float(system["b1"].inertia.xx) == (root @ root.T + np.eye(3))[0, 0]


def test_all_classes_of_loads_are_drawn():
    system = random_tree(0, 3)
    site = Site(system, Seeded(1))
    assert {type(load) for maker in LOADS if (load := maker(site))} == public(Load)


def test_all_classes_of_sensors_are_drawn():
    system = random_tree(0, 3)
    site = Site(system, Seeded(1))
    assert {type(sensor) for maker in SENSORS if (sensor := maker(site))} == public(Sensor)


@pytest.mark.parametrize("seed", range(2))
def test_systems_are_sound_and_complete(seed):
    """Parameters, inputs, drives; every load has a force and every sensor a value of its shape."""
    system = random_tree(seed, 3, prescribed=0.4)
    for k, maker in enumerate(LOADS):
        add_random_loads(system, 100 * seed + k, 1, [maker, *INTERNAL_LOADS])
    add_random_sensors(system, seed, 12)
    report = system.check()
    assert report.ok, report
    eom = derive(system, Recursive())
    arguments = random_arguments(eom.model, seed)
    assert len(arguments.r) > 0
    assert len(arguments.p) > 0
    names = [eom.model.time, *eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters]
    values = dict(zip(names, np.concatenate([[arguments.t], *arguments[1:]]).tolist(), strict=True))
    a = evaluate(list(eom.acceleration), values)
    assert np.isfinite(np.array(a, dtype=float)).all()
    values |= dict(zip(eom.model.accelerations, a, strict=True))
    for name, measured in eom.outputs.items():
        found = np.array(evaluate(measured, values), dtype=float)
        assert found.shape == eom.model.sensors[name].shape
        assert np.isfinite(found).all()


def test_a_place_is_found_where_there_is_hardly_any():
    """One body, welded to the world: no joint to act on, no second body to pull at."""
    system = System("house")
    system.joint("foundation", system.world, system.body("house", 1), Weld())
    add_random_loads(system, 1, 30)
    add_random_sensors(system, 1, 30)
    assert len(system.loads) == 30
    assert system.check().ok


def test_springs_have_a_length():
    """Not even two bodies that share one point for ever are connected there."""
    system = System("joint")
    one, two = (system.body(name, 1, (1, 0, 0), (1, 1, 1)) for name in ("one", "two"))
    system.joint("a", system.world, one, Spherical())
    system.joint("b", one, two, Spherical())

    class Lazy(Seeded):
        def vector(self):
            return 0, 0, 0

        def rotation(self):
            return None

    for seed in range(6):
        a, b = Site(system, Lazy(seed), [one, two]).line()
        assert a.body is not b.body
        assert float(Kinematics(system.freeze()).pose(b, a).position.norm()) == 1


def test_quaternions_are_found_without_their_names():
    """A joint that is called like a part of a quaternion is none."""
    system = System("names")
    bodies = [system.body(f"b{k}", 1, (1, 0, 0), (1, 1, 1)) for k in range(3)]
    system.joint("wheel_qw", system.world, bodies[0], ["Rx", "Ry", "Rz", "Tx"])
    system.joint("ball", system.world, bodies[1], Spherical())
    system.joint("flight", bodies[2], system.world, Free())
    model = system.freeze()
    assert [[model.coordinates[k].name for k in block] for block in quaternions(model)] == [
        [f"{joint}_q{part}" for part in "wxyz"] for joint in ("ball", "flight")
    ]
    q, u = random_state(model, 3)
    assert len(q) == 4 + 4 + 7
    assert [np.linalg.norm(q[block]) for block in quaternions(model)] == pytest.approx([1, 1])
    assert len(u) == 4 + 3 + 6


def test_prescribed_motions_take_their_share():
    driven = [j.prescribed is not None for seed in range(20) for j in random_tree(seed, 4, prescribed=0.5).all(Joint)]
    possible = 10 / len(KINDS)  # not balls, not flights, not welds
    assert np.mean(driven) == pytest.approx(0.5 * possible, abs=0.12)
    assert not any(j.prescribed for seed in range(5) for j in random_tree(seed, 3).all(Joint))


def test_bodies_in_space_touch_nothing():
    system = random_floating_system(3, 4, loads=12)
    model = system.freeze()
    outside = {model.world, *(joint for joint in model.joints if joint.parent.body is model.world)}
    touched = {getattr(part, "body", part) for load in model.loads.values() for part in load.touches}
    assert len(model.loads) == 12
    assert not outside & touched
    assert all(float(x) == 0 for x in model.gravity)


def test_outline_shows_what_is_special():
    text = outline(random_system(5, 3, sensors=2))
    for part in (
        "system tree, gravity (",
        "body b3: mass ",
        "joint j1: ",
        " turned to (",
        "load load_3: ",
        "sensor y2: ",
    ):
        assert part in text
