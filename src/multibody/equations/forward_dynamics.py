"""Accelerations and constraint forces as compiled functions that check whether they are determined."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.compile import Function
from multibody.compile.calls import arranged
from multibody.equations.projection import dependent_rows
from multibody.equations.singularity import dependent_equations, singular_position
from multibody.graph import ONE, ZERO, Expr
from multibody.model.assembly import Vector

if TYPE_CHECKING:
    from multibody.equations.equations import EquationsOfMotion

VANISHED = 1e-12
"""Equations of a unit that are smaller than this share of what they are elsewhere, both squared, have vanished."""


class ConstrainedMotion(Function):
    """(t, q, u, r, p) → u̇, or λ, of equations with constraints.

    A call for one state raises an error in a singular position, which names the constraints. Many states at once have
    NaN there.

    Args:
        eom: equations of motion.
        name: of the function among those of the equations.
        function: the same without checks.
    """

    def __init__(self, eom: EquationsOfMotion, name: str, function: Function) -> None:
        self.name, self.inputs, self.outputs = function.name, function.inputs, function.outputs
        self._eom, self._called = eom, name
        self._regular: dict[bytes, Vector] = {}  # what was measured in regular positions, by the parameters

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Evaluate one state; see ``Function``.

        Raises:
            SingularMatrixError: if the accelerations are not determined in this position.
        """
        values = super().__call__(*args, **named)
        if self._eom.regularity is ONE:
            return values if self._is_regular(args, named) else self._evaluate_regularized(args, named)
        if len(values) and values[0] != values[0]:  # NaN
            return self._evaluate_regularized(args, named)
        return values

    def _is_regular(self, args: Any, named: Any) -> bool:
        """Whether equations are as in regular positions with the same parameters.

        As many redundant ones depend on others, and those of no unit vanish.
        """
        found, known = self._measured(self._values(args, named)), self._regular.get(self._key(args, named))
        return known is not None and found[0] == known[0] and bool((found[1:] >= VANISHED * known[1:]).all())

    def _evaluate_regularized(self, args: Any, named: Any) -> Any:
        """The accelerations by regularized equations, or an error in a singular position."""
        eom, values = self._eom, self._values(args, named)
        names = dependent_equations(eom, float(np.ravel(values["t"])[0]), values["q"], values["p"])
        if names:
            raise singular_position(eom, names, values["q"])
        if eom.regularized is not eom:
            return getattr(eom.regularized, self._called)(*args, **named)
        self._regular[self._key(args, named)] = self._regular_measures(values)
        return super().__call__(*args, **named)

    def _key(self, args: Any, named: Any) -> bytes:
        return bytes(np.ravel(self._values(args, named)["p"]).tobytes())

    def _regular_measures(self, values: dict[str, Any]) -> Vector:
        """What is measured in a regular position; sizes as they are elsewhere, but for equations that vanish here."""
        found, q = self._measured(values), np.ravel(values["q"])
        elsewhere = self._measured({**values, "q": q + 0.1 * np.random.default_rng(2).normal(size=len(q))})
        known = np.where(found >= VANISHED * elsewhere, np.maximum(found, elsewhere), found)
        known[0] = found[0]
        return known

    def _measured(self, values: dict[str, Any]) -> Vector:
        """The number of redundant equations that depend on others; the size of those of each unit, squared."""
        count, sizes = self._measures(**values)
        return np.array([float(count), *np.ravel(sizes)])

    def _values(self, args: Any, named: Any) -> dict[str, Any]:
        return {port.name: np.asarray(value, dtype=float) for port, value in arranged(self, self.inputs, args, named)}

    @cached_property
    def _measures(self) -> Function:
        constraints, sizes = self._eom.constraints, dict[str, Expr]()
        for row, unit in zip(constraints.acting, constraints.units, strict=True):
            sizes[unit] = sizes.get(unit, ZERO) + sum((one * one for one in constraints.B[row]), ZERO)
        outputs = {"count": dependent_rows(self._eom), "sizes": list(sizes.values())}
        return self._eom.function("dependent_rows", outputs)
