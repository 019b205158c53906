"""Products of powers and sums of products, before they become expressions: numbers can still be moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from multibody.graph.closed_forms.printed_size import number_size
from multibody.graph.expr import ONE, ZERO, Constant, Expr, constant, recip
from multibody.graph.functions import power


@dataclass(frozen=True)
class NestedSum:
    """A sum of products."""

    addends: tuple[Factors, ...]

    def times(self, number: Fraction | int) -> NestedSum:
        """The sum with all its addends multiplied."""
        return NestedSum(tuple(Factors(number) * addend for addend in self.addends))

    def numbers_size(self) -> int:
        """How much there is to read for the numerical factors."""
        return sum(number_size(addend.number) for addend in self.addends)

    def expression(self) -> Expr:
        """Positive addends come first, so that the sum needs no sign in front."""
        result: Expr = ZERO
        for addend in sorted(self.addends, key=lambda addend: addend.number < 0):
            result = result + addend.expression()
        return result


Factor = Expr | NestedSum


@dataclass(frozen=True)
class Factors:
    """number · Π factorᵉ."""

    number: Fraction | int
    powers: tuple[tuple[Factor, int], ...] = ()

    def __mul__(self, other: Factors) -> Factors:
        return Factors(self.number * other.number, self.powers + other.powers)

    def __pow__(self, exponent: int) -> Factors:
        return Factors(Fraction(self.number) ** exponent, tuple((factor, e * exponent) for factor, e in self.powers))

    def expression(self) -> Expr:
        """The product; its number goes into a sum where that is shorter."""
        number, powers = self.number, list(self.powers)
        for i, (factor, exponent) in enumerate(powers):
            if isinstance(factor, NestedSum) and exponent in (1, -1):
                moved = _moved(factor, number if exponent == 1 else Fraction(1) / number)
                if moved is not None:
                    number, powers[i] = 1, (moved, exponent)
                elif number < 0 and any(addend.number < 0 for addend in factor.addends):
                    number, powers[i] = -number, (factor.times(-1), exponent)
        return _product(number, powers)


def _moved(factor: NestedSum, number: Fraction | int) -> NestedSum | None:
    """The sum times a number, if that is shorter than the number in front of it."""
    scaled = factor.times(number)
    after = scaled.numbers_size() + all(addend.number < 0 for addend in scaled.addends)
    return scaled if after < factor.numbers_size() + number_size(number) + (number < 0) else None


def _product(number: Fraction | int, powers: Iterable[tuple[Factor, int]]) -> Expr:
    total: dict[Expr, int] = {}
    for factor, exponent in powers:
        expr = factor.expression() if isinstance(factor, NestedSum) else factor
        total[expr] = total.get(expr, 0) + exponent
    scale: Expr = constant(abs(number))
    over: Expr = ONE
    under: Expr = ONE
    for expr, exponent in total.items():
        if isinstance(expr, Constant):
            scale = scale * power(expr, exponent)
        elif exponent > 0:
            over = over * power(expr, exponent)
        else:
            under = under * power(expr, -exponent)
    result = scale * over if under is ONE else scale * (over * recip(under))
    return -result if number < 0 else result
