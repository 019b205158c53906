"""Loads, sensors and energies together with equations of motion: what the energy loses is what friction takes."""

import numpy as np
import pytest
from tests.refusal import refused

from multibody.formalisms import derive
from multibody.graph import as_expr, is_zero, substitute, time_derivative
from multibody.model import (
    Acceleration,
    AngularMomentum,
    Bushing,
    CentralGravity,
    ConstraintForce,
    ConstraintTorque,
    Damper,
    Energy,
    Force,
    Free,
    JointDamper,
    JointLoad,
    JointSpring,
    LinearMomentum,
    Orientation,
    PointToPointForce,
    Revolute,
    Spring,
    System,
    Torque,
)

from .samples import proved, random_tree
from .test_loads import power


def along(equations, expression):
    """d/dt of an expression while the system moves as its equations say."""
    model = equations.model
    moving = {
        **dict(zip(model.coordinates, model.rates, strict=True)),
        **dict(zip(model.speeds, equations.acceleration, strict=True)),
    }
    return time_derivative(expression, {**moving, **dict.fromkeys(model.input_symbols, 0)})


@pytest.mark.parametrize("seed", range(3))
def test_energy_balance(seed):
    """d/dt (T + V) is the power of those loads that store nothing."""
    system = random_tree(seed, bodies=3, kinds={"a": "Rx", "b": "Tz", "c": Revolute((3, 4, 0)), "d": ["Ry", "Tx"]})
    tip, other = system["b2"].frame("tip", (0.3, 0.2, 0.5)), system["b0"].frame("other", (0, 1, 0))
    system.load(Spring(tip, other, 3, length=0.5))
    system.load(Bushing(system.world, tip, (1, 2, 3), torsion=(4, 5, 6)))
    system.load(CentralGravity(7, system.frame("planet", (9, 9, 9))))
    joint = system["j1"]
    system.load(JointSpring(joint, [2] * len(joint.speeds)))
    losing = [
        Damper(tip, other, 2),
        PointToPointForce(system.world, tip, system.input("F")),
        Force(tip, (1, 2, 3), expressed_in=system.world, reaction_on=other),
        Torque(tip, (1, 2, 3)),
        JointLoad(joint, [system.time] * len(joint.speeds)),
        JointDamper(joint, [3] * len(joint.speeds)),
    ]
    for load in losing:
        system.load(load)
    equations = derive(system)
    gained = along(equations, equations.kinetic_energy + equations.potential_energy)
    given = sum((power(load, equations.kinetics) for load in losing), start=as_expr(0))
    assert not is_zero(given)
    assert is_zero(gained - given)


def test_momentum_of_a_free_system():
    """Forces between bodies change neither momentum nor angular momentum about the centre of mass."""
    system = System("free", gravity=(0, 0, 0))
    one, two = (system.body(name, 2, (0.1, 0, 0), (1, 2, 2.5)) for name in ("one", "two"))
    system.joint("flight", system.world, one, Free("xyz"))
    hinge = system.joint("hinge", one.frame("end", (1, 0, 0)), two, "Rz")
    tip = two.frame("tip", (0, 1, 0))
    system.load(Spring(one, tip, 3, 1))
    system.load(Force(one, (1, 2, 3), at=(0, 1, 0), reaction_on=tip))
    system.load(Bushing(one, tip, 4, 5, 6, 7))
    system.load(JointLoad(hinge, 8))
    equations = derive(system)
    for sensor in (LinearMomentum(), AngularMomentum(), AngularMomentum(about="com")):
        assert proved(along(equations, sensor.measure(equations.kinetics)), 0)


def test_a_load_that_needs_constraint_forces_is_refused():
    system = System("circle")
    pin = system.joint("pin", system.world, system.body("bob", 1, (0, 0, -1)), "Ry")
    system.sensor("through", ConstraintForce(pin))
    system.load(JointLoad(pin, system.measured("through")[0]))
    with refused("load-depends-on-constraint-forces"):
        derive(system)


def test_sensors_compile():
    """Scalars, vectors, matrices and expressions of constraint forces come out of the compiled function."""
    system = System("compiled", gravity=(0, 0, -10))
    bob = system.body("bob", 2, (0, 0, -3))
    pin = system.joint("pin", system.world, bob, "Ry")
    system.sensor("through", ConstraintForce(pin))
    system.sensor("R", Orientation(bob))
    system.sensor("E", Energy())
    system.expression("double", 2 * system.measured("through"))
    found = derive(system).sensors(t=0.0, q=[0.0], u=[2.0], r=[], p=[])
    assert found["through"] == pytest.approx([0, 0, 2 * 10 + 2 * 3 * 4])
    assert found["double"] == pytest.approx([0, 0, 88])
    assert found["R"] == pytest.approx(np.eye(3))
    assert found["E"] == pytest.approx(36 - 60)


def test_constraint_forces_balance_a_body():
    """Newton and Euler for one body: what the joint transmits is what gravity and load leave over."""
    system = System("pendulum", gravity=(0, 0, -10))
    m, l, i = system.parameters(m=2.0, l=3.0, i=0.5)
    bob = system.body("bob", m, (0, 0, -l), (i, i, i))
    pin = system.joint("pin", system.world, bob, "Ry")
    push = system.load(Force(bob, (7, 8, 9), at=(0, 0, -l)))
    system.sensor("force", ConstraintForce(pin))
    system.sensor("torque", ConstraintTorque(pin, expressed_in=system.world))
    system.sensor("a", Acceleration(bob.frame("com", (0, 0, -l)), expressed_in=bob))
    equations = derive(system)
    outputs = equations.outputs
    weight = equations.kinetics.pose(bob).vector_to_child((0, 0, -10)) * m
    expected = [m * a - w - f for a, w, f in zip(outputs["a"], weight, push.components, strict=True)]
    assert proved(outputs["force"], expected)
    moving = dict(zip(equations.model.accelerations, equations.acceleration, strict=True))
    assert is_zero(substitute(outputs["torque"], moving)[1])  # nothing along the axis of a hinge without load
