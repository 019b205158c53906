"""Errors that say which part of a system they are about, whoever raises them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from multibody.errors import MultibodyError


@contextmanager
def concerning(part: str) -> Iterator[None]:
    """While a part is made: errors that do not name it get its name.

    Args:
        part: such as ``"body 'crab'"``.

    Example:
        >>> from multibody.graph import as_expr
        >>> with concerning("body 'crab'"):
        ...     as_expr("10 kg")
        Traceback (most recent call last):
            ...
        multibody.errors.ConversionError: A str cannot be part of an expression. [value-not-an-expression]
          where: body 'crab': '10 kg'
          cause: Only expressions and real numbers (int, Fraction, float, NumPy scalars) can be.
          fix: Convert it first: from_sympy for SymPy objects, parse for text, where(...) for truth values.
    """
    try:
        yield
    except MultibodyError as error:
        if part not in error.where:
            error.where = f"{part}: {error.where}" if error.where else part
        raise
