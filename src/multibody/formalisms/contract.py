"""The contract of formalisms: strategies that turn a model into equations of motion."""

from __future__ import annotations

from abc import ABC, abstractmethod

from multibody.equations import EquationsOfMotion, Handling
from multibody.model import Model


class Formalism(ABC):
    """A way to derive equations of motion."""

    @abstractmethod
    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """The equations of motion of a model.

        Args:
            model: a frozen model.
            handling: how to solve for constrained motions; by default as the formalism does by itself.

        Raises:
            ModelError: if the formalism does not take such a model; the error names one that does.
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
