"""Independent constraint equations: exact in general positions, by numbers where loops are closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from multibody.errors import AssemblyError, ExpressionError, MissingValueError, ModelError
from multibody.graph import ZERO, Expr, Symbol, array, evaluate, free_symbols, rank
from multibody.graph.field import NEXT
from multibody.graph.fingerprint import fingerprints_at
from multibody.graph.identity import independent_rows
from multibody.graph.linear_algebra import Matrix
from multibody.graph.piecewise.signs import random_values
from multibody.graph.traverse import topological
from multibody.graph.workspace import in_own_table
from multibody.mechanics.assembly.assembly import Assembly, Vector
from multibody.mechanics.assembly.start_state import guessed, placed, start_guess
from multibody.mechanics.constraints.equations import ConstraintEquations
from multibody.mechanics.constraints.rank import (
    basis,
    has_vanishing_row,
    is_singular,
    pivoted_columns,
)
from multibody.mechanics.tolerances import CONSTANT_GAP, DEPENDENT_ROW, DRIVEN_GAP, ROUNDED_ROW

RANDOM_TRIES = 12
"""Sets of random values for parameters without values."""

POSITIONS_BESIDE_START, STEP_BESIDE_START = 6, 0.03
"""How many closed positions beside the start are tried, and their distance from it in meters and radians."""

CLOSED_STATES = (0.0, 0.1, 0.1, 0.3, 0.3, 0.3, 1.0, 1.0, 1.0)
"""Distances from the start, in meters and radians, around which closed positions are sought."""


DRIVEN_TIMES = (0.0, 0.01)
"""Where motions contradict each other at the first time alone, or at the second alone, they do contradict."""

RANDOM_STEP = 0.1
"""Distance from the start values by which each of these sets starts farther away."""

NO_NUMBERS = (MissingValueError, AssemblyError, ExpressionError)
"""Errors after which nothing can be decided by numbers: no parameters, no closed position, or a singular start."""


@in_own_table
@dataclass(frozen=True, eq=False)
class Constraints(ConstraintEquations):
    """All constraint equations of a model, with those that act and those that follow from others."""

    def without_drift(self) -> Constraints:
        """The same equations with γ = 0, as they act on impulses: B·Δu = 0."""
        return self.with_drift([ZERO] * len(self))

    def with_drift(self, gamma: Sequence[Expr]) -> Constraints:
        """The same equations with another γ in B·u̇ + γ = 0."""
        content = {field.name: getattr(self, field.name) for field in fields(ConstraintEquations)}
        return ConstraintsWithDrift(**content, drift=tuple(gamma), original=self)

    @cached_property
    def silent(self) -> frozenset[int]:
        """Rows of B that are nothing but rounding in all positions: the joints do not move in their direction.

        Axes that are parallel or at right angles by their meaning may be so up to 1e-16 only. What is left would pass
        for an equation, and hold fast what is free to move.
        """
        return silent_rows(self)

    @cached_property
    def generic(self) -> tuple[int, ...]:
        """Rows of B that do not follow from those before them, for almost all positions; decided exactly.

        Raises:
            ModelError: if rows contradict each other.
        """
        self._require_possible()
        rows = tuple(independent_rows([[entry.fp for entry in row] for row in self._heard()]))
        moving = any(entry.fp != 0 for entry in self.beta)
        apart = moving and rank(np.column_stack([self._heard(), self.beta])) > len(rows)
        if apart and not agree_where_closed(self):
            raise _contradiction(self, rows)
        return rows

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Rows of B that do not follow from others where the constraints are kept.

        A mechanism may move only because of special lengths or directions (Bennett, Bricard), so that rows are
        independent in general, but not for positions in which its loops are closed. That is decided by numbers, near
        the start, with the default values of the parameters; where there are none, the generic rows count.
        """
        return regular_rows(self) if self.equations else ()

    @cached_property
    def acting(self) -> tuple[int, ...]:
        """The rows that are solved for: all that restrict motions, but for combinations of others in all positions.

        No row is left out because it follows from others in one position, or in closed positions with the default
        values of the parameters: elsewhere, or with other values, it may not.
        """
        rows, generic = self.moving, self.generic
        candidates = [row for row in rows if row not in generic]
        if not candidates:
            return rows
        return tuple(row for row in rows if row not in constant_combinations(self, candidates))

    @property
    def moving(self) -> tuple[int, ...]:
        """The rows that restrict motions at all."""
        return tuple(k for k, row in enumerate(self._heard()) if any(entry.fp != 0 for entry in row))

    @property
    def written(self) -> dict[str, Expr]:
        """What stays zero, by name: φ where positions are restricted, B·u + β elsewhere; of equations that matter."""
        rows = [(self.names[row], self.equations[row]) for row in self.moving]
        return {name: equation.velocity if equation.position is None else equation.position for name, equation in rows}

    @cached_property
    def always_independent(self) -> bool:
        """Whether the rows that act are independent in all positions, by the constants in them."""
        return independent_by_constants(self.B[list(self.acting)])

    @property
    def regular_at_start(self) -> bool:
        """Whether the rows that act are independent at the start, with the default values of the parameters."""
        return len(self.acting) == len(self.independent)

    @property
    def units(self) -> tuple[str, ...]:
        """For each row that acts what its multiplier is: a force, a torque, or something else."""
        return tuple(self.unit(row) for row in self.acting)

    def _heard(self) -> Matrix:
        """B with zeros in silent rows."""
        heard = self.B.copy()
        heard[sorted(self.silent)] = ZERO
        return heard

    def _require_possible(self) -> None:
        """An error if a coordinate equation that no motion can change does not hold."""
        for k, (name, row, equation) in enumerate(zip(self.names, self.B, self.equations, strict=True)):
            fixed = k in self.silent or (all(entry.fp == 0 for entry in row) and equation.velocity.fp == 0)
            if fixed and equation.position is not None and self._open(equation.position):
                raise ModelError(
                    f"The constraint equation {name} can never hold.",
                    code="constraint-cannot-hold",
                    where=f"system '{self.model.name}'",
                    cause="The joints do not move in its direction, and their frames are elsewhere.",
                    remedy="Give the joints more freedom, or move the frames.",
                    name=name,
                )

    def _open(self, position: Expr) -> bool:
        """Whether a φ that does not change is not zero, for the start values; rounding is forgiven."""
        if position.fp == 0:
            return False
        try:
            known: dict[Any, Any] = {**self.model.start, **self.model.parameter_values(), self.model.time: 0.0}
            known |= dict.fromkeys(self.model.input_symbols, 0.0)
            return abs(float(evaluate(position, known))) > CONSTANT_GAP
        except (MissingValueError, ExpressionError):
            return False

    @cached_property
    def redundant(self) -> tuple[str, ...]:
        """The names of equations that say nothing new."""
        kept = set(self.independent)
        return tuple(name for row, name in enumerate(self.names) if row not in kept)


