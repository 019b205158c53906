import math
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st
from tests.refusal import refused

from multibody.errors import ParseError
from multibody.graph import (
    Table,
    absolute,
    atan2,
    constant,
    equal,
    evaluate,
    exp,
    maximum,
    minimum,
    pi,
    power,
    sin,
    sqrt,
    symbol,
    symbols,
    where,
)
from multibody.graph.text.parser import MAX_LENGTH, parse, parse_condition
from multibody.graph.text.plain_text import to_text

from .strategies import expressions

x, y, z = symbols("x y z")


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        ("x + y - z", x + y - z),
        ("x - y - z", (x - y) - z),
        ("x - (y - z)", x - (y - z)),
        ("x / y / z", (x / y) / z),
        ("x / y * z", (x / y) * z),
        ("2 + 3 * x", 2 + 3 * x),
        ("-x ** 2", -(x**2)),
        ("x ** -2", x**-2),
        ("2 ** x ** y", power(2, power(x, y))),
        ("x ^ 2", x**2),
        ("- - x", x),
        ("+x", x),
        ("x*-y", -(x * y)),
        ("1/3", constant(Fraction(1, 3))),
        ("0.1", constant(0.1)),
        (".5e1", constant(5)),
        ("2.", constant(2)),
        ("1E-3", constant(1e-3)),
        ("123456789012345678901234567890", constant(123456789012345678901234567890)),
        ("pi/2", pi / 2),
        ("pi()", pi),
        ("exp(1)", exp(1)),
        ("sqrt(2)*x", sqrt(2) * x),
        ("x**(1/2)", sqrt(x)),
        ("pow(x, y)", power(x, y)),
        ("atan2(y, x)", atan2(y, x)),
        ("abs(x)", absolute(x)),
        ("min(x, y, z)", minimum(minimum(x, y), z)),
        ("max(x, 0)", maximum(x, 0)),
        ("sin (x)", sin(x)),
        ("where(x < y, x, 2)", where(x < y, x, 2)),
        ("where(x >= y & ~(x == z) | not y > 1, 1, 2)", where((y <= x) & ~equal(x, z) | ~(constant(1) < y), 1, 2)),
        ("where(x != y, 1, 2)", where(equal(x, y), 2, 1)),
        ("where(1 < 2, x, y)", x),
        ("where(not 1 < 2, x, y)", y),
        ("(((x)))", x),
        ("  x\n\t+ y ", x + y),
        ("φ_1 * lambda", symbol("φ_1") * symbol("lambda")),
        ("`and` + `pi`", symbol("and") + symbol("pi")),
        ("sin*cos", symbol("sin") * symbol("cos")),
        ("a + v2 where v1 = sin(b) v2 = v1*v1", symbol("a") + sin(symbol("b")) ** 2),
        ("where(c, x, y) where c = x < y", where(x < y, x, y)),
    ],
)
def test_text_means_what_mathematics_says(text, expr):
    assert parse(text) is expr


def test_names_come_from_the_mapping():
    m = symbol("m", "parameter")
    assert parse("m*g", {"m": m, "g": 9.81}) is 9.81 * m
    assert parse("m + 1", [m]) is m + 1


def test_without_a_mapping_a_name_is_a_new_variable():
    assert parse("brand_new").kind == "variable"


def test_pi_is_the_constant_unless_a_symbol_has_its_name():
    own = symbol("pi", "parameter")
    assert parse("2*pi", {"x": x}) is 2 * pi
    assert parse("2*pi", [own]) is 2 * own


def test_functions_can_be_added():
    spring = Table("spring", [0, 1, 3], [0, 1, 2])
    assert parse("2*spring(x)", functions={"spring": spring}) is 2 * spring(x)
    assert parse("twice(x)", functions={"twice": lambda a: 2 * a}) is 2 * x


def test_conditions_are_read_on_request():
    assert parse_condition("x < y") is (x < y)
    assert parse_condition("1 < 2") is True


@pytest.mark.parametrize(
    ("text", "position", "what"),
    [
        ("", 0, "Expected a number, a name or '(', not the end"),
        ("x +", 3, "not the end"),
        ("x + * y", 4, "not '*'"),
        ("2x", 1, "Expected an operator, not 'x'"),
        ("x y", 2, "Expected an operator, not 'y'"),
        ("(x + y", 0, "no ')' for this '('"),
        ("sin(x", 0, "no ')' for this '('"),
        ("x + y)", 5, "no '(' for this ')'"),
        ("()", 1, "not ')'"),
        ("(x, y)", 2, "not ','"),
        ("x, y", 1, "not ','"),
        ("sin()", 0, "sin needs 1 arguments and got 0"),
        ("sin(x, y)", 0, "sin needs 1 arguments and got 2"),
        ("sin(x,)", 6, "not ')'"),
        ("min(x)", 0, "min needs 2 or more arguments and got 1"),
        ("x < y", 0, "condition, not a value"),
        ("x < y < z", 2, "cannot be chained"),
        ("x = y", 2, "Expected an operator, not '='"),
        ("1 + (x < y)", 2, "A value is needed here"),
        ("x & y", 2, "A condition is needed here"),
        ("where(x, y, z)", 0, "where needs a condition"),
        ("not x", 0, "A condition is needed here"),
        ("foo(x)", 0, "The function 'foo' is unknown"),
        ("x.real", 1, "The character '.' has no place"),
        ("x[0]", 1, "The character '['"),
        ("x'", 1, "The character"),
        ("__class__", 0, "cannot be the name"),
        ("`a b`", 0, "cannot be the name"),
        ("x²", 0, "cannot be the name"),
        ("x\x00", 1, "has no place"),
        ("1/0", 1, "always zero"),
        ("1/(x - x)", 1, "always zero"),
        ("log(0)", 0, "no finite real value"),
        ("sqrt(-1)", 0, "no finite real value"),
        ("1e999", 0, "outside the range"),
        ("1e-999", 0, "outside the range"),
        ("9" * 5000, 0, "5000 digits"),
        ("1 where", 7, "Expected a definition"),
        ("1 where x", 8, "Expected a definition"),
        ("x where 1 = 2", 8, "Expected a definition"),
        ("v where v = w where w = 1", 14, "Expected an operator, not 'where'"),
    ],
)
def test_an_error_says_what_and_where(text, position, what):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert what in caught.value.what
    assert caught.value.position == position


