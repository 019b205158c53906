"""Bodies and loads that were written in SymPy, with their velocities as expressions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compat.sympy.geometry import Geometry, cross
from multibody.compat.sympy.kinematics import Read
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, array, free_symbols, product
from multibody.graph.linear_algebra import Matrix


@dataclass(frozen=True, eq=False)
class MovingBody:
    """A body: what it is made of, and how it moves."""

    name: str
    mass: Expr
    inertia: Matrix  # about the centre of mass
    motion: Matrix  # v in the world's axes, ω in those of the inertia
    turning: Matrix  # Ω of the axes of the inertia, in these axes
    rotation: Matrix
    centre: Any  # SymPy's point

    @cached_property
    def momentum(self) -> Matrix:
        """G·(v, ω)."""
        return self.times(self.motion)

    def times(self, motion: Matrix) -> Matrix:
        """G·motion, for one column or several."""
        return np.concatenate([motion[:3] * self.mass, product(self.inertia, motion[3:])])

    @cached_property
    def gyroscopic(self) -> Matrix:
        """(0, Ω × I·ω)."""
        return np.concatenate([array([ZERO] * 3), cross(self.turning, self.momentum[3:])])


@dataclass(frozen=True, eq=False)
class ActingLoad:
    """A force or a torque, with the velocity or angular velocity of what it acts on, in the world's axes."""

    what: Any  # SymPy's point or frame
    motion: Matrix
    force: Matrix

    @property
    def power(self) -> Expr:
        """F·v."""
        power: Expr = product(self.force, self.motion)
        return power


class BodyReader:
    """Reads bodies and loads.

    Args:
        geometry: knows frames and points.
        read: makes an expression of a SymPy expression.
    """

    def __init__(self, geometry: Geometry, read: Read) -> None:
        self._geometry, self._read = geometry, read

    def body(self, body: Any) -> MovingBody:
        """A RigidBody or Particle."""
        geometry, mass = self._geometry, self._read(_sympified(body.mass))
        v = geometry.velocity(body.masscenter)
        if not getattr(body, "is_rigidbody", hasattr(body, "central_inertia")):
            nothing, zeros = array([ZERO] * 3), np.full((3, 3), ZERO, dtype=object)
            still = geometry.rotation(geometry.world)
            moving = MovingBody(
                str(body.name), mass, zeros, np.concatenate([v, nothing]), nothing, still, body.masscenter
            )
        else:
            axes = self._axes(body)
            rotation = geometry.rotation(axes)
            w, turning = (geometry.angular_velocity(frame, axes) for frame in (body.frame, axes))
            motion = np.concatenate([v, w])
            inertia = self._central_inertia(body, axes, mass) if _moves(motion) else np.full((3, 3), ZERO, dtype=object)
            moving = MovingBody(str(body.name), mass, inertia, motion, turning, rotation, body.masscenter)
        _require_constant(body.name, [mass, *moving.inertia.flat])
        return moving

    def _axes(self, body: Any) -> Any:
        """The frame of the body, or that of its inertia if nothing is known of the first one's orientation."""
        frames = [frame for _, left, _ in body.inertia[0].args for _, frame in left.args]
        return next((frame for frame in (body.frame, *frames) if self._geometry.knows(frame)), body.frame)

    def _central_inertia(self, body: Any, axes: Any, mass: Expr) -> Matrix:
        """I_S = I_P - m·(r·r·1 - r⊗r), with r from P to the centre of mass (Steiner)."""
        dyadic, point = body.inertia
        tensor = self._geometry.tensor(dyadic, axes)
        if point == body.masscenter:
            return tensor
        r = self._geometry.vector(body.masscenter.pos_from(point), axes)
        shift = product(r, r) * np.eye(3, dtype=int).astype(object) - np.multiply.outer(r, r)
        return tensor - shift * mass

    def load(self, what: Any, vector: Any) -> ActingLoad:
        """A force at a point, or a torque on a frame."""
        turns = hasattr(what, "ang_vel_in")
        motion = self._geometry.angular_velocity(what) if turns else self._geometry.velocity(what)
        return ActingLoad(what, motion, self._geometry.vector(vector))


def _require_constant(name: Any, entries: list[Expr]) -> None:
    changing = [symbol.name for symbol in free_symbols(entries) if symbol.kind != "parameter"]
    if changing:
        raise ModelError(
            f"The mass or the inertia of body '{name}' changes with {', '.join(changing)}.",
            cause="Its inertia is given in axes that it moves in, or its mass is a function of time.",
            remedy="Give both as constants, the inertia in the frame of the body.",
            code="mass-changing",
            name=name,
            names=changing,
        )


def _moves(motion: Matrix) -> bool:
    """Whether a body moves at all; the ground does not, and it does not matter what SymPy gives it for an inertia."""
    return any(component is not ZERO for component in motion)


def _sympified(value: Any) -> Any:
    import sympy

    return sympy.Float(value) if isinstance(value, float) else sympy.Integer(value) if isinstance(value, int) else value
