"""Fisette and Samin's semi-explicit recursion (PyMbs manual, section 4.1.3), with a sparse solution along the tree.

The outward loop gives ω, β and α of every link, the inward loop F and L (``equations.recursion``); their projection
on the joint axes is C = h - f for u̇ = 0. The mass matrix comes from composite bodies (``equations.mass_matrix``).
M·u̇ = -C is solved by LDLᵀ from the tips to the root: in that order no zero of the mass matrix fills in
(Featherstone 2008, section 6.5).
"""

from __future__ import annotations

from multibody.equations import EquationsOfMotion, Handling, Kinetics, Multipliers
from multibody.formalisms.contract import Formalism
from multibody.graph import array
from multibody.graph.linear_algebra import Matrix
from multibody.mechanics.composite_inertia import mass_matrix
from multibody.model import Model


class Recursive(Formalism):
    """The default: best up to about ten joints in a row, and for many short branches.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> mb.derive(pendulum, mb.Recursive()).M
        array([[2]], dtype=object)
    """

    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """Mass matrix and bias, then the explicit accelerations; joints that close loops are cut."""
        kinetics = Kinetics(model)
        mass = mass_matrix(model, [motion.pose for motion in kinetics.drifts])

        def implicit() -> tuple[Matrix, Matrix, Matrix]:
            h = array(kinetics.inertia_bias())
            return mass, h, h - array(kinetics.bias())

        solution = (handling or Multipliers()).solve(mass, kinetics.bias(), kinetics.constraints)
        return EquationsOfMotion.of(kinetics, "Recursive", implicit, solution)
