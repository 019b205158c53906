"""SymPy's mechanics manual: every result that it prints, derived here and proved to be the same function.

Kane's F_r + F_r* of the manual is f - h - M·u̇ here, and SymPy's multipliers have the opposite sign: here
M·u̇ + h = f + Bᵀ·λ. The rolling disc has a file of its own.
"""

import pytest

import multibody as mb
from multibody.graph import all_same, array, jacobian, parse, product, same, solve, sqrt, substitute

from .printed import balance, is_printed

ALL = [mb.Kane(), mb.Lagrange(), mb.Recursive(), mb.ArticulatedBody(), mb.NewtonEuler(), mb.Wittenburg(), mb.Modular()]
LAM1 = parse("lam1")


def with_lam1(eom):
    """The equations as SymPy's Lagrange prints them, with lam1 = -λ."""
    return balance(eom) + product(eom.B.T, array([LAM1]))


# Kane's and Lagrange's method on particles --------------------------------------------------------------------------


@pytest.mark.parametrize("formalism", ALL, ids=repr)
def test_one_particle(formalism):
    """Mass 5, force 7: mass_matrix, forcing, mass_matrix_full, forcing_full."""
    system = mb.System("one", gravity=(0, 0, 0))
    point = system.particle("P", 5)
    system.joint("q", system.world, point, "Tx")
    system.load(mb.Force(point, (7, 0, 0)))
    eom = mb.derive(system, formalism)
    assert is_printed(eom.separate_form().matrix, "5", eom)
    assert is_printed(eom.separate_form().right, "7", eom)
    full = eom.combined_form()
    assert is_printed(full.matrix, "1, 0; 0, 5", eom)
    assert is_printed(full.right, "q'; 7", eom)


def two_particles():
    """L = q1'² + q2'²: two particles of mass 2."""
    system = mb.System("two", gravity=(0, 0, 0))
    points = [system.particle(f"P{k}", 2) for k in (1, 2)]
    joints = [system.joint(f"q{k}", system.world, point, "Tx") for k, point in enumerate(points, 1)]
    return system, points, joints


@pytest.mark.parametrize("formalism", ALL, ids=repr)
def test_lagrangian_of_two_particles(formalism):
    eom = mb.derive(two_particles()[0], formalism)
    assert is_printed(balance(eom), "2*q1''; 2*q2''", eom)
    assert is_printed(eom.M, "2, 0; 0, 2", eom)
    assert is_printed(eom.separate_form().right, "0; 0", eom)


@pytest.mark.parametrize("formalism", ALL, ids=repr)
def test_lagrangian_with_a_force(formalism):
    system, points, _ = two_particles()
    system.load(mb.Force(points[0], (7, 0, 0)))
    eom = mb.derive(system, formalism)
    assert is_printed(balance(eom), "2*q1'' - 7; 2*q2''", eom)


@pytest.mark.parametrize("formalism", ALL, ids=repr)
def test_lagrangian_with_a_holonomic_constraint(formalism):
    """mass_matrix_full and forcing_full as printed; in the equations lam1 is -λ."""
    system, _, (q1, q2) = two_particles()
    system.constraint(q1.coordinate - q2.coordinate, name="equal")
    eom = mb.derive(system, formalism)
    full = eom.combined_form()
    assert is_printed(full.matrix, "1,0,0,0,0; 0,1,0,0,0; 0,0,2,0,-1; 0,0,0,2,1; 0,0,1,-1,0", eom)
    assert is_printed(full.right, "q1'; q2'; 0; 0; 0", eom)
    assert is_printed(with_lam1(eom), "lam1 + 2*q1''; -lam1 + 2*q2''", eom, lam1=LAM1)


# momenta and energies -----------------------------------------------------------------------------------------------


def particle_and_rigid_body():
    """A rigid body at l1 and a particle at 2·l1 turn about z, at the heights H and h."""
    system = mb.System("momenta")
    m, M, l1, g, h, H = system.parameters(m=1.0, M=2.0, l1=0.5, g=9.81, h=0.1, H=0.2)
    system.gravity = (0, 0, -g)
    body = system.body("A", M, (l1, 0, H), (0, 0, 1))
    point = system.particle("Pa", m)
    system.joint("q1", system.world, body, "Rz")
    system.joint("weld", body.frame("end", (2 * l1, 0, h)), point, mb.Weld())
    return system, body, point


