"""Expressions with Python's operators, and the rules that bring a new node to normal form.

Normal form: sums have no negated operand; a product's sign is pulled out in front of it; a constant factor is positive
and comes first; a quotient a / b is a · recip(b); an integer power is a product. Everything else (neutral elements,
cancellation, commuted operands) is found by fingerprint before a node is made, see ``node``.

A constant is found only where the fingerprints at both points, and the numbers, are the same. Two living constants of
different values never have one fingerprint: the later one gets an opaque one, so that nothing made of it is taken for
something made of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from operator import add, mul, sub
from typing import Any, Literal

from multibody.errors import ExpressionError, ZeroDivisorError
from multibody.graph.field import HALF, SECOND_P, P, Value, inverse, scramble
from multibody.graph.node import (
    ADD,
    CONST,
    MUL,
    NEG,
    RECIP,
    SUB,
    SYMBOL,
    Node,
    WeakEntries,
    _leaves,
    _unshared,
    claim,
    current_table,
    default_table,
    find,
    give_back,
    guard,
    intern,
    make,
    place,
    sharing,
    symbol_guard,
)
from multibody.graph.number import Number, finite, image, is_number, number, quotient, safe

FIRST = 1 << 62
"""How far the serials of constants lie before all others."""

Kind = Literal["parameter", "coordinate", "speed", "input", "time", "variable"]


class Expr(Node):
    """A scalar expression. Build it with Python's operators and the functions of ``multibody.graph``.

    Equal expressions are one object: ``==`` between expressions is identity, and ``x - x == 0`` is True. Comparisons
    ``<``, ``<=``, ``>``, ``>=`` make a ``Condition`` for ``where``.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> (x + y) / (y + x) - 1 == 0
        True
    """

    __slots__ = ()

    plain = True  # neither a constant nor a negated expression: no rule of the normal form applies

    def __add__(self, other: Any) -> Expr:
        if not isinstance(other, Expr):
            if not is_number(other):
                return NotImplemented
            other = constant(other)
        fp = (self.fp + other.fp) % P
        key = fp if fp < HALF else P - fp
        ref = current_table().get(key) or _leaves.get(key)
        if ref is None or (node := ref()) is None:
            return _sum(self, other, fp, key)
        if _unshared or node.guards & ~(self.guards | other.guards):
            return _settled(node, _sum, self, other, fp, key)
        return node if node.fp == fp else neg(node)

    def __sub__(self, other: Any) -> Expr:
        if not isinstance(other, Expr):
            if not is_number(other):
                return NotImplemented
            other = constant(other)
        fp = (self.fp - other.fp) % P
        key = fp if fp < HALF else P - fp
        ref = current_table().get(key) or _leaves.get(key)
        if ref is None or (node := ref()) is None:
            return _difference(self, other, fp, key)
        if _unshared or node.guards & ~(self.guards | other.guards):
            return _settled(node, _difference, self, other, fp, key)
        return node if node.fp == fp else neg(node)

    def __mul__(self, other: Any) -> Expr:
        if not isinstance(other, Expr):
            if not is_number(other):
                return NotImplemented
            other = constant(other)
        fp = self.fp * other.fp % P
        key = fp if fp < HALF else P - fp
        ref = current_table().get(key) or _leaves.get(key)
        if ref is None or (node := ref()) is None:
            return _product(self, other, fp, key)
        if _unshared or node.guards & ~(self.guards | other.guards):
            return _settled(node, _product, self, other, fp, key)
        return node if node.fp == fp else neg(node)

    def __truediv__(self, other: Any) -> Expr:
        return self * recip(as_expr(other)) if is_scalar(other) else NotImplemented

    def __pow__(self, exponent: Any) -> Expr:
        return above("functions", "power")(self, as_expr(exponent)) if is_scalar(exponent) else NotImplemented

    def __radd__(self, other: Any) -> Expr:
        return constant(other) + self if is_number(other) else NotImplemented

    def __rsub__(self, other: Any) -> Expr:
        return constant(other) - self if is_number(other) else NotImplemented

    def __rmul__(self, other: Any) -> Expr:
        return constant(other) * self if is_number(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Expr:
        return constant(other) * recip(self) if is_number(other) else NotImplemented

    def __rpow__(self, base: Any) -> Expr:
        return above("functions", "power")(constant(base), self) if is_number(base) else NotImplemented

    def __neg__(self) -> Expr:
        return neg(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return above("functions", "absolute")(self)

    def __lt__(self, other: Any) -> Any:
        return above("piecewise.conditions", "less")(self, as_expr(other)) if is_scalar(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return above("piecewise.conditions", "less_equal")(self, as_expr(other)) if is_scalar(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return above("piecewise.conditions", "less")(as_expr(other), self) if is_scalar(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return above("piecewise.conditions", "less_equal")(as_expr(other), self) if is_scalar(other) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Node) or not is_number(other):
            return self is other
        return isinstance(self, Constant) and self.value == other and not self.rounded

    __hash__ = object.__hash__  # identity: interned nodes are equal only to themselves

    def __float__(self) -> float:
        if isinstance(self, Constant):
            return float(self.value)
        raise ExpressionError(
            "An expression with symbols is not a number.",
            code="expression-not-a-number",
            where=repr(self)[:200],
            remedy="Give its symbols values: evaluate(expression, {symbol: number}).",
        )

    def __repr__(self) -> str:
        return above("text.plain_text", "to_text")(self, max_lines=40)

    def __str__(self) -> str:
        return above("text.plain_text", "to_text")(self)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {above('text.latex', 'to_latex')(self, max_lines=40)}$"


def above(module: str, name: str) -> Any:
    """A function of a module that stands above this one; it is imported when it is first needed."""
    return getattr(import_module(f"multibody.graph.{module}"), name)


class Symbol(Expr):
    """A named unknown. Two symbols are the same if their scope, name and kind are."""

    __slots__ = ("kind", "name", "scope")

    def __init__(self, name: str, kind: Kind, scope: str, fp: Value) -> None:
        super().__init__(SYMBOL, (), fp, symbol_guard())
        self.name = name
        self.kind = kind
        self.scope = scope

    def __del__(self, give_back: Callable[[int], None] = give_back) -> None:  # bound here: modules may go first
        give_back(self.guards)


class Constant(Expr):
    """A number with its exact field values at both points, and the exact formula behind it, if it has one.

    ``value`` is an int or a Fraction where the number is rational by construction, otherwise a float. ``formula`` is
    the operation and its constant operands for irrational numbers such as sqrt(2)/2 or π/3, so that they print and
    convert exactly; numbers that come from floats have none. ``fp2`` is the value at the second point.
    """

    __slots__ = ("formula", "fp2", "opposite", "owner", "value")
    plain = False

    def __init__(
        self,
        value: Number,
        fp: Value,
        fp2: Value,
        formula: tuple[str, tuple[Constant, ...]] | None,
        opposite: Constant | None = None,
    ) -> None:
        super().__init__(CONST, (), fp, 0)
        self.serial -= FIRST  # before all symbols and operations, no matter who made it first
        self.value = value
        self.fp2 = fp2
        self.formula = formula
        self.opposite = opposite  # a negative constant keeps its positive one, under which it is found
        self.owner: Constant | None = None  # the constant of the same number that was first to have its fingerprint

    def __add__(self, other: Any) -> Expr:
        b = other if isinstance(other, Expr) or not is_number(other) else constant(other)
        if not isinstance(b, Constant):
            return Expr.__add__(self, b)
        fp, fp2 = (self.fp + b.fp) % P, (self.fp2 + b.fp2) % SECOND_P
        return folded(ADD, (self, b), lambda: safe(add, self.value, b.value), fp, fp2)

    def __sub__(self, other: Any) -> Expr:
        b = other if isinstance(other, Expr) or not is_number(other) else constant(other)
        if not isinstance(b, Constant):
            return Expr.__sub__(self, b)
        fp, fp2 = (self.fp - b.fp) % P, (self.fp2 - b.fp2) % SECOND_P
        return folded(SUB, (self, b), lambda: safe(sub, self.value, b.value), fp, fp2)

    def __mul__(self, other: Any) -> Expr:
        b = other if isinstance(other, Expr) or not is_number(other) else constant(other)
        if not isinstance(b, Constant):
            return Expr.__mul__(self, b)
        fp, fp2 = self.fp * b.fp % P, self.fp2 * b.fp2 % SECOND_P
        return folded(MUL, (self, b), lambda: safe(mul, self.value, b.value), fp, fp2)

    @property
    def exact(self) -> bool:
        """Whether the constant is known exactly and not only as a float."""
        return self.formula is not None or not isinstance(self.value, float)

    @property
    def rounded(self) -> bool:
        """Whether the value differs from the exact one by rounding."""
        return isinstance(self.value, float) and self.fp2 != image(self.value, SECOND_P)


class Negative(Expr):
    """-x."""

    __slots__ = ()
    plain = False


def is_scalar(thing: object) -> bool:
    """Whether ``thing`` is an expression or a real number."""
    return isinstance(thing, Expr) or is_number(thing)


def as_expr(thing: Any) -> Expr:
    """The expression itself, or the constant for a number."""
    return thing if isinstance(thing, Expr) else constant(thing)


def constant(value: Any) -> Constant:
    """The constant for a number: int and Fraction stay exact, a float is the dyadic rational that it is."""
    plain = number(value)
    fp = image(plain)
    node = _found(fp)
    if node is not None and node.value == plain and (node.exact or isinstance(plain, float)):
        return node
    return entered(Constant(plain, fp, image(plain, SECOND_P), None))


def folded(op: str, args: tuple[Constant, ...], compute: Callable[[], Number], fp: Value, fp2: Value) -> Constant:
    """The constant that an operation on constants yields: rounded as a float, exact in the field."""
    node = _found(fp)
    if node is not None and node.fp2 == fp2:
        return node
    value = compute()
    exact = all(arg.exact for arg in args)
    plain: Number = number(value) if exact and not isinstance(value, float) else finite(value)
    return entered(Constant(plain, fp, fp2, (op, args) if exact and isinstance(plain, float) else None))


def entered(node: Constant) -> Constant:
    """The constant in the table; a negative one is entered as the negative of a positive one."""
    if node.value >= 0:
        return intern(_told_apart(node))
    formula = node.formula and (NEG, (node,))
    positive = Constant(-node.value, -node.fp % P, -node.fp2 % SECOND_P, formula)
    return neg(intern(_told_apart(positive)))  # type: ignore[return-value]


_images = WeakEntries()  # fingerprint, up to sign -> the constant that has it, in whatever table that is


def has_own_image(node: Constant) -> bool:
    """Whether no living constant of another value has the fingerprint; its number keeps it from now on."""
    owner = claim(node, _images, node.fp if node.fp < HALF else P - node.fp)
    if owner is node:
        return True
    one_number = _one_number(owner, node)
    node.owner = owner if one_number else None
    return one_number


def _told_apart(node: Constant) -> Constant:
    """The constant; where another number, a symbol or an operation has its fingerprint, with an opaque one."""
    while not has_own_image(node) or _is_of_another(node):
        node.fp = scramble(0, "collision", node.fp, node.fp2)
    return node


def _is_of_another(node: Constant) -> bool:
    """Whether a symbol or an operation has the fingerprint at the first point, and another one at the second."""
    key = node.fp if node.fp < HALF else P - node.fp
    ref = _leaves.get(key) or current_table().get(key)
    other: Any = None if ref is None else ref()
    if other is None or other.op == CONST:
        return False
    second = above("fingerprint", "second_fingerprints")(above("traverse", "topological")([other]))[other]
    return bool(node.fp2 != (second if other.fp == node.fp else -second % SECOND_P))


def _one_number(a: Constant, b: Constant) -> bool:
    """Whether two constants with one fingerprint, up to sign, are the same number, up to sign."""
    alike = a.fp2 == (b.fp2 if a.fp == b.fp else -b.fp2 % SECOND_P)
    return alike and (abs(a.value) == abs(b.value) or a.rounded or b.rounded)


def _found(fp: Value) -> Constant | None:
    """The constant that has this fingerprint."""
    node = find(fp, 0)
    if isinstance(node, Constant) and node.fp != fp:
        node = neg(node)
    return node if isinstance(node, Constant) else None


ZERO, ONE, TWO = constant(0), constant(1), constant(2)
_SMALL = tuple(constant(value) for value in (Fraction(1, 2), *range(65)))  # always alive: x + 7 - (x + 3) is found
for _node in _SMALL:
    place(_node, _leaves, _node.fp if _node.fp < HALF else P - _node.fp)


def _settled(node: Any, new: Any, a: Expr, b: Expr, fp: Value, key: Value) -> Expr:
    """The node found under a fingerprint, if it can stand for the result, or else the new node."""
    fits = not node.guards & ~(a.guards | b.guards)
    if fits and (not _unshared or _evident(node, a, b)):
        return node if node.fp == fp else neg(node)
    return new(a, b, fp, key)


def _evident(node: Expr, a: Expr, b: Expr) -> bool:
    """Whether sharing is on, or the result can be seen without it: x + 0, x·0, x·1, x - x, constants."""
    return sharing() or node is a or node is b or (node.op == CONST and (a is b or CONST in (a.op, b.op)))


def _sum(a: Expr, b: Expr, fp: Value, key: Value) -> Expr:
    if not (a.plain and b.plain):
        if a is ZERO or b is ZERO:  # the other one may come from outside an isolated block, and then is not found
            return b if a is ZERO else a
        if is_negative(b):
            return a - neg(b)
        if is_negative(a):
            return b - neg(a)
    if a is b:
        return TWO * a
    return make(Expr, ADD, (a, b) if a.serial < b.serial else (b, a), fp, a.guards | b.guards, key)


def _difference(a: Expr, b: Expr, fp: Value, key: Value) -> Expr:
    if not (a.plain and b.plain):
        if a is ZERO or b is ZERO:
            return neg(b) if a is ZERO else a
        if is_negative(b):
            return a + neg(b)
        if is_negative(a):
            return neg(neg(a) + b)
    return make(Expr, SUB, (a, b), fp, a.guards | b.guards, key)


def _product(a: Expr, b: Expr, fp: Value, key: Value) -> Expr:
    if not (a.plain and b.plain):
        if a is ONE or b is ONE:
            return b if a is ONE else a
        if is_negative(a):
            return neg(neg(a) * b)
        if is_negative(b):
            return neg(a * neg(b))
        if isinstance(b, Constant):
            a, b = b, a
        if isinstance(a, Constant):
            if b.op == MUL and isinstance(b.args[0], Constant):
                return (a * b.args[0]) * b.args[1]
            return make(Expr, MUL, (a, b), fp, b.guards, key)
    return make(Expr, MUL, (a, b) if a.serial < b.serial else (b, a), fp, a.guards | b.guards, key)


def is_negative(a: Expr) -> bool:
    """Whether the expression has a sign in front: -x, or a constant below zero."""
    return a.op == NEG or (isinstance(a, Constant) and a.value < 0)


def neg(a: Expr) -> Expr:
    """-a."""
    if a.op == NEG:
        return a.args[0]
    if isinstance(a, Constant) and a.opposite is not None:
        return a.opposite
    negatives = (default_table if isinstance(a, Constant) else current_table()).negatives
    ref = negatives.get(a.serial)
    node: Any = None if ref is None else ref()
    return place(_negated(a), negatives, a.serial) if node is None else node


def _negated(a: Expr) -> Expr:
    if not isinstance(a, Constant):
        return Negative(NEG, (a,), -a.fp % P, a.guards)
    return a if a is ZERO else Constant(-a.value, -a.fp % P, -a.fp2 % SECOND_P, a.formula and (NEG, (a,)), a)


def recip(a: Expr) -> Expr:
    """1 / a; an error if a is zero for all values of its symbols."""
    if a.fp == 0 or (isinstance(a, Constant) and a.value == 0):
        raise ZeroDivisorError(
            "Division by an expression that is always zero.",
            where=repr(a)[:200],
            cause="Terms that cancel, such as a length that is zero or an axis parallel to itself.",
            remedy="Check the geometry or the formula that gives the divisor.",
        )
    if a.op == NEG:
        return neg(recip(a.args[0]))
    fp = inverse(a.fp)
    if isinstance(a, Constant):
        return folded(RECIP, (a,), lambda: quotient(1, a.value), fp, inverse(a.fp2, SECOND_P))
    guards = a.guards | guard(fp)
    node = find(fp, guards)
    if node is not None:
        return node if node.fp == fp else neg(node)
    if a.op == MUL and isinstance(a.args[0], Constant):
        return recip(a.args[0]) * recip(a.args[1])
    return make(Expr, RECIP, (a,), fp, guards, fp if fp < HALF else P - fp)
