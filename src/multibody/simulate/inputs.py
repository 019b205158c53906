"""What inputs do during a run: numbers, expressions, functions of Python, controllers with a sample time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MissingValueError, ModelError
from multibody.graph import Expr, Symbol, Table, as_expr, evaluate, free_symbols, time_derivative
from multibody.graph.number import is_number
from multibody.model.quantity import rate_name
from multibody.model.sensors.signal import resolved
from multibody.simulate.contract import Vector

Law = Callable[..., Any]


@dataclass(frozen=True)
class Sampled:
    """A discrete controller: a function that is called every ``period`` seconds; its value is held in between.

    It is called at the start of a run and whenever the time is a multiple of the period, once each and in the order of
    time: so it may have a memory, of one run at a time.

    Args:
        function: of t, of (t, q, u), or of (t, q, u, sensors); q and u are arrays in the order of ``eom.coordinates``
            and ``eom.speeds``, and sensors is a mapping by name.
        period: in seconds.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx", q=1.0)
        >>> drive = cart.load(mb.JointLoad(slide, cart.input("F")))
        >>> controller = mb.Sampled(lambda t, q, u: -4 * q[0] - 6 * u[0], period=0.02)
        >>> run = mb.simulate(mb.derive(cart), duration=8.0, inputs={"F": controller})
        >>> bool(abs(run["x"][-1]) < 1e-3), run["F"][0]
        (True, np.float64(-4.0))
    """

    function: Law
    period: float


@dataclass(frozen=True)
class Inputs:
    """The inputs of a run, sorted by what they are.

    Attributes:
        values: the number of each input that is constant, or held, by its place.
        expressions: inputs that are compiled into the equations.
        laws: functions of Python that are called whenever the equations are, by place.
        sampled: discrete controllers, by place.
        held: places of controllers that go on with the value of an earlier run.
    """

    values: Vector
    expressions: dict[Expr, Expr]
    laws: dict[int, Law]
    sampled: dict[int, Sampled]
    held: frozenset[int] = frozenset()


def read_inputs(eom: EquationsOfMotion, given: Mapping[str, Any] | None) -> Inputs:
    """Inputs from what the user gave by name; those that are not given are zero.

    An input whose rate is an input too, because a prescribed motion follows it, brings its rates along.
    """
    names = [one.name for one in eom.inputs]
    given = _by_element(eom, given or {})
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ModelError(
            f"There is no input {', '.join(map(repr, unknown))}.",
            where=f"system '{eom.model.name}'",
            remedy=f"The inputs are: {', '.join(names) or 'none'}.",
        )
    found = Inputs(np.zeros(len(names)), {}, {}, {})
    for name, value in given.items():
        _sort(eom, found, names.index(name), name, value)
    _require_rates(eom, found, given)
    return found


def _by_element(eom: EquationsOfMotion, given: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs by the names of their elements; an array of values is given to an array of inputs."""
    arrays = {one.name: one.symbols for one in eom.model.inputs if np.ndim(one.symbols)}
    result: dict[str, Any] = {}
    for name, value in given.items():
        if name not in arrays:
            result[name] = value
        elif np.shape(value) != np.shape(arrays[name]):
            raise ModelError(
                f"{np.shape(arrays[name])} values are needed, not {np.shape(value)}.",
                where=f"input '{name}' of system '{eom.model.name}'",
                remedy=f"Give an array of this shape, or {', '.join(one.name for one in np.ravel(arrays[name]))}.",
            )
        else:
            result |= zip([one.name for one in np.ravel(arrays[name])], np.ravel(np.array(value, object)), strict=True)
    return result


def known_inputs(
    eom: EquationsOfMotion, inputs: Inputs, parameters: Mapping[str, float] | None, t: float
) -> dict[str, float]:
    """What inputs are at a time, as far as that does not depend on a state: prescribed motions begin with it."""
    values = dict(zip([one.name for one in eom.inputs], map(float, inputs.values), strict=False))
    known: dict[Any, float] = {eom.model.time: t, **eom.model.parameter_values(parameters)}
    for one, expression in inputs.expressions.items():
        if all(symbol in known for symbol in free_symbols(expression)):
            values[str(one)] = float(evaluate(expression, known))
    for place, law in inputs.laws.items():
        if len(inspect.signature(law).parameters) == 1:
            values[eom.inputs[place].name] = float(law(t))
    return values


