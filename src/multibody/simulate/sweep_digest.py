"""Short texts that tell whether two sweeps are the same, also in another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import sha256
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.graph import Table
from multibody.graph.node import Node
from multibody.simulate.contact import Impact
from multibody.simulate.contract import Integrator
from multibody.simulate.events import Event
from multibody.simulate.inputs import Sampled


def digest(*things: Any) -> str:
    """The same text for the same things, in every process.

    Expressions count by their value, whatever they look like. Functions of Python count by their name and code, and by
    the plain values that they refer to: the best that can be done.

    Example:
        >>> digest(1.0, "a") == digest(1.0, "a"), digest(1.0) == digest(2.0)
        (True, False)
    """
    return sha256(_text(list(things)).encode()).hexdigest()


def equations_digest(eom: EquationsOfMotion) -> str:
    """What the equations say, whatever formalism they come from: names, rates, accelerations, constraints, sensors."""
    symbols = (*eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters)
    sensors = {name: np.asarray(value).tolist() for name, value in eom.outputs.items()}
    return digest(
        eom.model.name, [one.name for one in symbols], list(eom.rates), list(eom.acceleration),
        np.asarray(eom.constraints.velocity).tolist(), sensors,
    )  # fmt: skip


def equation_digests(eom: EquationsOfMotion) -> dict[str, str]:
    """A short text for each equation of a motion, by what it is about; found once.

    What sensors measure is left out: it follows from a motion, and is not part of it.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx")
        >>> list(equation_digests(mb.derive(cart)))
        ['rate of x', 'acceleration of x_dot']
    """

    def make() -> dict[str, str]:
        parts: dict[str, Any] = {
            f"rate of {one.name}": rate for one, rate in zip(eom.coordinates, eom.rates, strict=True)
        }
        parts |= {f"acceleration of {one.name}": u for one, u in zip(eom.speeds, eom.acceleration, strict=True)}
        rows = [(one.position, one.velocity) for one in eom.constraints.equations]
        parts |= {f"constraint {name}": row for name, row in zip(eom.constraints.names, rows, strict=True)}
        return {name: digest(one)[:16] for name, one in parts.items()}

    return eom.once("equation digests", make)


def different(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The names whose values are not the same in two mappings, or that only one of them has."""
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


def start_digest(eom: EquationsOfMotion) -> str:
    """The values that a model brings along: start values, and defaults of parameters."""
    defaults = {symbol: value for one in eom.model.parameters for symbol, value in one.default.items()}
    return digest(dict(eom.model.start), defaults)


def _text(thing: Any) -> str:
    match thing:
        case None | bool() | int() | float() | str() | bytes():
            return repr(thing)
        case Node():
            return f"node {thing.fp!r}"
        case Table():
            return f"table {thing.digest}"
        case np.ndarray() | np.generic():
            return f"array {thing.dtype} {thing.shape} {sha256(np.ascontiguousarray(thing).tobytes()).hexdigest()}"
        case Mapping():
            return f"{{{', '.join(f'{_text(key)}: {_text(value)}' for key, value in thing.items())}}}"
        case list() | tuple():
            return f"[{', '.join(map(_text, thing))}]"
        case set() | frozenset():
            return f"[{', '.join(sorted(map(_text, thing)))}]"
        case Integrator() | Event() | Impact() | Sampled():
            return _named(thing) + _text([getattr(thing, one.name) for one in _fields(thing)])
        case partial():
            return _text([thing.func, thing.args, thing.keywords])
        case MethodType():
            return _text(thing.__func__)
        case FunctionType():
            return _code(thing.__code__) + _text([thing.__defaults__, thing.__kwdefaults__, *_captured(thing)])
    return _named(thing)


def _fields(thing: Any) -> tuple[Any, ...]:
    return fields(thing) if is_dataclass(thing) else ()


def _named(thing: Any) -> str:
    return f"{type(thing).__module__}.{type(thing).__qualname__}"


def _code(code: CodeType) -> str:
    """What a function does, with the functions within it, but not where it stands."""
    constants = [_code(one) if isinstance(one, CodeType) else _text(one) for one in code.co_consts]
    return f"{code.co_qualname} {code.co_code!r} {code.co_names} {constants}"


def _captured(function: FunctionType) -> list[Any]:
    """Values from around a function; of other functions among them, which may refer to each other, the code."""
    found = []
    for cell in function.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:  # not yet there
            continue
        found.append(_code(value.__code__) if isinstance(value, FunctionType) else value)
    return found
