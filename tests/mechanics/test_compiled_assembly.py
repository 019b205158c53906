"""Assemblies that take many evaluations: machine code gives what interpretation gives, and is made once."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.compiler import engine
from multibody.graph import sqrt
from multibody.mechanics.assembly import assembly
from multibody.mechanics.assembly.assembly import Assembly
from multibody.testing.random_loops import random_loops


def derived(system):
    return mb.derive(system, mb.Recursive(), constraints=mb.Multipliers())


@pytest.fixture
def compiled_at_once(monkeypatch):
    monkeypatch.setattr(assembly, "INTERPRETED_NODES", 0)


@pytest.fixture
def built(monkeypatch):
    """The number of modules that were compiled, or read from the disk, since the test began."""
    modules = []
    build = engine.build

    def counted(text, *args):
        modules.append(text)
        return build(text, *args)

    monkeypatch.setattr(engine, "build", counted)
    return modules


@pytest.fixture(scope="module")
def stewart():
    return derived(mb.library.stewart_platform())


def rough_guess(eom, many=6, size=0.3):
    """Values of some coordinates that cannot all be kept: many ways are tried."""
    rng = np.random.default_rng(3)
    start = eom.consistent().q
    places = rng.permutation(len(start))[:many]
    return {eom.coordinates[k].name: float(start[k] + size * rng.normal()) for k in places}


@pytest.mark.parametrize("seed", range(6))
def test_interpreted_and_compiled_gaps_and_slopes_agree(seed, monkeypatch):
    eom = derived(random_loops(seed, 4, 2))
    rng = np.random.default_rng(seed)
    slow, quick = Assembly(eom.constraints), Assembly(eom.constraints)
    for _ in range(3):
        q = rng.normal(size=len(eom.coordinates))
        monkeypatch.setattr(assembly, "INTERPRETED_NODES", np.inf)
        expected = slow.gaps(q), slow.slopes(q)
        monkeypatch.setattr(assembly, "INTERPRETED_NODES", 0)
        monkeypatch.setattr(quick, "_numbers", lambda expressions, q: expressions and pytest.fail("interpreted"))
        np.testing.assert_allclose(quick.gaps(q), expected[0], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(quick.slopes(q), expected[1], rtol=1e-12, atol=1e-13)
        monkeypatch.undo()


@pytest.mark.parametrize("seed", range(6))
def test_both_find_the_same_start(seed, monkeypatch):
    eom = derived(random_loops(seed, 4, 2))
    rough = eom.consistent().q + 0.05 * np.random.default_rng(seed).normal(size=len(eom.coordinates))
    found = []
    for limit in (np.inf, 0):
        monkeypatch.setattr(assembly, "INTERPRETED_NODES", limit)
        found.append(eom.consistent(q=rough).q)
    np.testing.assert_allclose(found[1], found[0], atol=1e-10)


def test_inputs_time_and_parameters_reach_the_machine_code(compiled_at_once):
    """Two pistons whose distance is a parameter, beside an input and time: x - y = gap + 2·r + 3·t."""
    system = mb.System("pistons")
    gap, shift = system.parameter("gap", 1.0), system.input("shift")
    x, y = (system.joint(name, system.world, system.body(f"b_{name}", 1.0), "Tx") for name in ("x", "y"))
    system.constraint(x.coordinate - y.coordinate - gap - 2 * shift - 3 * system.time)
    state = derived(system).consistent({"x": 10.0}, fixed=["x"], parameters={"gap": 4.0}, inputs={"shift": 0.5}, t=0.25)
    assert state["y"] == pytest.approx(10.0 - 4.0 - 1.0 - 0.75, abs=1e-12)


def test_small_assemblies_are_not_compiled(built):
    eom = derived(mb.library.slider_crank())
    built.clear()
    for angle in (0.3, 1.0, 2.0):
        eom.consistent({"theta": angle})
    assert not built


def test_machine_code_is_made_once(built):
    stewart = derived(mb.library.stewart_platform())
    guess = rough_guess(stewart)
    stewart.consistent(guess)
    assert len(built) == 2  # gaps and slopes
    stewart.consistent(guess)
    stewart.consistent(rough_guess(stewart, 8, 1.0), parameters={"base": 1.1})
    assert len(built) == 2


def test_a_start_does_not_depend_on_what_was_assembled_before(stewart):
    guess = rough_guess(stewart)
    fresh = derived(mb.library.stewart_platform()).consistent(guess)
    stewart.consistent(rough_guess(stewart, 8, 1.0))
    again = stewart.consistent(guess)
    assert np.array_equal(again.q, fresh.q)
    assert np.array_equal(again.u, fresh.u)


@pytest.mark.filterwarnings("ignore::multibody.errors.StartWarning")
def test_runs_and_sweeps_share_the_machine_code(compiled_at_once, built):
    eom = derived(mb.library.slider_crank())
    guess = {"theta": 0.4, "phi": 0.2}
    start = eom.consistent(guess)
    modules = [one.compiled.llvm for one in (eom.constraints.gap_function, eom.constraints.slope_function)]
    assert set(modules) <= set(built)
    built.clear()
    run = mb.simulate(eom, q=guess, duration=0.01)
    sweep = mb.sweep(eom, parameters={"slider_mass": [2.0, 3.0, 4.0]}, initial=guess, duration=0.01, samples=3)
    assert not set(modules) & set(built)
    assert np.abs(run.q[0] - start.q).max() < 1e-12
    assert sweep.complete
    assert all(np.abs(sweep[k].q[0] - start.q).max() < 1e-12 for k in range(3))


def test_where_a_constraint_has_no_value_the_error_says_which(compiled_at_once):
    system = mb.System("pistons")
    x, y = (system.joint(name, system.world, system.body(f"b_{name}", 1.0), "Tx") for name in ("x", "y"))
    system.constraint(sqrt(x.coordinate) - y.coordinate, name="root")
    found = Assembly(derived(system).constraints)
    with refused("constraint-without-value", "root"):
        found.slopes(np.array([-1.0, 0.0]))
    assert found.largest_gap(np.array([-1.0, 0.0])) == np.inf
    assert found.largest_gap(np.array([4.0, 1.0])) == pytest.approx(1.0)


def test_what_cannot_be_assembled_is_refused(compiled_at_once):
    system = mb.library.slider_crank(rod=0.5, crank=0.15)
    eom = derived(system)
    with refused("loop-cannot-close"):
        eom.consistent({"x": 2.0}, fixed=["x"])
