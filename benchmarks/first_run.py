"""The first run on a new machine: in fresh processes, with nothing compiled before, and the size of an installation.

``cold_s`` is the first ``simulate`` of a double pendulum with an empty cache of machine code, ``warm_s`` the same in
the next process, ``picture_s`` the first picture with an empty cache; ``script_s`` is the whole script from ``import
multibody`` to the end of a cold run. Each is the best of several processes. ``install_mb`` is the size of what
``pip install .`` puts into an empty environment, without pip itself. Run with ``./dev bench first_run``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from _lines import bar

ROOT = Path(__file__).resolve().parents[1]
PROCESSES = 5

MODEL = """
from time import perf_counter
begun = perf_counter()
import multibody as mb
system = mb.System("double_pendulum", gravity=(0, 0, -9.81))
inner = system.body("inner", 1.0, (0, 0, -1))
outer = system.body("outer", 1.0, (0, 0, -1))
system.joint("a", system.world, inner, "Ry", q=1.0)
system.joint("b", inner.frame("tip", (0, 0, -1)), outer, "Ry", q=0.5)
eom = mb.derive(system)
"""
RUN = """
start = perf_counter()
run = mb.simulate(eom, 10.0)
print(perf_counter() - start, perf_counter() - begun)
assert run.status.name == "DONE" and abs(run.energies.drift) < 1e-6
"""
PICTURE = """
start = perf_counter()
image = mb.picture(system)
print(perf_counter() - start, perf_counter() - begun)
assert image.shape[2] == 3 and image.min() < 128 < image.max()
"""


def seconds(code: str, cache: str) -> tuple[float, float]:
    """How long the last part of a script takes, and all of it, in a process with a cache."""
    environment = os.environ | {"MULTIBODY_CACHE": cache}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment, text=True)
    last, whole = map(float, done.stdout.split())
    return last, whole


def fresh(code: str) -> tuple[float, float]:
    """The best of several processes, each with an empty cache."""
    found = []
    for _ in range(PROCESSES):
        with tempfile.TemporaryDirectory() as cache:
            found.append(seconds(code, cache))
    return min(last for last, _ in found), min(whole for _, whole in found)


def warm(code: str) -> float:
    """The best of several processes that find what the first one has compiled."""
    with tempfile.TemporaryDirectory() as cache:
        seconds(code, cache)
        return min(seconds(code, cache)[0] for _ in range(PROCESSES))


def installed_megabytes() -> float:
    """The size of an installation in an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        (packages,) = Path(folder).glob("lib/python*/site-packages")
        before = size(packages)
        pip = [str(Path(folder) / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(ROOT)], check=True, cwd=folder)
        return (size(packages) - before) / 1e6


def size(folder: Path) -> int:
    """The sum of the sizes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Measure and report."""
    (cold, script), (picture, _) = fresh(MODEL + RUN), fresh(MODEL + PICTURE)
    again, megabytes = warm(MODEL + RUN), installed_megabytes()
    print(f"first run: {cold:.2f} s, the whole script {script:.2f} s; in the next process {1e3 * again:.0f} ms")
    print(f"first picture: {picture:.2f} s; installation: {megabytes:.0f} MB")
    bar({"cold_s": cold, "warm_s": again, "picture_s": picture, "script_s": script, "install_mb": megabytes})


if __name__ == "__main__":
    main()
