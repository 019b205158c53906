"""Accelerations and constraint forces as compiled functions that check whether they are determined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.compile import Function
from multibody.compile.calls import arranged
from multibody.equations.projection import dependent_rows
from multibody.equations.singularity import dependent_equations, gimbal_lock, loses_inertia, singular_position
from multibody.errors import SingularMatrixError
from multibody.graph import ONE, ZERO, Expr
from multibody.model.assembly import Vector

if TYPE_CHECKING:
    from multibody.equations.equations import EquationsOfMotion

VANISHED = 1e-12
"""Equations of a unit that are smaller than this share of what they are elsewhere, both squared, have vanished."""

DOUBTFUL = 1e-8
"""States of a batch with equations below this share of those of another state, both squared, are evaluated alone."""


class CheckedMotion(Function):
    """(t, q, u, r, p) → u̇, or λ, of equations whose constraints may become dependent, or that may lose their inertia.

    A call for one state raises an error in a singular position, which names the constraints or joints. Many states at
    once have NaN there.

    Args:
        eom: equations of motion.
        name: of the function among those of the equations.
        function: the same without checks.
        locks: whether axes of hinges may line up.
    """

    def __init__(self, eom: EquationsOfMotion, name: str, function: Function, *, locks: bool) -> None:
        self.name, self.inputs, self.outputs = function.name, function.inputs, function.outputs
        self._eom, self._called, self._locks = eom, name, locks
        self._regular: dict[bytes, Vector] = {}  # what was measured in regular positions, by the parameters

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Evaluate one state; see ``Function``.

        Raises:
            SingularMatrixError: if the accelerations are not determined in this position.
        """
        result = super().__call__(*args, **named)
        values = self._values(args, named)
        if self._locks:
            M = self._eom.mass_matrix(**values)
            if loses_inertia(M[None])[0]:
                raise gimbal_lock(self._eom, M, values["q"])
        if not self._eom.may_be_undetermined:
            return result
        undetermined = self._eom.regularity is not ONE and bool(np.isnan(result).any())
        if not undetermined and self._is_regular(values):
            return result
        t, q, r, p = (values[name] for name in "tqrp")
        names = dependent_equations(self._eom, float(np.ravel(t)[0]), q, r, p)
        if names:
            raise singular_position(self._eom, names, values["q"])
        if undetermined and self._eom.regularized is not self._eom:
            return getattr(self._eom.regularized, self._called)(*args, **named)
        self._regular[_key(values)] = self._regular_measures(values)
        return result

    def batch(
        self, /, *args: Any, threads: int | None = None, out: Mapping[str, Any] | None = None, **named: Any
    ) -> Any:
        """Evaluate many states at once; see ``Function.batch``. Accelerations that are not determined are NaN."""
        result = super().batch(*args, threads=threads, out=out, **named)
        given = [(port, *port.fitted_batch(x, self.name)) for port, x in arranged(self, self.inputs, args, named)]
        shared = {port.name: value for port, value, _ in given}
        several = {port.name for port, _, states in given if states is not None}

        def state(k: int) -> dict[str, Any]:
            return {name: value[k] if name in several else value for name, value in shared.items()}

        for k in self._doubtful(np.isnan(result).any(axis=1), shared, state):
            try:
                result[k] = self(**state(k))
            except SingularMatrixError:
                result[k] = np.nan
        return result

    def _doubtful(self, undetermined: Any, values: Mapping[str, Any], state: Any) -> list[int]:
        """The states of a batch that are to be evaluated alone."""
        doubtful = undetermined.copy()
        if self._locks:
            M = self._eom.mass_matrix.batch(**values)
            doubtful |= loses_inertia(np.broadcast_to(M, (len(doubtful), *M.shape[-2:])))
        if not self._eom.may_be_undetermined or doubtful.all():
            return [int(k) for k in np.flatnonzero(doubtful)]
        count, sizes = self._measures.batch(**values)
        measured = np.column_stack([count, sizes.reshape(len(count), -1)])
        if len(measured) != len(doubtful):  # all states have the same position and parameters
            measured = np.broadcast_to(measured, (len(doubtful), measured.shape[1]))
        known = self._first_regular([int(k) for k in np.flatnonzero(~doubtful)], state)
        doubtful |= (measured[:, 0] != known[0]) | (measured[:, 1:] < DOUBTFUL * known[1:]).any(axis=1)
        return [int(k) for k in np.flatnonzero(doubtful)]

    def _first_regular(self, states: Sequence[int], state: Any) -> Vector:
        """What is measured in the first of some states that is regular; more than there can be if none of them is."""
        for k in states:
            values = state(k)
            try:
                self(**values)
            except SingularMatrixError:
                continue
            if _key(values) in self._regular:
                return self._regular[_key(values)]
        return np.full(1 + len(self._sizes), np.inf)

    def _is_regular(self, values: Mapping[str, Any]) -> bool:
        """Whether equations are as in regular positions with the same parameters.

        As many redundant ones depend on others, and those of no unit vanish.
        """
        known = self._regular.get(_key(values))
        if known is None:
            return False
        found = self._measured(values)
        return bool(found[0] == known[0] and (found[1:] >= VANISHED * known[1:]).all())

    def _regular_measures(self, values: Mapping[str, Any]) -> Vector:
        """What is measured in a regular position; sizes as they are elsewhere, but for equations that vanish here."""
        found, q = self._measured(values), np.ravel(values["q"])
        elsewhere = self._measured({**values, "q": q + 0.1 * np.random.default_rng(2).normal(size=len(q))})
        known = np.where(found >= VANISHED * elsewhere, np.maximum(found, elsewhere), found)
        known[0] = found[0]
        return known

    def _measured(self, values: Mapping[str, Any]) -> Vector:
        """The number of redundant equations that depend on others; the size of those of each unit, squared."""
        count, sizes = self._measures(**values)
        return np.array([float(count), *np.ravel(sizes)])

    def _values(self, args: Any, named: Any) -> dict[str, Any]:
        return {port.name: np.asarray(value, dtype=float) for port, value in arranged(self, self.inputs, args, named)}

    @cached_property
    def _measures(self) -> Function:
        outputs = {"count": dependent_rows(self._eom), "sizes": list(self._sizes.values())}
        return self._eom.function("dependent_rows", outputs)

    @cached_property
    def _sizes(self) -> dict[str, Expr]:
        """The sum of squares of all entries of B, by the unit of their rows."""
        constraints, sizes = self._eom.constraints, dict[str, Expr]()
        for row, unit in zip(constraints.acting, constraints.units, strict=True):
            sizes[unit] = sizes.get(unit, ZERO) + sum((one * one for one in constraints.B[row]), ZERO)
        return sizes


def _key(values: Mapping[str, Any]) -> bytes:
    return bytes(np.ravel(values["p"]).tobytes())
