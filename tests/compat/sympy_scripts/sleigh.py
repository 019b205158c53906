"""Chaplygin's sleigh: a body on ice with a blade that cannot go sideways; a nonholonomic constraint."""

import sympy as sm
import sympy.physics.mechanics as me

x, y, a, v, w, r = me.dynamicsymbols("x y a v w r")  # v along x, w along y, r the yaw rate
m, J, d, mu = sm.symbols("m J d mu")
T = me.dynamicsymbols("T")

N = me.ReferenceFrame("N")
A = N.orientnew("A", "Axis", [a, N.z])
A.set_ang_vel(N, r * N.z)
O = me.Point("O")
O.set_vel(N, 0)
G = O.locatenew("G", x * N.x + y * N.y)
G.set_vel(N, v * N.x + w * N.y)
blade = G.locatenew("K", -d * A.x)
blade.v2pt_theory(G, N, A)

sleigh = me.RigidBody("sleigh", G, A, m, (me.inertia(A, 0, 0, J), G))
method = me.KanesMethod(
    N, q_ind=[x, y, a], u_ind=[v, r], u_dependent=[w], kd_eqs=[x.diff() - v, y.diff() - w, a.diff() - r],
    velocity_constraints=[me.dot(blade.vel(N), A.y)], bodies=[sleigh], forcelist=[(A, T * N.z), (G, -mu * G.vel(N))],
)  # fmt: skip
method.kanes_equations()

constants = {m: 20.0, J: 3.0, d: 0.4, mu: 1.3}
specified = [T]
