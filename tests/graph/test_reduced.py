"""Expressions reduced modulo identities are equal where the identities hold, and as short as those of a textbook."""

import time
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings, strategies as st
from tests.refusal import refused

from multibody.errors import ExpressionError, MultibodyError
from multibody.graph import (
    ONE,
    all_same,
    closed_form,
    constant,
    cos,
    free_symbols,
    jacobian,
    less,
    log,
    parse,
    product,
    same,
    sin,
    solve,
    sqrt,
    substitute,
    symbols,
    where,
    without_sharing,
)
from multibody.graph.closed_forms import reduced
from multibody.graph.closed_forms.ideals.ideal import Basis
from multibody.graph.closed_forms.laurent import Budget, Ring
from multibody.graph.closed_forms.printed_size import printed_size

x, y, z, a, b, g, k = symbols("x y z a b g k", scope="reduced")
p = np.array(symbols("p_x p_y p_z", scope="reduced"), dtype=object)
v = np.array(symbols("v_x v_y v_z", scope="reduced"), dtype=object)
SPHERE = {p @ p: a**2}
TANGENT = {p @ v: 0}
SPEED = {v @ v: k}


def read(text):
    """The expression as it is written."""
    with without_sharing():
        return parse(text, [x, y, z, a, b, g, k, *p, *v])


def on_sphere(expression):
    """With a, k and v_z eliminated: an expression in free variables."""
    speed = -(p[0] * v[0] + p[1] * v[1]) / p[2]
    return substitute(substitute(substitute(expression, {k: v @ v}), {v[2]: speed}), {a: sqrt(p @ p)})


# --- the spherical pendulum of the modular modelling seed ---


@pytest.fixture(scope="module")
def pendulum():
    """v̇ = S·u̇ + Ṡ·u with u = (v_x, v_y), where S spans the motions that keep p·p, and Sᵀ·(v̇ + g·e_z) = 0."""
    S = np.array([[1, 0], [0, 1], [-p[0] / p[2], -p[1] / p[2]]], dtype=object)
    rate = product(jacobian(S[2], p), v)
    bias = np.array([0, 0, rate @ v[:2]], dtype=object)
    right = -product(S.T, bias + np.array([0, 0, g], dtype=object))
    return product(S, solve(product(S.T, S), right)) + bias


FIGURE_1 = (
    "p_x*(g*p_z - v_x**2 - v_y**2 - v_z**2)/a**2",
    "p_y*(g*p_z - v_x**2 - v_y**2 - v_z**2)/a**2",
    "-(g*(p_x**2 + p_y**2) + p_z*(v_x**2 + v_y**2 + v_z**2))/a**2",
)
FIGURE_2 = (
    "p_x*(-k + g*p_z)/a**2",
    "p_y*(-k + g*p_z)/a**2",
    "-(a**2*g + p_z*(k - g*p_z))/a**2",
)


@pytest.mark.parametrize(("figure", "rules"), [(FIGURE_1, SPHERE | TANGENT), (FIGURE_2, SPHERE | TANGENT | SPEED)])
def test_figures_1_and_2(pendulum, figure, rules):
    result = reduced(pendulum, rules, seconds=60.0)
    assert same(result[0], read(figure[0]), points=2)
    assert same(result[1], read(figure[1]), points=2)
    for form, text, original in zip(result, figure, pendulum, strict=True):
        assert same(on_sphere(form), on_sphere(read(text)), points=2)
        assert same(on_sphere(form), on_sphere(original), points=2)
        assert printed_size(form) <= printed_size(read(text))


def test_figure_2_with_all_its_rules():
    """The figure's own list, from the shorter acceleration that its first rule leaves."""
    rules = [
        (p @ p, a**2),
        (p @ v, 0),
        (p[0] ** 2 + p[1] ** 2, a**2 - p[2] ** 2),
        (p[0] * v[0] + p[1] * v[1], -p[2] * v[2]),
        (v @ v, k),
    ]
    result = reduced([read(text) for text in FIGURE_1], rules)
    for form, text in zip(result, FIGURE_2, strict=True):
        assert same(form, read(text), points=2)
        assert printed_size(form) <= printed_size(read(text))
    assert str(reduced(2 * v @ [read(text) for text in FIGURE_1], rules)) == "-2*g*v_z"


