"""A block on springs that carries a rod, which carries another one: joints, springs and dampers of a System."""

import sympy as sm
import sympy.physics.mechanics as me

q1, q2, q3, u1, u2, u3 = me.dynamicsymbols("q1 q2 q3 u1 u2 u3")
l, k, c, g, kt, mb, mr = sm.symbols("l k c g k_t m_b m_r", positive=True)
F = me.dynamicsymbols("F")

wall, block = me.RigidBody("wall"), me.RigidBody("block", mass=mb)
rods = [me.RigidBody(name, mass=mr) for name in ("upper", "lower")]
for rod in rods:
    rod.central_inertia = me.inertia(rod.frame, mr * l**2 / 12, 0, mr * l**2 / 12)

slider = me.PrismaticJoint("slider", wall, block, q1, u1, joint_axis=wall.x)
upper = me.PinJoint("upper", block, rods[0], q2, u2, child_point=l / 2 * rods[0].y, joint_axis=block.z)
lower = me.PinJoint(
    "lower", rods[0], rods[1], q3, u3, parent_point=-l / 2 * rods[0].y, child_point=l / 2 * rods[1].y,
    joint_axis=rods[0].z,
)  # fmt: skip

method = me.System.from_newtonian(wall)
method.add_joints(slider, upper, lower)
path = me.LinearPathway(wall.masscenter, block.masscenter)
method.add_actuators(
    me.LinearSpring(k, path), me.LinearDamper(c, path), me.TorqueActuator.at_pin_joint(-kt * q3, lower)
)
method.apply_uniform_gravity(-g * wall.y)
method.add_loads(me.Force(block, F * wall.x))
method.form_eoms()

constants = {l: 0.8, k: 30.0, c: 0.7, g: 9.81, kt: 1.5, mb: 2.0, mr: 0.6}
specified = [F]
at = {q1: 0.4}
