"""The kinds of SymPy objects, their names, inputs and parameters, and what cannot be converted."""

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from tests.refusal import refused

import multibody as mb
from multibody.compat.sympy import from_sympy

from . import sympy_objects as objects
from .sympy_numbers import our_rates, sympy_rates

t = me.dynamicsymbols._t


def sprung_mass(force, coordinate="q", speed="u", mass="m"):
    """A particle on a line with a force."""
    (q, u), m = me.dynamicsymbols(f"{coordinate} {speed}"), sm.Symbol(mass)
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, u * N.x)
    body = me.Particle("body", P, m)
    return me.KanesMethod(N, [q], [u], [q.diff(t) - u], bodies=[body], forcelist=[(P, force(q, u) * N.x)])


# the objects ---------------------------------------------------------------------------------------------------------


def test_a_system_that_was_formed_with_lagrange():
    q = me.dynamicsymbols("q")
    m, k, b = sm.symbols("m k b")
    wall, bob = me.RigidBody("wall"), me.Particle("bob", mass=m)
    system = me.System.from_newtonian(wall)
    bob.potential_energy = k * q**2 / 2
    system.add_joints(me.PrismaticJoint("slide", wall, bob, q, q.diff(t)))
    system.add_loads((bob.masscenter, -b * q.diff(t) * system.x))
    with refused("potential-counts-twice", "s equations and not in Kane"):
        from_sympy(system)
    system.form_eoms(me.LagrangesMethod)
    eom = from_sympy(system, parameters={m: 2.0, k: 8.0, b: 0.5})
    assert [one.name for one in eom.speeds] == ["q_dot"]
    assert np.allclose(our_rates(eom, [0.3], [0.7]), [0.7, -(8.0 * 0.3 + 0.5 * 0.7) / 2.0])
    assert mb.simulate(eom, 2.0, q=[1.0]).statistics.energy_drift < 1e-6


@pytest.mark.filterwarnings("ignore::sympy.utilities.exceptions.SymPyDeprecationWarning")
@pytest.mark.parametrize("method", [None, me.KanesMethod, me.LagrangesMethod])
def test_joints_method(method):
    q, u = me.dynamicsymbols("q u")
    m, k = sm.symbols("m k")
    wall, body = me.Body("wall"), me.Body("body", mass=m)
    speed = q.diff(t) if method is me.LagrangesMethod else u
    joint = me.PrismaticJoint("slide", wall, body, q, speed)
    body.apply_force(-k * q * wall.x)
    joints = me.JointsMethod(wall, joint)
    if method:
        joints.form_eoms(method)
    eom = from_sympy(joints, parameters={m: 2.0, k: 8.0})
    assert np.allclose(our_rates(eom, [0.3], [0.7]), [0.7, -8.0 * 0.3 / 2.0])


@pytest.mark.parametrize("form", ["explicit", "combined", "separate", "states alone"])
def test_symbolic_systems(form):
    q, u, F = me.dynamicsymbols("q u F")
    m, k = sm.symbols("m k")
    rates, right = sm.Matrix([2 * u]), sm.Matrix([F - k * q])
    system = {
        "explicit": lambda: me.SymbolicSystem([q], sm.Matrix([2 * u, (F - k * q) / m]), speeds=[u]),
        "combined": lambda: me.SymbolicSystem([q], rates.col_join(right), speeds=[u], mass_matrix=sm.diag(1, m)),
        "separate": lambda: me.SymbolicSystem(
            [q], right, speeds=[u], mass_matrix=sm.Matrix([[m]]), coordinate_derivatives=rates
        ),
        "states alone": lambda: me.SymbolicSystem([q, u], sm.Matrix([2 * u, (F - k * q) / m])),
    }[form]()
    eom = from_sympy(system, parameters={m: 2.0, k: 8.0})
    assert [one.name for one in eom.inputs] == ["F"]
    state = ([], [0.3, 0.7]) if form == "states alone" else ([0.3], [0.7])
    assert np.allclose(our_rates(eom, *state, [1.5]), [1.4, (1.5 - 2.4) / 2])
    assert not eom.energy_known
    with refused("energy-unknown"):
        _ = eom.kinetic_energy
    assert mb.simulate(eom, 1.0, inputs={"F": 1.0}).status.name == "DONE"


