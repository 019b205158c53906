"""Pair of wheels on an axle: they roll without slip, and the path is known in closed form.

Each wheel has its own spin and its own motor. Both wheels forbid the axle to slide sideways, which is one equation too
many: it is found and left out. Equal and opposite torques leave the speed v as it is and let the yaw rate grow in
proportion to time; the path is then a clothoid, and the coordinates of the axle are Fresnel's integrals.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import fresnel

import multibody as mb

RADIUS, TRACK, SPEED, TORQUE = 0.3, 1.2, 1.5, 0.5
AXLE_MASS, AXLE_YAW_INERTIA, WHEEL_MASS = 20.0, 2.0, 5.0
SPIN_INERTIA, TURN_INERTIA = WHEEL_MASS * RADIUS**2 / 2, WHEEL_MASS * RADIUS**2 / 4

# 1. Describe: the axle moves in the plane at the height of the wheels' centres; x is forward, y to the left.
pair = mb.System("wheel_pair")
axle = pair.body("axle", AXLE_MASS, inertia=mb.diag(AXLE_YAW_INERTIA, 0.1, AXLE_YAW_INERTIA))
pair.joint("place", pair.frame("level", (0, 0, RADIUS)), axle, ["Tx", "Ty", "Rz"])
for side, y in ("left", TRACK / 2), ("right", -TRACK / 2):
    wheel = pair.body(side + "_wheel", WHEEL_MASS, inertia=mb.diag(TURN_INERTIA, SPIN_INERTIA, TURN_INERTIA))
    spin = pair.joint(side, axle.frame(side + "_bearing", (0, y, 0)), wheel, "Ry")
    pair.load(mb.JointLoad(spin, pair.input(side + "_torque")))
    pair.constraint(mb.RollingDisc(pair.world, wheel, RADIUS), name=side + "_grip")

# 2. Move it. A speed that is given by name is kept, the wheels' speeds follow from it.
eom = mb.derive(pair)
motors = {"left_torque": -TORQUE, "right_torque": TORQUE}
run = mb.simulate(eom, duration=6.0, u={"place_tx_dot": SPEED}, inputs=motors)

# 3. Compare: kinematics by the spins of the wheels, the clothoid, and the force that turns the path.
yaw_rate = RADIUS * (run["right_dot"] - run["left_dot"]) / TRACK
forward = RADIUS * (run["right_dot"] + run["left_dot"]) / 2
yaw_inertia = AXLE_YAW_INERTIA + 2 * (
    TURN_INERTIA + WHEEL_MASS * (TRACK / 2) ** 2 + SPIN_INERTIA * (TRACK / 2 / RADIUS) ** 2
)
yaw_acceleration = TORQUE / RADIUS * TRACK / yaw_inertia
sine, cosine = fresnel(run.t * np.sqrt(yaw_acceleration / np.pi))
clothoid = SPEED * np.sqrt(np.pi / yaw_acceleration) * np.column_stack([cosine, sine])
off_path = np.hypot(*(run.q[:, :2] - clothoid).T).max()
sideways = run["lambda_left_grip_sideways"] + run["lambda_right_grip_sideways"]
centripetal = (AXLE_MASS + 2 * WHEEL_MASS) * SPEED * yaw_acceleration * run.t

print(pair.analyse(), end="\n\n")
print(f"off the clothoid by {off_path:.0e} m after {SPEED * run.t[-1]:.0f} m, energy drift {run.energy_drift:.0e}")
print(f"sideways force at the end {sideways[-1]:.3f} N, mass times v times yaw rate {centripetal[-1]:.3f} N")
assert np.allclose(run["place_rz_dot"], yaw_rate, atol=1e-12)
assert np.allclose(forward, SPEED, rtol=1e-6)
assert off_path < 1e-6
assert np.allclose(sideways, centripetal, atol=1e-6)
assert run.energy_drift < 1e-6

# 4. Draw.
figure, axis = plt.subplots(figsize=(5, 3.4), layout="constrained")
axis.plot(run["place_tx"], run["place_ty"], label="axle")
axis.plot(*clothoid.T, "k:", label="clothoid")
axis.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axis.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "wheel_pair.png")
