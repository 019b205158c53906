"""Models of SymPy that contradict themselves, assumptions on symbols, and rank without values."""

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from tests.refusal import refused

import multibody as mb
from multibody.compat.sympy import from_sympy, to_sympy
from multibody.linearization import linearize_symbolic

from .sympy_numbers import our_rates

t = me.dynamicsymbols._t
m, l, g, J = sm.symbols("m l g J")
VALUES = {"m": 2.0, "l": 0.8, "g": 9.81, "J": 0.3}


# angular velocities that were said -----------------------------------------------------------------------------------


def pendulum(turning, *, orient=lambda N, A, q: A.orient_axis(N, q, N.z), kinematic=None, particle=False):
    """A bar on a pivot, whose frame turns as ``turning(N, A, u)`` says."""
    q, u = me.dynamicsymbols("q u")
    N, A, O = me.ReferenceFrame("N"), me.ReferenceFrame("A"), me.Point("O")
    orient(N, A, q)
    said = turning(N, A, u)
    if said is not None:
        A.set_ang_vel(N, said)
    O.set_vel(N, 0)
    P = O.locatenew("P", l * A.x)
    P.v2pt_theory(O, N, A)
    body = me.Particle("bob", P, m) if particle else me.RigidBody("bar", P, A, m, (me.inertia(A, 0, 0, J), P))
    kd = [q.diff(t) - u] if kinematic is None else [kinematic(q, u)]
    return me.KanesMethod(N, [q], [u], kd, bodies=[body], forcelist=[(P, m * g * N.x)])


def swinging(moving, *, place=None, kinematic=None):
    """A particle on a rod, whose velocity is set as ``moving(N, A, q, u)`` says."""
    q, u = me.dynamicsymbols("q u")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    A = N.orientnew("A", "Axis", (q, N.z))
    O.set_vel(N, 0)
    P = O.locatenew("P", l * A.x if place is None else place(N, A, q))
    P.set_vel(N, moving(N, A, q, u))
    kd = [q.diff(t) - u if kinematic is None else kinematic(q, u)]
    return me.KanesMethod(N, [q], [u], kd, bodies=[me.Particle("bob", P, m)], forcelist=[(P, m * g * N.x)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"moving": lambda N, A, q, u: 2 * l * u * A.y},
        {"moving": lambda N, A, q, u: l * u * N.y},
        {"moving": lambda N, A, q, u: l * u * A.y + A.x},
        {"moving": lambda N, A, q, u: l * u * A.y, "kinematic": lambda q, u: q.diff(t) - 3 * u},
        {"moving": lambda N, A, q, u: l * u * A.y, "place": lambda N, A, q: l * A.x + q * N.z},
    ],
    ids=["factor", "direction", "offset", "kinematics", "place"],
)
def test_a_velocity_that_contradicts_the_position_is_refused(wrong):
    with refused("velocity-contradicts-position", "P", "O"):
        from_sympy(swinging(**wrong))


@pytest.mark.parametrize(
    "right",
    [
        {"moving": lambda N, A, q, u: l * u * A.y},
        {"moving": lambda N, A, q, u: l * u * (sm.cos(q) * N.y - sm.sin(q) * N.x)},
        {"moving": lambda N, A, q, u: l * u * A.y + u * N.z, "place": lambda N, A, q: l * A.x + q * N.z},
        {"moving": lambda N, A, q, u: 2 * l * u * A.y, "kinematic": lambda q, u: q.diff(t) - 2 * u},
    ],
)
def test_velocities_that_follow_from_positions_may_be_set(right):
    assert from_sympy(swinging(**right)).acceleration


def test_a_wheel_that_is_placed_from_its_contact_is_no_contradiction():
    """The contact has no velocity, and the place of the center from it does not turn with the wheel."""
    q, u, r = *me.dynamicsymbols("q u"), sm.Symbol("r")
    N, C = me.ReferenceFrame("N"), me.Point("C")
    R = N.orientnew("R", "Axis", (q, N.y))
    C.set_vel(N, 0)
    center = C.locatenew("center", r * N.z)
    center.v2pt_theory(C, N, R)
    wheel = me.RigidBody("wheel", center, R, m, (me.inertia(R, J, J, J), center))
    eom = from_sympy(me.KanesMethod(N, [q], [u], [q.diff(t) - u], bodies=[wheel], forcelist=[(R, g * N.y)]))
    values = {"m": 2.0, "r": 0.5, "g": 3.0, "J": 0.3}
    p = [values[one.name] for one in eom.parameters]
    assert eom.forward_dynamics(0, [0.2], [0.1], [], p) == pytest.approx([3.0 / (0.3 + 2.0 * 0.5**2)])


