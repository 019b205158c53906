"""Verdicts on controllability and observability, the refusals of lqr and kalman, and the verification of gains."""

import warnings

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov
from tests.refusal import refused

import multibody as mb
from multibody.linearization import LinearSystem, equilibrium, kalman, linearize, lqr
from multibody.linearization.control import design_checks, riccati
from multibody.linearization.control.riccati import UnverifiedError, require_stable, solve_riccati, verify_gains
from multibody.linearization.spectra.controllability import NO, UNDECIDED, YES, reach

# models --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair():
    """Two masses on springs to the ground with a coupling spring, the same force on both, and their mean measured."""
    system = mb.System("pair", gravity=(0, 0, 0))
    ma, mb_, ka, kb, kc, c = (system.parameter(name, 1.0) for name in ("ma", "mb", "ka", "kb", "kc", "c"))
    force = system.input("F")
    a = system.joint("xa", system.world, system.body("a", ma), "Tx")
    b = system.joint("xb", system.world, system.body("b", mb_), "Tx")
    pull = kc * (b.coordinate - a.coordinate)
    system.load(mb.JointLoad(a, force - ka * a.coordinate - c * a.speed + pull))
    system.load(mb.JointLoad(b, force - kb * b.coordinate - c * b.speed - pull))
    system.sensor("mean", mb.Expression((a.coordinate + b.coordinate) / 2))
    return mb.derive(system)


def values(seed, off=0.0, damping=0.0):
    """Random numbers of two equal halves, one of which is off."""
    rng = np.random.default_rng(seed)
    m, k, ratio = 10 ** rng.uniform(-3, 3), 10 ** rng.uniform(-2, 5), 10 ** rng.uniform(-2, 2)
    return {"ma": m, "mb": m * (1 + off), "ka": k, "kb": k, "kc": ratio * k, "c": damping * np.sqrt(k * m)}


def rates(numbers):
    """Frequencies of the mean and of the difference, by hand."""
    m, k, kc = (numbers[name] for name in ("ma", "ka", "kc"))
    return np.sqrt(k / m), np.sqrt((k + 2 * kc) / m)


WEIGHTS = {"xa": 1.0, "xb": 1.0}, {"F": 1.0}
DISTURBANCES = {"xa_dot": 1.0, "xb_dot": 1.0}, {"mean": 1.0}


# equal halves --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_equal_halves_are_refused_with_the_mode_named(pair, seed):
    numbers = values(seed)
    lin, missing = linearize(pair, parameters=numbers), rates(numbers)[1]
    for judged in (lin.controllability, lin.observability):
        assert (judged.rank, judged.complete, bool(judged)) == (2, False, False)
        assert judged.missing.imag == pytest.approx([missing, -missing], rel=1e-6)
    for design, arguments, kind in ((lqr, WEIGHTS, "regulator"), (kalman, DISTURBANCES, "observer")):
        with refused("mode-not-reached", kind) as error:
            design(lin, *arguments)
        assert f"{missing:.6g} rad/s" in str(error.value)
        assert all(name in str(error.value) for name in ("xa", "xb", "xa_dot", "xb_dot"))


@pytest.mark.parametrize("seed", range(40))
def test_halves_that_differ_by_a_percent_are_accepted_with_right_gains(pair, seed):
    numbers = values(seed, off=0.01)
    lin, rate = linearize(pair, parameters=numbers), rates(numbers)[0]
    assert lin.controllability.complete
    assert lin.observability.complete
    lqr(lin, *WEIGHTS)
    kalman(lin, *DISTURBANCES)
    R, V = np.array([[numbers["ka"] ** -2]]), np.diag([0.0, 0.0, rate**3, rate**3])  # of the size of the springs
    regulator, observer = lqr(lin, WEIGHTS[0], R), kalman(lin, V, np.eye(1))
    Q = np.diag([1.0, 1.0, 0.0, 0.0])
    problems = (lin.A, lin.B, Q, R, regulator.K), (lin.A.T, lin.C.T, V, np.eye(1), observer.L.T)
    for A, B, weights, effort, K in problems:
        assert (np.linalg.eigvals(A - B @ K).real < 0).all()
        P = solve_continuous_lyapunov((A - B @ K).T, -(weights + K.T @ effort @ K))  # the cost of the closed loop
        bound = np.sqrt(B.T @ P @ B) * np.sqrt(np.diag(P)) / effort
        assert (np.abs(B.T @ P / effort - K) <= 1e-5 * bound).all()


def test_equal_halves_that_decay_are_accepted(pair):
    """The regulator leaves the difference alone, which its input does not reach."""
    lin = linearize(pair, parameters=values(3, damping=0.01))
    assert lin.controllability.rank == 2
    regulator = lqr(lin, *WEIGHTS)
    for pole in lin.controllability.missing:
        assert np.abs(regulator.poles - pole).min() < 1e-9 * abs(pole)


