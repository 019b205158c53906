"""Pairs of recipes that are equal: theorems with random terms put in for their letters."""

import random
from fractions import Fraction

from multibody.graph import Constant

from .recipes import NAMES, Recipe, built_or_none, random_recipe

HALF = Fraction(1, 2)


def add(a, b):
    return ("add", a, b)


def sub(a, b):
    return ("sub", a, b)


def mul(a, *others):
    for other in others:
        a = ("mul", a, other)
    return a


def div(a, b):
    return ("div", a, b)


def square(a):
    return ("square", a)


def fn(name, *args):
    return (name, *args)


def s(a):
    return ("sin", a)


def c(a):
    return ("cos", a)


def angle(rng: random.Random) -> Recipe:
    """k·x + m·y, often with a multiple of π/12."""
    turn = mul(Fraction(rng.randint(-30, 30), 12), "pi")
    return add(plain_angle(rng), turn) if rng.random() < 0.5 else plain_angle(rng)


def plain_angle(rng: random.Random) -> Recipe:
    """k·x + m·y."""
    one, two = rng.sample(NAMES, 2)
    return add(mul(rng.choice([1, 2, -1, 3]), one), mul(rng.choice([1, -1, 2, -2]), two))


def term(rng: random.Random) -> Recipe:
    """A small expression that is not constant: a function of a constant is a number whose origin is forgotten."""
    while True:
        recipe = random_recipe(rng, rng.randint(0, 3), ("add", "sub", "mul", "square", "sin", "cos", "exp"), _leaf)
        node = built_or_none(recipe)
        if node is not None and not isinstance(node, Constant):
            return recipe


def _leaf(rng: random.Random) -> Recipe:
    return rng.choice([*NAMES, *NAMES, rng.randint(-3, 3)])


