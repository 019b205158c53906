"""Accelerations, constraint forces and sensors as compiled functions that check whether they are determined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.compiler.calls import arranged, collected, leading_shape
from multibody.compiler.function import FixedFunction
from multibody.equations.contract import MotionEquations
from multibody.equations.projection import dependent_rows
from multibody.equations.singularity import (
    dependent_equations,
    gimbal_lock,
    loses_inertia,
    singular_position,
    with_constraints,
)
from multibody.equations.tolerances import DOUBTFUL_SQUARE, VANISHED_SQUARE
from multibody.errors import SingularMatrixError
from multibody.graph import ONE, ZERO, Expr
from multibody.mechanics.assembly.assembly import Vector


class CheckedMotion(Function):
    """(t, q, u, r, p) → u̇, λ or what follows from them, of equations whose accelerations may not be determined.

    Their constraints may become dependent, or they may lose their inertia. A call for one state raises an error in
    such a position, which names the constraints or joints; if ``partial``, outputs that follow from accelerations or
    forces are NaN instead. Many states at once have NaN there. Functions made by ``bind`` and ``block`` do not check.

    Args:
        eom: equations of motion.
        name: of the function among those of the equations.
        function: the same without checks.
        locks: whether axes of hinges may line up.
        outputs: numbers of the outputs that follow from accelerations or forces; by default all.
        partial: whether the other outputs are wanted where these are not determined.
    """

    def __init__(
        self, eom: MotionEquations, name: str, function: Function, *, locks: bool,
        outputs: Sequence[int] | None = None, partial: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.inputs, self.outputs = function.name, function.inputs, function.outputs
        self._eom, self._called, self._locks, self._partial = eom, name, locks, partial
        self._following = range(len(self.outputs)) if outputs is None else tuple(outputs)
        self._regular: dict[bytes, Vector] = {}  # what was measured in regular positions, by the parameters

    def __call__(self, /, *args: Any, out: Any = None, **named: Any) -> Any:
        """Evaluate one state, or many as ``batch`` does; see ``Function``.

        Raises:
            SingularMatrixError: if the accelerations are not determined in the position of the only state.
        """
        values = self._fitted(args, named)
        states = leading_shape(self, values)
        arrays = self._arrays_for_outputs(out)
        if states:
            return self._written(self._in_batch(values, states), arrays)
        given = {port.name: value for port, value in values}
        result = self.checked(super().__call__(given), given)
        return result if arrays is None else self._written(self._parts(result), arrays)

    def checked(self, result: Any, values: Mapping[str, Any]) -> Any:
        """What was found for one state, if it is determined there; otherwise see ``__call__``."""
        try:
            self._require_inertia(values)
            if not self._eom.may_be_undetermined or self._is_determined(result, values):
                return result
        except SingularMatrixError:
            if not self._partial:
                raise
            return self._without_motion(result)
        return getattr(self._eom.regularized, self._called)(**values)

    def _require_inertia(self, values: Mapping[str, Any]) -> None:
        if self._locks:
            M = self._eom.mass_matrix(**values)
            if loses_inertia(M[None])[0]:
                held = M if self._held_by is None else with_constraints(M[None], self._held_by(**values)[None])[0]
                if held is M or loses_inertia(held[None])[0]:
                    raise gimbal_lock(self._eom, held, values["q"])

    def _is_determined(self, result: Any, values: Mapping[str, Any]) -> bool:
        """Whether the equations determine a result; if not, their regularized form does.

        Raises:
            SingularMatrixError: if the position is singular.
        """
        undetermined = self._eom.regularity is not ONE and self._has_nan(result)
        if not undetermined and self._is_regular(values):
            return True
        t, q, r, p = (values[name] for name in "tqrp")
        names = dependent_equations(self._eom, float(np.ravel(t)[0]), q, r, p)
        if names:
            raise singular_position(self._eom, names, values["q"])
        if undetermined and self._eom.regularized is not self._eom:
            return False
        self._regular[_key(values)] = self._regular_measures(values)
        return True

    def fix(self, /, **parameters: Any) -> FixedFunction:
        """The same function with its parameters filled; see ``Function.fix``. It checks in the same way."""
        return FixedCheckedMotion(self, parameters)

    def batch(
        self, /, *args: Any, threads: int | None = None, out: Mapping[str, Any] | None = None, **named: Any
    ) -> Any:
        """Evaluate many states at once; see ``Function.batch``. Accelerations that are not determined are NaN."""
        result = super().batch(*args, threads=threads, out=out, **named)
        given = [(port, *port.fitted_batch(x, self.name)) for port, x in arranged(self, self.inputs, args, named)]
        shared = {port.name: value for port, value, _ in given}
        several = {port.name for port, _, states in given if states is not None}
        parts = self._parts(result)
        moving = [parts[k] for k in self._following]

        def state(k: int) -> dict[str, Any]:
            return {name: value[k] if name in several else value for name, value in shared.items()}

        undetermined = np.any([np.isnan(part).reshape(len(part), -1).any(axis=1) for part in moving], axis=0)
        for k in self._doubtful(undetermined, shared, state):
            try:
                for part, alone in zip(parts, self._parts(self(**state(k))), strict=True):
                    part[k] = alone
            except SingularMatrixError:
                for part in moving:
                    part[k] = np.nan
        return result

    def _has_nan(self, result: Any) -> bool:
        parts = self._parts(result)
        return any(bool(np.isnan(parts[k]).any()) for k in self._following)

    def _without_motion(self, result: Any) -> Any:
        """A result with NaN in place of what follows from accelerations and forces."""
        parts = [np.array(part, dtype=float) for part in self._parts(result)]
        for k in self._following:
            parts[k] = np.full_like(parts[k], np.nan)
        return collected(self._results, parts)

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
        doubtful |= (measured[:, 0] != known[0]) | (measured[:, 1:] < DOUBTFUL_SQUARE * known[1:]).any(axis=1)
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
        return bool(found[0] == known[0] and (found[1:] >= VANISHED_SQUARE * known[1:]).all())

    def _regular_measures(self, values: Mapping[str, Any]) -> Vector:
        """What is measured in a regular position; sizes as they are elsewhere, but for equations that vanish here."""
        found, q = self._measured(values), np.ravel(values["q"])
        elsewhere = self._measured({**values, "q": q + 0.1 * np.random.default_rng(2).normal(size=len(q))})
        known = np.where(found >= VANISHED_SQUARE * elsewhere, np.maximum(found, elsewhere), found)
        known[0] = found[0]
        return known

    def _measured(self, values: Mapping[str, Any]) -> Vector:
        """The number of redundant equations that depend on others; the size of those of each unit, squared."""
        count, sizes = self._measures(**values)
        return np.array([float(count), *np.ravel(sizes)])

    @cached_property
    def _held_by(self) -> Function | None:
        """B, which may hold what has no inertia of its own; None without constraints."""
        return self._eom.function("constraint_matrix", {"B": self._eom.B}) if len(self._eom.constraints) else None

    @cached_property
    def _measures(self) -> Function:
        outputs = {"count": dependent_rows(self._eom), "sizes": list(self._sizes.values())}
        return self._eom.function("dependent_rows", outputs)

    @cached_property
    def _sizes(self) -> dict[str, Expr]:
        """The sum of squares of all entries of B, by the unit of their rows."""
        constraints, sizes = self._eom.constraints, dict[str, Expr]()
        for row, unit in zip(constraints.acting, constraints.units, strict=True):
            sizes[unit] = sizes.get(unit, ZERO) + sum((entry * entry for entry in constraints.B[row]), ZERO)
        return sizes


class FixedCheckedMotion(FixedFunction):
    """A ``CheckedMotion`` with its parameters filled."""

    function: CheckedMotion

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Evaluate one state; see ``CheckedMotion``."""
        given = {port.name: np.asarray(value, dtype=float) for port, value in self._arranged(args, named)}
        return self.function.checked(super().__call__(*args, **named), {**self._values, **given})


def _key(values: Mapping[str, Any]) -> bytes:
    return bytes(np.ravel(values["p"]).tobytes())
