"""The contract that all sensors keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from multibody.model.kinematics import Kinematics


class Sensor(ABC):
    """Something that can be measured while the system moves."""

    unit: str = ""

    @abstractmethod
    def measure(self, kinematics: Kinematics) -> Any:
        """The measured value: an expression, or an array of expressions."""

    @property
    @abstractmethod
    def touches(self) -> tuple[object, ...]:
        """The frames and joints that it looks at, for checks."""
