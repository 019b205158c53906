"""The bicycle of Carvallo and Whipple, with the parameters of the benchmark."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from multibody.algebra import Rotation
from multibody.equations import EquationsOfMotion
from multibody.graph import pi
from multibody.library.check import Check
from multibody.library.library_model import PALE, LibraryModel, Row, tabled_parameters
from multibody.library.observe import at_state
from multibody.linearization import LinearSystem, critical_values, linearize
from multibody.model import Cylinder, JointLoad, Plane, RollingDisc, Sphere, System

TABLE: Mapping[str, Row] = {
    "rR": (0.3, "m", "radius of the rear wheel"),
    "rF": (0.35, "m", "radius of the front wheel"),
    "g": (9.81, "m/s^2", "gravity"),
    "d1": (0.9534570696121849, "m", "from the rear hub to the steer axis, at right angles to it"),
    "d2": (0.2676445084476887, "m", "from there to the foot of the front hub, along the steer axis"),
    "d3": (0.03207142672761929, "m", "from the steer axis to the front hub, at right angles to it"),
    "l1": (0.4707271515135145, "m", "x of the frame's centre of mass from the rear hub"),
    "l2": (-0.47792881146460797, "m", "z of the frame's centre of mass from the rear hub"),
    "l3": (-0.00597083392418685, "m", "x of the fork's centre of mass from the front hub"),
    "l4": (-0.3699518200282974, "m", "z of the fork's centre of mass from the front hub"),
    "mc": (85.0, "kg", "mass of frame and rider"),
    "md": (2.0, "kg", "mass of the rear wheel"),
    "me": (4.0, "kg", "mass of fork and handlebar"),
    "mf": (3.0, "kg", "mass of the front wheel"),
    "ic11": (7.178169776497895, "kg*m^2", "inertia xx of the frame"),
    "ic22": (11.0, "kg*m^2", "inertia yy of the frame"),
    "ic31": (3.8225535938357873, "kg*m^2", "inertia xz of the frame"),
    "ic33": (4.821830223502103, "kg*m^2", "inertia zz of the frame"),
    "ie11": (0.05841337700152972, "kg*m^2", "inertia xx of the fork"),
    "ie22": (0.06, "kg*m^2", "inertia yy of the fork"),
    "ie31": (0.009119225261946298, "kg*m^2", "inertia xz of the fork"),
    "ie33": (0.007586622998470264, "kg*m^2", "inertia zz of the fork"),
    "id11": (0.0603, "kg*m^2", "inertia of the rear wheel about a diameter"),
    "id22": (0.12, "kg*m^2", "inertia of the rear wheel about its axle"),
    "if11": (0.1405, "kg*m^2", "inertia of the front wheel about a diameter"),
    "if22": (0.28, "kg*m^2", "inertia of the front wheel about its axle"),
}
"""The benchmark bicycle of Meijaard and others (2007), in the parameters of Moore (2012): z along the steer axis."""


def bicycle(*, speed: float = 5.0, push: float = 0.5, **values: float) -> System:
    """The Carvallo-Whipple bicycle: x forward, y to the right, z down; upright where pitch is π/10. Without a rider.

    The chain of frames: contact point of the rear wheel, yaw, roll, pitch of the frame C, rear wheel D, fork E that
    steers about its z axis, front wheel F. The coordinates keep the rear wheel on the ground.

    Args:
        speed: forward, at the start, in m/s.
        push: rate of the lean at the start, in rad/s.
        values: of parameters by the names of Moore, where they are others: ``bicycle(mc=60.0)``.
    """
    system = System("bicycle")
    p = tabled_parameters(system, TABLE, values)
    system.gravity = (0, 0, p["g"])
    ground = system.frame("ground", rotation=Rotation.about_x(pi))
    contact, upright = system.body("contact"), system.body("upright")
    C = system.body("C", p["mc"], (p["l1"], 0, p["l2"]), (p["ic11"], 0, p["ic22"], p["ic31"], 0, p["ic33"]))
    D = system.body("D", p["md"], inertia=(p["id11"], p["id22"], p["id11"]))
    E_com = p["d3"] + p["l3"], 0, p["d2"] + p["l4"]
    E = system.body("E", p["me"], E_com, (p["ie11"], 0, p["ie22"], p["ie31"], 0, p["ie33"]))
    F = system.body("F", p["mf"], inertia=(p["if11"], p["if22"], p["if11"]))
    head, hub = C.frame("head", (p["d1"], 0, 0)), E.frame("hub", (p["d3"], 0, p["d2"]))
    system.joint("place", system.world, contact, ["Tx", "Ty"])
    system.joint("lean", contact, upright, ["Rz", "Rx"])
    system.joint("pitch", upright.frame("axle", (0, 0, -p["rR"])), C, "Ry", q=math.pi / 10)
    system.joint("rear", C, D, "Ry")
    steer = system.joint("steer", head, E, "Rz", limits=(-1.0, 1.0))
    system.joint("front", hub, F, "Ry")
    for name, wheel, radius in (("rear_tyre", D, p["rR"]), ("front_tyre", F, p["rF"])):
        system.constraint(RollingDisc(ground, wheel, radius, axis="-y"), name=name)
        system.draw(wheel, Cylinder(radius, 0.04), rotation=Rotation.about_x(pi / 2), name=f"{name}_shape")
    system.start(rear_dot=-speed / values.get("rR", TABLE["rR"][0]), lean_rx_dot=push)
    torque = system.input("steer_torque", unit="N*m", description="of the hands on the fork", slider=(-5.0, 5.0))
    system.load(JointLoad(steer, torque), name="hands")
    system.draw(ground, Plane(20, 20, colour=PALE), name="road")
    system.draw(C, Cylinder(0.03), to=head, name="frame_shape")
    system.draw(E, Cylinder(0.03), to=hub, name="fork_shape")
    system.draw(C, Sphere(0.15), position=(p["l1"], 0, p["l2"]), name="rider")
    return system


# numbers -------------------------------------------------------------------------------------------------------------

STATES = "lean_rx", "steer", "lean_rx_dot", "steer_dot"


def _rolling(eom: EquationsOfMotion, speed: float) -> LinearSystem:
    """Small lean and steer of straight upright running."""
    at = {"lean_rx": 0.0, "steer": 0.0, "lean_rx_dot": 0.0, "steer_dot": 0.0, "rear_dot": -speed / 0.3}
    return linearize(eom, at, independent=(*STATES, "rear_dot")).part(*STATES)


def _pole(eom: EquationsOfMotion, name: str) -> complex:
    """Of castering, capsize and weave at 5 m/s."""
    found = _rolling(eom, 5.0).poles
    real = np.sort(found[found.imag == 0].real)
    return {"castering": real[0], "capsize": real[-1], "weave": found[found.imag.argmax()]}[name]


def _critical(eom: EquationsOfMotion, which: int) -> float:
    return critical_values(lambda v: _rolling(eom, v), 4.0, 7.0, points=4)[which].value


def _front_weight(eom: EquationsOfMotion) -> float:
    state = at_state(eom, {"lean_rx": 0.0, "steer": 0.0}, {"lean_rx_dot": 0.0, "steer_dot": 0.0, "rear_dot": -10.0})
    return float(eom.constraint_forces(*state)[eom.constraints.names.index("front_tyre_normal")])


PAPER = "Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007) 1955, Table 2"

BICYCLE = LibraryModel(
    "bicycle",
    "Whipple's bicycle",
    "Frame with rider, fork, two wheels that roll without slip; between 4.3 and 6 m/s it keeps itself upright.",
    "Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007) 1955",
    bicycle,
    (
        Check("castering at 5 m/s", -14.07838969279822, PAPER, 1e-12, lambda eom: _pole(eom, "castering").real, "1/s"),
        Check("capsize at 5 m/s", -0.32286642900409, PAPER, 1e-12, lambda eom: _pole(eom, "capsize").real, "1/s"),
        Check("weave at 5 m/s, real part", -0.77534188219585, PAPER, 1e-12, lambda eom: _pole(eom, "weave").real,
              "1/s"),
        Check("weave at 5 m/s, imaginary part", 4.46486771378823, PAPER, 1e-12, lambda eom: _pole(eom, "weave").imag,
              "rad/s"),
        Check("weave speed", 4.29238253634111, PAPER, 1e-11, lambda eom: _critical(eom, 0), "m/s"),
        Check("capsize speed", 6.02426201538837, PAPER, 1e-11, lambda eom: _critical(eom, 1), "m/s"),
        Check("load on the front wheel", 9.81 * (85 * 0.3 + 4 * 0.9 + 3 * 1.02) / 1.02,
              "g·Σ m·x/w with the places of the paper's Table 1", 1e-12, _front_weight, "N"),
    ),
)  # fmt: skip
