"""The right-hand side by address, and the way back onto the constraints. Loaded late: everything here is compiled."""

from __future__ import annotations

from typing import Any

from multibody.compiler.loops.language import call, compiled, copy, doubles, finite, larger, put
from multibody.simulation.kernel.run_record import REGULAR, REGULAR_ABOVE, SINGULAR_BELOW

AIM = 1e-3
"""Gaps that are so much smaller than allowed need one correction more, and no look at what is left."""

ROUNDING = 1e-15
"""Gaps that need no correction."""


@compiled
def place(run: Any, t: float, y: int) -> None:
    """Put a time and a state where the problem's functions read them."""
    doubles(run.bound_t)[0] = t
    copy(y, run.bound_y, run.size)


@compiled
def evaluate(run: Any, t: float, y: int, rate: int) -> None:
    """rate = f(t, y): the function reads and writes in place, or, if it follows a law of Python, in the problem."""
    run.evaluations += 1
    if run.port_rate == 0:
        place(run, t, y)
        call(run.rhs_at, run.rhs_ports, run.rhs_more)
        copy(run.bound_rate, rate, run.size)
    else:
        doubles(run.bound_t)[0] = t
        put(run.port_q, y)
        put(run.port_u, y + 8 * run.coordinates)
        put(run.port_rate, rate)
        call(run.rhs_at, run.rhs_ports, run.rhs_more)


@compiled
def onto_constraints(run: Any, t: float, y: int, most: int) -> int:
    """Newton's method from y, in place: the number of corrections, or -1 if the gaps are too large after all.

    It leaves much less than what is allowed: near singular positions, the effect of what is left of the gaps grows with
    the inverse of the distance from there. Where the constraints are not clearly independent, velocities are corrected
    only after positions: before that, redundant equations contradict each other.
    """
    if run.projection_at == 0:
        return 0
    gaps, worst = doubles(run.bound_gaps), 0.0
    for corrections in range(most):
        place(run, t, y)
        call(run.projection_at, run.projection_ports, run.projection_more)
        worst = larger(gaps[0], gaps[1])
        if worst <= ROUNDING:
            return corrections
        if not finite(run.bound_projected, run.coordinates + run.speeds):
            return -1
        copy(run.bound_projected, y, run.coordinates)
        if gaps[0] <= AIM * run.gap or gaps[2] > REGULAR:
            after = 8 * run.coordinates
            copy(run.bound_projected + after, y + after, run.speeds)
        if worst <= AIM * run.gap:
            return corrections + 1
    return most if worst <= run.gap else -1


@compiled
def choose_equations(run: Any) -> None:
    """Ask for regularized equations where constraints are nearly dependent, and for the original ones elsewhere.

    The smallest pivot is that of the last call of the projection.
    """
    pivot = doubles(run.bound_gaps)[2]
    wanted = run.regularized
    if not pivot >= SINGULAR_BELOW:
        wanted = 1
    elif pivot > REGULAR_ABOVE:
        wanted = 0
    if wanted != run.regularized:
        run.switched = 1
        if run.other_rhs_at != 0:
            exchange_equations(run)


@compiled
def exchange_equations(run: Any) -> None:
    """Exchange the two right-hand sides: the one for regular positions and the regularized one."""
    run.rhs_at, run.other_rhs_at = run.other_rhs_at, run.rhs_at
    run.rhs_ports, run.other_rhs_ports = run.other_rhs_ports, run.rhs_ports
    run.rhs_more, run.other_rhs_more = run.other_rhs_more, run.rhs_more
    run.port_q, run.other_port_q = run.other_port_q, run.port_q
    run.port_u, run.other_port_u = run.other_port_u, run.port_u
    run.port_rate, run.other_port_rate = run.other_port_rate, run.port_rate
    run.regularized = 1 - run.regularized
    run.switched = 0
