"""A regulator that gets its states from an observer, as controllers that are called with a sample time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.linearization.control.design import Observer, Regulator
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.state_space.linearized_system import LinearizedSystem
from multibody.model.quantity import finite_value
from multibody.simulation import Sampled
from multibody.simulation.results.recording import split


def output_feedback(regulator: Regulator, observer: Observer, period: float) -> dict[str, Sampled]:
    """Controllers for the inputs of a run that see nothing but sensors: r = r₀ - K·x̂ with the observer's estimate x̂.

    Between samples inputs and measured values are held; the observer is integrated exactly for that. Each run begins
    with the estimate x̂ = 0. Along a steady motion, sensors are expected to change at constant rates, as that of an
    angle of a shaft does.

    Args:
        regulator: from ``lqr``.
        observer: from ``kalman``, for the same linear system; its outputs must be sensors.
        period: of sampling, in s.

    Example:
        >>> import multibody as mb
        >>> from multibody.linearization import linearize
        >>> from multibody.linearization.control.design import kalman, lqr
        >>> arm = mb.System("arm", gravity=(0, 0, -9.81))
        >>> hinge = arm.joint("angle", arm.world, arm.body("bob", 1.0, (0, 0, 1.0)), "Ry")
        >>> drive = arm.load(mb.JointLoad(hinge, arm.input("M")))
        >>> encoder = arm.sensor("encoder", mb.Expression(hinge.coordinate))
        >>> eom = mb.derive(arm)
        >>> lin = linearize(eom)
        >>> regulator, observer = lqr(lin, {"angle": 1.0}, {"M": 1e-3}), kalman(lin, {"M": 1.0}, {"encoder": 1e-6})
        >>> law = output_feedback(regulator, observer, period=0.01)
        >>> run = mb.simulate(eom, duration=5.0, q={"angle": 0.3}, inputs=law)
        >>> bool(abs(run["angle"][-1]) < 1e-3)
        True
    """
    system = regulator.system
    if observer.system is not system:
        raise ModelError(
            "Regulator and observer belong to different linear systems.",
            code="linear-systems-differ",
            where="output_feedback",
            remedy="Design both for the same one.",
        )
    finite_value(period, "period of output_feedback")
    _require_separate(system)
    return {name: Sampled(Estimator(regulator, observer, period, k), period) for k, name in enumerate(system.inputs)}


def _require_separate(system: LinearizedSystem) -> None:
    """An error if controllers, each of which has an observer of its own, would not see the same numbers."""
    direct = [name for name, row in zip(system.outputs, system.D, strict=True) if row.any()]
    if direct and len(system.inputs) > 1:
        raise ModelError(
            f"Several inputs reach {', '.join(direct)} at once.",
            code="inputs-reach-accelerometer",
            where=f"output_feedback for linear system '{system.name}'",
            cause="Controllers are asked one after the other, and what an accelerometer shows changes in between.",
            remedy="Linearize with outputs that no input reaches at once, such as positions and velocities.",
            names=tuple(direct),
        )


class Estimator:
    """The law of one input, with an observer of its own.

    Args:
        regulator: gains K.
        observer: gains L.
        period: of sampling.
        place: the number of the input.
    """

    def __init__(self, regulator: Regulator, observer: Observer, period: float, place: int) -> None:
        self._system, self._K, self._place = regulator.system, regulator.K, place
        self._step = held(observer, period)
        limits = {symbol.name: pair for symbol, pair in self._system.point.model.input_limits.items()}
        pairs = [limits.get(name, (-np.inf, np.inf)) for name in self._system.inputs]
        usual = [self._system.point[name] for name in self._system.inputs]
        self._reach = np.array(pairs).reshape(-1, 2).T - np.array(usual)  # of r - r₀
        self._begin()

    def _begin(self) -> None:
        """Nothing is known yet, not even the inputs just before."""
        self._last = -np.inf
        self._estimate = np.zeros(len(self._system.states))
        self._before: Matrix | None = None

    def __call__(self, t: float, q: Any, u: Any, sensors: Mapping[str, Any]) -> float:
        """The input until the next sample, from the estimate for now; and the estimate for then.

        What was measured belongs to the input of the last period; where it reaches sensors at once, as a force reaches
        an accelerometer, this is made up for.
        """
        if t <= self._last:
            self._begin()  # time has gone back: this is another run
        self._last = t
        asked = -self._K @ self._estimate
        effort = np.clip(asked, *self._reach)  # what acts, which the estimate follows
        gone = (t - self._system.point.t) * (self._system.C @ self._system.steady_rates)
        seen = measured(self._system, sensors) - self._system.output_values - gone
        if self._before is None:  # which input an accelerometer shows is unknown: it is not asked
            seen[self._system.D.any(axis=1)] = 0.0
        else:
            seen += self._system.D @ (effort - self._before)
        self._before = effort
        self._estimate = self._step @ np.concatenate([self._estimate, effort, seen])
        return float(self._system.point[self._system.inputs[self._place]] + asked[self._place])


def held(observer: Observer, period: float) -> Matrix:
    """The matrix from (x̂, δr, δy) to x̂ one period later, for inputs and measured values that are held."""
    from scipy.linalg import expm  # late, because importing it takes long

    system, L = observer.system, observer.L
    rates = np.hstack([system.A - L @ system.C, system.B - L @ system.D, L])
    whole = np.zeros((rates.shape[1], rates.shape[1]))
    whole[: len(rates)] = rates * period
    return np.asarray(expm(whole)[: len(rates)])


def measured(system: LinearizedSystem, sensors: Mapping[str, Any]) -> Matrix:
    """What the sensors say, in the order of the outputs; ``tip_3`` is an element of ``tip``."""
    found = []
    for name in system.outputs:
        sensor, place = split(name, sensors)
        if sensor not in sensors:
            raise ModelError(
                f"The output '{name}' is not a sensor.",
                code="output-not-a-sensor",
                where=f"linear system '{system.name}'",
                remedy=f"Linearize with outputs that are sensors; there are: {', '.join(sensors) or 'none'}.",
                name=name,
            )
        found.append(float(np.asarray(sensors[sensor])[place]))
    return np.array(found)
