"""The examples of SymPy's manual, read from SymPy's own objects; each result is what the manual prints.

Two of them are read as they are written, although they are wrong (see the page about formalisms): the multiplier of the
SymbolicSystem, and the disc whose rolling was put into its Lagrangian.
"""

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from tests.refusal import refused

import multibody as mb
from multibody.compat.sympy import from_sympy
from multibody.linearization import linearize_symbolic

from ..formalisms.printed import is_printed  # noqa: TID252

t = me.dynamicsymbols._t
L, m, g, r = sm.symbols("L m g r")
N = me.ReferenceFrame("N")


# Kane's and Lagrange's method ----------------------------------------------------------------------------------------


def test_one_particle_by_kane():
    q, u = me.dynamicsymbols("q u")
    P = me.Point("P")
    P.set_vel(N, u * N.x)
    method = me.KanesMethod(N, [q], [u], [q.diff(t) - u])
    method.kanes_equations([me.Particle("Pa", P, 5)], [(P, 7 * N.x)])
    eom = from_sympy(method)
    assert is_printed(eom.separate_form().matrix, "5", eom)
    assert is_printed(eom.separate_form().right, "7", eom)
    assert is_printed(eom.combined_form().matrix, "1, 0; 0, 5", eom)
    assert is_printed(eom.combined_form().right, "u; 7", eom)


def test_a_lagrangian_with_and_without_a_constraint_and_a_force():
    q1, q2 = me.dynamicsymbols("q1 q2")
    lagrangian = q1.diff(t) ** 2 + q2.diff(t) ** 2
    free = from_sympy(me.LagrangesMethod(lagrangian, [q1, q2]))
    assert is_printed(free.M, "2, 0; 0, 2", free)
    assert is_printed(free.acceleration, "0; 0", free)
    held = from_sympy(me.LagrangesMethod(lagrangian, [q1, q2], hol_coneqs=[q1 - q2]))
    full = held.combined_form()
    assert is_printed(full.matrix, "1,0,0,0,0; 0,1,0,0,0; 0,0,2,0,-1; 0,0,0,2,1; 0,0,1,-1,0", held)
    assert is_printed(full.right, "q1'; q2'; 0; 0; 0", held)
    P = me.Point("P")
    P.set_vel(N, q1.diff(t) * N.x)
    pushed = from_sympy(me.LagrangesMethod(lagrangian, [q1, q2], forcelist=[(P, 7 * N.x)], frame=N))
    assert is_printed(pushed.acceleration, "7/2; 0", pushed)


def test_a_prismatic_joint():
    q1, u1 = me.dynamicsymbols("q1 u1")
    parent, child = me.RigidBody("parent"), me.RigidBody("child")
    places = {"parent_point": parent.x / 2 + parent.y / 10, "child_point": -(child.x + child.y) / 10}
    system = me.System.from_newtonian(parent)
    system.add_joints(me.PrismaticJoint("slider", parent, child, q1, u1, joint_axis=parent.x, **places))
    eom = from_sympy(system)
    assert is_printed(eom.M, "child_mass", eom)
    assert is_printed(eom.acceleration, "0", eom)
    (place,) = (one for one in eom.places if one.name == "child")
    assert is_printed(place.position, "q1 + 1/2 + 1/10; 1/10 + 1/10; 0", eom)


# symbolic systems ----------------------------------------------------------------------------------------------------


def symbolic_systems():
    """A pendulum in Cartesian coordinates with its multiplier among the states, in three forms."""
    x, y, u, v, lam = states = me.dynamicsymbols("x y u v lambda")
    l = sm.Symbol("l")
    dynamics = sm.Matrix([[1, 0, -x / m], [0, 1, -y / m], [0, 0, l**2 / m]])
    right = sm.Matrix([0, 0, u**2 + v**2 - g * y])
    kinematics = sm.Matrix([u, v])
    combined, both = sm.diag(1, 1, dynamics), kinematics.col_join(right)
    coordinates = {"coord_idxs": (0, 1)}
    apart = {"mass_matrix": dynamics, "coordinate_derivatives": kinematics, "speed_idxs": (2, 3)}
    output = {"output_eqns": {"pull": lam * l}}
    return {
        "explicit": me.SymbolicSystem(states, combined.LUsolve(both), alg_con=[4], **output),
        "combined": me.SymbolicSystem(states, both, mass_matrix=combined, alg_con=[4], **coordinates, **output),
        "separate": me.SymbolicSystem(states, right, alg_con=[2], **coordinates, **apart, **output),
    }


