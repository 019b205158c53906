"""Sweeps in files: they go on where they were, say what differs, and never lose what was written."""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import MultibodyError
from multibody.graph import sin
from multibody.simulation import DormandPrince8, Impact
from multibody.simulation.results.digests import digest
from multibody.simulation.sweeps import sweep_store
from multibody.support.files import StorageError


def pendulum(damping=0.0, start=0.5, length=1.0, name="pendulum"):
    system = mb.System(name, gravity=(0, 0, -9.81))
    (l,) = system.parameters(l=length)
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -l)), "Ry", q=start)
    system.load(mb.JointLoad(hinge, system.input("M")))
    if damping:
        system.load(mb.JointDamper(hinge, damping))
    return system


EOM = mb.derive(pendulum())


def run(path, eom=EOM, duration=1.0, **changed):
    given = {"initial": {"angle": np.linspace(0.1, 1.0, 10)}, "measures": {"end": end}, "samples": 11, **changed}
    return mb.sweep(eom, duration, path=path, **given)


def end(trajectory):
    return trajectory["angle"][-1]


def stopper(count):
    def stop(done, total, failed):
        if done >= count:
            raise KeyboardInterrupt

    return stop


# going on ------------------------------------------------------------------------------------------------------------


def test_what_is_read_is_what_was_run(tmp_path):
    path = tmp_path / "runs.sweep"
    here, stored = run(None), run(path)
    read = mb.read_sweep(path, EOM)
    for found in (stored, read):
        np.testing.assert_array_equal(found.values("angle"), here.values("angle"))
        np.testing.assert_array_equal(found.measures["end"], here.measures["end"])
        np.testing.assert_array_equal(found.cases["angle"], here.cases["angle"])
        assert found.shape == here.shape
        assert found.dimensions == here.dimensions
    assert str(path) in str(read)
    assert read[3].counts.steps == here[3].counts.steps > 0
    assert [one.name for one in tmp_path.iterdir()] == ["runs.sweep"]  # one file, and nothing beside it


def test_the_equations_of_another_formalism_are_the_same(tmp_path):
    run(tmp_path / "runs")
    read = mb.read_sweep(tmp_path / "runs", mb.derive(pendulum(), mb.Lagrange()))
    assert read[0].energy_drift < 1e-6


def test_only_what_is_missing_is_run(tmp_path):
    path = tmp_path / "runs"
    counted = []

    def count(trajectory):
        counted.append(trajectory["angle"][0])
        return 0.0

    part = run(path, measures={"n": count}, progress=stopper(3), workers=1)
    assert 3 <= len(counted) < 10
    assert not part.complete
    first = list(counted)
    counted.clear()
    seen = []
    whole = run(path, measures={"n": count}, progress=lambda *numbers: seen.append(numbers))
    assert whole.complete
    assert sorted(first + counted) == pytest.approx(np.linspace(0.1, 1.0, 10))
    assert seen[0][0] > len(first)
    assert seen[-1] == (10, 10, 0)
    np.testing.assert_array_equal(whole.values("angle"), run(None).values("angle"))
    counted.clear()
    run(path, measures={"n": count})
    assert not counted


def test_a_part_can_be_read_before_it_is_complete(tmp_path):
    run(tmp_path / "runs", progress=stopper(3), workers=1)
    part = mb.read_sweep(tmp_path / "runs", EOM)
    assert 3 <= 10 - part.status.count("MISSING") < 10
    assert np.isnan(part.measures["end"]).sum() == part.status.count("MISSING") > 0
    assert (part.to_dataframe()["status"] == "MISSING").any()


def test_failures_are_kept_with_their_reasons(tmp_path):
    def picky(trajectory):
        if trajectory["angle"][0] > 0.55:
            raise ValueError("too far")
        return 1.0

    run(tmp_path / "runs", measures={"picky": picky})
    read = mb.read_sweep(tmp_path / "runs", EOM)
    assert [one.number for one in read.failures] == [5, 6, 7, 8, 9]
    assert {one.message for one in read.failures} == {"ValueError: too far"}
    seen = []
    run(tmp_path / "runs", measures={"picky": picky}, progress=lambda *numbers: seen.append(numbers))
    assert not seen  # a failure is a result: it is not tried again


# what differs --------------------------------------------------------------------------------------------------------