def expected_rate(q, extra):
    """J·q̈ = -m·g·l·sin q about the pivot."""
    return -2.0 * 9.81 * 0.8 * np.sin(q) / (2.0 * 0.8**2 + extra)


@pytest.mark.parametrize("particle", [False, True])
def test_an_angular_velocity_that_contradicts_the_orientation_is_refused(particle):
    with refused("angular-velocity-contradicts-orientation", "A", "N") as caught:
        from_sympy(pendulum(lambda N, A, u: 2 * u * N.z, particle=particle))
    assert "(0, 0, 2*u)" in caught.value.cause
    assert "(0, 0, u)" in caught.value.cause


@pytest.mark.parametrize(
    "wrong",
    [
        {"turning": lambda N, A, u: -u * N.z},
        {"turning": lambda N, A, u: u * N.x},
        {"turning": lambda N, A, u: u * N.z, "kinematic": lambda q, u: q.diff(t) - 3 * u},
        {"turning": lambda N, A, u: (u + 0.01) * N.z},
        {"turning": lambda N, A, u: u * A.z, "orient": lambda N, A, q: A.orient_axis(N, q**2, N.z)},
        {"turning": lambda N, A, u: u * A.y, "orient": lambda N, A, q: A.orient_body_fixed(N, (q, 1, q), "ZXZ")},
        {"turning": lambda N, A, u: 0 * N.z},
    ],
    ids=["sign", "axis", "kinematics", "offset", "angle", "body", "none"],
)
def test_every_kind_of_contradiction_is_refused(wrong):
    with refused("angular-velocity-contradicts-orientation"):
        from_sympy(pendulum(**wrong))


@pytest.mark.parametrize(
    ("turning", "kinematic"),
    [
        (lambda N, A, u: None, None),
        (lambda N, A, u: u * N.z, None),
        (lambda N, A, u: u * A.z, None),
        (lambda N, A, u: 2 * u * N.z, lambda q, u: q.diff(t) - 2 * u),
        (lambda N, A, u: u / (1 + A.x.dot(N.x) ** 2) * N.z, lambda q, u: q.diff(t) * (1 + sm.cos(q) ** 2) - u),
    ],
)
@pytest.mark.parametrize("particle", [False, True])
def test_an_angular_velocity_that_is_the_rate_of_the_orientation_changes_nothing(turning, kinematic, particle):
    eom = from_sympy(pendulum(turning, kinematic=kinematic, particle=particle))
    q, u = eom.coordinates[0], eom.speeds[0]
    values = {**VALUES, "q": 0.7, "u": 0.0}
    known = {one: values[one.name] for one in (q, u, *eom.parameters)}
    acceleration = mb.graph.evaluate(mb.graph.time_derivative(eom.rates[0], {q: 0, u: eom.acceleration[0]}), known)
    assert acceleration == pytest.approx(expected_rate(0.7, 0.0 if particle else 0.3), rel=1e-12)


def spinning(factor):
    """A body with a quaternion; its angular velocity is in its own axes."""
    e, u = me.dynamicsymbols("e0:4"), me.dynamicsymbols("u1:4")
    N, A, O = me.ReferenceFrame("N"), me.ReferenceFrame("A"), me.Point("O")
    A.orient_quaternion(N, e)
    A.set_ang_vel(N, u[0] * A.x + u[1] * A.y + u[2] * A.z)
    O.set_vel(N, 0)
    x, y, z = u
    half = [-e[1] * x - e[2] * y - e[3] * z, e[0] * x + e[2] * z - e[3] * y]
    half += [e[0] * y - e[1] * z + e[3] * x, e[0] * z + e[1] * y - e[2] * x]
    kd = [one.diff(t) - factor * rate / 2 for one, rate in zip(e, half, strict=True)]
    body = me.RigidBody("body", O, A, m, (me.inertia(A, 1, 2, 3), O))
    return me.KanesMethod(N, list(e), list(u), kd, bodies=[body], forcelist=[])


def test_quaternions_need_agree_only_where_they_have_unit_length():
    eom = from_sympy(spinning(1))
    x, y, z = 0.4, -0.3, 0.2
    euler = [(2 - 3) * y * z / 1, (3 - 1) * z * x / 2, (1 - 2) * x * y / 3]
    assert our_rates(eom, [1, 0, 0, 0], [x, y, z]) == pytest.approx([0, x / 2, y / 2, z / 2, *euler])
    with refused("angular-velocity-contradicts-orientation"):
        from_sympy(spinning(2))


