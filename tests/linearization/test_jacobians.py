"""Derivatives of the dynamics against complex steps; CasADi's and JAX's values and derivatives against ours."""

from itertools import pairwise

import numpy as np
import pytest

import multibody as mb
from multibody.graph import Table, evaluate, less, maximum, sqrt, where
from multibody.linearization.derivatives.casadi_dynamics import casadi_function
from multibody.linearization.derivatives.jax_dynamics import jax_function
from multibody.linearization.derivatives.sparse_jacobians import jacobians
from multibody.testing import random_arguments, random_loops, random_system

STEP = 1e-30


def complex_step(eom, arguments, group):
    """∂ẋ/∂group, column by column, by evaluation with complex numbers."""
    symbols = {"q": eom.coordinates, "u": eom.speeds, "r": eom.inputs, "p": eom.parameters}
    known = {eom.model.time: arguments["t"]}
    for name, ones in symbols.items():
        known |= zip(ones, map(float, arguments[name]), strict=True)
    columns = [evaluate(eom.explicit_form(), {**known, one: known[one] + STEP * 1j}) for one in symbols[group]]
    rates = len(eom.coordinates) + len(eom.speeds)
    return np.array([[complex(x).imag / STEP for x in column] for column in columns]).reshape(-1, rates).T


def arguments_of(eom, seed=0):
    return random_arguments(eom.model, seed)._asdict()


def rich():
    """Loads of many kinds: a table, a choice, a root, a maximum; inputs and parameters."""
    system = mb.System("rich", gravity=(0, 0, -9.81))
    m, c = system.parameters(m=1.5, c=3.0)
    force = system.input("F")
    box = system.body("box", m)
    slide = system.joint("x", system.world, box, "Tx", q=0.3)
    hinge = system.joint("angle", box, system.body("pole", 0.4, (0, 0, -0.7), (0.01, 0.02, 0.01)), "Ry", q=0.5)
    x, v, a = slide.coordinate, slide.speed, hinge.coordinate
    spring = Table("spring", [-1.0, 0.0, 0.4, 1.0], [5.0, 0.0, -1.0, -9.0], "cubic")
    system.load(mb.JointLoad(slide, spring(x) + where(less(v, 0.1), -v, -c * v) + force))
    system.load(mb.JointLoad(hinge, -maximum(a, 0.2) * sqrt(1 + v * v) * mb.graph.cos(3 * system.time)))
    return mb.derive(system)


def ball():
    """A body on a ball joint with a quaternion."""
    system = mb.System("ball", gravity=(0, 0, -9.81))
    system.joint("turn", system.world, system.body("body", 1.0, (0.1, 0.2, -0.4), (0.1, 0.2, 0.25)), mb.Spherical())
    return mb.derive(system)


@pytest.mark.parametrize("seed", range(3))
def test_trees_against_complex_steps(seed):
    eom = mb.derive(random_system(seed, 3))
    arguments = arguments_of(eom, seed)
    slopes = jacobians(eom)
    for group in "qurp":
        found, expected = getattr(slopes, group), complex_step(eom, arguments, group)
        dense = found.dense(**arguments)
        assert dense.shape == expected.shape
        assert dense == pytest.approx(expected, rel=1e-9, abs=1e-9 * max(1.0, np.abs(expected).max(initial=0.0)))
        assert (found(**arguments).toarray() == dense).all()


def test_a_loop_against_complex_steps():
    eom = mb.derive(random_loops(2, 2), constraints=mb.Multipliers())
    arguments = arguments_of(eom, 3)
    for group in "qu":
        expected = complex_step(eom, arguments, group)
        size = np.abs(expected).max(initial=0.0)
        assert getattr(jacobians(eom), group).dense(**arguments) == pytest.approx(expected, rel=1e-7, abs=1e-8 * size)


