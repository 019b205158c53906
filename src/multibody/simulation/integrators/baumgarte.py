"""Baumgarte stabilization: terms in the equations of motion, and a pull for solvers with a memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from multibody.equations import Constraints, EquationsOfMotion, Multipliers
from multibody.errors import NumberError
from multibody.graph import Expr
from multibody.simulation.contract import Vector
from multibody.simulation.integrators.library_solver import end_with
from multibody.simulation.problem.argument_checks import check_simulate_arguments
from multibody.simulation.problem.problem import Problem

BAUMGARTE_GAIN_PER_STEP = 0.03
"""The share of a constraint error that is removed in the longest step."""


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
            self._rate = BAUMGARTE_GAIN_PER_STEP / length


def baumgarte(eom: EquationsOfMotion, alpha: float, beta: float) -> EquationsOfMotion:
    """Equations whose motion returns to the constraints by itself: φ̈ + 2α·φ̇ + β²·φ = 0 instead of φ̈ = 0.

    Baumgarte, Computer Methods in Applied Mechanics and Engineering 1 (1972). Constraints that restrict velocities
    alone follow v̇ + 2α·v = 0. With α = β errors die out fastest, about like exp(-α·t); the steps of an explicit method
    must stay well below 1/α. Gaps remain of the size of the errors of the steps divided by α and β: projection, which
    ``simulate`` does by default, is more accurate. Forces and accelerations contain the correction.

    To see its effect alone, turn the projection off: ``simulate(baumgarte(eom, 20, 20), …,
    integrator=DormandPrince8(project=False))``.

    Args:
        eom: equations of motion.
        alpha: damping, in 1/s.
        beta: stiffness, in 1/s.

    Example:
        >>> import multibody as mb
        >>> system = mb.System("pendulum", gravity=(0, -9.81, 0))
        >>> bob = system.body("bob", mass=1.0)
        >>> place = system.joint("place", system.world, bob, ["Tx", "Ty"], q=(1.0, 0.0))
        >>> rod = system.constraint(mb.DistanceConstraint(system.world, bob, 1.0))
        >>> eom = baumgarte(mb.derive(system), 10.0, 10.0)
        >>> [float(x) for x in eom.forward_dynamics(0.0, (1.0, 0.0), (0.0, 2.0), (), ()).round(6)]
        [-4.0, -9.81]
        >>> bool(eom.forward_dynamics(0.0, (1.01, 0.0), (0.0, 2.0), (), ())[0] < -4.9)  # pulled back
        True
    """
    check_simulate_arguments("baumgarte", eom)
    if not (alpha > 0 and beta >= 0):
        raise NumberError(
            f"alpha = {alpha} and beta = {beta} do not stabilise anything.",
            code="baumgarte-rates-invalid",
            alpha=alpha,
            beta=beta,
            where="baumgarte",
            remedy="Give alpha > 0 and beta >= 0; alpha = beta is critical damping.",
        )
    found = Multipliers().solve(eom.M, list(eom.h - eom.f), _returning(eom.constraints, alpha, beta))
    return replace(eom, acceleration=found.acceleration, multiplier_values=found.multipliers, independent=())


def _returning(constraints: Constraints, alpha: float, beta: float) -> Constraints:
    """The same constraints with γ + 2α·(B·u + β) + β²·φ in place of γ."""

    def gamma(row: int) -> Expr:
        position, velocity = constraints.equations[row].position, constraints.velocity[row]
        total: Expr = constraints.gamma[row] + 2 * alpha * velocity
        return total if position is None else total + beta**2 * position

    return constraints.with_drift([gamma(row) for row in range(len(constraints))])
