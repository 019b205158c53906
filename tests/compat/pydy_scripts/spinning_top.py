"""A top on a fixed tip, with body-fixed angles z-x-z and the angular velocity in its own axes as speeds."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

q1, q2, q3 = q = me.dynamicsymbols("q1:4")
u1, u2, u3 = u = me.dynamicsymbols("u1:4")
m, g, h, A, C = sm.symbols("m g h A C")

N = me.ReferenceFrame("N")
B = N.orientnew("B", "Body", [q1, q2, q3], "zxz")
by_angles = B.ang_vel_in(N)
B.set_ang_vel(N, u1 * B.x + u2 * B.y + u3 * B.z)
tip = me.Point("tip")
tip.set_vel(N, 0)
G = tip.locatenew("G", h * B.z)
G.v2pt_theory(tip, N, B)

top = me.RigidBody("top", G, B, m, (me.inertia(B, A, A, C), G))
kd = [me.dot(by_angles - B.ang_vel_in(N), axis) for axis in B]
kane = me.KanesMethod(N, q, u, kd)
kane.kanes_equations([top], [(G, -m * g * N.z)])

constants = {m: 0.4, g: 9.81, h: 0.06, A: 4e-4, C: 3e-4}
initial_conditions = {q2: 0.5, q3: 0.3, u3: 120.0}  # SymPy divides by sin(q3)
times = np.linspace(0.0, 0.5, 26)
