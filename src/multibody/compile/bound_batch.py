"""Many states at once in arrays that stay in place: for callers that evaluate them again and again."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.compile.calls import addresses, complain_about_names, refuse_overlap
from multibody.compile.ports import Array, Port
from multibody.errors import ShapeError

if TYPE_CHECKING:
    from multibody.compile.function import Function


class BoundBatch:
    """A batch with all its arrays in place; made by ``Function.bind_batch``.

    Args:
        function: whose ports the arrays are for.
        arrays: memory by the names of ports.
    """

    def __init__(self, function: Function, arrays: Mapping[str, Array]) -> None:
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
        kernel = function._kernel(frozenset(k for k, port in enumerate(function.inputs) if shared[k] and port.fixed))
        hoisted, room = np.empty(max(1, kernel.hoisted)), np.empty(kernel.workspace + 8)
        memory: list[Any] = [addresses(self._arrays), np.array(steps, dtype=np.int64), hoisted]
        kernel.prepare(memory[0].ctypes.data, hoisted.ctypes.data)
        self._memory = [*memory, room]  # it must live as long as its addresses, and the machine code as long as this
        self._args = [ctypes.c_void_p(array.ctypes.data) for array in memory]
        self._args.append(ctypes.c_void_p(-(-room.ctypes.data // 64) * 64))  # whole registers are stored here: aligned
        self._kernel = kernel

    def __call__(self, states: int) -> None:
        """Evaluate the first of the states."""
        if not 0 <= states <= self.states:
            raise ShapeError(
                f"{states} states are asked for, and there is memory for {self.states}.",
                where=f"batch of function '{self._function.name}'",
            )
        self._kernel.loop(0, states, *self._args)


def _require_rows(port: Port, array: Any, is_shared: bool, function: str) -> None:
    shape = port.shape if is_shared else ("states", *port.shape)
    fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.flags.aligned
    fits = fits and array.ndim == len(shape) and array.shape[array.ndim - len(port.shape) :] == port.shape
    if not fits or not (array if is_shared else array[0] if len(array) else array).flags.c_contiguous:
        raise ShapeError(
            f"An array of doubles with shape ({', '.join(map(str, shape))}) and contiguous rows is needed.",
            where=f"port '{port.name}' of function '{function}'",
        )