@pytest.mark.parametrize("form", ["explicit", "combined"])
def test_states_beside_coordinates_and_speeds_are_not_lost(form):
    q, u, a, e = me.dynamicsymbols("q u a e")  # a muscle with activation a, excited by e
    m, tau = sm.symbols("m tau")
    right, matrix = sm.Matrix([u, a - q, e - a]), sm.diag(1, m, tau)
    explicit = me.SymbolicSystem([q, u, a], matrix.inv() * right, coord_idxs=[0], speed_idxs=[1])
    combined = me.SymbolicSystem([q, u, a], right, mass_matrix=matrix, coord_idxs=[0], speed_idxs=[1])
    eom = from_sympy(explicit if form == "explicit" else combined, parameters={m: 2.0, tau: 0.5})
    assert [one.name for one in (*eom.coordinates, *eom.speeds, *eom.inputs)] == ["q", "u", "a", "e"]
    run = mb.simulate(eom, 2.0, inputs={"e": 0.7}, integrator=mb.DormandPrince8(rtol=1e-11))
    assert np.isclose(run["a"][-1], 0.7 * (1 - np.exp(-2.0 / 0.5)), rtol=1e-9)


def test_where_rates_of_coordinates_stand_apart_the_first_states_are_coordinates():
    q, u = me.dynamicsymbols("q u")
    apart = {"mass_matrix": sm.Matrix([[2]]), "coordinate_derivatives": sm.Matrix([u])}
    eom = from_sympy(me.SymbolicSystem([q, u], sm.Matrix([-8 * q]), **apart))
    assert np.allclose(our_rates(eom, [0.3], [0.7]), [0.7, -1.2])


def test_algebraic_equations_of_a_symbolic_system_are_refused():
    x, y, lam = me.dynamicsymbols("x y lam")
    system = me.SymbolicSystem([x, y, lam], sm.Matrix([y, lam, x + y]), mass_matrix=sm.diag(1, 1, 0), alg_con=[2])
    with refused("algebraic-equations-unsolvable"):
        from_sympy(system)


def test_auxiliary_speeds_are_zero_and_their_forces_no_inputs():
    q, u, v, R = me.dynamicsymbols("q u v R")
    m, l, g = sm.symbols("m l g")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u * N.z)
    O = me.Point("O")
    O.set_vel(N, v * N.x)
    P = O.locatenew("P", l * A.x)
    P.v2pt_theory(O, N, A)
    bodies, loads = [me.Particle("bob", P, m)], [(P, m * g * N.x), (O, R * N.x)]
    method = me.KanesMethod(N, [q], [u], [q.diff(t) - u], u_auxiliary=[v], bodies=bodies, forcelist=loads)
    eom = from_sympy(method, parameters={m: 2.0, l: 1.5, g: 9.81})
    assert not eom.inputs
    assert np.allclose(our_rates(eom, [0.3], [0.7]), [0.7, -9.81 / 1.5 * np.sin(0.3)])


def test_speeds_of_ones_own_with_kinematic_equations_that_are_not_trivial():
    written = objects.rolling_disc_kane()
    eom = from_sympy(written.object, parameters=written.values)
    q2, u1, u2, u3, r, g = 0.3, 0.4, -0.5, 0.6, 0.4, 9.81
    found = our_rates(eom, [0.1, q2, 0.2], [u1, u2, u3])[3:]
    expected = [  # SymPy's test suite, after Kane and Levinson
        (4 * g * np.sin(q2) + 6 * u2 * u3 * r - u3**2 * r * np.tan(q2)) / (5 * r),
        -2 * u1 * u3 / 3,
        u1 * (-2 * u2 + u3 * np.tan(q2)),
    ]
    assert np.allclose(found, expected, rtol=1e-12)