def test_nearly_equal_halves_are_undecided(pair):
    """A difference of 1e-11 may be an error of the numbers: neither yes nor no."""
    lin = linearize(pair, parameters={"ma": 1.0, "mb": 1 + 1e-11, "ka": 2.0, "kb": 2.0, "kc": 3.0, "c": 0.0})
    judged = lin.controllability
    assert sorted(judged.verdicts) == [UNDECIDED, UNDECIDED, YES, YES]
    assert (judged.rank, judged.complete, len(judged.missing), len(judged.undecided)) == (2, False, 0, 2)
    assert str(judged).count("undecided") == 2
    with refused("mode-undecided"):
        lqr(lin, *WEIGHTS)
    with refused("mode-undecided"):
        kalman(lin, *DISTURBANCES)


def test_equal_arms_at_an_equilibrium_are_not_controllable_by_one_moment():
    """Angles come from Newton's method, and are the same to rounding only."""
    system = mb.System("arms", gravity=(0, 0, -9.81))
    moment = system.input("M")
    for name in ("a", "b"):
        joint = system.joint(name, system.world, system.body(f"bob_{name}", 1.3, (0.2, 0, -0.7)), "Ry")
        system.load(mb.JointSpring(joint, 3.0, 0.4))
        system.load(mb.JointLoad(joint, moment))
    lin = equilibrium(mb.derive(system), at={"a": 0.1, "b": -0.3}).linear
    assert (lin.controllability.rank, len(lin.controllability.missing)) == (2, 2)
    with refused("mode-not-reached"):
        lqr(lin, {"a": 1.0, "b": 1.0}, {"M": 1.0})


def test_the_margin_is_the_relative_asymmetry(pair):
    """Where an asymmetry of 1e-4 makes a mode controllable, its margin is of this size."""
    for off in (1e-2, 1e-4, 1e-6):
        lin = linearize(pair, parameters={"ma": 1.0, "mb": 1 + off, "ka": 2.0, "kb": 2.0, "kc": 3.0, "c": 0.0})
        assert 0.01 * off < lin.controllability.margins.min() < off


# extreme ratios ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damping", [0.0, 10.0])
@pytest.mark.parametrize("light", [0.01, 1e-6])
def test_a_light_mass_on_a_stiff_spring_is_controllable(pair, light, damping):
    system = mb.System("stiff", gravity=(0, 0, 0))
    a = system.joint("xa", system.world, system.body("a", 100.0), "Tx")
    b = system.joint("xb", system.world, system.body("b", light), "Tx")
    pull = 1e7 * (b.coordinate - a.coordinate) + damping * light * (b.speed - a.speed)
    system.load(mb.JointLoad(a, system.input("F") + pull))
    system.load(mb.JointLoad(b, -pull))
    lin = linearize(mb.derive(system), outputs=["xa"])
    for judged in (lin.controllability, lin.observability):
        assert judged.rank == 4
        assert judged.complete
        assert set(judged.verdicts) == {YES}
        assert len(judged.missing) == 0
        assert "no" not in str(judged).split()
    assert (lqr(lin, {"xa": 1.0, "xb": 1.0}, {"F": 1e-14}).poles.real < 0).all()


def test_free_bodies_are_controllable_through_a_force_and_not_against_each_other():
    system = mb.System("free", gravity=(0, 0, 0))
    a = system.joint("xa", system.world, system.body("a", 3.0), "Tx")
    b = system.joint("xb", system.world, system.body("b", 5.0), "Tx")
    outer, inner = system.input("outer"), system.input("inner")
    pull = 7.0 * (b.coordinate - a.coordinate) + inner
    system.load(mb.JointLoad(a, outer + pull))
    system.load(mb.JointLoad(b, -pull))
    eom = mb.derive(system)
    assert linearize(eom, inputs=["outer"]).controllability.complete
    against = linearize(eom, inputs=["inner"])
    assert against.controllability.rank == 2
    assert np.abs(against.controllability.missing).max() < 1e-6
    with refused("mode-not-reached") as error:
        lqr(against, {"xa": 1.0}, {"inner": 1.0})
    assert "xb_dot" in str(error.value)


