"""Base of all values of the algebra: immutable, with components in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from multibody import graph
from multibody.algebra.scalar import Scalar, is_scalar, minus, over, plus, stacked, times
from multibody.errors import ConversionError
from multibody.graph import Expr, as_expr

set_once = object.__setattr__
"""How a constructor fills the slots of a value; nothing else writes to them."""


def items_of(thing: Any) -> list[Any]:
    """The items of a list, a tuple or an array; none for what has no order or no items."""
    if isinstance(thing, np.ndarray):
        return list(thing.tolist()) if thing.ndim else []
    return list(thing) if isinstance(thing, Iterable) and not isinstance(thing, str | bytes | dict | set) else []


class Value:
    """An immutable value made of parts that are scalars or values themselves.

    A subclass names its parts in ``_fields``, in the order of its constructor.
    """

    __slots__ = ()
    __array_ufunc__ = None  # array * value is the value's business, not NumPy's
    _fields: ClassVar[tuple[str, ...]] = ()

    def parts(self) -> tuple[Any, ...]:
        """The parts, as the constructor takes them."""
        return tuple(getattr(self, name) for name in self._fields)

    def components(self) -> list[Scalar]:
        """All scalars in it, in order."""
        found: list[Scalar] = []
        for part in self.parts():
            found += part.components() if isinstance(part, Value) else [part]
        return found

    def map(self, function: Callable[[Scalar], Scalar]) -> Self:
        """The value with a function applied to every scalar in it.

        Example:
            >>> from multibody.algebra import Vec3
            >>> Vec3(1.0, 2.0, 3.0).map(lambda x: x * x)
            Vec3(1.0, 4.0, 9.0)
        """
        return type(self)(*[p.map(function) if isinstance(p, Value) else function(p) for p in self.parts()])

    def symbolic(self) -> Self:
        """The same with every component an expression, so that exact zeros and ones are known as such."""
        return self.map(as_expr)

    def evaluate(self, values: Mapping[Any, Any]) -> Self:
        """The same with numbers for the symbols; arrays of numbers make a batch.

        Example:
            >>> from multibody.algebra import Vec3
            >>> from multibody.graph import symbol
            >>> x = symbol("x")
            >>> Vec3(x, 2 * x, 1).evaluate({x: 3.0})
            Vec3(3.0, 6.0, 1)
        """
        return self._with(graph.evaluate(self.components(), values))

    def substitute(self, replacements: Mapping[Expr, Any]) -> Self:
        """The same with expressions or numbers in place of symbols."""
        return self._with(graph.substitute(self.components(), replacements))

    def _with(self, components: Iterable[Scalar]) -> Self:
        supply = iter(components)
        return self.map(lambda _: next(supply))

    def to_array(self) -> NDArray[Any]:
        """The components as a NumPy array; a batch keeps its own dimensions in front."""
        components = self.components()
        return stacked(components, len(components))

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Value)
        return all(bool(np.all(a == b)) for a, b in zip(self.parts(), other.parts(), strict=True))

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.parts()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parts()))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} never changes; make a new one instead of setting its {name}.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} never changes; its {name} cannot be deleted.")


class Linear(Value):
    """A value that can be added to its like, multiplied by a scalar, and differentiated component by component."""

    __slots__ = ()
    _remedy: ClassVar[str] = "Bring both to the same type first."
    _products: ClassVar[str] = "Multiply by a scalar."

    def __add__(self, other: Any) -> Self:
        if not isinstance(other, Value):
            return NotImplemented
        self._require_like(other, "added to")
        return type(self)(*map(plus, self.parts(), other.parts()))

    def __radd__(self, other: Any) -> Self:
        """0 + value, with which ``sum`` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Any) -> Self:
        if not isinstance(other, Value):
            return NotImplemented
        self._require_like(other, "subtracted from")
        return type(self)(*map(minus, self.parts(), other.parts()))

    def __neg__(self) -> Self:
        return type(self)(*[-part for part in self.parts()])

    def __pos__(self) -> Self:
        return self

    def __mul__(self, factor: Scalar) -> Self:
        if not self._is_factor(factor):
            return NotImplemented
        return type(self)(*[part * factor if isinstance(part, Value) else times(part, factor) for part in self.parts()])

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Self:
        if not self._is_factor(divisor):
            return NotImplemented
        return type(self)(
            *[part / divisor if isinstance(part, Value) else over(part, divisor) for part in self.parts()]
        )

    def time_derivative(self, rates: Mapping[Expr, Any]) -> Any:
        """d/dt, component by component, along given rates such as ``{q: u}``; see ``graph.time_derivative``.

        Example:
            >>> from multibody.algebra import Vec3
            >>> from multibody.graph import symbol, cos, sin
            >>> q, u = symbol("q", "coordinate"), symbol("u", "speed")
            >>> Vec3(cos(q), sin(q), 0).time_derivative({q: u})
            Vec3(-u*sin(q), u*cos(q), 0)
        """
        return self._with(graph.time_derivative(self.components(), rates))

    def partial_derivative(self, parameter: Expr) -> Self:
        """The derivative by one symbol, component by component; all other symbols stand still."""
        return self._with(graph.directional(self.components(), {parameter: 1}))

    def _is_factor(self, factor: Scalar) -> bool:
        if isinstance(factor, Value):
            raise ConversionError(
                f"A {type(self).__name__} and a {type(factor).__name__} have no product '*'.",
                code="operands-incompatible",
                remedy=self._products,
                value=type(factor).__name__,
            )
        return is_scalar(factor)

    def _require_like(self, other: Value, verb: str) -> None:
        if type(self) is not type(other):
            raise ConversionError(
                f"A {type(other).__name__} cannot be {verb} a {type(self).__name__}.",
                code="operands-incompatible",
                cause="They are quantities of different kinds.",
                remedy=self._remedy,
                value=type(other).__name__,
            )
