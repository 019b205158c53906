"""Numbers that are equal modulo primes of the first point, and yet are different numbers everywhere."""

import gc
import math
import random
from fractions import Fraction

import pytest
import sympy

import multibody as mb
from multibody.graph import (
    Constant,
    all_same,
    constant,
    cos,
    equal,
    evaluate,
    exp,
    isolated,
    less,
    same,
    sin,
    sqrt,
    symbols,
    where,
    without_sharing,
)
from multibody.graph.expr import _images
from multibody.graph.field import (
    FIRST,
    HALF,
    LARGE,
    NEXT,
    PRIMES,
    SECOND,
    SECOND_P,
    P,
    of_float,
    rational_root,
    residue,
    scramble,
    sort_key,
)
from multibody.graph.fingerprint import fingerprints_at
from multibody.graph.number import image
from multibody.graph.traverse import topological

x, y = symbols("x y")
PRIME = PRIMES[0]
THIRD = (PRIME + 1) // 3  # 3·THIRD is 1 modulo the first prime, so that THIRD and 1/3 have one residue
assert 3 * THIRD == PRIME + 1


def colliding(number, p=PRIME):
    """All other doubles that are ± the number modulo p: one for every exponent at which the mantissa is short."""
    found = set()
    for exponent in range(-1074, 972):
        residue = of_float(number, p) * pow(2, -exponent, p) % p
        for mantissa in (residue, p - residue):
            if mantissa < 2**53:
                found.add(math.ldexp(mantissa, exponent))
    return sorted(found - {abs(number)})


NUMBERS = [9.81, 0.1, 1 / 3, math.pi, 1e-300, 7e200, 5e-324]


def _reduced(basis):
    """A basis of the same lattice in the plane with the shortest vector first (Gauss)."""
    v, u = basis
    while True:
        if u[0] ** 2 + u[1] ** 2 < v[0] ** 2 + v[1] ** 2:
            u, v = v, u
        length = v[0] ** 2 + v[1] ** 2
        k = (2 * (u[0] * v[0] + u[1] * v[1]) + length) // (2 * length)
        if k == 0:
            return v, u
        u = (u[0] - k * v[0], u[1] - k * v[1])


def same_image(number):
    """A fraction that has the image of a double modulo P, if it has one: a vector of the lattice a = b·image."""
    a, b = _reduced(((of_float(number), 1), (P, 0)))[0]
    return Fraction(a, b) if max(abs(a), abs(b)) < LARGE else None


_TINY = [math.ldexp(9.81 + k / 10, -150) for k in range(1, 200)]
PARTNERS = {number: other for number in _TINY if (other := same_image(number)) is not None}
"""Doubles, and fractions that have their images."""


def partners(number, count=6):
    """Some doubles of either sign that have the residue of the number modulo a prime, up to sign."""
    return [sign * other for p in PRIMES for other in colliding(number, p)[:count] for sign in (1, -1)]


def test_there_are_about_twenty_doubles_with_the_residue_of_any_given_one():
    assert 2.1345481617825366e-05 in colliding(9.81)
    for prime in PRIMES:
        counts = [len(colliding(number, prime)) for number in NUMBERS]
        assert 10 < sum(counts) / len(counts) < 40


@pytest.mark.parametrize("number", NUMBERS)
def test_no_double_has_the_image_of_another_one(number):
    assert colliding(number, P) == []


def test_there_are_fractions_with_the_image_of_a_double():
    assert len(PARTNERS) > 5
    for number, other in PARTNERS.items():
        assert image(other) == of_float(number) or image(-other) == of_float(number)
        assert other != number


@pytest.mark.parametrize(
    ("number", "others"),
    [*((number, partners(number)) for number in NUMBERS), *((a, (b, -b)) for a, b in list(PARTNERS.items())[:6])],
)
def test_numbers_with_one_image_are_different_constants(number, others):
    first = constant(number)
    for other in others:
        assert any((Fraction(number) - sign * Fraction(other)).numerator % p == 0 for p in PRIMES for sign in (1, -1))
        second = constant(other)
        assert (first.value, second.value) == (number, other)
        assert second is constant(other)
        assert second == other
        assert -second is constant(-other)
        assert second - second == 0
        assert second / second == 1
        assert not same(first, second)
        assert not same(first, -second)
        assert not second.rounded


