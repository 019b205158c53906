"""One mistake has one exit code, whichever command it is made with."""

from __future__ import annotations

import pytest

from multibody.cli.exit_codes import ExitCode

COMMANDS = {
    "check": ["check", "MODEL"],
    "derive": ["derive", "MODEL"],
    "compare": ["compare", "MODEL", "-F", "kane", "-F", "lagrange"],
    "export": ["export", "MODEL", "python", "-o", "out"],
    "report": ["report", "MODEL", "-o", "out"],
    "simulate": ["simulate", "MODEL"],
    "show": ["show", "MODEL", "--no-browser"],
    "sweep": ["sweep", "MODEL"],
    "linearize": ["linearize", "MODEL"],
    "equilibrium": ["equilibrium", "MODEL"],
    "demo": ["demo", "MODEL"],
    "bench": ["bench", "MODEL"],
    "new": ["new", "fresh.yaml", "--from", "MODEL"],
}
WITH_FILES = [name for name in COMMANDS if name not in ("demo", "bench")]
WITH_PARAMETERS = ["export", "report", "simulate", "show", "sweep", "linearize", "equilibrium"]
WITH_RUNS = ["simulate", "sweep"]
TIMED = ["simulate", "sweep", "show", "demo", "bench"]
POINTS = ["linearize", "equilibrium"]
TABLES = ["simulate", "sweep", "linearize"]

MODELS = {  # a model that is wrong, with the code and the commands that take such a model
    "pendulmu": (ExitCode.MODEL, list(COMMANDS)),
    "missing.yaml": (ExitCode.MODEL, WITH_FILES),
    "missing.urdf": (ExitCode.MODEL, WITH_FILES),
    "missing.py": (ExitCode.MODEL, WITH_FILES),
    "misspelled.yaml": (ExitCode.MODEL, WITH_FILES),
    "broken.yaml": (ExitCode.MODEL, WITH_FILES),
    "broken.urdf": (ExitCode.MODEL, WITH_FILES),
    "empty.py": (ExitCode.MODEL, WITH_FILES),
    "robot.urdf:flaoting": (ExitCode.MODEL, WITH_FILES),
    "folder.yaml": (ExitCode.FILE, WITH_FILES),
    "circle.yaml": (ExitCode.MODEL, ["export", "simulate", "sweep", "linearize", "equilibrium"]),
}
FILES = {
    "misspelled.yaml": "multibody: 1\nname: x\nbodies: {a: {mas: 1}}\n",
    "broken.yaml": "multibody: [1\n",
    "broken.urdf": "<robot",
    "empty.py": "x = 1\n",
    "robot.urdf": '<robot name="arm"><link name="base"/></robot>',
    "circle.yaml": "multibody: 1\nname: x\nparameters: {a: b + 1, b: 2*a}\nbodies: {m: {mass: a}}\n"
    "joints: {q: {parent: world, child: m, kind: Tx}}\n",
    "there.csv": "",
}
WORDS = {  # what stands behind a command that is right otherwise
    ("-p", "lenght=1"): (ExitCode.USAGE, WITH_PARAMETERS),
    ("-p", "length=abc"): (ExitCode.USAGE, WITH_PARAMETERS),
    ("-p", "length"): (ExitCode.USAGE, WITH_PARAMETERS),
    ("-p", "length=1", "-p", "length=2"): (ExitCode.USAGE, WITH_PARAMETERS),
    ("-p", "mass=-1"): (ExitCode.MODEL, WITH_PARAMETERS),
    ("-s", "agnle=1"): (ExitCode.USAGE, ["simulate", "sweep", "show"]),
    ("-s", "angle=abc"): (ExitCode.USAGE, ["simulate", "sweep", "show"]),
    ("-i", "tourqe=1"): (ExitCode.USAGE, ["simulate", "sweep", "show"]),
    ("-i", "torque=1+"): (ExitCode.USAGE, ["simulate", "sweep", "show"]),
    ("-i", "torque=zz"): (ExitCode.USAGE, ["simulate", "sweep", "show"]),
    ("--at", "agnle=1"): (ExitCode.USAGE, POINTS),
    ("--at", "angle=abc"): (ExitCode.USAGE, POINTS),
    ("--fix", "agnle=1"): (ExitCode.USAGE, ["equilibrium"]),
    ("--free", "tourqe"): (ExitCode.USAGE, ["equilibrium"]),
    ("--fix", "angle=1", "--free", "angle"): (ExitCode.USAGE, ["equilibrium"]),
    ("--moving", "agnle"): (ExitCode.USAGE, ["equilibrium"]),
    ("--plot", "agnle"): (ExitCode.USAGE, ["simulate"]),
    ("-m", "max(agnle)"): (ExitCode.USAGE, ["sweep"]),
    ("--plot", "place_4"): (ExitCode.USAGE, ["simulate"]),
    ("--plot", "angle_1"): (ExitCode.USAGE, ["simulate"]),
    ("-m", "max(place_4)"): (ExitCode.USAGE, ["sweep"]),
    ("-m", "max(place_1_1)"): (ExitCode.USAGE, ["sweep"]),
    ("-i", "torque=place_4"): (ExitCode.USAGE, ["simulate", "sweep", "show"]),
    ("-F", "newton"): (ExitCode.USAGE, [one for one in WITH_FILES if one != "new"]),
    ("--wrong",): (ExitCode.USAGE, list(COMMANDS)),
    ("-d", "-1"): (ExitCode.USAGE, TIMED),
    ("-d", "0"): (ExitCode.USAGE, TIMED),
    ("-d", "nan"): (ExitCode.USAGE, TIMED),
    ("-d", "long"): (ExitCode.USAGE, TIMED),
    ("--rtol", "0"): (ExitCode.USAGE, WITH_RUNS),
    ("--step", "-1"): (ExitCode.USAGE, WITH_RUNS),
    ("--rtol", "1e-8", "--solver", "rk4"): (ExitCode.USAGE, WITH_RUNS),
    ("-o", "table.xyz"): (ExitCode.USAGE, TABLES),
    ("-o", "nowhere/table.csv"): (ExitCode.FILE, TABLES),
    ("-o", "there.csv"): (ExitCode.FILE, TABLES),
}


