"""A mode as a motion to look at: states over time, such as a viewer shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.errors import ModelError, UnknownNameError
from multibody.graph.names import suggestion
from multibody.linearization.operating_points.point import Matrix, OperatingPoint
from multibody.linearization.spectra.modes import Mode
from multibody.model.quantity import finite_value

CYCLES = 3.0
"""Periods or time constants that are shown."""


@dataclass(frozen=True, eq=False)
class ModalMotion:
    """States over time; ``motion["name"]`` is a coordinate or speed.

    Attributes:
        point: about which it moves.
        t: times.
        q: coordinates, a row for each time.
        u: speeds, a row for each time.
    """

    point: OperatingPoint
    t: Matrix
    q: Matrix
    u: Matrix

    def __getitem__(self, name: str) -> Matrix:
        names = [symbol.name for symbol in (*self.point.model.coordinates, *self.point.model.speeds)]
        if name not in names:
            raise UnknownNameError(
                f"There is no '{name}'.", where="modal motion", cause=suggestion([name], names),
                remedy=f"There are: {', '.join(names)}.", name=name,
            )  # fmt: skip
        return np.hstack([self.q, self.u])[:, names.index(name)]


def modal_motion(
    point: OperatingPoint, rates: Matrix, mode: Mode, amplitude: float, duration: float | None, samples: int
) -> ModalMotion:
    """x(t) = x₀ + ẋ₀·t + Re(a·shape·exp(pole·t)), where q̇₀ is a steady motion, such as rolling."""
    n = len(point.q)
    end = _duration(mode) if duration is None else finite_value(duration, "duration of a modal motion")
    if samples < 2:
        raise ModelError(
            f"{samples} samples show no motion.",
            code="count-too-small",
            where="modal motion",
            remedy="Take two or more.",
            value=samples,
        )
    t = np.linspace(0.0, end, samples)
    names = [symbol.name for symbol in (*point.model.coordinates, *point.model.speeds)]
    shape = np.array([mode.shape[name] for name in names])
    largest = shape[np.argmax(np.abs(shape[:n]))] or 1.0  # the coordinate that moves most is the one that is measured
    growth = float(np.exp(mode.pole.real * t).max())
    moved = (np.exp(mode.pole * t)[:, None] * shape / largest).real * (amplitude / growth)
    q, u = point.q + t[:, None] * rates[:n] + moved[:, :n], point.u + moved[:, n:]
    for places in point.model.quaternions:
        q[:, places] /= np.linalg.norm(q[:, places], axis=1, keepdims=True)
    return ModalMotion(point, t, q, u)


def _duration(mode: Mode) -> float:
    """Some periods, or some time constants; a second where nothing happens."""
    if mode.oscillates:
        return CYCLES * mode.period
    return CYCLES / abs(mode.pole.real) if mode.pole.real != 0 else 1.0
