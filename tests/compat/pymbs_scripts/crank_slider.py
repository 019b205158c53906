"""A crank, a connecting rod and a piston."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])

r = world.addParam('r', 0.2)
l = world.addParam('l', 0.7)

crank = world.addBody(1.0, [r/2, 0, 0], diag([0, 0.01, 0]), name='crank')
crank.addFrame('pin', [r, 0, 0])
piston = world.addBody(0.8, name='piston')
rod = world.addBody(0.5, [-l/2, 0, 0], diag([0, 0.02, 0]), name='rod')
rod.addFrame('pin', [-l, 0, 0])

world.addJoint(world, crank, 'Ry', 0.4, 12.0, name='turn')
world.addJoint(world, piston, 'Tx', 0.85, name='stroke')
world.addJoint(piston, rod, 'Ry', name='tilt')
world.addLoop.CrankSlider(crank.pin, rod.pin)

world.addSensor.Position('x', world, piston)

world.addVisualisation.Line(crank, 0.2)
world.addVisualisation.Line(rod, -0.7)
world.addVisualisation.Box(piston, 0.1, 0.1, 0.1)

world.genEquations.Recursive()
world.show('CrankSlider')
