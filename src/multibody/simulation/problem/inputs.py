"""What inputs do during a run: numbers, expressions, functions of Python, controllers with a sample time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MissingValueError, ModelError, NumberError
from multibody.graph import Constant, Expr, Symbol, Table, as_expr, evaluate, free_symbols, time_derivative
from multibody.graph.names import suggestion
from multibody.graph.number import is_number
from multibody.model.quantity import Range, finite_value, rate_name
from multibody.simulation.contract import Vector
from multibody.simulation.problem.given_expressions import expression_of, written
from multibody.simulation.problem.input_limits import limits_of_inputs, saturated, saturated_expression

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

    def __post_init__(self) -> None:
        law: Any = self.function
        if not callable(law) or isinstance(law, Expr | Table):
            raise ModelError(
                f"{law!r:.200} is not a function.",
                code="not-a-function",
                where="Sampled",
                remedy="Give a function of (t, q, u); numbers, expressions and tables need no period.",
            )
        if not finite_value(self.period, "period of Sampled") > 0:
            raise NumberError(
                f"The period is {self.period!r} s.",
                code="period-not-positive",
                where="Sampled",
                remedy="Give a positive one.",
            )


@dataclass(frozen=True)
class Inputs:
    """The inputs of a run, sorted by what they are.

    Attributes:
        values: the number of each input that is constant, or held, by its place.
        expressions: inputs that are compiled into the equations.
        laws: functions of Python that are called whenever the equations are, by place.
        sampled: discrete controllers, by place.
        held: places of controllers that go on with the value of an earlier run.
        limits: low and high of inputs that have limits, by place. Values and expressions are held within them; what
            functions return is held within them where they are called.
        asked: the numbers without limits, by place.
        asked_expressions: the expressions without limits, by place, for inputs that have some.
    """

    values: Vector
    expressions: dict[Expr, Expr]
    laws: dict[int, Law]
    sampled: dict[int, Sampled]
    held: frozenset[int] = frozenset()
    limits: Mapping[int, Range] = field(default_factory=dict)
    asked: Vector = field(default_factory=lambda: np.zeros(0))
    asked_expressions: dict[int, Expr] = field(default_factory=dict)

    def with_numbers(self, values: Vector) -> Inputs:
        """The same with other numbers, which are held within the limits."""
        within = values.copy()
        for place, limits in self.limits.items():
            within[place] = saturated(float(values[place]), limits)
        return replace(self, values=within, asked=values)

    def saturated(self, place: int, value: float) -> float:
        """A value for an input, within its limits."""
        return saturated(value, self.limits[place]) if place in self.limits else value


def read_inputs(eom: EquationsOfMotion, given: Mapping[str, Any] | None) -> Inputs:
    """Inputs from what the user gave by name; those that are not given are zero.

    An input whose rate is an input too, because a prescribed motion follows it, brings its rates along.
    """
    names = [quantity.name for quantity in eom.inputs]
    given = eom.model.inputs_by_element(given)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ModelError(
            f"There is no input {', '.join(map(repr, unknown))}.",
            code="name-unknown",
            names=unknown,
            where=f"system '{eom.model.name}'",
            cause=suggestion(unknown, names),
            remedy=f"The inputs are: {', '.join(names) or 'none'}.",
        )
    found = Inputs(np.zeros(len(names)), {}, {}, {}, limits=limits_of_inputs(eom))
    for name, value in given.items():
        _sort(eom, found, names.index(name), name, value)
    _require_rates(eom, found, given)
    return found.with_numbers(found.values)


def known_inputs(
    eom: EquationsOfMotion, inputs: Inputs, parameters: Mapping[str, float] | None, t: float
) -> dict[str, float]:
    """What inputs are at a time, as far as that does not depend on a state: prescribed motions begin with it."""
    values = dict(zip([quantity.name for quantity in eom.inputs], map(float, inputs.values), strict=False))
    known: dict[Any, float] = {eom.model.time: t, **eom.model.parameter_values(parameters)}
    for one, expression in inputs.expressions.items():
        if all(symbol in known for symbol in free_symbols(expression)):
            values[str(one)] = float(evaluate(expression, known))
    for place, law in inputs.laws.items():
        if arity(law) <= 1:
            nothing = np.empty(0)
            value = called(law, eom, place, t, nothing, nothing, dict)
            values[eom.inputs[place].name] = inputs.saturated(place, value)
    return values


def _require_rates(eom: EquationsOfMotion, inputs: Inputs, given: Mapping[str, Any]) -> None:
    """A prescribed motion that follows a function of Python needs its velocity and its acceleration, too."""
    names = [quantity.name for quantity in eom.inputs]
    for place in [*inputs.laws, *inputs.sampled]:
        rate = rate_name(names[place])
        if rate in names and rate not in given:
            raise ModelError(
                f"A prescribed motion follows '{names[place]}', and its rate '{rate}' is not given.",
                code="input-rate-missing",
                name=rate,
                where=f"input '{names[place]}' of system '{eom.model.name}'",
                cause="A function of Python has no derivative.",
                remedy=f"Give an expression of time or a smooth Table instead, or a function for '{rate}' as well.",
            )


def _sort(eom: EquationsOfMotion, inputs: Inputs, place: int, name: str, value: Any) -> None:
    where = f"input '{name}' of system '{eom.model.name}'"
    if is_number(value) or isinstance(value, Constant) or (isinstance(value, np.ndarray) and value.ndim == 0):
        inputs.values[place] = finite_value(value, where)
    elif isinstance(value, str):
        _sort(eom, inputs, place, name, written(value, eom, where))
    elif isinstance(value, Table):
        _follow(eom, inputs, eom.inputs[place], value(eom.model.time))
    elif isinstance(value, Expr):
        _follow(eom, inputs, eom.inputs[place], expression_of(value, eom, where, ""))
    elif isinstance(value, Sampled):
        _require_arity(value.function, where)
        inputs.sampled[place] = value
    elif callable(value):
        _require_arity(value, where)
        inputs.laws[place] = value
    else:
        raise ModelError(
            f"{value!r} is not a signal that an input can follow.",
            code="input-law-unknown",
            where=where,
            remedy="Give a number, an expression, its text, a Table over time, a function of (t, q, u), or Sampled(…).",
        )


def _follow(eom: EquationsOfMotion, inputs: Inputs, symbol: Symbol, value: Expr) -> None:
    """Put an expression in place of an input, and its derivative in place of the input's rate, where there is one."""
    foreign = [
        symbol.name for symbol in free_symbols(value) if symbol.kind == "input" and symbol not in inputs.expressions
    ]
    if foreign:
        raise ModelError(
            f"An input cannot follow other inputs: {', '.join(foreign)}.",
            code="input-follows-inputs",
            name=symbol.name,
            names=foreign,
            where=f"input '{symbol.name}'",
            remedy="Write the expression in terms of time, coordinates, speeds, parameters and sensors.",
        )
    place = eom.inputs.index(symbol)
    if place in inputs.limits:
        inputs.asked_expressions[place] = value
        value = saturated_expression(value, inputs.limits[place], eom)
    inputs.expressions[symbol] = value
    states = [symbol.name for symbol in free_symbols(value) if symbol.kind in ("coordinate", "speed")]
    rate = next((quantity for quantity in eom.inputs if quantity.name == rate_name(symbol.name)), None)
    if rate is not None and states:
        raise ModelError(
            f"A prescribed motion follows it, and cannot depend on {', '.join(states)}.",
            code="prescribed-motion-depends-on-state",
            name=symbol.name,
            names=states,
            where=f"input '{symbol.name}' of system '{eom.model.name}'",
            cause="Its acceleration would depend on accelerations that follow from it.",
            remedy="Give a function of time; couple coordinates by a constraint, or drive the joint by a JointLoad.",
        )
    if rate is not None:
        try:
            _follow(eom, inputs, rate, as_expr(time_derivative(value, eom.model.flow())))
        except MissingValueError as error:
            raise ModelError(
                f"The rate of '{symbol.name}' is needed, and cannot be found.",
                code="input-rate-missing",
                name=symbol.name,
                where=f"input '{symbol.name}'",
            ) from error


