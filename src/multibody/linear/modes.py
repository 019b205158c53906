"""Modes: eigenvalues with their shapes, frequencies and damping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.linear.point import Matrix
from multibody.linear.spectrum import growth_order

ROUNDING = 4e-16
"""Relative size of an entry that is nothing but rounding."""

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

    Example:
        >>> slow = Mode(-1 + 2j, {"x": 1.0, "v": -1 + 2j}, {"x": 0.5, "v": 0.5})
        >>> round(slow.frequency, 6), round(slow.damping, 6), slow.stable
        (2.236068, 0.447214, True)
    """

    pole: complex
    shape: Mapping[str, complex]
    participation: Mapping[str, float]

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
        """Whether it decays."""
        return self.pole.real < 0

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


def cleaned(A: Matrix) -> Matrix:
    """A without entries that are rounding, so that poles which are zero, such as those of a cart's place, are so.

    These are entries that are below the rounding of the largest after the matrix is balanced: none of its eigenvalues
    is known any better.
    """
    from scipy.linalg import matrix_balance  # late, because importing it takes long

    balanced, (scale, _) = matrix_balance(A, permute=False, separate=True)
    kept = np.abs(balanced) > ROUNDING * np.abs(balanced).max(initial=0.0)
    return np.asarray(np.where(kept, balanced, 0.0) * scale[:, None] / scale)


def modes_of(A: Matrix, states: Sequence[str], shapes: Matrix, names: Sequence[str]) -> tuple[Mode, ...]:
    """Modes in the order of the poles, one for each conjugate pair.

    Args:
        A: state matrix.
        states: names of the states.
        shapes: all quantities that have a name in a shape, as linear functions of the states.
        names: their names.
    """
    if not len(A):
        return ()
    poles, left, right = _eigen(A)
    chosen = [k for k in growth_order(poles) if poles[k].imag >= 0]
    return tuple(_mode(complex(poles[k]), left[:, k], right[:, k], states, shapes, names) for k in chosen)


def _eigen(A: Matrix) -> tuple[Any, Any, Any]:
    from scipy.linalg import eig  # late, because importing it takes long

    poles, left, right = eig(cleaned(A), left=True)
    return poles, left, right


def _mode(pole: complex, left: Any, right: Any, states: Sequence[str], shapes: Matrix, names: Sequence[str]) -> Mode:
    shares = np.abs(left.conj() * right)
    shares = shares / shares.sum() if shares.sum() > 0 else np.abs(right) / np.abs(right).sum()
    shape = shapes @ right
    shape = shape / shape[np.argmax(np.abs(shape))]
    return Mode(pole, dict(zip(names, shape.tolist(), strict=True)), dict(zip(states, shares.tolist(), strict=True)))
