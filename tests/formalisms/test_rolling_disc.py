"""The rolling disc of SymPy's manual and of SymPy's own tests: motion, contact forces, and a wrong Lagrangian.

The disc is built from the contact point up: the point moves (x, y, z), then yaw q1 about z, lean q2 about x, and at the
centre, r above the contact, spin q3 about y. Speeds u1, u2, u3 are the angular velocity in the axes of the lean frame;
u4, u5, u6 is the velocity of the disc's own point at the contact, in the axes of the yaw frame. Rolling is u4 = u5 = 0,
and the ground is z = 0.
"""

import doctest
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import multibody as mb
from multibody.graph import all_same, array, cos, gradient, same, sin, substitute, time_derivative

from .printed import printed, solved

REFERENCE = ("(4*g*sin(q2) + 6*r*u2*u3 - r*u3**2*tan(q2))/(5*r)", "-2*u1*u3/3", "(-2*u2 + u3*tan(q2))*u1")
CONTACT_FORCES = (  # the auxiliary equations of the manual, solved for f1, f2, f3
    "m*r*(u1*u3 + u2')",
    "m*r*u1**2*sin(q2) + m*r*u2*u3/cos(q2) - m*r*cos(q2)*u1'",
    "g*m - m*r*(u1**2*cos(q2) + sin(q2)*u1')",
)
OF_LAGRANGE_IN_THE_SEED = (  # q1'', q2'', q3''
    "-2*(2*tan(q2)*q1' + 3*q3'/cos(q2))*q2'",
    "-4*g*sin(q2)/(5*r) + sin(2*q2)*q1'**2/2 + 6*cos(q2)*q1'*q3'/5",
    "(-5*cos(q2)*q1' + 6*tan(q2)*q3' + 4*q1'/cos(q2))*q2'",
)


def disc():
    """The system, the components of its angular velocity, and those of the slip."""
    system = mb.System("disc")
    r, m, g = system.parameters(r=1.0, m=1.0, g=9.81)
    system.gravity = (0, 0, -g)
    contact, yaw, lean = (system.body(name) for name in ("contact", "yaw", "lean"))
    wheel = system.body("wheel", m, inertia=mb.diag(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4))
    place = system.joint("p", system.world, contact, ["Tx", "Ty", "Tz"])
    system.joint("q1", contact, yaw, "Rz")
    system.joint("q2", yaw, lean, "Rx")
    system.joint("q3", lean.frame("center", (0, 0, r)), wheel, "Ry")
    sensors = {
        "w_lean": mb.AngularVelocity(wheel, expressed_in=lean),
        "w_yaw": mb.AngularVelocity(wheel, expressed_in=yaw),
        "v": mb.Velocity(wheel, expressed_in=yaw),
        "arm": mb.Position(wheel, relative_to=contact, expressed_in=yaw),
    }
    w, w_yaw, v, arm = (system.sensor(*item) and system.measured(item[0]) for item in sensors.items())
    slip = v - np.cross(w_yaw, arm)
    system.constraint(slip[0], name="forward")
    system.constraint(slip[1], name="sideways")
    system.constraint(place.coordinates[2], name="ground")
    return system, w, slip


@cache
def by_kane():
    """Kane's method with the speeds of the manual, on the constraint: u4 … u6 and their rates are zero."""
    system, w, slip = disc()
    speeds = dict(zip(("u1", "u2", "u3", "u4", "u5"), [*w, *slip[:2]], strict=True))
    eom = mb.derive(system, mb.Kane(speeds, auxiliary=["forward", "sideways", "ground"]))
    rolls = dict.fromkeys([*eom.speeds[3:], *eom.model.accelerations[3:]], 0)
    rates = dict(zip(eom.model.accelerations, substitute(list(eom.acceleration), rolls), strict=True))
    return SimpleNamespace(eom=eom, rolls=rolls, rates=rates)


@cache
def by_lagrange():
    return mb.derive(disc()[0], mb.Lagrange())


