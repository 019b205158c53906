"""Parameters, inputs, expressions and controllers."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from multibody.compat.pymbs.command import Function, Range, Size, Value, command
from multibody.compat.pymbs.frames import scalar
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.symbolics import Matrix
from multibody.compat.pymbs.world import WorldBase
from multibody.graph.number import is_number


class VarKind(IntEnum):
    """Categories that scripts may give; here every expression is an output, and every sensor too."""

    User_Exp = 64
    Sensor = 256


class QuantityCommands(WorldBase):
    """Commands for what has a symbol."""

    @command("symbol_str defaultValue name positive negative", "name symbol_str defaultValue positive negative")
    def addParam(
        self, symbol_str: str, defaultValue: Value, positive: bool = False, negative: bool = False,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """A parameter; a vector or a matrix of them if the default is one.

        A vector ``l`` with three entries has the parameters ``l_x``, ``l_y`` and ``l_z``; entries of other vectors and
        of matrices are numbered: ``l_1``, ``l_2`` ….

        Args:
            symbol_str: its symbol.
            defaultValue: a number, a list, or a formula of other parameters.
            positive: whether it is positive; the default must be, too. √x² is |x| all the same, which has its value.
            negative: likewise.
            name: a description.
        """
        numbers = [number for number in np.ravel(np.array(defaultValue, dtype=object)) if is_number(number)]
        for wanted, sign, word in ((positive, 1, "positive"), (negative, -1, "negative")):
            if wanted and any(sign * number < 0 for number in numbers):
                raise UsageError(
                    f"'{symbol_str}' is said to be {word}, and its default is {defaultValue}.",
                    remedy="Change one of them.",
                    code="assumption-violated",
                    name=symbol_str,
                )
        own, value = self.symbol_name(symbol_str), _plain(defaultValue)
        if np.shape(value) != (3,):
            return as_written(self.system.parameter(own, value, description=name or ""))
        parts = zip("xyz", value, strict=True)
        return Matrix([self._component(f"{own}_{axis}", part, f"{name or own}, {axis}") for axis, part in parts])

    def _component(self, name: str, default: Any, description: str) -> Any:
        return self.system.parameter(self.symbol_name(name), default, description=description)

    @command("name symbol_str shape limits")
    def addInput(
        self, symbol_str: str, shape: Size | None = None, limits: Range | None = None, name: str | None = None
    ) -> Any:
        """An input: its symbol; or a vector or matrix of them.

        Args:
            symbol_str: its symbol.
            shape: (m, n) for a matrix, (m,) or (m, 1) for a vector; a scalar without it, and for (1, 1).
            limits: the range of its slider, [-1, 1] without them; as in PyMbs, they limit nothing else.
            name: a description.
        """
        pair = None if limits is None else tuple(map(float, limits))
        slider: Any = None if pair is None or np.isinf(pair).any() else pair
        own = self.symbol_name(symbol_str)
        return as_written(self.system.input(own, _size(shape), description=name or "", slider=slider))

    @command("name symbol_str exp category positive negative limits")
    def addExpression(
        self, symbol_str: str, exp: Value, name: str | None = None, category: Any = VarKind.User_Exp,
        positive: bool = False, negative: bool = False, limits: Range | None = None,
    ) -> Any:  # fmt: skip
        """A formula of sensors, inputs, parameters and coordinates; it is an output, too.

        Args:
            symbol_str: its symbol.
            exp: such as ``c*x[0] + d*x[1]``.
            name: a description, which is not kept.
            category: not needed here: all expressions are outputs.
            positive: not needed here.
            negative: not needed here.
            limits: not needed here.

        Returns:
            The formula, for use in loads and other expressions.
        """
        return as_written(self.system.expression(self.symbol_name(symbol_str), _plain(exp)))

    @command("name symbol_str controlfunc shape")
    def addController(
        self,
        symbol_str: str,
        controlfunc: Function,
        shape: Size | None = None,
        name: str | None = None,
    ) -> Any:
        """An input that a function of Python drives: for simulations in Python, not for exported code.

        Give ``world.inputs`` to ``multibody.simulate``; in exported code it is an input as all others.

        Args:
            symbol_str: its symbol.
            controlfunc: of the time, the state (coordinates, then speeds), and the sensors by name.
            shape: of what it returns, as for ``addInput``.
            name: a description.
        """
        symbols = self.addInput(symbol_str, shape, name=name)
        flat = np.ravel(np.array(symbols, dtype=object))
        for place, entry in enumerate(flat):
            self.controllers[entry.name] = _law(controlfunc, place)
        return symbols

    @property
    def inputs(self) -> dict[str, Any]:
        """The controllers, in the form in which ``multibody.simulate(…, inputs=…)`` takes them."""
        return dict(self.controllers)

    @command()
    def setGravity(self, value: Value) -> None:
        """Another acceleration of free fall, in the same direction.

        Args:
            value: in m/s².
        """
        self.system.gravity = [scalar(value) * part for part in self._direction]


def as_written(symbols: Any) -> Any:
    """An array of symbols as a matrix, whose ``*`` is the product of matrices; one symbol as it is."""
    return Matrix(symbols) if isinstance(symbols, np.ndarray) else symbols


def _plain(value: Any) -> Any:
    """A matrix of one column as a vector, and any matrix as an array."""
    if not isinstance(value, list | tuple | np.ndarray):
        return value
    entries = np.array(value, dtype=object)
    return entries[:, 0] if entries.ndim == 2 and entries.shape[1] == 1 else entries


def _size(shape: Any) -> tuple[int, ...]:
    """(m, n), (m,) for a vector, () for a scalar."""
    numbers = [] if shape is None else [int(size) for size in np.ravel(shape)]
    while numbers and numbers[-1] == 1:
        numbers.pop()
    return tuple(numbers)


def _law(function: Callable[..., Any], place: int) -> Callable[..., float]:
    """One number of what a controller of PyMbs returns."""

    def law(t: float, q: Any, u: Any, sensors: Any) -> float:
        return float(np.ravel(function(t, np.concatenate([q, u]), sensors))[place])

    return law
