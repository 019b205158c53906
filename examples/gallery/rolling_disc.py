"""Rolling disc: it circles steadily, and it falls almost flat and gets up again.

With the inclination α to the plane and its centre on a circle of radius b, the disc (radius a) turns at
Ω² = g·cot α/(a·cos α/4 + 3·b/2). If it is let go with hardly any spin, it falls, and just before it lies flat its point
of contact races around the rim and it rises again (M. Srinivasan, A. Ruina: Phys. Rev. E 78 (2008) 066609). By then the
contact has turned by π·√((A + m·a²)/A) = √5·π in the limit, with the disc's moment of inertia A = m·a²/4 about a
diameter: the small inclination moves like the distance of a free particle from a centre that it passes.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

MASS, RADIUS, G = 2.0, 0.3, 9.81

# 1. Take it from the library: yaw, lean and spin after three translations; the axis is y. Lean is 90° - α.
eom = mb.derive(library.rolling_disc(mass=MASS, radius=RADIUS, g=G))
YAW, LEAN, SPIN = (f"disc_place_{turn}" for turn in ("rz", "rx", "ry"))


def rolled(alpha: float, yaw_rate: float, axial: float, duration: float) -> mb.Trajectory:
    """A run from the inclination alpha, with a yaw rate and the component of the angular velocity along the axis."""
    speeds = {f"{YAW}_dot": yaw_rate, f"{LEAN}_dot": 0.0, f"{SPIN}_dot": axial - yaw_rate * np.cos(alpha)}
    return mb.simulate(eom, duration, q={YAW: 0.0, LEAN: np.pi / 2 - alpha}, u=speeds, samples=2001)


# 2. Steady circling.
alpha, b = 1.1, 0.8
yaw_rate = np.sqrt(G / np.tan(alpha) / (RADIUS * np.cos(alpha) / 4 + 1.5 * b))
circling = rolled(alpha, yaw_rate, -yaw_rate * b / RADIUS, 10.0)
x, y = circling["disc_place_tx"], circling["disc_place_ty"]
off_circle = abs(np.hypot(x - x[0], y - y[0] + b) - b).max()
print(f"{circling[YAW][-1] / (2 * np.pi):.2f} turns of the circle, off it by {off_circle:.0e} m")
assert off_circle < 1e-6
assert abs(circling[YAW][-1] - 10 * yaw_rate) < 1e-6

# 3. Falling: the yaw from one rest to the next, and how near to flat it came.
for push in (0.1, 0.01, 0.001):
    falling = rolled(0.6, push, 0.0, 0.6)
    inclination = np.pi / 2 - falling[LEAN]
    top = 1000 + inclination[1000:].argmax()
    turn = falling[YAW][top] / np.pi
    print(f"nearly flat, {np.degrees(inclination.min()):.2f}°: up again after {turn:.4f}·π, √5 = {np.sqrt(5):.4f}")
    assert falling.energy_drift < 1e-5
    assert inclination[top] > 0.6 - 1e-4
assert abs(turn - np.sqrt(5)) < 1e-3
assert circling.energy_drift < 1e-7

# 4. Draw.
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(circling, t=np.linspace(0, 2.4, 7), size=(400, 320)))
left.axis("off")
right.plot(falling.t, np.degrees(inclination))
right.set(xlabel="t [s]", ylabel="inclination [°]", title="it falls, and gets up again")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "rolling_disc.png")
