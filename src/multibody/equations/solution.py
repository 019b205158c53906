"""Solving M·u̇ + h = f + Bᵀ·λ together with B·u̇ + γ = 0: two ways, one interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from multibody.equations.regularized import least_fill, regularized
from multibody.equations.tolerances import FORCE_SOFTNESS
from multibody.errors import ModelError, SingularMatrixError
from multibody.graph import ONE, ZERO, Expr, array, ldl, ldl_solve, orthogonal_complement, product, solve_regular
from multibody.graph.linear_algebra import LDL, Complement, Matrix
from multibody.graph.names import require_known_names
from multibody.mechanics.constraints.independence import Constraints, doubtful_rows, well_chosen
from multibody.model import Model


class Solution(NamedTuple):
    """Accelerations and constraint forces.

    Attributes:
        acceleration: u̇.
        multipliers: λ, one for each constraint equation.
        independent: the independent speeds that were used, by their numbers.
        regularity: the smallest relative pivot of what was inverted as it is: zero where the solution has no meaning,
            because constraints become dependent, or a choice of independent speeds fails.
    """

    acceleration: tuple[Expr, ...]
    multipliers: tuple[Expr, ...]
    independent: tuple[int, ...] = ()
    regularity: Expr = ONE


class Handling(ABC):
    """A way to solve for accelerations and constraint forces."""

    @abstractmethod
    def solve(self, mass: Matrix, bias: Sequence[Expr], constraints: Constraints) -> Solution:
        """u̇ and λ from M·u̇ + bias = Bᵀ·λ and B·u̇ + γ = 0."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Multipliers(Handling):
    """First the forces, then the motion: (B·M⁻¹·Bᵀ)·λ = -(γ + B·u̇_free), and u̇ = u̇_free + M⁻¹·Bᵀ·λ.

    All equations act, also redundant ones: no choice of equations is needed. Where some are redundant at the start,
    they give way a little and share their forces: of all possible λ it is the one with the smallest λᵀ·D·λ, where D is
    the mean of the diagonal of B·M⁻¹·Bᵀ for all equations of the same unit. Runs do the same from where equations
    become dependent; so they pass through singular configurations. If bodies without mass make M singular, the whole
    system [M -Bᵀ; B 0] is solved at once.

    Args:
        softness: how much equations give way, relative to the diagonal of B·M⁻¹·Bᵀ. By default 1e-9 where they are
            redundant at the start, and 0 elsewhere. Where equations are independent, the error is of the order of its
            square.

    Example:
        >>> import multibody as mb
        >>> gears = mb.System("gears")
        >>> a, b = (gears.joint(n, gears.world, gears.body(n + "_wheel", 1, (0, 0, 0), (1, 1, 1)), "Rz") for n in "ab")
        >>> mesh = gears.constraint(a.coordinate + 2 * b.coordinate, name="mesh")
        >>> drive = gears.load(mb.JointLoad(a, 5))
        >>> eom = mb.derive(gears, constraints=mb.Multipliers())
        >>> eom.acceleration, eom.multiplier_values
        ((4, -2), (-1,))
    """

    def __init__(self, softness: float = 0.0) -> None:
        self.softness = softness

    def solve(self, mass: Matrix, bias: Sequence[Expr], constraints: Constraints) -> Solution:
        """By the Schur complement of the mass matrix."""
        model, rows = constraints.model, list(constraints.acting)
        if not rows:
            return Solution(solved(model, mass, bias), (ZERO,) * len(constraints))
        B, gamma = constraints.B[rows], constraints.gamma[rows]
        order = tips_first(model)
        try:
            factors = ldl(mass[np.ix_(order, order)])
        except SingularMatrixError:
            return _all_at_once(mass, bias, constraints, self.softness)
        free = _in_order(factors, order, -array(list(bias)))
        effect = _in_order(factors, order, B.T)  # M⁻¹·Bᵀ
        return coupled(free, effect, B, gamma, constraints, self.softness)

    def __repr__(self) -> str:
        return f"Multipliers({self.softness or ''})"


