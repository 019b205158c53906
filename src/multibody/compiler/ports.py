"""Named, shaped ports of a function, and arrays that fit them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from multibody.errors import PortError, ShapeError
from multibody.graph import Expr, Symbol, array, free_symbols, names
from multibody.support.text_tables import counted

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Port:
    """A name, a shape and the expressions in it, row by row; of an input all of them are symbols."""

    name: str
    shape: tuple[int, ...]
    items: tuple[Expr, ...]

    @property
    def size(self) -> int:
        """How many numbers the port holds."""
        return len(self.items)

    @cached_property
    def fixed(self) -> bool:
        """Whether the port holds parameters, which stay the same from call to call."""
        return bool(self.items) and all(isinstance(item, Symbol) and item.kind == "parameter" for item in self.items)

    def fitted(self, value: Any, function: str) -> Array:
        """``value`` as an array of this port's shape."""
        result = _numbers(value, self, f"port '{self.name}' of function '{function}'")
        if result.shape != self.shape and not (self.size == result.size == 1):
            raise ShapeError(
                f"The value has shape {result.shape}, the port has shape {self.shape}.",
                code="array-wrong-shape",
                where=f"port '{self.name}' of function '{function}'",
                remedy=f"{_wanted(self)}.",
                name=self.name,
                shape=result.shape,
                expected=self.shape,
            )
        return _contiguous(result)

    def fitted_states(self, value: Any, function: str) -> Array:
        """``value`` as an array with any dimensions for states, and then those of this port."""
        result = _numbers(value, self, f"port '{self.name}' of function '{function}'")
        if result.shape[max(0, result.ndim - len(self.shape)) :] == self.shape:
            return result
        if self.size == result.size == 1:
            return result.reshape(self.shape)
        shown = ", ".join(map(str, self.shape))
        raise ShapeError(
            f"The value has shape {result.shape}, the port has shape {self.shape}.",
            code="array-wrong-shape",
            where=f"port '{self.name}' of function '{function}'",
            remedy=f"{_wanted(self)}; for many states an array with shape (states, {shown}).",
            name=self.name,
            shape=result.shape,
            expected=self.shape,
        )

    def fitted_batch(self, value: Any, function: str) -> tuple[Array, int | None]:
        """``value`` for many states, and how many; None if all states share it."""
        result = _numbers(value, self, f"port '{self.name}' of function '{function}'")
        if result.shape == self.shape:
            return _contiguous(result), None
        if result.ndim == len(self.shape) + 1 and result.shape[1:] == self.shape:
            return _contiguous(result), result.shape[0]
        raise ShapeError(
            f"The value has shape {result.shape}; a batch needs (states, {', '.join(map(str, self.shape)) or ''}) "
            f"or {self.shape} for all states alike.",
            code="array-wrong-shape",
            where=f"port '{self.name}' of function '{function}'",
            name=self.name,
            shape=result.shape,
            expected=self.shape,
        )


class Signature(Protocol):
    """The name and the ports of a function, for whoever arranges its arguments."""

    @property
    def name(self) -> str:
        """The name of the function."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """What it reads."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """What it writes."""


def _contiguous(array: Array) -> Array:
    return array if array.flags.c_contiguous and array.flags.aligned else array.copy()


def _numbers(value: Any, port: Port, where: str) -> Array:
    try:
        given = np.asarray(value)
    except ValueError as error:
        raise ShapeError(
            "The rows of the value differ in length.", code="value-not-numeric", where=where, cause=str(error)
        ) from error
    if given.dtype.kind not in "fiub":
        raise ShapeError(
            "The value is not an array of real numbers.",
            code="value-not-numeric",
            where=where,
            cause=_type_of(value, given),
            remedy=f"{_wanted(port)}.",
            value=str(given.dtype),
        )
    return np.asarray(given, dtype=np.float64)


def _type_of(value: Any, given: Any) -> str:
    """Why a value is not an array of numbers."""
    if given.ndim and given.dtype.kind == "O":
        return "Some of its entries are not numbers, or too large."
    return f"Its type is {type(value).__name__ if given.ndim == 0 else given.dtype}."


def _wanted(port: Port) -> str:
    """What to give, with the first names in their order."""
    if not port.items:
        return "Give an empty list: []"
    shown = ", ".join(str(item) for item in port.items[:8]) + (", …" if port.size > 8 else "")
    return f"Give {counted(port.size, 'number')}{' in this order' if port.size > 1 else ''}: {shown}"


def input_ports(inputs: Mapping[str, Any], function: str) -> tuple[Port, ...]:
    """The input ports; each entry must be a symbol, and stand only once."""
    ports = tuple(_port(name, value) for name, value in inputs.items())
    seen: dict[Expr, str] = {}
    for port in ports:
        for item in port.items:
            if not isinstance(item, Symbol):
                raise PortError(
                    f"The input port '{port.name}' holds '{item}', which is not a symbol.",
                    code="ports-invalid",
                    where=f"function '{function}'",
                    remedy="List symbols as inputs; expressions belong to the outputs.",
                    name=port.name,
                )
            if item in seen:
                raise PortError(
                    f"The symbol '{item}' stands in the input ports '{seen[item]}' and '{port.name}'.",
                    code="ports-invalid",
                    where=f"function '{function}'",
                    remedy="List every symbol once.",
                    names=[seen[item], port.name],
                )
            seen[item] = port.name
    return ports


def output_ports(outputs: Mapping[str, Any], inputs: tuple[Port, ...], function: str) -> tuple[Port, ...]:
    """The output ports; all their symbols must be inputs."""
    ports = tuple(_port(name, value) for name, value in outputs.items())
    known = {item for port in inputs for item in port.items}
    missing = [s for s in free_symbols([item for port in ports for item in port.items]) if s not in known]
    if missing:
        raise PortError(
            f"No input port holds: {', '.join(f'{s.name} ({s.kind})' for s in missing)}.",
            code="symbol-without-port",
            where=f"function '{function}'",
            cause="The outputs depend on these symbols.",
            remedy="Add them to an input port, or substitute numbers for them.",
            names=[s.name for s in missing],
        )
    both = {port.name for port in inputs} & {port.name for port in ports}
    if both or not ports:
        raise PortError(
            f"The name '{min(both)}' is given to an input and to an output." if both else "There is no output.",
            code="ports-invalid",
            where=f"function '{function}'",
        )
    return ports


def _port(name: str, value: Any) -> Port:
    items = array(value)
    return Port(names.check(name, "port"), items.shape, tuple(items.flat))
