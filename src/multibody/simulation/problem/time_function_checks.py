"""What is given over time: tables must be long enough, and prescribed motions must not jump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.prescribed_motion import motions, require_no_jump
from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, as_expr, topological
from multibody.graph.piecewise.table_uses import CHECKED, TableUse
from multibody.graph.piecewise.tables import Table, Tabulated
from multibody.simulation.contract import Vector

NEAR = 1e-9  # relative to the duration


def require_course(
    eom: EquationsOfMotion, follows: Mapping[Expr, Expr], parameters: Mapping[Symbol, float], times: Vector
) -> None:
    """An error if a table over time is too short for a run, or a prescribed motion jumps during it.

    Args:
        eom: equations of motion.
        follows: inputs, with what they follow.
        parameters: values.
        times: of the run; the first and the last one count.
    """
    first, last = float(times[0]), float(times[-1])
    driven = [one for one in eom.model.links if one.joint.prescribed is not None]
    given = {f"input '{one}'": expression for one, expression in follows.items()}
    given |= {f"prescribed motion of joint '{link.joint.name}'": as_expr(q) for link in driven for q in link.q}
    for owner, expression in given.items():
        for table in _over_time(expression, eom.model.time):
            _require_long_enough(table, f"{owner} of system '{eom.model.name}'", first, last)
    for motion in motions(eom, follows):
        require_no_jump(motion, eom, parameters, first, last)


def require_tables_of_time(eom: EquationsOfMotion, uses: Iterable[TableUse], times: Vector) -> None:
    """An error if a table of time itself, in a load or anywhere else, is too short for a run."""
    for use in uses:
        if use.argument is eom.model.time:
            _require_long_enough(use.table, f"system '{eom.model.name}'", float(times[0]), float(times[-1]))


# tables --------------------------------------------------------------------------------------------------------------


def _over_time(expression: Expr, time: Symbol) -> Iterator[Table]:
    for node in topological([expression]):
        if isinstance(node, Tabulated) and node.args[0] is time and node.table.outside in CHECKED:
            yield node.table


def _require_long_enough(table: Table, where: str, first: float, last: float) -> None:
    begin, end = float(table.breaks[0]), float(table.breaks[-1])
    allowed = NEAR * (last - first)
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
