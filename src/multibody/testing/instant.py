"""Values of all symbols of a system at one instant, and their rates.

Rates and derivatives are found by a complex step: f(x + i·h) = f(x) + i·h·f'(x) + O(h²), so that the imaginary part
is the derivative, with all its digits (Squire and Trapp 1998). No rule for derivatives is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.equations import EquationsOfMotion
from multibody.graph import Symbol, array, evaluate
from multibody.testing.random_values import Arguments, random_arguments

_STEP = 1e-30

Values = dict[Any, Any]
"""A number for each symbol."""

At = int | Arguments
"""A seed for random arguments, or the arguments themselves."""


class StateValues:
    """Values of all symbols of equations of motion.

    Args:
        eom: the equations; u̇ and the multipliers of constraints follow from them.
        state: numbers for time, coordinates, speeds, inputs and parameters.
    """

    def __init__(self, eom: EquationsOfMotion, state: Mapping[Symbol, float]) -> None:
        self.eom = eom
        self.state: Values = {**state}

    @classmethod
    def of(cls, eom: EquationsOfMotion, at: At) -> StateValues:
        """A random moment, or a given one."""
        model = eom.model
        t, *others = random_arguments(model, at) if isinstance(at, int) else at
        symbols = (model.coordinates, model.speeds, model.input_symbols, model.parameter_symbols)
        state = {model.time: float(t)}
        for names, numbers in zip(symbols, others, strict=True):
            state |= dict(zip(names, map(float, numbers), strict=True))
        return cls(eom, state)

    @cached_property
    def values(self) -> Values:
        """The state, with u̇ and the multipliers by their explicit formulas."""
        symbols = (*self.eom.model.accelerations, *self.eom.multipliers)
        formulas = [*self.eom.acceleration, *self.eom.multiplier_values]
        return {**self.state, **dict(zip(symbols, evaluate(formulas, self.state), strict=True))}

    def __call__(self, thing: Any) -> NDArray[np.float64]:
        """The numbers for an expression, or for an array of expressions."""
        return np.array(evaluate(array(thing), self.values), dtype=np.float64)

    def with_speeds(self, factor: float) -> StateValues:
        """The same moment with all speeds multiplied by a factor."""
        return StateValues(self.eom, self.state | {u: factor * self.state[u] for u in self.eom.speeds})

    # change ------------------------------------------------------------------------------------------------------

    def rate(self, thing: Any) -> NDArray[np.float64]:
        """d/dt of expressions of t, q, u, r and p, along the motion."""
        return self.along(thing, self._rates())

    def along(self, thing: Any, direction: Mapping[Symbol, float]) -> NDArray[np.float64]:
        """The derivative of expressions when symbols change at given rates."""
        moved: Values = {symbol: complex(self.values[symbol], _STEP * rate) for symbol, rate in direction.items()}
        found = evaluate(array(thing), {**self.values, **moved})
        return np.array(found, dtype=complex).imag / _STEP

    def jacobian(self, thing: Any, symbols: Sequence[Symbol]) -> NDArray[np.float64]:
        """The derivatives by several symbols, which come as a new last dimension."""
        steps = 1j * _STEP * np.eye(len(symbols))
        moved = {symbol: self.values[symbol] + row for symbol, row in zip(symbols, steps, strict=True)}
        expressions = array(thing)
        found = evaluate(list(expressions.flat), self.values | moved)
        rows = [np.broadcast_to(value, len(symbols)) for value in found]
        return np.array(rows, dtype=complex).imag.reshape(*expressions.shape, len(symbols)) / _STEP

    def virtual(self) -> Values:
        """q̇ = N·u: how the coordinates would change at these speeds if time, and all that is driven by it, stood."""
        rates, carried = self(list(self.eom.rates)), self.with_speeds(0)(list(self.eom.rates))
        return dict(zip(self.eom.coordinates, rates - carried, strict=True))

    def _rates(self) -> Values:
        """Of time 1; of q and u by the equations; of an input, if it matters, by an input of its own."""
        model = self.eom.model
        flow = model.flow(model.accelerations)
        return {model.time: 1.0} | dict(zip(flow, self(list(flow.values())), strict=True))

    # words -------------------------------------------------------------------------------------------------------

    def agree(self, what: str, left: Any, right: Any, size: Any = 0.0, tolerance: float = 1e-9) -> None:
        """Raise unless two results are the same numbers.

        Args:
            what: what is compared, for the message.
            left: one result.
            right: the other.
            size: of terms that cancel on the way to the results, and leave an error that goes with their size.
            tolerance: relative to the largest of all these numbers.
        """
        a, b = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
        scale = max(np.abs(x).max(initial=0.0) for x in (a, b, np.asarray(size, dtype=float)))
        if not (np.abs(a - b) <= tolerance * scale).all():  # False for NaN, too
            self.refuse(f"{what}: {_shown(a)} is not {_shown(b)}")

    def refuse(self, what: str) -> None:
        """Raise an error that names the system and its state."""
        state = ", ".join(f"{symbol.name} = {value:.6g}" for symbol, value in self.state.items())
        raise AssertionError(f"System '{self.eom.model.name}' by {self.eom.formalism}: {what}\n  at {state}")


def _shown(numbers: NDArray[np.float64]) -> str:
    return np.array2string(numbers, precision=10, threshold=40, separator=", ")
