"""Identities that are false, and values of parameters for which a linear model does not hold."""

import numpy as np
import pytest

import multibody as mb
from multibody import modular
from multibody.errors import ModelError

VALUES = {"m": 1.0, "g": 9.81, "l": 1.0}


def cartesian(identities=(), parameters=VALUES, **options):
    """A pendulum in x and y."""
    return modular.subsystem(
        "S", {0: "x y", 1: "vx vy"}, {"vx": "-m*vx_dot", "vy": "-m*g - m*vy_dot"}, kinematics={"x": "vx", "y": "vy"},
        constraints={"rod": "x**2 + y**2 - l**2"}, parameters=parameters, start={"y": -1.0}, identities=identities,
        independent="vx x", **options,
    )  # fmt: skip


TRUE = [
    "x**2 + y**2 = l**2",
    "x*vx = -y*vy",
    "vx**2*x**2 = vy**2*y**2",
    "(x + y)**2 = l**2 + 2*x*y",
    "y = -sqrt(l**2 - x**2)",
]
FALSE = [
    "x**2 + y**2 = 2*l**2",
    "x*vx = y*vy",
    "vx = 0",
    "x = 0",
    "x**2 + y**2 = l",
    "y = sqrt(l**2 - x**2)",
    "l = 2*l",
]


@pytest.mark.parametrize("identity", TRUE)
@pytest.mark.parametrize("values", [VALUES, "m g l"], ids=["values", "symbols"])
def test_identities_that_hold_where_constraints_are_kept_are_taken(identity, values):
    if values is not VALUES and "sqrt" in identity:
        values = {**VALUES, "m": None}
    assert len(cartesian([identity], values).identities) == 1


@pytest.mark.parametrize("identity", FALSE)
def test_identities_that_are_false_are_refused(identity):
    values = {**VALUES, "l": 1.5} if identity.endswith("= l") else VALUES
    with pytest.raises(ModelError, match="does not hold") as caught:
        cartesian([identity], values)
    assert "on one side" in caught.value.cause


def test_identities_at_a_level_are_tested_with_the_constraints_of_its_parts():
    parts = [cartesian().renamed(name, suffix=f"_{name}", shared="m g l") for name in "ab"]
    tie = {"tie": "x_a - x_b"}
    made = modular.couple("T", parts, tie, identities=[("y_a**2", "y_b**2"), ("x_a*x_b + y_a**2", "l**2")])
    assert len(made.identities) == 2
    with pytest.raises(ModelError, match="does not hold"):
        modular.couple("T", parts, tie, identities=[("x_a", "y_b")])
    with pytest.raises(ModelError, match="does not hold"):
        modular.couple("T", parts, identities=[("y_a**2", "y_b**2")])  # without the tie


def test_identities_of_parameters_are_tested_by_their_values():
    system = cartesian(parameters={**VALUES, "k": 2.0, "c": None})
    assert modular.linearize(system, {"y": "-l"}, identities={"k": "2*m"}).identities
    assert modular.linearize(system, {"y": "-l"}, identities={"c": "m"}).identities  # c has no value yet
    with pytest.raises(ModelError, match="does not hold"):
        modular.linearize(system, {"y": "-l"}, identities={"k": "m"})
    with pytest.raises(ModelError, match="does not hold"):
        modular.linearize(system, {"y": "-l"}, identities={"k": "2*m"}, parameters={"k": 3.0})


def test_a_linear_model_refuses_values_for_which_its_reference_is_no_motion():
    """The reference y = -1 is that of a rod of length 1."""
    lin = modular.linearize(cartesian(), {"y": "-1"})
    eom = lin.equations()
    run = mb.simulate(eom, 1.0, q={"x": 0.01})
    assert run["x"][-1] == pytest.approx(0.01 * np.cos(np.sqrt(9.81)), abs=1e-7)
    for use in (lambda p: mb.simulate(eom, 1.0, parameters=p), lambda p: mb.linearize(eom, parameters=p)):
        with pytest.raises(ModelError, match="1 - l\\*\\*2 should be zero with l = 2") as caught:
            use({"l": 2.0})
        assert caught.value.cause == "It violates the constraint 'rod' of 'S'."
        use({"l": 1.0, "g": 1.62})


def test_linearize_takes_parameters_and_names_the_constraint():
    with pytest.raises(ModelError, match="is not a motion of the system") as caught:
        modular.linearize(cartesian(), {"y": "-1"}, parameters={"l": 2.0})
    assert "the constraint 'rod' of 'S'" in caught.value.cause
    lin = modular.linearize(cartesian(), {"y": "-2"}, parameters={"l": 2.0})
    run = mb.simulate(lin.equations(), 1.0, q={"x": 0.01})
    assert run["x"][-1] == pytest.approx(0.01 * np.cos(np.sqrt(9.81 / 2)), abs=1e-7)
    assert modular.linearize(cartesian(), {"y": "-3*m"}, parameters={"l": "3*m"}).parameters
    with pytest.raises(ModelError, match="no parameter 'L'"):
        modular.linearize(cartesian(), {"y": "-1"}, parameters={"L": 2.0})


def test_forces_that_do_not_balance_are_named_by_their_variable():
    with pytest.raises(ModelError, match="is not a motion") as caught:
        modular.linearize(cartesian(), {"x": "3*l/5", "y": "-4*l/5"})  # the rod is kept, but it would fall
    assert caught.value.cause == "It violates the balance of forces on 'vx'."


def test_rounding_of_large_values_is_no_contradiction():
    """A spring that carries its load: k·s = m·g, with numbers that have no exact product."""
    values = {"m": 1234.567, "g": 9.81, "k": 1e6, "s": 1234.567 * 9.81 / 1e6}
    hanging = modular.subsystem(
        "H", {0: "x", 1: "v"}, {"v": "m*g - k*x - m*v_dot"}, kinematics={"x": "v"}, parameters=values
    )
    lin = modular.linearize(hanging, {"x": "s"})
    assert mb.simulate(lin.equations(), 0.1).t[-1] == 0.1
    with pytest.raises(ModelError, match="should be zero with") as caught:
        mb.simulate(lin.equations(), 0.1, parameters={"s": values["s"] * (1 + 1e-6)})
    assert caught.value.cause == "It violates the balance of forces on 'v'."
