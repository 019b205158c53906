"""Vectors of robot dynamics: Puma 560 of the robotics toolbox, a two-link arm, and the chains of RBDL's tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from published.problem import Computation, Problem, Quantity, tested

import multibody as mb
from multibody.model import Kinematics

TESTED = tested("formalisms.test_published")
QN, ROTOR, friction = TESTED.QN, TESTED.ROTOR, TESTED.friction
CORKE, MORE = "robotics toolbox, test_DHRobot, 4 to 6 digits", "another recursion, 10 digits"
SPONG, RBDL = "Spong, p. 260; robotics toolbox, test_ERobot", "RBDL, DynamicsTests.cc"
NOTHING, ONES, V = np.zeros(6), np.ones(6), np.array([1.0, 2, 3, 1, 2, 3])

# Puma 560 ------------------------------------------------------------------------------------------------------------


@cache
def puma(gravity: float = 9.81) -> mb.EquationsOfMotion:
    """The arm."""
    return mb.derive(TESTED.puma(gravity))


def torque(q: Any, u: Any, a: Any, gravity: float = 9.81) -> np.ndarray:
    """Of the motors, with their own inertia and friction."""
    return puma(gravity).inverse_dynamics(0.0, q, u, [], [], a) + ROTOR * a + friction(u)


def mass(motors: float = 1.0) -> np.ndarray:
    """The mass matrix at qn."""
    return puma().mass_matrix(0.0, QN, NOTHING, [], []) + motors * np.diag(ROTOR)


def accelerated() -> np.ndarray:
    """Under torques of the motors."""
    u, given = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1.0]), np.array([1, 3.2, 1.8, 0.1, 0.7, 4.6])
    return np.linalg.solve(mass(), given - friction(u) - puma().bias(0.0, QN, u, [], []))


def pressing() -> np.ndarray:
    """The arm presses with (1, 2, 3) N and (1, 2, 3) N·m, in the axes of its last link."""
    system = TESTED.puma()
    end = system["link6"]
    system.load(mb.Force(end, (-1, -2, -3), expressed_in=end))
    system.load(mb.Torque(end, (-1, -2, -3), expressed_in=end))
    return mb.derive(system).inverse_dynamics(0.0, QN, NOTHING, [], [], NOTHING)


CORIOLIS = [
    [-0.1735, -2.0494, -0.1178, -0.0002, -0.0045, 0.0001], [0.6274, 1.1572, 1.9287, -0.0015, -0.0003, 0],
    [-0.3608, -0.7734, -0.0018, -0.0009, -0.0064, 0], [0.0011, 0.0005, -0.0001, 0.0002, 0.0002, -0.0001],
    [-0.0002, 0.0028, 0.0046, -0.0002, 0, 0], [0.0001, 0, 0, 0, 0, 0],
]  # fmt: skip
MASS = [3.6593754122, -0.404361246, 0.1006136478, -0.0025169558, 0, 0, 4.4137419336, 0.350890665, 0, 0.0023595131, 0,
        0.9378415752, 0, 0.0014801664, 0, 0.1925317061, 0, 0.0000282843, 0.1713484517, 0, 0.1941045057]  # fmt: skip
UPPER = np.triu_indices(6)
QZ, QR, QS = NOTHING, np.array([0, math.pi / 2, -math.pi / 2, 0, 0, 0]), np.array([0, 0, -math.pi / 2, 0, 0, 0])
GENERIC = np.arange(1, 7) / 10, np.arange(1.0, 7), np.array([0.5, -0.4, 0.3, -0.2, 0.1, 0.6])
PUMA = [
    ("gravload(qn)", [0, 31.6398803784, 6.035138023, 0, 0.0282528, 0], MORE, lambda: torque(QN, NOTHING, NOTHING)),
    ("gravload(qz)", [0, 37.48366665, 0.24892875, 0, 0, 0], MORE, lambda: torque(QZ, NOTHING, NOTHING)),
    ("gravload(qr)", [0, -0.77523525, 0.24892875, 0, 0, 0], MORE, lambda: torque(QR, NOTHING, NOTHING)),
    ("gravload(qs)", [0, 46.006938, 8.7722001, 0, 0.0282528, 0], MORE, lambda: torque(QS, NOTHING, NOTHING)),
    ("rne(qn, 0, 1)", [3.3531108581, 36.002511244, 7.4259640774, 0.1900430346, 0.2034409311, 0.1941327899], MORE,
     lambda: torque(QN, NOTHING, ONES)),
    ("rne(qn, 1, 1)", [32.4952427549, 60.8669884751, 17.7435949128, 1.4545190261, 1.2991104105, 0.7137808875], MORE,
     lambda: torque(QN, ONES, ONES)),
    ("rne(qn, 1, 0)", [29.1421318969, 56.5043576095, 16.3527688584, 1.2644759915, 1.1239222794, 0.5196480975], MORE,
     lambda: torque(QN, ONES, NOTHING)),
    ("rne(qn, 1, 1), no gravity",
     [32.4952427549, 29.2271080968, 11.7084568898, 1.4545190261, 1.2708576105, 0.7137808875], MORE,
     lambda: torque(QN, ONES, ONES, 0.0)),
    ("rne(qn, 0, 0) with a wrench at the end", [0.642756, 29.0866, 4.70321, 2.82843, -1.97175, 3], CORKE, pressing),
    ("accel(qn)", [-7.4102231637, -9.8432245816, -10.9693984451, -4.4314287514, -0.9881410724, 21.0227819493], MORE,
     accelerated),
    ("itorque(qn)", [3.1500, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823], CORKE, lambda: mass() @ V),
    ("M(qn) with motors, upper triangle", MASS, MORE, lambda: mass()[UPPER]),
    ("M(qn) without motors, diagonal", [2.8753454435, 2.0889270886, 0.3609682433, 0.00174108, 0.00064216, 0.00004],
     MORE, lambda: np.diag(mass(0.0))),
    ("C(qn, v)·v", np.array(CORIOLIS) @ V, CORKE,
     lambda: puma().bias(0.0, QN, V, [], []) - puma().bias(0.0, QN, NOTHING, [], [])),
    ("torques at a generic state, without motors",
     [-2.7908152258, 24.0143970403, -2.4474121246, 0.0115241954, -0.0027331229, 0.0000298897], MORE,
     lambda: puma().inverse_dynamics(0.0, GENERIC[0], GENERIC[1], [], [], GENERIC[2])),
]  # fmt: skip
DIGITS = {MORE: 1e-9, CORKE: 1e-4}

# two links -----------------------------------------------------------------------------------------------------------


def two_links() -> list[Any]:
    """Gravity at rest, the mass matrix at q2 = 0.7, and torques of three speeds there."""
    system = mb.System("two_links", gravity=(0, 0, -9.81))
    upper, lower = (system.body(name, 1.0, (0.5, 0, 0)) for name in ("upper", "lower"))
    system.joint("q1", system.world, upper, "Ry")
    system.joint("q2", upper.frame("elbow", (1, 0, 0)), lower, "Ry")
    eom, at = mb.derive(system), (0.0, [0.0, 0.7])
    bias = [eom.bias(*at, u, [], []) - eom.bias(*at, [0, 0], [], []) for u in ([1, 0], [0, 1], [1, 1])]
    return [eom.bias(0.0, [0, 0], [0, 0], [], []), eom.mass_matrix(*at, [0, 0], [], []), *bias]


c, h = math.cos(0.7), -0.5 * math.sin(0.7)
TWO_LINKS = [
    Quantity("gravity torques at q = 0 [N·m]", (-9.81 * 2, -9.81 * 0.5), SPONG, 1e-14),
    Quantity("M at q2 = 0.7", (1.5 + c, 0.25 + 0.5 * c, 0.25 + 0.5 * c, 0.25), SPONG, 1e-14),
    Quantity("torques for q' = (1, 0) [N·m]", (0, -h), SPONG, 1e-13),
    Quantity("torques for q' = (0, 1) [N·m]", (h, 0), SPONG, 1e-13),
    Quantity("torques for q' = (1, 1) [N·m]", (3 * h, -h), SPONG, 1e-13),
]

# RBDL ----------------------------------------------------------------------------------------------------------------


def chain(parts: Sequence[Any]) -> list[np.ndarray]:
    """Accelerations of a tree of unit bodies, from rest."""
    system = mb.System("chain", gravity=(0, -9.81, 0))
    bodies = [system.world]
    for k, (parent, axis, position, com, *inertia) in enumerate(parts, 1):
        body = system.body(f"b{k}", 1, com, *(inertia or [(1, 1, 1)]))
        system.joint(f"q{k}", bodies[parent].frame(f"f{k}", position), body, axis)
        bodies.append(body)
    nothing = np.zeros(len(parts))
    return [mb.derive(system).forward_dynamics(0.0, nothing, nothing, [], [])]


def wrist() -> list[np.ndarray]:
    """Three axes in one joint."""
    system = mb.System("wrist", gravity=(0, -9.81, 0))
    system.joint("q", system.world, system.body("b", 1, (0, 0.5, 0), (1, 1, 1)), ["Rz", "Ry", "Rx"])
    return [mb.derive(system).forward_dynamics(0.0, [1.0, 0, 0], np.zeros(3), [], [])]


def points() -> list[np.ndarray]:
    """Two points of a body with six joints."""
    system = mb.System("base", gravity=(0, -9.81, 0))
    body = system.body("b", 1, (0, 0, 0), (1, 1, 1))
    system.joint("q", system.world, body, ["Tx", "Ty", "Tz", "Rz", "Ry", "Rx"])
    near, far = body.frame("near", (1, 0, 0)), body.frame("far", (-1.9, -1.8, 0))
    eom = mb.derive(system)
    seen, state = Kinematics(eom.model), np.array([0.1, 1.1, 1.2, 1.3, 1.5, 1.7])
    wanted = {
        "near": list(seen.pose(near).vector_to_parent(seen.velocity(near).moment)),
        "position": list(seen.pose(far).position),
        "velocity": list(seen.pose(far).vector_to_parent(seen.velocity(far).moment)),
        "acceleration": list(seen.pose(far).vector_to_parent(seen.acceleration(far)[1])),
    }
    found = eom.function("points", wanted, with_acceleration=True)(0.0, state, state, [], [], np.zeros(6))
    return [found.near, found.position, found.velocity, found.acceleration]


SINGLE = [(0, "Rz", (0, 0, 0), (1.5, 1, 1), (1, 2, 3))]
POINTS = {
    "velocity of the point (1, 0, 0)": (-0.3888503432977729, -0.3171179347202455, 1.093894197498446),
    "place of the point (-1.9, -1.8, 0)": (-0.6357089363622626, -0.6831041744630977, 2.968974805916970),
    "its velocity": (0.3091226260907569, 3.891012095550828, 4.100277995030419),
    "its acceleration": (-5.302760158847160, 6.541369639625232, -4.795115077652286),
}
CHAINS = {**TESTED.RBDL, "single, with any inertia": (SINGLE, [-2.3544])}
PROBLEMS = [
    Problem(
        "Puma 560",
        "Corke's data in Denavit–Hartenberg form, torques in N·m. The matrix C of the toolbox is one of many with the "
        "same C·v, which is compared.",
        [
            Computation([Quantity(what, reference, source, DIGITS[source])], lambda compute=compute: [compute()])
            for what, reference, source, compute in PUMA
        ],
    ),
    Problem("Two-link arm", "Rods of 1 m with 1 kg in their middles.", [Computation(TWO_LINKS, two_links)]),
    Problem(
        "Chains of RBDL",
        "Bodies of 1 kg and 1 kg·m², accelerations in rad/s² from rest; then one body with six joints.",
        [
            *(
                Computation([Quantity(f"{name} chain", reference, RBDL, 1e-13)], partial(chain, parts))
                for name, (parts, reference) in CHAINS.items()
            ),
            Computation([Quantity("z-y-x in one joint, q = (1, 0, 0)", (3.301932144386186, 0, 0), RBDL, 1e-14)], wrist),
            Computation([Quantity(what, reference, RBDL, 1e-13) for what, reference in POINTS.items()], points),
        ],
    ),
]
