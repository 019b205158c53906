"""Every command on every kind of model. What it says is held against physics, and against the library itself."""

import csv
import math

import numpy as np
import pytest

import multibody as mb


def test_check(multibody, pendulum):
    done = multibody("check", pendulum, "--json")
    assert done.code == 0
    assert done.data["ok"]
    assert done.data["degrees_of_freedom"] == 1
    assert bool(done.data["checks"]) == (pendulum == "pendulum")  # published numbers belong to the library
    assert "1 degree of freedom" in multibody("check", pendulum).out


GRIPPER = """\
<robot name="gripper">
  <link name="palm"><visual><geometry><mesh filename="package://hand/meshes/palm.stl"/></geometry></visual></link>
  <link name="left"><inertial><mass value="1"/></inertial></link>
  <link name="right"><inertial><mass value="1"/></inertial></link>
  <joint name="a" type="prismatic"><parent link="palm"/><child link="left"/></joint>
  <joint name="b" type="prismatic"><parent link="palm"/><child link="right"/><mimic joint="a" multiplier="-1"/></joint>
</robot>
"""


@pytest.mark.parametrize(("wish", "freedom"), [("", 2), (":coupled", 1), (":floating", 8), (":floating,coupled", 7)])
def test_robots_float_and_fingers_follow_if_that_is_said(multibody, folder, wish, freedom):
    (folder / "grip.urdf").write_text(GRIPPER)
    assert multibody("check", f"grip.urdf{wish}", "--json").data["degrees_of_freedom"] == freedom


@pytest.mark.parametrize("place", ["palm.stl", "hand/meshes/palm.stl", "meshes/palm.stl"])
def test_meshes_are_found_in_and_beside_the_package_of_a_robot(multibody, folder, place):
    for one in ("robot/urdf/grip.urdf", "robot/package.xml", place):
        (folder / one).parent.mkdir(parents=True, exist_ok=True)
        (folder / one).write_text(GRIPPER)
    found = place != "palm.stl"
    assert ("not found below mesh_root" in multibody("check", "robot/urdf/grip.urdf").out) != found


def test_derive(multibody, pendulum):
    data = multibody("derive", pendulum, "--json").data
    known = {"angle": 0.5, "angle_dot": 0.0, "m": 2.0, "mass": 2.0, "l": 1.0, "length": 1.0, "g": 9.81, "M": 0.0,
             "torque": 0.0, "damping": 0.0}  # fmt: skip
    formula = mb.graph.parse(data["accelerations"]["angle_dot"])
    symbols = {one: known[one.name] for one in mb.graph.free_symbols(formula)}
    assert mb.graph.evaluate(formula, symbols) == pytest.approx(-9.81 * math.sin(0.5), rel=1e-12)
    assert data["coordinates"] == ["angle"]
    assert "d/dt angle_dot = " in multibody("derive", pendulum, "--formalism", "kane").out
    assert r"\begin{aligned}" in multibody("derive", pendulum, "--form", "latex").out
    assert "angle" in multibody("derive", pendulum, "--form", "symbols").out


def test_what_is_for_programs_is_made_for_programs_only(multibody, monkeypatch):
    """Entry by entry, the mass matrix of a long chain takes minutes; its listing takes a moment."""
    monkeypatch.setattr("multibody.cli.commands.derive._formulas", lambda *_: 1 / 0)
    assert "d/dt angle_dot = " in multibody("derive", "pendulum").out
    assert multibody("derive", "pendulum", "--json").code == 70


def test_compare(multibody, pendulum):
    done = multibody("compare", pendulum, "-F", "kane", "-F", "Lagrange", "--json")
    assert (done.code, done.data["proved"]) == (0, True)
    assert [one["formalism"] for one in done.data["derivations"]] == ["Kane", "Lagrange"]
    assert "1 of 1 pairs are proved equal" in multibody("compare", pendulum, "-F", "kane", "-F", "lagrange").out


