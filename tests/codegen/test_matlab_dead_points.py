"""The simulation in MATLAB and Octave ends with an error at dead points of loops in closed form, and names them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.codegen import Matlab, export

from .test_fmi_dead_points import four_bar, heavy, light, slider_crank
from .test_matlab import octave

LIMIT = math.acos(0.06 / 0.9)
"""Of the crank: the tip is as far from the other pivot as both other links are long, 0.9² + 0.5² - 0.9·cos q1 = 1."""

WORDS = re.compile(
    r"The position is singular near t = (\S+): the loop that determines (.+) reaches a dead point, where its "
    r"solutions meet. It is near (\w+) = (\S+)\.$"
)


def said(eom: mb.EquationsOfMotion, call: str, folder: Path) -> str:
    """What Octave writes about a simulation: an error, or the states, row by row."""
    export(eom, Matlab(), folder)
    text = f"try\n [T, Y] = {call};\n printf('%.17g ', Y.');\ncatch e\n printf('%s', e.message);\nend\n"
    return octave(folder, text)


@pytest.mark.parametrize("options", ["", ", [], [], odeset('RelTol', 1e-3)", ", [], [], odeset('RelTol', 1e-11)"])
@pytest.mark.parametrize("times", ["[0, 3]", "[0, 0.5, 3]"])
@pytest.mark.parametrize(
    ("make", "loop", "angle"),
    [(four_bar, "q2, q3", -LIMIT), (heavy, "bend, slide", math.pi / 2), (light, "bend, slide", math.pi / 2)],
)
def test_the_error_names_loop_and_time(
    make: Callable[[], mb.EquationsOfMotion], loop: str, angle: float, times: str, options: str, tmp_path: Path
) -> None:
    """The light rod jumps between two steps; the others come to rest. Times of output make no difference."""
    eom = make()
    found = WORDS.match(said(eom, f"{eom.model.name}_sim({times}{options})", tmp_path))
    assert found
    time, coordinates, name, place = found.groups()
    assert (coordinates, name) == (loop, eom.coordinates[0].name)
    run = mb.simulate(eom, 3.0, on_failure="return")  # by another solver, in another program
    expected = float(re.search(r"ended at t = (\S+) s", run.message)[1])
    near = 0.05 if "1e-3" in options else 1e-3
    assert float(time) == pytest.approx(expected, abs=near)
    assert float(place) == pytest.approx(angle, abs=near)


@pytest.mark.parametrize(
    ("eom", "end"),
    [(four_bar(), 1.0), (slider_crank(1.001, (1.0, 0.1, 0.1)), 1.0), (slider_crank(1.2, (10.0, 0.01, 0.01)), 3.0)],
)
def test_other_runs_go_on(eom: mb.EquationsOfMotion, end: float, tmp_path: Path) -> None:
    """Until shortly before a dead point, and past a position near one."""
    times = np.linspace(0, end, 11)
    text = said(eom, f"{eom.model.name}_sim(linspace(0, {end}, 11))", tmp_path)
    states = np.array(text.split(), dtype=float).reshape(11, 2)
    ours = mb.simulate(eom, times=times, integrator=mb.DormandPrince8(rtol=1e-12, atol=1e-13))
    assert np.abs(states[:, :1] - ours.q).max() < 1e-5
    assert np.abs(states[:, 1:] - ours.u).max() < 1e-4


def test_also_backward_and_with_events_of_the_user(tmp_path: Path) -> None:
    """A motion that has come from a dead point leads back to it; events of the user are asked, too."""
    (tmp_path / "noted.m").write_text(
        "function [v, s, d] = noted(t, y)\n    global calls\n    calls = calls + 1;\n"
        "    v = y(1) - 1;\n    s = 0;\n    d = 0;\nend\n"
    )
    call = "four_bar_sim([0, -3], [0.3; -3], [], odeset('RelTol', 1e-8, 'AbsTol', 1e-10, 'Events', @noted))"
    text = f"global calls\ncalls = 0;\ntry\n {call};\ncatch e\n printf('%d %s', calls, e.message);\nend\n"
    export(four_bar(), Matlab(), tmp_path)
    calls, message = octave(tmp_path, text).split(" ", 1)
    found = WORDS.match(message)
    assert found
    assert int(calls) > 100
    assert float(found[1]) == pytest.approx(-1.00659, abs=1e-3)
    assert float(found[4]) == pytest.approx(-LIMIT, abs=1e-3)


def test_beside_constraints(tmp_path: Path) -> None:
    """Where the state is brought back onto constraints, here quaternions of length one."""
    system = mb.System("both", gravity=(0, -9.81, 0))
    lengths = (0.9, 0.4, 0.6)
    a, b, c = (system.body(f"b{k}", 1.0, (x / 2, 0, 0), (0, 0, 0.05)) for k, x in enumerate(lengths))
    system.joint("q1", system.world, a, "Rz", q=0.3, u=3.0)
    system.joint("q2", a.frame("tip", (0.9, 0, 0)), b, "Rz")
    system.joint("q3", system.frame("ground", (0.5, 0, 0)), c, "Rz")
    top = system.body("top", 1.0, (0, 0, 0.2), (0.01, 0.01, 0.004))
    system.joint("ball", system.world, top, mb.Spherical(), u=(0.4, 0.3, 2.0))
    system.loop(mb.FourBar(b.frame("end1", (0.4, 0, 0)), c.frame("end2", (0.6, 0, 0))))
    message = said(mb.derive(system), "both_sim([0, 0.9, 3])", tmp_path)
    assert "the loop that determines q2, q3 reaches a dead point" in message
    assert float(message.split("t = ")[1].split(":")[0]) == pytest.approx(1.00659, abs=1e-3)


def test_nothing_is_watched_without_such_loops(tmp_path: Path) -> None:
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    system.joint("angle", system.world, system.body("bob", 2, (0, 0, -1)), "Ry")
    export(mb.derive(system), Matlab(), tmp_path)
    text: Any = (tmp_path / "pendulum_sim.m").read_text()
    assert not re.search("watched|dead_point|stepwise|Events", text)
