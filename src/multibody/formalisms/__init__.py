"""Formalisms, one file each: strategies that turn a model into equations of motion."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from multibody.equations import EquationsOfMotion
from multibody.formalisms.articulated_body import ArticulatedBody
from multibody.formalisms.choice import derive
from multibody.formalisms.contract import Formalism
from multibody.formalisms.recursive import Recursive

__all__ = [
    "ArticulatedBody", "Comparison", "EquationsOfMotion", "Formalism", "Kane", "Lagrange", "Modular",
    "NewtonEuler", "Recursive", "Wittenburg", "compare", "derive",
]  # fmt: skip

_LATE = {
    "Comparison": "comparison", "compare": "comparison", "Kane": "kane", "Lagrange": "lagrange", "Modular": "modular",
    "NewtonEuler": "newton_euler", "Wittenburg": "wittenburg",
}  # fmt: skip
"""Formalisms that ``derive`` does not choose by itself are imported when they are asked for."""

if TYPE_CHECKING:
    from multibody.formalisms.comparison import Comparison, compare
    from multibody.formalisms.kane import Kane
    from multibody.formalisms.lagrange import Lagrange
    from multibody.formalisms.modular import Modular
    from multibody.formalisms.newton_euler import NewtonEuler
    from multibody.formalisms.wittenburg import Wittenburg
else:

    def __getattr__(name: str) -> Any:
        """Names that are imported late."""
        if name in _LATE:
            return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is public, also what is imported late."""
    return sorted(__all__)
