"""Closed loops say the same in every formalism, with every handling of constraints, whichever joint is cut."""

import math
from functools import cache, partial

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.graph import all_same, array, evaluate, is_zero, product

from . import mechanisms
from .mechanisms import values

# formalisms and handling of constraints -----------------------------------------------------------------------------

MECHANISMS = {
    "fourfold_pendulum": (partial(library.fourfold_pendulum, "right"), ["phi3_dot", "phi4_dot"]),
    "spatial_four_bar": (mechanisms.spatial_four_bar_with_ball, ["j2_dot", "universal_r1_dot", "universal_r2_dot"]),
    "andrews": (mechanisms.andrews, ["Theta_dot", "gamma_dot", "Phi_dot", "delta_dot", "Omega_dot", "epsilon_dot"]),
    "bicycle": (mechanisms.bicycle, ["place_tx_dot", "place_ty_dot", "lean_rz_dot", "pitch_dot", "front_dot"]),
}
"""A mechanism, and its dependent speeds for Kane's method."""

FORMALISMS = (mb.Recursive(), mb.NewtonEuler(), mb.Lagrange(), mb.Kane(), mb.ArticulatedBody())
every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


@cache
def start(name):
    """The model, and a configuration with a motion near to its rough start, both assembled."""
    model = MECHANISMS[name][0]().freeze()
    eom = mb.derive(model)
    rng = np.random.default_rng(3)
    guess = [model.start[q] + 0.1 * rng.normal() for q in model.coordinates]
    return model, eom.consistent(guess, rng.normal(size=len(model.speeds)))


def answer(model, state, formalism, handling=None):
    """Accelerations, and generalized forces Bᵀ·λ."""
    eom = mb.derive(model, formalism, constraints=handling)
    forces = product(eom.B.T, array(list(eom.multiplier_values)))
    known = dict(zip((*model.coordinates, *model.speeds), (*state.q, *state.u), strict=True))
    known |= model.parameter_values() | dict.fromkeys(model.input_symbols, 0.0)
    return np.array(evaluate([*eom.acceleration, *forces], known), dtype=float)


@cache
def expected(name):
    return answer(*start(name), mb.Recursive(), mb.Multipliers())


@every_mechanism
def test_the_start_is_assembled(name):
    model, state = start(name)
    eom = mb.derive(model)
    residuals = eom.constraint_residuals(0.0, state.q, state.u, [0.0] * len(eom.inputs), values(eom))
    assert max(np.abs(level).max() for level in residuals) < 1e-9
    assert np.abs(state.q - [model.start[q] for q in model.coordinates]).max() < 0.5


@every_mechanism
@pytest.mark.parametrize("formalism", FORMALISMS, ids=repr)
def test_every_formalism_gives_the_same_numbers(name, formalism):
    """With multipliers, and with independent speeds where there is a mass matrix to work with."""
    model, state = start(name)
    ways = [mb.Multipliers()] if isinstance(formalism, mb.ArticulatedBody) else [mb.Multipliers(), independent(name)]
    for handling in ways:
        same(answer(model, state, formalism, handling), expected(name))


def same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())


def independent(name):
    model, dependent = start(name)[0], MECHANISMS[name][1]
    return mb.IndependentSpeeds(*(u.name for u in model.speeds if u.name not in dependent))


@every_mechanism
def test_kane_with_dependent_speeds(name):
    model, state = start(name)
    same(answer(model, state, mb.Kane(dependent=MECHANISMS[name][1])), expected(name))


@every_mechanism
def test_formalisms_are_proved_equal(name):
    comparison = mb.compare(start(name)[0], FORMALISMS, constraints=mb.Multipliers())
    assert len(comparison.pairs) == 10
    assert comparison.proved


@every_mechanism
def test_multipliers_and_independent_speeds_are_proved_equal(name):
    """As functions of all coordinates and speeds, also of those that do not keep the constraints."""
    model = start(name)[0]
    one, other = (mb.derive(model, constraints=how) for how in (mb.Multipliers(), independent(name)))
    assert all_same(list(one.acceleration), list(other.acceleration), points=2)
    assert all_same(list(one.multiplier_values), list(other.multiplier_values), points=2)