def on_the_ground(eom, values):
    """Expressions in the speeds of the joints, with those of the contact point as rolling demands them."""
    x, y, z, *_ = eom.speeds
    speeds = {x: printed("r*q3'*cos(q1)", eom), y: printed("r*q3'*sin(q1)", eom), z: 0}  # along the yaw frame's x axis
    assert all(same(substitute(one, speeds), 0, points=2) for one in eom.constraints.velocity)
    return substitute(list(values), speeds)


# motion -------------------------------------------------------------------------------------------------------------


def test_kane_with_the_speeds_of_the_seed():
    found = by_kane()
    assert all_same(list(found.rates.values())[:3], [printed(text, found.eom) for text in REFERENCE], points=2)
    assert all_same(list(found.rates.values())[3:], [0, 0, 0], points=2)


def test_speeds_are_what_they_are_called():
    """u1 = q2', u2 = q3' + sin(q2)·q1', u3 = cos(q2)·q1'."""
    found = by_kane()
    yaw_rate, lean_rate, spin_rate = substitute(list(found.eom.rates), found.rolls)[3:]
    lean = found.eom.coordinates[4]
    expected = [lean_rate, spin_rate + sin(lean) * yaw_rate, cos(lean) * yaw_rate]
    assert all_same(list(found.eom.speeds[:3]), expected, points=2)


def test_all_formalisms_agree():
    system, w, _ = disc()
    chosen = [mb.Kane({"u1": w[0], "u2": w[1], "u3": w[2]}), mb.Kane(), mb.Lagrange(), mb.Recursive()]
    comparison = mb.compare(system, [*chosen, mb.ArticulatedBody(), mb.NewtonEuler(), mb.Wittenburg()])
    assert len(comparison.pairs) == 21
    assert comparison.proved
    assert mb.compare(system, [mb.Kane(), mb.Lagrange()], constraints=mb.IndependentSpeeds()).proved


@pytest.mark.parametrize(
    ("q", "u", "expected"),
    [
        (
            (0.3, 0.1, 1.97, -0.35, 2.27), (-0.2, 1.3, 0.15),
            (0.126603940595934, 0.215942571601660, 1.28736069604936, 0.319764288376543, 0.0989146857254898,
             -0.925848952664489, -0.0181350656532944, 2.91695398184589, -0.00992793421754526, 0.0412861634829171),
        ),
        (
            (3.97, -0.28, 8.2, -0.35, 2.27), (-0.25, -2.2, 0.62),
            (0.0259159090798597, 0.668041660387416, -2.19283799213811, 0.385441810852219, 0.420109283790573,
             1.45030568179066, -0.0110924422400793, -8.35617840186040, -0.154098542632173, -0.146102664410010),
        ),
    ],
)  # fmt: skip
def test_numbers_of_sympy(q, u, expected):
    """SymPy's test_kane5: speeds are the angular velocity in the disc's own axes and the rates of the contact point."""
    system, _, _ = disc()
    system.sensor("w", mb.AngularVelocity(system["wheel"], expressed_in=system["wheel"]))
    w = system.measured("w")
    speeds = dict(zip(("w1", "w2", "w3"), w, strict=True))
    eom = mb.derive(system, mb.Kane(speeds, dependent=["p_tx_dot", "p_ty_dot", "p_tz_dot"]))
    yaw, lean, spin, x, y = q
    place, parameters = [x, y, 0, yaw, lean, spin], [0.26, 3.43, 9.81]
    matrix = eom.function("constraint", {"B": eom.B})(0.0, place, np.zeros(6), [], parameters)
    rolling = np.concatenate([u, np.linalg.solve(matrix[:, 3:], -matrix[:, :3] @ u)])
    found = eom.state_rate(0.0, place, rolling, [], parameters)
    order = found.q_dot[[3, 4, 5, 0, 1]], found.u_dot[:5]
    np.testing.assert_allclose(np.concatenate(order), expected, rtol=0, atol=1e-13)


# contact forces -----------------------------------------------------------------------------------------------------


def test_contact_forces_by_auxiliary_speeds():
    found = by_kane()
    forces = substitute([found.eom.auxiliary[name] for name in ("forward", "sideways", "ground")], found.rolls)
    assert all_same(forces, [printed(text, found.eom) for text in CONTACT_FORCES], points=2)


