"""Formalisms, one file each: strategies that turn a model into equations of motion."""

from __future__ import annotations

from multibody.equations import EquationsOfMotion
from multibody.formalisms.articulated_body import ArticulatedBody
from multibody.formalisms.choice import derive
from multibody.formalisms.contract import Formalism
from multibody.formalisms.recursive import Recursive

__all__ = ["ArticulatedBody", "EquationsOfMotion", "Formalism", "Recursive", "derive"]
