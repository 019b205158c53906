"""Controllability and observability, mode by mode, with margins and in any units.

The inputs reach a mode with the left vector y if y·B is not zero (Popov, Belevitch, Hautus). Relative errors ε of the
entries of A and B change y·b, to first order, by up to

    ε·(|y|·|A|·|S·b| + |y|·|b|)    with the reduced resolvent S of the pole.

The margin of a mode is |y·b| over this bound for ε = 1: the relative change of the entries after which the mode is not
reached. Changes of units leave it as it is. Poles that cannot be distinguished are one group with a left invariant
subspace, within which the staircase algorithm (Paige 1981) separates what is reached from the rest.

All verdicts follow from these margins: a mode is reached (margin at least ``MARGIN_OF_REACHED``), not reached (at most
``MARGIN_OF_ROUNDING``), or undecided: so small an asymmetry cannot be distinguished from the errors of the numbers, or
these are badly known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.pole_groups import PoleGroup, pole_groups
from multibody.linearization.spectra.spectrum import Poles, eigenvalues
from multibody.linearization.tolerances import CANCELLED_TERMS, MARGIN_OF_REACHED, MARGIN_OF_ROUNDING, TURNED_SHARE
from multibody.support.text_tables import TextTable

YES, NO, UNDECIDED = "yes", "no", "undecided"

SHOWN = 0.05
"""States that take part by less are left out where a mode is named."""


@dataclass(frozen=True, eq=False)
class Reach(TextTable):
    """How far inputs reach into a system, or states show in its outputs. Printed, it is a table.

    Attributes:
        what: "controllable" or "observable".
        poles: of the system.
        margins: for each pole the relative change of the entries of the matrices after which it is not reached, to
            first order.
        verdicts: for each pole "yes", "no" or "undecided".
        states: names of the states.
        participation: for each pole, by how much the states take part in the motion that is judged.
        pole_errors: for each pole, a bound of its error.
    """

    what: str
    poles: Poles
    margins: Matrix
    verdicts: tuple[str, ...]
    states: tuple[str, ...] = ()
    participation: Matrix = field(repr=False, default_factory=lambda: np.zeros((0, 0)))
    pole_errors: Matrix = field(repr=False, default_factory=lambda: np.zeros(0))

    @property
    def rank(self) -> int:
        """How many modes are reached, those that are undecided not included."""
        return self.verdicts.count(YES)

    @property
    def complete(self) -> bool:
        """Whether all of the system is reached; False if this is undecided."""
        return self.rank == len(self.poles)

    @property
    def missing(self) -> Poles:
        """The poles that are not reached."""
        return self.poles[[verdict == NO for verdict in self.verdicts]]

    @property
    def undecided(self) -> Poles:
        """The poles for which rounding errors leave it open whether they are reached."""
        return self.poles[[verdict == UNDECIDED for verdict in self.verdicts]]

    @property
    def decaying(self) -> NDArray[np.bool_]:
        """For each pole whether its motion decays by itself, by more than the error of the pole."""
        return np.asarray(self.poles.real < -self.pole_errors)

    @property
    def marginal(self) -> NDArray[np.bool_]:
        """For each pole whether its real part is zero within the error of the pole."""
        return np.asarray(np.abs(self.poles.real) <= self.pole_errors)

    def __bool__(self) -> bool:
        return self.complete

    def rows(self) -> list[list[str]]:
        """The table with its head."""
        cells = zip(self.poles, self.verdicts, self.margins, strict=True)
        return [
            ["pole", self.what, "margin"],
            *([f"{pole:.6g}", word, f"{margin:.3g}"] for pole, word, margin in cells),
        ]

    def mode_text(self, place: int) -> str:
        """A mode by its pole, its frequency and the states that take part.

        Args:
            place: the number of the pole.
        """
        pole = complex(self.poles[place])
        real, imag = (part if abs(part) > self.pole_errors[place] else 0.0 for part in (pole.real, abs(pole.imag)))
        text = f"{real:.6g} ± {imag:.6g}i, {abs(pole):.6g} rad/s" if imag else f"{real:.6g}"
        shares = sorted(zip(self.participation[place].tolist(), self.states, strict=True), key=lambda pair: -pair[0])
        names = [f"{name} {share:.0%}" for share, name in shares if share >= SHOWN][:6]
        return f"pole {text} ({', '.join(names) or 'no states'})"


def reach(
    A: Matrix, B: Matrix, what: str, *, terms: tuple[Matrix, Matrix] | None = None, poles: Poles | None = None,
    states: Sequence[str] = (),
) -> Reach:  # fmt: skip
    """What the columns of B reach through A.

    Args:
        A: state matrix.
        B: input matrix.
        what: the head of the column of verdicts.
        terms: sizes of the terms in the entries of A and B, if they are larger than the entries.
        poles: the eigenvalues of A, if they are known already.
        states: names of the states.

    Example:
        >>> pair = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-3, 1, 0, 0], [1, -3, 0, 0.0]])
        >>> both = reach(pair, np.array([[0, 0, 1, 1.0]]).T, "controllable")
        >>> both.rank, np.abs(both.missing).round(6).tolist()
        (2, [2.0, 2.0])
    """
    poles = eigenvalues(A) if poles is None else poles
    names = tuple(states) or tuple(f"x{k}" for k in range(len(A)))
    A_terms, B_terms = (np.abs(A), np.abs(B)) if terms is None else terms
    try:
        with np.errstate(all="ignore"):
            unit = np.eye(len(A))
            judged = _judge(_noisy(A, A_terms), _noisy(B, B_terms), _Basis(unit, unit)) if len(A) else []
    except np.linalg.LinAlgError:
        judged = [_unknown(pole, len(A)) for pole in poles]
    judged = _in_order(poles, judged)
    return Reach(
        what, poles,
        np.array([judgment.margin for judgment in judged]), tuple(judgment.verdict for judgment in judged), names,
        np.array([judgment.shares for judgment in judged]).reshape(len(poles), len(names)),
        np.array([judgment.error for judgment in judged]),
    )  # fmt: skip


class _Judged(NamedTuple):
    """A pole with its verdict; the error is that of the pole."""

    pole: complex
    margin: float
    verdict: str
    shares: Matrix
    error: float


def _unknown(pole: complex, size: int) -> _Judged:
    return _Judged(pole, np.nan, UNDECIDED, np.full(size, 1 / max(size, 1)), np.inf)


def _in_order(poles: Poles, judged: list[_Judged]) -> list[_Judged]:
    """The verdicts in the order of the poles; those of a conjugate pair are the same."""
    from scipy.optimize import linear_sum_assignment  # late, because importing it takes long

    near = np.abs(poles[:, None] - np.array([judgment.pole for judgment in judged], dtype=complex))
    places = linear_sum_assignment(np.nan_to_num(near, posinf=np.finfo(float).max))[1]
    ordered = [judged[place] for place in places]
    above, below = (np.flatnonzero(sign * poles.imag > 0) for sign in (1, -1))
    pairs = linear_sum_assignment(np.abs(poles[above].conj()[:, None] - poles[below]))
    for first, second in zip(above[pairs[0]], below[pairs[1]], strict=True):
        ordered[second] = ordered[first]
    return ordered


class _Noisy(NamedTuple):
    """A matrix with bounds for relative errors of one of all entries of A and B.

    Attributes:
        values: the matrix.
        bound: for the terms of these entries.
        least: for the entries themselves, or for their terms if these are not much larger: what is zero compared with
            this is so for what the entries are, and not only because they are badly known.
        computed: the error from the computation.
    """

    values: Any
    bound: Matrix
    least: Matrix
    computed: Matrix

    def scaled(self, left: Matrix, right: Matrix) -> _Noisy:
        """Rows and columns times factors."""
        return _Noisy(*(part * left[:, None] * right for part in self))


def _noisy(values: Matrix, terms: Matrix) -> _Noisy:
    return _Noisy(values, terms, np.minimum(terms, CANCELLED_TERMS * np.abs(values)), np.zeros_like(terms))


class _Basis(NamedTuple):
    """Left and right vectors of a group, in states of the system."""

    left: Any
    right: Any


def _judge(states: _Noisy, inputs: _Noisy, basis: _Basis) -> list[_Judged]:
    """All modes of a system. A group of poles is a smaller system, in which more of them may be distinguished."""
    scale = state_scale(states.values)
    states, inputs = states.scaled(1 / scale, scale), inputs.scaled(1 / scale, np.ones(inputs.values.shape[1]))
    basis = _Basis(basis.left / scale[:, None], basis.right * scale)
    groups = pole_groups(states.values, states.bound, MARGIN_OF_ROUNDING)
    if len(groups) == 1 and len(groups[0].poles) == len(states.values):
        return _judge_group(states, inputs, basis)
    judged = []
    for group in groups:
        inner = _Basis(group.left @ basis.left, basis.right @ group.right)
        modes = _judge(*_restricted(group, states, inputs), inner)
        judged += modes + [mode._replace(pole=mode.pole.conjugate()) for mode in modes if group.mirrored]
    return judged


def _restricted(group: PoleGroup, states: _Noisy, inputs: _Noisy) -> tuple[_Noisy, _Noisy]:
    """The block of a group and its inputs, with first-order bounds of their errors."""
    left, right, response = np.abs(group.left), np.abs(group.right), np.abs(group.resolvent(inputs.values))
    errors = left @ states.computed + group.residual
    return (
        _Noisy(group.block, left @ states.bound @ right, left @ states.least @ right, errors @ right),
        _Noisy(
            group.left @ inputs.values,
            left @ (states.bound @ response + inputs.bound),
            left @ (states.least @ response + inputs.least),
            errors @ response + left @ inputs.computed,
        ),
    )


def state_scale(A: Matrix) -> Matrix:
    """Sizes of the states for which rows and columns of A have about the same norms (Osborne 1960)."""
    from scipy.linalg import matrix_balance  # late, because importing it takes long

    if not len(A):
        return np.ones(0)
    return np.asarray(matrix_balance(A, permute=False, separate=True)[1][0], dtype=float)


def _judge_group(states: _Noisy, inputs: _Noisy, basis: _Basis) -> list[_Judged]:
    """Poles that cannot be distinguished."""
    if not all(np.isfinite(part).all() for part in (*inputs, *states)):
        raise np.linalg.LinAlgError("no finite bounds")
    poles = np.linalg.eigvals(states.values)
    surely, possibly = _staircase(inputs, states, MARGIN_OF_REACHED), _staircase(inputs, states, MARGIN_OF_ROUNDING)
    beyond = _nearest(poles, surely.rest_poles, list(range(len(poles))))
    missing = _nearest(poles, possibly.rest_poles, beyond) if len(possibly.rest_poles) <= len(beyond) else beyond
    words = [NO if k in missing else UNDECIDED if k in beyond else YES for k in range(len(poles))]
    margins = {YES: surely.accepted, NO: possibly.rejected, UNDECIDED: surely.rejected}
    directions = {YES: np.eye(len(poles)), NO: possibly.rest, UNDECIDED: surely.rest}
    shares = {word: _shares(basis, rest) for word, rest in directions.items()}
    error = _pole_error(poles, states)
    return [_Judged(complex(p), margins[w], w, shares[w], error) for p, w in zip(poles, words, strict=True)]


class _Stairs(NamedTuple):
    """What is reached in a group: the directions that are not, their poles, and margins on both sides."""

    rest: Any
    rest_poles: Any
    accepted: float
    rejected: float


def _staircase(inputs: _Noisy, states: _Noisy, limit: float) -> _Stairs:
    """Directions of a group that are reached with margins above a limit.

    Args:
        inputs: of the group, whose columns are compared with their bounds.
        states: the block of the group.
        limit: ``MARGIN_OF_REACHED`` counts what is reached surely, ``MARGIN_OF_ROUNDING`` what is reached possibly.
    """
    inputs_bound, states_bound = (
        (inputs.bound, states.bound) if limit >= MARGIN_OF_REACHED else (inputs.least, states.least)
    )
    used = np.linalg.norm(inputs_bound, axis=0)
    columns = np.divide(inputs.values, used, where=used > 0, out=np.zeros_like(inputs.values))
    errors = np.divide(inputs.computed, used, where=used > 0, out=np.zeros_like(inputs.bound))
    size = len(states.values)
    noise, error = 1.0, float(np.linalg.norm(errors, axis=0).max(initial=0.0))
    share = 1.0 if limit >= MARGIN_OF_REACHED else TURNED_SHARE
    shifted = states.values - np.trace(states.values) / size * np.eye(size)
    rest, accepted, rejected = np.eye(size, dtype=complex), np.inf, 0.0
    while True:
        directions, values, _ = np.linalg.svd(np.hstack([columns, np.zeros((len(columns), 1))]))
        values = np.concatenate([values, np.zeros(len(directions) - len(values))])  # a direction without input is zero
        margins, doubt = np.where(values > 0, values / np.float64(noise), 0.0), error / noise if error else 0.0
        reached = margins - doubt >= limit if limit >= MARGIN_OF_REACHED else margins + doubt > limit
        accepted = min(accepted, float(margins[reached].min(initial=np.inf)))
        new, rest = rest @ directions[:, reached], rest @ directions[:, ~reached]
        if reached.all() or not reached.any():
            rejected = float(margins[~reached].max(initial=0.0))
            break
        turned = float(np.linalg.norm(shifted)) / float(values[reached].min())
        columns = rest.conj().T @ shifted @ new
        sums, errors = (np.abs(rest).T @ part @ np.abs(new) for part in (states_bound, states.computed))
        noise = float(np.linalg.norm(sums)) + share * turned * noise
        error = float(np.linalg.norm(errors)) + turned * error
    poles = np.linalg.eigvals(rest.conj().T @ states.values @ rest) if rest.shape[1] else np.zeros(0)
    return _Stairs(rest, poles, accepted, rejected)


def _nearest(poles: Any, wanted: Any, places: list[int]) -> list[int]:
    """Places of the poles that fit the wanted ones best."""
    from scipy.optimize import linear_sum_assignment  # late, because importing it takes long

    chosen = linear_sum_assignment(np.abs(np.asarray(wanted)[:, None] - poles[places]))[1]
    return [places[k] for k in chosen]


def _shares(basis: _Basis, directions: Any) -> Matrix:
    """By how much each state takes part in directions of a group (Pérez-Arriaga, Verghese and Schweppe 1982)."""
    left, right = directions.conj().T @ basis.left, basis.right @ directions
    shares = np.abs(left.T * right).sum(axis=1)
    return np.asarray(shares / (shares.sum() or 1.0))


def _pole_error(poles: Any, states: _Noisy) -> float:
    """A bound of the errors of the poles of a group, for relative errors ``MARGIN_OF_REACHED`` of the entries.

    A Jordan block of p poles with the nilpotent part N turns an error ε into (ε·|N|ᵖ⁻¹)^(1/p).
    """
    size = len(poles)
    change = float(np.linalg.norm(MARGIN_OF_REACHED * states.bound + states.computed))
    if size == 1:
        return change
    nilpotent = float(np.linalg.norm(states.values - poles.mean() * np.eye(size)))
    return float(max(change, (change * nilpotent ** (size - 1)) ** (1 / size)))
