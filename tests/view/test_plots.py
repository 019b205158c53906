"""Figures of runs and equations: what is drawn is what an independent computation gives."""

from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.refusal import refused

import multibody as mb
from multibody.graph import free_symbols
from multibody.view import plots
from multibody.view.plots.sparsity import structure

G = 9.81


def pendulum(unit: str = "N·m"):
    """A point mass m on a rod of length l, with a drive at the hinge and two sensors."""
    system = mb.System("pendulum", gravity=(0, 0, -G))
    m, l = system.parameters(m=2.0, l=0.5)
    torque = system.input("torque", unit=unit)
    bob = system.body("bob", m, (0, 0, -l))
    hinge = system.joint("angle", system.world, bob, "Ry", q=1.0)
    system.load(mb.JointLoad(hinge, torque))
    system.sensor("tip", mb.Position(bob.frame("end", (0, 0, -l))))
    system.sensor("height", mb.Expression(l, "m"))
    return system


@cache
def swing():
    return mb.simulate(mb.derive(pendulum()), 1.0, samples=41)


@cache
def four_bar():
    """A parallelogram whose loop is closed by a hinge; moving."""
    system = mb.System("four_bar", gravity=(0, -G, 0))
    end, lengths = system.frame("right", (1, 0, 0)), (1, 2, 1)
    for k, length in enumerate(lengths, 1):
        bar = system.body(f"bar{k}", length, (length / 2, 0, 0), (0, 0, length**3 / 12))
        system.joint(f"q{k}", end, bar, "Rz", q=np.pi / 2)
        end = bar.frame(f"end{k}", (length, 0, 0))
    system.joint("q4", end, system.frame("left", (-1, 0, 0)), "Rz", q=np.pi / 2, cut=True)
    return mb.simulate(mb.derive(system), 0.8, u={"q1_dot": 2.0}, samples=31)


def drawn(axis):
    return {line.get_label(): np.asarray(line.get_ydata()) for line in axis.lines}


# --- curves --------------------------------------------------------------------------------------------------------


def test_coordinates_and_speeds():
    run = swing()
    (axis,) = plots.coordinates(run).axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("t [s]", "angle [rad]")
    np.testing.assert_array_equal(axis.lines[0].get_xdata(), run.t)
    np.testing.assert_array_equal(axis.lines[0].get_ydata(), run.q[:, 0])
    (axis,) = plots.speeds(run, "angle_dot").axes
    assert axis.get_ylabel() == "angle_dot [rad/s]"
    np.testing.assert_array_equal(axis.lines[0].get_ydata(), run.u[:, 0])


def test_coordinates_of_a_joint_that_closes_the_loop():
    """The angles of a quadrangle add up to 2π."""
    (axis,) = plots.coordinates(four_bar(), "q1", "q2", "q3", "q4").axes
    assert axis.get_ylabel() == "coordinates [rad]"
    total = sum(drawn(axis).values())
    np.testing.assert_allclose(np.exp(1j * total), 1.0, atol=1e-9)


def test_energies_and_their_balance():
    run = swing()
    upper, lower = plots.energies(run).axes
    found, height = drawn(upper), -0.5 * np.cos(run["angle"])
    np.testing.assert_allclose(found["kinetic_energy [J]"], 0.25 * run["angle_dot"] ** 2, atol=1e-12)
    np.testing.assert_allclose(np.diff(found["potential_energy [J]"]), 2 * G * np.diff(height), atol=1e-12)
    assert lower.get_ylabel() == "energy_balance [J]"
    total = found["total_energy [J]"]
    np.testing.assert_allclose(lower.lines[0].get_ydata(), total - total[0], atol=1e-14)
    assert f"drift {run.energy_drift:.1e}" in lower.get_title(loc="right")


