"""Two point masses on strings without mass."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])

m1, m2 = world.addParam('m1', 1.0), world.addParam('m2', 0.6)
l1, l2 = world.addParam('l1', 0.9), world.addParam('l2', 0.7)

upper = world.addBody(m1, [0, 0, -l1], name='upper')
upper.addFrame('end', [0, 0, -l1])
lower = world.addBody(m2, [0, 0, -l2], name='lower')
lower.addFrame('end', [0, 0, -l2])

world.addJoint(world, upper, 'Ry', 0.5, name='a')
world.addJoint(upper.end, lower, 'Ry', -0.8, name='b')

for one in (upper, lower):
    world.addVisualisation.Sphere(one.end, 0.08)

world.genEquations.Explicit()
world.show('DoublePendulum')
