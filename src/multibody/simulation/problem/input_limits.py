"""Limits of inputs: what an input is held at, and what a run reports about it.

An input follows what was asked for, r = min(max(asked, low), high). Where it follows an expression, this expression is
part of the equations, so that steps end where it reaches a limit and where it comes back (see ``switching_functions``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.graph import Expr, as_expr, free_symbols, maximum, minimum
from multibody.graph.node import within
from multibody.model.quantity import Range, rate_name
from multibody.simulation.contract import Vector
from multibody.simulation.problem.sample_functions import probe
from multibody.simulation.results.interpolation import hermite

ZOOMS, ZOOM_POINTS = 6, 17
"""How often, and with how many points, the largest value that was asked for is looked for between steps."""


class Saturation(NamedTuple):
    """An input that was held at a limit, because a value beyond it was asked for.

    Attributes:
        input: its name.
        limits: low and high.
        t: when it was held first.
        duration: for how many seconds it was held, all in all.
        asked: the value furthest beyond the limits that was asked for; NaN if it is not known, as in a file.
        asked_t: when that was.
    """

    input: str
    limits: Range
    t: float
    duration: float
    asked: float
    asked_t: float

    def __str__(self) -> str:
        low, high = self.limits
        held = f"{self.input} is held within [{low:.6g}, {high:.6g}] from {self.t:.6g} s on, for {self.duration:.6g} s"
        return held if np.isnan(self.asked) else f"{held}; asked for: {self.asked:.6g} at {self.asked_t:.6g} s"

    @property
    def excess(self) -> float:
        """How far the value that was asked for is beyond the limits."""
        return max(self.limits[0] - self.asked, self.asked - self.limits[1])

    def joined(self, other: Saturation) -> Saturation:
        """Both as one, for the same input."""
        further = other if np.isnan(self.asked) or other.excess > self.excess else self
        return Saturation(
            self.input, self.limits, min(self.t, other.t), self.duration + other.duration, further.asked,
            further.asked_t,
        )  # fmt: skip


def plain_saturation(one: Saturation) -> list[Any]:
    """A saturation for files: a text and numbers as texts, because they may be infinite or not a number."""
    return [one.input, [repr(float(x)) for x in (*one.limits, one.t, one.duration, one.asked, one.asked_t)]]


def saturation_from(plain: Any) -> Saturation:
    """The saturation of a file."""
    name, numbers = plain
    low, high, *others = map(float, numbers)
    return Saturation(str(name), (low, high), *others)


def joined_saturations(*groups: Iterable[Saturation]) -> tuple[Saturation, ...]:
    """One for each input and its limits."""
    found: dict[Any, Saturation] = {}
    for node in (variable for group in groups for variable in group):
        key = node.input, node.limits
        found[key] = found[key].joined(node) if key in found else node
    return tuple(found.values())


# values --------------------------------------------------------------------------------------------------------------


def limits_of_inputs(eom: EquationsOfMotion) -> Mapping[int, Range]:
    """Low and high of each input that has limits, by its place in r."""
    limits = eom.model.input_limits
    return (
        {place: limits[quantity] for place, quantity in enumerate(eom.inputs) if quantity in limits} if limits else {}
    )


def saturated_expression(value: Expr, limits: Range, eom: EquationsOfMotion) -> Expr:
    """An expression that is held between limits."""
    low, high = limits
    with within(eom.table):
        found = value if np.isinf(low) else maximum(value, as_expr(low))
        return found if np.isinf(high) else minimum(found, as_expr(high))


def saturated(value: float, limits: Range) -> float:
    """A number that is held between limits.

    Example:
        >>> saturated(5.0, (-3.0, 3.0)), saturated(-0.5, (0.0, np.inf))
        (3.0, 0.0)
    """
    return min(max(value, limits[0]), limits[1])


def require_motion_within(eom: EquationsOfMotion, place: int, asked: float, limits: Range, t: float) -> None:
    """An error if a prescribed motion follows an input that a function of Python leads beyond its limits.

    Its rates are given by other functions, which do not know that the motion stops at a limit.
    """
    names = [quantity.name for quantity in eom.inputs]
    if rate_name(names[place]) in names and not limits[0] <= asked <= limits[1]:
        raise ModelError(
            f"A function asks for {names[place]} = {asked:.6g} at t = {t:.6g} s, beyond its limits "
            f"[{limits[0]:.6g}, {limits[1]:.6g}].",
            code="input-beyond-limits",
            name=names[place],
            value=asked,
            where=f"input '{names[place]}' of system '{eom.model.name}'",
            cause="A prescribed motion follows it, and its rates are inputs of their own, which go on.",
            remedy="Keep the function within the limits, or give the input wider ones.",
        )


# reports -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Requests:
    """What was asked for inputs that have limits, as far as numbers alone do not tell.

    Attributes:
        limits: low and high by place.
        expressions: what inputs follow, without limits, by place.
        laws: a function of (t, y) for inputs that follow functions of Python, by place.
    """

    limits: Mapping[int, Range]
    expressions: Mapping[int, Expr]
    laws: Mapping[int, Callable[[float, Vector], float]]


NO_REQUESTS = Requests({}, {}, {})


class SaturationCheck:
    """Finds out at the ends of steps which inputs were held at their limits, when, and what was asked for.

    Args:
        eom: equations of motion.
        requests: what was asked for.
    """

    def __init__(self, eom: EquationsOfMotion, requests: Requests) -> None:
        self._eom, self._requests = eom, requests
        self._found: dict[int, Saturation] = {}

    def __bool__(self) -> bool:
        """Whether any input has limits."""
        return bool(self._requests.limits)

    @property
    def results(self) -> tuple[Saturation, ...]:
        """The inputs that were held, in their order."""
        return tuple(self._found[place] for place in sorted(self._found))

    def look(self, t: Vector, y: Vector, r: Vector, p: Vector, numbers: Vector) -> None:
        """Look at a stretch of a run.

        Args:
            t: the ends of its steps.
            y: coordinates and speeds there, a row for each; what follows them does not matter.
            r: inputs there, as they were held.
            p: parameters.
            numbers: the numbers that were asked for in the step that ends at each time.
        """
        course = Course(self._eom, t, y, r, p)
        for place, limits in self._requests.limits.items():
            if place in self._requests.expressions:
                parts = _followed(course, self._requests.expressions[place], limits)
            elif place in self._requests.laws:
                asked = np.array([self._requests.laws[place](*row) for row in zip(t.tolist(), y, strict=True)])
                parts = _sampled(t, asked, limits)
            else:
                parts = _held(t, numbers[:, place], limits)
            name = self._eom.inputs[place].name
            for begin, duration, asked_for, asked_t in parts:
                one = Saturation(name, limits, begin, duration, asked_for, asked_t)
                known = self._found.get(place)
                self._found[place] = one if known is None else known.joined(one)


Part = tuple[float, float, float, float]
"""A first time, a duration, a value that was asked for, and its time."""


def excess_beyond(asked: Vector, limits: Range) -> Vector:
    """How far values are beyond limits; negative within."""
    return np.maximum(limits[0] - asked, asked - limits[1])


def _held(t: Vector, asked: Vector, limits: Range) -> Iterator[Part]:
    """Numbers that are held in each step up to its end."""
    excess = excess_beyond(asked[1:], limits)
    beyond = (excess > 0) & (np.diff(t) > 0)
    if beyond.any():
        first, far = int(np.argmax(beyond)), int(np.argmax(np.where(beyond, excess, -np.inf)))
        same = np.flatnonzero(beyond & (excess == excess[far]))[0]
        yield float(t[first]), float(np.diff(t)[beyond].sum()), float(asked[far + 1]), float(t[same])


def _sampled(t: Vector, asked: Vector, limits: Range) -> Iterator[Part]:
    """A function that is known at the ends of steps, and taken as straight in between."""
    for excess in (limits[0] - asked, asked - limits[1]):
        if not np.isfinite(excess).any():
            continue  # on this side there is no limit
        excess = np.where(np.isnan(excess), 0.0, excess)
        before, after, h = excess[:-1], excess[1:], np.diff(t)
        size = np.abs(before) + np.abs(after)
        share = (np.maximum(before, 0.0) + np.maximum(after, 0.0)) / np.where(size > 0, size, 1.0)
        if (share * h > 0).any():
            k, far = int(np.argmax(share * h > 0)), int(np.argmax(excess))
            begin = t[k] if before[k] > 0 else t[k + 1] - share[k] * h[k]
            yield float(begin), float((share * h).sum()), float(asked[far]), float(t[far])


def _followed(course: Course, expression: Expr, limits: Range) -> Iterator[Part]:
    """An expression; steps end where it reaches a limit, so that the middle of a step tells about all of it."""
    t, h = course.t, np.diff(course.t)
    times = np.ravel(np.stack([t[:-1], t[:-1] + 0.5 * h], axis=1))
    middles = times[1::2]
    asked = course.values(expression, middles)
    beyond = (excess_beyond(asked, limits) > 0) & (h > 0)
    if beyond.any():
        first = int(np.argmax(beyond))
        far = int(np.argmax(np.where(beyond, excess_beyond(asked, limits), -np.inf)))
        value, when = course.furthest(expression, limits, np.append(times, t[-1]), float(middles[far]))
        yield float(t[first]), float(h[beyond].sum()), value, when


class Course:
    """A stretch of a run, to evaluate expressions at any time within it."""

    def __init__(self, eom: EquationsOfMotion, t: Vector, y: Vector, r: Vector, p: Vector) -> None:
        n, m = len(eom.coordinates), len(eom.speeds)
        self.t, self._eom, self._y, self._r, self._p = t, eom, y[:, : n + m], r, p
        self._n = n
        self._rates: Vector | None = None

    def values(self, expression: Expr, times: Vector) -> Vector:
        """An expression at times."""
        moving = {*self._eom.coordinates, *self._eom.speeds}.intersection(free_symbols(expression))
        y, r = self._states(times, bool(moving)), self._r[np.searchsorted(self.t[:-1], times, side="left")]
        function = self._eom.once(("asked", expression), lambda: self._eom.function("asked", {"asked": [expression]}))
        found = np.asarray(function.batch(times, y[:, : self._n], y[:, self._n :], r, self._p))
        return np.where(np.isfinite(found.reshape(-1)), found.reshape(-1), np.nan)

    def furthest(self, expression: Expr, limits: Range, times: Vector, when: float) -> tuple[float, float]:
        """The value furthest beyond limits, and its time.

        Args:
            expression: what is evaluated.
            limits: low and high.
            times: at which to look first.
            when: one at which it is beyond the limits, in case that it is not finite elsewhere.
        """
        times = np.unique(np.append(times, when))
        asked = self.values(expression, times)
        for _ in range(ZOOMS):
            far = int(np.nanargmax(excess_beyond(asked, limits)))
            around = np.linspace(times[max(far - 1, 0)], times[min(far + 1, len(times) - 1)], ZOOM_POINTS)
            times = np.unique(np.append(around, times[far]))
            asked = self.values(expression, times)
        far = int(np.nanargmax(excess_beyond(asked, limits)))
        return float(asked[far]), float(times[far])

    def _states(self, times: Vector, moving: bool) -> Vector:
        if not moving:
            return np.zeros((len(times), self._y.shape[1]))
        if self._rates is None:
            n = self._n
            found = probe(self._eom, "rates").batch(self.t, self._y[:, :n], self._y[:, n:], self._r, self._p)
            rates = np.hstack([np.asarray(part).reshape(len(self.t), -1) for part in (found.q_dot, found.u_dot)])
            self._rates = np.where(np.isfinite(rates), rates, 0.0)
        return hermite(self.t, self._y, self._rates, times)


def saturations_in_samples(eom: EquationsOfMotion, t: Vector, r: Vector) -> tuple[Saturation, ...]:
    """The inputs of a recorded run that rest at their limits; what was asked for is not known."""
    found = []
    for place, limits in limits_of_inputs(eom).items():
        values, h = r[:, place], np.diff(t)
        at_limit = np.isin(values, [limit for limit in limits if np.isfinite(limit)])
        if at_limit.any():
            duration = float(h[at_limit[1:] & (values[1:] == values[:-1])].sum())
            first = float(t[int(np.argmax(at_limit))])
            found.append(Saturation(eom.inputs[place].name, limits, first, duration, np.nan, np.nan))
    return tuple(found)
