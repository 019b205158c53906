"""T + V - work of inputs - work of drives + dissipated stays what it was, whatever drives a system."""

import math

import numpy as np
import pytest

import multibody as mb
from multibody.graph import cos, sin

from .runs import crane, linkage, moved, parallelogram, pendulum, push, rod


def two_rods(first=None, second=None):
    """A double pendulum; arguments are those of its joints."""
    system = mb.System("two_rods", gravity=(0, 0, -9.81))
    a, b = rod(system, "a"), rod(system, "b")
    system.joint("one", system.world, a, "Ry", **(first or {"q": 0.3}))
    system.joint("two", a.frame("tip", (1, 0, 0)), b, "Ry", **(second or {"q": 0.5}))
    return system


def time_of(name):
    return mb.System(name).time


def moving_constraint():
    system = mb.System("sliders")
    a = system.joint("a", system.world, system.body("A", 1.0), "Tx")
    b = system.joint("b", system.world, system.body("B", 2.0), "Tx")
    system.constraint(a.coordinate - b.coordinate - 0.3 * sin(2 * system.time), name="push")
    system.load(mb.JointSpring(a, stiffness=5.0))
    return moved(system)


def driven_by_an_input():
    system = mb.System("follower", gravity=(0, 0, -9.81))
    angle = system.input("w")
    a, b = rod(system, "a"), rod(system, "b")
    system.joint("drive", system.world, a, "Ry", prescribed=angle)
    system.joint("free", a.frame("tip", (1, 0, 0)), b, "Ry", q=0.3)
    return moved(system, follow=lambda t: {"w": sin(2 * t) / 2, "w_dot": cos(2 * t), "w_ddot": -2 * sin(2 * t)})


def damped_drive():
    system = two_rods(first={"prescribed": sin(2 * time_of("two_rods"))})
    system.load(mb.JointDamper(system["one"], 1.0))
    system.load(mb.JointSpring(system["one"], stiffness=3.0))
    return moved(system)


def damped_inside():
    t = time_of("two_rods")
    system = two_rods(second={"prescribed": t + sin(3 * t)})
    system.load(mb.JointDamper(system["one"], 0.2))
    return moved(system)


def driven_linkage(damped):
    system = linkage(prescribed=1.5 + 2 * time_of("linkage"))
    system.load(mb.JointDamper(system[damped], 0.5))
    return moved(system, 1.0)


def free_linkage():
    system = linkage()
    system.load(mb.JointDamper(system["closing"], 0.5))
    system.load(mb.JointLoad(system["q1"], system.input("M")))
    return moved(system, 0.5, lambda t: {"M": 3 * sin(5 * t)})


def gear_to_a_drive():
    system = two_rods(first={"prescribed": sin(2 * time_of("two_rods"))}, second={"q": 0.0})
    last = rod(system, "c")
    system.joint("three", system["b"].frame("end", (1, 0, 0)), last, "Ry", q=0.3)
    system.constraint(system["two"].coordinate + 2 * system["one"].coordinate, name="gear")
    return moved(system)


def cam(shape):
    system = mb.System("cam")
    wheel = system.joint("wheel", system.world, system.body("W", 1.0, (0, 0, 0), (1, 1, 1)), "Rz", q=0.2, u=1.0)
    follower = system.joint("follower", system.world, system.body("F", 1.0), "Tx")
    system.load(mb.JointSpring(follower, stiffness=30.0))
    system.loop(mb.ExpJoint(follower, shape(wheel.coordinate, system.time)))
    return moved(system)


def solved_linkage():
    system = mb.System("loom", gravity=(0, -9.81, 0))
    bars = [
        system.body(name, 1, (l / 2, 0, 0), (0, l * l / 12, l * l / 12))
        for name, l in (("crank", 1), ("coupler", 3), ("rocker", 2))
    ]
    system.joint("a", system.world, bars[0], "Rz", prescribed=1 + 2 * system.time)
    b = system.joint("b", bars[0].frame("B", (1, 0, 0)), bars[1], "Rz")
    system.joint("d", system.frame("D", (3, 0, 0)), bars[2], "Rz")
    system.loop(mb.FourBar(bars[1].frame("C3", (3, 0, 0)), bars[2].frame("C4", (2, 0, 0))))
    system.load(mb.JointDamper(b, 0.3))
    return moved(system)


def moving_rest(rest, follow=None):
    system = mb.System("spring")
    joint = system.joint("a", system.world, system.body("A", 1.0), "Tx", q=0.1)
    system.load(mb.JointSpring(joint, stiffness=5.0, rest=rest(system)))
    return moved(system, follow=follow)


