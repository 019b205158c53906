"""What is given over time: tables must be long enough, prescribed motions must not jump, and rates must be theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.prescribed_motion import PrescribedMotion, require_no_jump
from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, as_expr, evaluate, free_symbols, topological
from multibody.graph.piecewise.table_uses import CHECKED, TableUse
from multibody.graph.piecewise.tables import Table, Tabulated
from multibody.model.quantity import rate_name
from multibody.simulation.contract import Vector
from multibody.simulation.problem.given_expressions import written
from multibody.simulation.problem.inputs import Sampled, arity, called
from multibody.simulation.tolerances import NEAR_JUMP_TIME, POSITION_ROUNDING

STRETCHES = 64  # of a run, in which a rate is integrated by Gauss's rule
WRONG_RATE = 0.02  # the difference of a change and the integral of its rate, relative to the larger sum of both


def require_course(
    eom: EquationsOfMotion, follows: Mapping[Expr, Expr], motions: Sequence[PrescribedMotion],
    parameters: Mapping[Symbol, float], times: Vector,
) -> None:  # fmt: skip
    """An error if a table over time is too short for a run, or a prescribed motion jumps during it.

    Args:
        eom: equations of motion.
        follows: inputs, with what they follow.
        motions: what is a function of time and parameters alone.
        parameters: values.
        times: of the run; the first and the last one count.
    """
    first, last = float(times[0]), float(times[-1])
    driven = [link for link in eom.model.links if link.joint.prescribed is not None]
    given = {f"input '{name}'": expression for name, expression in follows.items()}
    given |= {f"prescribed motion of joint '{link.joint.name}'": as_expr(q) for link in driven for q in link.q}
    for owner, expression in given.items():
        for table in _over_time(expression, eom.model.time):
            _require_long_enough(table, f"{owner} of system '{eom.model.name}'", first, last)
    for motion in motions:
        require_no_jump(motion, eom, parameters, first, last)


def require_tables_of_time(eom: EquationsOfMotion, uses: Iterable[TableUse], times: Vector) -> None:
    """An error if a table of time itself, in a load or anywhere else, is too short for a run."""
    for use in uses:
        if use.argument is eom.model.time:
            _require_long_enough(use.table, f"system '{eom.model.name}'", float(times[0]), float(times[-1]))


def require_rates(
    eom: EquationsOfMotion, given: Mapping[str, Any], held: Mapping[str, float], follows: Mapping[Expr, Expr],
    parameters: Mapping[Symbol, float], times: Vector,
) -> None:  # fmt: skip
    """An error if rates that are given for a prescribed motion are not those of the motion that is given.

    Each change of the motion must be the integral of its rate. What depends on states is not looked at.

    Args:
        eom: equations of motion.
        given: what the user gave for inputs, by name.
        held: values of other inputs from the run before; what is held has no rate.
        follows: inputs, with the expressions that they follow.
        parameters: values.
        times: of the run; the first and the last one count.
    """
    places = {quantity.name: place for place, quantity in enumerate(eom.inputs)}
    driven = [(name, rate_name(name)) for name in places if rate_name(name) in given and rate_name(name) in places]
    if not driven:
        return
    nodes, weights = np.polynomial.legendre.leggauss(5)
    ends = np.linspace(float(times[0]), float(times[-1]), STRETCHES + 1)
    for name, rate in driven:
        moving = follows.get(eom.inputs[places[name]], given.get(name, held.get(name, 0.0)))
        motion = _of_time(eom, places[name], moving, parameters)
        slope = _of_time(eom, places[rate], given[rate], parameters)
        if motion is None or slope is None:
            continue
        half = 0.5 * np.diff(ends)
        inner = (ends[:-1] + half)[:, None] + half[:, None] * nodes
        integrals = half * (np.array([[slope(float(t)) for t in row] for row in inner]) @ weights)
        positions = np.array([motion(float(t)) for t in ends])
        changes = np.diff(positions)
        size = max(np.abs(integrals).sum(), np.abs(changes).sum())
        if np.abs(integrals - changes).sum() > WRONG_RATE * size + POSITION_ROUNDING * np.abs(positions).max():
            k = int(np.abs(integrals - changes).argmax())
            raise ModelError(
                f"'{rate}' is not the rate of '{name}': from t = {ends[k]:.6g} s to {ends[k + 1]:.6g} s, "
                f"'{name}' changes by {changes[k]:.6g}, and the integral of '{rate}' is {integrals[k]:.6g}.",
                code="input-rate-wrong",
                name=rate,
                where=f"input '{name}' of system '{eom.model.name}'",
                cause="A prescribed motion follows them, and its velocity would not belong to its position.",
                remedy=f"Correct one of them; if '{name}' is an expression of time, leave '{rate}' out.",
            )


def _of_time(
    eom: EquationsOfMotion, place: int, value: Any, parameters: Mapping[Symbol, float]
) -> Callable[[float], float] | None:
    """What an input follows, as a function of time; None if it depends on anything else."""
    if isinstance(value, Sampled):
        return None
    if isinstance(value, str):
        value = written(value, eom, f"input '{eom.inputs[place].name}'")
    if isinstance(value, Table):
        value = value(eom.model.time)
    if callable(value) and not isinstance(value, Expr):
        nothing = np.empty(0)
        return (lambda t: called(value, eom, place, t, nothing, nothing, dict)) if arity(value) <= 1 else None
    expression = as_expr(value)
    if not set(free_symbols(expression)) <= {eom.model.time, *parameters}:
        return None
    known: dict[Any, float] = dict(parameters)
    return lambda t: float(evaluate(expression, known | {eom.model.time: t}))


# tables --------------------------------------------------------------------------------------------------------------


def _over_time(expression: Expr, time: Symbol) -> Iterator[Table]:
    for node in topological([expression]):
        if isinstance(node, Tabulated) and node.args[0] is time and node.table.outside in CHECKED:
            yield node.table


def _require_long_enough(table: Table, where: str, first: float, last: float) -> None:
    begin, end = float(table.breaks[0]), float(table.breaks[-1])
    allowed = NEAR_JUMP_TIME * (last - first)
    if begin > first + allowed or end < last - allowed:
        raise ModelError(
            f"The table '{table.origin}' covers {begin:g} s to {end:g} s, and the run {first:g} s to {last:g} s.",
            code="table-too-short",
            name=str(table.origin),
            where=where,
            cause="Beyond its ends a table continues along a straight line, which is hardly what was meant.",
            remedy="Add points for the whole time, such as the last value once more, which is also "
            'Table(…, outside="hold"); or run for a shorter time.',
        )