def geared(ratio):
    """Two wheels on one belt: the second turns as the first does, by a velocity constraint."""
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    r = sm.Symbol("r")
    N, A, B, O = (*map(me.ReferenceFrame, "NAB"), me.Point("O"))
    A.orient_axis(N, q1, N.z)
    B.orient_axis(N, q2, N.z)
    A.set_ang_vel(N, u1 * N.z)
    B.set_ang_vel(N, ratio * r * u1 * N.z)
    O.set_vel(N, 0)
    bodies = [me.RigidBody(str(one), O, one, m, (me.inertia(one, 0, 0, J), O)) for one in (A, B)]
    return me.KanesMethod(
        N, [q1, q2], [u1], [q1.diff(t) - u1, q2.diff(t) - u2], u_dependent=[u2], velocity_constraints=[u2 - r * u1],
        bodies=bodies, forcelist=[(A, 3 * N.z)],
    )  # fmt: skip


def test_rates_need_agree_only_where_constraints_are_kept():
    eom = from_sympy(geared(1), parameters={"r": 2.0, "J": 0.3})
    assert our_rates(eom, [0, 0], [0.5, 1.0])[2:] == pytest.approx([3 / (0.3 * 5), 2 * 3 / (0.3 * 5)])
    with refused("angular-velocity-contradicts-orientation", "B"):
        from_sympy(geared(-1))


def test_a_joint_of_a_system_whose_frame_was_turned_afterwards():
    q, u = me.dynamicsymbols("q u")
    ground, bar = me.RigidBody("ground"), me.RigidBody("bar")
    system = me.System.from_newtonian(ground)
    joint = me.PinJoint("pin", ground, bar, q, u, joint_axis=ground.z)
    system.add_joints(joint)
    assert len(from_sympy(system).speeds) == 1
    joint.child_interframe.set_ang_vel(joint.parent_interframe, 2 * u * ground.z)
    with refused("angular-velocity-contradicts-orientation"):
        from_sympy(system)


def test_frames_of_other_models_do_not_count_and_directions_of_forces_bring_no_rates():
    q, u, d = me.dynamicsymbols("q u d")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    stranger = N.orientnew("S", "Axis", [me.dynamicsymbols("s"), N.x])
    stranger.set_ang_vel(N, 5 * N.x)
    nozzle = N.orientnew("T", "Axis", [d, N.z])
    P = O.locatenew("P", q * N.x)
    P.set_vel(N, u * N.x)
    method = me.KanesMethod(
        N, [q], [u], [q.diff(t) - u], bodies=[me.Particle("P", P, m)], forcelist=[(P, 4 * nozzle.x)]
    )
    eom = from_sympy(method, parameters={m: 2.0})
    assert [one.name for one in eom.inputs] == ["d"]
    assert our_rates(eom, [0.0], [1.0], [np.pi / 3]) == pytest.approx([1.0, 1.0])


# assumptions ---------------------------------------------------------------------------------------------------------


def cartesian(method, **assumption):
    """The manual's nonminimal pendulum, with the length itself and not its square."""
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    L, mass, weight = sm.symbols("L m g", **assumption)
    N, O, P = me.ReferenceFrame("N"), me.Point("O"), me.Point("P")
    O.set_vel(N, 0)
    P.set_pos(O, q1 * N.x + q2 * N.y)
    P.set_vel(N, q1.diff(t) * N.x + q2.diff(t) * N.y)
    body, loads, length = me.Particle("pP", P, mass), [(P, mass * weight * N.x)], sm.sqrt(q1**2 + q2**2) - L
    if method is me.LagrangesMethod:
        lagrangian = me.Lagrangian(N, body)
        return L, method(lagrangian, [q1, q2], hol_coneqs=[length], forcelist=loads, frame=N)
    P.set_vel(N, u1 * N.x + u2 * N.y)
    return L, method(
        N, q_ind=[q2], u_ind=[u2], q_dependent=[q1], u_dependent=[u1], kd_eqs=[q1.diff(t) - u1, q2.diff(t) - u2],
        configuration_constraints=[length], velocity_constraints=[(q1 * u1 + q2 * u2) / sm.sqrt(q1**2 + q2**2)],
        bodies=[body], forcelist=loads,
    )  # fmt: skip


