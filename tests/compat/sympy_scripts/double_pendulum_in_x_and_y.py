"""A double pendulum in coordinates x and y of both masses, with multipliers for its two rods."""

import sympy as sm
import sympy.physics.mechanics as me

x1, y1, x2, y2 = q = me.dynamicsymbols("x1 y1 x2 y2")
m1, m2, l1, l2, g = sm.symbols("m1 m2 l1 l2 g", positive=True)

N = me.ReferenceFrame("N")
O = me.Point("O")
O.set_vel(N, 0)
P1, P2 = O.locatenew("P1", x1 * N.x + y1 * N.y), O.locatenew("P2", x2 * N.x + y2 * N.y)
for point in (P1, P2):
    point.set_vel(N, point.pos_from(O).dt(N))
masses = [me.Particle("M1", P1, m1), me.Particle("M2", P2, m2)]
rods = [sm.sqrt(x1**2 + y1**2) - l1, (x2 - x1) ** 2 + (y2 - y1) ** 2 - l2**2]

method = me.LagrangesMethod(
    me.Lagrangian(N, *masses), q, hol_coneqs=rods, forcelist=[(P1, m1 * g * N.x), (P2, m2 * g * N.x)], frame=N
)
method.form_lagranges_equations()

constants = {m1: 1.2, m2: 0.7, l1: 0.9, l2: 0.5, g: 9.81}
at = {x1: 0.8, y1: 0.41, x2: 1.2, y2: 0.7}
