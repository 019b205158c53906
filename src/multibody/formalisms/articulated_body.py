"""The articulated-body algorithm in motor calculus: order n (Featherstone 1983; Brandl, Johanni and Otter 1986).

Outward, velocities; inward, the inertia that a link shows when the joints behind it move freely; outward,
accelerations. A link obeys f = A∘v° + b with the articulated inertia A and the bias b; eq. (8) of Zaiczek
and Enge-Rosenblatt gives their first values, A = M and b = v × (M∘v) - f_loads. All motors are written in the link's
axes and referred to its origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multibody.algebra import AccelerationMotor, ForceMotor, Inertia, Symmetric3, Transform, Vec3, VelocityMotor
from multibody.equations import Constraints, EquationsOfMotion, Handling, Kinetics, Multipliers, Solution
from multibody.equations.solution import coupled
from multibody.errors import ModelError, SingularMatrixError
from multibody.formalisms.articulated_inertia import ArticulatedInertia
from multibody.formalisms.contract import Formalism
from multibody.graph import ZERO, Expr, array, jacobian, ldl, ldl_solve, product, substitute
from multibody.graph.linear_algebra import LDL, Matrix
from multibody.mechanics.composite_inertia import mass_matrix
from multibody.model import Link, Model
from multibody.model.kinematics import ZERO3


@dataclass
class _Joint:
    """What the inward pass leaves behind for one link."""

    pose: Transform
    axes: tuple[VelocityMotor, ...]
    coriolis: AccelerationMotor
    momenta: list[ForceMotor]  # A∘axis for each axis
    factors: LDL
    efforts: list[Expr]  # what is left for the axes: τ - (axis, b)


_NO_TENSOR = Symmetric3(ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)


class ArticulatedBody(Formalism):
    """Order n: best for long chains and large trees.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> mb.derive(pendulum, mb.ArticulatedBody()).acceleration
        (-9.81*sin(angle),)
    """

    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """The explicit accelerations; mass matrix and bias on request.

        With constraints, u̇ is linear in the multipliers that act beside the loads: u̇ = u̇_free + (∂u̇/∂λ)·λ.
        """
        _require_own_speeds(model)
        kinetics = Kinetics(model)
        constraints = kinetics.constraints
        if handling is not None and not isinstance(handling, Multipliers):
            raise ModelError(
                f"ArticulatedBody() gives no mass matrix to work with for {handling!r}.",
                code="formalism-not-applicable",
                where=f"system '{model.name}'",
                remedy="Use Recursive(), or Multipliers().",
            )

        def implicit() -> tuple[Matrix, Matrix, Matrix]:
            poses = [link.motion.pose(link.q) for link in model.links]
            h = array(kinetics.inertia_bias())
            return mass_matrix(model, poses), h, h - array(kinetics.bias())

        solution = _solution(kinetics, constraints)
        return EquationsOfMotion.of(kinetics, "ArticulatedBody", implicit, solution)


def has_own_speeds(model: Model) -> bool:
    """Whether every joint axis that moves has a speed of its own among those of the model."""
    places = (pair for link in model.links for pair in zip(link.partials, link.columns, strict=True))
    return all(column is not None or not partial for partial, column in places)


def _require_own_speeds(model: Model) -> None:
    if not has_own_speeds(model):
        raise ModelError(
            "ArticulatedBody() needs a speed of its own for each joint axis.",
            code="formalism-not-applicable",
            where=f"system '{model.name}'",
            cause="Speeds were chosen by the user, or loops were solved in closed form.",
            remedy="Use Recursive(), Kane() or NewtonEuler().",
        )


def _solution(kinetics: Kinetics, constraints: Constraints) -> Solution:
    rows = list(constraints.acting)
    if not rows:
        return Solution(_accelerations(kinetics, kinetics.joint_loads), (ZERO,) * len(constraints))
    B, forces = constraints.B[rows], [constraints.multipliers[row] for row in rows]
    pushed = _accelerations(kinetics, list(array(kinetics.joint_loads) + product(B.T, array(forces))))
    free = array(substitute(list(pushed), dict.fromkeys(forces, ZERO)))
    return coupled(free, jacobian(list(pushed), forces), B, constraints.gamma[rows], constraints)


def _accelerations(kinetics: Kinetics, loads: Sequence[Expr]) -> tuple[Expr, ...]:
    model = kinetics.model
    inertias: list[ArticulatedInertia] = []
    biases: list[ForceMotor] = []
    for link in model.links:
        inertia, bias = _of_link(kinetics, link)
        inertias.append(inertia)
        biases.append(bias)
    joints: list[_Joint] = [None] * len(model.links)  # type: ignore[list-item]
    for link in reversed(model.links):
        joint = _joint(kinetics, loads, link, inertias[link.index], biases[link.index])
        joints[link.index] = joint
        if link.parent >= 0:
            inertia, bias = _felt(link, joint, inertias[link.index], biases[link.index])
            inertias[link.parent] = inertias[link.parent] + inertia
            biases[link.parent] = biases[link.parent] + bias
    return _outward(model, joints)


def _of_link(kinetics: Kinetics, link: Link) -> tuple[ArticulatedInertia, ForceMotor]:
    """A = M and b = v × (M∘v) - f_loads, eq. (8)."""
    inertia = Inertia(ZERO, ZERO3, _NO_TENSOR) if link.inertia is None else link.inertia
    velocity = kinetics.velocity_of_link(link.index)
    bias = velocity.cross(inertia.apply(velocity)).as_type(ForceMotor)
    if link.index in kinetics.applied:
        bias = bias - kinetics.applied[link.index]
    return ArticulatedInertia.rigid(inertia), bias


def _joint(
    kinetics: Kinetics, loads: Sequence[Expr], link: Link, inertia: ArticulatedInertia, bias: ForceMotor
) -> _Joint:
    """Free axes, their resistance D = (axis, A∘axis), and what drives them."""
    axes = link.motion.axes(link.q)
    free = [axis for axis, column in zip(axes, link.columns, strict=True) if column is not None]
    momenta = [inertia.apply(axis) for axis in free]
    resistance = np.array([[axis.inner(momentum) for momentum in momenta] for axis in free], dtype=object)
    own = [loads[column] for column in link.columns if column is not None]
    efforts = [load - axis.inner(bias) for axis, load in zip(free, own, strict=True)]
    coriolis = _coriolis(kinetics, link, axes)
    try:
        factors = ldl(resistance.reshape(len(free), len(free)))
    except SingularMatrixError as error:
        raise SingularMatrixError(
            f"Nothing resists the motion of joint '{link.joint.name}'.",
            where=f"system '{kinetics.model.name}'",
            cause="A body at the end of a chain has no mass, or no inertia about the axis of its joint.",
            remedy="Give it a mass or an inertia; system.check() lists the bodies.",
        ) from error
    return _Joint(link.motion.pose(link.q), tuple(free), coriolis, momenta, factors, efforts)


def _coriolis(kinetics: Kinetics, link: Link, axes: tuple[VelocityMotor, ...]) -> AccelerationMotor:
    """v × (axes·u) + bias, and the accelerations of prescribed motions, as seen in the link's own frame."""
    relative, driven = VelocityMotor(ZERO3, ZERO3), VelocityMotor(ZERO3, ZERO3)
    for axis, speed, rate, column in zip(axes, link.u, link.a, link.columns, strict=True):
        relative = relative + axis * speed
        driven = driven + axis * rate if column is None else driven
    total = kinetics.velocity_of_link(link.index).cross(relative) + driven.as_type(AccelerationMotor)
    bias = link.motion.bias(link.q, link.u)
    return total if bias is None else total + bias.as_type(AccelerationMotor)


