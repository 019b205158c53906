"""The system that the course work on Wittenburg's method prints with all its numbers."""

import multibody as mb

from .wittenburg_program import GRAVITY

EULER = ["Rz", "Rx", "Rz"]


def five_body() -> mb.System:
    """``library.five_body_chain`` with numbers in place of its parameters, as its tables have them."""
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
