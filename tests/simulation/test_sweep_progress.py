"""Bars on terminals: they come late, show what is done, and disturb nothing."""

import io
import time
from contextlib import redirect_stderr

import numpy as np
import pytest

import multibody as mb
from multibody.simulation import progress
from multibody.simulation.progress import runs_bar, time_bar
from multibody.support import progress_bars

rich = pytest.importorskip("rich")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "GLANCE", 0.02)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return Terminal()


def test_a_sweep_shows_how_many_runs_are_done_and_have_failed(terminal):
    with redirect_stderr(terminal), runs_bar(None) as report:
        time.sleep(0.01)
        report(3, 10, 0)
        report(7, 10, 2)
        time.sleep(1.0)
    assert "7 of 10 runs, 2 failed" in terminal.getvalue()


def test_a_run_shows_the_time_that_it_has_reached(terminal):
    now, times = np.zeros(()), np.array([0.0, 10.0])
    with redirect_stderr(terminal), time_bar(now, times, None):
        now[()] = 6.25
        time.sleep(1.5)
    assert "0 s to 10 s" in terminal.getvalue()
    assert "6.25 s" in terminal.getvalue()


def slow():
    system = mb.System("slow", gravity=(0, 0, -9.81))
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -1)), "Ry", q=0.5)
    system.load(mb.JointLoad(hinge, system.input("M")))
    return mb.derive(system)


def wait(t):
    time.sleep(0.001)
    return 0.0


def test_simulate_and_sweep_show_bars_on_a_terminal(terminal):
    eom = slow()
    with redirect_stderr(terminal):
        mb.simulate(eom, 3.0, inputs={"M": wait})
    assert "0 s to 3 s" in terminal.getvalue()
    before = len(terminal.getvalue())
    with redirect_stderr(terminal):
        mb.sweep(eom, 0.5, initial={"angle": np.linspace(0, 1, 6)}, inputs={"M": wait}, workers=1)
    assert "of 6 runs" in terminal.getvalue()[before:]


def test_nothing_is_shown_where_nobody_looks(terminal):
    eom = slow()
    with redirect_stderr(terminal):
        mb.simulate(eom, 0.2, inputs={"M": wait}, progress=lambda t: None)
        mb.sweep(eom, 0.2, inputs={"M": wait}, progress=lambda *numbers: None)
    assert terminal.getvalue() == ""
    for file in (io.StringIO(), None):
        with redirect_stderr(file):
            assert mb.simulate(eom, 0.2, inputs={"M": wait}).status.ok
            assert mb.sweep(eom, 0.2, inputs={"M": wait}).complete
        assert file is None or file.getvalue() == ""


def test_short_work_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with redirect_stderr(terminal):
        mb.simulate(slow(), 0.2)
        mb.sweep(slow(), 0.2, initial={"angle": [0.1, 0.2]})
    assert terminal.getvalue() == ""


def test_without_the_library_there_is_no_bar(terminal, monkeypatch):
    monkeypatch.setattr(progress_bars, "find_spec", lambda name: None)
    with redirect_stderr(terminal):
        mb.sweep(slow(), 0.2, inputs={"M": wait})
    assert terminal.getvalue() == ""
