"""States at the ends of steps: whole rows, also where an interrupt comes while there is too little memory."""

import numpy as np
import pytest

from multibody.simulation.checks import step_rows
from multibody.simulation.checks.step_rows import StepRows


def rows_from(start, count):
    t = np.arange(start, start + count, dtype=float)
    return t, np.column_stack([t, -t]), np.array([3.0]), np.array([4.0])


@pytest.mark.parametrize("allocation", [1, 2, 3, 4])
def test_an_interrupt_leaves_whole_rows(allocation, monkeypatch):
    """The interrupt comes at each of the four allocations that more memory needs."""
    rows = StepRows(1, 1, 2, np.empty(0), 1)
    rows.add(*rows_from(0, step_rows.FIRST_ROWS))
    calls = []

    def interrupted(shape):
        calls.append(shape)
        if len(calls) == allocation:
            raise KeyboardInterrupt
        return np.empty(shape)

    with monkeypatch.context() as patch:
        patch.setattr(step_rows.np, "empty", interrupted)
        with pytest.raises(KeyboardInterrupt):
            rows.add(*rows_from(step_rows.FIRST_ROWS, 3))
    assert [len(part) for part in (rows.t, rows.y, rows.r, rows.asked)] == [step_rows.FIRST_ROWS] * 4
    rows.add(*rows_from(step_rows.FIRST_ROWS, 5))
    rows.keep(rows.t >= 250)
    assert rows.t.tolist() == list(range(250, step_rows.FIRST_ROWS + 5))
    assert rows.y.tolist() == [[t, -t] for t in rows.t]
    assert set(rows.r.flat) == {3.0}
    assert set(rows.asked.flat) == {4.0}
