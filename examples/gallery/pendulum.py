"""Simple pendulum: let go from the horizontal, it swings with the period that Gauss found.

Source: La Coruña library of multibody benchmarks, A01, whose table ends with six digits at t = 2000 s; the period is
T = 2·π·√(l/g)/agm(1, cos(θ/2)) for the largest angle θ.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import agm

import multibody as mb
from multibody import library

eom = mb.derive(library.pendulum())
below = mb.Event(eom.coordinates[0], direction=1, name="below")
accurate = mb.DormandPrince8(rtol=1e-13, atol=1e-14)
run = mb.simulate(eom, duration=10.0, events=[below], integrator=accurate)

period = np.diff([one.t for one in run.occurrences]).mean()
exact = 2 * np.pi * np.sqrt(1.0 / 9.81) / agm(1, np.cos(np.pi / 4))
x, y, _ = run["place"][-1]
print(f"period {period:.9f} s, by Gauss {exact:.9f} s; at t = 10 s ({x:.6f}, {y:.6f}) m")
assert abs(period / exact - 1) < 1e-11
assert np.allclose([x, y], [-0.275087, -0.961419], rtol=0, atol=6e-7)

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), width_ratios=[1, 2], layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, period / 2, 7), size=(330, 300)))
left.axis("off")
right.plot(run.t, np.degrees(run["angle"]))
right.set(xlabel="t [s]", ylabel="angle [°]", xlim=(0, 10))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "pendulum.png")
