import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings

from multibody.errors import ParseError
from multibody.graph import (
    Constant,
    Table,
    absolute,
    atan2,
    constant,
    cos,
    exp,
    minimum,
    pi,
    power,
    same,
    sin,
    sqrt,
    symbol,
    tanh,
    where,
    without_sharing,
)
from multibody.graph.number import image
from multibody.graph.text.assignments import assignments, nodes_below
from multibody.graph.text.parser import parse, parse_condition
from multibody.graph.text.plain_text import MAX_CHARACTERS, listing, to_text
from multibody.graph.text.term_order import natural

from .strategies import SYMBOLS, conditions, expressions, floats, graphs, smooth_expressions, symbols

x, y, z, q1, q2, q10, m_crab, phi = SYMBOLS
m, g, l, q = (symbol(name) for name in "m g l q".split())


def alone(make):
    """An expression that is not found among others of the same value."""
    with without_sharing():
        return make()


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (m * g * sin(q) / l, "g*m*sin(q)/l"),
        (-x + y, "y - x"),
        (-x - y, "-x - y"),
        (-(x * y), "-x*y"),
        (x - (y - z), "x - y + z"),
        (1 + z + x + x**2 + x * y, "x**2 + x*y + x + z + 1"),
        (x**3 + x**2, "x**3 + x**2"),
        (q10 + q2 + q1, "q1 + q2 + q10"),
        (phi * m_crab, "m_crab*φ"),
        (Fraction(2, 3) * x, "2*x/3"),
        (2 * (x + y) / 3, "2*(x + y)/3"),
        (x / (y * z), "x/(y*z)"),
        (x / y / z, "x/y/z"),
        (2 * x / (3 * y), "2*x/(3*y)"),
        (2 * x / (3 * y * z), "2*x/(3*y*z)"),
        (2 * x / 3 / (y * z), "2/3*x/(y*z)"),
        (2 / (3 * (x + y)), "2/3/(x + y)"),
        ((1 / x) ** 2, "(1/x)**2"),
        (1 / x, "1/x"),
        (1 / (x + y) ** 2, "1/(x + y)**2"),
        (x**-3, "1/x**3"),
        (sin(x) ** 2, "sin(x)**2"),
        (constant(Fraction(1, 3)), "1/3"),
        (constant(-2), "-2"),
        (constant(0.1), "0.1"),
        (9.81 * m, "9.81*m"),
        (constant(1e-9), "1e-09"),
        (pi / 2, "pi/2"),
        (-pi / 3 + x, "x - pi/3"),
        (exp(1) + 1, "exp(1) + 1"),
        (power(x, Fraction(1, 3)), "x**(1/3)"),
        (power(2, x), "2**x"),
        (power(-x, y), "(-x)**y"),
        (power(x + y, -y), "(x + y)**(-y)"),
        (power(power(x, y), z), "(x**y)**z"),
        (minimum(y, x), "min(x, y)"),
        (atan2(-1, x), "atan2(-1, x)"),
        (absolute(x), "abs(x)"),
        (where((x > 0) & (x < 1) | ~(y <= z), -x, 2), "where(0 < x and x < 1 or not y <= z, -x, 2)"),
    ],
)
def test_an_expression_reads_as_a_person_would_write_it(expr, text):
    assert to_text(expr) == text
    assert parse(text) is expr


@pytest.mark.parametrize(
    ("make", "text"), [(lambda: sqrt(2) / 2, "sqrt(2)/2"), (lambda: sqrt(3) * x / 2, "sqrt(3)*x/2")]
)
def test_a_root_reads_as_a_person_would_write_it(make, text):
    """Made apart from others of the same value, such as cos(pi/6), which are found if they are alive."""
    expr = alone(make)
    assert to_text(expr) == text
    assert same(parse(text), expr, points=2)


def _is_known(expr):
    """Whether each constant is a number or has a formula: a rounded result of floats cannot be written exactly."""
    numbers = [node for node in nodes_below([expr]) if isinstance(node, Constant)]
    return all(number.formula is not None or number.fp == image(number.value) for number in numbers)


def _same(again, expr):
    """One node; or, for an expression with a singularity that can be removed, another one of the same value."""
    return again is expr or (not expr.total and again.fp == expr.fp)


@settings(max_examples=250)
@given(expressions())
def test_text_read_again_is_the_same_expression(expr):
    assert _same(parse(to_text(expr)), expr)


@given(graphs())
def test_text_of_a_shared_graph_is_read_again(expr):
    assert parse(to_text(expr)) is expr


@given(expressions(symbols | floats, size=8))
def test_floats_keep_all_their_digits(expr):
    assume(_is_known(expr))
    assert _same(parse(to_text(expr)), expr)


@given(conditions(expressions(size=4)))
def test_conditions_are_read_again(condition):
    assume(not isinstance(condition, bool))
    assert parse_condition(to_text(condition)) is condition


def _without_one_pair(text):
    """The text without each pair of parentheses that does not belong to a call."""
    opened = []
    for i, letter in enumerate(text):
        if letter == "(":
            opened.append(i)
        elif letter == ")":
            start = opened.pop()
            if start == 0 or not text[start - 1].isalnum():
                yield text[:start] + text[start + 1 : i] + text[i + 1 :]


