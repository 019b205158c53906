"""Steady motions: linear systems that last along them, stability where poles decide, regulators that go along."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import cos, sin
from multibody.linearization import (
    critical_values,
    equilibrium,
    kalman,
    linearize,
    lqr,
    output_feedback,
    pole_sensitivities,
)

G, RADIUS = 9.81, 0.3


@pytest.fixture(scope="module")
def disc():
    """A thin disc that rolls on a plane."""
    system = mb.System("disc", gravity=(0, 0, -G))
    body = system.body("body", 2.0, inertia=np.array([1, 2, 1]) * 2.0 * RADIUS**2 / 4)
    system.joint("p", system.world, body, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"], q=(0, 0, RADIUS, 0, 0, 0))
    system.constraint(mb.RollingDisc(system.world, body, RADIUS))
    return mb.derive(system)


def circling(disc, yaw):
    """On a circle of radius b, inclined by alpha, at Ω² = g·cot α/(a·cos α/4 + 3·b/2)."""
    alpha, b = 1.1, 0.8
    rate = np.sqrt(G / np.tan(alpha) / (RADIUS * np.cos(alpha) / 4 + 1.5 * b))
    found = equilibrium(
        disc, fixed={"p_rx": np.pi / 2 - alpha, "p_rz_dot": rate, "p_rz": yaw}, at={"p_ry_dot": -rate * b / RADIUS},
        moving=["p_tx", "p_ty", "p_rz", "p_ry", "p_tx_dot", "p_ty_dot"],
    )  # fmt: skip
    assert found["p_ry_dot"] == pytest.approx(-rate * (b / RADIUS + np.cos(alpha)), rel=1e-9)
    return found


def test_poles_on_a_circle_do_not_depend_on_where_it_is(disc):
    """The velocity of the place changes along the circle; states that do so would have poles that do so."""
    several = [circling(disc, yaw) for yaw in (0.0, 0.5, 2.0)]
    frequencies = [np.abs(one.poles).max() for one in several]
    assert frequencies == pytest.approx([frequencies[0]] * 3, rel=1e-9)
    assert {one.stability for one in several} == {"marginal"}
    pushed = {**several[0].state, "p_rx_dot": 1e-4}
    q, u = ([pushed[one.name] for one in group] for group in (disc.coordinates, disc.speeds))
    lean = mb.Event(disc.coordinates[4] - several[0]["p_rx"], direction=1, name="upright")
    run = mb.simulate(disc, 8.0, q=q, u=u, events=[lean])
    period = np.diff([one.t for one in run.occurrences][1:]).mean()
    assert 2 * np.pi / period == pytest.approx(frequencies[0], rel=1e-4)


def test_poles_on_a_circle_have_no_derivatives_from_one_instant(disc):
    with refused("poles-not-at-one-instant"):
        pole_sensitivities(circling(disc, 0.3), "p_rz_dot")


def test_critical_speed_of_a_rolling_disc_next_to_its_other_zeros(disc):
    """ω² = g/(3·a); there the poles of lean meet those of yaw and spin, which are zero always."""

    def rolling(speed):
        return equilibrium(disc, fixed={"p_ry_dot": speed}, moving=["p_tx", "p_ry"]).linear

    (found,) = critical_values(rolling, 1.0, 10.0, points=15)
    assert found.value == pytest.approx(np.sqrt(G / (3 * RADIUS)), rel=1e-9)
    assert not found.destabilizing


def rotor(*, turning):
    """A shaft with stiffnesses 100 and 150 N/m that turn with it, in coordinates that turn or do not."""
    system = mb.System("rotor", gravity=(0, 0, 0))
    body = system.body("body", 1.0, inertia=(0.1, 0.1, 0.2))
    joint = system.joint("p", system.world, body, ["Rz", "Tx", "Ty"] if turning else ["Tx", "Ty", "Rz"])
    if turning:
        _, x, y = joint.coordinates
        system.load(mb.JointLoad(joint, (0, -100 * x, -150 * y)))
    else:
        x, y, angle = joint.coordinates
        along, across = cos(angle) * x + sin(angle) * y, cos(angle) * y - sin(angle) * x
        system.load(mb.Force(body, (-100 * along, -150 * across, 0), expressed_in=body))
    return mb.derive(system)


def test_poles_that_mean_nothing_decide_nothing():
    """Between √100 and √150 rad/s the shaft is unstable; where coordinates stand still, its stiffness is periodic."""
    still, turning = (
        equilibrium(rotor(turning=way), fixed={"p_rz_dot": 11.0}, moving=["p_rz"]) for way in (False, True)
    )
    assert turning.stability == "unstable"
    assert still.stability == "undecided"


def test_a_quaternion_that_turns_and_a_support_that_shakes_are_undecided():
    top = mb.System("top", gravity=(0, 0, -G))
    top.joint("ball", top.world, top.body("body", 1.0, (0, 0, 0.1), (5e-3, 5e-3, 2e-3)), mb.Spherical())
    eom = mb.derive(top)
    spinning = equilibrium(eom, fixed={"ball_wz": 80.0}, moving=[one.name for one in eom.coordinates])
    assert spinning.stability == "undecided"

    shaken = mb.System("shaken", gravity=(0, 0, -G))
    base = shaken.body("base", 1.0)
    shaken.joint("z", shaken.world, base, "Tz", prescribed=0.1 * cos(100 * shaken.time))
    shaken.joint("a", base, shaken.body("bob", 1.0, (0, 0, 1.0)), "Ry")
    assert equilibrium(mb.derive(shaken)).stability == "undecided"


def spinning_top(joint):
    """A heavy top that leans by 0.6 rad: its joint has three coordinates."""
    top = mb.System("top", gravity=(0, 0, -G))
    top.joint("e", top.world, top.body("body", 1.0, (0, 0, 0.1), (2e-3, 2e-3, 4e-3)), joint, q=(0, 0.6, 0))
    return mb.derive(top)


def test_a_state_that_is_steady_for_an_instant_only_is_told_from_one_that_lasts():
    """(C - A)·cos θ·ψ̇² + C·n·ψ̇ = m·g·l; speeds along axes that spin with the top do not stay what they are."""
    found = equilibrium(
        spinning_top(["Rz", "Rx", "Rz"]), fixed={"e_rx": 0.6, "e_rz2_dot": 150.0}, moving=["e_rz1", "e_rz2"]
    )
    slow = min(np.roots([(4e-3 - 12e-3) * np.cos(0.6), 4e-3 * 150, -G * 0.1]), key=abs)
    assert found["e_rz1_dot"] == pytest.approx(slow, rel=1e-9)
    assert found.lasts
    angles = spinning_top(mb.Spherical("zxz"))
    instant = equilibrium(angles, fixed={"e_a2": 0.6}, at={"e_wz": 150.0, "e_wx": 1.0}, moving=["e_a1", "e_a3"])
    assert not instant.lasts
    assert str(instant).startswith("top: steady motion for an instant only, undecided")


def test_an_equilibrium_at_a_branching_is_shown_without_poles():
    """A parallelogram that lies flat may become a parallelogram again, or an antiparallelogram."""
    system = mb.System("flat", gravity=(G, 0, 0))
    cranks = [system.body(name, 1.0, (0.5, 0, 0), (0, 0.1, 0.1)) for name in "ab"]
    for k, crank in enumerate(cranks):
        system.joint(f"{crank.name}_turn", system.frame(f"foot{k}", (k, 0, 0)), crank, "Rz", q=0.0)
    tips = [crank.frame(f"{crank.name}_tip", (1, 0, 0)) for crank in cranks]
    system.constraint(mb.DistanceConstraint(*tips, 1.0), name="coupler")
    found = equilibrium(mb.derive(system))
    assert str(found).startswith("flat: equilibrium, undecided")
    with refused("constraints-singular"):
        _ = found.poles


def test_time_in_the_equations_does_no_harm_where_poles_stay():
    table = mb.System("table", gravity=(0, 0, -G))
    plate = table.body("plate", 1.0, inertia=(1, 1, 1))
    table.joint("turn", table.world, plate, "Rz", prescribed=6 * table.time)
    hinge = table.joint("out", plate, table.body("ball", 1.0, (0, 0, -0.5)), "Ry", q=0.9)
    table.load(mb.JointDamper(hinge, 0.1))
    found = equilibrium(mb.derive(table))
    assert found["out"] == pytest.approx(np.arccos(G / (0.5 * 36)), rel=1e-12)
    assert found.stability == "stable"


@pytest.mark.parametrize(("damping", "expected"), [(-0.01, "unstable"), (0.01, "stable"), (0.0, "stable")])
def test_a_stiff_part_hides_nothing(damping, expected):
    """A light mass behind a stiff damper has a pole at -10⁷/s; the heavy one decays or grows all the same.

    Without a damper of its own it decays at 2.5e-11/s: the light mass lags behind by 0.7e-7, and the damper takes
    1e4·0.5e-14 of the power.
    """
    system = mb.System("stiff", gravity=(0, 0, 0))
    heavy, light = system.body("heavy", 1.0), system.body("light", 1e-3)
    first, second = system.joint("x", system.world, heavy, "Tx"), system.joint("y", heavy, light, "Tx")
    (c,) = system.parameters(c=damping)
    for joint, stiffness, brake in (first, 1.0, c), (second, 1e4, 1e4):
        system.load(mb.JointSpring(joint, stiffness))
        system.load(mb.JointDamper(joint, brake))
    eom = mb.derive(system)
    assert equilibrium(eom).stability == expected
    (found,) = critical_values(lambda value: linearize(eom, parameters={"c": value}), -1.0, 1.3)
    assert (abs(found.value) < 1e-8, found.destabilizing) == (True, False)


def test_several_departures_between_two_points_of_the_grid():
    system = mb.System("springs", gravity=(0, 0, 0))
    (c,) = system.parameters(c=0.0)
    for name, k in {"a": 100.0, "b": 100.5, "d": 103.0}.items():
        joint = system.joint(name, system.world, system.body(f"body_{name}", 1.0), "Tx")
        system.load(mb.JointSpring(joint, k - c))
    eom = mb.derive(system)
    found = critical_values(lambda value: linearize(eom, parameters={"c": value}), 0.0, 210.0, points=11)
    assert [one.value for one in found] == pytest.approx([100.0, 100.5, 103.0], rel=1e-12)
    assert all(one.destabilizing for one in found)


@pytest.mark.parametrize("observed", [False, True])
def test_a_regulator_goes_along_with_a_steady_motion(observed):
    """A shaft that is held at 6 rad/s has gone 60 rad after 10 s; the regulator does not call it back."""
    mill = mb.System("mill", gravity=(0, 0, -G))
    shaft = mill.body("shaft", 1.0, inertia=(0.1, 0.1, 0.2))
    turn = mill.joint("turn", mill.world, shaft, "Rz")
    out = mill.joint("out", shaft, mill.body("ball", 1.0, (0, 0, -0.5)), "Ry", q=0.9)
    mill.load(mb.JointLoad(turn, mill.input("M")))
    for name, joint in {"angle": turn, "swing": out}.items():
        mill.sensor(name, mb.Expression(joint.coordinate))
    eom = mb.derive(mill)
    steady = equilibrium(eom, fixed={"turn_dot": 6.0, "turn": 0.0}, moving=["turn"])
    law = lqr(steady.linear, {"turn": 1.0, "out": 1.0, "turn_dot": 1.0}, {"M": 1.0})
    inputs = law.inputs
    if observed:
        watch = kalman(steady.linear, {"M": 1.0}, {"angle": 1e-4, "swing": 1e-4})
        inputs = output_feedback(law, watch, period=0.01)
    run = mb.simulate(eom, 10.0, q={"turn": 0.05, "out": steady["out"]}, u={"turn_dot": 6.0}, inputs=inputs)
    assert run["turn"][-1] == pytest.approx(60.0, abs=1e-2)
    assert run["turn_dot"][-1] == pytest.approx(6.0, abs=1e-2)


def disc_on_a_shaft(stiffnesses, rate):
    """A disc on a shaft that turns freely, whose stiffnesses turn with it."""
    system = mb.System("shaft", gravity=(0, 0, 0))
    disc = system.body("disc", 1.0)
    place = system.joint("p", system.world, disc, ["Tx", "Ty"])
    turn = system.joint("phi", disc, system.body("rotor", 1e-3, inertia=(0, 0, 1.0)), "Rz", u=rate)
    (x, y), (vx, vy), phi = place.coordinates, place.speeds, turn.coordinate
    along, across = cos(phi) * x + sin(phi) * y, cos(phi) * y - sin(phi) * x
    forces = [-k * way for k, way in zip(stiffnesses, (along, across), strict=True)]
    push = forces[0] * cos(phi) - forces[1] * sin(phi), forces[0] * sin(phi) + forces[1] * cos(phi)
    system.load(mb.JointLoad(place, (push[0] - 0.05 * vx, push[1] - 0.05 * vy)))
    return mb.derive(system)


@pytest.mark.parametrize(("stiffnesses", "expected"), [((4.0, 16.0), "undecided"), ((9.0, 9.0), "marginal")])
def test_coordinates_that_move_excite_as_time_does(stiffnesses, expected):
    """Between √4 and √16 rad/s a shaft that is not round throws its disc out; poles of one instant do not say so."""
    eom = disc_on_a_shaft(stiffnesses, 3.0)
    lin = linearize(eom, at={"phi_dot": 3.0})
    found = equilibrium(eom, fixed={"phi_dot": 3.0}, moving=["phi"])
    assert (lin.stability, found.stability, lin.steady, found.lasts) == (expected, expected, True, True)
    run = mb.simulate(eom, 40.0, q={"p_tx": 1e-6}, u={"phi_dot": 3.0})
    assert (np.abs(run["p_tx"]).max() > 1e-3) == (expected == "undecided")
    assert linearize(eom, at={"phi_dot": 0.0}).stability == "marginal"
