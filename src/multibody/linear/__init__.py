"""Linear pictures of motions: operating points, linear systems with names, what they tell and where they go."""

from multibody.linear.casadi_dynamics import casadi_function
from multibody.linear.critical import Crossing, critical_values
from multibody.linear.csv_table import read_linear_system
from multibody.linear.design import Observer, Regulator, kalman, lqr
from multibody.linear.equilibrium_point import Equilibria, Equilibrium
from multibody.linear.jax_dynamics import jax_function
from multibody.linear.linear_system import LinearizedSystem, LinearSystem
from multibody.linear.linearization import linearize
from multibody.linear.modes import Mode
from multibody.linear.observer_feedback import output_feedback
from multibody.linear.point import OperatingPoint
from multibody.linear.sensitivity import pole_sensitivities
from multibody.linear.sparse_jacobians import DynamicsJacobians, SparseFunction, jacobians
from multibody.linear.steady_states import equilibria, equilibrium
from multibody.linear.studies import RootLocus, along, root_locus
from multibody.linear.symbolic import linearize_symbolic
from multibody.linear.symbolic_system import SymbolicLinearSystem

__all__ = [
    "Crossing", "DynamicsJacobians", "Equilibria", "Equilibrium", "LinearSystem",
    "LinearizedSystem", "Mode", "Observer", "OperatingPoint", "Regulator", "RootLocus", "SparseFunction",
    "SymbolicLinearSystem", "along", "casadi_function", "critical_values", "equilibria", "equilibrium", "jacobians",
    "jax_function", "kalman", "linearize", "linearize_symbolic", "lqr", "output_feedback", "pole_sensitivities",
    "read_linear_system", "root_locus",
]  # fmt: skip
