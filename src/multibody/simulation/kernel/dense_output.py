"""States within a step: a polynomial through both ends.

y(θ) = y₀ + θ·(F₀ + (1-θ)·(F₁ + θ·(F₂ + (1-θ)·(F₃ + …)))) for θ from 0 to 1. F₀ to F₂ make the cubic that fits states
and rates at both ends; rows after that, made of the rates of stages, raise the order (Hairer, Nørsett & Wanner 1993,
II.6 and the code CONTD8). Loaded late: everything here is compiled.
"""

from __future__ import annotations

from typing import Any

from multibody.compiler.loops.language import compiled, copy, doubles, row, smaller, weighted
from multibody.simulation.integrators.butcher_tableaus import ROSENBROCK
from multibody.simulation.kernel.evaluation import onto_constraints
from multibody.simulation.kernel.trial_steps import stage

TOUCHES = 2
"""Newton steps that bring a state within a step onto the constraints."""


@compiled
def prepare(run: Any) -> None:
    """Fill the rows of F, once for each step; some methods evaluate a few more stages for it."""
    if run.dense:
        return
    run.dense = 1
    for k in range(run.stages + 1, run.rows):
        stage(run, k)
    if run.kind == ROSENBROCK:
        own_rows(run)
        return
    fit_ends(run)
    refine_rows(run)
    for k in range(run.refinements):
        F = doubles(row(run.F, 3 + k, run.width))
        for i in range(run.size):
            F[i] *= run.h


@compiled
def fit_ends(run: Any) -> None:
    """The cubic."""
    y, new, size = doubles(run.y), doubles(run.new), run.size
    rate, later = doubles(run.K), doubles(row(run.K, run.stages, run.width))
    F0, F1, F2 = doubles(run.F), doubles(row(run.F, 1, run.width)), doubles(row(run.F, 2, run.width))
    for i in range(size):
        F0[i] = new[i] - y[i]
        F1[i] = run.h * rate[i] - F0[i]
        F2[i] = F0[i] - run.h * later[i] - F1[i]


@compiled
def own_rows(run: Any) -> None:
    """The rows of an implicit method: rates at the ends, which may be large where motions die out, take no part."""
    y, new, F0 = doubles(run.y), doubles(run.new), doubles(run.F)
    for k in range(1, run.refinements + 3):
        weighted(run, row(run.D, k - 1, run.rows), run.stages, row(run.F, k, run.width))
        F = doubles(row(run.F, k, run.width))
        for i in range(run.size):
            F[i] *= run.h
    for i in range(run.size):
        F0[i] = new[i] - y[i]


@compiled
def refine_rows(run: Any) -> None:
    """F_3+k / h = Σ_j d_kj·K_j."""
    for k in range(run.refinements):
        weighted(run, row(run.D, k, run.rows), run.rows, row(run.F, 3 + k, run.width))


@compiled
def interpolate(run: Any, theta: float, result: int) -> None:
    """y(θ)."""
    y, value, last = doubles(run.y), doubles(result), 2 + run.refinements
    copy(row(run.F, last, run.width), result, run.size)
    for k in range(last - 1, -1, -1):
        F, factor = doubles(row(run.F, k, run.width)), (1.0 - theta if k % 2 == 0 else theta)
        for i in range(run.size):
            value[i] = F[i] + factor * value[i]
    for i in range(run.size):
        value[i] = y[i] + theta * value[i]


@compiled
def state_within(run: Any, theta: float, result: int) -> None:
    """y(θ), brought onto the constraints."""
    interpolate(run, theta, result)
    onto_constraints(run, run.t + theta * run.h, result, TOUCHES)


@compiled
def time_within(run: Any, theta: float) -> float:
    """When θ is."""
    return run.next if theta >= 1.0 else smaller(run.t + theta * run.h, run.next)
