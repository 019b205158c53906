"""Loops solved in closed form and by constraints: the same motion, and the same equilibria in all assembly postures."""

import numpy as np
import pytest

import multibody as mb
from multibody.linearization import equilibria
from multibody.linearization.trim.other_assemblies import dependent_values
from multibody.mechanics.coordinate_kinds import angles_of

from ..model.mechanisms import accelerations, assembled  # noqa: TID252

LOOPS = {"four_bar": 6, "four_bar_chain": 7, "crank_slider": 7, "cylinder": 5, "steering": 6}
"""Loops with one freedom and random dimensions, by their seeds."""


def positions(eom, found):
    """All coordinates of equilibria, dependent ones too; angles within one turn."""
    whole = eom.model.unreduced or eom.model
    turning = angles_of(whole)
    rows = []
    for one in found:
        values = {**one.state, **one.inputs, **one.parameters}
        if one.eom.model.unreduced is not None:
            values |= dependent_values(one.eom.model, values, 0.0)
        row = [values[q.name] for q in whole.coordinates]
        rows.append(
            np.concatenate(
                [(np.cos(x), np.sin(x)) if q in turning else (x,) for q, x in zip(whole.coordinates, row, strict=True)]
            )
        )
    return np.array(rows)


def same_set(first, second):
    """Whether every row of one is a row of the other, up to rounding."""
    apart = np.abs(first[:, None] - second[None, :]).max(axis=2)
    return len(first) == len(second) and (apart.min(axis=0) < 1e-5).all() and (apart.min(axis=1) < 1e-5).all()


@pytest.mark.parametrize("shape", LOOPS)
def test_equilibria_are_the_same_in_closed_form_and_by_constraints(shape):
    found = []
    for posture in (1, -1):
        _, model, _ = assembled(shape, LOOPS[shape], posture=posture)
        eom = mb.derive(model)
        several = equilibria(eom)
        found.append(positions(eom, several))
        assert any(one.eom is eom for one in several) or all(one.eom.model.unreduced is None for one in several)
    whole = mb.derive(model.unreduced)
    by_constraints = positions(whole, equilibria(whole))
    assert len(by_constraints) >= 2
    assert same_set(found[0], by_constraints)
    assert same_set(found[1], by_constraints)


@pytest.mark.parametrize("posture", [1, -1])
@pytest.mark.parametrize("shape", [*LOOPS, "cylinder_bar"])
def test_motions_are_the_same_in_closed_form_and_by_constraints(shape, posture):
    _, model, states = assembled(shape, 11, posture=posture)
    formalisms = [mb.Recursive(), mb.Lagrange()]
    solved, whole = mb.compare(model, formalisms), mb.compare(model.unreduced, formalisms)
    assert solved.proved
    assert whole.proved
    for values in states:
        one, other = (accelerations(part.derivations[0].equations, values) for part in (solved, whole))
        scale = max(map(abs, other.values()))
        assert max(abs(one[name] - other[name]) for name in one) < 1e-10 * scale


def test_sets_that_differ_are_told_apart():
    one = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert same_set(one, one[::-1])
    assert not same_set(one, one[:1])
    assert not same_set(one, one + np.array([[0, 0], [0, 1e-3]]))
