"""Is a problem stiff? Decided by the eigenvalues of its derivative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.simulation.contract import Vector
from multibody.simulation.problem.problem import Problem
from multibody.simulation.problem.run_functions import WORKS, RunFunctions

DEAD = 30.0  # a motion that decays by exp(-30) within the run is over for most of it
REACH = 5.0  # steps of an explicit method are stable up to about |λ|·h = 5
PER_RADIAN = 2.0  # steps that accuracy needs while a motion turns by one radian
DEAREST = 5000  # so many compiled explicit steps take as long as a stiff solver takes to start
NUDGE = 6e-6  # the cube root of the rounding error, where central differences are best
RATIO = 10.0  # and so many times more of them make it worth while


@dataclass(frozen=True)
class Stiffness:
    """What the eigenvalues at one state say; of many states at once, each of these is an array.

    Attributes:
        fastest: the largest |λ| of motions that die out within the run, in 1/s; 0 if there are none.
        slowest_needed: the largest |λ| of all other motions, which must be followed.
        stable_steps: how many steps an explicit method needs to stay stable.
        accurate_steps: how many steps the accuracy of what lives on needs.
    """

    fastest: Any
    slowest_needed: Any
    stable_steps: Any
    accurate_steps: Any

    @property
    def stiff(self) -> Any:
        """Whether an implicit method is worth its cost."""
        return self.stable_steps > np.maximum(DEAREST, RATIO * self.accurate_steps)

    def __str__(self) -> str:
        return (
            f"{'stiff' if self.stiff else 'not stiff'}: motions that die out at {self.fastest:.3g}/s ask for "
            f"{self.stable_steps:.3g} explicit steps, the others at {self.slowest_needed:.3g}/s for "
            f"{self.accurate_steps:.3g}"
        )


def stiffness(problem: Problem, t0: float, y0: Vector, duration: float) -> Stiffness:
    """Whether an explicit method would be limited by stability where nothing happens.

    The eigenvalues λ of ∂(q̇, u̇)/∂(q, u) at the start are the rates of small motions. One that decays as fast as
    exp(-30) within the run, -Re λ·duration > 30, is over for most of it, and still an explicit method must take steps
    h < 5/|λ| to remain stable. All others have to be followed: they need about 2·|λ|·duration steps for accuracy. A
    problem is stiff if the first number of steps is more than ten times the second, and more than 5000, which the
    compiled explicit methods do in no time. Undamped vibrations, however fast, do not make a problem stiff.

    The derivative is taken by differences: eigenvalues are needed to a digit or two, and to compile the exact one takes
    longer than many runs. Inputs that are functions of Python take part in it.

    Args:
        problem: what moves.
        t0: time.
        y0: state.
        duration: of the run.

    Example:
        >>> import multibody as mb
        >>> system = mb.System("brake")
        >>> slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
        >>> pull, brake = system.load(mb.JointSpring(slide, 1e6)), system.load(mb.JointDamper(slide, 1e6))
        >>> report = stiffness(Problem(mb.derive(system), []), 0.0, np.zeros(5), duration=10.0)
        >>> print(report)
        stiff: motions that die out at 1e+06/s ask for 2e+06 explicit steps, the others at 1/s for 20
    """
    return judged(slopes(problem, t0, y0), duration)


def judged(slopes: Vector, duration: float) -> Stiffness:
    """What the eigenvalues of ∂(q̇, u̇)/∂(q, u) say, of one run or of many at once."""
    known = np.isfinite(slopes).all(axis=(-2, -1), keepdims=True)
    rates = np.linalg.eigvals(np.where(known, slopes, 0.0))
    dead = -rates.real * duration > DEAD
    fastest = np.where(dead, np.abs(rates), 0.0).max(axis=-1, initial=0.0)
    followed = np.where(dead, 0.0, np.abs(rates)).max(axis=-1, initial=0.0)
    return Stiffness(fastest, followed, fastest * duration / REACH, PER_RADIAN * followed * duration)


def slopes_of_many(functions: RunFunctions, t: float, y: Vector, r: Vector, p: Vector) -> Vector:
    """∂(q̇, u̇)/∂(q, u) by central differences for many runs, a row for each; all states are evaluated at once."""
    n, runs = len(functions.eom.coordinates), len(y)
    count = functions.size - len(WORKS)
    nudges = NUDGE * np.maximum(np.abs(y[:, :count]), 1e-3)
    moves = np.eye(count) * nudges[:, None, :]
    states = np.stack([y[:, None, :count] + moves, y[:, None, :count] - moves]).reshape(2 * runs * count, count)
    inputs, parameters = (np.tile(np.repeat(one, count, axis=0), (2, 1)) for one in (r, p))
    found = functions.rhs.batch(np.full(len(states), t), states[:, :n], states[:, n:], inputs, parameters)
    rates = np.asarray(found)[:, :count].reshape(2, runs, count, count)
    return np.swapaxes((rates[0] - rates[1]) / (2 * nudges[:, :, None]), 1, 2)


def slopes(problem: Problem, t: float, y: Vector) -> Vector:
    """∂(q̇, u̇)/∂(q, u) by central differences."""
    count = problem.n + problem.m
    slopes = np.empty((count, count))
    for k in range(count):
        step = np.zeros(problem.size)
        step[k] = NUDGE * max(abs(y[k]), 1e-3)
        change = problem.evaluate(t, y + step) - problem.evaluate(t, y - step)
        slopes[:, k] = change[:count] / (2 * step[k])
    return slopes
