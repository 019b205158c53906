"""A motion of the user's own whose axes turn in the child frame: the same equations as a stack of simple movements."""

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.algebra import Rotation, Transform, Vec3, VelocityMotor
from multibody.formalisms import Wittenburg
from multibody.graph import ONE, ZERO, cos, same, sin
from multibody.model import Kinematics
from multibody.model.joints.contract import JointKind, Motion, Step, fixed

NOTHING = Vec3(ZERO, ZERO, ZERO)
FORMALISMS = [
    mb.Recursive(),
    mb.ArticulatedBody(),
    mb.Kane(),
    mb.Lagrange(),
    mb.NewtonEuler(),
    Wittenburg(),
    mb.Modular(),
]


class Crane(Motion):
    """Slewing by α about z, luffing by β about x, and a boom of length s along the turned y: Rz, Rx and Ty at once.

    In the axes of the boom z is (0, sin β, cos β), so that v = (α̇·z + β̇·x, α̇·z × s·y + β̇·x × s·y + ṡ·y).
    """

    coordinates = ("rz", "rx", "ty")
    rest = (0.0, 0.0, 0.0)

    def pose(self, q):
        slew, luff, reach = q
        turned = Rotation.about_z(slew) @ Rotation.about_x(luff)
        return Transform(turned, turned.apply(Vec3(ZERO, reach, ZERO)))

    def axes(self, q):
        _, luff, reach = q
        return (
            VelocityMotor(Vec3(ZERO, sin(luff), cos(luff)), Vec3(-reach * cos(luff), ZERO, ZERO)),
            VelocityMotor(Vec3(ONE, ZERO, ZERO), Vec3(ZERO, ZERO, reach)),
            VelocityMotor(NOTHING, Vec3(ZERO, ONE, ZERO)),
        )

    def bias(self, q, u):
        (_, luff, reach), (slewing, luffing, reaching) = q, u
        turn = Vec3(ZERO, cos(luff), -sin(luff)) * (luffing * slewing)
        sideways = slewing * (reach * sin(luff) * luffing - reaching * cos(luff))
        return VelocityMotor(turn, Vec3(sideways, ZERO, luffing * reaching))


class Boom(JointKind):
    def steps(self):
        return (Step(Crane(), fixed()),)


def hanging(kind, *, turned_round):
    """A boom between two bodies, with a pendulum at its end; if turned round, the tree runs against the boom."""
    system = mb.System("crane", gravity=(0.3, -0.5, -9.81))
    truck = system.body("truck", 5, (0.1, 0, 0.3), (3, 4, 5))
    boom = system.body("boom", 2, (0, 0.4, 0.1), [[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 1.5]])
    load = system.body("load", 1, (0, 0, -0.7), (0.3, 0.2, 0.1))
    here, there = truck.frame("top", (0.2, 0.1, 0.9)), boom.frame("foot", (0, 0.1, 0), Rotation.about_y(0.3))
    carried, carrier = (truck, boom) if turned_round else (boom, truck)
    system.joint("drive", system.world, carrier, ["Tx", "Ry"])
    system.joint("crane", here, there, kind)
    system.joint("swing", carried.frame("tip", (0, 1, 0)), load, "Rx")
    return system


@pytest.mark.parametrize("turned_round", [False, True])
@pytest.mark.parametrize("formalism", FORMALISMS, ids=repr)
def test_axes_that_turn_with_the_coordinates(formalism, turned_round):
    one = mb.derive(hanging(Boom(), turned_round=turned_round), formalism)
    other = mb.derive(hanging(["Rz", "Rx", "Ty"], turned_round=turned_round), mb.NewtonEuler())
    expected = dict(zip(other.speeds, other.acceleration, strict=True))
    assert set(one.speeds) == set(other.speeds)
    assert all(same(a, expected[u], points=2) for u, a in zip(one.speeds, one.acceleration, strict=True))


@pytest.mark.parametrize("turned_round", [False, True])
def test_accelerations_of_what_it_carries(turned_round):
    one, other = (hanging(kind, turned_round=turned_round) for kind in (Boom(), ["Rz", "Rx", "Ty"]))
    for a, b in zip(*(Kinematics(each.freeze()).acceleration(each["load"]) for each in (one, other)), strict=True):
        assert all(same(x, y, points=2) for x, y in zip(a, b, strict=True))


def changed(method, change):
    """The same joint, with one method of its movement changed."""

    class Wrong(Crane):
        pass

    def other(self, *given):
        return change(getattr(Crane, method)(self, *given))

    setattr(Wrong, method, other)

    class WrongBoom(JointKind):
        def steps(self):
            return (Step(Wrong(), fixed()),)

    return WrongBoom()


MISTAKES = {
    "an axis twice as large": ("axes", lambda axes: (axes[0] * 2, *axes[1:])),
    "two axes exchanged": ("axes", lambda axes: (axes[1], axes[0], axes[2])),
    "a sign of the last axis": ("axes", lambda axes: (*axes[:2], -axes[2])),
    "no bias": ("bias", lambda bias: None),
    "bias with the other sign": ("bias", lambda bias: -bias),
    "a longer boom": ("pose", lambda pose: Transform(pose.rotation, pose.position * 2)),
}


@pytest.mark.parametrize("case", MISTAKES)
@pytest.mark.parametrize("turned_round", [False, True])
def test_a_movement_that_contradicts_itself_is_refused(case, turned_round):
    """One formalism differentiates the pose, another one takes the axes: each would be right for another mechanism."""
    system = hanging(changed(*MISTAKES[case]), turned_round=turned_round)
    for use in (mb.derive, mb.compare, mb.modular.from_system):
        with refused("joint-motion-inconsistent", "crane"):
            use(system)
    assert "joint-motion-inconsistent" in {error.code for error in system.check().errors}
    assert hanging(Boom(), turned_round=turned_round).check().ok
