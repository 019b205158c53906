"""Verdicts on what lasts: forces that follow time, supports that shake, and stiff parts that must not hide it."""

import numpy as np
import pytest

import multibody as mb
from multibody.errors import OperatingPointWarning
from multibody.graph import cos, exp, less, sin, tanh, where
from multibody.linearization import equilibrium, linearize, lqr
from multibody.linearization.trim.steady_motion import same_matrix

G = 9.81


def driven_spring(force, stiffness=10.0, mass=1.0):
    system = mb.System("driven", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", mass), "Tx")
    system.load(mb.JointLoad(slide, force(system.time) - stiffness * slide.coordinate))
    system.load(mb.JointDamper(slide, 0.5))
    return mb.derive(system)


FORCES = {
    "even at zero": lambda t: 5 * cos(3 * t),
    "flat at zero": lambda t: 5 + t**4,
    "slow": lambda t: 5 * cos(1e-3 * t),
    "fast": lambda t: 5 * cos(1e5 * t),
    "ends soon": lambda t: where(less(t, 0.5), 5.0, 0.0),
    "dies out": lambda t: 5 * exp(-t * t),
}


@pytest.mark.parametrize("kind", FORCES)
def test_a_force_that_changes_holds_nothing(kind):
    found = equilibrium(driven_spring(FORCES[kind]))
    assert found["x"] == pytest.approx(0.5)
    assert found.lasts is False
    assert found.stability == "undecided"
    assert str(found).startswith("driven: equilibrium for an instant only, undecided")


def test_a_force_that_does_not_change_lasts():
    found = equilibrium(driven_spring(lambda t: 5.0 + 0 * t))
    assert (found.lasts, found.stability) == (True, "stable")


def test_a_pulse_that_was_not_seen_leaves_it_undecided():
    """Nobody can look at all times: a pulse of a millisecond at 1234 s."""
    found = equilibrium(driven_spring(lambda t: where(less((t - 1234.0) * (t - 1234.001), 0), 5.0, 0.0)))
    assert found.lasts is None
    assert found.stability == "undecided"
    assert str(found).startswith("driven: equilibrium for an unknown time, undecided")


@pytest.mark.parametrize("unit", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("stiffness", [None, 1e4, 1e8, 1e12])
def test_a_pendulum_that_is_shaken_at_twice_its_frequency_is_undecided(stiffness, unit):
    """Parametric resonance: it grows, although all poles of each instant are stable."""
    g, length = G * unit, 1.0 * unit
    omega = np.sqrt(g / length)
    system = mb.System("shaken", gravity=(0, 0, -g))
    base = system.body("base", 1.0)
    system.joint("z", system.world, base, "Tz", prescribed=0.05 * length * cos(2 * omega * system.time))
    bob = system.body("bob", 1.0, (0, 0, -length))
    hinge = system.joint("a", base, bob, "Ry")
    system.load(mb.JointDamper(hinge, 1e-3 * length**2))
    if stiffness:
        tip = system.body("tip", 1e-3)
        slide = system.joint("s", bob, tip, "Tx")
        system.load(mb.JointSpring(slide, stiffness))
        system.load(mb.JointDamper(slide, np.sqrt(stiffness) * 1e-2))
    found = equilibrium(mb.derive(system))
    assert found.lasts is True
    assert found.stability == "undecided"


def test_it_grows_indeed():
    omega = np.sqrt(G)
    system = mb.System("shaken", gravity=(0, 0, -G))
    base = system.body("base", 1.0)
    system.joint("z", system.world, base, "Tz", prescribed=0.05 * cos(2 * omega * system.time))
    hinge = system.joint("a", base, system.body("bob", 1.0, (0, 0, -1)), "Ry")
    system.load(mb.JointDamper(hinge, 1e-3))
    run = mb.simulate(mb.derive(system), duration=40.0, q={"a": 1e-3})
    assert np.abs(run["a"]).max() > 0.1


def test_entries_are_compared_one_by_one():
    A = np.array([[0.0, 1.0, 0.0, 0.0], [-9.81, -0.1, 1e9, 0.0], [0.0, 0.0, 0.0, 1.0], [1e-3, 0.0, -1e12, -1e3]])
    later = A.copy()
    assert same_matrix(A, later * (1 + 1e-9)) is True
    later[1, 0] *= 1.01
    assert same_matrix(A, later) is False
    hidden = np.array([[0.0, 1.0], [-1e30, 0.0]])
    tiny = np.array([[0.0, 1.0], [-1e30, 1e3]])
    assert same_matrix(hidden, tiny) is None  # 1e3 beside 1e15


def test_a_prescribed_turn_at_a_constant_rate_lasts_in_micrometers():
    for unit in (1.0, 1e6):
        table = mb.System("table", gravity=(0, 0, -G * unit))
        plate = table.body("plate", 1.0, inertia=(unit**2, unit**2, unit**2))
        table.joint("turn", table.world, plate, "Rz", prescribed=6 * table.time)
        hinge = table.joint("out", plate, table.body("ball", 1.0, (0, 0, -0.5 * unit)), "Ry", q=0.9)
        table.load(mb.JointDamper(hinge, 0.1 * unit**2))
        found = equilibrium(mb.derive(table))
        assert found["out"] == pytest.approx(np.arccos(G / (0.5 * 36)), rel=1e-12)
        assert (found.lasts, found.stability) == (True, "stable")


def test_a_linear_system_off_an_equilibrium_is_not_steady():
    eom = driven_spring(lambda t: 5 + 0 * sin(t))
    assert linearize(eom, at={"x": 0.5}).steady
    assert not linearize(eom, at={"x": 0.5 + 1e-5}).steady


PULSES = {
    "soon, and short": lambda t: 5 * exp(-(((t - 1.2) / 0.01) ** 2)),
    "later": lambda t: 5 * exp(-(((t - 1000) / 0.5) ** 2)),
    "a late smooth step": lambda t: 5 * (1 + tanh(t - 1e5)),
    "slower than all times": lambda t: 1e-3 * sin(1e-9 * t),
}


@pytest.mark.parametrize("kind", PULSES)
def test_a_force_that_is_about_to_act_is_never_said_to_last(kind):
    """No samples of time can tell: only where time cancels in the equations does a state last."""
    found = equilibrium(driven_spring(PULSES[kind]))
    assert found.lasts is None
    assert found.stability == "undecided"
    assert not found.linear.steady
    assert not found.linear.at_rest


@pytest.mark.parametrize("amplitude", [1e-3, 1e-5, 1e-6, 1e-9])
def test_a_small_force_in_resonance_is_not_nothing(amplitude):
    """It is small beside the weight, and the oscillation grows without bound."""
    system = mb.System("resonance", gravity=(0, 0, -G))
    slide = system.joint("z", system.world, system.body("box", 1.0), "Tz")
    system.load(mb.JointSpring(slide, 4.0))
    system.load(mb.JointLoad(slide, amplitude * sin(2 * system.time)))
    found = equilibrium(mb.derive(system))
    assert found.lasts is not True
    assert found.stability == "undecided"


def test_time_that_cancels_lasts_in_whichever_way_it_is_written():
    """cos 2t = cos²t - sin²t, in a force and in the turning of two joints that undo each other."""
    force = driven_spring(lambda t: 5 + 3 * cos(2 * t) - 3 * cos(t) ** 2 + 3 * sin(t) ** 2)
    found = equilibrium(force)
    assert (found.lasts, found.stability, found.linear.steady) == (True, "stable", True)
    assert (linearize(force, at={"x": 0.5}).stability, linearize(force, at={"x": 0.5}).at_rest) == ("stable", True)


@pytest.mark.parametrize("t", [0.0, np.pi / 6])
def test_linearize_gives_no_verdict_on_what_follows_time(t):
    """A force 5·cos 3t vanishes at π/6 s, for an instant: nothing is at rest, and a controller is warned of it."""
    system = mb.System("instant", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointSpring(slide, 4.0))
    system.load(mb.JointDamper(slide, 0.4))
    system.load(mb.JointLoad(slide, system.input("F") + 5 * cos(3 * system.time)))
    lin = linearize(mb.derive(system), at={"x": 0.0}, t=t)
    assert (lin.steady, lin.at_rest) == (False, False)
    assert lin.stability == "undecided"
    with pytest.warns(OperatingPointWarning):
        lqr(lin, {"x": 1.0}, {"F": 1.0})


def test_linearize_gives_no_verdict_on_a_pendulum_that_is_shaken():
    """Parametric resonance by a support that moves; it rests where it hangs, and its linear system follows time."""
    system = mb.System("shaken", gravity=(0, 0, -G))
    table = system.body("table", 1.0)
    system.joint("lift", system.world, table, "Tz", prescribed=0.05 * cos(2 * np.sqrt(G) * system.time))
    hinge = system.joint("phi", table, system.body("bob", 1.0, (0, 0, -1.0)), "Ry")
    system.load(mb.JointDamper(hinge, 0.01))
    lin = linearize(mb.derive(system))
    assert (lin.stability, lin.stable) == ("undecided", False)
    assert lin.steady
    aside = linearize(mb.derive(system), at={"phi": 0.1})
    assert (aside.stability, aside.steady, aside.at_rest) == ("undecided", False, False)
