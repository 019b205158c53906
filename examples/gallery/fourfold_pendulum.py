"""Fourfold pendulum on two sliders: a closed loop with friction, moved by two formalisms that must not differ.

Source: Zaiczek and Enge-Rosenblatt, Motor Calculus Using Modelica, section 4.2. The paper shows the polygon once a
second (figure 9) and finds its two implementations to deviate by no more than 1.2e-11 (figure 8).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

accurate = mb.DormandPrince8(rtol=1e-13, atol=1e-14)
equations = [mb.derive(library.fourfold_pendulum(), formalism) for formalism in (mb.Recursive(), mb.Lagrange())]
run, other = (mb.simulate(eom, duration=9.0, integrator=accurate) for eom in equations)

deviation = max(abs(run[name] - other[name]).max() for name in ("left", "right"))
reach = run["corner4"][0, :2]
chain = np.radians(np.cumsum([45.0, -15.0, 30.0, -37.5]))  # from the vertical
print(f"the chain ends at ({reach[0]:.9f}, {reach[1]:.9f}) m")
assert np.allclose(reach, [np.sin(chain).sum(), -np.cos(chain).sum()], rtol=1e-12)
assert deviation < 1.2e-11
assert run.energy_drift < 1e-11

figure, axes = plt.subplots(2, 5, figsize=(7, 2.8), sharex=True, sharey=True, layout="constrained")
for t, axis in enumerate(axes.flat):
    state = np.array([run[f"corner{k}"][np.searchsorted(run.t, t - 1e-9), :2] for k in range(5)])
    axis.plot(*state.T, "o-", markersize=3)
    axis.set(title=f"{t} s", aspect="equal", xlim=(-4, 3), ylim=(-4.5, 0.5))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "fourfold_pendulum.png")
