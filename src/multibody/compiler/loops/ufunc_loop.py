"""The inner loop of NumPy's generalized universal functions, one for all compiled functions.

NumPy calls it with addresses of the ports' first states, the number of states, and distances in bytes: from state to
state for each port, then along each dimension of each port. What else it must know about a function is a list of
integers, ``FunctionTable``. Arrays whose entries do not lie side by side are copied there and back for each state.
"""

from __future__ import annotations

from multibody.compiler.loops.language import (
    allocated,
    call,
    call_with_six,
    clear_floating_point_flags,
    compiled,
    doubles,
    free,
    integers,
    put,
)
from multibody.compiler.loops.ufunc_table import (
    BATCH,
    CALL,
    FIXED,
    HOISTED,
    INPUTS,
    LANE_HOISTED,
    LANE_PREPARE,
    PORT,
    PORTS,
    PREPARE,
    RANK,
    SHAPE,
    SIZE,
    TABLE,
    WORKSPACE,
)

ALL_FLAGS = 0x3F
"""All exceptions of floating-point arithmetic; bits that a processor does not have are ignored."""


def advance(ports: int, counts: int, steps: int, function: int) -> None:
    """Evaluate all states: what NumPy calls, as machine code."""
    evaluate_states(ports, integers(counts)[0], steps, function)


@compiled
def evaluate_states(ports: int, states: int, steps: int, function: int) -> None:
    """All states, several at once where that is possible; NumPy must not take NaN in unused branches for a fault."""
    about = integers(function)
    if states > 1 and about[BATCH] != 0 and allows_batch(steps, function):
        evaluate_batch(ports, states, steps, function)
    else:
        evaluate_each(ports, states, steps, function)
    clear_floating_point_flags(ALL_FLAGS)


@compiled
def entry(function: int, port: int, field: int) -> int:
    """A field of a port."""
    return integers(function)[TABLE + port * PORT + field]


@compiled
def lies_side_by_side(function: int, port: int, steps: int) -> bool:
    """Whether the entries of a port's array lie side by side, row by row; ``steps`` are those of its dimensions."""
    shape, step, count = integers(function + 8 * entry(function, port, SHAPE)), integers(steps), 8
    for k in range(entry(function, port, RANK)):
        d = entry(function, port, RANK) - 1 - k
        if shape[d] > 1 and step[d] != count:
            return False
        count *= shape[d]
    return True


@compiled
def allows_batch(steps: int, function: int) -> bool:
    """Whether all ports lie side by side, and all states share what depends on fixed ports alone."""
    about, step = integers(function), integers(steps)
    dimensions = steps + 8 * about[PORTS]
    for port in range(about[PORTS]):
        if entry(function, port, FIXED) != 0 and step[port] != 0:
            return False
        if step[port] % 8 != 0 or not lies_side_by_side(function, port, dimensions):
            return False
        dimensions += 8 * entry(function, port, RANK)
    return True


@compiled
def evaluate_batch(ports: int, states: int, steps: int, function: int) -> None:
    """Several states per instruction; distances are counted in doubles."""
    about, step = integers(function), integers(steps)
    hoisted = allocated(8 * (about[LANE_HOISTED] + about[PORTS] + about[WORKSPACE] + 8))
    strides = hoisted + 8 * about[LANE_HOISTED]
    for port in range(about[PORTS]):
        integers(strides)[port] = step[port] // 8
    workspace = (strides + 8 * about[PORTS] + 63) // 64 * 64  # whole registers are stored there
    call(about[LANE_PREPARE], ports, hoisted)
    call_with_six(about[BATCH], 0, states, ports, strides, hoisted, workspace)
    free(hoisted)


@compiled
def evaluate_each(ports: int, states: int, steps: int, function: int) -> None:
    """State after state; what depends on fixed ports is computed again for each, if they change."""
    about, step = integers(function), integers(steps)
    copies, shared = 0, True
    dimensions = steps + 8 * about[PORTS]
    for port in range(about[PORTS]):
        if not lies_side_by_side(function, port, dimensions):
            copies += entry(function, port, SIZE)
        if entry(function, port, FIXED) != 0 and step[port] != 0:
            shared = False
        dimensions += 8 * entry(function, port, RANK)
    now = allocated(8 * (about[PORTS] + about[HOISTED] + copies))
    hoisted = now + 8 * about[PORTS]
    for state in range(states):
        carry(ports, state, steps, function, now, True)
        if state == 0 or not shared:
            call(about[PREPARE], now, hoisted)
        call(about[CALL], now, hoisted)
        if copies != 0:
            carry(ports, state, steps, function, now, False)
    free(now)


@compiled
def carry(ports: int, state: int, steps: int, function: int, now: int, before: bool) -> None:
    """Addresses of the ports of a state; inputs are copied where needed before its evaluation, outputs after it."""
    about, step = integers(function), integers(steps)
    dimensions, copy = steps + 8 * about[PORTS], now + 8 * (about[PORTS] + about[HOISTED])
    for port in range(about[PORTS]):
        here = integers(ports)[port] + state * step[port]
        if lies_side_by_side(function, port, dimensions):
            put(now + 8 * port, here)
        else:
            put(now + 8 * port, copy)
            if before == (port < about[INPUTS]):
                copy_entries(function, port, here, dimensions, copy, before)
            copy += 8 * entry(function, port, SIZE)
        dimensions += 8 * entry(function, port, RANK)


@compiled
def copy_entries(function: int, port: int, strided: int, steps: int, plain: int, into: bool) -> None:
    """Between an array with any distances and numbers side by side."""
    shape, step = integers(function + 8 * entry(function, port, SHAPE)), integers(steps)
    for k in range(entry(function, port, SIZE)):
        rest, place = k, strided
        for j in range(entry(function, port, RANK)):
            d = entry(function, port, RANK) - 1 - j
            place += rest % shape[d] * step[d]
            rest //= shape[d]
        if into:
            doubles(plain)[k] = doubles(place)[0]
        else:
            doubles(place)[0] = doubles(plain)[k]
