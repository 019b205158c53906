"""A rope as a chain of equal masses on links without mass."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])
n = 5
m, l = world.addParam('m', 0.3), world.addParam('l', 0.2)

hook = world
for k in range(n):
    link = world.addBody(m, [0, 0, -l], name='link_' + str(k + 1))
    link.addFrame('end', [0, 0, -l])
    world.addJoint(hook, link, 'Ry', name='q' + str(k + 1))
    world.addVisualisation.Sphere(link.end, 0.03)
    hook = link.end

world.genEquations.OrderN()
world.show('Rope')
