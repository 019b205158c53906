"""Start values that ``system.start`` gives are checked as those of the joints are."""

import pytest

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
    (error,) = system.check().errors
    assert "has length 5, not 1" in error.what
    assert error.where == "joint 'a'"
