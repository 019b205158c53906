"""Any expression as a constraint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Expr, as_expr, directional, free_symbols, is_zero, time_derivative
from multibody.model.constraints.contract import Constraint, Equation
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import resolved


class ExpressionConstraint(Constraint):
    """An expression that stays zero.

    Without speeds in it, it restricts positions; with speeds, in which it must be linear, only velocities.

    Args:
        value: an expression of coordinates, speeds, time, inputs, parameters and measured values.

    Example:
        >>> from multibody.model import System
        >>> belt = System("belt")
        >>> wheels = [
        ...     belt.joint(f"w{k}", belt.world, belt.body(f"b{k}", 1, (0, 0, 0), (1, 1, 1)), "Rz") for k in (1, 2)
        ... ]
        >>> ratio = ExpressionConstraint(wheels[0].coordinate - 3 * wheels[1].coordinate)
        >>> ratio.equations(Kinematics(belt.freeze()))[0].velocity
        w1_dot - 3*w2_dot
    """

    def __init__(self, value: Any) -> None:
        self.value = as_expr(value)

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One equation."""
        model = kinematics.model
        value = resolved(self.value, Kinematics(model))  # without forces, which constraints cannot depend on
        speeds = [symbol for symbol in free_symbols(value) if symbol in model.speeds]
        unknown = [symbol.name for symbol in free_symbols(value) if symbol in model.accelerations]
        if unknown:
            raise self._unfit(f"It depends on accelerations: {', '.join(unknown)}.")
        if not speeds:
            return [Equation("", time_derivative(value, model.flow()), value)]
        slopes = [directional(value, {speed: 1}) for speed in speeds]
        if not all(is_zero(directional(slope, {speed: 1})) for slope in slopes for speed in speeds):
            raise self._unfit("It is not linear in the speeds.")
        return [Equation("", value)]

    def _unfit(self, what: str) -> ModelError:
        return ModelError(
            what,
            code="constraint-not-solvable",
            where=repr(self),
            cause="A constraint is an equation for positions, or a linear one for velocities.",
            remedy="Solve it for such a form, or write a load that enforces it.",
        )

    @property
    def touches(self) -> tuple[object, ...]:
        """Nothing by itself."""
        return ()

    @property
    def expressions(self) -> Sequence[Expr]:
        """The expression."""
        return (self.value,)

    def __repr__(self) -> str:
        return f"ExpressionConstraint({self.value})"
