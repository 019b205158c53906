"""What goes wrong is told in one block, by an exit code, and to programs as JSON."""

import io
import json
import subprocess
import threading
from contextlib import contextmanager

import pytest

from multibody.cli import main
from multibody.cli.exit_codes import MEANINGS, ExitCode

BAD = "multibody: 1\nname: arm\nbodies: {hand: {mass: 1}}\njoints: {elbow: {parent: world, child: hand, kind: Rz}}\n"


def block(text):
    """The lines of an error, by their labels."""
    first, *rest = text.strip().splitlines()
    return {"error": first.removeprefix("error: ")} | dict(line.strip().split(": ", 1) for line in rest if ": " in line)


def test_every_exit_code_has_a_meaning(multibody):
    assert set(MEANINGS) == set(ExitCode)
    shown = multibody("--help").out
    assert all(f"{code.value} " in shown for code in ExitCode)


def test_a_finding_is_1(multibody, folder):
    (folder / "arm.yaml").write_text(BAD)
    done = multibody("check", "arm.yaml")
    assert done.code == 1
    assert "error: Nothing resists the speed elbow_dot" in done.out
    assert not multibody("check", "arm.yaml", "--json").data["ok"]


def test_warnings_count_where_they_are_to_count(multibody):
    assert multibody("check", "crane_crab").code == 0
    assert multibody("check", "crane_crab", "--strict").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ["smiulate", "pendulum"],
        ["simulate", "pendulum", "--dura", "3"],
        ["simulate", "pendulum", "-d", "long"],
        ["simulate", "pendulum", "--solver", "magic"],
        ["simulate", "pendulum", "-p", "length"],
        ["simulate", "pendulum", "-p", "length=two"],
        ["simulate", "pendulum", "-p", "length=__import__('os')"],
        ["simulate", "pendulum", "-p", "length=1", "-p", "length=2"],
        ["simulate", "pendulum", "--start", "anlge=1"],
        ["simulate", "pendulum", "--solver", "rk4", "--rtol", "1e-9"],
        ["simulate", "pendulum", "--step", "0.1", "--solver", "cvode"],
        ["simulate", "pendulum", "-o", "run.docx"],
        ["simulate", "pendulum", "-n", "2000000000"],
        ["sweep", "pendulum", "-p", "length=1:2"],
        ["sweep", "pendulum", "-p", "length=1:2:0"],
        ["sweep", "pendulum", "-p", "length=1:2:1000000000"],
        ["sweep", "pendulum", "-m", "median(angle)"],
        ["sweep", "pendulum", "-o", "runs.xlsx"],
        ["linearize", "pendulum", "-o", "matrices.txt"],
        ["derive", "pendulum", "-F", "newton"],
        ["export", "pendulum", "cobol"],
        ["new", "crane", "crane.txt"],
        ["new", "crane", "--empty", "--from", "pendulum"],
        ["new", "3crane.yaml"],
        ["compare", "pendulum", "-F", "kane"],
        ["compare", "pendulum", "-F", "kane", "-F", "kane"],
    ],
)
def test_a_command_line_that_cannot_be_understood_is_2(multibody, folder, words):
    done = multibody(*words, "--json")
    assert done.code == 2
    told = block(done.err)
    error = done.data["error"]
    assert told["error"] == f"{error['what']} [{error['code']}]"
    assert told["fix"]
    assert list(folder.iterdir()) == []  # nothing was written


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["check", "fuor_bar"], "Did you mean 'four_bar'"),
        (["check", "nothing.yaml"], "There is no such file."),
        (["check", "nothing.urdf"], "There is no such file."),
        (["check", "nothing.py:robot"], "There is no such file."),
        (["simulate", "pendulum", "-p", "mass=-1"], "The mass is negative"),
        (["new", "crane", "--from", "fuor_bar"], "Did you mean 'four_bar'"),
        (["new", "crane", "--from", "nothing.urdf"], "There is no such file."),
    ],
)
def test_a_model_that_makes_no_sense_is_3(multibody, words, part):
    done = multibody(*words)
    assert done.code == 3
    assert part in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["simulate", "pendulum", "-p", "lenght=2"], "Did you mean 'length'"),
        (["simulate", "pendulum", "-i", "torque=sin(tt)"], "The name 'tt' is unknown."),
        (["simulate", "pendulum", "-i", "torque=sin"], "write sin(…)"),
        (["simulate", "pendulum", "-i", "torqe=1"], "Did you mean 'torque'"),
        (["simulate", "pendulum", "-d", "0"], "0 is not a positive number"),
        (["sweep", "pendulum", "-m", "max(anlge)", "-d", "1e9"], "Did you mean 'angle'"),  # before any run
        (["simulate", "pendulum", "--plot", "anlge", "-d", "1e9"], "Did you mean 'angle'"),  # before the run
        (["demo", "pendulum", "-d", "0"], "0 is not a positive number"),
        (["new", "3crane.yaml"], "3crane"),
        (["compare", "pendulum", "-F", "lagrange"], "-F lagrange -F kane"),
    ],
)
def test_names_values_and_expressions_on_the_command_line_are_2(multibody, words, part):
    done = multibody(*words)
    assert done.code == 2
    assert part in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


