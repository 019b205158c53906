"""The identification of a model and its equations: a digest of each part that can change a result.

Bodies, joints, loads, constraints, sensors, limits, defaults and start values count as the user wrote them, expressions
by their value; rates, accelerations and constraints as the formalism derived them. Drawings, colors, descriptions and
ranges of sliders do not count: they change no number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.graph import Expr, Symbol
from multibody.model import Model, System
from multibody.model.body import Body
from multibody.model.joint import Joint
from multibody.simulation.results.object_identity import UnidentifiedError, state_digest

LENGTH = 16
"""Digits of the digest of a part."""

DERIVED = ("rate of ", "acceleration of ", "equation of ")
"""The first words of parts that a formalism has derived."""

SENSOR, DEFAULT, START = "sensor", "default of parameter", "start value of"
"""The first words of parts that a motion does not depend on once its parameters and its start are known."""


def object_digest(*things: Any, what: str = "", of_model: bool = False) -> str:
    """A text of 64 digits for the state of objects, in which equations of motion and models count by their parts.

    Args:
        things: numbers, arrays, expressions, functions, objects of the user and containers of them.
        what: how the user calls them, for errors.
        of_model: whether they are parts of a model, which refer to bodies and joints by their names.

    Raises:
        UnidentifiedError: if the state of an object cannot be read.

    Example:
        >>> from functools import partial
        >>> gain = lambda k, t: k * t
        >>> object_digest(partial(gain, 2.0)) == object_digest(partial(gain, 2.0))
        True
        >>> object_digest(partial(gain, 2.0)) == object_digest(partial(gain, 3.0))
        False
    """
    return state_digest(*things, parts_of=_parts_of, what=what, of_model=of_model)


def _parts_of(thing: EquationsOfMotion | Model | System) -> dict[str, str]:
    if isinstance(thing, EquationsOfMotion):
        return equation_parts(thing)
    return model_parts(thing.freeze() if isinstance(thing, System) else thing)


def equation_parts(eom: EquationsOfMotion) -> dict[str, str]:
    """A digest of each part of equations of motion and their model, by what it is about; found once.

    The digest of an object of the user that cannot be identified is empty.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx")
        >>> [*equation_parts(mb.derive(cart))]  # doctest: +NORMALIZE_WHITESPACE
        ['rate of x', 'acceleration of x_dot', 'names', 'gravity', 'body box', 'joint x', 'start value of x',
         'start value of x_dot']
    """

    def make() -> dict[str, str]:
        return {**dict(_digested(_derived(eom))), **model_parts(eom.model)}

    return eom.once("equation parts", make)


def motion_parts(eom: EquationsOfMotion) -> dict[str, str]:
    """The parts that motions, forces and energies depend on, where parameters and the start are known."""
    return {name: part for name, part in equation_parts(eom).items() if not name.startswith((SENSOR, DEFAULT, START))}


def sensor_parts(eom: EquationsOfMotion) -> dict[str, str]:
    """The parts that are sensors, by their own names."""
    first = f"{SENSOR} "
    return {name.removeprefix(first): part for name, part in equation_parts(eom).items() if name.startswith(first)}


def model_parts(model: Model) -> dict[str, str]:
    """A digest of each part of a model, by what it is about."""
    return dict(_digested(_written(model)))


def _digested(parts: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    for name, part in parts:
        try:
            yield name, object_digest(part, what=name, of_model=True)[:LENGTH]
        except UnidentifiedError:
            yield name, ""


def unidentified_parts(eom: EquationsOfMotion) -> list[str]:
    """The names of parts that hold an object of the user which cannot be identified."""
    return [name for name, part in equation_parts(eom).items() if not part]


# what the user wrote -------------------------------------------------------------------------------------------------


def _written(model: Model) -> Iterator[tuple[str, Any]]:
    names = [
        [variable.name for variable in group] for group in (model.coordinates, model.speeds, model.parameter_symbols)
    ]
    yield "names", [model.name, *names, [(quantity.name, str(quantity.unit)) for quantity in model.inputs]]
    yield "gravity", model.gravity.components()
    for body in model.bodies:
        yield f"body {body.name}", _body(body)
    for joint in (*model.joints, *model.cuts):
        yield f"joint {joint.name}", _joint(joint)
    for kind, things in (("load", model.loads), ("constraint", model.constraints), (SENSOR, model.sensors)):
        for name, thing in things.items():
            yield f"{kind} {name}", thing
    limits = {quantity.name: quantity.limits for quantity in model.inputs if quantity.limits is not None}
    if limits:
        yield "limits of inputs", limits
    if model.unreduced is not None:
        yield "loops in closed form", (_by_name(model.values), dict(model.unreduced.constraints))
    elif model.values:
        yield "driven and dependent joints", _by_name(model.values)
    for symbol, default in ((s, value) for parameter in model.parameters for s, value in parameter.default.items()):
        yield f"{DEFAULT} {symbol.name}", default
    for symbol, value in model.start.items():
        yield f"{START} {symbol.name}", (value, symbol.name in model.written)


def _body(body: Body) -> list[Any]:
    return [body.mass, body.com.components(), body.inertia.components(), body.twins]


def _joint(joint: Joint) -> list[Any]:
    symbols = [symbol.name for symbol in (*joint.coordinates, *joint.speeds)]
    return [joint.parent, joint.child, joint.kind, symbols, joint.limits, joint.prescribed, joint.cut, joint.guessed]


def _by_name(values: Mapping[Symbol, Expr]) -> dict[str, Expr]:
    return {symbol.name: value for symbol, value in values.items()}


# what was derived ----------------------------------------------------------------------------------------------------


def _derived(eom: EquationsOfMotion) -> Iterator[tuple[str, Any]]:
    for coordinate, rate in zip(eom.coordinates, eom.rates, strict=True):
        yield f"rate of {coordinate.name}", rate
    for speed, acceleration in zip(eom.speeds, eom.acceleration, strict=True):
        yield f"acceleration of {speed.name}", acceleration
    for name, equation in zip(eom.constraints.names, eom.constraints.equations, strict=True):
        yield f"equation of constraint {name}", (equation.position, equation.velocity, equation.side)
    if not eom.model.bodies:
        yield "mass matrix and forces", (eom.M, eom.h, eom.f)
        if eom.energy_known:
            yield "energies", (eom.kinetic_energy, eom.potential_energy, eom.known_powers)
