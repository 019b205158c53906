"""Equilibria of loops in closed form, beside a fine scan of the potential energy in both assemblies."""

import numpy as np
import pytest

import multibody as mb
from multibody.errors import EquilibriumError

G = 9.81


def four_bar(lengths, stiffness, posture):
    crank, coupler, rocker, base = lengths
    system = mb.System("four_bar", gravity=(0, 0, -G))
    a = system.body("crank", 1.0, (crank / 2, 0, 0), (0.01, 0.01, 0.01))
    b = system.body("coupler", 2.0, (coupler / 2, 0, 0.1), (0.1, 0.1, 0.1))
    c = system.body("rocker", 1.5, (rocker / 2, 0, 0), (0.05, 0.05, 0.05))
    hinge = system.joint("q1", system.world, a, "Ry")
    system.joint("q2", a.frame("a_end", (crank, 0, 0)), b, "Ry")
    system.joint("q3", system.frame("right", (base, 0, 0)), c, "Ry")
    if stiffness:
        system.load(mb.JointSpring(hinge, stiffness, 0.0))
    system.loop(mb.FourBar(b.frame("b_end", (coupler, 0, 0)), c.frame("c_end", (rocker, 0, 0)), posture=posture))
    return mb.derive(system)


def scanned(lengths, stiffness, side, count=40_001):
    """Crank angles at which the potential energy is stationary in one assembly."""
    crank, coupler, rocker, base = lengths
    angle = np.linspace(-np.pi, np.pi, count)
    B = np.stack([crank * np.cos(angle), -crank * np.sin(angle)], axis=1)
    way = np.array([base, 0.0]) - B
    distance = np.hypot(*way.T)
    along = (coupler**2 - rocker**2 + distance**2) / (2 * distance)
    with np.errstate(invalid="ignore"):
        across = side * np.sqrt(coupler**2 - along**2)
    unit = way / distance[:, None]
    C = B + along[:, None] * unit + across[:, None] * np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    x = (C - B) / coupler
    heights = 0.5 * B[:, 1], B[:, 1] + x[:, 1] * coupler / 2 + 0.1 * x[:, 0], 0.5 * C[:, 1]
    V = G * (heights[0] + 2.0 * heights[1] + 1.5 * heights[2]) + stiffness * angle**2 / 2
    slope = np.gradient(V, angle)
    crossing = (slope[:-1] * slope[1:] < 0) & np.isfinite(V[:-1]) & np.isfinite(V[1:]) & (np.abs(slope[:-1]) < 1.0)
    return angle[:-1][crossing]


@pytest.mark.parametrize("posture", [1, -1])
@pytest.mark.parametrize(
    ("lengths", "stiffness"),
    [
        ((0.3, 0.8, 0.6, 0.9), 0.0),
        ((0.6, 0.8, 0.5, 0.9), 0.0),
        ((0.6, 0.8, 0.5, 0.9), 3.0),
        ((0.4, 0.9, 0.4, 0.6), 3.0),
    ],
)
def test_all_equilibria_in_both_assemblies_are_found(lengths, stiffness, posture):
    eom = four_bar(lengths, stiffness, posture)
    found = mb.equilibria(eom)
    angles = np.array([one["q1"] for one in found])
    expected = np.concatenate([scanned(lengths, stiffness, side) for side in (1, -1)])
    assert len(expected) >= 2
    assert all(np.abs(angles - one).min() < 1e-3 for one in expected)
    within = angles[np.abs(angles) < np.pi]  # with a spring, there are more after whole turns
    assert all(np.abs(expected - one).min() < 1e-3 for one in within)
    assert max(one.residual for one in found) < 1e-9  # a dead point, where forces have no bound, is not an equilibrium


def test_those_of_the_closed_form_come_first_and_can_be_simulated():
    eom = four_bar((0.3, 0.8, 0.6, 0.9), 0.0, 1)
    found = mb.equilibria(eom)
    assert [one.eom is eom for one in found] == [True, True, False, False]
    assert found[2].eom is eom.unreduced
    assert "another" in str(found)
    for one in found:
        run = mb.simulate(one.eom, 0.05, start=one)
        assert np.ptp(run["q1"]) < 1e-9


