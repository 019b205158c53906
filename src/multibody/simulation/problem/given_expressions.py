"""Expressions that users give: as text, or in terms of sensors and dependent coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_known
from multibody.errors import ConversionError, ModelError, ParseError
from multibody.graph import Expr, Symbol, as_expr, parse
from multibody.graph.node import within
from multibody.model.error_context import concerning
from multibody.model.sensors.contract import resolved, signal


def written(text: str, eom: EquationsOfMotion, where: str) -> Expr:
    """The expression that a text describes, in the names of a system.

    Args:
        text: of time ``t``, coordinates, speeds, inputs, parameters and what sensors measure.
        eom: the equations whose names it uses; ``tip_3`` is the third component of the sensor ``tip``.
        where: what it is for.

    Raises:
        ParseError: if it is not an expression, or a name is unknown.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx")
        >>> written("3*sin(2*t) - x_dot", mb.derive(cart), "input 'F'")
        3*sin(2*t) - x_dot
    """
    try:
        return parse(text, {symbol.name: symbol for symbol in _symbols(eom)})
    except ParseError as error:
        error.where = f"{where}: {error.where}"
        raise


def _symbols(eom: EquationsOfMotion) -> Iterator[Symbol]:
    """All that has a name and a value during a run; where two have the same one, the last counts."""
    model = eom.model
    for name, sensor in model.sensors.items():
        yield from np.ravel(np.array(signal(name, sensor, model.name), dtype=object))
    yield from model.values
    yield from (*model.parameter_symbols, *model.input_symbols, *eom.speeds, *eom.coordinates, model.time)


def expression_of(thing: Any, eom: EquationsOfMotion, where: str, remedy: str) -> Expr:
    """What the user gave as an expression, with sensors and dependent coordinates put in.

    Args:
        thing: an expression or a number.
        eom: the equations of the run.
        where: what it is for.
        remedy: what to write instead of something else.
    """
    try:
        with concerning(where), within(eom.table):
            found = as_expr(resolved(as_expr(thing), eom.kinetics))
    except ConversionError as error:
        raise ModelError(
            f"{thing!r:.200} is not an expression.", code="value-not-an-expression", where=where, remedy=remedy
        ) from error
    require_known([found], eom, where)
    return found
