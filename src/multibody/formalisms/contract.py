"""The contract of formalisms: strategies that turn a model into equations of motion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from typing import Any

from multibody.equations import EquationsOfMotion, Handling
from multibody.equations.without_bodies import require_bodies
from multibody.mechanics.validation.own_parts import require_consistent_parts
from multibody.model import Model


class Formalism(ABC):
    """A way to derive equations of motion.

    Whichever is called, and however, loads and constraints of the user's own are looked at first: some formalisms use
    the potential of a load, others its force, and the two must belong to each other; so must the position and the
    velocity of a constraint.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """``derive`` of every formalism begins with this check; a model that has passed it is not looked at again."""
        super().__init_subclass__(**options)
        if "derive" in vars(cls):
            cls.derive = _checked(cls.derive)  # type: ignore[method-assign]

    @abstractmethod
    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """The equations of motion of a model.

        Args:
            model: a frozen model.
            handling: how to solve for constrained motions; by default as the formalism does by itself.

        Raises:
            ModelError: if the formalism does not take such a model, the error names one that does; and for a load or a
                constraint that contradicts itself.
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _checked(derive: Callable[..., EquationsOfMotion]) -> Callable[..., EquationsOfMotion]:
    """The same, of a model whose parts have been looked at."""

    @wraps(derive)
    def derived(self: Formalism, model: Model, *args: Any, **named: Any) -> EquationsOfMotion:
        if isinstance(model, Model):
            require_bodies(model)
            require_consistent_parts(model)
        return derive(self, model, *args, **named)

    return derived