@pytest.mark.parametrize("cut", ["j3", "j4", "j5"])
def test_rings_without_mass(cut):
    """The ball joint of three hinges: M is singular, and only the constraints say how the rings move."""
    with_rings, with_ball = (
        mb.derive(library.spatial_four_bar(cut)),
        mb.derive(mechanisms.spatial_four_bar_with_ball()),
    )
    found = []
    for eom in (with_rings, with_ball):
        state = eom.consistent({"j1": 0.7}, {"j1_dot": 3.0}, fixed=["j1", "j1_dot"])
        accelerations = dict(zip(eom.speeds, eom.forward_dynamics(0.0, state.q, state.u, [], values(eom)), strict=True))
        found.append([value for speed, value in accelerations.items() if speed.name in {"j1_dot", "j2_dot"}])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-11)


# the joint that is cut ----------------------------------------------------------------------------------------------


def by_constraints(system):
    """The system without loops that are solved in closed form."""
    system.recognise_loops = False
    return system


def with_sensors(system):
    """The system with sensors for the forces of every joint in the world's axes, and for every body."""
    for joint in list(system.all(mb.Joint)):
        system.sensor(f"force_{joint.name}", mb.ConstraintForce(joint, expressed_in=system.world))
        system.sensor(f"torque_{joint.name}", mb.ConstraintTorque(joint, expressed_in=system.world))
    for body in (one for one in system.all(mb.Body) if one is not system.world):
        system.sensor(f"place_{body.name}", mb.Position(body))
        system.sensor(f"turned_{body.name}", mb.Orientation(body))
        system.sensor(f"acceleration_{body.name}", mb.Acceleration(body))
        system.sensor(f"spin_up_{body.name}", mb.AngularAcceleration(body))
    return system


def with_states(system):
    """The same, and sensors for the state of every joint."""
    for joint in list(system.all(mb.Joint)):
        system.sensor(f"state_{joint.name}", mb.JointSensor(joint))
    return by_constraints(with_sensors(system))


def whatever_is_cut(build, cuts, q, u):
    """What the sensors say of one state, with each of the joints cut: for each cut a dictionary.

    The first cut assembles the mechanism; the coordinates of all its joints are then read off.
    """
    eom = mb.derive(with_states(build(cuts[0])))
    state = eom.consistent(q, u, fixed=[*q, *u])
    first = measured(eom, state.q, state.u)
    joints = {name.removeprefix("state_"): value for name, value in first.items() if name.startswith("state_")}
    found = [first]
    for cut in cuts[1:]:
        eom = mb.derive(with_states(build(cut)))
        place, speeds = ([joints[one.name][level] for one in eom.coordinates] for level in (0, 1))
        residuals = eom.constraint_residuals(0.0, place, speeds, [], values(eom))
        assert max(np.abs(level).max() for level in residuals) < 1e-9
        found.append(measured(eom, place, speeds))
    return found


def measured(eom, q, u):
    inputs = np.linspace(-50, 50, len(eom.inputs))
    return dict(zip(eom.outputs, eom.sensors(0.0, q, u, inputs, values(eom)), strict=True))


def assert_equal(one, other, kinds):
    """The same numbers for the sensors of some kinds, relative to the largest of all."""
    names = [name for name in one if name.partition("_")[0] in kinds]
    scale = max(np.abs(one[name]).max() for name in names)
    for name in names:
        np.testing.assert_allclose(other[name], one[name], rtol=1e-9, atol=1e-10 * scale, err_msg=name)


MOTION = {"place", "turned", "acceleration", "spin"}
FORCES = {"force", "torque"}


@pytest.mark.parametrize(
    ("build", "cuts", "q"),
    [
        (partial(mechanisms.four_bar, lengths=(2, 1, 2.3, 1.6)), ("q4", "q1", "q2", "q3"), {"q1": 1.1}),
        (library.fourfold_pendulum, ("right", "left", "phi1", "phi3"), {"left": 0.1, "phi1": -0.6}),
        (library.spatial_four_bar, ("j4", "j1", "j2", "rev1", "j5"), {"j1": 1.1}),
    ],
    ids=["four_bar", "fourfold_pendulum", "spatial_four_bar"],
)
def test_motion_and_forces_do_not_depend_on_the_cut(build, cuts, q):
    """All forces and torques through all joints, cut or not; in the plane the redundant ones are zero."""
    first, *others = whatever_is_cut(build, cuts, q, {f"{next(iter(q))}_dot": 1.7})
    assert max(np.abs(first[name]).max() for name in first if name.startswith("force")) > 1
    for other in others:
        assert_equal(first, other, MOTION | FORCES)


