"""Rods, lines, planes, surfaces and curves that hold a point: motions and forces that are known."""

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import multibody as mb
from multibody.graph import cos, sin

from .constrained import TABLE, solved

G = 9.81


# rods -----------------------------------------------------------------------------------------------------------------


def particle(*movements, mass=2.0):
    system = mb.System("particle", gravity=(0, 0, -G))
    point = system.particle("point", mass)
    system.joint("p", system.world, point, list(movements))
    return system, point


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_a_rod_makes_a_pendulum(angle):
    """θ̈ = -g·sin θ/l; the rod carries m·g·cos θ + m·v²/l as tension."""
    m, l, w = 2.0, 1.5, 1.3
    system, point = particle("Tx", "Tz", mass=m)
    system.constraint(mb.DistanceConstraint(system.world, point, l), name="rod")
    s, c = math.sin(angle), math.cos(angle)
    found = solved(system, p_tx=l * s, p_tz=-l * c, p_tx_dot=l * w * c, p_tz_dot=l * w * s)
    turn = -G * s / l
    assert found["p_tx_dot"] == pytest.approx(l * (turn * c - w**2 * s), abs=1e-12)
    assert found["p_tz_dot"] == pytest.approx(l * (turn * s + w**2 * c), abs=1e-12)
    assert found["lambda_rod"] == pytest.approx(-(m * G * c + m * l * w**2), abs=1e-12)


@pytest.mark.parametrize("driven_by", ["time", "input"])
def test_a_rod_that_changes_its_length(driven_by):
    """l·θ̈ + 2·l̇·θ̇ = -g·sin θ, and m·(l̈ - l·θ̇²) = m·g·cos θ + λ."""
    m, angle, w, t = 2.0, 0.4, 1.3, 0.6
    l, rate, change = 1 + 0.2 * math.sin(2 * t), 0.4 * math.cos(2 * t), -0.8 * math.sin(2 * t)
    system, point = particle("Tx", "Tz", mass=m)
    length = 1 + 0.2 * sin(2 * system.time) if driven_by == "time" else 1 + system.input("stroke")
    system.constraint(mb.DistanceConstraint(system.world, point, length), name="rod")
    assert [one.name for one in system.freeze().input_symbols] == (
        [] if driven_by == "time" else ["stroke", "stroke_dot", "stroke_ddot"]
    )
    s, c = math.sin(angle), math.cos(angle)
    out, along = np.array([s, -c]), np.array([c, s])
    place, velocity = l * out, rate * out + l * w * along
    found = solved(
        system, t, [] if driven_by == "time" else [l - 1, rate, change],
        p_tx=place[0], p_tz=place[1], p_tx_dot=velocity[0], p_tz_dot=velocity[1],
    )  # fmt: skip
    turn = -(G * s + 2 * rate * w) / l
    expected = (change - l * w**2) * out + (l * turn + 2 * rate * w) * along
    assert [found["p_tx_dot"], found["p_tz_dot"]] == pytest.approx(expected, abs=1e-12)
    assert found["lambda_rod"] == pytest.approx(m * (change - l * w**2 - G * c), abs=1e-12)


def test_two_bodies_on_a_rod_turn_about_their_centre_of_mass():
    m1, m2, l, w = 2.0, 3.0, 0.8, 4.0
    system = mb.System("dumbbell", gravity=(0, 0, 0))
    ends = [system.particle(f"end{k}", m) for k, m in enumerate((m1, m2))]
    for k, end in enumerate(ends):
        system.joint(f"p{k}", system.world, end, ["Tx", "Ty"])
    system.constraint(mb.DistanceConstraint(*ends, l), name="rod")
    found = solved(system, p1_tx=l, p0_ty_dot=-w * l * m2 / (m1 + m2), p1_ty_dot=w * l * m1 / (m1 + m2))
    assert found["lambda_rod"] == pytest.approx(-m1 * m2 / (m1 + m2) * l * w**2)
    assert found["p0_tx_dot"] == pytest.approx(m2 / (m1 + m2) * l * w**2)


