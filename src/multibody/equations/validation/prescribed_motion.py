"""Prescribed motions: value, velocity and acceleration over time, and whether they jump.

The equations know a prescribed motion by its value, its velocity and its acceleration. Where the value or the velocity
jumps, the force is infinite for an instant; no integrator sees it, and the result would look right. The same holds for
constraints and loops that follow time: the projection onto a constraint that has jumped moves bodies without a force.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.equations.equations import EquationsOfMotion
from multibody.equations.tolerances import CANCELLATION_ROUNDING, MOTION_JUMP
from multibody.errors import ModelError
from multibody.graph import (
    Constant,
    Expr,
    Symbol,
    as_expr,
    cos,
    directional,
    evaluate,
    free_symbols,
    isolated,
    sin,
    substitute,
    topological,
)
from multibody.graph.number import finite
from multibody.mechanics.coordinate_kinds import angles_of
from multibody.model.quantity import rate_name

Vector = NDArray[np.float64]

LOOKS = 513
"""Instants at which a motion is looked at."""

HALVINGS = 40
HORIZON = 10.0  # seconds that are looked at where no run says how long
LATEST = 1e6  # larger numbers are not taken for times
GOLDEN = 0.6180339887498949  # fractional parts of its multiples are far from special values


class PrescribedMotion(NamedTuple):
    """A quantity that follows time.

    Attributes:
        owner: the joint, input, constraint or coordinate that it belongs to.
        course: expressions for value, velocity and acceleration.
        held: values for coordinates and speeds in these expressions. A quantity with such values is checked only where
            it is finite.
        smooth: whether its velocity must be continuous, too.
    """

    owner: str
    course: tuple[Expr, Expr, Expr]
    held: Mapping[Symbol, float] = {}
    smooth: bool = True


def require_smooth(eom: EquationsOfMotion, parameters: Mapping[Symbol, float]) -> None:
    """An error if a prescribed motion jumps at some time, where the length of a run is not known.

    It must be finite at the beginning, t = 0. The first ten seconds are checked, and twice the time of the largest
    number in the motion, as far as it has a value. Motions of parameters without values are not checked.
    """
    for motion in motions(eom, {}):
        known = {eom.model.time, *parameters, *motion.held}
        if known.issuperset(free_symbols(list(motion.course))):
            nodes = topological(list(motion.course))
            numbers = [abs(finite(node.value)) for node in nodes if isinstance(node, Constant)]
            numbers += [abs(parameters[symbol]) for symbol in free_symbols(list(motion.course)) if symbol in parameters]
            latest = 2 * max((number for number in numbers if number < LATEST), default=0.0)
            for last in {HORIZON, max(HORIZON, latest)}:
                require_no_jump(motion, eom, parameters, 0.0, last, whole=False)


def motions(eom: EquationsOfMotion, follows: Mapping[Expr, Expr]) -> Iterator[PrescribedMotion]:
    """Quantities that are functions of time and parameters alone; an input that is a number is constant.

    They are prescribed motions of joints; inputs whose rates are inputs, too, because joints or constraints follow
    them; and constraints and loops that contain time.
    """
    links = [link for link in eom.model.links if link.joint.prescribed is not None]
    found = [
        (f"joint '{link.joint.name}'", parts) for link in links for parts in zip(link.q, link.u, link.a, strict=True)
    ]
    inputs = {str(symbol): symbol for symbol in follows}
    rates = {name: [rate_name(name), rate_name(rate_name(name))] for name in inputs}
    found += [(f"input '{name}'", (inputs[name], inputs[first], inputs[second]))
              for name, (first, second) in rates.items() if first in inputs and second in inputs]  # fmt: skip
    for owner, parts in found:
        course = substitute(list(parts), dict(follows))
        still: dict[Expr, Expr] = {symbol: as_expr(0) for symbol in free_symbols(course) if symbol.kind == "input"}
        q, u, a = substitute(course, still)
        if all(symbol is eom.model.time or symbol.kind == "parameter" for symbol in free_symbols([q, u, a])):
            yield PrescribedMotion(owner, (q, u, a))
    yield from _timed_parts(eom, follows)


def _timed_parts(eom: EquationsOfMotion, follows: Mapping[Expr, Expr]) -> Iterator[PrescribedMotion]:
    """Constraints and loops that contain time, each in two states with constant coordinates and speeds.

    Constraints on positions must be continuous, and so must those on velocities: otherwise velocities would jump.
    """
    time, loops = eom.model.time, eom.model.unreduced
    constraints = eom.constraints
    holonomic = [equation.position for equation in constraints.equations]
    parts = [
        (f"constraint '{owner}'", velocity if position is None else position)
        for owner, velocity, position in zip(constraints.owners, constraints.velocity, holonomic, strict=True)
    ]
    if loops is not None:
        turning = angles_of(loops)
        for coordinate in loops.coordinates:
            if coordinate in eom.model.values:
                value = as_expr(eom.model.values[coordinate])
                seen = (cos(value), sin(value)) if coordinate in turning else (value,)  # from -π to π is not a jump
                parts += [(f"dependent coordinate '{coordinate.name}'", part) for part in seen]
    with isolated(*topological([value for _, value in parts]), *topological(list(follows.values()))):
        values = substitute([value for _, value in parts], dict(follows))
        for (owner, _), value in zip(parts, values, strict=True):
            if time in free_symbols(value):
                rate = directional(value, {time: 1})
                course = (value, rate, directional(rate, {time: 1}))
                others = [symbol for symbol in free_symbols(value) if symbol is not time and symbol.kind != "parameter"]
                for step in (0.0, 1.0):
                    yield PrescribedMotion(owner, course, _held(eom, others, step), smooth=False)


def _held(eom: EquationsOfMotion, symbols: Sequence[Symbol], step: float) -> dict[Symbol, float]:
    """Start values with different offsets, so that factors that vanish at the start do not hide a jump."""
    start = eom.model.start
    return {symbol: start.get(symbol, 0.0) + step * (GOLDEN * (k + 1) % 1 - 0.5) for k, symbol in enumerate(symbols)}


def require_no_jump(
    motion: PrescribedMotion, eom: EquationsOfMotion, parameters: Mapping[Symbol, float], first: float, last: float, *,
    whole: bool = True,
) -> None:  # fmt: skip
    """An error if a motion or its velocity jumps between two times, or is not finite at the first one.

    Args:
        motion: what is looked at.
        eom: equations of motion.
        parameters: values.
        first: time.
        last: time.
        whole: whether it must have a value all the time; if not, it is looked at as long as it has one.
    """

    def course(t: Any, held: Mapping[Symbol, float] = motion.held) -> Vector:
        known: dict[Any, Any] = {**parameters, **held, eom.model.time: np.asarray(t, dtype=float)}
        values = evaluate(list(motion.course), known)
        return np.stack(np.broadcast_arrays(*values, np.asarray(t, dtype=float))[:3])

    t = np.linspace(first, last, LOOKS)
    rows = course(t)
    undefined: NDArray[np.bool_] = np.asarray(~np.isfinite(rows).all(axis=0))
    if undefined.any() and (motion.held or not (whole or undefined[0])):
        t, rows = t[: np.argmax(undefined)], rows[:, : np.argmax(undefined)]
        if len(t) < 2:
            return
    elif undefined.any():
        raise ModelError(
            f"The prescribed motion, its velocity or its acceleration is not finite at t = {t[undefined][0]:.6g} s.",
            code="prescribed-motion-not-finite",
            where=f"{motion.owner} of system '{eom.model.name}'",
            cause="An argument is outside of a function's domain, or there is a division by zero.",
            remedy="Use a smooth expression of time that has a value during the whole run.",
            time=float(t[undefined][0]),
        )
    what = "prescribed motion" if motion.smooth else "dependence on time"
    displaced = course(
        t[[0, -1]], {symbol: value + 1 + 0.1 * k for k, (symbol, value) in enumerate(motion.held.items())}
    )
    for k, jumps in enumerate(("it jumps", "its velocity jumps")[: 1 + motion.smooth]):
        sizes = np.abs(np.append(rows[k], displaced[k]))  # terms of a constraint cancel where it is met
        noise = CANCELLATION_ROUNDING * float(sizes[np.isfinite(sizes)].max(initial=0.0))
        at = _jump(lambda t, k=k: course(t)[k : k + 2], t, rows[k : k + 2], noise)
        if at is not None:
            raise ModelError(
                f"The {what} is not smooth: {jumps} at t = {at:.6g} s.",
                code="prescribed-motion-not-smooth",
                where=f"{motion.owner} of system '{eom.model.name}'",
                cause="The force that this takes is infinite for an instant, and no integrator sees it.",
                remedy="Use a smooth expression of time, or Table(name, x, y, 'cubic').",
                time=float(at),
            )


def _jump(course: Any, t: Vector, values: Vector, noise: float) -> float | None:
    """Where x changes otherwise than its rate says, however short the interval; None if that is nowhere.

    Args:
        course: gives x and its rate at times.
        t: instants.
        values: x and its rate there.
        noise: changes up to this size are rounding errors.
    """
    scale = float(np.ptp(values[0]))
    least = max(MOTION_JUMP * scale, noise)
    doubtful = _unexplained(t, *values) > least
    begin, end = t[:-1][doubtful], t[1:][doubtful]
    for _ in range(HALVINGS if scale else 0):
        if not len(begin):
            return None  # the rate explains everything, on a closer look
        three = np.stack([begin, (begin + end) / 2, end])
        missing = _unexplained(three, *course(three))
        late = missing[1] > missing[0]
        begin, end = np.where(late, three[1], begin), np.where(late, end, three[1])
        doubtful = missing.max(axis=0) > least
        begin, end = begin[doubtful], end[doubtful]
    return float(begin[0]) if scale and len(begin) else None


def _unexplained(t: Vector, x: Vector, rate: Vector) -> Vector:
    """|Δx - ∫ rate dt| from one instant to the next, by trapezoids.

    Where the rate is not finite, its integral counts as zero; where x is not finite, the result is infinite.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        explained = np.diff(t, axis=0) * (rate[1:] + rate[:-1]) / 2
        missing = np.abs(np.diff(x, axis=0) - np.where(np.isfinite(explained), explained, 0.0))
    return np.where(np.isnan(missing), np.inf, missing)