@in_own_table
@dataclass(frozen=True, eq=False)
class ConstraintsWithDrift(Constraints):
    """Constraint equations with another γ: zero for impulses, or one that returns to the constraints.

    Attributes:
        drift: γ.
        original: the same equations with their own γ; which of them are independent is found out once.
    """

    drift: tuple[Expr, ...] = field(default=(), repr=False)
    original: Constraints | None = field(default=None, repr=False)

    @cached_property
    def _whole(self) -> Constraints:
        assert self.original is not None
        return self.original

    @cached_property
    def B(self) -> Matrix:
        """See ``ConstraintEquations.B``."""
        return self._whole.B

    @cached_property
    def gamma(self) -> Matrix:
        """γ as it was given."""
        return array(list(self.drift))

    @cached_property
    def silent(self) -> frozenset[int]:
        """See ``Constraints.silent``."""
        return self._whole.silent

    @cached_property
    def generic(self) -> tuple[int, ...]:
        """See ``Constraints.generic``."""
        return self._whole.generic

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """See ``Constraints.independent``."""
        return self._whole.independent


def independent_by_constants(B: Matrix) -> bool:
    """Whether the rows of a matrix are independent for all values of its symbols, by the constants in it.

    False means that it is not proved.
    """
    return not doubtful_rows(B)[0]


def doubtful_rows(B: Matrix) -> tuple[list[int], list[int]]:
    """Rows of a matrix that may become dependent, and the columns on which that depends.

    Rows are independent of the others that alone have a certain column, with a constant; these are left out with their
    columns, then those that alone have one among what remains, and so on.
    """
    rows, columns = set(range(len(B))), set(range(B.shape[1]))
    filled = [{row for row, entry in enumerate(column) if entry.fp != 0} for column in B.T]
    while True:
        alone = {j: next(iter(filled[j] & rows)) for j in sorted(columns) if len(filled[j] & rows) == 1}
        proved = {row: j for j, row in alone.items() if B[row, j].op == "const"}
        if not proved:
            return sorted(rows), sorted(columns)
        rows -= proved.keys()
        columns -= set(proved.values())


