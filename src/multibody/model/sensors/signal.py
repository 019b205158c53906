"""Measured values as symbols, so that loads and expressions can use them before the system is complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from multibody.graph import Expr, Symbol, array, free_symbols, substitute
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
    wanted = {symbol for symbol in free_symbols(expressions) if symbol.kind == "variable"}
    for name, symbols in _signals(kinematics.model.sensors, kinematics.model.name) if wanted else ():
        if wanted.intersection(symbols):
            value = kinematics.model.sensors[name].measure(kinematics)
            yield from zip(symbols, array(value).flat, strict=True)


def _dependent(expressions: Any, kinematics: Kinematics) -> dict[Expr, Expr]:
    """Each coordinate and speed that is not a state of its own, with its value."""
    values = kinematics.model.values
    return {one: values[one] for one in free_symbols(expressions) if one in values} if values else {}


def _signals(sensors: Mapping[str, Sensor], scope: str) -> Iterator[tuple[str, list[Symbol]]]:
    for name, sensor in sensors.items():
        yield name, list(np.ravel(np.array(signal(name, sensor, scope), dtype=object)))
