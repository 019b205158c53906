"""Several runs side by side in memory, as compiled loops and Python share it."""

from __future__ import annotations

import ctypes

LANES = 8
"""Runs that move together: one register of the widest machines, two of others, which then work while others wait."""

WORKING, FINISHED = range(2)
"""What the loop answers: whether it wants to be called again."""

UNFINISHED, ARRIVED, GIVEN_UP = range(3)
"""How runs ended. One that was given up is for a loop that knows more ways to go on."""

IDLE = -1.0

LARGEST_SCALE, LARGEST_RATE, RTOL, OWN_RTOL, COMMON, NO_RTOL = range(6)
"""Registers for tolerances: the largest scale and rate of a kind, rtol, its share for floors, the floor of the kind.

The last one is zero: tolerances of works do not follow their own values.
"""

_INTEGERS = """
    bound_t bound_y bound_r bound_p bound_rate bound_projected bound_gaps
    rhs_at rhs_ports rhs_more projection_at projection_ports projection_more
    rhs_prepare_at projection_prepare_at
    bound_slopes jacobian_at jacobian_ports jacobian_more jacobian_prepare_at timed
    kind stages rows order c A E estimates D refinements C d
    size width coordinates speeds works inputs parameters max_steps switchable
    y new K F
    doing fresh t next h step error last_error rejected_last accepted lost open worst
    theta rest due tries samples rejected_error rejected_h groups
    floors scales noises matrix pivots drift
    corner_t corners corner
    runs taken starts all_r all_p wanted sample_t sample_y ends codes steps rejected
    code evaluations
""".split()
_NUMBERS = "beta gamma rtol atol fixed max_step gap start end".split()


class LaneRun(ctypes.Structure):
    """The memory of all lanes; every array has its lanes side by side, those of runs have a row for each run.

    Integers are counts and addresses. Line by line above: the problem's arrays and functions; the Jacobian of implicit
    methods, and whether rates depend on time; the method (see ``butcher_tableaus``); sizes and limits; both ends of a
    step, the rates of its stages and the rows of its dense output; the state of each lane; what errors are measured
    with (see ``error_floors``), and the linear equations of implicit methods; times at which steps must end, and the
    next of them for each lane; the runs, what they start with and what came out.
    """

    _fields_ = [(name, ctypes.c_int64) for name in _INTEGERS] + [(name, ctypes.c_double) for name in _NUMBERS]
