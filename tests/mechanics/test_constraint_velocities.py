"""Constraints of the user's own, whose position and velocity must belong to each other."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.algebra import ForceMotor, Vec3
from multibody.graph import ONE, ZERO, sin, time_derivative
from multibody.mechanics.validation import constraint_velocities
from multibody.model import Constraint, Equation, KnifeEdge
from multibody.model.constraints import DistanceConstraint
from multibody.model.constraints.contract import Wrench


class Own(Constraint):
    """Equations that are given as functions of the kinematics."""

    def __init__(self, *made):
        self.made = made

    def equations(self, kinematics):
        return [Equation(str(k), *one(kinematics)[::-1]) for k, one in enumerate(self.made)]

    @property
    def touches(self):
        return ()


def place(kinematics):
    x, y, z = kinematics.model.coordinates[:3]
    return (x, y, z), kinematics.model.speeds[:3]


def sphere(factor=1, power=1, drift=0):
    """A point at distance 2 from the origin, with a factor of the velocity, another shape of it, or a drift."""

    def made(kinematics):
        (x, y, z), (u, v, w) = place(kinematics)
        return x**2 + y**2 + z**2 - 4, factor * (x**power * u + y * v + z * w) + drift

    return made


def moving(rate):
    """A plane that moves with time: x = sin(t)."""

    def made(kinematics):
        (x, _, _), (u, _, _) = place(kinematics)
        return x - sin(kinematics.model.time), u - rate * time_derivative(sin(kinematics.model.time), {})

    return made


def exact(kinematics):
    (x, y, z), _ = place(kinematics)
    value = x * y - z
    return value, time_derivative(value, kinematics.model.flow())


def plane(kinematics):
    (_, _, z), (_, _, w) = place(kinematics)
    return z - 1, w


def unit_circle(kinematics):
    """x/r = y/r of the unit vector: the rate of the direction is that of x - y where r is what the sphere says."""
    (x, y, z), (u, v, _) = place(kinematics)
    return (x - y) / (x**2 + y**2 + z**2), (u - v) / 4


def sledge(kinematics):
    _, (u, v, _) = place(kinematics)
    return None, u - 2 * v


def circle_in_the_plane(kinematics):
    """Without z, which the plane holds."""
    (x, y, z), (u, v, _) = place(kinematics)
    return x**2 + y**2 + z**2 - 4, x * u + y * v


RIGHT = {
    "the rate": (exact,),
    "a factor": (sphere(3),),
    "half the rate": (sphere(0.5),),
    "the other sign": (sphere(-1),),
    "a factor of the place": (sphere(1), unit_circle),
    "sums of both": (lambda k: (exact(k)[0], exact(k)[1] + 2 * plane(k)[1]), plane),
    "what another one holds": (circle_in_the_plane, plane),
    "time": (moving(1),),
    "no position": (sledge,),
}
WRONG = {
    "another direction": (sphere(1, 2),),
    "a drift": (sphere(1, 1, 0.5),),
    "no drift": (moving(0),),
    "half the drift": (moving(0.5),),
    "one of two": (exact, sphere(1, 2)),
    "without z": (circle_in_the_plane,),
    "zero": (lambda k: (sphere(1)(k)[0], 0 * place(k)[1][0]),),
    "exchanged": (lambda k: (exact(k)[0], plane(k)[1]),),
}


def ball(*made, kind=Own):
    system = mb.System("ball", gravity=(0, 0, -9.81))
    body = system.body("stone", 2.0)
    system.joint("p", system.world, body, ["Tx", "Ty", "Tz"], q=[1.0, 1.0, 1.0])
    system.constraint(kind(*made), name="surface")
    return system


@pytest.mark.parametrize("name", RIGHT)
def test_velocities_that_belong_to_their_positions_are_accepted(name):
    system = ball(*RIGHT[name])
    assert mb.derive(system, mb.Lagrange()).speeds
    assert "constraint-velocity-inconsistent" not in {one.code for one in system.check().errors}


@pytest.mark.parametrize("name", WRONG)
def test_velocities_that_contradict_their_positions_are_refused(name):
    system = ball(*WRONG[name])
    model = system.freeze()
    uses = (mb.derive, mb.compare, mb.modular.from_system, mb.Kane().derive, mb.Recursive().derive)
    for use in uses:
        with refused("constraint-velocity-inconsistent", "surface"):
            use(model if use in uses[3:] else system)
    assert "constraint-velocity-inconsistent" in {one.code for one in system.check().errors}


class Longer(DistanceConstraint):
    """A rod whose λ is another one: inherited equations with a factor, and a force without one."""

    def equations(self, kinematics):
        (one,) = super().equations(kinematics)
        return [Equation(one.name, one.velocity * (1 + kinematics.model.coordinates[0]), one.position, one.wrench)]


class Scaled(DistanceConstraint):
    """A rod with the factor in the force as well."""

    def equations(self, kinematics):
        (one,) = super().equations(kinematics)
        factor = 1 + kinematics.model.coordinates[0]
        wrench = Wrench(one.wrench.frame, one.wrench.base, one.wrench.axis * factor)
        return [Equation(one.name, one.velocity * factor, one.position, wrench)]


class Skate(KnifeEdge):
    """A blade that pushes along instead of across."""

    def equations(self, kinematics):
        (one,) = super().equations(kinematics)
        push = ForceMotor(Vec3(ONE, ZERO, ZERO), Vec3(ZERO, ZERO, ZERO))
        return [Equation(one.name, one.velocity, None, Wrench(one.wrench.frame, one.wrench.base, push))]


class Slanted(DistanceConstraint):
    """A rod with the velocity of the last coordinate beside its own."""

    def equations(self, kinematics):
        (one,) = super().equations(kinematics)
        return [Equation(one.name, one.velocity + kinematics.model.speeds[2], one.position, one.wrench)]


def rod(kind):
    system = mb.System("rod", gravity=(0, 0, -9.81))
    body = system.body("stone", 2.0)
    system.joint("p", system.world, body, ["Tx", "Ty", "Tz"], q=[1.0, 1.0, 1.0])
    system.constraint(kind(system.world, body, system.parameter("l", 1.7)), name="rod")
    return system


def test_subclasses_of_constraints_of_the_package_are_looked_at():
    assert mb.derive(rod(Scaled)).speeds  # a factor is allowed
    with refused("constraint-wrench-inconsistent", "rod"):
        mb.derive(rod(Longer))
    assert "constraint-wrench-inconsistent" in {one.code for one in rod(Longer).check().errors}
    with refused("constraint-velocity-inconsistent", "rod"):
        mb.derive(rod(Slanted))


def test_a_constraint_whose_method_was_replaced_is_looked_at():
    system = rod(DistanceConstraint)
    constraint = system.constraints["rod"]
    wrong = Slanted(constraint.base, constraint.frame, system["l"].symbols)
    constraint.equations = wrong.equations
    with refused("constraint-velocity-inconsistent", "rod"):
        mb.derive(system)


@pytest.mark.parametrize("kind", [KnifeEdge, Skate])
def test_forces_of_constraints_of_velocities_are_looked_at(kind):
    system = mb.System("sledge", gravity=(0, 0, 0))
    body = system.body("body", 5.0, (0.2, 0, 0), (1, 1, 1))
    system.joint("p", system.world, body, ["Tx", "Ty", "Rz"])
    system.constraint(kind(system.world, body), name="blade")
    if kind is KnifeEdge:
        assert mb.derive(system).speeds
        return
    with refused("constraint-wrench-inconsistent", "blade"):
        mb.derive(system)


def test_turning_bodies_have_quaternions_of_length_one():
    """A direction of a free body that stays level; its velocity holds for unit quaternions only."""

    class Level(Constraint):
        touches = ()

        def __init__(self, wrong):
            self.wrong = wrong

        def equations(self, kinematics):
            body = kinematics.model.bodies[0]
            matrix = kinematics.pose(body).rotation.to_matrix().rows
            w = kinematics.velocity(body).resultant
            rate = matrix[2][1] * w.z - matrix[2][2] * w.y  # of z·x_B = R_20, with ω in the axes of the body
            return [Equation("", self.wrong * w.x + rate, matrix[2][0])]

    def free(wrong):
        system = mb.System("free")
        system.joint("m", system.world, system.body("b", 1.0, (0, 0, 0), (1, 2, 3)), mb.Free())
        system.constraint(Level(wrong), name="level")
        return system

    assert mb.derive(free(0)).speeds
    with refused("constraint-velocity-inconsistent", "level"):
        mb.derive(free(1))


def test_constraints_of_the_package_are_not_looked_at(monkeypatch):
    seen = []
    monkeypatch.setattr(constraint_velocities, "_contradicts", lambda found, name: seen.append(name))
    mb.derive(rod(DistanceConstraint))
    assert seen == []
    mb.compare(rod(Scaled), [mb.Kane(), mb.Lagrange(), mb.Recursive()])
    assert seen == ["rod"]  # once


def test_the_right_velocity_keeps_the_position():
    run = mb.simulate(mb.derive(ball(sphere(3))), 1.0, q={"p_tx": 1.0, "p_ty": 1.0, "p_tz": -np.sqrt(2)})
    radius = run["p_tx"] ** 2 + run["p_ty"] ** 2 + run["p_tz"] ** 2
    assert abs(radius - 4).max() < 1e-6