def other_end(trajectory):
    return trajectory["angle"][-2]


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"duration": 2.0}, "duration"),
        ({"samples": 12}, "times"),
        ({"initial": {"angle": np.linspace(0.1, 1.1, 10)}}, "initial values"),
        ({"parameters": {"l": 2.0}}, "parameters"),
        ({"inputs": {"M": 1.0}}, "inputs"),
        ({"inputs": {"M": sin(EOM.model.time)}}, "inputs"),
        ({"inputs": {"M": lambda t: t}}, "inputs"),
        ({"events": [mb.Event(EOM.coordinates[0])]}, "events"),
        ({"fixed": ["angle"]}, "fixed"),
        ({"integrator": DormandPrince8(rtol=1e-6)}, "integrator"),
        ({"measures": {"end": other_end}}, "measures"),
        ({"eom": mb.derive(pendulum(damping=0.1))}, "equations"),
        ({"eom": mb.derive(pendulum(length=2.0))}, "defaults of the model"),
        ({"eom": mb.derive(pendulum(start=0.6))}, "start values"),
    ],
)
def test_another_sweep_in_the_same_file_is_refused_and_named(tmp_path, changed, part):
    path = tmp_path / "runs"
    run(path)
    content = path.read_bytes()
    with pytest.raises(StorageError) as caught:
        run(path, **changed)
    assert "The file holds another sweep" in str(caught.value)
    assert part in caught.value.what
    assert caught.value.what.count(";") == 1  # nothing else differs
    assert path.read_bytes() == content


def test_a_sweep_is_read_with_its_own_equations_only(tmp_path):
    run(tmp_path / "runs")
    with refused("sweep-equations-differ", "pendulum"):
        mb.read_sweep(tmp_path / "runs", mb.derive(pendulum(name="another")))
    with refused("sweep-equations-differ"):
        mb.read_sweep(tmp_path / "runs", mb.derive(pendulum(damping=1.0)))


def test_impacts_are_needed_to_read(tmp_path):
    eom, path = EOM, tmp_path / "runs"
    wall = Impact(eom.coordinates[0], restitution=0.5, name="wall")
    runs = run(path, events=[wall])
    with refused("sweep-events-differ"):
        mb.read_sweep(path, eom)
    np.testing.assert_array_equal(mb.read_sweep(path, eom, [wall])[4].y, runs[4].y)


def test_other_events_do_not_read_a_sweep(tmp_path):
    """Another restitution or another place of the wall, or an event too many, belongs to other runs."""
    path, angle = tmp_path / "runs", EOM.coordinates[0]
    run(path, events=[Impact(angle, restitution=0.5, name="wall")])
    for events in (
        [Impact(angle, restitution=0.9, name="wall")],
        [Impact(angle + 0.1, restitution=0.5, name="wall")],
        [Impact(angle, restitution=0.5, name="wall"), mb.Event(angle - 0.2, name="more")],
    ):
        with refused("sweep-events-differ", "wall"):
            mb.read_sweep(path, EOM, events)
    plain = tmp_path / "plain"
    run(plain)
    with refused("sweep-events-differ", "wall"):
        mb.read_sweep(plain, EOM, [Impact(angle, restitution=0.5, name="wall")])


def test_another_measure_of_the_same_name_is_refused(tmp_path):
    path = tmp_path / "runs"
    right = run(path).measures["end"]
    with refused("sweep-differs", "end"):
        run(path, measures={"end": lambda trajectory: trajectory["angle"][0]})
    with refused("measure-differs", "end"):
        mb.read_sweep(path, EOM).measure({"end": lambda trajectory: trajectory["angle"][0]})
    np.testing.assert_array_equal(mb.read_sweep(path, EOM).measures["end"], right)


def test_digests_tell_functions_apart():
    def law(factor):
        return lambda t: factor * t

    def nested(t):
        return [k for k in (1, 2) if k in {"a", "b", t}]

    assert digest(law(1.0)) == digest(law(1.0)) != digest(law(2.0))
    assert digest(lambda t: t + 1) != digest(lambda t: t + 2)
    assert digest(nested) == digest(nested)
    assert digest(np.zeros(3)) != digest(np.zeros(4))
    assert digest({"a": EOM.acceleration[0]}) != digest({"a": 2 * EOM.acceleration[0]})


def test_digests_are_the_same_in_another_process():
    script = textwrap.dedent(
        """
        import multibody as mb
        from multibody.simulation.results.digests import digest, equations_digest
        system = mb.System("arm", gravity=(0, 0, -9.81))
        (l,) = system.parameters(l=1.0)
        arm = system.body("arm", 2.0, (0, 0, -l), mb.diag(1, 1, 1))
        joint = system.joint("ball", system.world, arm, mb.Spherical())
        system.sensor("height", mb.Position(arm))
        law = lambda t, q: l if t in {"a", "b", "c"} else [k for k in q if k]
        print(equations_digest(mb.derive(system)), digest(law, mb.Event(l, reset={"x": 1}), mb.DormandPrince8()))
        """
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True,
            check=True, timeout=300,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1
    assert len(found.pop().split()) == 2


# files that are no sweeps --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"hello", b"x" * 5000, b"SQLite format 3\0" + b"\7" * 5000])
def test_a_file_that_is_something_else_is_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StorageError):
        run(path)
    with pytest.raises(StorageError):
        mb.read_sweep(path, EOM)
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


def test_another_data_base_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE facts (name, value)")
    base.close()
    content = path.read_bytes()
    with refused("file-not-a-sweep"):
        run(path)
    assert path.read_bytes() == content


