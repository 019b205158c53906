"""Power of loads, drives and moving constraints.

The energy T + V changes by the power of everything that has no potential. Its integrals, kept beside the state, are the
built-in check of every run: T + V - (work of inputs) - (work of drives) + (dissipated) stays what it was.

The force of a load at rest must be minus the slope of its potential, which ``derive`` checks. Its power is not counted,
so that the balance compares the two: a potential that does not belong to the force shows as drift.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from multibody.equations.equations import EquationsOfMotion
from multibody.graph import ZERO, Expr, as_expr, directional, free_symbols, substitute, time_derivative
from multibody.mechanics.validation.load_potentials import AtRest, RestingLoad, is_conservative, power_of
from multibody.model.energy import first_moment


class Powers(NamedTuple):
    """The rates of the three works, as expressions of (t, q, u, u̇, λ, r, p).

    Attributes:
        inputs: of loads that follow inputs.
        dissipated: taken by all other loads without a potential: dampers, friction, and also given forces.
        drives: of prescribed motions, and of constraints that move with time.
    """

    inputs: Expr
    dissipated: Expr
    drives: Expr


def powers(eom: EquationsOfMotion, laws: Mapping[Expr, Expr] | None = None) -> Powers:
    """The power of everything that changes T + V.

    Args:
        eom: equations of motion.
        laws: for some inputs the expression that they follow; all others are taken as constant where they change what
            a load or gravity stores.
    """
    flow = _flow(eom, laws or {})
    if eom.known_powers is not None:
        known = Powers(*eom.known_powers)
        return known._replace(inputs=known.inputs + _stored_by_inputs(eom, flow))
    inputs: Expr = ZERO
    dissipated: Expr = ZERO
    signals = set(eom.inputs)
    rest = AtRest.of(eom.model)
    for load in eom.model.loads.values():
        power = _power(eom, load, flow, rest)
        if signals.intersection(free_symbols(power)):
            inputs = inputs + power
        else:
            dissipated = dissipated - power
    return Powers(inputs, dissipated, _driven(eom, flow))


def _stored_by_inputs(eom: EquationsOfMotion, flow: Mapping[Expr, Expr]) -> Expr:
    """The rate of T + V while nothing but the inputs changes."""
    if not eom.energy_known:
        return ZERO
    changing: dict[Expr, Expr] = {input_: flow[input_] for input_ in eom.inputs}
    return as_expr(directional(eom.kinetic_energy + eom.potential_energy, changing))


def _flow(eom: EquationsOfMotion, laws: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """The rates of coordinates, speeds and inputs."""
    flow: dict[Expr, Expr] = dict.fromkeys(eom.inputs, ZERO)
    flow |= eom.model.flow(eom.model.accelerations)
    return flow | {symbol: as_expr(time_derivative(value, flow)) for symbol, value in laws.items()}


def powers_of_dampers(eom: EquationsOfMotion) -> dict[str, Expr]:
    """What each load gives that should only take, by its name; loads that follow inputs are left out."""
    dampers = {name: load for name, load in eom.model.loads.items() if load.dissipative}
    if not dampers or eom.known_powers is not None:
        return {}
    flow, rest, signals = _flow(eom, {}), AtRest.of(eom.model), set(eom.inputs)
    powers = {name: _power(eom, load, flow, rest) for name, load in dampers.items()}
    return {
        name: power
        for name, power in powers.items()
        if power is not ZERO and not signals.intersection(free_symbols(power))
    }


def _power(eom: EquationsOfMotion, load: Any, flow: Mapping[Expr, Expr], rest: AtRest) -> Expr:
    """Force times velocity, and what is stored meanwhile; without the force that belongs to a potential."""
    total = power_of(eom.kinetics, load.forces(eom.kinetics), load.generalized(eom.kinetics))
    resting = RestingLoad.of(load, eom.kinetics, rest, flow)
    if resting.stored is ZERO:
        return total
    if not is_conservative(load) or resting.driven:
        return total + time_derivative(resting.stored, flow)
    return total - resting.power(eom.kinetics) + resting.changed


def errors_of_potentials(eom: EquationsOfMotion) -> dict[str, tuple[Expr, Expr]]:
    """For each load with a potential, by name, two powers whose sum is zero if the potential belongs to the force.

    They are the power of the force at rest, and the rate of the potential by motion.
    """
    if eom.known_powers is not None:
        return {}
    rest = AtRest.of(eom.model)
    found = {}
    for name, load in eom.model.loads.items():
        if is_conservative(load):
            resting = RestingLoad.of(load, eom.kinetics, rest).without_drive()
            if resting.stored is not ZERO:
                found[name] = (resting.power(eom.kinetics), resting.slope(eom.kinetics))
    return found


def _driven(eom: EquationsOfMotion, flow: Mapping[Expr, Expr]) -> Expr:
    """The power of drives: what goes through each axis beyond the loads on it, times the given part of its speed.

    The free parts of the speeds do no work in sum, but for -λ·β of equations that act on speeds directly. Equations
    between frames act through the axes; of their β, the part that the motion of the frames does not explain remains,
    such as the rate of a length that follows time.
    """
    kinetics, model = eom.kinetics, eom.model
    still: dict[Expr, Expr] = dict.fromkeys(eom.speeds, ZERO)
    total: Expr = ZERO
    for link in model.links:
        for axis, given in zip(link.motion.axes(link.q), substitute(list(link.u), still), strict=True):
            total = total + axis.inner(kinetics.transmitted[link.index]) * given
    closed = {speed for joint in model.cuts for speed in joint.speeds}  # loads on these are forces on frames
    for load in model.loads.values():
        for speed, force in load.generalized(kinetics).items():
            if speed not in closed:
                total = total - force * substitute(model.values.get(speed, speed), still)
    for force, offset, equation in zip(eom.multipliers, eom.beta, eom.constraints.equations, strict=True):
        if equation.wrench is not None and offset is not ZERO:
            frame, base, wrench = equation.wrench
            explained = kinetics.velocity(frame, relative_to=base).inner(wrench)
            offset = offset - as_expr(substitute(explained, still))
        if equation.wrench is None or offset is not ZERO:
            total = total - force * offset
    return total + _changing_gravity(eom, flow)


def _changing_gravity(eom: EquationsOfMotion, flow: Mapping[Expr, Expr]) -> Expr:
    """-Σ m·r·dg/dt: the rate of V while nothing moves."""
    rates = time_derivative([as_expr(part) for part in eom.model.gravity], flow)
    power: Expr = sum((rate * moment for rate, moment in zip(rates, first_moment(eom.kinetics), strict=True)), ZERO)
    return -power


def explicit(eom: EquationsOfMotion, rates: Powers) -> list[Expr]:
    """The powers with u̇ and λ put in."""
    known: dict[Expr, Expr] = dict(zip(eom.model.accelerations, eom.acceleration, strict=True))
    known |= dict(zip(eom.multipliers, eom.multiplier_values, strict=True))
    return list(substitute(list(rates), known))