@pytest.mark.parametrize("form", ["explicit", "combined", "separate"])
def test_a_multiplier_among_the_states(form):
    eom = from_sympy(symbolic_systems()[form], parameters={"m": 2.0, "l": 1.5, "g": 9.81})
    assert [one.name for one in (*eom.coordinates, *eom.speeds)] == ["x", "y", "u", "v"]
    assert len(eom.coordinates) == (0 if form == "explicit" else 2)
    bracket = "(-g*y + u**2 + v**2)"
    assert is_printed(eom.explicit_form(), f"u; v; {bracket}*x/l**2; {bracket}*y/l**2", eom)
    (lam,) = (one for node, one in eom.symbols.items() if str(node) == "lambda(t)")
    assert is_printed(lam, f"m*{bracket}/l**2", eom)
    assert is_printed(eom.outputs["pull"], f"m*{bracket}/l", eom)
    run = mb.simulate(eom, 0.1, q=[] if form == "explicit" else [1.5, 0.0], u=[1.5, 0, 0, 1][-len(eom.speeds) :])
    assert run["pull"][0] == pytest.approx(2.0 * 1.0 / 1.5)


def test_a_multiplier_on_the_right():
    """M·ẋ = F(x, λ) with a row of zeros in M, which says 2·λ = 6·x: 2·u̇ = λ - 8·x = -5·x."""
    x, u, lam = me.dynamicsymbols("x u lam")
    right = sm.Matrix([u, lam - 8 * x, 2 * lam - 6 * x])
    system = me.SymbolicSystem([x, u, lam], right, mass_matrix=sm.diag(1, 2, 0), alg_con=[2], coord_idxs=[0])
    eom = from_sympy(system)
    assert is_printed(eom.acceleration, "-5*x/2", eom)
    with refused("name-unknown"):
        from_sympy(system, start={lam: 1.0})


def test_symbolic_systems_that_do_not_fit_are_told():
    theta, omega = me.dynamicsymbols("theta omega")
    with refused("sympy-system-inconsistent") as caught:
        from_sympy(me.SymbolicSystem([theta], sm.Matrix([-theta]), [omega], sm.Matrix([[m]])))
    assert "1 rows" in caught.value.cause
    assert "coordinate_derivatives" in caught.value.remedy
    plain = {"coord_states": [theta, omega], "right_hand_side": sm.Matrix([omega, -theta])}
    with refused("sympy-system-inconsistent"):
        from_sympy(me.SymbolicSystem(**plain, alg_con=[7]))
    with refused("bodies-unknown"):
        from_sympy(me.SymbolicSystem(**plain), origin=me.Point("O"))
    with refused("name-invalid"):
        from_sympy(me.SymbolicSystem(**plain, output_eqns={"2x": theta}))


# pendulums, linearized -----------------------------------------------------------------------------------------------


def turning_pendulum(method):
    """A.x is along the pendulum, gravity along N.x."""
    q1, u1 = me.dynamicsymbols("q1 u1")
    speed = u1 if method is me.KanesMethod else q1.diff(t)
    O, A = me.Point("O"), N.orientnew("A", "axis", [q1, N.z])
    O.set_vel(N, 0)
    A.set_ang_vel(N, speed * N.z)
    P = O.locatenew("P", L * A.x)
    P.v2pt_theory(O, N, A)
    particle, loads = me.Particle("pP", P, m), [(P, m * g * N.x)]
    if method is me.KanesMethod:
        return method(N, q_ind=[q1], u_ind=[u1], kd_eqs=[q1.diff(t) - u1], bodies=[particle], forcelist=loads)
    return method(me.Lagrangian(N, particle), [q1], forcelist=loads, frame=N)


@pytest.mark.parametrize("method", [me.KanesMethod, me.LagrangesMethod])
def test_a_pendulum_linearized(method):
    """SymPy prints the second rows of M and A with the opposite sign."""
    eom = from_sympy(turning_pendulum(method))
    lin = linearize_symbolic(eom, free=eom.coordinates)
    assert is_printed(lin.descriptor.E, "1, 0; 0, L**2*m", eom)
    assert is_printed(lin.descriptor.F, "0, 1; -L*g*m*cos(q1), 0", eom)
    assert is_printed(lin.A, "0, 1; -g*cos(q1)/L, 0", eom)
    assert is_printed(linearize_symbolic(eom, {"q1": 0}).A, "0, 1; -g/L, 0", eom)
    assert lin.inputs == ()


def cartesian_pendulum(method):
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    O, A = me.Point("O"), N.orientnew("A", "axis", [sm.atan(q2 / q1), N.z])
    O.set_vel(N, 0)
    P = O.locatenew("P1", q1 * N.x + q2 * N.y)
    particle, loads = me.Particle("pP", P, m), [(P, m * g * N.x)]
    P.set_vel(N, P.pos_from(O).dt(N))
    if method is me.LagrangesMethod:
        lagrangian = me.Lagrangian(N, particle)
        return method(lagrangian, [q1, q2], hol_coneqs=[q1**2 + q2**2 - L**2], forcelist=loads, frame=N)
    P.set_vel(N, u1 * N.x + u2 * N.y)
    radial = P.vel(N).express(A).dot(A.x).simplify()
    return method(
        N, q_ind=[q2], u_ind=[u2], q_dependent=[q1], u_dependent=[u1], kd_eqs=[q1.diff(t) - u1, q2.diff(t) - u2],
        configuration_constraints=[P.pos_from(O).magnitude() - L], velocity_constraints=[radial],
        bodies=[particle], forcelist=loads,
    )  # fmt: skip


