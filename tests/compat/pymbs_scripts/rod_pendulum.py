"""A rod that swings about one of its ends, with code for Python."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])

m = world.addParam('mass of the rod', 'm', 1.5)
l = world.addParam('length of the rod', 'l', 0.8)
I = world.addParam('inertia of the rod', 'I', m*l**2/12)

rod = world.addBody('Rod', mass=m, cg=[0, 0, -l/2], inertia=diag([I, I, 0]))
rod.addFrame('middle', [0, 0, -l/2], rotMat(pi/2, 'x'))

world.addJoint('Swing', world, rod, 'Ry', 1.2)
world.addSensor.Energy('E', rod)

world.addVisualisation.Cylinder(rod.middle, 0.02, 0.8)

world.genEquations(explicit=True)
world.genCode('py', 'RodPendulum')
world.show('RodPendulum')
