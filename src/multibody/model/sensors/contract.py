"""The contract that all sensors keep, and the symbols of measured values.

Loads and expressions use these symbols before the system is complete.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.algebra import Vec3
from multibody.graph import Expr, array, free_symbols, substitute
from multibody.model.body import Frame
from multibody.model.given import Given
from multibody.model.kinematics import Kinematics
from multibody.model.quantity import shaped_symbols


class Sensor(Given, ABC):
    """Something that can be measured while the system moves.

    Attributes:
        unit: SI unit, as text.
        shape: of the measured value: ``()`` for a scalar, ``(3,)`` for a vector, ``(3, 3)`` for a matrix.
    """

    unit: str = ""
    shape: tuple[int, ...] = ()

    @abstractmethod
    def measure(self, kinematics: Kinematics) -> Any:
        """The measured value: an expression, or an array of expressions of the sensor's shape."""

    @property
    @abstractmethod
    def touches(self) -> tuple[object, ...]:
        """The frames and joints that it looks at, for checks."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(named(element) for element in self.touches)})"


def named(thing: object) -> str:
    """A frame or joint by its name, in quotes; anything else as Python shows it."""
    return repr(getattr(thing, "name", thing))


def given(*frames: Frame | None) -> tuple[object, ...]:
    """Those frames that are not left to their default."""
    return tuple(frame for frame in frames if frame is not None)


def in_axes(kinematics: Kinematics, vector: Vec3, of: Frame, axes: Frame) -> Vec3:
    """A vector with coordinates along the axes of ``of``, in coordinates along those of ``axes``."""
    return vector if of is axes else kinematics.pose(of, axes).vector_to_parent(vector)


def as_array(vector: Vec3) -> Any:
    """A vector as an array of three expressions."""
    return vector.symbolic().to_array()


def signal(name: str, sensor: Sensor, scope: str) -> Any:
    """The symbol that represents a sensor's value, or the array of symbols ``name_1``, ``name_2`` and so on."""
    return shaped_symbols(name, "variable", scope, sensor.shape)


def resolved(thing: Any, kinematics: Kinematics) -> Any:
    """``thing`` with values in place of all symbols that represent something: sensors, joints that are not states.

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
