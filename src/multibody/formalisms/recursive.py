"""Fisette and Samin's semi-explicit recursion (PyMbs seed, section 4.1.3), with a sparse solution along the tree.

The outward loop gives ω, β and α of every link, the inward loop F and L (``equations.recursion``); their projection
on the joint axes is C = h - f for u̇ = 0. The mass matrix comes from composite bodies (``equations.mass_matrix``).
M·u̇ = -C is solved by LDLᵀ from the tips to the root: in that order no zero of the mass matrix fills in
(Featherstone 2008, section 6.5).
"""

from __future__ import annotations

import numpy as np

from multibody.equations import EquationsOfMotion, Kinetics
from multibody.equations.mass_matrix import mass_matrix
from multibody.errors import SingularMatrixError
from multibody.formalisms.contract import Formalism
from multibody.graph import Expr, array, ldl, ldl_solve
from multibody.graph.linear_algebra import Matrix
from multibody.model import Model


class Recursive(Formalism):
    """The default: best up to about ten joints in a row, and for many short branches."""

    def derive(self, model: Model) -> EquationsOfMotion:
        """Mass matrix and bias, then the explicit accelerations."""
        kinetics = Kinetics(model)
        poses = [motion.pose for motion in kinetics.motions(with_acceleration=False)]
        mass = mass_matrix(model, poses)

        def implicit() -> tuple[Matrix, Matrix, Matrix]:
            h = array(kinetics.inertia_bias())
            return mass, h, h - array(kinetics.bias())

        return EquationsOfMotion(model, "Recursive", solved(model, mass, kinetics.bias()), implicit)


def solved(model: Model, mass: Matrix, bias: list[Expr]) -> tuple[Expr, ...]:
    """u̇ from M·u̇ = -bias, tips first."""
    if not bias:
        return ()
    order = [column for link in reversed(model.links) for column in reversed(link.columns) if column is not None]
    try:
        factors = ldl(mass[np.ix_(order, order)])
    except SingularMatrixError as error:
        raise _massless(model, mass) from error
    values = ldl_solve(factors, np.array([-bias[column] for column in order], dtype=object))
    return tuple(value for _, value in sorted(zip(order, values, strict=True), key=lambda pair: pair[0]))


def _massless(model: Model, mass: Matrix) -> SingularMatrixError:
    stuck = [u.name for u, row in zip(model.speeds, mass, strict=True) if all(entry.fp == 0 for entry in row)]
    return SingularMatrixError(
        "The mass matrix is singular for all positions: nothing resists "
        + (f"the speed {', '.join(stuck)}." if stuck else "some combination of the speeds."),
        where=f"system '{model.name}'",
        cause="A body at the end of a chain has no mass, or no inertia about the axis of its joint.",
        remedy="Give it a mass or an inertia; system.check() lists the bodies.",
    )
