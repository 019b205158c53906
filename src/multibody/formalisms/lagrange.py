"""Lagrange's equations of the second kind, with multipliers for constraints (SymPy's mechanics manual).

    L(q, q̇, t) = T - V,    d/dt ∂L/∂q̇ - ∂L/∂q = Q + (∂φ̇/∂q̇)ᵀ·λ

The energies are written down, all the rest is differentiation of the graph. Where the speeds are not the rates of the
coordinates (a quaternion, the angular velocity of a ball joint), u = Y(q)·q̇ is put into T, and the equations for q are
projected on the speeds by Nᵀ from q̇ = N·u + ν: a virtual displacement is δq = N·δs (Hamel 1904).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import add

from multibody.equations import EquationsOfMotion, Handling, Kinetics, Multipliers
from multibody.errors import ModelError
from multibody.formalisms.contract import Formalism
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    gradient,
    jacobian,
    product,
    same,
    substitute,
    symbol,
    time_derivative,
)  # fmt: skip
from multibody.graph.linear_algebra import Matrix
from multibody.mechanics.validation.load_potentials import AtRest, RestingLoad, closes_loop, is_conservative
from multibody.model import Applied, Load, Model
from multibody.model.energy import first_moment, kinetic_energy


class Lagrange(Formalism):
    """Energies, and derivatives of them. It takes models in the speeds of their joints.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> mb.derive(pendulum, mb.Lagrange()).h
        array([19.62*sin(angle)], dtype=object)
    """

    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """M, h and f from the Lagrangian, then u̇."""
        _require_joint_speeds(model)
        kinetics = Kinetics(model)
        M, h, f = _equations(kinetics)
        solution = (handling or Multipliers()).solve(M, list(h - f), kinetics.constraints)
        return EquationsOfMotion.of(kinetics, "Lagrange", lambda: (M, h, f), solution)


def _equations(kinetics: Kinetics) -> tuple[Matrix, Matrix, Matrix]:
    model = kinetics.model
    N = jacobian(list(model.rates), model.speeds)
    q_dot = _rate_symbols(model)
    lagrangian = substitute(kinetic_energy(kinetics), _speeds(model, q_dot)) - _height(kinetics)

    p = gradient(lagrangian, q_dot)  # momenta ∂L/∂q̇
    mass = jacobian(p, q_dot)  # ∂p/∂q̇ = ∂²T/∂q̇²
    flow = _flow(model, q_dot)
    change = array(time_derivative(p, flow)) - array(gradient(lagrangian, model.coordinates))

    known: dict[Expr, Expr] = {rate: value for rate, value in zip(q_dot, model.rates, strict=True) if rate is not value}
    mass, change = array(substitute(mass, known)), array(substitute(change, known))
    return product(N.T, product(mass, N)), product(N.T, change), _forces(kinetics, N)


def _rate_symbols(model: Model) -> list[Symbol]:
    """A symbol for each q̇: the speed itself where it is the rate, otherwise a new one."""
    return [
        rate if isinstance(rate, Symbol) else symbol(f"{q.name}_rate", "variable", model.name)
        for q, rate in zip(model.coordinates, model.rates, strict=True)
    ]


def _speeds(model: Model, q_dot: list[Symbol]) -> dict[Expr, Expr]:
    """Speeds that are not rates, as functions of q and q̇."""
    rates = dict(zip(model.coordinates, q_dot, strict=True))
    found: dict[Expr, Expr] = {}
    for link in model.links:
        if link.motion.speeds:
            own = [rates[q] for q in link.q]  # type: ignore[index]
            found |= dict(zip(link.u, link.motion.speeds_from(link.q, own), strict=True))
    return found


def _flow(model: Model, q_dot: list[Symbol]) -> dict[Expr, Expr]:
    """The rates of q and q̇ while the speeds do not change: q̈ = Ṅ·u + ν̇."""
    bias = time_derivative(list(model.rates), model.flow())
    return model.flow() | dict(zip(model.coordinates, q_dot, strict=True)) | dict(zip(q_dot, bias, strict=True))


def _height(kinetics: Kinetics) -> Expr:
    """The potential energy of gravity."""
    return -kinetics.model.gravity.dot(first_moment(kinetics))


def _forces(kinetics: Kinetics, N: Matrix) -> Matrix:
    """The generalized forces of all loads: -∂V/∂q where there is a potential, by virtual power where there is none."""
    count = len(kinetics.model.speeds)
    loads = kinetics.model.loads.values()
    return reduce(add, (_force(kinetics, load, N) for load in loads), array([0] * count))


def _force(kinetics: Kinetics, load: Load, N: Matrix) -> Matrix:
    """Of one load: -∂V/∂q, and what is added to it by motion and by inputs.

    A load that says of itself that its potential is not all (``conservative`` is False) acts by virtual power. The
    potential of all others belongs to their force; see ``Formalism``.
    """
    model = kinetics.model
    virtual = array(_virtual_power(kinetics, load.forces(kinetics), load.generalized(kinetics)))
    potential = load.potential(kinetics)
    if not load.conservative:
        return virtual
    if potential is ZERO:
        return virtual
    conservative = -product(N.T, array(gradient(potential, model.coordinates)))
    at_rest = array(substitute(virtual, dict.fromkeys(model.speeds, ZERO)))
    if not all(map(same, conservative, at_rest)):
        if not is_conservative(load) or closes_loop(load, model):
            return virtual  # what it is made of follows the motion, and does work; or ∂V/∂q holds in closed loops only
        resting = RestingLoad.of(load, kinetics, AtRest.of(model)).without_drive()
        at_rest = array(_virtual_power(kinetics, resting.forces, resting.generalized))
    return conservative + (virtual - at_rest)


def _virtual_power(kinetics: Kinetics, forces: Iterable[Applied], generalized: Mapping[Symbol, Expr]) -> list[Expr]:
    """Q = Σ (∂v/∂u)ᵀ·F, with the forces held fixed while the velocities are differentiated."""
    model = kinetics.model
    powers: Expr = ZERO
    held: dict[Expr, Expr] = {}
    for frame, force in forces:
        velocity = kinetics.velocity(frame)
        for part, rate in zip([*force.resultant, *force.moment], [*velocity.moment, *velocity.resultant], strict=True):
            fixed = symbol(f"force_{len(held)}", "variable", f"{model.name} loads")
            held[fixed] = part
            powers = powers + fixed * rate
    for speed, effort in generalized.items():
        fixed = symbol(f"force_{len(held)}", "variable", f"{model.name} loads")
        held[fixed] = effort
        powers = powers + fixed * model.values.get(speed, speed)
    return substitute(gradient(powers, model.speeds), held)


def _require_joint_speeds(model: Model) -> None:
    unattributed = [u for u in model.speeds if not any(u in link.u for link in model.links)]
    if unattributed:
        raise ModelError(
            f"Lagrange() knows no energy in terms of the speed {unattributed[0].name}.",
            code="formalism-not-applicable",
            where=f"system '{model.name}'",
            cause="Generalized speeds were chosen that are not the speeds of joints.",
            remedy="Use Kane(), or derive the model in the speeds of its joints.",
            name=unattributed[0].name,
        )
