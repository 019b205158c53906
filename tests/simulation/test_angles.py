"""Angles of dependent joints and of joints that close loops are continuous in a run, over any number of turns."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import symbol

A, B, C, D = 0.3, 1.0, 0.8, 0.9


def four_bar(way, sprung, **options):
    """A crank, a coupler and a rocker with a spring at one of their joints."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0), **options)
    thin = mb.diag(0, 0, 0.02)
    crank, coupler, rocker = (system.body(name, m, (x / 2, 0, 0), thin) for name, m, x in
                              (("crank", 1.0, A), ("coupler", 1.5, B), ("rocker", 1.2, C)))  # fmt: skip
    joints = {"drive": system.joint("drive", system.world, crank, "Rz", q=0.5, u=20.0)}
    joints["knee"] = system.joint("knee", crank.frame("tip", (A, 0, 0)), coupler, "Rz")
    joints["swing"] = system.joint("swing", system.world.frame("ground", (D, 0, 0)), rocker, "Rz")
    ends = coupler.frame("end", (B, 0, 0)), rocker.frame("end_2", (C, 0, 0))
    if way == "FourBar":
        system.loop(mb.FourBar(*ends, posture=1))
    else:
        joints["pin"] = system.joint("pin", *ends, "Rz", cut=True)
    system.load(mb.JointSpring(joints[sprung], 0.1))
    system.sensor("angle", mb.JointSensor(joints[sprung]))
    return system


@pytest.fixture(scope="module")
def reference():
    """All joints of the tree as states, which have no branch."""
    start = mb.simulate(mb.derive(four_bar("FourBar", "knee")), 1e-3, samples=2)
    q = {name: float(start[name][0]) for name in ("drive", "knee", "swing")}
    u = {f"{name}_dot": float(start[f"{name}_dot"][0]) for name in ("drive", "knee", "swing")}
    tree = four_bar("cut", "knee", recognise_loops=False)
    run = mb.simulate(mb.derive(tree, constraints=mb.Multipliers()), 4.0, q=q, u=u)
    return run, q, u


def test_a_spring_on_a_dependent_joint(reference):
    tree, _, _ = reference
    assert np.abs(tree["knee"]).max() > np.pi + 0.5
    eom = mb.derive(four_bar("FourBar", "knee"))
    run = mb.simulate(eom, 4.0)
    angle = run["angle"][:, 0]
    assert np.abs(angle - tree["knee"]).max() < 1e-4
    assert np.abs(run["knee"] - angle).max() < 1e-12
    assert np.abs(run["drive"] - tree["drive"]).max() < 1e-4
    assert run.energy_drift < 1e-6
    assert not run.occurrences
    assert len(run.t) == 501


def test_it_goes_on_where_the_run_before_has_ended(reference):
    tree, _, _ = reference
    eom = mb.derive(four_bar("FourBar", "knee"))
    first = mb.simulate(eom, 2.0)
    second = mb.simulate(eom, 2.0, start=first)
    assert second["angle"][-1, 0] == pytest.approx(tree["knee"][-1], abs=1e-4)


def test_events_see_the_continuous_angle(reference):
    tree, _, _ = reference
    system = four_bar("FourBar", "knee")
    knee = symbol("knee", "coordinate", "four_bar")
    level = -4.0 if tree["knee"].min() < -4.0 else 4.0
    run = mb.simulate(mb.derive(system), 4.0, events=[mb.Event(knee - level, name="far")])
    crossings = np.count_nonzero(np.diff(np.sign(tree["knee"] - level)))
    assert len(run.occurrences) == crossings > 0


def test_a_spring_on_a_joint_that_closes_the_loop(reference):
    """Its angle is that of the rocker less those of the crank and the coupler, which are states."""
    _, q, u = reference
    run = mb.simulate(mb.derive(four_bar("cut", "pin", recognise_loops=False)), 2.0, q=q, u=u)
    sums = run["swing"] - run["drive"] - run["knee"]
    angle = run["angle"][:, 0]
    assert np.ptp(angle - sums) < 1e-8
    assert run.energy_drift < 1e-6


@pytest.mark.parametrize("target", [mb.C(), mb.Python(), mb.Modelica(), mb.Fmi(), mb.Matlab()])
@pytest.mark.parametrize(("way", "sprung"), [("FourBar", "knee"), ("cut", "pin")])
def test_code_without_a_memory_of_turns_is_refused(tmp_path, target, way, sprung):
    options = {} if way == "FourBar" else {"recognise_loops": False}
    with refused("angle-not-continuous", f"'{sprung}'"):
        mb.export(mb.derive(four_bar(way, sprung, **options)), target, tmp_path)
    assert not list(tmp_path.iterdir())


def test_code_of_states_and_reports_are_written(tmp_path):
    tree = mb.derive(four_bar("cut", "knee", recognise_loops=False), constraints=mb.Multipliers())
    assert mb.export(tree, mb.Python(), tmp_path / "code").written
    assert mb.export(mb.derive(four_bar("FourBar", "knee")), mb.Markdown(), tmp_path / "report").written


def test_angles_of_stored_runs_are_continuous(tmp_path):
    eom = mb.derive(four_bar("FourBar", "knee"))
    run = mb.simulate(eom, 1.0)
    assert np.abs(run["angle"]).max() > np.pi
    run.save(tmp_path / "run.npz")
    stored = mb.Trajectory.read(tmp_path / "run.npz", eom)
    assert np.array_equal(stored["angle"], run["angle"])
    assert np.array_equal(stored["knee"], run["knee"])


