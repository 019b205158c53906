"""Movable double pendulum: two bodies below a trolley, with friction; the motor calculus against Lagrange.

Source: Zaiczek and Enge-Rosenblatt, Motor Calculus Using Modelica, section 4.1; it prints the angles at the start, 90°
and 0°, but no masses and lengths, so these are uniform rods of 1 kg and 1 m. Deviations are below 1.2e-11 (figure 8).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

system = mb.System("movable_double_pendulum", gravity=(0, -9.81, 0))
trolley = system.body("trolley", 2.0)
upper, lower = (system.body(name, 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12)) for name in ("upper", "lower"))
hook = upper.frame("hook", (1, 0, 0))
system.joint("s", system.world, trolley, "Tx")
system.joint("phi1", trolley, upper, "Rz", q=0.0)  # 90° from the vertical
system.joint("phi2", hook, lower, "Rz")
for name in ("s", "phi1", "phi2"):
    system.load(mb.JointDamper(system[name], 0.1))
system.sensor("P", mb.LinearMomentum())
system.draw(trolley, mb.Box(0.4, 0.2, 0.2))
system.draw(upper, mb.Capsule(0.04), to=hook)
system.draw(lower, mb.Capsule(0.04), to=lower.frame("tip", (1, 0, 0)))

accurate = mb.DormandPrince8(rtol=1e-13, atol=1e-14)
run, other = (
    mb.simulate(mb.derive(system, formalism), duration=10.0, integrator=accurate)
    for formalism in (mb.Recursive(), mb.Lagrange())
)
deviation = abs(run.q - other.q).max()
momentum = abs(run["P"][:, 0] + 0.1 * run["s"]).max()  # along the track nothing acts but the friction of the trolley
print(f"both formalisms deviate by {deviation:.0e}; P = -d·s holds to {momentum:.0e} kg·m/s")
assert deviation < 1.2e-11
assert momentum < 1e-10
assert run.energy_drift < 1e-11

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), width_ratios=[1, 1.4], layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.8, 5), size=(280, 260)))
left.axis("off")
for name in ("s", "phi1", "phi2"):
    right.plot(run.t, run[name], label=name)
right.set(xlabel="t [s]", ylabel="[m], [rad]", xlim=(0, 10))
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "movable_double_pendulum.png")
