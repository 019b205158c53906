"""Operating points: a number for time, coordinates, speeds, inputs, parameters, accelerations and multipliers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_equations
from multibody.errors import AssemblyError, ExpressionError, ModelError, MultibodyError
from multibody.graph import Constant, Expr, Symbol, evaluate
from multibody.graph.names import require_known_names, unknown_names
from multibody.graph.piecewise.table_uses import table_uses
from multibody.linearization.operating_points.run_inputs import inputs_at, require_no_turns
from multibody.linearization.operating_points.sizes import coordinate_sizes, mechanism_length, speed_sizes
from multibody.linearization.tolerances import CONSTRAINT_GAP, GIVEN_VALUE_SHIFT, INTERPOLATED_VALUE_SHIFT, LIMIT_EXCESS
from multibody.mechanics.assembly.assembly import Vector
from multibody.model import Model
from multibody.model.freeze.inertia_checks import possible_values
from multibody.model.quantity import finite_value
from multibody.simulation.checks.table_exits import outputs_with_tables

Matrix = NDArray[np.float64]

At = Any
"""Values by name, or anything that has coordinates ``q`` and speeds ``u``, such as a state or an instant of a run; or
something that has such a ``point``, as an equilibrium does."""


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """What a linear system is a picture of; ``point["name"]`` gives one of its numbers.

    Attributes:
        model: what it is a point of.
        t: time.
        q: coordinates.
        u: speeds.
        r: inputs.
        p: parameters.
        acceleration: u̇, which follows from the equations of motion; all zero where speeds are steady.
        multipliers: λ, one for each constraint equation.
    """

    model: Model
    t: float
    q: Vector
    u: Vector
    r: Vector
    p: Vector
    acceleration: Vector
    multipliers: Vector

    @property
    def values(self) -> dict[Symbol, float]:
        """The numbers by symbol: time, coordinates, speeds, inputs, parameters, accelerations."""
        model = self.model
        groups = (
            ((model.time,), (self.t,)),
            (model.coordinates, self.q),
            (model.speeds, self.u),
            (model.input_symbols, self.r),
            (model.parameter_symbols, self.p),
            (model.accelerations, self.acceleration),
        )
        return {name: float(value) for names, numbers in groups for name, value in zip(names, numbers, strict=True)}

    @property
    def zeros(self) -> list[Symbol]:
        """The coordinates, speeds, inputs and parameters that are zero."""
        never = {self.model.time, *self.model.accelerations}
        return [symbol for symbol, value in self.values.items() if value == 0 and symbol not in never]

    def __getitem__(self, name: str) -> float:
        found = {symbol.name: value for symbol, value in self.values.items()}
        if name not in found:
            raise unknown_name("quantity", [name], found, self.model)
        return found[name]

    def __str__(self) -> str:
        shown = (*self.model.coordinates, *self.model.speeds, *self.model.input_symbols)
        values = self.values
        return ", ".join(f"{symbol.name}={values[symbol]:.9g}" for symbol in shown)


@dataclass(frozen=True, eq=False)
class LinearizationPoint:
    """Where to linearize: t, q, u, r, p; the state keeps all constraints. Doubt is how far off some of them may be."""

    t: float
    q: Vector
    u: Vector
    r: Vector
    p: Vector
    doubt: Mapping[Symbol, float] = field(default_factory=dict)


def place(
    eom: EquationsOfMotion, at: At = None, *, parameters: Mapping[str, float] | None = None, t: float | None = None
) -> LinearizationPoint:
    """The state that is meant by ``at``; see ``linearize``.

    Raises:
        ModelError: for names that do not exist, or values that the constraints do not allow.
        AssemblyError: if no state keeps the constraints.
    """
    require_equations(eom, "linearize")
    if at is not None and not isinstance(at, Mapping):
        return _place_of(eom, at, parameters, t)
    model, given = eom.model, at or {}
    _require_numbers(model, given)
    q, u, r = by_kind(model, given)
    inputs = {name: finite_value(value, f"input '{name}'") for name, value in r.items()}
    found = _place(eom, q, u, inputs, parameters, t)
    require_kept(eom, {**q, **u}, found)
    return found


def beyond_limits(model: Model, values: Mapping[Any, float]) -> list[str]:
    """What there is to say about inputs whose values are beyond their limits, up to rounding.

    Args:
        model: with the limits.
        values: by symbol; inputs that are missing are within their limits.
    """
    said = []
    for symbol, (low, high) in model.input_limits.items():
        value = values.get(symbol, low if np.isfinite(low) else high)
        slack = LIMIT_EXCESS * max(abs(end) for end in (low, high, value) if np.isfinite(end))
        if not low - slack <= value <= high + slack:
            said.append(f"{symbol.name} = {value:.6g} is beyond its limits [{low:.6g}, {high:.6g}]")
    return said


def require_within(model: Model, values: Mapping[Any, float]) -> None:
    """An error if an operating point has inputs that no run can have."""
    beyond = beyond_limits(model, values)
    if beyond:
        raise ModelError(
            f"The operating point cannot be held: {'; '.join(beyond)}.",
            code="input-beyond-limits",
            where=f"operating point of system '{model.name}'",
            cause="Runs hold an input within its limits, where a small change of what is asked for changes nothing.",
            remedy="Give inputs within their limits, or give the input wider ones: system.input(…, limits=…).",
            name=model.name,
        )


def tables_left(eom: EquationsOfMotion, values: Mapping[Any, float]) -> list[str]:
    """What there is to say about tables whose arguments are beyond their points, up to rounding.

    Args:
        eom: equations of motion.
        values: by symbol; tables that depend on others are not looked at.
    """
    uses = eom.once("tables", lambda: table_uses([*eom.rates, *eom.acceleration, *outputs_with_tables(eom)]))
    said = []
    for use in uses:
        low, high = use.table.range
        try:
            value = float(evaluate(use.argument, dict(values)))
        except ExpressionError:
            continue
        slack = LIMIT_EXCESS * (high - low)
        if not low - slack <= value <= high + slack:
            said.append(f"{use.quantity!s:.80} = {value:.6g} is beyond table '{use.name}' [{low:.6g}, {high:.6g}]")
    return said


def require_tables(eom: EquationsOfMotion, values: Mapping[Any, float]) -> None:
    """An error if an operating point is beyond the data of a table."""
    left = tables_left(eom, values)
    if left:
        raise ModelError(
            f"The operating point is outside tables: {'; '.join(left)}.",
            code="table-left",
            where=f"operating point of system '{eom.model.name}'",
            cause="Beyond its points a table continues along a straight line, which no data support.",
            remedy='Choose another point, add points to the table, or say Table(…, outside="hold") or '
            'outside="extrapolate".',
            name=eom.model.name,
        )


def _place(
    eom: EquationsOfMotion, q: Any, u: Any, inputs: Mapping[str, float], parameters: Mapping[str, float] | None,
    t: float | None,
) -> LinearizationPoint:  # fmt: skip
    model = eom.model
    now = finite_value(0.0 if t is None else t, "time of the operating point")
    values = possible_values(model, parameters)
    p = np.array(list(values.values()), dtype=float)
    tolerance = CONSTRAINT_GAP * float(coordinate_sizes(eom, np.zeros(len(model.coordinates)), p).max(initial=0.0))
    state = eom.consistent(q, u, parameters=parameters, inputs=inputs, t=now, tolerance=tolerance or CONSTRAINT_GAP)
    r = np.array([inputs.get(symbol.name, 0.0) for symbol in model.input_symbols], dtype=float)
    require_within(model, dict(zip(model.input_symbols, r.tolist(), strict=True)))
    known = zip((*model.coordinates, *model.speeds, *model.input_symbols), (*state.q, *state.u, *r), strict=True)
    require_tables(eom, {model.time: now, **values, **dict(known)})
    return LinearizationPoint(now, state.q, state.u, r, p)


def _place_of(
    eom: EquationsOfMotion, at: Any, parameters: Mapping[str, float] | None, t: float | None
) -> LinearizationPoint:
    """Coordinates and speeds of a state; of an instant of a run, or another operating point, all of it."""
    known, numbers, now = known_point(eom, at)
    q, u, inputs = by_kind(eom.model, known)
    numbers = {**numbers, **eom.model.parameters_by_element(parameters)}
    found = _place(eom, list(q.values()), list(u.values()), inputs, numbers, now if t is None else t)
    interpolated = getattr(getattr(at, "point", at), "run", None) is not None
    require_kept(eom, {**q, **u}, found, INTERPOLATED_VALUE_SHIFT if interpolated else GIVEN_VALUE_SHIFT)
    return replace(found, doubt=dict(getattr(at, "doubt", {})))


def by_name(symbols: Sequence[Symbol], values: Iterable[float]) -> dict[str, float]:
    """Values by name."""
    return {symbol.name: float(value) for symbol, value in zip(symbols, values, strict=True)}


def known_point(eom: EquationsOfMotion, at: Any) -> tuple[dict[str, float], dict[str, float], float | None]:
    """Coordinates, speeds and inputs of a state by name; parameters; and time. A state alone has no more than q and u.

    An instant of a run and an operating point have all of it; an equilibrium and a linear system have such a point.
    """
    point = getattr(at, "point", at)
    run = getattr(point, "run", None)
    try:
        state = by_name(eom.coordinates, point.q) | by_name(eom.speeds, point.u)
    except (AttributeError, TypeError, ValueError) as error:
        raise ModelError(
            f"{at!r:.200} is not an operating point of this system.",
            code="not-an-operating-point",
            where=f"system '{eom.model.name}'",
            remedy="Give values by name, such as at={'angle': 0.1}, a state, or an instant of a run, run.at(t).",
            kind=type(at).__name__,
        ) from error
    r, p = getattr(point, "r", None), getattr(run or point, "p", None)
    if run is not None:
        require_no_turns(eom, point)
        inputs = inputs_at(run, {quantity.name for quantity in eom.inputs}, float(point.t), point.q, point.u)
    else:
        inputs = {} if r is None else by_name(eom.inputs, r)
    return state | inputs, {} if p is None else by_name(eom.parameters, p), getattr(point, "t", None)


def by_kind(model: Model, given: Mapping[Any, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Values by name, divided into those of coordinates, speeds and inputs."""
    kinds = (model.coordinates, model.speeds, model.input_symbols)
    groups = [{symbol.name for symbol in symbols} for symbols in kinds]
    plain = {item.name if isinstance(item, Symbol) else item: value for item, value in given.items()}
    plain = model.inputs_by_element(plain)
    require_names_of(model, "coordinate, speed or input", plain, set().union(*groups))
    q, u, r = ({name: value for name, value in plain.items() if name in names} for names in groups)
    return q, u, r


