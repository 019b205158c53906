"""Stability of steps of fixed length: the linearized motion must not grow from step to step where it should not.

A method maps a state of the linear system ẏ = J·y to G·y after a step. Where the spectral radius of G is larger than
that of the exact solution, exp(h·J), and larger than 1, the error grows without bound, whatever the true motion does.
"""

from __future__ import annotations

import numpy as np

from multibody.simulation.contract import Vector
from multibody.simulation.integrators.butcher_tableaus import LEAPFROG, SEMI_IMPLICIT, Tableau
from multibody.simulation.integrators.stiffness import slopes
from multibody.simulation.problem.problem import Problem

GROWTH_PER_STEP = 1e-4
"""Growth of the logarithm in a step that differences and rounding may cause."""

GROWTH = 7.0
"""Growth of the logarithm in a run that matters: a factor of 1000."""

FEWEST_STEPS = 100
"""Growth is judged over this number of steps at least, also in shorter runs."""

BISECTIONS = 30
"""Halvings of the step in the search for the stability limit."""


def amplification(method: Tableau, J: Vector, n: int, h: float) -> Vector:
    """G: what a step of length h does to a state (q, u) of ẏ = J·y.

    Args:
        method: how a step is made.
        J: ∂(q̇, u̇)/∂(q, u).
        n: number of coordinates.
        h: length of the step.
    """
    one = np.eye(len(J))
    if method.kind == SEMI_IMPLICIT:
        kick, drift = one.copy(), one.copy()
        kick[n:] += h * J[n:]
        drift[:n] += h * J[:n]
        return drift @ kick
    if method.kind == LEAPFROG:
        return _mirrored_steps(J, n, 0.5 * h)
    rates: list[Vector] = []
    for k in range(method.stages):
        rates.append(J @ (one + h * sum((a * rate for a, rate in zip(method.A[k], rates, strict=False)), 0 * one)))
    return one + h * sum((a * rate for a, rate in zip(method.A[method.stages], rates, strict=False)), 0 * one)


def _mirrored_steps(J: Vector, n: int, half: float) -> Vector:
    """Störmer–Verlet, see ``trial_steps.leapfrog``: half a step explicit, the other half its mirror."""
    one = np.eye(len(J))
    kick, drift, drifted, kicked = (one.copy() for _ in range(4))
    kick[n:] += half * J[n:]  # u½ from (q₀, u₀)
    drift[:n] += half * J[:n]  # half of q₁ - q₀ from (q₀, u½)
    drifted[:n] -= half * J[:n]  # the other half from (q₁, u½)
    kicked[n:] -= half * J[n:]  # u₁ from (q₁, u₁)
    return np.asarray(np.linalg.solve(kicked, np.linalg.solve(drifted, drift @ kick)))


def excess_growth(method: Tableau, J: Vector, n: int, h: float) -> float:
    """Growth of the logarithm in a step beyond that of the true motion; 0 if there is none, or J is not finite."""
    if not np.isfinite(J).all() or not len(J):
        return 0.0
    with np.errstate(all="ignore"):
        try:
            radius = np.abs(np.linalg.eigvals(amplification(method, J, n, h))).max()
        except np.linalg.LinAlgError:
            return 0.0
    true = h * max(0.0, float(np.linalg.eigvals(J).real.max()))
    return max(0.0, float(np.log(max(radius, 1e-300))) - true)


def is_unstable(method: Tableau, J: Vector, n: int, h: float, steps: float) -> bool:
    """Whether a motion grows by orders of magnitude within so many steps, and the true one does not."""
    excess = excess_growth(method, J, n, h)
    return excess > GROWTH_PER_STEP and excess * max(steps, FEWEST_STEPS) > GROWTH


def instability(method: Tableau, problem: Problem, t: float, y: Vector, h: float, steps: float) -> str:
    """Why a step of fixed length is too long at a state; empty if it is not."""
    failure = problem.failure
    J = slopes(problem, t, y)
    problem.failure = failure  # a function of the user that cannot be evaluated beside the motion
    if not is_unstable(method, J, problem.n, h, steps):
        return ""
    low, high = 0.0, h
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        stable = not is_unstable(method, J, problem.n, middle, steps * h / middle)
        low, high = (middle, high) if stable else (low, middle)
    fastest = np.abs(np.linalg.eigvals(J)).max()
    limit = f"the limit is {low:.3g} s" if low > 1e-3 * h else "no step near it is stable"
    return (
        f"the step of {h:.6g} s is beyond the stability limit of the method; the fastest mode has {fastest:.3g} rad/s, "
        f"{limit}"
    )
