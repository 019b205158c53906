"""The oriented graph of a tree of bodies: steps one to three of Wittenburg's method. No physics.

Equation numbers are those of ``method``, which follows J. Wittenburg, "Dynamics of Systems
of Rigid Bodies" (1977), chapter 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import product
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import Vec3
from multibody.model.kinematics import ZERO3

Integers = NDArray[np.int_]


class OrientedGraph:
    """Bodies 0 … n and hinges 1 … n; the arrow of hinge a leads outward, from body i⁺(a) to body i⁻(a) = a.

    Bodies and hinges are numbered from 1, as in print; the matrices are arrays and start at 0 as all arrays do.

    Args:
        i_plus: for each hinge the body that carries it; carriers come before what they carry.

    Attributes:
        i_plus: i⁺(a), the body that the arrow of hinge a leaves (table 1).
        i_minus: i⁻(a), the body that the arrow of hinge a leads to.
        S0: the row of the incidence matrix that belongs to body 0 (18).
        S: the rows of the other bodies: +1 where the arrow leaves the body, -1 where it arrives (18).
        T: S⁻¹ (19): -1 where hinge a (row) is on the path from body 0 to body i (column), otherwise 0.

    Example:
        >>> graph = OrientedGraph([0, 1, 1])
        >>> print(graph.S)
        [[-1  1  1]
         [ 0 -1  0]
         [ 0  0 -1]]
        >>> print(graph.T)
        [[-1 -1 -1]
         [ 0 -1  0]
         [ 0  0 -1]]
        >>> graph.path(3), graph.outside(1)
        ((1, 3), (2, 3))
    """

    def __init__(self, i_plus: Sequence[int]) -> None:
        self.numbers = range(1, len(i_plus) + 1)
        self.i_plus: dict[int, int] = dict(zip(self.numbers, i_plus, strict=True))
        self.i_minus: dict[int, int] = {a: a for a in self.numbers}
        incidence = np.zeros((len(i_plus) + 1, len(i_plus)), dtype=int)
        for a in self.numbers:
            incidence[self.i_plus[a], a - 1], incidence[self.i_minus[a], a - 1] = 1, -1
        self.S0: Integers = incidence[0]
        self.S: Integers = incidence[1:]
        self.T: Integers = np.rint(np.linalg.inv(self.S)).astype(int)
        self._paths = {i: tuple(a for a in self.numbers if self.T[a - 1, i - 1]) for i in self.numbers}
        self._behind = {a: tuple(i for i in self.numbers if self.T[a - 1, i - 1]) for a in self.numbers}

    def path(self, i: int) -> tuple[int, ...]:
        """The hinges from body 0 to body i, T_ai ≠ 0; by their numbers also the bodies s_j ≤ s_i without body 0."""
        return self._paths[i]

    def behind(self, a: int) -> tuple[int, ...]:
        """The bodies that hinge a carries, T_ai ≠ 0: all s_i with s_a ≤ s_i."""
        return self._behind[a]

    def inside(self, i: int) -> tuple[int, ...]:
        """The bodies between body 0 and body i: all s_j with s_j < s_i."""
        return self._paths[i][:-1]

    def outside(self, i: int) -> tuple[int, ...]:
        """The bodies that body i carries: all s_j with s_i < s_j."""
        return self._behind[i][1:]

    # products with T, whose entries are -1 or 0 ---------------------------------------------------------------------

    def along_paths(self, x: Mapping[int, Vec3]) -> dict[int, Vec3]:
        """-Tᵀ·x: for each body the sum over the hinges that lead to it."""
        return {i: sum((x[a] for a in self.path(i)), ZERO3) for i in self.numbers}

    def carried(self, x: Mapping[int, Vec3]) -> dict[int, Vec3]:
        """-T·x: for each hinge the sum over the bodies that it carries."""
        return {a: sum((x[i] for i in reversed(self.behind(a))), ZERO3) for a in self.numbers}

    def carried_rows(self, matrix: Mapping[tuple[int, int], Any]) -> dict[tuple[int, int], Any]:
        """-T·X for a matrix of scalars, vectors or tensors; what is not in it is zero."""
        result = {}
        for a, j in product(self.numbers, sorted({j for _, j in matrix})):
            terms = [matrix[i, j] for i in reversed(self.behind(a)) if (i, j) in matrix]
            if terms:
                result[a, j] = reduce(add, terms)  # from the tips inward, so that partial sums are shared
        return result
