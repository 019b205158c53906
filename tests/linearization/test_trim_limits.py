"""Trims within the limits of joints and inputs, with parameters for which bodies exist, in any units."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.linearization import equilibria, equilibrium

G = 9.81


def arm(limits=None, moment_limits=None, size=1.0):
    """A pendulum with a motor, of 2 kg times size³ and 0.5 m times size."""
    system = mb.System("arm", gravity=(0, 0, -G))
    m = system.parameter("m", 2.0 * size**3)
    hinge = system.joint("angle", system.world, system.body("bob", m, (0, 0, -0.5 * size)), "Ry", limits=limits)
    system.load(mb.JointLoad(hinge, system.input("M", limits=moment_limits)))
    return mb.derive(system)


def test_an_equilibrium_beyond_the_limits_of_a_joint_is_passed_over():
    """The nearest one, hanging, is out of reach; the upright one is within."""
    found = equilibrium(arm(limits=(2.0, 4.0)), at={"angle": 0.5})
    assert found["angle"] == pytest.approx(np.pi)
    assert [one["angle"] for one in equilibria(arm(limits=(2.0, 4.0)))] == pytest.approx([np.pi])


def test_no_equilibrium_within_the_limits_of_a_joint_is_told():
    with refused("equilibrium-beyond-limits"):
        equilibrium(arm(limits=(0.5, 2.0)))
    with refused("equilibrium-beyond-limits"):
        equilibria(arm(limits=(0.5, 2.0)))
    with refused("equilibrium-beyond-limits"):
        equilibrium(arm(limits=(0.5, 2.0)), fixed={"angle": 0.3}, free=["M"])


def test_a_whole_turn_brings_an_angle_within_its_limits():
    found = equilibrium(arm(limits=(5.0, 7.0)), at={"angle": 0.2})
    assert found["angle"] == pytest.approx(2 * np.pi)


def test_a_joint_at_its_limit_is_within():
    assert equilibrium(arm(limits=(0.0, 1.0)), at={"angle": 0.3})["angle"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("size", [1e-5, 1.0, 1e3])
@pytest.mark.parametrize(("share", "fits"), [(0.5, False), (0.9999, False), (1.0001, True)])
def test_a_motor_stays_within_its_limits_at_any_size(size, share, fits):
    needed = 2 * size**4 * G * 0.5 * np.sin(0.3)
    eom = arm(moment_limits=(-share * needed, share * needed), size=size)
    if fits:
        assert equilibrium(eom, fixed={"angle": 0.3}, free=["M"])["M"] == pytest.approx(needed, rel=1e-12)
        return
    with refused("equilibrium-beyond-limits"):
        equilibrium(eom, fixed={"angle": 0.3}, free=["M"])


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e3])
def test_a_negative_mass_is_refused(size):
    """The moment would have to be balanced by a mass that pulls upward."""
    moment = -7.0 * size**4
    with refused("equilibrium-beyond-limits"):
        equilibrium(arm(size=size), fixed={"angle": np.pi / 2, "M": moment}, free=["m"])
    found = equilibrium(arm(size=size), fixed={"angle": np.pi / 2, "M": -moment}, free=["m"])
    assert found["m"] == pytest.approx(-moment / (G * 0.5 * size), rel=1e-12)


def test_a_mass_by_a_formula_is_refused_where_it_becomes_negative():
    system = mb.System("arm", gravity=(0, 0, -G))
    total = system.parameter("total", 3.0)
    rest = system.parameter("rest", total - 1.0)
    hinge = system.joint("angle", system.world, system.body("bob", rest, (0, 0, -0.5)), "Ry")
    system.load(mb.JointLoad(hinge, system.input("M")))
    eom = mb.derive(system)
    found = equilibrium(eom, fixed={"angle": np.pi / 2, "M": 7.0}, free=["total"])
    assert found["rest"] == pytest.approx(7.0 / (G * 0.5))
    with refused("equilibrium-beyond-limits"):
        equilibrium(eom, fixed={"angle": np.pi / 2, "M": -7.0}, free=["total"])


def test_limits_of_a_joint_that_closes_a_loop():
    """A crank whose slider has limits: only one of the two ways of hanging is within."""
    system = mb.System("crank", gravity=(0, 0, -G))
    crank, block = system.body("crank", 1.0, (0.1, 0, 0)), system.body("block", 1.0)
    system.joint("a", system.world, crank, "Ry", q=1.0)
    system.joint("x", system.world, block, "Tx", q=0.35, limits=(-1.0, 0.0))
    system.constraint(mb.DistanceConstraint(crank.frame("pin", (0.1, 0, 0)), block, 0.3), name="bar")
    found = equilibria(mb.derive(system, constraints=mb.Multipliers()))
    assert {round(one["x"], 9) for one in found} == {round(-np.sqrt(0.08), 9)}
