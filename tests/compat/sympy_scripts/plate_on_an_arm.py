"""A plate that turns about an arm, which swings about an axis across it: a toy whose motion is chaotic."""

import sympy as sm
import sympy.physics.mechanics as me

theta, phi, omega, alpha = me.dynamicsymbols("theta phi omega alpha")
mA, mB, lA, lB, w, h, g = sm.symbols("m_A m_B l_A l_B w h g")

N, A, B = (me.ReferenceFrame(name) for name in "NAB")
A.orient_axis(N, theta, N.y)
B.orient_axis(A, phi, A.z)
A.set_ang_vel(N, omega * N.y)
B.set_ang_vel(A, alpha * A.z)

No, Ao, Bo = me.Point("No"), me.Point("Ao"), me.Point("Bo")
No.set_vel(N, 0)
Ao.set_pos(No, lA * A.z)
Bo.set_pos(No, lB * A.z)
Ao.v2pt_theory(No, N, A)
Bo.v2pt_theory(No, N, A)

rod = me.RigidBody("rod", Ao, A, mA, (me.inertia(A, mA * lA**2 / 3, mA * lA**2 / 3, 0), Ao))
plate = me.RigidBody("plate", Bo, B, mB, (me.inertia(B, mB * h**2 / 12, mB * (w**2 + h**2) / 12, mB * w**2 / 12), Bo))

method = me.KanesMethod(
    N, [theta, phi], [omega, alpha], [theta.diff() - omega, phi.diff() - alpha], bodies=[rod, plate],
    forcelist=[(Ao, mA * g * N.z), (Bo, mB * g * N.z)],
)  # fmt: skip
method.kanes_equations()

constants = {mA: 0.01, mB: 0.1, lA: 0.075, lB: 0.12, w: 0.2, h: 0.1, g: 9.81}
