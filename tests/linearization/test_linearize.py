"""Linear systems against the pendulums of SymPy's manual, exact formulas, and the nonlinear equations."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import ExpressionError, NumberError
from multibody.graph import absolute, all_same, cos, maximum, sign, sin, sqrt, symbol, tan
from multibody.linearization import linearize, linearize_symbolic

FORMALISMS = [mb.Kane(), mb.Lagrange(), mb.Recursive()]


def pendulum(values=(1.5, 9.8)):
    """One coordinate; L and g are parameters, with or without values."""
    system = mb.System("pendulum")
    L, g = system.parameters(**dict(zip("Lg", values, strict=True)))
    system.gravity = (g, 0, 0)
    bob = system.body("bob", 2.0, (L, 0, 0))
    system.joint("q1", system.world, bob, "Rz")
    return system, L, g


def cartesian_pendulum():
    """The manual's pendulum with x and y, whose distance from the origin is kept."""
    system = mb.System("pendulum")
    L, g = system.parameters(L=1.5, g=9.8)
    system.gravity = (g, 0, 0)
    place = system.joint("q", system.world, system.body("bob", 2.0), ["Tx", "Ty"], q=(1.5, 0.0))
    x, y = place.coordinates
    system.constraint(x**2 + y**2 - L**2, name="rod")
    return system, L, g


# SymPy's manual ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formalism", FORMALISMS, ids=repr)
def test_minimal_pendulum(formalism):
    """A = [[0, 1], [-g·cos(q)/L, 0]], with all of it free; -g/L hanging down."""
    system, L, g = pendulum((None, None))
    eom = mb.derive(system, formalism)
    lin = linearize_symbolic(eom, free=eom.coordinates)
    (q,) = eom.coordinates
    assert all_same(lin.A, [[0, 1], [-g * cos(q) / L, 0]], points=2)
    assert all_same(linearize_symbolic(eom, {"q1": 0}).A, [[0, 1], [-g / L, 0]], points=2)
    assert lin.B.shape == (2, 0)
    descriptor = lin.descriptor  # the other form, M·(q̇, u̇) = A·x + B·r
    assert all_same(descriptor.E, [[1, 0], [0, 2 * L**2]])
    assert all_same(descriptor.F, [[0, 1], [-2 * g * L * cos(q), 0]])


