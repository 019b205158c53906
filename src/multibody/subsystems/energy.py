"""Energy of subsystems: what each level stores, and the power of its forces that store nothing.

For a subsystem alone, u·d̄ is the power of applied forces minus that of inertia forces. With its energies T and V,

    P = u·d̄ + d(T + V)/dt

is the power of all forces that have no potential; the rates of u have cancelled in it, if T belongs to d̄.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, as_expr, free_symbols, gradient, substitute, time_derivative
from multibody.mechanics.validation.cancellation import cancel
from multibody.subsystems.arguments.vocabulary import rate_symbol
from multibody.subsystems.content import LevelEnergy, SubsystemContent


class PartialEnergy(NamedTuple):
    """Kinetic and potential energy, where the potential is known to belong to a part of the forces."""

    kinetic: Expr
    potential: Expr


def require_potential_of_places(made: SubsystemContent, potential: Expr) -> None:
    """An error for a potential energy that depends on velocities: T and V were exchanged, or mixed."""
    moving = [symbol.name for symbol in free_symbols(potential) if made.orders.get(symbol, 0) > 0]
    if moving:
        raise ModelError(
            f"The potential energy depends on {', '.join(moving)}.",
            where=f"subsystem '{made.label}'",
            cause="A potential is a function of coordinates and time; the two energies may be exchanged.",
            remedy="Give energy=(T, V), the kinetic energy first, such as ('m*v**2/2', 'k*x**2/2').",
            code="potential-of-velocities",
            names=tuple(moving),
        )


def require_potential(made: SubsystemContent, kinetic: Expr, potential: Expr) -> None:
    """An error if the forces of a level at rest, without inputs, are not minus the slope of its potential.

    Kinetic energy that is there at rest, such as that of a frame that turns at a constant rate, counts as minus a
    potential: its slope is the centrifugal force (Lagrange's equations for zero speeds). Nothing is said where it or
    the motion at rest follows time, nor about forces that follow time and are the same everywhere.
    """
    still: dict[Expr, Expr] = {symbol: ZERO for quantity in made.inputs for symbol in quantity.flat}
    still |= dict.fromkeys(made.top, ZERO)
    at_rest = as_expr(substitute(kinetic, still))
    if potential is ZERO or (at_rest.fp != 0 and _is_moved(made, kinetic, still)):
        return
    rates: dict[Expr, Expr] = dict.fromkeys((rate_symbol(variable) for variable in made.top), ZERO)
    slopes = substitute(gradient(as_expr(time_derivative(potential - at_rest, _flow(made))), made.top), still)
    start = {variable: float(value) for variable, value in made.start.items()}
    for one, slope in zip(made.top, slopes, strict=True):
        force = as_expr(substitute(made.rows.get(one, ZERO), still | rates))
        if cancel(force, slope, made.parameters, start) or _is_driven(force + slope, made):
            continue
        raise ModelError(
            f"The potential energy does not belong to the force on {one.name}.",
            where=f"subsystem '{made.label}'",
            cause=f"At rest the force is {force!s:.80}, and the slope of V is {slope!s:.80}.",
            remedy="Correct V or the dynamic equations. Write a force that stores nothing, and depends on positions or "
            "is constant, at a level of its own: couple(label, [subsystem], own=OwnEquations(dynamics={…})).",
            code="potential-not-of-force",
            name=one.name,
        )


def _is_moved(made: SubsystemContent, kinetic: Expr, still: Mapping[Expr, Expr]) -> bool:
    """Whether time moves something while all speeds are zero."""
    rates = [rate for variable, rate in made.flow.items() if variable in made.orders and variable not in made.top]
    follows = any(symbol.kind == "time" for symbol in free_symbols(kinetic))
    return follows or any(as_expr(substitute(rate, still)).fp != 0 for rate in rates)


def _is_driven(force: Expr, made: SubsystemContent) -> bool:
    """Whether a force follows time and does not depend on the place."""
    kinds = free_symbols(force)
    return any(kind.kind == "time" for kind in kinds) and not any(kind in made.orders for kind in kinds)


def _flow(made: SubsystemContent) -> dict[Expr, Expr]:
    """The rates of all variables; inputs stand still."""
    return {**made.flow, **{symbol: ZERO for quantity in made.inputs for symbol in quantity.flat}}


def energy_of(made: SubsystemContent, kinetic: Expr, potential: Expr, *, driven: bool = False) -> LevelEnergy:
    """The energy of a level whose own rows store T and V.

    Args:
        made: the subsystem.
        kinetic: T.
        potential: V.
        driven: whether parts of it are moved with time, so that drives do work too.

    Raises:
        ModelError: if T does not belong to the dynamic equations.
    """
    power: Expr = as_expr(time_derivative(kinetic + potential, _flow(made)))
    for name, row in made.rows.items():
        power = power + name * row
    rates = [rate_symbol(variable) for variable in made.top]
    if not driven and power.fp != as_expr(substitute(power, dict.fromkeys(rates, ZERO))).fp:
        held = [variable.name for variable in made.top if rate_symbol(variable) in free_symbols(power)]
        raise ModelError(
            "The kinetic energy does not belong to the dynamic equations.",
            where=f"subsystem '{made.label}'",
            cause=f"The power of the forces depends on accelerations of {', '.join(held)}.",
            remedy="Correct T, or leave the energy away: then runs have no energy balance.",
            code="kinetic-energy-does-not-match",
            names=tuple(held),
        )
    power = power if driven else as_expr(substitute(power, dict.fromkeys(rates, ZERO)))
    still = as_expr(substitute(power, {symbol: ZERO for quantity in made.inputs for symbol in quantity.flat}))
    return LevelEnergy(kinetic, potential, power - still, -still)
