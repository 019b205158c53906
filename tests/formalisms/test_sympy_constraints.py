"""What SymPy's own tests of its mechanics package expect of systems with constraints, derived here and proved equal."""

import numpy as np
import pytest

import multibody as mb
from multibody.graph import cos, pi, same, sin, substitute

from .printed import balance, forcing, is_printed, printed

ALL = [mb.Kane(), mb.Lagrange(), mb.Recursive(), mb.ArticulatedBody(), mb.NewtonEuler(), mb.Wittenburg(), mb.Modular()]
every_formalism = pytest.mark.parametrize("formalism", ALL, ids=repr)


@every_formalism
def test_disc_on_an_inclined_plane(formalism):
    """test_lagrange.py::test_disc_on_an_incline_plane: rolling down with 2/3 of the acceleration of sliding."""
    system = mb.System("incline")
    m, g, R, alpha = system.parameters(m=1.0, g=9.81, R=0.5, alpha=0.3)
    system.gravity = (g * sin(alpha), -g * cos(alpha), 0)  # x is down the plane
    hub = system.body("hub")
    disc = system.body("disc", m, inertia=(0, 0, m * R**2 / 2))
    y = system.joint("y", system.world, hub, "Tx")
    theta = system.joint("theta", hub, disc, mb.Revolute("-z"))
    system.constraint(y.coordinate - R * theta.coordinate, name="roll")
    eom = mb.derive(system, formalism)
    assert is_printed(eom.acceleration[0], "2*g*sin(alpha)/3", eom)
    assert is_printed(eom.multiplier_values[0], "-m*g*sin(alpha)/3", eom)  # friction, by hand


def cart_pendulum():
    """test_system_class.py: a spring torque k·qp acts on the bob, a force F on the cart."""
    system = mb.System("cart_pendulum")
    g, l, mc, mp, k = system.parameters(g=9.81, l=1.0, mc=2.0, mp=1.0, k=3.0)
    system.gravity = (0, -g, 0)
    cart, bob = system.particle("cart", mc), system.particle("bob", mp)
    qc = system.joint("qc", system.world, cart, "Tx")
    qp = system.joint("qp", cart, bob.frame("hinge", (0, l, 0)), "Rz")
    system.load(mb.Force(cart, (system.input("F"), 0, 0)))
    system.load(mb.JointLoad(qp, k * qp.coordinate))
    return system, qc, qp


@every_formalism
def test_cart_pendulum(formalism):
    """test_cart_pendulum_kanes and test_cart_pendulum_lagrange."""
    eom = mb.derive(cart_pendulum()[0], formalism)
    assert is_printed(eom.M, "mp + mc, mp*l*cos(qp); mp*l*cos(qp), mp*l**2", eom)
    assert is_printed(forcing(eom), "mp*l*qp'**2*sin(qp) + F; -mp*g*l*sin(qp) + k*qp", eom)


@every_formalism
def test_cart_pendulum_with_a_constraint(formalism):
    """The bob stays above one point of the rail: up' as published, and SymPy's matrices for Lagrange."""
    system, qc, qp = cart_pendulum()
    system.constraint(qc.coordinate + system["l"].symbols * sin(qp.coordinate), name="vertical")
    eom = mb.derive(system, formalism)
    on_it = {qc.speed: printed("-l*cos(qp)*qp'", eom)}
    published = (
        "(-g*mp*sin(qp) + k*qp/l + l*mc*sin(2*qp)*qp'**2/2 - l*mp*sin(2*qp)*qp'**2/2 - F*cos(qp))"
        "/(l*(mc*cos(qp)**2 + mp*sin(qp)**2))"
    )
    assert is_printed(substitute(eom.acceleration[1], on_it), published, eom)
    full = eom.combined_form()  # SymPy has qp before qc
    order = [1, 0, 3, 2, 4]
    matrix = "1,0,0,0,0; 0,1,0,0,0; 0,0,l**2*mp,l*mp*cos(qp),-l*cos(qp); 0,0,l*mp*cos(qp),mc + mp,-1; 0,0,l*cos(qp),1,0"
    assert is_printed(full.matrix[np.ix_(order, order)], matrix, eom)
    right = "qp'; qc'; -g*l*mp*sin(qp) + k*qp; l*mp*sin(qp)*qp'**2 + F; l*sin(qp)*qp'**2"
    assert is_printed(full.right[order], right, eom)


@every_formalism
def test_box_on_ground(formalism):
    """test_box_on_ground: the normal force, without an auxiliary speed, and friction that depends on it."""
    system = mb.System("box")
    g, m, mu = system.parameters(g=9.81, m=1.0, mu=0.2)
    system.gravity = (0, -g, 0)
    box = system.particle("box", m)
    q = system.joint("q", system.world, box, "Tx")
    normal = system.input("N")
    system.load(mb.JointLoad(q, system.input("F") - mu * normal))
    eom = mb.derive(system, formalism)
    assert is_printed(eom.M, "m", eom)
    assert is_printed(forcing(eom), "F - mu*N", eom)
    assert is_printed(eom.reaction("q").resultant.y, "m*g", eom)  # the auxiliary equation is N - m·g = 0


