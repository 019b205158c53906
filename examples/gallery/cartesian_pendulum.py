"""Pendulum in Cartesian coordinates: x, y and a constraint; linearized, only one coordinate is left.

Source: SymPy's documentation, "Nonminimal Coordinates Pendulum" and "SymbolicSystem Example Usage". Kane and Lagrange
give the matrix [[0, 1], [-g/L, 0]]; the force in the rod is m·(g·cos θ + L·θ'²).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody.graph import sqrt

L, M, G = 2.0, 1.5, 9.81
system = mb.System("cartesian_pendulum", gravity=(G, 0, 0))  # x points down, as in SymPy's picture
slide, bob = system.body("slide"), system.particle("bob", M)
x = system.joint("q1", system.world, slide, "Tx", q=L * np.cos(1.0)).coordinate
y = system.joint("q2", slide, bob, "Ty", q=L * np.sin(1.0)).coordinate
system.constraint(sqrt(x**2 + y**2) - L, name="rod")

for formalism in (mb.Kane(), mb.Lagrange()):
    eom = mb.derive(system, formalism)
    A = mb.linearize(eom, {"q1": L, "q2": 0.0}, independent=["q2", "q2_dot"]).A
    print(f"{formalism!r}: A = {A.round(9).tolist()}, -g/L = {-G / L:.9f}")
    assert np.allclose(A, [[0, 1], [-G / L, 0]], rtol=1e-12, atol=1e-12)

run = mb.simulate(eom, duration=6.0)
theta = np.arctan2(run["q2"], run["q1"])
rate = (run["q2_dot"] * np.cos(theta) - run["q1_dot"] * np.sin(theta)) / L
tension = M * (G * np.cos(theta) + L * rate**2)
assert abs(np.hypot(run["q1"], run["q2"]) - L).max() < 1e-10
assert abs(-run["lambda_rod"] - tension).max() < 1e-6

figure, axes = plt.subplots(2, figsize=(6, 3.4), sharex=True, layout="constrained")
axes[0].plot(run.t, run["q1"], label="q1")
axes[0].plot(run.t, run["q2"], label="q2")
axes[0].set(ylabel="[m]")
axes[0].legend(loc="right")
axes[1].plot(run.t, tension, label="m·(g·cos θ + L·θ'²)")
axes[1].plot(run.t, -run["lambda_rod"], "k:", label="multiplier")
axes[1].set(xlabel="t [s]", ylabel="force [N]", xlim=(0, 6))
axes[1].legend(loc="right")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "cartesian_pendulum.png")
