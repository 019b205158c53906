"""Runs know how they ended and what they were made with, in every format, and are not taken for others."""

import csv
import json
import logging
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import sqrt
from multibody.simulation import Status, Trajectory, read_trajectory

SUFFIXES = [".csv", ".npz", ".parquet"]


def pendulum(length=1.0, gravity=9.81, damping=0.0, sensor=False):
    system = mb.System("pendulum", gravity=(0, 0, -gravity))
    (l,) = system.parameters(l=length)
    hinge = system.joint("angle", system.world, system.body("bob", 2, (0, 0, -l)), "Ry", q=0.3)
    system.load(mb.JointLoad(hinge, system.input("M")))
    if damping:
        system.load(mb.JointDamper(hinge, damping))
    if sensor:
        system.sensor("place", mb.Position(system["bob"]))
    return system


def edge():
    """A block that cannot go beyond 0.5 m."""
    system = mb.System("edge")
    (x,) = system.joint("x", system.world, system.body("block", 1.0), "Tx", u=1.0).coordinates
    system.load(mb.JointLoad(system["x"], 1e-9 * sqrt(0.5 - x)))
    return mb.derive(system)


@pytest.fixture(scope="module")
def eom():
    return mb.derive(pendulum())


@pytest.fixture(scope="module")
def run(eom):
    return mb.simulate(eom, 1.0, samples=11, parameters={"l": 1.5}, inputs={"M": 0.2})


@pytest.fixture(scope="module")
def failed():
    return mb.simulate(edge(), 2.0, samples=21, on_failure="return")


def read(path, eom, **options):
    return Trajectory.read(path, eom, **({"parameters": {}} | options if path.suffix == ".csv" else options))


# how it ended --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("status", list(Status))
def test_the_status_comes_back(failed, tmp_path, suffix, status):
    path = tmp_path / f"run{suffix}"
    replace(failed, status=status).save(path)
    back = read(path, edge())
    assert back.status is status
    assert back.status.ok is (status in (Status.DONE, Status.EVENT))
    assert read_trajectory(path).about["status"] == status.name


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failed_run_does_not_become_a_complete_one(failed, tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    failed.save(path)
    back = read(path, edge())
    with refused("run-failed"):
        back.require_complete()
    assert back.status.value in str(back) or back.message in str(back).replace(" " * 13, "")
    again = tmp_path / f"again{suffix}"
    back.save(again)
    assert read(again, edge()).status is failed.status


@pytest.mark.parametrize("names", [(), ("x",)])
def test_other_programs_see_that_a_run_failed(failed, tmp_path, names):
    """Python's reader, NumPy's and that of pandas: a last column of zeros that is called after the status."""
    path = tmp_path / "run.csv"
    failed.save(path, *names)
    with path.open(encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    assert heads[-1].startswith(f"status: {failed.status.name}")
    assert {row[-1] for row in rows} == {"0.0"}
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, 0], failed.t)
    pandas = pytest.importorskip("pandas")
    assert not pandas.read_csv(path).iloc[:, -1].any()
    assert list(read_trajectory(path)) == list(failed.names if not names else ("t", *names))


