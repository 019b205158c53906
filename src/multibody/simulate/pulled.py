"""Right-hand sides that pull back to the constraints, for solvers with a memory."""

from __future__ import annotations

import numpy as np

from multibody.simulate.contract import Vector
from multibody.simulate.problem import Problem
from multibody.simulate.stepwise import end_with

PULL = 0.03
"""So much of a gap is closed in the longest step."""


class PulledField:
    """The right-hand side as solvers with a memory call it, with a pull towards the constraints.

    A solver that remembers earlier steps cannot be set back onto the constraints after each of them without starting
    anew. But its equation can be changed where the constraints are not kept: ẏ = f(y) + κ·(P(y) - y) with one Newton
    step P towards the constraints. On them nothing is changed, and beside them gaps decay with the rate κ (Ascher, Chin
    and Reich 1994). The rate follows from the longest step h so far, κ = 0.03/h, so that it limits no step.

    Args:
        problem: what moves.
        project: whether there is a pull.
    """

    def __init__(self, problem: Problem, project: bool) -> None:
        self._problem, self._pulled = problem, project and problem.projection is not None
        self._rate, self._longest = 0.0, 0.0
        self.finite = True

    def __call__(self, t: float, y: Vector) -> Vector:
        """ẏ."""
        rate = self._problem.evaluate(t, y)
        end_with(self._problem.failure)
        if self._rate:
            rate += self._rate * (self._problem.project(t, y, 0.0, 1)[0] - y)
        self.finite = self.finite and bool(np.isfinite(rate).all())
        return rate

    def stepped(self, length: float) -> None:
        """Note the length of a step."""
        if self._pulled and length > self._longest:
            self._longest = length
            self._rate = PULL / length
