"""Methods with steps of one length: for real time, for comparison, and for energies that stay over long times."""

from __future__ import annotations

from dataclasses import dataclass, field

from multibody.simulation.integrators.butcher_tableaus import CLASSICAL, SEMI_IMPLICIT_EULER, STOERMER_VERLET, Tableau
from multibody.simulation.integrators.compiled_integrator import CompiledIntegrator, Stepping, require_positive


@dataclass(frozen=True)
class _FixedStep(CompiledIntegrator):
    step: float = 1e-3
    max_steps: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(self, "step")

    @property
    def stepping(self) -> Stepping:
        """All the same; the last one comes to the end."""
        return Stepping(step=self.step)


@dataclass(frozen=True)
class RungeKutta4(_FixedStep):
    """The classical method of order 4 with four evaluations a step; states between steps by cubics.

    Args:
        step: the length of all steps, in seconds; the last one of a segment may be shorter.
        max_steps: steps after which the run is given up, counted anew after each event that changes something, and
            after each sample of a controller; by default there is no limit, because their number is known in advance.
        project: whether the state is brought back onto the constraints after every step.
        gap: how far positions and velocities may be off the constraints, in their own units; by default 1e-10 of the
            size of each constraint equation.
        every_step: samples are the ends of all steps, instead of the given times.

    Example:
        >>> import math
        >>> import multibody as mb
        >>> spring = mb.System("spring")
        >>> slide = spring.joint("x", spring.world, spring.body("mass", mass=1.0), "Tx", q=1.0)
        >>> pull = spring.load(mb.JointSpring(slide, 1.0))
        >>> run = mb.simulate(mb.derive(spring), duration=math.pi, integrator=mb.RungeKutta4(step=0.01))
        >>> run.statistics.steps, bool(abs(run["x"][-1] + 1) < 1e-9)
        (315, True)
    """

    @property
    def method(self) -> Tableau:
        """Kutta 1901."""
        return CLASSICAL


@dataclass(frozen=True)
class SemiImplicitEuler(_FixedStep):
    """Order 1: new speeds from old positions, new positions from new speeds. The method of games and of real time.

    With a constant mass matrix and forces that depend on positions alone it is symplectic: the energy is off by an
    amount in proportion to the step, and stays so. The arguments are those of ``RungeKutta4``.
    """

    @property
    def method(self) -> Tableau:
        """Also called symplectic Euler."""
        return SEMI_IMPLICIT_EULER


@dataclass(frozen=True)
class Symplectic(_FixedStep):
    """Störmer–Verlet, order 2: the energy of a system without damping stays near its value for very long times.

    With a constant mass matrix and forces that depend on positions alone this is the leapfrog method, symplectic, with
    two evaluations a step. With anything else it is its symmetric generalisation, with one or two evaluations more: a
    system whose motion can run backwards then keeps its energy as well, to the square of the step. There is no such
    promise where energy is not conserved anyway (dampers, inputs), nor where steps are cut at events, nor where
    constraints call for corrections; then this is a method of order 2 like others, and adaptive methods do better.

    The arguments are those of ``RungeKutta4``. A step that is too long for strong damping ends with
    ``Status.SOLVER_FAILED``.
    """

    @property
    def method(self) -> Tableau:
        """Störmer 1907, Verlet 1967; Hairer, Lubich & Wanner 2006, I.1.4."""
        return STOERMER_VERLET
