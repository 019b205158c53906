"""Fingerprints know the identities of algebra and trigonometry, and never take different functions for equal ones."""

import random
from fractions import Fraction

import pytest

from multibody.graph import cos, same, sin, symbols

from .identities import ALGEBRAIC, CIRCULAR, EXPONENTIAL, HALVES, angle, plain_angle, random_identity, term
from .recipes import NAMES, OPERATIONS, agree, built, built_or_none, number_or_none, random_point, value

TERMS = {"circular": (CIRCULAR, angle), "halves": (HALVES, plain_angle), "exponential": (EXPONENTIAL, term)}


def _numbers(recipe, seed=0, points=4):
    """The recipe's values at a few points where it has one, by position."""
    rng = random.Random(seed)
    return [number_or_none(value, recipe, random_point(rng)) for _ in range(points)]


def _equal(one, other):
    """Whether two recipes have the same values; None if they have none in common."""
    pairs = [(a, b) for a, b in zip(_numbers(one), _numbers(other), strict=True) if a is not None and b is not None]
    return all(agree(a, b, 1e-25) for a, b in pairs) if pairs else None


@pytest.mark.parametrize("kind", sorted(TERMS))
def test_theorems_of_angles_and_exponents(kind):
    theorems, make = TERMS[kind]
    for name, theorem in theorems.items():
        rng = random.Random(name)
        for _ in range(8):
            left, right = theorem(make(rng), make(rng))
            assert _equal(left, right) is not False, f"{name} is quoted wrongly"
            assert same(built(left), built(right), points=2), f"{name}: {left} = {right}"


@pytest.mark.parametrize("name", sorted(HALVES.keys() - {"quarter angle"}))  # π/8 is not known exactly
def test_halves_of_angles_with_a_multiple_of_pi(name):
    left, right = HALVES[name](("add", "x", ("div", "pi", 2)), ("sub", "y", ("div", "pi", 3)))
    assert same(built(left), built(right))


@pytest.mark.parametrize("factor", [Fraction(1, 3), Fraction(2, 7), Fraction(1, 2), 3])
def test_double_angles_of_scaled_symbols(factor):
    left, right = CIRCULAR["double sine"](("mul", factor, "x"), None)
    assert same(built(left), built(right))


def test_the_angle_of_a_point_on_the_unit_circle():
    assert same(built(("cos", ("atan2", ("sin", "x"), ("cos", "x")))), built(("cos", "x")))
    assert same(built(("sin", ("asin", ("sin", "x")))), built(("sin", "x")))


def test_what_is_known_does_not_depend_on_what_else_is_alive():
    """x + z may be found as half of 2·x + 2·z, a quarter of it is then an eighth of that."""
    u, v = symbols("u v")
    alive = [2 * u + 2 * v]
    alive += [alive[0] / 2, (u + v) / 4]
    assert same(2 * sin(alive[2]) * cos(alive[2]), sin((u + v) / 2))


@pytest.mark.parametrize("name", sorted(ALGEBRAIC))
def test_theorems_of_algebra(name):
    rng = random.Random(name)
    for _ in range(8):
        u, v = term(rng), term(rng)
        left, right = (built_or_none(side) for side in ALGEBRAIC[name]((u, u), (v, v)))
        assert left is None or right is None or same(left, right, points=2), f"{name} of {u} and {v}"


@pytest.mark.parametrize("seed", range(10))
def test_nested_identities(seed):
    rng = random.Random(seed)
    for _ in range(40):
        name, left, right = random_identity(rng)
        nodes = built_or_none(left), built_or_none(right)
        if None not in nodes:
            assert same(*nodes), f"{name}: {left} = {right}"


# --- near misses -----------------------------------------------------------------------------------------------------


def _changed(rng, recipe):
    """The recipe with one small change: a number, a sign, a function or an argument."""
    if not isinstance(recipe, tuple):
        return _changed_leaf(rng, recipe)
    if rng.random() < 0.25:
        operands = OPERATIONS[recipe[0]].operands
        others = [name for name in OPERATIONS if OPERATIONS[name].operands == operands and name != recipe[0]]
        return (rng.choice(others), *recipe[1:])
    k = rng.randrange(1, len(recipe))
    return (*recipe[:k], _changed(rng, recipe[k]), *recipe[k + 1 :])


def _changed_leaf(rng, leaf):
    if leaf == "pi":
        return 3.141592653589793
    if isinstance(leaf, str):
        return rng.choice([("neg", leaf), ("mul", leaf, 1 + 2.0**-40), *sorted(set(NAMES) - {leaf})])
    return leaf + rng.choice([1, -1, Fraction(1, 1000), Fraction(1, 2**61 - 2), 2.0**-30])


@pytest.mark.parametrize("seed", range(10))
def test_no_near_identity_is_taken_for_one(seed):
    rng = random.Random(1000 + seed)
    different = 0
    for _ in range(60):
        _, left, right = random_identity(rng)
        near = _changed(rng, right)
        if _equal(left, near) is False:
            different += 1
            nodes = built_or_none(left), built_or_none(near)
            assert None in nodes or not same(*nodes), f"{left} is not {near}"
    assert different > 20


TRAPS = [
    (("sqrt", ("square", "x")), "x"),
    (("sqrt", ("square", "x")), ("neg", "x")),
    (("abs", "x"), "x"),
    (("mul", ("sqrt", "x"), ("sqrt", "y")), ("sqrt", ("mul", "x", "y"))),
    (("sqrt", ("mul", 4, "x")), ("mul", -2, ("sqrt", "x"))),
    (("sqrt", ("square", ("sub", "x", "y"))), ("sub", "x", "y")),
    (("sqrt", ("sub", 1, ("square", ("sin", "x")))), ("cos", "x")),
    (("asin", ("sin", "x")), "x"),
    (("acos", ("cos", "x")), "x"),
    (("atan", ("tan", "x")), "x"),
    (("atan2", ("sin", "x"), ("cos", "x")), "x"),
    (("atan2", "y", "x"), ("atan", ("div", "y", "x"))),
    (("sin", ("div", "x", 2)), ("sqrt", ("div", ("sub", 1, ("cos", "x")), 2))),
    (("log", ("square", "x")), ("mul", 2, ("log", "x"))),
    (("pow", ("square", "x"), Fraction(1, 3)), ("pow", "x", Fraction(2, 3))),
    (("sqrt", ("cube", "x")), ("mul", "x", ("abs", "x"))),
    (("max", "x", "y"), "x"),
    (("sign", "x"), ("div", "x", ("square", "x"))),
    (("sin", ("mul", 22, "x")), ("sin", ("mul", Fraction(22 * 10**9 + 1, 10**9), "x"))),
    (("sin", 3.141592653589793), 0),
    (("cos", ("div", "pi", 5)), ("cos", ("div", "pi", 6))),
    (("tan", "x"), ("sin", "x")),
    ("pi", Fraction(355, 113)),
]


@pytest.mark.parametrize(("one", "other"), TRAPS)
def test_classical_traps(one, other):
    assert _equal_anywhere(one, other) is False
    assert not same(built(one), built(other))
    assert not same(built(one), built(("neg", other)))


def _equal_anywhere(one, other):
    """As ``_equal``, with more points and larger ones: asin(sin(x)) = x holds for small x."""
    rng = random.Random(7)
    points = [random_point(rng, -6, 6) for _ in range(12)]
    pairs = [(number_or_none(value, one, point), number_or_none(value, other, point)) for point in points]
    finite = [pair for pair in pairs if None not in pair]
    return len(finite) == sum(pair != (None, None) for pair in pairs) and all(agree(a, b, 1e-25) for a, b in finite)
