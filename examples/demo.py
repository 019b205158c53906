"""A crane crab: describe it, derive its equations in two ways, prove that they agree, compile them, move it.

Run it with ``./dev demo``.
"""

from __future__ import annotations

from time import perf_counter

import multibody as mb
from multibody.graph import is_zero, same

# 1. Describe: a crab on a rail, a load on a rod below it, a force between wall and crab.
crane = mb.System("crane_crab", gravity=(0, 0, -9.81))
m1, m2, l = crane.parameters(m1=10.0, m2=1.0, l=1.0)
force = crane.input("F")
crab = crane.body("crab", mass=m1)
load = crane.body("load", mass=m2, inertia=mb.diag(m2 * l**2 / 12, m2 * l**2 / 12, 0))
slide = crane.joint("slide", crane.world, crab, "Tx", q=1.0)
crane.joint("swing", crab, load.frame("hook", (0, 0, l)), "Ry", q=-1.0)
crane.load(mb.PointToPointForce(crane.world, crab, force))
print(crane.check(), end="\n\n")

# 2. Derive, in two independent ways, and prove that the results are the same functions.
start = perf_counter()
eom = mb.derive(crane)
other = mb.derive(crane, mb.ArticulatedBody())
derived = perf_counter()
agree = all(same(a, b, points=2) for a, b in zip(eom.acceleration, other.acceleration, strict=True))
half = (
    sum(a * m * b for a, row in zip(eom.speeds, eom.M, strict=True) for m, b in zip(row, eom.speeds, strict=True)) / 2
)
print("mass matrix M:")
for row in eom.M:
    print("  [" + ", ".join(map(str, row)) + "]")
print("bias h:", ", ".join(map(str, eom.h)))
print(f"derived twice in {1e3 * (derived - start):.0f} ms")
print(f"proved by fingerprint: both formalisms agree ({agree}), ½·uᵀ·M·u is T ({is_zero(eom.kinetic_energy - half)})\n")

# 3. Compile: machine code, for simulations and for your own programs.
print(eom.forward_dynamics.report(), end="\n\n")

# 4. Move: a controller brings the crab to 3 m. The energy balance is the check of every run.
control = 40 * (3 - slide.coordinate) - 60 * slide.speed
run = mb.simulate(eom, duration=10.0, inputs={"F": control})
energies = run.energies
print(run, end="\n\n")
print("    t    slide    swing    force   work of force   kinetic + potential   balance")
for k in range(0, len(run.t), 100):
    row = run.t[k], run["slide"][k], run["swing"][k], run["F"][k], energies.work_of_inputs[k], energies.total[k]
    print("{:5.1f} {:8.4f} {:8.4f} {:8.3f} {:15.5f} {:21.5f}".format(*row) + f" {energies.balance[k]:9.0e}")
