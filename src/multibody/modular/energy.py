"""Energy of subsystems: what each level stores, and the power of its forces that store nothing.

For a subsystem alone, u·d̄ is the power of applied forces minus that of inertia forces. With its energies T and V,

    P = u·d̄ + d(T + V)/dt

is the power of all forces that have no potential; the rates of u have cancelled in it, if T belongs to d̄.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, as_expr, free_symbols, substitute, time_derivative
from multibody.modular.vocabulary import rate_symbol

if TYPE_CHECKING:
    from multibody.modular.subsystem import Subsystem


@dataclass(frozen=True, eq=False)
class Energy:
    """What one level stores and exchanges.

    Attributes:
        kinetic: T.
        potential: V.
        inputs: the power of forces that follow inputs.
        dissipated: what all other forces without a potential take.
    """

    kinetic: Expr
    potential: Expr
    inputs: Expr
    dissipated: Expr

    def parts(self) -> list[Expr]:
        """All of it, in order."""
        return [self.kinetic, self.potential, self.inputs, self.dissipated]


def energy_of(made: Subsystem, kinetic: Expr, potential: Expr, *, driven: bool = False) -> Energy:
    """The energy of a level whose own rows store T and V.

    Args:
        made: the subsystem.
        kinetic: T.
        potential: V.
        driven: whether parts of it are moved with time, so that drives do work too.

    Raises:
        ModelError: if T does not belong to the dynamic equations.
    """
    flow: dict[Expr, Expr] = {**made.flow, **{one: ZERO for given in made.inputs for one in given.flat}}
    power: Expr = as_expr(time_derivative(kinetic + potential, flow))
    for one, row in made.rows.items():
        power = power + one * row
    rates = [rate_symbol(one) for one in made.top]
    if not driven and power.fp != as_expr(substitute(power, dict.fromkeys(rates, ZERO))).fp:
        held = [one.name for one in made.top if rate_symbol(one) in free_symbols(power)]
        raise ModelError(
            "The kinetic energy does not belong to the dynamic equations.",
            where=f"subsystem '{made.label}'",
            cause=f"The power of the forces depends on accelerations of {', '.join(held)}.",
            remedy="Correct T, or leave the energy away: then runs have no energy balance.",
        )
    power = power if driven else as_expr(substitute(power, dict.fromkeys(rates, ZERO)))
    still = as_expr(substitute(power, {one: ZERO for given in made.inputs for one in given.flat}))
    return Energy(kinetic, potential, power - still, -still)
