"""Linear pictures of motions: operating points, linear systems with names, what they tell and where they go."""

from multibody.linearization.control.design import Observer, Regulator, kalman, lqr
from multibody.linearization.control.observer_feedback import output_feedback
from multibody.linearization.derivatives.casadi_dynamics import casadi_function
from multibody.linearization.derivatives.jax_dynamics import jax_function
from multibody.linearization.derivatives.sparse_jacobians import DynamicsJacobians, SparseFunction, jacobians
from multibody.linearization.operating_points.point import OperatingPoint
from multibody.linearization.spectra.modes import Mode
from multibody.linearization.state_space.linear_system import LinearSystem, read_linear_system
from multibody.linearization.state_space.linearized_system import LinearizedSystem
from multibody.linearization.state_space.linearizer import linearize
from multibody.linearization.state_space.symbolic import linearize_symbolic
from multibody.linearization.state_space.symbolic_system import SymbolicLinearSystem
from multibody.linearization.studies.critical_values import Crossing, critical_values
from multibody.linearization.studies.root_locus import RootLocus, along, root_locus
from multibody.linearization.studies.sensitivity import pole_sensitivities
from multibody.linearization.trim.equilibrium_point import Equilibria, Equilibrium
from multibody.linearization.trim.steady_states import equilibria, equilibrium

__all__ = [
    "Crossing", "DynamicsJacobians", "Equilibria", "Equilibrium", "LinearSystem",
    "LinearizedSystem", "Mode", "Observer", "OperatingPoint", "Regulator", "RootLocus", "SparseFunction",
    "SymbolicLinearSystem", "along", "casadi_function", "critical_values", "equilibria", "equilibrium", "jacobians",
    "jax_function", "kalman", "linearize", "linearize_symbolic", "lqr", "output_feedback", "pole_sensitivities",
    "read_linear_system", "root_locus",
]  # fmt: skip
