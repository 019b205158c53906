"""Prismatic joint: one body slides along another, held at points beside their centres.

Source: SymPy's documentation, "Joints in Physics/Mechanics": the child is at (q + 1/2 + 1/10, 1/10 + 1/10) from its
parent, and the equation of motion is -m·u' = 0; with a force, q = F·t²/(2·m).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

system = mb.System("slider", gravity=(0, 0, 0))
m, force = system.parameter("child_mass", 2.0), system.input("F")
child = system.body("child", m, inertia=(1, 1, 1))
rail = system.frame("rail", (0.5, 0.1, 0))
slide = system.joint("q", rail, child.frame("shoe", (-0.1, -0.1, 0)), "Tx")
system.load(mb.JointLoad(slide, force))
system.sensor("place", mb.Position(child))
system.draw(system.world, mb.Box(1.0, 0.2, 0.2, colour="grey"))
system.draw(child, mb.Box(0.2, 0.2, 0.2, colour="steelblue"))

eom = mb.derive(system)
print("q'' =", eom.acceleration[0])
run = mb.simulate(eom, duration=1.0, inputs={"F": 3.0})
assert np.allclose(run["place"][0], (0.6, 0.2, 0), atol=1e-15)
assert abs(run["q"] - 3.0 * run.t**2 / (2 * 2.0)).max() < 1e-12
assert np.allclose(run["place"][:, 0] - run["q"], 0.6, atol=1e-15)

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
left.imshow(mb.picture(run, t=[0.0, 0.5, 0.75, 1.0], size=(400, 280)))
left.axis("off")
right.plot(run.t, run["q"])
right.set(xlabel="t [s]", ylabel="q [m]", xlim=(0, 1))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "prismatic_joint.png")
