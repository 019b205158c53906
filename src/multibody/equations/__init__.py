"""The contract of all equations of motion, and what follows from them: forces, energies, compiled functions."""

from multibody.equations.equations import EquationsOfMotion, Implicit
from multibody.equations.kinetics import Kinetics

__all__ = ["EquationsOfMotion", "Implicit", "Kinetics"]
