"""Joints that close loops are replaced by closed forms where that is safe, and only there."""

from math import pi

import numpy as np
import pytest

import multibody as mb
from multibody.graph import evaluate
from multibody.model.loops import recognised, reduced

from .mechanisms import accelerations, closed_states


def bar(system, name):
    return system.body(name, 1, (0.2, 0.1, 0), (0.1, 0.2, 0.3))


def four_bar(lengths, start, *, pin="Rz", end=(0, 0, 0), limits=None, crank=None):
    """Ground, crank, coupler and rocker, closed by a pin; start values of the three other joints."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0), recognise_loops=False)
    a, b, c = (bar(system, name) for name in ("crank", "coupler", "rocker"))
    system.joint("a", system.world, a, "Rz", q=start[0], limits=limits, prescribed=crank)
    system.joint("b", a.frame("B", (lengths[1], 0, 0)), b, "Rz", q=start[1])
    system.joint("d", system.frame("D", (lengths[0], 0, 0)), c, "Rz", q=start[2])
    tip = b.frame("C3", (lengths[2] + end[0], end[1], end[2]))
    system.joint("pin", tip, c.frame("C4", (lengths[3], 0, 0)), pin, cut=True)
    return system


def assembled(lengths, angle, side):
    """The angles of crank, coupler and rocker: where circles about the crank's tip and the rocker's hinge meet."""
    ground, crank, coupler, rocker = lengths
    B, D = crank * np.exp(1j * angle), ground
    distance = abs(D - B)
    x = (distance**2 + coupler**2 - rocker**2) / (2 * distance)
    C = B + (D - B) / distance * (x + 1j * side * np.sqrt(coupler**2 - x**2))
    return angle, np.angle((C - B) / np.exp(1j * angle)), np.angle(C - D)


CRANK_ROCKER = (3.0, 1.0, 3.5, 2.5)
START = assembled(CRANK_ROCKER, 0.5, 1)
ROCKERS = (4.0, 2.5, 2.0, 2.2)


@pytest.mark.parametrize("posture", [1, -1])
def test_a_crank_that_turns_fully(posture):
    full = four_bar(CRANK_ROCKER, assembled(CRANK_ROCKER, 0.5, posture)).freeze()
    found = recognised(full)
    assert list(found) == ["pin"]
    model = reduced(full, found)
    assert ([q.name for q in model.coordinates], dict(model.constraints)) == (["a"], {})
    for q in full.coordinates:  # the solution is the one that was meant
        assert evaluate(model.values.get(q, q), {"a": 0.5}) == pytest.approx(full.start[q], abs=1e-12)
    solved, closed = mb.derive(model, mb.Recursive()), mb.derive(full, mb.Recursive())
    for values in closed_states(model, 3, spread=3.0):
        one, other = accelerations(solved, values), accelerations(closed, values)
        assert one[model.speeds[0]] == pytest.approx(other[model.speeds[0]], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    ("why", "system"),
    [
        ("three rockers", lambda: four_bar(ROCKERS, assembled(ROCKERS, 0.5, 1))),
        ("a parallelogram, which folds", lambda: four_bar((3, 1, 3, 1), assembled((3, 1, 3, 1), 1.0, 1))),
        ("a start far from closed", lambda: four_bar(CRANK_ROCKER, (0.5, 2.0, 0.0))),
        ("all start values zero", lambda: four_bar(CRANK_ROCKER, (0.0, 0.0, 0.0))),
        ("an end out of the plane", lambda: four_bar(CRANK_ROCKER, START, end=(0, 0, 0.1))),
        ("no hinge in the plane", lambda: four_bar(CRANK_ROCKER, START, pin="Rx")),
        ("no hinge at all", lambda: four_bar(CRANK_ROCKER, START, pin=["Rz", "Tx"])),
        ("a screw", lambda: four_bar(CRANK_ROCKER, START, pin=mb.Screw("z", 0.1))),
    ],
)
def test_what_is_not_safe_is_left_alone(why, system):
    assert recognised(system().freeze()) == {}, why


def test_limits_make_a_rocker_safe():
    start = assembled(ROCKERS, 0.5, 1)
    assert recognised(four_bar(ROCKERS, start).freeze()) == {}
    assert list(recognised(four_bar(ROCKERS, start, limits=(0.3, 0.6)).freeze())) == ["pin"]


def test_a_prescribed_crank_is_independent():
    system = four_bar(CRANK_ROCKER, START)
    model = four_bar(CRANK_ROCKER, START, crank=0.5 + 2 * system.time).freeze()
    assert reduced(model, recognised(model)).coordinates == ()


def test_a_driven_joint_stays_independent():
    """A double crank: whichever joint has a drive is kept."""
    for driven in "ad":
        lengths = (1.0, 3.0, 3.5, 2.8)
        system = four_bar(lengths, assembled(lengths, 1.0, 1))
        system.load(mb.JointLoad(system[driven], 1.0))
        model = system.freeze()
        assert [q.name for q in reduced(model, recognised(model)).coordinates] == [driven]


def test_a_parameter_without_value_decides_nothing():
    system = four_bar(CRANK_ROCKER, START)
    system.parameter("unknown")
    assert recognised(system.freeze()) == {}


def test_no_coordinate_is_taken_from_another_constraint():
    system = four_bar(CRANK_ROCKER, START)
    assert list(recognised(system.freeze())) == ["pin"]
    wheel = system.joint("wheel", system.world, bar(system, "wheel_body"), "Rz")
    system.constraint(wheel.coordinate - 2 * system["d"].coordinate)
    assert recognised(system.freeze()) == {}


def test_an_engine():
    system = mb.System("engine", gravity=(0, -9.81, 0), recognise_loops=False)
    crank, rod, piston = (bar(system, name) for name in ("crank", "rod", "piston"))
    system.joint("a", system.world, crank, "Rz", q=0.3)
    system.joint("s", system.world, piston, "Tx", q=1.26)
    system.joint("b", crank.frame("B", (0.3, 0, 0)), rod, "Rz", q=-0.39)
    system.joint("pin", rod.frame("eye", (1, 0, 0)), piston, "Rz", cut=True)
    model = system.freeze()
    found = recognised(model)
    assert [q.name for q in reduced(model, found).coordinates] == ["a"]
    assert found["pin"].posture == 1


def test_the_cylinder_of_a_boom_follows():
    system = mb.System("boom", recognise_loops=False)
    boom, barrel, rod = (bar(system, name) for name in ("boom", "barrel", "rod"))
    system.joint("a", system.world, boom, "Ry", q=-0.5)
    system.joint("c", system.frame("C", (0.5, 0, -0.6)), barrel, "Ry", q=-1.4)
    system.joint("s", barrel, rod, "Tx", q=1.15)
    system.joint("pin", boom.frame("B", (1, 0, 0)), rod, "Ry", cut=True)
    model = system.freeze()
    assert [q.name for q in reduced(model, recognised(model)).coordinates] == ["a"]


def hexapod(pin, *, flight=True, offset=0.0):
    system = mb.System("hexapod", recognise_loops=False)
    table = system.body("table", 10, (0, 0, 0), (1, 2, 3))
    if flight:
        system.joint("flight", system.world, table, mb.Free(), q=(0, 0, 1, 1, 0, 0, 0))
    for k in range(3):
        a = 2 * pi * k / 3
        foot = system.frame(f"foot{k}", (np.cos(a), np.sin(a), 0), mb.Rotation.about_z(a))
        barrel, piston = bar(system, f"barrel{k}"), bar(system, f"piston{k}")
        system.joint(f"u{k}", foot, barrel, mb.Universal("x", "y"), q=(0, -0.46))
        system.joint(f"l{k}", barrel.frame(f"seat{k}", (0, offset, 0)), piston, "Tz", q=1.12)
        corner = table.frame(f"corner{k}", (0.5 * np.cos(a), 0.5 * np.sin(a), 0))
        system.joint(f"pin{k}", piston, corner, pin, cut=True)
    return system


def test_legs_with_ball_joints():
    model = hexapod(mb.Spherical()).freeze()
    found = recognised(model)
    assert sorted(found) == ["pin0", "pin1", "pin2"]
    solved = reduced(model, found)
    assert (len(solved.speeds), len(model.speeds), dict(solved.constraints)) == (6, 15, {})
    for q in model.coordinates:
        known = {one: model.start[one] for one in solved.coordinates}
        assert evaluate(solved.values.get(q, q), known) == pytest.approx(model.start[q], abs=0.01)


def test_other_legs_are_left_alone():
    assert recognised(hexapod(mb.Universal("x", "y")).freeze()) == {}
    assert recognised(hexapod(mb.Spherical(), offset=0.1).freeze()) == {}


def test_a_tree_has_no_loops():
    system = mb.System("tree", recognise_loops=False)
    system.joint("a", system.world, bar(system, "arm"), "Rz")
    assert recognised(system.freeze()) == {}


def test_freezing_recognises_loops_unless_told_otherwise():
    system = four_bar(CRANK_ROCKER, START)
    assert len(system.freeze().coordinates) == 3
    system.recognise_loops = True
    model = system.freeze()
    assert [q.name for q in model.coordinates] == ["a"]
    assert not model.constraints
    assert len(mb.derive(system).speeds) == 1
    assert len(mb.derive(system, constraints=mb.Multipliers()).speeds) == 3
