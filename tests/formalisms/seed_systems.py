"""Systems that the seeds print with all their numbers."""

import numpy as np

import multibody as mb
from multibody.graph import pi

from .wittenburg_program import GRAVITY

EULER = ["Rz", "Rx", "Rz"]

FIVE_BODY_START = np.array([np.pi, 1, 2, 1, 2, 1, np.pi, 2, -2])
"""Angles at the start, below figure 7 of the Wittenburg seed; it starts at rest."""


def five_body() -> mb.System:
    """The system of the Wittenburg seed, with the numbers of its appendix."""
    system = mb.System("five_body", gravity=(0, 0, -GRAVITY))
    rods = [("rod1", 3, (4, 4, 3.6)), ("rod2", 3, (4, 4, 2.4)), ("tee", 2, (2 / 6, 10 / 24, 2 / 24))]
    rods += [("rod4", 1.5, (0.5, 0.5, 0.3)), ("rod5", 1.5, (0.5, 0.5, 0.3))]
    one, two, tee, four, five = (system.body(name, mass, inertia=tensor) for name, mass, tensor in rods)
    system.joint("q1", system.world, one.frame("top1", (0, 0, 1)), EULER)
    system.joint("q2", one.frame("end1", (0, 0, -1)), two.frame("top2", (0, 0, 1)), EULER)
    system.joint("q3", two.frame("end2", (0, 0, -1)), tee.frame("top3", (0, 0, 1)), "Rz")
    system.joint("q4", tee.frame("right", (0.5, 0, 0)), four.frame("top4", (0, 0, 0.5)), "Ry")
    system.joint("q5", tee.frame("left", (-0.5, 0, 0)), five.frame("top5", (0, 0, 0.5)), "Ry")
    return system


def crane_crab() -> mb.System:
    """Section 2.3.2 of the PyMbs seed, line by line."""
    world = mb.System("CraneCrab")
    g = world.parameter("g", 9.81)
    world.gravity = (0, 0, -g)
    F = world.input("F", description="DrivingForce")
    m1, m2, l2 = world.parameters(m1=1.0, m2=1.0, l2=1.0)
    I2 = world.parameter("I2", m2 * l2**2 / 12)
    crab = world.body("Crab", mass=m1)
    pend = world.body("Pendulum", mass=m2, inertia=mb.diag(0, I2, 0))
    joint = pend.frame("joint", (0, 0, l2))
    pend.frame("middle", (0, 0, l2 / 2), mb.Rotation.about_x(pi / 2))
    world.joint("TransCrab", world.world, crab, "Tx", 1.0)
    world.joint("RotPendulum", crab, joint, "Ry", -1.0)
    world.load(mb.PointToPointForce(crab, world.world, F))
    world.sensor("d", mb.DistanceAndRate(crab, world.world))
    return world
