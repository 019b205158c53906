"""A rotor in two gimbals, as a System of pin joints, with a torque on the rotor."""

import sympy as sm
import sympy.physics.mechanics as me

q1, q2, q3, u1, u2, u3 = me.dynamicsymbols("q1:4 u1:4")
T = me.dynamicsymbols("T")
J1, J2, A, C, b = sm.symbols("J1 J2 A C b")

frame, outer, inner, rotor = (me.RigidBody(name, mass=1) for name in ("frame", "outer", "inner", "rotor"))
outer.central_inertia = me.inertia(outer.frame, J1, J1, J1)
inner.central_inertia = me.inertia(inner.frame, J2, 2 * J2, J2)
rotor.central_inertia = me.inertia(rotor.frame, A, C, A)

method = me.System.from_newtonian(frame)
method.add_joints(
    me.PinJoint("outer", frame, outer, q1, u1, joint_axis=frame.z),
    me.PinJoint("inner", outer, inner, q2, u2, joint_axis=outer.x),
    me.PinJoint("spin", inner, rotor, q3, u3, joint_axis=inner.y),
)
method.add_loads(
    me.Torque(rotor, T * inner.y), me.Torque(inner, -T * inner.y), me.Torque(outer, -b * u1 * frame.z)
)  # fmt: skip
method.form_eoms()

constants = {J1: 0.02, J2: 0.008, A: 0.004, C: 0.007, b: 0.01}
specified = [T]
