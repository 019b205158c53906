"""Linear systems of the same equations at many points: the derivatives are taken once, and compiled if used often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ConditioningWarning, warn_user
from multibody.graph import Symbol
from multibody.graph.running_error import balanced_sizes
from multibody.linearization.derivatives.elimination import (
    Elimination,
    Rounding,
    balance_blocks,
    eliminated,
    mass_condition,
    reaction,
    reaction_sizes,
    rounding_errors,
    without_rounding,
)
from multibody.linearization.derivatives.independent_coordinates import IndependentChoice, choice, conditioning
from multibody.linearization.derivatives.matrices import Floats
from multibody.linearization.derivatives.numbers import ExpressionValues
from multibody.linearization.derivatives.signals import Signal, input_places, listed_names, output_signals, units
from multibody.linearization.derivatives.slopes import Blocks, Slopes
from multibody.linearization.operating_points.point import (
    At,
    LinearizationPoint,
    Matrix,
    OperatingPoint,
    by_name,
    place,
)
from multibody.linearization.operating_points.sizes import (
    changes_much,
    coordinate_sizes,
    law_sizes,
    mechanism_length,
    speed_lengths,
    speed_sizes,
)
from multibody.linearization.state_space.linearized_system import LinearizedSystem, Terms
from multibody.linearization.tolerances import (
    CONSTRAINT_CONDITION_WARNED,
    DIFFERENCE_STEP,
    MASS_CONDITION_WARNED,
    POINT_ERROR,
    PRODUCT_ROUNDING,
)
from multibody.mechanics.constraints.rank import Sparse


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
            ExpressionValues([*part.entries, *self.slopes.equations], symbols, moving, self._told(part))
            for part in (self.slopes.steady, self.slopes.sparse)
        )
        self._symbols, self._moving = symbols, moving
        self._units = units(eom)

    @staticmethod
    def of(eom: EquationsOfMotion, outputs: Sequence[Signal]) -> Linearizer:
        """The linearizer of these equations and outputs; it is made once."""
        return eom.once(("linearizer", tuple(outputs)), lambda: Linearizer(eom, outputs))

    def at(
        self,
        place: LinearizationPoint,
        inputs: Sequence[int],
        independent: Iterable[str] = (),
        moving: Iterable[str] = (),
    ) -> LinearizedSystem:
        """The linear system at one point.

        Args:
            place: a state that keeps all constraints.
            inputs: numbers of the inputs.
            independent: names of independent coordinates and speeds.
            moving: names of those that should not be, because they change along a steady motion.
        """
        model, algebra = self.eom.model, Floats(self.eom.model)
        wanted = listed_names(independent)
        point, division = self._point(place, wanted, moving, algebra)
        forces = point.multipliers
        numbers = self._blocks(self._all, self.slopes.sparse, place, point.acceleration, forces)
        found, errors, lengths = self._eliminated(numbers, place, point, division, list(inputs))
        states = [*(model.coordinates[k] for k in division.coordinates.free)]
        states += [model.speeds[k] for k in division.speeds.free]
        signals = {output.name: output.unit for output in self.outputs}
        return LinearizedSystem(
            without_rounding(found.A, errors.A), found.B, without_rounding(found.C, errors.C), found.D,
            tuple(state.name for state in states),
            tuple(model.input_symbols[k].name for k in inputs),
            tuple(output.name for output in self.outputs),
            {**self._units, **signals},
            model.name,
            errors.A,
            point=point,
            output_values=numbers.value("output"),
            rates=np.concatenate([numbers.value("rates"), point.acceleration]),
            tangent=found.T,
            tangent_inputs=found.S,
            descriptor=found.descriptor,
            choice=division,
            conditioning=self._conditioning(numbers, place, division if wanted else None),
            terms=lambda: self._terms(place, point, numbers, division, lengths),
            goes_on=lambda: self.slopes.state_lasts(point.zeros),
            lasting=lambda moving: self.slopes.linear_system_lasts(point.zeros, moving),
        )  # fmt: skip

    def _conditioning(self, numbers: Blocks, place: LinearizationPoint, chosen: IndependentChoice | None) -> float:
        """How near to a dead point the constraints are; with a warning where that costs digits."""
        found = conditioning(self.eom, numbers, place, chosen)
        if found > CONSTRAINT_CONDITION_WARNED:
            warn_user(
                f"The constraints of system '{self.eom.model.name}' are nearly singular at the operating point"
                f"{', for the states that were chosen' if chosen else ''}: "
                f"conditioning {found:.3g}. The linear system is that of a small neighborhood of a dead point or a "
                f"branching, and loses digits. {self.eom.model.name} at {by_name(self.eom.coordinates, place.q)}.",
                ConditioningWarning,
            )
        return found

    def _law_sizes(
        self, numbers: Blocks, changes: Blocks, place: LinearizationPoint, known: dict[Symbol, float],
        sizes: Mapping[Symbol, float], division: IndependentChoice,
    ) -> dict[Symbol, float]:  # fmt: skip
        """Sizes of states by the laws of forces and outputs, where they are smaller than those in the mechanism.

        Dependent states are known to a share of the mechanism.

        Args:
            numbers: the derivatives.
            changes: of these, per size of the states in the mechanism; where they are small, sizes stay.
            place: where.
            known: a number for each symbol.
            sizes: in the mechanism.
            division: of coordinates and speeds.
        """
        states, n = (*self.eom.coordinates, *self.eom.speeds), len(self.eom.coordinates)
        usual, values = (np.array([group[state] for state in states], dtype=float) for group in (sizes, known))
        weights = speed_lengths(self.eom, mechanism_length(self.eom, place.q, place.p))
        free = np.array([*division.coordinates.free, *(n + k for k in division.speeds.free)], dtype=int)
        small = free[np.abs(values[free]) < DIFFERENCE_STEP * usual[free]]
        pairs = list(zip(*(_law_groups(part, weights) for part in (numbers, changes)), strict=True))
        units = usual[:n], weights
        places = [k for k in small.tolist() if any(_is_fine(rows, change, k, units) for rows, change in pairs)]
        if not places:
            return {}

        def moved(step: Matrix) -> list[Matrix]:
            there = {state: known[state] + float(d) for state, d in zip(states, step, strict=True)}
            return _law_groups(self._as_blocks(self._all.plain(known | there)), weights)

        found = law_sizes(moved, usual, values, places)
        return {states[k]: float(found[k]) for k in places if found[k] < usual[k]}

    def _terms(
        self,
        place: LinearizationPoint,
        point: OperatingPoint,
        numbers: Blocks,
        division: IndependentChoice,
        sizes: Matrix,
    ) -> Terms:
        """Sizes of what balances in each acceleration: of the forces over the masses."""
        rows, kinds = division.speeds.rows, self.slopes.rows
        equations = [*self.slopes.equations[kinds["force"]]]
        equations += [self.slopes.equations[kinds["acceleration"]][row] for row in rows]
        known = self._known(place, point.acceleration, point.multipliers)
        sums, m = np.nan_to_num(balanced_sizes(equations, known)), len(point.u)
        inverse = Floats(self.eom.model).balance(*balance_blocks(numbers, division), np.eye(len(sums)))
        length = mechanism_length(self.eom, place.q, place.p)
        return Terms(np.abs(inverse[:m]) @ sums, sizes, speed_lengths(self.eom, length))

    def _point(
        self, place: LinearizationPoint, independent: Iterable[str], moving: Iterable[str], algebra: Floats
    ) -> tuple[OperatingPoint, IndependentChoice]:
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

    def _eliminated(
        self,
        numbers: Blocks,
        place: LinearizationPoint,
        point: OperatingPoint,
        division: IndependentChoice,
        inputs: list[int],
    ) -> tuple[Elimination, Rounding, Matrix]:
        """The linear system, the errors of its entries, and the sizes of coordinates."""
        known = self._known(place, point.acceleration, point.multipliers)
        sizes = self._sizes(place) | self._reaction_sizes(numbers, place, point, division)
        sizes |= dict(zip(self.eom.model.parameter_symbols, map(abs, map(float, place.p)), strict=True))
        found = eliminated(numbers, division, inputs, Floats(self.eom.model))
        self._warn_of_masses(numbers, division)
        changes = self._changes(numbers, known, sizes, place.doubt)
        finer = self._law_sizes(numbers, changes, place, known, sizes, division)
        if finer:
            changes = self._changes(numbers, known, sizes | finer, place.doubt)
        lengths = np.array([(sizes | finer)[coordinate] for coordinate in self.eom.coordinates], dtype=float)
        return found, rounding_errors(numbers, changes, division, found), lengths

    def _warn_of_masses(self, numbers: Blocks, division: IndependentChoice) -> None:
        """A warning where the mass matrix has lost the digits of a light body."""
        found = mass_condition(numbers, division)
        if found > MASS_CONDITION_WARNED:
            warn_user(
                f"The mass matrix of system '{self.eom.model.name}' is nearly singular at the operating point: "
                f"condition {found:.3g} after scaling. A light body carries a much heavier one, and its own mass is "
                "lost in the sum; poles keep as many digits fewer as the condition has. Joints from the world to the "
                "heavier body, and from this to the lighter one, keep all digits.",
                ConditioningWarning,
            )

    def _changes(
        self, blocks: Blocks, known: dict[Symbol, float], sizes: dict[Symbol, float], doubt: Mapping[Symbol, float]
    ) -> Blocks:
        """How much all derivatives change where the operating point changes by the sizes of its numbers.

        Where it is not known to ``POINT_ERROR`` of these, its doubt counts as so much more.
        """
        values = self._values(blocks)
        changes = self._all.sensitivities(values, known, sizes)
        if doubt:
            changes += (
                self._all.changes(values, known, {symbol: x for symbol, x in doubt.items() if symbol in known})
                / POINT_ERROR
            )
        return self._as_blocks(changes)

    def _values(self, blocks: Blocks) -> Matrix:
        """The derivatives that are not zero, and the equations, in one row."""
        return np.concatenate([self.slopes.sparse.gathered(blocks.matrix), blocks.values])

    def _as_blocks(self, values: Matrix) -> Blocks:
        """The inverse."""
        sparse = self.slopes.sparse
        entries = len(sparse.entries)
        return self.slopes.blocks(sparse.filled(values[:entries].tolist()), values[entries:])

    def _reaction_sizes(
        self, blocks: Blocks, place: LinearizationPoint, point: OperatingPoint, division: IndependentChoice
    ) -> dict[Symbol, float]:
        """Sizes of accelerations and multipliers."""
        rows = division.speeds.rows
        symbols = [*self.eom.model.accelerations, *(self.eom.multipliers[k] for k in rows)]
        values = np.concatenate([point.acceleration, point.multipliers[rows]])
        lengths = speed_lengths(self.eom, mechanism_length(self.eom, place.q, place.p))
        return dict(zip(symbols, reaction_sizes(blocks, division, values, lengths).tolist(), strict=True))

    def _known(self, place: LinearizationPoint, acceleration: Matrix, forces: Matrix) -> dict[Symbol, float]:
        values = (place.t, *place.q, *place.u, *place.r, *place.p, *acceleration, *forces)
        return dict(zip(self._symbols, map(float, values), strict=True))

    def _blocks(
        self, numbers: ExpressionValues, sparse: Sparse, place: LinearizationPoint, acceleration: Matrix, forces: Matrix
    ) -> Blocks:
        found = numbers(self._known(place, acceleration, forces), self._sizes(place))
        entries = len(sparse.entries)
        return self.slopes.blocks(sparse.filled(found[:entries].tolist()), found[entries:])

    def _sizes(self, place: LinearizationPoint) -> dict[Symbol, float]:
        """Sizes of time, coordinates, speeds and inputs; zero for what has none, such as speeds where nothing moves."""
        eom = self.eom
        speeds = speed_sizes(eom, place.u, mechanism_length(eom, place.q, place.p))
        sizes = (abs(place.t), *coordinate_sizes(eom, place.q, place.p), *speeds, *np.abs(place.r))
        return dict(zip(self._moving, map(float, sizes), strict=True))

    def _told(self, sparse: Sparse) -> Callable[[int], str]:
        """Says what a number is, for messages."""
        rows = np.nonzero(sparse.filled(range(1, len(sparse.entries) + 1)))[0].tolist()
        return lambda k: f"slope of {self.slopes.name(rows[k])}" if k < len(rows) else self.slopes.name(k - len(rows))


def _law_groups(part: Blocks, weights: Matrix) -> list[Matrix]:
    """Slopes by coordinates and speeds: of all forces, which are comparable, and of each output, which are not."""
    forces, outputs = (np.hstack([part[kind, "q"], part[kind, "u"]]) for kind in ("force", "output"))
    return [forces * weights[:, None], *(row[None, :] for row in outputs)]


def _is_fine(rows: Matrix, changes: Matrix, k: int, units: tuple[Matrix, Matrix]) -> bool:
    """Whether slopes by a state are more than rounding beside those by other states, and change much nearby.

    Args:
        rows: slopes by coordinates and speeds, in comparable units.
        changes: of these, per size of the states.
        k: which state.
        units: of coordinates, and of what speeds are the rates of.
    """
    n = len(units[0])
    kind, unit = (slice(0, n), units[0]) if k < n else (slice(n, None), units[1])
    sizes = np.abs(rows[:, kind] * unit).max(axis=0, initial=0.0)
    counts = sizes[k - (kind.start or 0)] > PRODUCT_ROUNDING * sizes.max(initial=0.0)
    return bool(counts) and changes_much(rows, rows + DIFFERENCE_STEP * changes, k)


def linearize(
    eom: EquationsOfMotion, at: At = None, *, inputs: Iterable[str] | None = None,
    outputs: Iterable[str] | Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None,
    independent: Iterable[str] = (), t: float | None = None,
) -> LinearizedSystem:  # fmt: skip
    """The linear system near an operating point, with numbers; ``linearize_symbolic`` leaves symbols in it.

    The point need not be an equilibrium: along a motion it is the picture of deviations from it at that instant.
    Derivatives are exact. Dependent coordinates and speeds, accelerations and constraint forces follow from the
    equations of motion.

    Args:
        eom: equations of motion.
        at: values by name of coordinates, speeds and inputs; or a state, an instant of a run (which brings its inputs,
            parameters and time along), or another operating point. What is not given has its start value, or follows
            from the constraints; inputs are zero.
        inputs: names of those that are inputs of the linear system; by default all.
        outputs: names of sensors (``"tip"``, or ``"tip_3"`` for a component), coordinates, speeds, accelerations or
            multipliers; or expressions by name. By default all sensors; in a system without sensors, coordinates and
            speeds.
        parameters: values by name, where they are not the defaults.
        independent: names of coordinates and speeds that shall be states; others are chosen by pivoting where these
            are not enough.
        t: time; zero, unless an instant says otherwise.

    Raises:
        ModelError: for names that do not exist, or independent states that are not.
        AssemblyError: if no state keeps the constraints with the given values.
        ExpressionError: where a derivative does not exist; it says of what.
        SingularMatrixError: where constraints lose rank or the mass matrix is singular.

    Example:
        >>> import multibody as mb
        >>> from multibody.linearization import linearize
        >>> crane = mb.System("crane", gravity=(0, 0, -10))
        >>> crab = crane.body("crab", mass=10)
        >>> load = crane.body("load", mass=1, com=(0, 0, -1))
        >>> slide = crane.joint("slide", crane.world, crab, "Tx")
        >>> swing = crane.joint("swing", crab, load, "Ry")
        >>> force = crane.load(mb.Force(crab, (crane.input("F"), 0, 0)))
        >>> lin = linearize(mb.derive(crane), at={"swing": 0.0})
        >>> lin.A.round(12).tolist()[2:]
        [[0.0, -1.0, 0.0, 0.0], [0.0, -11.0, 0.0, 0.0]]
        >>> [round(mode.frequency, 6) for mode in lin.modes if mode.oscillates]
        [3.316625]
    """
    where = place(eom, at, parameters=parameters, t=t)
    found = Linearizer.of(eom, output_signals(eom, outputs))
    return found.at(where, input_places(eom, inputs), independent)
