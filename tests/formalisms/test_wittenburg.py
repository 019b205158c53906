"""Wittenburg's method: its tables and its printed program, other formalisms, random trees, energy."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.refusal import refused

import multibody as mb
from multibody.formalisms.wittenburg import OrientedGraph, Wittenburg
from multibody.graph import array, cos, directional, evaluate, is_zero, same, sin
from multibody.library.five_bodies import FIVE_BODY_START
from multibody.model import with_speeds
from multibody.testing import KINDS, random_tree

from . import published_systems
from .wittenburg_program import dqdtcw, energy, matrices, model


@cache
def five_body() -> mb.Model:
    return published_systems.five_body().freeze()


@cache
def by(formalism):
    return mb.derive(five_body(), formalism())


def numbers(value, at=None):
    return np.array(value.evaluate(at or {}).to_array(), dtype=float)


def proved(left, right, points=2):
    left, right = array(left), array(right)
    assert left.shape == right.shape
    return all(same(a, b, points=points) for a, b in zip(left.flat, right.flat, strict=True))


def agrees(system):
    """The same as by the recursive formalism: M, h, f and the accelerations."""
    frozen = system.freeze() if isinstance(system, mb.System) else system
    one, other = mb.derive(frozen, Wittenburg()), mb.derive(frozen, mb.Recursive())
    assert one.formalism == "Wittenburg"
    assert all(proved(a, b, points=1) for a, b in ((one.M, other.M), (one.h, other.h), (one.f, other.f)))
    return proved(list(one.acceleration), list(other.acceleration))


def random_states():
    rng = np.random.default_rng(5)
    return [rng.normal(size=18) for _ in range(3)]


# the tables ----------------------------------------------------------------------------------------------------------


def test_the_graph_of_the_seed():
    """Eqs. (18), (19) and table 1, as printed."""
    tables = Wittenburg().tables(five_body())
    assert tables.S0.tolist() == [1, 0, 0, 0, 0]
    assert tables.S.tolist() == [
        [-1, 1, 0, 0, 0], [0, -1, 1, 0, 0], [0, 0, -1, 1, 1], [0, 0, 0, -1, 0], [0, 0, 0, 0, -1],
    ]  # fmt: skip
    assert tables.T.tolist() == [
        [-1, -1, -1, -1, -1], [0, -1, -1, -1, -1], [0, 0, -1, -1, -1], [0, 0, 0, -1, 0], [0, 0, 0, 0, -1],
    ]  # fmt: skip
    assert tables.i_plus == {1: 0, 2: 1, 3: 2, 4: 3, 5: 3}
    assert tables.i_minus == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
    assert [len(axes) for axes in tables.p.values()] == [3, 3, 1, 1, 1]


@pytest.mark.parametrize("seed", range(5))
def test_path_matrix_of_random_trees(seed):
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(k)) for k in range(1, 30)]
    graph = OrientedGraph(parents)
    np.testing.assert_array_equal(graph.S @ graph.T, np.eye(29))
    np.testing.assert_array_equal(graph.S0 @ graph.T, -np.ones(29))  # every path begins at body 0
    for i in graph.numbers:
        way, body = [], i
        while body:
            way, body = [body, *way], parents[body - 1]
        assert graph.path(i) == tuple(way)
        assert graph.inside(i) == tuple(way[:-1])
        assert all(i in graph.outside(j) for j in way[:-1])


def test_hinge_vectors_masses_and_tensors_of_the_seed():
    """Steps four to seven against preproc.m."""
    tables, program = Wittenburg().tables(five_body()), model()
    for i in range(1, 6):
        np.testing.assert_allclose(numbers(tables.J[i]), program.I[:, :, i - 1], rtol=1e-15)
        np.testing.assert_allclose(numbers(tables.b0[i]), program.b[:, i - 1], rtol=1e-15)
        np.testing.assert_allclose(numbers(tables.K[i]), program.Kii[:, :, i - 1], rtol=1e-15)
        assert float(tables.m[i]) == program.mass[i - 1]
        for j in range(1, 6):
            np.testing.assert_allclose(numbers(tables.c[i, j]), program.C[:, i - 1, j - 1], rtol=1e-15)
            np.testing.assert_allclose(numbers(tables.d[i, j]), program.d[:, i - 1, j - 1], rtol=1e-15)
    assert float(tables.M) == 11


def test_augmented_body_of_the_first_rod_by_hand():
    """(23) and (24): 3 kg at 1 m and 8 kg at 2 m below the hinge, beside J = 4."""
    tables = Wittenburg().tables(five_body())
    assert float(tables.b0[1].z) == pytest.approx((3 * 1 + 8 * 2) / 11)
    assert float(tables.K[1].xx) == pytest.approx(4 + 3 * 1 + 8 * 4)
    assert float(tables.K[1].zz) == pytest.approx(3.6)


def test_axes_rotations_and_rests_of_the_seed():
    """Eqs. (2), (3), (15)-(17) and (27)-(31), proved."""
    tables = Wittenburg().tables(five_body())
    for hinge, first in ((1, 0), (2, 3)):
        q, u = five_body().coordinates[first : first + 3], five_body().speeds[first : first + 3]
        (_, s2, s3), (_, c2, c3) = map(sin, q), map(cos, q)
        assert proved([list(axis) for axis in tables.p[hinge]], [[s2 * s3, s2 * c3, c2], [c3, -s3, 0], [0, 0, 1]])
        phi = [
            u[1] * s3 * (u[0] * c2 - u[2]) + u[0] * u[2] * s2 * c3,
            u[1] * c3 * (u[0] * c2 - u[2]) - u[0] * u[2] * s2 * s3,
            -u[0] * u[1] * s2,
        ]
        assert proved(list(tables.hinges[hinge].phi), phi)
        assert proved(tables.hinges[hinge].A.to_array(), mb.Rotation.euler("zxz", q).to_array())
    assert [list(map(float, tables.p[a][0])) for a in (3, 4, 5)] == [[0, 0, 1], [0, 1, 0], [0, 1, 0]]
    assert all(is_zero(x) for a in (3, 4, 5) for x in tables.hinges[a].phi)
    assert proved(tables.hinges[3].A.to_array(), mb.Rotation.about_z(five_body().coordinates[6]).to_array())


def test_tensors_of_pairs_of_bodies():
    """K_ij (25) along the axes of body 0, against the program; K_jiᵀ = K_ij."""
    tables, program, q = Wittenburg().tables(five_body()), model(), random_states()[0][:9]
    at = dict(zip(five_body().coordinates, q, strict=True))
    K = matrices(program, q, np.zeros(9), printed=True).K
    for i in range(1, 6):
        for j in range(1, 6):
            found = numbers(tables.K_matrix(i, j), at)
            np.testing.assert_allclose(found, K[:, :, i - 1, j - 1], atol=1e-13)
            assert proved(tables.K_matrix(i, j).to_array(), tables.K_matrix(j, i).transposed().to_array())
    assert not K[:, :, 3, 4].any()  # the two last rods are on different branches


def test_tables_are_printed():
    text = str(Wittenburg().tables(five_body())).splitlines()
    for line in (
        "bodies: 0 world, 1 rod1, 2 rod2, 3 tee, 4 rod4, 5 rod5",
        "   i+  0  1  2  3  3",
        "  [ 0  0 -1  1  1]",
        "c[3,5] = (-1/2, 0, 0)",
        "d[3,4] = (-1/2, 0, 1)",
        "m = (3, 3, 2, 1.5, 1.5), M = 11",
        "b0[1] = (0, 0, 19/11)",
        "J[2] = diag(4, 4, 2.4)",
        "K[1] = diag(39, 39, 3.6)",
        "p[1,2] = (cos(q1_rz2), -sin(q1_rz2), 0)",
    ):
        assert line in text


# the five bodies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [mb.Recursive, mb.ArticulatedBody])
def test_five_bodies_are_proved_equal_to_other_formalisms(other):
    assert proved(list(by(Wittenburg).acceleration), list(by(other).acceleration))
    assert proved(by(Wittenburg).M, by(other).M)
    assert proved(by(Wittenburg).h, by(other).h)
    assert by(Wittenburg).f.tolist() == [0] * 9


def test_power_balance_is_exact():
    eom = by(Wittenburg)
    rates = dict(zip([*eom.coordinates, *eom.speeds], [*eom.rates, *eom.acceleration], strict=True))
    assert is_zero(directional(eom.kinetic_energy + eom.potential_energy, rates), points=2)


def test_energy_stays_constant():
    """For 5 s from the published initial conditions; the energy is that of the printed program."""
    function, program = by(Wittenburg).state_rate, model()

    def rate(t, state):
        result = function(t, state[:9], state[9:], [], [])
        return np.concatenate([result.q_dot, result.u_dot])

    states = solve_ivp(rate, (0, 5), [*FIVE_BODY_START, *np.zeros(9)], method="DOP853", rtol=1e-9, atol=1e-9).y.T
    found = np.array([energy(program, state) for state in states])
    assert np.abs(states[:, 9:]).max() > 5  # it does move
    np.testing.assert_allclose(found, found[0], atol=1e-6)


# the printed program --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", random_states())
def test_the_program_agrees_when_one_line_is_corrected(state):
    eom, program, q, u = by(Wittenburg), model(), state[:9], state[9:]
    arguments = (0.0, q, u, [], [])
    right = matrices(program, q, u, printed=False)
    np.testing.assert_allclose(eom.mass_matrix(*arguments), right.A, atol=1e-12)
    np.testing.assert_allclose(-eom.bias(*arguments), right.B, atol=1e-11)
    np.testing.assert_allclose(eom.forward_dynamics(*arguments), np.linalg.solve(right.A, right.B), atol=1e-10)


def test_matrices_by_name():
    """A and B (11), (12), by the corrected program, and by hand: A of the last hinge is K₅ about its axis."""
    A, B = Wittenburg().matrices(five_body())
    state = random_states()[0]
    at = dict(zip([*five_body().coordinates, *five_body().speeds], state, strict=True))
    right = matrices(model(), state[:9], state[9:], printed=False)
    found = np.array(evaluate([*A.flat, *B], at), dtype=float)
    np.testing.assert_allclose(found[:81].reshape(9, 9), right.A, atol=1e-12)
    np.testing.assert_allclose(found[81:], right.B, atol=1e-11)
    assert float(A[8, 8]) == 0.5 + 1.5 * 0.5**2
    with refused("value-not-a-system"):
        Wittenburg().tables("chain")


@pytest.mark.parametrize("state", random_states())
def test_the_program_as_printed_is_wrong_in_tree_transposed_times_f_only(state):
    """TTf(:,i) sums T(i,i)*f(:,i) where Tᵀ·f needs T(j,i)*f(:,j); at rest f = 0 and nothing is seen of it."""
    eom, program, q, u = by(Wittenburg), model(), state[:9], state[9:]
    printed = matrices(program, q, u, printed=True)
    assert np.abs(-eom.bias(0.0, q, u, [], []) - printed.B).max() > 1
    at_rest = matrices(program, q, np.zeros(9), printed=True)
    np.testing.assert_allclose(-eom.bias(0.0, q, np.zeros(9), [], []), at_rest.B, atol=1e-12)


@pytest.mark.parametrize("state", random_states())
def test_the_program_as_printed_does_not_keep_its_energy(state):
    """dE/dt along its own right-hand side, by central differences."""
    program, step = model(), 1e-6

    def power(printed):
        change = step * dqdtcw(program, state, printed=printed)
        return (energy(program, state + change) - energy(program, state - change)) / (2 * step)

    assert abs(power(printed=False)) < 1e-5
    assert abs(power(printed=True)) > 1


# all kinds of trees --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed):
    assert agrees(random_tree(seed, 5))


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_every_joint_kind(kind):
    assert agrees(random_tree(kind, 3, [KINDS[kind], KINDS[0]]))


def test_driven_pivot_is_body_0():
    """A pendulum on a pivot that moves up and down: φ̈ = -(g + z̈)·sin φ/l."""
    system = mb.System("kapitza")
    l, w = system.parameters(l=0.5, w=20.0)
    pivot, bob = system.body("pivot", 7), system.body("bob", 2)
    system.joint("drive", system.world, pivot, "Tz", prescribed=cos(w * system.time))
    swing = system.joint("swing", pivot.frame("axle", (0.1, 0, 0)), bob.frame("end", (0, 0, l)), "Ry").coordinate
    tables = Wittenburg().tables(system)
    assert (tables.bodies, tables.i_plus, float(tables.M)) == ({0: "pivot", 1: "bob"}, {1: 0}, 2)
    assert list(map(float, tables.c[0, 1])) == [0.1, 0, 0]
    (found,) = mb.derive(system, Wittenburg()).acceleration
    assert same(found, -(9.81 - w**2 * cos(w * system.time)) * sin(swing) / l, points=2)


def driven(where):
    """A tree with a joint that turns and slides in a given way: at the root, or within a branch."""
    system = mb.System("driven", gravity=(1, 2, -9))
    t, r = system.time, system.input("r")
    bodies = [system.body(f"b{k}", k + 1, (0.1, 0.2 * k, -0.3), (1, 1.5, 2)) for k in range(4)]
    kinds = ["Ry", mb.Spherical(), ["Tz", "Rx"]]
    kinds.insert(where, ["Rz", "Tx", "Ry"])
    inner = [system.world, bodies[0], bodies[1], bodies[0]]
    for k, (frame, body, kind) in enumerate(zip(inner, bodies, kinds, strict=True)):
        given = [sin(t), r, t * t] if k == where else None
        inner_frame, outer_frame = frame.frame(f"f{k}", (0.1, 0.5, k)), body.frame(f"g{k}", (0.3, 0, 0.1))
        system.joint(f"j{k}", inner_frame, outer_frame, kind, prescribed=given)
    return system


@pytest.mark.parametrize("where", range(4))
def test_prescribed_motion_anywhere(where):
    system = driven(where)
    tables = Wittenburg().tables(system)
    assert tables.bodies[0] == ("b0" if where == 0 else "world")
    freedoms = [1, 3, 2]
    if where:
        freedoms.insert(where, 0)  # n counts what is free
    assert ["n", *map(str, freedoms)] in [line.split() for line in str(tables).splitlines()]
    assert agrees(system)


def test_everything_prescribed_or_nothing_there():
    system = mb.System("still")
    assert mb.derive(system, Wittenburg()).acceleration == ()
    system.joint("drive", system.world, system.body("block", 1), "Tx", prescribed=sin(system.time))
    assert mb.derive(system, Wittenburg()).acceleration == ()
    assert Wittenburg().tables(system).S.shape == (0, 0)


def test_loads():
    system = driven(2)
    end, near = system["b3"], system["b1"]
    system.load(mb.Force(end, (1, 2, system["r"].symbols)))
    system.load(mb.Torque(near, (3, 2, 1)))
    system.load(mb.Spring(system.world, end.frame("eye", (0.3, 0.2, 0.1)), stiffness=20))
    system.load(mb.JointDamper(system["j3"], [0.3, 0.2]))
    assert agrees(system)
    assert not all(is_zero(x) for x in mb.derive(system, Wittenburg()).f)


def test_bodies_welded_and_without_mass():
    system = mb.System("arm")
    carrier, arm, tool = system.body("carrier"), system.body("arm", 2, (0, 0, 1), (1, 1, 1)), system.body("tool", 2)
    system.joint("turn", system.world, carrier, "Rz")
    system.joint("lift", carrier.frame("side", (1, 0, 0)), arm, mb.Revolute((0, 1, 1)))
    system.joint("grip", arm.frame("flange", (0, 0, 3)), tool, mb.Weld())
    tables = Wittenburg().tables(system)
    assert tables.bodies == {0: "world", 1: "carrier", 2: "arm+tool"}
    assert list(map(float, tables.c[2, 2])) == pytest.approx([0, 0, -2])  # midway between 1 m and 3 m, in arm's axes
    assert list(map(float, tables.c[1, 2])) == [1, 0, 0]
    assert float(tables.J[2].xx) == pytest.approx(1 + 2 + 2)
    assert agrees(system)


def test_generalized_speeds():
    frozen = five_body()
    first, *_, last = frozen.speeds
    assert agrees(with_speeds(frozen, {"w": first + 2 * last * cos(frozen.coordinates[1])}))


def test_closed_loop():
    system = mb.System("four_bar")
    crank, coupler, rocker = (system.body(name, 1, (0.5, 0, 0), (0.1, 0.1, 0.1)) for name in ("a", "b", "c"))
    system.joint("ja", system.world, crank, "Rz")
    system.joint("jb", crank.frame("end_a", (1, 0, 0)), coupler, "Rz")
    system.joint("jc", system.frame("right", (2, 0, 0)), rocker, "Rz")
    system.joint("jd", coupler.frame("end_b", (1.5, 0, 0)), rocker.frame("end_c", (1, 0, 0)), "Rz")
    assert agrees(system)
