"""Systems for property-based tests: all of them can be derived, and a failing one is reduced to the smallest."""

import subprocess
import sys
from dataclasses import replace

from hypothesis import Phase, find, given, settings, strategies as st

from multibody.formalisms import Formalism, Recursive, derive
from multibody.model import Body, Joint, Prismatic
from multibody.model.kinematics import ZERO3
from multibody.testing.identities import IDENTITIES, inverse_undoes_forward
from multibody.testing.strategies import systems

quick = settings(phases=[Phase.generate, Phase.shrink], max_examples=100)
"""Without the search for an explanation, which takes much longer than all the rest."""


@settings(max_examples=8, phases=[Phase.generate])
@given(systems(max_bodies=3, sensors=True), st.integers(0, 3))
def test_all_systems_keep_all_identities(system, seed):
    eom = derive(system, Recursive())
    for identity in IDENTITIES:
        identity(eom, seed)
    assert set(eom.outputs) == set(system.sensors)


def plain(system):
    """Nothing that need not be: no offsets, no rotations, no gravity, unit masses."""
    frames = [frame for joint in system.all(Joint) for frame in (joint.parent, joint.child)]
    bodies = [body for body in system.all(Body) if body is not system.world]
    return (
        all(frame is frame.body for frame in frames)
        and all(float(x) == 0 for vector in (system.gravity, *(b.com for b in bodies)) for x in vector)
        and all(float(body.mass) == 1 for body in bodies)
        and all([float(x) for x in body.inertia.components()] == [1, 1, 1, 0, 0, 0] for body in bodies)
    )


def test_a_mechanism_is_reduced_to_two_bodies():
    """The smallest system with a sliding joint between two bodies."""

    def slides_on_a_body(system):
        return any(
            isinstance(joint.kind, Prismatic) and system.world not in (joint.parent.body, joint.child.body)
            for joint in system.all(Joint)
        )

    system = find(systems(3), slides_on_a_body, settings=quick)
    first, second = system.all(Joint)
    assert (first.parent, first.child) == (system.world, system["b1"])
    assert (second.parent, second.child) == (system["b1"], system["b2"])
    assert (repr(first.kind), second.kind.axis) == ("Elementary(movements=('Tx',))", "x")
    assert plain(system)
    assert not system.loads
    assert first.prescribed is second.prescribed is None
    assert repr(system).splitlines() == [
        "system mechanism",
        "  body b1: mass 1, inertia (1, 1, 1)",
        "  body b2: mass 1, inertia (1, 1, 1)",
        "  joint j1: world -> b1, Elementary(movements=('Tx',))",
        "  joint j2: b1 -> b2, Prismatic(axis='x')",
    ]


class Weightless(Formalism):
    """It forgets gravity."""

    def derive(self, model, handling=None):
        eom, light = (Recursive().derive(one, handling) for one in (model, replace(model, gravity=ZERO3)))
        return replace(eom, acceleration=light.acceleration)


def test_a_wrong_formalism_is_reduced_to_a_falling_stone():
    """A single body that can move in one direction, in which gravity is 1."""

    def fails(system):
        try:
            inverse_undoes_forward(Weightless().derive(system.freeze()))
        except AssertionError:
            return True
        return False

    system = find(systems(max_bodies=2, loads=False), fails, settings=quick)
    (joint,) = system.all(Joint)
    (direction,) = (f"T{axis}" for axis, g in zip("xyz", system.gravity, strict=True) if float(g) == 1)
    assert joint.kind.movements == (direction,)
    system.gravity = (0, 0, 0)
    assert plain(system)


@settings(max_examples=5, phases=[Phase.generate])
@given(systems(4, st.just("Rz"), loads=False, prescribed=False))
def test_what_there_may_be_can_be_chosen(system):
    assert {joint.kind.movements for joint in system.all(Joint)} == {("Rz",)}
    assert not any(joint.prescribed for joint in system.all(Joint))
    assert not system.loads
    assert not system.sensors


def test_hypothesis_is_needed_for_strategies_alone():
    code = "import sys, multibody.testing.identities; print('hypothesis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.strip() == "False"
