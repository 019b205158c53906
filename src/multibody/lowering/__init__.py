"""Straight-line programs from expression graphs, for the compiler and for all export targets.

A graph passes through these functions in this order: ``schedule`` orders operations and computes each value once,
``hoist`` moves work on parameters alone to a stage of its own, ``fuse`` joins operations, ``split`` cuts long programs
into pieces. A back end takes the steps that it needs.
"""

from multibody.lowering.fuse import fuse
from multibody.lowering.program import COMMUTATIVE, SAME, Operation, StraightLineProgram, split, translate, workspace
from multibody.lowering.schedule import Stages, by_creation, canonical, hoist, schedule, with_near_operands

__all__ = [
    "COMMUTATIVE", "SAME", "Operation", "Stages", "StraightLineProgram", "by_creation", "canonical", "fuse", "hoist",
    "schedule", "split", "translate", "with_near_operands", "workspace",
]  # fmt: skip