@pytest.mark.parametrize(
    ("build", "cuts"),
    [
        (mechanisms.bennett, ("theta4", "theta3", "theta1")),
        (mechanisms.bricard, ("theta6", "theta3", "theta1")),
    ],
    ids=["bennett", "bricard"],
)
def test_motion_of_overconstrained_linkages_does_not_depend_on_the_cut(build, cuts):
    """Forces do: they are statically indeterminate."""
    first, *others = whatever_is_cut(build, cuts, {"theta1": 1.2}, {"theta1_dot": 2.0})
    for other in others:
        assert_equal(first, other, MOTION)


@pytest.mark.parametrize(
    "build",
    [partial(mechanisms.four_bar, lengths=(2, 1, 2.3, 1.6)), mechanisms.stewart_platform],
    ids=["four_bar", "stewart_platform"],
)
def test_loops_solved_in_closed_form_say_the_same(build):
    """Motion and all forces, by the independent coordinates alone, and by constraints."""
    solved, constrained = mb.derive(with_sensors(build())), mb.derive(by_constraints(with_sensors(build())))
    assert len(constrained.speeds) - len(constrained.constraints.independent) == len(solved.speeds)
    rng = np.random.default_rng(5)
    state = solved.consistent([solved.model.start[q] + 0.05 * rng.normal() for q in solved.coordinates])
    q, u = ({one.name: v for one, v in zip(symbols, values, strict=True)} for symbols, values in (
        (solved.coordinates, state.q), (solved.speeds, rng.normal(size=len(solved.speeds)))
    ))  # fmt: skip
    full = constrained.consistent(q, u, fixed=[*q, *u])
    one, other = measured(solved, list(q.values()), list(u.values())), measured(constrained, full.q, full.u)
    assert_equal(one, other, MOTION | FORCES)


def test_forces_balance_on_the_coupler():
    """Newton by hand for the coupler of the spatial four-bar: m·(a - g) is what its two joints bring."""
    system = mechanisms.spatial_four_bar_with_ball()
    coupler = system["b3"]
    middle = coupler.frame("middle", (-0.5, 0.15, 0.05))
    system.sensor("acceleration", mb.Acceleration(middle))
    for name in ("ball", "universal"):
        system.sensor(name + "_force", mb.ConstraintForce(system[name], expressed_in=system.world))
    eom = mb.derive(system)
    state = eom.consistent({"j1": 0.9}, {"j1_dot": 4.0}, fixed=["j1", "j1_dot"])
    found = eom.sensors(0.0, state.q, state.u, [], values(eom))
    needed = evaluate(coupler.mass, eom.model.parameter_values()) * (found.acceleration + np.array([0, 9.80665, 0]))
    np.testing.assert_allclose(found.ball_force + found.universal_force, needed, rtol=1e-11)


# redundant equations ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "speeds", "equations", "redundant"),
    [
        (mechanisms.four_bar, 3, 5, 3),
        (mechanisms.bennett, 3, 5, 3),
        (mechanisms.bricard, 5, 5, 1),
        (mechanisms.peaucellier, 7, 15, 9),
        (mechanisms.andrews, 7, 15, 9),
        (library.spatial_four_bar, 6, 5, 0),
    ],
    ids=["four_bar", "bennett", "bricard", "peaucellier", "andrews", "spatial_four_bar"],
)
def test_mobility_one(build, speeds, equations, redundant):
    eom = mb.derive(build())
    constraints = eom.constraints
    assert (len(eom.speeds), len(constraints), len(constraints.redundant)) == (speeds, equations, redundant)
    assert len(eom.speeds) - len(constraints.independent) == 1
    assert set(constraints.redundant) | {constraints.names[k] for k in constraints.independent} == set(
        constraints.names
    )