def test_a_dead_point_is_not_an_equilibrium():
    """A spring pushes the crank to the end of its range, where the closed form has no derivative."""
    eom = four_bar((0.4, 0.9, 0.4, 0.6), 3.0, -1)
    try:
        found = mb.equilibria(eom, fixed={"q1_dot": 0.0})
    except EquilibriumError:
        return
    assert max(one.residual for one in found) < 1e-9


def test_equations_without_loops_have_no_other_assembly():
    system = mb.System("arm", gravity=(0, 0, -G))
    system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -0.5)), "Ry")
    eom = mb.derive(system)
    assert eom.unreduced is None
    assert len(mb.equilibria(eom)) == 2


def slider_crank(crank, rod, stiffness, free_length, posture):
    """A crank and a rod in a vertical plane, and a piston that slides along x against a spring."""
    system = mb.System("slider_crank", gravity=(0, 0, -G))
    a = system.body("crank", 1.0, (crank / 2, 0, 0), (0.01, 0.01, 0.01))
    b = system.body("rod", 2.0, (rod / 2, 0, 0), (0.1, 0.1, 0.1))
    c = system.body("piston", 3.0)
    system.joint("turn", system.world, a, "Ry")
    system.joint("bend", a.frame("a_end", (crank, 0, 0)), b, "Ry")
    slide = system.joint("slide", system.world, c, "Tx")
    system.load(mb.JointSpring(slide, stiffness, free_length))
    system.loop(mb.CrankSlider(b.frame("b_end", (rod, 0, 0)), c.frame("pin"), posture=posture))
    return mb.derive(system)


def scanned_slider_crank(crank, rod, stiffness, free_length, side, count=40_001):
    """Crank angles at which the potential energy is stationary, with the piston on one side of the crank pin."""
    angle = np.linspace(-np.pi, np.pi, count) + 1e-4  # no point of the grid is an equilibrium
    height = -crank * np.sin(angle)
    x = crank * np.cos(angle) + side * np.sqrt(rod**2 - height**2)
    V = G * (0.5 + 2.0 * 0.5) * height + stiffness * (x - free_length) ** 2 / 2
    slope = np.gradient(V, angle)
    return angle[:-1][slope[:-1] * slope[1:] < 0]


@pytest.mark.parametrize("posture", [1, -1])
@pytest.mark.parametrize(("stiffness", "free_length"), [(0.0, 0.0), (40.0, 0.6), (400.0, 0.4)])
def test_equilibria_of_a_slider_crank_in_both_assemblies(stiffness, free_length, posture):
    lengths = 0.2, 0.5
    found = mb.equilibria(slider_crank(*lengths, stiffness, free_length, posture))
    expected = [scanned_slider_crank(*lengths, stiffness, free_length, side) for side in (1, -1)]
    assert all(len(one) >= 2 for one in expected)
    angles = np.array([one["turn"] for one in found])
    for one in np.concatenate(expected):
        assert np.abs((angles - one + np.pi) % (2 * np.pi) - np.pi).min() < 1e-3
    assert len(found) == sum(map(len, expected))


@pytest.mark.parametrize("posture", [1, -1])
def test_equilibria_of_a_parallelogram(posture):
    """As a parallelogram, the coupler does not turn: V = -g·l·sin(q1)·(0.5 + 2 + 0.75), with equilibria at ±π/2."""
    found = mb.equilibria(four_bar((0.4, 0.9, 0.4, 0.9), 0.0, posture))
    angles = np.array([one["q1"] for one in found])
    expected = np.concatenate([scanned((0.4, 0.9, 0.4, 0.9), 0.0, side) for side in (1, -1)])
    expected = expected[np.abs(np.sin(expected)) > 1e-2]  # flat positions, where both assemblies meet, are singular
    assert all(np.abs(angles - one).min() < 1e-3 for one in (*expected, np.pi / 2, -np.pi / 2))
    assert max(one.residual for one in found) < 1e-9
