"""A ball that bounces off an elastic floor."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *
from multibody.compat.pymbs import If, Less

world = MbsSystem([0, 0, -1])

m, c = world.addParam('m', 0.5), world.addParam('c', 2000.0)

ball = world.addBody(m, name='ball')
fall = world.addJoint(world, ball, 'Tz', 1.0, name='z')
height = world.addSensor.Position('h', world, ball)
N = world.addExpression('N', If(Less(height[2], 0), -c*height[2], 0))
world.addLoad.CmpForce([0, 0, N], ball, world, CSref=world)

world.addVisualisation.Sphere(ball, 0.1)

world.genEquations.Recursive()
world.show('BouncingBall')
