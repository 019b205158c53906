"""The PyMbs manual: its crane crab, its explicit scheme (4.2) to (4.9), its recursion, and loops (4.11).

PyMbs counts gravity among the forces f; here it stands with h. Only h - f is compared.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import multibody as mb
from multibody.algebra import Vec3
from multibody.equations import Kinetics
from multibody.graph import all_same, array, is_zero, jacobian, product, solve, sqrt, substitute, time_derivative
from multibody.library import crane_crab

from .printed import balance, is_printed, printed, solved

ALL = [mb.Recursive(), mb.ArticulatedBody(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange(), mb.Wittenburg(), mb.Modular()]
every_formalism = pytest.mark.parametrize("formalism", ALL, ids=repr)


def names(eom):
    x, phi = eom.coordinates
    v, w = eom.speeds
    return {"x": x, "phi": phi, "v": v, "w": w, "away": x / sqrt(x**2)}


# the crane crab -----------------------------------------------------------------------------------------------------


@every_formalism
def test_crane_crab(formalism):
    """By hand: T = m1·v²/2 + m2·(v² - 2·l2·cos(φ)·v·w + l2²·w²)/2 + I2·w²/2 and V = -m2·g·l2·cos(φ)."""
    eom = mb.derive(crane_crab(), formalism)
    assert is_printed(eom.M, "m1 + m2, -m2*l2*cos(phi); -m2*l2*cos(phi), m2*l2**2 + I2", eom, **names(eom))
    assert is_printed(eom.h, "m2*l2*sin(phi)*w**2; m2*g*l2*sin(phi)", eom, **names(eom))
    assert is_printed(eom.f, "F*away; 0", eom, **names(eom))
    assert is_printed(list(eom.outputs["d"]), "x*away; v*away", eom, **names(eom))


@every_formalism
def test_accelerations_of_the_crane_crab(formalism):
    """Solved by hand: D = (m1 + m2)·(m2·l2² + I2) - (m2·l2·cos φ)²."""
    eom = mb.derive(crane_crab(), formalism)
    more = names(eom)
    more["p"] = printed("F*away - m2*l2*sin(phi)*w**2", eom, **more)
    more["D"] = printed("(m1 + m2)*(m2*l2**2 + I2) - (m2*l2*cos(phi))**2", eom, **more)
    solution = (
        "((m2*l2**2 + I2)*p - m2*l2*cos(phi)*m2*g*l2*sin(phi))/D; (m2*l2*cos(phi)*p - (m1 + m2)*m2*g*l2*sin(phi))/D"
    )
    assert is_printed(eom.acceleration, solution, eom, **more)


def test_all_formalisms_agree_on_the_crane_crab():
    comparison = mb.compare(crane_crab(), ALL)
    assert len(comparison.pairs) == 21
    assert comparison.proved
    start = comparison.model.start
    assert [start[q] for q in comparison.model.coordinates] == [1.0, -1.0]


@every_formalism
def test_numbers_at_the_start(formalism):
    """At rest at φ = -1 with F = 0: M·u̇ = -h, solved by NumPy."""
    eom = mb.derive(crane_crab(), formalism)
    cosine, sine = np.cos(-1.0), np.sin(-1.0)
    M = np.array([[2, -cosine], [-cosine, 1 + 1 / 12]])
    expected = np.linalg.solve(M, [0, -9.81 * sine])
    p = list(eom.model.parameter_values().values())
    np.testing.assert_allclose(eom.forward_dynamics(0.0, [1, -1], [0, 0], [0], p), expected, rtol=1e-14)


# the explicit scheme ------------------------------------------------------------------------------------------------


@every_formalism
def test_explicit_scheme(formalism):
    """Eqs. (4.3), (4.5), (4.6) and (4.8) for the crane crab, with all matrices of both bodies."""
    eom = mb.derive(crane_crab(), formalism)
    (x, phi), (g, m1, m2, _, I2) = eom.coordinates, eom.parameters
    z1 = [x, 0, 0, *(printed(text, eom, **names(eom)) for text in ("x - l2*sin(phi)", "0", "-l2*cos(phi)"))]
    omega = array([0, 0, 0, 0, eom.speeds[1], 0])
    flow = dict(zip([x, phi, *eom.speeds], [*eom.speeds, 0, 0], strict=True))
    J = np.vstack([jacobian(list(array(z1)), [x, phi]), jacobian(list(omega), eom.speeds)])
    J_dot = array(time_derivative(J, flow))
    M = array(np.diag([*[m1] * 3, *[m2] * 3, 0, 0, 0, 0, I2, 0]))  # about one axis, ω × I·ω is zero
    f = array([0, 0, -m1 * g, 0, 0, -m2 * g, *[0] * 6])
    f[0] = printed("F*away", eom, **names(eom))
    M_red = product(J.T, product(M, J))
    h_red = product(J.T, product(M, product(J_dot, array(list(eom.speeds)))))
    assert all_same(M_red, eom.M, points=2)
    assert all_same(h_red - product(J.T, f), eom.h - eom.f, points=2)


# the recursive scheme -----------------------------------------------------------------------------------------------

ZERO = Vec3(0, 0, 0).symbolic()


def arm():
    """A serial arm of one-degree-of-freedom joints, turning and sliding, with loads on its last body."""
    system = mb.System("arm", gravity=(0.5, -1, -9.81))
    inner = system.world
    for k, kind in enumerate(("Rz", "Tx", "Ry", "Rx", "Tz"), 1):
        m, l = system.parameters(**{f"m{k}": 1.0, f"l{k}": [0.1, 0.2, 0.3]})
        body = system.body(f"B{k}", m, l, system.parameter(f"I{k}", [1.0, 0.1, 2.0, 0.2, 0.3, 3.0]))
        system.joint(f"q{k}", inner.frame(f"to{k}", system.parameter(f"p{k}", [1.0, 0.5, 0.2])), body, kind)
        inner = body
    system.load(mb.Force(body, [system.input(f"F{axis}") for axis in "xyz"], at=body.com, expressed_in=system.world))
    return system


def links(model):
    """What section 4.1.3 asks for, in the world's axes: Φ, Ψ, p^z from the parent, l, m and I."""
    kinetics, origin = Kinetics(model), ZERO
    for joint in model.joints:
        movement, body = joint.kind.movements[0], joint.child.body
        pose = kinetics.pose(body)
        axis = kinetics.pose(joint.parent).rotation.apply(Vec3(*(int(name == movement[1]) for name in "xyz")))
        yield SimpleNamespace(
            phi=axis if movement[0] == "R" else ZERO, psi=axis if movement[0] == "T" else ZERO, qd=joint.speed,
            p=pose.position - origin, l=pose.rotation.apply(body.com), m=body.mass,
            I=pose.rotation.turn_symmetric(body.inertia),
        )  # fmt: skip
        origin = pose.position