@pytest.mark.parametrize("method", [me.KanesMethod, me.LagrangesMethod])
@pytest.mark.parametrize("place", [(1, 0), (sm.Rational(3, 5), sm.Rational(4, 5))], ids=["below", "beside"])
def test_a_pendulum_with_a_root_in_its_constraint_is_linearized(method, place):
    """A = [[0, 1], [-g/L, 0]] below the pivot, as in SymPy's manual; beside it, the constraint is kept as well."""
    L, written = cartesian(method, positive=True)
    eom = from_sympy(written)
    q1, q2 = me.dynamicsymbols("q1 q2")
    lin = linearize_symbolic(eom, eom.named({q1: place[0] * L, q2: place[1] * L}), independent=["q2"])
    if place[1] == 0:
        assert str(lin.readable().A.tolist()) == "[[0, 1], [-g/L, 0]]"
    numbers = {"L": 1.5, "m": 2.0, "g": 9.81}
    at = {"q1": 1.5 * float(place[0]), "q2": 1.5 * float(place[1])}
    by_numbers = mb.linearize(eom, at, parameters=numbers, independent=["q2"])
    np.testing.assert_allclose(lin.at(**numbers).A, by_numbers.A, rtol=1e-12, atol=1e-12)


def test_assumptions_come_back():
    _, written = cartesian(me.LagrangesMethod, positive=True)
    eom = from_sympy(written)
    back = from_sympy(to_sympy(eom))
    assert {one.name: sign for one, sign in back.model.signs.items()} == dict.fromkeys(("L", "m", "g"), "positive")


def test_without_the_assumption_the_length_might_be_negative():
    L, written = cartesian(me.LagrangesMethod)
    eom = from_sympy(written)
    with refused("values-break-constraints") as caught:
        linearize_symbolic(eom, {"q1": eom.symbols[L], "q2": 0})
    assert "positive=True" in caught.value.remedy


@pytest.mark.parametrize(
    ("assumption", "wrong", "right"),
    [("positive", 0.0, 1.0), ("negative", 1.0, -1.0), ("nonnegative", -1.0, 0.0), ("nonpositive", 1.0, 0.0),
     ("nonzero", 0.0, -2.0)],
)  # fmt: skip
def test_numbers_must_agree_with_assumptions(assumption, wrong, right, tmp_path):
    q, u = me.dynamicsymbols("q u")
    k = sm.Symbol("k", **{assumption: True})
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, u * N.x)
    body = me.Particle("body", P, 2)
    method = me.KanesMethod(N, [q], [u], [q.diff(t) - u], bodies=[body], forcelist=[(P, k * N.x)])
    with refused("assumption-violated", f"{assumption}=True") as caught:
        from_sympy(method, parameters={k: wrong})
    assert caught.value.fields == {"name": "k", "value": wrong}
    eom = from_sympy(method, parameters={k: right})
    assert mb.simulate(eom, 1.0)["u"][-1] == pytest.approx(right / 2, abs=1e-9)
    for use in (
        lambda: mb.simulate(eom, 1.0, parameters={"k": wrong}),
        lambda: mb.linearize(eom, parameters={"k": wrong}),
        lambda: linearize_symbolic(eom, parameters={"k": wrong}),
        lambda: mb.export(eom, mb.C(), tmp_path, parameters={"k": wrong}),
    ):
        with refused("assumption-violated"):
            use()


def test_start_values_must_agree_with_assumptions_and_imaginary_symbols_are_refused():
    x, v = me.dynamicsymbols("x", positive=True), me.dynamicsymbols("v")
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, v * N.x)
    body = me.Particle("body", P, 2)
    method = lambda k: me.KanesMethod(N, [x], [v], [x.diff(t) - v], bodies=[body], forcelist=[(P, k / x * N.x)])  # noqa: E731
    assert from_sympy(method(sm.Symbol("k")), start={x: 1.0}).model.start
    with refused("assumption-violated", "x"):
        from_sympy(method(sm.Symbol("k")), start={x: -1.0})
    with refused("symbol-not-real"):
        from_sympy(method(sm.Symbol("k", imaginary=True)))


# rank without values -------------------------------------------------------------------------------------------------


