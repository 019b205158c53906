"""Bricard's linkage: six bars in a ring of six hinges, which has no freedom by counting and moves all the same.

Each bar is 1 m long and turns its two hinges by a right angle against each other, to alternate sides. Six hinges in a
spatial loop leave 6 - 6 = 0 degrees of freedom; symmetry makes one of the closing equations redundant. Released from
the shape of six edges of a cube, it falls, passes the flat triangle and comes back. Every other angle is the same, and
both satisfy cos θ + cos φ + cos θ·cos φ = 0 (Y. Chen, Z. You, T. Tarnai: Int. J. Solids Struct. 42 (2005)).
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

# 1. Describe: one bar lies in the world, five move.
ring = mb.System("bricard", gravity=(0, -9.81, 0))
end = ring.frame("end_0", (1, 0, 0), mb.Rotation.about_x(mb.pi / 2))
for number in range(1, 6):
    bar = ring.body(f"bar_{number}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12))
    ring.joint(f"q{number}", end, bar, "Rz", q=np.pi / 2)
    side = 1 if number % 2 == 0 else -1
    end = bar.frame(f"end_{number}", (1, 0, 0), mb.Rotation.about_x(side * mb.pi / 2))
ring.joint("q6", end, ring.world, "Rz", q=np.pi / 2)
found = ring.analyse()
print(found, end="\n\n")

# 2. Move.
run = mb.simulate(mb.derive(ring), duration=10.0)
theta, phi = run["q1"], run["q2"]

# 3. Compare.
closure = abs(np.cos(theta) + np.cos(phi) + np.cos(theta) * np.cos(phi)).max()
asymmetry = max(
    abs(run[name] - run[like]).max() for name, like in (("q3", "q1"), ("q5", "q1"), ("q4", "q2"), ("q6", "q2"))
)
print(f"θ from {theta.min():.4f} to {theta.max():.4f} rad; the closure is kept to {closure:.0e}")
print(f"equal angles differ by {asymmetry:.0e} rad, energy drift {run.energy_drift:.0e}")
assert closure < 1e-12
assert asymmetry < 1e-12
assert np.allclose([theta.min(), theta.max()], [-2 * np.pi / 3, 2 * np.pi / 3], atol=1e-4)
assert run.energy_drift < 1e-5

# 4. Draw.
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.75, 4), size=(400, 320)))
left.axis("off")
right.plot(np.degrees(theta), np.degrees(phi), ".", markersize=3)
right.set(xlabel="θ [°]", ylabel="φ [°]", aspect="equal")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "bricard.png")
