"""Reaction forces, start values and loops of complete equations."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb


def hanging(weld: bool = True) -> mb.System:
    system = mb.System("hanging", gravity=(0, 0, -10))
    arm = system.body("arm", 2, (0, 0, -1), (1, 1, 1))
    system.joint("hinge", system.world, arm, "Ry")
    tool = system.body("tool", 3, (0, 0, -0.5), (1, 1, 1))
    system.joint("flange", arm.frame("end", (0, 0, -2)), tool, mb.Weld() if weld else "Rz")
    return system


@pytest.mark.parametrize("weld", [True, False])
def test_reactions_hold_the_weight(weld):
    eom = mb.derive(hanging(weld))
    outputs = {name: [*eom.reaction(name).resultant, *eom.reaction(name).moment] for name in ("hinge", "flange")}
    size = len(eom.speeds)
    result = eom.function("reactions", outputs)(0.0, np.zeros(size), np.zeros(size), [], [])
    np.testing.assert_allclose(result.hinge, [0, 0, 50, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(result.flange, [0, 0, 30, 0, 0, 0], atol=1e-12)


def test_reaction_through_a_weld_of_a_swinging_pendulum():
    """At the lowest point the tool, 2.5 m below the hinge, needs m·(g + ω²·r)."""
    eom = mb.derive(hanging())
    force = eom.function("force", {"flange": list(eom.reaction("flange").resultant)})
    np.testing.assert_allclose(force(0.0, [0.0], [2.0], [], []), [0, 0, 3 * (10 + 4 * 2.5)], atol=1e-12)


def test_an_unknown_joint_is_named():
    with refused("element-unknown", "hing"):
        mb.derive(hanging()).reaction("hing")


def test_start_values_by_name():
    system = hanging()
    system.start(hinge=0.4)
    assert {symbol.name: value for symbol, value in system.freeze().start.items()} == {"hinge": 0.4, "hinge_dot": 0.0}
    system.start(hing=1.0)
    with refused("start-value-unknown"):
        system.freeze()


def test_a_loop_is_recognised_and_closed_by_the_joint_that_was_cut():
    system = hanging()
    system.joint("rope", system.frame("hook", (1, 0, 0)), system["tool"], "Rx")
    (cut,) = system.freeze().cuts
    assert cut.name in ("rope", "flange")
    assert set(mb.derive(system).constraints.owners) == {cut.name}


def test_a_prescribed_coordinate_stands_for_the_motion_that_is_given():
    system = mb.System("driven")
    rod = system.body("rod", 1.0, (0, 0, -1), (1, 1, 1))
    arm = system.joint("arm", system.world, system.body("crank"), "Ry", prescribed=mb.graph.sin(2 * system.time))
    system.joint("hinge", system["crank"], rod, "Ry")
    system.sensor("twice", mb.Expression([2 * arm.coordinate, 2 * arm.speed]))
    angle, rate = mb.derive(system).sensors(0.3, [0.1], [0.2], [], [])
    assert np.allclose([angle, rate], [2 * np.sin(0.6), 4 * np.cos(0.6)])