def parallel_cranks(count, crank, distance):
    """A coupler on parallel cranks of one length: each crank after the second brings an equation that says nothing."""
    angles, (x, y, p) = me.dynamicsymbols(f"q1:{count + 1}"), me.dynamicsymbols("x y p")
    N, O, G = me.ReferenceFrame("N"), me.Point("O"), me.Point("G")
    O.set_vel(N, 0)
    C = N.orientnew("C", "Axis", [p, N.z])
    G.set_pos(O, x * N.x + y * N.y)
    G.set_vel(N, x.diff(t) * N.x + y.diff(t) * N.y)
    bodies, gaps = [me.RigidBody("coupler", G, C, m, (me.inertia(C, 0, 0, J), G))], []
    for k, angle in enumerate(angles):
        A = N.orientnew(f"A{k}", "Axis", [angle, N.z])
        foot = O.locatenew(f"F{k}", k * distance * N.x)
        foot.set_vel(N, 0)
        centre = foot.locatenew(f"S{k}", crank / 2 * A.x)
        centre.v2pt_theory(foot, N, A)
        bodies.append(me.RigidBody(f"crank{k}", centre, A, m, (me.inertia(A, 0, 0, J), centre)))
        gap = foot.pos_from(O) + crank * A.x - G.pos_from(O) - k * distance * C.x
        gaps += [gap.dot(N.x), gap.dot(N.y)]
    return me.LagrangesMethod(me.Lagrangian(N, *bodies), [*angles, x, y, p], hol_coneqs=gaps)


a, d = sm.symbols("a d")


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("lengths", [(a, d), (a, sm.Integer(20)), (a, 20 * d)], ids=["symbols", "number", "long"])
@pytest.mark.parametrize("angle", [0.0, 1.0], ids=["folded", "upright"])
def test_the_rank_is_right_without_values(count, lengths, angle):
    """A parallelogram has one freedom: of 3 + count coordinates, count + 2 follow."""
    start = {f"q{k + 1}": angle for k in range(count)} if angle else {}
    eom = from_sympy(parallel_cranks(count, *lengths), start=start)
    assert len(eom.constraints.independent) == count + 2


def test_values_of_the_geometry_alone_are_enough_for_the_rank():
    """Masses have no values, and no part in it: the start is taken as it is."""
    values, start = {a: 0.4, d: 1.0}, {"x": 0.4 * np.cos(1.0), "y": 0.4 * np.sin(1.0)}
    eom = from_sympy(parallel_cranks(3, a, d), parameters=values, start={**start, **{f"q{k}": 1.0 for k in (1, 2, 3)}})
    assert len(eom.constraints.independent) == 5


# accelerations that were set -----------------------------------------------------------------------------------------

SET_ACCELERATIONS = {
    "of the point": lambda N, A, P, u, du, l: P.set_acc(N, l * du * A.y - l * u**2 * A.x),
    "of the point, half of what the speed's rate does": lambda N, A, P, u, du, l: P.set_acc(
        N, l * du * A.y / 2 - l * u**2 * A.x
    ),
    "of the point, no centripetal part": lambda N, A, P, u, du, l: P.set_acc(N, l * du * A.y),
    "of the frame": lambda N, A, P, u, du, l: A.set_ang_acc(N, du * N.z),
    "of the frame, three times": lambda N, A, P, u, du, l: A.set_ang_acc(N, 3 * du * N.z),
    "of the frame, about another axis": lambda N, A, P, u, du, l: A.set_ang_acc(N, du * N.x),
    "of the frame, with a square": lambda N, A, P, u, du, l: A.set_ang_acc(N, (du + u**2) * N.z),
}


@pytest.mark.parametrize("name", SET_ACCELERATIONS)
def test_accelerations_must_be_the_rates_of_velocities_with_all_their_terms(name):
    q, u = me.dynamicsymbols("q u")
    m, g, l = sm.symbols("m g l")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    pivot = me.Point("O")
    pivot.set_vel(N, 0)
    end = pivot.locatenew("P", l * A.x)
    end.v2pt_theory(pivot, N, A)
    SET_ACCELERATIONS[name](N, A, end, u, u.diff(me.dynamicsymbols._t), l)
    body = me.RigidBody("bob", end, A, m, (me.inertia(A, 0, 0, m * l**2), end))
    kane = me.KanesMethod(
        N, [q], [u], [q.diff(me.dynamicsymbols._t) - u], bodies=[body], forcelist=[(end, m * g * N.x)]
    )
    if name in ("of the point", "of the frame"):
        eom = from_sympy(kane)
        p = [{"m": 2.0, "g": 9.81, "l": 0.8}[one.name] for one in eom.parameters]
        assert eom.forward_dynamics(0, [0.4], [0.1], [], p) == pytest.approx([-9.81 * np.sin(0.4) / (2 * 0.8)])
        return
    with refused("acceleration-contradicts-velocity", "P" if "point" in name else "A"):
        from_sympy(kane)
