"""PyMbs scripts: ``from multibody.compat.pymbs import *`` in the place of ``from PyMbs.Input import *``.

Example:
    >>> from multibody.compat.pymbs import MbsSystem
    >>> world = MbsSystem([0, 0, -1])
    >>> crab = world.addBody("Crab", mass=world.addParam("mass 1", "m1", 2.0))
    >>> drive = world.addLoad.Joint(world.addInput("F"), world.addJoint("TransCrab", world, crab, "Tx", 1.0))
    >>> world.genEquations.Recursive().acceleration
    (F/m1,)
"""

from multibody.compat.pymbs.complaints import UnsupportedError, UsageError
from multibody.compat.pymbs.frames import Body, Frame
from multibody.compat.pymbs.joints import Joint
from multibody.compat.pymbs.quantities import VarKind
from multibody.compat.pymbs.symbolics import (
    Ex,
    Ey,
    Ez,
    Matrix,
    acos,
    asin,
    atan,
    atan2,
    cos,
    diag,
    exp,
    eye,
    pi,
    rotMat,
    sin,
    sqrt,
    tan,
    transpose,
    zeros,
)
from multibody.compat.pymbs.system import MbsSystem

__all__ = [
    "Body", "Ex", "Ey", "Ez", "Frame", "Joint", "Matrix", "MbsSystem", "UnsupportedError", "UsageError", "VarKind",
    "acos", "asin", "atan", "atan2", "cos", "diag", "exp", "eye", "pi", "rotMat", "sin", "sqrt", "tan", "transpose",
    "zeros",
]  # fmt: skip
