"""Modelica: one model with flat equations, for any Modelica tool."""

from multibody.export.modelica.flange import Flange
from multibody.export.modelica.target import Modelica

__all__ = ["Flange", "Modelica"]
