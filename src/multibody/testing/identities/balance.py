"""Energy and momentum: what forces do, against how the motion changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from multibody.algebra import ForceMotor, VelocityMotor
from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.graph import Expr, as_expr, free_symbols, is_zero
from multibody.model import Applied, Kinematics, Load, Model
from multibody.model.energy import first_moment
from multibody.model.kinematics import ZERO3
from multibody.testing.instant import At, StateValues


def power_balances(eom: EquationsOfMotion, at: At = 0) -> None:
    """dT/dt is the power of the weights, of all loads, of the drives of prescribed motions, and of constraints.

    A load has the power (f, v) on each frame and f·u on each speed that it acts on. A drive has the power of the force
    that goes through its joint, along its axis. A constraint has power only where it is driven, or where the state does
    not keep it. This holds whether loads store energy or not, and whatever they depend
    on; together with ``potentials_give_their_forces`` the balance of T + V follows.
    """
    now = StateValues.of(eom, at)
    powers = {name: float(now(_power(eom, load))) for name, load in eom.model.loads.items()}
    powers["weight"] = now([force.inner(eom.kinetics.velocity(body)) for body, force in _weights(eom)]).sum()
    powers["drives"] = now(_drives(eom)).sum()
    powers["constraints"] = now(_holds(eom)).sum()
    shown = ", ".join(f"{name} {power:.6g}" for name, power in powers.items())
    each = np.array(list(powers.values()))
    u, a = now(list(eom.speeds)), now(list(eom.acceleration))
    size = [*np.abs(each), np.abs(u) @ np.abs(now(eom.M)) @ np.abs(a)]  # of the parts of d/dt ½·uᵀ·M·u
    now.agree(f"dT/dt and the power of {shown}", now.rate(eom.kinetic_energy), each.sum(), size)


def _power(eom: EquationsOfMotion, load: Load) -> Expr:
    """All that a load does."""
    kinetics = eom.kinetics
    total: Any = sum(force.inner(kinetics.velocity(frame)) for frame, force in load.forces(kinetics))
    return as_expr(total + sum(u * force for u, force in _on_speeds(eom, load, kinetics)))


def _on_speeds(eom: EquationsOfMotion, load: Load, kinematics: Kinematics) -> list[tuple[Expr, Expr]]:
    """Speeds of joints with the forces on them; where the speed is prescribed, its drive takes the force up."""
    found = [(eom.model.values.get(u, u), force) for u, force in load.generalized(kinematics).items()]
    return [(u, force) for u, force in found if not set(eom.speeds).isdisjoint(free_symbols(u))]


def _weights(eom: EquationsOfMotion) -> Iterable[Applied]:
    for body in eom.model.bodies:
        weight = eom.kinetics.pose(body).vector_to_child(eom.model.gravity) * body.mass
        yield Applied(body, ForceMotor.single_force(weight, body.com))


def _drives(eom: EquationsOfMotion) -> list[Any]:
    """For each prescribed motion the force that goes through it, along its axis, times its speed."""
    return [
        axis.inner(eom.kinetics.transmitted[link.index]) * speed
        for link in eom.model.links
        for axis, speed, partial in zip(link.motion.axes(link.q), link.u, link.partials, strict=True)
        if not partial
    ]


def _holds(eom: EquationsOfMotion) -> list[Any]:
    """For each constraint equation the power of its force on both frames, or on the speeds that it couples."""
    result: list[Any] = []
    for k, (force, equation) in enumerate(zip(eom.multipliers, eom.constraints.equations, strict=True)):
        if equation.wrench is None:
            result.append(force * sum(b * u for b, u in zip(eom.B[k], eom.speeds, strict=True)))
        else:
            sides = eom.kinetics.both_sides(equation.wrench)
            result += [force * motor.inner(eom.kinetics.velocity(frame)) for frame, motor in sides]
    return result


def potentials_give_their_forces(eom: EquationsOfMotion, at: At = 0) -> None:
    """For each load that stores energy, and for gravity, the virtual power of its forces at rest is -∂V/∂q·N·u.

    Time and inputs stand still meanwhile, so V may depend on them. At rest means that no body moves: then a damper
    beside a spring is silent. A load that stores nothing is not looked at.
    """
    now, standing = StateValues.of(eom, at), _Standing(eom.model)
    for name, load in eom.model.loads.items():
        energy = load.potential(standing)
        if not is_zero(energy):
            power = _virtual_power(now, load.forces(standing)) + _virtual_drive(now, _on_speeds(eom, load, standing))
            _agree(now, f"virtual power and potential of {name}, {load!r}", power, energy)
    energy = as_expr(-eom.model.gravity.dot(first_moment(standing)))
    _agree(now, "virtual power and potential of the weights", _virtual_power(now, _weights(eom)), energy)


def _agree(now: StateValues, what: str, power: float, energy: Expr) -> None:
    now.agree(what, power, -now.along(energy, now.virtual()), now(energy))


class _Standing(Kinematics):
    """A model that does not move, not even where its motion is prescribed."""

    def _velocity_of_link(self, index: int) -> VelocityMotor:
        return VelocityMotor(ZERO3, ZERO3)


def _virtual_power(now: StateValues, forces: Iterable[Applied]) -> float:
    """The power of forces at rest on the velocities that u gives to their frames while time stands still."""
    rest, total = now.with_speeds(0), 0.0
    for frame, force in forces:
        velocity = now.eom.kinetics.velocity(frame).components()
        angular, linear = np.split(now(velocity) - rest(velocity), 2)
        acting, turning = np.split(rest(force.components()), 2)
        total += float(acting @ linear + turning @ angular)
    return total


def _virtual_drive(now: StateValues, forces: Iterable[tuple[Expr, Expr]]) -> float:
    """The same for forces on speeds of joints."""
    rest = now.with_speeds(0)
    return sum(float(rest(force) * (now(u) - rest(u))) for u, force in forces)


def momentum_is_conserved(eom: EquationsOfMotion, at: At = 0) -> None:
    """Momentum, and angular momentum about the world's origin, of bodies in space on which nothing acts from outside.

    That the loads act between bodies only is the caller's promise.
    """
    require_floating(eom.model)
    now = StateValues.of(eom, at)
    momenta = [*eom.linear_momentum, *eom.angular_momentum]
    size = np.abs(now(list(eom.speeds))).max() * np.abs(now(momenta)).max()  # of ω × p and ω × L
    now.agree("d/dt of momentum and angular momentum", now.rate(momenta), np.zeros(6), size)


def require_floating(model: Model) -> None:
    """An error unless there is no gravity and all that is fixed to the world flies freely."""
    roots = {joint for joint in model.joints if model.world in (joint.parent.body, joint.child.body)}
    bound = sorted(joint.name for joint in roots if joint.prescribed is not None or len(joint.speeds) != 6)
    if bound or not all(map(is_zero, model.gravity)):
        raise ModelError(
            "This is not a system in free flight.",
            code="system-not-floating",
            where=f"system '{model.name}'",
            cause=f"The joint {', '.join(bound)} holds it." if bound else "Gravity acts on it.",
            remedy="Use Free() joints to the world and gravity=(0, 0, 0), as random_floating_system does.",
            name=model.name,
            joints=bound,
        )
