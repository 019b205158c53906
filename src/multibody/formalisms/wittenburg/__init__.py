"""Wittenburg's graph method: the graph, its hinges, the tables by name, their motion, and the equations."""

from multibody.formalisms.wittenburg.graph import OrientedGraph
from multibody.formalisms.wittenburg.hinge import Hinge
from multibody.formalisms.wittenburg.method import Wittenburg
from multibody.formalisms.wittenburg.tables import Tables

__all__ = ["Hinge", "OrientedGraph", "Tables", "Wittenburg"]
