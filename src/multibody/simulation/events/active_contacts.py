"""Contacts during a run: which touch, which push, what impacts do together, and which stops were passed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.graph import Expr, free_symbols, is_zero
from multibody.simulation.contract import Segment, Vector
from multibody.simulation.events.events import Signals, Touch
from multibody.simulation.events.impacts import STABILIZATION_RATE
from multibody.simulation.problem.problem import Problem

LARGEST_CLOSED_GAP = 1e-9  # the gap of a contact that touches, at most
CLOSED_GAP_PER_TRAVEL = 1e-6  # the same, relative to the travel of the gap
PASSED_PER_CLOSED_GAP = 1e3  # times the gap of a contact that touches: one that has been passed through
LOCATION_ERROR = 4e-12  # s, and relative to the time: by so much, an impact is located too late
SMALLEST_TRAVEL = 1e-6  # m or rad; a resting contact opens at 1e-9, which must be little beside the travel of its gap
ROUNDING_OF_GAP_RATES = 1e-12  # the rate of a gap that comes from rounding, relative to the fastest speed
ROUNDING_OF_FORCES = 1e-12  # relative size of a force or an acceleration that comes from rounding
MAX_PIVOTS_PER_CONTACT = 10  # changes of the contacts that push, for each of them, at most
SHORTEST_FLIGHT = 1e-11  # s, and
LOWEST_FLIGHT = 4e-15  # relative to the coordinates: a rebound that is shorter or lower cannot be followed


Mask = NDArray[np.bool_]


class ContactNumbers(NamedTuple):
    """What forces and impulses at contacts do, as numbers.

    Attributes:
        free: accelerations of gaps without contact forces.
        compliance: A, their change by forces.
        effect: changes of speeds by impulses, a column for each contact.
        band: accelerations that count as zero.
    """

    free: Vector
    compliance: Vector
    effect: Vector
    band: Vector

    @property
    def is_regular(self) -> bool:
        """Whether all numbers are finite, and each contact can change its own gap."""
        return all(np.isfinite(array).all() for array in self) and bool((np.diag(self.compliance) > 0).all())


class Contacts:
    """The contacts of a run, as numbers.

    Args:
        eom: equations of motion.
        problem: the same, compiled; it knows which contacts rest.
        signals: the events, contacts among them.

    Attributes:
        moves: whether stops, joints or constraints move with time: then impacts are work of drives, too.
    """

    def __init__(self, eom: EquationsOfMotion, problem: Problem, signals: Signals) -> None:
        self._eom, self._problem, self._names = eom, problem, signals.names
        self._touches = {k: event for k, event in enumerate(signals.events) if isinstance(event, Touch)}
        inputs: dict[Expr, int] = {quantity: place for place, quantity in enumerate(eom.inputs)}
        self._resting = {k: inputs[touch.resting] for k, touch in self._touches.items()}
        self._pushing = {k: inputs[touch.pushing] for k, touch in self._touches.items()}
        self.moves = bool(self._touches) and self._has_motion()
        self._closed_gaps = dict.fromkeys(self._touches, LARGEST_CLOSED_GAP)

    def closed(self, t: float, y: Vector, duration: float) -> list[int]:
        """The contacts that touch at the start of a run and do not rest yet, by number.

        Raises:
            ModelError: if bodies overlap, or a gap is too small for the unit of length.
        """
        if not self._touches:
            return []
        found, gaps = [], self._gaps(t, y)
        self._scale_gaps(t, y, gaps, duration)
        for k in self._open():
            gap, rate = gaps[k]
            if gap < -PASSED_PER_CLOSED_GAP * self._closed_gaps[k]:
                raise ModelError(
                    f"The gap is {gap:.6g} at the start.",
                    code="bodies-overlap",
                    name=self._names[k],
                    value=gap,
                    where=f"impact '{self._names[k]}' of a run of '{self._eom.model.name}'",
                    cause="Bodies overlap, or the sign is wrong: a gap is positive while there is no contact.",
                    remedy="Give start values with a gap that is not negative.",
                )
            if gap <= self._closed_gaps[k] and rate <= 0:
                found.append(k)
        return found

    def _scale_gaps(self, t: float, y: Vector, gaps: Mapping[int, tuple[float, float]], duration: float) -> None:
        """Gaps that count as closed follow the travel of each gap: |g|, or what ġ or g̈ make of it in the run."""
        values = self._numbers(t, y).free
        for (k, (gap, rate)), free in zip(gaps.items(), values, strict=True):
            acceleration = free - 2 * STABILIZATION_RATE * rate - STABILIZATION_RATE**2 * gap
            travel = max(abs(gap), abs(rate) * duration, abs(acceleration) * duration**2)
            if LARGEST_CLOSED_GAP**2 < travel < SMALLEST_TRAVEL:
                raise ModelError(
                    f"The gap is {gap:.3g} at the start and travels about {travel:.2g} in {duration:.6g} s.",
                    code="gap-too-small",
                    name=self._names[k],
                    value=travel,
                    where=f"impact '{self._names[k]}' of a run of '{self._eom.model.name}'",
                    cause=f"Gaps below {LARGEST_CLOSED_GAP:g} cannot be distinguished from contact.",
                    remedy="Use a smaller unit of length for the whole model, such as millimeters or micrometers.",
                )
            if travel >= SMALLEST_TRAVEL:
                self._closed_gaps[k] = min(LARGEST_CLOSED_GAP, CLOSED_GAP_PER_TRAVEL * travel)

    def passed(self, segment: Segment) -> str:
        """What there is to say about the first stop that was passed within a segment; empty if there is none."""
        if not self._touches:
            return ""
        t, y = np.append(segment.t, segment.last_t), np.vstack([segment.y, segment.last_y])
        n, m = self._problem.n, self._problem.m
        function = self._problem.functions.contact_gaps
        found = function.batch(t, y[:, :n], y[:, n : n + m], self._problem.all_r, self._problem.p)["gaps"]
        gaps = np.reshape(found, (len(t), len(self._touches)))
        deep = gaps < -PASSED_PER_CLOSED_GAP * np.array([*self._closed_gaps.values()])
        for sample, place in np.argwhere(deep):
            k = [*self._touches][place]
            gap, rate = self._gaps(float(t[sample]), y[sample])[k]
            if gap < -LOCATION_ERROR * max(1.0, abs(float(t[sample]))) * abs(rate):  # the impact may just come
                return f"'{self._names[k]}': its gap is {gap:.3g} at t = {t[sample]:.9g} s"
        return ""

    def rates(self, t: float, y: Vector, *only: int) -> dict[int, float]:
        """The rates of gaps that are closed, by number; of all contacts, or of some alone."""
        if not self._touches:
            return {}
        found = self._gaps(t, y)
        return {k: rate for k, (gap, rate) in found.items() if gap <= self._closed_gaps[k] and (not only or k in only)}

    def struck(self, t: float, y: Vector, before: Mapping[int, float]) -> int | None:
        """A contact that touches and now closes faster than before; or one that does not open any more, and may rest.

        Args:
            t: the time.
            y: the state after a blow elsewhere.
            before: rates of gaps, after the last blow of their own if there was one.
        """
        still = self._still(y)
        may_rest = [k for k in self._open() if self._touches[k].rests]
        for k, rate in self.rates(t, y).items():
            if rate < before.get(k, np.inf) - still and rate < (still if k in may_rest else -still):
                return k
        return None

    def loss(self, k: int, t: float, before: Vector, after: Vector) -> float | None:
        """The energy that an impact takes, (ġ⁻² - ġ⁺²)/(2·W·E); None for an event that is not an impact."""
        if k not in self._touches:
            return None
        place = [*self._touches].index(k)
        slow, fast = self._gaps(t, after)[k][1], self._gaps(t, before)[k][1]
        return float((fast**2 - slow**2) / (2 * self._numbers(t, before).compliance[place, place]))

    def _has_motion(self) -> bool:
        if any(not is_zero(touch.drift) for touch in self._touches.values()):
            return True
        driven = any(link.joint.prescribed is not None for link in self._eom.model.links)
        return driven or self._eom.model.time in free_symbols(list(self._eom.constraints.velocity))

    # forces and impulses -----------------------------------------------------------------------------------------

    def balance(self, t: float, y: Vector) -> None:
        """Decide which of the resting contacts push: λ ≥ 0, g̈ = g̈_free + A·λ ≥ 0, λ·g̈ = 0."""
        if not self._touches:
            return
        r, numbers = self._problem.r, [*self._touches]
        r[[self._pushing[k] for k in self._open()]] = 0.0
        resting = [place for place, k in enumerate(numbers) if r[self._resting[k]] >= 0.5]
        if not resting:
            return
        values = self._numbers(t, y)
        if not values.is_regular:
            return  # the accelerations are not finite either, and the run says so
        free, band = values.free[resting], values.band[resting]
        compliance = values.compliance[np.ix_(resting, resting)]
        inputs = [self._pushing[numbers[place]] for place in resting]
        if not _is_balanced(compliance, free, r[inputs] >= 0.5, 0.5 * band):
            r[inputs] = complementary(compliance, free) > 0

    def settled(self, t: float, y: Vector) -> Vector:
        """The state after impacts in which contacts rest whose rebound is too short to be followed."""
        self.balance(t, y)
        rates, speeds = self.rates(t, y), slice(self._problem.n, self._problem.n + self._problem.m)
        leaving = [k for k in self._open() if self._touches[k].rests and rates.get(k, 0.0) > 0]
        if not leaving:
            return y
        values, numbers, r = self._numbers(t, y), [*self._touches], self._problem.r
        if not values.is_regular:
            return y
        pushing = np.array([r[self._pushing[k]] >= 0.5 for k in numbers])
        accelerations = values.free + values.compliance @ _forces(values.compliance, values.free, pushing)
        lowest = LOWEST_FLIGHT * max(1.0, float(np.abs(y[: self._problem.n]).max(initial=0.0)))
        for k in leaving:
            place, rate = numbers.index(k), rates[k]
            pull = -accelerations[place]
            if pull > 0 and (2 * rate < SHORTEST_FLIGHT * pull or rate**2 < 2 * lowest * pull):
                y = y.copy()
                y[speeds] -= values.effect[:, place] * (rate / values.compliance[place, place])
                r[self._resting[k]] = 1.0
        self.balance(t, y)
        return y

    def stopped(self, t: float, y: Vector) -> Vector:
        """The state after impulses at all closed contacts together that leave no gap closing, without rebound."""
        numbers, rates = [*self._touches], self.rates(t, y)
        places = [numbers.index(k) for k in rates]
        values, speeds = self._numbers(t, y), slice(self._problem.n, self._problem.n + self._problem.m)
        if not values.is_regular:
            return y
        impulses = complementary(values.compliance[np.ix_(places, places)], np.array(list(rates.values())))
        y = y.copy()
        y[speeds] += values.effect[:, places] @ impulses
        still = self._still(y)
        for k, rate in self.rates(t, y).items():
            if rate <= still and self._touches[k].rests:
                self._problem.r[self._resting[k]] = 1.0
        return y

    def _still(self, y: Vector) -> float:
        """The rate of a gap that comes from rounding."""
        speeds = y[self._problem.n : self._problem.n + self._problem.m]
        return ROUNDING_OF_GAP_RATES * max(1.0, float(np.abs(speeds).max(initial=0.0)))

    def _open(self) -> list[int]:
        """The numbers of the contacts that do not rest."""
        return [k for k, place in self._resting.items() if self._problem.r[place] < 0.5]

    def _gaps(self, t: float, y: Vector) -> dict[int, tuple[float, float]]:
        """The gaps of the contacts and their rates, by number."""
        found = self._problem.call(self._problem.functions.contact_gaps, t, y)
        return {
            k: (float(gap), float(rate))
            for k, gap, rate in zip(self._touches, found["gaps"], found["rates"], strict=True)
        }

    def _numbers(self, t: float, y: Vector) -> ContactNumbers:
        found = self._problem.call(self._problem.functions.contact_forces, t, y)
        return ContactNumbers(found["free"], found["compliance"], found["effect"], found["band"])


def complementary(compliance: Vector, free: Vector) -> Vector:
    """x ≥ 0 with w = A·x + b ≥ 0 and x·w = 0, for a symmetric A that is positive semidefinite.

    This is the condition for the minimum of x·A·x/2 + b·x with x ≥ 0. The active-set method of Lawson and Hanson (1974,
    ch. 23) finds it; b is in the range of A. Its positive components belong to independent columns: of two contacts
    along one direction one pushes.

    Args:
        compliance: A.
        free: b, accelerations or rates of gaps without forces or impulses.

    Example:
        >>> complementary(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-2.0, 1.0])).round(9).tolist()
        [1.0, 0.0]
    """
    scale = np.sqrt(np.diag(compliance))
    matrix, right = compliance / np.outer(scale, scale), free / scale
    x, active, skipped = np.zeros(len(right)), np.zeros(len(right), dtype=bool), np.zeros(len(right), dtype=bool)
    for _ in range(MAX_PIVOTS_PER_CONTACT * len(right)):
        slack = np.where(active | skipped, 0.0, matrix @ x + right)
        new = int(slack.argmin())
        if slack[new] >= -ROUNDING_OF_FORCES * np.abs(right).max(initial=0.0):
            break
        active[new] = True
        while not np.all((target := _forces(matrix, right, active))[active] > 0):
            blocking = active & (target <= 0)
            share = float((x[blocking] / (x[blocking] - target[blocking])).min()) if x[blocking].all() else 0.0
            x = x + share * (target - x)
            active &= ~(blocking & (x <= ROUNDING_OF_FORCES * np.abs(x).max()))
            x[~active] = 0.0
        x, skipped = target, skipped & ~active if active[new] else skipped | (np.arange(len(x)) == new)
    return np.asarray(x / scale, dtype=float)


def _forces(compliance: Vector, free: Vector, pushing: Mask) -> Vector:
    """The forces of contacts that push, so that their gaps do not accelerate."""
    forces = np.zeros(len(free))
    if pushing.any():
        forces[pushing] = np.linalg.lstsq(compliance[np.ix_(pushing, pushing)], -free[pushing], rcond=None)[0]
    return forces


def _is_balanced(compliance: Vector, free: Vector, pushing: Mask, band: Vector) -> bool:
    """Whether contacts that push do so, and all others do not close, within a band."""
    forces = _forces(compliance, free, pushing)
    return bool(np.all(np.where(pushing, np.diag(compliance) * forces, free + compliance @ forces) >= -band))
