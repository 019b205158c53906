"""Identities of the equations of motion of every mechanism, for all formalisms.

Each identity is a function of equations of motion and of a moment (a seed for random arguments, or the arguments). It
raises an AssertionError that names the system, both numbers and the state. The two sides come by different ways:
forces against energies, h against M, one description of a mechanism against another, rules against complex steps.

Example:
    >>> from multibody.formalisms import Recursive, derive
    >>> from multibody.testing import random_system
    >>> eom = derive(random_system(1, 3), Recursive())
    >>> for identity in IDENTITIES:
    ...     identity(eom, 7)
    >>> renaming_changes_nothing(eom, Recursive(), 7)
"""

from multibody.testing.identities.balance import momentum_is_conserved, potentials_give_their_forces, power_balances
from multibody.testing.identities.equations import (
    constraints_stay,
    derivatives_agree,
    forms_agree,
    inertia_forces_follow_from_the_mass_matrix,
    inverse_undoes_forward,
    mass_matrix_gives_the_kinetic_energy,
    mass_matrix_is_symmetric_and_positive,
)
from multibody.testing.identities.invariance import (
    flipping_changes_nothing,
    renaming_changes_nothing,
    rerooting_changes_nothing,
    shuffling_changes_nothing,
)

IDENTITIES = (
    inverse_undoes_forward,
    constraints_stay,
    forms_agree,
    mass_matrix_is_symmetric_and_positive,
    mass_matrix_gives_the_kinetic_energy,
    inertia_forces_follow_from_the_mass_matrix,
    power_balances,
    potentials_give_their_forces,
    derivatives_agree,
)
"""Those that hold for every system, as functions of equations and a moment."""

__all__ = [
    "IDENTITIES", "constraints_stay", "derivatives_agree", "flipping_changes_nothing", "forms_agree",
    "inertia_forces_follow_from_the_mass_matrix", "inverse_undoes_forward", "mass_matrix_gives_the_kinetic_energy",
    "mass_matrix_is_symmetric_and_positive", "momentum_is_conserved", "potentials_give_their_forces", "power_balances",
    "renaming_changes_nothing", "rerooting_changes_nothing", "shuffling_changes_nothing",
]  # fmt: skip
