"""Runs through time: integrators, inputs, events, and the trajectories that come out."""

import sys
from types import ModuleType
from typing import Any

from multibody.errors import SimulationError, SimulationInterrupted
from multibody.simulate.baumgarte_terms import baumgarte
from multibody.simulate.contact import Impact
from multibody.simulate.contract import Integrator, Status
from multibody.simulate.distributions import Choice, Normal, Uniform
from multibody.simulate.events import Event
from multibody.simulate.fixed_step import RungeKutta4, SemiImplicitEuler, Symplectic
from multibody.simulate.front import simulate
from multibody.simulate.independent import IndependentCoordinates
from multibody.simulate.inputs import Sampled
from multibody.simulate.runge_kutta import DormandPrince5, DormandPrince8
from multibody.simulate.scipy_solvers import ScipySolver
from multibody.simulate.store import read_trajectory
from multibody.simulate.sundials import Cvode, Ida
from multibody.simulate.sweep_front import read_sweep, sweep
from multibody.simulate.sweep_result import Sweep
from multibody.simulate.trajectory import Trajectory

__all__ = [
    "Choice", "Cvode", "DormandPrince5", "DormandPrince8", "Event", "Ida", "Impact", "IndependentCoordinates",
    "Integrator", "Normal", "RungeKutta4", "Sampled", "ScipySolver", "SemiImplicitEuler",
    "SimulationError", "SimulationInterrupted", "Status", "Sweep", "Symplectic", "Trajectory", "Uniform", "baumgarte",
    "read_sweep", "read_trajectory", "simulate", "sweep",
]  # fmt: skip


class _Room(ModuleType):
    """The room itself can be called, because ``multibody.simulate`` is the name of the verb as well."""

    def __call__(self, *args: Any, **named: Any) -> Trajectory:
        return simulate(*args, **named)


sys.modules[__name__].__class__ = _Room
