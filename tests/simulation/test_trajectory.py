"""Trajectories: everything by name, checked against formulas of the systems and against numerical derivatives."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import simpson
from scipy.special import ellipj, ellipk
from tests.refusal import refused

import multibody as mb
from multibody.errors import ModelError, ShapeError
from multibody.simulation.checks.energies import Energies
from multibody.simulation.contract import Status
from multibody.simulation.problem.problem import WORKS
from multibody.simulation.results.interpolation import hermite
from multibody.simulation.results.named_samples import EventRecord
from multibody.simulation.results.quantities import ENERGIES
from multibody.simulation.results.trajectory import Trajectory

from .runs import crane, linkage, moved, parallelogram, pendulum, push, rod


@pytest.fixture(scope="module")
def crab():
    return moved(crane(), 5.0, push)


@pytest.fixture(scope="module")
def driven():
    return moved(linkage(prescribed=1.5 + 2 * mb.System("linkage").time), 1.0)


def motionless(system, t, q, u=None, **more):
    """A trajectory with given states, without any works."""
    eom = mb.derive(system)
    q = np.reshape(q, (len(t), -1))
    y = np.hstack(
        [q, np.zeros((len(t), len(eom.speeds))) if u is None else np.reshape(u, (len(t), -1)), np.zeros((len(t), 3))]
    )
    return Trajectory(eom, t, y, np.zeros((len(t), len(eom.inputs))), [], **more)


# --- by name -------------------------------------------------------------------------------------------------------


def test_states_and_inputs(crab):
    assert [one.name for one in crab.eom.coordinates] == ["slide", "swing"]
    np.testing.assert_array_equal(crab["slide"], crab.q[:, 0])
    np.testing.assert_array_equal(crab["swing_dot"], crab.u[:, 1])
    np.testing.assert_allclose(crab["F"], 5 * np.sin(3 * crab["t"]), rtol=1e-14, atol=1e-14)
    assert crab.parameters == {"m1": 10.0, "m2": 1.0, "l": 1.0}


def test_accelerations_solve_newtons_equations(crab):
    """Momentum along the rail, and angular momentum about the hook; x of the load is slide - l·sin(swing) here."""
    m1, m2, l = 10.0, 1.0, 1.0
    x_dd, a, a_dot, a_dd = (crab[name] for name in ("slide_ddot", "swing", "swing_dot", "swing_ddot"))
    push_x = (m1 + m2) * x_dd - m2 * l * (a_dd * np.cos(a) - a_dot**2 * np.sin(a))
    np.testing.assert_allclose(push_x, crab["F"], atol=1e-11)
    moment = (m2 * l**2 + m2 * l**2 / 12) * a_dd - m2 * l * np.cos(a) * x_dd + m2 * 9.81 * l * np.sin(a)
    np.testing.assert_allclose(moment, -0.1 * a_dot, atol=1e-11)


def test_sensors(crab):
    tip = np.stack([crab["slide"] - np.sin(crab["swing"]), 0 * crab.t, -np.cos(crab["swing"])], axis=1)
    np.testing.assert_allclose(crab["tip"], tip, atol=1e-14)
    np.testing.assert_array_equal(crab["tip_3"], crab["tip"][:, 2])
    assert crab["R"].shape == (len(crab.t), 3, 3)
    np.testing.assert_allclose(np.abs(crab["R_1_3"]), np.abs(np.sin(crab["swing"])), atol=1e-14)
    np.testing.assert_allclose(crab["energy"], crab["total_energy"], rtol=1e-13)


def test_energies(crab):
    m1, m2, l = 10.0, 1.0, 1.0
    vx, a, w = crab["slide_dot"], crab["swing"], crab["swing_dot"]
    square = (vx - l * w * np.cos(a)) ** 2 + (l * w * np.sin(a)) ** 2
    T = m1 * vx**2 / 2 + m2 * square / 2 + m2 * l**2 / 12 * w**2 / 2
    np.testing.assert_allclose(crab.energies.kinetic, T, atol=1e-13)
    np.testing.assert_allclose(crab.energies.potential, -m2 * 9.81 * l * np.cos(a), atol=1e-13)
    assert crab["work_of_inputs"][-1] == pytest.approx(simpson(crab["F"] * vx, x=crab.t), abs=1e-4)
    assert crab["dissipated"][-1] == pytest.approx(simpson(0.1 * w**2, x=crab.t), abs=1e-4)
    assert crab["dissipated"][-1] > 1
    np.testing.assert_array_equal(crab["energy_balance"], crab.energies.balance)
    assert crab.energy_drift < 1e-9


def test_multipliers(driven):
    """Those of the compiled equations are those of a singular value decomposition."""
    names = [one.name for one in driven.eom.multipliers]
    assert driven.multipliers.shape == (len(driven.t), len(names))
    for k, name in enumerate(names):
        np.testing.assert_array_equal(driven[name], driven.multipliers[:, k])
    k = len(driven.t) // 3
    motion = driven.eom.robust_dynamics(driven.t[k], driven.q[k], driven.u[k], driven.r[k], driven.p)
    np.testing.assert_allclose(driven.multipliers[k], motion.multipliers, atol=1e-9)
    assert np.abs(driven.multipliers[k]).max() > 1


def test_joints_that_are_driven_or_close_a_loop(driven):
    np.testing.assert_allclose(driven["q0"], 1.5 + 2 * driven.t, rtol=1e-14)
    np.testing.assert_allclose(driven["q0_dot"], 2.0)
    np.testing.assert_allclose(driven["q0_ddot"], 0.0, atol=1e-14)
    total = driven["q0"] + driven["q1"] + driven["q2"] + driven["closing"]  # the last frame is parallel to the ground
    np.testing.assert_allclose(np.cos(total), 1.0, atol=1e-12)
    assert driven.quantities["q0"].unit == driven.quantities["closing"].unit == "rad"
    assert driven.quantities["q0_ddot"].unit == "rad/s²"


def test_units(crab):
    units = {name: one.unit for name, one in crab.quantities.items()}
    expected = {
        "t": "s", "slide": "m", "swing": "rad", "slide_dot": "m/s", "swing_dot": "rad/s", "slide_ddot": "m/s²",
        "swing_ddot": "rad/s²", "F": "N", "tip": "m", "energy": "J", "dissipated": "J", "energy_balance": "J",
    }  # fmt: skip
    assert {name: units[name] for name in expected} == expected
    assert list(crab) == list(crab.names)
    assert "swing" in crab
    assert "m1" not in crab


@pytest.mark.parametrize(
    ("name", "hint"),
    [("swnig", "'swing'"), ("kinetic_enrgy", "'kinetic_energy'"), ("tip_4", "'tip_3'"), ("F[0]", "'F'")],
)
def test_unknown_names(crab, name, hint):
    with refused("name-unknown") as caught:
        crab[name]
    assert "Did you mean" in str(caught.value)
    assert hint in str(caught.value)


def test_names_of_energies_yield_to_those_of_the_user():
    system = mb.System("odd")
    joint = system.joint("dissipated", system.world, system.body("box", mass=2), "Tx", u=3.0)
    system.sensor("kinetic_energy", mb.Expression(7 * joint.speed))
    run = motionless(system, [0.0, 1.0], [0.0, 3.0], [3.0, 3.0])
    assert run["dissipated"].tolist() == [0.0, 3.0]
    assert run["kinetic_energy"].tolist() == [21.0, 21.0]
    assert run["kinetic_energy_"].tolist() == [9.0, 9.0]
    assert run["dissipated_"].tolist() == [0.0, 0.0]
    assert run.energies.kinetic.tolist() == [9.0, 9.0]


def test_sensors_may_be_called_as_ports():
    system = mb.System("ports")
    joint = system.joint("a", system.world, system.body("box", mass=2), "Tx")
    system.sensor("q", mb.Expression(2 * joint.coordinate))
    assert motionless(system, [0.0, 1.0], [0.0, 3.0])["q"].tolist() == [0.0, 6.0]


def test_names_of_works_are_those_of_the_problem():
    assert ENERGIES[3:6] == WORKS
    assert len(ENERGIES) == len(Energies._fields) - 1  # the last one is a number, not an array


# --- energy balance ------------------------------------------------------------------------------------------------


def test_drift_of_a_known_error():
    """T grows from 0 to 8 J while V falls from 100 J by 10 J: 2 J are missing, of 10 J that moved."""
    energies = Energies.of(np.array([0.0, 8.0]), np.array([100.0, 90.0]), np.zeros((2, 3)))
    assert energies.balance.tolist() == [0.0, -2.0]
    assert energies.drift == pytest.approx(0.2)


def test_drift_counts_works():
    """5 J came in by inputs, 1 J by drives, 2 J were dissipated: T is right."""
    energies = Energies.of(np.array([0.0, 4.0]), np.zeros(2), np.array([[0, 0, 0], [5.0, 2.0, 1.0]]))
    assert energies.drift == 0.0
    assert energies.scale == 5.0


def test_rest_has_no_drift():
    energies = Energies.of(np.zeros(2), np.array([1000.0, 1000.0 + 1e-13]), np.zeros((2, 3)))
    assert energies.drift < 1e-7
    assert Energies.of(np.zeros(2), np.zeros(2), np.zeros((2, 3))).drift == 0.0


# --- between the samples -------------------------------------------------------------------------------------------


def exact_pendulum(t, amplitude, frequency):
    """sin(θ/2) = k·sn(K - ω·t), with k = sin(θ₀/2)."""
    k = math.sin(amplitude / 2)
    sn, cn, _, _ = ellipj(ellipk(k**2) - frequency * np.asarray(t), k**2)
    return 2 * np.arcsin(k * sn), -2 * k * frequency * cn


def test_interpolation_is_of_fourth_order():
    frequency = math.sqrt(9.81 / 1.5)
    errors = []
    for samples in (41, 81, 161):
        t = np.linspace(0, 4, samples)
        run = motionless(pendulum(1.0), t, *exact_pendulum(t, 1.0, frequency))
        times = np.linspace(0, 4, 777)
        q, u = run.at(times)
        exact = exact_pendulum(times, 1.0, frequency)
        errors.append([np.abs(q[:, 0] - exact[0]).max(), np.abs(u[:, 0] - exact[1]).max()])
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert np.all((ratios > 13) & (ratios < 19)), ratios
    assert errors[-1][0] < 1e-6


@given(st.lists(st.floats(-3, 3), min_size=4, max_size=4), st.floats(0, 2))
def test_hermite_is_exact_for_cubics(coefficients, time):
    t = np.array([0.0, 0.3, 1.1, 2.0])
    x, rate = np.polyval(coefficients, t), np.polyval(np.polyder(coefficients), t)
    found = hermite(t, x[:, None], rate[:, None], np.array([time]))
    assert found[0, 0] == pytest.approx(np.polyval(coefficients, time), abs=1e-12)


def test_at_samples_and_shapes(crab):
    q, u = crab.at(crab.t[7])
    np.testing.assert_allclose(np.concatenate([q, u]), crab.y[7, :4], rtol=1e-14)
    assert crab.at(1.0).q.shape == (2,)
    assert crab.at([[0.5, 1.0, 2.0]]).u.shape == (1, 3, 2)


def test_jumps_keep_their_two_sides():
    """A box that is thrown back at t = 1."""
    system = mb.System("wall")
    system.joint("x", system.world, system.body("box", mass=2), "Tx")
    run = motionless(system, [0.0, 1.0, 1.0, 2.0], [0.0, 3.0, 3.0, 1.5], [3.0, 3.0, -1.5, -1.5])
    assert run.at([0.5, 1.0, 1.5]).q.ravel().tolist() == [1.5, 3.0, 2.25]
    assert run.at([1.0 - 1e-9, 1.0]).u.ravel().tolist() == [3.0, -1.5]
    last = motionless(system, [0.0, 1.0, 1.0], [0.0, 3.0, 3.0], [3.0, 3.0, -1.5])
    assert last.at(1.0).u.tolist() == [-1.5]
    single = motionless(system, [0.5], [2.0], [1.0])
    assert single.at(0.5).q.tolist() == [2.0]


def spring_run(**options):
    """x'' = -x from x = 1: a cosine."""
    system = mb.System("spring")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
    system.load(mb.JointSpring(slide, 1.0))
    return mb.simulate(mb.derive(system), **options)


def test_reading_between_samples_that_are_too_far_apart_is_refused():
    coarse = spring_run(times=[0.0, 10.0])
    with refused("samples-too-far-apart"):
        coarse.at(5.0)
    with refused("samples-too-far-apart"):
        coarse.at([0.0, 5.0, 10.0])
    assert coarse.at([0.0, 10.0]).q.ravel() == pytest.approx([1.0, np.cos(10.0)], abs=1e-6)
    assert coarse.interpolated(5.0).q.shape == (1,)
    period = spring_run(times=2 * np.pi * np.arange(4))  # all samples are the same
    with refused("samples-too-far-apart"):
        period.at(np.pi)


@pytest.mark.parametrize("distance", [0.1, 0.3, 0.5, 0.7, 0.9, 1.2, 2.0, 3.0, np.pi, 6.0])
def test_reading_between_samples_is_right_or_refused(distance):
    run, times = spring_run(times=distance * np.arange(5)), np.linspace(0, 4 * distance, 41)
    right = 0
    for time in times:
        try:
            q, u = run.at(time)
        except ModelError:
            continue
        assert [*q, *u] == pytest.approx([np.cos(time), -np.sin(time)], abs=2e-3)
        right += 1
    assert right == len(times) if distance < 0.6 else right >= 5
    assert distance < 1 or right == 5


def test_reading_where_a_force_switches_between_samples_is_refused():
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", mass=1.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("F")))
    run = mb.simulate(mb.derive(system), 60.0, inputs={"F": "where(t > 20.001 and t < 20.011, 100, 0)"})
    with refused("samples-too-far-apart"):
        run.at(20.02)
    assert run.at(30.03).u == pytest.approx([1.0])


@pytest.mark.parametrize("time", [-0.1, 5.1, math.nan, [1.0, 7.0]])
def test_outside_of_the_run(crab, time):
    with refused("time-outside-run"):
        crab.at(time)


def test_quaternions_stay_unit():
    system = mb.System("top")
    system.joint(
        "ball", system.world, system.body("disc", 2, (0, 0, 0), mb.diag(0.1, 0.2, 0.3)), mb.Spherical(), u=(1, 4, 2)
    )
    run = moved(system, 2.0, samples=21)
    assert run.residuals.position.max() < 1e-9
    times = np.linspace(0, 2, 333)
    np.testing.assert_allclose(np.linalg.norm(run.at(times).q, axis=1), 1.0, rtol=1e-15)
    fine = moved(system, 2.0, samples=333)
    assert np.abs(run.at(times).q - fine.q).max() < 2e-3  # 0.1 s between samples, 4.6 rad/s


# --- constraints ---------------------------------------------------------------------------------------------------


def test_residuals_of_a_broken_linkage(driven):
    assert max(driven.residuals.at_end) < 1e-9
    assert driven.statistics.constraint_residual == max(driven.residuals.at_end)
    y = driven.y.copy()
    y[-1, 0] += 1e-3
    broken = Trajectory(driven.eom, driven.t, y, driven.r, driven.p)
    position, velocity = broken.residuals.at_end
    assert 5e-4 < position < 5e-3  # arms of up to 2 m
    assert velocity > 1e-4
    assert broken.residuals.position[-2] < 1e-9


def test_singular_configurations_are_solved_by_numbers():
    """The N-four-bar with N = 1 lies flat: ((N+1)/3 + N)·θ̈ = -((N+1)/2 + N)·g·cos θ; a plain call refuses 0/0."""
    run = motionless(parallelogram(), [0.0], [0.0, 0.0, 0.0], [1.0, -1.0, 1.0])
    theta = -(2 / 2 + 1) * 9.81 / (2 / 3 + 1)
    with refused("position-singular"):
        run.eom.forward_dynamics(0.0, run.q[0], run.u[0], [], [])
    np.testing.assert_allclose(run.accelerations[0], [theta, -theta, theta], rtol=1e-12)
    assert np.all(np.isfinite(run.multipliers))


# --- the rest ------------------------------------------------------------------------------------------------------


def test_text(crab):
    text = str(crab)
    for part in ("crane_crab", "0 s to 5 s", "DOP853(rtol=1e-11)", "drift", "12 ms", "101", "done"):
        assert part in text
    assert repr(crab) == "Trajectory('crane_crab', 0 s to 5 s, 101 samples, done)"


def test_text_of_a_failure(crab):
    events = [EventRecord("bump", 0.1 * k, crab.y[k]) for k in range(8)]
    failed = Trajectory(
        crab.eom, crab.t, crab.y, crab.r, crab.p, Status.NOT_FINITE, crab.counts, events,
        "The accelerations are not finite.\n  fix: Look at the masses.",
    )  # fmt: skip
    text = str(failed)
    assert "bump at 0.1 s" in text
    assert "and 2 more" in text
    assert "Look at the masses." in text
    assert "not finite" in repr(failed)


def test_statistics(crab):
    assert crab.statistics.samples == 101
    assert crab.statistics.evaluations == crab.counts.evaluations > 100
    assert crab.statistics.energy_drift == crab.energy_drift


def test_nothing_can_be_changed(crab):
    for name in ("slide", "swing_ddot", "tip", "t"):
        with pytest.raises(ValueError, match="read-only"):
            crab[name][0] = 1.0


@pytest.mark.parametrize(
    ("t", "y", "code"),
    [
        ([0.0, 1.0], np.zeros((1, 7)), "array-wrong-shape"),
        ([0.0], np.zeros((1, 6)), "array-wrong-shape"),
        (np.zeros(0), np.zeros((0, 7)), "samples-missing"),
    ],
)
def test_wrong_shapes(crab, t, y, code):
    with refused(code, "crane_crab", kind=ShapeError):
        Trajectory(crab.eom, t, y, np.zeros((len(t), 1)), crab.p)


def test_a_mechanism_without_freedom():
    system = mb.System("rotor")
    system.joint("spin", system.world, rod(system, "blade"), "Rz", prescribed=system.time**2)
    run = moved(system, 1.0, samples=11)
    np.testing.assert_allclose(run["spin_dot"], 2 * run.t, rtol=1e-14)
    np.testing.assert_allclose(run["kinetic_energy"], (2 * run.t) ** 2 / 6, rtol=1e-13)
    np.testing.assert_allclose(run["work_of_drives"], (2 * run.t) ** 2 / 6, atol=1e-10)
    assert run.at([0.5]).q.shape == (1, 0)
    assert run.energy_drift < 1e-9


def test_many_runs_compile_once(crab):
    from multibody.simulation.problem.sample_functions import probe

    assert probe(crab.eom, "energies") is probe(crab.eom, "energies")


def test_a_trajectory_keeps_its_numbers_whatever_happens_to_the_arrays_it_was_made_of():
    cart = mb.System("cart")
    cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
    t, y = np.array([0.0, 1.0]), np.array([[0.0, 1, 0, 0, 0], [1, 1, 0, 0, 0]])
    seen = y.view()
    seen.flags.writeable = False  # read-only, but others may still write into its memory
    for states in (y, seen):
        y[0, 0] = 0.0
        run = mb.Trajectory(mb.derive(cart), t, states, np.zeros((2, 0)), [])
        y[0, 0] = t[0] = -5.0
        assert (run.q[0, 0], run.t[0]) == (0.0, 0.0)
        t[0] = 0.0
