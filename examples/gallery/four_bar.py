"""Four-bar linkage: a parallelogram that stands upright, carries its weight, and falls.

Source: SymPy's tutorial on the four-bar linkage, where the joint that closes the loop carries (0, -98.1) N; upright it
falls with the pole λ² = (m + m_c)·g/((2·m/3 + m_c)·l).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

linkage = library.four_bar()
eom = mb.derive(linkage)
state = eom.consistent({"q1": np.pi / 2}, {"q1_dot": 0.0}, ["q1", "q1_dot"])
reaction = eom.sensors(0.0, state.q, state.u, [0.0], list(eom.model.parameter_values().values()))
unstable = mb.linearize(eom, {"q1": np.pi / 2}).poles.real.max()
expected = np.sqrt((5 + 10) * 9.81 / (2 * 5 / 3 + 10))
print(f"the closing joint carries {reaction[1]:.9f} N; unstable pole {unstable:.9f}, by hand {expected:.9f} 1/s")
assert np.allclose(reaction, (0, -98.1, 0), atol=1e-10)
assert abs(unstable / expected - 1) < 1e-12

run = mb.simulate(eom, duration=1.8, u={"q1_dot": 0.5})
assert run.statistics.constraint_residual < 1e-9
assert run.energy_drift < 1e-6

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.9, 5), size=(380, 280)))
left.axis("off")
right.plot(run.t, run["reaction"][:, :2], label=["horizontal", "vertical"])
right.set(xlabel="t [s]", ylabel="force at the closing joint [N]")
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "four_bar.png")