def outward(chain, gravity):
    """The forward loop of 4.1.3; O_i,k grows by Φ_i, not by Ψ_i as printed."""
    h = SimpleNamespace(omega=ZERO, omega_dot=ZERO, alpha=-gravity, O=[ZERO] * len(chain), A=[ZERO] * len(chain))
    for i, one in enumerate(chain):
        one.omega = h.omega + one.phi * one.qd
        one.omega_dot = h.omega_dot + one.omega.cross(one.phi) * one.qd
        one.alpha = h.alpha + beta(h, one.p) + one.omega.cross(one.psi) * (2 * one.qd)
        one.O, one.A = list(h.O), [A + O.cross(one.p) for A, O in zip(h.A, h.O, strict=True)]
        one.O[i], one.A[i] = one.O[i] + one.phi, one.A[i] + one.psi
        h = one


def beta(one, vector):
    """β·v = (ω̃·ω̃ + ω̇̃)·v."""
    return one.omega.cross(one.omega.cross(vector)) + one.omega_dot.cross(vector)


def inward(chain, force):
    """The backward loop; L_i^C has l̃·G and the gyroscopic terms I·ω̇ + ω̃·I·ω too, which are not printed."""
    count = len(chain)
    outer = SimpleNamespace(F=ZERO, L=ZERO, p=ZERO, FM=[ZERO] * count, LM=[ZERO] * count)
    for i, one in reversed(list(enumerate(chain))):
        G = (one.alpha + beta(one, one.l)) * one.m - (force if i == count - 1 else ZERO)
        one.F = outer.F + G
        one.L = outer.L + outer.p.cross(outer.F) + one.l.cross(G)
        one.L = one.L + one.I @ one.omega_dot + one.omega.cross(one.I @ one.omega)
        GM = [(A + O.cross(one.l)) * one.m for A, O in zip(one.A, one.O, strict=True)]
        one.FM = [F + G for F, G in zip(outer.FM, GM, strict=True)]
        carried = [L + outer.p.cross(F) for L, F in zip(outer.LM, outer.FM, strict=True)]
        one.LM = [L + one.l.cross(G) + one.I @ O for L, G, O in zip(carried, GM, one.O, strict=True)]
        outer = one


