"""The contract of all equations of motion, and what follows from them: forces, energies, compiled functions."""

from multibody.equations.constraints import Constraints
from multibody.equations.equations import EquationsOfMotion, Implicit
from multibody.equations.kinetics import Kinetics
from multibody.equations.solution import Handling, IndependentSpeeds, Multipliers, Solution, solved

__all__ = [
    "Constraints", "EquationsOfMotion", "Handling", "Implicit", "IndependentSpeeds", "Kinetics", "Multipliers",
    "Solution", "solved",
]  # fmt: skip