def _felt(
    link: Link, joint: _Joint, inertia: ArticulatedInertia, bias: ForceMotor
) -> tuple[ArticulatedInertia, ForceMotor]:
    """What the parent feels of a link: A - Σ A∘s·(A∘s)ᵀ/D, and the bias with the motion that the joint gives way to."""
    gains = _divided(joint)
    for momentum, gain in zip(joint.momenta, gains, strict=True):
        inertia = inertia.less(momentum, gain)
    force = bias + inertia.apply(joint.coriolis)
    for gain, effort in zip(gains, joint.efforts, strict=True):
        force = force + gain * effort
    felt = inertia.to_parent(joint.pose).to_parent(link.before)
    return felt, link.before.to_parent(joint.pose.to_parent(force))


def _divided(joint: _Joint) -> list[ForceMotor]:
    """(A∘s)·D⁻¹, one motor for each free axis."""
    if not joint.momenta:
        return []
    if len(joint.momenta) == 1:
        return [joint.momenta[0] * joint.factors.inverse_d[0]]
    columns = array([momentum.components() for momentum in joint.momenta])
    solved = ldl_solve(joint.factors, columns)
    return [ForceMotor(Vec3(*row[:3]), Vec3(*row[3:])) for row in solved]


def _outward(model: Model, joints: list[_Joint]) -> tuple[Expr, ...]:
    """Accelerations from the world to the tips; gravity acts as an upward acceleration of the world."""
    world = AccelerationMotor(ZERO3, -model.gravity)
    motors: list[AccelerationMotor] = []
    result: list[Expr] = [ZERO] * len(model.speeds)
    for link, joint in zip(model.links, joints, strict=True):
        parent = world if link.parent < 0 else motors[link.parent]
        motor = joint.pose.to_child(link.before.to_child(parent)) + joint.coriolis
        if joint.axes:
            rest = [e - m.inner(motor) for e, m in zip(joint.efforts, joint.momenta, strict=True)]
            rates = ldl_solve(joint.factors, np.array(rest, dtype=object))
            columns = [column for column in link.columns if column is not None]
            for axis, rate, column in zip(joint.axes, rates, columns, strict=True):
                result[column] = rate
                motor = motor + (axis * rate).as_type(AccelerationMotor)
        motors.append(motor)
    return tuple(result)
