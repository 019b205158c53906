"""Two rotors on a beam that flies in a plane; thrusts are given, and the air resists."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

x, y, p, vx, vy, w = me.dynamicsymbols("x y phi v_x v_y omega")
T1, T2 = me.dynamicsymbols("T1 T2")
m, J, a, d, g = sm.symbols("m J a d g")

N = me.ReferenceFrame("N")
B = N.orientnew("B", "Axis", [p, N.z])
B.set_ang_vel(N, w * N.z)
O = me.Point("O")
O.set_vel(N, 0)
G = O.locatenew("G", x * N.x + y * N.y)
G.set_vel(N, vx * B.x + vy * B.y)  # speeds along the axes of the beam
left, right = G.locatenew("L", -a * B.x), G.locatenew("R", a * B.x)
left.v2pt_theory(G, N, B)
right.v2pt_theory(G, N, B)

kd = [me.dot(G.pos_from(O).dt(N) - G.vel(N), axis) for axis in (N.x, N.y)]
body = me.RigidBody("beam", G, B, m, (me.inertia(B, 0, 0, J), G))
loads = [(left, T1 * B.y), (right, T2 * B.y), (G, -m * g * N.y - d * G.vel(N))]
kane = me.KanesMethod(N, [x, y, p], [vx, vy, w], [*kd, p.diff() - w])
kane.kanes_equations([body], loads)

constants = {m: 1.2, J: 0.02, a: 0.25, d: 0.3, g: 9.81}
initial_conditions = {y: 1.0, p: 0.05}
specifieds = {T1: lambda x, t: 5.9 + x[5], T2: lambda x, t: 5.9 - x[5] - 0.5 * x[2]}
times = np.linspace(0.0, 1.0, 11)
