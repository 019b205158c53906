"""What an exported program is made of: named scalars, results and routines, with names, units and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np

from multibody.codegen.sensor_descriptions import entry_descriptions
from multibody.codegen.syntax import one_line
from multibody.equations import EquationsOfMotion
from multibody.equations.printed_forms.symbol_table import Entry
from multibody.errors import MissingValueError
from multibody.graph import Constant, Expr, Symbol, array, substitute
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


@dataclass(frozen=True)
class ScalarVariable:
    """A scalar with a name: a state, an input, a parameter, an output.

    Attributes:
        name: the user's name; entries of arrays are called ``name_1`` or ``name_1_2``.
        unit: SI unit, as text; empty where it is not known.
        description: what it is.
        value: start value, default, or zero.
        symbol: its symbol in the expressions; None for outputs.
        formula: of a parameter that follows from others, unless it is given a number; the value is that for the
            defaults of these.
        limits: low and high of an input that ``simulate`` holds within them; an end may be infinite.
    """

    name: str
    unit: str = ""
    description: str = ""
    value: float = 0.0
    symbol: Symbol | None = None
    formula: Expr | None = None
    limits: tuple[float, float] | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is a parameter that has no number, and no formula: it must be given one."""
        return isnan(self.value) and self.formula is None

    @property
    def meaning(self) -> str:
        """Unit, description and limits, for comments; code that takes an input as an argument does not hold it."""
        unit = f"[{self.unit}]" if self.unit else ""
        limits = "" if self.limits is None else "(limits {:g} to {:g}: to be kept by the caller)".format(*self.limits)
        return " ".join(part for part in (unit, self.description, limits) if part)

    def meaning_of(self, spelled: str) -> str:
        """The meaning, after the user's name where that is spelled in another way."""
        return self.meaning if spelled == self.name else f"{self.name} {self.meaning}".strip()


@dataclass(frozen=True)
class Result:
    """A scalar, vector or matrix that a routine computes.

    Attributes:
        name: an identifier such as ``"M"``.
        description: what it is, for comments.
        shape: ``()``, ``(n,)`` or ``(n, m)``.
        values: its expressions, row by row.
        labels: a name for each of them.
    """

    name: str
    description: str
    shape: tuple[int, ...]
    values: tuple[Expr, ...]
    labels: tuple[str, ...]

    @staticmethod
    def of(name: str, values: Any, description: str = "", labels: Sequence[str] | None = None) -> Result:
        """A result from an expression, a list or an array of expressions.

        Example:
            >>> from multibody.graph import symbols
            >>> x, y = symbols("x y")
            >>> Result.of("M", [[x, 0], [0, y]]).labels
            ('M_1_1', 'M_1_2', 'M_2_1', 'M_2_2')
        """
        entries = array(values)
        places = ("_".join([name, *(str(k + 1) for k in place)]) for place in np.ndindex(*entries.shape))
        return Result(
            name, description, entries.shape, tuple(entries.flat), tuple(places if labels is None else labels)
        )

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return len(self.values)


@dataclass(frozen=True)
class Routine:
    """A function of (t, q, u, r, p) with named results."""

    name: str
    description: str
    results: tuple[Result, ...]