# lines, planes, surfaces, curves --------------------------------------------------------------------------------------


def test_a_bead_on_a_straight_wire_slides_with_the_component_of_gravity():
    slope, m = 0.6, 2.0
    system, bead = particle("Tx", "Ty", "Tz", mass=m)
    system.constraint(mb.PointOnLine(system.world, bead, (math.cos(slope), 0.0, math.sin(slope))), name="wire")
    found = solved(system, p_tx=2 * math.cos(slope), p_tz=2 * math.sin(slope))
    along = -G * math.sin(slope)
    acceleration = [found[f"p_t{k}_dot"] for k in "xyz"]
    assert acceleration == pytest.approx([along * math.cos(slope), 0, along * math.sin(slope)], abs=1e-12)
    assert math.hypot(found["lambda_wire_fx"], found["lambda_wire_fy"]) == pytest.approx(m * G * math.cos(slope))


def test_the_forces_across_a_line_are_along_axes_of_the_base():
    """A weight on a wire along y: it is carried in z."""
    system, bead = particle("Tx", "Ty", "Tz", mass=2.0)
    system.constraint(mb.PointOnLine(system.world, bead, "y"), name="wire")
    found = solved(system, p_ty=0.3, p_ty_dot=2.0)
    assert (found["lambda_wire_fx"], found["lambda_wire_fz"]) == pytest.approx((0, 2 * G))


def test_a_table_stands_on_three_feet():
    """Statics: the forces of the feet balance weight and moments of a centre of mass that is not in the middle."""
    m, com = 10.0, (0.3, 0.2)
    system = mb.System("table", gravity=(0, 0, -G))
    top = system.body("top", m, (*com, 0.8), (1, 2, 3))
    system.joint("place", system.world, top, mb.Free())
    places = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.0, 1.0)}
    for name, place in places.items():
        system.constraint(mb.PointOnPlane(system.world, top.frame(f"foot_{name}", (*place, 0))), name=name)
    found = solved(system)
    forces = [found[f"lambda_{name}"] for name in places]
    assert forces == pytest.approx([m * G * 0.5, m * G * com[0], m * G * com[1]])
    assert all(abs(value) < 1e-12 for name, value in found.items() if name.startswith("place"))


def test_the_force_of_a_plane_points_along_the_normal_that_was_given():
    for normal, force in (("z", 2 * G), ("-z", -2 * G), ((0, 0, -3.0), -2 * G)):
        system, point = particle("Tx", "Tz")
        system.constraint(mb.PointOnPlane(system.world, point, normal), name="floor")
        assert solved(system)["lambda_floor"] == pytest.approx(force)


def bead_on_graph(slope, curvature, speed):
    """ẍ = -z'·(g + z''·ẋ²)/(1 + z'²) and the force m·(g + z''·ẋ²)/√(1 + z'²) of a bead on z(x), without friction."""
    pull = G + curvature * speed**2
    return -slope * pull / (1 + slope**2), 2.0 * pull / math.hypot(1, slope)


@pytest.mark.parametrize("planar", [True, False])
def test_a_bead_on_a_parabola(planar):
    x, speed, k = 0.7, 1.9, 1.6
    system, bead = particle(*("Tx", "Tz") if planar else ("Tx", "Ty", "Tz"))
    wire = mb.PointOnCurve.graph(system.world, bead, z=lambda x: system.parameter("k", k) * x**2 / 2)
    system.constraint(wire, name="wire")
    found = solved(system, p_tx=x, p_tz=k * x**2 / 2, p_tx_dot=speed, p_tz_dot=k * x * speed)
    acceleration, force = bead_on_graph(k * x, k, speed)
    assert found["p_tx_dot"] == pytest.approx(acceleration)
    assert found["lambda_wire_2"] == pytest.approx(force)
    assert found["lambda_wire_1"] == pytest.approx(0, abs=1e-12)