def test_a_prescribed_motion_brings_its_rates_as_inputs():
    q, u, x = me.dynamicsymbols("q u x")
    m, l, g = sm.symbols("m l g")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u * N.z)
    P = O.locatenew("H", x * N.y).locatenew("P", l * A.x)
    method = me.KanesMethod(
        N, [q], [u], [q.diff(t) - u], bodies=[me.Particle("bob", P, m)], forcelist=[(P, m * g * N.x)]
    )
    eom = from_sympy(method, parameters={m: 2.0, l: 1.5, g: 9.81})
    assert [one.name for one in eom.inputs] == ["x", "x_ddot", "x_dot"]  # x for the place of the bob
    by_name = {"x": 0.1, "x_dot": 0.3, "x_ddot": 2.0}
    found = our_rates(eom, [0.3], [0.7], [by_name[one.name] for one in eom.inputs])
    assert np.allclose(found[1], (-9.81 * np.sin(0.3) - 2.0 * np.cos(0.3)) / 1.5)
    time = eom.model.time
    sway = mb.graph.sin(2 * time)
    moving = {"x": sway / 2, "x_dot": mb.graph.cos(2 * time), "x_ddot": -2 * sway}
    run = mb.simulate(eom, 3.0, inputs=moving, integrator=mb.DormandPrince8(rtol=1e-11, atol=1e-12))
    assert run.statistics.energy_drift < 1e-8  # what moves the hinge does work, which is accounted for


def test_what_only_the_energy_depends_on_is_a_parameter_too():
    (q, u), (m, g, d) = me.dynamicsymbols("q u"), sm.symbols("m g d")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", (d + q) * N.y)
    method = me.KanesMethod(
        N, [q], [u], [q.diff(t) - u], bodies=[me.Particle("stone", P, m)], forcelist=[(P, -m * g * N.y)]
    )
    eom = from_sympy(method, parameters={m: 2.0, g: 9.81, d: 3.0})
    known = {eom.coordinates[0]: 0.5, **eom.model.parameter_values()}
    assert np.isclose(mb.graph.evaluate(eom.potential_energy, known), 2.0 * 9.81 * 3.5)
    assert mb.simulate(eom, 1.0).statistics.energy_drift < 1e-9


def test_functions_of_time_that_matter_to_nothing_are_no_inputs():
    q, u, x = me.dynamicsymbols("q u x")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x)
    P.set_vel(N, u * N.x)  # whatever x may be
    body = me.Particle("body", P, 1)
    eom = from_sympy(me.KanesMethod(N, [q], [u], [q.diff(t) - u], bodies=[body], forcelist=[(P, -q * N.x)]))
    assert not eom.inputs


def test_actuators_among_the_loads():
    (q, u), k = me.dynamicsymbols("q u"), sm.Symbol("k")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q * N.x)
    P.set_vel(N, u * N.x)
    spring = me.LinearSpring(k, me.LinearPathway(O, P), equilibrium_length=1)
    body = me.Particle("body", P, 2)
    method = me.KanesMethod(N, [q], [u], [q.diff(t) - u], bodies=[body], forcelist=[spring])
    assert np.allclose(our_rates(from_sympy(method, parameters={k: 8.0}), [1.5], [0.7]), [0.7, -2.0])


# accelerations that were said ----------------------------------------------------------------------------------------