def constant_combinations(constraints: Constraints, candidates: Iterable[int]) -> frozenset[int]:
    """Those of the candidates that are combinations of the generic rows with constant coefficients.

    The coefficients are unique for almost all values of the symbols; they are constant if they are the same at two
    random points of one field.
    """
    basis = [constraints.B[row] for row in constraints.generic]
    rows = {row: constraints.B[row] for row in candidates}
    second = fingerprints_at(NEXT, topological([entry for row in (*basis, *rows.values()) for entry in row]))

    def at_both(row: Matrix) -> list[Any]:
        return [*(entry.fp for entry in row), *(second[entry] for entry in row)]

    known = [at_both(row) for row in basis]
    return frozenset(k for k, row in rows.items() if len(independent_rows([*known, at_both(row)])) == len(known))


def agree_where_closed(constraints: Constraints) -> bool:
    """Whether there are speeds that keep all constraints that move with time, where the loops are closed.

    A driven linkage with redundant equations, such as a rod on three parallel cranks, contradicts itself in almost all
    positions, and in none in which its loops are closed.
    """
    rng = np.random.default_rng(1)
    parameters = _random(constraints, _missing(constraints), rng)
    set_freely = set(constraints.model.input_symbols) - set(free_symbols(list(constraints.gaps)))
    inputs = {
        symbol.name: float(rng.uniform(0.5, 1.5)) for symbol in constraints.model.input_symbols if symbol in set_freely
    }
    q = start_guess(constraints.model)
    try:
        for t in DRIVEN_TIMES:
            assembly = Assembly(constraints, None, inputs, t, random=parameters)
            q = placed(assembly, q, 1e-10)
            B, beta = assembly.velocity(q)
            gap = beta - B @ np.linalg.lstsq(B, beta, rcond=DEPENDENT_ROW)[0]
            if np.abs(gap).max() > DRIVEN_GAP * np.abs(beta).max():
                return False
    except NO_NUMBERS:
        return False
    return True


def _contradiction(constraints: Constraints, rows: Iterable[int]) -> ModelError:
    """Redundant rows that demand another motion than the rows that they follow from."""
    kept = list(rows)
    guilty = []
    for row in sorted(set(range(len(constraints))) - set(kept)):
        chosen = [*kept, row]
        if rank(np.column_stack([constraints.B[chosen], constraints.beta[chosen]])) > len(kept):
            guilty.append(constraints.names[row])
    return ModelError(
        f"The constraint equations {', '.join(guilty)} contradict the others.",
        code="constraints-contradict",
        where=f"system '{constraints.model.name}'",
        cause="They prescribe motions that other constraints or prescribed joints determine already, otherwise.",
        remedy="Remove one of them, or prescribe the same motion.",
        names=tuple(guilty),
    )


def at_start(constraints: Constraints) -> tuple[Assembly, Vector, Vector]:
    """The constraints as numbers, the closed configuration from which runs start, and B there.

    Parameters without values get random ones, for which the loops can be closed. Newton's method may end in a singular
    configuration then, such as a parallelogram that is folded flat: of several, the one with the largest rank counts.

    Raises:
        MissingValueError: if parameters have no values, and no random ones were found with which loops can be closed.
        AssemblyError: if the loops cannot be closed.
        ExpressionError: if the constraints have no value at the start.
    """
    rng = np.random.default_rng(1)
    missing = _missing(constraints)
    if not set(missing) & set(free_symbols([*constraints.gaps, *constraints.B.flat, *constraints.beta])):
        return _closed_at_start(constraints, _random(constraints, missing, rng))
    best, found, count = -1, None, len(constraints.model.coordinates)
    for k in range(RANDOM_TRIES):
        try:
            away = RANDOM_STEP * (k + 1) * rng.normal(size=count)
            held = [int(rng.integers(count))] if k % 2 and count else []  # so that it does not return to the start
            closed = _closed_at_start(constraints, _random(constraints, missing, rng), away, held)
        except NO_NUMBERS:
            continue
        rank = len(basis(closed[2][list(constraints.moving)]))
        if rank > best:
            best, found = rank, closed
        if rank == len(constraints.generic):
            break
    if found is not None:
        return found
    raise MissingValueError(
        f"The parameters {', '.join(symbol.name for symbol in missing)} have no values, and the loops could not be "
        "closed with random ones.",
        where=f"system '{constraints.model.name}'",
        remedy="Give default values to them.",
    )


def _missing(constraints: Constraints) -> list[Symbol]:
    """The parameters that have no values."""
    given = [pair for parameter in constraints.model.parameters for pair in parameter.default.items()]
    return [symbol for symbol, value in given if value is None]


def _random(constraints: Constraints, missing: Iterable[Symbol], rng: np.random.Generator) -> dict[str, float]:
    """Random values of parameters by name."""
    return {symbol.name: value for symbol, value in random_values(missing, constraints.model.signs, rng).items()}


