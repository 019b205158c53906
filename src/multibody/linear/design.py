"""Feedback that is designed on the linear system and closed on the nonlinear one, through python-control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr
from multibody.linear.linear_system import LinearizedSystem, LinearSystem
from multibody.linear.point import Matrix
from multibody.linear.signals import listed_names
from multibody.linear.spectrum import eigenvalues
from multibody.linear.weights import Weights, weighted
from multibody.simulate.optional import library


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
        symbols = {one.name: one for one in (*point.model.coordinates, *point.model.speeds)}
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
        ModelError: if some motion that must be stopped is beyond the reach of the inputs.
        MissingLibraryError: if python-control is not installed; it comes with the extra ``control``.

    Example:
        >>> import multibody as mb
        >>> from multibody.linear import linearize
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
    control = library("control", "control")
    _require_linearized(system, "inputs", "lqr")
    part = system if states is None else system.part(*listed_names(states))
    Q = weighted({**_outputs(part), **_units(part.states)}, deviations, len(part.states), "deviations")
    R = weighted(_units(part.inputs), effort, len(part.inputs), "effort", definite=True)
    try:
        gains, _, poles = control.lqr(part.A, part.B, Q, R)
    except _FAILURES as error:
        raise _impossible(system, "regulator", str(error)) from error
    if not np.isfinite(gains).all() or not (np.asarray(poles).real < 0).all():
        raise _impossible(system, "regulator", "Some poles of the closed loop would not decay.")
    K = np.zeros((len(system.inputs), len(system.states)))
    K[:, [system.states.index(name) for name in part.states]] = gains
    return Regulator(system, K)


def kalman(system: LinearizedSystem, disturbances: Weights, noise: Weights) -> Observer:
    """The stationary Kalman filter, for white disturbances and noise.

    Args:
        system: from ``linearize``; all its outputs are measured.
        disturbances: intensities by name, of inputs and of the rates of states; or a matrix for states. What acts like
            an input shows like one: an accelerometer feels it at once.
        noise: intensities of the noise of outputs, by name; or a matrix.

    Raises:
        ModelError: if some motion does not show in the outputs.
        MissingLibraryError: if python-control is not installed; it comes with the extra ``control``.
    """
    control = library("control", "control")
    _require_linearized(system, "outputs", "kalman")
    inputs = dict(zip(system.inputs, system.B.T, strict=True))
    Q = weighted({**inputs, **_units(system.states)}, disturbances, len(system.states), "disturbances")
    R = weighted(_units(system.outputs), noise, len(system.outputs), "noise", definite=True)
    W = _intensities(system.inputs, disturbances)
    common, R = system.B @ W @ system.D.T, R + system.D @ W @ system.D.T
    known = common @ np.linalg.inv(R)  # of a disturbance, by what it does to the outputs at once
    try:
        rest = system.A - known @ system.C, np.eye(len(system.A)), system.C, Q - known @ common.T, R
        L, _, poles = control.lqe(*rest)
    except _FAILURES as error:
        raise _impossible(system, "observer", str(error)) from error
    if not np.isfinite(L).all() or not (np.asarray(poles).real < 0).all():
        raise _impossible(system, "observer", "Some errors of the estimate would not die out.")
    return Observer(system, np.asarray(L, dtype=float) + known)


_FAILURES = (ValueError, ArithmeticError, np.linalg.LinAlgError)


def _units(names: Sequence[str]) -> dict[str, Matrix]:
    """A unit vector for each name."""
    return dict(zip(names, np.eye(len(names)), strict=True))


def _intensities(inputs: Sequence[str], disturbances: Weights) -> Matrix:
    """Those of inputs that were given by name, as a matrix."""
    given = disturbances if isinstance(disturbances, Mapping) else {}
    return np.diag([float(given.get(name, 0.0)) for name in inputs])


def _outputs(system: LinearSystem) -> dict[str, Matrix]:
    """For outputs that inputs do not reach at once, the row of C."""
    rows = zip(system.outputs, system.C, system.D, strict=True)
    return {name: row for name, row, direct in rows if not direct.any()}


def _require_linearized(system: Any, signals: str, where: str) -> None:
    """An error unless there is something to be designed."""
    if not isinstance(system, LinearizedSystem) or not system.states or not getattr(system, signals):
        raise ModelError(
            f"There is nothing to design for {system!r:.200}.",
            where=where,
            remedy=f"Give a system from linearize(eom, …) that has states and {signals}.",
        )


def _impossible(system: LinearizedSystem, what: str, cause: str) -> ModelError:
    inputs, outputs = ", ".join(system.inputs) or "none", ", ".join(system.outputs) or "none"
    return ModelError(
        f"There is no {what} for this system.",
        where=f"linear system '{system.name}'",
        cause=f"{cause.rstrip('.')}. Motions that do not decay by themselves must be "
        + (f"reached by the inputs ({inputs})." if what == "regulator" else f"seen in the outputs ({outputs})."),
        remedy="Look at ``controllability`` and ``observability`` of the linear system. "
        + ("States that do not matter are left out by ``states=``." if what == "regulator" else "Measure more."),
    )