def test_angles_of_stored_sweeps_are_continuous(tmp_path):
    eom = mb.derive(four_bar("FourBar", "knee"))
    path = tmp_path / "runs.sweep"
    runs = mb.sweep(eom, 1.0, initial={"drive_dot": [20.0, 25.0]}, path=path)
    assert np.abs(runs[1]["angle"]).max() > np.pi
    assert np.array_equal(mb.read_sweep(path, eom)[1]["angle"], runs[1]["angle"])


def test_stabilised_equations_see_the_continuous_angle(reference):
    """``Ida`` compiles residual and iteration matrix of its own."""
    tree, _, _ = reference
    run = mb.simulate(mb.derive(four_bar("FourBar", "knee")), 4.0, integrator=mb.Ida())
    assert np.abs(run["knee"]).max() > np.pi
    assert np.abs(run["drive"] - tree["drive"]).max() < 1e-3


def test_linear_systems_do_not_forget_turns():
    eom = mb.derive(four_bar("FourBar", "knee"))
    run = mb.simulate(eom, 2.0)
    turned = run.t[np.flatnonzero(np.abs(run["knee"]) > np.pi + 0.5)[0]]
    with refused("angle-turned", "knee"):
        mb.linearize(eom, run.at(turned))
    assert np.abs(run["knee"][0]) < np.pi
    near = mb.linearize(eom, run.at(0.0)).A
    assert np.allclose(near, mb.linearize(eom, {"drive": run["drive"][0], "drive_dot": run["drive_dot"][0]}).A)
    free = mb.derive(four_bar("FourBar", "drive"))  # no load depends on the knee
    mb.linearize(free, mb.simulate(free, 2.0).at(turned))


def test_sympy_equations_have_no_memory_of_turns():
    eom = mb.derive(four_bar("FourBar", "knee"))
    for written in (mb.to_sympy, mb.EquationsOfMotion.to_sympy):
        with refused("angle-not-continuous", "knee"):
            written(eom)


@pytest.mark.parametrize(
    ("limits", "speed", "crossing"),
    [((-100, 5), 20.0, None), ((-10, 5), 20.0, -10.0), ((-3, 100), 20.0, -3.0), ((-100, 5), -20.0, 5.0)],
)
def test_limits_of_dependent_angles_count_turns(limits, speed, crossing):
    eom = mb.derive(limited_four_bar(limits))
    run = mb.simulate(eom, 4.0, u={"drive_dot": speed}, samples=5)
    knee = mb.simulate(eom, 4.0, u={"drive_dot": speed}, samples=8001)["knee"]
    assert run["knee"] == pytest.approx(knee[::2000])
    if crossing is None:
        assert not run.limit_violations
        return
    (violation,) = run.limit_violations
    furthest = knee.min() if crossing < 0 else knee.max()
    assert violation.furthest == pytest.approx(furthest, abs=1e-3)


def limited_four_bar(limits, way="FourBar"):
    """The linkage of ``four_bar`` without a spring; its knee has limits, or none."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0), recognise_loops=way == "FourBar")
    thin = mb.diag(0, 0, 0.02)
    crank, coupler, rocker = (system.body(name, m, (x / 2, 0, 0), thin) for name, m, x in
                              (("crank", 1.0, A), ("coupler", 1.5, B), ("rocker", 1.2, C)))  # fmt: skip
    system.joint("drive", system.world, crank, "Rz", q=0.5, u=20.0)
    system.joint("knee", crank.frame("tip", (A, 0, 0)), coupler, "Rz", limits=limits)
    system.joint("swing", system.world.frame("ground", (D, 0, 0)), rocker, "Rz")
    ends = coupler.frame("end", (B, 0, 0)), rocker.frame("end_2", (C, 0, 0))
    if way == "FourBar":
        system.loop(mb.FourBar(*ends, posture=1))
    else:
        system.joint("pin", *ends, "Rz", cut=True)
    return system


@pytest.mark.parametrize("way", ["FourBar", "cut"])
def test_angles_do_not_depend_on_the_samples(way, reference, caplog):
    """They are those of a fine run, or NaN, with a message that names the joint."""
    _, q, u = reference
    start = {} if way == "FourBar" else {"q": q, "u": u}
    angle = "knee" if way == "FourBar" else "pin"
    eom = mb.derive(limited_four_bar(None, way))
    fine = mb.simulate(eom, 4.0, samples=8001, **start)
    for samples in (2, 3, 5, 11, 21, 41, 51, 81, 101, 201, 401, 501):
        run = mb.simulate(eom, 4.0, samples=samples, **start)
        caplog.clear()
        values = run[angle]
        wanted = np.interp(run.t, fine.t, fine[angle])
        known = np.isfinite(values)
        assert np.abs(values - wanted)[known].max() < 1e-3
        assert known.all() == (angle not in caplog.text)
        assert known.all() or samples < 300
    runs = mb.sweep(eom, 4.0, initial={"drive_dot": [20.0, 10.0]}, samples=3, fixed=[])
    assert all(not np.isfinite(run[angle][-1]) or abs(run[angle][-1]) > 8 * np.pi or way == "cut" for run in runs)
