"""Straight-line programs from expression graphs, for the compiler and for all export targets.

A graph passes through the modules in this order: ``schedule`` puts operations in order and computes each value once,
``hoist`` moves work on parameters alone to a stage of its own, ``fuse`` joins operations, ``split`` cuts long programs
into pieces. A back end takes the steps that it needs.
"""

from multibody.lowering.fuse import fuse
from multibody.lowering.hoist import Stages, hoist
from multibody.lowering.program import COMMUTATIVE, SAME, Operation, StraightLineProgram
from multibody.lowering.schedule import by_creation, canonical, schedule, with_near_operands
from multibody.lowering.split import split, workspace
from multibody.lowering.translation import translate

__all__ = [
    "COMMUTATIVE", "SAME", "Operation", "Stages", "StraightLineProgram", "by_creation", "canonical", "fuse", "hoist",
    "schedule", "split", "translate", "with_near_operands", "workspace",
]  # fmt: skip
