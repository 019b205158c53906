"""Energies and momenta on random trees, against sums over particles."""

import numpy as np
import pytest

from multibody.graph import gradient, is_zero, jacobian, same, time_derivative
from multibody.mechanics.composite_inertia import joint_poses, mass_matrix
from multibody.model import Free, System
from multibody.model.energy import (
    angular_momentum,
    center_of_mass,
    first_moment,
    inertia_of,
    kinetic_energy,
    linear_momentum,
    momentum,
    potential_energy,
    total_mass,
)

from .samples import frozen, numbers, proved, random_tree, random_values, rates

SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_links_and_bodies_give_the_same_energy(seed):
    kinematics = frozen(random_tree(seed))
    by_bodies = kinetic_energy(kinematics, kinematics.model.bodies)
    assert same(kinetic_energy(kinematics), by_bodies)


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_is_half_of_momentum_times_velocity(seed):
    """T = ½·Σ u·∂T/∂u, and it is never negative."""
    kinematics = frozen(random_tree(seed))
    speeds = kinematics.model.speeds
    energy = kinetic_energy(kinematics)
    conjugate = gradient(energy, speeds)
    assert same(2 * energy, sum((p * u for p, u in zip(conjugate, speeds, strict=True)), start=0))
    values = random_values(kinematics.model, seed)
    M = mass_matrix(kinematics.model, joint_poses(kinematics.model))
    assert proved(jacobian(conjugate, speeds), M)
    mass = numbers(M, values).reshape(len(speeds), -1)
    assert mass == pytest.approx(mass.T)
    assert np.linalg.eigvalsh(mass).min() > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_of_momentum_needs_the_accelerations(seed):
    """d/dt of the sum of momenta is mass times acceleration of the centre of mass."""
    kinematics = frozen(random_tree(seed))
    model = kinematics.model
    centre = center_of_mass(kinematics)
    velocity = time_derivative(centre.components(), rates(model))
    assert proved(linear_momentum(kinematics), [v * total_mass(kinematics) for v in velocity])
    assert proved(first_moment(kinematics), [x * total_mass(kinematics) for x in centre])


def particles(body):
    """Point masses that have together the mass, centre of mass and inertia of a body: six on its principal axes."""
    mass, com = float(body.mass), np.array([float(x) for x in body.com])
    tensor = np.array([[float(x) for x in row] for row in body.inertia.rows])
    moments, axes = np.linalg.eigh(tensor)
    halves = (moments.sum() / 2 - moments) / (mass / 3)  # Σ m·x² along each axis, with a third of the mass on each
    found = []
    for axis, square in zip(axes.T, halves, strict=True):
        for sign in (1, -1):
            found.append((mass / 6, com + sign * np.sqrt(square) * axis))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_against_sums_over_particles(seed):
    system = random_tree(seed)
    kinematics = frozen(system)
    model = kinematics.model
    values = random_values(model, seed)
    T, V, p, L = 0.0, 0.0, np.zeros(3), np.zeros(3)
    gravity = numbers(model.gravity, values)
    for k, body in enumerate(model.bodies):
        mass = 1.0 + k
        whole = System("one").body("b", mass, [float(x) for x in body.com], body.inertia.evaluate(values).to_array())
        pose = kinematics.pose(body)
        R = numbers(pose.rotation.to_matrix(), values).reshape(3, 3)
        origin = numbers(pose.position, values)
        motor = kinematics.velocity(body)
        spin, velocity = R @ numbers(motor.resultant, values), R @ numbers(motor.moment, values)
        for m, place in particles(whole):
            r = R @ place
            v = velocity + np.cross(spin, r)
            T += m * v @ v / 2
            V -= m * gravity @ (origin + r)
            p += m * v
            L += np.cross(origin + r, m * v)
    assert numbers([kinetic_energy(kinematics)], values)[0] == pytest.approx(T, rel=1e-10)
    assert numbers([potential_energy(kinematics)], values)[0] == pytest.approx(V, rel=1e-10)
    assert numbers(linear_momentum(kinematics), values) == pytest.approx(p, rel=1e-10)
    assert numbers(angular_momentum(kinematics), values) == pytest.approx(L, rel=1e-9)


def test_momentum_of_some_bodies_adds_up():
    kinematics = frozen(random_tree(2))
    one, two = kinematics.model.bodies[:2], kinematics.model.bodies[2:]
    assert proved(momentum(kinematics, one) + momentum(kinematics, two), momentum(kinematics))


def test_a_body_welded_to_the_world_has_weight_but_no_motion():
    system = System("house", gravity=(0, 0, -10))
    house = system.body("house", 7, com=(0, 0, 2))
    system.joint("foundation", system.world, house, [])
    kinematics = frozen(system)
    assert is_zero(kinetic_energy(kinematics))
    assert potential_energy(kinematics) == 140
    assert total_mass(kinematics) == 7


def test_free_body_by_hand():
    """T = ½·m·v² + ½·ω·Θ·ω, with speeds in the body's axes."""
    system = System("flight")
    a, b, c, m = system.parameters(A=1, B=2, C=3, m=4)
    body = system.body("body", m, inertia=(a, b, c))
    wx, wy, wz, vx, vy, vz = system.joint("j", system.world, body, Free()).speeds
    expected = (m * (vx**2 + vy**2 + vz**2) + a * wx**2 + b * wy**2 + c * wz**2) / 2
    assert same(kinetic_energy(frozen(system)), expected)
    assert inertia_of(body).mass is m