def test_a_double_integrator():
    lin = LinearSystem([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]], ("x", "v"), ("F",), ("x",))
    assert lin.controllability.complete
    assert lin.observability.complete
    speed = LinearSystem([[0, 1], [0, 0]], [[0], [1]], [[0, 1]], [[0]], ("x", "v"), ("F",), ("v",))
    assert speed.observability.rank == 1
    assert speed.observability.missing.tolist() == [0]


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_equal_subsystems_need_as_many_inputs(inputs):
    """A threefold pole needs three inputs: the rank of the whole eigenspace counts."""
    rng, A = np.random.default_rng(inputs), np.kron(np.eye(3), [[0, 1], [-4, -0.1]])
    B = np.zeros((6, inputs))
    B[1::2] = rng.normal(size=(3, inputs))
    T = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    assert reach(A, B, "controllable").rank == 2 * inputs
    assert reach(T.T @ A @ T, T.T @ B, "controllable").rank == 2 * inputs


def test_a_jordan_block_is_reached_from_its_end():
    block = np.diag([-2.0] * 4) + np.diag([1.0] * 3, 1)
    assert reach(block, np.eye(4)[:, [3]], "controllable").rank == 4
    assert reach(block, np.eye(4)[:, [1]], "controllable").rank == 2


# borders -------------------------------------------------------------------------------------------------------------


def test_no_states_no_inputs_and_inputs_without_effect():
    empty = LinearSystem(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((0, 0)), np.zeros((0, 1)), (), ("F",), ())
    assert (empty.controllability.rank, empty.controllability.complete) == (0, True)
    assert str(empty.controllability) == "pole  controllable  margin"
    idle = LinearSystem([[0, 1], [-4, 0]], np.zeros((2, 1)), np.zeros((0, 2)), np.zeros((0, 1)), ("x", "v"), ("F",))
    for judged in (idle.controllability, idle.observability):
        assert judged.rank == 0
        assert judged.verdicts == (NO, NO)
        assert "no" in str(judged)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
def test_tables_of_extreme_numbers_are_printed(size):
    lin = LinearSystem([[0, 1], [-size, 0]], [[0], [1 / size]], [[size, 0]], [[0]], ("x", "v"), ("F",), ("y",))
    for judged in (lin.controllability, lin.observability):
        assert len(str(judged).splitlines()) == 3
        assert judged._repr_html_()
        assert judged.rank + len(judged.missing) + len(judged.undecided) == 2


def test_a_failed_computation_is_undecided(monkeypatch):
    def fails(*_):
        raise np.linalg.LinAlgError("no convergence")

    monkeypatch.setattr("multibody.linearization.spectra.controllability.pole_groups", fails)
    judged = reach(np.diag([-1.0, -2.0]), np.ones((2, 1)), "controllable")
    assert judged.verdicts == (UNDECIDED, UNDECIDED)
    assert (judged.rank, judged.complete) == (0, False)
    assert "undecided" in str(judged)


# operating points ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm():
    system = mb.System("arm", gravity=(0, 0, -9.81))
    hinge = system.joint("angle", system.world, system.body("bob", 1.0, (0, 0, -1.0)), "Ry")
    system.load(mb.JointLoad(hinge, system.input("M")))
    system.sensor("reading", mb.Expression(hinge.coordinate))
    return mb.derive(system)


def test_a_point_that_is_not_an_equilibrium_is_warned_of(arm):
    lin = linearize(arm, {"angle": 1.0})
    with pytest.warns(mb.OperatingPointWarning, match=r"'arm'.*'angle_dot' changes at the rate -8\.25") as told:
        lqr(lin, {"angle": 1.0}, {"M": 1.0})
    assert told[0].filename == __file__
    with pytest.warns(mb.OperatingPointWarning, match="observer"):
        kalman(lin, {"M": 1.0}, {"reading": 1.0})


