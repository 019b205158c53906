"""Closed forms are equal to what they stand for, and as short as a textbook's; they never take longer than allowed."""

import time
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings, strategies as st

import multibody as mb
from multibody.errors import ExpressionError
from multibody.graph import (
    Constant,
    Table,
    atan,
    closed_form,
    closed_form_report,
    cos,
    evaluate,
    free_symbols,
    functions as f,
    jacobian,
    listing,
    parse,
    pi,
    same,
    sin,
    solve,
    sqrt,
    symbols,
    tan,
    to_latex,
    to_sympy,
    to_text,
    topological,
    where,
    without_sharing,
)
from multibody.graph.closed_forms.printed_size import printed_size
from multibody.graph.expr import recip

from .strategies import ARITHMETIC, expressions

x, y, z, q, q1, q2 = symbols("x y z q q1 q2", scope="closed forms")


def value(expression, like=None, seed=1):
    """The value at a random point, with 40 digits."""
    rng = np.random.default_rng(seed)
    with mpmath.workdps(40):
        point = {s: mpmath.mpf(rng.uniform(0.3, 1.7)) for s in free_symbols(expression if like is None else like)}
        return evaluate(expression, point)


def agrees(closed, original, tolerance):
    expected = value(original)
    return abs(value(closed, original) - expected) <= tolerance * (1 + abs(expected))


def written(text, names):
    """The expression as it is written, without anything merged or cancelled."""
    with without_sharing():
        return parse(text, names)


def check(original, text, *, slack=1.2):
    """The closed form is the textbook's formula, and not much longer."""
    closed = closed_form(original, seconds=60.0)
    textbook = written(text, free_symbols(original))
    assert same(closed, original, points=2)
    assert same(closed, textbook, points=2)
    assert agrees(closed, original, 1e-13)  # 9.81 and its like are doubles
    assert printed_size(closed) <= slack * printed_size(textbook), str(closed)
    assert len(str(closed)) <= slack * len(to_text(textbook)), str(closed)


def check_matrix(matrix, texts):
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            check(matrix[i, i + j], text)


# --- systems ---


@pytest.fixture(scope="module")
def crane():
    system = mb.System("crane_crab", gravity=(0, 0, -9.81))
    m1, m2, l, I = system.parameters(m1=10.0, m2=1.0, l=1.0, I=1.0)
    crab = system.body("crab", mass=m1)
    load = system.body("load", mass=m2, inertia=mb.diag(0, I, 0))
    system.joint("x", system.world, crab, "Tx")
    system.joint("q", crab, load.frame("hook", (0, 0, l)), "Ry")
    return mb.derive(system)


def chain(name, parameters, axes, *, cart=None, up=-1, gravity=(0, -9.81, 0), direction=(0, 1, 0)):
    """Point masses at the ends of massless rods, each hinged to the one before it."""
    system = mb.System(name, gravity=gravity)
    known = dict(zip(parameters, system.parameters(**dict.fromkeys(parameters, 1.0)), strict=True))
    before = system.world
    if cart:
        before = system.body("cart", mass=known[cart])
        system.joint("x", system.world, before, "Tx")
    for i, axis in enumerate(axes, 1):
        mass, length = (known.get(f"{letter}{i}", known.get(letter)) for letter in "ml")
        body = system.body(f"body{i}", mass=mass)
        top = body.frame(f"top{i}", tuple(-up * length * e for e in direction))
        system.joint(f"q{i}", before, top, axis)
        before = body
    return mb.derive(system)


@pytest.fixture(scope="module")
def simple_double_pendulum():
    return chain("simple", ["m", "l"], ["Rz", "Rz"])


@pytest.fixture(scope="module")
def double_pendulum():
    return chain("double", ["m1", "m2", "l1", "l2"], ["Rz", "Rz"])


@pytest.fixture(scope="module")
def cart_with_three_links():
    return chain("cart", ["m0", "m1", "m2", "m3", "l1", "l2", "l3"], ["Rz"] * 3, cart="m0")


@pytest.fixture(scope="module")
def spatial_double_pendulum():
    pairs = [["Rx", "Ry"]] * 2
    return chain("spatial", ["m1", "m2", "l1", "l2"], pairs, gravity=(0, 0, -9.81), direction=(0, 0, 1))