@pytest.mark.parametrize(("file", "part"), [("arm.urdf:flaoting", "'floating'"), ("arm.yaml:arm", "holds one model")])
def test_what_stands_behind_a_file_must_mean_something(multibody, folder, file, part):
    (folder / file.partition(":")[0]).write_text('<robot name="arm"><link name="base"/></robot>')
    done = multibody("check", file)
    assert done.code == 3
    assert part in done.err


def test_templates_of_robots_are_recognized(multibody, folder):
    (folder / "arm.urdf.xacro").write_text('<robot name="arm"><xacro:include filename="base.xacro"/></robot>')
    done = multibody("check", "arm.urdf.xacro")
    assert done.code == 3
    assert "Run xacro first" in done.err


def test_a_mistake_in_a_model_file_has_line_and_column(multibody, folder):
    (folder / "arm.yaml").write_text(BAD.replace("mass", "mas"))
    done = multibody("check", "arm.yaml")
    assert (done.code, done.out) == (3, "")
    assert "line 3, column 17" in done.err
    assert "Did you mean 'mass'?" in done.err


def test_a_run_that_fails_is_4(multibody, folder):
    text = "import multibody as mb\ns = mb.System('s')\nx = s.joint('x', s.world, s.body('b', 1.0), 'Tx', q=1.0)\n"
    (folder / "flight.py").write_text(text + "s.load(mb.JointLoad(x, 5 * x.coordinate**2 * abs(x.coordinate)))\n")
    done = multibody("simulate", "flight.py", "-d", "100", "-o", "run.csv", "--json")
    assert done.code == 4
    assert done.data["status"] != "DONE"
    assert done.data["message"]
    assert (folder / "run.csv").exists()  # what it reached
    assert multibody("sweep", "flight.py", "-d", "100", "-s", "x=1,2").code == 4


def test_no_equilibrium_is_4(multibody, folder):
    text = "import multibody as mb\ns = mb.System('s', gravity=(-9.81, 0, 0))\n"
    (folder / "fall.py").write_text(text + "s.joint('x', s.world, s.body('b', 1.0), 'Tx')\n")
    assert multibody("equilibrium", "fall.py").code == 4


def test_a_file_that_exists_is_5(multibody, folder):
    (folder / "run.csv").write_text("mine")
    assert multibody("simulate", "pendulum", "-d", "1", "-o", "run.csv").code == 5
    assert (folder / "run.csv").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_5(multibody, folder):
    (folder / "taken").write_text("mine")
    done = multibody("demo", "pendulum", "-o", "taken", "-d", "0.1")
    assert done.code == 5
    assert "taken" in done.err


@pytest.mark.parametrize("name", ["model.yaml", "model.urdf", "model.py"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b"\x89PNG\r\n", b"[" * 5000, "\u202e".encode()])
def test_rubbish_is_no_model(multibody, folder, name, content):
    (folder / name).write_bytes(content)
    done = multibody("check", name)
    assert (done.code, done.out) == (3, "")
    assert "Traceback" not in done.err


def test_a_bug_is_70_and_debug_shows_where(multibody, monkeypatch):
    def broken(name):
        raise ZeroDivisionError("nobody foresaw this")

    monkeypatch.setattr("multibody.library.find", broken)
    done = multibody("check", "pendulum")
    assert done.code == 70
    assert "nobody foresaw this" in done.err
    assert "Traceback" not in done.err
    assert "in broken" in multibody("check", "pendulum", "--debug").err


