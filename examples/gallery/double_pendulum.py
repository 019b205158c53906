"""Double pendulum: two steel bars fall from the horizontal, and their tip draws a curve that never repeats.

Source: Modelica Standard Library, MultiBody.Examples.Elementary.DoublePendulum, with its reference results (Dymola,
DASSL at 1e-6) after three seconds.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

eom = mb.derive(library.double_pendulum())
run = mb.simulate(eom, duration=3.0, integrator=mb.DormandPrince8(rtol=1e-12, atol=1e-12))

upper, lower = run["phi1"][-1], run["phi2"][-1]
print(f"after 3 s: {upper:.5f} and {lower:.5f} rad, by Dymola -2.31793 and -1.73649 rad")
assert abs(upper / -2.3179285616 - 1) < 1e-5
assert abs(lower / -1.7364916692 - 1) < 3e-5
assert run.energy_drift < 1e-10  # what friction took is counted

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), width_ratios=[1.2, 1], layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.6, 6), size=(380, 300)))
left.axis("off")
right.plot(*run["tip"][:, :2].T, linewidth=1)
right.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "double_pendulum.png")
