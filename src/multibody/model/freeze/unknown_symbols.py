"""The error for symbols that have no value, because they do not belong to the system in which they are used."""

from __future__ import annotations

from collections.abc import Iterable

from multibody.errors import ModelError
from multibody.graph import Symbol

KINDS = ("parameter", "coordinate", "speed", "input")

CAUSE = "It comes from another system, or from symbol(…)."
REMEDY = "Use parameters, inputs, coordinates and speeds of this system; system.check() says where it is."


def no_value(
    symbols: Iterable[Symbol], system: str, where: str, *, cause: str = CAUSE, remedy: str = REMEDY
) -> ModelError:
    """The error for symbols to which nothing in a system gives a value.

    Args:
        symbols: those without a value.
        system: the name of the system.
        where: what they are used in.
        cause: the likely cause.
        remedy: what to do.

    Example:
        >>> from multibody.graph import symbol
        >>> print(no_value([symbol("k", "parameter", "crane")], "cart", "load 'pull' of system 'cart'"))
        No value for parameter 'k' of system 'crane'. [symbol-not-in-system]
          where: load 'pull' of system 'cart'
          cause: It comes from another system, or from symbol(…).
          fix: Use parameters, inputs, coordinates and speeds of this system; system.check() says where it is.
    """
    described = ", ".join(_described(symbol, system) for symbol in symbols)
    return ModelError(
        f"No value for {described}.",
        code="symbol-not-in-system",
        names=tuple(symbol.name for symbol in symbols),
        where=where,
        cause=cause,
        remedy=remedy,
    )


def _described(one: Symbol, system: str) -> str:
    kind = one.kind if one.kind in KINDS else "symbol"
    owner = f" of system '{one.scope}'" if one.scope and one.scope != system else ""
    return f"{kind} '{one.name}'{owner}"
