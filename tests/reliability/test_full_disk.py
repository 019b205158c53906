"""Disks that are full: the cache does without, and everything else says so and leaves what was there.

The disk is a real one of a few kilobytes, mounted for one process alone; or the largest size of a file, where that is
not possible. Sweeps on a full disk: ``tests/simulation/test_sweep_stored.py``.
"""

import shutil
import subprocess
import sys
from functools import partial

import pytest

from .children import PATIENCE, command, surroundings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file systems are others there")

KILOBYTES = 128
MOUNT = 'mount -t tmpfs -o size=$0k,mode=700 none "$1" && shift && exec "$@"'
LIMIT = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({KILOBYTES} * 1024, {KILOBYTES} * 1024))
"""


@pytest.fixture(scope="session")
def small_disk(tmp_path_factory):
    """Makes a command one for which a folder is a small disk, and says so."""
    folder = tmp_path_factory.mktemp("small disk")
    for options in ("-m", "-rm"):  # as root, or as one's own root
        prefix = ["unshare", options, "sh", "-c", MOUNT, str(KILOBYTES), str(folder)]
        if works([*prefix, "true"]):
            return folder, partial(mounted, prefix)
    return folder, lambda code, *arguments: command(LIMIT + code, *arguments)


def works(words):
    there = bool(shutil.which(words[0]))
    return there and subprocess.run(words, capture_output=True, check=False, timeout=PATIENCE).returncode == 0


def mounted(prefix, code, *arguments):
    return [*prefix, *command(code, *arguments)]


def run(small_disk, code, *arguments, **changed):
    folder, made = small_disk
    done = subprocess.run(
        made(code, folder, *arguments), env=surroundings(**changed), capture_output=True, text=True, timeout=PATIENCE,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]
    return done.stdout


PREPARED = """
import sys
from pathlib import Path
import multibody as mb
from multibody.errors import StorageError
from small_models import crane, moved

disk = Path(sys.argv[1])
system = crane(links=1)
eom = mb.derive(system)
run = moved(eom)
fine = mb.simulate(eom, 1.0, samples=2001)
"""
WRITERS = {
    "runs.csv": "fine.save(path, overwrite=True)",
    "runs.npz": "fine.save(path, overwrite=True)",
    "runs.parquet": "fine.save(path, overwrite=True)",
    "figure.png": "fine.plot(path=path, overwrite=True)",
    "picture.png": "mb.picture(system, path, run=run, overwrite=True)",
    "page.html": "mb.write_page(system, path, run, overwrite=True)",
    "model.yaml": "mb.write_model(system, path, overwrite=True)",
    "run.gif": "mb.animate(run, path, overwrite=True)",
    "run.glb": "mb.animate(run, path, overwrite=True)",
    "crane.fmu": "mb.write_fmu(eom, path, overwrite=True)",
    "out/crane.c": "mb.export(eom, mb.C(), path.parent, overwrite=True)",
    "out/crane.mo": "mb.export(eom, mb.Modelica(), path.parent, overwrite=True)",
    "out/crane.m": "mb.export(eom, mb.Matlab(), path.parent, overwrite=True)",
    "linear.csv": "mb.linearize(eom).to_csv(path, overwrite=True)",
}
FULL = """
(disk / "out").mkdir()
for name in writers:
    (disk / name).write_bytes(b"precious")
while True:  # fill it
    try:
        with (disk / "filler").open("ab") as filler:
            filler.write(bytes(4096))
    except OSError:
        break
before = sorted(disk.rglob("*"))
for name, action in writers.items():
    path = disk / name
    try:
        exec(action)
    except StorageError as error:
        clear = any(word in str(error) for word in ("No space", "too large", "free space"))
        print(name, "is refused" if clear else error)
    assert path.read_bytes() == b"precious", name
    assert sorted(disk.rglob("*")) == before, name
"""


def test_old_files_are_intact_and_the_error_is_clear(small_disk):
    found = run(small_disk, PREPARED + f"writers = {WRITERS}" + FULL)
    assert found.splitlines() == [f"{name} is refused" for name in WRITERS]


COMPILED = """
import sys
from pathlib import Path
from multibody.compiler import Function
from multibody.graph import sin, symbols

disk = Path(sys.argv[1])
x, y = symbols("x y")
for k in range(30):
    print(Function("f", {"x": x, "y": y}, {"z": [sin(x * j + k) * y for j in range(1, 5)]})(0.5, 2.0).tolist())
if len(sys.argv) > 2:
    assert 0 < sum(file.stat().st_size for file in disk.glob("*.o")) <= 128 * 1024
    assert len(list(disk.glob("*.o"))) < 30
    assert not list(disk.glob("*.tmp"))
"""


def test_a_cache_on_a_full_disk_is_done_without(small_disk):
    folder = small_disk[0]
    expected = run(small_disk, COMPILED, MULTIBODY_CACHE="off")
    assert run(small_disk, COMPILED, "full", MULTIBODY_CACHE=folder) == expected