def _require_rates(eom: EquationsOfMotion, inputs: Inputs, given: Mapping[str, Any]) -> None:
    """A prescribed motion that follows a function of Python needs its velocity and its acceleration, too."""
    names = [one.name for one in eom.inputs]
    for place in [*inputs.laws, *inputs.sampled]:
        rate = rate_name(names[place])
        if rate in names and rate not in given:
            raise ModelError(
                f"A prescribed motion follows '{names[place]}', and its rate '{rate}' is not given.",
                where=f"input '{names[place]}' of system '{eom.model.name}'",
                cause="A function of Python has no derivative.",
                remedy=f"Give an expression of time or a smooth Table instead, or a function for '{rate}' as well.",
            )


def _sort(eom: EquationsOfMotion, inputs: Inputs, place: int, name: str, value: Any) -> None:
    if is_number(value):
        inputs.values[place] = float(value)
    elif isinstance(value, Table):
        _follow(eom, inputs, eom.inputs[place], value(eom.model.time))
    elif isinstance(value, Expr):
        _follow(eom, inputs, eom.inputs[place], resolved(value, eom.kinetics))
    elif isinstance(value, Sampled):
        inputs.sampled[place] = value
    elif callable(value):
        inputs.laws[place] = value
    else:
        raise ModelError(
            f"{value!r} is nothing that an input can follow.",
            where=f"input '{name}' of system '{eom.model.name}'",
            remedy="Give a number, an expression, a Table over time, a function of (t, q, u), or Sampled(…).",
        )


def _follow(eom: EquationsOfMotion, inputs: Inputs, symbol: Symbol, value: Expr) -> None:
    """Put an expression in place of an input, and its derivative in place of the input's rate, where there is one."""
    foreign = [one.name for one in free_symbols(value) if one.kind == "input" and one not in inputs.expressions]
    if foreign:
        raise ModelError(
            f"An input cannot follow other inputs: {', '.join(foreign)}.",
            where=f"input '{symbol.name}'",
            remedy="Write the expression in terms of time, coordinates, speeds, parameters and sensors.",
        )
    inputs.expressions[symbol] = value
    rate = next((one for one in eom.inputs if one.name == rate_name(symbol.name)), None)
    if rate is not None:
        try:
            _follow(eom, inputs, rate, as_expr(time_derivative(value, eom.model.flow())))
        except MissingValueError as error:
            raise ModelError(
                f"The rate of '{symbol.name}' is needed, and cannot be found.", where=f"input '{symbol.name}'"
            ) from error


def called(law: Law, eom: EquationsOfMotion, t: float, q: Vector, u: Vector, sensors: Callable[[], Any]) -> float:
    """The value of a user's function, which takes as much of (t, q, u, sensors) as it has parameters."""
    count = len(inspect.signature(law).parameters)
    arguments = (t, q.copy(), u.copy())
    value = law(*arguments, sensors()) if count > 3 else law(*arguments[:count])
    if not np.isfinite(float(value)):
        raise ModelError(
            f"A function for an input returned {value!r} at t = {t:.6g} s.",
            where=f"system '{eom.model.name}'",
            remedy="It must return a finite number.",
        )
    return float(value)


def copied(given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The same inputs for another run; objects that are called, and may remember something, as they are now.

    Functions are not copied: what they remember outside of themselves is shared by all runs.
    """
    objects = {name: one for name, one in (given or {}).items() if _remembers(one)}
    return given if not objects else {**(given or {}), **{name: deepcopy(one) for name, one in objects.items()}}


def _remembers(value: Any) -> bool:
    """Whether it is an object of the user's own, not a function, a number or an expression."""
    law = value.function if isinstance(value, Sampled) else value
    return callable(law) and not isinstance(law, Expr | Table | FunctionType | BuiltinFunctionType)
