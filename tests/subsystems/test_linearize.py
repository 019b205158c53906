"""Linearization about reference motions: the published figure, known stability results, and finite differences."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import all_same, parse, symbol
from multibody.subsystems import (
    KnownMotion,
    KnownRelations,
    OwnEquations,
    couple,
    evaluate_parameters,
    from_system,
    linearize,
    newton_euler,
    subsystem,
)

FINE = mb.DormandPrince8(rtol=1e-12, atol=1e-13)

# Orsino 2015, figure 4 ------------------------------------------------------------------------------------------------


def figure_4():
    """The double pendulum, with the reference motions of its bodies, as the figure has it."""
    bodies = [
        newton_euler("b1", "Position", "-z", parameters="a1", reference={"p_b1_z": "-a1"}),
        newton_euler("b2", "Position", "-z", parameters="a1 a2", reference={"p_b2_z": "-a1 - a2"}),
    ]
    constraints = [
        "p_b1_x - a1*sin(theta1)", "p_b1_y", "p_b1_z + a1*cos(theta1)",
        "p_b2_x - a1*sin(theta1) - a2*sin(theta2)", "p_b2_y", "p_b2_z + a1*cos(theta1) + a2*cos(theta2)",
    ]  # fmt: skip
    spins = [f"w_{label}_{axis}" for label in ("b1", "b2") for axis in "xyz"]
    return couple(
        "D", bodies, constraints, variables={0: "theta1 theta2", 1: "theta1_dot theta2_dot"},
        independent=["theta1", "theta2", "theta1_dot", "theta2_dot", *spins], description="Double Pendulum",
    )  # fmt: skip


PRINTED = {
    "v_b1_x_dot": "g*(-(m_b1 + m_b2)*theta1 + m_b2*theta2)/m_b1", "v_b1_y_dot": "0", "v_b1_z_dot": "0",
    "v_b2_x_dot": "-g*theta2", "v_b2_y_dot": "0", "v_b2_z_dot": "0", "w_b1_x_dot": "0", "w_b1_y_dot": "0",
    "w_b1_z_dot": "0", "w_b2_x_dot": "0", "w_b2_y_dot": "0", "w_b2_z_dot": "0",
    "theta1_ddot": "g*(-(m_b1 + m_b2)*theta1 + m_b2*theta2)/(a1*m_b1)",
    "theta2_ddot": "g*(m_b1 + m_b2)*(theta1 - theta2)/(a2*m_b1)",
}  # fmt: skip


def in_symbols_of(system, texts):
    symbols = [one for p in system.parameters for one in p.default] + [s for one in system.inputs for s in one.flat]
    known = {one.name: one for one in (*symbols, *system.orders)}
    return [parse(text, known) for text in texts]


@pytest.mark.parametrize("auxiliary", [False, True])
def test_figure_4_is_equal_term_by_term(auxiliary):
    linear = linearize(figure_4(), auxiliary=auxiliary)
    found = linear.explicit()
    assert set(PRINTED) < set(found)
    if not auxiliary:
        assert all_same([found[name] for name in PRINTED], in_symbols_of(linear, PRINTED.values()), points=2)
        return
    names = "g m_b1 m_b2 a1 a2".split()
    physical = dict(zip(names, [9.81, 1.3, 0.4, 0.7, 0.5], strict=True)) | {
        f"I_b{k}_{a}": 1.0 for k in (1, 2) for a in "xyz"
    }
    values = evaluate_parameters(linear, physical)
    known = {s: values[s.name] for p in linear.parameters for s in p.default}
    known |= {one: 0.1 + 0.03 * k for k, one in enumerate(linear.orders)}
    expected = mb.graph.evaluate(in_symbols_of(linear, PRINTED.values()), known)
    assert mb.graph.evaluate([found[name] for name in PRINTED], known) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_figure_4_with_bodies_that_are_linearized_already():
    system = figure_4()
    parts = {part.label: linearize(part, part=True) for part in system.parts}
    found = linearize(system, subsystems=parts).explicit()
    assert all_same([found[name] for name in PRINTED], in_symbols_of(system, PRINTED.values()), points=2)


def test_figure_4_with_two_equal_pendulums():
    """θ̈₁ = (g/a)·(θ₂ - 2·θ₁), θ̈₂ = (2·g/a)·(θ₁ - θ₂): what is known of parameters is put into the linear equations."""
    equal = {"m_b2": "m_b1", "a2": "a1"}
    inherited = couple("E", [figure_4()], relations=KnownRelations(identities=equal))
    for linear in (linearize(figure_4(), identities=equal), linearize(inherited)):
        found = linear.explicit()
        texts = {"theta1_ddot": "g*(theta2 - 2*theta1)/a1", "theta2_ddot": "2*g*(theta1 - theta2)/a1"}
        assert all_same([found[name] for name in texts], in_symbols_of(linear, texts.values()), points=2)
    with refused("name-unknown", "'theta1'"):
        linearize(figure_4(), identities={"theta1": "theta2"})


# by finite differences -----------------------------------------------------------------------------------------------


def numbers_of(linear, values, t=0.0):
    """A and B of the state space."""
    time = symbol("t", "time")
    known = {s: values[s.name] for p in linear.parameters for s in p.default} | {time: t}
    return [matrix.evaluate(known) for matrix in linear.state_space()]


def nominal_of(linear, values, t=0.0):
    """Reference values by name."""
    known = {s: values[s.name] for p in linear.parameters for s in p.default if s.name in values}
    known[symbol("t", "time")] = t
    return {one.name: float(mb.graph.evaluate(linear.nominal[one], known)) for one in linear.nominal}


def by_differences(system, linear, values, t=0.0, step=2e-5):
    """The same from the nonlinear equations: dependent variables follow independent ones by the constraints."""
    eom = system.equations()
    states = [one.name for one in linear.states]
    inputs = [one.name for one in eom.model.input_symbols]
    physical = {s.name: values[s.name] for s in eom.model.parameter_symbols}
    reference = nominal_of(linear, values, t)

    def rates(changed):
        point = reference | changed
        q, u = ({one.name: point[one.name] for one in group} for group in (eom.coordinates, eom.speeds))
        if len(eom.constraints):
            found = eom.consistent(q, u, fixed=states, parameters=physical, t=t, tolerance=1e-13,
                                   inputs={name: point[name] for name in inputs})  # fmt: skip
            q, u = (dict(zip([one.name for one in group], values, strict=True))
                    for group, values in ((eom.coordinates, found.q), (eom.speeds, found.u)))  # fmt: skip
        given = (t, list(q.values()), list(u.values()), [point[name] for name in inputs], list(physical.values()))
        rate = eom.state_rate(*given)
        every = dict(zip([*q, *u], [*rate.q_dot, *rate.u_dot], strict=True))
        return np.array([every[name] for name in states])

    def column(name):
        return (rates({name: reference[name] + step}) - rates({name: reference[name] - step})) / (2 * step)

    A = np.column_stack([column(name) for name in states])
    B = np.column_stack([column(name) for name in inputs]) if inputs else np.zeros((len(states), 0))
    return A, B


def assert_is_derivative(system, linear, values, t=0.0, tolerance=1e-6):
    found, expected = numbers_of(linear, values, t), by_differences(system, linear, values, t)
    scale = max(1.0, np.abs(expected[0]).max())
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * scale)
    return found


def chain(count, rng, nesting):
    """Particles on rods with springs and motors in the hinges, coupled in one step or one after the other."""
    made, constraints, everything = None, [], []
    values = {"g": 9.81}
    for k in range(1, count + 1):
        values |= {f"m{k}": rng.uniform(0.5, 2), f"l{k}": rng.uniform(0.3, 1), f"k{k}": rng.uniform(1, 30)}
        ball = subsystem(
            f"P{k}", {0: [f"x{k}", f"z{k}"], 1: [f"x{k}_dot", f"z{k}_dot"]},
            [f"-m{k}*x{k}_ddot", f"-m{k}*g - m{k}*z{k}_ddot"], parameters=["g", f"m{k}"],
        )  # fmt: skip
        hung = (f"x{k - 1} + ", f"z{k - 1} ") if k > 1 else ("", "")
        rod = {f"x{k}": f"x{k} = {hung[0]}l{k}*sin(th{k})", f"z{k}": f"z{k} = {hung[1]}- l{k}*cos(th{k})"}
        bend = f"tau{k} - k{k}*th{k}"
        level = {"variables": [f"th{k}"], "parameters": [f"l{k}", f"k{k}"], "inputs": [f"tau{k}"]}
        if nesting:
            free = [f"th{j}_dot" for j in range(1, k + 1)] + [f"th{j}" for j in range(1, k + 1)]
            made = couple(
                f"L{k}",
                [made, ball] if made else [ball],
                rod,
                own=OwnEquations(dynamics={f"th{k}_dot": bend}),
                independent=free,
                **level,
            )
        else:
            everything.append(ball)
            constraints.append((rod, {f"th{k}_dot": bend}, level))
    if nesting:
        return made, values
    rods = {name: rule for rod, _, _ in constraints for name, rule in rod.items()}
    rows = {name: row for _, bend, _ in constraints for name, row in bend.items()}
    merged = {
        key: [name for _, _, level in constraints for name in level[key]]
        for key in ("variables", "parameters", "inputs")
    }
    free = [f"th{j}" for j in range(1, count + 1)]
    return couple(
        "C",
        everything,
        rods,
        own=OwnEquations(dynamics=rows),
        independent=[*free, *(f"{n}_dot" for n in free)],
        **merged,
    ), values


def balance(values, angles):
    """Torques that hold the chain at given angles, and the places of its particles."""
    count = len(angles)
    x = np.cumsum([values[f"l{k}"] * np.sin(angles[k - 1]) for k in range(1, count + 1)])
    z = np.cumsum([-values[f"l{k}"] * np.cos(angles[k - 1]) for k in range(1, count + 1)])
    below = [sum(values[f"m{j}"] for j in range(k, count + 1)) for k in range(1, count + 1)]
    torque = {
        f"tau{k}": values[f"k{k}"] * angles[k - 1] + below[k - 1] * 9.81 * values[f"l{k}"] * np.sin(angles[k - 1])
        for k in range(1, count + 1)
    }
    places = {f"x{k + 1}": x[k] for k in range(count)} | {f"z{k + 1}": z[k] for k in range(count)}
    return torque, places | {f"th{k + 1}": angles[k] for k in range(count)}


@pytest.mark.parametrize("nesting", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_chains_held_at_random_angles(seed, nesting):
    """Constraint forces and inputs are not zero there: the geometric stiffness counts."""
    rng = np.random.default_rng(seed)
    system, values = chain(3, rng, nesting)
    numbers = couple("N", [system], parameters=values, independent=[f"th{k}" for k in (1, 2, 3)])
    torque, places = balance(values, rng.uniform(-1.5, 1.5, 3))
    linear = linearize(numbers, places, inputs=torque)
    A, B = assert_is_derivative(numbers, linear, values)
    assert np.abs(A).max() > 1
    assert np.abs(B).max() > 0.1


FREE = ["th1 th2 th3 th1_dot th2_dot th3_dot", "th1 th2 th3 x1_dot z2_dot x3_dot", "x1 z2 x3 x1_dot x2_dot z3_dot"]


@pytest.mark.parametrize("free", FREE)
def test_forces_of_a_level_on_variables_of_its_parts(free):
    """A force at the end of the chain, F along x, held by the motors; independent variables are any that there are."""
    system, values = chain(3, np.random.default_rng(4), nesting=True)
    pulled = couple(
        "N",
        [system],
        parameters=values,
        own=OwnEquations(dynamics={"x3_dot": "F", "z1_dot": "-F*x2"}),
        inputs="F",
        independent=free,
    )
    angles = [0.5, -0.9, 0.8]
    torque, places = balance(values, angles)
    for k in (1, 2, 3):
        arm = values[f"l{k}"]
        torque[f"tau{k}"] -= 4.0 * arm * np.cos(angles[k - 1])
    torque["tau1"] += 4.0 * places["x2"] * values["l1"] * np.sin(angles[0])
    linear = linearize(pulled, places, inputs=torque | {"F": 4.0})
    A, B = assert_is_derivative(pulled, linear, values)
    assert A.shape == (6, 6)
    assert B.shape == (6, 4)


def test_levels_do_not_matter():
    found = []
    for nesting in (False, True):
        system, values = chain(3, np.random.default_rng(7), nesting)
        torque, places = balance(values, [0.4, -0.8, 1.1])
        numbers = couple("N", [system], parameters=values, independent=["th1", "th2", "th3"])
        linear = linearize(numbers, places, inputs=torque)
        order = [[one.name for one in linear.states].index(f"th{k}{end}") for end in ("", "_dot") for k in (1, 2, 3)]
        A, B = numbers_of(linear, values)
        found.append((A[np.ix_(order, order)], B[order]))
    for first, second in zip(*found, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-10, atol=1e-10)


def test_parts_that_are_linearized_already_and_auxiliary_parameters_give_the_same():
    system, values = chain(3, np.random.default_rng(3), nesting=True)
    torque, places = balance(values, [0.4, -0.8, 1.1])
    whole = couple("N", [system], parameters=values, independent=["th1", "th2", "th3"])
    exact = linearize(whole, places, inputs=torque)
    A, B = numbers_of(exact, values)

    lower = whole.parts[0].parts[0]  # the first two particles
    own = {one.name for one in lower.orders}
    driven = {name: value for name, value in torque.items() if name in {one.name for one in lower.inputs}}
    part = linearize(lower, {n: v for n, v in places.items() if n in own}, inputs=driven, part=True)
    again = linearize(whole, places, inputs=torque, subsystems={lower.label: part})
    for mine, theirs in zip(numbers_of(again, values), (A, B), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)

    named = linearize(whole, places, inputs=torque, auxiliary=True)
    assert named.unknowns
    for mine, theirs in zip(numbers_of(named, evaluate_parameters(named)), (A, B), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)


# about motions -------------------------------------------------------------------------------------------------------


def conical(t="t"):
    """The spherical pendulum on a circle: Ω² = g/(a·cos θ₀)."""
    W = "sqrt(g/(a*cos(th0)))"
    reference = {
        "theta": "th0", "phi": f"{W}*{t}", "phi_dot": W, "p_B_z": "-a*cos(th0)",
        "p_B_x": f"a*sin(th0)*cos({W}*{t})", "p_B_y": f"a*sin(th0)*sin({W}*{t})",
        "v_B_x": f"-a*sin(th0)*{W}*sin({W}*{t})", "v_B_y": f"a*sin(th0)*{W}*cos({W}*{t})",
    }  # fmt: skip
    constraints = ["p_B_x = a*sin(theta)*cos(phi)", "p_B_y = a*sin(theta)*sin(phi)", "p_B_z = -a*cos(theta)"]
    ball = newton_euler("B", "position", "-z")
    spin = [f"w_B_{axis}" for axis in "xyz"]
    return couple("S", [ball], constraints, variables="phi theta", parameters="a th0",
                  motion=KnownMotion(reference=reference),
                  independent=["phi", "theta", "phi_dot", "theta_dot", *spin])  # fmt: skip


BALL = {"g": 9.81, "m_B": 2.0, "I_B_x": 1.0, "I_B_y": 2.0, "I_B_z": 2.5, "a": 0.7, "th0": 0.6}


def test_the_conical_pendulum_nods_at_a_known_frequency():
    """ω² = Ω²·(1 + 3·cos²θ₀), as every textbook has it."""
    A, _ = numbers_of(linearize(conical()), BALL)
    turn = np.sqrt(9.81 / (0.7 * np.cos(0.6)))
    assert np.abs(np.linalg.eigvals(A)).max() == pytest.approx(turn * np.sqrt(1 + 3 * np.cos(0.6) ** 2), rel=1e-9)


@pytest.mark.parametrize("t", [0.0, 0.43])
def test_the_conical_pendulum_by_differences(t):
    system = conical()
    assert_is_derivative(system, linearize(system), BALL, t)


def test_entries_that_change_along_the_motion_are_no_auxiliary_parameters():
    system = conical()
    named = linearize(system, auxiliary=True)
    values = evaluate_parameters(named, BALL)
    for mine, theirs in zip(numbers_of(named, values, 0.43), numbers_of(linearize(system), BALL, 0.43), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("t", [0.0, 0.7])
def test_another_choice_of_independent_variables_on_a_circle(t):
    """With p_x, p_y and v_x, v_y independent, A changes along the motion."""
    sphere = {"sphere": "p_B_x**2 + p_B_y**2 + p_B_z**2 - a**2"}
    nominal = {
        one.name: value for one, value in conical().reference.items() if one.name[0] in "pv" and "_" in one.name[:2]
    }
    ball, spin = newton_euler("B", "position", "-z"), [f"w_B_{axis}" for axis in "xyz"]
    system = couple("S", [ball], sphere, parameters="a th0", independent=["p_B_x", "p_B_y", "v_B_x", "v_B_y", *spin],
                    motion=KnownMotion(reference=nominal))  # fmt: skip
    assert_is_derivative(system, linearize(system), BALL, t)


def test_a_spinning_body():
    """ω̇_x = (I_y - I_z)/I_x·Ω·ω_y: Euler's equations about the third axis."""
    rotor = newton_euler("R", "none", "none", parameters="W", reference={"w_R_z": "W"})
    found = linearize(rotor).explicit()
    texts = {
        "w_R_x_dot": "(I_R_y - I_R_z)*W*w_R_y/I_R_x",
        "w_R_y_dot": "(I_R_z - I_R_x)*W*w_R_x/I_R_y",
        "w_R_z_dot": "0",
    }
    assert all_same([found[name] for name in texts], in_symbols_of(rotor, texts.values()), points=2)


