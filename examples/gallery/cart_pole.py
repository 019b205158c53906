"""Pole on a cart: it falls over, unless a regulator that was designed on the linear model moves the cart.

Source: Barto, Sutton and Anderson, IEEE Trans. SMC 13 (1983) 834; the pole of the upright position satisfies
λ² = g·(M + m)/(l·(4·(M + m)/3 - m)).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

M, m, l, g = 1.0, 0.1, 0.5, 9.8
eom = mb.derive(library.cart_pole(angle=0.5))
upright = mb.linearize(eom, {"theta": 0.0})
unstable = upright.poles.real.max()
expected = np.sqrt(g * (M + m) / (l * (4 * (M + m) / 3 - m)))
print(f"unstable pole {unstable:.9f} 1/s, by the formula {expected:.9f} 1/s")
assert abs(unstable / expected - 1) < 1e-12

regulator = mb.lqr(upright, {"x": 10.0, "theta": 10.0}, {"F": 0.1})
assert max(regulator.poles.real) < 0
run = mb.simulate(eom, duration=5.0, inputs=regulator.inputs)
assert abs(run.q[-1]).max() < 1e-3  # upright, and back where it began
assert run.energy_drift < 1e-6

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.imshow(mb.picture(run, t=[0.0, 0.12, 0.3, 0.8], size=(400, 300), camera=((0.4, -3.0, 0.8), (0.4, 0, 0.4))))
left.axis("off")
right.plot(run.t, run["x"], label="cart [m]")
right.plot(run.t, run["theta"], label="pole [rad]")
right.set(xlabel="t [s]", xlim=(0, 5))
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "cart_pole.png")
