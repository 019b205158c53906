"""Controllability and observability, mode by mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.equations.table import Table
from multibody.linear.point import Matrix
from multibody.linear.spectrum import Poles, eigenvalues

NOTHING = 1e-9
"""A singular value so small, relative to the matrices, counts as zero."""


@dataclass(frozen=True, eq=False)
class Reach(Table):
    """How far inputs reach into a system, or states show in its outputs. Printed, it is a table.

    Attributes:
        what: "controllable" or "observable".
        rank: the dimension of what is reached, by repeated multiplication with A of an orthogonal basis (the staircase
            of Paige 1981, without powers of A and their rounding).
        poles: of the system.
        margins: for each pole the smallest singular value of [A - pole·1, B], relative to that of the largest: how far
            the system is from one in which it is not reached (Popov, Belevitch, Hautus; Eising 1984).
    """

    what: str
    rank: int
    poles: Poles
    margins: Matrix

    @property
    def complete(self) -> bool:
        """Whether all of the system is reached."""
        return self.rank == len(self.poles)

    @property
    def missing(self) -> Poles:
        """The poles that are not reached."""
        return self.poles[self.margins < NOTHING]

    def __bool__(self) -> bool:
        return self.complete

    def rows(self) -> list[list[str]]:
        """The table with its head."""
        cells = zip(self.poles, self.margins, strict=True)
        return [["pole", self.what, "margin"], *([f"{p:.6g}", _word(m), f"{m:.3g}"] for p, m in cells)]


def _word(margin: float) -> str:
    return "no" if margin < NOTHING else "yes"


def reach(A: Matrix, B: Matrix, what: str) -> Reach:
    """What the columns of B reach through A."""
    poles = eigenvalues(A)
    scale = float(np.linalg.norm(np.hstack([A, B]), 2)) or 1.0
    unit = np.eye(len(A))
    smallest = [np.linalg.svd(np.hstack([A - p * unit, B]), compute_uv=False)[-1] / scale for p in poles]
    return Reach(what, _rank(A, B), poles, np.array(smallest))


def _rank(A: Matrix, B: Matrix) -> int:
    """The dimension of the smallest space that holds the columns of B and, with every vector x, also A·x."""
    known, new = np.zeros((len(A), 0)), _basis(B, float(np.linalg.norm(B)))
    while new.shape[1]:
        known = np.hstack([known, new])
        moved = A @ new
        for _ in range(2):  # twice is enough
            moved = moved - known @ (known.T @ moved)
        new = _basis(moved, float(np.linalg.norm(A)))
    return known.shape[1]


def _basis(columns: Matrix, scale: float) -> Matrix:
    if not columns.size or not scale:
        return np.zeros((len(columns), 0))
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, sizes > NOTHING * scale]
