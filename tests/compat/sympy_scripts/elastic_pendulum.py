"""A mass on a spring that swings in space, by Lagrange, with the drag of the air as a force."""

import sympy as sm
import sympy.physics.mechanics as me

s, a, b = q = me.dynamicsymbols("s a b")
m, k, l0, g, d = sm.symbols("m k l0 g d")

N = me.ReferenceFrame("N")
A = N.orientnew("A", "Axis", [a, N.z])
B = A.orientnew("B", "Axis", [b, A.y])
O = me.Point("O")
O.set_vel(N, 0)
P = O.locatenew("P", s * B.x)
P.set_vel(N, P.pos_from(O).dt(N))

bob = me.Particle("bob", P, m)
bob.potential_energy = k * (s - l0) ** 2 / 2 - m * g * P.pos_from(O).dot(N.x)

method = me.LagrangesMethod(me.Lagrangian(N, bob), q, forcelist=[(P, -d * P.vel(N))], bodies=[bob], frame=N)
method.form_lagranges_equations()

constants = {m: 0.5, k: 40.0, l0: 0.6, g: 9.81, d: 0.05}
at = {s: 0.7}
