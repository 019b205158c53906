"""Files in which something was changed, or that another version or program wrote: refused, or the same numbers."""

import json
import random
import re
import sqlite3

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import MultibodyError, StorageError
from multibody.simulation import Status, Trajectory, read_trajectory
from multibody.simulation.results.store import EARLIER_FORMATS


def pendulum(unit=""):
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -1)), "Ry", q=0.3)
    system.load(mb.JointLoad(hinge, system.input("M", unit=unit)))
    return mb.derive(system)


EOM = pendulum()
FLIPS = 300


@pytest.fixture(scope="module")
def run():
    return mb.simulate(EOM, 0.5, samples=4)


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".csv"])
def test_a_flipped_bit_changes_no_number(run, tmp_path, suffix):
    """Some hundred places in a small file: the same numbers, or an error."""
    path, chance = tmp_path / f"run{suffix}", random.Random(5)
    run.save(path)
    whole, errors = path.read_bytes(), 0
    for _ in range(FLIPS):
        place = chance.randrange(8 * len(whole))
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        path.write_bytes(data)
        try:
            found = read_trajectory(path)
        except StorageError:
            errors += 1
            continue
        for name in run.names:
            if name in found:
                np.testing.assert_array_equal(found[name], run[name], err_msg=f"bit {place}")
        if suffix != ".csv" and found.about:
            assert found.about["status"] == "DONE"
    assert errors > FLIPS / 4


def test_a_flipped_bit_in_a_sweep_changes_no_number(tmp_path):
    path, chance = tmp_path / "runs", random.Random(6)
    options = {"initial": {"angle": [0.1, 0.2]}, "samples": 3, "measures": {"end": lambda run: run["angle"][-1]}}
    right = mb.sweep(EOM, 0.2, path=path, **options)
    numbers, measures = right.values("angle"), right.measures["end"]
    whole, errors = path.read_bytes(), 0
    for _ in range(FLIPS):
        place = chance.randrange(8 * len(whole))
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        path.write_bytes(data)
        try:
            found = mb.read_sweep(path, EOM)
            same = found.values("angle") == numbers
            assert (same | np.isnan(found.values("angle"))).all(), place
            assert ((found.measures["end"] == measures) | np.isnan(found.measures["end"])).all(), place
        except MultibodyError:
            errors += 1
    assert errors > 10


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
def test_checksums_are_checked(run, tmp_path, suffix, monkeypatch):
    """A file that says something else about its content."""
    monkeypatch.setattr("multibody.simulation.results.store._checksum", lambda *_: "0" * 32)
    run.save(tmp_path / f"run{suffix}")
    monkeypatch.undo()
    with refused("file-damaged"):
        read_trajectory(tmp_path / f"run{suffix}")


def text_of(run, tmp_path):
    run.save(tmp_path / "run.csv")
    return (tmp_path / "run.csv").read_text(encoding="utf-8")


def read(tmp_path, text, eom=EOM):
    (tmp_path / "changed.csv").write_text(text, encoding="utf-8")
    return Trajectory.read(tmp_path / "changed.csv", eom, {})


def test_numbers_of_a_table_that_were_changed(run, tmp_path):
    text = text_of(run, tmp_path)
    with refused("file-damaged", "its checksum does not fit"):
        read(tmp_path, text.replace("0.3", "0.4", 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("angle [rad]", "angle [deg]"),
        ("angle [rad]", "angle"),
        ("t [s]", "t [ms]"),
        ("status: DONE", "status: TERMINATED"),
        ("status: DONE", "status: FINISHED"),
        (r"equations: \w+", "equations: 0123456789abcdef"),
        (r"equations: \w+; ", ""),
        (r"digest: \w+", "digest: 0123456789abcdef"),
        (r"; checksum: \w+", ""),
        ("trajectory 3", "trajectory 1"),
    ],
)
def test_heads_of_a_table_that_were_changed(run, tmp_path, old, new):
    """Units, status and digests are under the checksum, as numbers are; and it may not be missing."""
    text = text_of(run, tmp_path)
    assert read_trajectory(tmp_path / "run.csv").units["angle"] == "rad"
    changed = re.sub(old if "\\" in old else re.escape(old), new, text, count=1)
    assert changed != text
    (tmp_path / "changed.csv").write_text(changed, encoding="utf-8")
    with refused("file-damaged", "its checksum does not fit"):
        read_trajectory(tmp_path / "changed.csv")


def test_a_flipped_bit_in_the_foot_of_a_parquet_file_takes_no_units(run, tmp_path):
    path, chance = tmp_path / "run.parquet", random.Random(8)
    run.save(path)
    whole, right = path.read_bytes(), read_trajectory(path)
    keys = [place + k for key in (b"__about__", b"__shapes__", b"multibody trajectory") for k in range(len(key))
            for place in (match.start() for match in re.finditer(key, whole))]  # fmt: skip
    foot = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    places = [8 * place + chance.randrange(8) for place in keys]
    places += [chance.randrange(8 * foot, 8 * len(whole)) for _ in range(FLIPS)]
    for place in places:
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        path.write_bytes(data)
        try:
            found = read_trajectory(path)
        except StorageError:
            continue
        assert (found.units, found.about.get("status")) == (right.units, "DONE"), place


