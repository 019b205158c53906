"""Measures of stored sweeps: added, tried again and replaced without running anything again."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.simulation.sweeps.runner import Runner


def pendulum():
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -1)), "Ry", limits=(-0.75, 0.75))
    system.load(mb.JointLoad(hinge, system.input("M", limits=(-1, 1))))
    return mb.derive(system)


EOM = pendulum()
STARTS = np.linspace(0.1, 1.0, 6)


def run(path, **options):
    given = {"initial": {"angle": STARTS}, "samples": 5, "measures": {"end": end}} | options
    return mb.sweep(EOM, 0.5, path=path, **given)


def end(trajectory):
    return trajectory["angle"][-1]


def largest(trajectory):
    return trajectory["angle"].max()


class Picky:
    """A measure that works for small starts, until a file is there."""

    def __init__(self, path):
        self.path = str(path)

    def __call__(self, trajectory):
        if trajectory["angle"][0] > 0.55 and not Path(self.path).exists():
            raise FileNotFoundError(self.path)
        return 2 * trajectory["angle"][0]


@pytest.fixture
def counted(monkeypatch):
    """The numbers of cases that are run."""
    numbers = []
    start = Runner._start
    monkeypatch.setattr(Runner, "_start", lambda self, case: (numbers.append(case.number), start(self, case))[1])
    return numbers


def test_a_measure_is_added_without_running_again(tmp_path, counted):
    path = tmp_path / "runs"
    run(path)
    assert len(counted) == 6
    both = run(path, measures={"end": end, "largest": largest})
    assert len(counted) == 6
    np.testing.assert_array_equal(
        both.measures["largest"], run(None, measures={"largest": largest}).measures["largest"]
    )
    np.testing.assert_array_equal(both.measures["end"], run(None).measures["end"])
    read = mb.read_sweep(path, EOM)
    assert [*read.measures] == ["end", "largest"]
    assert [*run(path).measures] == ["end"]  # those that were asked for


def test_a_measure_that_failed_is_tried_again(tmp_path, counted):
    path, file = tmp_path / "runs", tmp_path / "there"
    measures = {"end": end, "picky": Picky(file)}
    first = run(path, measures=measures)
    assert first.status == ["DONE"] * 3 + ["MEASURE_FAILED"] * 3
    assert {*first.measure_failures} == {"picky"}
    assert [*first.measure_failures["picky"]] == [3, 4, 5]
    assert "FileNotFoundError" in first.failures[0].message
    assert np.isfinite(first.measures["end"]).all()  # the other measure is not spoiled
    assert np.isnan(first.measures["picky"]).tolist() == [False] * 3 + [True] * 3
    file.touch()
    again = run(path, measures=measures)
    assert len(counted) == 6
    assert again.status == ["DONE"] * 6
    assert again.measure_failures == {}
    np.testing.assert_allclose(again.measures["picky"], 2 * STARTS)
    np.testing.assert_allclose(mb.read_sweep(path, EOM).measures["picky"], 2 * STARTS)


@pytest.mark.parametrize("stored", [True, False])
def test_a_measure_is_replaced_on_request(tmp_path, stored, counted):
    path = tmp_path / "runs" if stored else None
    runs = run(path)
    runs = mb.read_sweep(path, EOM) if stored else runs
    with refused("measure-differs") as caught:
        runs.measure({"end": largest})
    assert "replace=True" in caught.value.remedy
    other = runs.measure({"end": largest}, replace=True)
    np.testing.assert_array_equal(other.measures["end"], other.values("angle").max(axis=1))
    assert len(counted) == 6
    if stored:
        np.testing.assert_array_equal(run(path, measures={"end": largest}).measures["end"], other.measures["end"])
        with refused("sweep-differs") as caught:
            run(path)
        assert "read_sweep(path, eom).measure({…}, replace=True)" in caught.value.remedy


def test_sweeps_are_measured_afterwards(tmp_path):
    run(tmp_path / "runs")
    read = mb.read_sweep(tmp_path / "runs", EOM)
    more = read.measure({"largest": largest, "failing": lambda run: 1 / 0})
    assert [*more.measures] == ["end", "largest", "failing"]
    assert len(more.measure_failures["failing"]) == 6
    assert "division by zero" in more.messages[0]
    assert more.status == ["MEASURE_FAILED"] * 6
    assert more[0].status is mb.Status.DONE
    with refused("measure-not-a-function"):
        read.measure({"odd": 3.0})
    with refused("name-taken", "angle"):
        read.measure({"angle": end})


def test_two_failures_of_one_run_are_both_told():
    runs = run(None, measures={"a": lambda run: 1 / 0, "b": lambda run: run["nothing"], "end": end})
    assert "measure 'a': ZeroDivisionError" in runs.messages[0]
    assert "measure 'b'" in runs.messages[0]
    assert np.isfinite(runs.measures["end"]).all()


def facts(trajectory):
    """What follows from the ends of all steps, not from samples."""
    return [trajectory.energy_drift, len(trajectory.limit_violations), len(trajectory.saturations)]


def test_measures_of_stored_runs_are_those_of_runs(tmp_path):
    inputs = {"M": "3*sin(20*t)"}
    here = run(None, measures={"facts": facts}, inputs=inputs)
    run(tmp_path / "runs", inputs=inputs)
    later = mb.read_sweep(tmp_path / "runs", EOM).measure({"facts": facts})
    np.testing.assert_array_equal(later.measures["facts"], here.measures["facts"])
    assert here.measures["facts"][:, 1].any()
    assert here.measures["facts"][:, 2].any()


def test_a_partial_sweep_is_measured_as_far_as_it_goes(tmp_path):
    def stop(done, total, failed):
        raise KeyboardInterrupt

    path = tmp_path / "runs"
    part = run(path, progress=stop, workers=1)
    done = [status != "MISSING" for status in part.status]
    assert 0 < sum(done) < 6
    whole = run(path, measures={"end": end, "largest": largest})
    assert np.isfinite(whole.measures["largest"]).all()


# objects -------------------------------------------------------------------------------------------------------------


class Holder:
    def __init__(self, thing):
        self.thing = thing

    def __call__(self, t):
        return 0.1


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"inputs": {"M": Holder(sys.__stdout__)}}, "input 'M'"),
        ({"measures": {"m": lambda run, source=(k for k in range(3)): 1.0}}, "measure 'm'"),
        ({"events": [mb.Event(EOM.coordinates[0], reset=Holder(k for k in range(3)), name="odd")]}, "event 'odd'"),
    ],
)
def test_what_cannot_be_identified_is_not_stored(tmp_path, options, named):
    with refused("object-not-identified") as caught:
        run(tmp_path / "runs", **options)
    assert named in caught.value.what
    assert "run the sweep without a path" in caught.value.remedy
    assert not (tmp_path / "runs").exists()


def test_in_memory_anything_goes():
    assert run(None, measures={"m": lambda run, source=(k for k in range(3)): 1.0}).complete


@pytest.mark.parametrize(
    ("one", "other"),
    [({"M": 0.5}, {"M": "1/2"}), ({}, {"M": 0.0}), ({"M": "sin(t)*2"}, {"M": "2*sin(t)"}), ({"M": 1}, {"M": 1.0})],
)
def test_inputs_are_compared_by_value(tmp_path, one, other, counted):
    run(tmp_path / "runs", inputs=one)
    run(tmp_path / "runs", inputs=other)
    assert len(counted) == 6


class Counting:
    """A controller that counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, t):
        self.calls += 1
        return 0.1

    def law(self, t):
        return self(t)


