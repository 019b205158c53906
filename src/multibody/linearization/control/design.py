"""Linear-quadratic regulators and Kalman filters, designed on the linear system and closed on the nonlinear one.

Weights are given by names, as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr
from multibody.graph.names import require_known_names
from multibody.linearization.control.design_checks import (
    OBSERVER,
    REGULATOR,
    DesignProblem,
    require_linearized,
    require_reach,
    verified_gains,
)
from multibody.linearization.derivatives.signals import listed_names
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.controllability import reach
from multibody.linearization.spectra.spectrum import eigenvalues
from multibody.linearization.state_space.linear_system import LinearSystem
from multibody.linearization.state_space.linearized_system import LinearizedSystem, warn_unless_steady
from multibody.linearization.tolerances import WEIGHT_ROUNDING
from multibody.model.quantity import finite_value


@dataclass(frozen=True, eq=False)
class Regulator:
    """State feedback δr = -K·δx, designed at an operating point.

    Attributes:
        system: what it was designed for.
        K: gains, a row for each input and a column for each state.
    """

    system: LinearizedSystem
    K: Matrix

    @property
    def poles(self) -> Any:
        """The poles of the closed loop, near the operating point."""
        return eigenvalues(self.system.A - self.system.B @ self.K)

    @property
    def inputs(self) -> dict[str, Expr]:
        """r = r₀ - K·(x - x₀), an expression for each input: ``simulate(eom, …, inputs=regulator.inputs)``.

        Where the operating point is a steady motion, x₀ goes on with it: a shaft that turns is not called back.
        """
        point = self.system.point
        symbols = {symbol.name: symbol for symbol in (*point.model.coordinates, *point.model.speeds)}
        gone = point.model.time - point.t
        ways = [float(rate) * gone for rate in self.system.steady_rates]
        errors = [symbols[name] - point[name] - way for name, way in zip(self.system.states, ways, strict=True)]
        sums = [sum((float(k) * error for k, error in zip(row, errors, strict=True)), ZERO) for row in self.K]
        return {name: point[name] - total for name, total in zip(self.system.inputs, sums, strict=True)}


@dataclass(frozen=True, eq=False)
class Observer:
    """An estimate of the states from what is measured: dx̂/dt = A·x̂ + B·r + L·(y - C·x̂ - D·r).

    Attributes:
        system: what it was designed for.
        L: gains, a row for each state and a column for each output.
    """

    system: LinearizedSystem
    L: Matrix

    @property
    def poles(self) -> Any:
        """The rates at which errors of the estimate die out."""
        return eigenvalues(self.system.A - self.L @ self.system.C)


def lqr(
    system: LinearizedSystem, deviations: Weights, effort: Weights, *, states: Sequence[str] | None = None
) -> Regulator:
    """The linear-quadratic regulator: it minimizes ∫(δxᵀ·Q·δx + δrᵀ·R·δr) dt.

    Args:
        system: from ``linearize``.
        deviations: Q as a matrix; or a weight for the square of each state or output that matters, by name. A good
            start is one over the square of what is tolerable.
        effort: R as a matrix; or a weight for the square of each input, by name.
        states: those that are fed back, if others do not matter and cannot be held: how far a vehicle has gone. Their
            rates must not depend on the others.

    Raises:
        ModelError: if the inputs do not reach, or not surely reach, a mode that does not decay; or if the gains do not
            pass their verification: Riccati's equation is solved, and all poles of the closed loop decay.

    Warns:
        OperatingPointWarning: if the mechanism does not stay at the operating point.

    Example:
        >>> import multibody as mb
        >>> from multibody.linearization import linearize
        >>> cart = mb.System("cart", gravity=(0, 0, -9.81))
        >>> box, pole = cart.body("box", 1.0), cart.body("pole", 0.2, (0, 0, 0.5))
        >>> slide = cart.joint("x", cart.world, box, "Tx")
        >>> hinge = cart.joint("angle", box, pole, "Ry")
        >>> drive = cart.load(mb.JointLoad(slide, cart.input("F")))
        >>> eom = mb.derive(cart)
        >>> regulator = lqr(linearize(eom), {"x": 1.0, "angle": 10.0}, {"F": 0.1})
        >>> run = mb.simulate(eom, duration=10.0, q={"angle": 0.5}, inputs=regulator.inputs)
        >>> bool(abs(run.q[-1]).max() < 1e-3), bool((regulator.poles.real < 0).all())
        (True, True)
    """
    require_linearized(system, "inputs", "lqr")
    warn_unless_steady(system, f"The {REGULATOR.kind} of system '{system.name}' is designed")
    part = system if states is None else system.part(*listed_names(states))
    places = [system.states.index(name) for name in part.states]
    Q = weighted({**_outputs(part), **_units(part.states)}, deviations, len(part.states), "deviations")
    R = weighted(_units(part.inputs), effort, len(part.inputs), "effort", definite=True)
    A, B, _, A_terms, B_terms, _ = system.entries.part(places)
    reached = (
        system.controllability
        if part is system
        else reach(A, B, "controllable", terms=(A_terms, B_terms), states=part.states)
    )
    require_reach(system, reached, REGULATOR)
    K = np.zeros((len(system.inputs), len(system.states)))
    K[:, places] = verified_gains(system, DesignProblem(A, B, Q, R, A_terms, part.states), REGULATOR)
    return Regulator(system, K)


def kalman(system: LinearizedSystem, disturbances: Weights, noise: Weights) -> Observer:
    """The stationary Kalman filter, for white disturbances and noise.

    Args:
        system: from ``linearize``; all its outputs are measured.
        disturbances: intensities by name, of inputs and of the rates of states; or a matrix for states. What acts like
            an input shows like one: an accelerometer feels it at once.
        noise: intensities of the noise of outputs, by name; or a matrix.

    Raises:
        ModelError: if a mode that does not decay is not, or not surely, seen in the outputs; or if the gains do not
            pass their verification, as those of ``lqr``.

    Warns:
        OperatingPointWarning: if the mechanism does not stay at the operating point.
    """
    require_linearized(system, "outputs", "kalman")
    warn_unless_steady(system, f"The {OBSERVER.kind} of system '{system.name}' is designed")
    Q, W = _disturbances(system, disturbances)
    R = weighted(_units(system.outputs), noise, len(system.outputs), "noise", definite=True)
    require_reach(system, system.observability, OBSERVER)
    A, B, C, A_terms, _, C_terms = system.entries
    whole = R + system.D @ W @ system.D.T
    known = np.linalg.solve(whole, system.D @ W @ B.T).T  # of a disturbance, by what it does to the outputs at once
    rest = A - known @ C, Q + B @ _unseen(W, system.D, R) @ B.T
    terms = A_terms + np.abs(known) @ C_terms
    dual = DesignProblem(rest[0].T, C.T, rest[1], whole, terms.T, system.states)
    return Observer(system, verified_gains(system, dual, OBSERVER).T + known)


def _disturbances(system: LinearizedSystem, disturbances: Weights) -> tuple[Matrix, Matrix]:
    """Intensities of the rates of states, and those of inputs; a name of both is that of a state."""
    states, inputs, what = _units(system.states), _units(system.inputs), "disturbances"
    if not isinstance(disturbances, Mapping):
        return weighted(states, disturbances, len(states), what), np.zeros((len(inputs), len(inputs)))
    of_inputs = {name: value for name, value in disturbances.items() if name in inputs and name not in states}
    of_states = {name: value for name, value in disturbances.items() if name not in of_inputs}
    named = states | {name: np.zeros(len(states)) for name in inputs if name not in states}
    return weighted(named, of_states, len(states), what), weighted(inputs, of_inputs, len(inputs), what)


def _unseen(W: Matrix, D: Matrix, R: Matrix) -> Matrix:
    """W - W·Dᵀ·(R + D·W·Dᵀ)⁻¹·D·W, what outputs do not tell about inputs at once, without a difference."""
    root = np.sqrt(W)  # it is diagonal
    return np.asarray(root @ np.linalg.inv(np.eye(len(W)) + root @ D.T @ np.linalg.solve(R, D) @ root) @ root)


def _units(names: Sequence[str]) -> dict[str, Matrix]:
    """A unit vector for each name."""
    return dict(zip(names, np.eye(len(names)), strict=True))


def _outputs(system: LinearSystem) -> dict[str, Matrix]:
    """For outputs that inputs do not reach at once, the row of C."""
    rows = zip(system.outputs, system.C, system.D, strict=True)
    return {name: row for name, row, direct in rows if not direct.any()}


Weights = Mapping[str, float] | Any
"""Numbers by name, or a whole matrix."""


def weighted(
    directions: Mapping[str, Matrix], weights: Weights, size: int, what: str, *, definite: bool = False
) -> Matrix:
    """Σ weight·v·vᵀ over the named directions v; or the matrix itself, if one was given.

    Example:
        >>> weighted({"x": np.array([1.0, 0.0]), "y": np.array([1.0, 1.0])}, {"x": 4.0, "y": 1.0}, 2, "deviations")
        array([[5., 1.],
               [1., 1.]])
    """
    matrix = _summed(directions, weights, size, what) if isinstance(weights, Mapping) else _matrix(weights)
    cause = _defect(matrix, size, definite=definite)
    if cause:
        raise ModelError(
            f"The weights are no {'positive' if definite else 'non-negative'} symmetric matrix of {size} rows.",
            code="weights-invalid",
            where=what,
            cause=cause,
            remedy=f"Give a {'positive ' if definite else ''}weight for {'each of' if definite else 'some of'} "
            f"{', '.join(directions)}.",
        )
    return (matrix + matrix.T) / 2


def _summed(directions: Mapping[str, Matrix], weights: Mapping[str, Any], size: int, what: str) -> Matrix:
    require_known_names(weights, directions, "quantity", purpose="to weight", code="name-unknown", where=what)
    total = np.zeros((size, size))
    for name, weight in weights.items():
        total += finite_value(weight, f"{what} of '{name}'") * np.outer(directions[name], directions[name])
    return total


def _matrix(weights: Any) -> Matrix:
    """A matrix; an empty one if these are no numbers."""
    try:
        return np.atleast_2d(np.asarray(weights, dtype=float))
    except (TypeError, ValueError):
        return np.zeros((0, 0))


def _defect(matrix: Matrix, size: int, *, definite: bool) -> str:
    """What is wrong with a matrix of weights, whatever the units of its rows; empty if nothing is."""
    if matrix.shape != (size, size):
        return f"It has the shape {matrix.shape} instead of {(size, size)}."
    if not np.isfinite(matrix).all():
        return "It has entries that are not finite."
    diagonal = np.diag(matrix)
    bad = diagonal <= 0 if definite else diagonal < 0
    if bad.any():
        return f"The diagonal has the entry {diagonal[np.argmax(bad)]:.6g}."
    roots = np.where(diagonal > 0, np.sqrt(diagonal), 1.0)
    scaled = matrix / roots[:, None] / roots
    if (scaled[diagonal == 0] != 0).any() or (scaled[:, diagonal == 0] != 0).any():
        return "A row with a zero on the diagonal has other entries."
    if np.abs(scaled - scaled.T).max(initial=0.0) > WEIGHT_ROUNDING:
        return "It is not symmetric."
    least = float(np.linalg.eigvalsh((scaled + scaled.T) / 2).min(initial=np.inf))
    if least < -WEIGHT_ROUNDING or (definite and least <= WEIGHT_ROUNDING):
        return f"It has the eigenvalue {least:.3g}, relative to its diagonal."
    return ""