def test_crane_crab(crane):
    check_matrix(crane.M, [["m1 + m2", "-m2*l*cos(q)"], ["I + m2*l**2"]])
    check(crane.h[0], "m2*l*sin(q)*q_dot**2")
    check(crane.h[1], "9.81*m2*l*sin(q)")
    below = "(m1 + m2)*(I + m2*l**2) - m2**2*l**2*cos(q)**2"
    check(crane.acceleration[1], f"-m2*l*sin(q)*(9.81*(m1 + m2) + m2*l*q_dot**2*cos(q))/({below})")


def test_simple_double_pendulum_is_that_of_sympy(simple_double_pendulum):
    """test_complete_simple_double_pendulum of SymPy's mechanics."""
    check_matrix(simple_double_pendulum.M, [["2*l**2*m*cos(q2) + 3*l**2*m", "l**2*m*cos(q2) + l**2*m"], ["l**2*m"]])


def test_accelerations_of_the_simple_double_pendulum(simple_double_pendulum):
    """Cramer's rule by hand, divided by l·m."""
    first, second = simple_double_pendulum.acceleration
    check(
        first,
        "(9.81*(cos(q2)*sin(q1 + q2) - 2*sin(q1)) + l*sin(q2)*((q1_dot + q2_dot)**2 + q1_dot**2*cos(q2)))"
        "/(l*(2 - cos(q2)**2))",
    )
    check(
        second,
        "(9.81*(2*sin(q1)*(1 + cos(q2)) - sin(q1 + q2)*(2 + cos(q2)))"
        " - l*sin(q2)*((1 + cos(q2))*q2_dot*(2*q1_dot + q2_dot) + (3 + 2*cos(q2))*q1_dot**2))"
        "/(l*(2 - cos(q2)**2))",
    )


def test_double_pendulum(double_pendulum):
    check_matrix(
        double_pendulum.M,
        [["m1*l1**2 + m2*(l1**2 + l2**2 + 2*l1*l2*cos(q2))", "m2*l2*(l2 + l1*cos(q2))"], ["m2*l2**2"]],
    )
    check(
        double_pendulum.h[0],
        "-m2*l1*l2*sin(q2)*q2_dot*(2*q1_dot + q2_dot) + 9.81*((m1 + m2)*l1*sin(q1) + m2*l2*sin(q1 + q2))",
    )
    check(double_pendulum.h[1], "m2*l2*(l1*q1_dot**2*sin(q2) + 9.81*sin(q1 + q2))")
    below = "m1 + m2*sin(q2)**2"
    check(
        double_pendulum.acceleration[0],
        "(m2*sin(q2)*(l2*(q1_dot + q2_dot)**2 + l1*q1_dot**2*cos(q2)) + 9.81*(m2*cos(q2)*sin(q1 + q2)"
        f" - (m1 + m2)*sin(q1)))/(l1*({below}))",
    )


def test_cart_with_three_links(cart_with_three_links):
    check_matrix(
        cart_with_three_links.M,
        [
            [
                "m0 + m1 + m2 + m3",
                "(m1 + m2 + m3)*l1*cos(q1) + (m2 + m3)*l2*cos(q1 + q2) + m3*l3*cos(q1 + q2 + q3)",
                "(m2 + m3)*l2*cos(q1 + q2) + m3*l3*cos(q1 + q2 + q3)",
                "m3*l3*cos(q1 + q2 + q3)",
            ],
            [
                "(m1 + m2 + m3)*l1**2 + (m2 + m3)*(l2**2 + 2*l1*l2*cos(q2))"
                " + m3*(l3**2 + 2*l1*l3*cos(q2 + q3) + 2*l2*l3*cos(q3))",
                "(m2 + m3)*(l2**2 + l1*l2*cos(q2)) + m3*(l3**2 + l1*l3*cos(q2 + q3) + 2*l2*l3*cos(q3))",
                "m3*(l3**2 + l1*l3*cos(q2 + q3) + l2*l3*cos(q3))",
            ],
            ["(m2 + m3)*l2**2 + m3*(l3**2 + 2*l2*l3*cos(q3))", "m3*(l3**2 + l2*l3*cos(q3))"],
            ["m3*l3**2"],
        ],
    )
    check(
        cart_with_three_links.h[0],
        "-(m1 + m2 + m3)*l1*sin(q1)*q1_dot**2 - (m2 + m3)*l2*sin(q1 + q2)*(q1_dot + q2_dot)**2"
        " - m3*l3*sin(q1 + q2 + q3)*(q1_dot + q2_dot + q3_dot)**2",
    )