def test_redundant_equations_are_kept_too():
    """All five equations of the hinge that closes Bennett's linkage hold, and share the smallest force that does it.

    Forces and torques are measured by the mean effective mass of their unit, so that the result has no unit of length.
    """
    eom = mb.derive(mechanisms.bennett())
    state = eom.consistent(u={"theta1_dot": 1.0}, fixed=["theta1_dot"])
    at = 0.0, state.q, state.u, [], []
    for level in eom.constraint_residuals(*at):
        np.testing.assert_allclose(level, 0, atol=1e-9)
    forms = eom.function("forms", {"M": eom.M, "rest": eom.h - eom.f, "B": eom.B, "gamma": eom.gamma})(*at)
    effect = np.linalg.solve(forms.M, forms.B.T)
    free = np.linalg.solve(forms.M, -forms.rest)
    S = forms.B @ effect
    torques = np.array([name.split("_")[1].startswith("t") for name in eom.constraints.names])
    scale = np.sqrt([np.diag(S)[torques == one].mean() for one in torques])
    weighted = np.linalg.pinv(S / np.outer(scale, scale), rcond=1e-8)
    forces = weighted @ (-(forms.gamma + forms.B @ free) / scale) / scale
    np.testing.assert_allclose(eom.constraint_forces(*at), forces, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(eom.forward_dynamics(*at), free + effect @ forces, rtol=1e-9)


def test_equations_that_are_rounding_hold_nothing():
    """A block on a rail, and a floor along the rail whose frame was placed by way of another one: off by 1e-16."""
    for seed in range(3):
        R, Q = (mb.Rotation.exp(v).to_array() for v in np.random.default_rng(seed).normal(size=(2, 3)))
        system = mb.System("rail", gravity=R @ (2.0, 1.0, 3.0))
        block = system.body("block", 1.0, inertia=(1, 1, 1))
        system.joint("x", system.frame("rail", rotation=R), block, "Tx")
        floor = system.frame("turned", rotation=Q).frame("floor", rotation=Q.T @ R)
        system.constraint(mb.PointOnPlane(floor, block), name="on")
        eom = mb.derive(system)
        assert eom.constraints.redundant == ("on",)
        assert eom.forward_dynamics(0.0, [0.1], [0.0], [], []) == pytest.approx([2.0])


def test_a_slider_crank_turned_in_space_moves_though_its_rail_is_rounded():
    """The hinges are across the rail up to 1e-16; what is left of the equation along them must not stop the slider."""
    R, Q = (mb.Rotation.exp(v).to_array() for v in np.random.default_rng(5).normal(size=(2, 3)))
    system = mb.System("engine", gravity=R @ (0.0, -9.81, 0.0))
    crank, rod = (system.body(name, 1.0, (0.1, 0, 0), (1, 1, 1)) for name in ("crank", "rod"))
    piston = system.body("piston", 1.0)
    system.joint("turn", system.frame("A", rotation=R), crank, "Rz", q=0.5)
    system.joint("knee", crank.frame("B", (0.3, 0, 0)), rod, "Rz", q=-0.8)
    system.joint("stroke", system.frame("D1", rotation=Q).frame("D", rotation=Q.T @ R), piston, "Tx", q=1.0)
    system.joint("pin", rod.frame("C", (1.0, 0, 0)), piston, "Rz", cut=True)
    closed = mb.derive(system)
    eom = mb.derive(system, constraints=mb.Multipliers())
    state = eom.consistent(q={"turn": 0.5}, u={"turn_dot": 1.0}, fixed=["turn", "turn_dot"])
    found = eom.forward_dynamics(0.0, state.q, state.u, [], [])[list(eom.speeds).index(system["turn"].speed)]
    assert found == pytest.approx(*closed.forward_dynamics(0.0, [0.5], [1.0], [], []), rel=1e-9)


def test_a_door_with_three_hinges():
    system = mb.System("door", gravity=(0, 0, -9.81))
    door = system.body("door", 20, (0.4, 0, 1), (3, 4, 1))
    for k in range(3):
        system.joint(f"hinge{k}", system.frame(f"post{k}", (0, 0, k)), door.frame(f"edge{k}", (0, 0, k)), "Rz", u=1.0)
    eom = mb.derive(system)
    assert len(eom.speeds) == 1
    assert len(eom.constraints.redundant) == 10
    assert is_zero(eom.acceleration[0])


@pytest.mark.parametrize("quarter", [1.5708, 1.57])
def test_rounded_rotations_do_not_hide_redundancy(quarter):
    """A four-bar that swings about y of frames that are turned by about a quarter: as the one about z."""
    rounded = four_bar_about_y(quarter)
    exact = four_bar_about_y(mb.pi / 2)
    for eom in (rounded, exact):
        assert eom.constraints.redundant == ("q4_fy", "q4_tx", "q4_tz")
    one, other = (eom.consistent({"q1": 1.0}, fixed=["q1"]) for eom in (rounded, exact))
    np.testing.assert_allclose(one.q, other.q, rtol=1e-12)
    gravity = math.sin(float(quarter)) * 9.81 if quarter != math.pi / 2 else 9.81
    found, expected = (e.forward_dynamics(0.0, s.q, s.u, [], []) for e, s in ((rounded, one), (exact, other)))
    np.testing.assert_allclose(found, expected * gravity / 9.81, rtol=1e-9)


def four_bar_about_y(quarter):
    """Bars of 1, 2 and 1.6 m on pivots 2 m apart."""
    system = mb.System("rounded", gravity=(0, -9.81, 0))
    turn = mb.Rotation.about_x(quarter)
    end = system.frame("left", rotation=turn)
    for k, (length, start) in enumerate(((1.0, 1.0), (2.0, -1.0), (1.6, -1.0)), 1):
        bar = system.body(f"bar{k}", 1.0, (length / 2, 0, 0), (0.1, 0.1, 0.1))
        system.joint(f"q{k}", end, bar, "Ry", q=start)
        end = bar.frame(f"end{k}", (length, 0, 0))
    system.joint("q4", end, system.frame("right", (2, 0, 0), turn), "Ry", cut=True)
    return mb.derive(system)


# what cannot be ------------------------------------------------------------------------------------------------------


def crank(**options):
    system = mb.System("crank", gravity=(0, -9.81, 0))
    joint = system.joint("angle", system.world, system.body("arm", 1, (1, 0, 0), (1, 1, 1)), "Rz", **options)
    return system, joint


def test_a_loop_that_cannot_close_is_named():
    """Bars of 1, 2 and 1 m do not reach over 5 m."""
    system = mechanisms.four_bar("q4", lengths=(5, 1, 2, 1))
    with refused("loop-cannot-close", "q4") as caught:
        mb.derive(system).consistent()
    assert "q1=" in caught.value.remedy


def test_coordinates_that_do_not_allow_it_are_named():
    eom = mb.derive(by_constraints(mechanisms.four_bar("q4", lengths=(2, 1, 2.3, 1.6))))
    with refused("loop-cannot-close", "q4") as caught:
        eom.consistent({"q1": 1.0, "q2": 1.0}, fixed=["q1", "q2"])
    assert "q1, q2" in caught.value.cause
    with refused("speeds-cannot-keep-constraints") as caught:
        eom.consistent(u={"q1_dot": 1.0, "q2_dot": 5.0}, fixed=["q1_dot", "q2_dot"])
    assert "q1_dot, q2_dot" in caught.value.cause


def test_motions_that_contradict_each_other_are_named():
    system, joint = crank()
    system.constraint(joint.coordinate - 0.3 * system.time, name="slow")
    system.constraint(joint.coordinate - 0.4 * system.time, name="fast")
    with refused("constraints-contradict"):
        mb.derive(system)


def test_places_that_contradict_each_other_are_named():
    system, joint = crank()
    system.constraint(joint.coordinate - 0.3, name="low")
    system.constraint(joint.coordinate - 0.4, name="high")
    with refused("loop-cannot-close", "low", "high"):
        mb.derive(system).consistent()


def test_a_constraint_that_nothing_can_keep_is_named():
    system, _ = crank()
    system.constraint(system.world, system["arm"].frame("above", (0, 0, 0.1)), translation="z", name="lift")
    with refused("constraint-cannot-hold"):
        mb.derive(system)


# hard cases ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "build",
    [
        lambda: by_constraints(mechanisms.four_bar("q1", lengths=(2, 1, 2.3, 1.6))),
        partial(mechanisms.n_four_bar, 3),
        mechanisms.spatial_four_bar_with_ball,
        partial(mechanisms.bennett, "theta1"),
    ],
    ids=["four_bar", "n_four_bar", "spatial_four_bar", "bennett"],
)
def test_kane_chooses_speeds_that_work_at_the_start(build):
    model = build().freeze()
    state = mb.derive(model).consistent(u=np.linspace(0.5, 1.5, len(model.speeds)))
    same(answer(model, state, mb.Kane()), answer(model, state, mb.Recursive(), mb.Multipliers()))


