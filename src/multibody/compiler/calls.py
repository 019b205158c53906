"""From Python values to addresses and back."""

from __future__ import annotations

import ctypes
import difflib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from multibody.compiler.engine import Library
from multibody.compiler.ports import Array, Port, Signature
from multibody.errors import PortError, ShapeError


class Results(tuple[Any, ...]):
    """The outputs of a call, in order; also by name, as attribute or item."""

    __slots__ = ()
    _names: tuple[str, ...] = ()

    @staticmethod
    def kind(names: Sequence[str]) -> type[Results]:
        """The class of results with these names."""
        members: dict[str, Any] = {name: property(partial(_item, k)) for k, name in enumerate(names)}
        return type("Results", (Results,), {"__slots__": (), "_names": tuple(names), **members})

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"There is no output '{name}'; there are: {', '.join(self._names)}.")

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._names:
                raise PortError(
                    f"There is no output '{key}'.",
                    code="output-unknown",
                    remedy=f"The outputs are: {', '.join(self._names)}.",
                    name=str(key),
                )
            key = self._names.index(key)
        return tuple.__getitem__(self, key)

    def __repr__(self) -> str:
        return f"Results({', '.join(f'{n}={v!r}' for n, v in zip(self._names, self, strict=True))})"

    def as_dict(self) -> dict[str, Any]:
        """Outputs by name."""
        return dict(zip(self._names, self, strict=True))


def _item(k: int, results: Results) -> Any:
    return tuple.__getitem__(results, k)


def leading_shape(function: Signature, values: Sequence[tuple[Port, Array]]) -> tuple[int, ...]:
    """The dimensions for states, of all ports together; () for one state."""
    shapes = {port.name: array.shape[: array.ndim - len(port.shape)] for port, array in values}
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError as error:
        listed = ", ".join(f"{name}: {shape}" for name, shape in shapes.items() if shape)
        raise ShapeError(
            f"The ports do not agree on the number of states ({listed}).",
            code="states-count-ambiguous",
            where=f"function '{function.name}'",
            remedy="Give the ports that differ from state to state the same leading dimensions.",
        ) from error


def collected(results: type[Results], outputs: Sequence[Array]) -> Any:
    """The only output's value, or all outputs by name; a scalar output is a float."""
    values = [array.item() if array.shape == () else array for array in outputs]
    if len(values) == 1:
        return values[0]
    return results(values)


def arranged(
    function: Signature, ports: Sequence[Port], args: Sequence[Any], named: Mapping[str, Any]
) -> list[tuple[Port, Any]]:
    """Each of the ports with its value, from positional and named arguments, or from one dictionary."""
    if len(args) > len(ports):
        raise PortError(
            f"{len(args)} values for {len(ports)} input ports.",
            code="port-arguments-wrong",
            where=f"function '{function.name}'",
            remedy=f"The input ports are: {', '.join(port.name for port in ports)}.",
            value=len(args),
        )
    together = len(args) == 1 and isinstance(args[0], Mapping)  # no port holds a mapping
    given = dict(args[0]) if together else dict(zip((port.name for port in ports), args, strict=False))
    twice = sorted(given.keys() & named.keys())
    if twice:
        raise PortError(
            f"The port '{twice[0]}' is given twice.",
            code="port-given-twice",
            where=f"function '{function.name}'",
            name=twice[0],
        )
    values = {**given, **named}
    complain_about_names(function, ports, values)
    return [(port, values[port.name]) for port in ports]


def complain_about_names(function: Signature, ports: Sequence[Port], values: Mapping[str, Any]) -> None:
    """An error that lists what is missing and what is unknown, if anything is."""
    known = [port.name for port in ports]
    missing = [name for name in known if name not in values]
    unknown = [name for name in values if name not in known]
    if not missing and not unknown:
        return
    near = {name: difflib.get_close_matches(name, known, 1) for name in unknown}
    hints = [f"'{name}' looks like '{match[0]}'" for name, match in near.items() if match]
    faults = [("No value for", missing), ("No port is named", unknown)]
    raise PortError(
        " ".join(f"{fault}: {', '.join(names)}." for fault, names in faults if names),
        code="port-arguments-wrong",
        where=f"function '{function.name}'",
        cause="; ".join(hints),
        remedy=f"The ports are: {', '.join(known)}.",
        names=[name for _, names in faults for name in names],
    )