def test_sensors_by_component():
    run = swing()
    tip, height = plots.sensors(run).axes
    curves = drawn(tip)
    assert (tip.get_ylabel(), list(curves)) == ("tip [m]", ["tip_1 [m]", "tip_2 [m]", "tip_3 [m]"])
    np.testing.assert_allclose(curves["tip_1 [m]"], -0.5 * np.sin(run["angle"]), atol=1e-14)
    assert height.get_ylabel() == "height [m]"
    (alone,) = plots.sensors(run, "tip_3").axes
    np.testing.assert_allclose(alone.lines[0].get_ydata(), -0.5 * np.cos(run["angle"]), atol=1e-14)


def test_reactions_without_a_sensor():
    """The rod pulls with m·g·cos φ + m·l·φ̇², across it acts m·g·sin φ + m·l·φ̈ = 0; the torque is the drive's."""
    run = mb.simulate(mb.derive(pendulum()), 1.0, inputs={"torque": np.sin}, samples=41)
    force, torque = plots.reactions(run).axes
    angle, speed = run["angle"], run["angle_dot"]
    found = drawn(force)
    np.testing.assert_allclose(found["Fz [N]"], 2 * G * np.cos(angle) + speed**2, rtol=1e-9)
    across = 2 * 0.5 * run["angle_ddot"] + 2 * G * np.sin(angle)  # of magnitude torque/l
    np.testing.assert_allclose(np.abs(found["Fx [N]"]), np.abs(across), atol=1e-9)
    np.testing.assert_allclose(drawn(torque)["My [N·m]"], np.sin(run.t), atol=1e-9)
    assert "on bob" in force.get_title(loc="left")


def test_reactions_of_a_loop_hold_the_bars():
    """Newton's law for each bar, with the forces of its two hinges as drawn; they are in the axes of the child."""
    run = four_bar()
    rows = plots.reactions(run, "q1", "q2", "q3", "q4").axes
    forces = [np.stack(list(drawn(axis).values()), axis=1)[:, :2] for axis in rows[::2]]
    angles = np.cumsum([run[f"q{k}"] for k in (1, 2, 3, 4)], axis=0)
    turned = [_turned(force, angle) for force, angle in zip(forces, angles, strict=True)]
    accelerations = _accelerations_of_the_middles(run, angles)
    for k, mass in enumerate((1, 2, 1)):
        weight = np.array([0, -mass * G])
        np.testing.assert_allclose(turned[k] - turned[k + 1] + weight, mass * accelerations[k], atol=1e-6)


def _turned(force, angle):
    x, y = force.T
    return np.stack([np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y], axis=1)


def _accelerations_of_the_middles(run, angles):
    rates = np.cumsum([run[f"q{k}_dot"] for k in (1, 2, 3)], axis=0)
    changes = np.cumsum([run[f"q{k}_ddot"] for k in (1, 2, 3)], axis=0)
    end, found = np.zeros((len(run.t), 2)), []
    for angle, rate, change, length in zip(angles[:3], rates, changes, (1, 2, 1), strict=True):
        along, across = np.stack([np.cos(angle), np.sin(angle)]), np.stack([-np.sin(angle), np.cos(angle)])
        bar = (length * (change * across - rate**2 * along)).T
        found.append(end + bar / 2)
        end = end + bar
    return found


# --- phase portraits and sweeps ------------------------------------------------------------------------------------


def test_phase_portrait_with_start_and_end():
    run = swing()
    (axis,) = plots.phase_portrait(run).axes
    path, start, end = axis.lines
    np.testing.assert_array_equal(path.get_xdata(), run["angle"])
    np.testing.assert_array_equal(path.get_ydata(), run["angle_dot"])
    assert start.get_xdata() == run["angle"][0]
    assert end.get_ydata() == run["angle_dot"][-1]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("angle [rad]", "angle_dot [rad/s]")


def test_phase_portrait_of_a_quaternion_uses_its_rate():
    """q̇ of a unit quaternion is ½·q∘ω: for a spin about z, q = (cos ωt/2, 0, 0, sin ωt/2)."""
    top = mb.System("top", gravity=(0, 0, 0))
    top.joint("ball", top.world, top.body("rotor", 1, inertia=(1, 1, 2)), mb.Spherical(), u=(0, 0, 3.0))
    run = mb.simulate(mb.derive(top), 1.0, samples=11)
    (axis,) = plots.phase_portrait(run, "ball_qz").axes
    np.testing.assert_allclose(axis.lines[0].get_ydata(), 1.5 * np.cos(1.5 * run.t), atol=1e-7)
    assert axis.get_ylabel() == "ball_qz_dot [1/s]"


