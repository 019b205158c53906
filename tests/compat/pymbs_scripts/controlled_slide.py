"""A slide with a controller whose gains place its poles at -2 ± 3i; dry friction is balanced."""

# ruff: noqa: F403, F405
# fmt: off
from multibody.compat.pymbs import *

world = MbsSystem([0, 0, -1])
mass, friction = 3.0, 1.5

slide = world.addBody(mass, name='slide')
rail = world.addJoint(world, slide, 'Tx', 0.4, name='x')

# (s + 2)^2 + 9 = s^2 + d/m*s + k/m
gains = solve(Matrix([[1/mass, 0], [0, 1/mass]]), Matrix([13.0, 4.0]))


def controller(t, y, sensors):
    x, v = y
    return -float(gains[0])*x - float(gains[1])*v


F = world.addController('F', controller)
R = world.addExpression('R', friction*sign(der(rail.coord)))
world.addLoad.Joint(F - R + friction*sign(rail.vel), rail)

world.addVisualisation.Box(slide, 0.3, 0.2, 0.1)

world.genEquations.Recursive()
world.show('ControlledSlide')