def test_accelerations_of_the_cart_with_three_links(cart_with_three_links):
    report = closed_form_report(cart_with_three_links.acceleration, seconds=60.0)
    assert report.complete.all()
    for closed, original in zip(report.value, cart_with_three_links.acceleration, strict=True):
        assert same(closed, original, points=2)
        assert agrees(closed, original, 1e-12)
        assert printed_size(closed) < printed_size(original) / 20


def test_spatial_double_pendulum(spatial_double_pendulum):
    """The mass matrix from the velocities of the two points, m₁·J₁ᵀ·J₁ + m₂·J₂ᵀ·J₂."""
    a, b, c = "q1_ry", "q2_rx", "q2_ry"
    check_matrix(
        spatial_double_pendulum.M,
        [
            [
                f"m1*l1**2*cos({a})**2 + m2*((l1*cos({a}) + l2*(cos({a})*cos({b})*cos({c}) - sin({a})*sin({c})))**2"
                f" + l2**2*sin({b})**2*cos({c})**2)",
                f"m2*l2*sin({b})*cos({c})*(sin({a})*(l1 + l2*cos({b})*cos({c})) + l2*cos({a})*sin({c}))",
                f"m2*l2*cos({c})*(l1*cos({a})*cos({b}) + l2*(cos({a})*cos({c}) - sin({a})*cos({b})*sin({c})))",
                f"m2*l2*sin({b})*(l2*sin({a}) - l1*cos({a})*sin({c}))",
            ],
            [
                f"m1*l1**2 + m2*((l1 + l2*cos({b})*cos({c}))**2 + l2**2*sin({c})**2)",
                f"m2*l2**2*sin({b})*cos({c})*sin({c})",
                f"m2*l2*(l1*cos({c}) + l2*cos({b}))",
            ],
            [f"m2*l2**2*cos({c})**2", "0"],
            ["m2*l2**2"],
        ],
    )


def test_bias_of_the_spatial_double_pendulum(spatial_double_pendulum):
    report = closed_form_report(spatial_double_pendulum.h, seconds=60.0)
    assert report.complete.all()
    for closed, original in zip(report.value, spatial_double_pendulum.h, strict=True):
        assert same(closed, original, points=2)
        assert agrees(closed, original, 1e-12)
        assert printed_size(closed) <= printed_size(original)
    assert printed_size(report.value[0]) < printed_size(spatial_double_pendulum.h[0]) / 3


def test_rolling_disc():
    """Virtual power in the ground's axes, solved; the result is that of SymPy's test_rolling_disc."""
    yaw, lean = symbols("yaw lean", "coordinate")
    speeds = symbols("u1 u2 u3", "speed")  # of the disc, in axes that lean with it
    m, g, r = symbols("m g r", "parameter")
    turned = np.array([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]], dtype=object)
    tilted = np.array([[1, 0, 0], [0, cos(lean), -sin(lean)], [0, sin(lean), cos(lean)]], dtype=object)
    axes = turned @ tilted
    omega = axes @ np.array(speeds, dtype=object)
    velocity = np.cross(omega, r * axes[:, 2])  # the point of contact is at rest

    def derivative(vector):
        return jacobian(list(vector), [yaw, lean]) @ np.array([speeds[2] / cos(lean), speeds[0]], dtype=object)

    inertia = axes @ np.diag([m * r**2 / 4, m * r**2 / 2, m * r**2 / 4]) @ axes.T
    turning, moving = jacobian(list(omega), speeds), jacobian(list(velocity), speeds)
    M = turning.T @ inertia @ turning + m * moving.T @ moving
    bias = turning.T @ derivative(inertia @ omega) + m * moving.T @ derivative(velocity)
    force = moving.T @ np.array([0, 0, -m * g], dtype=object)
    first, second, third = solve(M, force - bias)
    check(first, "(4*g*sin(lean) + 6*r*u2*u3 - r*u3**2*tan(lean))/(5*r)", slack=1)
    check(second, "-2*u1*u3/3", slack=1)
    check(third, "(-2*u2 + u3*tan(lean))*u1", slack=1)


# --- limits ---