def coupled(
    free: Matrix, effect: Matrix, B: Matrix, gamma: Matrix, constraints: Constraints, softness: float = 0.0
) -> Solution:
    """u̇ and λ from u̇ = free + effect·λ and B·u̇ + γ = 0, for the equations that act."""
    chosen = softness or (0.0 if constraints.regular_at_start else FORCE_SOFTNESS)
    factors = regularized(product(B, effect), constraints.units, chosen)
    forces = factors.filtered(-(gamma + product(B, free)))
    acceleration = free + product(effect, forces)
    pivot = ONE if chosen or constraints.always_independent else factors.smallest_pivot
    return Solution(tuple(acceleration), _spread(forces, constraints.acting, constraints), regularity=pivot)


class IndependentSpeeds(Handling):
    """First the motion of independent speeds, then the forces: u̇ = C·u̇_i + c with the orthogonal complement B·C = 0.

    Args:
        speeds: names of the independent speeds; without them they are chosen by pivoting at the start, or, where
            parameters have no values, so that the elimination is sparse.

    A choice is good only near positions in which the dependent speeds follow from it; elsewhere use another one, or
    ``Multipliers``.

    Example:
        >>> import multibody as mb
        >>> gears = mb.System("gears")
        >>> a, b = (gears.joint(n, gears.world, gears.body(n + "_wheel", 1, (0, 0, 0), (1, 1, 1)), "Rz") for n in "ab")
        >>> mesh = gears.constraint(a.coordinate + 2 * b.coordinate, name="mesh")
        >>> drive = gears.load(mb.JointLoad(a, 5))
        >>> eom = mb.derive(gears, constraints=mb.IndependentSpeeds("b_dot"))
        >>> eom.acceleration, eom.multiplier_values
        ((4, -2), (-1,))
    """

    def __init__(self, *speeds: str) -> None:
        self.speeds = speeds

    def solve(self, mass: Matrix, bias: Sequence[Expr], constraints: Constraints) -> Solution:
        """Cᵀ·M·C·u̇_i = -Cᵀ·(bias + M·c); then B_dᵀ·λ = (M·u̇ + bias)_d in the rows of the dependent speeds."""
        if not constraints.independent:
            return Multipliers().solve(mass, bias, constraints)
        complement = self.complement(constraints)
        C, free, bound = complement.matrix, list(complement.independent), list(complement.dependent)
        rows = list(constraints.independent)
        dependent = constraints.B[np.ix_(rows, bound)]
        offset = np.full(len(C), ZERO, dtype=object)
        offset[bound] = solve_regular(dependent, -constraints.gamma[rows])
        acceleration = offset
        if free:
            force = array(list(bias)) + product(mass, offset)
            reduced = product(C.T, product(mass, C))
            acceleration = offset + product(C, _symmetric_solution(reduced, -product(C.T, force), constraints.model))
        rest = product(mass, acceleration) + array(list(bias))
        forces = _shared_forces(mass, rest, constraints)
        if forces is None:
            forces = _spread(solve_regular(dependent.T, rest[bound]), rows, constraints)
        return Solution(
            tuple(acceleration), forces, tuple(free), regularity(dependent, [constraints.unit(row) for row in rows])
        )

    def complement(self, constraints: Constraints) -> Complement:
        """C, and which speeds are independent."""
        rows = list(constraints.independent)
        if not self.speeds:
            return orthogonal_complement(constraints.B[rows], well_chosen(constraints))
        names = [speed.name for speed in constraints.model.speeds]
        where = f"independent speeds of system '{constraints.model.name}'"
        require_known_names(self.speeds, names, "speed", code="speed-unknown", where=where)
        try:
            return orthogonal_complement(constraints.B[rows], [names.index(name) for name in self.speeds])
        except SingularMatrixError as error:
            raise ModelError(
                f"The speeds {', '.join(self.speeds)} cannot be the independent ones.",
                code="speeds-not-independent",
                where=f"system '{constraints.model.name}'",
                cause=f"{len(names)} speeds with {len(rows)} independent constraints leave {len(names) - len(rows)} to "
                "choose, from which all others must follow.",
                remedy="Choose others, or leave the choice to IndependentSpeeds().",
                names=tuple(self.speeds),
            ) from error

    def __repr__(self) -> str:
        return f"IndependentSpeeds({', '.join(map(repr, self.speeds))})"


