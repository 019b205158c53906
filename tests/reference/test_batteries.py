"""A small sample of each battery of ``./dev bench trust``, and that a battery notices what is wrong."""

from dataclasses import replace

import pytest

from multibody.io.urdf import robot

from . import (
    angles,
    case,
    events,
    exports,
    linkages,
    moving_geometry,
    potentials,
    pulses,
    singular,
    stops,
    stored,
    urdf,
)
from .batteries import COUNTS, outcome

SAMPLES = {
    "pulses": range(1, 11),
    "events": range(12),
    "linkages": [2, 3, 4, 12, 19, 26],
    "singular": [0, 3, 10, 13],
    "angles": [0, 1, 3, 6],
    "stops": [4, 8, 12, 13, 15],
    "urdf": [10, 25, 33, 82],
    "potentials": range(8),
    "moving_geometry": range(24),
    "exports": [1],
    "stored": [1, 2, 8, 10, 13, 19, 34, 35, 37, 43, 44, 47, 49, 63],
    "linear": range(9),
}


def test_each_battery_has_a_sample():
    assert {*SAMPLES} == {*COUNTS}


@pytest.mark.parametrize(("battery", "seed"), [(name, seed) for name, seeds in SAMPLES.items() for seed in seeds])
def test_a_run_is_right(battery, seed):
    found = outcome(battery, seed)
    assert found.verdict == case.RIGHT, f"{found.what}\n{found.detail}"


@pytest.mark.parametrize("seed", [6, 28, 48])
def test_passages_that_solvers_of_libraries_do_not_pass_are_refused(seed):
    """``Cvode`` and ``IndependentCoordinates`` may stop in a singular position; they are never on another branch."""
    found = outcome("singular", seed)
    assert found.verdict in (case.RIGHT, case.REFUSED), f"{found.what}\n{found.detail}"


@pytest.mark.parametrize(
    ("battery", "module", "seed"),
    [("pulses", pulses, 1), ("linkages", linkages, 4), ("singular", singular, 3), ("angles", angles, 6),
     ("stops", stops, 4)],
)  # fmt: skip
def test_a_battery_notices_other_parameters_and_starts(battery, module, seed, monkeypatch):
    """The same run with gravity, masses or speeds that differ by five percent is wrong."""
    simulated = case.simulated

    def disturbed(eom, *, parameters=None, u=None, **options):
        if parameters:
            parameters = {name: 1.05 * value for name, value in parameters.items()}
        speeds = {name: 1.05 * value for name, value in u.items()} if u else None
        return simulated(eom, parameters=parameters, u=speeds, **options)

    monkeypatch.setattr(module, "simulated", disturbed)
    assert outcome(battery, seed).verdict in (case.WRONG, case.REFUSED)


def test_a_battery_notices_a_missing_event(monkeypatch):
    def without_the_first(eom, **options):
        run = case.simulated(eom, **options)
        return type("Run", (), {"occurrences": run.occurrences[1:], "status": run.status})

    monkeypatch.setattr(events, "simulated", without_the_first)
    assert outcome("events", 3).verdict == case.WRONG


def test_an_error_of_another_kind_is_wrong(monkeypatch):
    monkeypatch.setattr(events, "simulated", lambda *_, **__: 1 / 0)
    found = outcome("events", 3)
    assert found.verdict == case.WRONG
    assert "ZeroDivisionError" in found.detail


@pytest.mark.parametrize("path", ["joint/limit@velocity", "transmission", "link/collision"])
def test_a_battery_notices_an_element_that_is_not_reported(path, monkeypatch):
    """Without the entries of one kind the report is not complete."""
    unused_parts = robot.unused_parts
    monkeypatch.setattr(
        robot, "unused_parts", lambda *args: tuple(one for one in unused_parts(*args) if one.path != path)
    )
    found = outcome("urdf", next(k for k, file in enumerate(urdf.files()) if file.name == "z1.urdf"))
    assert found.verdict == case.WRONG
    assert path in found.detail


def test_a_battery_notices_a_potential_that_is_accepted(monkeypatch):
    """The right potential in the place of a wrong one is not refused, and counts as unnoticed."""
    monkeypatch.setattr(potentials, "spoiled", lambda load, error, q: load)
    assert outcome("potentials", 3).verdict == case.WRONG


def test_a_battery_notices_geometry_that_is_accepted(monkeypatch):
    monkeypatch.setattr(moving_geometry, "FOLLOWED", dict.fromkeys(moving_geometry.FOLLOWED, lambda s: 0.3))
    assert outcome("moving_geometry", 3).verdict == case.WRONG


def test_a_battery_notices_a_formula_that_became_a_number(monkeypatch):
    """Code whose formulas are left out follows the defaults, whatever the parameters are."""
    program_of = exports.Program.of

    def with_numbers(eom, parameters=None):
        made = program_of(eom, parameters)
        return replace(made, parameters=tuple(replace(one, formula=None) for one in made.parameters))

    monkeypatch.setattr(exports, "tools", lambda: {"Python": exports.TOOLS["Python"]})
    assert outcome("exports", 1).verdict == case.RIGHT
    monkeypatch.setattr(exports, "Program", type("Numbers", (), {"of": staticmethod(with_numbers)}))
    assert outcome("exports", 1).verdict == case.WRONG


@pytest.mark.parametrize(
    ("seed", "check"),
    [
        (34, "sweeps.sweep_identity._require_same"),
        (13, "sweeps.sweep_identity._differing_parts"),
        (4, "results.records._require_equations"),
    ],
)
def test_a_battery_notices_a_stored_result_of_another_question(seed, check, monkeypatch):
    """Without one of the comparisons, the numbers of the other question come back."""
    assert outcome("stored", seed).verdict == case.RIGHT
    monkeypatch.setattr(f"multibody.simulation.{check}", lambda *_: [])
    assert outcome("stored", seed).verdict == case.WRONG


@pytest.mark.parametrize("detail", ["input limit", "step", "joint limit", "mass of a falling body"])
def test_numbers_of_two_questions_differ(detail):
    """Otherwise the numbers of the first one would be right for the second, and the pair would prove nothing."""
    make = {**stored.MODELS, **stored.RUNS}[detail]
    one, other = (stored.content(stored.swept(make(x))) for x in (0.4, 1.3))
    assert stored.same(one, one)
    assert not stored.same(one, other)


def test_a_battery_notices_a_question_that_is_not_recognized(monkeypatch):
    """Numbers that are different each time make every question another one."""
    numbers = iter(range(1000))
    monkeypatch.setattr(stored, "arm", lambda make=stored.arm, **options: make(mass=2.0 + next(numbers), **options))
    assert outcome("stored", 35).verdict == case.REFUSED
