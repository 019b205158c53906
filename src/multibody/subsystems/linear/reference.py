"""Reference motions: completed from what the user gives, and checked to be motions of the system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import ModelError, MultibodyError
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    as_expr,
    evaluate,
    free_symbols,
    substitute,
    time_derivative,
)
from multibody.graph.names import require_known_names
from multibody.graph.running_error import balanced_sizes
from multibody.model.quantity import Parameter
from multibody.subsystems.arguments.named_values import start_values
from multibody.subsystems.arguments.vocabulary import TIME, rate_symbol
from multibody.subsystems.content import SubsystemContent
from multibody.subsystems.linear.auxiliary import Unknowns
from multibody.subsystems.sparse_product import times
from multibody.subsystems.tolerances import REFERENCE_RESIDUAL

TRIES = 20
SOME_TIME = 0.37
"""When conditions are looked at: not at zero, where many functions of time vanish."""
TIMES = (SOME_TIME, 1.93, 7.61)
"""Times at which conditions that depend on time must hold for certain values of the parameters."""


def full_reference(
    system: SubsystemContent, given: Mapping[Symbol, Any], inputs: Mapping[Symbol, Any]
) -> dict[Expr, Expr]:
    """The reference value of every variable, of the rates of the highest ones, and of every input.

    What is given counts, then what the subsystems say, then zero; a coordinate of which nothing is said moves on at its
    reference rate.

    Raises:
        ModelError: if a coordinate that was given does not move at the rate that the others give it.
    """
    said = {**system.reference, **given}
    found: dict[Expr, Expr] = {variable: as_expr(said.get(variable, ZERO)) for variable in system.orders}
    found |= {s: as_expr(inputs.get(s, ZERO)) for input_ in system.inputs for s in input_.flat}
    for group in system.quaternions:
        _complete_quaternion(system, group, said, found)
    for one, rate in reversed(list(system.rates.items())):  # higher orders come last, and are needed first
        moving = as_expr(substitute(rate, found))
        if one not in said and moving.fp != 0 and TIME not in free_symbols(moving):
            found[one] = found[one] + moving * TIME
    for one, rate in system.rates.items():
        _require_rate(system, one, as_expr(substitute(rate, found)), _rate(found[one]))
    return found | {rate_symbol(variable): _rate(found[variable]) for variable in system.top}


def _complete_quaternion(
    system: SubsystemContent, group: tuple[Symbol, ...], said: Mapping[Symbol, Any], found: dict[Expr, Expr]
) -> None:
    """A quaternion of which nothing is said is that of its start, or of no rotation."""
    if not any(coordinate in said for coordinate in group):
        starts = [system.start.get(coordinate, 0.0) for coordinate in group]
        for coordinate, value in zip(group, starts if any(starts) else (1.0, 0.0, 0.0, 0.0), strict=True):
            found[coordinate] = as_expr(value)


def _rate(value: Expr) -> Expr:
    return as_expr(time_derivative(value, {}))


def _require_rate(system: SubsystemContent, one: Symbol, needed: Expr, found: Expr) -> None:
    if needed.fp != found.fp:
        raise ModelError(
            f"The reference of '{one.name}' changes at the rate {found}, but the other references make it {needed}.",
            where=f"subsystem '{system.label}'",
            cause="A coordinate was given as constant, although a velocity on the reference motion is not zero.",
            remedy=f"Give '{one.name}' as a function of time, such as '{needed}*t', or leave it away.",
            code="reference-rate-contradictory",
            name=one.name,
        )


def require_linearizable(system: Any, subsystems: Mapping[str, Any]) -> None:
    """An error for what is not a subsystem, or for linearized parts that are not, or that replace no part."""
    labels = [level.label for level in system.levels()] if isinstance(system, SubsystemContent) else []
    others = [candidate for candidate in (system, *subsystems.values()) if not isinstance(candidate, SubsystemContent)]
    if others:
        raise ModelError(
            f"{others[0]!r:.80} is not a subsystem.",
            where="linearize",
            remedy="Give what couple, subsystem, newton_euler or from_system made; equations of motion have their own.",
            code="subsystem-expected",
        )
    require_known_names(
        subsystems, labels, "part", purpose="to be replaced by its linearized model", code="subsystem-unknown",
        where=f"subsystem '{system.label}'",
    )  # fmt: skip
    for label, part in subsystems.items():
        if not any(same_part(part, level) for level in system.levels() if level.label == label):
            raise ModelError(
                f"What is given for the part '{label}' is a model of something else.",
                where=f"subsystem '{system.label}'",
                cause=f"Its variables are: {', '.join(variable.name for variable in part.orders)}; "
                f"independent ones are: {', '.join(variable.name for variable in part.independent)}.",
                remedy=f"Linearize the part '{label}' itself, or rename the linearized model as the part was renamed.",
                code="linear-part-of-another-system",
                name=label,
            )


def same_part(one: SubsystemContent, other: SubsystemContent) -> bool:
    """Whether both have the same variables, and the same of them are independent."""
    return set(one.orders) == set(other.orders) and one.independent == other.independent


def require_same_reference(part: Any, nominal: Mapping[Expr, Expr]) -> None:
    """An error if a part was linearized about another reference motion than the whole."""
    known = getattr(part, "nominal", None)
    if known is None:
        raise ModelError(
            f"The part '{part.label}' is not linearized.",
            where="subsystems of linearize",
            remedy="Give what linearize(part, …, part=True) made.",
            code="not-linearized",
            name=part.label,
        )
    for variable in (*part.orders, *map(rate_symbol, part.top)):
        there, here = known.get(variable), nominal.get(variable)
        if there is None or here is None or there.fp != here.fp:
            raise ModelError(
                f"The part '{part.label}' was linearized about another reference motion: {variable} is {there}, "
                f"not {here}.",
                where="subsystems of linearize",
                cause="Reference values of a whole are those of its parts, and what is given in addition.",
                remedy="Linearize the part again, with the reference that it has in the whole.",
                code="linear-part-of-another-reference",
                name=part.label,
            )


@contextmanager
def on_reference_motion(label: str) -> Iterator[None]:
    """What goes wrong in here is told as a matter of the reference motion: independent variables were chosen before."""
    try:
        yield
    except ModelError as error:
        raise ModelError(
            f"The constraints of '{label}' do not determine its dependent variables on the reference motion.",
            where=f"subsystem '{label}'",
            cause=f"The reference is a singular configuration: {error.what}",
            remedy="Choose other independent variables, or another reference.",
            code="reference-singular",
            name=label,
        ) from error


class Demand(NamedTuple):
    """What must vanish so that a reference is a motion.

    Attributes:
        source: what it belongs to: the name of a constraint, of a quaternion, or of a balance of forces.
        condition: what must vanish.
        size: of the terms in it, by the reference values of the variables; these are not seen in it, where they are
            numbers.
    """

    source: str
    condition: Expr
    size: Expr

    def share(self, known: Mapping[Any, float]) -> float:
        """The condition relative to the terms in it; zero if it is exactly zero."""
        value = float(evaluate(self.condition, dict(known)))
        if not value:
            return 0.0
        size = float(np.nan_to_num(balanced_sizes([self.condition], known), posinf=0.0)[0])
        with suppress(MultibodyError):  # it may depend on parameters without values
            size += abs(float(evaluate(self.size, dict(known))))
        return value / max(size, abs(value))


class ReferenceConditions(NamedTuple):
    """What must vanish so that the reference is a motion of a linear model.

    Attributes:
        label: of the linear model.
        demands: what must vanish.
        parameters: of the linear model.
        unknowns: auxiliary parameters, with the equations that they satisfy.
    """

    label: str
    demands: tuple[Demand, ...]
    parameters: tuple[Parameter, ...]
    unknowns: tuple[Unknowns, ...]


def require_solution(made: ReferenceConditions) -> None:
    """An error if the reference motion violates an invariant or a dynamic equation, as far as that can be decided."""
    known = start_values((), {}, {}, made.parameters)
    for demand in made.demands:
        if _wrong(made, demand, known):
            raise _not_a_motion(made, demand)


def require_conditions(made: ReferenceConditions, values: Mapping[Any, float]) -> None:
    """An error if the reference is not a motion for certain values of the parameters.

    Raises:
        ModelError: with the name of the constraint that is violated.
    """
    for time in TIMES:
        known = {**values, TIME: time}
        for demand in made.demands:
            symbols = free_symbols(demand.condition)
            if set(symbols) <= set(known) and abs(demand.share(known)) > REFERENCE_RESIDUAL:
                numbers = ", ".join(f"{one.name} = {known[one]:.6g}" for one in symbols if one is not TIME)
                raise _not_a_motion(made, demand, f" with {numbers}" if numbers else "")
    _require_auxiliary(made, values)


def _require_auxiliary(made: ReferenceConditions, values: Mapping[Any, float]) -> None:
    """An error for auxiliary parameters that belong to other values of the physical ones."""
    for unknown in made.unknowns:
        rows = times(unknown.matrix, array(list(unknown.symbols))) - unknown.right
        for row in rows:
            if set(free_symbols(row)) <= set(values) and abs(Demand("", row, ZERO).share(values)) > REFERENCE_RESIDUAL:
                names = ", ".join(map(str, unknown.symbols))
                raise ModelError(
                    f"The auxiliary parameters {names} do not belong to the other values.",
                    where=f"subsystem '{unknown.label}'",
                    cause="They were found for other values of the physical parameters.",
                    remedy="Compute them again: parameters=evaluate_parameters(linear, {…}).",
                    code="auxiliary-parameters-outdated",
                    names=tuple(s.name for s in unknown.symbols),
                )


def _not_a_motion(made: ReferenceConditions, demand: Demand, values: str = "") -> ModelError:
    return ModelError(
        f"The reference is not a motion of the system: {demand.condition!r:.120} should be zero{values}.",
        where=f"subsystem '{made.label}'",
        cause=f"It violates {demand.source}.",
        remedy="Give reference values that belong together, parameters that fit them, and the inputs that keep up the "
        "motion.",
        code="reference-not-a-motion",
        name=demand.source,
    )


def _wrong(made: ReferenceConditions, demand: Demand, values: Mapping[Any, float]) -> bool:
    """Whether a condition is violated: for the values of the parameters, or for all positive ones."""
    symbols = free_symbols(demand.condition)
    if demand.condition.fp == 0 or any(s in unknown.symbols for unknown in made.unknowns for s in symbols):
        return False
    known = {**values, TIME: SOME_TIME}
    if all(s in known for s in symbols):
        return abs(demand.share(known)) > REFERENCE_RESIDUAL
    rng, everything = np.random.default_rng(0), free_symbols([demand.condition, demand.size])
    tries = [{s: float(rng.uniform(0.1, 10.0)) for s in everything} | known for _ in range(TRIES)]
    found = np.array([demand.share(each) for each in tries])
    return bool((found > REFERENCE_RESIDUAL).all() or (found < -REFERENCE_RESIDUAL).all())
