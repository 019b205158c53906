"""A hoop that rolls on a slope without slipping: yaw, lean and spin, with generalized speeds along the leaning axes."""

import sympy as sm
import sympy.physics.mechanics as me

q1, q2, q3, u1, u2, u3 = me.dynamicsymbols("q1 q2 q3 u1 u2 u3")
r, m, g, slope = sm.symbols("r m g slope")

N = me.ReferenceFrame("N")
Y = N.orientnew("Y", "Axis", [q1, N.z])
L = Y.orientnew("L", "Axis", [q2, Y.x])
R = L.orientnew("R", "Axis", [q3, L.y])
w_R_N_qd = R.ang_vel_in(N)
R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)

C = me.Point("C")
C.set_vel(N, 0)
Dmc = C.locatenew("Dmc", r * L.z)
Dmc.v2pt_theory(C, N, R)

I = me.inertia(L, m * r**2 / 2, m * r**2, m * r**2 / 2)
kd = [me.dot(R.ang_vel_in(N) - w_R_N_qd, uv) for uv in L]
weight = m * g * (sm.sin(slope) * N.x - sm.cos(slope) * N.z)
body = me.RigidBody("hoop", Dmc, R, m, (I, Dmc))

method = me.KanesMethod(N, q_ind=[q1, q2, q3], u_ind=[u1, u2, u3], kd_eqs=kd)
method.kanes_equations([body], [(Dmc, weight)])

constants = {r: 0.35, m: 1.1, g: 9.81, slope: 0.2}
