"""Comparing formalisms: what is proved, what is measured, what is refused."""

from dataclasses import replace

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.formalisms import Recursive, comparison
from multibody.graph import log
from multibody.testing import random_system, random_tree
from multibody.testing.random_loops import random_loops

from .mechanisms import bennett

ALL = [mb.Recursive(), mb.ArticulatedBody(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange(), mb.Wittenburg(), mb.Modular()]


@pytest.mark.parametrize("seed", range(10))
def test_seven_formalisms_agree_on_random_trees(seed):
    found = mb.compare(random_tree(seed, 4), ALL)
    assert len(found.pairs) == 21
    assert found.proved


@pytest.mark.parametrize("seed", range(8))
def test_they_agree_with_loads_and_given_motions(seed):
    found = mb.compare(random_system(seed, 3), ALL)
    assert len(found.pairs) == 21
    assert found.agree(1e-9)


@pytest.mark.parametrize("handling", [None, mb.Multipliers(), mb.IndependentSpeeds()], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_they_agree_on_random_loops(seed, handling):
    takes = [one for one in ALL if not (isinstance(handling, mb.IndependentSpeeds) and one is ALL[1])]
    found = mb.compare(random_loops(seed, 4, 2), takes, constraints=handling)
    assert len(found.pairs) == len(takes) * (len(takes) - 1) // 2
    regular = all(one.equations.constraints.regular_at_start for one in found.derivations)
    assert found.proved if regular else found.agree(1e-9)  # redundant equations give way by a tiny amount


class Wrong(Recursive):
    """Accelerations that are off by a millionth."""

    def derive(self, model, handling=None):
        eom = super().derive(model, handling)
        return replace(eom, acceleration=tuple(a * (1 + 1e-6) for a in eom.acceleration))


def test_a_wrong_formalism_is_found_out():
    found = mb.compare(random_tree(1, 3), [mb.Kane(), Wrong()])
    assert not found.proved
    assert not found.agree()
    assert found.pairs[0].difference == pytest.approx(1e-6, rel=1e-3)
    assert "differ by 1.0e-06" in str(found)


def test_an_identity_that_is_not_known_is_measured():
    """log(a·b) = log(a) + log(b) is no identity of fingerprints; the numbers agree all the same."""
    system = mb.System("slider", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("b", 2), "Tx")
    system.load(mb.JointLoad(slide, -3 * slide.coordinate))

    class Roundabout(Recursive):
        def derive(self, model, handling=None):
            eom = super().derive(model, handling)
            a, (x,) = eom.acceleration[0], model.coordinates
            one, two = 1 + x * x, 2 + x * x
            return replace(eom, acceleration=(a + log(one * two) - log(one) - log(two),))

    found = mb.compare(system, [mb.Kane(), Roundabout()])
    assert not found.proved
    assert found.agree()


def test_equations_of_a_linkage_that_moves_by_its_special_lengths_are_compared_where_it_is_closed():
    """Where it is open they contradict each other: multipliers share the gap, independent speeds see some of it."""
    found = mb.compare(bennett(), [mb.Kane(), mb.Recursive()])
    assert found.agree(1e-11)
    assert not mb.compare(bennett(), [mb.Kane(), Wrong()]).agree(1e-8)


def test_accelerations_without_a_value_do_not_agree():
    """The logarithm of a negative number is not close to anything."""

    class Undefined(Recursive):
        def derive(self, model, handling=None):
            eom = super().derive(model, handling)
            first, *others = eom.acceleration
            return replace(eom, acceleration=(first + log(-1 - model.coordinates[0] ** 2), *others))

    for pair in ([mb.Kane(), Undefined()], [Undefined(), mb.Kane()]):
        found = mb.compare(random_tree(1, 2), pair)
        assert not found.agree(1e9)
        assert found.pairs[0].difference == float("inf")


def test_a_formalism_is_not_compared_with_itself():
    system = random_system(1, 2)
    with refused("formalism-twice", "Kane"):
        mb.compare(system, [mb.Kane(), mb.Recursive(), mb.Kane()])
    with refused("formalism-twice", "Lagrange"):
        mb.compare(system, [mb.Lagrange(), mb.Lagrange()])


def test_closed_states_are_found_once_for_all_pairs(monkeypatch):
    calls = []
    found = comparison.consistent
    monkeypatch.setattr(comparison, "consistent", lambda *args: [calls.append(args), found(*args)][1])
    assert len(mb.compare(bennett(), [mb.Recursive(), mb.Kane(), mb.NewtonEuler()]).pairs) == 3
    assert len(calls) == comparison.STATES


def test_a_formalism_that_refuses_says_so_in_the_table():
    system = mb.System("gears")
    a, b = (system.joint(n, system.world, system.body(n + "_w", 1, (0, 0, 0), (1, 1, 1)), "Rz") for n in "ab")
    system.loop(mb.Transmission(a, b, 2))
    found = mb.compare(system, [mb.Kane(), mb.ArticulatedBody(), mb.Lagrange()])
    assert found.proved
    assert found.derivations[1].equations is None
    assert "refused" in str(found)
    assert "<td>refused</td>" in found._repr_html_()


def test_speeds_of_the_users_choice_are_compared_in_those_of_the_joints():
    system = random_tree(3, 3)
    speeds = system.freeze().speeds
    chosen = {"w1": speeds[0] + 2 * speeds[1], "w2": speeds[1] - speeds[0]}
    found = mb.compare(system, [mb.Recursive(), mb.Kane(chosen), mb.Lagrange()])
    assert found.proved
    assert [u.name for u in found.derivations[1].equations.speeds[:2]] == ["w1", "w2"]