@pytest.mark.parametrize("description", ["quaternion", "zyx", "xyz redundant"])
def test_a_spinning_top_with_an_orientation(description):
    """Free, spinning about x of its own axes, with angles or a quaternion that move on with it."""
    numbers = {"m_T": 1.0, "I_T_x": 1.0, "I_T_y": 2.0, "I_T_z": 2.7}
    turned = {
        "quaternion": {"q_T_t": "cos(W*t/2)", "q_T_x": "sin(W*t/2)"}, "zyx": {"theta_T": "W*t"},
        "xyz redundant": {"psi_T": "W*t", "psi_T_dot": "W"},
    }[description]  # fmt: skip
    top = newton_euler("T", description, "none", parameters=numbers | {"W": 1.7}, reference=turned | {"w_T_x": "W"})
    linear = linearize(top)
    for t in (0.0, 0.4):
        if description != "quaternion":
            assert_is_derivative(top, linear, numbers | {"W": 1.7}, t)
        else:  # the length of the quaternion is no constraint of the equations: all four are states
            A, _ = numbers_of(linear, numbers | {"W": 1.7}, t)
            names = [one.name for one in linear.states]
            spin = np.array([[A[names.index(f"w_T_{i}"), names.index(f"w_T_{j}")] for j in "xyz"] for i in "xyz"])
            expected = 1.7 * np.array([[0, 0, 0], [0, 0, (2.7 - 1) / 2], [0, (1 - 2) / 2.7, 0]])
            np.testing.assert_allclose(spin, expected, atol=1e-12)


