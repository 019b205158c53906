"""Solving the equations of steady states: damped Newton's method with exact derivatives, from one start or from many.

Equations may be redundant, and solutions need not be isolated (a cart rests anywhere on its rail): steps are the
shortest ones, Δw = -J⁺·F, and of solutions that form a line or a surface, the one nearest to the start counts.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import NamedTuple

import numpy as np

from multibody.linearization.tolerances import (
    BALANCED_ACCELERATION,
    BALANCED_TERMS,
    FAINT_ROW,
    LONGEST_SHARPENING,
    NEARBY_STEP,
    OPEN_RESIDUAL,
    RESIDUAL_ROUNDING,
    ROOT_DISTANCE_IN_STEPS,
    TERMS_LEFT_BEHIND,
    TRIM_RANK,
    UNKNOWN_ERROR,
    ZERO_UNKNOWN,
)
from multibody.linearization.trim.steady_equations import SteadyEquations
from multibody.linearization.trim.unknown_sizes import law_lengths, term_sizes, unknown_sizes
from multibody.mechanics.assembly.assembly import LONGEST_STEP, Vector
from multibody.mechanics.coordinate_kinds import angles_of

STEPS = 60
SHRINKING = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01)
SLIDES = 30
MULTIPLICITIES = (1.0, 2.0, 3.0, 4.0)  # of a root: Newton's step times this leads there (Schröder 1870)


class Local(NamedTuple):
    """F and its derivatives at one place by the unknowns over their sizes, each row divided by what these do to it.

    Attributes:
        residual: F.
        slopes: ∂F/∂w.
        scale: by which rows are divided.
        vanishes: whether F is exactly zero.
    """

    residual: Vector
    slopes: Vector
    scale: Vector
    vanishes: bool

    @property
    def has_slopes(self) -> bool:
        """Whether all derivatives are finite; that of √x is not at zero."""
        return bool(np.isfinite(self.slopes).all())

    @property
    def error(self) -> float:
        """By how much the unknowns are off, roughly; infinite where F has no value, or is not zero and has no slope."""
        if self.vanishes:
            return 0.0
        largest = float(np.abs(self.residual).max(initial=0.0))
        return largest if np.isfinite(largest) and self.has_slopes else np.inf


class Trim:
    """The search for steady states near a start.

    Args:
        equations: what must vanish.
        start: a value for every entry of w.

    Attributes:
        free: the places in w of all unknowns.
        chosen: how many of them, from the first, the user has asked for; rates and forces follow from them.
    """

    @np.errstate(all="ignore")  # exponential laws overflow far away
    def __init__(self, equations: SteadyEquations, start: Vector) -> None:
        self.equations, self.start = equations, start
        self.free = equations.free
        self.chosen = len(equations.unknown)
        coordinates = set(equations.eom.coordinates)
        self._lengths = np.array([equations.symbols[k] in coordinates for k in self.free], dtype=bool)
        angles = angles_of(equations.eom.model)
        self._turning = np.array([equations.symbols[k] in angles for k in self.free], dtype=bool)
        self.sizes = unknown_sizes(equations, start)
        self._terms = term_sizes(equations, start)

    def _with_terms_of(self, w: Vector) -> Trim:
        """The same search, with rows that are compared with the terms that balance at w instead of at the start."""
        other = copy(self)
        other._terms = term_sizes(self.equations, w)
        return other

    @cached_property
    def law_lengths(self) -> Vector:
        """Sizes of the unknowns; of lengths, how far they go from the start until forces are others."""
        with np.errstate(all="ignore"):
            return law_lengths(self.equations, self.start, self.sizes, self.local(self.start).scale)

    @cached_property
    def by_laws(self) -> Trim:
        """The same search, in which lengths have the sizes of laws that change within much less than the mechanism."""
        other = copy(self)
        other.sizes = np.where(self.law_lengths < NEARBY_STEP * self.sizes, self.law_lengths, self.sizes)
        return other

    def error(self, w: Vector) -> float:
        """By how much the unknowns are off at w, where rows are compared with their terms there."""
        return self._with_terms_of(w).local(w).error

    @np.errstate(all="ignore")
    def local(self, w: Vector) -> Local:
        """F(w) and ∂F/∂w with Σ|∂F/∂w|·size = 1 in each row, but for rows that hardly depend on the unknowns."""
        residual = np.asarray(self.equations.residual(w)).reshape(-1)
        slopes = self.equations.slopes.dense(w) * self.sizes
        scale = np.abs(slopes) @ np.maximum(1.0, np.abs(w[self.free]) / self.sizes)
        scale = np.maximum(scale, FAINT_ROW * self._terms)
        scale = np.where(scale > 0, scale, 1.0)
        return Local(residual / scale, slopes / scale[:, None], scale, not residual.any())

    # one solution ------------------------------------------------------------------------------------------------

    @np.errstate(all="ignore")  # exponential laws overflow far away
    def solved(self, w: Vector) -> tuple[Vector, float]:
        """The best that is found from w, and its error: by Newton's method, and by least squares if that is stuck."""
        search, found = self._converged(w)
        if search.local(found).error > UNKNOWN_ERROR:
            closest = self._without_dust(self._least_squares(found))
            search, found = self._converged(closest)
            if search.local(found).error > UNKNOWN_ERROR:
                return closest, search.local(found).error
        found = search._without_dust(search._sharpened(search._tidy(found)))
        return found, search.local(found).error if self._is_solution(found) else np.inf

    def _converged(self, w: Vector) -> tuple[Trim, Vector]:
        """Where Newton's method ends, and the search with the terms of this place.

        An exponential law has terms at the start beside which any force elsewhere looks like nothing.
        """
        search = self
        for _ in range(STEPS):
            w, error = search._newton(w)
            before, search = search._terms, search._with_terms_of(w)
            if error > UNKNOWN_ERROR or (search._terms >= TERMS_LEFT_BEHIND * before).all():
                break
        return search, w

    def _is_solution(self, w: Vector) -> bool:
        """Whether w is a solution beside the terms that balance there, and nothing begins to move from it."""
        search = self._with_terms_of(w)
        return search._vanishes(w) and search.balances(w) and search._stays(w)

    def _stays(self, w: Vector) -> bool:
        """Whether accelerations that are solved for at w are those of the steady state, beside what balances in them.

        It does not use the rows of the search, their scales or its constraint forces.
        """
        equations = self.equations
        point, rows = equations.point(w), equations.force_rows
        state = point.t, point.q, point.u, point.r, point.p
        try:
            solved = equations.eom.robust_dynamics(*state).acceleration
            mobility = np.abs(equations.eom.robust_dynamics.mobility(*state))
        except np.linalg.LinAlgError:  # without inertia, accelerations are not determined
            return True
        unknowns = BALANCED_TERMS * np.maximum(self.sizes, np.abs(w[self.free]))
        forces = BALANCED_ACCELERATION * term_sizes(equations, w)[rows]
        forces += np.nan_to_num(np.abs(equations.slopes.dense(w)) @ unknowns, nan=0.0, posinf=0.0)[rows]
        return bool((np.abs(solved - point.acceleration) <= mobility @ forces).all())

    def balances(self, w: Vector) -> bool:
        """Whether the terms of each equation balance, or the nearest solution is where w is but for rounding."""
        now = self.local(w)
        if now.vanishes or now.error == np.inf:
            return now.vanishes
        terms = term_sizes(self.equations, w)
        step = np.linalg.lstsq(now.slopes, now.residual, rcond=TRIM_RANK)[0] if len(self.free) else np.zeros(0)
        rest = np.abs(now.residual - now.slopes @ step) * now.scale  # what no small change of the unknowns removes
        near = float(np.abs(step[: self.chosen]).max(initial=0.0)) <= BALANCED_TERMS
        open_rows = np.abs(now.residual) * now.scale > BALANCED_TERMS * terms
        return not open_rows.any() or bool(
            near and (rest <= BALANCED_TERMS * np.maximum(terms, now.scale))[open_rows].all()
        )

    def _vanishes(self, w: Vector) -> bool:
        """Whether F is zero at w, and not only small beside its derivatives, which grow without bound at a dead point.

        The residual is compared with the derivatives at places nearby.
        """
        residual = np.abs(np.asarray(self.equations.residual(w)).reshape(-1))
        step = NEARBY_STEP * np.maximum(1.0, np.abs(w[self.free]) / self.sizes)
        scales = [self.local(self._moved(w, side * step)).scale for side in (1.0, -1.0)]
        known = [np.where(np.isfinite(scale), scale, np.inf) for scale in scales if np.isfinite(scale).any()]
        return bool((residual <= OPEN_RESIDUAL * np.min(known, axis=0)).all()) if known else True

    def doubt(self, w: Vector) -> Vector:
        """How far the exact solution may be from w, for each unknown in its own unit.

        It is much more than rounding where solutions branch: x² = 0 is solved to 1e-8 by any x below 1e-8, with slopes
        of either sign.
        """
        return ROOT_DISTANCE_IN_STEPS * np.abs(self._open_step(w, self.local(w))) * self.sizes

    def _sharpened(self, w: Vector) -> Vector:
        """A better solution where slopes nearly vanish, and steps that leave out small singular values end too early.

        A root of multiplicity m is m steps of Newton away.
        """
        for _ in range(STEPS):
            now = self.local(w)
            step = self._open_step(w, now)
            if not 0 < float(np.linalg.norm(step)) < LONGEST_SHARPENING:
                break
            others = [self._moved(w, m * step) for m in MULTIPLICITIES]
            best = min(others, key=lambda one: float(np.linalg.norm(self._rows(one, now))))
            if not self._improves(best, now) or not self.local(best).error < np.inf:
                break
            w = best
        return w

    def _open_step(self, w: Vector, now: Local) -> Vector:
        """Newton's step of the unknowns over their sizes, at most 1, in directions in which F is more than rounding."""
        if not len(self.free) or not now.has_slopes or now.error == np.inf:
            return np.zeros(len(self.free))
        left, values, right = np.linalg.svd(now.slopes, full_matrices=False)
        rest = left.T @ now.residual
        rounding = np.abs(left.T) @ (RESIDUAL_ROUNDING * term_sizes(self.equations, w) / now.scale)
        is_open = np.abs(rest) > rounding
        steps = rest[is_open] / np.maximum(values[is_open], 1e-300)
        return np.asarray(-right[is_open].T @ np.clip(steps, -1.0, 1.0))

    def with_forces(self, w: Vector) -> Vector:
        """w with the rates and constraint forces that fit its other entries best; equations are linear in them."""
        now = self.local(w)
        step = np.zeros(len(self.free))
        if now.error < np.inf and now.has_slopes:
            step[self.chosen :] = -np.linalg.lstsq(now.slopes[:, self.chosen :], now.residual, rcond=TRIM_RANK)[0]
        return self._moved(w, step)

    def _newton(self, w: Vector) -> tuple[Vector, float]:
        """It goes on until rounding stops it."""
        now = self.local(w)
        for _ in range(STEPS):
            if not 0 < now.error < np.inf or not len(self.free):
                break
            step = np.asarray(-np.linalg.lstsq(now.slopes, now.residual, rcond=TRIM_RANK)[0], dtype=float)
            reach = np.where(self._turning, 1.0, np.maximum(1.0, np.abs(w[self.free]) / self.sizes))
            longest = float(np.abs(step / reach)[self._lengths].max(initial=0.0))
            step *= min(1.0, LONGEST_STEP / max(longest, 1e-300))
            better = next((one for f in SHRINKING if self._improves(one := self._moved(w, f * step), now)), None)
            if better is None:
                break
            w, now = better, self.local(better)
        return w, now.error

    def _moved(self, w: Vector, step: Vector) -> Vector:
        """w after a step of the unknowns, which is relative to their sizes."""
        other = w.copy()
        other[self.free] += step * self.sizes
        return other

    def _improves(self, w: Vector, now: Local) -> bool:
        return bool(np.linalg.norm(self._rows(w, now)) < np.linalg.norm(now.residual))

    def _rows(self, w: Vector, now: Local) -> Vector:
        """F(w), each row divided by what unknowns do to it at another place."""
        return np.asarray(self.equations.residual(w)).reshape(-1) / now.scale

    def _least_squares(self, w: Vector) -> Vector:
        """Where the squares of all rows are least; rows are divided by what unknowns could do to them at the start."""
        from scipy.optimize import least_squares  # late, because importing it takes long

        if not len(self.free) or not np.isfinite(self.openness(w)):
            return w

        begin = w[self.free] / self.sizes

        def at(x: Vector) -> Vector:
            return self._moved(w, x - begin)

        def rows(x: Vector) -> Vector:
            return np.nan_to_num(self.rows(at(x)), nan=1e3)

        def slopes(x: Vector) -> Vector:
            return np.nan_to_num(self.equations.slopes.dense(at(x)) * self.sizes / self._scale[:, None])

        return at(least_squares(rows, begin, jac=slopes, x_scale="jac", max_nfev=200, xtol=1e-12).x)

    @np.errstate(all="ignore")
    def openness(self, w: Vector) -> float:
        """How far w is from a solution; infinite where F has no value."""
        size = float(np.linalg.norm(self.rows(w)))
        return size if np.isfinite(size) else np.inf

    def rows(self, w: Vector) -> Vector:
        """F(w), each row divided by what unknowns could do to it at the start."""
        return np.asarray(self.equations.residual(w)).reshape(-1) / self._scale

    @cached_property
    def _scale(self) -> Vector:
        scale = self.local(self.start).scale
        return scale if np.isfinite(scale).all() else np.ones_like(scale)

    # of many solutions, one --------------------------------------------------------------------------------------

    def freedom(self, w: Vector) -> Vector:
        """The directions in which steady states go on from w, one in each column; unknowns over their sizes."""
        now = self.local(w)
        if not now.has_slopes:
            return np.zeros((self.chosen, 0))
        ways = _null_space(now.slopes)[: self.chosen]
        left, sizes, _ = np.linalg.svd(ways, full_matrices=False)
        return left[:, sizes > TRIM_RANK]

    def _tidy(self, w: Vector) -> Vector:
        """Near the start, as far as solutions form lines or surfaces; angles and quaternions next to it; least λ."""
        for _ in range(SLIDES):
            ways = self.freedom(w)
            away = ((self.start - w)[self.free] / self.sizes)[: self.chosen]
            slide = ways @ (ways.T @ away)
            size = float(np.abs(slide).max(initial=0.0))
            if size < 1e-12:
                break
            step = np.zeros(len(self.free))
            step[: self.chosen] = slide * min(1.0, LONGEST_STEP / size)
            moved, error = self._newton(self._moved(w, step))
            if error > UNKNOWN_ERROR:
                break
            w = moved
        return self._without_dust(self._least_forces(self._next_to_start(w)))

    def _next_to_start(self, w: Vector) -> Vector:
        """Whole turns and the signs of quaternions are taken away where that changes nothing."""
        eom = self.equations.eom
        angles = angles_of(eom.model)
        for k, symbol in enumerate(self.equations.symbols):
            if symbol in angles and k in self.free:
                other = w.copy()
                other[k] -= 2 * np.pi * np.ceil((w[k] - self.start[k] - np.pi - 1e-9) / (2 * np.pi))
                w = other if self.local(other).error <= UNKNOWN_ERROR else w
        for places in eom.model.quaternions:
            where = [k + 1 for k in places]  # coordinates come after time
            if w[where] @ self.start[where] < 0:
                other = w.copy()
                other[where] *= -1
                w = other if self.local(other).error <= UNKNOWN_ERROR else w
        return w

    def _least_forces(self, w: Vector) -> Vector:
        """Redundant constraints share their forces as by ``Multipliers``: λᵀ·D·λ is smallest; F is linear in them."""
        rest, eom, now = self.free[self.chosen :], self.equations.eom, self.local(w)
        if not now.has_slopes:
            return w
        ways = self.sizes[self.chosen :, None] * _null_space(now.slopes[:, self.chosen :])
        if not ways.shape[1]:
            return w
        point, weights = self.equations.point(w), np.ones(len(rest))
        if len(eom.multipliers):
            forces = eom.robust_dynamics.weights(point.t, point.q, point.u, point.r, point.p)
            weights[len(rest) - len(forces) :] = forces
        w = w.copy()
        w[rest] -= ways @ np.linalg.solve(ways.T @ (weights[:, None] * ways), ways.T @ (weights * w[rest]))
        return w

    def _without_dust(self, w: Vector) -> Vector:
        """Zeros instead of rounding errors, where that changes nothing."""
        clean = w.copy()
        clean[self.free] = np.where(np.abs(w[self.free]) < ZERO_UNKNOWN * self.sizes, 0.0, w[self.free])
        return clean if self.local(clean).error <= UNKNOWN_ERROR else w


def _null_space(matrix: Vector) -> Vector:
    """The directions that a matrix maps to zero, one in each column."""
    if not matrix.size:
        return np.eye(matrix.shape[1])
    _, sizes, right = np.linalg.svd(matrix)
    rank = int(np.sum(sizes > TRIM_RANK * sizes.max(initial=0.0)))
    return right[rank:].T
