"""Spatial four-bar mechanism: crank, coupler and slider in space, started with 300 degrees per second.

Source: Modelica Standard Library, MultiBody.Examples.Loops.Fourbar1, and section 4.3 of Zaiczek and Enge-Rosenblatt,
Motor Calculus Using Modelica. After 5 s Dymola (DASSL at 1e-6) has the crank at 40.3282 rad, SciPy at 1e-11 has it at
40.3291654622 rad.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

accurate = mb.DormandPrince8(rtol=1e-12, atol=1e-12)
equations = [mb.derive(library.spatial_four_bar(), formalism) for formalism in (mb.Recursive(), mb.Lagrange())]
run, other = (mb.simulate(eom, duration=5.0, integrator=accurate) for eom in equations)
crank, slider = run["j1"], run["j2"]
print(f"crank at {crank[-1]:.8f} rad, slider at {slider[-1]:.8f} m after 5 s")
assert abs(crank[-1] - 40.3291654622) < 1e-8
assert abs(crank[-1] / 40.3282362223 - 1) < 3e-5
assert abs(slider - other["j2"]).max() < 1e-9  # figure 13 of the paper
assert run.energy_drift < 1e-10

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.3, 4), size=(400, 300)))
left.axis("off")
right.plot(run.t, slider)
right.set(xlabel="t [s]", ylabel="slider [m]", xlim=(0, 5))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "spatial_four_bar.png")