def test_an_empty_file_is_no_obstacle(tmp_path):
    path = tmp_path / "runs"
    path.touch()
    assert run(path).complete


def test_a_damaged_file_is_an_error_and_never_a_wrong_number(tmp_path):
    path = tmp_path / "runs"
    right = {number: one.y for number, one in run(path).trajectories()}
    good, refused = path.read_bytes(), 0
    for place in range(100, len(good), 997):
        path.write_bytes(good[:place] + bytes(200) + good[place + 200 :])
        try:
            found = dict(mb.read_sweep(path, EOM).trajectories())
        except MultibodyError:
            refused += 1
        else:  # a place that nothing was read from, or runs that are missing now
            assert all(np.array_equal(one.y, right[number]) for number, one in found.items())
    assert refused > 5


def test_a_version_from_the_future_is_refused(tmp_path):
    path = tmp_path / "runs"
    run(path)
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA user_version = 99")
    base.close()
    with refused("file-version-unknown"):
        run(path)


def test_there_is_no_such_file(tmp_path):
    with refused("file-missing"):
        mb.read_sweep(tmp_path / "nothing", EOM)
    assert not list(tmp_path.iterdir())


# places that cannot be written ---------------------------------------------------------------------------------------


def test_a_folder_that_is_none_or_is_not_there(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "runs", tmp_path / "nowhere" / "runs"):
        with refused("file-not-writable"):
            run(path)
    with refused("path-not-a-file"):
        run(tmp_path)


def test_a_sweep_that_is_running_can_be_read_but_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_store, "WAIT", 0.05)
    path, errors, parts = tmp_path / "runs", [], []

    def intrude(done, total, failed):
        with refused("file-in-use") as caught:
            run(path)
        errors.append(caught.value)
        parts.append((done, mb.read_sweep(path, EOM)))

    whole = run(path, progress=intrude, workers=1)
    assert whole.complete
    assert errors
    for done, part in parts:  # each is as it was when it was opened, and its numbers are right
        stored = [number for number, status in enumerate(part.status) if status != "MISSING"]
        assert len(stored) == done
        np.testing.assert_array_equal(part.values("angle")[stored], whole.values("angle")[stored])
        np.testing.assert_array_equal(np.isfinite(part.measures["end"]), np.isin(range(10), stored))
    assert mb.read_sweep(path, EOM).complete  # and afterwards it can be read, while the result is still there


FULL = """
import resource, signal, sys
from test_sweep_stored import run, StorageError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    run(sys.argv[1], workers=1)
except StorageError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="the system limits no files")
def test_a_full_disk_is_an_error_and_keeps_what_was_written(tmp_path):
    path = tmp_path / "runs"
    size = (run(tmp_path / "whole"), (tmp_path / "whole").stat().st_size)[1]
    command = [sys.executable, "-c", FULL, str(path), str(size * 2 // 3)]
    paths = [str(Path(__file__).parent), *(one for one in sys.path if one)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert "The disk is full, or cannot be written." in done.stdout, done.stderr
    assert "start the sweep again to go on from there" in done.stdout
    part = mb.read_sweep(path, EOM)
    stored = 10 - part.status.count("MISSING")
    assert 0 < stored < 10
    seen = []
    whole = run(path, progress=lambda *numbers: seen.append(numbers))
    assert seen[0][0] > stored
    np.testing.assert_array_equal(whole.values("angle"), run(None).values("angle"))


def test_a_full_data_base_rolls_back_and_says_so(tmp_path):
    """What SQLite itself says of a full disk."""
    store = sweep_store.Store(tmp_path / "runs")
    store.create({"parts": {}})
    (pages,) = store._base.execute("PRAGMA page_count").fetchone()
    store._base.execute(f"PRAGMA max_page_count = {pages + 3}")
    outcome = sweep_store.Outcome(0, "DONE", t=np.zeros(5))
    store.add([outcome])
    large = sweep_store.Outcome(1, "DONE", t=np.zeros(100_000))
    with refused("disk-full"):
        store.add([sweep_store.Outcome(2, "DONE"), large])
    assert store.numbers() == [0]
    assert json.loads(json.dumps(store.facts())) == {"parts": {}}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE measures SET value = replace(value, '0.', '1.')",
        "UPDATE runs SET status = 'FAILED' WHERE number = 2",
        "UPDATE runs SET seconds = 0.0 WHERE number = 2",
        "UPDATE measure_digests SET name = replace(name, 'end', 'odd')",
        "UPDATE facts SET value = replace(value, 'angle', 'odd') WHERE name = 'names'",
        "DELETE FROM facts WHERE name = 'checksum'",
        "CREATE VIEW more AS SELECT * FROM runs",
    ],
)
def test_what_was_changed_by_others_is_not_believed(change, tmp_path):
    """Also where no array is read."""
    path = tmp_path / "runs"
    run(path)
    with sqlite3.connect(path) as base:
        base.execute(change)
    base.close()
    with refused("file-damaged"):
        mb.read_sweep(path, EOM).measures
