"""Real robots: every formalism gives the same functions, proved by fingerprints at two points."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import multibody as mb
from multibody.graph import all_same
from multibody.model import Joint

FOLDER = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
ROBOTS = {  # file, whether its base is free, number of speeds
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False, 6),
    "panda": ("panda_description/urdf/panda.urdf", False, 9),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True, 18),
    "talos": ("talos_data/robots/talos_reduced.urdf", True, 38),
}
OTHERS = [mb.ArticulatedBody(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange(), mb.Wittenburg(), mb.Modular()]


def robot(name):
    """The robot with a drive on every joint."""
    file, floating, _ = ROBOTS[name]
    system = mb.read_urdf(FOLDER / file, floating=floating).system
    for joint in list(system.all(Joint)):
        if joint.speeds:
            system.load(mb.JointLoad(joint, system.input(f"{joint.name}_drive", len(joint.speeds))))
    return system


@pytest.fixture(scope="module", params=ROBOTS)
def reference(request):
    eom = mb.derive(robot(request.param), mb.Recursive())
    assert len(eom.speeds) == len(eom.inputs) == ROBOTS[request.param][2]
    return eom


@pytest.mark.parametrize("formalism", OTHERS, ids=repr)
def test_formalisms_agree_on_a_robot(reference, formalism):
    eom = mb.derive(reference.model, formalism)
    assert eom.formalism == type(formalism).__name__
    assert all_same(list(eom.acceleration), list(reference.acceleration), points=2)


@pytest.mark.parametrize("formalism", OTHERS[1:], ids=repr)
def test_mass_matrix_and_bias_agree(formalism):
    """Where a formalism makes them by itself; the articulated body does not need them."""
    model = robot("panda").freeze()
    one, other = mb.derive(model, mb.Recursive()), mb.derive(model, formalism)
    assert all_same([*one.M.flat, *one.h, *one.f], [*other.M.flat, *other.h, *other.f], points=2)


def test_a_proof_sees_the_smallest_change():
    """One part in 10^16 of gravity is a change; the doubles that both equations are evaluated to hardly differ."""
    system = robot("ur5")
    one = mb.derive(system, mb.Kane())
    system.gravity = (0, 0, np.nextafter(-9.81, 0))
    other = mb.derive(system, mb.Kane())
    assert float(one.model.gravity.z) == -9.81
    assert not all_same(list(one.acceleration), list(other.acceleration))
    state = np.linspace(-1, 1, 6), np.linspace(0.5, -0.7, 6), np.ones(6), []
    difference = one.forward_dynamics(0.0, *state) - other.forward_dynamics(0.0, *state)
    assert np.abs(difference).max() < 1e-12
