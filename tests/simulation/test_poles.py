"""Expressions of events that pass through infinity: the change of sign at a pole is not an event."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from multibody.graph import absolute, sign, sqrt, tan, where

INTEGRATORS = (
    mb.DormandPrince8(), mb.DormandPrince5(), mb.RungeKutta4(step=0.01), mb.SemiImplicitEuler(step=0.01),
    mb.Symplectic(step=0.01), mb.Cvode(), mb.Ida(), mb.ScipySolver(), mb.ScipySolver(method="LSODA"),
    mb.IndependentCoordinates(),
)  # fmt: skip


def slide() -> tuple[mb.EquationsOfMotion, object]:
    """A mass that moves along x with 1 m/s."""
    system = mb.System("slide")
    way = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", u=1.0)
    return mb.derive(system), way.coordinate


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_zeros_and_jumps_are_counted_and_poles_are_not(integrator: mb.Integrator) -> None:
    eom, x = slide()
    expressions = {
        "pole": 1 / (x - 0.5123),
        "cubic pole": 1 / (x - 0.25) ** 3,
        "root of a distance": sign(x - 0.4) / sqrt(absolute(x - 0.4)),
        "pole and zero": (x - 0.8) / (x - 0.5123),
        "zero beside a pole": 1 / (x - 0.5) + 2000 * (x - 0.9),
        "tangent": tan(7 * x),
        "jump": where(x < 0.5123, -1.0, 1.0),
        "steep": 1e6 * (x - 0.5123),
        "divided": (x - 0.3) / (1 + x * x),
    }
    zeros = {
        "pole and zero": [0.8],
        "zero beside a pole": [0.7 + sign_ * np.sqrt(0.04 - 1 / 2000) for sign_ in (-1, 1)],
        "tangent": [np.pi / 7, 2 * np.pi / 7],
        "jump": [0.5123],
        "steep": [0.5123],
        "divided": [0.3],
    }
    events = [mb.Event(expression, name=name.replace(" ", "_")) for name, expression in expressions.items()]
    run = mb.simulate(eom, duration=1.0, events=events, integrator=integrator)
    for name in expressions:
        times = [one.t for one in run.occurrences if one.name == name.replace(" ", "_")]
        assert len(times) == len(zeros.get(name, [])), name
        assert np.allclose(times, zeros.get(name, []), rtol=0, atol=1e-9), name


@pytest.mark.parametrize("integrator", INTEGRATORS[:6], ids=lambda one: type(one).__name__)
def test_a_pole_neither_resets_nor_ends_a_run(integrator: mb.Integrator) -> None:
    eom, x = slide()
    events = [
        mb.Event(1 / (x - 0.5123), terminal=True, name="end"),
        mb.Event((x - 0.75) / (x - 0.25), reset={"x_dot": 2.0}, name="faster"),
    ]
    run = mb.simulate(eom, duration=1.0, events=events, integrator=integrator)
    assert run.status is mb.Status.DONE
    assert [one.name for one in run.occurrences] == ["faster"]
    assert abs(run["x"][-1] - 1.25) < 1e-9
