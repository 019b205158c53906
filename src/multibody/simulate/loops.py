"""What all compiled loops are made of: a run's memory, the right-hand side by address, the way back onto constraints.

Everything marked ``compiled`` is machine code by the time it runs. All of it works on one record, the run, which holds
numbers and the addresses of arrays: what would be a structure in C. The interpreter lock is released meanwhile: threads
may run at once, each with a problem of its own. A right-hand side that calls Python back must take the lock itself, as
every callback made by ``ctypes`` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from multibody.simulate.native import call

Compiled = TypeVar("Compiled", bound=Callable[..., Any])

PAUSED, DONE, EVENT, STEP_TOO_SMALL, NOT_FINITE, TOO_MANY_STEPS, CONSTRAINTS_LOST, SOLVER_FAILED, ACCEPTED = range(9)
"""What loops answer."""

EPSILON = float(np.finfo(float).eps)

_INTEGERS = """
    bound_t bound_y bound_rate bound_projected bound_gaps bound_signals
    rhs_at rhs_ports rhs_more projection_at projection_ports projection_more events_at events_ports events_more
    kind stages rows order c A E estimates D refinements
    size coordinates speeds plain max_steps
    y new point K F
    events directions stops sides thetas probes roots
    every_step wanted sample_t sample_y room hit_event hit_t hit_y
    code begun dense samples hits steps rejected rejected_last stiff evaluations
""".split()
_NUMBERS = "beta stability end rtol atol fixed max_step gap tolerance start t next h step error".split()

RUN = np.dtype([(name, "i8") for name in _INTEGERS] + [(name, "f8") for name in _NUMBERS])
"""A run in memory. Integers are counts, flags and addresses, line by line: the problem's arrays and functions; the method
(see ``coefficients``); sizes and limits; the states at both ends of a step, room for another one, the rates of the stages
and the rows of the dense output; what to watch, and probes of it; where samples and events go; how far it has come."""


def compiled(function: Compiled) -> Compiled:
    """A function to be called by compiled functions."""
    return njit(nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]


@intrinsic
def doubles(typing_context: Any, address: Any) -> Any:
    """The doubles at an address, to be read and written by index."""
    signature = types.CPointer(types.float64)(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.DoubleType().as_pointer())

    return signature, generate


@compiled
def row(matrix: int, k: int, columns: int) -> int:
    """The address of row k."""
    return matrix + 8 * k * columns


@compiled
def copy(source: int, target: int, count: int) -> None:
    """Target = source."""
    a, b = doubles(source), doubles(target)
    for i in range(count):
        b[i] = a[i]


@compiled
def finite(address: int, count: int) -> bool:
    """Whether there is no NaN and no infinity among the values."""
    values = doubles(address)
    total = 0.0
    for i in range(count):
        total += 0.0 * values[i]
    return total == 0.0


@compiled
def place(run: Any, t: float, y: int) -> None:
    """Put a time and a state where the problem's functions read them."""
    doubles(run.bound_t)[0] = t
    copy(y, run.bound_y, run.size)


@compiled
def evaluate(run: Any, t: float, y: int, rate: int) -> None:
    """rate = f(t, y)."""
    place(run, t, y)
    call(run.rhs_at, run.rhs_ports, run.rhs_more)
    copy(run.bound_rate, rate, run.size)
    run.evaluations += 1


@compiled
def onto_constraints(run: Any, t: float, y: int, most: int) -> int:
    """Newton's method from y, in place, until no gap is too large: the number of corrections, or -1 if it fails."""
    if run.projection_at == 0:
        return 0
    gaps, count = doubles(run.bound_gaps), run.coordinates + run.speeds
    for corrections in range(most + 1):
        place(run, t, y)
        call(run.projection_at, run.projection_ports, run.projection_more)
        if gaps[0] <= run.gap and gaps[1] <= run.gap:
            return corrections
        if corrections == most or not finite(run.bound_projected, count):
            return -1
        copy(run.bound_projected, y, count)
    return -1