@pytest.mark.parametrize("number", [9.81, 0.1, 1 / 3, math.pi])
@pytest.mark.parametrize(
    "made",
    [
        lambda c: x * c,
        lambda c: x + c,
        lambda c: c - x,
        lambda c: x / c,
        lambda c: sin(x + c),
        lambda c: cos(x * c),
        lambda c: exp(x * c),
        lambda c: sqrt(x**2 + c),
        lambda c: where(x < c, x, y),
        lambda c: where(equal(x, c), 1, 0),
    ],
)
def test_expressions_of_such_constants_are_different_nodes(made, number):
    _are_told_apart(made, number, next(one for one in colliding(number) if 1e-12 < one < 1e12))
    for pair in list(PARTNERS.items())[:3]:
        _are_told_apart(made, *pair)


def _are_told_apart(made, number, other):
    first, second = made(constant(number)), made(constant(other))
    assert first is not second
    assert not same(first, second)
    assert made(constant(other)) is second


def _with_residue(wanted, p):
    """Doubles of moderate size that have a residue modulo a prime, up to sign."""
    found = []
    for exponent in range(-100, 100):
        residue = wanted * pow(2, -exponent, p) % p
        found += [math.ldexp(mantissa, exponent) for mantissa in (residue, p - residue) if mantissa < 2**53]
    return [one for one in found if 1e-12 < one < 1e12]


@pytest.mark.parametrize("p", PRIMES)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("a", "b"), [(7, 9.81), (0.3, 0.7), (1.5, 2), (9.81, 1e-3), (3, 19.62)])
def test_results_of_constants_in_expressions_are_not_other_constants(p, sign, a, b):
    """A product or a sum in which constants meet: the value that a living node has modulo a prime is not its value."""
    at = {x: 1.25, y: 0.75}
    for image_of, made in [
        (of_float(float(a), p) * of_float(float(b), p), lambda: (x * a) * b),
        (of_float(float(a), p) * of_float(float(b), p), lambda: (x * a + y) * b - y * b),
        (of_float(float(a), p) + of_float(float(b), p), lambda: x * a + x * b),
        (of_float(float(a), p) - of_float(float(b), p), lambda: x * a - x * b),
        (of_float(float(a), p) * pow(of_float(float(b), p), -1, p), lambda: (x * a) / b),
    ]:
        expected = evaluate(made(), at)
        for other in _with_residue(image_of, p):
            if other == pytest.approx(abs(expected) / 1.25):  # the number itself
                continue
            living = [x * (sign * other), y * (sign * other)]
            assert evaluate(living[0], at) == sign * other * 1.25
            assert evaluate(made(), at) == pytest.approx(expected, rel=1e-14)
            assert not same(living[0], made())


def test_a_factor_that_cancels_modulo_a_prime_does_not_cancel():
    for p in PRIMES:
        for a in (7, 11, 0.3, 9.81):
            for other in _with_residue(pow(of_float(float(a), p), -1, p), p):
                assert (x * a) * other is not x
                assert evaluate((x * a) * other, {x: 1.0}) == pytest.approx(a * other, rel=1e-14)
    assert (x * 3) * THIRD is not x


@pytest.mark.parametrize("seed", range(10))
def test_random_doubles_and_their_partners_keep_their_values(seed):
    rng = random.Random(seed)
    drawn = [math.ldexp(rng.uniform(-1, 1), rng.randint(-60, 60)) for _ in range(35)]
    numbers = [one for number in drawn for one in (number, *colliding(number)[:2])]
    numbers += [one for pair in PARTNERS.items() for one in pair]
    rng.shuffle(numbers)
    made = [constant(one) for one in numbers]
    assert [one.value for one in made] == numbers
    assert len({x * one for one in made}) == len(set(numbers))
    assert len({one.fp for one in made}) == len(set(numbers))


@pytest.mark.parametrize(("number", "other"), [(9.81, 2.1345481617825366e-05), *list(PARTNERS.items())[:3]])
def test_tables_of_nodes_do_not_matter(number, other):
    outside = constant(number)
    with isolated():
        inside = constant(other)
        product = x * inside
    assert (outside.value, inside.value) == (number, other)
    assert not same(product, x * outside)
    with without_sharing():
        assert constant(-other).value == -other
    with isolated():
        again = constant(number)  # another node of the same number, which has its fingerprint
        assert again.fp == outside.fp