# Each takes two angles (or exponents) and gives both sides.
CIRCULAR = {
    "sine of a sum": lambda a, b: (s(add(a, b)), add(mul(s(a), c(b)), mul(c(a), s(b)))),
    "cosine of a difference": lambda a, b: (c(sub(a, b)), add(mul(c(a), c(b)), mul(s(a), s(b)))),
    "double sine": lambda a, b: (s(mul(2, a)), mul(2, s(a), c(a))),
    "double cosine": lambda a, b: (c(mul(2, a)), sub(mul(2, square(c(a))), 1)),
    "triple sine": lambda a, b: (s(mul(3, a)), sub(mul(3, s(a)), mul(4, ("cube", s(a))))),
    "Pythagoras": lambda a, b: (add(square(s(a)), square(c(a))), 1),
    "squared cosine": lambda a, b: (square(c(a)), mul(HALF, add(1, c(mul(2, a))))),
    "tangent of a sum": lambda a, b: (
        fn("tan", add(a, b)),
        div(add(fn("tan", a), fn("tan", b)), sub(1, mul(fn("tan", a), fn("tan", b)))),
    ),
    "product of sines": lambda a, b: (mul(2, s(a), s(b)), sub(c(sub(a, b)), c(add(a, b)))),
    "quarter turn": lambda a, b: (s(add(a, div("pi", 2))), c(a)),
    "half turn": lambda a, b: (c(sub("pi", a)), ("neg", c(a))),
    "an eighth of a turn": lambda a, b: (s(add(a, div("pi", 4))), div(add(s(a), c(a)), ("sqrt", 2))),
    "a twelfth of a turn": lambda a, b: (
        mul(2, c(sub(a, div("pi", 6)))),
        add(mul(("sqrt", 3), c(a)), s(a)),
    ),
}
HALVES = {
    "half angle": lambda a, b: (square(s(mul(HALF, a))), mul(HALF, sub(1, c(a)))),
    "tangent of a half": lambda a, b: (fn("tan", div(a, 2)), div(s(a), add(1, c(a)))),
    "quarter angle": lambda a, b: (mul(2, s(mul(0.25, a)), c(mul(0.25, a))), s(mul(0.5, a))),
    "half of a sum": lambda a, b: (add(s(a), s(b)), mul(2, s(div(add(a, b), 2)), c(div(sub(a, b), 2)))),
}
EXPONENTIAL = {
    "exp of a sum": lambda a, b: (fn("exp", add(a, b)), mul(fn("exp", a), fn("exp", b))),
    "exp of a negative": lambda a, b: (fn("exp", ("neg", a)), ("recip", fn("exp", a))),
    "exp of a half": lambda a, b: (square(fn("exp", div(a, 2))), fn("exp", a)),
    "hyperbola": lambda a, b: (sub(square(fn("cosh", a)), square(fn("sinh", a))), 1),
    "cosh by exp": lambda a, b: (fn("cosh", a), mul(HALF, add(fn("exp", a), fn("exp", ("neg", a))))),
    "sinh of a sum": lambda a, b: (
        fn("sinh", add(a, b)),
        add(mul(fn("sinh", a), fn("cosh", b)), mul(fn("cosh", a), fn("sinh", b))),
    ),
    "tanh": lambda a, b: (fn("tanh", a), div(fn("sinh", a), fn("cosh", a))),
    "double tanh": lambda a, b: (fn("tanh", mul(2, a)), div(mul(2, fn("tanh", a)), add(1, square(fn("tanh", a))))),
}
# Each takes two pairs of equal terms, and puts the left ones into its left side, the right ones into its right side.
ALGEBRAIC = {
    "difference of squares": lambda u, v: (div(sub(square(u[0]), square(v[0])), sub(u[0], v[0])), add(u[1], v[1])),
    "difference of cubes": lambda u, v: (
        div(sub(("cube", u[0]), ("cube", v[0])), sub(u[0], v[0])),
        add(add(square(u[1]), mul(u[1], v[1])), square(v[1])),
    ),
    "common denominator": lambda u, v: (add(("recip", u[0]), ("recip", v[0])), div(add(u[1], v[1]), mul(u[1], v[1]))),
    "cancelled fraction": lambda u, v: (div(mul(u[0], v[0]), mul(v[0], v[0])), div(u[1], v[1])),
    "square of a sum": lambda u, v: (
        square(add(u[0], v[0])),
        add(add(square(u[1]), mul(2, u[1], v[1])), square(v[1])),
    ),
    "absolute value": lambda u, v: (("sqrt", square(sub(u[0], v[0]))), ("abs", sub(v[1], u[1]))),
    "square of an absolute value": lambda u, v: (mul(v[0], square(("abs", u[0]))), mul(v[1], square(u[1]))),
    "root squared": lambda u, v: (square(("sqrt", add(square(u[0]), 1))), add(square(u[1]), 1)),
    "root below": lambda u, v: (
        div(u[0], ("sqrt", add(square(v[0]), 2))),
        div(mul(u[1], ("sqrt", add(square(v[1]), 2))), add(square(v[1]), 2)),
    ),
    "conjugate root": lambda u, v: (
        ("recip", sub(("sqrt", add(square(u[0]), 3)), v[0])),
        div(add(("sqrt", add(square(u[1]), 3)), v[1]), sub(add(square(u[1]), 3), square(v[1]))),
    ),
    "sine of asin": lambda u, v: (s(("asin", div(u[0], 10))), div(u[1], 10)),
    "sine of acos": lambda u, v: (s(("acos", div(u[0], 10))), ("sqrt", sub(1, square(div(u[1], 10))))),
    "tangent of atan": lambda u, v: (("tan", ("atan", u[0])), u[1]),
    "double atan": lambda u, v: (s(mul(2, ("atan", u[0]))), div(mul(2, u[1]), add(1, square(u[1])))),
    "atan2": lambda u, v: (c(("atan2", u[0], v[0])), div(v[1], ("sqrt", add(square(u[1]), square(v[1]))))),
    "extrema": lambda u, v: (add(("max", u[0], v[0]), ("min", v[0], u[0])), add(u[1], v[1])),
}


def _around(rng: random.Random, sides: tuple[Recipe, Recipe]) -> tuple[Recipe, Recipe]:
    """The same algebra around both sides."""
    extra = term(rng)
    shape = rng.choice([
        lambda side: side,
        lambda side: add(mul(extra, side), "x"),
        lambda side: ("recip", add(side, 17)),
        lambda side: ("atan", mul(side, extra)),
        lambda side: ("square", sub(side, extra)),
    ])  # fmt: skip
    return shape(sides[0]), shape(sides[1])


def random_identity(rng: random.Random, depth: int = 1) -> tuple[str, Recipe, Recipe]:
    """The name and both sides of an identity; the terms of an algebraic one are sides of others."""
    kind = rng.choice([CIRCULAR, HALVES, EXPONENTIAL, ALGEBRAIC, ALGEBRAIC])
    name = rng.choice(sorted(kind))
    if kind is ALGEBRAIC:
        sides = ALGEBRAIC[name](_equal_terms(rng, depth), _equal_terms(rng, 0))
    else:
        make = {id(CIRCULAR): angle, id(HALVES): plain_angle, id(EXPONENTIAL): term}[id(kind)]
        sides = kind[name](make(rng), make(rng))
    return (name, *_around(rng, sides))


def _equal_terms(rng: random.Random, depth: int) -> tuple[Recipe, Recipe]:
    if depth and rng.random() < 0.7:
        sides = random_identity(rng, depth - 1)[1:]
        if not isinstance(built_or_none(sides[1]), Constant):
            return sides
    same = term(rng)
    return same, same
