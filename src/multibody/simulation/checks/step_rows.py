"""States at the ends of steps, in memory that stays in place from run to run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.compiler import Function
from multibody.compiler.batch import BoundBatch
from multibody.simulation.contract import Vector

FIRST_ROWS = 256
"""States for which there is memory at first."""


class _Rows(NamedTuple):
    """Memory for states, and how many of its rows are in use.

    It is replaced as a whole, in one assignment: an interrupt can come between any two others.
    """

    t: Vector
    y: Vector
    r: Vector
    asked: Vector
    used: int

    @property
    def arrays(self) -> tuple[Vector, Vector, Vector, Vector]:
        """The arrays, with all their rows."""
        return self.t, self.y, self.r, self.asked

    def enlarged(self, rows: int) -> _Rows:
        """The same states in memory with more rows."""
        t, y, r, asked = (np.empty((rows, *array.shape[1:])) for array in self.arrays)
        larger = _Rows(t, y, r, asked, self.used)
        for new, old in zip(larger.arrays, self.arrays, strict=True):
            new[: self.used] = old[: self.used]
        return larger


class StepRows:
    """States with their inputs, a row for each, and compiled functions that are bound to this memory.

    Args:
        n: number of coordinates.
        m: number of speeds.
        size: number of entries of a state.
        p: values of the parameters, which do not change.
        inputs: number of inputs.
    """

    def __init__(self, n: int, m: int, size: int, p: Vector, inputs: int) -> None:
        self._n, self._m, self._p = n, m, p
        widths = (), (size,), (inputs,), (inputs,)
        t, y, r, asked = (np.empty((FIRST_ROWS, *width)) for width in widths)
        self._rows = _Rows(t, y, r, asked, 0)
        self._bound: dict[Function, tuple[BoundBatch, list[Vector]]] = {}

    @property
    def count(self) -> int:
        """The number of states."""
        return self._rows.used

    @property
    def t(self) -> Vector:
        """Times."""
        return self._rows.t[: self.count]

    @property
    def y(self) -> Vector:
        """States."""
        return self._rows.y[: self.count]

    @property
    def r(self) -> Vector:
        """Inputs."""
        return self._rows.r[: self.count]

    @property
    def asked(self) -> Vector:
        """What was asked for inputs, before limits; where it was given."""
        return self._rows.asked[: self.count]

    def clear(self) -> None:
        """Forget all states."""
        self._rows = self._rows._replace(used=0)

    def add(self, t: Vector, y: Vector, r: Vector, asked: Vector | None = None) -> None:
        """Add states, all with the same inputs."""
        before, count = self._rows, self.count + len(t)
        if count > len(before.t):
            before = before.enlarged(2 * count)
            self._replace_memory(before)
        new = slice(before.used, count)
        before.t[new], before.y[new] = t, y
        if len(r):
            before.r[new] = r
        if asked is not None:
            before.asked[new] = asked
        self._rows = before._replace(used=count)

    def keep_last(self) -> None:
        """Keep the last state alone."""
        for array in self._rows.arrays:
            array[0] = array[self.count - 1]
        self._rows = self._rows._replace(used=1)

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Keep those states that a mask chooses."""
        t, y, r, asked = (array[: self.count][chosen] for array in self._rows.arrays)
        self._replace_memory(_Rows(t, y, r, asked, len(t)))

    def evaluate(self, function: Function) -> list[Vector]:
        """The outputs of a function of (t, q, u, r, p), with a row for each state; the next call overwrites them."""
        if function not in self._bound:
            t, y, r = self._rows.t, self._rows.y, self._rows.r
            outputs = {port.name: np.empty((len(t), *port.shape)) for port in function.outputs}
            q, u = y[:, : self._n], y[:, self._n : self._n + self._m]
            call = function.bind_batch(t=t, q=q, u=u, r=r, p=self._p, **outputs)
            self._bound[function] = call, list(outputs.values())
        call, arrays = self._bound[function]
        call(self.count)
        return [array[: self.count] for array in arrays]

    def _replace_memory(self, rows: _Rows) -> None:
        """Go on with other memory; what was bound to the old one goes first, so that it is never called again."""
        self._bound.clear()
        self._rows = rows
