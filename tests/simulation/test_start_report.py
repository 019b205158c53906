"""The start that is used is reported: values that the user gave and that were changed."""

import logging
import warnings

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import AssemblyError


def linkage(first=0.0, second=None, guess=None, **options):
    """Two cranks of 1 m on a base of 2 m with a rod of 2 m between them: a parallelogram, so that both angles agree."""
    system = mb.System("linkage", gravity=(0, 0, -9.81), recognise_loops=False)
    (span,) = system.parameters(span=2.0)
    cranks = [system.body(f"crank{k}", 1.0, (0, 0, -0.5), (0.1, 0.1, 0.1)) for k in (1, 2)]
    system.joint("a", system.world, cranks[0], "Ry", q=first)
    system.joint("b", system.frame("right", (2, 0, 0)), cranks[1], "Ry", q=second, guess=guess)
    tips = [crank.frame(f"tip{k}", (0, 0, -1)) for k, crank in enumerate(cranks)]
    system.constraint(mb.DistanceConstraint(*tips, span), name="rod")
    return mb.derive(system, **options)


def test_consistent_values_are_kept_without_a_word():
    run = mb.simulate(linkage(0.5, 0.5), 0.1)
    assert run.start_changes == ()
    assert "start changed" not in str(run)


def test_values_of_the_call_that_contradict_each_other_warn_with_names_and_values():
    with pytest.warns(mb.StartWarning, match=r"(?s)'linkage'.*name\s+given\s+used.*a\s+0\.5.*b\s+0\.8.*fixed=") as told:
        run = mb.simulate(linkage(), 0.1, q={"a": 0.5, "b": 0.8})
    assert len(told) == 1
    assert told[0].filename == __file__
    assert [(one.name, one.given) for one in run.start_changes] == [("a", 0.5), ("b", 0.8)]
    np.testing.assert_array_equal([one.used for one in run.start_changes], [run["a"][0], run["b"][0]])
    assert run["a"][0] == pytest.approx(run["b"][0], abs=1e-9)
    assert "start changed" in str(run)


def test_a_value_of_the_model_that_yields_to_one_of_the_call_is_reported():
    run = mb.simulate(linkage(0.2, 0.2), 0.1, q={"a": 0.5})
    assert run["a"][0] == 0.5
    ((name, given, used),) = run.start_changes
    assert (name, given) == ("b", 0.2)
    assert used == pytest.approx(0.5, abs=1e-9)


def test_values_of_the_model_that_contradict_each_other_are_logged(caplog):
    with caplog.at_level(logging.WARNING, "multibody"):
        run = mb.simulate(linkage(0.5, 0.9), 0.1)
    assert {one.name for one in run.start_changes} == {"a", "b"}
    assert "were changed so that its constraints hold" in caplog.text


def test_defaults_and_guesses_are_never_reported(caplog):
    for eom in (linkage(0.5), linkage(0.5, guess=0.9)):
        with caplog.at_level(logging.WARNING, "multibody"):
            run = mb.simulate(eom, 0.1)
        assert run.start_changes == ()
        assert run["a"][0] == 0.5
    assert caplog.text == ""


def test_a_guess_selects_the_assembly():
    states = [linkage(1.2, guess=guess).consistent() for guess in (-2.5, -1.5, -0.5, 0.9)]
    assert {state["a"] for state in states} == {1.2}
    assert len({round(float(np.cos(state["b"])), 6) for state in states}) == 2  # parallel, and crossed


def test_a_guess_is_kept_in_model_files():
    system = mb.System("arm")
    system.joint("a", system.world, system.body("bar", 1.0, (0, 0, -1)), "Ry", guess=0.25)
    text = mb.model_text(system)
    assert "guess: 0.25" in text


def test_a_value_and_a_guess_together_are_refused():
    system = mb.System("arm")
    with refused("start-value-twice"):
        system.joint("a", system.world, system.body("bar", 1.0), "Ry", q=1.0, guess=0.5)


@pytest.mark.parametrize("angle", [np.pi / 6, 1.0471975511965976, 0.123456789])
def test_rounded_values_do_not_warn(angle):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = mb.simulate(linkage(), 0.1, q={"a": angle, "b": round(angle, 4)})
    assert {one.name for one in run.start_changes} <= {"a", "b"}
    for one in run.start_changes:
        assert one.is_rounding
        assert one.used == run[one.name][0] != one.given
    assert "start changed" not in str(run)