def test_a_number_keeps_its_fingerprint_while_any_constant_of_it_lives():
    number, other = list(PARTNERS.items())[-1]
    first = constant(number)
    with isolated():
        second = constant(number)
    del first
    gc.collect()
    third = constant(other)
    assert second.fp == image(number)
    assert third.fp not in (second.fp, P - second.fp)


def test_fingerprints_of_numbers_that_are_gone_are_free_again():
    number, other = list(PARTNERS.items())[-2]
    first = constant(number)
    assert constant(other).fp != image(other)
    del first
    gc.collect()
    assert constant(other).fp == image(other)
    gc.collect()
    key = image(other) if image(other) < HALF else P - image(other)
    assert _images[key]() is None


# --- integers, fractions, results of operations ----------------------------------------------------------------------


@pytest.mark.parametrize("third", [THIRD, float(THIRD)])
def test_a_fraction_is_no_integer_and_no_double(third):
    assert Fraction(third) == THIRD
    exact = constant(1) / 3
    assert float(constant(third)) == float(third)
    assert (x * exact, float(exact)) != (x * third, float(third))
    assert evaluate(x * third, {x: 3}) == pytest.approx(3 * THIRD, rel=1e-15)
    assert evaluate(x * exact, {x: 3}) == 1


@pytest.mark.parametrize("prime", PRIMES)
def test_results_of_operations_are_compared_as_well(prime):
    three, half = constant(3), constant(prime // 2 - 1)
    assert half + half == 2 * (prime // 2 - 1) == prime - 3  # it has the residue of -3
    assert 2 * half == prime - 3
    assert half - (-half) == prime - 3
    assert three == 3
    small = constant(10**18 - prime)
    assert constant(10**9) * 10**9 == 10**18
    assert small == 10**18 - prime
    assert evaluate(constant(10**9) * 10**9 * x, {x: 1}) == 10**18
    whole = constant(THIRD)
    assert 1 / constant(3) == Fraction(1, 3)
    assert whole == THIRD
    assert 1 / whole == Fraction(1, THIRD)


def test_multiples_of_the_primes_are_not_zero():
    totals = [constant(prime // 2 - 1) + constant(prime // 2 - 1) + 3 for prime in PRIMES]
    assert totals == list(PRIMES)
    assert totals[0] * totals[1] == P
    for total in (*totals, totals[0] * totals[1]):
        assert total.fp != 0
        assert same(x * total, 0) is False
        assert float(1 / total) == pytest.approx(1 / total.value)
        assert (1 / (1 / total)).value == total.value
        assert evaluate(1 / (x * total), {x: 0.5}) == pytest.approx(2 / total.value)
        assert float(sqrt(total)) == math.sqrt(total.value)


@pytest.mark.parametrize("p", [*PRIMES, P, SECOND_P])
def test_roots_of_two_lie_in_the_field(p):
    root = rational_root(Fraction(2), p)
    assert isinstance(root, int)
    assert root * root % p == 2


def test_residues_of_fingerprints_are_fingerprints_modulo_each_prime():
    """What is done modulo P is done modulo each prime: sums, products, roots, functions."""
    nodes = [x * y + 0.3, sqrt(x + y) / (1 + sqrt(x)), sin(x / 2 + 0.1), exp(-x), where(x < y, x, 9.81)]
    assert sin(x).fp != sin(y).fp
    for node in nodes:
        assert [residue(node.fp, prime) == residue((node + 0).fp, prime) for prime in PRIMES] == [True, True]
        assert sort_key(node.fp) == sort_key((2 * node - node).fp)
    for k, prime in enumerate(PRIMES):
        assert residue((x * y + 0.3).fp, prime) == (x.fp * y.fp + of_float(0.3, prime)) % prime
        assert x.fp % prime == scramble(2 * k, "symbol", "", "x", "variable", p=prime)


@pytest.mark.parametrize("square", [4, 9, 3, 2])
def test_roots_of_large_integers_are_not_those_of_small_ones(square):
    small = sqrt(constant(square))
    for modulus in (*PRIMES, P, SECOND_P):
        for large in (modulus + square, 5 * modulus + square, SECOND_P * modulus + square):
            assert float(sqrt(constant(large))) == math.sqrt(large)
            assert not same(sqrt(constant(large)), small)
            assert not same(x * sqrt(constant(large)), x * small)
        assert float(sqrt(Fraction(1, modulus))) == math.sqrt(1 / modulus)


@pytest.mark.parametrize("modulus", [*PRIMES, P, SECOND_P, P * SECOND_P])
@pytest.mark.parametrize("number", [0, 1, 2, 981])
def test_integers_that_differ_by_a_multiple_of_the_primes_are_different(number, modulus):
    small = constant(number)
    for large in (number + modulus, number - modulus, number + 3 * modulus):
        assert constant(large) == large
        assert not same(constant(large), small, points=2)
        assert not same(x * large, x * small, points=2)


def test_equal_numbers_are_one_constant_whatever_they_are_written_as():
    assert constant(0.5) is constant(Fraction(1, 2)) is constant(1) / 2
    assert constant(2.0) is constant(2)
    assert constant(-0.0) is constant(0) is constant(0.0)
    assert less(constant(-0.0), 0) is False
    assert constant(0.1) is not constant(Fraction(1, 10))
    assert constant(0.1) != Fraction(1, 10)


def test_products_that_are_too_small_for_a_double_are_zero_of_either_sign():
    tiny = constant(1e-200)
    assert float(tiny * tiny) == 0
    assert float(-tiny * tiny) == 0
    assert float(tiny * tiny + 1) == 1


def test_a_constant_is_not_taken_for_a_symbol_or_an_operation():
    product = x * y
    for node in (x, product, sin(x), x + product):
        number = constant(node.fp)
        assert number == node.fp
        assert (x + 0) is x
        assert x * y is product
        assert sin(x) is not number
        assert evaluate(number * y, {y: 2}) == 2 * node.fp
        assert not same(number, node)


def test_a_constant_still_replaces_an_operation_of_its_value():
    number = 0.7030000001
    with isolated():
        difference = (x + number) - x
        assert same(difference, number, points=2)
        assert (x + number) - x == number


# --- the second point ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [*PRIMES, SECOND_P])
def test_all_primes_have_the_properties_that_roots_need(p):
    assert sympy.isprime(p)
    assert sympy.isprime((p - 1) // 2)
    assert p % 8 == 7
    assert p < 2**60


@pytest.mark.parametrize(("p", "below"), [(PRIMES[1], 2), (SECOND_P, 5)])
def test_the_other_primes_are_the_first_ones_below_numbers_with_no_choice_in_them(p, below):
    start = math.isqrt(below * 10**36) // 2
    candidates = (p for p in range(start - (start - 7) % 8, 0, -8))
    assert next(p for p in candidates if sympy.isprime(p) and sympy.isprime((p - 1) // 2)) == p


def _common(modulus):
    """Exponents for which a·2^k = b modulo the modulus, with |a| and |b| below 2^53, and a·2^k is not b.

    All (a, b) form a lattice; in a reduced basis (v, u), a vector with a part along u is no shorter than |u|·√3/2.
    """
    found = []
    for k in range(54, 1074 + 1024):  # below that, both sides are integers below half of the modulus
        v, u = _reduced(((1, pow(2, k, modulus)), (0, modulus)))
        assert 3 * (u[0] ** 2 + u[1] ** 2) > 4 * 2 * 2**106
        if max(map(abs, v)) < 2**53:
            found.append((k, v))
    return found


@pytest.mark.parametrize("modulus", [P, PRIMES[0] * SECOND_P, PRIMES[1] * SECOND_P])
def test_no_two_doubles_are_equal_modulo_two_primes(modulus):
    assert _common(modulus) == []


def test_one_prime_or_a_worse_second_one_would_not_do():
    assert of_float(9.81, PRIME) in (of_float(d, PRIME) for d in (2.1345481617825366e-05, -2.1345481617825366e-05))
    a, b = (9.81).as_integer_ratio(), (2.1345481617825366e-05).as_integer_ratio()
    common = a[0] * b[1] + b[0] * a[1]  # the numerator of 9.81 + 2.13…e-05: a multiple of the first prime
    assert common % PRIME == 0
    assert common % P != 0
    assert common % SECOND_P != 0


def test_fractions_of_integers_that_are_not_large_are_told_apart():
    """a/b = c/d modulo P means that P divides a·d - b·c, which is smaller."""
    assert 2 * LARGE**2 < P


def test_the_second_point_sees_what_the_first_one_cannot():
    first = constant(9.81)
    forged = Constant(-2.1345481617825366e-05, first.fp, image(-2.1345481617825366e-05, SECOND_P), None)
    assert of_float(-2.1345481617825366e-05, PRIME) == of_float(9.81, PRIME)
    assert same(first, forged)
    assert not same(first, forged, points=2)


@pytest.mark.parametrize("place", range(3))
def test_one_difference_among_equal_entries_is_seen_at_the_second_point(place):
    """Wherever it stands, and although all others are equal there."""
    with without_sharing():
        pairs = [(x * y + k, k + y * x + 0 * x + (y - y)) for k in (2, 3)]
        pairs = [(first, second + sin(y) ** 2 + cos(y) ** 2 - 1) for first, second in pairs]
    assert all(first is not second for first, second in pairs)
    assert all_same(*zip(*pairs, strict=True), points=2)
    forged = Constant(1.25, constant(9.81).fp, image(1.25, SECOND_P), None)
    pairs.insert(place, (constant(9.81), forged))
    assert all_same(*zip(*pairs, strict=True))
    assert not all_same(*zip(*pairs, strict=True), points=2)


def test_identities_hold_at_all_points():
    expressions = [
        sin(x + 0.3) - sin(x) * cos(constant(0.3)) - cos(x) * sin(constant(0.3)),
        exp(x + 0.25) - exp(x) * exp(constant(0.25)),
        sqrt(constant(6)) - sqrt(2) * sqrt(3),
        sin(x / 2) ** 2 * 2 + cos(x) - 1,
        sqrt(x) ** 2 - x,
    ]
    with without_sharing():
        nodes = [one + y for one in expressions]
    for at in (FIRST, SECOND, NEXT):
        values = fingerprints_at(at, topological([*nodes, y]))
        assert all(values[node] == values[y] for node in nodes)
    assert fingerprints_at(NEXT, [x])[x] != x.fp


# --- models ----------------------------------------------------------------------------------------------------------


def _slider(force, gravity=9.81):
    system = mb.System("slider", gravity=(0, 0, -gravity))
    joint = system.joint("z", system.world, system.body("bob", 1.0), "Tz")
    system.load(mb.JointLoad(joint, force))
    return system


@pytest.mark.parametrize("force", [-2.1345481617825366e-05, 2.1345481617825366e-05, *colliding(9.81)[8:11]])
def test_a_force_that_has_the_image_of_gravity_is_not_gravity(force):
    eom = mb.derive(_slider(force))
    assert eom.forward_dynamics(0, [0], [0], [], []) == pytest.approx(force - 9.81, rel=1e-15)
    compared = mb.compare(_slider(force))
    assert compared.proved
    for one in compared.derivations:
        assert float(one.equations.acceleration[0]) == pytest.approx(force - 9.81, rel=1e-15)


def test_a_model_with_a_parameter_instead_confirms_the_number():
    number = -2.1345481617825366e-05
    system = mb.System("slider", gravity=(0, 0, -9.81))
    joint = system.joint("z", system.world, system.body("bob", 1.0), "Tz")
    (f,) = system.parameters(f=number)
    system.load(mb.JointLoad(joint, f))
    eom = mb.derive(system)
    plain = mb.derive(_slider(number))
    assert eom.forward_dynamics(0, [0], [0], [], [number]) == plain.forward_dynamics(0, [0], [0], [], [])


@pytest.mark.parametrize("formalism", [mb.Recursive(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange(), mb.Wittenburg()])
@pytest.mark.parametrize("p", PRIMES)
def test_a_load_that_has_the_residue_of_mass_times_gravity_is_not_weight(formalism, p):
    """Weight is a product that is made in the derivation, and the load is there before."""
    for number in [one for one in colliding(19.62, p) if 1e-12 < one < 1e8]:
        for force in (number, -number):
            system = mb.System("pendulum", gravity=(0, 0, -9.81))
            joint = system.joint("a", system.world, system.body("bob", 2.0, (0, 0, -1)), "Ry")
            system.load(mb.JointLoad(joint, force * sin(joint.coordinate)))
            found = mb.derive(system, formalism).forward_dynamics(0, [0.3], [0], [], [])
            assert found == pytest.approx((force - 19.62) / 2 * math.sin(0.3), rel=1e-12)
