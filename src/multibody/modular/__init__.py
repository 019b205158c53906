"""Modular modelling: systems put together from subsystems and the constraints among them (MoSs)."""

from multibody.modular import library
from multibody.modular.auxiliary import evaluate_parameters
from multibody.modular.coupling import couple, subsystem
from multibody.modular.from_system import from_system
from multibody.modular.inertia_symmetry import inertia_tensor
from multibody.modular.labelled import Labelled
from multibody.modular.linear_subsystem import LinearSubsystem
from multibody.modular.linearization import linearize
from multibody.modular.newton_euler import newton_euler
from multibody.modular.placement import rotation
from multibody.modular.subsystem import Subsystem

__all__ = [
    "Labelled", "LinearSubsystem", "Subsystem", "couple", "evaluate_parameters", "from_system", "inertia_tensor",
    "library", "linearize", "newton_euler", "rotation", "subsystem",
]  # fmt: skip
