"""Random systems in motion: the energy balance closes, different methods agree, constraints are kept."""

import numpy as np
import pytest

import multibody as mb
from multibody.graph import sin
from multibody.simulation import Cvode, DormandPrince5, DormandPrince8, IndependentCoordinates, Status, simulate
from multibody.testing import add_random_loads, random_loops, random_state, random_system

ORDER_8, ORDER_5 = DormandPrince8(rtol=1e-12, atol=1e-12), DormandPrince5(rtol=1e-11, atol=1e-11)


def vibrating(eom):
    """A law for each input; the rates of inputs that motions follow come by themselves."""
    names = [one.name for one in eom.inputs if not one.name.endswith("dot")]
    return {name: 2 * sin((k + 1) * eom.model.time + 0.3 * k) for k, name in enumerate(names)}


def require_agreement(eom, integrators, **start):
    """One second by several integrators; the first run."""
    runs = [simulate(eom, 1.0, integrator=one, inputs=vibrating(eom), samples=51, **start) for one in integrators]
    reach = 1 + np.abs(runs[0].y).max()
    for run in runs:
        assert run.status is Status.DONE, run.message
        assert run.energy_drift < 1e-8
        assert max(run.residuals.position.max(), run.residuals.velocity.max()) < 1e-10
        np.testing.assert_allclose(run.y, runs[0].y, atol=1e-9 * reach)
    return runs[0]


@pytest.mark.parametrize("seed", [0, 4, 6, 8])
def test_random_trees(seed):
    """With springs, dampers, friction, inputs and driven joints."""
    eom = mb.derive(random_system(seed, 3, loads=5))
    q, u = random_state(eom.model, seed)
    adams = Cvode(method="Adams", rtol=1e-12, atol=1e-12)
    run = require_agreement(eom, [ORDER_8, ORDER_5, adams], q=list(q), u=list(u))
    assert np.abs(run.works[-1]).max() > 0.1  # there is more to balance than T + V


@pytest.mark.parametrize("seed", [6, 10])
def test_random_loops(seed):
    system = random_loops(seed, 4, 2)
    add_random_loads(system, seed, 4)
    eom = mb.derive(system)
    assert eom.constraints.independent
    _, u = random_state(eom.model, seed)
    independent = IndependentCoordinates(rtol=1e-12, atol=1e-12)
    run = require_agreement(eom, [ORDER_8, ORDER_5, independent], start=eom.consistent(u=list(u)))
    assert np.abs(run.works[-1]).max() > 0.1


def test_works_of_random_systems_are_all_there():
    """The systems above have inputs that work, loads that dissipate and joints that are driven."""
    totals = np.zeros(3)
    for seed in (4, 6):
        eom = mb.derive(random_system(seed, 3, loads=5))
        q, u = random_state(eom.model, seed)
        totals += np.abs(simulate(eom, 1.0, q=list(q), u=list(u), inputs=vibrating(eom)).works[-1])
    assert totals.min() > 1
