"""Checks of names and symbols: what is used, what is unknown, what is called the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import MultibodyError
from multibody.graph import Symbol, array, free_symbols
from multibody.graph.names import with_article
from multibody.model.body import Body, Frame
from multibody.model.freeze.unknown_symbols import no_value
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model
from multibody.model.quantity import Input, Parameter, circle_of
from multibody.model.report import Finding, require_no_error
from multibody.model.sensors.contract import signal

if TYPE_CHECKING:
    from multibody.model.system import System

Uses = tuple[str, set[Symbol]]
"""A thing by its name, and the symbols that it depends on."""


def symbol_findings(system: System, kinematics: Kinematics) -> Iterator[Finding]:
    """Unknown symbols, names that are used twice, quantities that are not used."""
    model = kinematics.model
    fixed = list(_fixed_uses(system, model))
    moving: list[Uses] = [("gravity", set(free_symbols(list(model.gravity))))]
    for where, load in ((f"load '{name}'", load) for name, load in model.loads.items()):
        yield from _tried(where, lambda load=load: _of_load(load, kinematics), moving)
    for where, sensor in ((f"sensor '{name}'", sensor) for name, sensor in model.sensors.items()):
        yield from _tried(where, lambda sensor=sensor: sensor.measure(kinematics), moving)
    for where, held in ((f"constraint '{name}'", held) for name, held in model.constraints.items()):
        yield from _tried(where, lambda held=held: _of_constraint(held, kinematics), moving)
    moving += [("", set(free_symbols([*link.q, *link.u]))) for link in model.links]  # what loops depend on
    yield from _unknown(model, fixed + moving)
    yield from _circles(model)
    yield from _same_names(model)
    yield from _unused(system, set().union(*(symbols for _, symbols in fixed + moving)))


def _tried(where: str, make: Any, uses: list[Uses]) -> Iterator[Finding]:
    """Add what a load or sensor depends on, or report why it cannot be made."""
    try:
        uses.append((where, set(free_symbols(make()))))
    except MultibodyError as error:
        yield Finding.of(error, where)


def _of_load(load: Any, kinematics: Kinematics) -> list[Any]:
    applied = list(load.forces(kinematics))
    for force in applied:
        kinematics.model.attachment(force.frame)  # an error if it is none
    parts = [part for force in applied for part in force.force.components()]
    return [*parts, *load.generalized(kinematics).values(), load.potential(kinematics)]


def _of_constraint(constraint: Any, kinematics: Kinematics) -> list[Any]:
    equations = constraint.equations(kinematics)
    return [part for equation in equations for part in (equation.velocity, equation.position) if part is not None]


def _fixed_uses(system: System, model: Model) -> Iterator[Uses]:
    """Masses and places, which must not change with time; the movement of joints without its own coordinates."""
    for body in system.all(Body):
        yield f"body '{body.name}'", set(free_symbols([body.mass, *body.com, *body.inertia.components()]))
    for frame in system.all(Frame):
        yield f"frame '{frame.name}'", set(free_symbols(frame.pose.entries()))
    for link in model.links:
        places = [*link.before.entries(), *link.motion.pose(link.q).entries()]
        places += [part for axis in link.motion.axes(link.q) for part in axis.components()]
        yield f"joint '{link.joint.name}'", set(free_symbols(places)) - set(free_symbols(list(link.q)))
        if link.joint.prescribed is not None:
            yield "", {s for s in free_symbols([*link.q, *link.u, *link.a]) if s.kind == "parameter"}


def _unknown(model: Model, uses: list[Uses]) -> Iterator[Finding]:
    known = {model.time, *model.coordinates, *model.speeds, *model.accelerations}
    known |= {*model.input_symbols, *model.parameter_symbols}
    for where, symbols in uses:
        foreign = sorted(symbols - known, key=lambda one: one.name)
        if foreign:
            error = no_value(
                foreign, model.name, where,
                cause="It comes from another system, from symbol(…), or from a joint that closes a loop or is driven.",
                remedy="Use parameters, inputs, coordinates and speeds of this system.",
            )  # fmt: skip
            yield Finding("error", error.what, error.where, error.cause, error.remedy, code=error.code)


def _circles(model: Model) -> Iterator[Finding]:
    circle = circle_of(model.parameters)
    if circle:
        yield Finding(
            "error", f"The formulas of parameters lead in a circle: {circle}.", "parameters",
            "Each of them needs the value of the next one.", "Give one of them a number.", code="parameters-circular",
        )  # fmt: skip


def require_different_names(model: Model) -> None:
    """An error if one name represents several quantities, sensors included."""
    require_no_error(list(_same_names(model)))


def _same_names(model: Model) -> Iterator[Finding]:
    """Symbols of different kinds with one name, which cannot be told apart in a table or in generated code."""
    symbols = [model.time, *model.coordinates, *model.speeds, *model.input_symbols, *model.parameter_symbols]
    kinds = [(s.name, s.kind) for s in symbols] + [(s.name, "rate of a speed") for s in model.accelerations]
    for name, sensor in model.sensors.items():
        kinds += [(s.name, "sensor") for s in np.ravel(np.array(signal(name, sensor, model.name), dtype=object))]
    for name, count in Counter(name for name, _ in kinds).items():
        if count > 1:
            both = " and ".join(with_article(kind) for other, kind in kinds if other == name)
            yield Finding(
                "error", f"{count} quantities are called '{name}': {both}.", f"system '{model.name}'",
                "Rates are called like what they are the rate of, with _dot; entries of arrays with _1, _2.",
                "Rename one of them.", code="name-taken",
            )  # fmt: skip


def _unused(system: System, used: set[Symbol]) -> Iterator[Finding]:
    formulas = {s: d for p in system.all(Parameter) for s, d in p.default.items() if d is not None}
    waiting = list(used)
    while waiting:  # what the default of a used parameter depends on is used too
        for symbol in free_symbols(array(formulas.get(waiting.pop(), 0))):
            if symbol not in used:
                used.add(symbol)
                waiting.append(symbol)
    parameters = [parameter.name for parameter in system.all(Parameter) if used.isdisjoint(parameter.default)]
    inputs = [input_.name for input_ in system.all(Input) if used.isdisjoint(input_.flat)]
    for where, names in (("parameters", parameters), ("inputs", inputs)):
        if names:
            yield Finding(
                "warning",
                f"Not used: {', '.join(names)}.",
                where,
                remedy="Use or remove them.",
                code="quantity-not-used",
            )
