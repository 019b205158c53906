"""Crane crab: the first example of the PyMbs manual; the crab moves forth and back while its load swings.

Source: PyMbs user manual, section 2.3.2; its script itself runs, too, as examples/crane_crab_pymbs.py. Nothing pushes
along the rail, so x - m2·l2·sin(φ)/(m1 + m2) is constant.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

eom = mb.derive(library.crane_crab())
run = mb.simulate(eom, duration=5.0, integrator=mb.DormandPrince8(rtol=1e-12, atol=1e-12))
x, phi = run["TransCrab"], run["RotPendulum"]

frequency = mb.linearize(eom, {"RotPendulum": 0.0}).poles.imag.max()
expected = np.sqrt(2 * 9.81 / (2 * (1 + 1 / 12) - 1))  # (m1 + m2)·m2·g·l2/((m1 + m2)·(m2·l2² + I2) - (m2·l2)²)
print(f"small swings at {frequency:.9f} rad/s, by hand {expected:.9f} rad/s")
print(f"the crab goes from {x.min():.6f} to {x.max():.6f} m, by momentum to {1 + np.sin(1):.6f} m")
assert abs(frequency / expected - 1) < 1e-12
assert np.ptp(x - np.sin(phi) / 2) < 1e-10
assert abs(x.max() - (1 + np.sin(1))) < 1e-3  # as far as the samples show it

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.9, 5), size=(400, 300)))
left.axis("off")
right.plot(run.t, x, label="crab [m]")
right.plot(run.t, phi, label="load [rad]")
right.set(xlabel="t [s]", xlim=(0, 5))
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "crane_crab.png")