def test_the_line_of_an_angle_that_turns_once_has_no_jump():
    """The hinge that closes the loop of a parallelogram turns once; its angle is continuous."""
    run = mb.simulate(four_bar().eom, 1.5, u={"q1_dot": 6.0}, samples=101)
    (axis,) = plots.phase_portrait(run, "q4").axes
    steps = np.abs(np.diff(axis.lines[0].get_xdata()))
    assert np.ptp(run["q4"]) > np.pi
    assert steps.max() < 1.0


@cache
def sweep():
    return mb.sweep(mb.derive(pendulum()), 1.0, initial={"angle": [0.2, 0.4, 1.0, 1.6]}, samples=11, workers=1)


def test_runs_over_each_other():
    runs = [sweep()[0], sweep()[3]]
    (axis,) = plots.phase_portrait(runs).axes
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["run 0", "run 1"]
    np.testing.assert_array_equal(axis.lines[3].get_xdata(), runs[1]["angle"])
    axis, bar = plots.phase_portrait(sweep(), "angle").axes
    assert len(axis.lines) == 12
    assert bar.get_ylabel() == "angle"
    assert axis.lines[0].get_color() != axis.lines[3].get_color()


def test_fan_of_quantiles():
    values = np.sort([run["angle"] for run in sweep()], axis=0)
    (axis,) = plots.fan(sweep(), "angle").axes
    np.testing.assert_allclose(axis.lines[0].get_ydata(), (values[1] + values[2]) / 2, atol=1e-12)
    wide, narrow = (band.get_paths()[0].vertices[:, 1] for band in axis.collections)
    assert wide.max() == pytest.approx(np.max(values[2] + 0.85 * (values[3] - values[2])))
    assert narrow.max() < wide.max()
    assert len(plots.fan(sweep(), "tip").axes) == 3


# --- eigenvalues ---------------------------------------------------------------------------------------------------


@cache
def damped():
    slide = mb.System("slide")
    k, d = slide.parameters(k=100.0, d=2.0)
    joint = slide.joint("x", slide.world, slide.body("block", 1.0), "Tx")
    slide.load(mb.JointSpring(joint, k))
    slide.load(mb.JointDamper(joint, d))
    return mb.along(mb.derive(slide), "d")


def test_eigenvalues_along_a_parameter():
    """s² + d·s + 100 = 0."""
    numbers = np.linspace(0, 30, 16)
    exact = [np.roots([1, d, 100]) for d in numbers]
    for locus, options in (
        (mb.root_locus(damped(), numbers), {}),
        ([damped()(d) for d in numbers], {"values": numbers}),
    ):
        plane, real, imaginary, bar = plots.eigenvalues(locus, "d [N·s/m]", **options).axes
        points = plane.collections[0].get_offsets().reshape(16, 2, 2)
        found = np.sort_complex(points[..., 0] + 1j * points[..., 1])
        np.testing.assert_allclose(found, np.sort_complex(exact), atol=1e-9)
        branches = np.stack([line.get_ydata() for line in real.lines[1:]], axis=1)
        np.testing.assert_allclose(np.sort(branches), np.sort(np.real(exact)), atol=1e-9)
        assert (real.get_ylabel(), imaginary.get_ylabel()) == ("real part [1/s]", "imaginary part [rad/s]")
        assert imaginary.get_xlabel() == bar.get_xlabel() == "d [N·s/m]"
        np.testing.assert_array_equal(plane.collections[0].get_array().reshape(16, 2)[:, 1], numbers)