def test_momenta():
    system, body, point = particle_and_rigid_body()
    system.sensor("p_A", mb.LinearMomentum(body, expressed_in=body))
    system.sensor("L_Pa", mb.AngularMomentum(point, about=system.world))
    system.sensor("p", mb.LinearMomentum(body, point, expressed_in=body))
    system.sensor("L", mb.AngularMomentum(body, point, about=system.world))
    eom = mb.derive(system)
    flat = {one: 0 for one in eom.parameters if one.name in {"h", "H"}}  # the manual has all in one plane
    found = {name: list(array(substitute(list(value), flat))) for name, value in eom.outputs.items()}
    assert is_printed(found["p_A"], "0; M*l1*q1'; 0", eom)
    assert is_printed(found["L_Pa"], "0; 0; 4*l1**2*m*q1'", eom)
    assert is_printed(found["p"], "0; M*l1*q1' + 2*l1*m*q1'; 0", eom)
    assert is_printed(found["L"], "0; 0; M*l1**2*q1' + 4*l1**2*m*q1' + q1'", eom)


def test_energies():
    system, body, point = particle_and_rigid_body()
    system.sensor("T_Pa", mb.KineticEnergy(point))
    system.sensor("T", mb.KineticEnergy(point, body))
    system.sensor("V", mb.PotentialEnergy(body, point))
    eom = mb.derive(system)
    assert is_printed(eom.outputs["T_Pa"], "2*l1**2*m*q1'**2", eom)
    assert is_printed(eom.outputs["T"], "M*l1**2*q1'**2/2 + 2*l1**2*m*q1'**2 + q1'**2/2", eom)
    assert is_printed(eom.outputs["V"], "H*M*g + g*h*m", eom)
    lagrangian = "-H*M*g + M*l1**2*q1'**2/2 - g*h*m + 2*l1**2*m*q1'**2 + q1'**2/2"
    assert is_printed(eom.kinetic_energy - eom.potential_energy, lagrangian, eom)


# joints -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formalism", ALL, ids=repr)
def test_prismatic_joint(formalism):
    """Position and velocity of the child's centre of mass, and the equation of motion -child_mass·u1'."""
    system = mb.System("slider", gravity=(0, 0, 0))
    child = system.body("child", system.parameter("child_mass", 1.0), inertia=(1, 1, 1))
    half, tenth = parse("1/2"), parse("1/10")
    parent_point = system.frame("parent_point", (half, tenth, 0))
    system.joint("q1", parent_point, child.frame("child_point", (-tenth, -tenth, 0)), "Tx")
    system.sensor("position", mb.Position(child))
    system.sensor("velocity", mb.Velocity(child))
    eom = mb.derive(system, formalism)
    assert is_printed(list(eom.outputs["position"]), "q1 + 1/2 + 1/10; 1/10 + 1/10; 0", eom)
    assert is_printed(list(eom.outputs["velocity"]), "q1'; 0; 0", eom)
    assert is_printed(-balance(eom), "-child_mass*q1''", eom)


# pendulums ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formalism", ALL, ids=repr)
def test_simple_pendulum(formalism):
    """M·u̇ = forcing, and its derivatives as printed under linearization."""
    system = mb.System("pendulum")
    L, m, g = system.parameters(L=1.0, m=1.0, g=9.81)
    system.gravity = (g, 0, 0)
    bob = system.particle("pP", m)
    system.joint("q1", system.world, bob.frame("end", (-L, 0, 0)), "Rz")
    eom = mb.derive(system, formalism)
    assert is_printed(eom.acceleration, "-g*sin(q1)/L", eom)
    assert is_printed(eom.combined_form().matrix, "1, 0; 0, L**2*m", eom)  # SymPy has the second row with a minus
    states = [*eom.coordinates, *eom.speeds]
    assert is_printed(-jacobian(list(balance(eom)), states), "-L*g*m*cos(q1), 0", eom)  # and A with it
    assert is_printed(jacobian(list(eom.explicit_form()), states), "0, 1; -g*cos(q1)/L, 0", eom)


def cartesian_pendulum(gravity, constraint):
    """A particle in the plane, held at the distance L from the origin by a constraint of (q1, q2, L)."""
    system = mb.System("cartesian")
    L, m, g = system.parameters(L=1.0, m=1.0, g=9.81)
    system.gravity = gravity(g)
    slide = system.body("slide")
    point = system.particle("pP", m)
    q1 = system.joint("q1", system.world, slide, "Tx", q=1.0)
    q2 = system.joint("q2", slide, point, "Ty")
    x, y, u, v = q1.coordinate, q2.coordinate, q1.speed, q2.speed
    system.constraint(constraint(x, y, u, v, L), name="rod")
    return system


