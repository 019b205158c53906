"""The choice of the integrator: by estimated time, from eigenvalues and the work of a step."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.simulation import preparation
from multibody.simulation.contract import Status, Watch
from multibody.simulation.integrators.stiffness import IntegratorKind, Stiffness, Work, stiffness

from . import solver_models as models
from .solver_models import problem_of

ROOT = Path(__file__).resolve().parents[2]
EXPLICIT, ROSENBROCK, BDF = IntegratorKind


@pytest.fixture(scope="module")
def battery():
    """The models of the benchmark."""
    folders = [str(ROOT / "benchmarks"), str(ROOT / "tests" / "formalisms")]
    sys.path[:0] = folders
    try:
        spec = importlib.util.spec_from_file_location("_stiff_models", ROOT / "benchmarks" / "_stiff_models.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        del sys.path[: len(folders)]
    return module


def chosen(module, name):
    """What is chosen for a model of the battery, with its equations."""
    model = module.STIFF_MODELS[name]
    eom = mb.derive(model.make())
    problem = preparation.prepared(eom).problem(np.array(list(eom.model.parameter_values().values())))
    y = module.start_of(eom)
    return preparation.chosen(problem, np.array([0.0, model.duration]), y), problem, y, model.duration


def test_the_flyball_governor_takes_the_method_with_fewer_evaluations(battery):
    """A05 of the IFToMM library with 1e5 N/m and 4e3 N·s/m: counted in evaluations, Jacobians and factorizations."""
    choice, problem, y, duration = chosen(battery, "flyball, 1e5")
    assert isinstance(choice.integrator, mb.DormandPrince8)
    explicit, implicit = (
        one.for_run(duration).run(problem, 0.0, y, np.array([duration]), 0.0, Watch())
        for one in (mb.DormandPrince8(), mb.Rodas5P())
    )
    assert explicit.status is implicit.status is Status.DONE
    assert explicit.last_y[:4] == pytest.approx(implicit.last_y[:4], abs=1e-5)
    share = 5  # evaluations that a Jacobian of 8 states and a factorization are worth, at least
    assert explicit.evaluations < implicit.evaluations + share * implicit.jacobians * 8


def test_a_stiffer_governor_takes_the_implicit_one(battery):
    choice, problem, y, duration = chosen(battery, "flyball, 1e7")
    assert isinstance(choice.integrator, mb.Rodas5P)
    assert "implicit steps take about" in choice.why
    explicit, implicit = (
        one.for_run(duration).run(problem, 0.0, y, np.array([duration]), 0.0, Watch())
        for one in (mb.DormandPrince8(max_steps=40_000), mb.Rodas5P())
    )
    assert explicit.status is Status.TOO_MANY_STEPS
    assert implicit.status is Status.DONE


@pytest.mark.parametrize(
    ("name", "kind"),
    [("slide, 1e6", "Rodas5P"), ("slide, 1e4", "Rodas5P"), ("van der Pol, 1e-6", "Rodas5P"), ("belt", "Rodas5P"),
     ("10 masses, 1e6", "Rodas5P"), ("bushing, 1e7", "Rodas5P"), ("servo, 1e6", "Rodas5P"),
     ("pendulum", "DormandPrince8"), ("double pendulum", "DormandPrince8"), ("spinning top", "DormandPrince8"),
     ("10 masses, undamped", "DormandPrince8"), ("2 four-bars", "DormandPrince8")],
)  # fmt: skip
def test_clear_cases(battery, name, kind):
    assert type(chosen(battery, name)[0].integrator).__name__ == kind


def test_the_battery_has_models_of_both_kinds(battery):
    assert len(battery.STIFF_MODELS) >= 20


def kind(work, stable, accurate):
    """The kind with the shortest estimated time."""
    return int(Stiffness(0, 0, stable, accurate, work.seconds(stable, accurate)).kind)


def test_estimates_follow_the_work():
    small, large = Work(4, 50, has_bdf=True), Work(400, 20_000, has_bdf=True)
    assert [kind(small, stable, 20.0) for stable in (0.0, 100.0, 1e4, 1e7)] == [EXPLICIT, EXPLICIT] + [ROSENBROCK] * 2
    assert kind(small, 1e5, 1e5) == EXPLICIT  # accuracy asks for as many steps
    assert kind(large, 1e7, 20.0) == BDF  # a factorization in each step takes longer than Python
    assert kind(Work(400, 20_000), 1e7, 20.0) == ROSENBROCK  # without the library
    python = Work(20, 50, laws=1, exact=False, has_bdf=True)  # Jacobians by differences of a function of Python
    assert kind(python, 1e6, 0.0) == BDF
    assert np.array_equal(
        Stiffness(0, 0, 0, 0, small.seconds(np.array([0.0, 1e7]), np.array([20.0, 20.0]))).kind, [EXPLICIT, ROSENBROCK]
    )


def test_nobody_needs_the_library_for_stiff_equations(monkeypatch):
    monkeypatch.setattr(preparation, "has_sundials", lambda: False)
    run = mb.simulate(mb.derive(models.slide(1.0, 1e6, 1e6)), 2.0)
    assert run.statistics.integrator.startswith("Rodas5P")
    assert run["x"][-1] == pytest.approx(models.slide_at(2.0, 1.0, 1e6, 1e6)[0], abs=1e-8)


def test_the_reason_is_told():
    problem, y0 = problem_of(models.slide(1.0, 1e6, 1e6))
    assert "instead of" in str(stiffness(problem, 0.0, y0, 10.0))
    problem, y0 = problem_of(models.slide(1.0, 1.0))
    assert str(stiffness(problem, 0.0, y0, 10.0)).startswith("not stiff: ")
    assert "instead of" not in str(stiffness(problem, 0.0, y0, 10.0))


def test_stiff_runs_of_a_sweep_are_the_same_as_single_ones():
    eom = mb.derive(models.slide(1.0, 1e5, 1e5))
    sweep = mb.sweep(eom, 2.0, initial={"x": [0.5, 1.0]}, samples=11)
    for start, run in zip((0.5, 1.0), sweep, strict=True):
        single = mb.simulate(eom, 2.0, q={"x": start}, samples=11)
        assert run.statistics.integrator.startswith("Rodas5P")
        assert run["x"] == pytest.approx(single["x"], rel=1e-12)
