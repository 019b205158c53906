"""Start values that ``system.start`` gives are checked as those of the joints are."""

import pytest
from tests.refusal import refused

import multibody as mb


def hinged(kind, **options):
    system = mb.System("arm")
    system.joint("a", system.world, system.body("b", 1, (0, 0, -1), (1, 1, 1)), kind, **options)
    return system


@pytest.mark.parametrize(("value", "count"), [(0.5, 0), (1.5, 1)])
def test_the_range_of_a_coordinate(value, count):
    system = hinged("Ry", limits=(-1, 1))
    system.start(a=value)
    assert [finding.where for finding in system.check().warnings] == ["joint 'a'"] * count


def test_a_start_value_that_was_replaced_does_not_count():
    system = hinged("Ry", limits=(-1, 1), q=2.0)
    assert system.check().warnings
    system.start(a=0.0)
    assert not system.check().warnings


@pytest.mark.parametrize("kind", [mb.Spherical(), mb.Free()])
def test_the_length_of_a_quaternion(kind):
    system = hinged(kind)
    assert system.check().ok
    system.start(a_qw=3.0, a_qx=4.0)
    (warning,) = system.check().warnings  # a run normalizes it, and reports the change
    assert warning.code == "quaternion-not-unit"
    assert "has length 5, not 1" in warning.what
    assert warning.where == "joint 'a'"
    system.start(a_qw=0.0, a_qx=0.0)
    (error,) = system.check().errors
    assert error.code == "quaternion-not-unit"
    with refused("quaternion-not-unit", "joint 'a'"):
        mb.derive(system)


def test_hinges_in_line_at_the_start_are_found():
    """Rz, Rx and Rz again: at zero the outer two turn about the same axis."""
    system = mb.System("gimbals")
    joint = system.joint("e", system.world, system.body("rotor", 1, inertia=(1, 1, 1)), ["Rz", "Rx", "Rz"])
    (finding,) = system.check().findings
    assert "a motion of e_rz1_dot and e_rz2_dot at the start" in finding.what
    system.start(e_rx=0.3)
    assert system.check().findings == ()
    assert len(joint.speeds) == 3


def flat_parallelogram(angle):
    """Cranks of length 1 on a base of length 1, and a massless coupler."""
    system = mb.System("flat")
    tips = []
    for k in range(2):
        crank = system.body(f"crank{k}", 1, (0.5, 0, 0), (0, 0.1, 0.1))
        system.joint(f"turn{k}", system.frame(f"foot{k}", (k, 0, 0)), crank, "Rz", q=angle)
        tips.append(crank.frame(f"tip{k}", (1, 0, 0)))
    system.constraint(mb.DistanceConstraint(*tips, 1.0), name="coupler")
    return system


def test_a_mechanism_that_starts_at_a_branching_is_warned_of():
    (finding,) = flat_parallelogram(0.0).check().findings
    assert "singular configuration" in finding.what
    assert "softness" in finding.remedy
    assert flat_parallelogram(0.1).check().findings == ()


def test_a_constraint_without_a_value_at_the_start_is_named():
    system = mb.System("plate")
    disc = system.body("disc", 1, inertia=(1, 1, 2))
    system.joint("p", system.world, disc, ["Tx", "Ty", "Tz", "Rx", "Ry"], q=(0, 0, 0.3, 0, 0))
    system.constraint(mb.RollingDisc(system.world, disc, 0.3, axis="z"), name="flat_wheel")
    assert "'flat_wheel' has no value" in system.check().findings[0].what
