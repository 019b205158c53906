"""One text, three kinds of scalars: batches agree with loops, and expressions with numbers."""

import numpy as np
import pytest

from multibody.algebra import (
    AccelerationMotor,
    Dyadic,
    ForceMotor,
    Inertia,
    Motor,
    MotorDyad,
    Quaternion,
    Rotation,
    Symmetric3,
    Transform,
    Vec3,
    VelocityMotor,
    angle_rate_matrix,
    angular_velocity_matrix,
)
from multibody.graph import directional, evaluate, symbols

from .samples import scalars

COUNT, STATES = 24, 7
SYMBOLS = symbols(" ".join(f"s{k}" for k in range(COUNT)))


def _frame(s):
    return Transform(Rotation.euler("zxy", s[:3]), Vec3(*s[3:6]))


def _velocity(s):
    return VelocityMotor(s[6:9], s[9:12])


def _inertia(s):
    return Inertia.rigid_body(2 + s[12] * s[12], Vec3(*s[13:16]), Symmetric3(*s[16:22]))


# every use of the algebra that goes through different code for different kinds of scalars, as a function of 24 scalars
USES = {
    "vectors": lambda s: [
        Vec3(*s[:3]).cross(Vec3(*s[3:6])).unit(),
        Vec3(*s[:3]).dot(s[3:6]),
        Vec3(*s[:3]).outer(s[3:6]),
    ],
    "turn": lambda s: [Rotation.about_x(s[0]).to_matrix(), Rotation.about_y(s[0]) @ Vec3(*s[1:4])],
    "composition": lambda s: Rotation.about_z(s[0]) @ Rotation.about_z(s[1]) @ Rotation.about_x(s[2]),
    "axis": lambda s: Rotation.about(Vec3(*s[:3]), s[3]),
    "exp": lambda s: Rotation.exp(Vec3(*s[:3])),
    "log": lambda s: (Rotation.about_x(s[0]) @ Rotation.about_y(s[1])).log(),
    "log of a turn": lambda s: Rotation.about_y(s[1]).log(),
    "Euler angles": lambda s: list(Rotation.quaternion(Quaternion(*s[:4])).angles("zxz")),
    "Cardan angles": lambda s: list(Rotation.quaternion(Quaternion(*s[:4])).angles("YZX")),
    "angular velocity": lambda s: angular_velocity_matrix("xyx", s[:3], "parent"),
    "angle rates": lambda s: angle_rate_matrix("zyx", s[:3]),
    "quaternion": lambda s: [Quaternion(*s[:4]).unit().rate(s[4:7]), Quaternion(*s[:4]) * Quaternion(*s[4:8])],
    "slerp": lambda s: Quaternion(*s[:4]).unit().slerp(Quaternion(*s[4:8]).unit(), 0.25),
    "to quaternion": lambda s: Rotation.euler("zxz", s[:3]).to_quaternion(),
    "transform": lambda s: (_frame(s) @ _frame(s[6:])).inverse(),
    "motor": lambda s: [
        _frame(s) @ _velocity(s),
        _frame(s).to_child(_velocity(s)),
        _velocity(s).pitch(),
        *_velocity(s).axis(),
    ],
    "products": lambda s: [_velocity(s).cross(Motor(s[:3], s[3:6])), ForceMotor(s[:3], s[3:6]).power(_velocity(s))],
    "dyad": lambda s: (_frame(s) @ MotorDyad.outer(_velocity(s), Motor(s[12:15], s[15:18]))) @ MotorDyad.identity(),
    "inertia": lambda s: [
        _frame(s) @ _inertia(s),
        _inertia(s).central_tensor,
        _inertia(s).kinetic_energy(_velocity(s)),
    ],
    "force": lambda s: _inertia(s).force(_velocity(s), AccelerationMotor(s[:3], s[18:21])),
    "turned inertia": lambda s: _inertia(s).rotated(Rotation.about_y(s[0])),
    "dyadic": lambda s: Dyadic.outer(s[:3], s[3:6]).left_cross(s[6:9]).cross(s[9:12]),
}


def _states():
    return np.random.default_rng(11).normal(size=(STATES, COUNT))


def _loop(use):
    """One call for each state."""
    return np.array([scalars(use([float(x) for x in state])) for state in _states()], dtype=float)


@pytest.mark.parametrize("use", USES)
def test_a_batch_is_a_loop(use):
    batch = scalars(USES[use](list(_states().T)))
    found = np.stack([np.broadcast_to(component, STATES) for component in batch], axis=-1)
    assert np.allclose(found, _loop(USES[use]), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("use", USES)
def test_expressions_agree_with_numbers(use):
    expressions = scalars(USES[use](SYMBOLS))
    found = [evaluate(expressions, dict(zip(SYMBOLS, map(float, state), strict=True))) for state in _states()]
    assert np.allclose(np.array(found, dtype=float), _loop(USES[use]), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("use", USES)
def test_complex_steps_go_through_where_no_branch_is_taken(use):
    """Derivatives by complex step, for all that is analytic."""
    if any(word in use for word in ("exp", "log", "angles", "slerp", "to quaternion")):
        return
    state = _states()[0]
    expressions = scalars(USES[use](SYMBOLS))
    values = dict(zip(SYMBOLS, map(float, state), strict=True))
    exact = np.array(evaluate(directional(expressions, {SYMBOLS[1]: 1}), values), dtype=float)
    stepped = [complex(x) for x in state]
    stepped[1] += 1e-200j
    derivative = np.array([complex(x).imag / 1e-200 for x in scalars(USES[use](stepped))])
    assert np.allclose(derivative, exact, rtol=1e-10, atol=1e-11)
