"""Equal expressions are one object, in normal form, and alive only as long as somebody holds them."""

import copy
import pickle
import random

import pytest
from hypothesis import given, settings, strategies as st

from multibody.errors import ConditionError, ConversionError, InvalidNameError
from multibody.graph import Constant, cos, evaluate, free_symbols, sin, sqrt, symbol, symbols, topological, where
from multibody.graph.expr import neg, recip

from .recipes import ALL, built, built_or_none, random_recipe, recipes, value

x, y, z = symbols("x y z")


def test_equal_expressions_are_one_object():
    assert x + y is y + x
    assert x * y is y * x
    assert sin(x) * 2 is 2 * sin(x)
    assert (x + y) * (x - y) is x**2 - y**2
    assert x - y is -(y - x)
    assert sin(-x) is -sin(x)
    assert cos(y - x) is cos(x - y)
    assert x / y * y is x
    assert 1 / (1 / x) is x
    assert where(x < y, x, y) is where(x < y, x, y)
    assert (x < y) is (x < y)


@settings(max_examples=200)
@given(recipes(size=10))
def test_what_is_built_twice_is_one_object(recipe):
    node = built_or_none(recipe)
    assert node is None or built(recipe) is node


def test_symbols_are_the_same_if_name_kind_and_scope_are():
    variants = {
        symbol("a"),
        symbol("a", "parameter"),
        symbol("a", scope="left"),
        symbol("a", "parameter", "left"),
        symbol("b"),
    }
    assert len(variants) == 5
    assert len({s.fp for s in variants}) == 5
    assert symbol("a", "parameter", "left") in variants
    assert symbol("a") - symbol("a", scope="left") != 0


@pytest.mark.parametrize("names", ["", "1x", "a b", "x y", "class-x"])
def test_a_symbol_needs_an_identifier(names):
    with pytest.raises(InvalidNameError):
        symbol(names)


def test_symbols_are_separated_by_blanks_or_commas():
    assert symbols("a, b  c,d") == tuple(symbol(name) for name in "abcd")
    assert symbols("") == ()


# --- normal form -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_normal_form(seed):
    rng = random.Random(seed)
    alive = [built_or_none(random_recipe(rng, 12, ALL)) for _ in range(200)]
    for node in topological([node for node in alive if node is not None]):
        kinds = [arg.op for arg in node.args]
        if node.op in ("add", "sub", "mul", "neg", "recip"):
            assert "neg" not in kinds, f"a sign inside {node}"
        if node.op in ("add", "sub", "mul"):
            assert kinds.count("const") < 2
            assert all(arg.value > 0 for arg in node.args if isinstance(arg, Constant)), (
                f"a negative constant in {node}"
            )
        if node.op == "mul":
            assert kinds[1] != "const"
        assert all(arg.serial < node.serial for arg in node.args)


def test_neutral_and_absorbing_elements_and_cancellation():
    for node in (x, 1 / y, sqrt(x), where(x < y, x, 1 / y)):
        assert node + 0 is node
        assert 0 + node is node
        assert node * 1 is node
        assert node / 1 is node
        assert node**1 is node
        assert (node * 0, node - node, node**0, node / node) == (0, 0, 1, 1)
        assert -node is not node
        assert neg(neg(node)) is node
        assert +node is node


# --- singularities ---------------------------------------------------------------------------------------------------


def test_an_expression_without_singularities_is_not_replaced_by_one_that_has_some():
    x, y = symbols("x_here y_here")  # nobody else holds their sum
    with_hole = (x**2 - y**2) / (x - y)
    without = x + y
    assert without is not with_hole
    assert (with_hole.total, without.total) == (False, True)
    assert (x**2 - y**2) / (x - y) is without  # now that there is a better one


SHADOWS = [  # equal where both are defined, but the first one is undefined at a point where the second has a value
    (("div", ("mul", ("sin", "x"), "y"), ("mul", "x", "y")), ("div", ("sin", "x"), "x"), {"x": 1.0, "y": 0.0}),
    (("sin", ("acos", ("sqrt", ("sub", "z", 6)))), ("sqrt", ("sub", 7, "z")), {"z": 1.0}),
    (("square", ("div", "y", ("sqrt", "z"))), ("div", ("square", "y"), "z"), {"y": 1.0, "z": -2.0}),
    (("cos", ("asin", ("sqrt", "z"))), ("sqrt", ("sub", 1, "z")), {"z": -1.0}),
    (("mul", ("log", "x"), ("div", ("sqrt", "y"), ("sqrt", "y"))), ("log", "x"), {"x": 2.0, "y": -1.0}),
    (
        ("div", ("sub", ("square", "x"), ("square", "y")), ("mul", "z", ("sub", "x", "y"))),
        ("div", ("add", "x", "y"), "z"),
        {"x": 1.0, "y": 1.0, "z": 2.0},
    ),
]


@pytest.mark.parametrize(("first", "second", "point"), SHADOWS)
def test_an_expression_is_not_replaced_by_one_that_is_singular_elsewhere(first, second, point):
    alive = built(first)
    assert evaluate(built(second), point) == pytest.approx(float(value(second, point)))
    assert alive is not None


# --- misuse ----------------------------------------------------------------------------------------------------------


def test_an_expression_is_not_replaced_by_one_with_a_foreign_symbol():
    """(m + x) + (y - m) is alive and has the value of x + y; who asks for x + y must not be told of m."""
    x, y = symbols("x_there y_there")  # nobody else holds their sum
    for k in range(1000):
        foreign = symbol(f"m{k}")
        long = (foreign + x) + (y - foreign)
        assert foreign in free_symbols(long)
        assert set(free_symbols(x + y)) == {x, y}


def test_symbols_that_are_gone_leave_their_bits_to_others():
    first = [symbol(f"first{k}") for k in range(300)]
    assert len({one.guards for one in first}) == 300
    longest = max(one.guards for one in first)
    del first
    again = [symbol(f"again{k}") for k in range(300)]
    assert len({one.guards for one in again}) == 300
    assert max(one.guards for one in again) <= longest


@pytest.mark.parametrize("use", [bool, lambda e: e and 1, lambda e: not e, lambda e: [1] if e else [2]])
def test_an_expression_has_no_truth_value(use):
    for thing in (x, x < y, (x < y) & (y < z), built(0)):
        with pytest.raises(ConditionError):
            use(thing)


def test_chained_comparisons_min_and_sorted_are_refused():
    for use in (lambda: 0 < x < 1, lambda: min(x, y), lambda: sorted([x, y]), lambda: max([x, y, z])):
        with pytest.raises(ConditionError):
            use()


def test_copies_are_the_same_object_and_pickling_is_refused():
    node = x * y + 1
    assert copy.copy(node) is node
    assert copy.deepcopy([node])[0] is node
    with pytest.raises(ConversionError):
        pickle.dumps(node)


@given(
    st.one_of(st.text(max_size=3), st.none(), st.complex_numbers(), st.booleans(), st.lists(st.integers(), max_size=1))
)
def test_operators_with_other_things_raise_and_never_give_nonsense(thing):
    for use in (lambda: x + thing, lambda: thing * x, lambda: x / thing, lambda: x**thing, lambda: x < thing):
        with pytest.raises((TypeError, ConversionError)):
            use()
    assert (x == thing) is False


def test_nodes_can_be_keys():
    table = {x: 1, y: 2, x + y: 3, (x < y): 4}
    assert table[y + x] == 3
    assert table[x < y] == 4
    assert recip(x) not in table