@pytest.fixture(scope="module")
def monster():
    """Six links, each with an axis of its own."""
    names = [f"{letter}{i}" for i in range(1, 7) for letter in "ml"]
    return chain("monster", names, ["Rx", "Ry", "Rz"] * 2, gravity=(0, 0, -9.81), direction=(1, 1, 1))


@pytest.mark.parametrize("quantity", ["M", "h", "acceleration"])
def test_the_time_limit_holds(monster, quantity):
    original = np.array(getattr(monster, quantity), dtype=object)
    start = time.process_time()
    report = closed_form_report(original, seconds=0.5)
    assert time.process_time() - start < 10.0  # without a limit it would be minutes
    assert report.value.shape == report.complete.shape == original.shape
    for closed, entry, complete in zip(report.value.flat, original.flat, report.complete.flat, strict=True):
        assert complete or closed is entry
        assert same(closed, entry, points=2)
    assert not report.complete.all()


def test_the_size_limit_holds():
    small, large = x * y + x * y * z, (x + y + z) ** 30
    report = closed_form_report([[small, large]], size=100)
    assert report.complete.tolist() == [[True, False]]
    assert report.value[0, 1] is large
    assert closed_form_report(large).complete


def test_no_time_at_all_changes_nothing():
    expression = sin(q) ** 2 * x + cos(q) ** 2 * x * y
    assert closed_form_report(expression, seconds=0.0) == (expression, False)


# --- forms ---

FORMS = {
    "parallel axes": (sin(q1) * cos(q2) + cos(q1) * sin(q2), "sin(q1 + q2)"),
    "Pythagoras": (x * sin(q) ** 2 + x * cos(q) ** 2 + y, "x + y"),
    "a squared sine": (x - x * cos(q) ** 2, "x*sin(q)**2"),
    "principal axes": (x + (y - x) * sin(q) ** 2, "x*cos(q)**2 + y*sin(q)**2"),
    "crossed axes": (x * cos(q1 + q2) + x * cos(q1 - q2), "2*x*cos(q1)*cos(q2)"),
    "half angles": (sin(q / 2) * cos(q / 2), "sin(q)/2"),
    "a quarter turn": (sin(q + pi / 2) * x + cos(q) * y, "(x + y)*cos(q)"),
    "a constant angle": (sin(q + 1) * cos(q) - cos(q + 1) * sin(q), "sin(1)"),
    "tangent": (sin(q) / cos(q) * x + y, "x*tan(q) + y"),
    "tangent and cosine": (tan(q) * cos(q), "sin(q)"),
    "common factor": (x * y + x * z + y * z * x, "x*(y + z + y*z)"),
    "product of sums": (x * y + x * z + q * y + q * z, "(x + q)*(y + z)"),
    "square of a sum": (x * x + 2 * x * y + y * y, "(x + y)**2"),
    "product of linear forms": (2 * x * y + y * y + 2 * x * z + 2 * y * z + z * z, "(y + z)*(2*x + y + z)"),
    "completed square": (x * (sin(q1) * y + z) ** 2 + q * y * y, "q*y**2 + x*(y*sin(q1) + z)**2"),
    "common divisor": ((x * x - y * y) / (x * x + 2 * x * y + y * y), "(x - y)/(x + y)"),
    "trigonometric divisor": (sin(q) ** 2 / (1 + cos(q)), "1 - cos(q)"),
    "root below": (x * sqrt(x * x + y * y) / (x * x + y * y), "x/sqrt(x**2 + y**2)"),
    "square of a root": (sqrt(x + y) ** 2 * z - x * z, "y*z"),
    "fractions": (x * Fraction(1, 12) + x * Fraction(1, 4), "x/3"),
    "sum of quotients": (1 / (x + 1) + y * (sin(q) ** 2 + cos(q) ** 2), "1/(x + 1) + y"),
    "argument of a function": (atan(sin(q1) * cos(q2) + cos(q1) * sin(q2)) * x, "x*atan(sin(q1 + q2))"),
    "branch": (where(x < y * z + y, x * y + x * y * z, 0), "where(x < y*z + y, x*y*(z + 1), 0)"),
}


@pytest.mark.parametrize("name", FORMS)
def test_short_forms(name):
    original, text = FORMS[name]
    check(original, text, slack=1)


