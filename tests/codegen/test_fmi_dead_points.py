"""FMUs name the position at which they stop: dead points of loops in closed form, and gimbal lock."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.codegen import Fmi

from .fmi_units import DISCARD, ERROR, Unit, fmpy


def slider_crank(rod_length: float, masses: tuple[float, float, float]) -> mb.EquationsOfMotion:
    """A crank of 1 m, a rod and a piston; two solutions meet where the crank is upright and the rod is as long."""
    system = mb.System("slider_crank", gravity=(0, -9.81, 0))
    crank = system.body("crank", masses[0], (0.5, 0, 0), (0, 0, masses[0] / 12))
    rod = system.body("rod", masses[1], (rod_length / 2, 0, 0), (0, 0, masses[1] * rod_length**2 / 12))
    piston = system.body("piston", masses[2])
    system.joint("turn", system.world, crank, "Rz", q=math.pi / 4, u=6.0)
    system.joint("bend", crank.frame("pin", (1, 0, 0)), rod, "Rz")
    system.joint("slide", system.world, piston, "Tx")
    system.loop(mb.CrankSlider(rod.frame("eye", (rod_length, 0, 0)), piston.frame("gudgeon")))
    return mb.derive(system)


def four_bar() -> mb.EquationsOfMotion:
    """Its crank cannot turn all the way."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0))
    lengths = (0.9, 0.4, 0.6)
    a, b, c = (system.body(f"b{k}", 1.0, (x / 2, 0, 0), (0, 0, 0.05)) for k, x in enumerate(lengths))
    system.joint("q1", system.world, a, "Rz", q=0.3, u=3.0)
    system.joint("q2", a.frame("tip", (0.9, 0, 0)), b, "Rz")
    system.joint("q3", system.frame("ground", (0.5, 0, 0)), c, "Rz")
    system.loop(mb.FourBar(b.frame("end1", (0.4, 0, 0)), c.frame("end2", (0.6, 0, 0))))
    return mb.derive(system)


def heavy() -> mb.EquationsOfMotion:
    return slider_crank(1.0, (1.0, 1.0, 1.0))


def light() -> mb.EquationsOfMotion:
    """A solver passes the dead point without an effort: velocities of the light rod jump."""
    return slider_crank(1.0, (10.0, 0.01, 0.01))


CASES = {"heavy": (heavy, "bend, slide"), "light": (light, "bend, slide"), "four-bar": (four_bar, "q2, q3")}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", list(CASES))
def test_co_simulation_stops_and_names_it(name: str, version: int, tmp_path: Path) -> None:
    make, coordinates = CASES[name]
    eom = make()
    unit = Unit.of(eom, tmp_path, Fmi(version, derivatives=False), options=["-O0"])
    one = unit.instance("CS").initialized()
    statuses = []
    while len(statuses) < 60 and (not statuses or statuses[-1] == 0):
        statuses.append(one.status(one.step, 0.05 * len(statuses), 0.05))
    assert statuses[-1] == DISCARD
    ((status, said),) = one.said
    assert status == DISCARD
    assert "The position is singular" in said
    assert f"the loop that determines {coordinates} reaches a dead point" in said
    (angle,) = one.get(unit.states[:1])
    assert f"{unit.states[0]} = {angle:.9g}" in said
    run = mb.simulate(eom, 3.0, samples=3001, on_failure="return")  # by another solver, in another program
    assert run.status is mb.Status.SINGULAR
    assert angle == pytest.approx(run[unit.states[0]][-1], abs=0.1)
    if name != "four-bar":
        assert math.pi / 2 - 0.1 < angle < math.pi / 2
    one.close()


@pytest.mark.parametrize("version", [2, 3])
def test_model_exchange_ends_with_an_error_that_names_it(version: int, tmp_path: Path) -> None:
    unit = Unit.of(light(), tmp_path, Fmi(version, derivatives=False), options=["-O0"])
    one = unit.instance("ME").initialized()
    one.event()
    x, h = one.state(), 1e-3
    statuses = []
    for k in range(1, 1000):  # steps of Euler's method
        x = x + h * one.state_rates()
        one.put_state(k * h, x)
        statuses.append(one.status(one.raw.completedIntegratorStep))
        if statuses[-1]:
            break
    assert statuses[-1] == ERROR
    assert x[0] == pytest.approx(math.pi / 2, abs=0.02)
    assert "the loop that determines bend, slide reaches a dead point" in one.said[-1][1]
    one.close()


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_an_importer_is_told(kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """FMPy prints messages; a logger of our own would replace its default one for the process, and crash when freed."""
    unit = Unit.of(light(), tmp_path, Fmi(2, derivatives=False), options=["-O0"])
    with pytest.raises(Exception, match="fmi2"):
        fmpy.simulate_fmu(str(unit.path), stop_time=3.0, fmi_type=kind, output_interval=0.05)
    assert "bend, slide reaches a dead point" in capfd.readouterr().out


@pytest.mark.parametrize("rod_length", [1.001, 1.2])
def test_a_longer_rod_passes(rod_length: float, tmp_path: Path) -> None:
    unit = Unit.of(slider_crank(rod_length, (10.0, 0.01, 0.01)), tmp_path, Fmi(2, derivatives=False), options=["-O0"])
    one = unit.instance("CS").initialized()
    for k in range(20):
        one.step(0.05 * k, 0.05)
    assert one.get(["turn"])[0] > math.pi / 2
    assert one.said == []
    one.close()


def top_in_gimbal_lock() -> mb.EquationsOfMotion:
    """With the second angle zero, the first one and the third one turn about the same axis."""
    system = mb.System("locked", gravity=(0, 0, -9.81))
    body = system.body("top", 1.0, (0, 0, -1), (1, 1, 1))
    system.joint("j", system.world, body, mb.Spherical(form="zxz"), q=(0.1, 0.0, 0.2), u=(0.3, 0, 0))
    return mb.derive(system)


@pytest.mark.parametrize("version", [2, 3])
def test_gimbal_lock_is_named(version: int, tmp_path: Path) -> None:
    unit = Unit.of(top_in_gimbal_lock(), tmp_path, Fmi(version, derivatives=False), options=["-O0"])
    said = "The position is singular: the speeds do not determine the rate of j_a1. It is j_a1 = 0.1, j_a2 = 0, j_a3"
    one = unit.instance("ME").initialized()
    one.event()
    assert one.status(one.state_rates) == DISCARD
    assert said in one.said[-1][1]
    one.put_state(0.0, np.array([0.1, 0.5, 0.2, 0.3, 0.0, 0.0]))
    assert np.isfinite(one.state_rates()).all()
    one.close()
    two = unit.instance("CS").initialized()
    assert two.status(two.step, 0.0, 0.1) == ERROR
    assert said in two.said[-1][1]
    two.close()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("make", [top_in_gimbal_lock, CASES["four-bar"][0]])
def test_an_importer_that_tries_again_does_not_do_so_for_ever(make: Any, version: int, tmp_path: Path) -> None:
    """FMPy repeats a step of FMI 2 that was not completed, as long as it is not an error."""
    unit = Unit.of(make(), tmp_path, Fmi(version, derivatives=False), options=["-O0"])
    with pytest.raises(Exception, match="DoStep failed"):
        fmpy.simulate_fmu(str(unit.folder), stop_time=3.0, output_interval=0.05, fmi_type="CoSimulation", timeout=60)
