"""Modes: eigenvalues with their shapes, frequencies and damping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.eigenpairs import LARGEST_PRECISE
from multibody.linearization.spectra.spectrum import Poles, Spectrum
from multibody.linearization.spectra.stability import Stability, stability_of
from multibody.linearization.tolerances import COARSE_VECTOR, ZERO_AMPLITUDE, ZERO_COMPONENT

DIGITS, ITERATIONS = 120, 3
"""Decimal digits and iterations for these."""


SHOWN = 0.1
"""States that take part by less are left out where a mode is printed."""


@dataclass(frozen=True, eq=False)
class Mode:
    """One way in which a linear system moves by itself: δx = Re(shape·exp(pole·t)).

    Attributes:
        pole: the eigenvalue, in 1/s; of a conjugate pair the one with the positive imaginary part.
        shape: the complex amplitude of each state by name, the largest of them one; for equations of motion, dependent
            coordinates and speeds are there, too.
        participation: how much each state takes part, by name; all together one (Pérez-Arriaga, Verghese and Schweppe
            1982).
        bound: of the error of the pole.

    Example:
        >>> slow = Mode(-1 + 2j, {"x": 1.0, "v": -1 + 2j}, {"x": 0.5, "v": 0.5})
        >>> round(slow.frequency, 6), round(slow.damping, 6), slow.stable
        (2.236068, 0.447214, True)
    """

    pole: complex
    shape: Mapping[str, complex]
    participation: Mapping[str, float]
    bound: float = 0.0

    @property
    def frequency(self) -> float:
        """The natural frequency |pole| in rad/s."""
        return abs(self.pole)

    @property
    def damping(self) -> float:
        """The damping ratio -Re(pole)/|pole|: 1 for a decay, -1 for a growth, 0 for the pole zero."""
        return -self.pole.real / self.frequency + 0.0 if self.frequency else 0.0

    @property
    def period(self) -> float:
        """Of the oscillation in s; infinite for a real pole."""
        return 2 * np.pi / abs(self.pole.imag) if self.pole.imag else np.inf

    @property
    def stable(self) -> bool:
        """Whether it decays for sure: its pole is to the left of the axis by more than its error bound."""
        return self.stability == "stable"

    @property
    def stability(self) -> Stability:
        """What its pole says; see ``LinearSystem.stability``."""
        return stability_of(np.array([self.pole]), np.array([self.bound]), np.array([self.pole.real == 0]))

    @property
    def oscillates(self) -> bool:
        """Whether its pole is one of a conjugate pair."""
        return self.pole.imag != 0

    def cells(self) -> list[str]:
        """Pole, frequency, damping and the states that take part most, for tables."""
        leading = sorted(self.participation.items(), key=lambda pair: -pair[1])
        names = [f"{name} {share:.0%}" for name, share in leading if share >= SHOWN][:4]
        pole = f"{self.pole.real:.6g}" + (f" ± {self.pole.imag:.6g}i" if self.oscillates else "")
        return [pole, f"{self.frequency:.6g}", f"{self.damping:.4g}", ", ".join(names)]


def modes_of(
    A: Matrix, found: Spectrum, states: Sequence[str], shapes: Matrix, names: Sequence[str]
) -> tuple[Mode, ...]:
    """Modes in the order of the poles, one for each conjugate pair.

    Args:
        A: state matrix.
        found: its poles.
        states: names of the states.
        shapes: all quantities that have a name in a shape, as linear functions of the states.
        names: their names.
    """
    if not len(A):
        return ()
    left, right = _vectors(A, found.poles)
    if len(A) <= LARGEST_PRECISE:
        coarse = [k for k in range(len(A)) if _is_coarse(A, found.poles[k], left[:, k], right[:, k])]
        left[:, coarse], right[:, coarse] = _precise_vectors(A, found.poles[coarse])
    chosen = [k for k, pole in enumerate(found.poles) if pole.imag >= 0]
    return tuple(
        _mode(complex(found.poles[k]), float(found.bounds[k]), left[:, k], right[:, k], states, shapes, names)
        for k in chosen
    )


def _vectors(A: Matrix, poles: Poles) -> tuple[Any, Any]:
    """Left and right eigenvectors by LAPACK, in the order of the poles."""
    from scipy.linalg import eig, matrix_balance  # late, because importing it takes long
    from scipy.optimize import linear_sum_assignment

    with np.errstate(all="ignore"):  # SciPy casts scales that are too large for a permutation
        balanced, (scale, _) = matrix_balance(A, permute=False, separate=True)
    rough, left, right = eig(balanced, left=True)
    order = linear_sum_assignment(np.abs(poles[:, None] - rough[None, :]))[1]
    left, right = (vectors.astype(complex)[:, order] for vectors in (left, right))
    return left / scale[:, None], right * scale[:, None]


def _is_coarse(A: Matrix, pole: complex, left: Any, right: Any) -> bool:
    """Whether A·x = s·x or yᴴ·A = s·yᴴ does not hold in each row, relative to its terms."""
    left, right = (
        np.where(np.abs(vectors) > ZERO_COMPONENT * np.abs(vectors).max(), vectors, 0.0) for vectors in (left, right)
    )
    pairs = (np.abs(A @ right - pole * right), A, right), (np.abs(A.T @ left.conj() - pole * left.conj()), A.T, left)
    return any((rest > COARSE_VECTOR * (np.abs(B) @ np.abs(x) + np.abs(pole * x))).any() for rest, B, x in pairs)


def _precise_vectors(A: Matrix, poles: Poles) -> tuple[Any, Any]:
    """Left and right eigenvectors by inverse iteration with many digits, each from a start of its own."""
    import mpmath  # late, because few systems need it

    rng, n = np.random.default_rng(0), len(A)
    left, right = np.zeros((n, len(poles)), dtype=complex), np.zeros((n, len(poles)), dtype=complex)
    with mpmath.workdps(DIGITS):
        matrix = mpmath.matrix(A.tolist())
        nothing = mpmath.mpf(10) ** (-DIGITS // 2) * mpmath.mnorm(matrix, 1)
        for k, pole in enumerate(poles):
            shifted = matrix - (mpmath.mpmathify(complex(pole)) + nothing) * mpmath.eye(n)
            for side, system in ((left, shifted.H), (right, shifted)):
                vector = mpmath.matrix(rng.uniform(0.5, 1.0, n).tolist())
                for _ in range(ITERATIONS):
                    vector = mpmath.lu_solve(system, vector)
                    vector = vector / mpmath.norm(vector, mpmath.inf)
                side[:, k] = [complex(entry) for entry in vector]
    return left, right


def _mode(
    pole: complex, bound: float, left: Any, right: Any, states: Sequence[str], shapes: Matrix, names: Sequence[str]
) -> Mode:
    shares = np.abs(left.conj() * right)
    shares = shares / shares.sum() if shares.sum() > 0 else np.abs(right) / np.abs(right).sum()
    shape = shapes @ right
    shape = shape / shape[np.argmax(np.abs(shape))]
    shape = np.where(np.abs(shape) > ZERO_AMPLITUDE, shape, 0.0)
    by_name, by_state = (
        dict(zip(keys, column.tolist(), strict=True)) for keys, column in ((names, shape), (states, shares))
    )
    return Mode(pole, by_name, by_state, bound)
