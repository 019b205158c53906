"""Many states at once: several per instruction, several threads."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.compile import engine
from multibody.compile.calls import addresses
from multibody.compile.emit import module
from multibody.compile.ports import Array, Port
from multibody.compile.program import Program
from multibody.errors import ShapeError

if TYPE_CHECKING:
    from multibody.compile.function import Function

WORTH_A_THREAD = 5_000_000
"""Operations that take longer than starting a thread."""


class Kernel:
    """The loop over states, for a given set of ports that all states share.

    Attributes:
        hoisted: the number of values that depend on fixed ports alone.
        workspace: the number of doubles that the loop needs for itself.
        prepare: computes what depends on fixed ports alone, from addresses of ports to a memory for it.
        loop: evaluates the states from one number up to another, with addresses of ports, of the distances between
            their rows, of what is prepared, and of the workspace.
    """

    def __init__(self, program: Program, lanes: int) -> None:
        self._cost = 1 + len(program.main)
        self._module = module(program, lanes)
        self.hoisted, self.workspace = self._module.hoisted, self._module.workspace * lanes
        self._library = engine.build(self._module.text)
        self.prepare = self._library.function("prepare", 2)
        self.loop = self._library.function("call_batch", 6)

    def run(
        self,
        function: Function,
        values: Sequence[tuple[Port, Array, int | None]],
        threads: int | None,
        out: Mapping[str, Array] | None = None,
    ) -> list[Array]:
        """All outputs, with a leading dimension for the states; into the arrays of ``out`` if they are given."""
        states = _states(function, values)
        given = _checked(function, out or {}, states)
        outputs = [given[p.name] if p.name in given else np.empty((states, *p.shape)) for p in function.outputs]
        ports = addresses([array for _, array, _ in values] + outputs)
        strides = [0 if count is None else port.size for port, _, count in values]
        steps = np.array(strides + [port.size for port in function.outputs], dtype=np.int64)
        hoisted = np.empty(max(1, self.hoisted))
        self.prepare(ports.ctypes.data, hoisted.ctypes.data)
        shares = self._shares(states, threads)
        if len(shares) == 1:
            self._work(shares[0], ports, steps, hoisted)
        else:
            with ThreadPoolExecutor(len(shares)) as pool:
                list(pool.map(lambda share: self._work(share, ports, steps, hoisted), shares))
        return outputs

    def _work(self, share: tuple[int, int], ports: Any, steps: Any, hoisted: Array) -> None:
        room = np.empty(self.workspace + 8)
        start = -(-room.ctypes.data // 64) * 64  # whole registers are stored here: aligned
        self.loop(share[0], share[1], ports.ctypes.data, steps.ctypes.data, hoisted.ctypes.data, start)

    def _shares(self, states: int, threads: int | None) -> list[tuple[int, int]]:
        """Ranges of states, one for each thread."""
        if threads is None:
            threads = max(1, states * self._cost // WORTH_A_THREAD)
            threads = threads if threads == 1 else min(os.cpu_count() or 1, threads)
        if threads == 1:
            return [(0, states)]
        edges = np.linspace(0, states, max(1, min(threads, states)) + 1).astype(int)
        return [(int(a), int(b)) for a, b in pairwise(edges)]


def _checked(function: Function, out: Mapping[str, Array], states: int) -> Mapping[str, Array]:
    """The arrays to write into, if they fit."""
    shapes = {port.name: (states, *port.shape) for port in function.outputs}
    for name, array in out.items():
        fits = array.dtype == np.float64 and array.shape == shapes.get(name)
        if not fits or not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
            raise ShapeError(
                f"The array for '{name}' cannot be written.",
                where=f"batch of function '{function.name}'",
                cause=f"Outputs and shapes are: {', '.join(f'{n} {s}' for n, s in shapes.items())}.",
                remedy="Give contiguous arrays of doubles, such as numpy.empty makes them.",
            )
    return out


def _states(function: Function, values: Sequence[tuple[Port, Array, int | None]]) -> int:
    counts = {port.name: count for port, _, count in values if count is not None}
    if len(set(counts.values())) != 1:
        listed = ", ".join(f"{name}: {count}" for name, count in counts.items()) or "none has a dimension for states"
        raise ShapeError(
            f"The ports do not agree on the number of states ({listed}).",
            where=f"batch of function '{function.name}'",
            remedy="Give at least one port a leading dimension, the same for all that have one.",
        )
    return next(iter(counts.values()))
