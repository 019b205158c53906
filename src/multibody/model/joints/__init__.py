"""Joints, one file each, one contract for all of them."""

from multibody.model.joints.contract import Gauge, JointKind, Lock, Motion, Step
from multibody.model.joints.cylindrical import Cylindrical
from multibody.model.joints.elementary import Elementary
from multibody.model.joints.free import Free
from multibody.model.joints.planar import Planar
from multibody.model.joints.prismatic import Prismatic
from multibody.model.joints.revolute import Revolute
from multibody.model.joints.screw import Screw
from multibody.model.joints.spherical import Spherical
from multibody.model.joints.universal import Universal
from multibody.model.joints.weld import Weld

__all__ = [
    "Cylindrical", "Elementary", "Free", "Gauge", "JointKind", "Lock", "Motion", "Planar", "Prismatic", "Revolute",
    "Screw", "Spherical", "Step", "Universal", "Weld",
]  # fmt: skip
