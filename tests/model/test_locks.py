"""What joints forbid where they close loops: locks hold on all allowed motions, their wrenches resist all others."""

import pytest

from multibody.graph import is_zero, substitute, time_derivative
from multibody.model import Cylindrical, Free, Screw, System, Universal, Weld

from .samples import KINDS, frozen, rates

STACKS = {
    "turn_slide": ["Rz", "Tx"],
    "turn_slides": ["Ry", "Tz", "Tx"],
    "turns_slide": ["Rx", "Rz", "Ty"],
    "slide_turn": ["Tx", "Rz"],
    "slides_turn": ["Tx", "Ty", "Rz"],
    "slide_turns": ["Ty", "Rz", "Rx"],
    "slides_turn_x": ["Tz", "Ty", "Rx"],
    "two_turns": ["Rx", "Ry"],
    "three_turns": ["Rz", "Rx", "Rz"],
}
AGAINST_THE_AXIS = {
    "screw_named": Screw("-y", pitch=0.2),
    "screw_oblique": Screw((0.3, 0.1, -2.0), pitch=-0.4),
    "cylindrical_named": Cylindrical("-x"),
    "cylindrical_oblique": Cylindrical((0.3, 0.1, -2.0)),
    "universal_named": Universal("-x", "-z"),
}
CLOSING = {
    **{name: kind for name, kind in KINDS.items() if name != "stack"},
    **STACKS,
    **AGAINST_THE_AXIS,
    "weld": Weld(),
}


def on_the_joint(kind):
    """A body that a joint allows to move, a second one that may leave it in any way, and their joints."""
    system = System("one")
    kept, loose = system.body("kept", 1, inertia=(1, 1, 1)), system.body("loose", 1, inertia=(1, 1, 1))
    joint, out = system.joint("j", system.world, kept, kind), system.joint("out", kept, loose, Free("xyz"))
    return system, kept, loose, joint, out


@pytest.mark.parametrize("name", CLOSING)
def test_locks_hold_on_all_that_the_joint_allows(name):
    """φ = 0 wherever the joint can go, and no wrench does work on its motion."""
    system, kept, _, joint, _ = on_the_joint(CLOSING[name])
    kinematics = frozen(system)
    locks = joint.kind.locks(kinematics.pose(kept))
    assert len(locks) + len(joint.speeds) == 6
    assert all(is_zero(lock.position) for lock in locks)
    assert all(is_zero(kinematics.velocity(kept).inner(lock.wrench)) for lock in locks)


@pytest.mark.parametrize("name", CLOSING)
def test_the_rate_of_a_lock_is_the_power_of_its_wrench(name):
    """φ̇ = wrench · v for every velocity, also those that are forbidden: the force has the sign and size of its name."""
    system, _, loose, joint, out = on_the_joint(CLOSING[name])
    kinematics = frozen(system)
    together = dict.fromkeys(out.coordinates, 0)
    for lock in joint.kind.locks(kinematics.pose(loose)):
        rate = time_derivative(lock.position, rates(kinematics.model))
        power = kinematics.velocity(loose).inner(lock.wrench)
        assert not is_zero(power)
        assert is_zero(substitute(rate - power, together))


@pytest.mark.parametrize("name", CLOSING)
def test_gauges_read_the_speeds_of_the_joint(name):
    """Where a joint has gauges, each speed is read from the relative velocity, and each coordinate has that rate."""
    system, kept, _, joint, _ = on_the_joint(CLOSING[name])
    kinematics = frozen(system)
    gauges = joint.kind.gauges(kinematics.pose(kept))
    for gauge, u in zip(gauges, joint.speeds, strict=bool(gauges)):
        assert is_zero(kinematics.velocity(kept).inner(gauge.wrench) - u)
        if gauge.position is not None:
            assert is_zero(time_derivative(gauge.position, rates(kinematics.model)) - u)