def test_figure_2_complement():
    """∂k/∂v_z and ∂k/∂v_y, with v_x as the dependent velocity."""
    rules = {p @ v: 0, v @ v: k}
    v_x = -(p[1] * v[1] + p[2] * v[2]) / p[0]
    of_v_z, of_v_y = reduced(jacobian([v_x**2 + v[1] ** 2 + v[2] ** 2], [v[2], v[1]])[0], rules)
    eliminated = {v[0]: v_x}
    assert same(substitute(of_v_z, eliminated), substitute(read("2*(-p_z*v_x + p_x*v_z)/p_x"), eliminated), points=2)
    assert same(substitute(of_v_y, eliminated), substitute(read("2*(-p_y*v_x + p_x*v_y)/p_x"), eliminated), points=2)
    assert {v[0]} & set(free_symbols([of_v_z, of_v_y])), "v_x is shorter than what it depends on"


def test_figure_3():
    """Spherical coordinates."""
    th, ph, dth, dph = symbols("θ φ θ_dot φ_dot", scope="reduced")
    position = a * np.array([sin(th) * cos(ph), sin(th) * sin(ph), -cos(th)], dtype=object)
    velocity = product(jacobian(position, [th, ph]), [dth, dph])
    rules = dict(zip([*p, *v], [*position, *velocity], strict=True))
    result = reduced([read(text) for text in FIGURE_1], rules)
    inner = cos(th) * g + a * (dth**2 + sin(th) ** 2 * dph**2)
    expected = [-cos(ph) * sin(th) * inner, -sin(th) * sin(ph) * inner, cos(th) * inner - g]
    assert all_same(result, expected, points=2)
    assert str(result[0]) == "-cos(φ)*sin(θ)*(a*(θ_dot**2 + φ_dot**2*sin(θ)**2) + g*cos(θ))"
    assert printed_size(result[2]) <= printed_size(-g * sin(th) ** 2 + cos(th) * a * (dth**2 + sin(th) ** 2 * dph**2))


# --- quaternions ---


@pytest.fixture
def rotation():
    w = b
    R = [
        [w**2 + x**2 - y**2 - z**2, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w**2 - x**2 + y**2 - z**2, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w**2 - x**2 - y**2 + z**2],
    ]
    return np.array(R, dtype=object)


UNIT = [(b**2 + x**2 + y**2 + z**2, 1)]


def test_a_unit_quaternion_is_a_rotation(rotation):
    assert (reduced(product(rotation, rotation.T), UNIT) == np.eye(3)).all()
    assert reduced(rotation[0] @ np.cross(rotation[1], rotation[2]), UNIT) is ONE


def test_diagonal_of_a_rotation_matrix(rotation):
    assert str(reduced(rotation[0, 0], UNIT)) == "1 - 2*y**2 - 2*z**2"
    assert str(reduced(rotation[0, 1] / (b**2 + x**2 + y**2 + z**2), UNIT)) == "2*(x*y - b*z)"


# --- direction ---

