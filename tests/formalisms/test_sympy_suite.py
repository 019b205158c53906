"""What SymPy's own tests of its mechanics package expect, derived here and proved equal; the test's name is given.

Systems with constraints, and the rolling disc (test_rolling_disc, test_aux, test_aux_dep, test_kane5), have files of
their own.
"""

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import all_same, array, substitute

from .printed import balance, forcing, is_printed, printed

ALL = [mb.Kane(), mb.Lagrange(), mb.Recursive(), mb.ArticulatedBody(), mb.NewtonEuler(), mb.Wittenburg(), mb.Modular()]
every_formalism = pytest.mark.parametrize("formalism", ALL, ids=repr)


# springs and pendulums ----------------------------------------------------------------------------------------------


@every_formalism
def test_one_dof(formalism):
    """test_kane.py::test_one_dof: a mass with spring and damper, and its linear form."""
    system = mb.System("oscillator", gravity=(0, 0, 0))
    m, c, k = system.parameters(m=1.0, c=0.1, k=2.0)
    mass = system.particle("mass", m)
    joint = system.joint("q", system.world, mass, "Tx")
    system.load(mb.JointSpring(joint, k))
    system.load(mb.JointDamper(joint, c))
    eom = mb.derive(system, formalism)
    assert is_printed(eom.acceleration, "-(q*k + q'*c)/m", eom)


def masses_in_a_row(count, gravity=False, force=False):
    """models.py::multi_mass_spring_damper: each mass moves relative to the one before."""
    system = mb.System("row", gravity=(0, 0, 0))
    if gravity:
        system.gravity = (system.parameter("g", 9.81), 0, 0)
    inner = system.world
    for i in range(count):
        m, c, k = system.parameters(**{f"m{i}": 1.0, f"c{i}": 0.1, f"k{i}": 2.0})
        mass = system.particle(f"mass{i}", m)
        joint = system.joint(f"x{i}", inner, mass, "Tx")
        system.load(mb.JointSpring(joint, k))
        system.load(mb.JointDamper(joint, c))
        if force:
            system.load(mb.Force(mass, (system.input(f"f{i}"), 0, 0)))
        inner = mass
    return system


@every_formalism
def test_two_dof(formalism):
    """test_kane.py::test_two_dof and test_jointsmethod.py::test_two_dof_joints."""
    eom = mb.derive(masses_in_a_row(2), formalism)
    equal = {printed("m1", eom): printed("m0", eom)}
    published = "(-k0*x0 - c0*x0' + k1*x1 + c1*x1')/m0; (k0*x0 + c0*x0' - 2*k1*x1 - 2*c1*x1')/m0"
    assert is_printed(substitute(list(eom.acceleration), equal), published, eom)


@every_formalism
def test_multi_mass_spring_damper(formalism):
    """test_models.py, one and three masses."""
    one = mb.derive(masses_in_a_row(1, gravity=True, force=True), formalism)
    assert is_printed(one.M, "m0", one)
    assert is_printed(forcing(one), "-c0*x0' + g*m0 - k0*x0 + f0", one)
    three = mb.derive(masses_in_a_row(3), formalism)
    assert is_printed(three.M, "m0 + m1 + m2, m1 + m2, m2; m1 + m2, m1 + m2, m2; m2, m2, m2", three)
    assert is_printed(forcing(three), "-c0*x0' - k0*x0; -c1*x1' - k1*x1; -c2*x2' - k2*x2", three)


def double_pendulum():
    system = mb.System("double_pendulum")
    m, l, g = system.parameters(m=1.0, l=1.0, g=9.81)
    system.gravity = (g, 0, 0)
    inner = system.world
    for k in (1, 2):
        bob = system.particle(f"bob{k}", m)
        system.joint(f"q{k}", inner, bob.frame(f"hinge{k}", (-l, 0, 0)), "Rz")
        inner = bob
    return system


@every_formalism
def test_double_pendulum(formalism):
    """test_jointsmethod.py::test_complete_simple_double_pendulum: relative angles."""
    eom = mb.derive(double_pendulum(), formalism)
    both = "l**2*m*cos(q2) + l**2*m"
    assert is_printed(eom.M, f"2*l**2*m*cos(q2) + 3*l**2*m, {both}; {both}, l**2*m", eom)
    published = (
        "-g*l*m*(sin(q1 + q2) + sin(q1)) - g*l*m*sin(q1) + l**2*m*(2*q1' + q2')*q2'*sin(q2);"
        "-g*l*m*sin(q1 + q2) - l**2*m*q1'**2*sin(q2)"
    )
    assert is_printed(forcing(eom), published, eom)


