"""The same models in SI units, in mm-t-s and in µm-µg-s: the same equilibria, matrices and verdicts."""

import warnings

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import ConditioningWarning, SingularMatrixError
from multibody.linearization import equilibria, equilibrium, linearize

UNITS = {"SI": (1.0, 1.0), "mm-t-s": (1e3, 1e-3), "µm-µg-s": (1e6, 1e9)}
"""How many units of length a meter has, and how many units of mass a kilogram."""
G = 9.81

in_units = pytest.mark.parametrize("unit", UNITS)
in_sizes = pytest.mark.parametrize("size", [1.0, 1e-6, 1e4])


@in_units
@pytest.mark.parametrize(("mass", "length"), [(1e-12, 1e-5), (1.0, 1.0), (1e6, 1e3)])
@pytest.mark.parametrize("start", [1.0, -2.0, 3.0])
def test_a_pendulum_falls_to_its_lowest_point(unit, mass, length, start):
    per_meter, per_kilogram = UNITS[unit]
    system = mb.System("pendulum", gravity=(0, 0, -G * per_meter))
    bob = system.body("bob", mass * per_kilogram, (0, 0, -length * per_meter))
    hinge = system.joint("a", system.world, bob, "Ry")
    system.load(mb.JointDamper(hinge, 0.1 * mass * per_kilogram * (length * per_meter) ** 2))
    found = equilibrium(mb.derive(system), at={"a": start})
    standing = abs(found["a"]) > 1
    assert abs(found["a"]) == pytest.approx(np.pi if standing else 0.0, abs=1e-12)
    assert pytest.approx(np.array([[0, 1], [(1 if standing else -1) * G / length, -0.1]]), rel=1e-9) == found.linear.A
    assert found.stability == ("unstable" if standing else "stable")
    assert standing == (abs(start) > np.pi / 2)
    assert (found.lasts, found.linear.steady, found.linear.at_rest) == (True, True, True)


def slider_crank(unit, size):
    """A crank of 0.1 m and a rod of 0.3 m, times a factor, with a slider that closes a loop."""
    per_meter, m = UNITS[unit]
    l = per_meter * size
    system = mb.System("crank", gravity=(0, 0, -G * per_meter))
    crank = system.body("crank", m, (0.05 * l, 0, 0), (0, 1e-3 * m * l * l, 1e-3 * m * l * l))
    rod = system.body("rod", 2 * m, (0.15 * l, 0, 0), (0, 1e-2 * m * l * l, 1e-2 * m * l * l))
    slider = system.body("slider", 0.5 * m)
    system.joint("a", system.world, crank, "Ry", q=0.3)
    system.joint("b", crank.frame("pin", (0.1 * l, 0, 0)), rod, "Ry", q=-0.4)
    system.joint("x", system.world, slider, "Tx", q=0.39 * l)
    system.joint("c", rod.frame("end", (0.3 * l, 0, 0)), slider, "Ry")
    return mb.derive(system, constraints=mb.Multipliers())


@in_sizes
@in_units
def test_a_slider_crank_hangs_down(unit, size):
    """It hangs with the crank straight down, the slider at √8 of its length; A₁₀ by T and V of the two bodies."""
    l = UNITS[unit][0] * size
    eom = slider_crank(unit, size)
    found = equilibrium(eom)
    assert found["a"] == pytest.approx(np.pi / 2, abs=1e-10)
    assert found["x"] / l == pytest.approx(0.1 * np.sqrt(8), rel=1e-10)
    assert found.linear.states == ("a", "a_dot")
    # V = -(m/2 + M)·g·r·sin(a)/… : crank at r/2, the rod's middle at r/2 below the rail; T = J_crank + M·r² + slider
    inertia = 1e-3 + 0.05**2 + (2 + 0.5) * 0.1**2
    assert found.linear.A[1, 0] * size == pytest.approx(-(0.05 + 0.1) * G / inertia, rel=1e-9)
    assert (found.stability, found.lasts, found.freedom, found.linear.steady) == ("marginal", True, 0, True)
    angles = sorted(round(one["a"], 9) for one in equilibria(eom))
    assert angles == pytest.approx([-np.pi / 2] * 2 + [np.pi / 2] * 2)