@pytest.mark.parametrize("formalism", FORMALISMS, ids=repr)
@pytest.mark.parametrize("handling", [mb.Multipliers(), mb.IndependentSpeeds("q_ty_dot")], ids=repr)
def test_pendulum_with_a_dependent_coordinate(formalism, handling):
    """The states are q2 and u2, and A = [[0, 1], [-g/L, 0]]; λ = m·g/(2·L) holds the bob."""
    system, L, g = cartesian_pendulum()
    eom = mb.derive(system, formalism, constraints=handling)
    lin = linearize_symbolic(eom, {"q_tx": L, "q_ty": 0}, free=["L", "g"])
    assert lin.states == ("q_ty", "q_ty_dot")
    assert all_same(lin.A, [[0, 1], [-g / L, 0]], points=2)
    assert all_same([lin.point["lambda_rod"]], [-g / L])
    assert lin.descriptor.E.shape == (5, 5)
    assert lin.descriptor.F.shape == (5, 2)
    by_numbers = linearize(eom, {"q_ty": 0.0})
    np.testing.assert_allclose(by_numbers.A, [[0, 1], [-9.8 / 1.5, 0]], rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(by_numbers.A, lin.at(L=1.5, g=9.8).A, rtol=1e-14, atol=1e-15)
    order = [int(np.argmax(column)) for column in by_numbers.permutation.T]
    assert order == [1, 3, 0, 2]  # independent ones first, as in SymPy's manual
    everything = {
        "q_tx": L,
        "q_ty": 0,
        "q_tx_dot": 0,
        "q_ty_dot": 0,
    }  # dependent speeds, too, as SymPy's manual has them
    assert all_same(linearize_symbolic(eom, everything, free=["L", "g"]).A, lin.A)
    with refused("states-not-independent"):
        linearize_symbolic(eom, everything | {"q_tx_dot": 1}, free=["L", "g"])


def test_dependent_coordinates_follow_the_independent_ones():
    """At an angle θ of the rod, δx = -tan(θ)·δy and δẋ = -tan(θ)·δẏ at rest."""
    eom = mb.derive(cartesian_pendulum()[0])
    angle = 0.4
    lin = linearize(eom, {"q_tx": 1.5 * np.cos(angle), "q_ty": 1.5 * np.sin(angle)}, independent=["q_ty", "q_ty_dot"])
    slope = -np.tan(angle)
    np.testing.assert_allclose(lin.tangent, [[slope, 0], [1, 0], [0, slope], [0, 1]], rtol=1e-12, atol=1e-14)
    assert not lin.steady
    assert lin.point["q_ty_ddot"] == pytest.approx(-9.8 * np.sin(angle) * np.cos(angle), rel=1e-12)


def test_both_forms_say_the_same():
    eom = mb.derive(cartesian_pendulum()[0])
    lin = linearize(eom, {"q_ty": 0.7}, independent=["q_ty", "q_ty_dot"])
    rates = np.linalg.solve(lin.descriptor.E, lin.descriptor.F)
    np.testing.assert_allclose(rates[[1, 3]], lin.A, rtol=1e-12, atol=1e-14)
    hanging = linearize(eom, {"q_ty": 0.0})
    rates = np.linalg.solve(hanging.descriptor.E, hanging.descriptor.F)
    np.testing.assert_allclose(rates[:4], hanging.tangent @ hanging.A, rtol=1e-11, atol=1e-13)  # δẋ = T·d/dt(δx)


# MoSs (Orsino 2015) --------------------------------------------------------------------------------------------------


def test_double_pendulum_of_the_moss_seed():
    """Two free points whose places are given by two angles that belong to no mass; figure 4 of Orsino 2015."""
    system = mb.System("D")
    g, m1, m2, a1, a2 = (system.parameter(name) for name in "g m1 m2 a1 a2".split())
    system.gravity = (0, 0, -g)
    points = [system.joint(f"p{k}", system.world, system.body(f"b{k}", m), ["Tx", "Tz"]) for k, m in ((1, m1), (2, m2))]
    arms = [system.joint(f"theta{k}", system.world, system.body(f"arm{k}"), "Ry") for k in (1, 2)]
    (x1, z1), (x2, z2) = (one.coordinates for one in points)
    t1, t2 = (arm.coordinate for arm in arms)
    invariants = x1 - a1 * sin(t1), z1 + a1 * cos(t1), x2 - x1 - a2 * sin(t2), z2 - z1 + a2 * cos(t2)
    for k, one in enumerate(invariants):
        system.constraint(one, name=f"invariant{k}")
    eom = mb.derive(system)
    at = {"p1_tx": 0, "p1_tz": -a1, "p2_tx": 0, "p2_tz": -a1 - a2, "theta1": 0, "theta2": 0}
    angles = ["theta1", "theta2", "theta1_dot", "theta2_dot"]
    accelerations = ["p1_tx_ddot", "p1_tz_ddot", "p2_tx_ddot", "p2_tz_ddot"]
    lin = linearize_symbolic(eom, at, independent=angles, outputs=accelerations)
    assert lin.states == tuple(angles)
    first, second = (-g * (m1 + m2) / m1, g * m2 / m1), (g * (m1 + m2) / m1, -g * (m1 + m2) / m1)
    expected = [[0, 0, 1, 0], [0, 0, 0, 1], [x / a1 for x in first] + [0, 0], [x / a2 for x in second] + [0, 0]]
    assert all_same(lin.A, expected, points=2)
    assert all_same(lin.C, [[*first, 0, 0], [0] * 4, [0, -g, 0, 0], [0] * 4], points=2)


# symbols -------------------------------------------------------------------------------------------------------------


def spinning_top():
    """A symmetric top that spins upright: sleeping or falling, as Lagrange says."""
    system = mb.System("top", gravity=(0, 0, -9.81))
    m, l, a, c = system.parameters(m=1.0, l=0.2, a=0.05, c=0.01)
    top = system.body("rotor", m, (0, 0, l), (a, a, c))
    system.joint("tilt", system.world, top, ["Rx", "Ry", "Rz"])
    return mb.derive(system), (m, l, a, c)


def test_a_top_sleeps_if_it_spins_fast():
    """Upright it is stable if (C·ω)² > 4·A·m·g·l, with A about the tip."""
    eom, _ = spinning_top()
    w = symbol("w")
    lin = linearize_symbolic(eom, {"tilt_rz_dot": w})
    assert [one.name for one in lin.symbols] == ["w"]
    limit = np.sqrt(4 * (0.05 + 0.04) * 9.81 * 0.2) / 0.01
    tilting = "tilt_rx", "tilt_ry", "tilt_rx_dot", "tilt_ry_dot"
    below, above = (lin.at(w=float(factor * limit)).part(*tilting) for factor in (0.999, 1.001))
    assert below.poles.real.max() > 0.1
    assert np.abs(above.poles.real).max() < 1e-6
    numbers = linearize(eom, {"tilt_rz_dot": float(1.3 * limit)})
    np.testing.assert_allclose(lin.at(w=float(1.3 * limit)).A, numbers.A, rtol=1e-11, atol=1e-12)


def test_matrices_as_compiled_code():
    eom, _ = spinning_top()
    lin = linearize_symbolic(eom, free=["tilt_rx", "tilt_rz_dot", "l"], outputs=["tilt_ry"])
    found = lin.function(tilt_rx=0.3, tilt_rz_dot=20.0, l=0.1)
    expected = linearize(eom, {"tilt_rx": 0.3, "tilt_rz_dot": 20.0}, parameters={"l": 0.1}, outputs=["tilt_ry"])
    np.testing.assert_allclose(found.A, expected.A, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.C, expected.C)
    with refused("value-missing"):
        lin.at(tilt_rx=0.3, l=0.1)
    with refused("name-unknown"):
        lin.at(tilt_rx=0.3, l=0.1, tilt_rzdot=20.0)


def test_a_symbolic_system_is_read():
    eom = mb.derive(pendulum((None, None))[0])
    lin = linearize_symbolic(eom, {"q1": 0})
    assert "d/dt q1_dot by q1 = -g/L" in str(lin)
    A, B, _, _ = lin.to_sympy()
    assert str(A[1, 0]) == "-g/L"
    assert B.shape == (2, 0)
    assert r"\frac{g}{L}" in lin.to_latex()


# inputs and outputs --------------------------------------------------------------------------------------------------


def crane(m1=10.0, m2=1.0, l=2.0, g=9.81):
    system = mb.System("crane", gravity=(0, 0, -g))
    force, torque = system.input("F", unit="N"), system.input("T")
    crab, load = system.body("crab", m1), system.body("load", m2, (0, 0, -l))
    system.joint("slide", system.world, crab, "Tx")
    swing = system.joint("swing", crab, load, "Ry")
    system.load(mb.Force(crab, (force, 0, 0)))
    system.load(mb.JointLoad(swing, torque))
    system.sensor("tip", mb.Position(load.frame("end", (0, 0, -l))))
    system.sensor("push", mb.Acceleration(crab))
    system.sensor("pull", mb.ConstraintForce(swing, expressed_in=system.world))
    return system


def test_outputs_of_a_crane():
    """The tip is at x - l·θ; the crab accelerates by (F - m2·g·θ + T/l)/m1; the hinge carries m2·g."""
    m1, m2, l, g = 10.0, 1.0, 2.0, 9.81
    eom = mb.derive(crane(m1, m2, l, g))
    lin = linearize(eom)
    assert lin.inputs == ("F", "T")
    assert lin.outputs[:4] == ("tip_1", "tip_2", "tip_3", "push_1")
    rows = {name: (*lin.C[k], *lin.D[k]) for k, name in enumerate(lin.outputs)}
    np.testing.assert_allclose(rows["tip_1"], [1, -l, 0, 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(rows["tip_3"], 0, atol=1e-14)
    np.testing.assert_allclose(rows["push_1"], [0, -m2 * g / m1, 0, 0, 1 / m1, 1 / (l * m1)], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(lin.output_values[lin.outputs.index("pull_3")], m2 * g, rtol=1e-14)
    chosen = linearize(eom, inputs="F", outputs=["tip_1", "swing_dot", "swing_ddot"])
    assert (chosen.inputs, chosen.outputs) == (("F",), ("tip_1", "swing_dot", "swing_ddot"))
    np.testing.assert_allclose(chosen.C[2], chosen.A[3], rtol=1e-14)
    assert chosen.units["tip_1"] == "m"
    assert chosen.units["swing_dot"] == "rad/s"
    made = linearize(eom, outputs={"twice": 2 * eom.coordinates[0], "speeds": list(eom.speeds)})
    assert made.outputs == ("twice", "speeds_1", "speeds_2")
    np.testing.assert_allclose(made.C, [[2, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def test_an_input_at_the_operating_point():
    """A spring that is an input: stiffness times deflection."""
    system = mb.System("spring")
    k = system.input("k")
    slide = system.joint("x", system.world, system.body("box", 2.0), "Tx")
    system.load(mb.JointLoad(slide, -k * slide.coordinate))
    lin = linearize(mb.derive(system), {"x": 0.5, "k": 8.0})
    np.testing.assert_allclose(lin.A, [[0, 1], [-4, 0]])
    np.testing.assert_allclose(lin.B, [[0], [-0.25]])
    assert not lin.steady
    assert lin.point["x_ddot"] == pytest.approx(-2.0)


def test_a_driven_support_as_input():
    """A pendulum whose support moves as an input says, at its acceleration: θ̈ = -(g·θ + ẍ)/l, up to the sign."""
    system = mb.System("driven", gravity=(0, 0, -9.81))
    x, x_dot, x_ddot = (system.input(name) for name in ("s", "s_dot", "s_ddot"))
    crab = system.body("crab", 1.0)
    system.joint("slide", system.world, crab, "Tx", prescribed=x)
    system.joint("swing", crab, system.body("load", 1.0, (0, 0, -2.0)), "Ry")
    lin = linearize(mb.derive(system))
    np.testing.assert_allclose(lin.A, [[0, 1], [-9.81 / 2, 0]], rtol=1e-14)
    np.testing.assert_allclose(lin.B[1], [0, 0, 0.5])
    assert lin.inputs == (x.name, x_dot.name, x_ddot.name)


# points --------------------------------------------------------------------------------------------------------------


def test_a_state_and_an_instant_of_a_run_are_points():
    eom = mb.derive(crane())
    t = np.array([0.0, 1.0])
    y = np.column_stack([t, t / 4, 1 + 0 * t, 1 + 0 * t, *np.zeros((3, 2))])
    run = mb.Trajectory(eom, t, y, np.outer(t, (2.0, 4.0)), [])
    state = eom.consistent({"swing": 0.3}, {"swing_dot": 1.0})
    by_state = linearize(eom, state)
    by_name = linearize(eom, {"swing": 0.3, "swing_dot": 1.0})
    np.testing.assert_array_equal(by_state.A, by_name.A)
    instant = linearize(eom, run.interpolated(1.0))
    assert (instant.point.t, list(instant.point.r)) == (1.0, [2.0, 4.0])
    np.testing.assert_array_equal(linearize(eom, instant.point).B, instant.B)
    np.testing.assert_array_equal(instant.point.q, run.interpolated(1.0).q)
    np.testing.assert_array_equal(instant.point.u, run.interpolated(1.0).u)
    assert str(by_name.point).startswith("slide=0, swing=0.3, slide_dot=0, swing_dot=1")


def test_quaternions_have_three_independent_components():
    """A body that turns about its largest axis: the other two rates oscillate at Ω = ω·√((C-A)(C-B)/(A·B))."""
    A, B, C, w = 1.0, 2.0, 3.0, 5.0
    system = mb.System("body", gravity=(0, 0, 0))
    system.joint("turn", system.world, system.body("brick", 1.0, (0, 0, 0), (A, B, C)), mb.Spherical())
    angle = 2.2  # so that another component of the quaternion is the largest
    at = {"turn_qw": np.cos(angle / 2), "turn_qz": np.sin(angle / 2), "turn_wz": w}
    lin = linearize(mb.derive(system), at)
    assert lin.states == ("turn_qw", "turn_qx", "turn_qy", "turn_wx", "turn_wy", "turn_wz")
    fast = lin.part("turn_wx", "turn_wy", "turn_wz").poles
    expected = w * np.sqrt((C - A) * (C - B) / (A * B))
    np.testing.assert_allclose(np.sort(fast.imag), [-expected, 0, expected], rtol=1e-12, atol=1e-12)
    norm = lin.point.q @ lin.tangent[:4]  # no deviation changes the length
    np.testing.assert_allclose(norm, 0, atol=1e-15)


def test_redundant_constraints_do_no_harm():
    """Two equal rods between the same points."""
    system = mb.System("double")
    system.gravity = (9.8, 0, 0)
    bob = system.body("bob", 2.0)
    system.joint("q", system.world, bob, ["Tx", "Ty"], q=(1.5, 0.0))
    for name in ("first", "second"):
        system.constraint(mb.DistanceConstraint(system.world, bob, 1.5), name=name)
    lin = linearize(mb.derive(system))
    np.testing.assert_allclose(lin.A, [[0, 1], [-9.8 / 1.5, 0]], rtol=1e-12, atol=1e-13)


# where there is no value ---------------------------------------------------------------------------------------------


def gimbal():
    system = mb.System("p", gravity=(0, 0, -9.81))
    joint = system.joint("a", system.world, system.body("bob", 1.0, (0, 0, -1), (0.1, 0.1, 0.1)), ["Rx", "Ry"])
    return mb.derive(system), *joint.coordinates, *joint.speeds


EOM, X, Y, VX, VY = gimbal()
LIMITS = {
    "sin x / x": (sin(X) / X, {}, [0, 0, 0, 0]),
    "sin 3x / x · y": (sin(3 * X) / X * Y, {}, [0, 3, 0, 0]),
    "(1 - cos x)/x²": ((1 - cos(X)) / X**2 * VX, {}, [0, 0, 0.5, 0]),
    "sin x / tan x": (sin(X) / tan(X) + X, {}, [1, 0, 0, 0]),
    "hidden by rounding": (sin(2 * X) / cos(X), {"a_rx": np.pi / 2}, [0, 0, 0, 0]),
    "of two variables": (sin(X**2 + Y) / (X**2 + Y) * VX + 3 * X, {}, [3, 0, 1, 0]),
    "smooth square": (VX * absolute(VX) + Y, {}, [0, 1, 0, 0]),
    "one-sided square": (maximum(X, 0) ** 2 + X, {}, [1, 0, 0, 0]),
}
MISSING = {
    "1/x": (1 / X, {}, "a_rx is zero"),
    "length": (sqrt(X**2 + Y**2), {}, "sqrt"),
    "direction": (X * Y / sqrt(X**2 + Y**2), {}, "sqrt"),
    "tan": (tan(X), {"a_rx": np.pi / 2}, "cos"),
    "kink": (absolute(X), {}, "a_rx is zero"),
    "jump": (sign(VX), {}, "a_rx_dot is zero"),
    "edge": (maximum(X, 0), {}, "a_rx is zero"),
}


@pytest.mark.parametrize(("formula", "at", "slopes"), LIMITS.values(), ids=LIMITS)
def test_removable_singularities_give_the_limit(formula, at, slopes):
    lin = linearize(EOM, at, outputs={"y": formula})
    np.testing.assert_allclose(lin.C[0], slopes, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(("formula", "at", "told"), MISSING.values(), ids=MISSING)
def test_what_has_no_derivative_is_told(formula, at, told):
    with pytest.raises(ExpressionError) as caught:
        linearize(EOM, at, outputs={"speed": formula})
    assert "output speed" in str(caught.value)
    assert told in caught.value.cause


def test_a_division_that_cancels_is_no_trouble_for_symbols():
    lin = linearize_symbolic(EOM, free=["a_ry"], outputs={"y": sin(X) / tan(X) + X})
    assert all_same(lin.C, [[1, 0, 0, 0]])
    with refused("derivative-missing"):
        linearize_symbolic(EOM, free=["a_ry"], outputs={"y": sin(X) / X})


def test_gimbal_lock_is_told():
    system = mb.System("gimbal", gravity=(0, 0, -9.81))
    system.joint("j", system.world, system.body("b", 1.0, (0, 0, -1), (1, 2, 3)), ["Rz", "Rx", "Rz"])
    with refused("mass-matrix-singular"):
        linearize(mb.derive(system))
    assert np.isfinite(linearize(mb.derive(system), {"j_rx": 0.4}).A).all()


def test_a_dead_point_is_told():
    """A parallel linkage that lies flat can branch off."""
    system = mb.System("flat")
    bars = [system.body(f"bar{k}", 1.0, (0.5, 0, 0), (0, 0, 0.1)) for k in range(3)]
    system.joint("a", system.world, bars[0], "Rz", q=1.0)
    system.joint("b", bars[0].frame("end0", (1, 0, 0)), bars[1], "Rz", q=-1.0)
    system.joint("c", bars[1].frame("end1", (2, 0, 0)), bars[2], "Rz", q=-2.0)
    system.joint("d", bars[2].frame("end2", (1, 0, 0)), system.frame("foot", (2, 0, 0)), "Rz", cut=True)
    system.recognise_loops = False
    eom = mb.derive(system)
    with refused("constraints-singular"):
        linearize(eom, {"a": 0.0, "b": 0.0, "c": -np.pi})
    assert len(linearize(eom, {"a": 1.0}).states) == 2


def test_wrong_questions_are_told():
    eom = mb.derive(cartesian_pendulum()[0])
    with refused("name-unknown", "q_tx"):
        linearize(eom, {"q_x": 1.0})
    with refused("equations-expected"):
        linearize(cartesian_pendulum()[0])
    with refused("value-not-a-number"):
        linearize(eom, {"q_ty": symbol("y")})
    with pytest.raises(NumberError):
        linearize(eom, {"q_ty": np.nan})
    with refused("not-an-operating-point"):
        linearize(eom, 3.0)
    with refused("values-break-constraints"):
        linearize(eom, {"q_tx": 1.0, "q_ty": 1.0})
    with refused("states-not-independent"):
        linearize(eom, independent=["q_tx", "q_ty"])
    with refused("states-not-independent"):
        linearize(eom, {"q_ty": 0.0}, independent=["q_tx"])  # which does not change to first order
    with refused("name-unknown", "F"):
        linearize(eom, inputs=["F"])
    with refused("name-unknown", "tip"):
        linearize(eom, outputs=["tip"])
    with refused("values-break-constraints"):
        linearize_symbolic(eom, {"q_tx": 1.5, "q_ty": 0}, free=["L"])
    with refused("name-unknown", "l"):
        linearize_symbolic(eom, free=["l"])