def test_simulate(multibody, pendulum, folder):
    words = ["simulate", pendulum, "-d", "2", "--start", "angle=pi/3", "-n", "21", "--rtol", "1e-10"]
    done = multibody(*words, "--json")
    assert (done.code, done.data["status"]) == (0, "DONE")
    angle, speed = (np.array(done.data["values"][name]) for name in ("angle", "angle_dot"))
    assert len(done.data["t"]) == 21
    assert speed**2 / 2 - 9.81 * np.cos(angle) == pytest.approx(-9.81 / 2, abs=1e-7)  # of 1 kg, on a rod of 1 m
    told = multibody(*words, "-o", "run.csv", "-o", "run.npz")
    assert "wrote run.csv" in told.out
    with (folder / "run.csv").open() as stream:
        rows = list(csv.reader(stream))
    column = rows[0].index("angle [rad]")
    assert [float(row[column]) for row in rows[1:]] == pytest.approx(angle, abs=1e-12)


def test_linearize(multibody, pendulum, folder):
    done = multibody("linearize", pendulum, "--at", "angle=3", "--equilibrium", "--json", "-o", "lin.csv")
    assert done.code == 0
    assert done.data["point"]["angle"] == pytest.approx(math.pi)
    assert max(pole[0] for pole in done.data["poles"]) == pytest.approx(math.sqrt(9.81))
    assert pytest.approx(np.array(done.data["A"])) == mb.read_linear_system(folder / "lin.csv").A
    at_rest = multibody("linearize", pendulum, "--at", "angle=0").out
    assert "3.13209i" in at_rest
    assert "does not stay" not in at_rest
    assert "does not stay at this point" in multibody("linearize", pendulum, "--at", "angle=0.5").out


def test_equilibrium(multibody, pendulum):
    data = multibody("equilibrium", pendulum, "--all", "--json").data
    assert sorted(abs(one["state"]["angle"]) for one in data["equilibria"]) == pytest.approx([0, math.pi], abs=1e-9)
    assert "marginal" in multibody("equilibrium", pendulum, "--at", "angle=0.1").out


def test_export(multibody, pendulum, folder):
    done = multibody("export", pendulum, "python", "-o", "code", "--json")
    assert [path.rpartition("/")[2] for path in done.data["written"]] == ["pendulum.py"]
    found = {}
    exec((folder / "code" / "pendulum.py").read_text(), found)
    assert "state_rate" in found
    assert "unchanged" in multibody("export", pendulum, "python", "-o", "code").out


def test_report(multibody, pendulum, folder):
    done = multibody("report", pendulum, "--seconds", "1", "-o", "text", "--json")
    assert "text/pendulum.md" in done.data["files"]
    assert "## Equations of motion" in (folder / "text" / "pendulum.md").read_text()
    assert "pendulum.tex" in multibody("report", pendulum, "--format", "latex", "--seconds", "1").out
    assert multibody("report", pendulum, "--format", "html").code == 0
    assert (folder / "pendulum.html").read_text().startswith("<!")


def test_a_report_says_what_was_written_and_what_was_kept(multibody, folder):
    text = "multibody: 1\nname: sledge\nparameters: {m: }\nbodies: {b: {mass: m}}\n"
    (folder / "sledge.yaml").write_text(text + "joints: {x: {parent: world, child: b, kind: Tx}}\n")
    words = ["report", "sledge.yaml", "--seconds", "0"]
    assert "wrote sledge.md" in multibody(*words).out
    assert "| $m$ | `m` | parameter |" in (folder / "sledge.md").read_text()
    assert "wrote sledge.md" in multibody(*words, "-p", "m=2").out
    with (folder / "sledge.md").open("a") as stream:
        stream.write("mine\n")
    again = multibody(*words, "-p", "m=2").out
    assert "sledge.md is as it was" in again
    assert "wrote sledge.md\n" not in again


def test_sweep(multibody, pendulum, folder):
    words = ["sweep", pendulum, "-d", "1", "-s", "angle=0.1:0.3:3", "-m", "max(angle)", "-m", "min(angle_dot)"]
    done = multibody(*words, "--json", "-o", "runs.csv")
    assert (done.code, done.data["shape"]) == (0, [3])
    assert done.data["measures"]["max(angle)"] == pytest.approx([0.1, 0.2, 0.3])
    fastest = [-math.sqrt(2 * 9.81 * (1 - math.cos(angle))) for angle in (0.1, 0.2, 0.3)]
    assert done.data["measures"]["min(angle_dot)"] == pytest.approx(fastest, rel=1e-3)
    assert len((folder / "runs.csv").read_text().splitlines()) == 4
    assert "3 DONE" in multibody(*words).out


