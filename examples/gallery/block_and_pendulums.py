"""Block with two pendulums: springs, a damper, and a force and a torque that are given over time.

Source: SymPy's documentation, "Multi Degree of Freedom Holonomic System": a block on a spring, a compound pendulum
below it, and a simple pendulum below that. The mass matrix by hand is proved to be the one that is derived.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody.graph import all_same, cos, sin

system = mb.System("block_and_pendulums", gravity=(0, -9.81, 0))
l, k, c, k3 = system.parameters(l=0.5, k=40.0, c=0.5, k3=0.5)
ma, m_b, mc, IB = system.parameters(ma=2.0, mb=1.0, mc=0.5, IB=0.02)
block, rod, bob = system.body("A", ma), system.body("B", m_b, (0, -2 * l / 3, 0), (0, 0, IB)), system.particle("C", mc)
q1 = system.joint("q1", system.world, block, "Tx")
q2 = system.joint("q2", block, rod, "Rz", q=0.5)
q3 = system.joint("q3", rod.frame("end", (0, -l, 0)), bob.frame("hook", (0, l, 0)), "Rz", q=-0.3)
system.load(mb.JointSpring(q1, k))
system.load(mb.JointDamper(q1, c))
system.load(mb.JointSpring(q3, k3))
system.load(mb.Force(block, (system.input("F"), 0, 0)))
system.load(mb.Torque(rod, (0, 0, system.input("T"))))
system.draw(block, mb.Box(0.3, 0.15, 0.2))
system.draw(rod, mb.Capsule(0.03), to=system["end"])
system.draw(system["end"], mb.Capsule(0.01), to=bob)
system.draw(bob, mb.Sphere(0.06))

eom = mb.derive(system, mb.Kane())
_, b, d = eom.coordinates  # T = ½·(v_A² m_A + v_B² m_B + v_C² m_C + I_B·ω²), with v_C = q1' + l·q2' + l·(q2' + q3')
M12, M13, M23 = m_b * 2 * l / 3 * cos(b) + mc * l * (cos(b) + cos(b + d)), mc * l * cos(b + d), mc * l**2 * (1 + cos(d))
M22 = IB + m_b * (2 * l / 3) ** 2 + 2 * mc * l**2 * (1 + cos(d))
assert all_same(eom.M, [[ma + m_b + mc, M12, M13], [M12, M22, M23], [M13, M23, mc * l**2]], points=2)

run = mb.simulate(eom, duration=8.0, inputs={"F": 5 * sin(6 * system.time), "T": 0.2})
still = mb.equilibrium(eom, at={"F": 3.0})
print(f"the given loads did {run['work_of_inputs'][-1]:.4f} J, of which the damper took {run['dissipated'][-1]:.4f} J")
print(f"under 3 N the block rests at {still['q1']:.6f} m, F/k = {3 / 40:.6f} m")
assert abs(still["q1"] - 3 / 40) < 1e-12
assert run.energy_drift < 1e-6

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 1, 4), size=(400, 320)))
left.axis("off")
right.plot(run.t, run.q, label=["q1 [m]", "q2 [rad]", "q3 [rad]"])
right.set(xlabel="t [s]", xlim=(0, 8))
right.legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "block_and_pendulums.png")
