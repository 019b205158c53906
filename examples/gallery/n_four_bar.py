"""Row of four-bar linkages: it passes ten times through a position in which all bars lie flat and could go either way.

Source: La Coruña library of multibody benchmarks, A02. The motion is that of one angle, [(N + 1)/3 + N]·l·θ'' =
-[(N + 1)/2 + N]·g·cos θ; with 22 digits it ends at θ = -30.179800860191.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

eom = mb.derive(library.n_four_bar(2))
run = mb.simulate(eom, duration=10.0, integrator=mb.DormandPrince8(rtol=1e-11, atol=1e-12))
angle = run["pivot0"]
print(f"after 10 s the verticals have turned to {angle[-1]:.6f} rad, by the reduced equation -30.179801 rad")
assert abs(angle[-1] + 30.179800860191) < 1e-7
assert abs(run["pivot1"] - angle).max() < 1e-8  # still parallel
assert run.statistics.constraint_residual < 1e-10
assert abs(run["total_energy"][0] - (3.5 * 9.81 + 1.5)) < 1e-12

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.7, 4), size=(400, 300)))
left.axis("off")
right.plot(run.t, np.sin(angle))
right.plot(run.t, 0 * run.t, "k:", linewidth=1)
right.set(xlabel="t [s]", ylabel="height of B0 [m]", xlim=(0, 10))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "n_four_bar.png")
