"""Formalisms, one file each: strategies that turn a model into equations of motion."""

from __future__ import annotations

from multibody.equations import EquationsOfMotion
from multibody.formalisms.articulated_body import ArticulatedBody
from multibody.formalisms.choice import derive
from multibody.formalisms.comparison import Comparison, compare
from multibody.formalisms.contract import Formalism
from multibody.formalisms.kane import Kane
from multibody.formalisms.lagrange import Lagrange
from multibody.formalisms.modular import Modular
from multibody.formalisms.newton_euler import NewtonEuler
from multibody.formalisms.recursive import Recursive
from multibody.formalisms.wittenburg import Wittenburg

__all__ = [
    "ArticulatedBody", "Comparison", "EquationsOfMotion", "Formalism", "Kane", "Lagrange", "Modular",
    "NewtonEuler", "Recursive", "Wittenburg", "compare", "derive",
]  # fmt: skip
