"""Modular modelling as a formalism (MoSs manual): a model is coupled from its links, one after the other.

Every link is a subsystem of its own: a free rigid body, whose quasi-velocities are ω and the velocity of its origin, in
its own axes. Its joint couples it to what is there already, by the six equations that give its velocity by that of its
parent and by the joint's speeds. In these the dynamic equations are projected, C̃ᵀ·d̄ = 0.
"""

from __future__ import annotations

from multibody.equations import EquationsOfMotion, Handling, IndependentSpeeds, Kinetics
from multibody.formalisms.contract import Formalism
from multibody.model import Model


class Modular(Formalism):
    """Orthogonal complements, level by level. It takes every model.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> mb.derive(pendulum, mb.Modular()).acceleration
        (-9.81*sin(angle),)
    """

    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """Couple all links, then solve for the constraints that are left."""
        from multibody.formalisms.nested_links import NestedLinks  # late: few scripts use it

        kinetics = Kinetics(model)
        tree = NestedLinks(kinetics)
        M, h = tree.dynamics()
        f = tree.loads()
        solution = (handling or IndependentSpeeds()).solve(M, list(h - f), kinetics.constraints)
        return EquationsOfMotion.of(kinetics, "Modular", lambda: (M, h, f), solution)