@in_sizes
@in_units
def test_a_platform_on_springs_with_a_quaternion(unit, size):
    """It sinks by m·g/(3·k) in any units, and rocks as three springs at the corners of a triangle say."""
    per_meter, per_kilogram = UNITS[unit]
    l, m = size * per_meter, 2.0 * per_kilogram
    k = 3e2 * per_kilogram / size
    system = mb.System("platform", gravity=(0, 0, -G * per_meter))
    body = system.body("plate", m, inertia=(0.1 * m * l * l, 0.1 * m * l * l, 0.2 * m * l * l))
    system.joint("p", system.world, body, mb.Free())
    for n, angle in enumerate(2 * np.pi * np.arange(3) / 3):
        foot = (0.5 * l * np.cos(angle), 0.5 * l * np.sin(angle))
        high, low = system.frame(f"top{n}", (*foot, l)), body.frame(f"corner{n}", (*foot, 0))
        system.load(mb.Spring(high, low, k, 0.9 * l))
    found = equilibrium(mb.derive(system))
    sinking = 2.0 * G * size / (3 * 3e2) - 0.1 * size
    assert found["p_z"] / l == pytest.approx(-sinking / size, rel=1e-9)
    assert found.stability in ("marginal", "undecided")
    lift = [one for one in found.linear.modes if one.frequency > 0]
    assert np.sqrt(3 * 3e2 / 2.0 / size) == pytest.approx(
        min(lift, key=lambda o: abs(o.frequency**2 - 450 / size)).frequency
    )


@in_units
def test_a_governor_in_steady_motion(unit):
    """cos φ = g/(l·ω²), at any size."""
    per_meter, m = UNITS[unit]
    for length in (1e-4, 0.5, 300.0):
        omega, l = np.sqrt(2 * G / length), length * per_meter
        system = mb.System("conical", gravity=(0, 0, -G * per_meter))
        shaft = system.body("shaft", m, inertia=(0.1 * m * l * l, 0.1 * m * l * l, 0.2 * m * l * l))
        system.joint("turn", system.world, shaft, "Rz", u=omega)
        system.joint("angle", shaft, system.body("bob", m, com=(0, 0, -l)), "Ry", q=0.8)
        eom = mb.derive(system)
        found = equilibrium(eom, fixed={"turn_dot": omega}, moving=["turn"])
        assert found["angle"] == pytest.approx(np.pi / 3, rel=1e-11)
        assert (found.lasts, found.linear.steady, found.linear.at_rest) == (True, True, False)
        assert found.stability == "marginal"
        tilts = sorted(one["angle"] for one in equilibria(eom, fixed={"turn_dot": omega}, moving=["turn"]))
        assert tilts == pytest.approx([-np.pi / 3, 0.0, np.pi / 3, np.pi], abs=1e-9)


@in_units
def test_no_equilibrium_is_none_in_any_unit(unit):
    """A moment of 1.001 times what the pendulum can bear; of 0.999 times it bears."""
    per_meter, per_kilogram = UNITS[unit]
    for mass, length in ((1e-12, 1e-5), (1e3, 10.0)):
        m, l = mass * per_kilogram, length * per_meter
        system = mb.System("pendulum", gravity=(0, 0, -G * per_meter))
        hinge = system.joint("a", system.world, system.body("bob", m, (0, 0, -l)), "Ry")
        system.load(mb.JointLoad(hinge, system.input("M")))
        eom, most = mb.derive(system), m * l * G * per_meter
        assert equilibrium(eom, at={"M": 0.999 * most})["a"] == pytest.approx(np.arcsin(0.999), rel=1e-9)
        with refused("equilibrium-not-found"):
            equilibrium(eom, at={"M": 1.001 * most})


@in_sizes
@in_units
def test_a_point_that_is_no_equilibrium_is_not_steady(unit, size):
    per_meter, m = UNITS[unit]
    l = size * per_meter
    system = mb.System("pendulum", gravity=(0, 0, -G * per_meter))
    system.joint("a", system.world, system.body("bob", m, (0, 0, -l)), "Ry")
    eom = mb.derive(system)
    assert linearize(eom, at={"a": np.pi}).at_rest
    assert not linearize(eom, at={"a": 1e-6}).steady
    slow = linearize(eom, at={"a": 0.0, "a_dot": 1e-5 * np.sqrt(G / size)})
    assert not slow.at_rest


# near a dead point ---------------------------------------------------------------------------------------------------


