"""A motor that lifts a load by a drum, through a gear."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])
world.conventions = 'program'

J = world.addParam('inertia of the motor', 'J', 0.02)
m = world.addParam('mass of the load', 'm', 30.0)
r = 0.1
torque = world.addInput('torque of the motor', 'M')

rotor = world.addBody(1.0, inertia=symmetric_matrix([0, 0, J, 0, 0, 0]), name='rotor')
load = world.addBody(m, name='load')

shaft = world.addJoint(world, rotor, 'Ry', name='shaft')
rope = world.addJoint(world, load, 'Tz', name='rope')
world.addLoop.Transmission(shaft, rope, r/5)
world.addLoad.Joint(torque, shaft)

world.addVisualisation.Cylinder(rotor, 0.1, 0.3)
world.addVisualisation.Box(load, 0.2, 0.2, 0.2)

world.genEquations.Recursive()
world.show('GearedFlywheels')
