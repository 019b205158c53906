"""Loops that are solved in closed form: their dependent coordinates are expressions, and no constraint is left."""

from multibody.model.loops.contract import ExplicitLoop
from multibody.model.loops.joints import ExpJoint, Transmission
from multibody.model.loops.leg import Hexapod, HexapodWithOffset
from multibody.model.loops.linkages import CrankSlider, FourBar, FourBarTrans, Steering, ThreeBarTrans
from multibody.model.loops.planar import PlanarLoop
from multibody.model.loops.recognition import recognised
from multibody.model.loops.reduction import reduced

__all__ = [
    "CrankSlider", "ExpJoint", "ExplicitLoop", "FourBar", "FourBarTrans", "Hexapod", "HexapodWithOffset",
    "PlanarLoop", "Steering", "ThreeBarTrans", "Transmission", "recognised", "reduced",
]  # fmt: skip
