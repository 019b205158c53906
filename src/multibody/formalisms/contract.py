"""What a formalism is: a strategy that turns a model into equations of motion."""

from __future__ import annotations

from abc import ABC, abstractmethod

from multibody.equations import EquationsOfMotion
from multibody.model import Model


class Formalism(ABC):
    """A way to derive equations of motion."""

    @abstractmethod
    def derive(self, model: Model) -> EquationsOfMotion:
        """The equations of motion of a model."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
