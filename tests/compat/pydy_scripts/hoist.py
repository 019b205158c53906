"""A trolley with a load on a rope whose length a winch changes."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

s, r, th, vs, vr, w = me.dynamicsymbols("s r theta v_s v_r omega")
drive, pull = me.dynamicsymbols("F P")
M, m, J, R, g, c = sm.symbols("M m J R g c")

N = me.ReferenceFrame("N")
A = N.orientnew("A", "Axis", [th, N.z])
A.set_ang_vel(N, w * N.z)
O = me.Point("O")
O.set_vel(N, 0)
trolley = O.locatenew("T", s * N.x)
trolley.set_vel(N, vs * N.x)
hook = trolley.locatenew("H", -r * A.y)
hook.set_vel(N, trolley.vel(N) - vr * A.y + r * w * A.x)

drum = me.ReferenceFrame("D")
drum.set_ang_vel(N, -vr / R * N.z)  # its angle is not needed
bodies = [
    me.Particle("trolley", trolley, M), me.Particle("load", hook, m),
    me.RigidBody("drum", trolley, drum, 0, (me.inertia(N, 0, 0, J), trolley)),
]  # fmt: skip
loads = [(trolley, (drive - c * vs) * N.x), (hook, -m * g * N.y), (drum, pull * R * N.z)]
kane = me.KanesMethod(N, [s, r, th], [vs, vr, w], [s.diff() - vs, r.diff() - vr, th.diff() - w])
kane.kanes_equations(bodies, loads)

constants = {M: 300.0, m: 800.0, J: 4.0, R: 0.2, g: 9.81, c: 50.0}
initial_conditions = {r: 5.0, th: 0.1}
specifieds = {drive: lambda x, t: 400.0, pull: lambda x, t: 800.0 * 9.81 + 100.0 * np.sin(t)}
times = np.linspace(0.0, 4.0, 21)
