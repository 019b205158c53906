"""Constraint forces brought into evidence by auxiliary speeds (Kane and Levinson 1985, section 4.9).

A joint, or a constraint, is thought to give way with auxiliary speeds, which are zero in truth. They have partial
velocities like all other speeds, so there is an equation F_r + F_r* = 0 for each of them, in which the constraint force
appears; the other equations stay as they are. The result holds u̇, and λ of other constraints, as symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from multibody.algebra import ForceMotor
from multibody.equations import Kinetics
from multibody.equations.kinetics import bodies_behind
from multibody.errors import ModelError
from multibody.graph import Expr, array, orthogonal_complement, solve_regular
from multibody.model import Applied, Body, Joint
from multibody.model.energy import inertia_of
from multibody.model.kinematics import ZERO3

COMPONENTS = ("tx", "ty", "tz", "fx", "fy", "fz")


def forces_in_evidence(kinetics: Kinetics, wanted: Iterable[Joint | str]) -> dict[str, Expr]:
    """The forces in joints and constraints, by the names ``joint_fx`` … ``joint_tz`` and ``constraint_equation``.

    Those of a joint act on its child frame, at its origin and in its axes.
    """
    model = kinetics.model
    joints = {joint.name: joint for joint in model.joints}
    found: dict[str, Expr] = {}
    for wish in wanted:
        name = wish.name if isinstance(wish, Joint) else wish
        if name in model.constraints:
            found |= _of_constraint(kinetics, name)
        elif name in joints:
            motor = _of_joint(kinetics, joints[name])
            found |= {f"{name}_{label}": force for label, force in _named(motor)}
        else:
            raise ModelError(
                f"There is no joint or constraint '{name}' to bring into evidence.",
                code="name-unknown",
                where=f"system '{model.name}'",
                remedy=f"There are: {', '.join([*joints, *model.constraints])}.",
                name=name,
            )
    return found


def _named(motor: ForceMotor) -> Iterator[tuple[str, Expr]]:
    return zip(COMPONENTS, [*motor.moment, *motor.resultant], strict=True)


def _of_joint(kinetics: Kinetics, joint: Joint) -> ForceMotor:
    """Six auxiliary speeds of the child frame, three to turn and three to move.

    All bodies behind the joint follow them as one rigid body. So the six sums over these bodies are the components of
    one force motor: inertia forces minus loads, referred to the child frame.
    """
    model = kinetics.model
    behind = bodies_behind(model, joint)
    total = ForceMotor(ZERO3, ZERO3)
    for body in behind:
        total = total + kinetics.pose(body, joint.child).to_parent(_inertia_force(kinetics, body))
    for frame, force in _acting(kinetics):
        if frame.body in behind:
            total = total - kinetics.pose(frame, joint.child).to_parent(force)
    return total if joint.child.body in behind else -total


def _inertia_force(kinetics: Kinetics, body: Body) -> ForceMotor:
    """(m·a* - m·g, I·α + ω × I·ω) of a body, at its origin and in its axes."""
    angular, linear = kinetics.acceleration(body)
    spin = kinetics.velocity(body).resultant
    inertia = inertia_of(body)
    fall = kinetics.pose(body).vector_to_child(kinetics.model.gravity)
    s, tensor = inertia.first_moment, inertia.tensor
    force = (linear - fall) * inertia.mass + angular.cross(s) + spin.cross(spin.cross(s))
    return ForceMotor(force, s.cross(linear - fall) + tensor @ angular + spin.cross(tensor @ spin))


def _acting(kinetics: Kinetics) -> Iterator[Applied]:
    """Loads, and the forces of all constraints between frames."""
    yield from kinetics.loads
    yield from kinetics.constraint_forces


def _of_constraint(kinetics: Kinetics, name: str) -> dict[str, Expr]:
    """An auxiliary speed for each equation: B·u + β = u_aux moves the dependent speeds by B_d⁻¹·u_aux.

    The sums over all bodies, for these combinations of partial velocities, are B_d⁻ᵀ·(M·u̇ + h - f)_d.
    """
    constraints = kinetics.constraints
    rows = list(constraints.independent)
    bound = list(orthogonal_complement(constraints.B[rows]).dependent)
    balance = array(kinetics.residual())[bound]
    forces = solve_regular(constraints.B[np.ix_(rows, bound)].T, balance)
    pairs = [
        (constraints.names[row], force)
        for row, force in zip(rows, forces, strict=True)
        if constraints.owners[row] == name
    ]
    return dict(pairs)
