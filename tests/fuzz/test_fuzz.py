"""Whatever a reader is given, it is read or refused by an error of this library: soon, and without running it.

Each input of the corpus once made a reader go a way that no other did, or was a finding. They are read again here;
``./dev fuzz`` goes on from there.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import resource
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from .parsers import PARSERS, Parser, attempt
from .watch import SECONDS, Misdeed, playground, watched

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = HERE / "corpus"
MEGABYTES = 500


@pytest.fixture(scope="module")
def folder():
    with playground() as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("MULTIBODY_CACHE", name)  # one of the readers does so
        yield Path(name)


def test_each_reader_has_a_corpus():
    assert {path.name for path in CORPUS.iterdir()} == {*PARSERS}
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < 1_000_000


@pytest.mark.filterwarnings("ignore")  # of libraries, about what is then refused
@pytest.mark.parametrize("name", PARSERS)
def test_corpus(name: str, folder: Path):
    inputs = {path.name: path.read_bytes() for path in sorted((CORPUS / name).iterdir())}
    with suppress(Exception):  # libraries are loaded, code is compiled
        attempt(PARSERS[name], inputs["seed000"], folder)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes = {one: outcome(PARSERS[name], data, folder) for one, data in inputs.items()}
    assert {one: said for one, said in outcomes.items() if said not in ("read", "refused")} == {}
    assert "read" in outcomes.values()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1024


def outcome(parser: Parser, data: bytes, folder: Path) -> str:
    """What became of an input: "read", "refused", or the finding."""
    try:
        with watched(folder):
            return "read" if attempt(parser, data, folder) else "refused"
    except (Exception, Misdeed) as error:  # noqa: BLE001 - all are listed
        return f"{type(error).__name__}: {error}"


# the watch itself -----------------------------------------------------------------------------------------------------


class Trap:
    """Runs a command when it is unpickled."""

    def __reduce__(self):
        return os.system, ("true",)


def slow() -> None:
    begin = time.process_time()
    while time.process_time() - begin < SECONDS + 0.1:
        pass


def caught() -> None:
    with suppress(BaseException):
        os.system("true")


MISDEEDS = {
    "os.system": lambda: os.system("true"), "code was run": lambda: eval("1 + 1"), "it took": slow, "caught": caught,
    "pickle.find_class": lambda: pickle.loads(pickle.dumps(Trap())), "a file": lambda: Path("/etc/passwd").read_text(),
    "subprocess.Popen": lambda: subprocess.run(["true"], check=False, timeout=60),
    "opened": lambda: (HERE / "x").write_text(""),
}  # fmt: skip


@pytest.mark.parametrize("what", MISDEEDS)
def test_misdeeds_are_seen(what: str, tmp_path: Path):
    """Also those that somebody catches."""
    with pytest.raises(Misdeed, match="os.system" if what == "caught" else what), watched(tmp_path):
        MISDEEDS[what]()
    assert not (HERE / "x").exists()


def test_files_of_the_folder_and_late_imports_are_no_misdeeds(tmp_path: Path):
    with watched(tmp_path):
        (tmp_path / "x").write_text("3")
        assert json.loads((tmp_path / "x").read_text()) == 3
        sys.modules.pop("colorsys", None)
        importlib.import_module("colorsys")
