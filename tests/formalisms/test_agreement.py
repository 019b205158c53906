"""Identities on random trees: formalisms against each other, forward against inverse, energy against mass matrix."""

import numpy as np
import pytest

from multibody.formalisms import ArticulatedBody, Recursive, derive
from multibody.graph import directional, is_zero, same, substitute
from multibody.testing import KINDS, random_state, random_tree


@pytest.mark.parametrize("seed", range(12))
def test_articulated_body_is_proved_equal_to_recursive(seed):
    model = random_tree(seed, 4).freeze()
    one, other = Recursive().derive(model), ArticulatedBody().derive(model)
    assert len(one.acceleration) == len(model.speeds)
    assert all(same(a, b, points=2) for a, b in zip(one.acceleration, other.acceleration, strict=True))


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_every_joint_kind_at_the_root_and_at_the_tip(kind):
    model = random_tree(kind, 3, [KINDS[kind], KINDS[0]]).freeze()
    one, other = derive(model, Recursive()), derive(model, ArticulatedBody())
    q, u = random_state(model, kind)
    a = one.forward_dynamics(0.0, q, u, [], [])
    np.testing.assert_allclose(
        other.forward_dynamics(0.0, q, u, [], []), a, rtol=1e-10, atol=1e-10 * abs(a).max(initial=1)
    )
    residual = one.inverse_dynamics(0.0, q, u, [], [], a)
    np.testing.assert_allclose(residual, 0, atol=1e-10 * max(1, abs(a).max(initial=1)))


@pytest.mark.parametrize("seed", range(6))
def test_forms_agree(seed):
    model = random_tree(seed, 5).freeze()
    eom = derive(model, Recursive())
    q, u = random_state(model, seed)
    arguments = (0.0, q, u, [], [])
    mass, bias, a = eom.mass_matrix(*arguments), eom.bias(*arguments), eom.forward_dynamics(*arguments)
    np.testing.assert_allclose(mass, mass.T)
    assert np.linalg.eigvalsh(mass).min() > 0
    np.testing.assert_allclose(mass @ a + bias, 0, atol=1e-9 * np.abs(bias).max())
    matrix, right = eom.combined_form()
    n = len(model.coordinates)
    assert matrix.shape == (n + len(u), n + len(u))
    assert all(same(x, y) for x, y in zip(right[:n], eom.rates, strict=True))
    rates = eom.state_rate(*arguments)
    np.testing.assert_allclose(rates.u_dot, a)
    assert all(
        is_zero(rate - sum(row * u for row, u in zip(rows, model.speeds, strict=True)) - nu)
        for rate, rows, nu in zip(eom.rates, eom.N, eom.nu, strict=True)
    )


@pytest.mark.parametrize("seed", range(6))
def test_kinetic_energy_is_half_u_m_u_and_power_balances(seed):
    model = random_tree(seed, 4).freeze()
    eom = derive(model, Recursive())
    half = sum(
        a * m * b for a, row in zip(model.speeds, eom.M, strict=True) for m, b in zip(row, model.speeds, strict=True)
    )
    assert is_zero(eom.kinetic_energy - half / 2)
    rates = {
        **dict(zip(model.coordinates, eom.rates, strict=True)),
        **dict(zip(model.speeds, model.accelerations, strict=True)),
    }
    power = directional(eom.kinetic_energy + eom.potential_energy, rates)
    known = dict(zip(model.accelerations, eom.acceleration, strict=True))
    q, u = random_state(model, seed)
    function = eom.function("balance", {"power": substitute(power, known), "energy": eom.kinetic_energy})
    result = function(0.0, q, u, [], [])
    assert abs(result.power) < 1e-9 * max(1.0, abs(result.energy)) * max(1.0, np.abs(u).max())


def test_momentum_of_a_free_system_is_conserved():
    from multibody.model import Free, System

    system = System("satellite", gravity=(0, 0, 0))
    hub = system.body("hub", 3.0, (0.1, 0, 0), (1.0, 2.0, 2.5))
    panel = system.body("panel", 1.0, (0.5, 0.1, 0), (0.1, 0.3, 0.35))
    system.joint("flight", system.world, hub, Free())
    system.joint("hinge", hub.frame("edge", (0.3, 0, 0)), panel, "Ry")
    eom = derive(system)
    model = eom.model
    rates = {
        **dict(zip(model.coordinates, eom.rates, strict=True)),
        **dict(zip(model.speeds, eom.acceleration, strict=True)),
    }
    momenta = [*eom.linear_momentum, *eom.angular_momentum]
    change = eom.function("change", {"rate": directional(momenta, rates)})
    q, u = random_state(model, 3)
    np.testing.assert_allclose(change(0.0, q, u, [], []), 0, atol=1e-12)


def test_the_default_is_the_cheaper_formalism():
    short = derive(random_tree(0, 3, [KINDS[0]], chain=True))
    long = derive(random_tree(0, 20, [KINDS[0]], chain=True))
    assert (short.formalism, long.formalism) == ("Recursive", "ArticulatedBody")


def test_the_cost_hardly_depends_on_what_else_is_alive():
    model = random_tree(5, 4, chain=True).freeze()
    alone = sum(derive(model, ArticulatedBody()).forward_dynamics.operations.values())
    other = derive(model, Recursive())
    again = sum(derive(model, ArticulatedBody()).forward_dynamics.operations.values())
    assert abs(again - alone) < 0.01 * alone  # constants of the other derivation may be found
    assert abs(sum(other.forward_dynamics.operations.values()) - alone) > 0.01 * alone