def test_a_bead_on_a_tabulated_hill():
    x, speed = 0.6, -1.2
    hill = CubicSpline([-2.0, -0.5, 0.4, 1.0, 2.5], [0.3, -0.1, 0.2, 0.5, 0.4], bc_type="natural")
    system, bead = particle("Tx", "Tz")
    system.constraint(mb.PointOnCurve.graph(system.world, bead, z=TABLE), name="hill")
    found = solved(system, p_tx=x, p_tz=hill(x), p_tx_dot=speed, p_tz_dot=hill(x, 1) * speed)
    acceleration, force = bead_on_graph(hill(x, 1), hill(x, 2), speed)
    assert found["p_tx_dot"] == pytest.approx(acceleration)
    assert found["lambda_hill_2"] == pytest.approx(force)


def test_a_spherical_pendulum_needs_no_rod():
    """On a sphere of radius R the force along the outer normal n is -m·v²/R + m·g·n_z, whatever function vanishes."""
    R, m = 1.5, 2.0
    n = np.array([0.48, 0.6, -0.64])
    v = np.cross(n, [1.0, 2.0, 0.5])
    for function in (lambda x, y, z: x**2 + y**2 + z**2 - R**2, lambda x, y, z: 7 * ((x**2 + y**2 + z**2) / R - R)):
        system, bob = particle("Tx", "Ty", "Tz", mass=m)
        system.constraint(mb.PointOnSurface(system.world, bob, function), name="ball")
        start = {f"p_t{k}": R * n[i] for i, k in enumerate("xyz")} | {f"p_t{k}_dot": v[i] for i, k in enumerate("xyz")}
        assert solved(system, **start)["lambda_ball"] == pytest.approx(-m * v @ v / R + m * G * n[2])


def test_a_floor_that_moves_carries_what_stands_on_it():
    t = 0.4
    system, point = particle("Tx", "Tz")
    floor = lambda x, y, z: 5 * (z - 0.1 * sin(3 * system.time))  # noqa: E731 - a formula
    system.constraint(mb.PointOnSurface(system.world, point, floor), name="floor")
    found = solved(system, t, p_tz=0.1 * math.sin(3 * t), p_tz_dot=0.3 * math.cos(3 * t))
    lift = -0.9 * math.sin(3 * t)
    assert found["p_tz_dot"] == pytest.approx(lift)
    assert found["lambda_floor"] == pytest.approx(2 * (G + lift))


HELIX = {"R": 0.5, "c": 0.2}
"""x = R·cos s, y = R·sin s, z = c·s: a bead falls along it with s̈ = -g·c/(R² + c²), at any speed."""


def helix_start(s, rate):
    R, c = HELIX.values()
    return {
        "p_tx": R * math.cos(s), "p_ty": R * math.sin(s), "p_tz": c * s,
        "p_tx_dot": -R * math.sin(s) * rate, "p_ty_dot": R * math.cos(s) * rate, "p_tz_dot": c * rate,
    }  # fmt: skip


def test_a_bead_on_a_helix():
    R, c = HELIX.values()
    system, bead = particle("Tx", "Ty", "Tz")
    system.constraint(
        mb.PointOnCurve(system.world, bead, lambda x, y, z: x - R * cos(z / c), lambda x, y, z: y - R * sin(z / c)),
        name="wire",
    )
    found = solved(system, **helix_start(0.8, 1.7))
    assert found["p_tz_dot"] == pytest.approx(-G * c**2 / (R**2 + c**2))


def test_a_curve_with_a_parameter_is_made_with_a_body_without_mass():
    """The way that the documentation of PointOnCurve names."""
    R, c = HELIX.values()
    system, bead = particle("Tx", "Ty", "Tz")
    s = system.joint("s", system.world, system.body("slider"), "Tx").coordinate
    system.sensor("place", mb.Position(bead))
    for k, on_curve in enumerate((R * cos(s), R * sin(s), c * s)):
        system.constraint(system.measured("place")[k] - on_curve, name=f"wire{k}")
    found = solved(system, s=0.8, s_dot=1.7, **helix_start(0.8, 1.7))
    assert found["s_dot"] == pytest.approx(-G * c / (R**2 + c**2))
