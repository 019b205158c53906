"""Functions as they stand in a file: ``{of: x, is: k*x**3}``, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.algebra import Vec3
from multibody.errors import ModelFileError, MultibodyError
from multibody.graph import Expr, Symbol, as_expr, substitute, symbol
from multibody.io.model_files.expressions.formulas import FormulaWriter

_SCOPE = "function of a file"
_LETTERS = {1: ("x",), 2: ("x", "v"), 3: ("x", "y", "z")}


def local_symbol(name: str) -> Symbol:
    """The symbol for an argument of a function."""
    return symbol(name, "variable", _SCOPE)


class WrittenFunction:
    """A function by its formula.

    Args:
        arguments: symbols that stand for its arguments.
        value: an expression of these and others, or a list of such.

    Example:
        >>> x = local_symbol("x")
        >>> WrittenFunction([x], 3 * x**2)(2)
        12
    """

    def __init__(self, arguments: Sequence[Symbol], value: Any) -> None:
        self.arguments = tuple(arguments)
        self.value = value

    def __call__(self, *values: Any) -> Any:
        """The formula, with values in place of the arguments."""
        return substitute(self.value, dict(zip(self.arguments, map(as_expr, values), strict=True)))


class WrittenField(WrittenFunction):
    """A function of a place, by its formula in three coordinates."""

    def __call__(self, *values: Any) -> Any:
        """The value at a point."""
        (point,) = values
        return super().__call__(*point)


def function_text(function: Any, count: int, formulas: FormulaWriter, *, field: bool = False) -> dict[str, Any]:
    """A function as it stands in a file, found by calling it with symbols.

    Args:
        function: of numbers or expressions.
        count: how many arguments it has.
        formulas: writes expressions.
        field: whether it takes its arguments as one vector.

    Raises:
        ModelFileError: if it cannot be called with symbols.
    """
    names = [formulas.symbols.free(letter) for letter in _LETTERS[count]]
    symbols = [local_symbol(name) for name in names]
    try:
        value = function(Vec3(*symbols)) if field else function(*symbols)
        if field and not isinstance(value, Expr | float | int):
            value = Vec3.from_any(value, what="field")
        said = formulas.plain(value, dict(zip(symbols, names, strict=True)))
    except (MultibodyError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise ModelFileError(
            f"A function cannot be written: {error!s:.200}".split("\n", maxsplit=1)[0],
            cause="It is called with symbols to find its formula.",
            remedy="Use operators and the functions of multibody.graph in it, or a Table.",
            code="value-not-writable",
        ) from error
    return {"of": names[0] if count == 1 else names, "is": said}