def parallelogram(l):
    system = mb.System("flat", gravity=(G * l, 0, 0))
    cranks = [system.body(name, 1.0, (0.5 * l, 0, 0), (0, 0.1 * l * l, 0.1 * l * l)) for name in "ab"]
    for n, crank in enumerate(cranks):
        system.joint(f"{crank.name}_turn", system.frame(f"foot{n}", (n * l, 0, 0)), crank, "Rz", q=0.5)
    tips = [crank.frame(f"{crank.name}_tip", (l, 0, 0)) for crank in cranks]
    system.constraint(mb.DistanceConstraint(*tips, l), name="coupler")
    return mb.derive(system)


@pytest.mark.parametrize("length", [1.0, 1e6])
def test_the_conditioning_grows_towards_a_dead_point(length):
    """Where the parallelogram lies flat, its constraint vanishes with the sine of the angle."""
    eom = parallelogram(length)
    far = linearize(eom, at={"a_turn": 0.5, "b_turn": 0.5})
    assert far.conditioning == pytest.approx(1.0)
    with pytest.raises(SingularMatrixError):
        linearize(eom, at={"a_turn": 0.0, "b_turn": 0.0})


def crossed(angle):
    """Two cranks whose ends meet by a bar along the first one, nearly in line: two equations that are nearly one."""
    system = mb.System("two_bars", gravity=(0, 0, 0))
    body = system.body("point", 1.0)
    system.joint("p", system.world, body, ["Tx", "Ty", "Tz"])
    feet = (-1.0, 0.0), (-np.cos(angle), -np.sin(angle))
    for n, (x, y) in enumerate(feet):
        system.constraint(mb.DistanceConstraint(system.frame(f"foot{n}", (x, y, 0)), body, 1.0), name=f"bar{n}")
    return mb.derive(system)


def test_bars_that_are_nearly_in_line_are_reported():
    """Two unit rows at an angle δ have the singular values √(1 ± cos δ): their ratio is about 2/δ."""
    assert linearize(crossed(0.1)).conditioning == pytest.approx(1 / np.tan(0.05), rel=1e-9)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = linearize(crossed(1e-5))
    assert found.conditioning == pytest.approx(2e5, rel=1e-4)
    assert [one.category for one in caught] == [ConditioningWarning]
    assert "nearly singular" in str(caught[0].message)
    with pytest.warns(ConditioningWarning, match="nearly singular"):
        linearize(crossed(1e-7))


@pytest.mark.parametrize("length", [1.0, 1e6])
def test_states_that_cannot_drive_a_loop_are_reported(length):
    """Near the end of its stroke a slider drives a crank with dx/da = -a·r·(1 + r/l), here of 0.133 times a."""
    eom = slider_crank("SI", length)
    assert linearize(eom, at={"a": 1e-5}).conditioning < 10
    with pytest.warns(ConditioningWarning, match="for the states that were chosen"):
        found = linearize(eom, at={"a": 1e-5}, independent=["x", "x_dot"])
    assert found.conditioning > 1e5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert linearize(eom, at={"a": 0.1}, independent=["x", "x_dot"]).conditioning < 1e3


FAR = [1.0, 1e3, 1e5, 7e6]


def beside_a_train(far, law, gravity=0.0):
    """A box of 1 kg under a force by its height y, in a model with a train that is far away along its rail."""
    system = mb.System("two", gravity=(0, 0, -gravity))
    rail = system.joint("s", system.world, system.body("train", 1.0), "Tx", q=far)
    system.load(mb.JointSpring(rail, 10.0, far))
    system.load(mb.JointDamper(rail, 1.0))
    lift = system.joint("y", system.world, system.body("box", 1.0), "Tz", q=0.01)
    system.load(mb.JointLoad(lift, law(lift.coordinate)))
    system.load(mb.JointDamper(lift, 1.0))
    return mb.derive(system)


@pytest.mark.parametrize("far", FAR)
def test_a_coordinate_that_is_far_away_hides_no_acceleration(far):
    """A spring of 1e4 N/m, pressed by 1 mm beside gravity, accelerates the box by 19.81 m/s²."""
    lin = linearize(beside_a_train(far, lambda y: -1e4 * y, G), at={"s": far, "y": 1e-3})
    assert lin.point["y_ddot"] == pytest.approx(-19.81)
    assert (lin.steady, lin.at_rest) == (False, False)
    rest = linearize(beside_a_train(far, lambda y: -1e4 * y, G), at={"s": far, "y": -G / 1e4})
    assert (rest.steady, rest.at_rest) == (True, True)


