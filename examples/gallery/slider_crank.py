"""Slider-crank: the mechanism of piston engines, solved in closed form, drives itself on by its swing.

Source: textbooks on machine dynamics; the place of the slider is x = r·cos θ + √(l² - r²·sin² θ).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

eom = mb.derive(library.slider_crank())
run = mb.simulate(eom, duration=2.0)
theta, x = run["theta"], run["x"]
expected = 0.15 * np.cos(theta) + np.sqrt(0.5**2 - (0.15 * np.sin(theta)) ** 2)
print(f"one coordinate is left: {eom.coordinates}; the slider goes from {x.min():.4f} to {x.max():.4f} m")
assert len(eom.coordinates) == 1
assert abs(x - expected).max() < 1e-14
assert np.allclose([x.min(), x.max()], [0.35, 0.65], atol=1e-3)
assert run.energy_drift < 1e-6

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.2, 4), size=(400, 300)))
left.axis("off")
right.plot(np.degrees(theta) % 360, run["theta_dot"], ".", markersize=3)
right.set(xlabel="crank [°]", ylabel="speed of the crank [rad/s]", xlim=(0, 360), xticks=range(0, 361, 90))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "slider_crank.png")
