"""Planar linkages with one degree of freedom in closed form: rods whose ends are known curves of one angle.

Positions are complex numbers. A thin rod of mass m between P₁ and P₂ has the kinetic energy
m/6·(|Ṗ₁|² + |Ṗ₂|² + Ṗ₁·Ṗ₂), so that M(θ)·θ̈ + ½·M′(θ)·θ̇² + V′(θ) = 0 needs first and second derivatives only. The
curves are smooth through singular positions of the mechanism, and so is the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Jet:
    """A value with its first and second derivatives by the angle."""

    value: complex
    first: complex = 0
    second: complex = 0

    def __add__(self, other: Any) -> Jet:
        o = as_jet(other)
        return Jet(self.value + o.value, self.first + o.first, self.second + o.second)

    def __mul__(self, other: Any) -> Jet:
        a, b = self, as_jet(other)
        second = a.second * b.value + 2 * a.first * b.first + a.value * b.second
        return Jet(a.value * b.value, a.first * b.value + a.value * b.first, second)

    def of(self, f: complex, df: complex, ddf: complex) -> Jet:
        """The jet of a function with these derivatives at the value."""
        return Jet(f, df * self.first, ddf * self.first**2 + df * self.second)

    def inverse(self) -> Jet:
        """One over it."""
        return self.of(1 / self.value, -1 / self.value**2, 2 / self.value**3)

    def sqrt(self) -> Jet:
        """The square root."""
        root = np.sqrt(self.value)
        return self.of(root, 0.5 / root, -0.25 / root**3)

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other: Any) -> Jet:
        return self + as_jet(other) * -1

    def __rsub__(self, other: Any) -> Jet:
        return self * -1 + other


def as_jet(value: Any) -> Jet:
    """A constant as a jet, or the jet itself."""
    return value if isinstance(value, Jet) else Jet(value)


def unit(angle: float, factor: float = 1.0) -> Jet:
    """exp(i·factor·angle)."""
    value = np.exp(1j * factor * angle)
    return Jet(value, 1j * factor * value, -(factor**2) * value)


class Rod(NamedTuple):
    """A thin rod between two points; both the same for a point mass."""

    mass: float
    start: Jet
    end: Jet


Rods = Callable[[float], Sequence[Rod]]


def _dot(a: complex, b: complex) -> float:
    return (np.conj(a) * b).real


def acceleration(rods: Rods, gravity: complex, angle: float, speed: float, force: float = 0.0) -> float:
    """The second derivative of the angle, with a generalized force on it."""
    M = dM = dV = 0.0
    for mass, P, Q in rods(angle):
        p, q, pp, qq = P.first, Q.first, P.second, Q.second
        M += mass / 3 * (_dot(p, p) + _dot(q, q) + _dot(p, q))
        dM += mass / 3 * (2 * _dot(p, pp) + 2 * _dot(q, qq) + _dot(pp, q) + _dot(p, qq))
        dV -= mass * _dot(gravity, p + q) / 2
    return float((force - 0.5 * dM * speed**2 - dV) / M)


def four_bar_points(angle: float, a: float, b: float, c: float, ground: complex, side: float) -> tuple[Jet, Jet]:
    """Ends of crank and coupler: where circles about the crank's end and the rocker's bearing meet, on one side."""
    A = unit(angle) * a
    between = ground - A
    square = between * conjugate(between)
    along = (square + (b**2 - c**2)) * square.inverse() * 0.5
    across = (square.inverse() * b**2 - along * along).sqrt()
    return A, A + between * (along + across * (1j * side))


def conjugate(jet: Jet) -> Jet:
    """The complex conjugate; the angle is real."""
    return Jet(np.conj(jet.value), np.conj(jet.first), np.conj(jet.second))


def direction(vector: Jet) -> tuple[float, float]:
    """The angle of a vector, between -π and π, and its derivative."""
    return float(np.angle(vector.value)), float((np.conj(vector.value) * vector.first).imag / abs(vector.value) ** 2)


def sprung_motion(
    rods: Rods,
    gravity: complex,
    state: Sequence[float],
    times: np.ndarray,
    sprung: Callable,
    stiffness: float,
    rest: float,
) -> np.ndarray:
    """Angle, speed and the angle of a torsion spring, which goes on beyond π; from the values at the start.

    Args:
        sprung: function that gives the spring's angle, up to full turns, and its derivative by the angle.
    """

    def rates(t: float, y: np.ndarray) -> list[float]:
        value, slope = sprung(y[0])
        value += 2 * np.pi * np.round((y[2] - value) / (2 * np.pi))
        return [y[1], acceleration(rods, gravity, y[0], y[1], -stiffness * (value - rest) * slope), slope * y[1]]

    return solve_ivp(rates, (times[0], times[-1]), state, "DOP853", t_eval=times, rtol=1e-11, atol=1e-12).y


def motion(
    rods: Rods, gravity: complex, angle: float, speed: float, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Angle and speed at the times."""
    found = solve_ivp(
        lambda t, y: [y[1], acceleration(rods, gravity, *y)], (times[0], times[-1]), [angle, speed], "DOP853",
        t_eval=times, rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    return found.y[0], found.y[1]


def slider_crank_points(angle: float, r: float) -> tuple[Jet, Jet]:
    """Crank pin and piston, with equal arms: the piston is at 2r·cos(angle)."""
    return unit(angle) * r, (unit(angle) + unit(angle, -1)) * r


def antiparallelogram_points(angle: float, a: float, d: float) -> tuple[Jet, Jet]:
    """Ends of crank and rocker: tan(φ/2) = -(d + a)/(d - a)·tan(θ/2)."""
    k = -(d + a) / (d - a)
    c, s = (unit(angle, 0.5) + unit(angle, -0.5)) * 0.5, (unit(angle, 0.5) - unit(angle, -0.5)) * -0.5j
    turned = (c + s * (1j * k)) * (c + s * (1j * k)) * (c * c + s * s * k**2).inverse()
    return unit(angle) * a, turned * a + d


def parallelogram_points(angle: float, a: float, d: float) -> tuple[Jet, Jet]:
    """Ends of crank and rocker, which stay parallel."""
    return unit(angle) * a, unit(angle) * a + d


def kite_points(angle: float, a: float, b: float, side: float) -> tuple[Jet, Jet]:
    """Ends of crank and rocker, where crank and ground are a, coupler and rocker b: all is symmetric about θ/2."""
    half = unit(angle, 0.5)
    s, c = (half - unit(angle, -0.5)) * -0.5j, (half + unit(angle, -0.5)) * 0.5
    reach = (b**2 - s * s * a**2).sqrt()
    return unit(angle) * a, half * (c * a + reach * side)