def _closed_at_start(
    constraints: Constraints, parameters: Mapping[str, float], away: Vector | float = 0.0, held: Iterable[int] = ()
) -> tuple[Assembly, Vector, Vector]:
    """As ``at_start``, for certain parameters, and from a guess some way away from the start values."""
    assembly = Assembly(constraints, random=parameters)
    q = placed(assembly, start_guess(constraints.model) + away, 1e-10, held)
    return assembly, q, assembly.velocity(q)[0]


def silent_rows(constraints: Constraints) -> frozenset[int]:
    """Rows of B between frames that are rounding at the start and elsewhere; see ``Constraints.silent``."""
    held = [
        k
        for k, equation in enumerate(constraints.equations)
        if equation.wrench is not None and constraints.beta[k].fp == 0
    ]
    silent = {k for k in held if any(entry.fp != 0 for entry in constraints.B[k])}
    rng = np.random.default_rng(1)
    try:
        assembly = Assembly(constraints, random=_random(constraints, _missing(constraints), rng))
        start = start_guess(constraints.model)
        for size in (0.0, 0.3, 0.3):
            B = assembly.velocity(start + size * rng.normal(size=len(start)))[0] if silent else np.zeros((0, 0))
            sizes = np.linalg.norm(B, axis=1)
            silent = {k for k in silent if sizes[k] < ROUNDED_ROW * max(1.0, sizes.max())}
    except NO_NUMBERS:
        return frozenset()
    return frozenset(silent)


def regular_rows(constraints: Constraints) -> tuple[int, ...]:
    """Rows of B that are independent in closed configurations near the start; see ``Constraints.independent``."""
    generic = constraints.generic
    rows = list(constraints.moving)
    matrices: list[Vector] = []
    chosen: list[list[int]] = [[]]
    try:
        for B in _closed_beside_start(constraints):
            matrices.append(B[rows])
            chosen.append(basis(matrices[-1]))
            if len(chosen[-1]) == len(generic):
                break
    except NO_NUMBERS:
        return generic
    best = max(chosen, key=len)
    undecided = len(best) < len(generic) and all(map(has_vanishing_row, matrices))
    return generic if undecided else tuple(rows[k] for k in best)


def _closed_beside_start(constraints: Constraints) -> Iterator[Vector]:
    """B at the start, and in closed configurations beside it: the start itself may be singular.

    Raises:
        MissingValueError, AssemblyError, ExpressionError: as ``at_start``.
    """
    assembly, start, B = at_start(constraints)
    yield B
    rng = np.random.default_rng(1)
    for k in range(POSITIONS_BESIDE_START):
        near = start + STEP_BESIDE_START * rng.normal(size=len(start))
        held = [int(rng.integers(len(start)))] if k > 2 else []  # so that it does not return to the start
        moved = assembly.closed(near, held, 1e-10)
        if moved is not None:
            yield assembly.velocity(moved)[0]


def closed_states(constraints: Constraints) -> Iterator[dict[Any, Any]]:
    """Values of all symbols at closed positions around the start, with random speeds that keep the constraints."""
    try:
        assembly, start, _ = at_start(constraints)
    except NO_NUMBERS:
        return
    rng = np.random.default_rng(1)
    model = constraints.model
    for size in CLOSED_STATES:
        q = assembly.closed(start + size * rng.normal(size=len(start)), (), 1e-10)
        if q is None:
            continue
        B, beta = assembly.velocity(q)
        u = rng.normal(size=len(model.speeds))
        u -= np.linalg.lstsq(B, B @ u + beta, rcond=DEPENDENT_ROW)[0]
        yield {
            **assembly.known,
            **dict(zip(model.coordinates, q, strict=True)),
            **dict(zip(model.speeds, u, strict=True)),
        }


def well_chosen(constraints: Constraints) -> list[int] | None:
    """Speeds that are good independent ones at the start, or beside a singular start; None if numbers cannot decide."""
    rows = list(constraints.independent)
    try:
        matrices = (B[rows] for B in _closed_beside_start(constraints))
        regular = next((B for B in matrices if not is_singular(B)), None)
    except NO_NUMBERS:
        return None
    return None if regular is None else pivoted_columns(regular)[0]


def margin(
    constraints: Constraints, independent: Sequence[int], q: Any, parameters: Mapping[str, float] | None, t: float
) -> float:
    """The smallest relative singular value of the constraint equations; see ``EquationsOfMotion.margin``."""
    where, _ = guessed(constraints.model, constraints.model.coordinates, q)
    B = Assembly(constraints, parameters, None, t).velocity(where)[0][list(constraints.independent)]
    bound = [k for k in range(B.shape[1]) if not independent or k not in independent]
    values = np.linalg.svd(B[:, bound], compute_uv=False)
    return float(values[-1] / values[0]) if len(values) else 1.0