@pytest.mark.parametrize("at", [(1, 0, 0, 0), (0.28, 0, -0.96, 0), (1e-17, 1, 0, 0)])
def test_a_quaternion_at_rest_has_three_deviations(at):
    """Its length is kept; the largest component follows from the others, and renamed copies know that too."""
    names = [f"q_B_{axis}" for axis in "txyz"]
    made = newton_euler("B", "quaternion", "none", reference=dict(zip(names, at, strict=True)))
    linear = linearize(made)
    states = {one.name for one in linear.states}
    assert states == {one.name for one in made.orders} - {names[int(np.argmax(np.abs(at)))]}
    assert {one.name for one in linear.renamed("C", suffix="_2").states} == {f"{name}_2" for name in states}
    numbers = {"m_B": 1.0, "I_B_x": 1.0, "I_B_y": 2.0, "I_B_z": 2.7}
    A, _ = numbers_of(linear, numbers)
    order = [one.name for one in linear.states]
    turned = A[np.ix_([order.index(n) for n in names if n in states], [order.index(f"w_B_{axis}") for axis in "xyz"])]
    t, x, y, z = at  # q̇ = ½·q∘ω
    rates = np.array([[-x, -y, -z], [t, -z, y], [z, t, -x], [-y, x, t]]) / 2
    np.testing.assert_allclose(turned, rates[[k for k, n in enumerate(names) if n in states]], atol=1e-12)