def addresses(arrays: Sequence[Array]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The addresses of the arrays' first numbers."""
    return np.array([array.__array_interface__["data"][0] for array in arrays], dtype=np.uint64)


class BoundCall:
    """A call with all its arrays in place.

    Args:
        function: whose ports the arrays are for.
        library: the machine code.
        call: what to call.
        arrays: memory by the names of ports.
        more: arrays whose addresses come after that of the ports.
        lanes: the last dimension of each array, if several states lie side by side.
    """

    __slots__ = ("_args", "_arrays", "_call", "_library", "_names", "_ports")

    def __init__(
        self, function: Signature, library: Library, call: Callable[..., None], arrays: Mapping[str, Array],
        *more: Array, lanes: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        ports = (*function.inputs, *function.outputs)
        complain_about_names(function, ports, arrays)
        self._arrays = [_in_place(port, arrays[port.name], function.name, lanes) for port in ports]
        refuse_overlap(function, self._arrays)
        self._names = [port.name for port in ports]
        self._ports = addresses(self._arrays)
        self._args = tuple(ctypes.c_void_p(array.ctypes.data) for array in (self._ports, *more))
        self._arrays += more  # they must live as long as their addresses, and the machine code as long as this
        self._library = library
        self._call = call

    def __call__(self) -> None:
        """Evaluate."""
        self._call(*self._args)

    @property
    def native(self) -> tuple[int, int, int]:
        """For compiled callers: the address of ``void f(void *ports, void *more)``, and both arguments.

        They are good as long as this object lives.
        """
        address = ctypes.cast(self._call, ctypes.c_void_p).value  # type: ignore[arg-type]
        values = [argument.value or 0 for argument in self._args]
        return address or 0, values[0], values[1] if len(values) > 1 else 0

    def movable(self) -> MovablePorts:
        """The list of ports for compiled callers that put arrays of their own in the places of some of them."""
        return MovablePorts(self._ports.copy(), self._names)


class MovablePorts:
    """A list of the addresses of ports, as the first argument of a compiled function."""

    def __init__(self, ports: np.ndarray[Any, np.dtype[np.uint64]], names: Sequence[str]) -> None:
        self._ports, self._names = ports, names
        self.address = int(ports.ctypes.data)

    def place(self, name: str) -> int:
        """Where the address of a port is kept."""
        return self.address + 8 * self._names.index(name)


class BoundBlock(BoundCall):
    """A call for several states side by side, with all its arrays in place."""

    __slots__ = ("_prepare",)

    def __init__(
        self, function: Signature, library: Library, calls: tuple[Callable[..., None], Callable[..., None]],
        arrays: Mapping[str, Array], hoisted: Array,
    ) -> None:  # fmt: skip
        super().__init__(function, library, calls[0], arrays, hoisted, lanes=hoisted.shape[1:])
        self._prepare = calls[1]

    def prepare(self) -> None:
        """Compute what depends on parameters alone."""
        self._prepare(*self._args)

    @property
    def preparation(self) -> tuple[int, int, int]:
        """``prepare`` for compiled callers; see ``native``."""
        return ctypes.cast(self._prepare, ctypes.c_void_p).value or 0, *self.native[1:]  # type: ignore[arg-type]


def _in_place(port: Port, array: Any, function: str, lanes: tuple[int, ...]) -> Array:
    fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.flags.c_contiguous
    shape = port.shape + lanes
    if not fits or not array.flags.aligned or array.shape != shape:
        raise ShapeError(
            f"A contiguous array of doubles with shape {shape} is needed.",
            code="array-not-usable",
            where=f"port '{port.name}' of function '{function}'",
            remedy=f"Use numpy.zeros({shape}).",
            expected=shape,
        )
    return array


def refuse_overlap(function: Signature, arrays: Sequence[Array]) -> None:
    """An error if an output, in an array after those of the inputs, is read-only or shares memory with another port."""
    inputs, outputs = arrays[: len(function.inputs)], arrays[len(function.inputs) :]
    for k, output in enumerate(outputs):
        others = [*inputs, *outputs[:k]]
        if any(np.may_share_memory(output, other) for other in others) or not output.flags.writeable:
            raise ShapeError(
                f"The array for output port '{function.outputs[k].name}' is read-only or overlaps another one.",
                code="array-not-usable",
                where=f"function '{function.name}'",
                remedy="Give every output an array of its own.",
                name=function.outputs[k].name,
            )
