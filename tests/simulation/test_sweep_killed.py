"""A sweep that is killed again and again, at any moment, loses nothing and repeats nothing that was stored."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import multibody as mb

RUNS = 500
KILLS = 4


def equations():
    system = mb.System("pendulums", gravity=(0, 0, -9.81))
    end = system.world
    for k in (1, 2):
        rod = system.body(f"rod{k}", 1.0, (0.5, 0, 0), mb.diag(0, 1 / 12, 1 / 12))
        system.joint(f"q{k}", end, rod, "Ry", q=0.3)
        end = rod.frame(f"tip{k}", (1, 0, 0))
    return mb.derive(system)


def sweep(eom, path, log):
    """Double pendulums from many starts, for 5 s; the folder ``log`` gets a file for each that came to its end."""
    Path(log).mkdir(exist_ok=True)

    def noted(run):
        tempfile.mkstemp(prefix=f"{float(run.q[0, 0])!r} ", dir=log)  # a measure that reads files is refused
        return run.q[-1, 0]

    return mb.sweep(
        eom, 5.0, initial={"q1": mb.Uniform(-3, 3)}, draws=RUNS, seed=7, samples=5, path=path,
        integrator=mb.DormandPrince8(rtol=1e-12, atol=1e-13), measures={"end": noted},
    )  # fmt: skip


CHILD = """
import sys
from test_sweep_killed import equations, sweep

sweep(equations(), sys.argv[1], sys.argv[2])
"""


def killed_after(runs, path, log):
    """Start the sweep in a process of its own, and kill it after so many runs; whether it came to its end before."""
    paths = os.pathsep.join([str(Path(__file__).parent), *(one for one in sys.path if one)])
    before = lines(log)
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), str(log)], env={**os.environ, "PYTHONPATH": paths}
    )
    end = time.monotonic() + 300
    with child:
        try:
            while child.poll() is None and len(lines(log)) < len(before) + runs and time.monotonic() < end:
                time.sleep(0.002)
        finally:
            child.send_signal(signal.SIGKILL)
    assert time.monotonic() < end, "the sweep makes no progress"
    return child.returncode == 0


def lines(log):
    """First coordinates of the runs that came to their end, in this order."""
    with os.scandir(log) as files:
        return [one.name.split()[0] for one in sorted(files, key=lambda one: one.stat().st_mtime_ns)]


def stored(path):
    """The start and the samples of all runs that are stored, read without multibody, as bytes."""
    if not path.exists():
        return {}
    with sqlite3.connect(path) as base:
        known = base.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'runs'").fetchone()[0]
        rows = base.execute("SELECT number, y FROM runs").fetchall() if known else []
    base.close()
    return dict(rows)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system kills in another way")
def test_a_sweep_that_is_killed_loses_nothing_and_repeats_nothing(tmp_path):
    eom = equations()
    whole = sweep(eom, None, str(tmp_path / "log of the whole"))
    start = {repr(one): number for number, one in enumerate(whole.cases["q1"].tolist())}
    path, log = tmp_path / "runs", tmp_path / "log"
    log.mkdir()
    random, counts = np.random.default_rng(3), []
    for _ in range(KILLS):
        before, read = stored(path), len(lines(log))
        assert not killed_after(random.integers(0, 120), path, log)
        begun = [start[line] for line in lines(log)[read:]]
        assert not set(begun) & before.keys()  # what is stored is not run again
        assert len(set(begun)) == len(begun)
        assert before.items() <= stored(path).items()  # and stays, bit by bit
        counts.append(len(stored(path)))
    assert 0 < counts[-1] < RUNS, counts
    before, read = stored(path), len(lines(log))
    resumed = sweep(eom, path, str(log))
    rest = [start[line] for line in lines(log)[read:]]
    assert sorted([*before, *rest]) == list(range(RUNS))
    assert resumed.complete
    assert resumed.status == ["DONE"] * RUNS
    np.testing.assert_array_equal(resumed.values("q1"), whole.values("q1"))
    np.testing.assert_array_equal(resumed.values("q2_dot"), whole.values("q2_dot"))
    np.testing.assert_array_equal(resumed.measures["end"], whole.measures["end"])
