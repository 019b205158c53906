"""States at the ends of steps, in memory that stays in place from run to run."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.compiler.batch import BoundBatch
from multibody.simulation.contract import Vector

FIRST_ROWS = 256
"""States for which there is memory at first."""


class StepRows:
    """States with their inputs, a row for each, and compiled functions that are bound to this memory.

    Args:
        n: number of coordinates.
        m: number of speeds.
        size: number of entries of a state.
        p: values of the parameters, which do not change.
        inputs: number of inputs.

    Attributes:
        count: the number of states.
    """

    def __init__(self, n: int, m: int, size: int, p: Vector, inputs: int) -> None:
        self._n, self._m, self._p, self.count = n, m, p, 0
        self._t, self._y = np.empty(FIRST_ROWS), np.empty((FIRST_ROWS, size))
        self._r, self._asked = np.empty((FIRST_ROWS, inputs)), np.empty((FIRST_ROWS, inputs))
        self._bound: dict[Function, tuple[BoundBatch, list[Vector]]] = {}

    @property
    def t(self) -> Vector:
        """Times."""
        return self._t[: self.count]

    @property
    def y(self) -> Vector:
        """States."""
        return self._y[: self.count]

    @property
    def r(self) -> Vector:
        """Inputs."""
        return self._r[: self.count]

    @property
    def asked(self) -> Vector:
        """What was asked for inputs, before limits; where it was given."""
        return self._asked[: self.count]

    def add(self, t: Vector, y: Vector, r: Vector, asked: Vector | None = None) -> None:
        """Add states, all with the same inputs."""
        count = self.count + len(t)
        if count > len(self._t):
            self._grow(2 * count)
        rows = slice(self.count, count)
        self._t[rows], self._y[rows] = t, y
        if len(r):
            self._r[rows] = r
        if asked is not None:
            self._asked[rows] = asked
        self.count = count  # last, so that an interrupt leaves whole rows

    def keep(self, chosen: Any) -> None:
        """Keep some of the states, by a mask or by numbers."""
        kept = self.t[chosen], self.y[chosen], self.r[chosen], self.asked[chosen]
        count = len(kept[0])
        self._t[:count], self._y[:count], self._r[:count], self._asked[:count] = kept
        self.count = count

    def evaluate(self, function: Function) -> list[Vector]:
        """The outputs of a function of (t, q, u, r, p), with a row for each state; the next call overwrites them."""
        if function not in self._bound:
            outputs = {port.name: np.empty((len(self._t), *port.shape)) for port in function.outputs}
            q, u = self._y[:, : self._n], self._y[:, self._n : self._n + self._m]
            call = function.bind_batch(t=self._t, q=q, u=u, r=self._r, p=self._p, **outputs)
            self._bound[function] = call, list(outputs.values())
        call, arrays = self._bound[function]
        call(self.count)
        return [array[: self.count] for array in arrays]

    def _grow(self, rows: int) -> None:
        """Make memory for more states."""
        self._bound.clear()
        for name in ("_t", "_y", "_r", "_asked"):
            old = getattr(self, name)
            new = np.empty((rows, *old.shape[1:]))
            new[: self.count] = old[: self.count]
            setattr(self, name, new)