def test_a_ring_without_mass_at_the_tip_of_a_tree():
    """The forces through the spatial four-bar, cut where one more of its rings hangs free."""
    first, other = whatever_is_cut(library.spatial_four_bar, ("j4", "rev"), {"j1": 1.1}, {"j1_dot": 1.7})
    assert_equal(first, other, MOTION | FORCES)


def test_a_body_on_two_hinges_stands_still():
    system, _ = crank()
    system.joint("second", system.frame("post", (1, 0, 0)), system["arm"].frame("tip", (1, 0, 0)), "Rz", cut=True)
    eom = mb.derive(system)
    assert len(eom.constraints.independent) == 1
    assert eom.forward_dynamics(0.0, [0.0], [0.0], [], [])[0] == pytest.approx(0, abs=1e-12)


def test_a_beam_on_three_cranks():
    """By hand, with cranks of 1 kg and a beam of 3 kg: (3·1/3 + 3)·θ'' = -(3·1/2 + 3)·g·cos θ."""
    eom = mb.derive(mechanisms.three_cranks())
    assert len(eom.speeds) - len(eom.constraints.independent) == 1
    state = eom.consistent()
    found = dict(zip(eom.speeds, eom.forward_dynamics(0.0, state.q, state.u, [], []), strict=True))
    cranks = [value for speed, value in found.items() if speed.name.startswith("q")]
    np.testing.assert_allclose(cranks, -4.5 / 4 * 9.81 * np.cos(1.0), rtol=1e-9)


