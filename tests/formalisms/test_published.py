"""Published numbers: PUMA 560 (Corke) and the chains of RBDL's tests, with their sources in the reference table."""

import math

import numpy as np
import pytest

from multibody.algebra import Rotation
from multibody.formalisms import ArticulatedBody, Recursive, derive
from multibody.graph import pi
from multibody.model import Force, System, Torque

PUMA = [  # d, a, alpha in quarter turns, inertia about the centre of mass, centre of mass, mass, Jm, G
    (26.45 * 0.0254, 0, 1, (0, 0.35, 0), (0, 0, 0), 0, 200e-6, -62.6111),
    (0, 0.4318, 0, (0.13, 0.524, 0.539), (-0.3638, 0.006, 0.2275), 17.4, 200e-6, 107.815),
    (0.15005, 0.0203, -1, (0.066, 0.086, 0.0125), (-0.0203, -0.0141, 0.070), 4.8, 200e-6, -53.7063),
    (0.4318, 0, 1, (1.8e-3, 1.3e-3, 1.8e-3), (0, 0.019, 0), 0.82, 33e-6, 76.0364),
    (0, 0, -1, (0.3e-3, 0.4e-3, 0.3e-3), (0, 0, 0), 0.34, 33e-6, 71.923),
    (0, 0, 0, (0.15e-3, 0.15e-3, 0.04e-3), (0, 0, 0.032), 0.09, 33e-6, 76.686),
]
QN = np.array([0, math.pi / 4, math.pi, 0, math.pi / 4, 0])
ROTOR = np.array([jm * g * g for *_, jm, g in PUMA])
RATIO = np.array([g for *_, g in PUMA])
VISCOUS = np.array([1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6])
FORWARD = np.array([0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3])  # Coulomb friction by direction
BACKWARD = np.array([-0.435, -0.071, -0.105, -16.9e-3, -14.5e-3, -10.5e-3])


def puma(gravity: float = 9.81) -> System:
    """Standard Denavit–Hartenberg: turn about z, then d along z, a along x, α about x to the link's own frame."""
    system = System("puma", gravity=(0, 0, -gravity))
    inner = system.world
    for k, (d, a, quarters, tensor, com, mass, _, _) in enumerate(PUMA, 1):
        carrier = system.body(f"joint{k}")
        system.joint(f"q{k}", inner, carrier, "Rz")
        end = carrier.frame(f"end{k}", (a, 0, d), Rotation.about_x(quarters * pi / 2) if quarters else None)
        link = system.body(f"link{k}", mass, com, tensor)
        system.joint(f"weld{k}", end, link, [])
        inner = link
    return system


@pytest.fixture(scope="module", params=[Recursive(), ArticulatedBody()], ids=repr)
def arm(request):
    return derive(puma(), request.param)


def inverse(arm, q, u, a):
    return arm.inverse_dynamics(0.0, q, u, [], [], a) + ROTOR * a


def test_gravity_load(arm):
    nothing = np.zeros(6)
    np.testing.assert_allclose(
        inverse(arm, QN, nothing, nothing), [0, 31.6398803784, 6.035138023, 0, 0.0282528, 0], atol=5e-9
    )
    for q, expected in (
        (np.zeros(6), [0, 37.48366665, 0.24892875, 0, 0, 0]),
        (np.array([0, math.pi / 2, -math.pi / 2, 0, 0, 0]), [0, -0.77523525, 0.24892875, 0, 0, 0]),
        (np.array([0, 0, -math.pi / 2, 0, 0, 0]), [0, 46.006938, 8.7722001, 0, 0.0282528, 0]),
    ):
        np.testing.assert_allclose(inverse(arm, q, nothing, nothing), expected, atol=5e-9)


def test_inverse_dynamics_without_motors(arm):
    q, u = np.arange(1, 7) / 10, np.arange(1.0, 7)
    a = np.array([0.5, -0.4, 0.3, -0.2, 0.1, 0.6])
    expected = [-2.7908152258, 24.0143970403, -2.4474121246, 0.0115241954, -0.0027331229, 0.0000298897]
    np.testing.assert_allclose(arm.inverse_dynamics(0.0, q, u, [], [], a), expected, atol=6e-11)


