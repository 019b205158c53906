"""Constrained motion by numbers: for redundant equations and singular configurations, decided anew at every call."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from multibody.equations.contract import MotionEquations
from multibody.equations.tolerances import ROBUST_SINGULAR_VALUE
from multibody.mechanics.assembly.assembly import Vector


class ConstrainedMotion(NamedTuple):
    """What a call gives.

    Attributes:
        acceleration: u̇.
        multipliers: λ; where equations are redundant, the forces are shared as by ``Multipliers``.
        freedom: how many speeds are independent here.
        margin: the smallest singular value of B that counts, relative to the largest; small near a singularity.
    """

    acceleration: Vector
    multipliers: Vector
    freedom: int
    margin: float


class RobustDynamics:
    """(t, q, u, r, p) → u̇, λ with independent speeds that are switched at every call.

    The null space Z of B is taken from its singular value decomposition, so the independent speeds are always the best
    ones: u̇ = Z·y - B⁺·γ with (Zᵀ·M·Z)·y = -Zᵀ·(h - f - M·B⁺·γ), and λ = (Bᵀ)⁺·(M·u̇ + h - f). Rows are divided by the
    root of their unit's mean effective inverse mass first, so that the result does not depend on units.

    Args:
        equations: any equations of motion.
    """

    def __init__(self, equations: MotionEquations) -> None:
        outputs = {"M": equations.M, "bias": equations.h - equations.f, "B": equations.B, "gamma": equations.gamma}
        self._function = equations.function("constrained_motion", outputs)
        constraints = equations.constraints
        units = [constraints.unit(row) for row in range(len(constraints))]
        self._same_unit = np.array([[a == b for b in units] for a in units], dtype=bool).reshape(len(units), len(units))
        self._acting = np.isin(np.arange(len(constraints)), constraints.acting)

    def __call__(self, t: float, q: Any, u: Any, r: Any, p: Any) -> ConstrainedMotion:
        """The motion at one state."""
        values = self._function(t, q, u, r, p)
        M, bias = np.asarray(values.M), np.asarray(values.bias)
        B, gamma = np.asarray(values.B).reshape(-1, len(M)), np.asarray(values.gamma).reshape(-1)
        scale = self._scale(M, B)
        B, gamma = B / scale[:, None], gamma / scale
        left, sizes, right = np.linalg.svd(B)
        rank = self._rank(sizes)
        inverse = (right[:rank].T / sizes[:rank]) @ left[:, :rank].T
        Z, particular = right[rank:].T, -inverse @ gamma
        y = np.linalg.solve(Z.T @ M @ Z, -Z.T @ (bias + M @ particular)) if Z.shape[1] else np.zeros(0)
        acceleration = Z @ y + particular
        margin = float(sizes[rank - 1] / sizes[0]) if rank else 1.0
        return ConstrainedMotion(acceleration, inverse.T @ (M @ acceleration + bias) / scale, len(M) - rank, margin)

    def mobility(self, t: float, q: Any, u: Any, r: Any, p: Any) -> Vector:
        """W = Z·(Zᵀ·M·Z)⁻¹·Zᵀ: the accelerations that forces along the speeds cause where constraints hold."""
        values = self._function(t, q, u, r, p)
        M = np.asarray(values.M)
        B = np.asarray(values.B).reshape(-1, len(M))
        _, sizes, right = np.linalg.svd(B / self._scale(M, B)[:, None])
        Z = right[self._rank(sizes) :].T
        return np.asarray(Z @ np.linalg.solve(Z.T @ M @ Z, Z.T))

    def weights(self, t: float, q: Any, u: Any, r: Any, p: Any) -> Vector:
        """The diagonal of D in λᵀ·D·λ, which is the smallest for forces that redundant equations share."""
        values = self._function(t, q, u, r, p)
        M = np.asarray(values.M)
        return self._scale(M, np.asarray(values.B).reshape(-1, len(M))) ** 2

    @staticmethod
    def _rank(sizes: Vector) -> int:
        return int(np.sum(sizes > ROBUST_SINGULAR_VALUE * max(sizes.max(initial=0.0), 1e-300)))

    def _scale(self, M: Vector, B: Vector) -> Vector:
        """The root of the mean diagonal of B·M⁻¹·Bᵀ for all equations of the same unit that act; 1 if it vanishes."""
        diagonal = np.einsum("ij,jk,ik->i", B, np.linalg.pinv(M), B) * self._acting
        counts = np.maximum((self._same_unit & self._acting).sum(axis=1), 1)
        means = self._same_unit @ diagonal / counts
        return np.sqrt(np.where(means > 0, means, 1.0))
