"""Formalisms, one file each: strategies that turn a model into equations of motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazy_loader import attach

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
    "comparison": ["Comparison", "compare"], "kane": ["Kane"], "lagrange": ["Lagrange"], "modular": ["Modular"],
    "newton_euler": ["NewtonEuler"], "wittenburg": ["Wittenburg"],
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
    __getattr__, _, _ = attach(__name__, submod_attrs=_LATE)


def __dir__() -> list[str]:
    """What is public, also what is imported late."""
    return sorted(__all__)
