"""Satellite that unfolds a panel: nothing acts from outside, so its angular momentum stays; flywheels turn it back.

The panel is unfolded by a drive: a motion that is given. While it opens, the satellite turns the other way, and stays
turned when all is at rest again; by how much is an integral over the angle of the hinge. Then a flywheel turns it home.
Last, the same motions while it tumbles, with a spinning flywheel: energy changes, angular momentum does not.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import quad

import multibody as mb

BUS, PANEL, WHEEL, SPIN = 200.0, 20.0, 5.0, 0.1  # masses, and the inertia of a wheel about its axis
EDGE, REACH, BUS_X, PANEL_X = np.array([0.5, 0.5]), 1.0, 40.0, 7.0  # y and z of the hinge; inertias about x
CLOSED, OPEN, DURATION = np.pi / 2, 0.0, 10.0

# 1. Describe: a body in flight, with quaternions, and three wheels in its centre; the hinge of the panel is along x.
satellite = mb.System("satellite", gravity=(0, 0, 0))
bus = satellite.body("bus", BUS, inertia=(BUS_X, 50, 60))
panel = satellite.body("panel", PANEL, (0, REACH, 0), (PANEL_X, 0.6, 7.5))
satellite.joint("flight", satellite.world, bus, mb.Free())
for axis in "xyz":
    wheel = satellite.body("wheel_" + axis, WHEEL, inertia=[SPIN if axis == other else SPIN / 2 for other in "xyz"])
    spin = satellite.joint("spin_" + axis, bus, wheel, "R" + axis)
    satellite.load(mb.JointLoad(spin, satellite.input("torque_" + axis)))
satellite.joint("hinge", bus.frame("edge", (0, *EDGE)), panel, "Rx", prescribed=satellite.input("angle"))
satellite.sensor("L", mb.AngularMomentum(about="com"))
satellite.sensor("P", mb.LinearMomentum())
eom = mb.derive(satellite)

# 2. Unfold within 10 s, from rest to rest.
s = satellite.time / DURATION
unfolding = CLOSED + (OPEN - CLOSED) * s**3 * (10 - 15 * s + 6 * s**2)
unfold = mb.simulate(eom, DURATION, inputs={"angle": unfolding})
turned = 2 * np.arctan2(unfold["flight_qx"][-1], unfold["flight_qw"][-1])

# 3. By hand. The reduced mass m sits at d = edge + panel's arm, seen from the centre of the bus. Momentum about x:
#    0 = (J_bus + J_panel + m·d²)·turn' + (J_panel + m·d·arm)·hinge'
#    The wheel about x runs free and does not turn along.
hub = BUS + 3 * WHEEL
m, J_bus = hub * PANEL / (hub + PANEL), BUS_X + 2 * SPIN / 2


def arm(angle: float) -> np.ndarray:
    """From the hinge to the centre of the panel."""
    return REACH * np.array([np.cos(angle), np.sin(angle)])


def turn_per_hinge(angle: float) -> float:
    """The turn of the bus for a turn of the hinge."""
    d = EDGE + arm(angle)
    return -float((PANEL_X + m * d @ arm(angle)) / (J_bus + PANEL_X + m * d @ d))


by_hand = quad(turn_per_hinge, CLOSED, OPEN)[0]
print(f"unfolding turns the satellite by {turned:.8f} rad, by hand {by_hand:.8f} rad, drift {unfold.energy_drift:.0e}")
assert abs(turned - by_hand) < 1e-7

# 4. Back home, speeding a wheel up for 5 s and braking it for 5 s: J·turn'' = -torque, so that turn = -torque·5²/J.
J = J_bus + PANEL_X + m * np.sum((EDGE + arm(OPEN)) ** 2)
torque = by_hand * J / 5**2
run = unfold
for pull in torque, -torque:
    run = run + mb.simulate(eom, 5.0, start=run, inputs={"torque_x": pull, "angle": OPEN})
print(f"after the slew it is turned by {2 * np.arcsin(run['flight_qx'][-1]):.0e} rad, drift {run.energy_drift:.0e}")
assert abs(run["flight_qx"][-1]) < 1e-7

# 5. Tumbling.
speeds = {"flight_wx": 0.02, "flight_wy": -0.01, "spin_z_dot": 300.0}
tumble = mb.simulate(eom, DURATION, u=speeds, inputs={"angle": unfolding, "torque_y": 0.05})
L = tumble["L"]
change = abs(L - L[0]).max() / np.linalg.norm(L[0])
print(f"tumbling: angular momentum {L[0].round(3)} kg·m²/s changes by {change:.0e} of it")
assert change < 1e-7
assert abs(tumble["P"] - tumble["P"][0]).max() < 1e-6
assert max(unfold.energy_drift, run.energy_drift, tumble.energy_drift) < 1e-6

# 6. Draw: the way out by the panel, and home by the wheel.
figure, axes = plt.subplots(2, figsize=(6, 3.6), sharex=True, layout="constrained")
axes[0].plot(run.t, np.degrees(2 * np.arctan2(run["flight_qx"], run["flight_qw"])))
axes[0].set(ylabel="satellite [°]")
axes[1].plot(run.t, run["spin_x_dot"])
axes[1].set(xlabel="t [s]", ylabel="wheel [rad/s]", xlim=(0, run.t[-1]))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "satellite.png")
