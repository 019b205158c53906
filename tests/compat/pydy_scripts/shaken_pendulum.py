"""A pendulum whose pivot is shaken up and down fast: the motion of the pivot is specified, with its derivatives."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

th, w, z = me.dynamicsymbols("theta omega z")
t = me.dynamicsymbols._t
m, l, g, c = sm.symbols("m l g c")

N = me.ReferenceFrame("N")
A = N.orientnew("A", "Axis", [th, N.z])
A.set_ang_vel(N, w * N.z)
O = me.Point("O")
O.set_vel(N, 0)
pivot = O.locatenew("P", z * N.y)
pivot.set_vel(N, z.diff(t) * N.y)
bob = pivot.locatenew("B", l * A.y)
bob.v2pt_theory(pivot, N, A)

kane = me.KanesMethod(N, [th], [w], [th.diff(t) - w])
kane.kanes_equations([me.Particle("bob", bob, m)], [(bob, -m * g * N.y), (A, -c * w * N.z)])

constants = {m: 0.1, l: 0.2, g: 9.81, c: 1e-3}
initial_conditions = {th: 0.2}
a, rate = 0.01, 300.0
specifieds = {
    z: lambda x, t: a * np.sin(rate * t), z.diff(t): lambda x, t: a * rate * np.cos(rate * t),
    z.diff(t, 2): lambda x, t: -a * rate**2 * np.sin(rate * t),
}  # fmt: skip
times = np.linspace(0.0, 0.5, 11)
