"""The contract of all integrators: strategies that move a problem from one time to another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np

from multibody.simulation.contract import Segment, Vector, Watch
from multibody.simulation.problem.problem import Problem

STEPS_PER_RUN = 50
"""Adaptive methods take at least so many steps in a run, unless ``max_step`` is given."""

RELATIVE_GAP = 1e-10
"""How far states may be off the constraints, relative to the size of each equation, unless ``gap`` is given."""


class Integrator(ABC):
    """A way to move a problem through time.

    Attributes:
        ends_at_corners: whether steps end at ``problem.corners``; for all other integrators segments end there.
    """

    ends_at_corners: ClassVar[bool] = False

    def for_run(self, duration: float) -> Integrator:
        """This integrator with what follows from the duration of a whole run, such as the longest step."""
        integrator: Any = self
        if getattr(self, "max_step", np.inf) is None:
            integrator = replace(integrator, max_step=duration / STEPS_PER_RUN)
        return cast("Integrator", integrator)

    def allowed_gap(self, problem: Problem) -> float:
        """How far states may be off the constraints, as the problem measures it from now on."""
        gap: float | None = getattr(self, "gap", None)
        problem.measure_gaps(relative=gap is None)
        return RELATIVE_GAP if gap is None else gap

    @abstractmethod
    def run(self, problem: Problem, t0: float, y0: Vector, times: Vector, step: float, watch: Watch) -> Segment:
        """From (t0, y0) to the last of the times.

        Args:
            problem: what moves.
            t0: where to begin.
            y0: the state there.
            times: where samples are wanted, increasing; the last one is the end.
            step: the size of the first step, 0 to let the integrator choose.
            watch: the events to look for.
        """
