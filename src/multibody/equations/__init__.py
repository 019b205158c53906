"""The contract of all equations of motion, and what follows from them: forces, energies, compiled functions."""

from multibody.equations.equations import EquationsOfMotion, Implicit
from multibody.equations.kinetics import Kinetics
from multibody.equations.solution import Handling, IndependentSpeeds, Multipliers, Solution, solved
from multibody.mechanics.constraints.independence import Constraints

__all__ = [
    "Constraints", "EquationsOfMotion", "Handling", "Implicit", "IndependentSpeeds", "Kinetics", "Multipliers",
    "Solution", "solved",
]  # fmt: skip