@pytest.fixture
def files(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "folder.yaml").mkdir()
    return folder


@pytest.mark.parametrize("model", MODELS)
def test_models(model, multibody, files):
    code, commands = MODELS[model]
    words = {name: [model if word == "MODEL" else word for word in COMMANDS[name]] for name in commands}
    assert {name: multibody(*words[name]).code for name in commands} == dict.fromkeys(commands, code)


@pytest.mark.parametrize("wrong", WORDS, ids=" ".join)
def test_words(wrong, multibody, files):
    code, commands = WORDS[wrong]
    brief = {
        name: [] if "-d" in wrong or name not in ("simulate", "sweep", "show") else ["-d", "0.1"] for name in commands
    }
    words = {
        name: [*("pendulum" if word == "MODEL" else word for word in COMMANDS[name]), *brief[name], *wrong]
        for name in commands
    }
    assert {name: multibody(*words[name]).code for name in commands} == dict.fromkeys(commands, code)


def test_an_existing_or_missing_folder_is_5_for_new_files_too(multibody, files):
    assert multibody("new", "nowhere/crane.yaml").code == ExitCode.FILE
    (files / "crane.yaml").write_text("")
    assert multibody("new", "crane.yaml").code == ExitCode.FILE


def test_what_is_right_is_0(multibody, files):
    """The commands above fail because of what is wrong with them."""
    for name in ("check", "derive", "compare", "export", "report", "linearize", "equilibrium", "new"):
        words = ["pendulum" if word == "MODEL" else word for word in COMMANDS[name]]
        assert multibody(*words).code == ExitCode.OK
    for name in ("simulate", "sweep"):
        assert multibody(name, "pendulum", "-d", "0.1", "-p", "mass=2", "-i", "torque=0*angle").code == ExitCode.OK


def test_circles_are_named(multibody, files):
    assert "a -> b -> a" in multibody("simulate", "circle.yaml").err
    done = multibody("check", "circle.yaml")
    assert (done.code, "a -> b -> a" in done.out) == (ExitCode.FINDING, True)
    assert multibody("simulate", "circle.yaml", "-p", "a=2", "-d", "0.1").code == ExitCode.OK


def test_formalisms_that_refuse_a_model_prove_nothing(multibody, folder):
    """Wittenburg and Lagrange have nothing to say about models that they do not take."""
    done = multibody("compare", "rolling_disc", "-F", "wittenburg", "-F", "lagrange", "--json")
    refused = [one for one in done.data["derivations"] if one["refusal"]]
    assert done.code == (ExitCode.FINDING if refused else ExitCode.OK)


ROBOT = """<robot name="arm"><link name="base"/>
<link name="rod"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="meshes/rod.stl"/></geometry></visual></link>
<joint name="elbow" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="9"/></joint></robot>"""


@pytest.mark.parametrize("file", ["mine.yaml", "mine.py", "below/mine.yaml", "below/mine.py"])
@pytest.mark.parametrize("wishes", ["", ":driven"])
def test_new_begins_with_a_robot(file, wishes, multibody, folder):
    """The new model has the motion of the robot, wherever it is written to, and finds its meshes."""
    (folder / "robots" / "meshes").mkdir(parents=True)
    (folder / "below").mkdir()
    (folder / "robots" / "arm.urdf").write_text(ROBOT)
    (folder / "robots" / "meshes" / "rod.stl").write_text("solid a\nendsolid a\n")
    assert multibody("new", "mine", file, "--from", f"robots/arm.urdf{wishes}").code == ExitCode.OK
    drive = ["-i", "elbow_effort=sin(t)"] if wishes else []
    run = ["-d", "1", "-s", "elbow=0.5", *drive, "--json"]
    ours, theirs = multibody("simulate", file, *run).data, multibody("simulate", f"robots/arm.urdf{wishes}", *run).data
    assert ours["system"] == "mine"
    assert ours["values"]["elbow"] == pytest.approx(theirs["values"]["elbow"], abs=1e-12)
    from multibody.cli.sources import find_model

    (drawing,) = find_model(file).system.drawings.values()
    assert drawing.shape.path == (folder / "robots" / "meshes" / "rod.stl").resolve()


def test_new_begins_with_files(multibody, folder):
    assert multibody("new", "first.yaml").code == ExitCode.OK
    assert multibody("new", "second.yaml", "--from", "first.yaml").code == ExitCode.OK
    assert multibody("new", "third.py", "--from", "second.yaml").code == ExitCode.OK
    assert multibody("new", "fourth.yaml", "--from", "third.py").code == ExitCode.OK
    assert multibody("simulate", "fourth.yaml", "-d", "0.1").code == ExitCode.OK
    refused = multibody("new", "fifth.py", "--from", "third.py")
    assert (refused.code, "Copy it" in refused.err) == (ExitCode.USAGE, True)
