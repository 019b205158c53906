"""Double pendulum of two modules: coupled from two free bodies, and linearized about rest as a whole.

Source: MoSs, figure 4 of its documentation. For equal masses and rods, the frequencies are ω² = (2 ∓ √2)·g/a.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody.subsystems import couple, linearize, newton_euler

upper = newton_euler("b1", "position", "-z", parameters="a1", reference={"p_b1_z": "-a1"})
lower = newton_euler("b2", "position", "-z", parameters="a1 a2", reference={"p_b2_z": "-a1 - a2"})
rods = [
    "p_b1_x = a1*sin(theta1)", "p_b1_y = 0", "p_b1_z = -a1*cos(theta1)",
    "p_b2_x = p_b1_x + a2*sin(theta2)", "p_b2_y = 0", "p_b2_z = p_b1_z - a2*cos(theta2)",
]  # fmt: skip
free = ["theta1", "theta2", "theta1_dot", "theta2_dot", *(f"w_b{k}_{axis}" for k in (1, 2) for axis in "xyz")]
pendulum = couple("D", [upper, lower], rods, variables=["theta1", "theta2"], independent=free)
linear = linearize(pendulum)
for name in ("theta1_ddot", "theta2_ddot"):
    print(name, "=", linear.explicit()[name])

inertia = {f"I_b{k}_{axis}": 1.0 for k in (1, 2) for axis in "xyz"}
values = {"m_b1": 1.0, "m_b2": 1.0, "a1": 1.0, "a2": 1.0, "g": 9.81, **inertia}
slow = np.sqrt((2 - np.sqrt(2)) * 9.81)
start = {"theta1": 0.1, "theta2": 0.1 * np.sqrt(2)}  # the shape of the slow mode
accurate = mb.DormandPrince8(rtol=1e-10, atol=1e-12)
run = mb.simulate(linear.equations(), 6.0, parameters=values, q=start, integrator=accurate)
print(f"slow mode at {slow:.6f} rad/s")
assert abs(run["theta1"] - 0.1 * np.cos(slow * run.t)).max() < 1e-8

figure, axis = plt.subplots(figsize=(6, 2.8), layout="constrained")
axis.plot(run.t, run["theta1"], label="θ₁, linearized")
axis.plot(run.t, run["theta2"], label="θ₂, linearized")
axis.plot(run.t, 0.1 * np.cos(slow * run.t), "k:", label="0.1·cos ωt")
axis.set(xlabel="t [s]", ylabel="angle [rad]", xlim=(0, 6))
axis.legend(loc="upper right")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "hanging_double_pendulum.png")
