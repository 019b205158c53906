"""Three particles on massless links on a cart, which a force moves."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

n = 3
q, u = me.dynamicsymbols(f"q:{n + 1}"), me.dynamicsymbols(f"u:{n + 1}")
f = me.dynamicsymbols("f")
m, l = sm.symbols(f"m:{n + 1}"), sm.symbols(f"l:{n}")
g, t = sm.symbols("g t")

I = me.ReferenceFrame("I")
O, P0 = me.Point("O"), me.Point("P0")
O.set_vel(I, 0)
P0.set_pos(O, q[0] * I.x)
P0.set_vel(I, u[0] * I.x)

points, particles = [P0], [me.Particle("Pa0", P0, m[0])]
forces = [(P0, f * I.x - m[0] * g * I.y)]
kindiffs = [q[0].diff(t) - u[0]]
for i in range(n):
    Bi = I.orientnew(f"B{i}", "Axis", [q[i + 1], I.z])
    Bi.set_ang_vel(I, u[i + 1] * I.z)
    Pi = points[-1].locatenew(f"P{i + 1}", l[i] * Bi.x)
    Pi.v2pt_theory(points[-1], I, Bi)
    points.append(Pi)
    particles.append(me.Particle(f"Pa{i + 1}", Pi, m[i + 1]))
    forces.append((Pi, -m[i + 1] * g * I.y))
    kindiffs.append(q[i + 1].diff(t) - u[i + 1])

kane = me.KanesMethod(I, q_ind=q, u_ind=u, kd_eqs=kindiffs)
kane.kanes_equations(particles, loads=forces)

constants = {g: 9.81, **dict.fromkeys(m, 0.4), **dict.fromkeys(l, 0.5)}
initial_conditions = {q[0]: 0.0, q[1]: 1.4, q[2]: 1.6, q[3]: 1.5}
specifieds = {f: lambda x, t: -0.5 * x[0] - 0.2 * x[4]}
times = np.linspace(0.0, 1.0, 21)
