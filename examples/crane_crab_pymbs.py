"""The first example of the PyMbs manual, as it stands there: only the import is another one."""

# ruff: noqa: ERA001, F403, F405
# fmt: off

# import PyMbs
from multibody.compat.pymbs import *

# set up inertial frame
world=MbsSystem([0,0,-1])

# add inputs and parameters
F=world.addInput('DrivingForce', 'F')
m1=world.addParam('mass 1', 'm1', 1.0)
m2=world.addParam('mass 2', 'm2', 1.0)
l2=world.addParam('lengthOfRod 2', 'l2', 1.0)
I2=world.addParam('inertia 2', 'I2', m2*l2**2/12)

# add bodies
crab=world.addBody('Crab', mass=m1)
pend=world.addBody('Pendulum', mass=m2, inertia=diag([0,I2,0]))
pend.addFrame('joint', [0, 0, l2])
pend.addFrame('middle', [0, 0, l2/2], rotMat(pi/2,'x'))

# add joints
world.addJoint('TransCrab', world, crab, 'Tx', 1.0)
world.addJoint('RotPendulum', crab, pend.joint, 'Ry', -1.0)

# add load element and sensor
world.addLoad.PtPForce(crab, world, F)
world.addSensor.Distance(crab, world, 'd')

# add visualisation
world.addVisualisation.Box(crab, 1, 0.5, 0.1)
world.addVisualisation.Cylinder(pend.middle, 0.01, 1)
world.addVisualisation.Sphere(pend, 0.1)

# generate equations
world.genEquations(explicit=True)

# generate simulation code
world.genCode('mo', 'CraneCrab')
world.genCode('m', 'CraneCrab')
world.genCode('py', 'CraneCrab')

# show system
world.show('CraneCrab')
