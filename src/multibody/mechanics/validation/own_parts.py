"""What is required of loads and constraints that do not come from this package, before equations are derived."""

from __future__ import annotations

from multibody.mechanics.validation.constraint_velocities import require_consistent_velocities
from multibody.mechanics.validation.load_potentials import require_matching_potentials
from multibody.model.model import Model


def require_consistent_parts(model: Model) -> None:
    """An error for a load whose potential contradicts its force, or a constraint whose velocity contradicts its place.

    Parts of this package are not looked at, because tests prove them right; and no model is looked at twice.
    """
    require_matching_potentials(model)
    require_consistent_velocities(model)
