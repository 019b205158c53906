"""Hexapod with controllers: six forces hold a platform, lift it and tilt it; lengths are as by inverse kinematics.

Each leg is a barrel on a universal joint, a piston, and a ball joint at the platform. The loops are solved in closed
form: six coordinates of the platform are left, no constraint. At rest the force of a leg follows from virtual work.
Then six controllers, each of which knows only its own leg, bring the legs to the lengths of another pose.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import multibody as mb
from multibody.graph import cos, sin, sqrt, tanh

MASS, BARREL, PISTON, REACH, HEIGHT, G = 500.0, 20.0, 10.0, 0.4, 1.5, 9.81


def ring(radius: float, half_angle: float) -> np.ndarray:
    """Three pairs of points on a circle."""
    angles = np.radians([middle + side * half_angle for middle in (0, 120, 240) for side in (-1, 1)])
    return radius * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])


FEET, CORNERS = ring(1.4, 15), ring(0.9, 45)

# 1. Describe.
stand = mb.System("hexapod", gravity=(0, 0, -G))
table = stand.body("table", MASS, (0, 0, 0.1), (60, 60, 100))
stand.joint("pose", stand.world, table, mb.Free("xyz"), q=(0, 0, HEIGHT, 0, 0, 0))
legs = []
for k in range(6):
    barrel = stand.body(f"barrel{k}", BARREL, (0, 0, REACH), (1, 1, 0.05))
    piston = stand.body(f"piston{k}", PISTON, (0, 0, -REACH), (0.5, 0.5, 0.02))
    stand.joint(f"foot{k}", stand.frame(f"base{k}", FEET[k]), barrel, ["Rx", "Ry"])
    legs.append(stand.joint(f"leg{k}", barrel, piston, "Tz"))
    stand.loop(mb.Hexapod(table.frame(f"corner{k}", CORNERS[k]), piston))
    stand.load(mb.JointLoad(legs[k], stand.input(f"F{k}")))
eom = mb.derive(stand)

# 2. Stand still: 6·F·dl/dz = dV/dz, with the weights of the legs at 0.4 m from their ends.
offset = np.linalg.norm(CORNERS[0] - FEET[0])
length = np.hypot(HEIGHT, offset)
lifted = MASS + 6 * PISTON + 6 * (BARREL - PISTON) * REACH * offset**2 / length**3
holding = G * lifted * length / HEIGHT / 6
still = mb.simulate(eom, duration=0.5, inputs={f"F{k}": holding for k in range(6)})

# 3. Move 0.2 m to the side and 0.1 m up, and roll by 0.15 rad: the command is a length for each leg.
ramp = (1 + tanh(6 * (stand.time - 1))) / 2
place, roll = np.array([0.2 * ramp, 0, HEIGHT + 0.1 * ramp]), 0.15 * ramp
control = {}
for k, leg in enumerate(legs):
    x, y, _ = CORNERS[k]
    way = place + np.array([x, y * cos(roll), y * sin(roll)]) - FEET[k]
    control[f"F{k}"] = holding + 4e6 * (sqrt(way @ way) - leg.coordinate) - 5e4 * leg.speed
run = mb.simulate(eom, duration=3.0, inputs=control)

# 4. Compare the legs with inverse kinematics of the pose that the platform really has, at all times.
turned = Rotation.from_euler("XYZ", run.q[:, 3:]).as_matrix() @ CORNERS.T
reach = np.linalg.norm(run.q[:, :3, None] + turned - FEET.T, axis=1)
error = abs(reach - np.column_stack([run[f"leg{k}"] for k in range(6)])).max()
sinks = abs(still["pose_z"] - HEIGHT).max()
print(f"force of a leg at rest {holding:.3f} N; with it the platform moves by {sinks:.0e} m")
print(f"pose at the end {run.q[-1].round(4)}, lengths differ by {error:.0e} m, energy drift {run.energy_drift:.0e}")
assert abs(still.q - still.q[0]).max() < 1e-9
assert error < 1e-12
assert np.allclose(run.q[-1], (0.2, 0, HEIGHT + 0.1, 0.15, 0, 0), atol=5e-4)  # the controllers give way a little
assert run.energy_drift < 1e-6

# 5. Draw.
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(run, t=[0.0, 3.0], size=(400, 320)))
left.axis("off")
for k in range(6):
    right.plot(run.t, run[f"leg{k}"], label=f"leg {k}")
right.set(xlabel="t [s]", ylabel="length [m]", xlim=(0, 3))
right.legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "hexapod.png")