def test_an_operating_point_by_objects_of_sympy():
    """The manual's: all coordinates and their rates; accelerations and multipliers follow."""
    q1, q2 = me.dynamicsymbols("q1 q2")
    eom = from_sympy(cartesian_pendulum(me.LagrangesMethod))
    rest = {q1.diff(t): 0, q2.diff(t): 0}
    lin = linearize_symbolic(eom, eom.named({q1: L, q2: 0}, rest), independent=["q2"])
    assert is_printed(lin.A, "0, 1; -g/L, 0", eom)
    numbers = eom.named({L: 1.5, m: 2, g: sm.Float(9.8)})
    by_numbers = mb.linearize(eom, eom.named({q1: sm.Rational(3, 2), q2: 0}, rest), parameters=numbers)
    np.testing.assert_allclose(by_numbers.A, [[0, 1], [-9.8 / 1.5, 0]], rtol=1e-14, atol=1e-15)
    with refused("name-unknown"):
        eom.named({q1.diff(t, 2): 0})


@pytest.mark.parametrize("method", [me.KanesMethod, me.LagrangesMethod])
def test_a_pendulum_with_a_dependent_coordinate_linearized(method):
    eom = from_sympy(cartesian_pendulum(method), parameters={L: 1.5, m: 2.0, g: 9.8})
    speed = "u2" if method is me.KanesMethod else "q2_dot"
    lin = mb.linearize(eom, {"q1": 1.5, "q2": 0.0}, independent=["q2", speed])
    assert lin.states == ("q2", speed)
    np.testing.assert_allclose(lin.A, [[0, 1], [-9.8 / 1.5, 0]], rtol=1e-14, atol=1e-15)
    assert lin.B.shape == (2, 0)


# the rolling disc ----------------------------------------------------------------------------------------------------


def lean_frame(q):
    Y = N.orientnew("Y", "Axis", [q[0], N.z])
    lean = Y.orientnew("L", "Axis", [q[1], Y.x])
    return Y, lean, lean.orientnew("R", "Axis", [q[2], lean.y])


def disc_at(contact, lean, R):
    centre = contact.locatenew("Dmc", r * lean.z)
    centre.v2pt_theory(contact, N, R)
    return me.RigidBody("BodyD", centre, R, m, (me.inertia(lean, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4), centre))


def test_contact_forces_of_the_rolling_disc():
    """The forces that auxiliary speeds bring into evidence: the manual's auxiliary equations, solved for them."""
    q, u, f = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:7"), me.dynamicsymbols("f1:4")
    Y, lean, R = lean_frame(q)
    turning = R.ang_vel_in(N)
    R.set_ang_vel(N, u[0] * lean.x + u[1] * lean.y + u[2] * lean.z)
    contact, axes = me.Point("C"), (lean.x, Y.z.cross(lean.x), Y.z)
    contact.set_vel(N, sum((one * axis for one, axis in zip(u[3:], axes, strict=True)), 0 * N.x))
    body = disc_at(contact, lean, R)
    loads = [(body.masscenter, -m * g * Y.z), (contact, sum((a * b for a, b in zip(f, axes, strict=True)), 0 * N.x))]
    kd = [(R.ang_vel_in(N) - turning).dot(axis) for axis in lean]
    method = me.KanesMethod(N, q_ind=q, u_ind=u[:3], kd_eqs=kd, u_auxiliary=u[3:], bodies=[body], forcelist=loads)
    eom = from_sympy(method)
    motion = "(4*g*sin(q2) + 6*r*u2*u3 - r*u3**2*tan(q2))/(5*r); -2*u1*u3/3; (-2*u2 + u3*tan(q2))*u1"
    assert is_printed(eom.acceleration, motion, eom)
    assert not eom.inputs
    forces = (
        "m*r*(u1*u3 + u2'); m*r*u1**2*sin(q2) + m*r*u2*u3/cos(q2) - m*r*cos(q2)*u1';"
        "g*m - m*r*(u1**2*cos(q2) + sin(q2)*u1')"
    )
    assert list(eom.auxiliary) == ["f1", "f2", "f3"]
    assert is_printed(list(eom.auxiliary.values()), forces, eom)


def test_a_disc_whose_rolling_is_in_its_lagrangian():
    q = me.dynamicsymbols("q1:4")
    _, lean, R = lean_frame(q)
    contact = me.Point("C")
    contact.set_vel(N, 0)
    body = disc_at(contact, lean, R)
    body.potential_energy = -m * g * r * sm.cos(q[1])
    eom = from_sympy(me.LagrangesMethod(me.Lagrangian(N, body), q))
    accelerations = (
        "-2*(2*tan(q2)*q1' + 3*q3'/cos(q2))*q2';"
        "-4*g*sin(q2)/(5*r) + sin(2*q2)*q1'**2/2 + 6*cos(q2)*q1'*q3'/5;"
        "(-5*cos(q2)*q1' + 6*tan(q2)*q3' + 4*q1'/cos(q2))*q2'"
    )
    assert is_printed(eom.acceleration, accelerations, eom)
