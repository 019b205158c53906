"""Equations in another process: the same code, and the same numbers to the last bit."""

import math
import pickle
import subprocess
import sys
import threading
from functools import cached_property
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import Table, sin, symbol, where
from multibody.simulation.contract import Status
from multibody.simulation.sweeps.shipping import packed, unpacked

from .runs import crane, linkage, parallelogram

CHILD = """
import pickle, sys
from multibody.simulation.sweeps.shipping import packed, unpacked
answers = [unpacked(task)() for task in pickle.load(sys.stdin.buffer)]
sys.stdout.buffer.write(packed(answers))
"""
ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"


def abroad(*tasks):
    """What functions without arguments return in a new process."""
    sent = pickle.dumps([packed(task) for task in tasks])
    done = subprocess.run([sys.executable, "-c", CHILD], input=sent, capture_output=True, check=False, timeout=400)
    assert done.returncode == 0, done.stderr.decode()
    return unpacked(done.stdout)


def pendulum():
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    m, l = system.parameters(m=2.0, l=1.5)
    system.joint("angle", system.world, system.body("bob", m, (0, 0, -l)), "Ry", q=0.3)
    return mb.derive(system)


def tabulated():
    """A spring from a table, and a stop that a condition switches on."""
    system = mb.System("tabulated")
    joint = system.joint("x", system.world, system.body("box", 1.7), "Tx", q=0.4)
    x, v = joint.coordinate, joint.speed
    spring = Table("spring", [-1.0, 0.0, 0.2, 1.0], [-30.0, 0.0, 4.0, 50.0], "cubic")
    system.load(mb.JointLoad(joint, -spring(x) - where((x > 0.5) & (v > 0), 300 * (x - 0.5) + 7 * v, sin(3 * v))))
    return mb.derive(system)


def panda():
    return mb.derive(mb.read_urdf(ROBOTS / "panda_description/urdf/panda.urdf").system)


MODELS = {
    "pendulum": pendulum,
    "crane": lambda: mb.derive(crane(), mb.Kane()),
    "four_bar": lambda: mb.derive(linkage()),
    "four_bar_by_lagrange": lambda: mb.derive(linkage(), mb.Lagrange()),
    "redundant": lambda: mb.derive(parallelogram()),
    "independent": lambda: mb.derive(linkage(), constraints=mb.IndependentSpeeds()),
    "tables_and_conditions": tabulated,
    "panda": panda,
    "wittenburg": lambda: mb.derive(crane(), mb.Wittenburg()),
    "articulated": lambda: mb.derive(crane(), mb.ArticulatedBody()),
}


def accelerations(eom):
    """At five random states."""
    rng = np.random.default_rng(5)
    p = list(eom.model.parameter_values().values())
    sizes = len(eom.coordinates), len(eom.speeds), len(eom.inputs)
    return np.array([eom.forward_dynamics(0.7, *[rng.normal(size=n) for n in sizes], p) for _ in range(5)])


@pytest.fixture(scope="module")
def equations():
    return {name: make() for name, make in MODELS.items()}


