"""Linear systems with names: δẋ = A·δx + B·δr, δy = C·δx + D·δr; what they tell, and where they go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from multibody.errors import ModelError, ShapeError
from multibody.graph.names import suggestion
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.controllability import Reach, reach
from multibody.linearization.spectra.modes import Mode, modes_of
from multibody.linearization.spectra.spectrum import Poles, Spectrum, spectrum
from multibody.linearization.spectra.stability import Stability, stability_of
from multibody.linearization.state_space import csv_table
from multibody.linearization.state_space.entry_errors import KnownEntries, exact_entries
from multibody.support.optional_libraries import require_library
from multibody.support.text_tables import aligned, html_table, html_text

SHOWN = 12
"""Larger matrices are not printed."""


@dataclass(frozen=True, eq=False, repr=False)
class LinearSystem:
    """A linear system whose states, inputs and outputs have names. Printed, it shows its matrices and its modes.

    Attributes:
        A: state matrix.
        B: input matrix.
        C: output matrix.
        D: feedthrough.
        states: names of the states.
        inputs: names of the inputs.
        outputs: names of the outputs.
        units: SI units by name, where they are known.
        name: of the system.
        rounding: errors of the entries of A, where terms that cancel left larger ones than those of single numbers.

    Example:
        >>> lin = LinearSystem([[0, 1], [-4, 0]], [[0], [1]], [[1, 0]], [[0]], ("x", "v"), ("F",), ("x",))
        >>> lin.poles
        array([0.+2.j, 0.-2.j])
        >>> round(lin.modes[0].frequency, 12), lin.controllability.complete
        (2.0, True)
    """

    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix
    states: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    name: str = "system"
    rounding: Matrix | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for kind, names in {"state": self.states, "input": self.inputs, "output": self.outputs}.items():
            twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
            if twice:
                raise ModelError(
                    f"There are several {kind}s '{twice[0]}'.",
                    code="name-taken",
                    where=self._title,
                    remedy="Name it once.",
                    name=twice[0],
                )
        n, m, k = len(self.states), len(self.inputs), len(self.outputs)
        for matrix, shape in {"A": (n, n), "B": (n, m), "C": (k, n), "D": (k, m)}.items():
            values = np.array(getattr(self, matrix), dtype=float)
            values = values.reshape(shape) if not values.size else values
            if values.shape != shape:
                raise ShapeError(
                    f"{matrix} has shape {values.shape} instead of {shape}.",
                    code="array-wrong-shape",
                    where=self._title,
                    name=matrix,
                    shape=values.shape,
                )
            if not np.isfinite(values).all():
                raise ShapeError(
                    f"{matrix} has entries that are not finite.",
                    code="number-not-finite",
                    where=self._title,
                    name=matrix,
                )
            values.flags.writeable = False  # what is computed from it cannot go stale
            object.__setattr__(self, matrix, values)

    @property
    def _title(self) -> str:
        return f"linear system '{self.name}'"

    # what it tells -----------------------------------------------------------------------------------------------

    @cached_property
    def spectrum(self) -> Spectrum:
        """The poles with bounds of their errors: all verdicts follow from it."""
        return spectrum(self.A, self.rounding)

    @property
    def poles(self) -> Poles:
        """The eigenvalues of A in 1/s, those that grow fastest first."""
        return self.spectrum.poles

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """One for each real pole and for each conjugate pair, in the order of ``poles``."""
        return modes_of(self.A, self.spectrum, self.states, *self._shapes())

    def _shapes(self) -> tuple[Matrix, Sequence[str]]:
        """All that has a name in the shape of a mode, as linear functions of the states."""
        return np.eye(len(self.states)), self.states

    @property
    def stable(self) -> bool:
        """Whether all modes decay for sure; False also where they are marginal or not decided, see ``stability``."""
        return self.stability == "stable"

    @property
    def stability(self) -> Stability:
        """What the poles say, with the bounds of their errors.

        Stable if all poles are to the left of the imaginary axis by more than their error bounds; unstable if one is to
        the right by more than that; marginal if some are on the axis as far as they are known, and none is to the
        right; undecided if some are known too coarsely for any of this.
        """
        return stability_of(*self.spectrum)

    @cached_property
    def controllability(self) -> Reach:
        """What the inputs reach."""
        A, B, _, A_terms, B_terms, _ = self.entries
        return reach(A, B, "controllable", terms=(A_terms, B_terms), poles=self.poles, states=self.states)

    @cached_property
    def observability(self) -> Reach:
        """What the outputs show."""
        A, _, C, A_terms, _, C_terms = self.entries
        return reach(A.T, C.T, "observable", terms=(A_terms.T, C_terms.T), poles=self.poles, states=self.states)

    @cached_property
    def entries(self) -> KnownEntries:
        """A, B and C with the sizes of what adds up to their entries: to these, rounding errors are relative."""
        return exact_entries(self.A, self.B, self.C)

    def response(self, frequency: Any) -> Any:
        """The frequency response C·(iω·1 - A)⁻¹·B + D; for an array of frequencies in rad/s an array of matrices.

        Raises:
            ModelError: if one of them is the frequency of a pole without damping, where the response is infinite.
        """
        w = np.asarray(frequency, dtype=float)[..., None, None]
        if not np.isfinite(w).all():
            raise ModelError("A frequency is not a finite number.", code="number-not-finite", where=self._title)
        try:
            return self.C @ np.linalg.solve(1j * w * np.eye(len(self.A)) - self.A, self.B + 0j * w) + self.D
        except np.linalg.LinAlgError as error:
            raise ModelError(
                "The response is infinite at one of the frequencies.",
                code="response-infinite",
                where=self._title,
                cause="It is the frequency of a motion without damping; zero is, where something may rest anywhere.",
                remedy="Look at ``poles``, and leave these frequencies out.",
            ) from error

    # other systems -----------------------------------------------------------------------------------------------

    def part(self, *states: str) -> LinearSystem:
        """The system of some of its states, whose rates do not depend on the others.

        Outputs that depend on other states are left out.

        Raises:
            ModelError: if the rate of one of them depends on another state.
        """
        kept = [self._place(name) for name in states]
        others = [k for k in range(len(self.states)) if k not in kept]
        coupled = self.A[np.ix_(kept, others)] != 0
        if coupled.any():
            row, column = (int(k[0]) for k in np.nonzero(coupled))
            size = self.A[kept[row], others[column]]
            raise ModelError(
                f"The rate of '{states[row]}' depends on '{self.states[others[column]]}', by {size:.3g}.",
                code="part-not-closed",
                where=self._title,
                remedy=f"Add the state: part({', '.join(map(repr, (*states, self.states[others[column]])))}).",
                name=states[row],
                other=self.states[others[column]],
            )
        rows = np.flatnonzero((self.C[:, others] == 0).all(axis=1)).tolist()
        rounding = None if self.rounding is None else self.rounding[np.ix_(kept, kept)]
        return LinearSystem(
            self.A[np.ix_(kept, kept)], self.B[kept], self.C[np.ix_(rows, kept)], self.D[rows], tuple(states),
            self.inputs, tuple(self.outputs[k] for k in rows), self.units, self.name, rounding,
        )  # fmt: skip

    def _place(self, name: str) -> int:
        if name not in self.states:
            raise ModelError(
                f"There is no state '{name}'.",
                code="name-unknown",
                where=self._title,
                cause=suggestion([name], self.states),
                remedy=f"The states are: {', '.join(self.states)}.",
                name=name,
            )
        return self.states.index(name)

    # to other programs -------------------------------------------------------------------------------------------

    def to_control(self) -> Any:
        """A python-control ``StateSpace`` with the names of all signals.

        Raises:
            MissingLibraryError: if python-control is not installed.
        """
        signals = {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}
        ss = require_library("control", "control").ss
        return ss(self.A, self.B, self.C, self.D, name=self.name, remove_useless_states=False, **signals)

    def to_scipy(self) -> Any:
        """A ``scipy.signal.StateSpace``."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    def to_csv(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write [A B; C D] with names and units; ``read_linear_system`` reads it back.

        Args:
            path: where to.
            overwrite: whether a file of this name may be replaced.

        Raises:
            StorageError: if the file exists already, or cannot be written.
        """
        names = self.states, self.inputs, self.outputs
        matrices = csv_table.NamedMatrices(self.A, self.B, self.C, self.D, *names, self.units, self.name)
        csv_table.write(matrices, path, overwrite=overwrite)

    # to people ---------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"{type(self).__name__}('{self.name}', {sizes})"

    def __str__(self) -> str:
        parts = [repr(self)]
        if len(self.states) + len(self.inputs) <= SHOWN:
            parts.append(aligned(self._matrix_rows()))
        parts.append(aligned(self._mode_rows()))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        small = len(self.states) + len(self.inputs) <= SHOWN
        matrix = html_table(self._matrix_rows(), repr(self)) if small else html_text(repr(self))
        return matrix + html_table(self._mode_rows())

    def _mode_rows(self) -> list[list[str]]:
        return [["pole [1/s]", "frequency", "damping", "states"], *(mode.cells() for mode in self.modes)]

    def _matrix_rows(self) -> list[list[str]]:
        upper, lower = np.hstack([self.A, self.B]), np.hstack([self.C, self.D])
        rates = [[f"d/dt {name}", *map(_shown, row)] for name, row in zip(self.states, upper, strict=True)]
        sensed = [[name, *map(_shown, row)] for name, row in zip(self.outputs, lower, strict=True)]
        return [["", *self.states, *self.inputs], *rates, *sensed]


def _shown(value: float) -> str:
    return f"{value + 0.0:.6g}"


def read_linear_system(path: str | PathLike[str]) -> LinearSystem:
    """A linear system that ``LinearSystem.to_csv`` has written.

    Args:
        path: of the file.

    Raises:
        StorageError: if it cannot be read, or holds something else.
    """
    return csv_table.read(path, LinearSystem)
