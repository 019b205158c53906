"""Puma 560: the torques that hold the arm against gravity, and those that move it.

Source: Corke's robotics toolbox (models/DH/Puma560.py, tests/test_DHRobot.py), which prints at the pose qn the torques
(0, 31.6399, 6.0351, 0, 0.0283, 0) N·m and the inertias that the first three motors feel.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

LINKS = [  # d, a, α in quarter turns, inertia about the centre of mass, centre of mass, mass
    (26.45 * 0.0254, 0, 1, (0, 0.35, 0), (0, 0, 0), 0),
    (0, 0.4318, 0, (0.13, 0.524, 0.539), (-0.3638, 0.006, 0.2275), 17.4),
    (0.15005, 0.0203, -1, (0.066, 0.086, 0.0125), (-0.0203, -0.0141, 0.070), 4.8),
    (0.4318, 0, 1, (1.8e-3, 1.3e-3, 1.8e-3), (0, 0.019, 0), 0.82),
    (0, 0, -1, (0.3e-3, 0.4e-3, 0.3e-3), (0, 0, 0), 0.34),
    (0, 0, 0, (0.15e-3, 0.15e-3, 0.04e-3), (0, 0, 0.032), 0.09),
]
arm = mb.System("puma", gravity=(0, 0, -9.81))
inner = arm.world
for k, (d, a, quarters, inertia, com, mass) in enumerate(LINKS, 1):  # turn about z, d along z, a along x, α about x
    carrier, link = arm.body(f"joint{k}"), arm.body(f"link{k}", mass, com, inertia)
    arm.joint(f"q{k}", inner, carrier, "Rz")
    end = carrier.frame(f"end{k}", (a, 0, d), mb.Rotation.about_x(quarters * mb.pi / 2))
    arm.joint(f"weld{k}", end, link, mb.Weld())
    arm.draw(inner, mb.Capsule(0.03), to=end)
    inner = link

eom = mb.derive(arm)
QN, nothing = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0]), np.zeros(6)
gravity = eom.inverse_dynamics(0.0, QN, nothing, [], [], nothing)
print("gravity load at qn:", ", ".join(f"{abs(one):.4f}" for one in gravity), "N·m")
assert np.allclose(gravity, [0, 31.6398803784, 6.035138023, 0, 0.0282528, 0], atol=5e-9)
mass = eom.mass_matrix(0.0, QN, nothing, [], [])
assert np.allclose(np.diag(mass)[:3], [2.8753454435, 2.0889270886, 0.3609682433], rtol=1e-9)

shoulder = np.linspace(-np.pi, np.pi, 181)
load = [eom.inverse_dynamics(0.0, [0, q, np.pi, 0, 0, 0], nothing, [], [], nothing) for q in shoulder]
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(arm, q=[0.6, 0.8, 3.6, 0, 0.5, 0], size=(400, 320)))
left.axis("off")
right.plot(np.degrees(shoulder), np.array(load)[:, 1:3], label=["shoulder", "elbow"])
right.set(xlabel="shoulder [°]", ylabel="torque against gravity [N·m]", xticks=range(-180, 181, 90))
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "puma560.png")