def test_contact_forces_by_multipliers():
    """The same without the trick: λ of the three constraints, when u̇ is put into the printed forces."""
    found = by_kane()
    expected = substitute([printed(text, found.eom) for text in CONTACT_FORCES], found.rates)
    assert all_same(substitute(list(found.eom.multiplier_values), found.rolls), expected, points=2)


@pytest.mark.parametrize("formalism", [mb.Recursive(), mb.Lagrange(), mb.NewtonEuler(), mb.ArticulatedBody()], ids=repr)
def test_multipliers_are_the_auxiliary_forces_off_the_constraint_too(formalism):
    """In the speeds of the joints, for all speeds."""
    eom = mb.derive(disc()[0], formalism)
    auxiliary = mb.derive(disc()[0], mb.Kane(auxiliary=["forward", "sideways", "ground"])).auxiliary
    known = solved(eom)
    assert list(auxiliary) == ["forward", "sideways", "ground"]
    assert all_same(substitute(list(auxiliary.values()), known), list(eom.multiplier_values), points=2)


def test_contact_forces_by_the_reaction_of_the_contact_point():
    """All forces on the disc go through the joint that carries the contact point, and no torque does."""
    eom = by_lagrange()
    known, reaction, q1 = solved(eom), eom.reaction("p"), eom.coordinates[3]
    forward, sideways, ground = eom.multiplier_values
    world = [cos(q1) * forward - sin(q1) * sideways, sin(q1) * forward + cos(q1) * sideways, ground]
    assert all_same(substitute([*reaction.resultant], known), world, points=2)
    assert all_same(on_the_ground(eom, substitute([*reaction.moment], known)), [0, 0, 0], points=2)


def test_constraint_matrix_with_the_height_as_a_coordinate():
    """SymPy's test_aux_dep: with the velocity of the centre as speeds, v = ω × (r·sin(q2)·A_y + z·A_z)."""
    system = mb.System("disc")
    r, m, g, I, J = system.parameters(r=1.0, m=1.0, g=9.81, I=0.25, J=0.5)
    system.gravity = (0, 0, g)  # z points down
    center, yaw, lean = (system.body(name) for name in ("center", "yaw", "lean"))
    wheel = system.body("wheel", m, inertia=mb.diag(I, J, I))
    place = system.joint("c", system.world, center, ["Tx", "Ty", "Tz"])
    system.joint("q0", center, yaw, "Rz")
    q1 = system.joint("q1", yaw, lean, "Rx").coordinate
    system.joint("q2", lean, wheel, "Ry")
    system.sensor("w", mb.AngularVelocity(wheel, expressed_in=lean))
    system.sensor("w_yaw", mb.AngularVelocity(wheel, expressed_in=yaw))
    system.sensor("v", mb.Velocity(wheel, expressed_in=yaw))
    w, w_yaw, v = (system.measured(name) for name in ("w", "w_yaw", "v"))
    height = place.coordinates[2]
    for name, value in zip("xyz", v - np.cross(w_yaw, [0, r * sin(q1), height]), strict=True):
        system.constraint(value, name=f"roll_{name}")
    eom = mb.derive(system, mb.Kane(dict(zip(("u0", "u1", "u2", "u3", "u4", "u5"), [*w, *v], strict=True))))
    s, c, q3 = sin(q1), cos(q1), height
    published = [[-r * s, 0, 0, 0, 0, 1], [0, r * s**2 - q3 * c, r * s * c + q3 * s, 1, 0, 0], [q3, 0, 0, 0, 1, 0]]
    assert all_same(eom.B[[2, 0, 1]], published, points=2)  # rows z, x, y


# Lagrange -----------------------------------------------------------------------------------------------------------


def joint_accelerations(eom):
    """q1'', q2'', q3'' for a disc that rolls."""
    return on_the_ground(eom, eom.acceleration[3:])


def of_seed(eom):
    """What the manual prints for them."""
    return [printed(text, eom) for text in OF_LAGRANGE_IN_THE_SEED]


def gravity_turned_round(eom, values):
    return substitute(values, {printed("g", eom): -printed("g", eom)})


