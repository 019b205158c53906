"""Random trees and loops: A, B, C, D against complex steps and against differences of the compiled equations."""

import numpy as np
import pytest

import multibody as mb
from multibody import library
from multibody.graph import substitute
from multibody.linearization import linearize, linearize_symbolic
from multibody.linearization.derivatives.signals import output_signals
from multibody.testing.instant import StateValues
from multibody.testing.random_loads import add_random_loads
from multibody.testing.random_loops import random_loops
from multibody.testing.random_models import random_system
from multibody.testing.random_values import random_arguments

from ..formalisms import mechanisms  # noqa: TID252


def close(found, expected, size=0.0, tolerance=1e-10):
    scale = max(1.0, np.abs(expected).max(initial=0.0), np.abs(size).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def at_random(eom, seed):
    """A point with random values of everything, by name."""
    t, *values = random_arguments(eom.model, seed)
    groups = (eom.coordinates, eom.speeds, eom.inputs, eom.parameters)
    q, u, r, p = ({s.name: float(x) for s, x in zip(g, v, strict=True)} for g, v in zip(groups, values, strict=True))
    return {"at": q | u | r, "parameters": p, "t": float(t)}


@pytest.mark.parametrize("seed", range(8))
def test_trees_against_complex_steps(seed):
    """∂(q̇, u̇)/∂x and ∂y/∂x of the explicit equations, along deviations that keep quaternions at unit length."""
    eom = mb.derive(random_system(seed, 3, sensors=4))
    lin = linearize(eom, **at_random(eom, seed))
    point = lin.point
    now = StateValues.of(eom, (point.t, point.q, point.u, point.r, point.p))
    state = [*eom.coordinates, *eom.speeds]
    rows = [[one.name for one in state].index(name) for name in lin.states]
    rates = [*eom.rates, *eom.acceleration]
    known = dict(zip(eom.model.accelerations, eom.acceleration, strict=True))
    measured = [substitute(one.value, known) for one in output_signals(eom, None)]
    by_state, by_input = now.jacobian(rates, state), now.jacobian(rates, eom.inputs)
    close(lin.A, (by_state @ lin.tangent)[rows], by_state)
    close(lin.B, by_input[rows], by_state)
    by_state, by_input = (now.jacobian(measured, part) for part in (state, eom.inputs))
    close(lin.C, by_state @ lin.tangent, by_state)
    close(lin.D, by_input, by_state)
    for places in eom.model.quaternions:
        close(point.q[places] @ lin.tangent[places], 0.0)


def moved(eom, lin, deviations):
    """The rates of the independent states, after some of these were moved and the rest followed."""
    names = [one.name for one in (*eom.coordinates, *eom.speeds)]
    point, n = lin.point, len(eom.coordinates)
    x = np.concatenate([point.q, point.u])
    for name, step in deviations.items():
        x[names.index(name)] += step
    state = eom.consistent(x[:n], x[n:], fixed=lin.states, tolerance=1e-13)
    arguments = point.t, state.q, state.u, point.r, point.p
    rate = eom.state_rate(*arguments)
    rates = np.concatenate([np.atleast_1d(rate.q_dot), np.atleast_1d(rate.u_dot)])
    return rates[[names.index(name) for name in lin.states]]


@pytest.mark.parametrize("seed", [2, 11, 18, 22])
def test_loops_against_differences(seed):
    """Independent states are moved by ±h, the loops closed again, and the compiled equations evaluated."""
    system = random_loops(seed, 4, loops=2)
    add_random_loads(system, seed, 3)
    eom = mb.derive(system)
    assert len(eom.constraints)
    state = eom.consistent(u=np.random.default_rng(seed).normal(size=len(eom.speeds)))
    lin = linearize(eom, state)
    step = 1e-5
    columns = [moved(eom, lin, {name: step}) - moved(eom, lin, {name: -step}) for name in lin.states]
    close(lin.A, np.transpose(columns) / (2 * step), tolerance=3e-7)
    compiled = eom.forward_dynamics(0.0, lin.point.q, lin.point.u, lin.point.r, lin.point.p)
    close(lin.point.acceleration, compiled)


@pytest.mark.parametrize("seed", [5, 9])
def test_formalisms_agree(seed):
    """The linear system does not depend on the formalism, or on the handling of constraints."""
    system = random_loops(seed, 4)
    first, second = mb.derive(system), mb.derive(system, mb.Kane(), constraints=mb.IndependentSpeeds())
    state = first.consistent()
    close(linearize(first, state).A, linearize(second, state).A)


def test_repeated_points_are_compiled_and_stay_the_same():
    eom = mb.derive(random_system(3, 2, sensors=2))
    point = at_random(eom, 3)
    first, *others = (linearize(eom, **point) for _ in range(6))
    for other in others:
        for name in "ABCD":
            np.testing.assert_allclose(getattr(other, name), getattr(first, name), rtol=1e-10, atol=1e-10)


OVERCONSTRAINED = {"bennett": mechanisms.bennett, "bricard": mechanisms.bricard}
LINKAGES = OVERCONSTRAINED | {"andrews": mechanisms.andrews, "spatial four-bar": library.spatial_four_bar}


@pytest.mark.parametrize("build", OVERCONSTRAINED.values(), ids=OVERCONSTRAINED)
def test_overconstrained_linkages_against_differences(build):
    """More equations act than are independent, and gaps shrink with the square of the distance: fewer digits."""
    eom = mb.derive(build())
    lin = linearize(eom)
    step = 1e-3
    columns = [moved(eom, lin, {name: step}) - moved(eom, lin, {name: -step}) for name in lin.states]
    close(lin.A, np.transpose(columns) / (2 * step), tolerance=1e-4)


@pytest.mark.parametrize("build", LINKAGES.values(), ids=LINKAGES)
def test_linkages_with_symbols_and_with_numbers(build):
    """Constants that are nothing but rounding are no pivots."""
    eom = mb.derive(build())
    first = eom.speeds[0].name
    expected = linearize(eom, {first: 0.7}, independent=[first])
    found = linearize_symbolic(eom, free=[first], independent=[first]).at(**{first: 0.7})
    assert found.states == expected.states
    close(found.A, expected.A)
    close(found.C, expected.C)
    point = expected.point
    B = eom.function("B", {"B": eom.B})(point.t, point.q, point.u, point.r, point.p)
    close(B.T @ found.point.multipliers, B.T @ point.multipliers)  # by symbols, redundant equations have no forces