def test_a_quaternion_coupled_by_its_rotation_has_as_many_deviations_as_freedoms():
    """A body on a ball joint at the origin, hanging down: six states, as a pendulum in space has."""
    body = newton_euler("B", "quaternion", "-z", parameters="a")
    ball = {f"at_{axis}": f"p_B_{axis} = -a*R_B_{axis}z" for axis in "xyz"}
    held = couple(
        "S", [body], ball, motion=KnownMotion(reference={"p_B_z": "-a"}), independent=[f"w_B_{axis}" for axis in "xyz"]
    )
    linear = linearize(held)
    assert [one.name for one in linear.states] == ["q_B_x", "q_B_y", "q_B_z", "w_B_x", "w_B_y", "w_B_z"]
    found = linear.explicit()["w_B_x_dot"]
    assert all_same([found], in_symbols_of(linear, ["-2*m_B*g*a*q_B_x/(I_B_x + m_B*a**2)"]), points=2)


def test_a_quaternion_on_the_reference_motion_has_unit_length():
    with refused("reference-not-a-motion"):
        linearize(newton_euler("B", "quaternion", "none", reference={"q_B_t": 2}))


def coin():
    """A coin that rolls upright along x; its lean is not part of the model."""
    rows = {
        "x_dot": "-m*x_ddot",
        "y_dot": "-m*y_ddot",
        "heading_dot": "M - J*heading_ddot",
        "spin_dot": "T - I*spin_ddot",
    }
    rolling = {"x": "x_dot = r*spin_dot*cos(heading)", "y": "y_dot = r*spin_dot*sin(heading)"}
    return subsystem(
        "coin", {0: "x y heading spin", 1: list(rows)}, rows, constraints=rolling, independent="heading_dot spin_dot",
        parameters={"m": 1.0, "J": 0.2, "I": 0.1, "r": 0.5, "W": 3.0}, inputs="M T",
        reference={"spin_dot": "W", "x_dot": "r*W"},
    )  # fmt: skip


