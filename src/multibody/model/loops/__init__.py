"""Loops that are solved in closed form: their dependent coordinates are expressions, and no constraint is left."""

from multibody.model.loops.contract import ExplicitLoop
from multibody.model.loops.joints import ExpJoint, Transmission
from multibody.model.loops.reduction import reduced

__all__ = ["ExpJoint", "ExplicitLoop", "Transmission", "reduced"]