def test_a_full_disk_behind_standard_output_is_5(folder, monkeypatch, capsys):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("sys.stdout", Full())
    for more in ([], ["--json"]):
        assert main(["check", "pendulum", *more]) == 5
        assert "No space left on device" in capsys.readouterr().err


def test_letters_that_the_stream_does_not_know_are_escaped(folder, monkeypatch):
    (folder / "größe.yaml").write_text(BAD.replace("name: arm", "name: größe"), encoding="utf-8")
    for words in (["check"], ["check", "--json"]):
        stream = io.TextIOWrapper(io.BytesIO(), "ascii")
        monkeypatch.setattr("sys.stdout", stream)
        assert main([*words, "größe.yaml"]) == 1
        text = stream.buffer.getvalue().decode("ascii")
        assert "gr\\xf6\\xdfe" in text or json.loads(text)["system"] == "größe"


def test_ctrl_c_is_130(multibody, monkeypatch):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("multibody.library.find", interrupted)
    done = multibody("check", "pendulum")
    assert done.code == 130
    assert "Traceback" not in done.err


# a user's own file ----------------------------------------------------------------------------------------------------

TWO = (
    "import multibody as mb\na = mb.library.pendulum()\nb = mb.library.four_bar()\n\ndef c():\n    return a\n\nd = 3\n"
)


@pytest.mark.parametrize(
    ("text", "name", "part"),
    [
        (TWO, "", "several to choose from: a, b"),
        (TWO, ":e", "no 'e'"),
        (TWO, ":d", "is a int"),
        ("x = 1\n", "", "defines no system"),
        ("x = (\n", "", "line 1"),
        ("\n\nx = 1 / 0\n", "", "line 3"),
        ("import sys\nsys.exit(7)\n", "", "exit code 7"),
        ("import multibody as mb\nmb.System('1')\n", "", "line 2"),
        ("import no_such_module_at_all\n", "", "no_such_module_at_all"),
    ],
)
def test_python_files_that_are_no_model(multibody, folder, text, name, part):
    (folder / "mine.py").write_text(text)
    done = multibody("check", f"mine.py{name}")
    assert (done.code, done.out) == (3, "")
    assert part in done.err


def test_one_of_several_systems(multibody, folder):
    (folder / "neighbour.py").write_text("import multibody as mb\nmade = mb.library.pendulum(length=0.5)\n")
    (folder / "mine.py").write_text(TWO + "from neighbour import made\nequations = mb.derive(made)\n")
    assert multibody("check", "mine.py:b", "--json").data["joints"] == 4
    assert multibody("check", "mine.py:c", "--json").data["joints"] == 1  # a function that returns a system
    frequency = multibody("linearize", "mine.py:equations", "--at", "angle=0", "--json").data["modes"][0]["frequency"]
    assert frequency == pytest.approx((9.81 / 0.5) ** 0.5)


def test_what_a_file_prints_does_not_disturb_the_answer(multibody, folder):
    (folder / "loud.py").write_text("import multibody as mb\ns = mb.library.pendulum()\nprint('hello')\n")
    done = multibody("check", "loud.py", "--json")
    assert done.data["ok"]
    assert "hello" in done.err


# the process itself ---------------------------------------------------------------------------------------------------


@pytest.fixture
def process(folder):
    """The command in a process of its own, as a script on the path runs it."""
    import os
    import sys
    from pathlib import Path

    source = Path(__file__).resolve().parents[2] / "src"
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "100"}
    words = [sys.executable, "-W", "error", "-m", "multibody.cli"]

    @contextmanager
    def start(*more):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen([*words, *more], env=environment, cwd=folder, **pipes) as started:
            limit = threading.Timer(120, started.kill)  # a process that hangs ends, and what it prints with it
            limit.start()
            try:
                yield started
            finally:
                limit.cancel()
                started.kill()

    return start


def test_the_process_answers(process):
    with process("derive", "pendulum", "--json") as started:
        out, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (0, "")
    assert json.loads(out)["coordinates"] == ["angle"]
    assert "\x1b" not in out


def test_a_reader_that_leaves_is_no_reason_to_complain(process):
    with process("derive", "bicycle", "--seconds", "0") as started:
        started.stdout.close()
        assert started.wait(timeout=60) == 141
        assert started.stderr.read() == ""