def _means(text):
    try:
        return parse(text)
    except ParseError:
        return None


@given(smooth_expressions(symbols, size=12))
def test_every_parenthesis_is_needed(expr):
    assert all(_means(text) is not expr for text in _without_one_pair(to_text(expr)))


@given(expressions())
def test_signs_are_drawn_together(expr):
    text = to_text(expr)
    assert not any(odd in text for odd in ("+ -", "- -", "--", "*-", "/-", "( "))


def _in_random_order(seed):
    names = [f"ordered_{seed}_{letter}" for letter in "abcde"]
    order = names[:]
    random.Random(seed).shuffle(order)
    made = {name: symbol(name) for name in order}
    rotated = sum((made[name] ** 2 for name in order), start=constant(1))
    result = rotated * made[names[1]] * made[names[0]] * sin(made[names[2]]) - made[names[3]]
    return to_text(result).replace(f"ordered_{seed}_", "")


def test_the_order_does_not_depend_on_the_order_of_creation():
    assert len({_in_random_order(seed) for seed in range(20)}) == 1


def test_names_sort_as_people_count():
    assert sorted(["b", "a10", "a9", "A1", "a"], key=natural) == ["a", "A1", "a9", "a10", "b"]


def test_words_of_the_grammar_are_quoted():
    odd = [symbol(name) for name in ("and", "not", "where", "pi", "sin", "lambda")]
    expr = odd[0] + odd[1] * odd[2] + odd[3] * pi + sin(odd[4]) + odd[5]
    assert to_text(expr) == "`and` + lambda + `not`*`where` + pi()*`pi` + sin(sin)"
    assert parse(to_text(expr)) is expr
    assert parse(to_text(expr), odd) is expr


def test_symbols_of_the_same_name_are_told_apart():
    free = symbol("x", "speed")
    scoped = symbol("x", "variable", scope="arm")
    assert to_text(x * scoped * free) == "arm.x*x[speed]*x[variable]"


def test_a_table_is_printed_by_its_name():
    spring = Table("spring", [0, 1], [0, 2])
    expr = spring(x + y) * z
    assert to_text(expr) == "z*spring(x + y)"
    assert parse(to_text(expr), functions={"spring": spring}) is expr


def test_a_huge_whole_number_can_be_printed():
    assert to_text(constant(1 << 20_000) * x).startswith("0x1000")


def test_without_sharing_everything_is_shown():
    with without_sharing():
        assert to_text(sin(z) ** 2 + cos(z) ** 2) == "cos(z)**2 + sin(z)**2"


def _doubling(depth):
    expr = x
    for _ in range(depth):
        expr = sin(expr) + cos(expr) * y
    return expr


def test_a_shared_graph_does_not_explode():
    text = to_text(_doubling(1000))
    assert len(text) < 100_000
    assert parse(text) is _doubling(1000)


def test_a_deep_chain_does_not_exhaust_the_stack():
    expr = x
    for _ in range(10_000):
        expr = tanh(expr) * y
    text = to_text(expr)
    assert parse(text) is expr


def test_a_long_sum_is_cut_into_lines():
    parts = [symbol(f"part{i}") for i in range(1000)]
    expr = sum(parts, start=x)
    text = to_text(expr)
    assert max(map(len, text.splitlines())) < 500
    assert parse(text) is expr


def test_a_short_expression_is_one_line():
    assert "\n" not in to_text(_doubling(4))
    assert len(to_text(_doubling(4))) <= MAX_CHARACTERS


def test_a_long_printout_can_be_shortened():
    text = to_text(_doubling(100), max_lines=5)
    assert text.splitlines()[-1] == "  … and 94 more lines"


def test_intermediates_do_not_collide_with_symbols():
    v1, v3 = symbol("v1"), symbol("v3")
    one, two = sin(v1 + v3) * v1, sin(v1 * v3 + 1)
    steps = assignments([cos(one) * sin(one + 1), cos(two) * sin(two + 1)])
    assert [name for name, _ in steps.definitions] == ["v2", "v4"]


def test_intermediates_are_used_more_than_once_and_in_order():
    steps = assignments([_doubling(10)])
    known = set()
    for _, node in steps.definitions:
        below = set(nodes_below([node])) - {node}
        assert all(inner in known for inner in steps.names if inner in below)
        known.add(node)


def test_a_listing_shows_every_output():
    r = x * cos(y) + y
    assert listing([[r * sin(x)], [r * cos(x)]]).splitlines() == [
        "v1 = x*cos(y) + y",
        "[0, 0] = v1*sin(x)",
        "[1, 0] = v1*cos(x)",
    ]
    assert listing(np.array([x, y], dtype=object)) == "[0] = x\n[1] = y"
    assert listing({"force": r}) == "force = x*cos(y) + y"
    assert listing(r) == "x*cos(y) + y"


def test_a_listing_can_be_shortened():
    assert listing(_doubling(50), max_lines=3).splitlines()[3] == "… and 46 more lines"
