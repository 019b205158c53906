"""Loads on joints: drives, torsion springs, dampers, friction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol
from multibody.model.joint import Joint
from multibody.model.kinematics import Kinematics
from multibody.model.loads.contract import Load
from multibody.model.loads.law import Function, Law, LawLike, require_one
from multibody.model.sensors.joint import joint_speeds, joint_state


class OnJoint(Load):
    """What all loads on a joint have in common: they act on its speeds, and on both bodies that it connects.

    On a joint whose motion is prescribed a load changes nothing, for its drive takes it up.
    """

    def __init__(self, joint: Joint) -> None:
        if not isinstance(joint, Joint):
            raise ModelError(
                f"{joint!r} is not a joint.",
                code="value-not-a-joint",
                where=type(self).__name__,
                remedy="Give what system.joint(…) returns, or system['name'].",
            )
        self.joint = joint

    def _one_each(self, value: Any, count: int) -> Sequence[Any]:
        """One value for each degree of freedom."""
        many = list(value) if isinstance(value, list | tuple | np.ndarray) else [value]
        if len(many) != count:
            raise ModelError(
                f"The joint has {count} degrees of freedom, and {len(many)} values are given.",
                code="load-wrong-size",
                where=repr(self),
                remedy="Give a list with one value for each; 0 where nothing acts.",
            )
        return many

    def _on_coordinates(self, value: Any) -> Sequence[Any]:
        """One value for each coordinate; only if the speeds are their rates."""
        if any(step.motion.speeds for step in self.joint.kind.steps()):
            raise ModelError(
                "The coordinates of this joint are neither angles nor lengths, so a spring cannot act on them.",
                code="coordinate-not-a-rate",
                where=repr(self),
                cause="Its speeds are components of an angular velocity, not rates of its coordinates.",
                remedy="Use a Bushing between its frames, or a joint made of elementary movements.",
            )
        return self._one_each(value, len(self.joint.coordinates))

    @property
    def touches(self) -> tuple[object, ...]:
        """The joint."""
        return (self.joint,)


class JointLoad(OnJoint):
    """A force or torque on a joint, in the direction of its speeds: a drive.

    Args:
        joint: what it acts on.
        value: a number or an expression; a list with one for each speed if there are several.

    Example:
        >>> from multibody.model import System
        >>> arm = System("arm")
        >>> elbow = arm.joint("elbow", arm.world, arm.body("hand", mass=1, com=(1, 0, 0)), "Rz")
        >>> motor = arm.load(JointLoad(elbow, arm.input("torque")))
        >>> motor.generalized(Kinematics(arm.freeze()))
        {elbow_dot: torque}
    """

    def __init__(self, joint: Joint, value: Any) -> None:
        super().__init__(joint)
        self.values = self._one_each(value, len(joint.speeds))

    def generalized(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """The values, by speed."""
        joint_speeds(kinematics, self.joint)  # which must be known
        return {u: self.scalar(value, kinematics) for u, value in zip(self.joint.speeds, self.values, strict=True)}


class JointSpring(OnJoint):
    """A spring on the coordinates of a joint: a torsion spring on a hinge, a coil on a slider.

    Args:
        joint: what it acts on.
        stiffness: N·m/rad or N/m, as a number or expression; or a ``Table`` or function that gives the restoring force
            for a deflection. A list with one of these for each coordinate if there are several.
        rest: the coordinate without force; a list if there are several.
        energy: instead of a stiffness, the stored energy as a function of the deflection; a list if there are several.
    """

    holds_arguments = True

    def __init__(
        self, joint: Joint, stiffness: LawLike = None, rest: Any = 0, *, energy: Function | None = None
    ) -> None:
        super().__init__(joint)
        require_one(stiffness, energy, repr(self))
        made = Law.of if energy is None else Law.from_energy
        self.laws = [made(law) for law in self._on_coordinates(stiffness if energy is None else energy)]
        self.rest = self._on_coordinates(rest if np.ndim(rest) else [rest] * len(self.laws))

    def generalized(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """Against the deflections."""
        forces = [self.scalar(law.force(x), kinematics) for law, x in self._deflections(kinematics)]
        return {u: -force for u, force in zip(self.joint.speeds, forces, strict=True)}

    def potential(self, kinematics: Kinematics) -> Expr:
        """The integral of the restoring force."""
        total: Expr = ZERO
        for law, deflection in self._deflections(kinematics):
            total = total + self.scalar(law.energy(deflection), kinematics)
        return total

    @property
    def conservative(self) -> bool:
        """Whether the energy of every spring is known; a function gives a force alone."""
        return all(law.stores for law in self.laws)

    def _deflections(self, kinematics: Kinematics) -> list[tuple[Law, Expr]]:
        q = joint_state(kinematics, self.joint).q
        rest = [self.scalar(value, kinematics) for value in self.rest]
        return [(law, x - x0) for law, x, x0 in zip(self.laws, q, rest, strict=True)]


class JointDamper(OnJoint):
    """Damping of the speeds of a joint.

    Args:
        joint: what it acts on.
        damping: N·m·s/rad or N·s/m, as a number or expression; or a ``Table`` or function that gives the resistance for
            a speed. A list with one of these for each speed if there are several.
    """

    def __init__(self, joint: Joint, damping: LawLike) -> None:
        super().__init__(joint)
        self.laws = [Law.of(law) for law in self._one_each(damping, len(joint.speeds))]

    def generalized(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """Against the speeds."""
        u = joint_speeds(kinematics, self.joint)
        resistance = [self.scalar(law.force(speed), kinematics) for law, speed in zip(self.laws, u, strict=True)]
        return {speed: -force for speed, force in zip(self.joint.speeds, resistance, strict=True)}

    @property
    def dissipative(self) -> bool:
        """A damper takes energy."""
        return True
