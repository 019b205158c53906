"""Five-body chain: two rods, a T and two more rods below it fall, and the sum of their energies stays.

Source: course work on a five-body chain after Wittenburg, Dynamics of Multibody Systems (1977), which checks its
equations by the energy; it is -191.4997 J, the sum of m·g·h at the start.
"""

import sys

import matplotlib.pyplot as plt

import multibody as mb
from multibody import library

chain = library.five_body_chain()
accurate = mb.DormandPrince8(rtol=1e-12, atol=1e-12)
run, other = (
    mb.simulate(mb.derive(chain, formalism), duration=5.0, integrator=accurate)
    for formalism in (mb.Wittenburg(), mb.Recursive())
)

total = run["total_energy"]
print(f"energy {total[0]:.6f} J at the start, {total[-1]:.6f} J after 5 s")
assert abs(total[0] / -191.499711048 - 1) < 1e-11
assert abs(total / total[0] - 1).max() < 1e-9
assert abs(run.q - other.q).max() < 1e-5  # near a pole of the Euler angles, which turn with 190 rad/s there

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), width_ratios=[1, 1.5], layout="constrained")
left.imshow(mb.picture(chain, size=(300, 320)))
left.axis("off")
for name in ("kinetic_energy", "potential_energy", "total_energy"):
    right.plot(run.t, run[name], label=name.replace("_", " "))
right.set(xlabel="t [s]", ylabel="[J]", xlim=(0, 5))
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "five_body_chain.png")
