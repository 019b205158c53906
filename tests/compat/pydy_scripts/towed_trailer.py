"""A tractor on a plane with a trailer; neither the wheels of the tractor nor those of the trailer slip sideways."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

x, y, a, b = me.dynamicsymbols("x y alpha beta")
v, s, r, w = me.dynamicsymbols("v s r w")  # forward, sideways, yaw rate, rate of the trailer against the tractor
F, T = me.dynamicsymbols("F T")
m1, m2, J1, J2, h, l = sm.symbols("m1 m2 J1 J2 h l")

N = me.ReferenceFrame("N")
A = N.orientnew("A", "Axis", [a, N.z])
B = A.orientnew("B", "Axis", [b, A.z])
A.set_ang_vel(N, r * N.z)
B.set_ang_vel(A, w * N.z)
O = me.Point("O")
O.set_vel(N, 0)
P = O.locatenew("P", x * N.x + y * N.y)  # between the wheels of the tractor
P.set_vel(N, v * A.x + s * A.y)
hook = P.locatenew("H", -h * A.x)
hook.v2pt_theory(P, N, A)
axle = hook.locatenew("Q", -l * B.x)
axle.v2pt_theory(hook, N, B)

kd = [me.dot(P.pos_from(O).dt(N) - P.vel(N), axis) for axis in (N.x, N.y)]
kd += [a.diff() - r, b.diff() - w]
tractor = me.RigidBody("tractor", P, A, m1, (me.inertia(A, 0, 0, J1), P))
trailer = me.RigidBody("trailer", axle, B, m2, (me.inertia(B, 0, 0, J2), axle))
kane = me.KanesMethod(
    N, [x, y, a, b], [v, r], kd, u_dependent=[s, w], velocity_constraints=[s, me.dot(axle.vel(N), B.y)]
)
kane.kanes_equations([tractor, trailer], [(P, F * A.x), (A, T * N.z)])

constants = {m1: 900.0, m2: 400.0, J1: 700.0, J2: 300.0, h: 0.8, l: 2.0}
initial_conditions = {v: 2.0, b: 0.2, w: -2.0 * np.sin(0.2) / 2.0}
specifieds = {F: lambda x, t: 500.0, T: lambda x, t: 200.0 * np.sin(t)}
times = np.linspace(0.0, 2.0, 21)
