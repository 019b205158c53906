"""Names, units and numbers of what is exported, without a language: states, inputs, outputs, parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibody.codegen.quantities import ScalarVariable
from multibody.codegen.sensor_descriptions import entry_descriptions
from multibody.codegen.syntax import one_line
from multibody.equations import EquationsOfMotion
from multibody.equations.printed_forms.symbol_table import Entry
from multibody.errors import MissingValueError
from multibody.graph import Constant, Expr, Symbol, substitute
from multibody.model.quantity import shaped_names


@dataclass(frozen=True, eq=False)
class ProgramData:
    """The quantities of one set of equations of motion.

    Attributes:
        eom: the equations.
        parameters: with their numbers.
        coordinates: with consistent start values.
        speeds: likewise.
    """

    eom: EquationsOfMotion
    parameters: tuple[ScalarVariable, ...]
    coordinates: tuple[ScalarVariable, ...]
    speeds: tuple[ScalarVariable, ...]

    @property
    def name(self) -> str:
        """Of the system."""
        return self.eom.model.name

    @property
    def states(self) -> tuple[ScalarVariable, ...]:
        """Coordinates, then speeds."""
        return self.coordinates + self.speeds

    @property
    def levels(self) -> tuple[int, ...]:
        """1 for each coordinate and speed whose start value the user gave, 0 for those that follow."""
        written = self.eom.model.written
        return tuple(int(symbol.name in written) for symbol in (*self.eom.coordinates, *self.eom.speeds))

    @property
    def guess(self) -> tuple[float, ...]:
        """Start values as the user has given them, or left them open, whether they keep the constraints or not."""
        return tuple(float(self.eom.model.start[symbol]) for symbol in (*self.eom.coordinates, *self.eom.speeds))

    @cached_property
    def inputs(self) -> tuple[ScalarVariable, ...]:
        """The inputs r, zero by default."""
        pairs = ((signal, symbol) for signal in self.eom.model.inputs for symbol in signal.flat)
        limits = self.eom.model.input_limits
        return tuple(
            ScalarVariable(symbol.name, signal.unit, signal.description, 0.0, symbol, limits=limits.get(symbol))
            for signal, symbol in pairs
        )

    @cached_property
    def outputs(self) -> tuple[ScalarVariable, ...]:
        """What the sensors measure, as scalars."""
        found = []
        for name, value in self.eom.outputs.items():
            said = entry_descriptions(self.eom.model.sensors[name], np.shape(value))
            names = shaped_names(name, np.shape(value))
            found += [ScalarVariable(name, unit, what) for name, (what, unit) in zip(names, said, strict=True)]
        return tuple(found)

    @cached_property
    def multipliers(self) -> tuple[ScalarVariable, ...]:
        """The constraint forces λ."""
        table = {entry.name: entry for entry in self.eom.symbol_table().entries if entry.kind == "multiplier"}
        return tuple(quantity(table[multiplier.name], 0.0, multiplier) for multiplier in self.eom.multipliers)

    @property
    def arguments(self) -> dict[str, tuple[ScalarVariable, ...]]:
        """The arrays q, u, r and p that every routine is given, after the time t."""
        return {"q": self.coordinates, "u": self.speeds, "r": self.inputs, "p": self.parameters}

    @property
    def signals(self) -> dict[str, tuple[ScalarVariable, ...]]:
        """Whatever changes while the system moves: the arrays q, u and r, and the outputs of all sensors."""
        return {"q": self.coordinates, "u": self.speeds, "r": self.inputs, "outputs": self.outputs}

    def require_values(self, target: str) -> None:
        """An error if a parameter has no number, for targets that cannot be without one."""
        missing = [parameter.name for parameter in self.parameters if parameter.is_open]
        if missing:
            raise MissingValueError(
                f"No value for: {', '.join(sorted(missing))}.",
                where=f"parameters of system '{self.name}'",
                cause=f"What {target} writes has a start value for each parameter.",
                remedy="Give each a default in the system, or a number by parameters=… here.",
            )

    def legend(self) -> list[str]:
        """What each place of each array holds, for comments."""
        return [
            one_line(f"{array}[{k}]: {quantity.name} {quantity.meaning}")
            for array, quantities in self.signals.items()
            for k, quantity in enumerate(quantities)
        ]

    def explicit(self, thing: Any) -> Any:
        """Expressions with what u̇ and λ are, where that is a number; elsewhere ``code`` puts it in."""
        numbers = {symbol: value for symbol, value in self.solved.items() if isinstance(value, Constant)}
        return substitute(thing, numbers) if numbers else thing

    @cached_property
    def solved(self) -> dict[Expr, Expr]:
        """u̇ and λ as functions of (t, q, u, r, p)."""
        known: dict[Expr, Expr] = dict(zip(self.eom.model.accelerations, self.eom.acceleration, strict=True))
        return known | dict(zip(self.eom.multipliers, self.eom.multiplier_values, strict=True))


def quantity(entry: Entry, value: float, symbol: Symbol) -> ScalarVariable:
    """A quantity with the unit and the description of its entry in the table of symbols."""
    return ScalarVariable(entry.name, entry.unit, entry.description, value, symbol)
