"""A mass that hangs on a spring and a damper."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])

m = world.addParam('m', 2.0)
c = world.addParam('c', 50.0)
d = world.addParam('d', 4.0)
l0 = world.addParam('l0', 1.0)

body = world.addBody(m, name='weight')
world.addJoint(world, body, 'Tz', startVals=-1.0, name='z')
world.addSpringDamper(world, body, c, d, l0)

world.addSensor.Distance('l', world, body)

world.addVisualisation.Box(body, 0.2, 0.2, 0.2)
world.addVisualisation.Frame(world, 0.5)

world.genEquations.Recursive()
world.simulate([-1.0], 2.0, 'MassSpringDamper')
world.show('MassSpringDamper')
