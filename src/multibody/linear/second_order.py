"""Linear systems as mechanics writes them: M·δq̈ + C·δq̇ + K·δq = f."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from multibody.errors import ModelError
from multibody.linear.point import Matrix

if TYPE_CHECKING:
    from multibody.linear.linear_system import LinearizedSystem


class SecondOrder(NamedTuple):
    """M·δq̈ + C·δq̇ + K·δq = f.

    Attributes:
        M: mass matrix of the chosen coordinates, where all others follow freely, as a crane's crab follows its load.
        C: velocity terms: damping is its symmetric part, gyroscopic terms are the other one.
        K: stiffness.
    """

    M: Matrix
    C: Matrix
    K: Matrix


def second_order(system: LinearizedSystem, coordinates: Sequence[str] | None) -> SecondOrder:
    """The mass matrix is Tᵤᵀ·M·Tᵤ with the motions δu = Tᵤ·δu_i that constraints allow; the rest follows from A.

    Speeds that are not chosen are free of forces: of the inverse, the rows and columns of the chosen ones are kept.
    """
    names = coordinates or [name for name in system.states if _speed(system, name)]
    speeds = [_required_speed(system, name) for name in names]
    n, m, inner = len(system.point.q), len(system.point.u), len(system.choice.coordinates.free)
    allowed = system.tangent[n:, inner:]
    mass = allowed.T @ system.descriptor.E[n : n + m, n : n + m] @ allowed
    kept = [system.states.index(name) - inner for name in speeds]
    M = mass[np.ix_(kept, kept)] if len(kept) == len(mass) else np.linalg.inv(np.linalg.inv(mass)[np.ix_(kept, kept)])
    A, size = system.part(*names, *speeds).A, len(names)
    return SecondOrder(M, -M @ A[size:, size:], -M @ A[size:, :size])


def _speed(system: LinearizedSystem, name: str) -> str | None:
    """The state that is the rate of a state; None if there is none."""
    if name not in system.states:
        return None
    row = system.A[system.states.index(name)]
    places = np.flatnonzero(row).tolist()
    return system.states[places[0]] if len(places) == 1 and row[places[0]] == 1 else None


def _required_speed(system: LinearizedSystem, name: str) -> str:
    found = _speed(system, name)
    if found is None:
        raise ModelError(
            f"The rate of '{name}' is not a state of its own.",
            where=f"linear system '{system.name}'",
            cause="It depends on other states, as the rate of a quaternion does, or there is no such state.",
            remedy=f"Choose among the states {', '.join(system.states)}; name independent ones when you linearize.",
        )
    return found
