"""Homes that are missing, closed or have odd names, and languages with other letters and decimal signs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .children import run, said

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="homes and languages are others there")

COMPILED = """
import os
from multibody.compiler import Function, disk_cache
from multibody.graph import sin, symbols

(x,) = symbols("x")
print(Function("f", {"x": x}, {"y": sin(x) * 3 + x})(0.5))
"""
EXPECTED = 3 * 0.479425538604203 + 0.5  # the sine of 1/2, from tables


def compiled(**changed):
    """In a home of its own, without the cache of the tests."""
    surroundings = {"MULTIBODY_CACHE": None, "XDG_CACHE_HOME": None, **changed}
    assert abs(float(said(COMPILED, bound=True, **surroundings)) - EXPECTED) < 1e-14


@pytest.mark.parametrize("name", ["home", "a home", "Ελένη Größe", "o'neill & sons; $HOME"])
def test_names_of_homes(tmp_path, name):
    home = tmp_path / name
    home.mkdir()
    compiled(HOME=home)
    assert len(list((home / ".cache" / "multibody").glob("*.o"))) == 2  # the function, and the loop over its arguments


def test_a_home_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    compiled(HOME=tmp_path)
    assert list(tmp_path.iterdir()) == []
    tmp_path.chmod(0o700)


def test_a_home_that_is_not_there(tmp_path):
    compiled(HOME=tmp_path / "nowhere" / "at all", TMPDIR=tmp_path / "nowhere")


def test_a_home_that_is_a_file(tmp_path):
    (tmp_path / "file").touch()
    compiled(HOME=tmp_path / "file")


HOMELESS = """
import pathlib
def home():
    raise RuntimeError("Could not determine home directory.")  # as Python says it of a user without an entry
pathlib.Path.home = home
"""


def test_no_home_at_all():
    """A user without an entry in the list of users, in a container, and without HOME."""
    found = said(HOMELESS + COMPILED, HOME=None, MULTIBODY_CACHE=None, XDG_CACHE_HOME=None)
    assert abs(float(found) - EXPECTED) < 1e-14


CLOSED = """
import sys
from pathlib import Path
import multibody as mb
from multibody.errors import StorageError
from small_models import crane, moved

system = crane(links=1)
eom = mb.derive(system)
run = moved(eom)
actions = [lambda: run.save("run.csv"), lambda: mb.write_page(system, "page.html"), lambda: mb.export(eom, mb.C(), "."),
           lambda: mb.write_model(system, "model.yaml"), lambda: mb.write_fmu(eom, "crane.fmu"),
           lambda: mb.sweep(eom, 0.1, initial={"x": [0.1, 0.2]}, path="runs"), lambda: run.plot(path="figure.svg")]
for action in actions:
    try:
        action()
    except StorageError as error:
        print("may write" in str(error) or "Permission denied" in str(error))
"""


def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    assert said(CLOSED, cwd=tmp_path, bound=True).split() == ["True"] * 7
    tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


# --- languages -------------------------------------------------------------------------------------------------------

WRITTEN = """
import locale, sys
from hashlib import sha256
from pathlib import Path
import multibody as mb
from small_models import moved

if len(sys.argv) > 1:
    locale.setlocale(locale.LC_ALL, "")  # as programs with windows do
    assert len(sys.argv) < 3 or locale.localeconv()["decimal_point"] == sys.argv[2], locale.localeconv()

system = mb.System("Größe_φ", gravity=(0, 0, -9.81))
system.joint("INDEX_i", system.world, system.body("IŞIK", 2.5, (0, 0, -1.5)), "Ry", q=0.25)
eom = mb.derive(system)
run = mb.simulate(eom, 0.5, samples=11)
texts = [str(eom), eom.to_latex(), mb.model_text(system), str(mb.linearize(eom, at={"INDEX_i": 0.0}))]
run.save("run.csv")
mb.write_page(system, "page.html")
mb.export(eom, mb.C(), "c")
mb.export(eom, mb.Modelica(), "modelica")
mb.write_model(system, "model.yaml")
again = mb.read_model("model.yaml")
texts += [mb.model_text(again), repr(float(mb.read_trajectory("run.csv")["INDEX_i"][-1]))]
files = sorted(path for path in Path().rglob("*") if path.is_file())
print(sha256(run.y.tobytes()).hexdigest(), *(ascii(text) for text in texts), sep="\\n")
print(*(f"{ascii(str(path))} {sha256(path.read_bytes()).hexdigest()}" for path in files), sep="\\n")
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return said(WRITTEN, cwd=tmp_path_factory.mktemp("plain"), LC_ALL="C.UTF-8", PYTHONUTF8="1")


@pytest.fixture(scope="module")
def languages(tmp_path_factory):
    """A folder with a German and a Turkish locale, made here: most machines have neither."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/tr_TR").exists():
        pytest.skip("there are no definitions of locales")
    for name in ("de_DE", "tr_TR"):
        made = subprocess.run(
            ["localedef", "-i", name, "-f", "UTF-8", str(folder / f"{name}.UTF-8")],
            capture_output=True,
            check=False,
            timeout=300,
        )
        assert made.returncode in (0, 1), made.stderr  # 1: with warnings
    return folder


@pytest.mark.parametrize("name", ["de_DE", "tr_TR"])
def test_other_languages(written, languages, tmp_path, name):
    """A comma for the decimal point; an i without a dot."""
    options = {"LC_ALL": f"{name}.UTF-8", "LOCPATH": languages, "PYTHONUTF8": "0"}
    assert said(WRITTEN, "set", ",", cwd=tmp_path, **options) == written


@pytest.mark.parametrize("name", ["C", "POSIX"])
def test_no_language(written, tmp_path, name):
    """Names of files may be written in ASCII alone, and nothing else may."""
    options = {"LC_ALL": name, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert said(WRITTEN, cwd=tmp_path, **options) == written


NAMED = """
import sys
import multibody as mb
from multibody.errors import StorageError
from small_models import pendulum

for name in ("Größe.html", "nul\\0.html"):
    try:
        mb.write_page(pendulum(), name)
    except StorageError as error:
        print(error.what)
"""


def test_names_that_no_file_can_have_here(tmp_path):
    found = said(NAMED, cwd=tmp_path, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert found == "No file can have this name here.\n" * 2
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_that_knows_ascii_alone():
    """What it cannot show is replaced, and the command goes on."""
    code = "import sys; from multibody.cli import main; sys.argv = ['multibody', 'derive', 'pendulum']; main()"
    done = run(code, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="ascii:strict")
    assert "UnicodeEncodeError" not in done.stderr
    assert "angle" in done.stdout