@pytest.fixture(scope="module")
def answers(equations):
    """What all models answer from one other process."""

    def task(eom, states):
        p = list(eom.model.parameter_values().values())
        return lambda: (
            [eom.forward_dynamics(0.7, *state, p) for state in states],
            eom.forward_dynamics.llvm,
            list(eom.acceleration),
            eom.M,
        )

    def states(eom):
        rng = np.random.default_rng(5)
        sizes = len(eom.coordinates), len(eom.speeds), len(eom.inputs)
        return [[rng.normal(size=n) for n in sizes] for _ in range(5)]

    return dict(zip(equations, abroad(*[task(eom, states(eom)) for eom in equations.values()]), strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_another_process_computes_the_same_bits(equations, answers, name):
    numbers, *_ = answers[name]
    assert np.isfinite(numbers).all()
    assert np.array(numbers).tobytes() == accelerations(equations[name]).tobytes()


@pytest.mark.parametrize("name", ["pendulum", "crane", "four_bar", "tables_and_conditions", "panda"])
def test_another_process_makes_the_same_code(equations, answers, name):
    """Where no other package has brought a part of the equations before, not even the order of operations differs."""
    assert answers[name][1] == equations[name].forward_dynamics.llvm


@pytest.mark.parametrize("name", MODELS)
def test_what_comes_back_from_another_process_is_ours(equations, answers, name):
    _, _, acceleration, M = answers[name]
    assert all(a is b for a, b in zip(acceleration, equations[name].acceleration, strict=True))
    assert all(mb.graph.same(a, b) for a, b in zip(M.flat, equations[name].M.flat, strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_in_one_process_expressions_are_the_same_objects(equations, name):
    eom = equations[name]
    arrived = unpacked(packed(eom))
    assert arrived is not eom
    assert all(a is b for a, b in zip(arrived.acceleration, eom.acceleration, strict=True))
    assert all(a is b for a, b in zip(arrived.coordinates, eom.coordinates, strict=True))


def test_a_package_does_not_depend_on_what_was_computed_before():
    eom = mb.derive(parallelogram())
    fresh = len(packed(eom))
    accelerations(eom)
    assert eom.reactions
    assert eom.mass_matrix.llvm
    assert abs(len(packed(eom)) - fresh) < 0.02 * fresh


def test_simulations_in_another_process_give_the_same_numbers(equations):
    """To rounding: what a process knows already may change the order of operations."""
    eom = equations["four_bar"]

    def run():
        return mb.simulate(eom, duration=0.5, samples=11)

    (there,) = abroad(lambda: run().y)
    np.testing.assert_allclose(there, run().y, rtol=1e-13, atol=1e-14)


def test_a_trajectory_travels(equations):
    eom = equations["crane"]
    run = mb.simulate(eom, duration=0.3, samples=7, inputs={"F": lambda t: math.sin(t)})
    arrived, energies = abroad(lambda: run, lambda: run["energy"])
    assert arrived.status is Status.DONE
    assert np.array_equal(arrived.y, run.y)
    assert np.array_equal(energies, run["energy"])
    assert arrived.eom.acceleration == eom.acceleration


def test_lambdas_take_what_they_close_over_along():
    gain, x, spring = 3.0, symbol("x"), Table("spring", [0.0, 1.0], [0.0, 5.0])
    law, table, y = abroad(lambda: gain * x, lambda: spring, lambda: mb.graph.evaluate(spring(x) * gain, {x: 0.5}))
    assert law is 3 * x
    assert isinstance(table, Table)
    assert y == 7.5


def test_symbols_of_two_systems_stay_two_and_one_stays_one():
    """Also across packages: a symbol is known by its system, its name and its kind."""
    one, other = symbol("m", "parameter", "one"), symbol("m", "parameter", "other")
    first, second = packed([one, other]), packed([one * 2, one])
    (found,) = abroad(lambda: [*unpacked(first), *unpacked(second)])
    assert found == [one, other, 2 * one, one]
    (same,) = abroad(lambda: (unpacked(first)[0] is unpacked(second)[1], unpacked(first)[0] is unpacked(first)[1]))
    assert same == (True, False)


class Controller:
    """Its gain is computed when it is first asked for, and may be set."""

    @cached_property
    def gain(self):
        return 1.0


def test_a_cached_property_of_the_user_that_was_set_travels():
    controller = Controller()
    controller.gain = 50.0
    assert unpacked(packed(controller)).gain == 50.0


def test_what_cannot_travel_is_named():
    with refused("object-not-sendable"):
        packed({"held": threading.Lock()})


def test_packages_of_another_version_are_refused(monkeypatch):
    data = packed(1)
    monkeypatch.setattr(mb, "__version__", "0.0.1")
    with refused("package-version-unknown"):
        unpacked(data)


def test_a_long_chain_and_a_deep_expression_need_no_deep_stack():
    system = mb.System("chain", gravity=(0, 0, -9.81))
    end = system.world
    for k in range(300):
        body = system.body(f"b{k}", 1, (0, 0, -0.5), (0.1, 0.1, 0.1))
        system.joint(f"q{k}", end, body, "Rx")
        end = body.frame(f"e{k}", (0, 0, -1))
    eom = mb.derive(system, mb.ArticulatedBody())
    assert unpacked(packed(eom)).acceleration == eom.acceleration
