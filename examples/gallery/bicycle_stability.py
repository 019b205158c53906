"""Stability of Whipple's bicycle: it keeps itself upright between the weave and the capsize speed.

The benchmark of Meijaard, Papadopoulos, Ruina and Schwab (Proc. R. Soc. A 463 (2007) 1955): four rigid bodies, two
knife-edge wheels that do not slip, and no rider. Axes are those of the paper: x forward, y to the right, z down. From
the nonlinear model in space come the linear system at each speed, the poles along the speed with their branches, and
the speeds at which poles cross the imaginary axis.
"""

from __future__ import annotations

import sys

import numpy as np

import multibody as mb
from multibody.linearization import critical_values, linearize, root_locus

WHEELBASE, TRAIL, TILT, REAR, FRONT = 1.02, 0.08, np.pi / 10, 0.3, 0.35

# 1. Describe. Places are those of the paper, measured from the rear contact, here from the centre of the rear wheel.
bicycle = mb.System("bicycle", gravity=(0, 0, 9.81))
ground = bicycle.frame(
    "ground", rotation=mb.Rotation.about_x(mb.pi)
)  # wheels are on the side that its z axis points to
centre, axis_foot = np.array([0, 0, -REAR]), np.array([WHEELBASE + TRAIL, 0, 0])

frame = bicycle.body("frame", 85.0, np.array([0.3, 0, -0.9]) - centre, [[9.2, 0, 2.4], [0, 11.0, 0], [2.4, 0, 2.8]])
fork = bicycle.body(
    "fork", 4.0, np.array([0.9, 0, -0.7]) - axis_foot, [[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]]
)
rear = bicycle.body("rear_wheel", 2.0, inertia=(0.0603, 0.12, 0.0603))
front = bicycle.body("front_wheel", 3.0, inertia=(0.1405, 0.28, 0.1405))

place = bicycle.joint("place", bicycle.world, frame, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"], q=(0, 0, -REAR, 0, 0, 0))
head = frame.frame("head", axis_foot - centre)
bicycle.joint("steer", head, fork, mb.Revolute((np.sin(TILT), 0, np.cos(TILT))))
bicycle.joint("rear", frame, rear, "Ry")
bicycle.joint("front", fork.frame("axle", np.array([WHEELBASE, 0, -FRONT]) - axis_foot), front, "Ry")
bicycle.constraint(mb.RollingDisc(ground, rear, REAR), name="rear_grip")
bicycle.constraint(mb.RollingDisc(ground, front, FRONT), name="front_grip")

# 2. Linearize at a speed: of all states, the lean and the steer and their rates live for themselves.
eom = mb.derive(bicycle)
STATES = "place_rx", "steer", "place_rx_dot", "steer_dot"


def rolling(speed):
    """The linear system of straight upright running at a speed in m/s."""
    at = {"rear_dot": -speed / REAR, "place_rx_dot": 0.0, "steer_dot": 0.0}
    return linearize(eom, at, independent=STATES).part(*STATES)


# 3. Follow the poles, and find the speeds at which they cross the imaginary axis.
locus = root_locus(rolling, np.linspace(0.0, 10.0, 201))
weave, capsize = critical_values(rolling, 1.0, 10.0)
figure = locus.plot("speed [m/s]")
axis = figure.axes[0]
axis.set_title("Poles of the Whipple bicycle; it stays upright by itself in the shaded range")
axis.axvspan(weave.value, capsize.value, color="tab:green", alpha=0.15)
axis.set_ylim(-10.0, 10.0)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "bicycle_stability.png")

# 4. Compare with the paper (Table 2, and to more digits recomputed from its parameters).
print(rolling(5.0), end="\n\n")
print(f"weave   {weave.value:.12f} m/s, at {weave.pole.imag:.12f} rad/s")
print(f"capsize {capsize.value:.12f} m/s")
assert not weave.destabilizing
assert capsize.destabilizing
assert abs(weave.value / 4.2923825363411039587 - 1) < 1e-12
assert abs(weave.pole.imag / 3.4350338486614363036 - 1) < 1e-11
assert abs(capsize.value / 6.0242620153883588899 - 1) < 1e-12
