"""SymPy's objects, imported: against SymPy's own numbers, published ones, and themselves while they move."""

from typing import Any

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me

import multibody as mb
from multibody.compat.sympy import from_sympy
from multibody.graph import evaluate

from . import sympy_objects as objects
from .sympy_numbers import our_rates, sympy_rates

t = me.dynamicsymbols._t


@pytest.fixture(scope="module")
def bicycle():
    written = objects.bicycle()
    return from_sympy(written.object, parameters=written.values)


def formed(written):
    """The object itself, after SymPy has formed its equations, which are not needed here otherwise."""
    if isinstance(written.object, me.System):
        written.object.form_eoms()
    return written.object


def state(eom, written, seed):
    rng = np.random.default_rng(seed)
    q, u = rng.normal(size=len(written.q)) / 2, rng.normal(size=len(written.u))
    if len(eom.constraints):
        free = [eom.speeds[k].name for k in eom.independent] or [eom.speeds[2].name]
        found = eom.consistent({eom.coordinates[0].name: q[0]}, dict(zip(free, u, strict=False)))
        q, u = np.array(found.q), np.array(found.u)
    return q, u, rng.normal(size=len(written.inputs))


MAKERS = {
    "chain": lambda: objects.pendulum_chain(3, spatial=True), "cart": objects.cart_pole,
    "disc_kane": objects.rolling_disc_kane, "disc_lagrange": objects.rolling_disc_lagrange,
    "four_bar": objects.four_bar,
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_rates_are_those_of_sympy(name):
    written = MAKERS[name]()
    eom = from_sympy(written.object, parameters=written.values)
    own = sympy_rates(formed(written), written.q, written.u, written.values, written.inputs)
    for seed in range(3):
        q, u, r = state(eom, written, seed)
        expected = own(q, u, r)[: len(q) + len(u)]
        assert np.abs(our_rates(eom, q, u, r) - expected).max() < 1e-10 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("name", MAKERS)
def test_a_formed_object_gives_the_same_as_one_that_is_not(name):
    written = MAKERS[name]()
    before = from_sympy(written.object, parameters=written.values)
    after = from_sympy(formed(written), parameters=written.values)
    q, u, r = state(before, written, 1)
    assert np.allclose(our_rates(before, q, u, r), our_rates(after, q, u, r), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("speed", "poles"),
    [  # Meijaard et al. 2007, table 2
        (0.0, [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393]),
        (1.0, [-7.11008014637442, -3.13423125066578, 3.52696170990070 - 0.80774027519930j]),
        (5.0, [-14.07838969279822, -0.32286642900409, -0.77534188219585 - 4.46486771378823j]),
    ],
)
def test_eigenvalues_of_the_bicycle(bicycle, speed, poles):
    found = mb.linearize(bicycle, at={"w3": -speed / 0.3, "w6": -speed / 0.35}).poles
    for pole in poles:
        assert np.abs(found - pole).min() < 1e-9


def test_the_speed_of_the_bicycle_stays_a_symbol(bicycle):
    """As in SymPy's manual, where every coordinate and speed is given, dependent ones too."""
    v = mb.graph.symbol("v")
    still = {one.name: 0 for one in (*bicycle.coordinates, *bicycle.speeds)}
    lin = mb.linearize_symbolic(bicycle, still | {"w3": -v / 0.3, "w6": -v / 0.35})
    found = lin.at(v=5.0).poles
    for pole in (-14.07838969279822, -0.32286642900409, -0.77534188219585 - 4.46486771378823j):
        assert np.abs(found - pole).min() < 1e-9


def test_the_bicycle_rides(bicycle):
    speed = 4.6  # between weave and capsize speed, where it is stable
    run = mb.simulate(bicycle, 5.0, u={"w3": -speed / 0.3, "w2": 0.5}, integrator=mb.DormandPrince8(rtol=1e-10))
    assert run.status.name == "DONE"
    assert abs(run["lean"][-1]) < 0.1 < np.abs(run["lean"]).max()
    assert run.statistics.energy_drift < 1e-8
    touch = bicycle.phi[0]  # of the front wheel and the ground
    known = {**dict(zip(bicycle.coordinates, run.q[-1], strict=True)), **bicycle.model.parameter_values()}
    assert abs(float(evaluate(touch, known))) < 1e-10


def test_the_holonomic_constraint_of_the_bicycle_is_not_counted_twice(bicycle):
    assert list(bicycle.model.constraints) == ["holonomic_1", "velocity_1", "velocity_2"]
    assert [one.name for one in bicycle.speeds[:3]] == ["w2", "w3", "w5"]


def test_a_run_is_that_of_scipy_with_sympys_equations():
    from scipy.integrate import solve_ivp

    written = objects.cart_pole()
    eom = from_sympy(written.object, parameters=written.values, start={"a": 2.0})
    run = mb.simulate(eom, 3.0, inputs={"F": 1.5}, integrator=mb.DormandPrince8(rtol=1e-11, atol=1e-12))
    own = sympy_rates(formed(written), written.q, written.u, written.values, written.inputs)
    found = solve_ivp(
        lambda _, x: own(x[:2], x[2:], [1.5]), (0, 3), [0, 2.0, 0, 0], rtol=1e-11, atol=1e-12, method="DOP853"
    )
    assert np.allclose([run[name][-1] for name in "xavw"], found.y[:, -1], atol=1e-8)


@pytest.mark.parametrize("name", ["chain", "cart", "disc_kane", "disc_lagrange", "four_bar"])
def test_energy_is_accounted_for(name):
    written = MAKERS[name]()
    eom = from_sympy(written.object, parameters=written.values)
    q, u, _ = state(eom, written, 2)
    inputs = {one.name: 1.2 for one in eom.inputs}
    run = mb.simulate(eom, 2.0, q=q, u=u, inputs=inputs, integrator=mb.DormandPrince8(rtol=1e-11, atol=1e-12))
    assert eom.energy_known
    assert run.statistics.energy_drift < 1e-8


def test_potential_energy_of_gravity_is_recognised():
    written = objects.pendulum_chain(1)
    eom = from_sympy(written.object, parameters=written.values)
    q1, (m, l, g) = eom.coordinates[0], written.values.values()
    for angle in (0.3, 2.0):
        known = {q1: angle, **eom.model.parameter_values()}
        assert np.isclose(evaluate(eom.potential_energy, known), -m * g * l / 2 * np.cos(angle))


def test_places_of_bodies():
    written = objects.pendulum_chain(2)
    eom = from_sympy(written.object, parameters=written.values)
    places = {one.name: one for one in eom.places}
    assert set(places) == {"ground", "rod1", "rod2"}
    known = {**dict(zip(eom.coordinates, (0.4, 0.5), strict=True)), **eom.model.parameter_values()}
    l = written.values[sm.Symbol("l")]
    centre = [float(evaluate(part, known)) for part in places["rod2"].position]
    assert np.allclose(centre, [l * np.cos(0.4) + l / 2 * np.cos(0.9), l * np.sin(0.4) + l / 2 * np.sin(0.9), 0])
    turned = np.array([float(evaluate(part, known)) for part in places["rod2"].rotation]).reshape(3, 3)
    assert np.allclose(turned[:, 0], [np.cos(0.9), np.sin(0.9), 0])
    assert float(evaluate(places["rod2"].mass, known)) == 0.7


def test_multipliers_are_those_of_sympy_with_the_opposite_sign():
    q1, q2 = me.dynamicsymbols("q1 q2")
    L, m = sm.symbols("L m")
    lagrangian = m * (q1.diff(t) ** 2 + q2.diff(t) ** 2) / 2 + m * 9.8 * q1  # gravity along q1
    method = me.LagrangesMethod(lagrangian, [q1, q2], hol_coneqs=[q1**2 + q2**2 - L**2])
    eom = from_sympy(method, parameters={m: 2.0, L: 1.5})
    found = eom.consistent({"q1": 1.2}, {"q2_dot": 0.7})
    x, y = found.q
    vx, vy = found.u
    expected = (19.6 * x + 2 * vx**2 + 2 * vy**2) / (4 * x**2 / 2.0 + 4 * y**2 / 2.0)  # SymPy's test suite
    values = list(eom.model.parameter_values().values())
    assert np.isclose(-np.ravel(eom.constraint_forces(0.0, found.q, found.u, (), values))[0], expected, rtol=1e-12)


def test_exports_and_linear_models_of_an_imported_model(tmp_path):
    written = objects.cart_pole()
    eom = from_sympy(written.object, parameters=written.values)
    lin = mb.linearize(eom, at={"a": np.pi})
    assert lin.poles.real.max() > 0  # it stands upside down
    mb.export(eom, mb.Python(), tmp_path)
    exported: dict[str, Any] = {}
    exec((tmp_path / "model.py").read_text(), exported)  # it was written a line above
    y = [0.1, 0.7, -0.3, 0.4]
    assert np.allclose(exported["der_state"](0.0, y, [2.0]), our_rates(eom, y[:2], y[2:], [2.0]), rtol=1e-12)
