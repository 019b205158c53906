"""Closing of loops while a coordinate is dragged: the others follow from their last values.

The way to a far target is taken in short steps, so that the mechanism stays in its way of assembly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.equations.kinetics import quickly_compiled
from multibody.errors import MultibodyError
from multibody.linearization.derivatives.independent_coordinates import bound_columns
from multibody.mechanics.assembly.assembly import Assembly
from multibody.mechanics.assembly.start_state import consistent
from multibody.mechanics.constraints.independence import Constraints
from multibody.mechanics.constraints.rank import basis
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model
from multibody.view.viewer.freedoms import Freedom, freedoms

Vector = NDArray[np.float64]

GAP_TOLERANCE = 1e-11  # of closed loops, in m or rad
MAX_STEP_ANGLE = 0.1  # rad
MAX_STEPS = 200  # from the start to the target of a drag


class MovingAssembly(Assembly):
    """The constraints of a model as numbers, with time and inputs that change.

    Args:
        constraints: of a model.
        parameters: all values, in the model's order.
    """

    def __init__(self, constraints: Constraints, parameters: Vector) -> None:
        names = (symbol.name for symbol in constraints.model.parameter_symbols)
        super().__init__(constraints, dict(zip(names, parameters, strict=True)))

    def at(self, t: float, r: Vector) -> None:
        """Time and inputs, which prescribed motions follow."""
        self.known |= {self.model.time: t, **dict(zip(self.model.input_symbols, map(float, r), strict=True))}

    def still_open(self, q: Vector, free: list[int]) -> list[str]:
        """The names of constraints that cannot be met near a configuration."""
        near, _ = self._approach(q, free)
        gaps = np.abs(self.gaps(near))
        owners = [self.constraints.owners[row] for row in self.constraints.holonomic]
        return sorted({owner for owner, gap in zip(owners, gaps, strict=False) if not gap <= GAP_TOLERANCE})


class DragResult(NamedTuple):
    """Where a drag has led: coordinates, and the loops that would not close any farther."""

    q: Vector
    open: list[str]


class Closing:
    """A mechanism that is moved by hand.

    Args:
        model: what is moved.
        parameters: all values, in the model's order.
        size: a length that is typical of it.
    """

    def __init__(self, model: Model, parameters: Vector, size: float) -> None:
        self.model = model
        self.constraints = Constraints.of(Kinematics(model), quickly_compiled)
        self.freedoms = freedoms(self.constraints)
        self._size = size
        self._parameters = parameters
        self._assembly = MovingAssembly(self.constraints, parameters) if len(self.constraints.phi) else None

    def start(self, guess: Vector | None = None) -> Vector:
        """Coordinates with closed loops, near the start values of the model or a guess.

        Raises:
            AssemblyError: if they do not close.
        """
        names = [symbol.name for symbol in self.model.parameter_symbols]
        known: Mapping[str, float] = dict(zip(names, map(float, self._parameters), strict=True))
        return consistent(self.constraints, guess, parameters=known).q

    def independent(self, q: Vector) -> list[Freedom]:
        """The degrees of freedom at a configuration: by pivoting, those near the root of the tree where it matters."""
        if self._assembly is None:
            return list(self.freedoms)
        tangents = [freedom.tangents(q) for freedom in self.freedoms]
        slopes = self._assembly.position_slopes(q)
        columns = [
            slopes[:, list(freedom.places)] @ rows.T for freedom, rows in zip(self.freedoms, tangents, strict=True)
        ]
        matrix = np.hstack(columns)
        owners = [k for k, rows in enumerate(tangents) for _ in rows]
        bound = {owners[k] for k in bound_columns(matrix[basis(matrix)], [], [], self.model.name)}
        return [freedom for k, freedom in enumerate(self.freedoms) if k not in bound]

    def at(self, t: float, r: Vector) -> None:
        """Time and inputs, which prescribed motions follow."""
        if self._assembly is not None:
            self._assembly.at(t, r)

    def moved(self, q: Vector, freedom: Freedom, values: Vector, kept: Iterable[Freedom] = ()) -> DragResult:
        """Drag one freedom to the given values of its sliders; the kept ones stay where they are, if that is possible.

        Args:
            q: where everything is, with closed loops.
            freedom: what is dragged.
            values: where to.
            kept: the other independent ones.
        """
        target = freedom.write(values, q)
        step = max(self._step(freedom), _way(q, freedom, target) / MAX_STEPS)
        for point in freedom.between(q, target, step):
            trial = q.copy()
            trial[list(freedom.places)] = point
            found = self._closed(trial, freedom, kept)
            if found is None:
                return DragResult(q, self._open(trial, freedom))
            q = found
        return DragResult(q, [])

    def near(self, q: Vector, kept: Iterable[Freedom]) -> Vector:
        """The configuration near q with closed loops and the kept freedoms where they are; q if there is none."""
        held = [place for other in kept for place in other.places]
        found = None if self._assembly is None else self._assembly.closed(q, held, GAP_TOLERANCE)
        return q if found is None else found

    def residual(self, q: Vector) -> float:
        """The largest gap in a loop."""
        return 0.0 if self._assembly is None else self._assembly.largest_gap(q)

    def _closed(self, trial: Vector, freedom: Freedom, kept: Iterable[Freedom]) -> Vector | None:
        if self._assembly is None:
            return trial
        held = [place for other in kept for place in other.places]
        for still in ([*freedom.places, *held], list(freedom.places)):
            found = self._assembly.closed(trial, still, GAP_TOLERANCE)
            if found is not None and np.abs(found - trial).max() < 10 * max(MAX_STEP_ANGLE, self._step(freedom)):
                return found
        return None

    def _open(self, trial: Vector, freedom: Freedom) -> list[str]:
        assert self._assembly is not None
        free = [k for k in range(len(trial)) if k not in freedom.places]
        try:
            return self._assembly.still_open(trial, free)
        except MultibodyError:
            return list(dict.fromkeys(self.constraints.owners))

    def _step(self, freedom: Freedom) -> float:
        return MAX_STEP_ANGLE if freedom.unit == "rad" else 0.03 * self._size


def _way(q: Vector, freedom: Freedom, target: Vector) -> float:
    return float(np.abs(target - q[list(freedom.places)]).max())
