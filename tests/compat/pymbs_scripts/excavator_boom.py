"""A boom that a hydraulic cylinder lifts."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])
F = world.addInput('force of the cylinder', 'F')

boom = world.addBody(120.0, [1.0, 0, 0], diag([0, 40.0, 0]), name='boom')
boom.addFrame('eye', [1.2, 0, 0])
world.addFrame('foot', [0, 0, -0.8])
barrel = world.addBody(0.0, name='barrel')
piston = world.addBody(0.0, name='piston')

world.addJoint(world, boom, 'Ry', -0.3, name='lift')
world.addJoint(world.foot, barrel, 'Ry', name='swing')
slide = world.addJoint(barrel, piston, 'Tx', 1.0, name='slide')
world.addLoop.ThreeBarTrans(boom.eye, piston)

length = world.addSensor.Joint('length', slide)
world.addLoad.Joint(F, slide)

world.addVisualisation.Line(boom, 1.2)
world.addVisualisation.Cylinder(barrel, 0.05, 0.4)

world.genEquations.Recursive()
world.show('ExcavatorBoom')
