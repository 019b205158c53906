"""One step forward, by each kind of method. The rate at the beginning of the step is known: row 0 of K.

Loaded late: everything here is compiled.
"""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import compiled, copy, doubles, larger, row, weighted
from multibody.simulation.integrators.butcher_tableaus import LEAPFROG, ROSENBROCK, SEMI_IMPLICIT
from multibody.simulation.kernel.evaluation import evaluate
from multibody.simulation.kernel.rosenbrock_steps import rosenbrock
from multibody.simulation.kernel.run_record import ACCEPTED, SOLVER_FAILED

MOST_ITERATIONS = 50


@compiled
def trial(run: Any) -> int:
    """From y to new."""
    if run.kind == SEMI_IMPLICIT:
        return semi_implicit_euler(run)
    if run.kind == LEAPFROG:
        return leapfrog(run)
    if run.kind == ROSENBROCK:
        return rosenbrock(run)
    return explicit(run)


@compiled
def explicit(run: Any) -> int:
    """Runge–Kutta; the rates of the stages are K_k = f(t + c_k·h, y + h·Σ_j a_kj·K_j)."""
    for k in range(1, run.stages):
        stage(run, k)
    combine(run, run.stages, run.new)
    return ACCEPTED


@compiled
def stage(run: Any, k: int) -> None:
    """Rate k from those before it."""
    combine(run, k, run.point)
    evaluate(run, run.t + doubles(run.c)[k] * run.h, run.point, row(run.K, k, run.width))


@compiled
def combine(run: Any, k: int, result: int) -> None:
    """y + h·Σ_j a_kj·K_j; the small sum first, because it has more digits than y."""
    y, total = doubles(run.y), doubles(result)
    weighted(run, row(run.A, k, run.rows), k, result)
    for i in range(run.width):
        total[i] = y[i] + run.h * total[i]


@compiled
def semi_implicit_euler(run: Any) -> int:
    """u₁ = u₀ + h·u̇(q₀, u₀), then q₁ = q₀ + h·q̇(q₀, u₁)."""
    y, new, rate, later = doubles(run.y), doubles(run.new), doubles(run.K), doubles(row(run.K, 1, run.width))
    copy(run.y, run.new, run.coordinates)
    for i in range(run.coordinates, run.size):
        new[i] = y[i] + run.h * rate[i]
    velocities(run, run.t)
    for i in range(run.coordinates):
        new[i] = y[i] + run.h * later[i]
    return ACCEPTED


@compiled
def velocities(run: Any, t: float) -> None:
    """q̇ at new, in row 1 of K; where speeds are the rates of coordinates there is nothing to evaluate."""
    if run.plain:
        copy(run.new + 8 * run.coordinates, row(run.K, 1, run.width), run.coordinates)
    else:
        evaluate(run, t, run.new, row(run.K, 1, run.width))


@compiled
def leapfrog(run: Any) -> int:
    """Störmer–Verlet, in its form for rates that depend on everything: each half step is the mirror of the other.

    u½ = u₀ + h/2·u̇(q₀, u₀);  q₁ = q₀ + h/2·(q̇(q₀, u½) + q̇(q₁, u½));  u₁ = u½ + h/2·u̇(q₁, u₁)
    (Hairer, Lubich & Wanner 2006, VI.3 (3.4)), the implicit ones by iteration. The rate at the end is left in row 1.
    """
    y, new, middle, half = doubles(run.y), doubles(run.new), doubles(run.point), 0.5 * run.h
    rate, later = doubles(run.K), doubles(row(run.K, 1, run.width))
    first, last = run.coordinates, run.coordinates + run.speeds
    copy(run.y, run.new, run.size)
    for i in range(first, last):
        middle[i] = new[i] = y[i] + half * rate[i]
    velocities(run, run.t)
    for i in range(first):
        middle[i] = y[i] + half * later[i]
        new[i] = middle[i] + half * later[i]
    if not run.plain and not mirrored(run, 0, first):
        return SOLVER_FAILED
    for i in range(first, last):
        new[i] = middle[i] + half * rate[i]
    if not mirrored(run, first, last):
        return SOLVER_FAILED
    for i in range(last, run.size):
        new[i] = y[i] + half * (rate[i] + later[i])
    return ACCEPTED


@compiled
def mirrored(run: Any, first: int, last: int) -> bool:
    """Solve new = middle + h/2·rate(new) for the entries from first to last; False if it does not converge."""
    new, middle, half = doubles(run.new), doubles(run.point), 0.5 * run.h
    rate = doubles(row(run.K, 1, run.width))
    change, size = 0.0, 0.0
    for _ in range(MOST_ITERATIONS):
        evaluate(run, run.next, run.new, row(run.K, 1, run.width))
        change, size = 0.0, 0.0
        for i in range(first, last):
            change = larger(change, abs(middle[i] + half * rate[i] - new[i]))
            size = larger(size, abs(middle[i]) + abs(half * rate[i]))
        if change <= 1e-15 * size:
            return True
        for i in range(first, last):
            new[i] = middle[i] + half * rate[i]
    return change <= 1e-12 * size or not change < math.inf  # what is not finite is found in the rate
