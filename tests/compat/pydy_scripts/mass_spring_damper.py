"""A mass on a spring and a damper, pushed by a force; PyDy's first steps."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

mass, stiffness, damping, gravity = sm.symbols("m, k, c, g")
position, speed, force = me.dynamicsymbols("x v F")

ceiling = me.ReferenceFrame("N")
origin = me.Point("origin")
origin.set_vel(ceiling, 0)
center = origin.locatenew("center", position * ceiling.x)
center.set_vel(ceiling, speed * ceiling.x)
block = me.Particle("block", center, mass)

total = mass * gravity - stiffness * position - damping * speed + force
kane = me.KanesMethod(ceiling, q_ind=[position], u_ind=[speed], kd_eqs=[speed - position.diff()])
kane.kanes_equations([block], loads=[(center, total * ceiling.x)])

constants = {mass: 1.0, stiffness: 4.0, damping: 0.2, gravity: 9.8}
initial_conditions = {position: 0.1, speed: -1.0}
specifieds = {force: lambda x, t: np.sin(2 * t)}
times = np.linspace(0.0, 2.0, 21)
