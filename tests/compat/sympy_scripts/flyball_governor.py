"""A governor: two balls on arms that spread as the shaft turns, and a sleeve on a spring; by Lagrange."""

import sympy as sm
import sympy.physics.mechanics as me

phi, th = q = me.dynamicsymbols("phi theta")
M = me.dynamicsymbols("M")
m, ms, l, e, J, k, g = sm.symbols("m m_s l e J k g")

N = me.ReferenceFrame("N")
S = N.orientnew("S", "Axis", [phi, N.z])
O = me.Point("O")
O.set_vel(N, 0)

bodies = []
for sign in (1, -1):
    ball = O.locatenew(f"ball{sign}", sign * (e + l * sm.sin(th)) * S.x - l * sm.cos(th) * S.z)
    ball.set_vel(N, ball.pos_from(O).dt(N))
    bodies.append(me.Particle(f"ball_{'ab'[sign < 0]}", ball, m))
    bodies[-1].potential_energy = -m * g * l * sm.cos(th)
sleeve = O.locatenew("sleeve", -2 * l * sm.cos(th) * N.z)
sleeve.set_vel(N, sleeve.pos_from(O).dt(N))
bodies.append(me.Particle("sleeve", sleeve, ms))
bodies[-1].potential_energy = -2 * ms * g * l * sm.cos(th) + k * (2 * l * (1 - sm.cos(th))) ** 2 / 2
shaft = me.RigidBody("shaft", O, S, 1, (me.inertia(S, 0, 0, J), O))

method = me.LagrangesMethod(
    me.Lagrangian(N, *bodies, shaft), q, forcelist=[(S, M * N.z)], bodies=[*bodies, shaft], frame=N
)
method.form_lagranges_equations()

constants = {m: 0.5, ms: 0.8, l: 0.3, e: 0.05, J: 0.02, k: 60.0, g: 9.81}
specified = [M]
