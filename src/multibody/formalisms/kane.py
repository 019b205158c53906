"""Kane's method (SymPy's mechanics manual; Kane and Levinson 1985): partial velocities, and F_r + F_r* = 0.

The velocity of every centre of mass and the angular velocity of every body are linear in the speeds: their factors are
the partial velocities v_r and ω_r. Forces and inertia forces, projected on them, balance for each speed:

    F_r  = Σ v_r · R + ω_r · T                         generalized active forces
    F_r* = Σ v_r · (-m·a*) + ω_r · (-I·α - ω × I·ω)    generalized inertia forces

With motion constraints, dependent speeds are expressed by independent ones, and the sums are taken for these alone.
Vectors are in the axes of the link that they belong to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from multibody.algebra import ForceMotor, Symmetric3, Vec3
from multibody.equations import EquationsOfMotion, Handling, IndependentSpeeds, Kinetics
from multibody.formalisms.auxiliary import forces_in_evidence
from multibody.formalisms.contract import Formalism
from multibody.graph import ZERO, Expr, array, jacobian
from multibody.graph.linear_algebra import Matrix
from multibody.graph.names import require_known_names
from multibody.model import Joint, Model, with_speeds
from multibody.model.kinematics import ZERO3


class Kane(Formalism):
    """Kane's method. It takes every model.

    Args:
        speeds: generalized speeds of your choice by name, each as an expression that is linear in the speeds of the
            joints, such as the components of an angular velocity; speeds that are not replaced stay.
        dependent: names of the speeds that follow from the others where there are constraints; by default they are
            chosen by pivoting at the start.
        auxiliary: joints and constraints (or their names) whose forces are brought into evidence by auxiliary speeds;
            they are found in ``eom.auxiliary``.

    Example:
        >>> import multibody as mb
        >>> disc = mb.System("disc", gravity=(0, 0, 0))
        >>> body = disc.body("body", 2, (0, 0, 0), (1, 1, 1))
        >>> turn = disc.joint("turn", disc.world, body, ["Rz", "Rx"])
        >>> yaw, lean = turn.speeds
        >>> eom = mb.derive(disc, mb.Kane(speeds={"w": yaw + 2 * lean}))
        >>> eom.speeds
        (w, turn_rz_dot)
    """

    def __init__(
        self, speeds: Mapping[str, Any] | None = None, *, dependent: Sequence[str] = (),
        auxiliary: Iterable[Joint | str] = (),
    ) -> None:  # fmt: skip
        self.speeds = dict(speeds or {})
        self.dependent = tuple(dependent)
        self.auxiliary = tuple(auxiliary)

    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """F_r + F_r* = 0, solved for u̇."""
        chosen = with_speeds(model, self.speeds) if self.speeds else model
        kinetics = Kinetics(chosen)
        M, h, f = _balance(kinetics)
        how = handling or self._independent(chosen)
        solution = how.solve(M, list(h - f), kinetics.constraints)
        evidence = forces_in_evidence(kinetics, self.auxiliary)
        return EquationsOfMotion.of(kinetics, "Kane", lambda: (M, h, f), solution, evidence)

    def _independent(self, model: Model) -> IndependentSpeeds:
        speeds = [speed.name for speed in model.speeds]
        where = f"dependent speeds of system '{model.name}'"
        require_known_names(self.dependent, speeds, "speed", code="name-unknown", where=where)
        if not self.dependent:
            return IndependentSpeeds()
        return IndependentSpeeds(*(name for name in speeds if name not in self.dependent))


class Partial(NamedTuple):
    """The partial velocities of a point and of the axes that it is fixed to."""

    numbers: list[int]  # of the speeds that move it
    v: list[Vec3]
    w: list[Vec3]

    def at(self, point: Vec3) -> Partial:
        """Those of another point that is fixed to the same axes."""
        return Partial(self.numbers, [v + w.cross(point) for v, w in zip(self.v, self.w, strict=True)], self.w)


def _balance(kinetics: Kinetics) -> tuple[Matrix, Matrix, Matrix]:
    """M, h and f in -F_r* = Σ M_rs·u̇_s + h_r and F_r = f_r; gravity counts with h, as everywhere."""
    model, count = kinetics.model, len(kinetics.model.speeds)
    M, h, f = array(np.zeros((count, count))), array([0] * count), array(kinetics.joint_loads)
    partials = [partial_velocities(kinetics, link.index) for link in model.links]
    falls = _gravity_in_links(kinetics)
    for body in model.bodies:
        link, place = model.attachments[body]
        if link >= 0:
            center, tensor = place.point_to_parent(body.com), place.rotation.turn_symmetric(body.inertia)
            force = inertia_force(kinetics, link, center, body.mass, tensor)
            _project(h, partials[link].at(center), force - ForceMotor(falls[link] * body.mass, ZERO3))
            _accumulate(M, partials[link].at(center), body.mass, tensor)
    for link, load in kinetics.applied.items():
        _project(f, partials[link], load)
    return M, h, f


def partial_velocities(kinetics: Kinetics, link: int) -> Partial:
    """v_r and ω_r of a link's origin and axes: the factors of the speeds in its velocity."""
    motor = kinetics.velocity_of_link(link)
    rows = jacobian([*motor.moment, *motor.resultant], kinetics.model.speeds)
    numbers = [k for k in range(rows.shape[1]) if any(entry is not ZERO for entry in rows[:, k])]
    return Partial(numbers, [Vec3(*rows[:3, k]) for k in numbers], [Vec3(*rows[3:, k]) for k in numbers])


def inertia_force(kinetics: Kinetics, link: int, center: Vec3, mass: Expr, tensor: Symmetric3) -> ForceMotor:
    """(m·a*, I·α + ω × I·ω) while the speeds do not change, at the centre of mass."""
    angular, linear = kinetics.drift_of_link(link)
    spin = kinetics.velocity_of_link(link).resultant
    at_center = linear + angular.cross(center) + spin.cross(spin.cross(center))
    return ForceMotor(at_center * mass, tensor @ angular + spin.cross(tensor @ spin))


def _project(sums: Matrix, partial: Partial, force: ForceMotor) -> None:
    """Add v_r · R + ω_r · T for every speed."""
    for r, v, w in zip(*partial, strict=True):
        sums[r] = sums[r] + v.dot(force.resultant) + w.dot(force.moment)


def _accumulate(M: Matrix, partial: Partial, mass: Expr, tensor: Symmetric3) -> None:
    """Add m·v_r·v_s + ω_r·I·ω_s for every pair of speeds: what u̇_s contributes to -F_r*."""
    momenta = [(v * mass, tensor @ w) for _, v, w in zip(*partial, strict=True)]
    for r, v, w in zip(*partial, strict=True):
        for s, (linear, angular) in zip(partial.numbers, momenta, strict=True):
            if s <= r:
                M[r, s] = M[s, r] = M[r, s] + v.dot(linear) + w.dot(angular)


def _gravity_in_links(kinetics: Kinetics) -> list[Vec3]:
    """The acceleration of free fall in each link's axes."""
    found: list[Vec3] = []
    for link in kinetics.model.links:
        known = kinetics.model.gravity if link.parent < 0 else found[link.parent]
        found.append(kinetics.pose_of_link(link.index).vector_to_child(known))
    return found