def test_poles_with_damping_lines():
    (axis,) = plots.poles(damped()(12.0)).axes
    (cross,) = [line for line in axis.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert sorted(zip(cross.get_xdata().round(9), cross.get_ydata().round(9), strict=True)) == [(-6, -8), (-6, 8)]
    rays = [line for line in axis.lines if line.get_linestyle() == ":"]
    ratios = [-ray.get_xdata()[0] / np.hypot(ray.get_xdata()[0], ray.get_ydata()[0]) for ray in rays]
    assert [text.get_text() for text in axis.texts] == [f"ζ = {ratio:g}" for ratio in np.round(ratios, 12)]


def test_poles_that_lie_on_each_other():
    cart = mb.System("cart")
    cart.joint("x", cart.world, cart.body("box", 1), "Tx")
    figure = plots.poles(mb.linearize(mb.derive(cart)))
    assert "2×" in [text.get_text() for text in figure.axes[0].texts]
    assert "not every mode decays" in figure.get_suptitle()


# --- sparsity ------------------------------------------------------------------------------------------------------


def test_sparsity_of_a_branched_tree():
    """Speeds of different branches do not meet in M; numbers tell the same."""
    system = mb.System("branched")
    trunk = system.body("trunk", 1, (1, 0, 0), (1, 1, 1))
    system.joint("a", system.world, trunk, "Rz")
    for name, x in (("b", 1), ("c", 2)):
        branch = system.body(f"{name}_body", 1, (1, 0, 0), (1, 1, 1))
        system.joint(name, trunk.frame(f"{name}_end", (x, 0, 0)), branch, "Rz")
    eom = mb.derive(system)
    (axis,) = plots.sparsity(eom).axes
    shown = axis.images[0].get_array()
    numbers = eom.mass_matrix(0.0, [0.1, 0.7, -0.4], [0, 0, 0], [], [])
    np.testing.assert_array_equal(shown != 0, np.abs(numbers) > 1e-12)
    assert shown.tolist() == [[2, 2, 2], [2, 1, 0], [2, 0, 1]]
    assert axis.get_title() == "M: 7 of 9 entries"
    assert [text.get_text() for text in axis.get_yticklabels()] == ["a_dot", "b_dot", "c_dot"]


def test_sparsity_with_constraints():
    mass, constraints, combined = plots.sparsity(four_bar().eom).axes
    eom, anywhere = four_bar().eom, np.random.default_rng(1).normal(size=(4, 3))
    matrix = np.array(mb.Function("m", {"q": eom.coordinates}, {"B": eom.B.T}).batch(anywhere))
    np.testing.assert_array_equal(constraints.images[0].get_array() != 0, np.abs(matrix).max(axis=0) > 1e-12)
    whole = combined.images[0].get_array()
    n, m = len(eom.coordinates), len(eom.speeds)
    np.testing.assert_array_equal(whole[:n, :n], np.eye(n))
    np.testing.assert_array_equal(whole[n : n + m, n : n + m], mass.images[0].get_array())
    assert "lambda_q4_fx" in [text.get_text() for text in combined.get_xticklabels()]


# --- files, misuse and odd names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")])
def test_files_are_the_same_each_time(suffix, magic, tmp_path):
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    for path in (one, other):
        plots.energies(swing(), path=path)
    assert one.read_bytes() == other.read_bytes()
    assert one.read_bytes().startswith(magic)
    with refused("file-exists"):
        plots.energies(swing(), path=one)
    plots.coordinates(swing(), path=one, overwrite=True)
    assert one.read_bytes() != other.read_bytes()


def test_the_figure_of_the_user():
    mine = Figure()
    assert plots.reactions(swing(), figure=mine) is mine
    assert plots.topology(swing().eom, figure=mine) is mine


@pytest.mark.parametrize("unit", ["$", "$$", "a$b_c$", '<&">--', r"\$\frac", "N·m^{2", "%"])
def test_units_may_be_anything(unit, tmp_path):
    system = pendulum()
    system.sensor("odd", mb.Expression(system.time, unit))
    system.sensor("_hidden", mb.Expression(2 * system.time, unit))
    run = mb.simulate(mb.derive(system), 0.1, samples=3)
    figure = plots.sensors(run, "odd", "_hidden", path=tmp_path / "odd.svg")
    assert ElementTree.parse(tmp_path / "odd.svg").getroot().tag.endswith("svg")
    shown = [text.get_text().replace(r"\$", "$") for text in figure.axes[0].get_legend().get_texts()]
    assert shown == [f"{name} [{unit}]" for name in ("odd", "_hidden")]


def test_a_run_that_failed_says_so():
    run = mb.simulate(mb.derive(pendulum()), 10.0, integrator=mb.DormandPrince8(max_steps=3), on_failure="return")
    assert not run.status.ok
    for figure in (plots.coordinates(run), plots.reactions(run), plots.phase_portrait(run), plots.energies(run)):
        assert figure.get_suptitle() == f"pendulum: {run.status.value}"


def bare():
    system = mb.System("bare")
    system.joint("x", system.world, system.body("box", 1), "Tx")
    return mb.simulate(mb.derive(system), 0.1, samples=2)


MISUSE = {
    "misspelled coordinate": (lambda: plots.coordinates(swing(), "anlge"), "name-unknown", "'angle'"),
    "a speed is no coordinate": (lambda: plots.coordinates(swing(), "angle_dot"), "name-unknown", "coordinates of"),
    "misspelled joint": (lambda: plots.reactions(swing(), "angel"), "name-unknown", "'angle'"),
    "misspelled sensor": (lambda: plots.sensors(swing(), "tipp"), "name-unknown", "'tip'"),
    "component that is not there": (lambda: plots.sensors(swing(), "tip_4"), "name-unknown", "tip_4"),
    "list of names": (lambda: plots.phase_portrait(swing(), ["angle"]), "name-unknown", "['angle']"),
    "misspelled name in a fan": (lambda: plots.fan(sweep(), "anlge"), "name-unknown", "'angle'"),
    "equations instead of a run": (lambda: plots.energies(swing().eom), "run-expected", "EquationsOfMotion"),
    "a run instead of a sweep": (lambda: plots.fan(swing(), "angle"), "sweep-expected", "Trajectory"),
    "no sensors": (lambda: plots.sensors(bare()), "plot-empty", "system.sensor"),
    "no runs": (lambda: plots.phase_portrait([]), "plot-empty", "run"),
    "no linear systems": (lambda: plots.eigenvalues([swing()]), "linear-system-expected", "root_locus"),
    "values that do not fit": (
        lambda: plots.eigenvalues([damped()(1)], values=[1, 2]),
        "plot-values-shape-wrong",
        "(2,)",
    ),
    "equations instead of poles": (lambda: plots.poles(swing().eom), "linear-system-expected", "linearize"),
    "a system without equations": (lambda: plots.sparsity(pendulum()), "equations-expected", "derive"),
    "no system": (lambda: plots.topology("pendulum"), "subject-not-mechanical", "'pendulum'"),
}


def test_kinds_of_entries_are_those_of_their_symbols():
    """Against a look at every entry by itself."""
    eom = four_bar().eom
    for matrix in (eom.M, eom.B, eom.combined_form().matrix):
        expected = [
            0 if one.fp == 0 else 1 if {s.kind for s in free_symbols(one)} <= {"parameter"} else 2
            for one in matrix.flat
        ]
        assert structure(matrix).ravel().tolist() == expected


@pytest.mark.parametrize("case", MISUSE)
def test_misuse_is_told(case):
    call, code, named = MISUSE[case]
    with refused(code, named):
        call()


def test_too_many_panels():
    system = mb.System("beads")
    for k in range(17):
        system.joint(f"x{k}", system.world, system.body(f"bead{k}", 1.0), "Tx")
    run = mb.simulate(mb.derive(system), 0.1, samples=2)
    for draw in (plots.reactions, plots.phase_portrait):
        with refused("plot-empty", "x0", "x1"):
            draw(run)
    assert len(plots.phase_portrait(run, "x1", "x16").axes) == 2
