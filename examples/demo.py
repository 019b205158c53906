"""A crane crab: describe it, derive its equations in two ways, prove that they agree, compile them, move it.

Run it with ``./dev demo``.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

import multibody as mb
from multibody.graph import is_zero, same

# 1. Describe: a crab on a rail, a load on a rod below it, a force between wall and crab.
crane = mb.System("crane_crab", gravity=(0, 0, -9.81))
m1, m2, l = crane.parameters(m1=10.0, m2=1.0, l=1.0)
force = crane.input("F")
crab = crane.body("crab", mass=m1)
load = crane.body("load", mass=m2, inertia=mb.diag(m2 * l**2 / 12, m2 * l**2 / 12, 0))
crane.joint("slide", crane.world, crab, "Tx", q=1.0)
crane.joint("swing", crab, load.frame("hook", (0, 0, l)), "Ry", q=-1.0)
crane.load(mb.PointToPointForce(crane.world, crab, force))
crane.sensor("energy", mb.Energy())
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

# 3. Compile, with the parameters put in once.
print(eom.forward_dynamics.report(), end="\n\n")
parameters = list(eom.model.parameter_values().values())
acceleration, energy = eom.forward_dynamics.fix(p=parameters), eom.sensors.fix(p=parameters)


# 4. Move: Runge–Kutta, fourth order, ten seconds without a force.
def slope(state: np.ndarray) -> np.ndarray:
    """The rate of (q, u)."""
    return np.concatenate([state[2:], acceleration(0.0, state[:2], state[2:], [0.0])])


state, step = np.array([1.0, -1.0, 0.0, 0.0]), 1e-2
energies = []
for _ in range(1_000):
    energies.append(energy(0.0, state[:2], state[2:], [0.0]))
    k1 = slope(state)
    k2 = slope(state + step / 2 * k1)
    k3 = slope(state + step / 2 * k2)
    k4 = slope(state + step * k3)
    state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
print(f"after 10 s: slide {state[0]:+.6f} m, swing {state[1]:+.6f} rad; energy drift {np.ptp(energies):.1e} J")
