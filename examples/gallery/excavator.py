"""Arm of an excavator: three hydraulic cylinders of given length move it, and the question is which forces they need.

Boom, stick and bucket; the bucket is turned through a rocker and a link, a four-bar of its own. All four loops are
written down as joints. The lengths of the cylinders are given over time, so that nothing is left free, and the forces
are what is asked for. Two checks by energy: the work of the forces is the change of energy, and at rest each force is
the derivative of the potential energy with respect to the length of its cylinder (virtual work).
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import simpson

import multibody as mb
from multibody.graph import sin

# 1. Describe: x forward, y up. Each cylinder has a length at rest, a parameter, and a stroke over time.
digger = mb.System("excavator", gravity=(0, -9.81, 0))
t, RESTS = digger.time, {"boom_rest": 2.3, "stick_rest": 2.8, "bucket_rest": 2.0}
STROKES = {"boom": 0.2 * sin(t) ** 3, "stick": 0.2 * sin(2 * t) ** 3, "bucket": 0.1 * sin(t) ** 3}
LENGTHS = dict(zip(STROKES, digger.parameters(**RESTS), strict=True))


def beam(name: str, mass: float, length: float) -> mb.Body:
    """A slender beam from its frame's origin along x."""
    return digger.body(name, mass, (length / 2, 0, 0), mb.diag(0, mass * length**2 / 12, mass * length**2 / 12))


def cylinder(name: str, foot: mb.Frame, eye: mb.Frame, swing: float) -> None:
    """A barrel on a hinge, a rod that slides in it, and an eye that closes the loop."""
    barrel = digger.body(name + "_barrel", 100, (0.5, 0, 0), (1, 10, 10))
    rod = digger.body(name + "_rod", 60, (-0.5, 0, 0), (1, 5, 5))
    digger.joint(name + "_swing", foot, barrel, "Rz", q=swing)
    slide = digger.joint(name + "_length", barrel, rod, "Tx", prescribed=LENGTHS[name] + STROKES[name])
    digger.joint(name + "_eye", rod, eye, "Rz")
    digger.sensor(name + "_force", mb.ConstraintForce(slide))


boom, stick = beam("boom", 1500, 5.7), beam("stick", 800, 2.9)
rocker, link = beam("rocker", 60, 0.6), beam("link", 60, 0.6)
bucket = digger.body("bucket", 1200, (0.6, -0.3, 0), (100, 100, 200))
digger.joint("boom_angle", digger.world, boom, "Rz", q=0.3)
digger.joint("stick_angle", boom.frame("boom_tip", (5.7, 0, 0)), stick, "Rz", q=-1.2)
digger.joint("bucket_angle", stick.frame("stick_tip", (2.9, 0, 0)), bucket, "Rz", q=-0.4)
digger.joint("rocker_angle", stick.frame("rocker_pin", (2.45, 0, 0)), rocker, "Rz", q=1.5)
digger.joint("link_angle", rocker.frame("rocker_tip", (0.6, 0, 0)), link, "Rz", q=-1.2)
digger.joint("link_pin", link.frame("link_tip", (0.6, 0, 0)), bucket.frame("ear", (0, 0.45, 0)), "Rz")
cylinder("boom", digger.frame("boom_foot", (0.6, -0.3, 0)), boom.frame("boom_lug", (2.6, 0.3, 0)), 0.6)
cylinder("stick", boom.frame("stick_foot", (2.9, 0.7, 0)), stick.frame("stick_lug", (-0.7, 0.25, 0)), 0.0)
cylinder("bucket", stick.frame("bucket_foot", (0.5, 0.5, 0)), rocker.frame("rocker_lug", (0.6, 0, 0)), 0.0)

# 2. Move it, and compare the work of the cylinders with the change of energy.
eom = mb.derive(digger)
run = mb.simulate(eom, duration=4.0, samples=2001)
power = sum(run[name + "_force"][:, 0] * run[name + "_length_dot"] for name in LENGTHS)
work, gain = simpson(power, x=run.t), run["total_energy"][-1] - run["total_energy"][0]
print(f"work of the cylinders {work:.3f} J, change of energy {gain:.3f} J, drift {run.energy_drift:.0e}")

# 3. At rest, where all strokes begin with zero rates: force by virtual work, dV/dlength with all other lengths held.
energy = eom.function("energy", {"V": eom.potential_energy})


def potential(name: str, change: float) -> float:
    """Potential energy with one cylinder longer than at rest."""
    lengths = {**RESTS, name: RESTS[name] + change}
    state = eom.consistent(parameters=lengths)
    return float(energy(0.0, state.q, state.u, [], list(lengths.values())))


for name in LENGTHS:
    virtual = (potential(name + "_rest", 1e-4) - potential(name + "_rest", -1e-4)) / 2e-4
    measured = run[name + "_force"][0, 0]
    print(f"{name:6} cylinder: {measured / 1e3:9.4f} kN at rest, by virtual work {virtual / 1e3:9.4f} kN")
    assert abs(measured - virtual) < 1e-5 * abs(run["boom_force"][0, 0])
assert abs(work - gain) < 1e-6 * np.ptp(run["total_energy"])
assert run.energy_drift < 1e-6

# 4. Draw.
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 1.6, 3), size=(400, 320)))
left.axis("off")
for name in LENGTHS:
    right.plot(run.t, run[name + "_force"][:, 0] / 1e3, label=name)
right.set(xlabel="t [s]", ylabel="force of the cylinder [kN]", xlim=(0, 4))
right.legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "excavator.png")
