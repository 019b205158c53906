"""Redundant constraints and singular positions: the motion is right, or the run says what is wrong."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from tests.reference.mechanisms import GROUND, Bar, Layout, Pair, mechanism_of, rod, system_of
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.simulation import IndependentCoordinates, Status, baumgarte
from multibody.simulation.integrators.library_solver import onto_constraints
from multibody.simulation.integrators.scipy_solvers import ScipySolver
from multibody.simulation.problem.problem import Problem
from multibody.subsystems import couple, from_system

CRANKS = 3
PARALLEL = {"p0": 1.0, "p1": 1.0, "p2": 1.0, "k0": -1.0}


def slider_crank(gravity=9.81):
    """A crank and a rod of 1 m and 1 kg each, and a piston of 1 kg."""
    system = mb.System("slider_crank", gravity=(0, -gravity, 0), recognise_loops=False)
    crank, rod = (system.body(name, 1.0, (0.5, 0, 0), (0, 0, 1 / 12)) for name in ("crank", "rod"))
    piston = system.body("piston", 1.0)
    system.joint("turn", system.world, crank, "Rz")
    system.joint("knee", crank.frame("pin", (1, 0, 0)), rod, "Rz")
    system.joint("stroke", system.world, piston, "Tx")
    system.joint("eye", rod.frame("end", (1, 0, 0)), piston, "Rz", cut=True)
    return system


def closed_slider_crank(angle, speed):
    """Coordinates and speeds by name: the rod is the mirror image of the crank."""
    q = {"turn": angle, "knee": -2 * angle, "stroke": 2 * math.cos(angle)}
    return q, {"turn_dot": speed, "knee_dot": -2 * speed, "stroke_dot": -2 * math.sin(angle) * speed}


def turning_crank(angle, speed, times, gravity=9.81):
    """The same with the angle of the crank alone: T = J(θ)·θ̇²/2 and V = g·sin θ."""

    def rates(_, y):
        sin, cos = math.sin(y[0]), math.cos(y[0])
        inertia = 1 / 3 + 1 / 12 + 2.25 * sin**2 + 0.25 * cos**2 + 4 * sin**2
        change = 2 * (2.25 - 0.25 + 4) * sin * cos
        return [y[1], (-gravity * cos - 0.5 * change * y[1] ** 2) / inertia]

    return solve_ivp(rates, (0, times[-1]), [angle, speed], "DOP853", times, rtol=1e-12, atol=1e-12).y[0]


def cranks(last=1.0, drive=None, **start):
    """A rod of 2 kg on three parallel cranks of 1 m and 1 kg; the last one must be as long as the others.

    ``drive`` prescribes the angle of the first one by time.
    """
    system = mb.System("cranks", gravity=(0, -9.81, 0), recognise_loops=False)
    length = system.parameter("last", last)
    rod = system.body("rod", 2.0, (1, 0, 0), (0, 0.3, 0.3))
    for k in range(CRANKS):
        crank = system.body(f"crank{k}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12))
        motion = {"q": start.get(f"p{k}")} if k or not drive else {"prescribed": drive(system.time)}
        system.joint(f"p{k}", system.frame(f"foot{k}", (k, 0, 0)), crank, "Rz", **motion)
        tip = crank.frame(f"tip{k}", (length if k == CRANKS - 1 else 1, 0, 0))
        if k == 0:
            system.joint("k0", tip, rod, "Rz", q=start.get("k0"))
        else:
            system.joint(f"k{k}", rod.frame(f"bearing{k}", (k, 0, 0)), tip, "Rz", cut=True)
    return system


def swinging_cranks(times, angle=1.0):
    """All cranks turn by the same angle: (3·1/3 + 2)·θ̈ = -(3·0.5 + 2)·g·cos θ."""
    return turned_cranks(times, angle)[0]


def turned_cranks(times, angle):
    """The angle of all cranks, and its rate."""

    def rates(_, y):
        return [y[1], -3.5 * 9.81 * math.cos(y[0]) / 3]

    return solve_ivp(rates, (0, times[-1]), [angle, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12).y


FORMALISMS = [
    (mb.Recursive(), None),
    (mb.Recursive(), mb.IndependentSpeeds()),
    (mb.Wittenburg(), None),
    (mb.Kane(), None),
    (mb.Kane(), mb.Multipliers()),
    (mb.Lagrange(), None),
    (mb.NewtonEuler(), None),
    (mb.ArticulatedBody(), None),
    (mb.Modular(), None),
]


@pytest.mark.parametrize(
    ("formalism", "handling", "last"),
    [*((*one, 1.0) for one in FORMALISMS), (mb.Recursive(), None, 1.1), (mb.Kane(), None, 1.1)],
    ids=repr,
)
def test_three_cranks_without_start_values(formalism, handling, last):
    """Where rank is decided, all cranks lie flat; or a crank has another length."""
    eom = mb.derive(cranks(last), formalism, constraints=handling)
    run = mb.simulate(eom, 0.6, q=PARALLEL, parameters={"last": 1.0}, samples=31)
    assert run["p0"] == pytest.approx(swinging_cranks(run.t), abs=1e-6)
    assert run.energy_drift < 1e-6
    assert run.residuals.position.max() < 1e-9


@pytest.mark.parametrize(("formalism", "handling"), FORMALISMS, ids=repr)
def test_a_run_counts_redundant_equations_with_its_own_parameters(formalism, handling):
    """One of four equations of the cranks follows from the others; those of a slider-crank are independent."""
    eom = mb.derive(cranks(1.1), formalism, constraints=handling)
    run = mb.simulate(eom, 0.1, q=PARALLEL, parameters={"last": 1.0}, samples=5)
    assert len(run.redundant_constraints) == 1
    assert run.redundant_constraints[0].startswith(("k1", "k2"))
    q, u = closed_slider_crank(0.7, 1.0)
    regular = mb.simulate(mb.derive(slider_crank(), formalism, constraints=handling), 0.1, q=q, u=u, samples=5)
    assert regular.redundant_constraints == ()
    tree = mb.System("tree")
    tree.joint("a", tree.world, tree.body("rod", 1.0, (0.5, 0, 0), (1, 1, 1)), "Rz")
    assert mb.simulate(mb.derive(tree), 0.1, samples=2).redundant_constraints == ()


@pytest.mark.parametrize(("formalism", "handling"), FORMALISMS, ids=repr)
def test_three_cranks_reach_minus_0_2202_rad(formalism, handling):
    """All started at 1 rad; the time is that at which one crank alone gets there."""
    end = brentq(lambda t: swinging_cranks([0.0, t])[-1] + 0.2202, 0.3, 0.7)
    run = mb.simulate(mb.derive(cranks(), formalism, constraints=handling), end, q=PARALLEL)
    assert run["p0"][-1] == pytest.approx(-0.2202, abs=1e-7)


def two_stages():
    """Three parallel cranks carry a platform, on which two cranks in another plane carry a second one.

    All angles are zero, as long as nothing else is given: all links lie flat.
    """
    bars = [rod(f"c{k}", 1.0, 1.0) for k in range(3)] + [rod(f"d{k}", 0.7, 1.0) for k in range(2)]
    bars += [Bar("platform", 2.0, (0.4, 0, 0.1), (0.2, 0.4, 0.5)), Bar("top", 1.0, (0.2, 0.1, 0), (0.1, 0.2, 0.25))]
    feet, hinges = [(0.5 * k, 0, 0.3 * k) for k in range(3)], [(0.2 + 0.4 * k, 0.2, 0) for k in range(2)]
    pairs = [Pair(f"p{k}", "Rz", GROUND, f"c{k}", feet[k]) for k in range(3)]
    pairs.append(Pair("k0", "Rz", "c0", "platform", (1, 0, 0)))
    pairs += [Pair(f"k{k}", "Rz", f"c{k}", "platform", (1, 0, 0), child_at=feet[k], cut=True) for k in (1, 2)]
    pairs += [Pair(f"r{k}", "Ry", "platform", f"d{k}", hinges[k]) for k in range(2)]
    pairs.append(Pair("s0", "Ry", "d0", "top", (0.7, 0, 0)))
    pairs.append(Pair("s1", "Ry", "d1", "top", (0.7, 0, 0), child_at=(0.4, 0, 0), cut=True))
    return Layout(bars, pairs)


@pytest.fixture(scope="module")
def motion_of_two_stages():
    q = {"p0": 0.6, "p1": 0.6, "p2": 0.6, "k0": -0.6, "r0": 0.6, "r1": 0.6, "s0": -0.6}
    u = {"p0": 1.0, "p1": 1.0, "p2": 1.0, "k0": -1.0, "r0": -2.0, "r1": -2.0, "s0": 2.0}
    layout = two_stages()
    motion = mechanism_of(layout, q, u, (1.0, -9.81, 0.5)).move([0.0, 0.2, 0.4], rtol=1e-8)
    return q, {f"{name}_dot": rate for name, rate in u.items()}, layout, motion


@pytest.mark.parametrize(("formalism", "handling"), FORMALISMS[:-1], ids=repr)
def test_independent_speeds_are_chosen_beside_a_flat_start(formalism, handling, motion_of_two_stages):
    """Where all links lie flat, no numbers tell which speeds are independent elsewhere."""
    q, u, layout, motion = motion_of_two_stages
    system = system_of("two_stages", lambda: layout, {}, (1.0, -9.81, 0.5), recognise_loops=False)
    run = mb.simulate(mb.derive(system, formalism, constraints=handling), times=motion.t, q=q, u=u)
    for k, pair in enumerate(layout.pairs):
        if not pair.cut:
            assert run[pair.name] == pytest.approx(motion.values[:, k], abs=1e-6)


@pytest.mark.parametrize(("formalism", "handling"), FORMALISMS, ids=repr)
def test_driven_cranks_with_redundant_equations(formalism, handling):
    """Where its loops are open, a driven linkage contradicts itself; the cranks pass flat positions, too."""
    eom = mb.derive(cranks(drive=lambda t: 1.0 + 2.0 * t), formalism, constraints=handling)
    run = mb.simulate(eom, 4.0, q={"p1": 1.0, "p2": 1.0, "k0": -1.0}, samples=41)
    for k in (1, 2):
        assert run[f"p{k}"] == pytest.approx(1.0 + 2.0 * run.t, abs=1e-9)
    assert run["k0"] == pytest.approx(-1.0 - 2.0 * run.t, abs=1e-9)


@pytest.mark.parametrize("other", [lambda t: 1.0 + 2.1 * t, lambda t: 1.0 + 2.0 * t + t**2], ids=["rate", "later"])
def test_two_drives_that_contradict_each_other(other):
    """The second one leaves the first one at the start, or has the same rate there."""
    system = cranks(drive=lambda t: 1.0 + 2.0 * t, p1=1.0, p2=1.0, k0=-1.0)
    system.constraint(system.freeze().coordinates[2] - other(system.time), name="second")
    with refused("constraints-contradict"):
        mb.derive(system)


def test_redundant_forces_are_shared_in_the_same_way():
    """Of all forces that keep the motion, those with the smallest λᵀ·D·λ; here all have the same unit."""
    found = []
    for formalism, handling in FORMALISMS:
        eom = mb.derive(cranks(), formalism, constraints=handling)
        q = [PARALLEL[one.name] for one in eom.coordinates]
        found.append(eom.constraint_forces(0.0, q, np.zeros(4), [], [1.0]))
        forms = eom.robust_dynamics(0.0, q, np.zeros(4), [], [1.0])
        assert found[-1] == pytest.approx(forms.multipliers, abs=1e-6)
    assert np.array(found) == pytest.approx(np.tile(found[0], (len(found), 1)), abs=1e-6)
    B = eom.function("B", {"B": eom.B})(0.0, q, np.zeros(4), [], [1.0])
    redundant = np.linalg.svd(B[[0, 1, 5, 6]].T)[2][-1]  # forces that cancel each other
    assert found[0][[0, 1, 5, 6]] @ redundant == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("by_hand", [False, True])
def test_three_cranks_coupled(by_hand):
    system = cranks()
    if by_hand:
        tree = mb.System("tree", gravity=(0, -9.81, 0))
        for k in range(CRANKS):
            crank = tree.body(f"crank{k}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12))
            tree.joint(f"p{k}", tree.frame(f"foot{k}", (k, 0, 0)), crank, "Rz")
            if k == 0:
                rod = tree.body("rod", 2.0, (1, 0, 0), (0, 0.3, 0.3))
                tree.joint("k0", crank.frame("tip", (1, 0, 0)), rod, "Rz")
        loops = {}
        for k in (1, 2):
            loops[f"x{k}"] = f"cos(p0) + {k}*cos(p0 + k0) - {k} - cos(p{k})"
            loops[f"y{k}"] = f"sin(p0) + {k}*sin(p0 + k0) - sin(p{k})"
        eom = couple("linkage", [from_system(tree)], loops).equations()
    else:
        eom = from_system(system).equations()
    run = mb.simulate(eom, 0.6, q=PARALLEL, samples=31)
    assert run["p0"] == pytest.approx(swinging_cranks(run.t), abs=1e-6)
    for k in (1, 2):
        gap = np.hypot(
            np.cos(run["p0"]) + k * np.cos(run["p0"] + run["k0"]) - k - np.cos(run[f"p{k}"]),
            np.sin(run["p0"]) + k * np.sin(run["p0"] + run["k0"]) - np.sin(run[f"p{k}"]),
        )
        assert gap.max() < 1e-9


@pytest.mark.parametrize("last", [1.0, 1.1])
def test_a_subsystem_of_a_system_keeps_equations_that_are_redundant_at_the_start(last):
    """The cranks pass -π/2, where an equation that is enough at the start does not restrict its crank any more."""
    eom = from_system(cranks(last)).equations()
    assert len(eom.constraints) == 4
    start = {"p0": -1.0, "p1": -1.0, "p2": -1.0, "k0": 1.0}
    run = mb.simulate(eom, 0.6, q=start, parameters={"last": 1.0}, samples=31)
    angle, rate = turned_cranks(run.t, -1.0)
    assert run["p0"].min() < -math.pi / 2
    for k in range(CRANKS):
        assert run[f"p{k}"] == pytest.approx(angle, abs=1e-6)
        assert run[f"p{k}_dot"] == pytest.approx(rate, abs=1e-5)


@pytest.mark.parametrize("angle", [1.0, -1.0])
def test_a_system_of_sympy_keeps_equations_that_are_redundant_at_the_start(angle):
    raised = cranks(**PARALLEL).to_sympy()
    assert len(raised.holonomic_constraints) == 3
    eom = mb.from_sympy(raised, parameters={"last": 1.0})
    assert len(eom.constraints) == 4
    run = mb.simulate(eom, 0.6, q={"p0": angle, "p1": angle, "p2": angle, "k0": -angle}, samples=31)
    exact, rate = turned_cranks(run.t, angle)
    for k in range(CRANKS):
        assert run[f"p{k}"] == pytest.approx(exact, abs=1e-6)
        assert run[f"p{k}_dot"] == pytest.approx(rate, abs=1e-5)


def test_the_rank_is_known_without_values():
    """A rolling disc from SymPy: its height is restricted by a position and by a velocity, which are the same."""
    ours = mb.derive(library.rolling_disc())
    state, values = ours.consistent(), ours.model.parameter_values()
    expected = dict(
        zip(ours.speeds, ours.forward_dynamics(0.0, state.q, state.u, [], list(values.values())), strict=True)
    )
    theirs = mb.from_sympy(library.rolling_disc().to_sympy(), constraints=mb.IndependentSpeeds())
    named = {
        one.name: value for one, value in zip((*ours.coordinates, *ours.speeds), (*state.q, *state.u), strict=True)
    }
    named |= {one.name: value for one, value in values.items()}
    found = theirs.forward_dynamics(
        0.0, *([named[one.name] for one in part] for part in (theirs.coordinates, theirs.speeds, (), theirs.parameters))
    )
    by_name = {one.name: value for one, value in expected.items()}
    assert found == pytest.approx([by_name[one.name] for one in theirs.speeds], rel=1e-9)
    assert found.max() == pytest.approx(3.21, abs=5e-3)


STARTS = [(math.pi / 4, 2 * math.sqrt(2))] + [
    (angle, speed * side)
    for angle, speed, side in zip(
        np.random.default_rng(3).uniform(-1.2, 1.2, 39),
        np.random.default_rng(4).uniform(1, 6, 39),
        np.random.default_rng(5).choice([-1, 1], 39),
        strict=True,
    )
]


def passed(eom, angle, speed, integrator=None, tolerance=1e-4):
    """Whether a slider-crank passes its singular positions as its crank alone does."""
    q, u = closed_slider_crank(angle, speed)
    run = mb.simulate(eom, 1.5, q=q, u=u, integrator=integrator, samples=151)
    assert run["turn"] == pytest.approx(turning_crank(angle, speed, run.t), abs=tolerance)
    assert run["knee"] == pytest.approx(-2 * run["turn"], abs=1e-8)
    return run


def test_forty_slider_cranks_pass_their_singular_positions():
    eom = mb.derive(slider_crank())
    for angle, speed in STARTS:
        passed(eom, angle, speed)


@pytest.mark.parametrize(
    ("formalism", "handling"),
    [
        (mb.Kane(), None),
        (mb.Recursive(), mb.IndependentSpeeds()),
        (mb.Recursive(), mb.IndependentSpeeds("stroke_dot")),
        (mb.ArticulatedBody(), None),
        (mb.Lagrange(), None),
    ],
    ids=repr,
)
def test_all_formalisms_pass(formalism, handling):
    eom = mb.derive(slider_crank(), formalism, constraints=handling)
    for angle, speed in STARTS[:4]:
        passed(eom, angle, speed)


@pytest.mark.parametrize(
    "integrator",
    [mb.DormandPrince5(), mb.DormandPrince8(rtol=1e-10, atol=1e-12), ScipySolver(), mb.RungeKutta4(step=1e-3),
     mb.Symplectic(step=1e-3), mb.Cvode(), mb.Cvode(method="Adams"), mb.Ida(), mb.IndependentCoordinates(),
     ScipySolver(method="Radau"), ScipySolver(method="LSODA")],
    ids=repr,
)  # fmt: skip
def test_other_integrators_pass_or_say_so(integrator):
    eom = mb.derive(slider_crank())
    for angle, speed in STARTS[:4]:
        try:
            passed(eom, angle, speed, integrator)
        except mb.SimulationError as error:
            named = error.trajectory.status in (Status.SINGULAR, Status.CONSTRAINTS_LOST, Status.SOLVER_FAILED)
            assert not named or "eye" in str(error)  # noqa: PT017 - both are right


@pytest.mark.parametrize("handling", [None, mb.IndependentSpeeds("turn_dot")], ids=repr)
def test_accelerations_are_refused_in_a_singular_position(handling):
    eom = mb.derive(slider_crank(), constraints=handling)

    def at(angle):
        q, u = closed_slider_crank(angle, 1.0)
        return 0.0, [q[one.name] for one in eom.coordinates], [u[one.name] for one in eom.speeds], [], []

    assert np.isfinite(eom.forward_dynamics(*at(math.pi / 2 - 1e-3))).all()
    for function in (eom.forward_dynamics, eom.constraint_forces):
        with refused("position-singular", "eye"):
            function(*at(math.pi / 2))
    t, q, u, r, p = (np.array([one, other]) for one, other in zip(at(1.0), at(math.pi / 2), strict=True))
    several = eom.forward_dynamics.batch(t, q, u, r[0], p[0])
    assert np.isfinite(several[0]).all()
    assert np.isnan(several[1]).all()


@pytest.mark.parametrize("start", [{}, PARALLEL], ids=["flat", "raised"])
def test_accelerations_of_redundant_equations(start):
    eom = mb.derive(cranks(**start))
    raised = [PARALLEL[one.name] for one in eom.coordinates]
    expected = -3.5 * 9.81 * math.cos(1.0) / 3
    assert eom.forward_dynamics(0.0, raised, np.zeros(4), [], [1.0])[0] == pytest.approx(expected)
    with refused("position-singular"):
        eom.forward_dynamics(0.0, np.zeros(4), np.zeros(4), [], [1.0])


def test_a_change_of_velocity_is_not_silent():
    """The projection of a state whose speeds do not belong together is noticed."""
    eom = mb.derive(slider_crank())
    q, u = closed_slider_crank(0.7, 1.0)
    y = np.array([*(q[one.name] for one in eom.coordinates), *(u[one.name] for one in eom.speeds), 0.0, 0.0, 0.0])
    y[len(eom.coordinates)] += 0.5
    with pytest.raises(mb.MultibodyError) as error:
        onto_constraints(Problem(eom, []), 0.0, y, 1e-10)
    assert error.value.status is Status.SINGULAR


@pytest.mark.parametrize("options", [{}, {"formalism": mb.Kane()}, {"constraints": mb.IndependentSpeeds()}])
def test_accelerations_are_refused_where_the_only_constraint_vanishes(options):
    """A slider-crank with equal arms: on the way of the slider, 8/3 kg m² turn; with folded arms 2/3 kg m²."""
    system = mb.System("equal")
    crank, rod = (system.body(name, 1.0, (0.5, 0, 0), (0, 0, 1 / 12)) for name in ("crank", "rod"))
    drive = system.joint("a", system.world, crank, "Rz", q=0.5)
    system.joint("b", crank.frame("B", (1, 0, 0)), rod, "Rz", q=-1.0)
    system.load(mb.JointLoad(drive, system.input("M")))
    system.constraint(mb.PointOnPlane(system.world, rod.frame("E", (1, 0, 0)), (0, 1, 0)))
    dynamics = mb.derive(system, **options).forward_dynamics
    several = np.array([[np.pi / 2, -np.pi], [np.pi / 2 - 1e-4, 2e-4 - np.pi], [np.pi / 2, -np.pi]])
    speeds = np.array([[1.0, -2.0], [0.0, 0.0], [0.0, 1.0]])
    for _ in range(2):  # also after positions that are regular
        found = dynamics.batch(0.0, several, speeds, [1.0], [])
        assert np.isnan(found[[0, 2]]).all()
        assert found[1] == pytest.approx([3 / 8, -3 / 4], abs=1e-6)
        assert np.isnan(dynamics.batch(0.0, several[:1], speeds[:1], [1.0], [])).all()
        for u in ([1.0, -2.0], [1.0, 0.0], [0.0, 1.0]):
            with refused("position-singular"):
                dynamics(0.0, [np.pi / 2, -np.pi], u, [1.0], [])
        assert dynamics(0.0, [np.pi / 2 - 1e-4, -np.pi], [1.0, 0.0], [1.0], []) == pytest.approx([1.5, 0], abs=1e-6)
        assert dynamics(0.0, [np.pi / 2 - 1e-4, 2e-4 - np.pi], [0.0, 0.0], [1.0], []) == pytest.approx(
            [3 / 8, -3 / 4], abs=1e-6
        )


def test_a_batch_has_numbers_where_only_the_choice_of_speeds_fails():
    """The piston at its dead point: the speed of the crank does not follow from that of the piston."""
    eom = mb.derive(slider_crank(), constraints=mb.IndependentSpeeds("stroke_dot"))
    every = mb.derive(slider_crank(), constraints=mb.Multipliers())
    q, u = closed_slider_crank(0.0, 1.0)
    at = [0.0, [q[one.name] for one in eom.coordinates], [u[one.name] for one in eom.speeds], [], []]
    other = [0.0, [q[one.name] for one in every.coordinates], [u[one.name] for one in every.speeds], [], []]
    expected = dict(zip((one.name for one in every.speeds), every.forward_dynamics(*other), strict=True))
    found = eom.forward_dynamics.batch(at[0], np.array([at[1]] * 2), np.array([at[2]] * 2), [], [])
    for row in (*found, eom.forward_dynamics(*at)):
        assert row == pytest.approx([expected[one.name] for one in eom.speeds], abs=1e-6)


@pytest.mark.parametrize("formalism", [mb.Recursive(), mb.ArticulatedBody(), mb.Kane(), mb.Lagrange()], ids=repr)
def test_accelerations_are_refused_in_gimbal_lock(formalism):
    system = mb.System("gyro", gravity=(0, 0, -9.81))
    system.joint("ball", system.world, system.body("top", 1.0, (0.1, 0, 0), (1, 2, 3)), ["Rx", "Ry", "Rz"])
    dynamics = mb.derive(system, formalism).forward_dynamics
    u = [0.1, 0.2, 0.3]
    for near in (0.0, 1e-9):
        with refused("gimbal-lock", "ball"):
            dynamics(0.0, [0.1, math.pi / 2 + near, 0.2], u, [], [])
    found = dynamics.batch(0.0, np.array([[0.1, math.pi / 2, 0.2], [0.1, 0.5, 0.2]]), u, [], [])
    assert np.isnan(found[0]).all()
    assert found[1] == pytest.approx(dynamics(0.0, [0.1, 0.5, 0.2], u, [], []))
    assert np.isfinite(dynamics(0.0, [0.1, math.pi / 2 - 1e-3, 0.2], u, [], [])).all()


def test_accelerations_are_refused_where_a_point_mass_is_on_an_axis():
    system = mb.System("spherical", gravity=(0, 0, -9.81))
    system.joint("hook", system.world, system.body("bob", 1.0, (0, 0, -1.0)), ["Rx", "Ry"])
    dynamics = mb.derive(system).forward_dynamics
    with refused("gimbal-lock"):
        dynamics(0.0, [0.3, math.pi / 2], [1.0, 0.0], [], [])
    assert dynamics(0.0, [0.3, 0.0], [0.0, 0.0], [], []) == pytest.approx([-9.81 * math.sin(0.3), 0.0], abs=1e-12)


@pytest.mark.parametrize("last", [1.0, 1.1])
@pytest.mark.parametrize(("formalism", "handling"), [FORMALISMS[0], FORMALISMS[3]], ids=repr)
def test_linear_systems_use_the_equations_that_count_at_their_point(formalism, handling, last):
    """Three cranks are one pendulum: 3·θ̈ = -3.5·g·cos θ; the length of the last one is given where it matters."""
    eom = mb.derive(cranks(last), formalism, constraints=handling)
    for angle in (1.0, -1.3, -math.pi / 2):
        at = {"p0": angle, "p1": angle, "p2": angle, "k0": -angle}
        linear = mb.linearize(eom, at=at, parameters={"last": 1.0})
        assert linear.states == ("p0", "p0_dot")
        slope = 3.5 * 9.81 * math.sin(angle) / 3
        assert pytest.approx(np.array([[0, 1], [slope, 0]]), abs=1e-9) == linear.A
        assert linear.point["p0_ddot"] == pytest.approx(-3.5 * 9.81 * math.cos(angle) / 3)
    with refused("constraints-singular", "k1"):
        mb.linearize(eom, at=dict.fromkeys(at, 0.0), parameters={"last": 1.0})
    hanging = mb.equilibrium(eom, at={"p0": -1.5, "p1": -1.5, "p2": -1.5, "k0": 1.5}, parameters={"last": 1.0})
    assert hanging["p2"] == pytest.approx(-math.pi / 2)
    forces = eom.constraint_forces(0.0, hanging.point.q, np.zeros(4), [], [1.0])
    for found in (hanging.point, hanging.linear.point):
        assert found.multipliers == pytest.approx(forces, abs=1e-6)
    assert sorted(hanging.poles.imag) == pytest.approx([-math.sqrt(3.5 * 9.81 / 3), math.sqrt(3.5 * 9.81 / 3)])


def test_a_linear_system_where_the_only_constraint_vanishes_is_refused_by_its_name():
    system = mb.System("equal", gravity=(0, -9.81, 0))
    crank, rod = (system.body(name, 1.0, (0.5, 0, 0), (0, 0, 1 / 12)) for name in ("crank", "rod"))
    system.joint("a", system.world, crank, "Rz", q=0.5)
    system.joint("b", crank.frame("B", (1, 0, 0)), rod, "Rz", q=-1.0)
    system.constraint(mb.PointOnPlane(system.world, rod.frame("E", (1, 0, 0)), (0, 1, 0)), name="guide")
    with refused("constraints-singular", "guide"):
        mb.linearize(mb.derive(system), at={"a": math.pi / 2, "b": -math.pi})
    linear = mb.linearize(mb.derive(system), at={"a": -math.pi / 2 + 1e-3, "b": math.pi - 2e-3})
    assert len(linear.states) == 2


@pytest.mark.parametrize("options", [{}, {"formalism": mb.Kane()}, {"constraints": mb.IndependentSpeeds()}], ids=repr)
def test_whatever_follows_from_accelerations_is_refused_in_a_singular_position(options):
    """Cranks that lie flat: rates of the state, functions with fixed parameters, and sensors of accelerations."""
    system = cranks(**PARALLEL)
    system.sensor("place", mb.Position(system["rod"]))
    system.sensor("push", mb.Acceleration(system["rod"]))
    eom = mb.derive(system, **options)
    flat, raised = np.zeros(4), np.array([PARALLEL[one.name] for one in eom.coordinates])
    for function in (mb.compile(eom), eom.state_rate.fix(p=[1.0]), eom.forward_dynamics.fix(p=[1.0])):
        values = ([1.0],) if function is eom.state_rate else ()  # others have theirs
        with refused("position-singular", "k1"):
            function(0.0, flat, np.zeros(4), [], *values)
        function(0.0, raised, np.zeros(4), [], *values)
    both = eom.state_rate.batch(0.0, np.array([flat, raised]), np.zeros(4), [], [1.0])
    assert np.isnan(both.u_dot[0]).all()
    assert both.u_dot[1][0] == pytest.approx(-3.5 * 9.81 * math.cos(1.0) / 3)
    assert (both.q_dot == 0).all()
    there, elsewhere = (eom.sensors(0.0, q, np.zeros(4), [], [1.0]) for q in (flat, raised))
    assert np.isfinite(there.place).all()
    assert np.isnan(there.push).all()
    assert np.isfinite(elsewhere.push).all()


def test_rates_are_refused_in_gimbal_lock_and_sensors_of_places_are_not():
    system = mb.System("gyro", gravity=(0, 0, -9.81))
    top = system.body("top", 1.0, (0.1, 0, 0), (1, 2, 3))
    system.joint("ball", system.world, top, ["Rx", "Ry", "Rz"])
    system.sensor("push", mb.Acceleration(top.frame("tip", (1, 0, 0))))
    eom = mb.derive(system)
    locked, u = [0.1, math.pi / 2, 0.2], [0.1, 0.2, 0.3]
    with refused("gimbal-lock", "ball"):
        eom.state_rate(0.0, locked, u, [], [])
    assert np.isnan(eom.sensors(0.0, locked, u, [], [])).all()
    assert np.isfinite(eom.sensors(0.0, [0.1, 0.5, 0.2], u, [], [])).all()


def test_what_has_no_inertia_may_be_held_by_a_loop():
    """A spatial four-bar cut behind a joint that carries nothing: M is singular there, and the motion is determined."""
    eom = mb.derive(library.spatial_four_bar("rev1"))
    start = eom.consistent({"j1": 1.1}, {"j1_dot": 1.7}, fixed=["j1", "j1_dot"])
    p = list(eom.model.parameter_values().values())
    r = np.zeros(len(eom.inputs))
    found = eom.forward_dynamics(0.0, start.q, start.u, r, p)
    assert found == pytest.approx(eom.robust_dynamics(0.0, start.q, start.u, r, p).acceleration, abs=1e-8)
    several = eom.forward_dynamics.batch(0.0, np.array([start.q, start.q]), np.array([start.u, start.u]), r, p)
    assert several == pytest.approx(np.array([found, found]))


def parallelogram():
    """Two cranks and a coupler of 1.5 m, flat at 0 and π, where it may leave its branch; flat loops are not solved."""
    system = mb.System("parallelogram", gravity=(0, -9.81, 0), recognise_loops=False)
    inertia = (0, 0, 1 / 12)
    a, b = (system.body(name, 1.0, (0.5, 0, 0), inertia) for name in "ab")
    c = system.body("c", 2.0, (0.75, 0, 0), (0, 0, 0.2))
    system.joint("p", system.world, a, "Rz")
    system.joint("k", a.frame("a_end", (1.0, 0, 0)), c, "Rz")
    system.joint("r", system.frame("far", (1.5, 0, 0)), b, "Rz")
    system.joint("pin", c.frame("c_end", (1.5, 0, 0)), b.frame("b_end", (1.0, 0, 0)), "Rz", cut=True)
    return mb.derive(system)


def turning(w):
    """A start at 0.7 rad with a speed of the cranks."""
    return {"q": {"p": 0.7, "k": -0.7, "r": 0.7}, "u": {"p_dot": w, "k_dot": -w, "r_dot": w}}


@pytest.mark.parametrize("speed", [8.0, 5.0, -6.0])
def test_samples_of_independent_coordinates_stay_on_their_branch(speed):
    """However close to the flat position a sample is, it is right, or the run says that it cannot be."""
    run = mb.simulate(
        parallelogram(), 1.0, samples=2501, integrator=IndependentCoordinates(), on_failure="return", **turning(speed)
    )
    assert np.abs(run["p"] - run["r"]).max() < 1e-6
    assert np.abs(run["p_dot"] - run["r_dot"]).max() < 1e-4
    assert run.status.name in ("DONE", "SINGULAR")
    assert len(run.t) == 2501 or run.status.name == "SINGULAR"


@pytest.mark.parametrize("integrator", [mb.DormandPrince8(project=False), mb.RungeKutta4(step=0.003, project=False),
                                        mb.Cvode(project=False)], ids=lambda one: type(one).__name__)  # fmt: skip
@pytest.mark.parametrize("speed", [8.0, 5.0])
def test_runs_without_projection_end_where_constraints_become_dependent(integrator, speed):
    eom = parallelogram()
    for equations in (eom, baumgarte(eom, 20.0, 20.0)):
        run = mb.simulate(equations, 3.0, integrator=integrator, on_failure="return", **turning(speed))
        assert run.status.name == "SINGULAR"
        assert np.abs(run["p"] - run["r"]).max() < 1e-6
        assert abs(np.sin(run["p"][-1])) < 0.1
    short = mb.simulate(eom, 0.02, integrator=integrator, **turning(speed))  # flat positions are far away
    assert short.status.name == "DONE"
