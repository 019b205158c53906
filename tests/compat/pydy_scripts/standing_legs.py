"""Lower leg, upper leg and torso above the ankle, with torques in the three joints."""

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

angles, rates = me.dynamicsymbols("theta1:4"), me.dynamicsymbols("omega1:4")
ankle, knee, hip = torques = me.dynamicsymbols("T_a T_k T_h")
lengths, coms = sm.symbols("l_L l_U"), sm.symbols("d_L d_U d_T")
masses, inertias, g = sm.symbols("m_L m_U m_T"), sm.symbols("I_L I_U I_T"), sm.Symbol("g")
names = ("lower_leg", "upper_leg", "torso")

inertial = me.ReferenceFrame("I")
frames, joint, parent = [], me.Point("A"), inertial
joint.set_vel(inertial, 0)
bodies, loads = [], []
for k, name in enumerate(names):
    frame = parent.orientnew(name[0].upper() + str(k), "Axis", (angles[k], parent.z))
    frame.set_ang_vel(parent, rates[k] * inertial.z)
    center = joint.locatenew(f"{name}_o", coms[k] * frame.y)
    center.v2pt_theory(joint, inertial, frame)
    bodies.append(me.RigidBody(name, center, frame, masses[k], (me.inertia(frame, 0, 0, inertias[k]), center)))
    loads.append((center, -masses[k] * g * inertial.y))
    above = torques[k + 1] if k < 2 else 0
    loads.append((frame, (torques[k] - above) * inertial.z))
    if k < 2:
        joint_above = joint.locatenew(f"J{k}", lengths[k] * frame.y)
        joint_above.v2pt_theory(joint, inertial, frame)
        joint, parent = joint_above, frame

kinematical = [rate - angle.diff() for angle, rate in zip(angles, rates, strict=True)]
kane = me.KanesMethod(inertial, angles, rates, kinematical)
kane.kanes_equations(bodies, loads)

values = (0.61, 0.42, 0.39, 0.19, 0.35, 6.8, 14.1, 45.0, 0.10, 0.24, 2.4, 9.81)
constants = dict(zip((*lengths, *coms, *masses, *inertias, g), values, strict=True))
initial_conditions = dict(zip(angles, np.deg2rad([2.0, -2.0, 2.0]), strict=True))
specifieds = {
    ankle: lambda x, t: -900.0 * x[0] - 200.0 * x[3], knee: lambda x, t: -700.0 * x[1] - 90.0 * x[4],
    hip: lambda x, t: -500.0 * x[2] - 60.0 * x[5],
}  # fmt: skip
times = np.linspace(0.0, 1.0, 11)