def test_measures_of_arrays_have_a_column_for_each_number(multibody, folder):
    (folder / "hoist.yaml").write_text(
        "multibody: 1\nname: hoist\nbodies: {b: {mass: 1}}\nsensors: {p: {Position: {frame: b}}}\n"
        "joints: {z: {parent: world, child: b, kind: Tz, u: 2}}\ngravity: [0, 0, 0]\n"
    )
    words = ["sweep", "hoist.yaml", "-d", "1", "-s", "z=0,1", "-m", "last(p)"]
    assert multibody(*words, "-o", "runs.csv", "--json").data["measures"]["last(p)"][1] == pytest.approx([0, 0, 3])
    assert "last(p)_1" in multibody(*words).out
    with (folder / "runs.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["last(p)_3"]) for row in rows] == pytest.approx([2, 3])


def test_show(multibody, pendulum, monkeypatch):
    seen = {}

    def wait(viewer, seconds=None):
        seen["url"], seen["moment"] = viewer.url, viewer.moment

    monkeypatch.setattr(mb.Viewer, "wait", wait)
    done = multibody("show", pendulum, "--no-browser", "--port", "0", "-d", "1", "--json")
    assert (done.code, done.data["url"]) == (0, seen["url"])
    assert done.data["url"].startswith("http://127.0.0.1:")
    assert seen["moment"].t == 0


# those that take no model ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["crane.yaml", "crane.py"])
@pytest.mark.parametrize("origin", [[], ["--empty"], ["--from", "crane_crab"]])
def test_new(multibody, folder, file, origin):
    assert multibody("new", file, *origin, "--json").data["system"] == "crane"
    text = (folder / file).read_text()
    again = multibody("new", file)
    assert again.code == 5
    assert "exists already" in again.err
    assert (folder / file).read_text() == text
    if origin != ["--empty"]:
        assert multibody("check", file, "--json").data["degrees_of_freedom"] == (2 if origin else 1)
        run = multibody("simulate", file, "-d", "0.5", "--json")
        assert run.data["status"] == "DONE"


@pytest.mark.parametrize("origin", [[], ["--empty"], ["--from", "pendulum"]])
def test_words_of_yaml_as_names(multibody, origin):
    assert multibody("new", "null", *origin).code == 0
    assert multibody("check", "null.yaml", "--json").data["system"] == "null"


@pytest.mark.parametrize("name", mb.library.names())
def test_every_library_model_can_be_begun_with(multibody, name):
    """In both kinds of files it is the same system."""
    for file in ("mine.yaml", "mine.py"):
        assert multibody("new", "mine", file, "--from", name).code == 0
    found = [multibody("check", file, "--json").data for file in ("mine.yaml", "mine.py")]
    for key in ("bodies", "joints", "loops", "degrees_of_freedom", "ok"):
        assert found[0][key] == found[1][key]
    assert found[0]["system"] == "mine"


def test_both_pendulums_to_begin_with_are_the_same(multibody):
    for file in ("start.yaml", "start.py"):
        multibody("new", "start", file)
    runs = [
        multibody("simulate", file, "-d", "1", "-i", "M=sin(t)", "--json").data for file in ("start.yaml", "start.py")
    ]
    assert runs[0]["values"]["angle"] == pytest.approx(runs[1]["values"]["angle"], abs=1e-12)
    assert runs[0]["values"]["place"][-1] == pytest.approx(runs[1]["values"]["place"][-1], abs=1e-12)


def test_demo(multibody, folder):
    done = multibody("demo", "pendulum", "--json")
    assert (done.code, done.data["right"]) == (0, done.data["checks"])
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["pendulum.csv", "pendulum.html"]
    listed = multibody("demo", "--list", "--json").data["models"]
    assert [one["name"] for one in listed] == list(mb.library.names())


def test_bench(multibody):
    (one,) = multibody("bench", "pendulum", "-d", "1", "--json").data["models"]
    assert all(one[key] > 0 for key in ("derive", "compile", "evaluate", "simulate"))
    assert one["status"] == "DONE"


# what runs are written to ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("csv", b"t [s],"), ("npz", b"PK"), ("parquet", b"PAR1"), ("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"),
     ("html", b"<!"), ("glb", b"glTF")],
)  # fmt: skip
def test_a_run_is_written_by_the_suffix(multibody, folder, suffix, start):
    done = multibody("simulate", "pendulum", "-d", "0.2", "--plot", "angle", "-o", f"run.{suffix}")
    assert done.code == 0
    assert (folder / f"run.{suffix}").read_bytes().startswith(start)
    assert multibody("simulate", "pendulum", "-d", "0.2", "-o", f"run.{suffix}").code == 5
    assert multibody("simulate", "pendulum", "-d", "0.2", "-o", f"run.{suffix}", "--force").code == 0


