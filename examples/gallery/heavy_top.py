"""Heavy top: a fast top precesses slowly and nods; beyond a certain spin it sleeps upright.

Source: Géradin and Cardona, Flexible Multibody Dynamics (2001), for the dimensions; Goldstein, Classical Mechanics,
section 5.7, for the spin C²·ω₃² = 4·A·m·g·l below which the top does not stay upright.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

M_G_L, ALONG, ACROSS = 15 * 9.81 * 1.0, 0.46875, 0.234375 + 15 * 1.0**2
eom = mb.derive(library.heavy_top(angles="xyz"))


def upright(spin: float) -> mb.LinearSystem:
    """The top on its tip, turning about the vertical."""
    turning = {"turn_rx": 0.0, "turn_ry": 0.0, "turn_rx_dot": 0.0, "turn_ry_dot": 0.0, "turn_rz_dot": spin}
    return mb.linearize(eom, turning).part("turn_rx", "turn_ry", "turn_rx_dot", "turn_ry_dot")


(sleeping,) = mb.critical_values(upright, 150.0, 250.0)
expected = np.sqrt(4 * ACROSS * M_G_L) / ALONG
print(f"it sleeps from {sleeping.value:.8f} rad/s on, by Goldstein {expected:.8f} rad/s")
assert abs(sleeping.value / expected - 1) < 1e-9

tilted = library.heavy_top(tilt=0.6, precession=0.0, spin=250.0)
run = mb.simulate(mb.derive(tilted), duration=6.0, samples=1201)
assert np.ptp(run["momentum"][:, 2]) < 1e-6 * abs(run["momentum"]).max()  # gravity has no torque about the vertical

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(tilted, size=(400, 320)))
left.axis("off")
right.plot(*run["place"][:, :2].T, linewidth=1)
right.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="the centre of mass from above")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "heavy_top.png")
