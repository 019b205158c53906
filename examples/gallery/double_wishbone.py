"""Double wishbone: a quarter car settles at its static equilibrium, and its camber follows the swing arm.

Two wishbones, an upright between ball joints, a tie rod, spring and damper, a tyre on a road. With the tie rod beside
the lower wishbone the wheel does not steer while it moves up and down; with the rack a little too high it does. The
slope of the camber curve is 1/(length of the swing arm), which ends where the lines of both wishbones meet.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody.graph import Table, asin, sqrt

# Points of the front view (y to the left, z up) at the height of design.
LOWER_HINGE, LOWER_BALL = np.array([0.35, 0.27]), np.array([0.75, 0.22])
UPPER_HINGE, UPPER_BALL = np.array([0.42, 0.50]), np.array([0.70, 0.54])
HUB, MASSES, TYRE = np.array([0.78, 0.32]), {"car": 400.0, "lower": 5.0, "upper": 3.0, "upright": 30.0}, 200e3


def point(place: np.ndarray, origin: np.ndarray | float = 0.0, x: float = 0.0) -> tuple[float, ...]:
    """A point of the front view, seen from another one."""
    return (x, *(place - origin))


# 1. Describe.
corner = mb.System("double_wishbone", gravity=(0, 0, -9.81))
stiffness, damping, rack = corner.parameters(stiffness=60e3, damping=4e3, rack=0.0)
road = corner.input("road")
car = corner.body("car", MASSES["car"])
lower = corner.body("lower", MASSES["lower"], point((LOWER_BALL - LOWER_HINGE) / 2), (0.07, 0.03, 0.1))
upper = corner.body("upper", MASSES["upper"], point((UPPER_BALL - UPPER_HINGE) / 2), (0.03, 0.02, 0.05))
upright = corner.body("upright", MASSES["upright"], (0, -0.03, 0), (0.6, 0.8, 0.6))
corner.joint("heave", corner.world, car, "Tz")
for name, bone, hinge, ball in ("lower", lower, LOWER_HINGE, LOWER_BALL), ("upper", upper, UPPER_HINGE, UPPER_BALL):
    corner.joint(name + "_angle", car.frame(name + "_hinge", point(hinge)), bone, "Rx")
    ends = bone.frame(name + "_ball", point(ball, hinge)), upright.frame(name + "_eye", point(ball, HUB))
    corner.joint(name + "_joint", *ends, mb.Spherical())
steering_arm, inner_end = upright.frame("steering_arm", point(LOWER_BALL, HUB, -0.12)), (-0.12, 0.35, 0.27 + rack)
tie_rod = sqrt(0.40**2 + (0.05 + rack) ** 2)
corner.constraint(mb.DistanceConstraint(car.frame("rack_end", inner_end), steering_arm, tie_rod), name="tie_rod")
strut = car.frame("tower", (0, 0.48, 0.65)), lower.frame("seat", (0, 0.25, -0.03))
corner.load(mb.SpringDamper(*strut, stiffness, damping, 0.56))
corner.sensor("hub", mb.Position(upright))
corner.sensor("travel", mb.Position(upright, relative_to=car))
corner.sensor("R", mb.Orientation(upright))
corner.expression("camber", asin(corner.measured("R")[2, 1]))  # positive: the top leans towards the car
corner.expression("toe", asin(-corner.measured("R")[0, 1]))
compression = HUB[1] + road - corner.measured("hub")[2]
corner.load(mb.Force(upright, (0, 0, TYRE * compression), expressed_in=corner.world))

# 2. Let it settle, then drive over a step of 6 cm, with the rack where it belongs and 2 cm too high.
eom = mb.derive(corner)
rest = mb.simulate(eom, duration=12.0)
step = Table("step", [0, 0.1, 0.2, 0.3, 2], [0, 0.03, 0.06, 0.06, 0.06], "cubic")
run, high_rack = (mb.simulate(eom, duration=2.0, inputs={"road": step}, parameters={"rack": h}) for h in (0.0, 0.02))

# 3. Compare: the tyre carries the weight, the swing arm tells the camber.
weight, tyre_load = 9.81 * sum(MASSES.values()), TYRE * (HUB[1] - rest["hub"][-1, 2])
curve = np.polynomial.Polynomial.fit(run["travel"][:, 2] - HUB[1], run["camber"], 6)
along = np.column_stack([LOWER_BALL - LOWER_HINGE, UPPER_HINGE - UPPER_BALL])
centre = LOWER_HINGE + np.linalg.solve(along, UPPER_HINGE - LOWER_HINGE)[0] * (LOWER_BALL - LOWER_HINGE)
swing_arm = HUB[0] - centre[0]
print(f"tyre load {tyre_load:.3f} N, weight {weight:.3f} N")
slope, steer, steer_high = curve.deriv()(0.0), abs(run["toe"]).max(), abs(high_rack["toe"]).max()
print(f"camber per travel {np.degrees(slope):.4f} °/m, by the swing arm {np.degrees(1 / swing_arm):.4f} °/m")
print(f"steer by travel {np.degrees(steer):.0e}°, with the rack too high {np.degrees(steer_high):.2f}°")
print(f"energy drift {run.energy_drift:.0e}")
assert abs(tyre_load / weight - 1) < 1e-6
assert abs(slope * swing_arm - 1) < 1e-5
assert steer < 1e-10
assert steer_high > 0.02
assert max(rest.energy_drift, run.energy_drift, high_rack.energy_drift) < 1e-6

# 4. Draw: the camber curve, and both steering curves.
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), sharey=True, layout="constrained")
travel, ends = 1e3 * (run["travel"][:, 2] - HUB[1]), np.array([-40.0, 15.0])
axes[0].plot(np.degrees(run["camber"]), travel, label="camber")
axes[0].plot(np.degrees(curve(0.0) + 1e-3 * ends / swing_arm), ends, "k:", label="by the swing arm")
axes[1].plot(np.degrees(run["toe"]), travel, label="rack where it belongs")
axes[1].plot(np.degrees(high_rack["toe"]), 1e3 * (high_rack["travel"][:, 2] - HUB[1]), label="2 cm too high")
axes[0].set(xlabel="camber [°]", ylabel="travel of the wheel [mm]")
axes[1].set(xlabel="toe [°]")
for axis in axes:
    axis.legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "double_wishbone.png")
