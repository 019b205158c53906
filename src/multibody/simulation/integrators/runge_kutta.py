"""Explicit Runge–Kutta methods that choose their steps: for everything that is not stiff."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.simulation.integrators.butcher_tableaus import DORMAND_PRINCE_5, DORMAND_PRINCE_8, Tableau
from multibody.simulation.integrators.compiled_integrator import CompiledIntegrator, Stepping, require_positive


@dataclass(frozen=True, kw_only=True)
class Adaptive(CompiledIntegrator):
    """What methods that choose their steps share."""

    rtol: float = 1e-8
    atol: float | None = None
    max_step: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in ("atol", "max_step") if getattr(self, name) is not None]
        require_positive(self, "rtol", *given)

    @property
    def stepping(self) -> Stepping:
        """As long as errors allow."""
        longest = np.inf if self.max_step is None else self.max_step
        return Stepping(rtol=self.rtol, atol=self.atol or 0.0, max_step=longest)


@dataclass(frozen=True, kw_only=True)
class DormandPrince5(Adaptive):
    """Order 5 with six evaluations a step, dense output of order 4: for moderate accuracy.

    Steps are as long as the tolerances allow, and do not depend on where samples are wanted.

    Args:
        rtol: error of a step relative to each entry of the state.
        atol: error of a step that is always allowed; the error that counts is at most atol + rtol·|y|, in the mean. By
            default it follows the scale of each coordinate and speed: 0.01·rtol times its largest value so far, not
            less than rounding errors of the others, and at most 1e-10.
        max_step: the longest step; by default 1/50 of the duration of a run.
        max_steps: tries, good or not, after which the run is given up; counted anew after each event that changes
            something, and after each sample of a controller.
        project: whether the state is brought back onto the constraints after every step.
        gap: how far positions and velocities may be off the constraints, in their own units; by default 1e-10 of the
            size of each constraint equation.
        every_step: samples are the ends of all steps, instead of the given times.
    """

    @property
    def method(self) -> Tableau:
        """Dormand & Prince 1980."""
        return DORMAND_PRINCE_5


@dataclass(frozen=True, kw_only=True)
class DormandPrince8(Adaptive):
    """Order 8 with twelve evaluations a step, dense output of order 7 with three more: for high accuracy.

    The default for equations that are not stiff. The arguments are those of ``DormandPrince5``.

    Example:
        >>> import multibody as mb
        >>> spring = mb.System("spring")
        >>> slide = spring.joint("x", spring.world, spring.body("mass", mass=1.0), "Tx", q=1.0)
        >>> pull = spring.load(mb.JointSpring(slide, 1.0))
        >>> run = mb.simulate(mb.derive(spring), duration=np.pi, integrator=mb.DormandPrince8(rtol=1e-12, atol=1e-12))
        >>> run.status.name, bool(abs(run["x"][-1] + 1) < 1e-10)
        ('DONE', True)
    """

    @property
    def method(self) -> Tableau:
        """DOP853 of Hairer, Nørsett & Wanner 1993."""
        return DORMAND_PRINCE_8
