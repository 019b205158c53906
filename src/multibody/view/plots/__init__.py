"""Figures with Matplotlib: each function returns a figure, and writes it to a file if one is named.

Example:
    >>> import multibody as mb
    >>> from multibody.view import plots
    >>> pendulum = mb.System("pendulum")
    >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry", q=1.0)
    >>> run = mb.simulate(mb.derive(pendulum), duration=1.0)
    >>> len(plots.energies(run).axes)
    2
"""

from multibody.view.plots.curves import coordinates, energies, sensors, speeds
from multibody.view.plots.fan import fan
from multibody.view.plots.phase import phase_portrait
from multibody.view.plots.reactions import reactions
from multibody.view.plots.sparsity import sparsity
from multibody.view.plots.spectra import eigenvalues, poles
from multibody.view.plots.topology import topology

__all__ = [
    "coordinates", "eigenvalues", "energies", "fan", "phase_portrait", "poles", "reactions", "sensors", "sparsity",
    "speeds", "topology",
]  # fmt: skip
