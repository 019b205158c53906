"""Independent coordinates: only as many unknowns as the mechanism has freedoms; the others follow from the constraints.

Coordinates and speeds are divided by pivoting into free and bound ones (Wehage and Haug, Journal of Mechanical Design
104, 1982). The solver sees the free ones; at each evaluation the bound coordinates follow from φ(q, t) = 0 by Newton's
method, and the bound speeds from B·u + β = 0. Where the bound ones no longer follow well, they are divided anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import StepError
from multibody.graph import jacobian
from multibody.graph.node import within
from multibody.mechanics.assembly.assembly import LONGEST_STEP
from multibody.mechanics.constraints.equations import quaternion_gaps
from multibody.mechanics.constraints.rank import pivoted_columns
from multibody.simulation.contract import Status, Vector
from multibody.simulation.integrators.library_solver import (
    Stepper,
    StepwiseIntegrator,
    end_with,
    working_rows,
)
from multibody.simulation.integrators.scipy_solvers import advanced, scipy_solver
from multibody.simulation.problem.problem import Problem
from multibody.simulation.results.interpolation import hermite

MOST_GROWTH = 10.0  # a bound coordinate moves so many times as far as a free one: time to divide anew
WORSE = 3.0  # if that is so many times more than at the last division
ANOTHER_BRANCH = 0.05  # difference of speeds from those between both ends of a step, relative to the largest
NEWTON_STEPS = 12
CONVERGED = 1e-8  # a Newton step so short doubles the number of good digits to all there are


@dataclass(frozen=True, kw_only=True)
class IndependentCoordinates(StepwiseIntegrator):
    """DOP853 for independent coordinates and speeds, which are chosen anew where the choice becomes bad.

    The careful way: every evaluation keeps the constraints, at the price of a Newton iteration in Python. The choices
    are made by themselves, and any number of turns is possible.

    Args:
        rtol: error of a step relative to each entry of the state.
        atol: error of a step that is always allowed; by default it follows the scale of each coordinate and speed
            at the start of a segment, and is at most 1e-10.
        max_step: the longest step; by default 1/50 of the duration of a run.
        max_steps: steps after which a segment is given up.
        project: has no meaning here: the constraints are always kept.
        gap: how far positions and velocities may be off the constraints, in their own units; by default 1e-10 of the
            size of each constraint equation.

    Example:
        >>> import multibody as mb
        >>> system = mb.System("pendulum", gravity=(0, -9.81, 0))
        >>> bob = system.body("bob", mass=1.0)
        >>> place = system.joint("place", system.world, bob, ["Tx", "Ty"], q=(-1.0, 0.0))
        >>> rod = system.constraint(mb.DistanceConstraint(system.world, bob, 1.0))
        >>> run = mb.simulate(mb.derive(system), duration=1.0, integrator=IndependentCoordinates())
        >>> bool(np.allclose(run.q[-1], (0.9862917511, -0.1650108531), atol=1e-8))
        True
    """

    max_steps: int = 50_000

    def start(
        self, problem: Problem, t0: float, y0: Vector, end: float, step: float, atol: Vector
    ) -> Stepper:  # fmt: skip
        """The solver at the start, with the first choice."""
        return _IndependentStepper(self, problem, t0, y0, end, step, atol)


class CoordinateDivision(NamedTuple):
    """Free and bound coordinates and speeds, by their numbers; and how much farther bound ones moved at the choice."""

    q: list[int]
    bound_q: list[int]
    u: list[int]
    bound_u: list[int]
    growth: float


class Loops:
    """φ with |quaternion|² - 1, B and β as numbers, and what follows from them.

    Args:
        problem: whose constraints they are.
    """

    def __init__(self, problem: Problem) -> None:
        eom, self._problem = problem.eom, problem
        rows = working_rows(problem)
        positions = (eom.constraints.equations[row].position for row in rows)
        q = eom.coordinates
        with within(eom.table):
            gaps = [position for position in positions if position is not None] + quaternion_gaps(eom.model)
            slopes = jacobian(gaps, q)
        self._gaps, self._slopes = np.zeros(len(gaps)), np.zeros((len(gaps), problem.n))
        self._B, self._beta = np.zeros((len(rows), problem.m)), np.zeros(len(rows))
        outputs = {
            "loop_gaps": gaps,
            "loop_slopes": slopes.reshape(self._slopes.shape),
            "B": eom.B[rows].reshape(self._B.shape),
            "beta": eom.beta[rows],
        }
        self._call = problem.bound(
            problem.functions.function("loops", outputs),
            loop_gaps=self._gaps, loop_slopes=self._slopes, B=self._B, beta=self._beta,
        )  # fmt: skip

    def divided(self, t: float, y: Vector) -> CoordinateDivision:
        """The best choice at a state."""
        self._look(t, y)
        choice = *pivoted_columns(self._slopes), *pivoted_columns(self._B)
        return CoordinateDivision(*choice, self._growth(*choice))

    def growth(self, t: float, y: Vector, division: CoordinateDivision) -> float:
        """How much farther than free coordinates and speeds bound ones may move, at a state."""
        self._look(t, y)
        return self._growth(*division[:4])

    def completed(self, t: float, free: Vector, guess: Vector, division: CoordinateDivision) -> Vector:
        """The state with these free coordinates, speeds and works; bound coordinates are near a guess.

        Raises:
            StepError: if there is none.
        """
        problem, y = self._problem, guess.copy()
        y[_places(problem, division)] = free
        for _ in range(NEWTON_STEPS):
            self._look(t, y)
            change = _solved(self._slopes[:, division.bound_q], self._gaps)
            largest = float(np.abs(change).max(initial=0.0))
            if not largest <= LONGEST_STEP:
                break  # it would leap to another way of assembly
            y[division.bound_q] -= change
            if largest <= CONVERGED:
                self._look(t, y)
                speeds = y[problem.n : problem.n + problem.m]
                known = self._B[:, division.u] @ speeds[division.u] + self._beta
                speeds[division.bound_u] = -_solved(self._B[:, division.bound_u], known)
                return y
        raise StepError(Status.CONSTRAINTS_LOST, "the bound coordinates do not follow from the free ones")

    def _look(self, t: float, y: Vector) -> None:
        self._problem.t[()], self._problem.y[:] = t, y
        self._call()

    def _growth(self, q: list[int], bound_q: list[int], u: list[int], bound_u: list[int]) -> float:
        moved = (
            _solved(self._slopes[:, bound_q], self._slopes[:, q]),
            _solved(self._B[:, bound_u], self._B[:, u]),
        )
        return float(max(np.abs(changes).max(initial=0.0) for changes in moved))


class _IndependentStepper(Stepper):
    """SciPy's DOP853 on the free coordinates and speeds."""

    def __init__(
        self, integrator: IndependentCoordinates, problem: Problem, t0: float, y0: Vector, end: float, step: float,
        atol: Vector,
    ) -> None:  # fmt: skip
        self._integrator, self._problem, self._end, self._atol = integrator, problem, end, atol
        problem.t[()], problem.y[:] = t0, y0
        self._loops = problem.once(Loops)
        self._before, self._finite = 0, True
        self._begin = t0, y0, np.zeros(len(y0))
        self._dense: Any = None
        self._choose(t0, y0, step)

    def advance(self) -> None:
        """One step; before it perhaps another choice."""
        growth = self._loops.growth(self.t, self._y, self._division)
        if not growth <= max(MOST_GROWTH, WORSE * self._division.growth):
            self._before += self._solver.nfev
            self._choose(self.t, self._y, self.step)
        self._finite, self._dense = True, None
        self._begin = self.t, self._y, self._y_dot
        advanced(self._solver, lambda: self._finite)
        self.step = float(self._solver.h_abs)
        self._arrive(self._solver.t, self._completed(self._solver.t, self._solver.y))
        self.evaluations = self._before + self._solver.nfev

    def within(self, t: float) -> Vector:
        """Free ones by the solver's dense output, bound ones from the constraints.

        Bound ones are near the cubic through both ends of the step: a tangent may lead to another branch, where the
        step has passed a position in which branches meet.
        """
        if t == self.t:
            return self._y.copy()
        self._dense = self._dense or self._solver.dense_output()
        begin, y, y_dot = self._begin
        ends, rates = np.stack([y, self._y]), np.stack([y_dot, self._y_dot])
        guess = hermite(np.array([begin, self.t]), ends, rates, np.array([t]))[0]
        return self._near(guess, t, self._dense(t), "branches of the motion are too close together for this sample")

    def _is_another_branch(self, y: Vector, guess: Vector) -> bool:
        """Whether bound speeds are far from a guess that is good for the free ones."""
        speeds = slice(self._problem.n, self._problem.n + self._problem.m)
        off, largest = np.abs(y - guess)[speeds], np.abs(self._y[speeds]).max(initial=0.0)
        return bool(off.max(initial=0.0) > ANOTHER_BRANCH * largest + WORSE * off[self._division.u].max(initial=0.0))

    def _choose(self, t: float, y: Vector, step: float) -> None:
        """Start from a state with the choice that is best there."""
        self._division, self._dense = self._loops.divided(t, y), None
        self._places = _places(self._problem, self._division)
        self._arrive(t, self._loops.completed(t, y[self._places], y, self._division))
        counted = self._problem.weights[self._places]
        arguments = (t, self._y[self._places], self._end, min(step, self._end - t), self._atol[self._places], counted)
        self._solver: Any = scipy_solver(self._integrator, "DOP853", self._rate, *arguments)

    def _arrive(self, t: float, y: Vector) -> None:
        self.t, self._y, self._y_dot = t, y, self._problem.evaluate(t, y)

    def _rate(self, t: float, free: Vector) -> Vector:
        """The rates of the free ones; not finite where the others do not follow, so that a shorter step is tried."""
        try:
            y = self._completed(t, free)
        except StepError:
            return np.full(len(free), np.nan)
        rate = self._problem.evaluate(t, y)[self._places]
        end_with(self._problem.failure)
        self._finite = self._finite and bool(np.isfinite(rate).all())
        return rate

    def _completed(self, t: float, free: Vector) -> Vector:
        """From a guess along the tangent: it stays on its way where others branch off."""
        return self._near(self._y + (t - self.t) * self._y_dot, t, free, "the dependent speeds are on another branch")

    def _near(self, guess: Vector, t: float, free: Vector, failure: str) -> Vector:
        """The state with these free coordinates and speeds, on the branch of the guess."""
        found = self._loops.completed(t, free, guess, self._division)
        if self._is_another_branch(found, guess):
            raise StepError(Status.SINGULAR, failure)
        return found


def _places(problem: Problem, division: CoordinateDivision) -> Any:
    """Where free coordinates, speeds and works are in the state."""
    works = range(problem.n + problem.m, problem.size)
    return [*division.q, *(problem.n + k for k in division.u), *works]


def _solved(matrix: Vector, right: Vector) -> Vector:
    """The solution, infinite where the matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=float)
    except np.linalg.LinAlgError:
        return np.full(right.shape, np.inf)
