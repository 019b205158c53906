"""Compiled functions as NumPy's generalized universal functions: the cheapest call that Python offers.

One inner loop serves all functions (``loops.ufunc_loop``); nothing is compiled for a function. NumPy converts
arguments, broadcasts leading dimensions, and passes arrays in place, whatever their strides are.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any, NoReturn, Protocol, cast

import numpy as np

from multibody.compiler.batch import Kernel
from multibody.compiler.calls import Results
from multibody.compiler.engine import Library
from multibody.compiler.loops.shipped import ShippedLoop
from multibody.compiler.loops.ufunc_table import BATCH, PORT, TABLE
from multibody.compiler.ports import Port, Signature

MOST_PORTS = 60
"""NumPy allows 64 arguments of a universal function."""

FROM_DATA_AND_SIGNATURE = 31
"""Where the table of NumPy's C interface has ``PyUFunc_FromFuncAndDataAndSignature``."""

DOUBLE, NO_IDENTITY = 12, -1
"""NumPy's numbers for a type, and for a function without an identity."""

evaluate_states = ShippedLoop("multibody.compiler.loops.ufunc_loop")


@cache
def _maker() -> Callable[..., Any]:
    """NumPy's function that makes generalized universal functions."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    address, integer, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, address, address, address, integer, integer, integer, integer, text, text, integer, text
    )
    return kind(table[FROM_DATA_AND_SIGNATURE])


class CompiledFunction(Signature, Protocol):
    """What universal functions need of a compiled function."""

    @property
    def hoisted(self) -> int:
        """How many numbers depend on fixed ports alone."""

    def shared_kernel(self) -> Kernel:
        """The loop over states that share all fixed ports."""


class UniversalFunction:
    """A compiled function as NumPy calls it.

    Args:
        function: its ports, and code for several states, which is made after the first call that has some.
        library: machine code for one state.
        results: the class of all outputs together.
    """

    def __init__(self, function: CompiledFunction, library: Library, results: type[Results]) -> None:
        inputs, outputs, name = function.inputs, function.outputs, function.name
        ports = (*inputs, *outputs)
        starts = np.cumsum([TABLE + PORT * len(ports), *(len(port.shape) for port in ports)])
        fields = [(p.size, len(p.shape), p.fixed, start) for p, start in zip(ports, starts, strict=False)]
        shapes = [size for port in ports for size in port.shape]
        one_state = [max(1, function.hoisted), library.address("prepare"), library.address("call_fixed")]
        head = [len(ports), len(inputs), *one_state]
        no_batch = [0] * (TABLE - len(head))
        self._table = np.array([*head, *no_batch, *chain(*fields), *shapes], dtype=np.int64)
        self._function = weakref.ref(function)  # which holds this object, and is freed as soon as nothing holds it
        self._library, self._results, self._kernel = library, results, cast("Kernel | None", None)
        self._loops = (ctypes.c_void_p * 1)(evaluate_states.address)
        self._data = (ctypes.c_void_p * 1)(self._table.ctypes.data)
        self._types = bytes([DOUBLE] * len(ports))
        self._texts = (name.encode(), f"{name}: a compiled function".encode(), _signature(inputs, outputs))
        numbers = 1, len(inputs), len(outputs), NO_IDENTITY
        self._call = _maker()(self._loops, self._data, self._types, *numbers, *self._texts[:2], 0, self._texts[2])
        self._empty = [k for k, port in enumerate(inputs) if not port.size]
        self._rank, self._several = len(outputs[0].shape), len(outputs) > 1

    def caller(self) -> Callable[..., Any]:
        """The call, from values of the inputs to the value of the only output, or to all outputs; a scalar is a float.

        It raises a TypeError if the number of values is wrong, or one of them is not numeric, and a ValueError if
        shapes do not fit.
        """
        return self._any_outputs if self._several or not self._rank else self._one_array()

    def _one_array(self) -> Callable[..., Any]:
        """The call of a function whose only output is an array: one of those that are made most often."""
        native, empty, rank = self._call, self._empty, self._rank

        def call(*values: Any, **out: Any) -> Any:
            for k in empty:
                if len(values[k]):
                    _require_empty(values[k])
            result = native(*values, **out)
            if result.ndim > rank and self._kernel is None:
                self._add_batch()
            return result

        return call

    def _any_outputs(self, *values: Any, **out: Any) -> Any:
        for k in self._empty:
            _require_empty(values[k])
        result = self._call(*values, **out)
        first = result[0] if self._several else result
        if first.ndim > self._rank and self._kernel is None:
            self._add_batch()
        if self._several:
            return self._results([item.item() if isinstance(item, np.float64) else item for item in result])
        return result.item() if isinstance(result, np.float64) else result

    def _add_batch(self) -> None:
        """From now on, several states go through each instruction; the address of the loop is written last."""
        function = self._function()
        if function is None:
            return
        self._kernel = function.shared_kernel()
        *fields, batch = self._kernel.table_fields
        self._table[BATCH - len(fields) : BATCH] = fields
        self._table[BATCH] = batch


def _require_empty(value: Any) -> None:
    """Refuse numbers for a port without any; there may be dimensions for states."""
    if len(value) and np.shape(value)[-1]:
        raise ValueError("A port without numbers takes none.")


def allows_ports(function: Signature) -> bool:
    """Whether NumPy allows the ports of a function: some inputs, no output without numbers, and not too many."""
    count = len(function.inputs) + len(function.outputs)
    return bool(function.inputs) and count <= MOST_PORTS and all(port.size for port in function.outputs)


def not_universal(*_: Any, **__: Any) -> NoReturn:
    """The universal function of a function whose ports NumPy does not allow.

    Raises:
        ValueError: always.
    """
    raise ValueError("NumPy does not allow these ports.")


def _signature(inputs: Sequence[Port], outputs: Sequence[Port]) -> bytes:
    """Shapes as NumPy writes them; a dimension of length 0 must have a name."""
    names = (f"n{k}" for k in range(10 * MOST_PORTS))

    def shape(port: Port) -> str:
        return f"({','.join(str(size) if size else next(names) for size in port.shape)})"

    return "->".join(",".join(shape(port) for port in ports) for ports in (inputs, outputs)).encode()
