"""What bad input gets: an error of this library that names the thing, the place and the way out."""

import math

import numpy as np
import pytest
import sympy
from tests.refusal import refused

import multibody as mb
from multibody.errors import ModelError, MultibodyError
from multibody.graph import symbol
from multibody.subsystems import (
    KnownMotion,
    KnownRelations,
    OwnEquations,
    couple,
    evaluate_parameters,
    from_system,
    linearize,
    newton_euler,
    subsystem,
)

SPHERE = "p_B_x**2 + p_B_y**2 + p_B_z**2"
SPIN = "w_B_x w_B_y w_B_z"
NUMBERS = {"a": 1.0, "g": 9.81, "m_B": 2.0, "I_B_x": 1.0, "I_B_y": 1.0, "I_B_z": 1.0}


def ball(label="B"):
    return newton_euler(label, "position", gravity="-z")


def cart(label="cart", **more):
    """One coordinate, pushed by an input."""
    given = {"kinematics": {"x": "v"}, "parameters": {"m": 2.0}, "inputs": "F"} | more
    return subsystem(label, {0: "x", 1: "v"}, {"v": "F - m*v_dot"}, **given)


def mass(dynamics="-m*v_dot", **more):
    given = {"kinematics": {"x": "v"}, "parameters": "m"} | more
    return subsystem("c", {0: "x", 1: "v"}, dynamics, **given)


def tied(constraints, **more):
    return couple("S", [ball()], constraints, **more)


def above(first, second):
    """The second constraint at a level above the first one."""
    return couple("T", [tied(first)], second)


def pendulum(**more):
    constraints = ["p_B_x = a*sin(q)", "p_B_y = 0", "p_B_z = -a*cos(q)"]
    return tied(constraints, variables=["q"], parameters="a", **more)


def spherical():
    return tied({"sphere": f"{SPHERE} - a**2"}, parameters="a", independent=f"v_B_x v_B_y {SPIN}")


def said(make):
    """Code and text of the error that something gets, which must have a place or a remedy."""
    with pytest.raises(MultibodyError) as caught:
        make()
    assert caught.value.where or caught.value.remedy
    return f"{caught.value.code}\n{caught.value}"


def all_said(make, *pieces):
    text = said(make)
    missing = [piece for piece in pieces if piece not in text]
    assert not missing, text


# constraints ---------------------------------------------------------------------------------------------------------

