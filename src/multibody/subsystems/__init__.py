"""Modular modelling: systems put together from subsystems and the constraints among them (MoSs)."""

from multibody.subsystems import library
from multibody.subsystems.arguments.groups import KnownMotion, KnownRelations, OwnEquations
from multibody.subsystems.coupling import couple, subsystem
from multibody.subsystems.from_system import from_system
from multibody.subsystems.labelled import Labelled
from multibody.subsystems.linear.linear_subsystem import LinearSubsystem
from multibody.subsystems.linear.linearization import linearize
from multibody.subsystems.linear.parameter_values import evaluate_parameters
from multibody.subsystems.rigid_body.inertia_symmetry import inertia_tensor
from multibody.subsystems.rigid_body.newton_euler import newton_euler
from multibody.subsystems.rigid_body.placement import rotation
from multibody.subsystems.subsystem import Subsystem

__all__ = [
    "KnownMotion", "KnownRelations", "Labelled", "LinearSubsystem", "OwnEquations", "Subsystem", "couple",
    "evaluate_parameters", "from_system", "inertia_tensor", "library", "linearize", "newton_euler", "rotation",
    "subsystem",
]  # fmt: skip