def test_four_bar_linkage():
    """test_jointsmethod.py::test_four_bar_linkage_with_manual_constraints, the published numbers.

    SymPy's mass matrix is [Cᵀ·M; B] for the orthogonal complement C of the constraint matrix, its forcing
    (Cᵀ·(f - h), -γ).
    """
    system = mb.System("four_bar", gravity=(0, 0, 0))
    lengths, rho = (0.13, 0.24, 0.21, 0.34), 997.0
    inner = system.frame("right", (lengths[0] / 2, 0, 0))
    for k, length in enumerate(lengths[1:], 1):
        link = system.body(f"link{k}", rho * length, (length / 2, 0, 0), (0, 0, rho * length**3 / 12))
        system.joint(f"q{k}", inner, link, "Rz")
        inner = link.frame(f"end{k}", (length, 0, 0))
    system.constraint(system.frame("left", (-lengths[0] / 2, 0, 0)), inner, translation="xy", name="loop")
    eom = mb.derive(system, mb.Kane(dependent=["q2_dot", "q3_dot"]))
    quantities = {"M": eom.M, "right": forcing(eom), "B": eom.B}
    state = [2.1, 0.6655470375077588, 2.527408138024188], [0.2, -0.17963733938852067, 0.1309060540601612]
    found = eom.function("forms", quantities)(0.0, *state, [], [])
    np.testing.assert_allclose(eom.constraint_residuals(0.0, *state, [], []).velocity, 0, atol=1e-10)
    C = np.concatenate([[1], np.linalg.solve(found.B[:, 1:], -found.B[:, 0])])
    mass = [
        [34.52709815256506, 7.003948798374735, -4.939690970641498],
        [-2.203792703880936e-14, 0.2071702479957077, 0.2842917573033711],
        [-0.1300000000000123, -0.008836934896046506, 0.1864891330060847],
    ]
    np.testing.assert_allclose(np.vstack([C @ found.M, found.B]), mass, rtol=0, atol=1e-10)
    right = np.concatenate([[C @ found.right[:3]], found.right[3:]])
    np.testing.assert_allclose(right, [-0.031211821321648, -0.00066022608181, 0.001813559741243], rtol=0, atol=1e-10)
    acceleration = eom.forward_dynamics(0.0, *state, [], [])
    np.testing.assert_allclose(np.array(mass) @ acceleration, right, rtol=0, atol=1e-9)


# a vehicle on two wheels (Kane and Levinson 1985, exercises 8.12 and 8.17) ------------------------------------------


def two_wheeled_cart(about):
    """test_kane2.py::test_non_central_inertia, ::test_sub_qdot: on a plane that is inclined by theta.

    Its frame A turns by q1 about the normal x of the plane and moves along its own y; D is the middle of the axle, the
    wheels B and C are at ±b along z. ``about`` says what point the inertia tensors refer to.
    """
    system = mb.System("cart", gravity=(0, 0, 0))
    values = {"M": 3.0, "g": 9.81, "e": 0.2, "f": 0.3, "theta": 0.1, "R": 0.4, "a": 0.1, "b": 0.5, "mA": 1.0, "mB": 0.5}
    M, g, e, f, theta, R, a, b, mA, mB = system.parameters(**values)
    IA, IA22, IA33, IA23, J, K = system.parameters(IA=1.0, IA22=1.0, IA33=1.0, IA23=0.1, J=0.2, K=0.1)
    Q1, Q2, Q3 = (system.input(f"Q{k}") for k in (1, 2, 3))
    D, steiner = system.body("D"), 1 if about == "axle" else 0
    A = system.body("A", mA, (0, a, 0), (IA + steiner * mA * a**2, 0, IA22, 0, IA23, IA33 + steiner * mA * a**2),
                    about="origin" if steiner else "com")  # fmt: skip
    place = system.joint("p", system.world, D, ["Ty", "Tz"])
    yaw = system.joint("q1", D, A, "Rx")
    tensor = (K + steiner * mB * b**2, K + steiner * mB * b**2, J)
    for name, side in (("B", b), ("C", -b)):
        wheel = system.body(name, mB, inertia=tensor, about=(0, 0, -side) if steiner else "com")
        system.joint(f"spin_{name}", A.frame(f"axle_{name}", (0, 0, side)), wheel, "Rz")
    weight = (-M * g * cos(theta), 0, M * g * sin(theta))  # -M·g·F_x in the axes of the plane
    system.load(mb.Force(A, weight, at=A.frame("S", (0, e, 0)), expressed_in=system.world))
    system.load(mb.Force(A, (Q1, Q2, Q3), at=A.frame("Q", (-R, f, 0)), expressed_in=A))
    ahead = cos(yaw.coordinate) * place.speeds[0] + sin(yaw.coordinate) * place.speeds[1]
    aside = cos(yaw.coordinate) * place.speeds[1] - sin(yaw.coordinate) * place.speeds[0]
    slips = [ahead - side * yaw.speed - R * system[f"spin_{name}"].speed for name, side in (("B", b), ("C", -b))]
    for name, value in zip(("aside", "slip_B", "slip_C"), (aside, *slips), strict=True):
        system.constraint(value, name=name)
    return system, dict(zip(("u1", "u2", "u3", "u4", "u5"), (yaw.speed, ahead, aside, *slips), strict=True))