def test_a_parquet_file_without_what_is_known_about_it_is_refused(run, tmp_path):
    """One of ours, from which a program has dropped what it did not know; one from elsewhere is read."""
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    run.save(path)
    table = parquet.read_table(path)
    rest = {key: value for key, value in table.schema.metadata.items() if key != b"__about__"}
    parquet.write_table(table.replace_schema_metadata(rest), path)
    with refused("file-damaged", "units"):
        read_trajectory(path)
    parquet.write_table(table.replace_schema_metadata({}), path)
    np.testing.assert_array_equal(read_trajectory(path)["angle"], run["angle"])


def columns(t, *, head="angle [rad]", doubled=False):
    """A table from elsewhere with all that a run has."""
    heads = [
        "t [s]",
        head,
        "angle_dot [rad/s]",
        "M",
        *(f"{name} [J]" for name in mb.simulate(EOM, 0.1).names if "work" in name or name == "dissipated"),
    ]
    heads += [head] if doubled else []
    rows = [",".join([str(time), *["0.1"] * (len(heads) - 1)]) for time in t]
    return "\n".join([",".join(heads), *rows]) + "\n"


def test_tables_from_elsewhere(tmp_path, caplog):
    found = read(tmp_path, columns([0.0, 0.5, 0.5, 1.0]))  # twice the same time at a jump
    assert found.status is Status.UNKNOWN
    assert "does not say which model" in caplog.text
    for times in ([0.0, 0.5, 0.4], [0.0, "nan", 1.0], ["inf", 1.0, 2.0], [1.0, 0.0]):
        with refused("file-damaged"):
            read(tmp_path, columns(times))
    with refused("file-damaged"):
        read(tmp_path, columns([0.0, 1.0], doubled=True))
    with refused("units-differ"):
        read(tmp_path, columns([0.0, 1.0], head="angle [deg]"))
    assert read(tmp_path, columns([0.0, 1.0], head="angle")).q[0, 0] == 0.1  # it says nothing about its unit


def test_a_status_that_the_table_denies_is_unknown(run, tmp_path):
    lines = text_of(run, tmp_path).splitlines()
    changed = "\n".join([lines[0], *(line.rpartition(",")[0] + ",0.0" for line in lines[1:])])
    assert read(tmp_path, changed).status is Status.UNKNOWN
    assert read(tmp_path, "\n".join(lines)).status is Status.DONE


def test_files_of_the_format_before_are_refused_by_name(run, tmp_path):
    about = {
        "format": EARLIER_FORMATS[0],
        "status": "DONE",
        "parameters": {},
        "units": {},
        "equations": {"rate of angle": "1"},
    }
    arrays = {name: run[name] for name in run.names}
    np.savez(tmp_path / "old.npz", __about__=np.array(json.dumps(about)), **arrays)
    lines = text_of(run, tmp_path).splitlines()
    heads = lines[0].rpartition("status")[0] + "status: DONE; equations: 0123456789abcdef; digest: 0123456789abcdef"
    (tmp_path / "old.csv").write_text("\n".join([heads, *lines[1:]]), encoding="utf-8")
    for name in ("old.npz", "old.csv"):
        np.testing.assert_array_equal(read_trajectory(tmp_path / name)["angle"], run["angle"])
        with refused("file-version-unknown", "multibody trajectory 1") as caught:
            Trajectory.read(tmp_path / name, EOM, {})
        assert "read_trajectory(path)" in caught.value.remedy


def test_sweeps_of_the_format_before_are_refused_by_name(tmp_path):
    path = tmp_path / "runs"
    mb.sweep(EOM, 0.2, path=path, samples=3)
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA user_version = 2")
    base.close()
    content = path.read_bytes()
    for ask in (lambda: mb.read_sweep(path, EOM), lambda: mb.sweep(EOM, 0.2, path=path, samples=3)):
        with refused("file-version-unknown") as caught:
            ask()
        assert "Run the sweep again with another path" in caught.value.remedy
    assert path.read_bytes() == content


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".csv"])
def test_a_file_that_is_read_and_saved_again_is_the_same(run, tmp_path, suffix):
    run.save(tmp_path / f"run{suffix}")
    back = Trajectory.read(tmp_path / f"run{suffix}", EOM, {})
    back.save(tmp_path / f"again{suffix}")
    assert Trajectory.read(tmp_path / f"again{suffix}", EOM, {}).digest == run.digest
    assert read_trajectory(tmp_path / f"again{suffix}").about["status"] == "DONE"
