"""Two particles on strings of given length, one below the other."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

q1, q2 = me.dynamicsymbols("q1 q2")
u1, u2 = me.dynamicsymbols("u1 u2")
l, m, g = sm.symbols("l m g")

N = me.ReferenceFrame("N")
A = N.orientnew("A", "Axis", [q1, N.z])
B = N.orientnew("B", "Axis", [q2, N.z])
A.set_ang_vel(N, u1 * N.z)
B.set_ang_vel(N, u2 * N.z)

O = me.Point("O")
P = O.locatenew("P", l * A.x)
R = P.locatenew("R", l * B.x)
O.set_vel(N, 0)
P.v2pt_theory(O, N, A)
R.v2pt_theory(P, N, B)

particles = [me.Particle("ParP", P, m), me.Particle("ParR", R, m)]
kane = me.KanesMethod(N, q_ind=[q1, q2], u_ind=[u1, u2], kd_eqs=[q1.diff() - u1, q2.diff() - u2])
kane.kanes_equations(particles, loads=[(P, m * g * N.x), (R, m * g * N.x)])

constants = {l: 10.0, m: 10.0, g: 9.81}
initial_conditions = {q1: 0.1, q2: -0.1, u1: 0.0, u2: 0.0}
times = np.linspace(0.0, 5.0, 26)
