"""Where energy comes from and where it goes: the power of loads, drives and moving constraints.

The energy T + V changes by the power of everything that has no potential. Its integrals, kept beside the state, are the
built-in check of every run: T + V - (work of inputs) - (work of drives) + (dissipated) stays what it was.

The force of a load at rest must be minus the slope of its potential. Its power is not counted, so that the balance
compares the two: a potential that does not belong to the force shows as drift.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from multibody.algebra import ForceMotor
from multibody.equations.equations import EquationsOfMotion
from multibody.graph import ZERO, Expr, Symbol, as_expr, directional, free_symbols, substitute, symbol, time_derivative
from multibody.model.energy import first_moment
from multibody.model.given import expressions_in
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model


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
    rest = _Rest.of(eom.model)
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
    changing: dict[Expr, Expr] = {one: flow[one] for one in eom.inputs}
    return as_expr(directional(eom.kinetic_energy + eom.potential_energy, changing))


def _flow(eom: EquationsOfMotion, laws: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """The rates of coordinates, speeds and inputs."""
    flow: dict[Expr, Expr] = dict.fromkeys(eom.inputs, ZERO)
    flow |= eom.model.flow(eom.model.accelerations)
    return flow | {one: as_expr(time_derivative(value, flow)) for one, value in laws.items()}


def powers_of_dampers(eom: EquationsOfMotion) -> dict[str, Expr]:
    """What each load gives that should only take, by its name; loads that follow inputs are left out."""
    dampers = {name: load for name, load in eom.model.loads.items() if load.dissipative}
    if not dampers or eom.known_powers is not None:
        return {}
    flow, rest, signals = _flow(eom, {}), _Rest.of(eom.model), set(eom.inputs)
    powers = {name: _power(eom, load, flow, rest) for name, load in dampers.items()}
    return {
        name: one for name, one in powers.items() if one is not ZERO and not signals.intersection(free_symbols(one))
    }


@dataclass(frozen=True, eq=False)
class _Rest:
    """A model in which nothing moves, not even what follows time: for forces without the parts that speeds cause.

    Attributes:
        kinematics: poses as they are, all velocities zero; given positions are placeholders.
        motion: what the placeholders are, and zero for every speed.
    """

    kinematics: Kinematics
    motion: Mapping[Expr, Expr]

    @staticmethod
    def of(model: Model) -> _Rest:
        """The same model at rest."""
        motion: dict[Expr, Expr] = dict.fromkeys(model.speeds, ZERO)

        def placeholder(position: Expr) -> Expr:
            if isinstance(position, Symbol):
                return position
            name = symbol(f"position_{len(motion)}", "parameter", f"{model.name} at rest")
            motion[name] = position
            return name

        def still(count: int) -> tuple[Expr, ...]:
            return (ZERO,) * count

        links = tuple(
            replace(one, q=tuple(map(placeholder, one.q)), u=still(len(one.u)), a=still(len(one.a)))
            for one in model.links
        )
        values = {one: placeholder(value) if one.kind == "coordinate" else ZERO for one, value in model.values.items()}
        return _Rest(Kinematics(replace(model, links=links, values=values)), motion)

    def back(self, expression: Expr) -> Expr:
        """An expression of the model at rest, in terms of the model that moves."""
        return as_expr(substitute(expression, dict(self.motion)))


def _power(eom: EquationsOfMotion, load: Any, flow: Mapping[Expr, Expr], rest: _Rest) -> Expr:
    """Force times velocity, and what is stored meanwhile; without the force that belongs to a potential."""
    stored = load.potential(eom.kinetics)
    total = _power_of_force(eom, load)
    if stored is ZERO:
        return total
    if not _is_conservative(load):
        return total + time_derivative(stored, flow)
    return total - _power_of_force(eom, load, rest) + _changed_from_outside(eom, load, flow, rest)


def _changed_from_outside(eom: EquationsOfMotion, load: Any, flow: Mapping[Expr, Expr], rest: _Rest) -> Expr:
    """The rate of a potential while nothing moves: a rest length that follows time or an input."""
    held: dict[Expr, Expr] = {**flow, **dict.fromkeys((*eom.coordinates, *rest.motion), ZERO)}
    return rest.back(as_expr(time_derivative(load.potential(rest.kinematics), held)))


def errors_of_potentials(eom: EquationsOfMotion) -> dict[str, tuple[Expr, Expr]]:
    """For each load with a potential, by name, two powers whose sum is zero if the potential belongs to the force.

    They are the power of the force at rest, and the rate of the potential by motion.
    """
    if eom.known_powers is not None:
        return {}
    flow, rest = _flow(eom, {}), _Rest.of(eom.model)
    found = {}
    for name, load in eom.model.loads.items():
        stored = load.potential(eom.kinetics)
        if stored is not ZERO and _is_conservative(load):
            by_motion = as_expr(time_derivative(stored, flow)) - _changed_from_outside(eom, load, flow, rest)
            found[name] = (_power_of_force(eom, load, rest), by_motion)
    return found


def _power_of_force(eom: EquationsOfMotion, load: Any, rest: _Rest | None = None) -> Expr:
    """The force of a load, as it is in motion or as it would be at rest, times the velocity."""
    kinematics = eom.kinetics if rest is None else rest.kinematics
    total: Expr = ZERO
    for frame, motor in load.forces(kinematics):
        force = (
            motor if rest is None else ForceMotor(*(part.map(rest.back) for part in (motor.resultant, motor.moment)))
        )
        total = total + eom.kinetics.velocity(frame).inner(force)
    for speed, force in load.generalized(kinematics).items():
        total = total + eom.model.values.get(speed, speed) * (force if rest is None else rest.back(force))
    return total


def _is_conservative(load: Any) -> bool:
    """Whether all of a load's force at rest belongs to its potential.

    That is not so if it says so itself, or if what the user gave for it depends on the motion: a rest length that
    follows a coordinate brings in energy.
    """
    return bool(load.conservative) and not any(
        one.kind in ("coordinate", "speed", "variable")
        for value in load.given.values()
        for one in free_symbols(list(expressions_in(value)))
    )


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