def test_tables_are_opaque():
    table = Table("spring", [0.0, 1.0, 2.0], [0.0, 3.0, 4.0])
    closed = closed_form(table(x * sin(q) ** 2 + x * cos(q) ** 2) * y + y * z)
    assert str(closed) == "y*(spring(x) + z)"


def test_what_is_short_stays():
    for expression in (x, f.pi / 3, x + y, 2 * sin(q), x / (y + 1)):
        assert closed_form(expression) is expression


def test_the_closed_form_prints_in_its_short_form_everywhere():
    original = x * (cos(q1) * cos(q2) - sin(q1) * sin(q2)) + y * cos(q1) * cos(q2) - y * sin(q1) * sin(q2)
    before = str(original)
    closed = closed_form(original)
    assert str(closed) == "cos(q1 + q2)*(x + y)"
    assert listing({"c": closed}) == "c = cos(q1 + q2)*(x + y)"
    assert to_latex(closed) == r"\cos\left(q_{1} + q_{2}\right) \left(x + y\right)"
    a, b, c, d = sympy.symbols("x y q1 q2")
    assert to_sympy(closed) == (a + b) * sympy.cos(c + d)
    assert str(original) == before


def test_arrays_keep_their_shape():
    entry = x * sin(q) ** 2 + x * cos(q) ** 2 * 1
    assert closed_form([[entry, 1], [0, y]]).tolist() == [[x, 1], [0, y]]
    assert closed_form(np.zeros((0, 2))).shape == (0, 2)


# --- numbers ---


def constants(expression):
    return [node for node in topological([expression]) if isinstance(node, Constant)]


def test_exact_numbers_stay_exact():
    m, l = symbols("m l")
    root = sqrt(2) / 7
    closed = closed_form(m * l**2 / 12 + m * (l / 2) ** 2 + root * m * sin(q) ** 2 + root * m * cos(q) ** 2)
    assert all(number.exact for number in constants(closed))
    assert same(closed, m * (l**2 / 3 + root), points=2)


def test_floats_stay_as_they_are():
    m, l = symbols("m l")
    closed = closed_form(9.81 * m * l * sin(q1) + 9.81 * m * (l * sin(q1) * cos(q2) + l * cos(q1) * sin(q2)))
    assert str(closed) == "9.81*l*m*(sin(q1 + q2) + sin(q1))"
    assert str(closed_form(2.5 * x * y + 1.25 * x * y + 2.5 * z)) == "3.75*x*y + 2.5*z"


def test_no_long_floats_are_made():
    closed = closed_form(0.1 * (x + y) * z + 0.3 * (x - y) * z)
    assert {number.value for number in constants(closed)} == {0.1, 0.3}


# --- chance ---

TRIGONOMETRIC = (*ARITHMETIC * 3, f.sin, f.cos, f.tan, f.sin, f.cos, recip, f.neg)
leaves = st.sampled_from([x, y, q1, q2, q1 + q2, q1 / 2, f.constant(2), f.constant(Fraction(1, 3)), pi / 2])


@given(expressions(leaves, TRIGONOMETRIC, size=25, choices=False))
@settings(max_examples=150)
def test_random_trigonometric_expressions_keep_their_value(original):
    closed = closed_form(original, seconds=0.3, size=300)
    assert same(closed, original, points=2)
    assert printed_size(closed) <= printed_size(original)
    try:
        value(original)
    except ExpressionError:
        assume(False)
    assert agrees(closed, original, 1e-25)


@given(expressions(size=15))
@settings(max_examples=100)
def test_random_expressions_keep_their_fingerprint(original):
    closed = closed_form(original, seconds=0.2, size=200)
    assert same(closed, original, points=2)
    assert set(free_symbols(closed)) <= set(free_symbols(original))


def test_a_root_in_every_term_is_no_divisor():
    """cos x / |cos x| in disguise: each term of the numerator has the root as a factor."""
    x, y, z = symbols("x y z")
    root = sqrt(cos(x) ** 2 * cos(y) ** 2 + cos(x) ** 2 * sin(y) ** 2)
    written = cos(z) * (cos(x) * cos(y) ** 2 / root + cos(x) * sin(y) ** 2 / root)
    found = closed_form(written)
    for point in ({x: 0.3, y: 0.4, z: 0.5}, {x: 2.3, y: -0.4, z: 1.5}):
        assert evaluate(found, point) == pytest.approx(evaluate(written, point), rel=1e-14)
