"""Trajectories in tables and files: what is written is what is read, and nothing is lost on the way."""

import csv
import os
import pickle
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusal import refused

import multibody as mb
from multibody.errors import UnknownNameError
from multibody.graph.names import element_name
from multibody.simulation.contract import Status
from multibody.simulation.results.named_samples import EventRecord
from multibody.simulation.results.recording import Recording, split
from multibody.simulation.results.statistics import Counts
from multibody.simulation.results.store import read_trajectory, write
from multibody.simulation.results.trajectory import Trajectory
from multibody.support.files import atomic_file

from .runs import crane, moved, pendulum, push

FORMATS = (".csv", ".npz", ".parquet")


@pytest.fixture(scope="module")
def crab():
    run = moved(crane(), 2.0, push)
    events = [EventRecord("bump", 0.25, run.y[3]), EventRecord("end", 2.0, run.y[-1])]
    counts = Counts(40, 3, 480, 2, 0.5, "DOP853(rtol=1e-11)")
    return Trajectory(run.eom, run.t, run.y, run.r, [10.0, 1.0, 1.0], Status.EVENT, counts, events, "as told, in µm")


@pytest.fixture(params=FORMATS)
def path(request, tmp_path):
    return tmp_path / f"run{request.param}"


# --- there and back ------------------------------------------------------------------------------------------------


def test_every_number_comes_back(crab, path):
    crab.save(path)
    found = read_trajectory(path)
    assert list(found) == list(crab.names)
    for name in crab.names:
        np.testing.assert_array_equal(found[name], crab[name])
    assert found.units == {name: one.unit for name, one in crab.quantities.items()}
    assert found["R"].shape == (101, 3, 3)


