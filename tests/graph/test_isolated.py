"""Inside an isolated block expressions are found among those made there, and have the values they should have."""

import contextlib
import random

import pytest

from multibody.errors import ZeroDivisorError
from multibody.graph import cos, evaluate, pi, same, sin, sqrt, symbols
from multibody.graph.node import isolated

from .recipes import ALL, agree, built_or_none, node_value, number_or_none, random_point, random_recipe, value

x, y = symbols("x y")


def test_inside_the_form_is_the_one_that_was_written():
    x, y = symbols("x_here y_here")  # nobody else holds the square of x
    long_way = (x + y) * (x - y) + y * y
    with isolated():
        short = x * x
        assert short is x * x
    assert (long_way.op, short.op) == ("add", "mul")
    assert same(long_way, short)
    assert short - long_way == 0


def test_symbols_and_constants_are_the_same_inside_and_outside():
    with isolated():
        assert symbols("x")[0] is x
        assert x - x + 3 == 3
        assert sin(x) ** 2 + cos(x) ** 2 == 1


def test_blocks_can_be_nested_and_left_by_an_error():
    outside = x * y + 1
    with isolated():
        inside = x * y + 1
        with contextlib.suppress(ZeroDivisorError), isolated():
            assert x * y + 1 is not inside
            1 / (x - x)
        assert x * y + 1 is inside
    assert x * y + 1 is outside


@pytest.mark.parametrize(
    ("outside", "first", "second"),
    [
        (lambda: sin(x), lambda: cos(x + pi / 2), lambda: sin(x)),
        (lambda: sin(x), lambda: sin(x - pi), lambda: sin(x)),
        (lambda: cos(x), lambda: sin(x - pi / 2), lambda: cos(x)),
        (lambda: sqrt(x * x + 1), lambda: -1 / (1 / sqrt(x * x + 1)) * 1, lambda: sqrt(x * x + 1)),
        (lambda: x - y, lambda: (y * y - x * x) / (x + y), lambda: x - y),
    ],
)
def test_a_function_known_outside_keeps_its_sign_inside(outside, first, second):
    known = outside()
    expected = evaluate(known, {x: 0.7, y: 0.2})
    with isolated():
        opposite = first()
        again = second()
        assert evaluate(again, {x: 0.7, y: 0.2}) == pytest.approx(expected)
        assert opposite is not again


@pytest.mark.parametrize("seed", range(4))
def test_values_are_right_whatever_is_alive_outside(seed):
    rng = random.Random(seed)
    point = random_point(rng)
    recipes = [random_recipe(rng, rng.randint(1, 6), ALL) for _ in range(150)]
    outside = [built_or_none(recipe) for recipe in recipes]
    rng.shuffle(recipes)
    with isolated():
        inside = [built_or_none(recipe) for recipe in recipes]
    for recipe, node in zip(recipes, inside, strict=True):
        meant = None if node is None else number_or_none(value, recipe, point)
        if meant is not None:
            got = number_or_none(node_value, node, point)
            assert got is not None
            assert agree(got, meant, 1e-25), f"{recipe}: {node}"
    assert len(outside) == len(inside)
