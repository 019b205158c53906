"""Dead points of loops that are solved in closed form: two solutions meet there, and a closed form leaves the motion.

The dependent coordinates of such a loop are ±√D + …, where D depends on the others and on time. Where D becomes zero,
the motion goes on in the other solution, but the closed form stays in its own: velocities would jump. So D is checked
at the ends of all steps, and between them where it becomes small.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.equations.projection import correction
from multibody.equations.singularity import square_roots
from multibody.graph import Expr, free_symbols, isolated, topological
from multibody.simulation.contract import Vector
from multibody.simulation.problem.problem import Problem
from multibody.simulation.problem.run_functions import RunFunctions

STATES_PER_EVALUATION = 256
"""Number of states that are collected before D is evaluated."""

SMALL = 0.05
"""D is evaluated between steps where it is smaller than this, relative to its largest value in the run."""

ZERO_REACHED = 1e-9
"""D is zero below this, relative to its largest value."""

GRID, ZOOMS = 65, 5
"""Points between the ends of steps, and how often they are placed more closely around the smallest D."""


class DeadPoint(NamedTuple):
    """Where two solutions of a loop meet.

    Attributes:
        t: the time.
        y: the state.
        coordinates: names of the dependent coordinates of the loop; none where constraints become dependent.
    """

    t: float
    y: Vector
    coordinates: tuple[str, ...]

    def __str__(self) -> str:
        if not self.coordinates:
            return (
                "the constraints become dependent there, and without projection the motion would leave its branch; use "
                "an integrator with project=True to pass"
            )
        return (
            f"the loop that determines {', '.join(self.coordinates)} in closed form reaches a dead point, where its "
            "solutions meet; close it by a joint with cut=True to pass"
        )


class Discriminants(NamedTuple):
    """Expressions whose square roots loops are solved with.

    Attributes:
        function: (t, q, u, r, p) → D, compiled.
        coordinates: for each D the names of the dependent coordinates that follow from it.
    """

    function: Function
    coordinates: tuple[tuple[str, ...], ...]


def discriminants(functions: RunFunctions, *, projects: bool = True) -> Discriminants | None:
    """The discriminants of all loops in closed form; None if there are none.

    Left out are those that depend on inputs whose values between two states are not known.

    Args:
        functions: of the run.
        projects: whether states are brought back onto the constraints. Without that, nothing else notices where
            constraints become dependent: their smallest pivot counts as a discriminant, too.
    """
    eom = functions.eom
    roots: dict[Expr, tuple[str, ...]] = dict(eom.once("square roots of loops", lambda: square_roots(eom)))
    if not projects and eom.may_be_undetermined and functions.projection is not None:
        pivot = eom.once("smallest pivot", lambda: correction(eom))
        roots |= {} if pivot is None else {pivot.regularity: ()}
    if not roots:
        return None
    found = {}
    for D, names in zip(functions.with_inputs(list(roots)), roots.values(), strict=True):
        known = {*free_symbols([D])}
        if known & {*eom.coordinates, eom.model.time} and not known & {*eom.inputs, *eom.speeds}:
            found[D] = names
    if not found:
        return None
    return eom.once(("discriminants of loops", *found), lambda: _compiled(eom, found))


def _compiled(eom: EquationsOfMotion, found: Mapping[Expr, tuple[str, ...]]) -> Discriminants:
    with isolated(*topological([*eom.acceleration, *eom.model.expressions()])):
        function = eom.function("discriminants", {"D": list(found)})
    return Discriminants(function, tuple(found.values()))


def _may_touch_zero(values: Vector) -> NDArray[np.bool_]:
    """Where D is less than the rise to a neighboring state: a parabola may touch zero in between."""
    rise = np.zeros_like(values)
    rise[1:] = values[:-1] - values[1:]
    rise[:-1] = np.maximum(rise[:-1], values[1:] - values[:-1])
    return np.asarray(values <= rise)


class DeadPoints:
    """Collects the states at the ends of steps, and finds the first dead point among them or in between.

    Args:
        problem: the equations of motion, compiled.
        projects: whether states are brought back onto the constraints.
    """

    def __init__(self, problem: Problem, *, projects: bool = True) -> None:
        self._known, self._problem = discriminants(problem.functions, projects=projects), problem
        self._rows: list[tuple[Vector, Vector]] = []
        self._count, self._largest = 0, np.zeros(1)
        self._first: DeadPoint | None = None

    @property
    def empty(self) -> bool:
        """Whether there are no loops with dead points."""
        return self._known is None

    def add(self, t: Vector, y: Vector) -> bool:
        """Note states, in the order of time; whether no dead point has been found."""
        if self._known is not None and self._first is None:
            self._rows.append((t.copy(), y.copy()))
            self._count += len(t)
            if self._count >= STATES_PER_EVALUATION:
                self._look(self._known)
        return self._first is None

    def first(self) -> DeadPoint | None:
        """The first dead point of the run."""
        if self._known is not None and self._rows and self._first is None:
            self._look(self._known, last=True)
        return self._first

    def _look(self, known: Discriminants, *, last: bool = False) -> None:
        t, y = (np.concatenate(column) for column in zip(*self._rows, strict=True))
        self._rows, self._count = [(t[-2:], y[-2:])], 2  # where D is smallest at the end is seen with what follows
        values = self._values(known, t, y)
        if not np.isfinite(values.sum()):
            sound = np.isfinite(y).all(axis=1)
            values = np.where(np.isfinite(values), values, -1.0)[sound]  # negative where a loop cannot be closed
            t, y = t[sound], y[sound]
        self._largest = np.maximum(self._largest, values.max(axis=0, initial=0.0))
        small = values < SMALL * self._largest
        lowest = small | _may_touch_zero(values)
        if not lowest.any():
            return
        lowest[1:] &= values[1:] <= values[:-1]
        lowest[:-1] &= values[1:] >= values[:-1]
        if not last:
            lowest[-1:] = False
        for k, i in np.argwhere(lowest):
            begin = k - (k > 0 and t[k - 1] < t[k])  # states at one time are before and after a reset
            end = k + 1 + (k + 1 < len(t) and t[k] < t[k + 1])
            if self._first is None:
                self._first = self._between(known, int(i), t[begin:end], y[begin:end], touching=not small[k, i])

    def after(self, t: float, y: Vector, step: float) -> DeadPoint | None:
        """The dead point that a step from a state leads to, by the midpoint rule; for a step that has failed."""
        if self._known is None or self._first is not None:
            return None
        shares, states = np.linspace(0.0, step, GRID), [y]
        with np.errstate(all="ignore"):
            for share in shares[1:]:
                middle = y + 0.5 * share * self._problem.evaluate(t, y)
                states.append(y + share * self._problem.evaluate(t + 0.5 * share, middle))
                D = self._values(self._known, np.array([t + share]), states[-1][None])[0]
                if not (D > 0.0).all():
                    i = int(np.argmin(np.nan_to_num(D, nan=-1.0)))
                    return DeadPoint(t + share, y, self._known.coordinates[i])
            values = self._values(self._known, t + shares, np.array(states))
            for k, i in np.argwhere(_may_touch_zero(values)):
                near = slice(max(k - 1, 0), k + 2)
                found = self._between(self._known, int(i), t + shares[near], np.array(states[near]), touching=True)
                if found is not None:
                    return found
        return None

    def _between(self, known: Discriminants, i: int, t: Vector, y: Vector, *, touching: bool) -> DeadPoint | None:
        """The dead point among a few neighboring states, if D of number i becomes zero there.

        Straight lines are near enough to the motion: where D is as small as the square of a distance, their error
        counts with its square, too.

        Args:
            known: all D.
            i: the number of D.
            t: increasing times.
            y: the states.
            touching: whether the states are so far apart that only a D that touches zero counts: where it changes its
                sign, a straight line may leave what the motion stays in.
        """
        low, high = 0.0, len(t) - 1.0
        places = np.arange(len(t), dtype=float)
        for _ in range(ZOOMS):
            at = np.linspace(low, high, GRID)
            times = np.interp(at, places, t)
            states = np.stack([np.interp(at, places, column) for column in y.T], axis=1)
            D = np.nan_to_num(self._values(known, times, states)[:, i], nan=-1.0)
            k = int(np.argmin(D))
            if D[k] < -ZERO_REACHED * self._largest[i] and touching:
                return None
            if D[k] <= ZERO_REACHED * self._largest[i]:
                return DeadPoint(float(times[k]), states[k], known.coordinates[i])
            low, high = at[max(k - 1, 0)], at[min(k + 1, GRID - 1)]
        return None

    def _values(self, known: Discriminants, t: Vector, y: Vector) -> Vector:
        """D of all loops, a row for each state."""
        problem = self._problem
        q, u = y[:, : problem.n], y[:, problem.n : problem.n + problem.m]
        return np.asarray(known.function.batch(t, q, u, problem.r, problem.p)).reshape(len(t), -1)