def wheel(pivot):
    """A disc, whose centre moves as a body does that turns about a point: a pivot, or where the disc touches."""
    (q, u), (r, m) = me.dynamicsymbols("q u"), sm.symbols("r m")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u * N.z)
    C = O.locatenew("C", r * (A.y if pivot else N.y))
    C.v2pt_theory(O, N, A)
    body = me.RigidBody("disc", C, A, m, (me.inertia(A, 0, 0, m * r**2 / 2), C))
    loads = [(A, -3 * N.z), (C, -sm.Symbol("g") * m * N.y)]
    return O, C, A, N, me.KanesMethod(N, [q], [u], [q.diff(t) - u], bodies=[body], forcelist=loads)


def test_an_acceleration_that_is_the_rate_of_the_velocity_changes_nothing():
    O, C, A, N, method = wheel(pivot=True)
    C.a2pt_theory(O, N, A)
    A.set_ang_acc(N, A.ang_vel_in(N).dt(N))
    eom = from_sympy(method, parameters={"r": 0.5, "m": 2.0, "g": 9.81})
    torque = -3 + 2.0 * 9.81 * 0.5 * np.sin(0.3)
    assert np.allclose(our_rates(eom, [0.3], [0.7]), [0.7, torque / (1.5 * 2.0 * 0.5**2)])


def test_an_acceleration_that_contradicts_the_velocity_is_refused():
    O, C, A, N, method = wheel(pivot=False)
    eom = from_sympy(method, parameters={"r": 0.5, "m": 2.0, "g": 9.81})
    assert np.allclose(our_rates(eom, [0.3], [0.7]), [0.7, -3 / (1.5 * 2.0 * 0.5**2)])
    C.a2pt_theory(O, N, A)  # of a point that the disc only touches with
    with refused("acceleration-contradicts-velocity", "C", "N"):
        from_sympy(method)


# names, parameters, inputs -------------------------------------------------------------------------------------------


def test_names_that_are_no_identifiers_or_taken_twice_are_changed_and_reported():
    a, b = sm.Symbol("k", positive=True), sm.Symbol("k")
    method = sprung_mass(lambda q, u: -a * q - b * u, coordinate=r"\theta_{1}", mass="u")
    eom = from_sympy(method)
    names = [one.name for one in (*eom.coordinates, *eom.speeds, *eom.parameters)]
    assert len(set(names)) == len(names) == 5
    assert all(name.isidentifier() for name in names)
    assert len(eom.notes) == 1
    assert r"\theta_{1}" in eom.notes[0]
    assert eom.symbols[a] is not eom.symbols[b]


def test_a_speed_that_is_named_like_a_rate_keeps_the_name_of_its_acceleration():
    method = sprung_mass(lambda q, u: me.dynamicsymbols("q_ddot") - q, speed="q_dot")
    eom = from_sympy(method, parameters={"m": 2.0})
    assert [one.name for one in eom.inputs] == ["q_ddot_input"]
    run = mb.simulate(eom, 1.0, inputs={"q_ddot_input": 1.0})
    assert np.isclose(run["q"][-1], 1 - np.cos(np.sqrt(0.5)), atol=1e-6)


def test_parameters_without_values_are_listed_when_numbers_are_needed():
    eom = from_sympy(sprung_mass(lambda q, u: -sm.Symbol("k") * q))
    with refused("value-missing"):
        eom.model.parameter_values()
    assert eom.model.parameter_values({"k": 1.0, "m": 2.0})


def test_a_parameter_that_does_not_exist_is_a_slip():
    with refused("name-unknown", "mas"):
        from_sympy(sprung_mass(lambda q, u: -q), parameters={"mas": 1.0})


def test_a_value_for_another_symbol_of_the_same_name_is_not_lost():
    """Symbol("k") is not Symbol("k", positive=True); a value for what the model does not know at all is passed over."""
    plain, positive = sm.Symbol("k"), sm.Symbol("k", positive=True)
    method = sprung_mass(lambda q, u: -positive * q)
    with refused("symbol-of-other-assumptions", "k"):
        from_sympy(method, parameters={plain: 3.0, "m": 1.0})
    for given in ({positive: 3.0}, {"k": 3.0}, {positive: 3.0, plain: 4.0, sm.Symbol("other"): 1.0}):
        eom = from_sympy(method, parameters={"m": 1.0, **given})
        assert np.allclose(our_rates(eom, [1.0], [0.0], []), [0.0, -3.0])


