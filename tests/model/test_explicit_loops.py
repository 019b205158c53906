"""Loops in closed form: they are closed, at all levels, and move as multipliers say."""

import re
from math import acos, asin, atan, atan2, cos, hypot, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.refusal import refused

import multibody as mb
from multibody.graph import all_same, evaluate, is_zero, rank

from .mechanisms import SHAPES, accelerations, assembled, closed_states, gaps

ALL = [mb.Recursive(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange()]
CARDAN = ["Tx", "Ty", "Tz", "Rx", "Ry", "Rz"]


def differences(model, states):
    """Accelerations with the loops solved against those with multipliers, relative to the largest one."""
    solved, full = mb.derive(model, mb.Recursive()), mb.derive(model.unreduced, mb.Recursive())
    for values in states:
        one, other = accelerations(solved, values), accelerations(full, values)
        yield max(abs(one[u] - other[u]) for u in one) / max(map(abs, other.values()))


# --- all shapes, random geometry -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_a_loop_stays_closed_at_all_levels_and_moves_as_with_multipliers(shape):
    odd = list(SHAPES).index(shape) % 2 == 1
    one, model, states = assembled(shape, 5, posture=-1 if odd else 1, swapped=odd, on_carrier=not odd)
    assert len(model.unreduced.coordinates) == len(model.coordinates) + 2
    apart = np.max([gaps(model.unreduced, one.first, one.second, values) for values in states], axis=0)
    assert np.all(apart < [1e-12, 1e-10, 1e-10])
    kinematics = mb.Kinematics(model)
    assert all(map(is_zero, kinematics.pose(one.first).position - kinematics.pose(one.second).position))
    assert max(differences(model, states)) < 1e-10


EACH = ["four_bar", "crank_slider", "cylinder", "cylinder_bar", "steering"]


@pytest.mark.parametrize("shape", EACH)
def test_all_formalisms_are_proved_equal(shape):
    _, model, _ = assembled(shape, 7)
    comparison = mb.compare(model, ALL)
    assert len(comparison.pairs) == 6
    assert comparison.proved


@pytest.mark.parametrize("shape", EACH)
def test_the_postures_are_two_different_solutions(shape):
    found = []
    for posture in (1, -1):
        one, model, states = assembled(shape, 3, posture=posture)
        assert np.all(
            np.max([gaps(model.unreduced, one.first, one.second, values) for values in states], axis=0) < 1e-10
        )
        found.append([states[0][q] for q in model.unreduced.coordinates])
    assert np.abs(np.subtract(*found)).max() > 1e-3


# --- against textbooks ---------------------------------------------------------------------------------------------


def four_bar(lengths=None, posture=1, axis="z", independent=()):
    """Crank, coupler and rocker of given lengths; without these, they are parameters."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0))
    ground, crank, coupler, rocker = lengths or system.parameters(ground=1, crank=4, coupler=4, rocker=5)
    turn = f"R{axis}"
    bars = [system.body(f"bar{k}", 1, (0.3, 0.1, 0), (0.1, 0.1, 0.1)) for k in range(3)]
    system.joint("a", system.world, bars[0], turn)
    system.joint("b", bars[0].frame("B", (crank, 0, 0)), bars[1], turn)
    system.joint("d", system.frame("D", (ground, 0, 0)), bars[2], turn)
    ends = bars[1].frame("C3", (coupler, 0, 0)), bars[2].frame("C4", (rocker, 0, 0))
    system.loop(mb.FourBar(*ends, posture, independent=[system[name] for name in independent]))
    return system


@pytest.mark.parametrize("posture", [1, -1])
@pytest.mark.parametrize("axis", "zy")
def test_four_bar_by_the_formula_of_half_angles(axis, posture):
    """P₄·cos θ + P₅·sin θ + P₆ = 0 for the angle θ of the coupler (PyMbs), solved for tan(θ/2)."""
    l1, l2, l3, l4 = 1.0, 4.0, 4.2, 5.0
    model = four_bar((l1, l2, l3, l4), posture, axis).freeze()
    for phi in np.linspace(-3, 3, 11):
        P4, P5 = 2 * l3 * (l2 - l1 * cos(phi)), 2 * l1 * l3 * sin(phi)
        P6 = l2**2 + l1**2 - l4**2 + l3**2 - 2 * l2 * l1 * cos(phi)
        theta = 2 * atan((P5 - posture * sqrt(P4**2 + P5**2 - P6**2)) / (P4 - P6))
        x, y = (l2 * f(phi) + l3 * f(phi + theta) for f in (cos, sin))
        found = [evaluate(model.values[q], {"a": phi}) for q in model.unreduced.coordinates if q.name in "bd"]
        np.testing.assert_allclose(found, [theta, atan2(y, x - l1)], atol=1e-12)


def crank_slider(r, l, posture=1):
    system = mb.System("engine", gravity=(0, -9.81, 0))
    crank, rod, piston = (system.body(name, 1, (0.1, 0, 0), (1, 1, 1)) for name in ("crank", "rod", "piston"))
    system.joint("crank_angle", system.world, crank, "Rz")
    system.joint("stroke", system.world, piston, "Tx")
    system.joint("rod_angle", piston, rod, "Rz")
    system.loop(mb.CrankSlider(crank.frame("pin", (r, 0, 0)), rod.frame("eye", (-l, 0, 0)), posture))
    return system


@pytest.mark.parametrize("posture", [1, -1])
def test_stroke_of_an_engine(posture):
    r, l = 0.3, 1.1
    model = crank_slider(r, l, posture).freeze()
    stroke, angle = (model.values[q] for q in model.unreduced.coordinates if q not in model.coordinates)
    assert [q.name for q in model.coordinates] == ["crank_angle"]
    for phi in np.linspace(-3, 3, 7):
        lean = asin(r / l * sin(phi))
        expected = r * cos(phi) + posture * l * cos(lean)
        assert evaluate(stroke, {"crank_angle": phi}) == pytest.approx(expected, abs=1e-14)
        turned = -lean if posture == 1 else pi + lean
        assert cos(evaluate(angle, {"crank_angle": phi}) - turned) == pytest.approx(1, abs=1e-14)


def test_length_and_angle_of_a_cylinder_that_lifts_a_boom():
    """The PyMbs example of a cylinder: law of cosines."""
    system = mb.System("boom")
    l1, l2 = system.parameters(l1=0.13, l2=0.174)
    boom, barrel, piston = (system.body(name, 1, (0.1, 0, 0), (1, 1, 1)) for name in ("boom", "barrel", "piston"))
    system.joint("jA", system.world, boom, "Ry")
    system.joint("jC", system.frame("C", (l1, 0, 0)), barrel, "Ry")
    system.joint("jCB", barrel, piston, "Tx")
    system.loop(mb.ThreeBarTrans(boom.frame("B", (l2, 0, 0)), piston))
    model = system.freeze()
    by_name = {q.name: model.values[q] for q in model.unreduced.coordinates if q not in model.coordinates}
    for phi in (0.4, 1.0, 2.5):
        known = {"jA": phi, **{p.name: x for p, x in model.parameter_values().items()}}
        length = sqrt(0.13**2 + 0.174**2 - 2 * 0.13 * 0.174 * cos(phi))
        assert evaluate(by_name["jCB"], known) == pytest.approx(length, abs=1e-15)
        psi = pi - acos((0.13**2 + length**2 - 0.174**2) / (2 * 0.13 * length))
        assert evaluate(by_name["jC"], known) == pytest.approx(psi, abs=1e-12)


def test_symbolic_lengths_serve_any_numbers():
    symbolic, numeric = four_bar(), four_bar((1.0, 3.0, 4.2, 5.0))
    one, other = mb.derive(symbolic, mb.Recursive()), mb.derive(numeric, mb.Recursive())
    names = [p.name for p in one.parameters]
    p = [{"ground": 1.0, "crank": 3.0, "coupler": 4.2, "rocker": 5.0}[name] for name in names]
    a, b = one.forward_dynamics(0, [0.7], [1.3], [], p), other.forward_dynamics(0, [0.7], [1.3], [], [])
    np.testing.assert_allclose(a, b, rtol=1e-12)
    assert mb.compare(symbolic, ALL).proved


# --- starting points and special positions ---------------------------------------------------------------------------


@pytest.mark.parametrize("quarter", range(4))
def test_nothing_is_divided_by_zero_where_bars_are_parallel_to_axes(quarter):
    model = four_bar((1.0, 4.0, 4.0, 5.0)).freeze()
    eom = mb.derive(model)
    assert np.isfinite(eom.forward_dynamics(0.0, [quarter * pi / 2], [1.0], [], [])).all()


def test_a_rod_that_starts_in_line_with_its_guide_moves():
    eom = mb.derive(crank_slider(1.0, 2.0))
    assert np.isfinite(eom.forward_dynamics(0.0, [0.0], [1.0], [], [])).all()


# --- several loops, other choices ------------------------------------------------------------------------------------


def train(loops=2):
    """Four-bars in series: the rocker of each is the crank of the next."""
    system = mb.System("train", gravity=(0, -9.81, 0))
    drive, at, pairs = system.body("crank", 1, (0.1, 0.1, 0), (0.1, 0.2, 0.3)), (0.3, 0, 0), []
    system.joint("q", system.world, drive, "Rz")
    for k in range(loops):
        coupler, rocker = (
            system.body(f"{name}{k}", 1, (0.5, 0.1, 0), (0.1, 0.2, 0.3)) for name in ("coupler", "rocker")
        )
        system.joint(f"a{k}", drive.frame(f"B{k}", at), coupler, "Rz")
        system.joint(f"b{k}", system.frame(f"D{k}", (1.1 * (k + 1), -0.1 * k, 0)), rocker, "Rz")
        pairs.append((coupler.frame(f"C{k}", (1.2 + 0.1 * k, 0, 0)), rocker.frame(f"E{k}", (1.1, 0, 0))))
        system.loop(mb.FourBar(*pairs[-1]))
        drive, at = rocker, (0.3, 0.4, 0)
    return system, pairs


def test_a_loop_may_be_driven_by_another_one():
    system, pairs = train()
    model = system.freeze()
    assert [q.name for q in model.coordinates] == ["q"]
    states = closed_states(model, 3)
    apart = np.max([gaps(model.unreduced, *pair, values) for values in states for pair in pairs], axis=0)
    assert np.all(apart < [1e-12, 1e-10, 1e-10])
    assert max(differences(model, states)) < 1e-10
    assert mb.compare(model, ALL).proved


def test_a_loop_through_the_coupler_of_another_one():
    """Stephenson's chain: five hinges, of which one is the crank and one was determined before."""
    system, _ = train(1)
    coupler, world = system["coupler0"], system.world
    rod, arm = (system.body(name, 1, (0.2, 0.1, 0), (0.1, 0.2, 0.3)) for name in ("rod", "arm"))
    system.joint("c", coupler.frame("P", (0.6, 0.4, 0)), rod, "Rz")
    system.joint("d", world.frame("Q", (0.2, 1.6, 0)), arm, "Rz")
    pair = rod.frame("rod_end", (1.0, 0, 0)), arm.frame("arm_end", (0.9, 0, 0))
    system.loop(mb.PlanarLoop(*pair, independent=system["q"]))
    model = system.freeze()
    states = closed_states(model, 3)
    assert [q.name for q in model.coordinates] == ["q"]
    assert np.all(np.max([gaps(model.unreduced, *pair, values) for values in states], axis=0) < 1e-10)
    assert max(differences(model, states)) < 1e-10


def test_what_determined_joints_follow_stays_independent():
    """A cylinder on the coupler of a four-bar: the crank, which the coupler follows, cannot follow the cylinder."""
    system, _ = train(1)
    foot, rod = (system.body(name, 1, (0.2, 0.1, 0), (0.1, 0.2, 0.3)) for name in ("foot", "rod"))
    system.joint("tilt", system.frame("Q", (0.2, -1.6, 0)), foot, "Rz")
    slide = system.joint("slide", foot, rod, "Tx")
    pair = system["coupler0"].frame("P", (0.6, 0.4, 0)), rod
    system.loop(mb.FourBarTrans(*pair), "lift")
    model = system.freeze()
    assert [q.name for q in model.coordinates] == ["q"]
    apart = [gaps(model.unreduced, *pair, values) for values in closed_states(model, 3)]
    assert np.all(np.max(apart, axis=0) < 1e-10)
    del system.loops["lift"]
    system.loop(mb.FourBarTrans(*pair, independent=slide), "lift")
    with refused("coordinate-not-dependent", "lift"):
        system.freeze()


def test_a_joint_that_follows_an_input_moves_as_a_prescribed_one():
    def crane(prescribed):
        system = mb.System("crane", gravity=(0, 0, -9.81))
        crab, place = system.body("crab", 10), system.input("place")
        move = system.joint("move", system.world, crab, "Tx", prescribed=2 * place if prescribed else None)
        system.joint("swing", crab, system.body("load", 1, (0, 0, -2)), "Ry")
        if not prescribed:
            system.loop(mb.ExpJoint(move, 2 * place))
        return mb.derive(system)

    followed, given = crane(False), crane(True)
    assert followed.inputs == given.inputs
    assert all_same(list(followed.acceleration), list(given.acceleration))


@pytest.mark.parametrize("chosen", ["a", "b", "d"])
def test_any_joint_can_be_the_independent_one(chosen):
    model = four_bar((3.0, 2.0, 3.0, 2.5), independent=[chosen]).freeze()
    assert [q.name for q in model.coordinates] == [chosen]
    assert max(differences(model, closed_states(model, 3, spread=1.0))) < 1e-10


def test_a_prescribed_crank_leaves_no_freedom():
    system = mb.System("motor")
    crank, rod, piston = (system.body(name, 1, (0.1, 0, 0), (1, 1, 1)) for name in ("crank", "rod", "piston"))
    system.joint("turn", system.world, crank, "Rz", prescribed=3 * system.time)
    system.joint("stroke", system.world, piston, ["Tx", "Rz"])
    system.joint("hold", piston, rod, "Rx", prescribed=0)
    first, second = crank.frame("pin", (0.3, 0, 0)), piston.frame("eye", (-1, 0, 0))
    system.loop(mb.CrankSlider(first, second))
    model = system.freeze()
    assert model.coordinates == ()
    values = {model.time: 0.4} | dict.fromkeys(model.input_symbols, 0.0)
    values |= {one: evaluate(value, values) for one, value in model.values.items()}
    assert np.all(gaps(model.unreduced, first, second, values) < 1e-12)
    speed = -0.9 * sin(1.2) - 0.9 * 0.3 * sin(1.2) * cos(1.2) / sqrt(1 - 0.09 * sin(1.2) ** 2)
    assert values[system["stroke"].speeds[0]] == pytest.approx(speed, abs=1e-14)


def test_bodies_may_lie_in_different_planes():
    """What is shifted along the axis changes the equations of a planar mechanism on the world not at all."""
    systems = [four_bar((1.0, 4.0, 4.2, 5.0)), mb.System("shifted", gravity=(0, -9.81, 0))]
    shifted = systems[1]
    bars = [shifted.body(f"bar{k}", 1, (0.3, 0.1, 0), (0.1, 0.1, 0.1)) for k in range(3)]
    shifted.joint("a", shifted.world, bars[0], "Rz")
    shifted.joint("b", bars[0].frame("B", (4.0, 0, 0.2)), bars[1], "Rz")
    shifted.joint("d", shifted.frame("D", (1.0, 0, -0.3)), bars[2], "Rz")
    shifted.loop(mb.FourBar(bars[1].frame("C3", (4.2, 0, 0.1)), bars[2].frame("C4", (5.0, 0, 0))))
    one, other = (mb.derive(system, mb.Recursive()).forward_dynamics(0, [0.7], [1.3], [], []) for system in systems)
    np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("symbolic", [False, True])
def test_an_axis_may_point_anywhere(symbolic):
    system = mb.System("skew", gravity=(1, 2, -9.81))
    hinge = mb.Revolute(system.parameter("e", [1.0, -2.0, 0.5]) if symbolic else (1.0, -2.0, 0.5))
    bars = [system.body(f"bar{k}", 1, (0.3, 0.1, 0.2), (0.1, 0.2, 0.25)) for k in range(3)]
    system.joint("a", system.world, bars[0], hinge)
    system.joint("b", bars[0].frame("B", (1, 0.2, 0.3)), bars[1], hinge)
    system.joint("d", system.frame("D", (3, 0.1, -0.2)), bars[2], hinge)
    system.loop(mb.FourBar(bars[1].frame("C3", (3.5, 0.2, 0.1)), bars[2].frame("C4", (2.5, -0.3, 0.4))))
    model = system.freeze()
    assert max(differences(model, closed_states(model, 2))) < 1e-10
    assert mb.compare(model, [mb.Recursive(), mb.Lagrange()]).proved


def test_forces_in_the_joints_are_those_with_multipliers():
    model = four_bar((1.0, 4.0, 4.2, 5.0)).freeze()
    solved, full = mb.derive(model, mb.Recursive()), mb.derive(model.unreduced, mb.Recursive())
    values = closed_states(model, 1)[0]
    for name in "abd":
        one = solved.function("one", {"force": [*solved.reaction(name).resultant]})
        other = full.function("other", {"force": [*full.reaction(name).resultant]})
        forces = [
            f(0.0, [values[q] for q in eom.coordinates], [values[u] for u in eom.speeds], [], [])
            for f, eom in ((one, solved), (other, full))
        ]
        np.testing.assert_allclose(*forces, rtol=1e-9, atol=1e-9)


def test_energy_is_conserved():
    system = train(1)[0]
    eom = mb.derive(system)
    energy = eom.function("energy", {"energy": eom.kinetic_energy + eom.potential_energy})

    def rate(t, x):
        return [x[1], eom.forward_dynamics(t, x[:1], x[1:], [], [])[0]]

    run = solve_ivp(rate, (0, 5), [0.3, 12.0], rtol=1e-10, atol=1e-10)
    levels = [float(energy(0, x[:1], x[1:], [], [])) for x in run.y.T]
    kinetic = float(eom.function("T", {"T": eom.kinetic_energy})(0, [0.3], [12.0], [], []))
    assert run.y[0].max() > 4 * pi  # the crank has turned more than twice
    assert np.ptp(levels) < 1e-6 * kinetic


# --- legs ------------------------------------------------------------------------------------------------------------


def platform(legs, joint, axes, *, offset=0.0, posture=1, swapped=False):
    """A body that flies, and legs from the ground to its corners."""
    system = mb.System("stand", gravity=(0, 0, -9.81))
    table, pairs = system.body("table", 10, (0, 0, 0.1), (1, 2, 3)), []
    system.joint("flight", system.world, table, joint)
    first, second, along = axes
    for k in range(legs):
        a = 2 * pi * k / legs
        foot = system.frame(f"foot{k}", (round(cos(a), 3), round(sin(a), 3), 0.1 * k), mb.Rotation.about_z(a))
        yoke, barrel, piston = (
            system.body(f"{n}{k}", 1, (0.2, 0.1, 0.3), (1, 1.1, 1.2)) for n in ("yoke", "barrel", "piston")
        )
        system.joint(f"u{k}", foot, yoke, f"R{first}")
        system.joint(f"v{k}", yoke.frame(f"fork{k}", (offset, 2 * offset, -offset)), barrel, f"R{second}")
        system.joint(f"l{k}", barrel.frame(f"seat{k}", (offset, offset, offset)), piston, f"T{along}")
        corner = table.frame(f"corner{k}", (round(0.5 * cos(a + 0.5), 3), round(0.5 * sin(a + 0.5), 3), 0))
        pairs.append((piston, corner) if swapped else (corner, piston))
        system.loop(mb.Hexapod(*pairs[-1], posture))
    return system, pairs


@pytest.mark.parametrize(
    ("joint", "axes", "options"),
    [
        (CARDAN, "yzx", {}),
        (mb.Free(), "xyz", {"posture": -1, "swapped": True}),
        (CARDAN, "zxz", {}),
        (mb.Free("zyx"), "zyx", {"posture": -1}),
        (CARDAN, "xzy", {"offset": 0.1}),
        (mb.Free(), "yxz", {"offset": -0.07, "posture": -1, "swapped": True}),
    ],
)
def test_a_leg_reaches_its_point(joint, axes, options):
    system, pairs = platform(1, joint, axes, **options)
    model = system.freeze()
    states = closed_states(model, 3)
    apart = np.max([gaps(model.unreduced, *pairs[0], values) for values in states], axis=0)
    assert np.all(apart < [1e-12, 1e-10, 1e-10])
    assert max(differences(model, states)) < 1e-10


def test_a_leg_is_proved_equal_by_all_formalisms():
    assert mb.compare(platform(1, ["Tx", "Ty", "Tz", "Rx"], "yzx")[0], ALL).proved


def test_angles_of_a_leg_as_in_the_pymbs_seed():
    """α = -atan2(z, x), β = asin(y/l), and the length is the distance, for a leg along x with hinges y and z."""
    system = mb.System("leg")
    table, barrel, piston = (system.body(name, 1) for name in ("table", "barrel", "piston"))
    system.joint("p", system.world, table, ["Tx", "Ty", "Tz"])
    hinges = system.joint("u", system.world, barrel, ["Ry", "Rz"])
    length = system.joint("l", barrel, piston, "Tx")
    system.loop(mb.Hexapod(table, piston))
    model = system.freeze()
    x, y, z = 0.3, -0.4, 0.8
    found = [
        evaluate(model.values[q], {"p_tx": x, "p_ty": y, "p_tz": z}) for q in (*hinges.coordinates, length.coordinate)
    ]
    distance = hypot(x, y, z)
    np.testing.assert_allclose(found, [-atan2(z, x), asin(y / distance), distance], rtol=1e-14)


def test_a_hexapod():
    system, pairs = platform(6, mb.Free(), "xyz")
    model = system.freeze()
    assert (len(model.speeds), len(model.unreduced.speeds)) == (6, 24)
    values = closed_states(model, 1)[0]
    apart = np.max([gaps(model.unreduced, *pair, values) for pair in pairs], axis=0)
    assert np.all(apart < [1e-12, 1e-10, 1e-10])
    assert max(differences(model, [values])) < 1e-10


def test_a_leg_with_two_offsets_is_a_constraint():
    system = mb.System("offset")
    table = system.body("table", 10, (0, 0, 0.1), (1, 2, 3))
    yoke, barrel, piston, fork = (
        system.body(n, 1, (0.1, 0, 0), (1, 1, 1)) for n in ("yoke", "barrel", "piston", "fork")
    )
    system.joint("flight", system.world, table, CARDAN, q=(0.1, 0.2, 1, 0, 0, 0))
    system.joint("a", system.world, yoke, "Ry")
    system.joint("b", yoke.frame("yoke_end", (0, 0, 0.1)), barrel, "Rx")
    system.joint("c", barrel, piston, ["Tz", "Rz"], q=(0.8, 0))
    system.joint("d", piston, fork, "Rx")
    system.constraint(mb.HexapodWithOffset(table, fork.frame("fork_end", (0, 0, 0.1)), "y"))
    eom = mb.derive(system)
    assert len(eom.speeds) - rank(eom.B) == 6
    with refused("axis-unknown", "w"):
        mb.HexapodWithOffset(table, fork, "w")


# --- errors ----------------------------------------------------------------------------------------------------------


def arm(*kinds):
    """A chain of joints, its end, and a frame on the world."""
    system, body = mb.System("arm"), None
    for k, kind in enumerate(kinds):
        parent = system.world if body is None else body.frame(f"end{k}", (1, 0, 0))
        body = system.body(f"body{k}", 1, (0.1, 0, 0), (1, 1, 1))
        system.joint(f"joint{k}", parent, body, kind)
    return system, body.frame("tip", (1, 0, 0)), system.frame("goal", (1, 1, 0))


@pytest.mark.parametrize(
    ("kinds", "loop", "code", "names"),
    [
        (["Rz", "Rz"], mb.FourBar, "loop-of-other-kind", ("hinge 'joint1'", "hinge 'joint0'")),
        (["Rz", "Rz", "Tx"], mb.FourBar, "loop-of-other-kind", ("translation 'joint2'",)),
        (["Rz", "Rz", "Rz"], mb.CrankSlider, "loop-of-other-kind", ("CrankSlider",)),
        (["Rz", "Rz", "Tx"], mb.CrankSlider, "loop-of-other-kind", ("CrankSlider",)),
        (["Tx", "Rz", "Rz"], mb.ThreeBarTrans, "loop-of-other-kind", ("ThreeBarTrans",)),
        (["Rz", "Tx", "Rz"], mb.ThreeBarTrans, "loop-of-other-kind", ("3",)),
        (["Rz", "Tx", "Rz"], mb.Steering, "loop-of-other-kind", ("Steering",)),
        (["Rz", "Rz", "Rz"], mb.FourBarTrans, "loop-of-other-kind", ("FourBarTrans",)),
        (["Rz", "Ry", "Rz"], mb.FourBar, "loop-not-planar", ("hinge 'joint1'",)),
        (["Rz", "Rz", "Tz"], mb.ThreeBarTrans, "loop-not-planar", ("translation 'joint2'",)),
        (["Rz", "Rz", mb.Spherical()], mb.FourBar, "loop-not-planar", ("joint 'joint2'",)),
        (["Rz", "Rz", mb.Screw("z", 0.1)], mb.FourBar, "loop-not-planar", ("joint 'joint2'",)),
        (["Tx"], mb.PlanarLoop, "loop-not-planar", ()),
        (
            ["Rz", "Rz", "Rz"],
            mb.PlanarLoop,
            "loop-of-other-kind",
            ("hinge 'joint2'", "hinge 'joint1'", "hinge 'joint0'"),
        ),
        (["Rz", "Rz", "Tx"], mb.Hexapod, "loop-of-other-kind", ("leg",)),
        (["Ry", "Rz", "Tz"], mb.Hexapod, "loop-of-other-kind", ("leg",)),
        (["Rz"], mb.Hexapod, "loop-of-other-kind", ("leg",)),
    ],
)
def test_wrong_shapes_are_named(kinds, loop, code, names):
    system, tip, goal = arm(*kinds)
    system.loop(loop(tip, goal))
    with refused(code, *names) as caught:
        system.freeze()
    assert "'tip'" in caught.value.where
    assert caught.value.remedy


def test_two_translations_or_a_stranger_cannot_be_chosen():
    for kinds, independent, code in (
        (["Tx", "Ty", "Rz"], "joint2", "loop-of-other-kind"),
        (["Rz", "Rz", "Rz"], "other", "coordinate-not-in-loop"),
    ):
        system, tip, goal = arm(*kinds)
        system.joint("other", system.world, system.body("ball", 1), "Tx")
        system.loop(mb.PlanarLoop(tip, goal, independent=system[independent]))
        with refused(code, independent):
            system.freeze()


@pytest.mark.parametrize("loop", [mb.FourBar, mb.PlanarLoop, mb.Hexapod])
def test_a_posture_is_one_or_minus_one(loop):
    _, tip, goal = arm("Rz", "Rz", "Rz")
    with refused("posture-invalid"):
        loop(tip, goal, 0)


# --- the page about loops --------------------------------------------------------------------------------------------


def test_the_code_on_the_page_runs(capsys):
    page = (Path(__file__).resolve().parents[2] / "docs" / "loops.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    for block in blocks:
        exec(compile(block, "loops.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["(a,)", "(a, b, d)", "True"]
    assert lines[3].replace(" ", "") in ("[[0.01+r**2*sin(turn)**2]]", "[[r**2*sin(turn)**2+0.01]]")