def test_double_pendulum_in_absolute_angles():
    """test_lagrange.py::test_dub_pen: by Kane's method, with absolute angular velocities as speeds."""
    system = double_pendulum()
    q1, q2 = system["q1"], system["q2"]
    eom = mb.derive(system, mb.Kane({"w1": q1.speed, "w2": q1.speed + q2.speed}))
    published = (
        "l*m*(2*g*sin(q1) + l*sin(q1)*sin(q2)*w2' + l*sin(q1)*cos(q2)*w2**2 - l*sin(q2)*cos(q1)*w2**2"
        " + l*cos(q1)*cos(q2)*w2' + 2*l*w1');"
        "l*m*(g*sin(q2) + l*sin(q1)*sin(q2)*w1' - l*sin(q1)*cos(q2)*w1**2 + l*sin(q2)*cos(q1)*w1**2"
        " + l*cos(q1)*cos(q2)*w1' + l*w2')"
    )
    assert is_printed(balance(eom), published, eom, q2=q1.coordinate + q2.coordinate)


def test_n_link_pendulum_on_cart():
    """test_models.py, two links, angles from the vertical, with a torque and a force as inputs."""
    system = mb.System("cart")
    m0, m1, m2, l0, l1, g = system.parameters(m0=1.0, m1=1.0, m2=1.0, l0=1.0, l1=1.0, g=9.81)
    system.gravity = (0, -g, 0)
    cart, first, second = (system.particle(f"P{k}", m) for k, m in enumerate((m0, m1, m2)))
    system.joint("q0", system.world, cart, "Tx")
    q1 = system.joint("q1", cart, first.frame("foot1", (0, -l0, 0)), "Rz")
    q2 = system.joint("q2", first, second.frame("foot2", (0, -l1, 0)), "Rz")
    system.load(mb.Force(cart, (system.input("F"), 0, 0)))
    eom = mb.derive(system, mb.Kane({"u0": system["q0"].speed, "u1": q1.speed, "u2": q1.speed + q2.speed}))
    absolute = {"q2": q1.coordinate + q2.coordinate}
    across, mixed = "-l0*m1*cos(q1) - l0*m2*cos(q1)", "l0*l1*m2*(sin(q1)*sin(q2) + cos(q1)*cos(q2))"
    matrix = (
        f"m0 + m1 + m2, {across}, -l1*m2*cos(q2); {across}, l0**2*m1 + l0**2*m2, {mixed};"
        f"-l1*m2*cos(q2), {mixed}, l1**2*m2"
    )
    assert is_printed(eom.M, matrix, eom, **absolute)
    published = (
        "-l0*m1*u1**2*sin(q1) - l0*m2*u1**2*sin(q1) - l1*m2*u2**2*sin(q2) + F;"
        "g*l0*m1*sin(q1) + g*l0*m2*sin(q1) - l0*l1*m2*(sin(q1)*cos(q2) - sin(q2)*cos(q1))*u2**2;"
        "g*l1*m2*sin(q2) - l0*l1*m2*(-sin(q1)*cos(q2) + sin(q2)*cos(q1))*u1**2"
    )
    assert is_printed(forcing(eom), published, eom, **absolute)


@every_formalism
def test_parallel_axis(formalism):
    """test_kane.py::test_parallel_axis: the inertia of the pendulum is given about its hinge."""
    system = mb.System("inverted")
    g, k, ls, a, mA, mC, Ix, Iy, Iz = system.parameters(
        g=9.81, k=1.0, ls=0.5, a=0.3, mA=1.0, mC=2.0, Ix=1.0, Iy=1.0, Iz=1.0
    )
    system.gravity = (0, -g, 0)
    cart = system.particle("cart", mC)
    pendulum = system.body("pendulum", mA, (0, a, 0), (Ix, Iy, Iz), about="origin")
    q1 = system.joint("q1", system.world, cart, "Tx")
    system.joint("q2", cart, pendulum, mb.Revolute("-z"))
    system.load(mb.JointSpring(q1, k, ls))
    eom = mb.derive(system, formalism)
    assert is_printed(eom.M[1, 1], "Iz", eom)
    assert is_printed(eom.M[0], "mA + mC, a*mA*cos(q2)", eom)


