"""Names, units and expressions of what goes into a linear system and what comes out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.graph import Expr, Symbol, array, free_symbols, names
from multibody.graph.node import within
from multibody.linearization.operating_points.point import require_names_of, unknown_name
from multibody.model.sensors.contract import resolved
from multibody.simulation.results.recording import split


class Signal(NamedTuple):
    """Something with a name: an expression of (t, q, u, u̇, λ, r, p), and its SI unit."""

    name: str
    value: Expr
    unit: str = ""


def input_places(eom: EquationsOfMotion, wanted: Iterable[str] | None) -> list[int]:
    """The numbers of the inputs with these names; the name of an array of inputs means all of it."""
    known = [quantity.name for quantity in eom.inputs]
    if wanted is None:
        return list(range(len(known)))
    arrays = {quantity.name: [s.name for s in quantity.flat] for quantity in eom.model.inputs}
    listed = [part for name in listed_names(wanted) for part in arrays.get(name, [name])]
    require_names_of(eom.model, "input", listed, known)
    return [known.index(name) for name in listed]


def listed_names(given: Iterable[Any]) -> list[Any]:
    """Names as a list; a single one may stand for itself, and a symbol for its name."""
    listed = [given] if isinstance(given, str | Symbol) else list(given)
    return [item.name if isinstance(item, Symbol) else item for item in listed]


def output_signals(eom: EquationsOfMotion, wanted: Iterable[str] | Mapping[str, Any] | None) -> list[Signal]:
    """What is to come out: see ``linearize``."""
    if isinstance(wanted, Mapping):
        return [signal for name, value in wanted.items() for signal in _formula(eom, name, value)]
    if wanted is not None:
        return [signal for name in listed_names(wanted) for signal in _named(eom, name)]
    if eom.model.sensors:
        return [signal for name in eom.model.sensors for signal in _named(eom, name)]
    return [signal for symbol in (*eom.coordinates, *eom.speeds) for signal in _named(eom, symbol.name)]


def _named(eom: EquationsOfMotion, name: str) -> list[Signal]:
    """A sensor or one of its components; a coordinate, speed, acceleration, multiplier or input."""
    known = {symbol.name: symbol for symbol in _symbols(eom)}
    head, place = split(str(name), {*eom.model.sensors, *known})
    if head in eom.model.sensors:
        parts = _components(head, eom.outputs[head], eom.model.sensors[head].unit)
        chosen = [part for part in parts if part.name == name] if place else parts
        if place and not chosen:
            raise unknown_name("component", [name], [part.name for part in parts], eom.model)
        return chosen
    if name not in known:
        raise unknown_name("output", [name], [*eom.model.sensors, *known], eom.model)
    value = eom.model.values.get(known[name], known[name])
    return [Signal(name, value, units(eom).get(name, ""))]


def _symbols(eom: EquationsOfMotion) -> Sequence[Symbol]:
    model = eom.model
    return (*eom.coordinates, *eom.speeds, *model.accelerations, *eom.multipliers, *eom.inputs, *model.values)


def _formula(eom: EquationsOfMotion, name: str, value: Any) -> list[Signal]:
    """An expression that the user gave, with sensors and dependent coordinates put in."""
    with within(eom.table):
        found = resolved(array(value), eom.kinetics)
    known = {eom.model.time, *eom.parameters, *_symbols(eom)}
    unknown = [symbol.name for symbol in free_symbols(found) if symbol not in known]
    if unknown:
        raise unknown_name(f"quantity (in the output '{name}')", unknown, [symbol.name for symbol in known], eom.model)
    return _components(names.check(name, "output"), found, "")


def _components(name: str, value: Any, unit: str) -> list[Signal]:
    """A number as it is; an array element by element, called name_1, name_2 …, as in a trajectory."""
    elements: Any = array(value)
    return [Signal(names.element_name(name, place), elements[place], unit) for place in np.ndindex(elements.shape)]


def units(eom: EquationsOfMotion) -> dict[str, str]:
    """SI units of coordinates, speeds, accelerations, inputs and multipliers, by name."""
    return eom.once("units", lambda: _units(eom))


def _units(eom: EquationsOfMotion) -> dict[str, str]:
    found = {entry.name: entry.unit for entry in eom.symbol_table().entries}
    pairs = zip(eom.model.accelerations, eom.speeds, strict=True)
    return found | {a.name: f"{found[u.name]}²" for a, u in pairs if found[u.name].endswith("/s")}