def test_ctrl_c_ends_the_viewer(process):
    import signal

    with process("show", "pendulum", "--no-browser", "--port", "0", "--json") as started:
        url = json.loads(started.stdout.readline())["url"]
        assert url.startswith("http://127.0.0.1:")
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=60)
    assert started.returncode in {0, 130}
    assert "Traceback" not in err


def test_the_script_is_this_command():
    import tomllib
    from importlib import import_module
    from pathlib import Path

    import multibody.cli

    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    module, function = tomllib.loads(text)["project"]["scripts"]["multibody"].split(":")
    assert getattr(import_module(module), function) is multibody.cli.main


def test_a_missing_file_is_compared_by_its_name_and_not_by_its_suffix(multibody, folder):
    for name in ("crane.yaml", "wheel.yaml"):
        (folder / name).write_text(BAD)
    assert "Did you mean 'crane.yaml'?" in multibody("check", "crnae.yml").err
    assert "Did you mean" not in multibody("check", "nothing.yaml").err


def test_files_that_exist_are_told_of_in_words_of_the_command(multibody, folder):
    for name in ("crane.yaml", "run.csv"):
        (folder / name).write_text("mine")
    created, run = multibody("new", "crane.yaml"), multibody("simulate", "pendulum", "-d", "1", "-o", "run.csv")
    assert (created.code, run.code) == (5, 5)
    assert "Choose another name, or remove it." in created.err  # there is no --force
    assert "Choose another name, or give --force." in run.err


def test_the_next_steps_can_be_copied(multibody, folder):
    assert "multibody check 'my crane.yaml'" in multibody("new", "crane", "my crane.yaml").out


@pytest.mark.parametrize(
    ("text", "name", "what"),
    [
        (b"def make(length): return length", ":make", "The function 'make' needs arguments: length."),
        (b"def make():\n    return 1 / 0", ":make", "The file cannot be run: ZeroDivisionError"),
        (b"def make(): return 1", "", "models.py:its_name"),
        (b"\x00", "", "The file is not Python"),
    ],
)
def test_functions_of_a_python_file(multibody, folder, text, name, what):
    (folder / "models.py").write_bytes(text)
    done = multibody("check", f"models.py{name}")
    assert (done.code, done.out) == (3, "")
    assert what in done.err
    assert "where: models.py" in done.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["check", "pendulmu"], "model-unknown"),
        (["check", "missing.yaml"], "file-missing"),
        (["check", "folder.yaml"], "path-not-a-file"),
        (["check", "wrong.yaml"], "name-unknown"),
        (["check", "broken.yaml"], "yaml-invalid"),
        (["check", "broken.urdf"], "xml-invalid"),
        (["check", "empty.py"], "script-without-system"),
        (["simulate", "pendulum", "-p", "lenght=1"], "name-unknown"),
        (["simulate", "pendulum", "-p", "length"], "assignment-invalid"),
        (["simulate", "pendulum", "-i", "torque=1+"], "text-not-an-expression"),
        (["simulate", "pendulum", "--plot", "place_4"], "name-unknown"),
        (["simulate", "pendulum", "-o", "run.xyz"], "file-format-unknown"),
        (["simulate", "pendulum", "-o", "nowhere/run.csv"], "folder-missing"),
        (["simulate", "pendulum", "-o", "empty.csv"], "file-exists"),
        (["sweep", "pendulum", "-p", "length=0:1"], "range-invalid"),
        (["compare", "pendulum", "-F", "kane"], "nothing-to-compare"),
        (["simulate", "--wrong"], "command-line-invalid"),
    ],
)
def test_programs_get_the_code_of_an_error(multibody, folder, words, code):
    for name, text in {
        "wrong.yaml": "multibody: 1\nname: x\nbodies: {a: {mas: 1}}\n", "broken.yaml": "multibody: [1\n",
        "broken.urdf": "<robot", "empty.py": "x = 1\n", "empty.csv": "",
    }.items():  # fmt: skip
        (folder / name).write_text(text)
    (folder / "folder.yaml").mkdir()
    assert multibody(*words, "--json").data["error"]["code"] == code


def test_the_command_says_how_a_file_is_replaced_here(multibody, folder):
    (folder / "run.csv").write_text("")
    assert multibody("simulate", "pendulum", "-o", "run.csv", "--json").data["error"]["remedy"].endswith("--force.")