def test_a_rolling_coin():
    """δẏ = v·δheading, and M turns it at once: what a nonholonomic constraint leaves is linearized too."""
    system = coin()
    linear = linearize(system)
    found = linear.explicit()
    texts = {"x_dot": "r*spin_dot", "y_dot": "r*W*heading", "heading_ddot": "M/J", "spin_ddot": "T/(I + m*r**2)"}
    known = {s.name: s for one in system.inputs for s in one.flat} | {
        one.name: one for p in system.parameters for one in p.default
    }
    known |= {one.name: one for one in system.orders}
    assert all_same([found[name] for name in texts], [parse(text, known) for text in texts.values()], points=2)
    assert_is_derivative(system, linear, {"m": 1.0, "J": 0.2, "I": 0.1, "r": 0.5, "W": 3.0}, 0.8)


def test_a_rolling_wheel_of_a_system():
    """The rolling disc upright at speed: it is stable above v² = g·r/3 (Routh), for a thin homogeneous disc."""
    system = mb.System("disc", gravity=(0, 0, -9.81))
    disc = system.body("disc", 2.0, inertia=mb.diag(*(np.array([1, 2, 1]) * 2.0 * 0.3**2 / 4)))
    system.joint("at", system.world, disc, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"], q=[0, 0, 0.3, 0, 0, 0])
    system.constraint(mb.RollingDisc(system.world, disc, 0.3), name="grip")
    made = from_system(system)
    growth = {}
    for speed in (0.95, 1.05):
        v = float(speed * np.sqrt(9.81 * 0.3 / 3))
        reference = {"at_tx": f"{v!r}*t", "at_tx_dot": v, "at_ry": f"{v / 0.3!r}*t", "at_ry_dot": v / 0.3, "at_tz": 0.3}
        A, _ = numbers_of(linearize(made, reference), {})
        growth[speed] = np.linalg.eigvals(A).real.max()
    assert growth[0.95] > 0.1
    assert growth[1.05] < 1e-5


# the linear model at work --------------------------------------------------------------------------------------------


def test_near_the_reference_the_linear_model_is_right_to_second_order():
    """Half the amplitude, a quarter of the error, where the configuration is not symmetric."""
    system, values = chain(2, np.random.default_rng(5), nesting=True)
    torque, places = balance(values, [0.7, -0.5])
    whole = couple(
        "N",
        [system],
        parameters=values,
        independent=["th1", "th2", "th1_dot", "th2_dot"],
        motion=KnownMotion(start=places),
    )
    linear, eom = linearize(whole, places, inputs=torque).equations(), whole.equations()
    errors = []
    for size in (0.04, 0.02):
        bend = {"th1": size, "th2": -size}
        near = mb.simulate(linear, 0.4, q=bend, fixed=list(bend), integrator=FINE, samples=3)
        angles = {name: places[name] + value for name, value in bend.items()}
        exact = mb.simulate(eom, 0.4, q=angles, fixed=list(angles), inputs=torque, integrator=FINE, samples=3)
        errors.append(abs(near["th1"][-1] - (exact["th1"][-1] - places["th1"])))
    assert errors[1] > 1e-7
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15)


