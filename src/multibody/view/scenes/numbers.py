"""Expressions of parameters as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import Transform, Vec3
from multibody.graph import Constant, Expr, as_expr, evaluate
from multibody.model import Model
from multibody.view.scenes.placement import NumericPose, quaternions


class ModelNumbers:
    """Evaluates what depends on parameters alone.

    Args:
        model: whose parameters they are.
        given: values by name, where they are not the defaults.
    """

    def __init__(self, model: Model, given: Mapping[str, float] | None = None) -> None:
        self.values = model.parameter_values(given)
        self._known: dict[Any, Any] = dict(self.values)

    def __call__(self, value: Any) -> float:
        """One number."""
        expr = as_expr(value)
        return float(expr.value if isinstance(expr, Constant) else evaluate(expr, self._known))

    def point(self, vector: Vec3) -> NDArray[np.float64]:
        """Three of them."""
        return np.array([self(component) for component in vector.components()])

    def pose(self, transform: Transform) -> NumericPose:
        """A constant transform."""
        rotation = [[self(entry) for entry in row] for row in transform.rotation.to_matrix().rows]
        return NumericPose(self.point(transform.position), quaternions(np.array(rotation)))

    @staticmethod
    def constant(value: float) -> Expr:
        """A number as an expression."""
        return as_expr(value)
