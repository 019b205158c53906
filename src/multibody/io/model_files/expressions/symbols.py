"""The names that formulas of a file can use, and the symbols behind them.

A parameter, an input, a coordinate, a speed and time have their plain names, an array's elements ``name_1``,
``name_1_2``. What a sensor measures is ``measured.name``. Where two things have the same name, their group says which
one is meant: ``parameter.x``, ``input.x``, ``coordinate.x``, ``speed.x``, ``acceleration.x``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from multibody.errors import MultibodyError, ParseError, UnknownNameError
from multibody.graph import Expr, Symbol, Table, parse, symbol
from multibody.graph.names import suggestion
from multibody.graph.text.plain_text import RESERVED
from multibody.model import Input, Joint, Parameter, System
from multibody.model.quantity import acceleration_symbol
from multibody.model.sensors.contract import signal

GROUPS = ("parameter", "input", "coordinate", "speed", "acceleration", "measured")

_QUALIFIED = re.compile(rf"(?<![\w.`])(?:{'|'.join(GROUPS)})\.[^\W\d]\w*")
_CALL = re.compile(r"\s*\(")
_NAME = re.compile(r"`([^`\n]*)`|([^\W\d]\w*)")


class Symbols:
    """What names in formulas stand for."""

    def __init__(self) -> None:
        self._by_group: dict[str, Symbol] = {}
        self._plain: dict[str, list[tuple[str, Symbol]]] = {}

    @classmethod
    def of(cls, system: System) -> Symbols:
        """All symbols of a system."""
        known = cls()
        known.add_time(system)
        for parameter in system.all(Parameter):
            known.add("parameter", parameter.default)
        for input_ in system.all(Input):
            known.add("input", input_.flat)
        for joint in system.all(Joint):
            known.add_joint(joint)
        for name in system.sensors:
            known.add_sensor(system, name)
        return known

    def add_time(self, system: System) -> None:
        """The symbol t."""
        self.add("time", [system.time])

    def add(self, group: str, symbols: Iterable[Symbol]) -> None:
        """Symbols of one group."""
        for variable in symbols:
            self._by_group[f"{group}.{variable.name}"] = variable
            if group != "measured":
                self._plain.setdefault(variable.name, []).append((group, variable))

    def add_parameter(self, name: str, scope: str, shape: tuple[int, ...]) -> None:
        """A parameter, before it is part of a system: formulas may use those that come later."""
        places = ["_".join([name, *(str(k + 1) for k in place)]) for place in np.ndindex(*shape)]
        self.add("parameter", [symbol(place, "parameter", scope) for place in places])

    def add_joint(self, joint: Joint) -> None:
        """Coordinates, speeds, and accelerations."""
        self.add("coordinate", joint.coordinates)
        self.add("speed", joint.speeds)
        self.add("acceleration", map(acceleration_symbol, joint.speeds))

    def add_sensor(self, system: System, name: str) -> None:
        """What a sensor measures."""
        self.add("measured", np.ravel(np.array(signal(name, system.sensors[name], system.name), dtype=object)))

    # names to symbols --------------------------------------------------------------------------------------------

    def named(self, name: str) -> Symbol | None:
        """The symbol behind a name; None if there is none, or if several have it."""
        found = self._plain.get(name, [])
        return self._by_group.get(name) if len(found) != 1 else found[0][1]

    def is_state(self, name: str) -> bool:
        """Whether a coordinate or a speed has this name."""
        return any(f"{group}.{name}" in self._by_group for group in ("coordinate", "speed"))

    def parsed(self, text: str, tables: dict[str, Table], local: dict[str, Symbol] | None = None) -> Expr:
        """The expression that a text describes.

        Args:
            text: the formula.
            tables: functions by name.
            local: names that are known in this formula only.

        Raises:
            ParseError: with the position in the text.
        """
        marked, inserted = _marked(text)
        wanted = {match[1] or match[2] for match in _NAME.finditer(marked)}
        known = {name: one for name in wanted if (one := self.named(name)) is not None} | (local or {})
        try:
            return parse(marked, known, functions=tables)
        except ParseError as error:
            raise self._explained(text, error, inserted) from error

    def _explained(self, text: str, error: ParseError, inserted: list[int]) -> ParseError:
        """The error with the position in the text as it was written, and with what else the name may mean."""
        position = error.position - sum(place < error.position for place in inserted)
        match = _NAME.match(text, position) if 0 <= position <= len(text) else None
        name = match[0] if match else ""
        remedy, what = error.remedy, error.what
        several = len(self._plain.get(name, [])) > 1
        if several:
            what = f"The name '{name}' is that of several things."
            groups = dict.fromkeys(group for group, _ in self._plain[name])
            ways = " or ".join(f"{group}.{name}" for group in groups)
            remedy = f"Write {ways}." if len(groups) > 1 else "Rename one of them; entries of arrays end in _1, _2."
        elif error.code == UnknownNameError.code and not _CALL.match(text, position + len(name)):
            remedy = self._suggestion(name)
        found = ParseError(
            what, position=position, where=error.where, cause=error.cause, remedy=remedy,
            code="name-ambiguous" if several else error.code,
        )  # fmt: skip
        found.fields.update(error.fields)
        return found

    def _suggestion(self, name: str) -> str:
        if f"measured.{name}" in self._by_group:
            return f"For the value of the sensor, write measured.{name}."
        names = [*self._plain, *(group for group in self._by_group if group.startswith("measured."))]
        return suggestion([name], names) or f"There are: {', '.join(names[:20])}."

    # symbols to names --------------------------------------------------------------------------------------------

    def text(self, one: Symbol) -> str:
        """How a symbol is written.

        Raises:
            MultibodyError: if it belongs to another system.
        """
        found = [group for group, known in self._plain.get(one.name, []) if known is one]
        if found:
            alone = len(self._plain[one.name]) == 1
            plain = f"`{one.name}`" if one.name in RESERVED else one.name
            return plain if alone else f"{found[0]}.{one.name}"
        if self._by_group.get(f"measured.{one.name}") is one:
            return f"measured.{one.name}"
        raise MultibodyError(
            f"The symbol '{one.name}' belongs to no part of the system.",
            remedy="Use coordinates, speeds, parameters, inputs and measured values of this system.",
            code="symbol-not-in-system",
            name=one.name,
        )

    def free(self, name: str) -> str:
        """A name like this one that no plain symbol has."""
        while name in self._plain or name in RESERVED:
            name += "_"
        return name


def _marked(text: str) -> tuple[str, list[int]]:
    """The text with names such as ``measured.v`` between backquotes, and the places of these in the result."""
    inserted: list[int] = []

    def quoted(match: re.Match[str]) -> str:
        start = match.start() + len(inserted)
        inserted.extend((start, start + len(match[0]) + 1))
        return f"`{match[0]}`"

    return _QUALIFIED.sub(quoted, text), inserted
