"""What is given over time: tables must be long enough, and prescribed motions must not jump."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from multibody.equations import EquationsOfMotion
from multibody.equations.prescribed_motion import motions, require_no_jump
from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, as_expr, topological
from multibody.graph.tables import Table, Tabulated
from multibody.simulate.contract import Vector

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


# tables --------------------------------------------------------------------------------------------------------------


def _over_time(expression: Expr, time: Symbol) -> Iterator[Table]:
    for node in topological([expression]):
        if isinstance(node, Tabulated) and node.args[0] is time:
            yield node.table


def _require_long_enough(table: Table, where: str, first: float, last: float) -> None:
    begin, end = float(table.breaks[0]), float(table.breaks[-1])
    allowed = NEAR * (last - first)
    if begin > first + allowed or end < last - allowed:
        raise ModelError(
            f"The table '{table.name}' covers {begin:g} s to {end:g} s, and the run {first:g} s to {last:g} s.",
            where=where,
            cause="Beyond its ends a table goes on along a straight line, which is hardly what was meant.",
            remedy="Add points for the whole time, such as the last value once more; or run for a shorter time.",
        )