CONSTRAINTS = {
    "squares": lambda x, y, u, v, L: x**2 + y**2 - L**2,  # the manual's for Lagrange
    "distance": lambda x, y, u, v, L: sqrt(x**2 + y**2) - L,  # the manual's for Kane
    "radial velocity": lambda x, y, u, v, L: (x * u + y * v) / sqrt(x**2 + y**2),  # and its velocity constraint
}


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("formalism", [*ALL, mb.Kane(dependent=["q1_dot"])], ids=repr)
def test_cartesian_pendulum(formalism, constraint):
    """q2' and u2' linearized about rest, with q1 and u1 dependent: [[0, 1], [-g/L, 0]]."""
    eom = mb.derive(cartesian_pendulum(lambda g: (g, 0, 0), CONSTRAINTS[constraint]), formalism)
    (x, y), (u, v), L = eom.coordinates, eom.speeds, eom.parameters[0]
    x_of_y = sqrt(L**2 - y**2)
    reduced = substitute([v, eom.acceleration[1]], {x: x_of_y, u: -y * v / x_of_y})
    at_rest = array(substitute(jacobian(reduced, [y, v]), {y: 0, v: 0}))
    length = sqrt(L**2)  # which is L, but the graph does not know that L is positive
    assert all_same(at_rest, [[0, 1], [-eom.parameters[2] / length, 0]], points=2)


@pytest.mark.parametrize("formalism", [mb.Lagrange(), mb.Kane()], ids=repr)
def test_multiplier_of_the_cartesian_pendulum(formalism):
    """As SymPy's own tests print it, with g for 9.8; lam1 is -λ."""
    eom = mb.derive(cartesian_pendulum(lambda g: (g, 0, 0), CONSTRAINTS["squares"]), formalism)
    assert is_printed(-eom.multiplier_values[0], "(2*g*q1 + 2*q1'**2 + 2*q2'**2)/(4*q1**2/m + 4*q2**2/m)", eom)
    assert is_printed(with_lam1(eom), "m*q1'' - g*m + 2*lam1*q1; m*q2'' + 2*lam1*q2", eom, lam1=LAM1)


def test_three_forms_of_the_symbolic_system():
    """Explicit, combined and separate form say the same, and what of the manual's example is a pendulum.

    With lambda = -2λ the last row of the manual, l²/m·lambda = u² + v² - g·y, is ours. Its rows for u' and v' are not:
    they have the multiplier with the wrong sign and no gravity, so that the distance to the origin does not stay l.
    """
    eom = mb.derive(cartesian_pendulum(lambda g: (0, -g, 0), CONSTRAINTS["squares"]), mb.Lagrange())
    combined, separate = eom.combined_form(), eom.separate_form()
    everything = array([*eom.explicit_form(), *eom.multiplier_values])
    assert all_same(solve(combined.matrix, combined.right), everything, points=2)
    assert all_same(solve(separate.matrix, separate.right), everything[2:], points=2)

    (x, y), (u, v), (L, m, g) = eom.coordinates, eom.speeds, eom.parameters
    stays = {L: sqrt(x**2 + y**2)}
    lam = -2 * eom.multiplier_values[0]
    assert same(lam * (x**2 + y**2) / m, u**2 + v**2 - g * y, points=2)
    a_x, a_y = eom.acceleration
    assert all_same([a_x + x / m * lam, a_y + y / m * lam], [0, -g], points=2)
    of_seed = [substitute((-g * y + u**2 + v**2) * one / L**2, stays) for one in (x, y)]  # comb_explicit_rhs
    for rates, keeps_the_distance in (((a_x, a_y), True), (of_seed, False)):
        assert same(x * rates[0] + y * rates[1] + u**2 + v**2, 0) is keeps_the_distance


def test_quantities_that_the_seed_only_names():
    """Dependent speeds by linear constraints, as in u2 - u1 and u3 - u1 - u4: the kinematics stay what they are."""
    system = mb.System("four", gravity=(0, 0, 0))
    joints = [system.joint(f"q{k}", system.world, system.particle(f"P{k}", k), "Tx") for k in (1, 2, 3, 4)]
    u1, u2, u3, u4 = (joint.speed for joint in joints)
    system.constraint(u2 - u1)
    system.constraint(u3 - u1 - u4)
    system.load(mb.Force(system["P4"], (7, 0, 0)))
    eom = mb.derive(system, mb.Kane(dependent=["q2_dot", "q3_dot"]))
    assert is_printed(eom.rates, "q1'; q2'; q3'; q4'", eom)
    assert is_printed(eom.B, "-1, 1, 0, 0; -1, 0, 1, -1", eom)
    a1, a4 = solve(array([[6, 3], [3, 7]]), array([0, 7]))  # by hand: (1+2+3)·a1 + 3·a4 = 0, 3·a1 + (3+4)·a4 = 7
    assert all_same(list(eom.acceleration), [a1, a1, a1 + a4, a4], points=2)
