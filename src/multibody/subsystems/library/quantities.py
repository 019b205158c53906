"""The quantities of a part: parameters whose names end with its label, with values or without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, as_expr, free_symbols, from_sympy, parse, substitute, symbol
from multibody.graph.names import check, suggestion
from multibody.graph.number import is_number
from multibody.model.quantity import finite_value
from multibody.subsystems.arguments.vocabulary import TIME

Value = Any
"""What may be given for a quantity: None, a number, text, or an expression of parameters."""


class PartQuantities:
    """Collects the parameters of one part.

    Args:
        label: of the part; all names get it as their ending.

    Example:
        >>> given = PartQuantities("P")
        >>> values = {"m": None, "l": 0.5, "c": 0, "I": "rho*l_P**3"}
        >>> [given.quantity(stem, value) for stem, value in values.items()]
        [m_P, l_P, 0, l_P**3*rho]
        >>> given.parameters
        {'m_P': None, 'l_P': 0.5, 'rho': None}
    """

    def __init__(self, label: str) -> None:
        self.label = check(label, what="subsystem")
        self.parameters: dict[str, float | Expr | None] = {}

    def quantity(self, stem: str, value: Value) -> Expr:
        """What represents a quantity in the equations.

        A parameter, if nothing or a number is given, which is then its value; nothing at all, if the number is zero;
        otherwise what the text or the expression says, whose names are parameters.
        """
        name = f"{stem}_{self.label}"
        if value is None or is_number(value):
            number = None if value is None else finite_value(value, f"'{name}' of subsystem '{self.label}'")
            return ZERO if number == 0 else self._parameter(name, number)
        return self.expression(value)

    def amount(self, stem: str, value: Value) -> Expr:
        """The same for what cannot be negative: masses, inertias, lengths."""
        if is_number(value) and finite_value(value, f"'{stem}_{self.label}'") < 0:
            raise ModelError(
                f"The value of '{stem}_{self.label}' is negative: {value}.",
                where=f"subsystem '{self.label}'",
                remedy="Give a positive number, or none.",
                code="quantity-negative",
                name=f"{stem}_{self.label}",
            )
        return self.quantity(stem, value)

    def quantities(self, stems: Sequence[str], values: Iterable[Value]) -> tuple[Expr, ...]:
        """Several at once, such as the coordinates of a place."""
        return tuple(map(self.quantity, stems, self._as_many(stems, values)))

    def amounts(self, stems: Sequence[str], values: Iterable[Value]) -> tuple[Expr, ...]:
        """Several at once that cannot be negative."""
        return tuple(map(self.amount, stems, self._as_many(stems, values)))

    def _as_many(self, stems: Sequence[str], values: Any) -> list[Value]:
        given = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
        if len(given) != len(stems):
            raise ModelError(
                f"{len(stems)} values are needed for {', '.join(stems)}, and not {len(given)}: {values!r:.80}.",
                where=f"subsystem '{self.label}'",
                remedy="Give as many; None for each that shall be a parameter without a value.",
                code="number-of-values-wrong",
                names=tuple(stems),
            )
        return given

    def value(self, name: str, value: Value) -> None:
        """A parameter that occurs in given equations; expressions are formulas for its value."""
        self.parameters[name] = value if value is None or is_number(value) else self.expression(value)

    def expression(self, thing: Any) -> Expr:
        """An expression of the time t and of parameters, which are all other names in it."""
        read = parse(thing) if isinstance(thing, str) else thing
        read = as_expr(from_sympy(read) if type(read).__module__.split(".")[0] == "sympy" else read)
        known: dict[Expr, Expr] = {
            symbol: TIME if symbol.name == "t" else self._parameter(symbol.name, None) for symbol in free_symbols(read)
        }
        return as_expr(substitute(read, known))

    def _parameter(self, name: str, value: float | None) -> Symbol:
        if self.parameters.get(name) is None:
            self.parameters[name] = value
        return symbol(check(name, what="parameter"), "parameter")

    def gravity(self, field: Any, axes: str) -> tuple[Expr, ...]:
        """The acceleration of free fall in each axis, from a direction such as "-y", "none", or from components."""
        directions = {f"{sign}{axis}": (sign, axis) for axis in axes for sign in "+-"}
        if isinstance(field, str) and field.lower().lstrip("+") in ("none", *axes, *directions):
            sign, axis = directions.get(field.lower().rjust(2, "+"), ("", ""))
            g = self._parameter("g", None) if axis else ZERO
            return tuple((g if sign == "+" else -g) if other == axis else ZERO for other in axes)
        if isinstance(field, Iterable) and not isinstance(field, str) and len(parts := list(field)) == len(axes):
            return tuple(map(self.expression, parts))
        options = ["none", *directions]
        raise ModelError(
            f"{field!r} is not a gravity vector.",
            where=f"subsystem '{self.label}'",
            cause=suggestion([field], options) if isinstance(field, str) else "",
            remedy=f"Give one of {', '.join(map(repr, options))}, or {len(axes)} components of the acceleration.",
            code="gravity-invalid",
        )
