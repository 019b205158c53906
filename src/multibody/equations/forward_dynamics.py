"""Accelerations and constraint forces as compiled functions that check whether they are determined."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.compile import Function
from multibody.compile.calls import arranged
from multibody.equations.projection import dependent_rows
from multibody.equations.singularity import dependent_equations, singular_position
from multibody.graph import ONE

if TYPE_CHECKING:
    from multibody.equations.equations import EquationsOfMotion


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
        self._regular_counts: dict[bytes, float] = {}

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
        """Whether as many redundant equations depend on others as in regular positions with the same parameters."""
        count, key = float(self._count(*args, **named)), np.ravel(self._values(args, named)["p"]).tobytes()
        return count == self._regular_counts.get(key)

    def _evaluate_regularized(self, args: Any, named: Any) -> Any:
        """The accelerations by regularized equations, or an error in a singular position."""
        eom, values = self._eom, self._values(args, named)
        names = dependent_equations(eom, float(np.ravel(values["t"])[0]), values["q"], values["p"])
        if names:
            raise singular_position(eom, names, values["q"])
        if eom.regularized is not eom:
            return getattr(eom.regularized, self._called)(*args, **named)
        key = np.ravel(values["p"]).tobytes()
        self._regular_counts[key] = float(self._count(*args, **named))
        return super().__call__(*args, **named)

    def _values(self, args: Any, named: Any) -> dict[str, Any]:
        return {port.name: np.asarray(value, dtype=float) for port, value in arranged(self, self.inputs, args, named)}

    @cached_property
    def _count(self) -> Function:
        return self._eom.function("dependent_rows", {"count": dependent_rows(self._eom)})
