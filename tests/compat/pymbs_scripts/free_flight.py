"""A brick that is thrown, and turns on its way."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])

size = world.addParam('edges of the brick', 'size', [0.2, 0.1, 0.05])
m = world.addParam('m', 2.0)
I = [m/12*(size[1]**2 + size[2]**2), m/12*(size[0]**2 + size[2]**2), m/12*(size[0]**2 + size[1]**2)]

brick = world.addBody(m, inertia=diag(I), name='brick')
world.addJoint(world, brick, ['Tx', 'Ty', 'Tz', 'Rx', 'Ry', 'Rz'], [0, 0, 1, 0.1, 0.2, 0.3],
               [3, 0, 4, 1, 2, 3], name='flight')

world.addSensor.Position('r', world, brick)
world.addSensor.AngularVelocity('om', world, brick, brick)
world.addSensor.Energy('E', brick)

world.addVisualisation.Box(brick, 0.2, 0.1, 0.05)

world.genEquations.Recursive()
world.show('FreeFlight')