def test_chosen_columns_of_a_complete_run_are_these_columns(run, tmp_path):
    run.save(tmp_path / "run.csv", "angle", "M")
    assert (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[0] == "t [s],angle [rad],M"
    assert read_trajectory(tmp_path / "run.csv").about == {"status": "UNKNOWN"}


def test_files_of_earlier_versions_have_an_unknown_status(run, eom, tmp_path):
    """They had no column for it in CSV, and nothing at all in an NPZ file that another program wrote."""
    run.save(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(encoding="utf-8", newline="") as file:
        rows = [row[:-1] for row in csv.reader(file)]
    with (tmp_path / "old.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    np.savez(tmp_path / "old.npz", **{name: run[name] for name in run.names})
    for name in ("old.csv", "old.npz"):
        back = Trajectory.read(tmp_path / name, eom, {"l": 1.5})
        assert back.status is Status.UNKNOWN
        assert not back.status.ok
        assert "unknown" in repr(back)
        np.testing.assert_array_equal(back.y, run.y)
        with refused("run-failed"):
            back.require_complete()
        assert mb.simulate(eom, 0.5, start=back).t[0] == 1.0


@pytest.mark.parametrize("word", ["", "FINE", "ok", "DONE ", "done", "EVENT"])
def test_a_status_that_was_changed_is_refused(run, eom, tmp_path, word):
    run.save(tmp_path / "run.csv")
    text = (tmp_path / "run.csv").read_text(encoding="utf-8")
    assert "status: DONE" in text
    (tmp_path / "run.csv").write_text(text.replace("status: DONE", f"status: {word}"), encoding="utf-8")
    with refused("file-damaged", "run.csv", "checksum"):
        Trajectory.read(tmp_path / "run.csv", eom, {"l": 1.5})


def test_tables_say_how_a_run_ended(failed):
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    assert failed.to_dataframe().attrs["status"] == failed.status.name
    assert failed.to_xarray().attrs["status"] == failed.status.name
    assert failed.status.value in repr(failed)


# what it was made with -----------------------------------------------------------------------------------------------

CHANGES = {
    "gravity": lambda: pendulum(gravity=9.80665),
    "damping": lambda: pendulum(damping=1e-6),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_other_equations_are_refused(run, tmp_path, suffix, change):
    path = tmp_path / f"run{suffix}"
    run.save(path)
    with refused("run-equations-differ") as caught:
        Trajectory.read(path, mb.derive(CHANGES[change]()), {"l": 1.5})
    assert suffix == ".csv" or "acceleration of angle_dot" in caught.value.what
    assert "rate of angle" not in caught.value.what


@pytest.mark.parametrize("change", CHANGES)
def test_a_run_does_not_go_on_with_other_equations(run, change):
    other = mb.derive(CHANGES[change]())
    for start in (run, run.at(0.5)):
        with refused("run-equations-differ") as caught:
            mb.simulate(other, 1.0, start=start)
        assert "start=eom.consistent(*run.at(t)), t0=t" in caught.value.remedy
    t = 0.5
    later = mb.simulate(other, 1.0, start=other.consistent(*run.at(t)), t0=t, parameters=run.parameters)
    assert later["angle"][0] == pytest.approx(run.at(t).q[0])
    with refused("run-equations-differ"):
        run + later


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_equations_are_accepted(run, tmp_path, suffix):
    """Derived anew, by other formalisms, with other defaults of parameters, and with a sensor more."""
    path = tmp_path / f"run{suffix}"
    run.save(path)
    ways = [mb.Kane(), mb.Lagrange(), mb.NewtonEuler(), mb.ArticulatedBody(), mb.Wittenburg()]
    for other in [*(mb.derive(pendulum(), way) for way in ways), mb.derive(pendulum(length=7.0, sensor=True))]:
        back = Trajectory.read(path, other, {"l": 1.5} if suffix == ".csv" else None)
        assert back.digest == run.digest
        assert mb.simulate(other, 0.1, start=back).parameters["l"] == 1.5
        assert mb.simulate(other, 0.1, start=run).parameters["l"] == 1.5


def test_a_digest_depends_on_equations_and_parameters(run, eom):
    assert mb.simulate(eom, 2.0, parameters={"l": 1.5}).digest == run.digest
    others = [mb.simulate(eom, 1.0), mb.simulate(mb.derive(pendulum(damping=0.1)), 1.0, parameters={"l": 1.5})]
    assert len({run.digest, *(one.digest for one in others)}) == 3


def test_a_digest_is_the_same_in_another_process(run):
    code = (
        "import multibody as mb\n"
        "held = [mb.derive(mb.library.pendulum()), mb.derive(mb.library.crane_crab())]\n"
        "system = mb.System('pendulum', gravity=(0, 0, -9.81))\n"
        "(l,) = system.parameters(l=1.0)\n"
        "hinge = system.joint('angle', system.world, system.body('bob', 2, (0, 0, -l)), 'Ry', q=0.3)\n"
        "system.load(mb.JointLoad(hinge, system.input('M')))\n"
        "print(mb.simulate(mb.derive(system, mb.Lagrange()), 0.1, parameters={'l': 1.5}).digest)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert found.stdout.strip() == run.digest


def test_contacts_are_part_of_what_a_run_was_made_with(tmp_path):
    ball = mb.System("ball", gravity=(0, 0, -9.81))
    fall = ball.joint("z", ball.world, ball.body("rubber", 1.0), "Tz", q=1.0)
    eom, floor = mb.derive(ball), mb.Impact(fall.coordinate, restitution=0.5, name="floor")
    run = mb.simulate(eom, 1.0, samples=11, events=[floor])
    run.save(tmp_path / "run.npz")
    back = Trajectory.read(tmp_path / "run.npz", eom, events=[floor])
    assert back.digest == run.digest
    assert mb.simulate(eom, 0.1, start=back, events=[floor]).status is Status.DONE
    with refused("run-events-differ"):
        Trajectory.read(tmp_path / "run.npz", eom)
    assert (tmp_path / "run.npz").exists()


# parameters ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_other_parameters_are_reported(run, eom, tmp_path, suffix, caplog):
    path = tmp_path / f"run{suffix}"
    run.save(path)
    with caplog.at_level(logging.WARNING, "multibody"):
        assert Trajectory.read(path, eom, {"l": 1.5}).parameters["l"] == 1.5
        assert caplog.messages == []
        assert Trajectory.read(path, eom, {"l": 1.6}).parameters["l"] == 1.6
    (said,) = caplog.messages
    assert "not those of the run" in said
    assert suffix == ".csv" or "l = 1.6, and 1.5 in the run" in said


def test_parameters_go_on_unless_others_are_given(run, eom):
    assert mb.simulate(eom, 0.1, start=run).parameters["l"] == 1.5
    changed = mb.simulate(eom, 0.1, start=run, parameters={"l": 2.0})
    assert changed.parameters["l"] == 2.0
    with refused("runs-not-consecutive", "l"):
        run + changed


# settings ------------------------------------------------------------------------------------------------------------


def test_a_run_knows_its_settings(eom):
    event, integrator = mb.Event(eom.coordinates[0], name="below"), mb.DormandPrince5()
    law = lambda t: 0.1  # noqa: E731
    run = mb.simulate(eom, 0.1, inputs={"M": law}, events=event, integrator=integrator)
    assert run.settings.inputs == {"M": law}
    assert run.settings.events == (event,)
    assert run.settings.integrator is integrator
    assert run.settings.eom is run.source is eom
    assert mb.simulate(eom, 0.1).settings.integrator is None
    swept = mb.sweep(eom, 0.1, initial={"angle": [0.1]}, inputs={"M": 1.0}, samples=3)[0]
    assert swept.settings.inputs == {"M": 1.0}
    assert swept.digest == mb.simulate(eom, 0.1).digest


class Uncopied:
    """A controller that cannot be copied, as one that holds an open file."""

    def __deepcopy__(self, memo):
        raise TypeError("It cannot be copied.")

    def __call__(self, t):
        return 0.1


class Heavy:
    """A controller that holds the equations, which are not copied along."""

    def __init__(self, eom, run):
        self.eom, self.run, self.function = eom, run, eom.forward_dynamics

    def __call__(self, t):
        return 0.1


def test_controllers_that_cannot_be_copied_run_all_the_same(eom, run):
    law = Uncopied()
    assert mb.simulate(eom, 0.1, inputs={"M": law}).settings.inputs["M"] is law
    kept = mb.simulate(eom, 0.1, inputs={"M": Heavy(eom, run)}).settings.inputs["M"]
    assert kept.eom is eom
    assert kept.run is run
    assert kept.function is eom.forward_dynamics


def test_what_a_file_says_about_itself(run, tmp_path):
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as found:
        about = json.loads(str(found["__about__"]))
    assert about["status"] == "DONE"
    assert about["digest"] == run.digest
    assert list(about["equations"]) == ["rate of angle", "acceleration of angle_dot"]