@every_formalism
def test_recursive_scheme(formalism):
    """C_i = Ψ·F^C + Φ·L^C and M_i,k; C is h - f, with the sign opposite to the printed C = f + W·λ - h."""
    eom = mb.derive(arm(), formalism)
    chain = list(links(eom.model))
    outward(chain, eom.model.gravity)
    inward(chain, Vec3(*eom.inputs))
    C = [one.psi.dot(one.F) + one.phi.dot(one.L) for one in chain]
    M = [[one.psi.dot(F) + one.phi.dot(L) for F, L in zip(one.FM, one.LM, strict=True)] for one in chain]
    assert all_same(list(eom.h - eom.f), C, points=2)
    assert all_same(eom.M, M, points=2)


# constraints and loops ----------------------------------------------------------------------------------------------


def closed_loop():
    """A four-bar linkage under gravity, closed by a constraint, with a torque on its first bar."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0))
    inner = system.world
    for k, length in enumerate((1, 2, 1.5), 1):
        m = system.parameter(f"m{k}", 1.0)
        bar = system.body(f"bar{k}", m, (length / 2, 0, 0), (0, 0, system.parameter(f"I{k}", 0.1)))
        system.joint(f"q{k}", inner, bar, "Rz")
        inner = bar.frame(f"end{k}", (length, 0, 0))
    system.load(mb.JointLoad(system["q1"], system.input("T")))
    system.constraint(system.frame("pivot", (1.8, 0, 0)), inner, translation="xy", name="loop")
    return system


@every_formalism
def test_constraint_forces(formalism):
    """Eq. (4.1): M·q̈ + h = f + W·λ with W = (∂Φ/∂q)ᵀ, and Φ̈ = 0."""
    eom = mb.derive(closed_loop(), formalism)
    W = jacobian(list(eom.phi), eom.coordinates).T
    rest = substitute(list(balance(eom)), solved(eom)) - product(W, array(list(eom.multiplier_values)))
    assert all(is_zero(one, points=2) for one in rest)
    flow = dict(zip([*eom.coordinates, *eom.speeds], [*eom.speeds, *eom.acceleration], strict=True))
    assert all(is_zero(one, points=2) for one in time_derivative(time_derivative(list(eom.phi), flow), flow))


@every_formalism
def test_reduction_to_independent_coordinates(formalism):
    """Eq. (4.11): v̇ = B_vu·u̇ + b', J = [I; B_vu], M_red = Jᵀ·M·J, h_red = Jᵀ·(M·b + h), F_red = Jᵀ·F."""
    eom = mb.derive(closed_loop(), formalism)
    B_u, B_v = eom.B[:, :1], eom.B[:, 1:]
    J = np.vstack([array([[1]]), -solve(B_v, B_u)])
    b = np.concatenate([array([0]), -solve(B_v, eom.gamma)])
    M_red = product(J.T, product(eom.M, J))
    h_red, F_red = product(J.T, product(eom.M, b) + eom.h), product(J.T, eom.f)
    u_dot = solve(M_red, F_red - h_red)
    assert all_same(product(J, u_dot) + b, list(eom.acceleration), points=2)