@pytest.mark.parametrize("far", FAR)
def test_equilibria_beside_a_coordinate_that_is_far_away_stay_apart(far):
    found = equilibria(beside_a_train(far, lambda y: 100 * y - 4e4 * y**3))
    assert sorted(round(one["y"], 9) + 0.0 for one in found) == [-0.05, 0.0, 0.05]


@pytest.mark.parametrize("second", [1.0, 1e3, 1e-3, 1e6])
def test_the_duration_of_a_motion_follows_the_unit_of_time(second):
    """Three time constants of the slowest pole, also of one of 2e-7/s."""
    system = mb.System("slow", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointSpring(slide, 1 / second**2))
    system.load(mb.JointDamper(slide, 5 / second))
    lin = linearize(mb.derive(system))
    assert lin.motion(lin.modes[0]).t[-1] * abs(lin.modes[0].pole) == pytest.approx(3.0)


@pytest.mark.parametrize("per_second", [1.0, 1e3, 1e-3])
def test_verdicts_in_other_units_of_time(per_second):
    """In s, ms and ks: equilibria, their stability, what is steady, what is reached and what is seen."""
    g, rate = G / per_second**2, 1 / per_second
    system = mb.System("pair", gravity=(0, 0, -g))
    hinge = system.joint("a", system.world, system.body("bob", 2.0, (0, 0, -0.5)), "Ry", q=0.3)
    system.load(mb.JointDamper(hinge, 0.1 * rate))
    system.load(mb.JointLoad(hinge, system.input("M")))
    alone = system.joint("y", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointSpring(alone, 9.0 * rate**2))
    eom = mb.derive(system)
    found = equilibrium(eom)
    assert (found["a"], found["y"]) == (pytest.approx(0.0, abs=1e-12), 0.0)
    assert (found.stability, found.lasts, found.linear.steady, found.linear.at_rest) == ("marginal", True, True, True)
    assert [one.stability for one in equilibria(eom)] == ["marginal", "unstable"]
    lin = linearize(eom, at={"a": 0.0}, outputs=["a"])
    swing = np.sqrt(G / 0.5 + 0j)
    assert sorted(abs(lin.poles) * per_second) == pytest.approx(sorted([3.0, 3.0, abs(swing), abs(swing)]), rel=1e-6)
    assert (lin.controllability.complete, lin.observability.complete) == (False, False)  # the box is on its own
    both = linearize(eom, at={"a": 0.0}, outputs=["a", "y"])
    assert (both.controllability.complete, both.observability.complete) == (False, True)
    aside = linearize(eom, at={"a": 0.3})
    assert (aside.steady, aside.at_rest) == (False, False)
    fast = linearize(eom, at={"a": 0.0, "y": 0.0, "y_dot": 1e-3 * rate})
    assert (fast.steady, fast.at_rest) == (True, False)


# laws that change within much less, or much more, than the size of the mechanism -----------------------------------

TRAVELS = [1e-12, 1e-9, 1e-6, 1.0, 1e6]
"""Of a body whose radius of inertia is 1 m, in meters."""


