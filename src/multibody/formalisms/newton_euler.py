"""The explicit scheme of Newton and Euler (PyMbs manual, section 4.1.2).

Positions r_i(q) of the centres of mass and rotations R_i(q) are written down for every body, all the rest is
differentiation: v_i = ṙ_i in the inertial frame, ω_i from R_iᵀ·Ṙ_i in the body's axes, the stacked Jacobians J_T and
J_R of (4.5) and (4.6), and the projection M_red = Jᵀ·M·J, h_red = Jᵀ·(M·J̇·u + h), f_red = Jᵀ·f (4.8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from multibody.algebra import ForceMotor, Rotation, Transform, Vec3
from multibody.equations import EquationsOfMotion, Handling, Kinetics, Multipliers
from multibody.formalisms.contract import Formalism
from multibody.graph import ZERO, Expr, array, jacobian, product, time_derivative
from multibody.graph.linear_algebra import Matrix
from multibody.model import Body, Model
from multibody.model.joints.contract import IDENTITY
from multibody.model.kinematics import ZERO3


class NewtonEuler(Formalism):
    """One equation for all: short for small systems, long for large ones. It takes every model.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> mb.derive(pendulum, mb.NewtonEuler()).readable().acceleration
        array([-9.81*sin(angle)], dtype=object)
    """

    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """Eqs. (4.3) to (4.9)."""
        kinetics = Kinetics(model)
        M, h, f = _reduced(kinetics)
        solution = (handling or Multipliers()).solve(M, list(h - f), kinetics.constraints)
        return EquationsOfMotion.of(kinetics, "NewtonEuler", lambda: (M, h, f), solution)


class _MovingBody(NamedTuple):
    """Eq. (4.2) of one rigid body, in minimal coordinates.

    Attributes:
        J_T: ∂v/∂u of the centre of mass, in the inertial frame.
        J_R: ∂ω/∂u, in the body's axes.
        apparent_t: J̇_T·u, and all else that accelerates it while the speeds do not change.
        apparent_r: J̇_R·u.
        spin: ω in the body's axes.
        force: f_e in the inertial frame, of loads alone.
        torque: m_e about the centre of mass, in the body's axes.
    """

    body: Body
    J_T: Matrix
    J_R: Matrix
    apparent_t: Vec3
    apparent_r: Vec3
    spin: Vec3
    force: Vec3
    torque: Vec3


def _reduced(kinetics: Kinetics) -> tuple[Matrix, Matrix, Matrix]:
    """M_red, h_red and f_red of (4.8); gravity counts with h, as everywhere."""
    count, gravity = len(kinetics.model.speeds), kinetics.model.gravity
    M, h, f = array(np.zeros((count, count))), array([0] * count), array(kinetics.joint_loads)
    for moving in _bodies(kinetics):
        used = [k for k in range(count) if any(x is not ZERO for x in (*moving.J_T[:, k], *moving.J_R[:, k]))]
        J_T, J_R, m, inertia = moving.J_T[:, used], moving.J_R[:, used], moving.body.mass, moving.body.inertia
        tensor = array([list(row) for row in inertia.rows])
        newton = (moving.apparent_t - gravity) * m
        euler = inertia @ moving.apparent_r + moving.spin.cross(inertia @ moving.spin)
        M[np.ix_(used, used)] += product(J_T.T, J_T * m) + product(J_R.T, product(tensor, J_R))
        h[used] += product(J_T.T, array([*newton])) + product(J_R.T, array([*euler]))
        f[used] += product(J_T.T, array([*moving.force])) + product(J_R.T, array([*moving.torque]))
    return M, h, f


def _bodies(kinetics: Kinetics) -> Iterator[_MovingBody]:
    """Every body that moves, by differentiation of r(q) and R(q)."""
    model, flow = kinetics.model, kinetics.model.flow()
    loads = _loads(kinetics)
    poses: dict[int, Transform] = {-1: IDENTITY}
    for link in model.links:
        poses[link.index] = poses[link.parent] @ kinetics.pose_of_link(link.index)
    for body in model.bodies:
        carrier, place = model.attachments[body]
        load = loads.get(body, ForceMotor(ZERO3, ZERO3))
        if carrier >= 0:
            pose = poses[carrier] @ place
            v = time_derivative([*pose.point_to_parent(body.com)], flow)
            w = time_derivative_of_rotation(pose.rotation, flow)
            yield _MovingBody(
                body,
                jacobian(v, model.speeds),
                jacobian(w, model.speeds),
                Vec3(*time_derivative(v, flow)),
                Vec3(*time_derivative(w, flow)),
                Vec3(*w),
                pose.vector_to_parent(load.resultant),
                load.moment_at(body.com),
            )


def time_derivative_of_rotation(rotation: Rotation, flow: Mapping[Expr, Expr]) -> list[Expr]:
    """ω in the rotated axes: R is orthogonal, so Rᵀ·Ṙ is skew and holds ω."""
    x, y, z = rotation.to_matrix().columns
    dx, dy, dz = (Vec3(*time_derivative([*column], flow)) for column in (x, y, z))
    return [z.dot(dy), x.dot(dz), y.dot(dx)]


def _loads(kinetics: Kinetics) -> dict[Body, ForceMotor]:
    """The loads on each body, at its origin and in its axes."""
    totals: dict[Body, ForceMotor] = {}
    for frame, force in kinetics.loads:
        known = totals.get(frame.body, ForceMotor(ZERO3, ZERO3))
        totals[frame.body] = known + frame.pose.to_parent(force)
    return totals
