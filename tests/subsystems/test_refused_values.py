"""Identities that are false, and values of parameters for which a linear model does not hold."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody import modular

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
    "sin(t) = 0",
    "x**2 + y**2 + t*x = l**2",
    "x**9 = 0",
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
    with refused("identity-false") as caught:
        cartesian([identity])
    assert "on one side" in caught.value.cause


def test_identities_that_hold_for_certain_values_alone_are_refused():
    """l = l**2 for l = 1, and formulas that were shortened by it would be wrong with any other value."""
    with refused("identity-false") as caught:
        cartesian(["x**2 + y**2 = l"])
    assert "with other values of the parameters" in caught.value.cause
    cartesian(["l = a"], {**VALUES, "a": 1.0})  # of parameters alone: says what the values are
    cartesian(["l = a", "x**2 + y**2 = a**2"], {**VALUES, "a": 1.0})


@pytest.mark.parametrize("identity", ["J = 0", "J = 3*m", "m = 2*m", "x = 0", "l = 2*l"])
def test_small_numbers_are_not_zero(identity):
    with refused("identity-false"):
        cartesian([identity], {"m": 1e-9, "g": 9.81, "l": 1e-4, "J": 1e-10})


def driven(identities):
    """A mass that is moved along x with time."""
    return modular.subsystem(
        "D", {0: "x y", 1: "vx vy"}, {"vx": "-m*vx_dot", "vy": "-m*g - m*vy_dot"}, kinematics={"x": "vx", "y": "vy"},
        constraints={"move": "x - sin(w*t)"}, parameters={"m": 1.0, "g": 9.81, "w": 2.0}, identities=identities,
    )  # fmt: skip


def test_identities_are_tested_after_the_start():
    for true in ("x = sin(w*t)", "vx = w*cos(w*t)"):
        assert driven([true]).identities
    for false in ("x = 0", "x = w*t", "vx = w", "vx = 2"):  # all of them hold at t = 0
        with refused("identity-false"):
            driven([false])


def test_identities_that_cannot_be_tested_are_refused():
    with refused("identity-untested"):
        cartesian(["x**2 + y**2 = l**2", ("sqrt(x**2 + y**2 - 4*l**2)", "vx")])


def test_identities_at_a_level_are_tested_with_the_constraints_of_its_parts():
    parts = [cartesian().renamed(name, suffix=f"_{name}", shared="m g l") for name in "ab"]
    tie = {"tie": "x_a - x_b"}
    made = modular.couple(
        "T",
        parts,
        tie,
        relations=modular.KnownRelations(identities=[("y_a**2", "y_b**2"), ("x_a*x_b + y_a**2", "l**2")]),
    )
    assert len(made.identities) == 2
    with refused("identity-false"):
        modular.couple("T", parts, tie, relations=modular.KnownRelations(identities=[("x_a", "y_b")]))
    with refused("identity-false"):
        modular.couple(
            "T", parts, relations=modular.KnownRelations(identities=[("y_a**2", "y_b**2")])
        )  # without the tie


def test_identities_of_parameters_are_tested_by_their_values():
    system = cartesian(parameters={**VALUES, "k": 2.0, "c": None})
    assert modular.linearize(system, {"y": "-l"}, identities={"k": "2*m"}).identities
    assert modular.linearize(system, {"y": "-l"}, identities={"c": "m"}).identities  # c has no value yet
    with refused("identity-false"):
        modular.linearize(system, {"y": "-l"}, identities={"k": "m"})
    with refused("identity-false"):
        modular.linearize(system, {"y": "-l"}, identities={"k": "2*m"}, parameters={"k": 3.0})


def test_a_linear_model_refuses_values_for_which_its_reference_is_no_motion():
    """The reference y = -1 is that of a rod of length 1."""
    lin = modular.linearize(cartesian(), {"y": "-1"})
    eom = lin.equations()
    run = mb.simulate(eom, 1.0, q={"x": 0.01})
    assert run["x"][-1] == pytest.approx(0.01 * np.cos(np.sqrt(9.81)), abs=1e-7)
    for use in (lambda p: mb.simulate(eom, 1.0, parameters=p), lambda p: mb.linearize(eom, parameters=p)):
        with refused("reference-not-a-motion") as caught:
            use({"l": 2.0})
        assert caught.value.cause == "It violates the constraint 'rod' of 'S'."
        use({"l": 1.0, "g": 1.62})


def test_linear_parts_keep_their_conditions_where_they_are_coupled_or_renamed():
    lin = modular.linearize(cartesian(), {"y": "-1"})
    copy = lin.renamed("R", suffix="_r")
    for system, name in ((modular.couple("T", [lin]), "l"), (modular.couple("T", [lin, copy]), "l_r"), (copy, "l_r")):
        eom = system.equations()
        assert mb.simulate(eom, 0.1, parameters={name: 1.0}).t[-1] == 0.1
        with refused("reference-not-a-motion", "'rod'", f"1 - {name}**2"):
            mb.simulate(eom, 0.1, parameters={name: 2.0})


def test_parameters_without_values_are_no_contradiction_before_they_have_values():
    """The rank of constraints is tested with random values, which are not those of a run."""
    eom = modular.linearize(cartesian(parameters={**VALUES, "l": None}), {"y": "-1"}).equations()
    run = mb.simulate(eom, 0.5, q={"x": 0.01}, parameters={"l": 1.0})
    assert run["x"][-1] == pytest.approx(0.01 * np.cos(np.sqrt(9.81) / 2), abs=1e-7)
    with refused("reference-not-a-motion"):
        mb.simulate(eom, 0.5, parameters={"l": 1.5})


def test_conditions_that_depend_on_time_hold_at_all_times():
    """A motion at the speed a, which must be w*cos(w*t) where t is not zero, too."""
    system = driven([])
    falling = {"y": "-g*t**2/2", "vy": "-g*t"}
    assert modular.linearize(system, {"x": "sin(w*t)", "vx": "w*cos(w*t)", **falling}).parameters
    with refused("reference-not-a-motion"):
        modular.linearize(system, {"x": "w*t", "vx": "w", **falling})


def test_auxiliary_parameters_belong_to_the_values_that_they_were_found_for():
    """They were used with any others: the pendulum of length 2 swung like one of length 1."""
    linear = modular.linearize(cartesian(), {"y": "-l"}, auxiliary=True)
    eom, known = linear.equations(), modular.evaluate_parameters(linear)
    with refused("auxiliary-parameters-outdated"):
        mb.simulate(eom, 1.0, q={"x": 0.01}, parameters={**known, "l": 2.0})
    run = mb.simulate(eom, 1.0, q={"x": 0.01}, parameters=modular.evaluate_parameters(linear, {"l": 2.0}))
    assert run["x"][-1] == pytest.approx(0.01 * np.cos(np.sqrt(9.81 / 2)), abs=1e-7)


def test_linearize_takes_parameters_and_names_the_constraint():
    with refused("reference-not-a-motion") as caught:
        modular.linearize(cartesian(), {"y": "-1"}, parameters={"l": 2.0})
    assert "the constraint 'rod' of 'S'" in caught.value.cause
    lin = modular.linearize(cartesian(), {"y": "-2"}, parameters={"l": 2.0})
    run = mb.simulate(lin.equations(), 1.0, q={"x": 0.01})
    assert run["x"][-1] == pytest.approx(0.01 * np.cos(np.sqrt(9.81 / 2)), abs=1e-7)
    assert modular.linearize(cartesian(), {"y": "-3*m"}, parameters={"l": "3*m"}).parameters
    with refused("value-of-unknown-name", "L"):
        modular.linearize(cartesian(), {"y": "-1"}, parameters={"L": 2.0})


def test_forces_that_do_not_balance_are_named_by_their_variable():
    with refused("reference-not-a-motion") as caught:
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
    with refused("reference-not-a-motion") as caught:
        mb.simulate(lin.equations(), 0.1, parameters={"s": values["s"] * (1 + 1e-6)})
    assert caught.value.cause == "It violates the balance of forces on 'v'."


# impossible inertias --------------------------------------------------------------------------------------------------


def hinged() -> modular.Subsystem:
    """A hinge carries an inertia about the center of mass and m·l² beside it, which hides that I is negative."""
    system = mb.System("hinged")
    m, l, inertia = system.parameters(m=1.0, l=1.0, I=0.1)
    bob = system.body("bob", m, (0, 0, -l), mb.diag(inertia, inertia, inertia))
    system.joint("angle", system.world, bob, "Ry", q=0.3)
    return modular.from_system(system)


def hinged_in_whole() -> modular.Subsystem:
    return modular.couple("whole", [hinged()])


@pytest.mark.parametrize(
    ("make", "name", "code"),
    [
        (hinged, "I", "inertia-negative"),
        (hinged, "m", "mass-negative"),
        (hinged_in_whole, "I", "inertia-negative"),
        (hinged_in_whole, "m", "mass-negative"),
        (lambda: hinged().renamed("copy", suffix="_2"), "I_2", "inertia-negative"),
    ],
)
def test_impossible_inertias_are_refused_in_runs_sweeps_and_linear_models(make, name, code):
    system = make()
    eom = system.equations()
    with refused(code, "bob", name):
        mb.simulate(eom, 0.1, parameters={name: -0.1})
    with refused(code, "bob", name):
        modular.linearize(system, parameters={name: -0.1})
    linear = modular.linearize(system)
    with refused(code, "bob", name):
        modular.evaluate_parameters(linear, {name: -0.1})
    with refused(code, "bob", name):
        mb.simulate(linear.equations(), 0.1, parameters={name: -0.1})
    swept = mb.sweep(eom, 0.1, samples=2, parameters={name: [0.2, -0.1]}, workers=1)
    assert [failure.number for failure in swept.failures] == [1]


def test_impossible_inertias_of_bodies_by_newton_and_euler_are_refused():
    with refused("inertia-negative", "bob", "I_bob_x"):
        values = {"m_bob": 1.0, "I_bob_x": -0.1, "I_bob_y": 0.1, "I_bob_z": 0.1}
        modular.newton_euler("bob", "position", "-z", "central", parameters=values)
    values = {"m_bob": 1.0, "I_bob": 0.1, "g": 9.81}
    system = modular.newton_euler("bob", "position", "-z", "spherical", parameters=values)
    with refused("mass-negative", "bob"):
        mb.simulate(system.equations(), 0.1, parameters={"m_bob": -1.0})


# sizes ---------------------------------------------------------------------------------------------------------------

SIZES = [1e-9, 1e-6, 1e-3, 1.0, 1e6]


@pytest.mark.parametrize("mass", [1e-12, 1.0])
@pytest.mark.parametrize("length", SIZES)
def test_a_reference_that_is_not_a_motion_is_refused_at_any_size(length, mass):
    """A rod that is too long by a half or by 1e-6, and one that would fall; what is rounding is accepted."""
    small = cartesian(parameters={"m": mass, "g": 9.81, "l": length})
    for share in (1.0, 1 + 4e-16):
        assert modular.linearize(small, {"y": -share * length}).states
    for reference in ({"y": -1.5 * length}, {"y": -(1 + 1e-6) * length}):
        with refused("reference-not-a-motion", "'rod'"):
            modular.linearize(small, reference)
    with refused("reference-not-a-motion") as caught:
        modular.linearize(small, {"x": 0.6 * length, "y": -0.8 * length})
    assert caught.value.cause == "It violates the balance of forces on 'vx'."
    lin = modular.linearize(small, {"y": -length})
    with refused("reference-not-a-motion"):
        mb.linearize(lin.equations(), parameters={"l": 2 * length})
    poles = mb.linearize(lin.equations()).poles
    assert abs(poles) == pytest.approx(np.sqrt(9.81 / length), rel=1e-9)


@pytest.mark.parametrize("mass", [1e-12, 1.0, 1e9])
def test_a_reference_that_is_known_to_rounding_is_a_motion(mass):
    """m·g·l·sin(3.14159…) is not zero, and small beside m·g·l."""
    system = modular.subsystem(
        "P", {0: "a", 1: "w"}, {"w": "-m*g*l*sin(a) - m*l**2*w_dot"}, kinematics={"a": "w"},
        parameters={"m": mass, "g": 9.81, "l": 1e-6},
    )  # fmt: skip
    assert modular.linearize(system, {"a": np.pi}).states
    with refused("reference-not-a-motion", "'w'"):
        modular.linearize(system, {"a": np.pi - 1e-6})


@pytest.mark.parametrize("length", SIZES)
def test_auxiliary_parameters_at_any_size(length):
    linear = modular.linearize(
        cartesian(parameters={"m": 1.0, "g": 9.81, "l": length}),
        {"x": "3*l/5", "y": "-4*l/5"},
        auxiliary=True,
        part=True,
    )
    assert modular.evaluate_parameters(modular.linearize(cartesian(parameters={**VALUES, "l": length}), {"y": "-l"},
                                                         auxiliary=True))  # fmt: skip
    with refused("reference-not-a-motion"):
        modular.evaluate_parameters(linear)  # it would fall


@pytest.mark.parametrize("length", [1e-9, 1e-5, 1.0, 1e5])
def test_constraints_that_contradict_each_other_are_refused_at_any_size(length):
    """Two rods of different lengths between the same points; equal ones are one rod."""

    def rods(second):
        return modular.subsystem(
            "S", {0: "x y", 1: "vx vy"}, {"vx": "-m*vx_dot", "vy": "-m*g - m*vy_dot"},
            kinematics={"x": "vx", "y": "vy"}, parameters={"m": 1.0, "g": 9.81}, start={"y": -length},
            constraints={"rod": f"x**2 + y**2 - ({length!r})**2", "other": f"2*x**2 + 2*y**2 - 2*({second!r})**2"},
        )  # fmt: skip

    assert len(rods(length).independent) == 1
    with refused("constraints-contradict", "other"):
        rods(1.5 * length)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e6])
def test_accelerations_that_contradict_each_other_are_refused_at_any_size(size):
    """No position and no velocity says so: the rates alone are different."""

    def driven_at(second):
        return modular.subsystem(
            "S", {0: "x y", 1: "vx vy"}, {"vx": "-m*vx_dot", "vy": "-m*vy_dot"}, kinematics={"x": "vx", "y": "vy"},
            parameters={"m": 1.0, "a": size, "b": second}, constraints={"drive": "vx_dot - a", "other": "2*vx_dot - b"},
        )  # fmt: skip

    assert len(driven_at(2 * size).independent) == 1
    with refused("constraints-contradict", "other"):
        driven_at(3 * size)


@pytest.mark.parametrize("length", [1e-10, 1e-6, 1.0])
def test_identities_are_tested_at_any_size(length):
    values = {"m": 1.0, "g": 9.81, "l": length}
    assert cartesian(["x**2 + y**2 = l**2"], values).identities
    for false in ("x = 0", "x**2 + y**2 = 2*l**2", "x = 2*l"):
        with refused("identity-false"):
            cartesian([false], values)
