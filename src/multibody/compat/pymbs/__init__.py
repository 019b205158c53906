"""PyMbs scripts: ``from multibody.compat.pymbs import *`` in the place of ``from PyMbs.Input import *``.

Whatever a script imports from another part of PyMbs, such as ``PyMbs.Symbolics``, comes from here, too.

Example:
    >>> from multibody.compat.pymbs import MbsSystem
    >>> world = MbsSystem([0, 0, -1])
    >>> crab = world.addBody("Crab", mass=world.addParam("mass 1", "m1", 2.0))
    >>> drive = world.addLoad.Joint(world.addInput("F"), world.addJoint("TransCrab", world, crab, "Tx", 1.0))
    >>> world.genEquations.Recursive().acceleration
    (F/m1,)
"""

from multibody.compat.pymbs.frames import PymbsBody as Body, PymbsFrame as Frame
from multibody.compat.pymbs.joints import PymbsJoint as Joint
from multibody.compat.pymbs.quantities import VarKind
from multibody.compat.pymbs.refusals import UnsupportedError, UsageError
from multibody.compat.pymbs.symbolics import (
    Equal,
    Ex,
    Ey,
    Ez,
    Greater,
    If,
    Less,
    Matrix,
    acos,
    asin,
    atan,
    atan2,
    cos,
    der,
    diag,
    exp,
    eye,
    inv,
    norm,
    outer,
    pi,
    rot_mat,
    rotMat,
    sign,
    sin,
    skew,
    solve,
    sqrt,
    symmetric_matrix,
    tan,
    transpose,
    zeros,
)
from multibody.compat.pymbs.system import MbsSystem, genCode, genEquations, genMatlabAnimation, genSarturisXml, show

__all__ = [
    "Body", "Equal", "Ex", "Ey", "Ez", "Frame", "Greater", "If", "Joint", "Less", "Matrix", "MbsSystem",
    "UnsupportedError", "UsageError", "VarKind", "acos", "asin", "atan", "atan2", "cos", "der", "diag", "exp", "eye",
    "genCode", "genEquations", "genMatlabAnimation", "genSarturisXml", "inv", "norm", "outer", "pi", "rotMat",
    "rot_mat", "show", "sign", "sin", "skew", "solve", "sqrt", "symmetric_matrix", "tan", "transpose", "zeros",
]  # fmt: skip
