"""Linear systems of the same equations at many points: the derivatives are taken once, and compiled if used often."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ConditioningWarning
from multibody.graph import Symbol
from multibody.linear.elimination import balance_blocks, eliminated, reaction
from multibody.linear.independent import Choice, choice, conditioning
from multibody.linear.linear_system import LinearizedSystem, Terms
from multibody.linear.matrices import Floats
from multibody.linear.numbers import Numbers
from multibody.linear.point import Matrix, OperatingPoint, Place, by_name
from multibody.linear.signals import Signal, units
from multibody.linear.sizes import balanced_sizes, coordinate_sizes, mechanism_length, speed_lengths, speed_sizes
from multibody.linear.slopes import Blocks, Slopes
from multibody.model.sparse import Sparse

ILL_CONDITIONED = 1e4
"""A conditioning of the constraints from which on digits of the linear system are lost, and a warning says so."""


class Linearizer:
    """The derivatives of equations of motion, to be used at any point.

    Args:
        eom: the equations.
        outputs: what is measured.
    """

    def __init__(self, eom: EquationsOfMotion, outputs: Sequence[Signal]) -> None:
        self.eom = eom
        self.outputs = tuple(outputs)
        self.slopes = Slopes(eom, outputs)
        model = eom.model
        moving = (model.time, *model.coordinates, *model.speeds, *model.input_symbols)
        symbols = (*moving, *model.parameter_symbols, *model.accelerations, *eom.multipliers)
        self._steady, self._all = (
            Numbers([*part.entries, *self.slopes.equations], symbols, moving, self._told(part))
            for part in (self.slopes.steady, self.slopes.sparse)
        )
        self._symbols, self._moving = symbols, moving
        self._units = units(eom)

    @staticmethod
    def of(eom: EquationsOfMotion, outputs: Sequence[Signal]) -> Linearizer:
        """The linearizer of these equations and outputs; it is made once."""
        return eom.once(("linearizer", tuple(outputs)), lambda: Linearizer(eom, outputs))

    def at(
        self, place: Place, inputs: Sequence[int], independent: Iterable[str] = (), moving: Iterable[str] = ()
    ) -> LinearizedSystem:
        """The linear system at one point.

        Args:
            place: a state that keeps all constraints.
            inputs: numbers of the inputs.
            independent: names of independent coordinates and speeds.
            moving: names of those that should not be, because they change along a steady motion.
        """
        model, algebra = self.eom.model, Floats(self.eom.model)
        point, division = self._point(place, independent, moving, algebra)
        forces = point.multipliers
        numbers = self._blocks(self._all, self.slopes.sparse, place, point.acceleration, forces)
        found = eliminated(numbers, division, list(inputs), algebra)
        states = [*(model.coordinates[k] for k in division.coordinates.free)]
        states += [model.speeds[k] for k in division.speeds.free]
        signals = {one.name: one.unit for one in self.outputs}
        return LinearizedSystem(
            found.A, found.B, found.C, found.D,
            tuple(one.name for one in states),
            tuple(model.input_symbols[k].name for k in inputs),
            tuple(one.name for one in self.outputs),
            {**self._units, **signals},
            model.name,
            point=point,
            output_values=numbers.value("output"),
            rates=np.concatenate([numbers.value("rates"), point.acceleration]),
            tangent=found.T,
            tangent_inputs=found.S,
            descriptor=found.descriptor,
            choice=division,
            conditioning=self._conditioning(numbers, place),
            terms=lambda: self._terms(place, point, numbers, division),
        )  # fmt: skip

    def _conditioning(self, numbers: Blocks, place: Place) -> float:
        """How near to a dead point the constraints are; with a warning where that costs digits."""
        found = conditioning(self.eom, numbers, place)
        if found > ILL_CONDITIONED:
            warnings.warn(
                f"The constraints of system '{self.eom.model.name}' are nearly singular at the operating point: "
                f"conditioning {found:.3g}. The linear system is that of a small neighborhood of a dead point or a "
                f"branching, and loses digits. {self.eom.model.name} at {by_name(self.eom.coordinates, place.q)}.",
                ConditioningWarning,
                stacklevel=4,
            )
        return found

    def _terms(self, place: Place, point: OperatingPoint, numbers: Blocks, division: Choice) -> Terms:
        """Sizes of what balances in each acceleration: of the forces over the masses."""
        rows, kinds = division.speeds.rows, self.slopes.rows
        equations = [*self.slopes.equations[kinds["force"]]]
        equations += [self.slopes.equations[kinds["acceleration"]][row] for row in rows]
        values = (place.t, *place.q, *place.u, *place.r, *place.p, *point.acceleration, *point.multipliers)
        known = dict(zip(self._symbols, map(float, values), strict=True))
        sums, m = np.nan_to_num(balanced_sizes(equations, known)), len(point.u)
        inverse = Floats(self.eom.model).balance(*balance_blocks(numbers, division), np.eye(len(sums)))
        length = mechanism_length(self.eom, place.q, place.p)
        sizes = coordinate_sizes(self.eom, place.q, place.p)
        return Terms(np.abs(inverse[:m]) @ sums, sizes, speed_lengths(self.eom, length))

    def _point(
        self, place: Place, independent: Iterable[str], moving: Iterable[str], algebra: Floats
    ) -> tuple[OperatingPoint, Choice]:
        """The operating point with u̇ and λ, and how coordinates and speeds are divided there."""
        model, m = self.eom.model, len(self.eom.speeds)
        still = np.zeros(m), np.zeros(len(self.eom.multipliers))
        numbers = self._blocks(self._steady, self.slopes.steady, place, *still)
        division = choice(self.eom, numbers, place, independent, moving)
        found = reaction(numbers, division, algebra)
        forces = np.zeros(len(self.eom.multipliers))
        forces[division.speeds.rows] = found[m:]
        if len(division.speeds.rows) < len(self.eom.constraints.acting):  # redundant equations share their forces
            forces = self.eom.robust_dynamics(place.t, place.q, place.u, place.r, place.p).multipliers
        return OperatingPoint(model, place.t, place.q, place.u, place.r, place.p, found[:m], forces), division

    def _blocks(self, numbers: Numbers, sparse: Sparse, place: Place, acceleration: Matrix, forces: Matrix) -> Blocks:
        values = (place.t, *place.q, *place.u, *place.r, *place.p, *acceleration, *forces)
        known = dict(zip(self._symbols, map(float, values), strict=True))
        found = numbers(known, self._sizes(place))
        entries = len(sparse.entries)
        return self.slopes.blocks(sparse.filled(found[:entries].tolist()), found[entries:])

    def _sizes(self, place: Place) -> dict[Symbol, float]:
        """Sizes of time, coordinates, speeds and inputs; zero for what has none, such as speeds where nothing moves."""
        eom = self.eom
        speeds = speed_sizes(eom, place.u, mechanism_length(eom, place.q, place.p))
        sizes = (abs(place.t), *coordinate_sizes(eom, place.q, place.p), *speeds, *np.abs(place.r))
        return dict(zip(self._moving, map(float, sizes), strict=True))

    def _told(self, sparse: Sparse) -> Callable[[int], str]:
        """Says what a number is, for messages."""
        rows = np.nonzero(sparse.filled(range(1, len(sparse.entries) + 1)))[0].tolist()
        return lambda k: f"slope of {self.slopes.name(rows[k])}" if k < len(rows) else self.slopes.name(k - len(rows))
