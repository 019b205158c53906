"""The reference simulator against closed forms."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from .maximal import WORLD, Body, Frame, Joint, Mechanism, Stop, Undecided, checked


def turned(angle):
    """Rotation about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def rod(angle, start, length, mass=1.0, spin=0.0):
    """A thin rod in the plane z = 0, from a point on."""
    center = np.array([*start, 0.0]) + turned(angle) @ [length / 2, 0, 0]
    velocity = np.cross([0, 0, spin], center - [*start, 0.0])
    inertia = mass * length**2 / 12 * np.diag([0.01, 1, 1])
    return Body(mass, inertia, center, turned(angle), velocity, np.array([0, 0, spin]))


def pendulum(angle, length=1.0, **options):
    hinge = Joint("revolute", Frame(WORLD), Frame(0, np.array([-length / 2, 0, 0])))
    return Mechanism([rod(angle - np.pi / 2, (0, 0), length)], [hinge], [hinge], (0, -9.81, 0), **options)


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 3.0])
def test_a_pendulum_swings_as_the_elliptic_function_says(amplitude):
    omega, k2 = np.sqrt(1.5 * 9.81), np.sin(amplitude / 2) ** 2
    times = np.linspace(0, 3, 7)
    sn = ellipj(ellipk(k2) - omega * times, k2)[0]
    motion = pendulum(amplitude, conservative=True).move(times)
    assert motion.values[:, 0] + np.pi / 2 == pytest.approx(2 * np.arcsin(np.sqrt(k2) * sn), abs=1e-8)


def test_a_spring_makes_an_oscillation_and_a_damper_ends_it():
    slide = Joint("prismatic", Frame(WORLD), Frame(0), "x")
    cart = Body(2.0, np.eye(3), np.array([0.3, 0, 0]))
    times, d, k = np.linspace(0, 2, 5), 0.6, 50.0
    motion = Mechanism([cart], [slide], [slide], loads=lambda t, x, v: -k * x - d * v).move(times)
    decay, omega = d / 4, np.sqrt(k / 2 - (d / 4) ** 2)
    expected = 0.3 * np.exp(-decay * times) * (np.cos(omega * times) + decay / omega * np.sin(omega * times))
    assert motion.values[:, 0] == pytest.approx(expected, abs=1e-9)


def test_a_symmetric_top_free_of_torque_precesses_evenly():
    spin = np.array([0.5, 0.0, 7.0])
    ball = Joint("spherical", Frame(WORLD), Frame(0))
    top = Mechanism([Body(1.0, np.diag([2.0, 2.0, 1.0]), spin=spin)], [ball], conservative=True)
    y, t = top.start(), 0.4
    from scipy.integrate import solve_ivp

    end = solve_ivp(top.rates, (0, t), y, "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    momentum = np.array([2.0, 2.0, 1.0]) * spin  # in the world, constant; the body axis z turns about it
    rate, axis = np.linalg.norm(momentum) / 2.0, momentum / np.linalg.norm(momentum)
    z = np.array([0, 0, 1.0])
    turn = rate * t
    expected = np.cos(turn) * z + np.sin(turn) * np.cross(axis, z) + (1 - np.cos(turn)) * (axis @ z) * axis
    w, x, yq, zq = end[3:7]
    assert [2 * (x * zq + w * yq), 2 * (yq * zq - w * x), 1 - 2 * (x * x + yq * yq)] == pytest.approx(
        expected, abs=1e-9
    )


def slider_crank(angle, speed, r=0.4, l=1.0, gravity=(0, 0, 0), **options):
    """A crank, a rod and a piston; all joints are hinges or slides of space, so that nine rows are redundant."""
    beta = np.arcsin(r * np.sin(angle) / l)
    rod_speed = r * np.cos(angle) * speed / (l * np.cos(beta))
    pin = r * np.array([np.cos(angle), np.sin(angle)])
    crank, link = rod(angle, (0, 0), r, spin=speed), rod(-beta, pin, l, spin=-rod_speed)
    along = turned(-beta) @ [l / 2, 0, 0]
    velocity = np.cross([0, 0, speed], [*pin, 0]) + np.cross([0, 0, -rod_speed], along)
    link = Body(link.mass, link.inertia, link.position, link.rotation, velocity, link.spin)
    piston = Body(1.0, np.eye(3), np.array([pin[0] + l * np.cos(beta), 0, 0]))
    ends = [np.array([-x / 2, 0, 0]) for x in (r, l)]
    turn = Joint("revolute", Frame(WORLD), Frame(0, ends[0]))
    knee = Joint("revolute", Frame(0, -ends[0]), Frame(1, ends[1]))
    eye = Joint("revolute", Frame(1, -ends[1]), Frame(2))
    stroke = Joint("prismatic", Frame(WORLD), Frame(2), "x")
    return Mechanism([crank, link, piston], [turn, knee, eye, stroke], [turn, knee, stroke], gravity, **options)


def test_a_slider_crank_moves_as_its_kinematics_say():
    mechanism = slider_crank(0.7, 3.0, conservative=True)
    motion = mechanism.move(np.linspace(0, 3, 4))
    angle, knee, stroke = motion.values.T
    assert stroke == pytest.approx(0.4 * np.cos(angle) + np.sqrt(1 - (0.4 * np.sin(angle)) ** 2), abs=1e-9)
    assert angle[-1] > 2 * np.pi, "several turns"
    assert knee == pytest.approx(-angle - np.arcsin(0.4 * np.sin(angle)), abs=1e-9)


def test_a_singular_position_is_passed_by_momentum():
    """With equal arms, the piston at the center: it goes on to the other side, x = 2r·cos(angle)."""
    mechanism = slider_crank(0.7, 3.0, 0.5, 0.5, conservative=True, project_stages=True, cut=1e-7)
    motion = mechanism.move(np.linspace(0, 1.5, 4))
    assert motion.values[-1, 0] > np.pi / 2 + 0.1
    assert motion.values[:, 2] == pytest.approx(np.cos(motion.values[:, 0]), abs=1e-7)


def test_a_pulse_between_breakpoints_is_felt_whole():
    slide = Joint("prismatic", Frame(WORLD), Frame(0), "x")
    cart = Mechanism([Body(2.0, np.eye(3))], [slide], [slide], loads=lambda t, x, v: [8.0 * (3 <= t < 3.25)])
    motion = cart.move([0, 10], breakpoints=[3, 3.25])
    assert motion.rates[-1, 0] == pytest.approx(1.0, abs=1e-6)


def test_a_stop_sends_a_pendulum_back():
    """Without gravity, between two stops, with restitution 1/2: times of impacts form a geometric series."""
    hinge = Joint("revolute", Frame(WORLD), Frame(0, np.array([-0.5, 0, 0])))
    stops = [Stop(0, 0.5, -1.0, 0.5), Stop(0, -0.5, 1.0, 0.5)]
    swing = Mechanism([rod(0.0, (0, 0), 1.0, spin=1.0)], [hinge], [hinge], stops=stops)
    motion = swing.move([0.0, 7.0])
    assert [t for t, _ in motion.impacts] == pytest.approx([0.5, 2.5, 6.5], abs=1e-8)
    assert [k for _, k in motion.impacts] == [0, 1, 0]


def test_the_reference_says_where_it_does_not_know():
    start = pendulum(np.pi - 1e-15)  # upright: rounding decides
    with pytest.raises(Undecided, match="two runs differ"):
        checked(start, [0.0, 12.0])
    with pytest.raises(Undecided, match="energy changed"):
        pendulum(1.0, conservative=True, loads=lambda t, x, v: -v).move([0.0, 1.0])
