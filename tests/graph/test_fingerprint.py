"""What the graph makes of a recipe has the recipe's value; two recipes with one fingerprint have one value."""

import random

import numpy as np
import pytest
import sympy
from hypothesis import given, settings

from multibody.errors import MultibodyError
from multibody.graph import Constant, all_same, cos, rank, same, sin, sqrt, symbols, topological, where, without_sharing
from multibody.graph.field import P, Surd, inverse

from .recipes import (
    ALL,
    ARITHMETIC,
    SMOOTH,
    agree,
    built,
    built_or_none,
    node_value,
    number_or_none,
    random_point,
    random_recipe,
    recipes,
    value,
)

x, y, z = symbols("x y z")


def _check_value(recipe, node, point):
    """The value that was meant, after comparing the node's with it; None where there is none."""
    meant = number_or_none(value, recipe, point)
    if meant is not None:
        got = number_or_none(node_value, node, point)
        assert got is not None, f"{recipe} is {meant} at {point}, its node {node} is undefined there"
        assert agree(meant, got, _tolerance(node)), f"{recipe} is {meant} at {point}, its node {node} is {got}"
    return meant


def _tolerance(node):
    """Recipes have no floats; but 12.25, if another test keeps it alive, is found for 49/4, and rounds what follows."""
    return 1e-25 if all(one.exact for one in topological([node]) if isinstance(one, Constant)) else 1e-13


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("operations", "size"), [(ALL, 10), (ALL, 3), (SMOOTH, 12), (ARITHMETIC, 8)])
def test_a_node_has_the_value_of_its_recipe_and_equal_fingerprints_mean_equal_values(operations, size, seed):
    rng = random.Random(seed)
    points = [random_point(rng), random_point(rng)]
    alive, by_fingerprint = [], {}
    for _ in range(600):
        recipe = random_recipe(rng, rng.randint(1, size), operations)
        node = built_or_none(recipe)
        if node is None:
            continue
        alive.append(node)  # so that it can be found, and found wrongly
        values = [_check_value(recipe, node, point) for point in points]
        _check_pair((recipe, values), by_fingerprint.setdefault(node.fp, (recipe, values)))


def _check_pair(first, second):
    for a, b in zip(first[1], second[1], strict=True):
        assert a is None or b is None or agree(a, b, 1e-25), f"{first[0]} and {second[0]} have one fingerprint"


@settings(max_examples=300)
@given(recipes())
def test_a_node_with_choices_has_the_value_of_its_recipe(recipe):
    node = built_or_none(recipe)
    if node is not None:
        for seed in (1, 2):
            _check_value(recipe, node, random_point(random.Random(seed)))


def _refused(recipe):
    """Whether the graph says that there is no value; any other error goes through."""
    try:
        built(recipe)
    except MultibodyError:
        return True
    return False


@pytest.mark.parametrize("seed", range(3))
def test_building_fails_only_with_an_error_of_its_own_and_only_where_there_is_no_value(seed):
    rng = random.Random(100 + seed)
    points = [random_point(rng), random_point(rng)]
    for _ in range(1000):
        recipe = random_recipe(rng, rng.randint(1, 8))
        if _refused(recipe):
            assert all(number_or_none(value, recipe, point) is None for point in points), recipe


@settings(max_examples=150)
@given(recipes(operations=(*SMOOTH, "sqrt", "abs", "min", "max", "exp", "atan2"), size=8))
def test_the_second_point_confirms_what_the_first_one_found(recipe):
    node = built_or_none(recipe)
    if node is not None:
        with without_sharing():
            again = built(recipe)
        if same(node, again):
            assert same(node, again, points=2)
        assert not same(again, again + x, points=2)


def test_the_second_point_is_independent_of_the_first():
    forged = x * x
    before = forged.fp
    try:
        forged.fp = y.fp  # two nodes that collide at the first point
        assert same(forged, y)
        assert not same(forged, y, points=2)
    finally:
        forged.fp = before


@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize("place", range(4))
def test_arrays_are_the_same_only_if_all_entries_are(place, points):
    with without_sharing():
        ones = [[(x + y) * (x - y), sin(x) ** 2], [x * y, z + 1]]
        others = [[x * x - y * y, 1 - cos(x) ** 2], [y * x, 1 + z]]
    assert all_same(ones, others, points=points)
    row, column = divmod(place, 2)
    others[row][column] = others[row][column] + 1e-9 * z
    assert not all_same(ones, others, points=points)
    assert not all_same(others, ones, points=points)


@pytest.mark.parametrize("place", range(3))
def test_at_the_second_point_all_entries_count(place):
    """Each entry in turn collides at the first point, and differs at the second."""
    ones, others = [x * x, x * x * y, x * x * z], [x * x, x * x * y, x * x * z]
    with without_sharing():
        others[place] = others[place] + y
    before = others[place].fp
    try:
        others[place].fp = ones[place].fp
        assert all_same(ones, others)
        assert not all_same(ones, others, points=2)
    finally:
        others[place].fp = before