def hung():
    """A particle on a rod with a motor, whose hinge slides."""
    ball = subsystem(
        "P", {0: "x z", 1: "x_dot z_dot"}, ["-m*x_ddot", "-m*g - m*z_ddot"], parameters={"m": 2.0, "g": 9.81}
    )
    rod = ["x = s + l*sin(th)", "z = -l*cos(th)"]
    return couple("leg", [ball], rod, variables="s th",
                  own=OwnEquations(dynamics={"s_dot": "-m0*s_ddot", "th_dot": "tau"}), inputs="tau",
                  parameters={"l": 0.7, "m0": 0.5}, independent="s_dot th_dot s th")  # fmt: skip


@pytest.mark.parametrize("auxiliary", [False, True])
def test_one_leg_linearized_serves_all_under_other_names(auxiliary):
    leg = hung()
    at = {"th": 0.3, "x": 0.7 * np.sin(0.3), "z": -0.7 * np.cos(0.3)}
    push = {"tau": 2.0 * 9.81 * 0.7 * np.sin(0.3)}
    once = linearize(leg, at, inputs=push, part=True, auxiliary=auxiliary)
    names = [f"leg{k}" for k in (1, 2)]
    copies = {name: once.renamed(name, suffix=f"_{name}", shared="m g l m0") for name in names}
    legs = [leg.renamed(name, suffix=f"_{name}", shared="m g l m0") for name in names]
    robot = couple(
        "robot", legs, ["s_leg1 = s_leg2"], independent="s_leg1_dot th_leg1_dot th_leg2_dot s_leg1 th_leg1 th_leg2"
    )
    places = {f"{n}_{name}": value for n, value in at.items() for name in names}
    torque = {f"tau_{name}": push["tau"] for name in names}
    anew = linearize(robot, places, inputs=torque)
    reused = linearize(robot, places, inputs=torque, subsystems=copies)
    values = {"m": 2.0, "g": 9.81, "l": 0.7, "m0": 0.5}
    for mine, theirs in zip(numbers_of(reused, evaluate_parameters(reused)), numbers_of(anew, values), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)
    assert bool(reused.unknowns) is auxiliary
    assert_is_derivative(robot, anew, values)


def test_state_space_has_names():
    A, B = linearize(couple("S", [subsystem("c", {0: "x", 1: "v"}, ["F - k*x - d*v - m*v_dot"], kinematics={"x": "v"},
                                           parameters="m k d", inputs="F")])).state_space()  # fmt: skip
    assert str(A.closed()).splitlines()[2:] == ["x | 0     1", "v | -k/m  -d/m"]
    assert str(B.closed()).splitlines()[2:] == ["x | 0", "v | 1/m"]


def test_progress_of_a_linearization():
    told = []
    linear = linearize(figure_4(), progress=lambda *stage: told.append(stage[1]))
    assert {"reference", "complement", "complement of first order"} <= set(told)
    assert "complement of first order" in linear.timings