def test_an_error_points_at_its_place():
    with pytest.raises(ParseError) as caught:
        parse("x +\n  y * / z")
    message = str(caught.value).splitlines()
    assert message[2].index("/") == message[3].index("^")
    assert "x +" not in message[2]


def test_an_error_in_a_long_line_shows_its_surroundings():
    with pytest.raises(ParseError) as caught:
        parse("x + " * 1000 + "* y")
    assert max(map(len, str(caught.value).splitlines())) < 120


def test_an_unknown_name_is_refused_with_near_matches():
    with refused("name-unknown", "length") as caught:
        parse("2*lenght", {"length": x, "mass": y})
    assert caught.value.position == 2


def test_an_unknown_function_is_refused_with_near_matches():
    with refused("name-unknown", "sin"):
        parse("sinn(x)")


def test_two_symbols_of_one_name_are_refused():
    with refused("symbol-name-ambiguous", "x"):
        parse("x", [x, symbol("x", "speed")])


def test_a_function_that_is_used_wrongly_is_an_error_in_the_text():
    with pytest.raises(ParseError):
        parse("twice(x, y)", functions={"twice": lambda a: 2 * a})


@pytest.mark.parametrize("thing", [None, 3, b"x", ["x"]])
def test_only_text_is_parsed(thing):
    with refused("value-not-text"):
        parse(thing)


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9**9",
        "10**10**10",
        "10**1000",
        "x**(10**30)",
        "2**-99999999",
        "(1/3)**9999999",
        "*".join(["10**300"] * 1000),
        "(" * 201 + "x" + ")" * 201,
        "sin(" * 300 + "x" + ")" * 300,
        "+".join(["x"] * MAX_LENGTH),
        "1e308*10*10",
        "10**300*1e300",
    ],
)
def test_what_would_take_for_ever_is_refused_at_once(text):
    start = time.process_time()
    with pytest.raises(ParseError):
        parse(text)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("(" * 200 + "x" + ")" * 200, x),
        ("-" * 50_000 + "x", x),
        ("-" * 50_001 + "x", -x),
        ("+".join(["x"] * 20_000), 20_000 * x),
    ],
    ids=["parentheses", "signs", "odd signs", "terms"],
)
def test_long_texts_are_read(text, meaning):
    assert parse(text) is meaning


def test_long_texts_with_many_names_and_powers():
    assert evaluate(parse("x*" * 20_000 + "x"), {"x": 1.0001}) == pytest.approx(1.0001**20_001, rel=1e-11)
    assert evaluate(parse("1**9999999999"), {}) == 1.0
    found = parse("+".join(f"x{i}" for i in range(10_000)))
    assert evaluate(found, {f"x{i}": i for i in range(10_000)}) == 9_999 * 10_000 / 2
    assert evaluate(parse("x" + "**x" * 1000), {"x": 1.0}) == 1.0


def test_powers_of_symbols_and_floats_are_computed():
    assert parse("x**1000") is x**1000
    assert float(parse("1.5**100").value) == pytest.approx(1.5**100)


pieces = st.sampled_from(
    (
        "x y sin( cos( where( min( ( ( ) ) , + - * / ** ^ < <= == != & | ~ not and or where = 1 2 0 0.5 1e5 pi `a` . "
        "² φ 1e999"
    ).split()
)


def _refusal(text, symbols=None):
    """The error that a text leads to, if any; another exception than a ParseError is a failure."""
    try:
        parse(text, symbols)
    except ParseError as error:
        return error
    return None


def _is_read_or_refused(text, symbols=None):
    error = _refusal(text, symbols)
    return error is None or (0 <= error.position <= len(text) and len(str(error)) < 2000)


@settings(max_examples=300)
@given(st.lists(pieces, max_size=25).map(" ".join))
def test_any_sequence_of_words_is_read_or_refused(text):
    assert _is_read_or_refused(text)


@settings(max_examples=300)
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    assert _is_read_or_refused(text, {"x": x})


@settings(max_examples=300)
@given(expressions(size=8).map(to_text), st.data())
def test_any_mutation_is_read_or_refused(text, data):
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 3))
    inserted = data.draw(st.text("xy()+-*/,. 0123456789e<=&", max_size=3))
    assert _is_read_or_refused(text[:at] + inserted + text[at + length :])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_exactly(value):
    assert float(parse(repr(value)).value) == value
    assert math.copysign(1, float(parse(repr(abs(value))).value)) == 1


@given(st.integers(-(10**50), 10**50), st.integers(1, 10**50))
def test_every_fraction_is_read_exactly(numerator, denominator):
    assert Fraction(parse(f"{numerator}/{denominator}").value) == Fraction(numerator, denominator)