def test_mass_matrix(arm):
    mass = arm.mass_matrix(0.0, QN, np.zeros(6), [], [])
    rigid = [2.8753454435, 2.0889270886, 0.3609682433, 0.00174108, 0.00064216, 0.00004]
    np.testing.assert_allclose(np.diag(mass), rigid, atol=5e-11)
    upper = {(0, 1): -0.404361246, (0, 2): 0.1006136478, (0, 3): -0.0025169558, (1, 2): 0.350890665}
    upper |= {(1, 4): 0.0023595131, (2, 4): 0.0014801664, (3, 5): 0.0000282843}
    for place, value in upper.items():
        assert mass[place] == pytest.approx(value, abs=5e-11)


def test_acceleration_with_motors_and_friction(arm):
    u = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1.0])
    torque = np.array([1, 3.2, 1.8, 0.1, 0.7, 4.6])
    mass = arm.mass_matrix(0.0, QN, u, [], []) + np.diag(ROTOR)
    bias = arm.bias(0.0, QN, u, [], [])
    expected = [-7.4102231637, -9.8432245816, -10.9693984451, -4.4314287514, -0.9881410724, 21.0227819493]
    np.testing.assert_allclose(np.linalg.solve(mass, torque - friction(u) - bias), expected, atol=5e-9)


def friction(u):
    return np.abs(RATIO) * (VISCOUS * np.abs(RATIO) * u + np.where(u > 0, FORWARD, np.where(u < 0, BACKWARD, 0)))


@pytest.mark.parametrize(
    ("u", "a", "gravity", "expected"),
    [
        (0, 1, 9.81, [3.3531108581, 36.002511244, 7.4259640774, 0.1900430346, 0.2034409311, 0.1941327899]),
        (1, 1, 9.81, [32.4952427549, 60.8669884751, 17.7435949128, 1.4545190261, 1.2991104105, 0.7137808875]),
        (1, 0, 9.81, [29.1421318969, 56.5043576095, 16.3527688584, 1.2644759915, 1.1239222794, 0.5196480975]),
        (1, 1, 0, [32.4952427549, 29.2271080968, 11.7084568898, 1.4545190261, 1.2708576105, 0.7137808875]),
    ],
)
def test_inverse_dynamics_with_motors_and_friction(u, a, gravity, expected):
    arm = derive(puma(gravity))
    speeds, rates = np.full(6, float(u)), np.full(6, float(a))
    np.testing.assert_allclose(inverse(arm, QN, speeds, rates) + friction(speeds), expected, atol=5e-9)


def test_inertia_torque_and_coriolis_torque(arm):
    """Published with four digits: M·(1, 2, 3, 1, 2, 3), and the rows of C for the same speeds."""
    v = np.array([1.0, 2, 3, 1, 2, 3])
    mass = arm.mass_matrix(0.0, QN, v, [], []) + np.diag(ROTOR)
    np.testing.assert_allclose(mass @ v, [3.1500, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823], atol=5.1e-5)
    coriolis = [
        [-0.1735, -2.0494, -0.1178, -0.0002, -0.0045, 0.0001], [0.6274, 1.1572, 1.9287, -0.0015, -0.0003, 0],
        [-0.3608, -0.7734, -0.0018, -0.0009, -0.0064, 0], [0.0011, 0.0005, -0.0001, 0.0002, 0.0002, -0.0001],
        [-0.0002, 0.0028, 0.0046, -0.0002, 0, 0], [0.0001, 0, 0, 0, 0, 0],
    ]  # fmt: skip
    torque = arm.bias(0.0, QN, v, [], []) - arm.bias(0.0, QN, np.zeros(6), [], [])
    np.testing.assert_allclose(torque, np.array(coriolis) @ v, atol=5e-5 * v.sum())


def test_inverse_dynamics_against_a_wrench_at_the_end():
    """The arm presses with (1, 2, 3) N and (1, 2, 3) N·m, in the axes of its last link; published with six digits."""
    system = puma()
    end = system["link6"]
    system.load(Force(end, (-1, -2, -3), expressed_in=end))
    system.load(Torque(end, (-1, -2, -3), expressed_in=end))
    nothing = np.zeros(6)
    expected = [0.642756, 29.0866, 4.70321, 2.82843, -1.97175, 3]
    np.testing.assert_allclose(inverse(derive(system), QN, nothing, nothing), expected, rtol=2e-6, atol=5e-7)


