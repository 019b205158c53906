"""Mechanisms whose equations agree only where their loops are closed: what is proved, and what cannot be."""

import numpy as np
import pytest

import multibody as mb
from multibody.equations import Multipliers
from multibody.formalisms import comparison as module
from multibody.graph import all_same

from . import mechanisms

SOME = [mb.Recursive(), mb.Kane(), mb.Lagrange()]


@pytest.fixture(scope="module")
def bricard():
    return mechanisms.bricard().freeze()


@pytest.fixture(scope="module")
def compared(bricard):
    return mb.compare(bricard, SOME)


def test_pairs_with_different_handlings_say_why_a_proof_is_not_possible(compared):
    """Kane solves for independent speeds, the others for multipliers."""
    proved = {(pair.first, pair.second): pair.proved for pair in compared.pairs}
    assert proved == {("Recursive", "Kane"): False, ("Recursive", "Lagrange"): True, ("Kane", "Lagrange"): False}
    for pair in compared.pairs:
        assert bool(pair.reason) is not pair.proved
        assert pair.difference < 1e-12
    assert not compared.proved
    assert compared.agree(1e-12)
    text = str(compared)
    assert "differ by" not in text
    assert text.count("closed: ") == 4 + 1
    assert "With Multipliers() for both formalisms they are proved equal" in text.splitlines()[-1]


def test_the_reason_is_true(bricard, compared):
    """Accelerations are different functions, but with one handling the same ones; and M, B and γ are the same."""
    recursive, kane = (one.equations for one in compared.derivations[:2])
    assert not all_same(list(recursive.acceleration), list(kane.acceleration))
    alike = [mb.derive(bricard, one, constraints=Multipliers()) for one in SOME[:2]]
    assert all_same(list(alike[0].acceleration), list(alike[1].acceleration), points=2)
    for name in ("M", "B"):
        assert all_same(getattr(recursive, name), getattr(kane, name), points=2)
    assert all_same(list(recursive.constraints.gamma), list(kane.constraints.gamma), points=2)
    state = kane.consistent(u={kane.speeds[2].name: 1.0})
    off = state.q + 0.05 * np.arange(1, len(state.q) + 1)
    for q, same in ((state.q, True), (off, False)):  # closed, and not closed
        found = [np.asarray(one.forward_dynamics(0.0, q, state.u, [], [])) for one in (recursive, kane)]
        assert np.allclose(*found, rtol=1e-9, atol=1e-9) is same


def test_formalisms_that_differ_with_one_handling_get_no_reason(bricard, monkeypatch):
    """A formalism that makes a mistake is not excused."""

    class Wrong(mb.Kane):
        pass

    derived = module.derived

    def mistaken(model, formalism, constraints):
        made = derived(model, formalism, constraints)
        if isinstance(formalism, Wrong):
            object.__setattr__(made, "acceleration", tuple(1.00000001 * one for one in made.acceleration))
        return made

    monkeypatch.setattr(module, "derived", mistaken)
    (pair,) = mb.compare(bricard, [mb.Recursive(), Wrong()]).pairs
    assert not pair.proved
    assert not pair.reason
    assert module._verdict(pair).startswith("differ by")


def test_one_handling_for_all_is_proved(bricard):
    assert mb.compare(bricard, SOME, constraints=Multipliers()).proved