def test_values_with_few_digits_are_listed_also_in_files_and_sweeps(tmp_path):
    """b is 0.05 % off: too little for a warning, and not silent."""
    eom, q = linkage(), {"a": 1.0, "b": 1.0005}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = mb.simulate(eom, 0.1, q=q)
        runs = mb.sweep(eom, 0.1, initial={"a": [1.0], "b": 1.0005})
    assert [(one.name, one.given) for one in run.start_changes] == [("a", 1.0), ("b", 1.0005)]
    assert all(one.is_rounding for one in run.start_changes)
    assert run["a"][0] == pytest.approx(1.00025, abs=1e-6)
    assert runs[0].start_changes == run.start_changes
    assert "start changed" not in str(runs)
    run.save(tmp_path / "run.npz")
    back = mb.Trajectory.read(tmp_path / "run.npz", eom)
    assert back.start_changes == run.start_changes
    assert all(one.is_rounding for one in back.start_changes)


def test_speeds_with_few_digits_are_listed():
    run = mb.simulate(linkage(0.5, 0.5), 0.1, u={"a_dot": 1.0, "b_dot": 1.000005})
    assert {one.name for one in run.start_changes} == {"a_dot", "b_dot"}
    assert all(one.is_rounding for one in run.start_changes)


def test_speeds_that_contradict_each_other_warn():
    with pytest.warns(mb.StartWarning, match=r"(?s)a_dot.*b_dot"):
        run = mb.simulate(linkage(0.5, 0.5), 0.1, u={"a_dot": 1.0, "b_dot": 0.0})
    assert {one.name for one in run.start_changes} == {"a_dot", "b_dot"}
    assert run["a_dot"][0] == pytest.approx(0.5)


def test_lists_of_all_values_count_as_given():
    with pytest.warns(mb.StartWarning):
        run = mb.simulate(linkage(), 0.1, q=[0.5, 0.8])
    assert run.start_changes


def test_fixed_still_forbids_changes():
    with pytest.raises(AssemblyError):
        mb.simulate(linkage(), 0.1, q={"a": 0.5, "b": 0.8}, fixed=["a", "b"])


def test_states_carry_their_changes():
    state = linkage().consistent({"a": 0.5, "b": 0.8})
    assert [one.name for one in state.changes] == ["a", "b"]
    assert linkage().consistent({"a": 0.5}).changes == ()


def test_a_run_from_such_a_state_reports_without_a_warning():
    eom = linkage()
    state = eom.consistent({"a": 0.5, "b": 0.8})
    assert mb.simulate(eom, 0.1, start=state).start_changes == state.changes


def test_other_lengths_move_values_of_the_model_without_a_warning(caplog):
    with caplog.at_level(logging.WARNING, "multibody"):
        run = mb.simulate(linkage(0.5, 0.5), 0.1, parameters={"span": 1.9})
    assert run.start_changes
    assert caplog.text == ""


def test_a_quaternion_of_another_length_is_reported():
    system = mb.System("rock")
    system.joint("free", system.world, system.body("stone", 1.0, inertia=(1, 1, 1)), mb.Free())
    eom = mb.derive(system)
    names = {one.name: value for one, value in zip(eom.coordinates, (0, 0, 0, 0.7, 0.7, 0, 0), strict=True)}
    assert mb.simulate(eom, 0.1, q=names).start_changes == ()  # the same rotation, with few digits
    with pytest.warns(mb.StartWarning):
        run = mb.simulate(eom, 0.1, q=names | {"free_qw": 2.0, "free_qx": 2.0})
    assert {one.name for one in run.start_changes} == {"free_qw", "free_qx"}


def test_dependent_values_of_closed_forms_are_reported():
    system = mb.System("loom")
    crank, coupler, rocker = (system.body(name, 1, (1, 0, 0), (1, 1, 1)) for name in ("crank", "coupler", "rocker"))
    system.joint("a", system.world, crank, "Rz", q=1.0)
    system.joint("b", crank.frame("B", (1, 0, 0)), coupler, "Rz", q=0.7)
    system.joint("d", system.frame("D", (3, 0, 0)), rocker, "Rz")
    system.loop(mb.FourBar(coupler.frame("C3", (3, 0, 0)), rocker.frame("C4", (2, 0, 0))))
    run = mb.simulate(mb.derive(system), 0.1)
    ((name, given, used),) = run.start_changes
    assert (name, given) == ("b", 0.7)
    assert used == pytest.approx(run["b"][0])


def test_saved_runs_keep_the_changes(tmp_path):
    eom = linkage(0.5, 0.9)
    run = mb.simulate(eom, 0.1)
    run.save(tmp_path / "run.npz")
    assert mb.Trajectory.read(tmp_path / "run.npz", eom).start_changes == run.start_changes


def test_sweeps_warn_once_and_keep_the_changes_of_each_run():
    with pytest.warns(mb.StartWarning, match=r"in 2 of 3 runs") as told:
        runs = mb.sweep(linkage(), 0.1, initial={"a": [0.5, 0.6, 0.7], "b": 0.6})
    assert len(told) == 1
    assert sorted(runs.start_changes) == [0, 2]
    assert runs[0].start_changes[0][:2] == ("a", 0.5)
    assert "start changed" in str(runs)
    assert runs.to_dataframe()["start_changes"].tolist() == [2, 0, 2]
