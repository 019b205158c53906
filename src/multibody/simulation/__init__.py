"""Runs through time: integrators, inputs, events, and the trajectories that come out."""

from multibody.errors import SimulationError, SimulationInterrupted
from multibody.simulation.contract import Status
from multibody.simulation.events.events import Event
from multibody.simulation.events.impacts import Impact
from multibody.simulation.integrators.baumgarte import baumgarte
from multibody.simulation.integrators.fixed_step import RungeKutta4, SemiImplicitEuler, Symplectic
from multibody.simulation.integrators.independent_coordinates import IndependentCoordinates
from multibody.simulation.integrators.integrator import Integrator
from multibody.simulation.integrators.rosenbrock import Rodas5P
from multibody.simulation.integrators.runge_kutta import DormandPrince5, DormandPrince8
from multibody.simulation.integrators.scipy_solvers import ScipySolver
from multibody.simulation.integrators.sundials import Cvode, Ida
from multibody.simulation.problem.inputs import Sampled
from multibody.simulation.results.store import read_trajectory
from multibody.simulation.results.trajectory import Trajectory
from multibody.simulation.single_run import simulate
from multibody.simulation.sweeps.distributions import Choice, Normal, Uniform
from multibody.simulation.sweeps.result import Sweep
from multibody.simulation.sweeps.sweep import read_sweep, sweep

__all__ = [
    "Choice", "Cvode", "DormandPrince5", "DormandPrince8", "Event", "Ida", "Impact", "IndependentCoordinates",
    "Integrator", "Normal", "Rodas5P", "RungeKutta4", "Sampled", "ScipySolver", "SemiImplicitEuler",
    "SimulationError", "SimulationInterrupted", "Status", "Sweep", "Symplectic", "Trajectory", "Uniform", "baumgarte",
    "read_sweep", "read_trajectory", "simulate", "sweep",
]  # fmt: skip
