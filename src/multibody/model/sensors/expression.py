"""Any expression as a sensor."""

from __future__ import annotations

from typing import Any

from multibody.graph import array
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import Sensor, resolved


class Expression(Sensor):
    """A formula of coordinates, speeds, inputs, parameters, time and the values of other sensors.

    Args:
        value: an expression, or nested lists or arrays of expressions.
        unit: SI unit, as text.

    Example:
        >>> from multibody.model import System
        >>> crane = System("crane")
        >>> slide = crane.joint("slide", crane.world, crane.body("crab", mass=1), "Tx")
        >>> Expression(3 * slide.speed**2).measure(Kinematics(crane.freeze()))
        3*slide_dot**2
    """

    def __init__(self, value: Any, unit: str = "") -> None:
        self.value = array(value)
        self.unit = unit

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """That of the value."""
        return self.value.shape

    def measure(self, kinematics: Kinematics) -> Any:
        """The value, with what other sensors measure put in."""
        return resolved(self.value, kinematics)

    @property
    def touches(self) -> tuple[object, ...]:
        """Nothing by itself."""
        return ()

    def __repr__(self) -> str:
        return f"Expression({self.value.tolist()})"
