"""A quick-return mechanism, coupled from library parts, and built as one ``System``."""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin

import multibody as mb
from multibody.subsystems import KnownMotion, OwnEquations, Subsystem, couple
from multibody.subsystems.library import planar

G = 9.81
CRANK, PIVOT, LEVER, LINK, TRACK = 0.2, 0.5, 0.9, 0.5, 0.3
"""The radius of the crank, how far the pivot of the lever is below it, two lengths, and the height of the ram."""


def quick_return() -> Subsystem:
    """A crank C whose block K slides along a lever V, which moves a ram R by a link L."""
    parts = [
        planar.pendulum("C", 0.8, CRANK), planar.pendulum("V", 1.5, LEVER, pivot=(0, -PIVOT)),
        planar.point_mass("K", 0.3), planar.rod("L", 0.6, LINK), planar.cart("R", 2.0, damping=0.7),
    ]  # fmt: skip
    joints = {
        "pin_x": "x_K = x_B_C", "pin_y": "y_K = y_B_C",
        "slot_x": "x_K = -s*sin(theta_V)", "slot_y": f"y_K = -{PIVOT} + s*cos(theta_V)",
        "lever_x": "x_A_L = x_B_V", "lever_y": "y_A_L = y_B_V",
        "ram_x": "x_B_L = x_R", "ram_y": f"y_B_L = {TRACK}",
    }  # fmt: skip
    start = _return_places()
    start |= {"x_K": CRANK, "y_K": 0.0, "x_L": start["x_R"] - LINK / 2 * cos(start["theta_L"])}
    start |= {"y_L": TRACK - LINK / 2 * sin(start["theta_L"])}
    return couple(
        "return", parts, joints, variables="s", independent="theta_C_dot",
        own=OwnEquations(dynamics={"theta_C_dot": "tau"}),
        inputs="tau", parameters={"g": G}, motion=KnownMotion(start=start),
    )  # fmt: skip


def quick_return_as_system() -> mb.System:
    """The same, with the pin of the block and one end of the link cut."""
    system = mb.System("return", gravity=(0, -G, 0))
    q = _return_places()
    hung = {name: system.body(name, m, (0, -l / 2, 0), (0, 0, m * l**2 / 12))
            for name, m, l in (("C", 0.8, CRANK), ("V", 1.5, LEVER))}  # fmt: skip
    block, ram = system.body("K", 0.3), system.body("R", 2.0)
    link = system.body("L", 0.6, (-LINK / 2, 0, 0), (0, 0, 0.6 * LINK**2 / 12))
    crank = system.joint("theta_C", system.world, hung["C"], "Rz", q=q["theta_C"])
    system.joint("theta_V", system.frame("pivot", (0, -PIVOT, 0)), hung["V"], "Rz", q=q["theta_V"])
    system.joint("s", hung["V"], block, "Ty", q=q["s"])
    track = system.joint("x_R", system.frame("track", (0, TRACK, 0)), ram, "Tx", q=q["x_R"])
    system.joint("theta_L", ram, link, "Rz", q=q["theta_L"])
    system.joint("pin", hung["C"].frame("tip", (0, -CRANK, 0)), block, "Rz", cut=True)
    system.joint("top", hung["V"].frame("end", (0, -LEVER, 0)), link.frame("far", (-LINK, 0, 0)), "Rz", cut=True)
    system.load(mb.JointLoad(crank, system.input("tau")))
    system.load(mb.JointDamper(track, 0.7))
    return system


def _return_places() -> dict[str, float]:
    """Where everything is when the crank points along x."""
    far = hypot(CRANK, PIVOT)
    end = LEVER * CRANK / far, LEVER * PIVOT / far - PIVOT
    reach = (LINK**2 - (TRACK - end[1]) ** 2) ** 0.5
    return {
        "theta_C": pi / 2, "theta_V": atan2(CRANK, -PIVOT), "s": -far, "x_R": end[0] + reach,
        "theta_L": atan2(TRACK - end[1], reach),
    }  # fmt: skip
