"""A double pendulum from its energies: derive, prove, compile, move, and check the energy.

Run it with ``./dev demo``.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from multibody.compile import Function
from multibody.graph import (
    array,
    cos,
    directional,
    gradient,
    is_zero,
    jacobian,
    ldl,
    ldl_solve,
    sin,
    symbols,
)

start = perf_counter()

# Two rods without mass, a point mass at the end of each; the angles are measured from the vertical.
q = symbols("q1 q2", "coordinate")
u = symbols("u1 u2", "speed")
p = m1, m2, l1, l2, g = symbols("m1 m2 l1 l2 g", "parameter")

x1, y1 = l1 * sin(q[0]), -l1 * cos(q[0])
x2, y2 = x1 + l2 * sin(q[1]), y1 - l2 * cos(q[1])
rates = dict(zip(q, u, strict=True))
vx1, vy1, vx2, vy2 = directional([x1, y1, x2, y2], rates)
kinetic = m1 * (vx1**2 + vy1**2) / 2 + m2 * (vx2**2 + vy2**2) / 2
potential = g * (m1 * y1 + m2 * y2)

# Lagrange: M(q)·u̇ + h(q, u) = 0.
momentum = gradient(kinetic, u)
M = jacobian(momentum, u)
h = directional(momentum, rates) - array(gradient(kinetic - potential, q))
acceleration = ldl_solve(ldl(M), -h)
derived = perf_counter()

print("Double pendulum\n")
print("  T =", kinetic)
print("  V =", potential)
for row, rest in zip(M, h, strict=True):
    print(f"  ({row[0]})·u̇1 + ({row[1]})·u̇2 + {rest} = 0")

balance = directional(kinetic + potential, rates | dict(zip(u, acceleration, strict=True)))
print(f"\n  proved by fingerprint: the energy is constant ({is_zero(balance, points=2)})")

motion = Function("motion", {"q": q, "u": u, "p": p}, {"a": acceleration, "energy": kinetic + potential})
motion.address  # noqa: B018 - compiles
compiled = perf_counter()
print(f"  derived in {1e3 * (derived - start):.1f} ms, ready to run {1e3 * (compiled - derived):.0f} ms later\n")
print(motion.report())

# Runge–Kutta, fourth order, with the parameters put in once.
swing = motion.fix(p=[1.0, 1.0, 1.0, 0.7, 9.81])


def slope(state: np.ndarray) -> np.ndarray:
    """The rate of (q, u)."""
    return np.concatenate([state[2:], swing(state[:2], state[2:]).a])


state, step = np.array([1.5, 2.0, 0.0, 0.0]), 1e-3
energies = []
for _ in range(10_000):
    energies.append(swing(state[:2], state[2:]).energy)
    k1 = slope(state)
    k2 = slope(state + step / 2 * k1)
    k3 = slope(state + step / 2 * k2)
    k4 = slope(state + step * k3)
    state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
print(f"\n10 s of motion end at q = ({state[0]:+.6f}, {state[1]:+.6f}); energy drift {np.ptp(energies):.1e} J")
