"""A bead on a hoop that is turned about its vertical diameter by a motor, as a given function of time."""

import sympy as sm
import sympy.physics.mechanics as me

theta, psi = me.dynamicsymbols("theta psi")  # psi is given
t = me.dynamicsymbols._t
m, R, g, c = sm.symbols("m R g c")

N = me.ReferenceFrame("N")
H = N.orientnew("H", "Axis", [psi, N.z])
B = H.orientnew("B", "Axis", [theta, H.y])
O = me.Point("O")
O.set_vel(N, 0)
P = O.locatenew("P", -R * B.z)
P.v2pt_theory(O, N, B)

bead = me.Particle("bead", P, m)
bead.potential_energy = m * g * P.pos_from(O).dot(N.z)

method = me.LagrangesMethod(
    me.Lagrangian(N, bead), [theta], forcelist=[(P, -c * R * theta.diff(t) * -B.x)], bodies=[bead], frame=N
)
method.form_lagranges_equations()

constants = {m: 0.2, R: 0.3, g: 9.81, c: 0.02}
specified = [psi, psi.diff(t), psi.diff(t, 2)]
