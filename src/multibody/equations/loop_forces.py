"""Forces in mechanisms whose loops are solved in closed form.

The equations of the independent speeds do not contain the forces that close the loops. Those of the dependent speeds
do: with all joints of the tree counted, (M·u̇ + h - f)_v = (Bᵀ·λ)_v, from which λ follows once the motion is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.algebra import ForceMotor, Vec3
from multibody.graph import ZERO, Expr, array, product, solve_regular, substitute
from multibody.graph.identity import independent_rows
from multibody.model import Joint, Model

if TYPE_CHECKING:
    from multibody.equations.kinetics import Kinetics


def loop_forces(model: Model, full: Kinetics) -> dict[Expr, Expr]:
    """The multipliers of all closed loops, by the symbols of the unreduced model.

    Args:
        model: with loops solved in closed form.
        full: forces and motion of ``model.unreduced``.
    """
    constraints, speeds = full.constraints, full.model.speeds
    v = [k for k, speed in enumerate(speeds) if speed not in model.speeds]
    closed = [k for k, owner in enumerate(constraints.owners) if owner not in model.constraints]
    rest = [k for k in range(len(constraints)) if k not in closed]
    balance = array(full.residual())[v]
    if rest:
        others = array([constraints.multipliers[k] for k in rest])
        balance = balance - product(constraints.B[np.ix_(rest, v)].T, others)
    known = dict[Expr, Expr](model.values.items())  # first, because entries of B vanish where the loops are closed
    B = array(substitute(constraints.B[np.ix_(closed, v)], known))
    rows = independent_rows([[entry.fp for entry in row] for row in B])
    forces = solve_regular(B[rows].T, array(substitute(list(balance), known)))
    found: dict[Expr, Expr] = {constraints.multipliers[k]: ZERO for k in closed}
    found |= {constraints.multipliers[closed[row]]: force for row, force in zip(rows, forces, strict=True)}
    return found


def reaction_with_loops(model: Model, full: Kinetics, forces: dict[Expr, Expr], joint: Joint) -> ForceMotor:
    """The force through any joint, in terms of the independent coordinates, speeds and accelerations."""
    motor = full.reaction(joint)
    parts = substitute([*motor.resultant, *motor.moment], forces)
    parts = substitute(parts, dict[Expr, Expr](model.values.items()))
    return ForceMotor(Vec3(*parts[:3]), Vec3(*parts[3:]))
