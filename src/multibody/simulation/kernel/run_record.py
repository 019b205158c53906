"""A run in memory, as compiled loops and Python share it."""

from __future__ import annotations

import ctypes

PAUSED, DONE, EVENT, STEP_TOO_SMALL, NOT_FINITE, TOO_MANY_STEPS, CONSTRAINTS_LOST, SOLVER_FAILED = range(8)
DIVERGED, EVENTS_ACCUMULATE, SINGULAR, ACCEPTED = range(8, 12)
"""What the loop answers; the last one only to itself."""

PAUSE = 1000
"""Steps after which the loop returns, to be called again: rows are carried away, and interruptions are noticed."""

PROBES = 96
"""Memory for the probes of signals in an interval of a step, and for the events of a step."""

NODES, FITTED, CHECKS = 9, 5, 4
"""Probes of signals in an interval of a step: every other one makes a polynomial, the rest check it."""

QUIET = 2.0
"""Marks the sides of events that have just happened."""

CORRECTIONS = 8
"""Newton steps onto the constraints, at most; also between the steps of solvers of libraries."""

LARGEST_SHARE, LARGEST_UNESTIMATED = 1e-2, 5e-2
"""The share of the largest speed by which speeds may be corrected; then that for methods without error estimates."""

ABSURD = 1e100
"""No coordinate, speed or work has such a value, in whatever unit."""

LEAST_ERROR = 1e-4
"""Smaller errors of a step do not make the step after the next one longer."""

REGULAR = 1e-4
"""Smallest relative pivot of constraints that are clearly independent: velocities need not wait for positions."""

SINGULAR_BELOW, REGULAR_ABOVE = 1e-2, 2e-2
"""Smallest relative pivots for which equations are regularized from now on, and from which on they need not be."""

LARGEST_FLOOR = 1e-10
"""The largest absolute tolerance that follows the scale of an entry; also of works, and where nothing moves."""

OWN_SHARE, GROUP_SHARE = 0.01, 1e-6
"""Absolute tolerances relative to rtol times the scale of an entry, and to rtol times the largest scale of its kind."""

VALUE_ROUNDING, RATE_ROUNDING = 64 * 2.0**-52, 100 * 2.0**-52
"""Absolute tolerances relative to the largest scale, and to the length of a step times the largest rate."""

_INTEGERS = """
    bound_t bound_y bound_rate bound_projected bound_gaps bound_signals
    port_q port_u port_rate rhs_at rhs_ports rhs_more
    other_port_q other_port_u other_port_rate other_rhs_at other_rhs_ports other_rhs_more
    projection_at projection_ports projection_more events_at events_ports events_more
    bound_slopes jacobian_at jacobian_ports jacobian_more timed linearized
    kind stages rows order c A E estimates D refinements C d
    size width coordinates speeds works plain max_steps switchable regularized switched
    y new point K F floors scales noises matrix pivots drift
    last_y last_rate last_sides last_samples last_hits retreats
    events directions stops sides thetas probes roots
    nodes weights finer_weights touches returns roundings later_roundings signal_scales armed fallen
    corner_t corners corner grid_steps counted_from
    every_step wanted sample_t sample_y step_t step_y most_hits hit_event hit_t hit_y
    code begun dense samples ends hits steps rejected rejected_last stiff evaluations jacobians
""".split()
_NUMBERS = """
    beta stability gamma
    end rtol atol fixed max_step gap tolerance
    last_t last_h trouble
    start grid_t t next h step error rejected_error rejected_h cut interval
""".split()


class RunRecord(ctypes.Structure):
    """The memory of a run.

    Integers are counts, flags and addresses of arrays. Line by line above: the problem's arrays and functions, with a
    second right-hand side for where constraints are, or are not, nearly dependent; the Jacobian of implicit methods,
    whether rates depend on time, and whether the Jacobian is that of the state; the method (see
    ``butcher_tableaus``); sizes and limits, and which equations are used; the states at both ends of a step, memory for
    another one, the rates of its stages, the rows of its dense output, what its errors are measured with (see
    ``error_floors``), and the linear equations of implicit methods (see ``rosenbrock_steps``); where to go back to (see
    ``step_backtracking``); what to watch, and probes of it; where steps must end, the next of these times, and the
    steps and tries until the last one; where samples, the ends of all steps and events go; how far it has come.
    Numbers: of the method; limits; the way back; the step, where it is cut off, and the width of the intervals in which
    events are sought if it was divided.
    """

    _fields_ = [(name, ctypes.c_int64) for name in _INTEGERS] + [(name, ctypes.c_double) for name in _NUMBERS]
