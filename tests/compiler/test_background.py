"""Careful code of large functions is made by another process, while code that was made in haste serves."""

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.compiler import Function, engine
from multibody.graph import sin, symbols
from multibody.simulation.problem.problem import Problem

PATIENCE = 120.0
"""Seconds for the other process to answer, on a busy machine."""


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch, tmp_path):
    """All functions are large, and the cache is empty."""
    monkeypatch.setattr(engine, "LARGE", 0)
    monkeypatch.setenv("MULTIBODY_CACHE", str(tmp_path / "cache"))


def wait_for(what):
    """Until a condition holds."""
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.02)


def waves():
    """A function whose results depend on rounding."""
    x, y = symbols("x y", "coordinate")
    return Function("waves", {"x": x, "y": y}, {"out": [sin(x * y + x) * y - x, x * y - y * y]})


def test_the_call_does_not_wait_and_the_code_comes_later():
    f = waves()
    before = f.hasty(0.3, 0.7)
    begun = time.process_time()
    assert not f.improved()
    assert time.process_time() - begun < 0.5, "LLVM was not started here"
    assert f.hasty is not f
    wait_for(f.improved)
    assert f.hasty is f
    assert np.array_equal(f(0.3, 0.7), before)


def test_code_that_is_on_disk_is_taken_at_once():
    first, second = waves(), waves()
    assert not first.improved()
    wait_for(first.improved)
    assert second.improved()


def test_without_a_cache_it_works_too(monkeypatch):
    monkeypatch.setenv("MULTIBODY_CACHE", "off")
    f = waves()
    assert not f.improved()
    wait_for(f.improved)
    assert f(1.0, 2.0)[1] == -2.0


@pytest.mark.parametrize("python", ["", "/nowhere/python"])
def test_where_no_process_can_be_started_it_is_made_here(monkeypatch, python):
    monkeypatch.setattr(engine.sys, "executable", python)
    f = waves()
    f.improved()
    wait_for(f.improved)
    assert f(1.0, 2.0)[1] == -2.0


def test_a_process_that_fails_is_no_loss(monkeypatch):
    monkeypatch.setattr(engine.json, "dumps", lambda *_, **__: "[]")  # it finds nothing to import
    f = waves()
    assert not f.improved()
    wait_for(f.improved)
    assert f(1.0, 2.0)[1] == -2.0


def pendulum():
    """Equations of a double pendulum."""
    system = mb.System("double_pendulum", gravity=(0, 0, -9.81))
    inner, outer = (system.body(name, 1.0, (0, 0, -1)) for name in ("inner", "outer"))
    system.joint("a", system.world, inner, "Ry", q=1.0)
    system.joint("b", inner.frame("tip", (0, 0, -1)), outer, "Ry", q=0.5)
    return mb.derive(system)


def test_the_second_run_is_not_slower_than_the_first(monkeypatch):
    """It waits for no compilation: careful code takes two seconds here, wherever it is made."""
    real = engine._compiled

    def compiled(text, effort):
        time.sleep(2.0 if effort == engine.CAREFUL else 0.0)
        return real(text, effort)

    monkeypatch.setattr(engine, "_compiled", compiled)
    eom = pendulum()
    takes, runs = [], []
    for _ in range(3):
        begun = time.perf_counter()
        runs.append(mb.simulate(eom, 2.0))
        takes.append(time.perf_counter() - begun)
    rhs = [one.statistics.compilation for one in runs[1:]]
    assert max(rhs) < 1.0
    assert np.array_equal(runs[0].q, runs[1].q)
    assert np.array_equal(runs[0].q, runs[2].q)


def test_better_code_is_swapped_in_between_runs():
    eom = pendulum()
    functions = Problem(eom, []).functions
    assert [Problem(eom, [], functions=functions)._in_haste for _ in range(2)] == [True, True]
    wait_for(functions.improved)
    assert not Problem(eom, [], functions=functions)._in_haste


def test_threads_share_one_process(monkeypatch):
    made, real = [], engine.BackgroundBuild
    monkeypatch.setattr(engine, "BackgroundBuild", lambda text: made.append(text) or real(text))
    functions = Problem(pendulum(), []).functions
    assert functions.is_first_run()
    threads = [threading.Thread(target=functions.improved, daemon=True) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(timeout=120)
    assert not any(one.is_alive() for one in threads)
    assert len(made) == 1
    wait_for(functions.improved)


def test_entries_of_the_path_that_are_not_text_do_no_harm(monkeypatch):
    """Python itself ignores them."""
    monkeypatch.setattr(engine.sys, "path", [*engine.sys.path, Path("/tmp")])
    f = waves()
    assert not f.improved()
    wait_for(f.improved)
    assert f(1.0, 2.0)[1] == -2.0


@pytest.mark.parametrize("what", ["no thread", "frozen"])
def test_where_nothing_runs_in_the_background_it_is_made_here(monkeypatch, what):
    """Threads cannot begin while Python exits, or in a browser; a frozen program would start itself again."""

    def refuse(self):
        raise RuntimeError("can't start new thread")

    if what == "frozen":
        monkeypatch.setattr(engine.sys, "frozen", True, raising=False)
    else:
        monkeypatch.setattr(threading.Thread, "start", refuse)
    f = waves()
    assert not f.improved()
    wait_for(lambda: f._background.failed)
    assert f.improved()
    assert f(1.0, 2.0)[1] == -2.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # from JAX, where other tests have imported it
def test_a_forked_process_does_not_wait_for_the_answer_of_another():
    f = waves()
    assert not f.improved()
    child = os.fork()
    if child == 0:
        begun = time.monotonic()
        while not f.improved() and time.monotonic() - begun < PATIENCE:
            time.sleep(0.02)
        os._exit(0 if "_library" in vars(f) and f(1.0, 2.0)[1] == -2.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    wait_for(f.improved)
