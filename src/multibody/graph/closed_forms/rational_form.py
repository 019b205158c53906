"""Expressions as quotients of polynomials in their symbols, in e^{iθ} of their angles, and in what is opaque."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import lcm
from typing import Any

from multibody.graph.closed_forms.laurent import I, LimitReachedError, Ring, Terms
from multibody.graph.closed_forms.quotient import Quotient, Quotients
from multibody.graph.expr import Constant, Expr, Symbol, constant
from multibody.graph.field import FIRST, HALF, P, Value
from multibody.graph.fingerprint import linear_parts, pi_multiple
from multibody.graph.node import ADD, MUL, NEG, RECIP, SUB
from multibody.graph.piecewise.conditions import Condition
from multibody.graph.text.arrangement import operation
from multibody.graph.text.term_order import natural
from multibody.graph.traverse import rebuilt

_CIRCULAR = ("sin", "cos", "tan")


class RationalForms:
    """Reads expressions, each node once.

    Args:
        ring: for the polynomials.
        nodes: all nodes that will be met.
        closed: the closed form of a node, for the arguments of functions.

    Attributes:
        arithmetic: of the quotients, with the factors of their denominators.
        meanings: what each generator of the ring represents; for e^{iθ/n} the angle θ.
        divisions: the n of e^{iθ/n}.
    """

    def __init__(self, ring: Ring, nodes: list[Any], closed: Callable[[Any], Any]) -> None:
        self.arithmetic = Quotients(ring)
        self.meanings: dict[int, Expr] = {}
        self.divisions: dict[int, int] = {}
        self._ring = ring
        self._closed = closed
        self._shares = _common_denominators(nodes)
        self._generators: dict[Any, int] = {}
        self._angles: dict[Value, tuple[int, Value]] = {}
        self._done: dict[Any, Quotient | None] = {}
        symbols = [node for node in nodes if isinstance(node, Symbol) and _unsigned(node.fp) in self._shares]
        for angle in sorted(symbols, key=lambda symbol: natural(symbol.name)):  # q1 - q2 rather than q2 - q1
            self._angle(angle)

    def read(self, root: Any) -> Quotient:
        """The quotient of an expression."""
        for node in self._new(root):
            if isinstance(node, Condition):
                self._closed(node)
            self._done[node] = None  # and so it stays if a limit is reached
            if not isinstance(node, Condition):
                self._done[node] = self._made(node)
        return self._known(root)

    def _new(self, root: Any) -> list[Any]:
        """The nodes below that have not been met before, operands first."""
        seen = {root} - self._done.keys()
        stack = list(seen)
        while stack:
            new = [arg for arg in operation(stack.pop())[1] if arg not in seen and arg not in self._done]
            seen.update(new)
            stack += new
        return sorted(seen, key=lambda node: node.serial)

    def _made(self, node: Any) -> Quotient:
        op, args = operation(node)
        if op in _CIRCULAR:
            return self._circular(op, self._turn(args[0]))
        if op in _ARITHMETIC:
            return _ARITHMETIC[op](self.arithmetic, *[self._known(arg) for arg in args])
        if isinstance(node, Constant) and op == "const":
            return self._number(node)
        if isinstance(node, Symbol) or op == "pi":
            return Quotient({self._generator(node, node): 1})
        if op in ("sqrt", "abs"):
            return self._root(node, op, self._known(args[0]))
        return Quotient({self._generator(node.fp, self._opaque(node)): 1})

    def _known(self, node: Any) -> Quotient:
        result = self._done[node]
        if result is None:
            raise LimitReachedError
        return result

    def _number(self, node: Constant) -> Quotient:
        """A rational number, or a float: it is a generator, so that 9.81 is treated as one would treat g."""
        if not isinstance(node.value, float):
            value = Fraction(node.value)
            return Quotient({0: value.numerator} if value else {}, value.denominator)
        positive = node if node.value > 0 else -node
        return Quotient({self._generator(positive.fp, positive): 1 if positive is node else -1})

    def _generator(self, key: Any, meaning: Any) -> int:
        """The monomial of a generator, which is made where it is met for the first time."""
        if key not in self._generators:
            index = self._ring.generator()
            self._generators[key] = index
            self.meanings[index] = meaning
        return self._ring.monomial(self._generators[key])

    def _opaque(self, node: Any) -> Any:
        return rebuilt(node, [self._closed(arg) for arg in node.args]) if node.args else node

    def _root(self, node: Any, op: str, radicand: Quotient) -> Quotient:
        """A root, or an absolute value, as the root of a square.

        The generator is r = n·√(p/n), or r = n·|p/n|, so that its square has whole coefficients.
        """
        if radicand.under:
            return Quotient({self._generator(node.fp, self._opaque(node)): 1})
        over, number = radicand.over, radicand.number
        if node.fp not in self._generators:
            square = {m: c * number for m, c in over.items()} if op == "sqrt" else self._ring.product(over, over)
            self._generator(node.fp, constant(number) * self._opaque(node))
            self._ring.squares[self._generators[node.fp]] = square
        return Quotient({self._ring.monomial(self._generators[node.fp]): 1}, number)

    def _turn(self, angle: Any) -> Terms:
        """e^{iθ} as a polynomial with one term; a quarter turn is the imaginary unit."""
        monomial, quarters = 0, 0
        for part, factor in linear_parts(angle).items():
            twelfths = pi_multiple(part.fp, 12 * factor, FIRST) if isinstance(part, Constant) else None
            if twelfths is not None and twelfths % 6 == 0:
                quarters += twelfths // 6
            else:
                multiple = factor * self._shares[_unsigned(part.fp)]
                if multiple.denominator != 1:  # a fraction of an angle that was not among the nodes
                    raise LimitReachedError
                monomial += self._angle(part) * int(multiple)
        return {monomial + (I if quarters % 2 else 0): 1 if quarters % 4 < 2 else -1}

    def _angle(self, part: Any) -> int:
        """The monomial of a part of an angle, or its inverse if the generator represents the opposite angle."""
        key = _unsigned(part.fp)
        if key not in self._angles:
            closed = part if isinstance(part, Symbol | Constant) else self._closed(part)
            meaning = part if closed.op in (ADD, SUB, NEG) else closed
            self._angles[key] = self._generator(("angle", key), meaning), part.fp
            generator = self._generators["angle", key]
            self._ring.angles.append(generator)
            self.divisions[generator] = self._shares[key]
        monomial, fp = self._angles[key]
        return monomial if part.fp == fp else -monomial

    def _circular(self, op: str, turn: Terms) -> Quotient:
        """Euler: 2·cos θ = e^{iθ} + e^{-iθ}, 2·sin θ = -i·e^{iθ} + i·e^{-iθ}."""
        back = {-monomial + 2 * (monomial & I): -c if monomial & I else c for monomial, c in turn.items()}
        cosine = Quotient(self._ring.combined(turn, 1, back, 1), 2)
        sine = Quotient(self._ring.product({I: -1}, self._ring.combined(turn, 1, back, -1)), 2)
        if op == "tan":
            return self.arithmetic.product(sine, self.arithmetic.reciprocal(cosine))
        return cosine if op == "cos" else sine


def _unsigned(fp: Value) -> Value:
    """The same for an angle and its opposite."""
    return fp if fp < HALF else -fp % P


def _common_denominators(nodes: list[Any]) -> dict[Any, int]:
    """The common denominator of all factors with which each part of an angle occurs."""
    result: dict[Any, int] = defaultdict(lambda: 1)
    for op, args in map(operation, nodes):
        if op in _CIRCULAR:
            for part, factor in linear_parts(args[0]).items():
                key = _unsigned(part.fp)
                result[key] = lcm(result[key], factor.denominator)
    return result


_ARITHMETIC: dict[str, Callable[..., Quotient]] = {
    ADD: lambda arithmetic, a, b: arithmetic.sum(a, b),
    SUB: lambda arithmetic, a, b: arithmetic.sum(a, b, -1),
    NEG: lambda arithmetic, a: Quotient({m: -c for m, c in a.over.items()}, a.number, a.under),
    MUL: lambda arithmetic, a, b: arithmetic.product(a, b),
    RECIP: lambda arithmetic, a: arithmetic.reciprocal(a),
}
