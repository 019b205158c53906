"""Checks of equations of motion as arguments: their type, distinct names, and a value for every symbol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from multibody.equations.equations import EquationsOfMotion
from multibody.errors import ModelError, MultibodyError
from multibody.graph import Expr, Symbol, free_symbols
from multibody.model import Model, System
from multibody.model.freeze.unknown_symbols import no_value


def require_equations(eom: Any, where: str, call: str = "", *, error: type[MultibodyError] = ModelError) -> None:
    """An error unless equations of motion were given.

    Args:
        eom: the argument.
        where: the function that it was given to.
        call: how this function is called with a system; by default with the derived system first.
        error: class of the error.
    """
    if not isinstance(eom, EquationsOfMotion):
        raise error(
            f"{where} expects equations of motion, got {type(eom).__name__}.",
            code="equations-expected",
            where=where,
            cause=_cause(eom),
            remedy=f"Write {call or f'{where}(mb.derive(system), …)'}.",
            kind=type(eom).__name__,
        )


def _cause(given: Any) -> str:
    if isinstance(given, System | Model):
        return "They were not derived yet."
    return "The arguments are in another order." if isinstance(given, int | float) else ""


def require_distinct(model: Model, outputs: Iterable[str]) -> None:
    """An error if one name represents several quantities.

    Args:
        model: whose coordinates, speeds, accelerations, inputs and parameters have names.
        outputs: the names of what is measured, which are to differ from these.

    Example:
        >>> from multibody.model import System
        >>> cart = System("cart")
        >>> rate, slide = cart.input("x_dot"), cart.joint("x", cart.world, cart.body("box", 1), "Tx")
        >>> require_distinct(cart.freeze(), [])
        Traceback (most recent call last):
            ...
        multibody.errors.ModelError: Several quantities are called 'x_dot'. [name-taken]
          where: system 'cart'
          cause: Rates are called like what they are the rate of, with _dot; entries of arrays with _1, _2.
          fix: Rename one of them; system.check() lists them.
    """
    symbols = (model.time, *model.coordinates, *model.speeds, *model.input_symbols, *model.parameter_symbols)
    count = Counter([*(symbol.name for symbol in (*symbols, *model.accelerations)), *outputs])
    twice = [name for name, times in count.items() if times > 1]
    if twice:
        raise ModelError(
            f"Several quantities are called {', '.join(map(repr, twice))}.",
            code="name-taken",
            where=f"system '{model.name}'",
            cause="Rates are called like what they are the rate of, with _dot; entries of arrays with _1, _2.",
            remedy="Rename one of them; system.check() lists them.",
            names=tuple(twice),
        )


def require_own_symbols(expressions: Sequence[Expr], name: str, where: str) -> None:
    """An error if expressions contain symbols of another system, or of none.

    Args:
        expressions: what a user gave.
        name: of the system.
        where: what it was given to.
    """
    foreign = [symbol for symbol in free_symbols(expressions) if symbol.scope != name] if expressions else []
    if foreign:
        raise no_value(foreign, name, f"{where} of system '{name}'")


def require_known(expressions: Sequence[Expr], eom: EquationsOfMotion, where: str, also: Iterable[Symbol] = ()) -> None:
    """An error if expressions contain symbols to which nothing in these equations gives a value, nor the caller."""
    known = {eom.model.time, *eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters, *eom.model.accelerations}
    foreign = [symbol for symbol in free_symbols(expressions) if symbol not in known.union(also)]
    if foreign:
        raise no_value(foreign, eom.model.name, where)
