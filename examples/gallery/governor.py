"""Centrifugal governor: its lower links are very stiff spring-dampers, which is work for a stiff integrator.

Two arms with balls hang from a turning shaft, two links of the same length lead from the balls to a sleeve on the
shaft. The sleeve comes to rest where the balls are h = (1 + M/m)·g/ω² below the hinges (Porter). The links of 10⁸ N/m
settle within microseconds: an explicit method would need hundreds of thousands of steps, the stiff one, which is chosen
by itself, takes about a thousand. With rigid links instead it is a closed loop, and moves in the same way.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

BALL, SLEEVE, LENGTH, SPEED, STIFFNESS, START = 1.0, 2.0, 0.4, 10.0, 1e8, 0.4


def governor(name: str) -> tuple[mb.System, list[tuple[mb.Frame, mb.Body]]]:
    """Shaft, arms and sleeve, and the pairs of points between which the links belong."""
    system = mb.System(name, gravity=(0, 0, -9.81))
    shaft = system.body("shaft", 3.0, inertia=(0.01, 0.01, 0.02))
    sleeve = system.body("sleeve", SLEEVE, inertia=(1e-3, 1e-3, 1e-3))
    system.joint("turn", system.world, shaft, "Rz", prescribed=SPEED * system.time)
    lift = system.joint("lift", shaft, sleeve, "Tz", q=-2 * LENGTH * np.cos(START))
    system.load(mb.JointDamper(lift, 20.0))
    balls = []
    for side, axis in ("left", "y"), ("right", "-y"):
        arm = system.body(side, BALL, com=(0, 0, -LENGTH))
        system.joint(side + "_angle", shaft, arm, mb.Revolute(axis), q=START)
        balls.append(arm.frame(side + "_ball", (0, 0, -LENGTH)))
    return system, [(ball, sleeve) for ball in balls]


# 1. Links as springs and dampers, and as constant distances.
stiff, links = governor("governor")
for link in links:
    stiff.load(mb.SpringDamper(*link, stiffness=STIFFNESS, damping=STIFFNESS / 1e3, length=LENGTH))
rigid, links = governor("rigid_governor")
for link in links:
    rigid.constraint(mb.DistanceConstraint(*link, LENGTH))

# 2. Move both.
run, other = (mb.simulate(mb.derive(system), duration=10.0) for system in (stiff, rigid))
print(run, end="\n\n")

# 3. Compare.
height, expected = LENGTH * np.cos(run["left_angle"][-1]), (1 + SLEEVE / BALL) * 9.81 / SPEED**2
apart = abs(run["lift"] - other["lift"]).max()
print(f"the balls are {height:.7f} m below the hinges, by the formula {expected:.7f} m")
print(f"sleeves of both models apart by {apart:.0e} m; by {other.statistics.integrator.split('(')[0]} for rigid links")
print(f"energy: from the shaft {run['work_of_drives'][-1]:.4f} J, lost {run['dissipated'][-1]:.4f} J")
assert run.statistics.integrator.startswith("Rodas5P")
assert run.counts.steps < 3000
assert abs(height / expected - 1) < 1e-6
assert apart < 1e-5
assert max(run.energy_drift, other.energy_drift) < 1e-6

# 4. Draw.
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), width_ratios=[1, 1.6], layout="constrained")
left.imshow(mb.picture(run, t=[0.0, 10.0], size=(280, 320)))
left.axis("off")
right.plot(run.t, LENGTH * np.cos(run["left_angle"]), label="springs of 10⁸ N/m")
right.plot(other.t, LENGTH * np.cos(other["left_angle"]), "--", label="rigid links")
right.plot(run.t[[0, -1]], [expected, expected], "k:", label="(1 + M/m)·g/ω²")
right.set(xlabel="t [s]", ylabel="balls below the hinges [m]", xlim=(0, 4))
right.legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "governor.png")