def changing_gravity():
    system = mb.System("lift", gravity=(0, 0, -9.81 + sin(2 * time_of("lift"))))
    system.joint("a", system.world, rod(system, "rod"), "Ry", q=0.1)
    return moved(system)


def spinning_body():
    system = mb.System("stone", gravity=(0, 0, -9.81))
    body = system.body("B", 2.0, (0, 0, 0), mb.diag(0.1, 0.2, 0.3))
    system.joint("free", system.world, body, mb.Free(), u=(1, 2, 3, 0, 0, 1))
    system.load(mb.Torque(body, (0, system.input("M"), 0)))
    return moved(system, follow=lambda t: {"M": sin(t)})


INPUTS, DISSIPATED, DRIVES = "work_of_inputs", "dissipated", "work_of_drives"
RUNS = {
    "crane crab with a force and a damper": (lambda: moved(crane(), follow=push), {INPUTS, DISSIPATED}),
    "pendulum": (lambda: moved(pendulum(), follow=lambda t: {"M": 0 * t}), set()),
    "damped pendulum with a torque": (
        lambda: moved(pendulum(damping=0.4), follow=lambda t: {"M": 2 * cos(3 * t)}), {INPUTS, DISSIPATED}),
    "parallelogram": (lambda: moved(parallelogram(), 0.6), set()),
    "free linkage with loads": (free_linkage, {INPUTS, DISSIPATED}),
    "double pendulum by Kane": (lambda: moved(two_rods(), formalism=mb.Kane()), set()),
    "constraint that moves": (moving_constraint, {DRIVES}),
    "drive by an input": (driven_by_an_input, {DRIVES}),
    "drive between free bodies": (damped_inside, {DRIVES, DISSIPATED}),
    "gear to a drive": (gear_to_a_drive, {DRIVES}),
    "free body with a torque": (spinning_body, {INPUTS}),
    "cam": (lambda: cam(lambda q, t: 0.3 * q**2), set()),
    "spring whose rest length moves": (lambda: moving_rest(lambda s: sin(3 * s.time) / 5), {DISSIPATED}),
    "damper and spring on a drive": (damped_drive, {DRIVES, DISSIPATED}),
    "driven linkage, damper in the loop": (lambda: driven_linkage("q1"), {DRIVES, DISSIPATED}),
    "driven linkage, damper where it is cut": (lambda: driven_linkage("closing"), {DRIVES, DISSIPATED}),
    "cam that moves with time": (lambda: cam(lambda q, t: 0.3 * q**2 + 0.1 * sin(5 * t)), {DRIVES}),
    "driven linkage solved in closed form": (solved_linkage, {DRIVES, DISSIPATED}),
    "spring whose rest length is an input": (
        lambda: moving_rest(lambda s: s.input("l"), lambda t: {"l": sin(3 * t) / 5}), {INPUTS}),
    "gravity that changes": (changing_gravity, {DRIVES}),
}  # fmt: skip
"""Runs, and the works in which something must have happened."""


@pytest.mark.parametrize("name", list(RUNS))
def test_energy_balance(name):
    make, works = RUNS[name]
    run = make()
    assert run.energy_drift < 1e-9
    assert {one for one in (INPUTS, DISSIPATED, DRIVES) if np.abs(run[one]).max() > 1e-6} == works
    assert max(run.residuals.at_end) < 1e-8


def test_drive_of_a_rotor_against_its_weight():
    """At constant speed the drive does nothing but lift: W = m·g·h of the centre of mass."""
    system = mb.System("rotor", gravity=(0, 0, -9.81))
    system.joint("spin", system.world, rod(system, "blade", 2.0), "Ry", prescribed=-3 * system.time)
    run = moved(system, 1.0)
    height = 0.5 * np.sin(3 * run.t)
    np.testing.assert_allclose(run[DRIVES], 2.0 * 9.81 * height, atol=1e-9)


def test_terminal_speed():
    """A damper takes what gravity gives: c·v² = m·g·v."""
    system = mb.System("parachute", gravity=(0, 0, -9.81))
    joint = system.joint("fall", system.world, system.body("man", 80.0), "Tz", u=-80 * 9.81 / 150)
    system.load(mb.JointDamper(joint, 150.0))
    run = moved(system, 3.0)
    assert run["dissipated"][-1] == pytest.approx(3.0 * 150 * (80 * 9.81 / 150) ** 2, rel=1e-10)
    assert math.isclose(run["potential_energy"][0] - run["potential_energy"][-1], run["dissipated"][-1], rel_tol=1e-10)
