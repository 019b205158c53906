"""Measured values as symbols, so that loads and expressions can use them before the system is complete."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.graph import Expr, array, free_symbols, substitute
from multibody.model.kinematics import Kinematics
from multibody.model.quantity import shaped_symbols
from multibody.model.sensors.contract import Sensor


def signal(name: str, sensor: Sensor, scope: str) -> Any:
    """The symbol that stands for a sensor's value, or the array of symbols ``name_1``, ``name_2`` and so on."""
    return shaped_symbols(name, "variable", scope, sensor.shape)


def resolved(thing: Any, kinematics: Kinematics) -> Any:
    """``thing`` with values in place of all symbols that stand for something: sensors, joints that are no states.

    Args:
        thing: an expression, or nested lists or arrays of expressions.
        kinematics: what the sensors look at.
    """
    expressions = array(thing)
    measured = dict(_measured(expressions, kinematics)) | _dependent(expressions, kinematics)
    found = substitute(expressions, measured) if measured else expressions
    return found if expressions.shape else (found.item() if isinstance(found, np.ndarray) else found)


def _measured(expressions: Any, kinematics: Kinematics) -> Iterator[tuple[Expr, Expr]]:
    """Each such symbol with its value."""
    model = kinematics.model
    wanted = [
        symbol.name for symbol in free_symbols(expressions) if (symbol.kind, symbol.scope) == ("variable", model.name)
    ]
    named = {model.measured[name] for name in wanted if name in model.measured}
    for name, sensor in model.sensors.items() if named else ():
        if name in named:
            symbols, values = array(signal(name, sensor, model.name)), array(sensor.measure(kinematics))
            yield from zip(symbols.flat, values.flat, strict=True)


def _dependent(expressions: Any, kinematics: Kinematics) -> dict[Expr, Expr]:
    """Each coordinate and speed that is not a state of its own, with its value."""
    values = kinematics.model.values
    return {symbol: values[symbol] for symbol in free_symbols(expressions) if symbol in values} if values else {}