def test_without_sharing_only_equal_structures_are_merged():
    with without_sharing():
        a, b = sin(x) ** 2 + cos(x) ** 2, (x + y) * (x - y)
        assert a is sin(x) ** 2 + cos(x) ** 2
        assert a is not built(1)
        assert b is not x * x - y * y
        assert (x + 0, x * 1, x - x, x * 0) == (x, x, built(0), built(0))
    assert same(a, 1)
    assert same(b, x * x - y * y)
    assert sin(y) ** 2 + cos(y) ** 2 == 1


@pytest.mark.parametrize("number", [-1, -3, -0.75, -2.5e-7, 12345.5, -(2**40)])
def test_without_sharing_a_constant_keeps_its_value(number):
    positive = built(abs(number))
    with without_sharing():
        assert float(built(number)) == number
        assert float(built(("mul", number, 1))) == number
    assert float(positive) == abs(number)


@settings(max_examples=100)
@given(recipes(size=8))
def test_without_sharing_values_are_the_same(recipe):
    with without_sharing():
        node = built_or_none(recipe)
    if node is not None:
        _check_value(recipe, node, random_point(random.Random(3)))


# --- rank ------------------------------------------------------------------------------------------------------------


def _low_rank(rng, rows, columns, r):
    """A matrix of expressions with rank r: a product of two random ones."""
    left, right = (
        [[random_recipe(rng, 2, SMOOTH) for _ in range(n)] for _ in range(m)] for m, n in [(rows, r), (r, columns)]
    )
    a, b = np.array([[built(i) for i in row] for row in left]), np.array([[built(i) for i in row] for row in right])
    return (a @ b if r else np.zeros((rows, columns), dtype=object)), left, right


def _numeric(recipe_rows, point):
    return np.array([[float(value(entry, point)) for entry in row] for row in recipe_rows])


@pytest.mark.parametrize("seed", range(12))
def test_rank_is_the_rank_for_almost_all_values(seed):
    rng = random.Random(seed)
    rows, columns = rng.randint(2, 5), rng.randint(2, 5)
    r = rng.randint(1, min(rows, columns))
    matrix, left, right = _low_rank(rng, rows, columns, r)
    point = random_point(rng)
    expected = np.linalg.matrix_rank(_numeric(left, point) @ _numeric(right, point))
    assert rank(matrix) == rank(matrix, points=2) == rank(matrix.T) == expected


@pytest.mark.parametrize(
    "rows", [[["x", "y"], ["x*y", "y**2"]], [["x", 1], ["x**2 - 1", "x - 1/x"]], [["x", "y", 1]] * 3]
)
def test_rank_agrees_with_sympy(rows):
    names = {"x": x, "y": y}
    matrix = [[eval(str(entry), {}, names) for entry in row] for row in rows]
    assert rank(matrix) == sympy.Matrix(rows).applyfunc(sympy.sympify).rank(simplify=True)


@pytest.mark.parametrize(
    "entry",
    [
        abs(x) - x,
        sqrt(x) + sqrt(y) + sqrt(z),
        sqrt(x) + sqrt(y) + sqrt(z) + sqrt(x + 1),
        sqrt(x + sqrt(y)) + sqrt(y) + 2,
        where(x < y, sqrt(x), y),
    ],
)
def test_a_row_given_twice_does_not_count_whatever_it_holds(entry):
    assert rank([[entry, 1], [entry, 1]]) == 1
    assert rank([[entry, 1], [1, entry]]) == 2


def test_rank_of_no_rows_and_of_zeros():
    assert rank(np.zeros((0, 3))) == 0
    assert rank([[0, 0], [0, x - x]]) == 0


def test_fingerprints_are_elements_of_the_field():
    nodes = topological([sin(x + 1 / y) ** 3 / (x - 0.1)])
    assert all(isinstance(node.fp, int) and 0 <= node.fp < P for node in nodes)


@pytest.mark.parametrize("seed", range(20))
def test_sums_of_roots_obey_the_laws_of_a_field(seed):
    rng = random.Random(seed)
    roots = [Surd.root(3), Surd.root(5), Surd.root((Surd.root(3) + 7) % P)]  # the last one is a root within a root

    def element():
        return (rng.choice(roots) * rng.randrange(P) + rng.choice([*roots, 1]) * rng.randrange(P)) % P

    a, b, c = element(), element(), element()
    assert a * b % P == b * a % P
    assert a * ((b + c) % P) % P == (a * b + a * c) % P
    assert a * inverse(a) % P == 1
    assert (a - b + b) % P == a
    assert [root * root % P for root in roots] == [3, 5, Surd.root(3) + 7]