@pytest.mark.parametrize("about", ["com", "axle"])
def test_two_wheeled_cart(about):
    """-(F_r + F_r*) for u1 and u2, while the constraints u3 = u4 = u5 = 0 hold."""
    system, speeds = two_wheeled_cart(about)
    eom = mb.derive(system, mb.Kane(speeds))
    rolls = dict.fromkeys([*eom.speeds[2:], *eom.model.accelerations[2:]], 0)
    inertia = (
        "(IA + 2*J*b**2/R**2 + 2*K + mA*a**2 + 2*mB*b**2)*u1' + mA*a*u1*u2 - (f*Q3 + M*g*e*sin(theta)*cos(q1));"
        "(mA + 2*mB + 2*J/R**2)*u2' - mA*a*u1**2 - (Q2 + M*g*sin(theta)*sin(q1))"
    )
    assert is_printed(substitute(list(balance(eom))[:2], rolls), inertia, eom)


def test_pitching_torque_of_the_cart():
    """The third F_r, of an auxiliary speed that pitches A while the wheels roll on; its F_r* is zero."""
    system, speeds = two_wheeled_cart("com")
    eom = mb.derive(system, mb.Kane(speeds, auxiliary=["q1", "spin_B", "spin_C"]))
    torque = eom.auxiliary["q1_tz"] - eom.auxiliary["spin_B_tz"] - eom.auxiliary["spin_C_tz"]
    rolls = dict.fromkeys([*eom.speeds[2:], *eom.model.accelerations[2:]], 0)
    assert is_printed(-substitute(torque, rolls), "e*M*g*cos(theta) - Q1*f - Q2*R", eom)
    frame, *wheels = (eom.reaction(name).moment.z for name in ("q1", "spin_B", "spin_C"))
    assert same(torque, frame - sum(wheels), points=2)  # without the trick


def test_generalized_forces_on_a_disc():
    """test_kane2.py::test_sub_qdot2 (exercise 8.3): forces on the contact point, with and without rolling."""
    system = mb.System("disc", gravity=(0, 0, 0))
    g, m, R = system.parameters(g=9.81, m=1.0, R=0.5)
    P = [system.input(name) for name in ("Px", "Py", "Pz")]
    ground, yaw, lean = (system.body(name) for name in ("ground", "yaw", "lean"))
    wheel = system.body("wheel", m, inertia=(1, 1, 2))
    system.joint("p", system.world, ground, ["Tx", "Ty"])
    system.joint("q0", ground, yaw, "Rz")
    system.joint("q1", yaw.frame("upright", rotation=mb.Rotation.about_x(pi / 2)), lean, mb.Revolute("-x"))
    system.joint("q2", lean.frame("center", (0, R, 0)), wheel, "Rz")
    system.load(mb.Force(wheel, (0, 0, -m * g), expressed_in=system.world))
    system.load(mb.Force(wheel, P, at=ground, expressed_in=system.world))
    system.sensor("w", mb.AngularVelocity(wheel, expressed_in=lean))
    system.sensor("w_world", mb.AngularVelocity(wheel))
    system.sensor("v", mb.Velocity(wheel))
    system.sensor("arm", mb.Position(wheel, relative_to=ground))
    w, w_world, v, arm = (system.measured(name) for name in ("w", "w_world", "v", "arm"))
    speeds = dict(zip(("u0", "u1", "u2"), w, strict=True))
    eom = mb.derive(system, mb.Kane(speeds))
    across = "(Px*cos(q0) + Py*sin(q0))"
    assert is_printed(eom.f, f"-R*g*m*sin(q1); -R*{across}*tan(q1); R*{across}; Px; Py", eom)
    slip = v - np.cross(
        w_world, arm
    )  # as speeds u3 and u4, which are zero when it rolls: the others are those of rolling
    eom = mb.derive(system, mb.Kane(speeds | {"u3": slip[0], "u4": slip[1]}))
    assert is_printed(eom.f[:3], "-R*g*m*sin(q1); 0; 0", eom)
