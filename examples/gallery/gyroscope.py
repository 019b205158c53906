"""Gyroscope in gimbals: precession and nutation as the textbook has them, and a pass close to gimbal lock.

The outer gimbal turns about the vertical, the inner one about a horizontal axis, the rotor within it about its own. A
weight on the inner gimbal lets the horizontal rotor precess at Ω = m·g·l/H. Without it, a small push makes the rotor
nutate at H/√(I_x·I_z). Where the rotor's axis comes near the vertical, the gimbals have to whirl around at thousands of
rad/s; the rotor itself does not care: it moves like one that has a ball joint instead of gimbals.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

A, C, SPIN, INNER, OUTER = 2.6e-3, 4.8e-3, 300.0, 6e-4, 1.5e-3  # moments of inertia in kg·m², and rad/s
MASS, ARM, G = 0.1, 0.15, 9.81
H = C * SPIN


def rotor_of(system: mb.System) -> mb.Body:
    """The rotor, whose axis is y, with a sensor for its orientation."""
    rotor = system.body("rotor", 1.5, inertia=mb.diag(A, C, A))
    system.sensor("R", mb.Orientation(rotor))
    return rotor


# 1. Precession and nutation, with gimbals that have inertia.
heavy = mb.System("gyroscope", gravity=(0, 0, -G))
mass = heavy.parameter("mass", MASS)
outer, inner = heavy.body("outer", 0.4, inertia=(1e-3, 1e-3, OUTER)), heavy.body("inner", 0.3, inertia=(INNER,) * 3)
heavy.joint("precession", heavy.world, outer, "Rz")
heavy.joint("nutation", outer, inner, "Rx")
heavy.joint("spin", inner, rotor_of(heavy), "Ry", u=SPIN)
heavy.joint("hook", inner.frame("tip", (0, ARM, 0)), heavy.particle("weight", mass), mb.Weld())
eom = mb.derive(heavy)
steady = mb.simulate(eom, duration=2.0, u={"precession_dot": MASS * G * ARM / H})
crossing = mb.Event(heavy["nutation"].coordinate, direction=1, name="crossing")
pushed = mb.simulate(eom, duration=0.2, parameters={"mass": 0.0}, u={"nutation_dot": 0.01}, events=[crossing])
nutation = 2 * np.pi / np.diff([one.t for one in pushed.occurrences]).mean()
expected = H / np.sqrt((A + INNER) * (A + INNER + OUTER))
tilt = abs(steady["nutation"]).max()
print(f"precession at {steady['precession_dot'][-1]:.9f} rad/s by m·g·l/H, and the rotor tilts by {tilt:.0e} rad")
print(f"nutation at {nutation:.4f} rad/s, H/√(I_x·I_z) = {expected:.4f} rad/s")
assert tilt < 1e-9
assert abs(nutation / expected - 1) < 1e-6

# 2. Towards gimbal lock: gimbals without mass against a ball joint with a quaternion.
light, ball = mb.System("gimbals", gravity=(0, 0, 0)), mb.System("ball", gravity=(0, 0, 0))
ring, fork = light.body("ring"), light.body("fork")
light.joint("precession", light.world, ring, "Rz")
light.joint("nutation", ring, fork, "Rx")
light.joint("spin", fork, rotor_of(light), "Ry")
ball.joint("turn", ball.world, rotor_of(ball), mb.Spherical())
x, y, z = 3.0, 20.0, 0.999 * C * 20.0 / A  # with the factor 1 the axis would become vertical
through = mb.simulate(mb.derive(light), duration=2.0, u=(z, x, y))
smooth = mb.simulate(mb.derive(ball), duration=2.0, u=(x, y, z))
difference = abs(through["R"] - smooth["R"]).max()
lock, whirl = 90 - np.degrees(abs(through["nutation"]).max()), abs(through["precession_dot"]).max()
print(f"{lock:.2f}° from gimbal lock, gimbals at {whirl:.0f} rad/s; ball joint and gimbals differ by {difference:.0e}")
assert lock < 0.1
assert difference < 1e-5
assert max(run.energy_drift for run in (steady, pushed, through, smooth)) < 1e-6

# 3. Draw.
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
axes[0].plot(1e3 * pushed["precession"], 1e3 * pushed["nutation"], linewidth=1)
axes[0].set(xlabel="outer gimbal [mrad]", ylabel="inner gimbal [mrad]", title="nutation")
axes[1].semilogy(through.t, abs(through["precession_dot"]), label="outer gimbal")
axes[1].semilogy(smooth.t, np.linalg.norm(smooth.u, axis=1), label="rotor in a ball joint")
axes[1].set(xlabel="t [s]", ylabel="speed [rad/s]", title="towards gimbal lock", xlim=(0, 2))
axes[1].legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "gyroscope.png")