RBDL_TREE = [  # parent, axis, joint position on the parent, centre of mass
    (0, "Rz", (0, 0, 0), (1, 0, 0)),
    (1, "Ry", (1, 0, 0), (0, 1, 0)),
    (2, "Rx", (0, 1, 0), (0, 0, 1)),
    (1, "Ry", (-0.5, 0, 0), (0, 1, 0)),
    (4, "Rx", (0, -0.5, 0), (0, 0, 1)),
]
RBDL = {
    "single": ([(0, "Rz", (0, 0, 0), (1, 0, 0))], [-4.905]),
    "double": ([(0, "Rz", (0, 0, 0), (1, 0, 0)), (1, "Rz", (1, 0, 0), (1, 0, 0))], [-5.886, 3.924]),
    "triple": (
        [(0, "Rz", (0, 0, 0), (1, 0, 0)), (1, "Rz", (1, 0, 0), (1, 0, 0)), (2, "Rz", (1, 0, 0), (1, 0, 0))],
        [-6.03692307692308, 3.77307692307692, 1.50923076923077],
    ),
    "double 3D": ([(0, "Rz", (0, 0, 0), (1, 0, 0)), (1, "Ry", (1, 0, 0), (0, 1, 0))], [-3.924, 0]),
    "tree": (
        RBDL_TREE,
        [-1.60319066147860, -0.534396887159533, 4.10340466926070, 0.267198443579767, 5.30579766536965],
    ),
}


@pytest.mark.parametrize("formalism", [Recursive(), ArticulatedBody()], ids=repr)
@pytest.mark.parametrize("name", RBDL)
def test_rbdl_chains(name, formalism):
    parts, expected = RBDL[name]
    system = System("chain", gravity=(0, -9.81, 0))
    bodies = [system.world]
    for k, (parent, axis, position, com) in enumerate(parts, 1):
        body = system.body(f"b{k}", 1, com, (1, 1, 1))
        system.joint(f"q{k}", bodies[parent].frame(f"f{k}", position), body, axis)
        bodies.append(body)
    eom = derive(system, formalism)
    assert [q.name for q in eom.coordinates] == [f"q{k}" for k in range(1, len(parts) + 1)]
    nothing = np.zeros(len(parts))
    np.testing.assert_allclose(eom.forward_dynamics(0.0, nothing, nothing, [], []), expected, rtol=1e-13, atol=1e-13)


def test_rbdl_single_with_generic_inertia():
    system = System("single", gravity=(0, -9.81, 0))
    system.joint("q", system.world, system.body("b", 1, (1.5, 1, 1), (1, 2, 3)), "Rz")
    assert derive(system).forward_dynamics(0.0, [0.0], [0.0], [], [])[0] == pytest.approx(-2.3544, abs=1e-12)


def test_rbdl_three_axes_in_one_joint():
    system = System("wrist", gravity=(0, -9.81, 0))
    system.joint("q", system.world, system.body("b", 1, (0, 0.5, 0), (1, 1, 1)), ["Rz", "Ry", "Rx"])
    a = derive(system).forward_dynamics(0.0, [1.0, 0, 0], np.zeros(3), [], [])
    np.testing.assert_allclose(a, [3.301932144386186, 0, 0], atol=1e-14)


def test_rbdl_floating_base_points():
    from multibody.model.kinematics import Kinematics

    system = System("base", gravity=(0, -9.81, 0))
    body = system.body("b", 1, (0, 0, 0), (1, 1, 1))
    system.joint("q", system.world, body, ["Tx", "Ty", "Tz", "Rz", "Ry", "Rx"])
    near, far = body.frame("near", (1, 0, 0)), body.frame("far", (-1.9, -1.8, 0))
    eom = derive(system)
    kinematics = Kinematics(eom.model)
    state = np.array([0.1, 1.1, 1.2, 1.3, 1.5, 1.7])
    function = eom.function("points", {
        "near": list(kinematics.pose(near).vector_to_parent(kinematics.velocity(near).moment)),
        "position": list(kinematics.pose(far).position),
        "velocity": list(kinematics.pose(far).vector_to_parent(kinematics.velocity(far).moment)),
        "acceleration": list(kinematics.pose(far).vector_to_parent(kinematics.acceleration(far)[1])),
    }, with_acceleration=True)  # fmt: skip
    result = function(0.0, state, state, [], [], np.zeros(6))
    np.testing.assert_allclose(result.near, [-0.3888503432977729, -0.3171179347202455, 1.093894197498446], atol=1e-14)
    np.testing.assert_allclose(
        result.position, [-0.6357089363622626, -0.6831041744630977, 2.968974805916970], atol=1e-14
    )
    np.testing.assert_allclose(result.velocity, [0.3091226260907569, 3.891012095550828, 4.100277995030419], atol=1e-13)
    np.testing.assert_allclose(
        result.acceleration, [-5.302760158847160, 6.541369639625232, -4.795115077652286], atol=1e-13
    )