@pytest.mark.parametrize("suffix", FORMATS)
def test_trajectories_come_back(crab, tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    crab.save(path)
    found = Trajectory.read(path, crab.eom, {} if suffix == ".csv" else None)
    for part in ("t", "y", "r", "p"):
        np.testing.assert_array_equal(getattr(found, part), getattr(crab, part))
    np.testing.assert_array_equal(found["swing_ddot"], crab["swing_ddot"])
    if suffix != ".csv":
        assert (found.status, found.counts, found.message) == (crab.status, crab.counts, crab.message)
        assert [(one.name, one.t) for one in found.occurrences] == [("bump", 0.25), ("end", 2.0)]
        np.testing.assert_array_equal(found.occurrences[0].y, crab.y[3])


def test_equations_of_another_formalism(crab, tmp_path):
    crab.save(tmp_path / "run.npz")
    found = Trajectory.read(tmp_path / "run.npz", mb.derive(crane(), mb.Lagrange()))
    np.testing.assert_allclose(found["swing_ddot"], crab["swing_ddot"], atol=1e-11)


def test_parameters_are_never_guessed(crab, tmp_path):
    heavy = Trajectory(crab.eom, crab.t, crab.y, crab.r, [20.0, 1.0, 1.0])
    heavy.save(tmp_path / "run.csv")
    heavy.save(tmp_path / "run.npz")
    assert Trajectory.read(tmp_path / "run.npz", crab.eom).parameters["m1"] == 20.0
    with refused("value-missing"):
        Trajectory.read(tmp_path / "run.csv", crab.eom)
    assert Trajectory.read(tmp_path / "run.csv", crab.eom, {"m2": 3.0}).p.tolist() == [10.0, 3.0, 1.0]


def test_chosen_names(crab, path):
    crab.save(path, "swing", "tip_3", "energy")
    found = read_trajectory(path)
    assert list(found) == ["t", "swing", "tip_3", "energy"]
    np.testing.assert_array_equal(found["tip_3"], crab["tip"][:, 2])
    with refused("value-missing"):
        Trajectory.read(path, crab.eom)


def test_another_system(crab, tmp_path):
    crab.save(tmp_path / "run.npz")
    with refused("value-missing"):
        Trajectory.read(tmp_path / "run.npz", mb.derive(pendulum()))


@pytest.mark.parametrize("name", ["file", "allow_pickle", "lambda_", "φ", "self"])
def test_awkward_names(tmp_path, name):
    run = Recording({"t": np.arange(3.0), name: np.array([[1.0, 2.0]] * 3)}, {"t": "s", name: 'N·m, "odd" [x]'})
    for suffix in FORMATS:
        write(run, tmp_path / f"run{suffix}")
        found = read_trajectory(tmp_path / f"run{suffix}")
        np.testing.assert_array_equal(found[name], run[name])
        assert found.units[name] == 'N·m, "odd" [x]'


def test_all_digits_are_kept(path):
    values = np.array([[0.1 + 0.2, 5e-324], [np.pi * 1e300, -0.0], [np.nan, -np.inf]])
    write(Recording({"t": np.arange(3.0), "x": values}, {}), path)
    assert read_trajectory(path)["x"].tobytes() == values.tobytes()


@given(st.from_regex(r"[A-Za-z_]\w{0,8}", fullmatch=True), st.lists(st.integers(0, 99), max_size=3))
def test_columns_have_reversible_names(name, place):
    assert split(element_name(name, tuple(place)), {name}) == (name, tuple(place))


# --- the formats as others see them --------------------------------------------------------------------------------


def test_csv_for_other_programs(crab, tmp_path):
    crab.save(tmp_path / "run.csv", "swing", "tip", "swing_ddot")
    with (tmp_path / "run.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["t [s]", "swing [rad]", "tip_1 [m]", "tip_2 [m]", "tip_3 [m]", "swing_ddot [rad/s²]"]
    assert len(rows) == 102
    assert [float(x) for x in rows[5]] == [crab.t[4], crab["swing"][4], *crab["tip"][4], crab["swing_ddot"][4]]


def test_npz_for_other_programs(crab, tmp_path):
    crab.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as found:
        np.testing.assert_array_equal(found["tip"], crab["tip"])


def test_parquet_for_other_programs(crab, tmp_path):
    pandas = pytest.importorskip("pandas")
    crab.save(tmp_path / "run.parquet")
    found = pandas.read_parquet(tmp_path / "run.parquet")
    np.testing.assert_array_equal(found["tip_2"], crab["tip"][:, 1])


def test_dataframe(crab):
    pytest.importorskip("pandas")
    table = crab.to_dataframe()
    assert table.index.name == "t"
    np.testing.assert_array_equal(table["swing"], crab["swing"])
    np.testing.assert_array_equal(table["R_2_3"], crab["R"][:, 1, 2])
    assert table.attrs["units"]["swing_dot"] == "rad/s"
    assert list(crab.to_dataframe("tip", "swing").columns) == ["tip_1", "tip_2", "tip_3", "swing"]


def test_xarray(crab):
    pytest.importorskip("xarray")
    data = crab.to_xarray()
    assert data["tip"].dims == ("t", "tip_0")
    assert data["R"].shape == (101, 3, 3)
    assert data["swing"].attrs["units"] == "rad"
    assert data.attrs["parameter_m1"] == 10.0
    assert float(data["swing"].sel(t=crab.t[9])) == crab["swing"][9]


@pytest.mark.parametrize(
    ("use", "module", "extra"),
    [("to_dataframe", "pandas", "data"), ("to_xarray", "xarray", "data"), ("plot", "matplotlib.figure", "plot")],
)
def test_missing_libraries_are_named(crab, monkeypatch, use, module, extra):
    monkeypatch.setitem(sys.modules, module, None)  # which is how Python marks what cannot be imported
    with refused("library-missing", module.partition(".")[0]) as caught:
        getattr(crab, use)()
    assert f"multibody[{extra}]" in str(caught.value)


# --- nothing is lost -----------------------------------------------------------------------------------------------


def test_files_are_not_replaced_by_accident(crab, path):
    path.write_bytes(b"precious")
    with refused("file-exists", path.name) as caught:
        crab.save(path)
    assert "overwrite=True" in str(caught.value)
    assert path.read_bytes() == b"precious"
    crab.save(path, overwrite=True)
    np.testing.assert_array_equal(read_trajectory(path)["swing"], crab["swing"])
    assert list(path.parent.iterdir()) == [path]


def test_a_full_disk(crab, path):
    """The system refuses to write more than 4 kB, as it would on a full disk."""
    resource = pytest.importorskip("resource")
    path.write_bytes(b"precious")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    recording = crab.recording()
    write(recording, path.with_stem("warm"))  # what is loaded and compiled on the way may need files of its own
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with refused("file-not-writable", path.name) as caught:
            write(recording, path, overwrite=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "File too large" in str(caught.value)
    assert path.read_bytes() == b"precious"
    assert {one.stem for one in path.parent.iterdir()} == {"run", "warm"}


@pytest.mark.parametrize("folder", ["nowhere", "a_file"])
def test_folders_that_cannot_be_written(crab, tmp_path, folder):
    (tmp_path / "a_file").touch()
    with refused("file-not-writable") as caught:
        crab.save(tmp_path / folder / "run.csv")
    assert str(tmp_path / folder / "run.csv") in str(caught.value)
    assert caught.value.cause in {"No such file or directory", "Not a directory"}


def test_an_interruption_leaves_no_trace(tmp_path):
    path = tmp_path / "run.csv"
    path.write_bytes(b"precious")

    def interrupted():
        with atomic_file(path, overwrite=True) as stream:
            stream.write(b"half of")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"precious"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    path = tmp_path / "run.csv"

    def late():
        with atomic_file(path, overwrite=False) as stream:
            stream.write(b"new")
            path.write_bytes(b"of another program")

    with refused("file-exists"):
        late()
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"of another program"]


def test_links_stay_links(crab, tmp_path):
    (tmp_path / "real.csv").touch()
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    crab.save(tmp_path / "link.csv", "swing", overwrite=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert len(read_trajectory(tmp_path / "real.csv")["swing"]) == 101


# --- damage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"t,x\n", b"t,x\n1,2\n3\n", b"t,x\n1,two\n", b"PK\x03\x04 no archive", b"\xff\xfe\x00", b"PAR1PAR1"],
)
def test_damaged_files(path, content):
    path.write_bytes(content)
    with refused("file-damaged", path.name):
        read_trajectory(path)


def test_truncated_files(crab, path):
    crab.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2 + 7])
    with refused("file-damaged", path.name):
        read_trajectory(path)