def test_only_what_can_be_nonzero_is_stored():
    """In a chain of carts coupled by springs, each feels its neighbours only."""
    n = 12
    system = mb.System("train")
    joints = [system.joint(f"x{k}", system.world, system.body(f"cart{k}", 1.0), "Tx") for k in range(n)]
    for one, other in pairwise(joints):
        stretch = other.coordinate - one.coordinate
        system.load(mb.JointLoad(one, 5 * stretch**3))
        system.load(mb.JointLoad(other, -5 * stretch**3))
    slopes = jacobians(mb.derive(system)).q
    assert len(slopes.rows) == n + 2 * (n - 1)
    assert (abs(slopes.rows - n - slopes.columns) <= 1).all()


def test_casadi_and_its_derivatives():
    casadi = pytest.importorskip("casadi")
    for eom in (rich(), ball(), mb.derive(random_system(1, 2))):
        values = arguments_of(eom)
        x = np.concatenate([values["q"], values["u"]])
        f = casadi_function(eom)
        given = values["t"], x, values["r"], values["p"]
        rates = eom.state_rate(**values)
        expected = np.concatenate([np.ravel(rates.q_dot), np.ravel(rates.u_dot)])
        assert np.array(f(*given)).ravel() == pytest.approx(expected, rel=1e-12)
        t, state, r, p = (casadi.SX.sym(name, f.size1_in(k)) for k, name in enumerate("txrp"))
        slope = casadi.Function("slope", [t, state, r, p], [casadi.jacobian(f(t, state, r, p), state)])
        ours = jacobians(eom).x.dense(**values)
        assert np.array(slope(*given)) == pytest.approx(ours, rel=1e-9, abs=1e-9 * np.abs(ours).max())


def test_jax_and_its_derivatives():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        for eom in (rich(), ball()):
            values = arguments_of(eom)
            x = np.concatenate([values["q"], values["u"]])
            f = jax.jit(jax_function(eom))
            rates = eom.state_rate(**values)
            expected = np.concatenate([np.ravel(rates.q_dot), np.ravel(rates.u_dot)])
            given = values["t"], x, values["r"], values["p"]
            assert np.array(f(*given)) == pytest.approx(expected, rel=1e-12)
            slope = np.array(jax.jit(jax.jacfwd(f, argnums=1))(*given))
            ours = jacobians(eom).x.dense(**values)
            assert slope == pytest.approx(ours, rel=1e-9, abs=1e-9 * np.abs(ours).max())


def test_jax_compiles_and_takes_batches():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        eom = rich()
        values = arguments_of(eom)
        states = np.random.default_rng(1).normal(size=(5, 4))
        f = jax.jit(jax.vmap(jax_function(eom), in_axes=(None, 0, None, None)))
        found = np.array(f(values["t"], states, values["r"], values["p"]))
        for state, rate in zip(states, found, strict=True):
            expected = eom.state_rate(values["t"], state[:2], state[2:], values["r"], values["p"])
            assert rate == pytest.approx(np.concatenate([expected.q_dot, expected.u_dot]), rel=1e-12)


def test_tables_beyond_their_ends_and_at_their_points():
    casadi, jax = pytest.importorskip("casadi"), pytest.importorskip("jax")
    eom = rich()
    f = casadi_function(eom)
    p = [1.5, 3.0]
    with jax.enable_x64(True):
        g = jax.jit(jax_function(eom))
        for x in (-3.0, -1.0, 0.0, 0.4, 0.7, 1.0, 5.0):
            expected = eom.state_rate(0.0, [x, 0.5], [0.3, 0.0], [0.0], p).u_dot
            state = [x, 0.5, 0.3, 0.0]
            assert np.array(f(0.0, casadi.DM(state), 0.0, p)).ravel()[2:] == pytest.approx(expected, rel=1e-12)
            assert np.array(g(0.0, np.array(state), np.array([0.0]), np.array(p)))[2:] == pytest.approx(
                expected, rel=1e-12
            )