def test_inputs_are_expressions_of_everything_that_has_a_name(multibody):
    law = "F=-2*m1*d_1 - 3*TransCrab_dot + 0*t"  # d_1 is the distance that a sensor measures
    run = multibody("simulate", "crane_crab", "-d", "1", "-n", "11", "-i", law, "-p", "m1=1+1/2", "--json").data
    place, speed, force = (np.array(run["values"][name]) for name in ("TransCrab", "TransCrab_dot", "F"))
    assert run["parameters"]["m1"] == 1.5
    assert force == pytest.approx(-2 * 1.5 * np.abs(place) - 3 * speed, abs=1e-12)


def test_a_driven_joint_follows_a_text_and_its_derivatives(multibody, folder):
    text = "import multibody as mb\ns = mb.System('s')\nw = s.input('w')\n"
    (folder / "driven.py").write_text(text + "s.joint('x', s.world, s.body('b', 2.0), 'Tx', prescribed=w)\n")
    run = multibody("simulate", "driven.py", "-d", "1", "-n", "3", "-i", "w=t**2/2", "--json").data
    assert run["values"]["w"] == pytest.approx([0, 0.125, 0.5])
    assert run["values"]["w_dot"] == pytest.approx([0, 0.5, 1.0])


def test_equations_alone_are_a_model_too(multibody, folder):
    (folder / "given.py").write_text("import multibody as mb\neom = mb.derive(mb.library.pendulum(), mb.Kane())\n")
    assert multibody("derive", "given.py", "--json").data["formalism"] == "Kane"
    assert multibody("derive", "given.py", "-F", "lagrange", "--json").data["formalism"] == "Lagrange"
    assert multibody("check", "given.py", "--json").data["ok"]


@pytest.mark.parametrize(
    "solver", ["dopri5", "dopri8", "rodas5p", "rk4", "euler", "symplectic", "radau", "bdf", "lsoda"]
)
def test_solvers_by_name(multibody, solver):
    done = multibody("simulate", "pendulum", "-d", "1", "--solver", solver, "--json")
    assert done.data["status"] == "DONE"
    angle, speed = (np.array(done.data["values"][name]) for name in ("angle", "angle_dot"))
    assert speed**2 / 2 - 9.81 * np.cos(angle) == pytest.approx(0, abs=0.02)  # it starts at rest, horizontally
    assert abs(angle[-1] - angle[0]) > 1


def test_an_equilibrium_with_something_held(multibody):
    done = multibody("equilibrium", "pendulum", "--fix", "angle=0.3", "--free", "torque", "--json")
    (one,) = done.data["equilibria"]
    assert one["inputs"]["torque"] == pytest.approx(9.81 * math.sin(0.3))


def test_targets_by_name(multibody, folder):
    done = multibody("export", "pendulum", "fmu", "-o", "units", "--json")
    assert [path.rpartition("/")[2] for path in done.data["written"]] == ["pendulum.fmu"]
    for target in ("c", "cpp", "rust", "julia", "javascript", "matlab", "modelica", "jax", "casadi", "fmi"):
        assert multibody("export", "pendulum", target, "-o", target).code == 0
        assert any((folder / target).iterdir())


