"""Many states at once: several per instruction, several threads, in new arrays or in arrays that stay in place."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from multibody.compiler import engine
from multibody.compiler.calls import addresses, complain_about_names, refuse_overlap
from multibody.compiler.emit import module
from multibody.compiler.ports import Array, Port, Signature
from multibody.compiler.program import PortProgram
from multibody.errors import ShapeError

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

    def __init__(self, program: PortProgram, lanes: int) -> None:
        self._cost = 1 + len(program.main.operations)
        self._module = module(program, lanes)
        self.hoisted, self.workspace = self._module.hoisted, self._module.workspace * lanes
        self._library = engine.build(self._module.text)
        self.prepare = self._library.function("prepare", 2)
        self.loop = self._library.function("call_batch", 6)

    @property
    def table_fields(self) -> tuple[int, int, int, int]:
        """Sizes of memory and addresses of functions, in the order of ``ufunc_table``."""
        prepare, batch = (self._library.address(name) for name in ("prepare", "call_batch"))
        return max(1, self.hoisted), self.workspace, prepare, batch

    def run(
        self,
        function: Signature,
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
        workspace = np.empty(self.workspace + 8)
        start = -(-workspace.ctypes.data // 64) * 64  # whole registers are stored here: aligned
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


def _checked(function: Signature, out: Mapping[str, Array], states: int) -> Mapping[str, Array]:
    """The arrays to write into, if they fit."""
    shapes = {port.name: (states, *port.shape) for port in function.outputs}
    for name, array in out.items():
        fits = array.dtype == np.float64 and array.shape == shapes.get(name)
        if not fits or not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
            raise ShapeError(
                f"The array for '{name}' cannot be written.",
                code="array-not-usable",
                where=f"batch of function '{function.name}'",
                cause=f"Outputs and shapes are: {', '.join(f'{n} {s}' for n, s in shapes.items())}.",
                remedy="Give contiguous arrays of doubles, such as numpy.empty makes them.",
                name=name,
            )
    return out


def _states(function: Signature, values: Sequence[tuple[Port, Array, int | None]]) -> int:
    counts = {port.name: count for port, _, count in values if count is not None}
    if len(set(counts.values())) != 1:
        listed = ", ".join(f"{name}: {count}" for name, count in counts.items()) or "none has a dimension for states"
        raise ShapeError(
            f"The ports do not agree on the number of states ({listed}).",
            code="states-count-ambiguous",
            where=f"batch of function '{function.name}'",
            remedy="Give at least one port a leading dimension, the same for all that have one.",
        )
    return next(iter(counts.values()))


class BoundBatch:
    """A batch with all its arrays in place; made by ``Function.bind_batch``.

    Args:
        function: whose ports the arrays are for.
        kernel_of: the loop over states, by the numbers of the fixed ports that all states share.
        arrays: memory by the names of ports.
    """

    def __init__(
        self, function: Signature, kernel_of: Callable[[frozenset[int]], Kernel], arrays: Mapping[str, Array]
    ) -> None:
        ports = (*function.inputs, *function.outputs)
        complain_about_names(function, ports, arrays)
        self._function, self._arrays = function, [arrays[port.name] for port in ports]
        inputs = len(function.inputs)
        shared = [k < inputs and np.shape(arrays[port.name]) == port.shape for k, port in enumerate(ports)]
        for port, array, is_shared in zip(ports, self._arrays, shared, strict=True):
            _require_rows(port, array, is_shared, function.name)
        refuse_overlap(function, self._arrays)
        self.states = min(len(array) for array, is_shared in zip(self._arrays, shared, strict=True) if not is_shared)
        steps = [
            0 if is_shared else array.strides[0] // 8 for array, is_shared in zip(self._arrays, shared, strict=True)
        ]
        kernel = kernel_of(frozenset(k for k, port in enumerate(function.inputs) if shared[k] and port.fixed))
        hoisted, workspace = np.empty(max(1, kernel.hoisted)), np.empty(kernel.workspace + 8)
        memory: list[Any] = [addresses(self._arrays), np.array(steps, dtype=np.int64), hoisted]
        kernel.prepare(memory[0].ctypes.data, hoisted.ctypes.data)
        self._memory = [*memory, workspace]  # lives as long as its addresses, the machine code as long as this
        self._args = [ctypes.c_void_p(array.ctypes.data) for array in memory]
        aligned = -(-workspace.ctypes.data // 64) * 64  # whole registers are stored here
        self._args.append(ctypes.c_void_p(aligned))
        self._kernel = kernel

    def __call__(self, states: int) -> None:
        """Evaluate the first of the states."""
        if not 0 <= states <= self.states:
            raise ShapeError(
                f"{states} states are asked for, and there is memory for {self.states}.",
                code="states-count-too-large",
                where=f"batch of function '{self._function.name}'",
                value=states,
                limit=self.states,
            )
        self._kernel.loop(0, states, *self._args)


def _require_rows(port: Port, array: Any, is_shared: bool, function: str) -> None:
    shape = port.shape if is_shared else ("states", *port.shape)
    fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.flags.aligned
    fits = fits and array.ndim == len(shape) and array.shape[array.ndim - len(port.shape) :] == port.shape
    if not fits or not (array if is_shared else array[0] if len(array) else array).flags.c_contiguous:
        raise ShapeError(
            f"An array of doubles with shape ({', '.join(map(str, shape))}) and contiguous rows is needed.",
            code="array-not-usable",
            where=f"port '{port.name}' of function '{function}'",
            name=port.name,
            expected=tuple(shape),
        )
