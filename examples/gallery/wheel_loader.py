"""Arm of a wheel loader: three loops, one driven by the other, all solved in closed form; its valves leak and it sinks.

Source: the kinematic loops ThreeBarTrans, FourBarTrans and FourBar of the PyMbs manual, section 3.2, which names
hydraulic cylinders and wheel loaders. The length of the lift cylinder follows from the law of cosines; with multipliers
in place of the closed form the arm moves alike.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

loader = mb.System("wheel_loader", gravity=(0, -9.81, 0))


def beam(name: str, mass: float, length: float) -> mb.Body:
    """A slender beam along x."""
    return loader.body(name, mass, (length / 2, 0, 0), (0, mass * length**2 / 12, mass * length**2 / 12))


def cylinder(name: str, foot: mb.Frame, angle: float, length: float) -> mb.Body:
    """A barrel on a hinge and a rod in it, with a valve that leaks; what it returns is the end of the rod."""
    barrel, rod = loader.body(name + "_barrel", 40, (0.4, 0, 0), (1, 5, 5)), loader.body(name + "_rod", 20)
    loader.joint(name + "_swing", foot, barrel, "Rz", q=angle)
    loader.load(mb.JointDamper(loader.joint(name + "_length", barrel, rod, "Tx", q=length), 2e5))
    return rod


FOOT, EYE = np.array([0.3, -0.9]), np.array([1.4, -0.2])
arm, rocker, link = beam("arm", 600, 2.6), beam("rocker", 80, 1.2), beam("link", 40, 0.9)
bucket = loader.body("bucket", 900, (0.5, -0.2, 0), (90, 90, 180))
loader.joint("lift", loader.world, arm, "Rz", q=0.4)
loader.joint("rock", arm.frame("pivot", (1.7, 0.3, 0)), rocker.frame("middle", (0.6, 0, 0)), "Rz", q=1.3)
loader.joint("dump", arm.frame("tip", (2.6, 0, 0)), bucket, "Rz", q=-0.2)
loader.joint("link_angle", rocker, link, "Rz", q=-0.9)
lifting = cylinder("lift", loader.frame("foot", (*FOOT, 0)), 0.9, 1.5)
tilting = cylinder("tilt", loader.frame("tilt_foot", (0.1, 0.8, 0)), 0.5, 1.6)
loader.loop(mb.ThreeBarTrans(arm.frame("eye", (*EYE, 0)), lifting))
loader.loop(mb.FourBarTrans(rocker.frame("top", (1.2, 0, 0)), tilting, posture=-1))
loader.loop(mb.FourBar(link.frame("end", (0.9, 0, 0)), bucket.frame("ear", (0, 0.4, 0)), posture=1))

for start, end in ((loader.world, "tip"), ("rocker", "top"), ("rocker", "end"), ("lift_barrel", "lift_rod"),
                   ("tilt_barrel", "tilt_rod"), ("bucket", "ear")):  # fmt: skip
    loader.draw(loader[start] if isinstance(start, str) else start, mb.Capsule(0.05), to=loader[end])
loader.draw(bucket, mb.Box(1.0, 0.5, 1.0), position=(0.5, -0.2, 0))

model = loader.freeze()
run = mb.simulate(mb.derive(model), duration=2.0)
start = {one.name: run[one.name][0] for one in model.unreduced.coordinates}
other = mb.simulate(mb.derive(model.unreduced), duration=2.0, q=start)
angle = run["lift"] + np.arctan2(EYE[1], EYE[0]) - np.arctan2(FOOT[1], FOOT[0])
a, b = np.hypot(*FOOT), np.hypot(*EYE)
length = np.sqrt(a**2 + b**2 - 2 * a * b * np.cos(angle))
apart = max(abs(run[name] - other[name]).max() for name in ("lift", "tilt_length", "rock"))
print(f"{len(model.coordinates)} coordinates are left of {len(start)}: {', '.join(q.name for q in model.coordinates)}")
print(f"the lift cylinder goes from {run['lift_length'][0]:.6f} to {run['lift_length'][-1]:.6f} m")
assert abs(run["lift_length"] - length).max() < 1e-14
assert apart < 1e-6
assert run.energy_drift < 1e-6

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(run, t=[0.0, 2.0], size=(400, 320), camera=(0.3, 0.2, 1)))
left.axis("off")
right.plot(run.t, run["lift_length"], label="lift cylinder")
right.plot(run.t, run["tilt_length"], label="tilt cylinder")
right.set(xlabel="t [s]", ylabel="length [m]", xlim=(0, 2))
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "wheel_loader.png")
