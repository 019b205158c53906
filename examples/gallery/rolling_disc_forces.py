"""Contact forces of a rolling disc: by auxiliary speeds as Kane has them, by multipliers, and proved to be the same.

Source: SymPy's documentation, "A rolling disc, with Kane's method and constraint forces"; Kane and Levinson (1985). The
forward force is m·r·(u1·u3 + u2'), with the angular velocity (u1, u2, u3) in the axes of the lean. SymPy's third
version, by Lagrange, puts the constraint into the Lagrangian and is not this disc.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

system = mb.System("disc", gravity=(0, 0, -9.81))
r, m = system.parameters(r=0.3, m=2.0)
contact, yaw, lean = (system.body(name) for name in ("contact", "yaw", "lean"))
wheel = system.body("wheel", m, inertia=mb.diag(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4))
place = system.joint("p", system.world, contact, ["Tx", "Ty", "Tz"])
system.joint("q1", contact, yaw, "Rz")
system.joint("q2", yaw, lean, "Rx", q=0.3)
system.joint("q3", lean.frame("centre", (0, 0, r)), wheel, "Ry")
for name, sensor in {
    "w": mb.AngularVelocity(wheel, expressed_in=lean), "w_yaw": mb.AngularVelocity(wheel, expressed_in=yaw),
    "v": mb.Velocity(wheel, expressed_in=yaw), "arm": mb.Position(wheel, relative_to=contact, expressed_in=yaw),
}.items():  # fmt: skip
    system.sensor(name, sensor)
w, w_yaw, v, arm = (system.measured(name) for name in ("w", "w_yaw", "v", "arm"))
slip = v - np.cross(w_yaw, arm)
system.constraint(slip[0], name="forward")
system.constraint(slip[1], name="sideways")
system.constraint(place.coordinates[2], name="ground")

NAMES = "forward", "sideways", "ground"
kane = mb.derive(system, mb.Kane(auxiliary=NAMES))
assert mb.compare(system, [mb.Kane(), mb.Lagrange(), mb.Recursive()]).proved
run = mb.simulate(kane, duration=4.0, u={"q1_dot": 0.5, "q2_dot": 0.0, "q3_dot": 12.0}, samples=1001)
multipliers = np.column_stack([run[f"lambda_{name}"] for name in NAMES])
u = run["w"]
forward = 2.0 * 0.3 * (u[:, 0] * u[:, 2] + np.gradient(u[:, 1], run.t, edge_order=2))
print(f"load on the ground between {multipliers[:, 2].min():.3f} and {multipliers[:, 2].max():.3f} N, weight 19.620 N")
assert abs(multipliers[:, 0] - forward).max() < 1e-3 * abs(multipliers).max()  # u2' is taken from samples
assert run.energy_drift < 1e-6

figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
axis.plot(run.t, multipliers, label=NAMES)
axis.set(xlabel="t [s]", ylabel="force at the contact [N]", xlim=(0, 4))
axis.legend(loc="right")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "rolling_disc_forces.png")
