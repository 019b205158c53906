"""Modelica: one model with flat equations, for any Modelica tool."""

from multibody.codegen.targets.modelica.flange import Flange
from multibody.codegen.targets.modelica.target import Modelica

__all__ = ["Flange", "Modelica"]