CONTRADICTIONS = {
    "places": lambda: tied({"floor": "p_B_z - 1", "table": "p_B_z - 2"}),
    "other factors": lambda: tied({"floor": "p_B_z - 1", "table": "3*p_B_z - 2"}),
    "factors that move": lambda: tied({"floor": f"{SPHERE} - 1", "table": f"({SPHERE})**2 - 16"}),
    "roots": lambda: tied({"floor": f"{SPHERE} - 1", "table": f"sqrt({SPHERE}) - 2"}),
    "values of parameters": lambda: tied({"floor": "p_B_z - a", "table": "p_B_z - b"}, parameters={"a": 1, "b": 2}),
    "velocities": lambda: tied({"floor": "v_B_z - 1", "table": "v_B_z - 2"}),
    "place and velocity": lambda: tied({"floor": "p_B_z - 1", "table": "v_B_z - 2"}),
    "velocity and acceleration": lambda: tied({"floor": "v_B_z", "table": "v_B_z_dot - 2"}),
    "courses": lambda: tied({"floor": "p_B_z", "table": "p_B_z - sin(t)"}),
    "courses apart": lambda: tied({"floor": "p_B_z - sin(t)", "table": "p_B_z - sin(t) - 1"}),
    "inputs": lambda: tied({"floor": "p_B_z - r", "table": "p_B_z - s"}, inputs="r s"),
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_contradicting_constraints_are_named(what):
    all_said(CONTRADICTIONS[what], "'table' contradicts 'floor'", "subsystem 'S'", "Remove one of them")


def test_a_contradiction_among_three_names_all():
    rules = {"a": "p_B_z - p_B_x - 1", "b": "p_B_x - p_B_y", "idle": "v_B_x", "c": "p_B_z - p_B_y - 3"}
    all_said(lambda: tied(rules), "'c' contradicts 'a', 'b'.", "p_B_z - p_B_y - 3 = 0")


@pytest.mark.parametrize("kind", ["p", "v"])
def test_a_contradiction_with_a_part_names_its_owner(kind):
    all_said(lambda: above({"floor": f"{kind}_B_z - 1"}, {"table": f"{kind}_B_z - 2"}), "contradicts 'floor' of 'S'")


def test_a_position_whose_rate_a_part_has_is_not_lost():
    all_said(lambda: above({"slow": "v_B_x - 1"}, {"place": "p_B_x - t - 5"}), "'place'", "Remove 'slow' of 'S'")


AGREE = {
    "the same": {"one": "p_B_z - 1", "two": "p_B_z - 1"},
    "a multiple": {"one": "p_B_z - 1", "two": "4 - 4*p_B_z"},
    "its rate": {"one": "p_B_z - 1", "two": "v_B_z"},
    "a power": {"one": f"{SPHERE} - 1", "two": f"({SPHERE})**2 - 1"},
    "a root": {"one": f"{SPHERE} - a**2", "two": f"sqrt({SPHERE}) - a"},
    "for some values": {"one": "p_B_z - a", "two": "p_B_z - b"},
    "one of two places": {"one": "p_B_z**2 - 1", "two": "p_B_z + 1"},
    "rounded": {"one": "p_B_z - 0.3", "two": "p_B_z - 0.1 - 0.2"},
}


@pytest.mark.parametrize("what", AGREE)
def test_constraints_that_agree_are_no_contradiction(what):
    made = tied(AGREE[what], parameters="a b")
    assert [one.name for one in (*made.invariants, *made.redundant)] == ["one", "two"]
    assert len(made.independent) == 5


@pytest.mark.parametrize("what", AGREE)
def test_nor_are_they_at_two_levels(what):
    made = couple(
        "T", [tied({"one": AGREE[what]["one"]}, parameters="a")], {"two": AGREE[what]["two"]}, parameters="b a"
    )
    assert made.invariants == ()
    assert len(made.independent) == 5


def test_redundant_but_for_rounding():
    """Exact rank takes floats as they are: a combination in floats is none, and would lock the ball."""
    normals = np.random.default_rng(0).normal(size=(2, 3))
    normals = np.vstack([normals, 0.3 * normals[0] + 0.6 * normals[1]])
    place = [symbol(f"p_B_{axis}", "coordinate") for axis in "xyz"]
    rules = {
        name: sum(float(c) * p for c, p in zip(row, place, strict=True))
        for name, row in zip("abc", normals, strict=True)
    }
    all_said(lambda: tied(rules), "'c' follows from others, but for the rounding", "subsystem 'S'")
    third = "3*(p_B_x + 7*p_B_y)/100 + 6*(2*p_B_x - 3*p_B_z)/100"
    exact = {"a": "p_B_x/10 + 7*p_B_y/10", "b": "2*p_B_x/10 - 3*p_B_z/10", "c": third}
    assert [one.name for one in tied(exact).redundant] == ["c"]


def test_of_a_position_and_its_rate_the_position_is_kept():
    made = tied({"slow": "v_B_x - 1", "place": "p_B_x - t - 5"})
    assert [one.name for one in made.invariants] == ["place"]


@pytest.mark.parametrize(("text", "says"), [("a - 1", "a - 1 = 0"), ("0", "says nothing"), ("1 = 2", "-1 = 0"),
                                            ("sin(t)", "sin(t) = 0"), ("p_B_x - p_B_x", "says nothing")])  # fmt: skip
def test_a_constraint_without_variables(text, says):
    all_said(lambda: tied({"odd": text}, parameters="a"), says, "constraint 'odd' of subsystem 'S'")


def test_a_constraint_that_is_not_linear_in_rates():
    all_said(lambda: tied({"odd": "v_B_x_dot**2 - 1"}), "not linear", "constraint 'odd' of subsystem 'S'")


def test_variables_of_different_orders_are_not_tied():
    """A damper that has no velocity among its variables would not push the ball."""
    damper = subsystem("D", {0: "x"}, ["-k*x_dot - x"], parameters="k")
    all_said(lambda: couple("S", [ball(), damper], {"end": "p_B_x - x"}), "'x'", "'p_B_x'", "order 1", "'end'")


# independent variables -----------------------------------------------------------------------------------------------

INDEPENDENT = {
    f"v_B_x v_B_y v_B_z {SPIN}": ["6 independent variables", "5 are needed"],
    "v_B_x": ["1 independent variables are named", "5 are needed", "6 variables (v_B_x"],
    f"v_B_x v_B_z {SPIN}": ["not independent of each other", "relate v_B_x, v_B_z"],
    f"v_B_x v_B_q {SPIN}": ["'v_B_q'", "Did you mean"],
    "m_B": ["no variable 'm_B'", "p_B_x, p_B_y"],
    f"v_B_x v_B_x {SPIN}": ["'v_B_x' is named twice"],
    "p_B_x p_B_z": ["p_B_x, p_B_z are not independent of each other"],
    5: ["Names were expected, not 5"],
}


@pytest.mark.parametrize("names", INDEPENDENT)
def test_independent_variables(names):
    all_said(lambda: tied(["p_B_z - p_B_x"], independent=names), *INDEPENDENT[names])


@pytest.mark.parametrize(
    ("names", "says"),
    [(f"v_B_x v_B_z {SPIN}", "5 are named"), ("v_B_z", "1 are named"), (f"v_B_z {SPIN}", "")],
)
def test_independent_variables_that_are_dependent_ones_of_a_part(names, says):
    part = tied(["p_B_z - p_B_x"], independent=f"v_B_x v_B_y {SPIN}")
    if says:
        all_said(lambda: couple("T", [part], ["p_B_y - p_B_x"], independent=names), "4 are needed", says, "'T'")
    else:
        assert couple("T", [part], ["p_B_y - p_B_x"], independent=names).independent[0].name == "v_B_z"


def test_independent_variables_of_a_part_that_depend_on_each_other():
    part = tied(["p_B_z - p_B_x"], independent=f"v_B_x v_B_y {SPIN}")
    all_said(lambda: couple("T", [part], ["p_B_z - 1"], independent=f"v_B_z {SPIN}"), "these depend on each other")


# names ---------------------------------------------------------------------------------------------------------------

STRANGERS = {
    "text": "p_B_q - 1",
    "expression": symbol("p_B_q", "coordinate") - 1,
    "SymPy": sympy.Symbol("p_B_q") - 1,
    "function of time": sympy.Function("p_B_q")(sympy.Symbol("t")) - 1,
}


@pytest.mark.parametrize("how", STRANGERS)
def test_a_variable_that_nobody_defines(how):
    all_said(lambda: tied({"odd": STRANGERS[how]}), "name-unknown", "'p_B_q'", "constraint 'odd'", "'p_B_x'")


def test_a_force_that_nobody_defines():
    all_said(lambda: mass("F - m*v_dot"), "name-unknown", "'F'", "dynamics of 'v' of subsystem 'c'", "inputs")


CLASHES = {
    "labels": (lambda: couple("S", [ball(), ball()]), ["label 'B' is used more than once", "renamed('B_2'"]),
    "label of the whole": (lambda: couple("B", [ball()]), ["label 'B' is used more than once"]),
    "variables": (lambda: couple("S", [cart("a"), cart("b")]), ["'x' is defined by both 'a' and 'b'"]),
    "new variable": (lambda: tied([], variables="p_B_x"), ["'p_B_x' is defined by both 'B' and 'S'"]),
    "twice": (lambda: subsystem("c", {0: "x", 1: "x"}), ["'x' is defined by 'c' twice"]),
    "renamed": (lambda: ball().renamed("C", {"p_B_x": "p_B_y"}), ["'p_B_x' and 'p_B_y' are both called 'p_B_y'"]),
    "renamed to another's": (
        lambda: couple("S", [ball(), ball("C").renamed("C", {"p_C_x": "p_B_x"})]),
        ["'p_B_x' is defined by both 'B' and 'C'"],
    ),
    "by a rule": (
        lambda: couple("S", [ball(), ball("C")], rename={"p_C_x": "p_B_x"}), ["'p_B_x' is defined by both 'B' and 'C'"]
    ),
    "variable and parameter": (
        lambda: couple("S", [cart(), ball().renamed("C", {"m_B": "x"})]),
        ["'x' is used for a variable and for a parameter"],
    ),
    "variable and input": (lambda: tied([], inputs="p_B_x"), ["is used for a variable and for an input"]),
    "parameter and input": (lambda: tied([], inputs="m_B"), ["is used for a parameter and for an input"]),
    "rate and parameter": (lambda: tied([], parameters="v_B_x_dot"), ["the rate of 'v_B_x' and for a parameter"]),
    "rate after renaming": (lambda: cart().renamed("d", {"F": "v_dot"}), ["cannot be called 'v_dot'", "rate of 'v'"]),
    "values": (
        lambda: couple("S", [cart(), ball().renamed("C", {"m_B": "m"})], parameters={"m": 3.0}),
        ["parameter 'm' has two different values: 2 and 3"],
    ),
    "time": (lambda: subsystem("c", {0: "t"}), ["'t', which is the time", "Use another name"]),
    "time as a parameter": (lambda: cart(parameters="t m"), ["parameter is called 't'"]),
    "time as an input": (lambda: cart(inputs="t F"), ["input is called 't'"]),
    "renamed to time": (lambda: cart().renamed("d", {"x": "t"}), ["'x' cannot be called 't'"]),
    "nothing to rename": (lambda: cart().renamed("d", {"vv": "w"}), ["no 'vv' to rename", "There are: x, v, m, F"]),
    "nothing to share": (lambda: cart().renamed("d", suffix="_1", shared="g"), ["no 'g' to rename or to share"]),
    "a rule for nobody": (lambda: couple("S", [cart()], rename={"vv": "w"}), ["no 'vv' to rename"]),
}  # fmt: skip


@pytest.mark.parametrize("what", CLASHES)
def test_names_that_clash(what):
    make, pieces = CLASHES[what]
    all_said(make, *pieces)


# a subsystem's own equations -----------------------------------------------------------------------------------------

EQUATIONS = {
    "no row": (lambda: mass({"w": "-m*v_dot"}), ["no row 'w'", "The rows are: v"]),
    "row of a coordinate": (lambda: mass({"x": "-m*v_dot"}), ["no row 'x'", "highest order"]),
    "number of equations": (lambda: mass(["-m*v_dot", "1"]), ["number of dynamic equations is 2, not 1"]),
    "no unknown left": (
        lambda: mass(kinematics={"x": "v", "v": "1"}), ["dynamic equations is 1, not 0", "kinematic relations"]
    ),
    "sign": (lambda: mass("m*v_dot"), ["'v' has the wrong sign", "applied forces minus inertia forces"]),
    "not linear": (lambda: mass("-m*v_dot**2"), ["not linear", "dynamics of 'v'"]),
    "no rate": (lambda: mass(kinematics=()), ["rate of 'x' is not known", "kinematics={'x': …}"]),
    "rate that is not linear": (lambda: mass(kinematics=["x_dot**2 - v"]), ["rate of 'x' is not known", "linear"]),
    "rate of itself": (lambda: mass(kinematics={"x": "x_dot"}), ["rate of 'x' is not known"]),
    "rates that contradict": (lambda: mass(kinematics=["x_dot - v", "x_dot - 2*v"]), ["'2' contradicts", "-v = 0"]),
    "rate of a stranger": (lambda: mass(kinematics={"x": "v", "y": "v"}), ["no variable 'y'", "rates of: x"]),
    "no rate in it": (lambda: mass(kinematics={"y": "v"}), ["'y' has no unknown rate in it", "rates of: x"]),
    "acceleration": (lambda: mass(kinematics={"x": "v_dot"}), ["rate of 'x' depends on v_dot"]),
    "kinetic energy": (lambda: cart(energy=("m*v**2", "0")), ["does not belong to the dynamic equations", "of v"]),
    "accelerations in it": (lambda: cart(energy=("m*v_dot**2/2", 0)), ["energy depends on v_dot"]),
    "one energy": (lambda: cart(energy=("m*v**2/2",)), ["energy=(T, V)"]),
    "energy as text": (lambda: cart(energy="m*v**2/2"), ["energy=(T, V)"]),
    "identity": (lambda: cart(identities=["x**2"]), ["'x**2' is not an identity"]),
    "quaternion": (lambda: cart(quaternions=[["x", "y"]]), ["x, y are not the four", "no coordinate 'y'"]),
    "reference of a stranger": (lambda: cart(reference={"xx": 1}), ["no variable 'xx'", "Did you mean 'x'"]),
    "reference by a variable": (lambda: cart(reference={"x": "v"}), ["name-unknown", "'v'", "reference of 'x'"]),
    "reference as a list": (lambda: cart(reference=["x"]), ["['x'] has no reference values", "{'x': …}"]),
    "start of a stranger": (lambda: cart(start={"xx": 1}), ["no variable 'xx'"]),
    "start by a name": (lambda: cart(start={"x": "2*m"}), ["name-unknown", "'m'", "start of 'x'"]),
    "start later": (lambda: cart().with_start(y=1.0), ["no variable 'y' to have a start value"]),
}  # fmt: skip


@pytest.mark.parametrize("what", EQUATIONS)
def test_equations_that_are_wrong(what):
    make, pieces = EQUATIONS[what]
    all_said(make, *pieces)


MASSLESS = {
    "not tied": (lambda: tied([], variables=["q"]), "motion of q_dot"),
    "no inertia": (lambda: mass("-k*v", parameters="k"), "motion of v"),
    "no equation": (lambda: subsystem("c", {0: "x", 1: "v"}, kinematics={"x": "v"}), "motion of v"),
    "in one direction": (
        lambda: subsystem("c", {0: "x y", 1: "x_dot y_dot"}, ["-m*(x_ddot + y_ddot)"] * 2, parameters="m"),
        "some combination",
    ),
}


@pytest.mark.parametrize("what", MASSLESS)
def test_what_nothing_resists(what):
    make, piece = MASSLESS[what]
    made = make()
    all_said(made.equations, "Nothing resists", piece, f"subsystem '{made.label}'")
    all_said(made.explicit, "Nothing resists", piece)


# things of the wrong kind --------------------------------------------------------------------------------------------

KINDS = {
    "a text for a subsystem": (lambda: couple("S", ["B"]), ["'B' is not a subsystem", "list of subsystems"]),
    "nothing for subsystems": (lambda: couple("S", None), ["None is not a subsystem"]),
    "a system": (lambda: couple("S", [mb.System("robot")]), ["is not a subsystem", "from_system"]),
    "no system": (lambda: from_system("robot.urdf"), ["'robot.urdf' is not a system", "read_urdf"]),
    "a number for a label": (lambda: couple(3, [ball()]), ["3 cannot be the name of a subsystem"]),
    "blanks in a label": (lambda: couple("my machine", [ball()]), ["cannot be the name of a subsystem", "my_machine"]),
    "a number for variables": (lambda: subsystem("c", 5), ["Names were expected, not 5"]),
    "numbers as names": (lambda: subsystem("c", {0: [1]}), ["'1' cannot be the name of a variable"]),
    "an order": (lambda: subsystem("c", {"0": "x"}), ["'0' is not an order", "0: coordinates"]),
    "a negative order": (lambda: subsystem("c", {-1: "x"}), ["-1 is not an order"]),
    "nothing for an equation": (lambda: mass([None]), ["NoneType", "dynamics of 'v' of subsystem 'c'"]),
    "an object": (lambda: tied({"odd": object()}), ["object", "constraint 'odd' of subsystem 'S'"]),
    "an array": (lambda: tied({"odd": np.array([1, 2])}), ["ndarray", "constraint 'odd'"]),
    "truth": (lambda: tied({"odd": True}), ["bool", "constraint 'odd'"]),
    "not a number": (lambda: mass([math.nan]), ["nan", "dynamics of 'v'"]),
    "infinite": (lambda: tied({"odd": math.inf}), ["inf", "constraint 'odd'"]),
    "a parameter": (lambda: cart(parameters={"m": math.nan}), ["nan", "parameter 'm' of subsystem 'cart'"]),
    "a parameter's text": (lambda: cart(parameters={"m": "heavy"}), ["name-unknown", "'heavy'", "parameter 'm'"]),
    "a number for parameters": (lambda: cart(parameters=7), ["Names were expected, not 7"]),
    "a start": (lambda: cart(start={"x": math.nan}), ["nan", "start of 'x'"]),
    "no start": (lambda: cart(start={"x": None}), ["NoneType", "start of 'x'"]),
    "a new name": (lambda: cart().renamed("d", {"x": 3}), ["3 cannot be the name"]),
    "new names": (lambda: cart().renamed("d", ["x"]), ["does not say what is renamed", "'old': 'new'"]),
    "a suffix": (lambda: cart().renamed("d", suffix=2), ["2 does not say what is renamed"]),
    "text that is none": (lambda: mass("F -* v"), ["dynamics of 'v' of subsystem 'c', character 3"]),
    "a comparison": (lambda: mass("-v_dot == 3"), ["condition, not a value"]),
    "two equals signs": (lambda: tied({"odd": "p_B_x = p_B_y = p_B_z"}), ["constraint 'odd'", "'='"]),
    "half an equation": (lambda: tied({"odd": "p_B_x ="}), ["constraint 'odd'", "not the end"]),
    "an inequality": (lambda: tied({"odd": "p_B_x < 1"}), ["condition", "constraint 'odd'"]),
    "SymPy's inequality": (lambda: tied({"odd": sympy.Symbol("p_B_x") < 1}), ["constraint 'odd'"]),
    "an entry by one name": (lambda: ball().S["v_B_x"], ["'v_B_x' is not a row and a column"]),
    "no such column": (lambda: ball().S["v_B_x", "q"], ["no column 'q'", "The columns are: v_B_x"]),
}


@pytest.mark.parametrize("what", KINDS)
def test_things_of_the_wrong_kind(what):
    make, pieces = KINDS[what]
    all_said(make, *pieces)


def test_a_name_of_the_future_is_not_taken_for_code():
    all_said(lambda: tied({"odd": "__import__('os').getcwd()"}), "constraint 'odd'")


def test_nothing_at_all_is_a_system_too():
    nothing = couple("S", [])
    assert dict(nothing.explicit()) == {}
    assert str(mb.simulate(nothing.equations(), duration=0.1).status) == str(mb.Status.DONE)


# what equations of a subsystem do not know ---------------------------------------------------------------------------


def test_energy_that_is_not_known():
    eom = couple("S", [mass()]).equations()
    all_said(lambda: eom.kinetic_energy, "energy of 'c' is not known", "energy=(T, V)")
    run = mb.simulate(eom, duration=0.1, parameters={"m": 1.0})
    all_said(lambda: run.energy_drift, "not known")


def test_momenta_and_joints_that_it_does_not_have():
    eom = ball().equations()
    all_said(lambda: eom.linear_momentum, "momentum is not known", "System")
    all_said(lambda: eom.angular_momentum, "momentum is not known")
    all_said(lambda: eom.reaction("hinge"), "force in a joint is not known", "constraint_forces")


def test_numbers_that_are_missing():
    with refused("value-missing"):
        mb.simulate(ball().equations(), duration=0.1)


def test_a_handling_that_is_none():
    all_said(lambda: pendulum().equations(constraints="multipliers"), "'multipliers' is not a way", "Multipliers()")


def test_constraints_on_accelerations_alone_have_no_multipliers():
    made = tied({"push": "v_B_x_dot - 1"})
    all_said(lambda: made.equations(constraints=mb.Multipliers()), "'push' restricts accelerations alone")


# linearization -------------------------------------------------------------------------------------------------------

REFERENCES = {
    "violates a constraint": (lambda: linearize(pendulum()), ["not a motion of the system", "a should be zero"]),
    "forces do not balance": (
        lambda: linearize(pendulum(), {"q": "c", "p_B_x": "a*sin(c)", "p_B_z": "-a*cos(c)"}),
        ["name-unknown", "'c'", "reference of 'q'"],
    ),
    "hangs aslant": (
        lambda: linearize(pendulum(), {"q": 0.3, "p_B_x": "a*sin(0.3)", "p_B_z": "-a*cos(0.3)"}),
        ["not a motion of the system", "a*g*m_B"],
    ),
    "at rest and moving": (
        lambda: linearize(pendulum(), {"q": 0, "q_dot": 1, "p_B_z": "-a"}), ["reference of 'q'", "rate 0", "make it 1"]
    ),
    "of a stranger": (lambda: linearize(pendulum(), {"qq": 0}), ["no variable 'qq'", "Did you mean 'q'"]),
    "of an input": (lambda: linearize(cart(), inputs={"G": 0}), ["no input 'G'", "The inputs are: F"]),
    "pushed": (lambda: linearize(cart(), inputs={"F": 3.0}), ["not a motion of the system"]),
    "singular": (
        lambda: linearize(spherical(), {"p_B_x": "a"}), ["do not determine its dependent variables", "singular"]
    ),
    "singular, by numbers": (
        lambda: linearize(spherical(), {"p_B_x": "a"}, auxiliary=True), ["do not determine its dependent variables"]
    ),
    "fewer constraints": (lambda: linearize(tied({"a": "p_B_x*p_B_y", "b": "p_B_z"})), ["singular configuration"]),
    "no derivatives": (lambda: linearize(mass("-m*v_dot - sqrt(x)")), ["no first derivatives"]),
    "no system": (lambda: linearize("S"), ["'S' is not a subsystem"]),
    "no such part": (
        lambda: linearize(pendulum(), subsystems={"C": linearize(ball(), part=True)}), ["no part 'C'", "B, S"]
    ),
    "a part as it is": (lambda: linearize(pendulum(), subsystems={"B": ball()}), ["'B' is not linearized"]),
    "a part elsewhere": (
        lambda: linearize(pendulum(), {"p_B_z": "-a"}, subsystems={"B": linearize(ball(), {"p_B_z": 3}, part=True)}),
        ["'B' was linearized about another reference motion", "p_B_z is 3, not -a"],
    ),
    "a part alone": (lambda: linearize(ball(), part=True).explicit(), ["not a motion of the system", "g*m_B"]),
    "a part simulated": (lambda: linearize(ball(), part=True).equations(), ["not a motion of the system"]),
}  # fmt: skip


@pytest.mark.parametrize("what", REFERENCES)
def test_references_that_are_wrong(what):
    make, pieces = REFERENCES[what]
    all_said(make, *pieces)


@pytest.fixture(scope="module")
def hanging():
    return linearize(pendulum(motion=KnownMotion(reference={"p_B_z": "-a"})), auxiliary=True)


def test_parameters_without_values(hanging):
    all_said(lambda: evaluate_parameters(hanging, {"a": 1.0}), "No value for: I_B_x, I_B_y, I_B_z, g, m_B")


@pytest.mark.parametrize("name", ["m_b", "c_S_1_v_B_x"])
def test_parameters_that_are_none(hanging, name):
    all_said(lambda: evaluate_parameters(hanging, NUMBERS | {name: 1.0}), f"no physical parameter '{name}'", "m_B, a")


@pytest.mark.parametrize("value", [math.nan, math.inf, "one"])
def test_values_that_are_none(hanging, value):
    all_said(lambda: evaluate_parameters(hanging, NUMBERS | {"a": value}), "finite number", "parameter 'a'")


def test_values_of_what_is_not_linear():
    all_said(lambda: evaluate_parameters(ball(), NUMBERS), "is not linearized")


def test_values_for_which_the_reference_is_no_motion():
    """A mass that a spring and an unknown force hold at x0."""
    held = mass("F0 - k*x - m*v_dot", parameters="m k F0 x0", reference={"x": "x0"})
    linear = linearize(held)
    assert evaluate_parameters(linear, {"m": 1, "k": 2, "F0": 6, "x0": 3})["x0"] == 3
    all_said(lambda: evaluate_parameters(linear, {"m": 1, "k": 2, "F0": 6, "x0": 1}), "not a motion", "is -4, not zero")


def test_values_for_which_a_moving_reference_is_no_motion():
    """A mass that is shaken as x = c·sin t, which needs F = (k - m)·c; at t = 0 every amplitude would do."""
    shaken = mass("F*sin(t) - k*x - m*v_dot", parameters="m k F c", reference={"x": "c*sin(t)", "v": "c*cos(t)"})
    linear = linearize(shaken)
    assert evaluate_parameters(linear, {"m": 1, "k": 3, "F": 8, "c": 4})["c"] == 4
    all_said(lambda: evaluate_parameters(linear, {"m": 1, "k": 3, "F": 8, "c": 2}), "not a motion of the system")


def test_the_error_is_one_of_models():
    with pytest.raises(ModelError):
        couple("S", [ball(), ball()])


def test_redundant_names_are_those_of_constraints():
    with refused("constraint-unknown", "spehre"):
        tied({"sphere": f"{SPHERE} - a**2"}, parameters="a", relations=KnownRelations(redundant=["spehre"]))


# groups of arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("dynamics", "own=OwnEquations(dynamics=…)"), ("energy", "own=OwnEquations(energy=…)"),
        ("start", "motion=KnownMotion(start=…)"), ("identities", "relations=KnownRelations(identities=…)"),
    ],
)  # fmt: skip
def test_arguments_that_are_in_a_group_are_shown_there(name, group):
    with refused("argument-unknown", name) as caught:
        couple("S", [cart()], **{name: {"v": "-v"}})
    assert group in caught.value.remedy


def test_arguments_that_do_not_exist():
    with refused("argument-unknown", "indepndent") as caught:
        couple("S", [cart()], indepndent="v")
    assert "'independent'" in caught.value.cause
    with refused("argument-group-expected", "motion") as caught:
        couple("S", [cart()], motion={"start": {"x": 1.0}})
    assert "KnownMotion(start=…, reference=…)" in caught.value.remedy


def test_groups_say_the_same_as_a_subsystem_of_equations():
    """A spring at a level of its own, with energy and start, against the same in one subsystem."""
    spring = OwnEquations(dynamics={"v": "-k*x"}, energy=(0, "k*x**2/2"))
    two = couple("S", [cart()], own=spring, parameters={"k": 3.0}, motion=KnownMotion(start={"x": 0.5}))
    one = cart(parameters={"m": 2.0, "k": 3.0}, start={"x": 0.5})
    runs = [mb.simulate(made.equations(), 1.0, inputs={"F": force}) for made, force in ((two, 0.0), (one, "-3*x"))]
    np.testing.assert_allclose(runs[0]["x"], runs[1]["x"], atol=1e-8)