@pytest.mark.parametrize("kind", ["Tx", "Rz", mb.Weld()], ids=repr)
def test_a_joint_is_not_assembled_the_wrong_way_round(kind):
    system = mb.System("held")
    body = system.body("body", 1, (0.1, 0, 0), (1, 1, 1))
    system.joint("flight", system.world, body, mb.Free("zyx"), q=(0.1, 0.2, 0.3, 0.5, 0.4, 2.6), cut=False)
    system.joint("closing", system.world, body, kind, cut=True)
    system.sensor("R", mb.Orientation(body))
    eom = mb.derive(system)
    state = eom.consistent()
    assert eom.sensors(0.0, state.q, state.u, [], [])[2, 2] == pytest.approx(1)


def test_a_formalism_that_cannot_is_part_of_the_comparison():
    comparison = mb.compare(library.spatial_four_bar(), [mb.Recursive(), mb.ArticulatedBody()])
    assert "j5" in comparison.derivations[1].refusal


def test_two_joints_that_move_with_one_and_the_same_speed():
    """The fingers of a gripper: b = a, so that both axes have the speed of a. By hand, 4 ü = F."""
    gripper = mb.System("gripper", gravity=(0, 0, 0))
    a = gripper.joint("a", gripper.world, gripper.body("left", 1), "Tx")
    b = gripper.joint("b", gripper.world, gripper.body("right", 3), "Ty")
    gripper.loop(mb.ExpJoint(b, a.coordinate), "follow")
    force = gripper.input("F")
    gripper.load(mb.JointLoad(b, force))
    assert all_same([*mb.derive(gripper).acceleration], [force / 4])
    assert mb.compare(gripper).agree
    with refused("formalism-not-applicable"):
        mb.derive(gripper, mb.ArticulatedBody())
