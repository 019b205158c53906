"""Integrators for random cases, each with the error that its order and tolerances promise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import multibody as mb


class Choice(NamedTuple):
    """An integrator, or a sweep, and the error that is allowed relative to the size of the motion."""

    name: str
    integrator: Any
    error: float
    is_sweep: bool = False


def random_integrator(rng: np.random.Generator, *, slow: bool = True) -> Choice:
    """One of all integrators; ``slow`` allows those that step in Python."""
    step = float(10 ** rng.uniform(-3, -2.3))
    quick = [
        Choice("default", None, 1e-5),
        Choice("sweep", None, 1e-5, is_sweep=True),
        Choice("DormandPrince8", mb.DormandPrince8(rtol=float(10 ** rng.uniform(-10, -7))), 1e-4),
        Choice("DormandPrince5", mb.DormandPrince5(rtol=float(10 ** rng.uniform(-10, -7))), 1e-4),
        Choice("RungeKutta4", mb.RungeKutta4(step=step), 1e-4),
        Choice("Symplectic", mb.Symplectic(step=step / 8), 2e-3),
        Choice("SemiImplicitEuler", mb.SemiImplicitEuler(step=step / 40), 2e-2),
    ]
    stepwise = [
        Choice("Cvode", mb.Cvode(), 1e-4),
        Choice("Cvode Adams", mb.Cvode(method="Adams"), 1e-4),
        Choice("Ida", mb.Ida(), 1e-3),
        Choice("IndependentCoordinates", mb.IndependentCoordinates(), 1e-5),
        *(Choice(f"ScipySolver {name}", mb.ScipySolver(method=name), 1e-4) for name in ("RK45", "DOP853", "LSODA")),
        *(Choice(f"ScipySolver {name}", mb.ScipySolver(method=name, rtol=1e-6), 1e-3) for name in ("Radau", "BDF")),
    ]
    choices = quick + (stepwise if slow else [])
    weights = np.array([2.0] * len(quick) + [1.0] * (len(choices) - len(quick)))
    return choices[int(rng.choice(len(choices), p=weights / weights.sum()))]


SHARE = 0.15
"""How often the batteries of mechanisms use another integrator than the one that is chosen by default."""


def occasional_integrator(rng: np.random.Generator) -> Choice:
    """Mostly the default; now and then an adaptive one, with an error that loops and impacts may have let grow.

    It is drawn last, so that the cases are the same with and without it.
    """
    if rng.uniform() >= SHARE:
        return Choice("default", None, 0.0)
    return [
        Choice("DormandPrince5", mb.DormandPrince5(rtol=1e-9), 1e-3),
        Choice("DormandPrince8", mb.DormandPrince8(rtol=1e-10), 1e-3),
        Choice("RungeKutta4", mb.RungeKutta4(step=1e-3), 1e-3),
        Choice("Cvode", mb.Cvode(rtol=1e-9), 1e-3),
        Choice("Ida", mb.Ida(rtol=1e-9), 1e-3),
        Choice("ScipySolver", mb.ScipySolver(method="DOP853", rtol=1e-9), 1e-3),
        Choice("IndependentCoordinates", mb.IndependentCoordinates(rtol=1e-9), 1e-3),
    ][int(rng.integers(7))]
