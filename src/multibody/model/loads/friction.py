"""Dry friction, made smooth so that it can be integrated and differentiated."""

from __future__ import annotations

from typing import Any

from multibody.graph import Expr, as_expr, exp, tanh
from multibody.model.given import Given
from multibody.model.joint import Joint
from multibody.model.loads.joint import JointDamper


class Friction(Given):
    """The resistance of a dry and lubricated contact at a sliding speed v.

    F(v) = (F_C + (F_S - F_C)·exp(-(v/v_S)²))·tanh(v/v_0) + d·v: Coulomb, Stribeck and viscous friction
    (Armstrong-Hélouvry, Dupont, Canudas de Wit 1994), with the jump at v = 0 drawn out over the speed v_0. Below v_0 a
    contact creeps instead of sticking.

    Args:
        coulomb: F_C, the resistance of sliding.
        viscous: d, the part that grows with the speed.
        static: F_S, the resistance at the start of sliding; by default the same as ``coulomb``.
        stribeck: v_S, the speed at which the static part has gone down to a third.
        smoothing: v_0, the speed at which the resistance is nearly (76 %) there.

    Example:
        >>> from multibody.graph import evaluate, symbol
        >>> v = symbol("v")
        >>> round(evaluate(Friction(10.0, viscous=2.0, smoothing=0.01)(v), {v: 1.0}), 9)
        12.0
    """

    def __init__(
        self, coulomb: Any, viscous: Any = 0, static: Any = None, stribeck: Any = 0.01, smoothing: Any = 1e-3
    ) -> None:
        self.coulomb = as_expr(coulomb)
        self.viscous = as_expr(viscous)
        self.static = self.coulomb if static is None else as_expr(static)
        self.stribeck = as_expr(stribeck)
        self.smoothing = as_expr(smoothing)

    def __call__(self, v: Any) -> Expr:
        """The resistance at the speed v: a force in the direction of v that has to be overcome."""
        speed = as_expr(v)
        excess = (self.static - self.coulomb) * exp(-((speed / self.stribeck) ** 2))
        return (self.coulomb + excess) * tanh(speed / self.smoothing) + self.viscous * speed


class JointFriction(JointDamper):
    """Dry friction in a joint with one degree of freedom.

    Args:
        joint: what it acts on.
        coulomb: the resistance of sliding, in N or N·m; or a ``Friction`` with all its parts.
        viscous: the part that grows with the speed.
        smoothing: the speed over which the jump at rest is drawn out.

    Example:
        >>> from multibody.model import System
        >>> arm = System("arm")
        >>> elbow = arm.joint("elbow", arm.world, arm.body("hand", mass=1, com=(1, 0, 0)), "Rz")
        >>> dry = arm.load(JointFriction(elbow, coulomb=0.5, viscous=0.1))
        >>> sticky = arm.load(JointFriction(elbow, Friction(0.5, static=0.8, stribeck=0.05)))
    """

    def __init__(self, joint: Joint, coulomb: Any, viscous: Any = 0, smoothing: Any = 1e-3) -> None:
        law = coulomb if callable(coulomb) else Friction(coulomb, viscous, smoothing=smoothing)
        super().__init__(joint, law)