def test_an_equilibrium_is_not_warned_of(arm):
    held = equilibrium(arm, fixed={"angle": 1.0}, free=["M"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lqr(held.linear, {"angle": 1.0}, {"M": 1.0})
        kalman(held.linear, {"M": 1.0}, {"reading": 1.0})


# weights -------------------------------------------------------------------------------------------------------------


def test_a_marginal_mode_without_weight_is_named(pair):
    """A regulator that pays for nothing of a free motion does not move its pole."""
    lin = linearize(pair, parameters={"ma": 1.0, "mb": 1.0, "ka": 0.0, "kb": 3.0, "kc": 0.0, "c": 0.0})
    with refused("weights-miss-mode"):
        lqr(lin, {"xa": 1.0}, {"F": 1.0})
    unmoved = linearize(pair, parameters={"ma": 1.0, "mb": 1.0, "ka": 2.0, "kb": 3.0, "kc": 0.0, "c": 0.0})
    with refused("weights-miss-mode"):
        kalman(unmoved, {"xa_dot": 1.0}, {"mean": 1.0})


WRONG_WEIGHTS = {
    "name": ({"xx": 1.0}, "name-unknown", "'xx'"),
    "shape": (np.eye(3), "weights-invalid", "(3, 3)"),
    "not finite": (np.full((4, 4), np.nan), "weights-invalid", "finite"),
    "text": ("xa", "weights-invalid", "(0, 0)"),
    "negative": ({"xa": -1e-12}, "weights-invalid", "-1e-12"),
    "indefinite": (np.array([[1.0, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), "weights-invalid", "-1"),
    "not symmetric": (1e-12 * (np.eye(4) + np.eye(4, k=1)), "weights-invalid", "symmetric"),
    "zero with others": (np.eye(4) * [0, 1, 1, 1] + np.eye(4, k=1) + np.eye(4, k=-1), "weights-invalid", "diagonal"),
}


@pytest.mark.parametrize(("weights", "code", "named"), WRONG_WEIGHTS.values(), ids=WRONG_WEIGHTS)
def test_wrong_weights_are_told(pair, weights, code, named):
    lin = linearize(pair, parameters=values(1, off=0.1))
    with refused(code, named):
        lqr(lin, weights, {"F": 1.0})


@pytest.mark.parametrize(
    ("disturbances", "code", "named"),
    [
        ({"F": -1.0, "xa_dot": 100.0}, "weights-invalid", "-1"),
        ({"f": 1.0}, "name-unknown", "'f'"),
        ({"F": np.nan}, "number-not-finite", "F"),
        (np.eye(2), "weights-invalid", "(2, 2)"),
    ],
)
def test_wrong_disturbances_are_told(pair, disturbances, code, named):
    lin = linearize(pair, parameters=values(1, off=0.1))
    with refused(code, named):
        kalman(lin, disturbances, {"mean": 1.0})


def test_singular_weights_of_inputs_are_told_in_any_units(pair):
    lin = linearize(pair, parameters=values(1, off=0.1))
    assert lqr(lin, {"xa": 1e-30}, {"F": 1e-40}).K.any()
    for effort in ({}, {"F": 0.0}, {"F": -1.0}, [[np.inf]], np.eye(2)):
        with refused("weights-invalid"):
            lqr(lin, {"xa": 1.0}, effort)


# verification --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1.001, 0.5, -1.0, np.nan])
def test_wrong_gains_of_the_solver_are_noticed(pair, monkeypatch, factor):
    lin = linearize(pair, parameters=values(1, off=0.1))
    monkeypatch.setattr(design_checks, "solve_riccati", lambda *data: factor * solve_riccati(*data))
    for design, arguments in ((lqr, WEIGHTS), (kalman, DISTURBANCES)):
        with refused("design-not-verified"):
            design(lin, *arguments)


def test_a_failing_solver_is_told(pair, monkeypatch):
    def fails(*_):
        raise np.linalg.LinAlgError("no luck")

    monkeypatch.setattr("scipy.linalg.solve_continuous_are", fails)
    with refused("design-not-verified"):
        lqr(linearize(pair, parameters=values(1, off=0.1)), *WEIGHTS)


def test_a_rough_solution_of_the_solver_is_refined(pair, monkeypatch):
    lin = linearize(pair, parameters=values(1, off=0.1))
    exact, rough = lqr(lin, *WEIGHTS).K, riccati.first_solution
    monkeypatch.setattr(riccati, "first_solution", lambda problem: 1.01 * rough(problem))
    assert pytest.approx(exact, rel=1e-9) == lqr(lin, *WEIGHTS).K


PROBLEM = np.array([[0, 1.0], [2, -0.5]]), np.array([[0], [1.0]]), np.diag([3.0, 1.0]), np.array([[2.0]])


def test_verification_accepts_the_gains_and_nothing_else():
    K = solve_riccati(*PROBLEM)
    verify_gains(*PROBLEM, K)
    for place in range(2):
        for off in (1e-5, 1e-2):
            wrong = K.copy()
            wrong[0, place] *= 1 + off
            with refused("design-not-verified", kind=UnverifiedError):
                verify_gains(*PROBLEM, wrong)
    with refused("design-not-verified"):
        verify_gains(*PROBLEM, 0 * K)


def test_a_residual_of_riccatis_equation_is_noticed(monkeypatch):
    K, cost = solve_riccati(*PROBLEM), riccati._closed_loop_cost
    monkeypatch.setattr(riccati, "_closed_loop_cost", lambda *data: cost(*data) * (1 + 1e-8))
    with refused("design-not-verified"):
        verify_gains(*PROBLEM, K)


def test_a_closed_loop_must_decay_by_more_than_rounding():
    B, K = np.zeros((2, 1)), np.zeros((1, 2))
    require_stable(np.array([[0, 1.0], [-1, -1e-9]]), B, K)
    for damping in (0.0, 1e-15, -1e-3):
        with refused("design-not-verified"):
            require_stable(np.array([[0, 1.0], [-1, -damping]]), B, K)