@pytest.mark.parametrize("make", [Counting, lambda: Counting().law, lambda: mb.Sampled(Counting(), 0.1)])
def test_a_controller_that_remembers_something_is_the_same_before_each_sweep(tmp_path, make, counted):
    """Each run begins with a copy of it as it was given."""
    controller = make()
    run(tmp_path / "runs", inputs={"M": controller})
    run(tmp_path / "runs", inputs={"M": controller})
    run(tmp_path / "runs", inputs={"M": make()})
    assert len(counted) == 6


def test_a_sensor_more_is_read_and_another_one_is_not(tmp_path):
    def measured(kind):
        system = mb.System("pendulum", gravity=(0, 0, -9.81))
        bob = system.body("bob", 2.0, (0, 0, -1))
        system.joint("angle", system.world, bob, "Ry")
        if kind:
            system.sensor("place", mb.Position(bob.frame("tip", (0, 0, -kind))))
        return mb.derive(system)

    mb.sweep(measured(1.0), 0.2, samples=3, path=tmp_path / "runs")
    assert mb.read_sweep(tmp_path / "runs", measured(0)).complete
    with refused("sweep-equations-differ"):
        mb.read_sweep(tmp_path / "runs", measured(2.0))


# another process -----------------------------------------------------------------------------------------------------

READER = """
import sys
sys.path.insert(0, sys.argv[2])
import multibody as mb
from test_stored_measures import EOM, end
runs = mb.read_sweep(sys.argv[1], EOM)
done = [k for k, status in enumerate(runs.status) if status != "MISSING"]
assert done == [k for k, _ in runs.trajectories()]
assert all(runs.measures["end"][k] == end(runs[k]) for k in done)
print(len(done), len(runs))
"""


def test_a_running_sweep_is_read_by_another_process(tmp_path):
    path, seen = tmp_path / "runs", []

    def look(done, total, failed):
        if len(seen) < 2:
            command = [sys.executable, "-c", READER, str(path), str(Path(__file__).parent)]
            found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            assert found.returncode == 0, found.stderr
            seen.append((done, found.stdout.split()))

    run(path, progress=look, workers=1)
    assert len(seen) == 2
    for done, said in seen:
        assert said == [str(done), "6"]


WRITER = """
import sys, time
sys.path.insert(0, sys.argv[2])
from test_stored_measures import run
run(sys.argv[1], progress=lambda *numbers: time.sleep(0.3), workers=1)
"""


def begun(path):
    """The sweep as it is now; None before it has begun."""
    return mb.read_sweep(path, EOM) if path.exists() and path.stat().st_size else None


def test_the_sweep_of_another_process_is_read_again_and_again(tmp_path):
    """Each time more runs are there, and all of them are right."""
    path, counts = tmp_path / "runs", []
    right = run(None).values("angle")
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(Path(__file__).parent)])
    limit = time.monotonic() + 120
    while writer.poll() is None and time.monotonic() < limit:
        if (part := begun(path)) is not None:
            done = [number for number, _ in part.trajectories()]
            np.testing.assert_array_equal(part.values("angle")[done], right[done])
            counts.append(len(done))
        time.sleep(0.1)
    assert writer.wait(60) == 0
    assert counts == sorted(counts)
    assert len({*counts}) > 1
