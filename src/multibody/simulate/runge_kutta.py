"""Explicit Runge–Kutta methods that choose their steps: for everything that is not stiff."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.simulate.coefficients import DORMAND_PRINCE_5, DORMAND_PRINCE_8, Tableau
from multibody.simulate.compiled_run import CompiledIntegrator, Stepping, require_positive


@dataclass(frozen=True, kw_only=True)
class _Adaptive(CompiledIntegrator):
    rtol: float = 1e-8
    atol: float = 1e-10
    max_step: float = np.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(self, "rtol", "atol", "max_step")

    @property
    def stepping(self) -> Stepping:
        """As long as errors allow."""
        return Stepping(rtol=self.rtol, atol=self.atol, max_step=self.max_step)


@dataclass(frozen=True, kw_only=True)
class DormandPrince5(_Adaptive):
    """Order 5 with six evaluations a step, dense output of order 4: for moderate accuracy.

    Args:
        rtol: error of a step relative to each entry of the state.
        atol: error of a step that is always allowed; the error that counts is at most atol + rtol·|y|, in the mean.
        max_step: the longest step.
        max_steps: tries, good or not, after which a segment is given up.
        project: whether the state is brought back onto the constraints after every step.
        gap: how far positions and velocities may be off the constraints, in their own units.
        every_step: samples are the ends of all steps, instead of the given times.
    """

    @property
    def method(self) -> Tableau:
        """Dormand & Prince 1980."""
        return DORMAND_PRINCE_5


@dataclass(frozen=True, kw_only=True)
class DormandPrince8(_Adaptive):
    """Order 8 with twelve evaluations a step, dense output of order 7 with three more: for high accuracy.

    The arguments are those of ``DormandPrince5``.

    Example:
        >>> import multibody as mb
        >>> from multibody.simulate.contract import Watch
        >>> from multibody.simulate.problem import Problem
        >>> spring = mb.System("spring")
        >>> mass = spring.body("mass", mass=1.0)
        >>> slide = spring.joint("x", spring.world, mass, "Tx", q=1.0)
        >>> pull = spring.load(mb.JointSpring(slide, 1.0))
        >>> problem = Problem(mb.derive(spring), [])
        >>> start = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
        >>> half = DormandPrince8().run(problem, 0.0, start, np.array([np.pi]), 0.0, Watch())
        >>> half.status.name, bool(abs(half.last_y[0] + 1) < 1e-8)
        ('DONE', True)
    """

    @property
    def method(self) -> Tableau:
        """DOP853 of Hairer, Nørsett & Wanner 1993."""
        return DORMAND_PRINCE_8
