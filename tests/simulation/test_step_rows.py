"""States at the ends of steps: whole rows, wherever an interrupt comes."""

import sys
from contextlib import contextmanager
from itertools import count

import numpy as np
import pytest

import multibody as mb
from multibody.graph import symbols
from multibody.simulation.checks import step_rows
from multibody.simulation.checks.step_rows import FIRST_ROWS, StepRows

t, q, u, r = symbols("t q u r")
SUM = mb.Function("sum", {"t": t, "q": [q], "u": [u], "r": [r], "p": []}, {"total": t + 10 * q + 100 * u + r})


def rows_from(start, number):
    """States with q = t and u = -t, the input 3 and 4 asked for it."""
    times = np.arange(start, start + number, dtype=float)
    return times, np.column_stack([times, -times]), np.array([3.0]), np.array([4.0])


def require_whole(rows, times):
    """Every row belongs to its time, and functions see the same rows."""
    assert rows.t.tolist() == list(times)
    assert rows.y.tolist() == [[time, -time] for time in times]
    assert rows.r.tolist() == [[3.0]] * len(times)
    assert rows.asked.tolist() == [[4.0]] * len(times)
    if len(times):
        (total,) = rows.evaluate(SUM)
        assert total.tolist() == [-89 * time + 3 for time in times]


@contextmanager
def interrupted(line):
    """Ctrl-C before the line of this number, of all that are executed in the module."""
    numbers = count()

    def trace(frame, event, _):
        if frame.f_code.co_filename != step_rows.__file__:
            return None
        if event == "line" and next(numbers) == line:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


CHANGES = {
    "add": lambda rows: rows.add(*rows_from(FIRST_ROWS, 3)),
    "keep": lambda rows: rows.keep(rows.t >= 250),
    "keep nothing": lambda rows: rows.keep(rows.t < 0),
    "clear": lambda rows: rows.clear(),
}
AFTER = {"add": range(FIRST_ROWS + 3), "keep": range(250, FIRST_ROWS), "keep nothing": (), "clear": ()}


@pytest.mark.parametrize("change", CHANGES)
def test_an_interrupt_leaves_whole_rows(change):
    """At each line: all rows of before, or all of after, in functions that were bound before, too."""
    for line in range(1000):
        rows = StepRows(1, 1, 2, np.empty(0), 1)
        rows.add(*rows_from(0, FIRST_ROWS))
        require_whole(rows, range(FIRST_ROWS))
        try:
            with interrupted(line):
                CHANGES[change](rows)
        except KeyboardInterrupt:
            left = AFTER[change] if rows.count == len(AFTER[change]) else range(FIRST_ROWS)
            require_whole(rows, left)
            rows.add(*rows_from(1000, 600))
            require_whole(rows, [*left, *range(1000, 1600)])
        else:
            break
    assert line > 0
    require_whole(rows, AFTER[change])


def test_the_last_state_begins_the_next_group():
    rows = StepRows(1, 1, 2, np.empty(0), 1)
    rows.add(*rows_from(0, 700))
    rows.keep_last()
    require_whole(rows, [699])
    rows.add(*rows_from(700, 2))
    require_whole(rows, [699, 700, 701])
