"""Applications of motor calculus, section 2.2 of Zaiczek and Enge-Rosenblatt."""

import numpy as np
import pytest
from hypothesis import given, settings
from tests.refusal import refused

from multibody.algebra import (
    AccelerationMotor,
    ForceMotor,
    Inertia,
    Mat3,
    MomentumMotor,
    Motor,
    MotorDyad,
    Rotation,
    Symmetric3,
    Transform,
    Vec3,
    VelocityMotor,
    angle_rate_matrix,
)
from multibody.errors import ConversionError
from multibody.graph import evaluate, free_symbols, is_zero, same, symbols, time_derivative

from .samples import (
    close,
    inertia,
    inertias,
    motor,
    motors,
    proved,
    rotations,
    symmetric_matrices,
    transform,
    transforms,
    vectors,
)


def _masses(seed=0, count=6):
    """A body of point masses: masses, positions."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 2.0, count), [Vec3(*rng.normal(size=3)) for _ in range(count)]


def _body(masses, positions):
    total = Inertia.zero()
    for mass, position in zip(masses, positions, strict=True):
        total = total + Inertia.rigid_body(float(mass), position)
    return total


def test_momentum_is_that_of_all_particles():
    """p = ∫ ṙ dm and L_O = ∫ r × ṙ dm, section 2.2.1."""
    masses, positions = _masses()
    v = VelocityMotor((0.3, -0.2, 0.9), (1.0, 2.0, -0.5))
    momentum = _body(masses, positions).apply(v)
    shares = [
        ForceMotor.single_force(v.moment_at(r) * m, r).as_type(MomentumMotor)
        for m, r in zip(masses, positions, strict=True)
    ]
    assert close(momentum, sum(shares[1:], shares[0]))
    energy = sum(m * v.moment_at(r).dot(v.moment_at(r)) / 2 for m, r in zip(masses, positions, strict=True))
    assert close(_body(masses, positions).kinetic_energy(v), energy)


def test_momentum_agrees_with_the_textbook():
    """p = m·v_s, L_s = Θ_s·ω; eq. (7) block by block."""
    M, v = inertia("M"), motor("v", VelocityMotor)
    m, r_s, theta_s = M.mass, M.center_of_mass, M.central_tensor
    p = M.apply(v)
    assert type(p) is MomentumMotor
    assert proved(p.resultant, v.moment_at(r_s) * m)
    assert proved(p.moment_at(r_s), theta_s @ v.resultant)
    assert proved(p.moment, r_s.cross(v.moment) * m + M.tensor @ v.resultant)
    assert proved(M.dyad().apply(v, MomentumMotor), p)
    T = M.kinetic_energy(v)
    v_s = v.moment_at(r_s)
    assert proved(T, m * v_s.dot(v_s) / 2 + v.resultant.dot(theta_s @ v.resultant) / 2)


def test_the_matrix_of_eq_7():
    m, s = 2.0, Vec3(1.0, 2.0, 3.0)
    M = Inertia(m, s * m, Symmetric3(10.0, 11.0, 12.0, 0.1, 0.2, 0.3)).to_array()
    R_s = np.array([[0, -3, 2], [3, 0, -1], [-2, 1, 0]])
    theta = [[10, 0.1, 0.2], [0.1, 11, 0.3], [0.2, 0.3, 12]]
    assert np.array_equal(M, np.block([[m * np.eye(3), -m * R_s], [m * R_s, np.array(theta)]]))
    assert np.array_equal(M, M.T)


@given(M=inertias)
def test_the_way_back_from_a_dyad(M):
    found = Inertia.from_dyad(MotorDyad.from_array(M.to_array()))
    assert np.array_equal(found.to_array(), M.to_array())
    assert proved(Inertia.from_dyad(inertia("M").dyad()).tensor, inertia("M").tensor)


@pytest.mark.parametrize("place", [(0, 1), (1, 1), (0, 4), (3, 0), (3, 1)])
def test_other_dyads_are_no_inertias(place):
    blocks = Inertia.rigid_body(2.0, (1.0, 2.0, 3.0), Symmetric3.diagonal(1.0, 1.0, 1.0)).to_array()
    blocks[place] += 0.1
    with refused("dyad-not-an-inertia"):
        Inertia.from_dyad(MotorDyad.from_array(blocks))


def test_force_is_that_of_newton_and_euler_about_the_centre_of_mass():
    """Eq. (8) against m·a_s = f and Θ_s·ω̇ + ω × Θ_s·ω = m_s."""
    M, v, a = inertia("M"), motor("v", VelocityMotor), motor("a", AccelerationMotor)
    force = M.force(v, a)
    assert type(force) is ForceMotor
    r_s, omega = M.center_of_mass, v.resultant
    assert proved(force.resultant, a.of_point(r_s, v) * M.mass)
    assert proved(force.moment_at(r_s), M.central_tensor @ a.resultant + omega.cross(M.central_tensor @ omega))


def test_rate_of_momentum_in_the_fixed_frame_is_the_force():
    """ṗ = f in an inertial frame, eq. (8) in the body frame: one motor, for a body that moves in any way."""
    q, u = symbols("a b c x y z", "coordinate"), symbols("w_x w_y w_z v_x v_y v_z", "speed")
    u_dot = symbols("w_dx w_dy w_dz v_dx v_dy v_dz", "input")
    X = Transform(Rotation.euler("xyz", q[:3]), Vec3(*q[3:]))
    v, v_ring = VelocityMotor(u[:3], u[3:]), AccelerationMotor(u_dot[:3], u_dot[3:])
    rates = dict(zip(q, [*(angle_rate_matrix("xyz", q[:3]) @ v.resultant), *X.vector_to_parent(v.moment)], strict=True))
    rates |= dict(zip(u, u_dot, strict=True))
    M = inertia("M")
    p_fixed = X.to_parent(M.apply(v))
    p_dot = p_fixed.time_derivative({**rates, **dict.fromkeys(free_symbols(M.components()), 0)})
    assert type(p_dot) is ForceMotor
    assert proved(p_dot, X.to_parent(M.force(v, v_ring)))
    assert proved(M.apply(v).fixed_frame_rate(M.apply(v_ring), v), M.force(v, v_ring))


def test_energy_law():
    """dT/dt = (f, v), section 2.2.2, by proof: along any motion, f is the force that the motion takes."""
    M, v, v_ring = inertia("M"), motor("v", VelocityMotor), motor("a", AccelerationMotor)
    rates = dict(zip(v.components(), v_ring.components(), strict=True)) | dict.fromkeys(free_symbols(M.components()), 0)
    dT = time_derivative(M.kinetic_energy(v), rates)
    assert same(dT, M.force(v, v_ring).power(v), points=2)


def test_energy_law_by_complex_step():
    M, v, v_ring = inertia("M"), motor("v", VelocityMotor), motor("a", AccelerationMotor)
    rng = np.random.default_rng(3)
    values = {s: float(rng.normal()) for s in [*free_symbols(M.components()), *v.components(), *v_ring.components()]}
    power = evaluate(M.force(v, v_ring).power(v), values)
    h = 1e-200
    stepped = values | {
        s: values[s] + 1j * h * values[rate] for s, rate in zip(v.components(), v_ring.components(), strict=True)
    }
    assert evaluate(M.kinetic_energy(v), stepped).imag / h == pytest.approx(power, rel=1e-13)


# description and change of coordinates -----------------------------------------------------------------------------


@settings(max_examples=50)
@given(inertias)
def test_there_and_back(M):
    again = Inertia.rigid_body(M.mass, M.center_of_mass, M.central_tensor)
    assert close(again, M, 1e-12)


def test_eq_7_by_its_blocks():
    """As the paper writes it: the dyad of m·1, R_s and Θ_O."""
    M = inertia("M")
    m, R_s = Mat3.identity() * M.mass, Mat3.cross_matrix(M.center_of_mass) * M.mass
    assert proved(MotorDyad(m, -R_s, R_s, M.tensor), M.dyad())


@settings(max_examples=50)
@given(symmetric_matrices, vectors, vectors)
def test_tensor_about_another_point(tensor, center, point):
    """Steiner: Θ_P = Θ_s + m·(d²·1 - d·dᵀ)."""
    M = Inertia.rigid_body(2.5, center, tensor)
    d = center - point
    steiner = tensor + (Symmetric3.identity() * d.dot(d) - Symmetric3.square(d)) * 2.5
    assert close(M.tensor_about(point), steiner)
    assert close(Inertia.rigid_body(2.5, center, steiner, about=point), M)
    assert close(M.referred_to(point).center_of_mass, center - point)


@settings(max_examples=50)
@given(inertias, inertias, motors(VelocityMotor), transforms)
def test_change_of_frame_by_number(M, N, v, X):
    assert close(X.to_parent(M).apply(X @ v), X @ M.apply(v), 1e-9)
    assert close(X.to_parent(M).kinetic_energy(X @ v), M.kinetic_energy(v), 1e-9)
    assert close(X.to_child(X.to_parent(M)), M, 1e-10)
    assert close(X.to_parent(M + N), X.to_parent(M) + X.to_parent(N), 1e-10)
    assert close((M + N).apply(v), M.apply(v) + N.apply(v), 1e-10)
    assert np.allclose((X @ M).to_array(), (X @ M.dyad()).to_array(), rtol=1e-9, atol=1e-9)


def test_change_of_frame_by_proof():
    M, N, v, X = inertia("M"), inertia("N"), motor("v", VelocityMotor), transform("X")
    assert proved(X.to_parent(M).apply(X @ v), X @ M.apply(v))
    assert proved(X.to_parent(M).dyad(), X.to_parent(M.dyad()))
    assert proved(X.to_child(X.to_parent(M)), M)
    assert proved(X.to_child(M), X.inverse().to_parent(M))
    assert proved((M + N).apply(v), M.apply(v) + N.apply(v))
    assert proved(M.kinetic_energy(v), v.inner(M.apply(v)) / 2)
    m = M.mass + N.mass
    assert proved((M + N).center_of_mass, (M.center_of_mass * M.mass + N.center_of_mass * N.mass) / m)


@settings(max_examples=50)
@given(inertias, rotations)
def test_inertia_stays_exactly_symmetric(M, R):
    turned = M.rotated(R).referred_to((1.0, 2.0, 3.0))
    assert np.array_equal(turned.to_array(), turned.to_array().T)


def test_symbolic_inertia_is_exactly_symmetric():
    blocks = transform("X").to_parent(inertia("M")).dyad()
    assert all(is_zero(a - b) for a, b in zip(blocks.components(), blocks.transposed().components(), strict=True))


def test_an_inertia_is_applied_to_velocities_and_accelerations_only():
    M = Inertia.rigid_body(1.0)
    assert type(M @ VelocityMotor.zero()) is MomentumMotor
    assert type(M @ AccelerationMotor.zero()) is ForceMotor
    for wrong in (ForceMotor.zero(), MomentumMotor.zero(), Motor.zero(), 3.0):
        with refused("operands-incompatible"):
            M.apply(wrong)
    with pytest.raises(ConversionError):
        M * M
    with pytest.raises(ConversionError):
        M + VelocityMotor.zero()


def test_an_asymmetric_tensor_is_refused():
    with refused("matrix-not-symmetric"):
        Inertia.rigid_body(1.0, (0, 0, 0), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]])


def test_a_body_without_mass():
    nothing = Inertia.zero()
    assert nothing.problems() == []
    assert close(nothing.referred_to((1.0, 2.0, 3.0)), nothing)
    with refused("division-by-zero"):
        nothing.center_of_mass


# physical checks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tensor", "problem"),
    [
        (Symmetric3.diagonal(1.0, 1.0, 1.0), None),
        (Symmetric3.diagonal(0.0, 1.0, 1.0), None),  # a rod
        (Symmetric3.diagonal(1.0, 1.0, 2.0), None),  # a disc
        (Symmetric3.diagonal(0.0, 0.0, 0.0), None),
        (Symmetric3.diagonal(-1.0, 1.0, 1.0), "negative"),
        (Symmetric3(1.0, 1.0, 1.0, xy=2.0), "negative"),
        (Symmetric3.diagonal(0.0, 1.0, 0.0), "more than the sum"),
        (Symmetric3.diagonal(1.0, 1.0, 2.1), "more than the sum"),
        (Symmetric3.diagonal(1.0, np.nan, 1.0), "not finite"),
    ],
)
def test_physical_checks(tensor, problem):
    for center in ((0.0, 0.0, 0.0), (3.0, -2.0, 10.0)):
        for M in (Inertia.rigid_body(2.0, center, tensor), Inertia.rigid_body(2.0, center, tensor, about=center)):
            found = M.problems()
            assert found == [] if problem is None else (len(found) == 1 and problem in found[0])
            assert all(sentence.endswith(".") for sentence in found)


def test_checks_of_the_mass():
    assert Inertia.rigid_body(-2.0, (1.0, 0.0, 0.0)).problems() == ["The mass is negative (-2)."]
    assert Inertia(0.0, (1.0, 0.0, 0.0), Symmetric3.zero()).problems() == [
        "The mass is zero, but the first moment is not."
    ]
    assert Inertia(0.0, (0.0, 0.0, 0.0), Symmetric3.diagonal(1.0, 1.0, 1.0)).problems() == []
    assert inertia("M").problems() == []
    m = symbols("m")[0]
    assert Inertia.rigid_body(m, (1, 0, 0)).problems() == []
    assert Inertia.rigid_body(-1, (m, 0, 0)).problems() == ["The mass is negative (-1)."]
    assert Inertia.rigid_body(-1.0).symbolic().problems() == ["The mass is negative (-1)."]
    batch = Inertia.rigid_body(
        np.array([1.0, 2.0]), (0.1, 0.2, 0.3), Symmetric3.diagonal(1.0, 1.0, np.array([1.0, 3.0]))
    )
    assert len(batch.problems()) == 1


@settings(max_examples=30)
@given(transforms)
def test_real_bodies_pass_the_checks_in_every_frame(X):
    masses, positions = _masses(seed=7)
    assert (X @ _body(masses, positions)).problems() == []