def test_lagrange_says_what_kane_says():
    kane, eom = by_kane(), by_lagrange()
    u = [printed(text, eom) for text in ("q2'", "q3' + sin(q2)*q1'", "cos(q2)*q1'")]
    in_joint_speeds = dict(zip(kane.eom.speeds[:3], u, strict=True))
    flow = dict(zip(eom.coordinates[3:], eom.speeds[3:], strict=True))
    flow |= dict(zip(eom.speeds[3:], joint_accelerations(eom), strict=True))
    rates = substitute(list(kane.rates.values())[:3], in_joint_speeds)
    assert all_same(time_derivative(u, flow), rates, points=2)


def test_lagrange_of_the_seed_is_wrong():
    """Yaw has -6·q3' and a term with q1' in place of -2·q3', and gravity has the wrong sign."""
    eom = by_lagrange()
    yaw, lean, spin = joint_accelerations(eom)
    assert same(yaw, printed("-2*q3'*q2'/cos(q2)", eom), points=2)
    assert same(lean, printed("4*g*sin(q2)/(5*r) + sin(2*q2)*q1'**2/2 + 6*cos(q2)*q1'*q3'/5", eom), points=2)
    assert not any(same(one, other) for one, other in zip((yaw, lean, spin), of_seed(eom), strict=True))
    kinder = gravity_turned_round(eom, of_seed(eom))
    verdicts = [same(one, other, points=2) for one, other in zip((yaw, lean, spin), kinder, strict=True)]
    assert verdicts == [False, True, False]  # gravity acts on the lean alone, which is right then; the others are not


def test_why_it_is_wrong():
    """The constraint, put into the Lagrangian before it is differentiated, gives exactly what the manual prints."""
    eom = by_lagrange()
    (q, u), (r, m, g) = (eom.coordinates[3:], eom.speeds[3:]), eom.parameters
    (constrained,) = on_the_ground(eom, [eom.kinetic_energy])
    lagrangian = constrained + m * g * r * cos(q[1])  # V = -m·g·r·cos(q2) is the manual's, upside down
    flow = dict(zip([*q, *u], [*u, *of_seed(eom)], strict=True))
    assert all_same(time_derivative(gradient(lagrangian, u), flow), gradient(lagrangian, q), points=2)


def test_what_is_missing():
    """Chaplygin's term ∂T/∂ẋ·(d/dt ∂ẋ/∂q' - ∂ẋ/∂q) makes it right, for ẋ(q, q') of a contact point that rolls."""
    eom = by_lagrange()
    (q, u), (r, m, g) = (eom.coordinates[3:], eom.speeds[3:]), eom.parameters
    flow = dict(zip([*q, *u], [*u, *joint_accelerations(eom)], strict=True))

    def lagrange(function):
        return array(time_derivative(gradient(function, u), flow)) - array(gradient(function, q))

    (constrained,) = on_the_ground(eom, [eom.kinetic_energy])
    momenta = on_the_ground(eom, gradient(eom.kinetic_energy, eom.speeds[:3]))
    contact = on_the_ground(eom, eom.speeds[:3])
    term = sum(p * lagrange(velocity) for p, velocity in zip(momenta, contact, strict=True))
    assert not all_same(term, [0, 0, 0])
    assert all_same(lagrange(constrained - m * g * r * cos(q[1])), term, points=2)


def test_the_seed_needs_a_torque_at_the_contact():
    """Newton and Euler decide: with the manual's accelerations a torque would act where the disc touches the ground."""
    eom = by_lagrange()
    turns = gravity_turned_round(eom, of_seed(eom))  # the kinder reading
    flow = dict(zip([*eom.coordinates, *eom.speeds[3:]], [*eom.speeds, *turns], strict=True))
    moves = time_derivative(on_the_ground(eom, eom.speeds[:3]), flow)
    for rates, torque_free in ((eom.acceleration, True), ([*moves, *turns], False)):
        known = dict(zip(eom.model.accelerations, rates, strict=True))
        torque = on_the_ground(eom, substitute([*eom.reaction("p").moment], known))
        assert all_same(torque, [0, 0, 0], points=2) is torque_free


# the page -----------------------------------------------------------------------------------------------------------


def test_the_page_about_formalisms():
    page = Path(__file__).resolve().parents[2] / "docs" / "formalisms.md"
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert outcome.attempted > 30
    assert outcome.failed == 0
