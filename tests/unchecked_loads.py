"""Equations of models whose loads have wrong potentials, to test what else notices them."""

import multibody as mb
from multibody.mechanics.validation.load_potentials import PASSED


def derive_unchecked(system):
    """Equations of motion for which forces and potentials of loads were not compared."""
    model = system.freeze()
    model.remembered[PASSED] = True
    return mb.Recursive().derive(model)