DIRECTED = {
    "a whole pattern": (g * (x**2 + y**2 + z**2), {x**2 + y**2 + z**2: a**2}, "a**2*g"),
    "a part, as short as before": (g * (x**2 + y**2), {x**2 + y**2 + z**2: a**2}, "g*(x**2 + y**2)"),
    "a part, shorter": (g * (a**2 - x**2 - y**2), {x**2 + y**2 + z**2: a**2}, "g*z**2"),
    "a part and more": (x**2 + y**2 + 2 * z**2, {x**2 + y**2 + z**2: a**2}, "a**2 + z**2"),
    "a longer value": (b * (g - k), {k: x**2 + y**2 + z**2}, "b*(g - x**2 - y**2 - z**2)"),
    "a longer value in a product": (x * y * (z + 1), {x * y: a + b + k}, "(a + b + k)*(z + 1)"),
    "a chain": (x + 1, {x: y**2, y**3: z}, "y**2 + 1"),
    "a chain to its end": (x**3, {x: y**2, y**3: z}, "z**2"),
    "a ratio": (x**2 / y**2 + x / y + z, {x / y: b}, "b**2 + b + z"),
    "a value with a denominator": (x * z + 1, {x: y / z}, "y + 1"),
    "a product that vanishes": (x * y * z + x, {x * y: 0}, "x"),
    "a factor": ((x + y + z) ** 6 / (x**2 + y**2), {x**2 + y**2: 1}, "(x + y + z)**6"),
    "terms of different denominators": (z * sin(x) / cos(x) + x, {sin(x): a}, "a*z/cos(x) + x"),
    "sine of a sum": (z * sin(x) * cos(y) + z * cos(x) * sin(y), {sin(x + y): a}, "a*z"),
    "Pythagoras": (b**2 * cos(x) ** 2, {b * sin(x): a}, "b**2 - a**2"),
    "half angles": (z * sin(x), {sin(x / 2): a}, "2*a*z*cos(x/2)"),
    "a root": (z * (x**2 + y**2), {sqrt(x**2 + y**2): a}, "a**2*z"),
    "inside functions": (y * sin(sqrt(x**2 + y**2)), {x**2 + y**2: a**2}, "y*sin(abs(a))"),
    "a function that is a pattern": (z * sqrt(x**2 + y**2), {x**2 + y**2: a**2, sqrt(x**2 + y**2): a}, "a*z"),
    "inside conditions": (where(less(x**2 + y**2, b), z, x), {x**2 + y**2: a}, "where(a < b, z, x)"),
    "a condition that is decided": (where(less(x, 1), y, z), {x: 0}, "y"),
    "nothing new": (x + y, {x + y: x + y}, "x + y"),
    "rules in a circle": (x - y, {x: y, y: x}, "0"),
    "what is zero": (x + z, {x: 2 * x}, "z"),
    "floats": (9.81 * x, {x: 2.5 * z}, "24.525000000000002*z"),
}  # fmt: skip


@pytest.mark.parametrize("case", DIRECTED)
def test_patterns_are_replaced_by_values(case):
    expression, rules, text = DIRECTED[case]
    assert str(reduced(expression, rules)) == text
    assert str(reduced(expression, list(rules.items()))) == text


def test_consequences_of_several_identities():
    assert str(reduced(np.cross(p, v) @ np.cross(p, v), SPHERE | TANGENT | SPEED)) == "a**2*k"


def test_shapes():
    assert reduced([[x * y], [z]], {x * y: 1}).tolist() == [[ONE], [z]]
    assert reduced([], {x: y}).shape == (0,)
    assert str(reduced(x * y + x * z, [])) == "x*(y + z)"


# --- what must not happen ---


@pytest.mark.parametrize(
    "rules",
    [[(ONE, 0)], [(x, 1), (x, 2)], [(1 / x, 0)], [(x, 9.81), (x, 9.8)], [(x + y, 1), (2 * x + 2 * y, 3)],
     [(x * y, 1), (x, 0)], [(sin(x), a), (cos(x), a), (a, 1)], [(sqrt(x), a), (x, 2), (a, 1)]],
)  # fmt: skip
def test_contradictions_are_noticed(rules):
    with refused("identities-contradictory") as caught:
        reduced(x, rules)
    assert all(f"{pattern} -> {value}" in caught.value.where for pattern, value in rules)
    assert caught.value.remedy


def test_numbers_that_are_equal_do_not_contradict_each_other():
    assert str(reduced(x, [(x, 2.5 * constant(9.81)), (x, constant(9.81) * 2.5), (y, 1)])) == "24.525000000000002"


@pytest.mark.parametrize(
    ("expression", "rules"),
    [(1 / (x**2 + y**2 - a**2), {x**2 + y**2: a**2}), (y / x, {x: 0}), (y * log(x), {x: 0}),
     (z + y / (x - 1), {x**2: 1, x + b: 1, b: 0})],
)  # fmt: skip
def test_nothing_is_divided_by_zero(expression, rules):
    assert str(reduced(expression, rules)) == str(closed_form(expression))


def test_limits():
    large = (x + y + z) ** 30 / (x**2 + y**2)
    assert reduced(large, {x**2 + y**2: 1}, seconds=0.0) is large
    start = time.process_time()
    result = reduced(large + 1, {x**2 + y**2: b}, seconds=0.5)
    assert time.process_time() - start < 2.0
    assert same(substitute(result, {b: x**2 + y**2}), large + 1)
    small = [large, x**2 + y**2 + z]
    assert list(map(str, reduced(small, {x**2 + y**2: 1}, size=100))) == ["(x + y + z)**30", "z + 1"]