def arity(law: Law) -> int:
    """How much of (t, q, u, sensors) a function takes: its parameters without defaults; with ``*args``, (t, q, u).

    Example:
        >>> arity(lambda t: t), arity(lambda t, q, u, k=3.0: -k * q[0]), arity(lambda *args: 0.0)
        (1, 3, 3)
    """
    try:
        parameters = inspect.signature(law).parameters.values()
    except ValueError:
        return 1  # a function of C that does not tell
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return 3
    places = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return sum(place.default is place.empty for place in places)


def _require_arity(law: Law, where: str) -> None:
    if arity(law) > 4:
        raise ModelError(
            f"The function takes {arity(law)} parameters.",
            code="input-function-arity",
            where=where,
            remedy="It may take t; t and q; t, q and u; or t, q, u and sensors. Others need defaults.",
        )


def called(
    law: Law, eom: EquationsOfMotion, place: int, t: float, q: Vector, u: Vector, sensors: Callable[[], Any]
) -> float:
    """The value of a user's function for an input, which takes as much of (t, q, u, sensors) as it has parameters."""
    count = arity(law)
    arguments = (t, q.copy(), u.copy())
    value = law(*arguments, sensors()) if count > 3 else law(*arguments[:count])
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ModelError(
            f"A function for an input returned {value!r:.200} at t = {t:.6g} s.",
            code="input-not-a-number",
            name=eom.inputs[place].name,
            where=f"input '{eom.inputs[place].name}' of system '{eom.model.name}'",
            remedy="It must return a finite number.",
        )
    return number


def copied(given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The same inputs for another run; objects that are called, and may remember something, as they are now.

    Functions are not copied: what they remember outside of themselves is shared by all runs.
    """
    objects = {name: item for name, item in (given or {}).items() if remembers(item)}
    return (
        given
        if not objects
        else {**(given or {}), **{name: deepcopy(controller) for name, controller in objects.items()}}
    )


def remembers(value: Any) -> bool:
    """Whether it is an object of the user's own, not a function, a number or an expression."""
    law = value.function if isinstance(value, Sampled) else value
    return callable(law) and not isinstance(law, Expr | Table | FunctionType | BuiltinFunctionType)
