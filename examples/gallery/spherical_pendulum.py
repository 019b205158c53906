"""Spherical pendulum, three ways: a free body that is held on a sphere, in three sets of variables, moves alike.

Source: MoSs, figures 1 to 3 of its documentation: Cartesian velocities; a quasi-velocity k = v·v besides; spherical
coordinates. The conical pendulum goes round with Ω² = g/(a·cos θ).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody.subsystems import couple, newton_euler

SPIN = ["w_B_x", "w_B_y", "w_B_z"]
angles = ["p_B_x = a*sin(theta)*cos(phi)", "p_B_y = a*sin(theta)*sin(phi)", "p_B_z = -a*cos(theta)"]
sphere = {"sphere": "p_B_x**2 + p_B_y**2 + p_B_z**2 = a**2"}
energy = {"k": "k_B = v_B_x**2 + v_B_y**2 + v_B_z**2"}
body = newton_euler("B", "position", gravity="-z")
ways = [
    couple("S", [body], sphere, independent=["v_B_x", "v_B_y", *SPIN], parameters="a"),
    couple("S", [body], sphere | energy, variables={1: ["k_B"]}, independent=["v_B_y", "v_B_z", *SPIN], parameters="a"),
    couple(
        "S", [body], angles, variables=["phi", "theta"], independent=["phi_dot", "theta_dot", *SPIN], parameters="a"
    ),
]

values = {"m_B": 2.0, "I_B_x": 1.0, "I_B_y": 1.0, "I_B_z": 1.0, "g": 9.81, "a": 1.0}
accurate = mb.DormandPrince8(rtol=1e-11, atol=1e-11)
place, given = {"p_B_x": 0.6, "p_B_y": 0.0, "p_B_z": -0.8}, {"parameters": values, "integrator": accurate}
turned = place | {"phi": 0.0, "theta": np.arcsin(0.6)}
starts = [(place, {"v_B_y": 1.0}), (place, {"v_B_y": 1.0, "k_B": 1.0}), (turned, {"phi_dot": 1 / 0.6})]
runs = [mb.simulate(way.equations(), 2.0, q=q, u=u, **given) for way, (q, u) in zip(ways, starts, strict=True)]
apart = max(abs(run[name] - runs[0][name]).max() for run in runs for name in ("p_B_x", "p_B_y", "p_B_z"))

steady = np.sqrt(9.81 / 0.8)
cone = mb.simulate(ways[2].equations(), 2.0, q=turned, u={"phi_dot": steady}, **given)
print(f"conical pendulum: {cone['phi'][-1]:.9f} rad in 2 s, by Ω² = g/(a·cos θ) {2 * steady:.9f} rad")
assert apart < 1e-7
assert abs(cone["phi"][-1] / (2 * steady) - 1) < 1e-9

figure, axis = plt.subplots(figsize=(4, 3.4), layout="constrained")
for run, style, label in zip(runs, ("-", "--", ":"), ("figure 1", "figure 2", "figure 3"), strict=True):
    axis.plot(run["p_B_x"], run["p_B_y"], style, linewidth=2, label=label)
axis.plot(cone["p_B_x"], cone["p_B_y"], color="grey", linewidth=1, label="cone")
axis.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axis.legend(fontsize="small", loc="center")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "spherical_pendulum.png")