def test_inputs_can_be_named_and_functions_of_time_can_be_parameters():
    F, c = sm.Symbol("F"), me.dynamicsymbols("c")
    eom = from_sympy(sprung_mass(lambda q, u: F - c * u), inputs=[F], parameters={c: 3.0, "m": 2.0})
    assert [one.name for one in eom.inputs] == ["F"]
    assert np.allclose(our_rates(eom, [0.0], [1.0], [5.0]), [1.0, 1.0])


def test_start_values_by_object_or_name():
    method = sprung_mass(lambda q, u: -q)
    q = me.dynamicsymbols("q")
    eom = from_sympy(method, start={q: 0.5, "u": -1.0})
    assert [eom.model.start[one] for one in (*eom.coordinates, *eom.speeds)] == [0.5, -1.0]
    with refused("name-unknown", "w"):
        from_sympy(method, start={"w": 1.0})


def test_functions_that_are_not_known_are_named():
    with refused("sympy-object-without-counterpart"):
        from_sympy(sprung_mass(lambda q, u: sm.besselj(0, q)))
    spring = sm.Function("spring")
    with refused("function-undefined"):
        from_sympy(sprung_mass(lambda q, u: spring(q)))
    eom = from_sympy(
        sprung_mass(lambda q, u: spring(q)), functions={"spring": lambda x: -(x**3)}, parameters={"m": 2.0}
    )
    assert np.allclose(our_rates(eom, [2.0], [0.0]), [0.0, -4.0])


def test_accelerations_in_loads_are_refused():
    with refused("acceleration-not-allowed"):
        from_sympy(sprung_mass(lambda q, u: -u.diff(t)))


def test_what_is_no_object_of_the_mechanics_package():
    with refused("sympy-object-unsupported"):
        from_sympy(sm.Symbol("x"))
    with refused("sympy-object-unsupported"):
        from_sympy(object())


def test_a_kanes_method_without_bodies():
    q, u = me.dynamicsymbols("q u")
    with refused("sympy-method-without-bodies"):
        from_sympy(me.KanesMethod(me.ReferenceFrame("N"), [q], [u], [q.diff(t) - u]))


def test_a_frame_that_nobody_oriented():
    q, u = me.dynamicsymbols("q u")
    N, A, P = me.ReferenceFrame("N"), me.ReferenceFrame("A"), me.Point("P")
    P.set_vel(N, u * A.x)
    method = me.KanesMethod(N, [q], [u], [q.diff(t) - u], bodies=[me.Particle("body", P, 1)])
    with refused("motion-unknown", "A", "N"):
        from_sympy(method)


def test_momentum_and_reactions_are_not_known():
    eom = from_sympy(sprung_mass(lambda q, u: -q))
    with refused("bodies-unknown"):
        _ = eom.linear_momentum


def test_inertia_about_another_point_and_in_another_frame():
    q, u = me.dynamicsymbols("q u")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u * N.z)
    T = A.orientnew("T", "Axis", [0.3, A.x])
    C = O.locatenew("C", 0.5 * A.x)
    C.v2pt_theory(O, N, A)
    body = me.RigidBody("body", C, A, 2, (me.inertia(T, 1.0, 2.0, 3.0, 0.1, 0.2, 0.3), O))
    method = me.KanesMethod(N, [q], [u], [q.diff(t) - u], bodies=[body], forcelist=[(C, 5 * N.x)])
    eom = from_sympy(method)
    method.kanes_equations()
    own = sympy_rates(method, [q], [u], {})
    assert np.allclose(our_rates(eom, [0.4], [0.5]), own([0.4], [0.5]), rtol=1e-12)