def test_pickles_are_refused(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    np.savez(tmp_path / "trap.npz", t=np.arange(2.0), x=np.array([Trap(), 1], dtype=object))
    (tmp_path / "bare.npz").write_bytes(pickle.dumps(Trap()))
    for name in ("trap.npz", "bare.npz"):
        with refused("file-damaged"):
            read_trajectory(tmp_path / name)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("name", ["run.txt", "run", "run.xlsx"])
def test_unknown_formats(crab, tmp_path, name):
    for use in (crab.save, read_trajectory):
        with refused("file-format-unknown"):
            use(tmp_path / name)


def test_missing_file(tmp_path):
    with refused("file-missing"):
        read_trajectory(tmp_path / "run.csv")


def test_recordings(crab):
    recording = crab.recording("swing")
    with refused("name-unknown", "swing"):
        recording["swign"]
    assert recording.get("other") is None
    with refused("sample-counts-differ"):
        Recording({"t": np.zeros(2), "x": np.zeros(3)}, {})


# --- figures -------------------------------------------------------------------------------------------------------


def shown(figure):
    """Labels and legends of each panel."""
    for axis in figure.axes:
        legend = axis.get_legend()
        yield axis.get_ylabel(), [] if legend is None else [text.get_text() for text in legend.get_texts()]


def test_figure_of_everything(crab):
    panels = dict(shown(crab.plot()))
    assert list(panels) == [
        "slide [m]", "swing [rad]", "slide_dot [m/s]", "swing_dot [rad/s]", "energies [J]", "energy_balance [J]",
    ]  # fmt: skip
    assert panels["energies [J]"] == [f"{name} [J]" for name in (
        "kinetic_energy", "potential_energy", "total_energy", "work_of_inputs", "dissipated",
    )]  # fmt: skip


def test_figure_of_chosen_curves(crab):
    figure = crab.plot("tip", "slide", "F")
    assert list(shown(figure)) == [("[m]", ["tip_1 [m]", "tip_2 [m]", "tip_3 [m]", "slide [m]"]), ("F [N]", [])]
    np.testing.assert_array_equal(figure.axes[0].lines[2].get_ydata(), crab["tip_3"])
    assert "bump, end" in figure.axes[0].get_title(loc="right")
    with pytest.raises(UnknownNameError):
        crab.plot("slied")


def test_figure_with_many_curves():
    system = mb.System("beads")
    for k in range(14):
        system.joint(f"x{k}", system.world, system.body(f"bead{k}", 1.0), "Tx")
    run = Trajectory(mb.derive(system), [0.0, 1.0], np.zeros((2, 31)), np.zeros((2, 0)), [])
    legend = dict(shown(run.plot()))["coordinates [m]"]
    assert legend == [*(f"x{k} [m]" for k in range(9)), "and 5 more"]
    assert len(run.plot().axes[0].lines) == 14


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")])
def test_figures_in_files(crab, tmp_path, suffix, magic):
    path = tmp_path / f"run{suffix}"
    crab.plot("swing", path=path)
    assert path.read_bytes().startswith(magic)
    if suffix == ".svg":
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    with refused("file-exists"):
        crab.plot("swing", path=path)
    with refused("file-format-unknown"):
        crab.plot("swing", path=tmp_path / "run.bmp")


def test_figure_of_the_user(crab):
    from matplotlib.figure import Figure

    mine = Figure()
    assert crab.plot("swing", figure=mine) is mine
    assert len(mine.axes) == 1


def test_heavy_libraries_are_loaded_late():
    code = (
        "import sys, multibody, multibody.simulation.results.trajectory\n"
        "heavy = ('pandas', 'xarray', 'matplotlib', 'pyarrow', 'numba', 'scipy', 'sympy')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert found.stdout.strip() == "[]"