SLIDE = """\
<robot name="slide">
  <link name="base"/>
  <link name="box"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="x" type="prismatic"><parent link="base"/><child link="box"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" effort="6" velocity="1"/><dynamics damping="3"/></joint>
  <transmission name="motor"/>
</robot>
"""


def test_a_robot_is_damped_and_driven_and_reported(multibody, folder):
    """2 kg, 3 N·s/m: v = exp(-3 t/2) without a drive; 6 N, the limit of the effort, hold it at 2 m/s."""
    (folder / "slide.urdf").write_text(SLIDE)
    done = multibody("simulate", "slide.urdf", "-d", "1", "-s", "x_dot=1", "--rtol", "1e-10", "--json")
    assert done.data["values"]["x_dot"][-1] == pytest.approx(math.exp(-1.5), rel=1e-8)
    done = multibody("simulate", "slide.urdf:undamped", "-d", "1", "-s", "x_dot=1", "--json")
    assert done.data["values"]["x_dot"][-1] == pytest.approx(1.0, rel=1e-8)
    done = multibody("simulate", "slide.urdf:driven", "-d", "20", "-i", "x_effort=100 - x", "--json")
    assert done.data["values"]["x_dot"][-1] == pytest.approx(2.0, rel=1e-6)
    assert done.data["saturations"][0]["input"] == "x_effort"
    refused = multibody("simulate", "slide.urdf:undamped", "-i", "x_effort=1")
    assert (refused.code, "slide.urdf:undamped,driven" in refused.err) == (2, True)
    text = multibody("check", "slide.urdf").out
    assert "transmission: It describes motors and gears" in text
    assert "joint/limit@velocity: Speeds are not limited." in text
    assert "joint/limit@effort: Nothing drives the joint" in text
    assert "joint/limit@effort" not in multibody("check", "slide.urdf:driven").out


def test_every_command_logs_what_it_does_not_use(multibody, folder, caplog):
    (folder / "slide.urdf").write_text(SLIDE)
    with caplog.at_level("WARNING", "multibody"):
        multibody("derive", "slide.urdf")
    assert [one.getMessage() for one in caplog.records if "not used: transmission;" in one.getMessage()]


def test_options_of_targets(multibody, folder):
    """Derivatives and platforms, and refusals where a target has none."""
    assert multibody("export", "pendulum", "c", "-o", "plain").code == 0
    assert multibody("export", "pendulum", "c", "-o", "sloped", "--jacobians").code == 0
    texts = [(folder / name / "pendulum.h").read_text() for name in ("plain", "sloped")]
    assert ["pendulum_jacobian" in text for text in texts] == [False, True]
    for wrong in (["latex", "--jacobians"], ["python", "--platform", "all"], ["fmu", "--platform", "amiga"]):
        assert multibody("export", "pendulum", *wrong, "-o", "none").code != 0
    assert not (folder / "none").exists()


ARRAYS = """
multibody: 1
name: rocket
parameters:
  cp: [0, 0, 1.0]
  J: [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 1]]
inputs:
  F: {shape: 2}
bodies:
  b: {mass: 1, com: cp, inertia: J}
joints:
  j: {parent: world, child: b, kind: Ry}
loads:
  push: {JointLoad: {joint: j, value: F_1 + F_2}}
"""


def test_arrays_are_given_by_their_own_names(multibody, folder):
    (folder / "rocket.yaml").write_text(ARRAYS)
    words = ("simulate", "rocket.yaml", "-d", "0.1", "--json")
    whole = multibody(*words, "-p", "cp=[0, 0, 2]", "-i", "F=[1, sin(t)]")
    parts = multibody(*words, "-p", "cp_3=2", "-i", "F_1=1", "-i", "F_2=sin(t)")
    assert whole.code == parts.code == 0
    ignored = {"seconds": 0}
    assert whole.data | ignored == parts.data | ignored
    other = multibody(*words, "-p", "cp=[0, 0]")
    assert other.code != 0
    assert "'cp'" in other.out + other.err
