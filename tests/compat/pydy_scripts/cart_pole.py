"""A pole on a cart with friction in its bearing, driven by a motor with its own damping."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

x, th, v, w = me.dynamicsymbols("x theta v omega")
F = me.dynamicsymbols("F")
M, m, l, J, g, b, c = sm.symbols("M m l J g b c")

N = me.ReferenceFrame("N")
A = N.orientnew("A", "Axis", [th, N.z])
A.set_ang_vel(N, w * N.z)
O = me.Point("O")
O.set_vel(N, 0)
C = O.locatenew("C", x * N.x)
C.set_vel(N, v * N.x)
G = C.locatenew("G", -l * A.y)
G.v2pt_theory(C, N, A)

cart = me.Particle("cart", C, M)
pole = me.RigidBody("pole", G, A, m, (me.inertia(A, 0, 0, J), G))
loads = [(C, (F - b * v) * N.x), (A, -c * w * N.z), (G, -m * g * N.y)]
kane = me.KanesMethod(N, [x, th], [v, w], [x.diff() - v, th.diff() - w])
kane.kanes_equations([cart, pole], loads)

constants = {M: 1.0, m: 0.3, l: 0.4, J: 0.016, g: 9.81, b: 0.1, c: 0.01}
initial_conditions = {x: 0.0, th: 0.5}
specifieds = {F: lambda x, t: 2.0 * np.cos(3 * t)}
times = np.linspace(0.0, 3.0, 31)
