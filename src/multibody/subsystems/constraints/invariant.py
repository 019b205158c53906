"""Invariants: equations that the variables of a subsystem keep, completed by differentiation.

An equation of order κ is differentiated until the rates a of the highest variables u appear, always linearly:

    φ(q, t) = 0,   φ̇ = B(q, u, t)·… = 0,   A(q, u, t)·a + γ(q, u, t) = 0

which are the positions, the velocity and the acceleration of the invariant; the last is eq. (2) of Orsino 2015.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, array, free_symbols, jacobian, substitute, time_derivative
from multibody.graph.linear_algebra import Matrix

LEVELS = 6
"""Differentiations after which a constraint is given up."""


@dataclass(frozen=True, eq=False)
class Invariant:
    """One equation with its derivatives.

    Attributes:
        owner: the label of the subsystem that it belongs to.
        name: within this subsystem.
        positions: what must vanish and has no variable of the highest order in it; the lowest order first.
        velocity: what must vanish and has variables u, but not their rates; None if only rates are restricted.
        acceleration: what must vanish, linear in the rates of u.
        side: 1 on the right one of several solutions of the position, zero or less on the wrong ones; None if all are.
        unit: what its multiplier is: "force", "torque" or "other".
    """

    owner: str
    name: str
    positions: tuple[Expr, ...]
    velocity: Expr | None
    acceleration: Expr
    side: Expr | None = None
    unit: str = "other"

    @property
    def title(self) -> str:
        """How messages and multipliers call it."""
        return f"{self.owner}_{self.name}"

    @property
    def levels(self) -> tuple[Expr, ...]:
        """All levels, the lowest first."""
        middle = () if self.velocity is None else (self.velocity,)
        return (*self.positions, *middle, self.acceleration)


def completed(
    owner: str, equations: Mapping[str, Expr], flow: Mapping[Expr, Expr], top: Sequence[Symbol]
) -> list[Invariant]:
    """Equations of any order with their derivatives up to the order in which the rates of the top variables appear.

    They are differentiated together, because they share most of their nodes.

    Args:
        owner: the label of the subsystem.
        equations: what must vanish, by name.
        flow: the rate of every variable and input.
        top: the variables u, whose rates in ``flow`` are unknowns.

    Raises:
        ModelError: if nothing that can move is in one of them.
    """
    above, unknown = set(top), {flow[variable] for variable in top}
    positions: dict[str, list[Expr]] = {name: [] for name in equations}
    found: dict[str, Invariant] = {}
    current = dict(equations)
    for _ in range(LEVELS):
        free = {name: set(free_symbols(expression)) for name, expression in current.items()}
        for name in [candidate for candidate in current if free[candidate] & unknown]:
            found[name] = Invariant(owner, name, tuple(positions[name]), None, current.pop(name))
        if not current:
            return [found[name] for name in equations]
        rates = dict(zip(current, time_derivative(list(current.values()), flow), strict=True))
        for name, equation in current.items():
            if free[name] & above:
                found[name] = Invariant(owner, name, tuple(positions[name]), equation, rates.pop(name))
                continue
            positions[name].append(equation)
            if rates[name].fp == 0:
                raise _immovable(owner, name, positions[name][0])
        current = rates
    raise _immovable(owner, *next((name, positions[name][0]) for name in current))


def _immovable(owner: str, name: str, equation: Expr) -> ModelError:
    says = "always holds and says nothing" if equation.fp == 0 else "can never be changed by any motion"
    return ModelError(
        f"The constraint {says}: {equation} = 0.",
        where=f"constraint '{name}' of subsystem '{owner}'",
        cause="No variable of the subsystems is in it.",
        remedy="Remove it, or use the variables whose motion it restricts.",
        code="constraint-without-motion",
        name=name,
    )


def require_same_orders(invariants: Sequence[Invariant], orders: Mapping[Symbol, int], top: Sequence[Symbol]) -> None:
    """An error for a constraint that ties a variable of the highest order of its part to a lower one of another part.

    The force that keeps such a constraint would act on one of them, and not on the other.
    """
    highest = max((orders[variable] for variable in top), default=0)
    if all(orders[variable] == highest for variable in top):
        return
    for invariant in invariants:
        free = free_symbols(invariant.velocity if invariant.velocity is not None else ZERO)
        short = [s for s in free if s in top and orders[s] < highest]
        lower = [s for s in free if s in orders and s not in top and any(orders[s] == orders[other] for other in short)]
        if short and lower:
            raise ModelError(
                f"The constraint ties '{short[0].name}', which has no velocity among the variables, to "
                f"'{lower[0].name}', which has one.",
                where=f"constraint '{invariant.name}' of subsystem '{invariant.owner}'",
                cause="Dynamic equations of subsystems that are coupled belong to variables of the same order.",
                remedy=f"Give the rate of '{short[0].name}' a name among the variables of order "
                f"{orders[short[0]] + 1}, and write its dynamic equation for that one.",
                code="constraint-between-different-orders",
                name=invariant.name,
            )


def coefficients(invariants: Sequence[Invariant], rates: Sequence[Symbol]) -> tuple[Matrix, Matrix]:
    """A and γ of all invariants, A·a + γ = 0."""
    rows = [invariant.acceleration for invariant in invariants]
    A = jacobian(rows, rates).reshape(len(rows), len(rates))
    if A.size and set(rates) & set(free_symbols(A)):
        raise _not_linear(
            next(invariant for invariant, row in zip(invariants, A, strict=True) if set(rates) & set(free_symbols(row)))
        )
    return A, array(substitute(rows, dict.fromkeys(rates, ZERO))) if rows else array([])


def _not_linear(one: Invariant) -> ModelError:
    return ModelError(
        "The constraint is not linear in the rates of the highest variables.",
        where=f"constraint '{one.name}' of subsystem '{one.owner}'",
        remedy="Write it with variables of a lower order; it is differentiated as often as needed.",
        code="constraint-not-linear-in-rates",
        name=one.name,
    )
