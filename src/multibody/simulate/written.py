"""Expressions that are given as text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ParseError
from multibody.graph import Expr, Symbol, parse
from multibody.model.sensors.signal import signal


def written(text: str, eom: EquationsOfMotion, where: str) -> Expr:
    """The expression that a text describes, in the names of a system.

    Args:
        text: of time ``t``, coordinates, speeds, inputs, parameters and what sensors measure.
        eom: the equations whose names it uses; ``tip_3`` is the third component of the sensor ``tip``.
        where: what it is for.

    Raises:
        ParseError: if it is no expression, or a name is unknown.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx")
        >>> written("3*sin(2*t) - x_dot", mb.derive(cart), "input 'F'")
        3*sin(2*t) - x_dot
    """
    try:
        return parse(text, {one.name: one for one in _symbols(eom)})
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
