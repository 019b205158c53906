"""Time of compilation is counted apart, and shown where it is long."""

import logging
import os
import subprocess
import sys
import threading
import time

import pytest

import multibody as mb
from multibody.compiler import Function, engine
from multibody.graph import symbol
from multibody.simulation.problem.continuation import _sum
from multibody.simulation.results.statistics import Counts
from multibody.support import progress_bars
from multibody.support.progress_bars import compile_seconds, compiling


def cube(factor):
    """A function that is not in the cache of another test."""
    x = symbol("x")
    return Function("cube", {"x": x}, {"y": factor * x * x * x})


@pytest.fixture
def slow_compiler(monkeypatch):
    """Machine code takes a tenth of a second longer."""
    real = engine.build

    def build(*args):
        time.sleep(0.1)
        return real(*args)

    monkeypatch.setattr(engine, "build", build)


def test_each_compilation_counts_once(slow_compiler):
    before, begun, f = compile_seconds(), time.perf_counter(), cube(3.0)
    assert f(2.0) == 24.0
    spent = compile_seconds() - before
    assert 0.1 <= spent < time.perf_counter() - begun, "the function and what it is made of are not counted twice"
    assert f(1.0) == 3.0
    assert compile_seconds() - before == spent


def test_threads_have_clocks_of_their_own(slow_compiler):
    before = compile_seconds()
    thread = threading.Thread(target=cube(5.0), args=(1.0,), daemon=True)
    thread.start()
    thread.join(timeout=120)
    assert not thread.is_alive()
    assert compile_seconds() == before


def test_a_compilation_that_fails_is_over():
    before = compile_seconds()
    with pytest.raises(ZeroDivisionError), compiling("nothing"):
        1 / 0
    assert compile_seconds() > before
    assert progress_bars.compilation_of(threading.get_ident()) is None


def test_long_compilations_are_logged_and_short_ones_are_not(slow_compiler, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "multibody")
    monkeypatch.setattr(progress_bars, "NOTICE_AFTER", 1e6)
    cube(7.0)(1.0)
    assert not caplog.records
    monkeypatch.setattr(progress_bars, "NOTICE_AFTER", 0.05)
    cube(9.0)(1.0)
    assert [one.getMessage().rpartition(" in ")[0] for one in caplog.records] == ["Compiled cube"]


def spring(stiffness):
    """A mass on a spring."""
    system = mb.System("spring")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
    system.load(mb.JointSpring(slide, stiffness))
    return mb.derive(system)


def test_a_run_counts_compilation_apart(slow_compiler):
    """What is counted as compilation is not counted as the run; a later run, with all code there, has none."""
    eom = spring(4.0)
    begun = time.perf_counter()
    first = mb.simulate(eom, 1.0).statistics
    assert first.compilation > 0.1
    assert first.compilation + first.seconds <= time.perf_counter() - begun
    assert "of compilation" in str(first)
    end = time.monotonic() + 120
    while (later := mb.simulate(eom, 1.0).statistics).compilation > 0 and time.monotonic() < end:
        time.sleep(0.1)  # better code is made in the background
    assert later.compilation == 0.0
    assert "of compilation" not in str(later)


def test_the_work_of_two_runs_is_added():
    assert _sum(Counts(steps=1, compilation=0.25), Counts(steps=2, compilation=0.5)) == Counts(
        steps=3, compilation=0.75
    )


def test_files_of_earlier_versions_have_no_compilation():
    assert Counts(steps=3, seconds=0.1).compilation == 0.0


SCRIPT = """
import time
import multibody as mb
from multibody.compiler import engine
real = engine.build
def build(*args):
    time.sleep(1.2)
    return real(*args)
system = mb.System("spring")
slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
eom = mb.derive(system)
engine.build = build
mb.simulate(eom, 1.0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of its own needs POSIX")
def test_a_terminal_shows_a_long_compilation(tmp_path):
    import pty

    ours, theirs = pty.openpty()
    env = os.environ | {"MULTIBODY_CACHE": str(tmp_path), "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen([sys.executable, "-c", SCRIPT], stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other side was closed
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert process.returncode == 0
    assert "compiling spring_rhs, " in shown.decode(errors="replace")