def on_a_slide(law, damping=0.1, mass=1.0, inertia=1.0):
    system = mb.System("slide", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", mass, inertia=(inertia,) * 3), "Tx")
    system.load(mb.JointLoad(slide, law(slide.coordinate)))
    system.load(mb.JointDamper(slide, damping))
    return mb.derive(system)


@pytest.mark.parametrize("travel", TRAVELS)
def test_a_slope_of_a_small_travel_is_not_taken_for_rounding(travel):
    """A spring 3·(x/L)³ N that carries 0.2 N: its slope at L·∛(1/15) is -9·(1/15)^(2/3)/L."""
    eom = on_a_slide(lambda x: 0.2 - 3 * (x / travel) ** 3)
    found, place = equilibrium(eom, at={"x": 0.3 * travel}), travel * (1 / 15) ** (1 / 3)
    assert found["x"] == pytest.approx(place, rel=1e-12)
    slope = -9 * (1 / 15) ** (2 / 3) / travel
    for lin in (found.linear, linearize(eom, {"x": place})):
        assert lin.A[1] == pytest.approx([slope, -0.1], rel=1e-9)
        assert (lin.stability, lin.steady) == ("stable", True)
    for aside in (1 + 1e-6, 1.5, 3.0):
        assert not linearize(eom, {"x": aside * place}).steady


def test_a_small_travel_beside_a_stiff_part():
    """A cubic contact of 1 nm between bodies of 1 m, one of them on 1e12 N/m."""
    system = mb.System("contact", gravity=(0, 0, 0))
    a, b = (
        system.joint(n, system.world, system.body(f"body_{n}", m, (1.0, 0, 0)), "Tx") for n, m in (("a", 1), ("b", 2))
    )
    gap, push = 1e-9, 5e-7
    force = 1e-6 * ((b.coordinate - a.coordinate) / gap) ** 3
    system.load(mb.JointLoad(a, force - 1e12 * a.coordinate))
    system.load(mb.JointLoad(b, push - force))
    found = equilibrium(mb.derive(system), at={"b": 0.9 * gap})
    slope = 3e-6 * 0.5 ** (2 / 3) / gap
    assert found.linear.A[3, :2] == pytest.approx([slope / 2, -slope / 2], rel=1e-8)


@pytest.mark.parametrize("speed", [1e-14, 1e-9, 1e-3, 1e3])
def test_a_slow_speed_beside_a_fast_one_keeps_its_slope(speed):
    """A damper 3·(v/V)³ N that is pulled by 0.2 N, beside a train at 100 m/s."""
    system = mb.System("two", gravity=(0, 0, 0))
    system.joint("train", system.world, system.body("car", 1.0), "Tx")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointLoad(slide, 0.2 - 3 * (slide.speed / speed) ** 3))
    lin = linearize(mb.derive(system), {"train_dot": 100.0, "x_dot": speed * (1 / 15) ** (1 / 3)})
    places = [lin.states.index("x_dot")] * 2
    assert lin.A[tuple(places)] == pytest.approx(-9 * (1 / 15) ** (2 / 3) / speed, rel=1e-9)
    assert lin.steady


@pytest.mark.parametrize("range_", [1e-12, 1e-9, 1e-3, 1e3])
def test_a_sensor_with_a_small_range_keeps_its_slope(range_):
    """It shows (x/L)³, beside one that shows x."""
    system = mb.System("sensed", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", 1.0, inertia=(1, 1, 1)), "Tx")
    system.load(mb.JointSpring(slide, 1.0))
    for name, value in (("fine", (slide.coordinate / range_) ** 3), ("place", slide.coordinate)):
        system.sensor(name, mb.Expression(value))
    eom = mb.derive(system)
    lin = linearize(eom, {"x": range_ / 2})
    assert pytest.approx(np.array([[0.75 / range_, 0], [1, 0]]), rel=1e-9) == lin.C
    assert linearize(eom, {"x": range_ / 2}, outputs=["fine"]).observability.complete


@pytest.mark.parametrize("travel", TRAVELS[1:])
@pytest.mark.parametrize("inertia", [0.0, 1.0])
def test_all_equilibria_of_a_buckled_spring_are_found_at_any_travel(travel, inertia):
    eom = on_a_slide(lambda x: x - x * (x / travel) ** 2, inertia=inertia)
    found = sorted((one["x"] / travel, one.stability) for one in equilibria(eom))
    assert [x for x, _ in found] == pytest.approx([-1, 0, 1], abs=1e-9)
    assert [stability for _, stability in found] == ["stable", "unstable", "stable"]


@pytest.mark.parametrize("inertia", [0.0, 1e-17])
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_both_equilibria_of_an_electrostatic_actuator_are_found(share, inertia):
    """A plate of 10 µg on 1 N/m before another one at 2 µm; the voltage is a share of that at which it snaps."""
    gap, area = 2e-6, 8.854e-20
    square = share**2 * 8 * gap**3 / 27 / area
    eom = on_a_slide(lambda x: area * square / 2 / (gap - x) ** 2 - x, 1e-8, 1e-11, inertia)
    exact = [x for x in np.roots([1, -2 * gap, gap**2, -area * square / 2]).real if x < gap]
    found = sorted((one["x"], one.stability) for one in equilibria(eom) if one["x"] < gap)
    assert [x for x, _ in found] == pytest.approx(sorted(exact), rel=1e-9)
    assert [stability for _, stability in found] == ["stable", "unstable"]