def unknown_name(kind: str, names: Iterable[Any], known: Iterable[str], model: Model) -> MultibodyError:
    """The error for names that do not exist in a model."""
    return unknown_names(list(names), known, kind, code="name-unknown", where=f"system '{model.name}'")


def require_names_of(model: Model, kind: str, names: Iterable[Any], known: Iterable[str]) -> None:
    """Require that all names are known in a model."""
    require_known_names(names, known, kind, code="name-unknown", where=f"system '{model.name}'")


def _require_numbers(model: Model, given: Mapping[str, Any]) -> None:
    """An error for formulas."""
    formulas = [
        str(name) for name, value in given.items() if isinstance(value, Expr) and not isinstance(value, Constant)
    ]
    if formulas:
        raise ModelError(
            f"The value of {', '.join(formulas)} is a formula, not a number.",
            code="value-not-a-number",
            where=f"operating point of system '{model.name}'",
            remedy="Give numbers, or use linearize_symbolic, which leaves symbols in the result.",
            names=tuple(formulas),
        )


def require_kept(
    eom: EquationsOfMotion, given: Mapping[str, float], found: LinearizationPoint, tolerance: float = GIVEN_VALUE_SHIFT
) -> None:
    """An error if constraints have moved values that were given.

    Args:
        eom: equations of motion.
        given: coordinates and speeds by name.
        found: the state that keeps all constraints.
        tolerance: how far a value may be moved, relative to the size of its kind.
    """
    model = eom.model
    state = by_name((*model.coordinates, *model.speeds), (*found.q, *found.u))
    fastest = np.maximum(np.abs(found.u), [abs(given.get(speed.name, 0.0)) for speed in model.speeds])
    speeds = speed_sizes(eom, fastest, mechanism_length(eom, found.q, found.p))
    sizes = by_name((*model.coordinates, *model.speeds), (*coordinate_sizes(eom, found.q, found.p), *speeds))
    moved = [name for name, value in given.items() if abs(state[name] - value) > tolerance * sizes[name]]
    if moved:
        nearest = ", ".join(f"{name}={state[name]:.9g}" for name in moved)
        raise AssemblyError(
            f"No state keeps all constraints with the given values of {', '.join(moved)}.",
            code="values-break-constraints",
            where=f"operating point of system '{model.name}'",
            cause=f"Other values and the constraints determine them; the nearest state has {nearest}.",
            remedy="Leave away values that follow from others; eom.consistent(…) finds a state that keeps them.",
            names=tuple(moved),
        )