def test_identities_that_are_too_large():
    rules = {(x + y + z + a + b) ** 12: k, x**2 + y**2: 1}
    start = time.process_time()
    result = reduced(g * (x**2 + y**2), rules, seconds=1.0, size=200)
    assert time.process_time() - start < 3.0
    assert same(result, g * (x**2 + y**2))


# --- chance ---

UNKNOWNS, PARAMETERS = [x, y, z], [a, b]
numbers = st.integers(-3, 3)


@st.composite
def polynomials(draw, variables, degree=2, terms=4):
    """A small random polynomial."""
    result = constant(0)
    for _ in range(draw(st.integers(1, terms))):
        factors = draw(st.lists(st.sampled_from(variables), max_size=degree))
        result = result + np.prod([constant(draw(numbers)), *factors])
    return result


@st.composite
def varieties(draw):
    """Functions of two parameters, and identities that they fulfil."""
    points = dict(zip(UNKNOWNS, [draw(polynomials(PARAMETERS)) for _ in UNKNOWNS], strict=True))
    patterns = draw(st.lists(polynomials(UNKNOWNS), min_size=1, max_size=3))
    return points, [(pattern, substitute(pattern, points)) for pattern in patterns]


@given(varieties(), polynomials(UNKNOWNS + PARAMETERS, 4, 6), polynomials(UNKNOWNS + PARAMETERS))
@settings(max_examples=25)
def test_random_quotients_keep_their_value_on_random_varieties(variety, over, under):
    points, rules = variety
    try:
        original = over / under
        expected = substitute(original, points)
    except MultibodyError:
        assume(False)
    result = reduced(original, rules, seconds=1.0, size=200)
    assert same(substitute(result, points), expected, points=2)


@given(st.lists(polynomials(UNKNOWNS, 3, 3), min_size=1, max_size=3), polynomials(UNKNOWNS))
@settings(max_examples=20)
def test_members_of_random_ideals_vanish(generators, factor):
    assume(all(free_symbols(generator) for generator in generators))
    rules = [(generator, 0) for generator in generators]
    member = sum((factor**i * generator for i, generator in enumerate(generators)), constant(0))
    try:
        assert same(reduced(member, rules, seconds=5.0), 0)
    except ExpressionError:
        basis = sympy.groebner([sympy.sympify(str(generator)) for generator in generators])
        assert basis.exprs == [1]


monomials = st.tuples(*[st.integers(0, 2)] * 3).filter(lambda exponents: sum(exponents) < 4)
ideals = st.lists(st.dictionaries(monomials, st.integers(1, 5), min_size=1, max_size=3), min_size=1, max_size=3)


@given(ideals, st.dictionaries(monomials, st.integers(1, 5), max_size=4))
@settings(max_examples=25)
def test_normal_forms_are_those_of_sympy(ideal, dividend):
    ring = Ring(Budget(10.0, 10_000))
    for _ in range(3):
        ring.generator()

    def packed(poly):
        return {sum(ring.monomial(i, e) for i, e in enumerate(m, 1)): Fraction(c) for m, c in poly.items()}

    basis = Basis(ring, lambda monomial: ring.exponents(monomial)[1:], map(packed, ideal))
    rest = {tuple(ring.exponents(m)[1:]): c for m, c in basis.remainder(packed(dividend)).items()}

    variables = sympy.symbols("x y z")
    polys = [sympy.Poly(dict(poly), *variables) for poly in [*ideal, dividend]]
    theirs = sympy.groebner(polys[:-1], *variables, order="lex", domain="QQ")
    leads = {poly.monoms(order="lex")[0] for poly in theirs.polys}
    assert {tuple(ring.exponents(rule.lead)[1:]) for rule in basis.rules} == leads
    expected = theirs.reduce(polys[-1].as_expr())[1]
    assert rest == {m: Fraction(int(c.p), int(c.q)) for m, c in sympy.Poly(expected, *variables).terms() if c}
