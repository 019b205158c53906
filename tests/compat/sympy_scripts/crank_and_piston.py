"""A crank, a rod and a piston; the pin of the piston is kept on its line by a holonomic constraint."""

import sympy as sm
import sympy.physics.mechanics as me

q1, q2, q3, u1, u2, u3 = me.dynamicsymbols("q1 q2 q3 u1 u2 u3")
T = me.dynamicsymbols("T")
r, l, m1, m2, m3, g = sm.symbols("r l m1 m2 m3 g")

N = me.ReferenceFrame("N")
A, B = N.orientnew("A", "Axis", [q1, N.z]), N.orientnew("B", "Axis", [q2, N.z])
A.set_ang_vel(N, u1 * N.z)
B.set_ang_vel(N, u2 * N.z)

O = me.Point("O")
O.set_vel(N, 0)
P, S = O.locatenew("P", r * A.x), O.locatenew("S", q3 * N.x)
P.v2pt_theory(O, N, A)
S.set_vel(N, u3 * N.x)
G = P.locatenew("G", l / 2 * B.x)
G.v2pt_theory(P, N, B)

loop = P.pos_from(O) + l * B.x - S.pos_from(O)
closed = [me.dot(loop, N.x), me.dot(loop, N.y)]
rates = {q1.diff(): u1, q2.diff(): u2, q3.diff(): u3}
moving = [one.diff(me.dynamicsymbols._t).xreplace(rates) for one in closed]

crank = me.RigidBody("crank", O, A, m1, (me.inertia(A, 0, 0, m1 * r**2 / 2), O))
rod = me.RigidBody("rod", G, B, m2, (me.inertia(B, 0, 0, m2 * l**2 / 12), G))
piston = me.Particle("piston", S, m3)

method = me.KanesMethod(
    N, q_ind=[q1], u_ind=[u1], kd_eqs=[q1.diff() - u1, q2.diff() - u2, q3.diff() - u3], q_dependent=[q2, q3],
    u_dependent=[u2, u3], configuration_constraints=closed, velocity_constraints=moving, bodies=[crank, rod, piston],
    forcelist=[(A, T * N.z), (G, -m2 * g * N.y)],
)  # fmt: skip
method.kanes_equations()

constants = {r: 0.1, l: 0.35, m1: 1.5, m2: 0.4, m3: 0.8, g: 9.81}
specified = [T]
at = {q3: 0.4}