@every_formalism
def test_chaos_pendulum(formalism):
    """test_jointsmethod.py::test_chaos_pendulum: Kane's babyboot."""
    system = mb.System("babyboot")
    mA, mB, lA, lB, IAxx, IBxx, IByy, IBzz, g = system.parameters(
        mA=1.0, mB=1.0, lA=0.1, lB=0.2, IAxx=1.0, IBxx=1.0, IByy=2.0, IBzz=3.0, g=9.81
    )
    system.gravity = (0, 0, g)
    rod = system.body("rod", mA, inertia=(IAxx, IAxx, 0))
    plate = system.body("plate", mB, inertia=(IBxx, IByy, IBzz))
    system.joint("theta", system.world, rod.frame("top", (0, 0, -lA)), "Ry")
    system.joint("phi", rod.frame("low", (0, 0, lB - lA)), plate, "Rz")
    eom = mb.derive(system, formalism)
    published = (
        "(-2*IBxx*phi'*theta'*sin(phi)*cos(phi) + 2*IByy*phi'*theta'*sin(phi)*cos(phi) - g*lA*mA*sin(theta)"
        " - g*lB*mB*sin(theta))/(IAxx + IBxx*sin(phi)**2 + IByy*cos(phi)**2 + lA**2*mA + lB**2*mB);"
        "(IBxx - IByy)*theta'**2*sin(phi)*cos(phi)/IBzz"
    )
    assert is_printed(eom.acceleration, published, eom)


# a mass matrix that is singular -------------------------------------------------------------------------------------


def spherical_pendulum(spin_inertia):
    """A particle on a rod, turned by angles about z, x, y; speeds are the angular velocity in its own axes."""
    system = mb.System("spherical")
    g, l, m, J = system.parameters(g=9.81, l=1.0, m=1.0, J=1.0)
    system.gravity = (0, -g, 0)
    bob = system.body("bob", m, (0, -l, 0), (0, J * spin_inertia, 0))
    system.joint("q", system.world, bob, ["Rz", "Rx", "Ry"])
    system.sensor("w", mb.AngularVelocity(bob, expressed_in=bob))
    return system, dict(zip(("u1", "u2", "u3"), system.measured("w"), strict=True))


def test_issue_24887():
    """The published M and forcing, as the limit of a bob that resists its spin with J."""
    system, speeds = spherical_pendulum(1)
    eom = mb.derive(system, mb.Kane(speeds))
    no_inertia = {printed("J", eom): 0}
    q = dict(zip(("q1", "q2", "q3"), eom.coordinates, strict=True))
    assert is_printed(substitute(list(eom.M.flat), no_inertia), "m*l**2,0,0,0,0,0,0,0,m*l**2", eom)
    published = (
        "l*m*(g*(sin(q1)*sin(q3) - sin(q2)*cos(q1)*cos(q3)) - l*u2*u3); 0;"
        "l*m*(-g*(sin(q1)*cos(q3) + sin(q2)*sin(q3)*cos(q1)) + l*u1*u2)"
    )
    assert is_printed(substitute(list(forcing(eom)), no_inertia), published, eom, **q)


def test_a_singular_mass_matrix_is_an_error_that_names_the_speed():
    """SymPy returns matrices that cannot be solved; here it is said before anything is computed with them."""
    system, speeds = spherical_pendulum(0)
    with refused("matrix-singular") as caught:
        mb.derive(system, mb.Kane(speeds))
    assert "spherical" in str(caught.value)
    for formalism in ALL:
        with refused("matrix-singular"):
            mb.derive(system, formalism)


# kinematics ---------------------------------------------------------------------------------------------------------


def test_quaternion_kinematics():
    """test_kane.py::test_implicit_kinematics: the textbook matrix, half of Q(q)·(0, ω)."""
    system = mb.System("flight", gravity=(0, 0, 0))
    system.joint("b", system.world, system.body("B", 1, inertia=(1, 2, 3)), mb.Spherical())
    eom = mb.derive(system, mb.Kane())
    w, x, y, z = eom.coordinates
    textbook = array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) / 2
    assert all_same(eom.N, textbook, points=2)