def regularity(dependent: Matrix, units: Sequence[str]) -> Expr:
    """The smallest relative pivot of B_d·B_dᵀ: zero where dependent speeds do not follow from the independent ones."""
    rows, columns = doubtful_rows(dependent)
    if not rows:
        return ONE
    doubtful = dependent[np.ix_(rows, columns)]
    return regularized(product(doubtful, doubtful.T), [units[row] for row in rows], 0.0).smallest_pivot


def _shared_forces(mass: Matrix, rest: Matrix, constraints: Constraints) -> tuple[Expr, ...] | None:
    """λ of redundant equations from Bᵀ·λ = rest, shared as by ``Multipliers``; None where they are not redundant."""
    rows, order = list(constraints.acting), tips_first(constraints.model)
    if len(rows) == len(constraints.independent):
        return None
    B = constraints.B[rows]
    try:
        factors = ldl(mass[np.ix_(order, order)])
    except SingularMatrixError:
        return None
    effect = _in_order(factors, order, B.T)
    found = regularized(product(B, effect), constraints.units, FORCE_SOFTNESS).filtered(product(effect.T, rest))
    return _spread(found, rows, constraints)


def solved(model: Model, mass: Matrix, bias: Sequence[Expr]) -> tuple[Expr, ...]:
    """u̇ from M·u̇ = -bias without constraints; from the tips to the root no zero of M fills in (Featherstone 2008)."""
    if not len(bias):
        return ()
    order = tips_first(model)
    try:
        factors = ldl(mass[np.ix_(order, order)])
    except SingularMatrixError as error:
        raise massless(model, mass) from error
    return tuple(_in_order(factors, order, -array(list(bias))))


def tips_first(model: Model) -> list[int]:
    """The speeds from the tips of the tree to its root."""
    along = [column for link in reversed(model.links) for column in reversed(link.columns) if column is not None]
    return along + [column for column in range(len(model.speeds)) if column not in set(along)]


def _in_order(factors: LDL, order: Sequence[int], right: Matrix) -> Matrix:
    """The solution for a matrix that was factored in another order of rows and columns."""
    result = np.empty(right.shape, dtype=object)
    result[list(order)] = ldl_solve(factors, right[list(order)])
    return result


def _all_at_once(mass: Matrix, bias: Sequence[Expr], constraints: Constraints, softness: float) -> Solution:
    """With M + s·BᵀB instead of M, and h + s·Bᵀγ instead of h: because B·u̇ + γ = 0, neither u̇ nor λ changes."""
    rows, order = list(constraints.acting), tips_first(constraints.model)
    B, gamma = constraints.B[rows], constraints.gamma[rows]
    gram = product(B.T, B)
    scale = sum(np.diagonal(mass), ZERO) / sum(np.diagonal(gram), ZERO)
    firm = mass + scale * gram
    try:
        factors = ldl(firm[np.ix_(order, order)])
    except SingularMatrixError as error:
        raise massless(constraints.model, mass) from error
    free = _in_order(factors, order, -(array(list(bias)) + scale * product(B.T, gamma)))
    return coupled(free, _in_order(factors, order, B.T), B, gamma, constraints, softness)


def _symmetric_solution(matrix: Matrix, right: Matrix, model: Model) -> Matrix:
    order = least_fill(matrix)
    try:
        return _in_order(ldl(matrix[np.ix_(order, order)]), order, right)
    except SingularMatrixError as error:
        raise massless(model, matrix) from error


def _spread(forces: Iterable[Expr], rows: Iterable[int], constraints: Constraints) -> tuple[Expr, ...]:
    """A multiplier for every equation; those of equations that do not act are zero."""
    known = dict(zip(rows, forces, strict=True))
    return tuple(known.get(row, ZERO) for row in range(len(constraints)))


def massless(model: Model, mass: Matrix) -> SingularMatrixError:
    """The error for a motion that nothing resists."""
    named = len(mass) == len(model.speeds)
    stuck = [u.name for u, row in zip(model.speeds, mass, strict=False) if named and all(x.fp == 0 for x in row)]
    return SingularMatrixError(
        "The mass matrix is singular for all positions: nothing resists "
        + (f"the speed {', '.join(stuck)}." if stuck else "some combination of the speeds."),
        where=f"system '{model.name}'",
        cause="A body at the end of a chain has no mass, or no inertia about the axis of its joint.",
        remedy="Give it a mass or an inertia; system.check() lists the bodies.",
    )
