"""``sweep``: what is run, in which order, what comes out, and what can be wrong."""

import threading

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import MultibodyError
from multibody.simulation import DormandPrince8, Event, Impact, Status, simulate
from multibody.simulation.sweeps import sweep_tables
from multibody.simulation.sweeps.cases import planned
from multibody.simulation.sweeps.sweep import sweep

TIGHT = DormandPrince8(rtol=1e-11, atol=1e-13)


def oscillator():
    """x(t) = x₀·cos(√(c/m)·t)."""
    system = mb.System("oscillator", gravity=(0, 0, 0))
    m, c = system.parameters(m=1.0, c=4.0)
    box = system.body("box", m)
    slide = system.joint("x", system.world, box, "Tx", q=1.0)
    system.load(mb.JointSpring(slide, c))
    system.load(mb.JointLoad(slide, system.input("F")))
    system.sensor("place", mb.Position(box))
    return system, slide


@pytest.fixture(scope="module")
def eom():
    return mb.derive(oscillator()[0])


@pytest.fixture(scope="module")
def grid(eom):
    return sweep(
        eom, 2.0, parameters={"m": [1.0, 2.0], "c": 9.0}, initial={"x": np.array([0.5, 1.0, 2.0])}, integrator=TIGHT,
        samples=21, measures={"largest": lambda run: abs(run["x"]).max(), "ends": lambda run: run["x"][[0, -1]]},
    )  # fmt: skip


# what is run ---------------------------------------------------------------------------------------------------------


def test_a_grid_is_multiplied_out_row_by_row(grid):
    assert (len(grid), grid.shape, grid.dimensions) == (6, (2, 3), ("m", "x"))
    np.testing.assert_array_equal(grid.cases["m"], [1, 1, 1, 2, 2, 2])
    np.testing.assert_array_equal(grid.cases["x"], [0.5, 1, 2, 0.5, 1, 2])
    assert set(grid.cases) == {"m", "x"}


def test_every_run_is_the_exact_motion_of_its_own_values(grid):
    m, x = grid.cases["m"][:, None], grid.cases["x"][:, None]
    exact = x * np.cos(np.sqrt(9.0 / m) * grid.times)
    np.testing.assert_allclose(grid.values("x"), exact, atol=1e-9)
    np.testing.assert_allclose(grid.last("x"), exact[:, -1], atol=1e-9)
    np.testing.assert_allclose(grid.measures["largest"], grid.cases["x"], rtol=1e-12)
    np.testing.assert_allclose(grid.measures["ends"], exact[:, [0, -1]], atol=1e-9)
    energy = 0.5 * 9.0 * grid.cases["x"] ** 2
    np.testing.assert_allclose(grid.last("total_energy"), energy, rtol=1e-9)
    assert grid.values("place").shape == (6, 21, 3)
    np.testing.assert_allclose(grid.values("place_1"), exact, atol=1e-9)


def test_cases_grid_and_draws_are_combined_in_this_order(eom):
    cases = [{"m": 1.0}, {"m": 2.0, "x_dot": 0.5}]
    plan = planned(eom, {"c": [1.0, 4.0]}, {"x": mb.Uniform(1, 2)}, cases, draws=3, seed=4)
    assert (len(plan), plan.shape, plan.dimensions) == (12, (2, 2, 3), ("case", "c", "draw"))
    assert plan.case(0).parameters == {"m": 1.0, "c": 1.0}
    assert plan.case(0).u == {}
    assert plan.case(11).parameters == {"m": 2.0, "c": 4.0}
    assert plan.case(11).u == {"x_dot": 0.5}
    varied = plan.varied(eom)
    np.testing.assert_array_equal(varied["c"], [1, 1, 1, 4, 4, 4] * 2)
    np.testing.assert_array_equal(varied["x_dot"], [0] * 6 + [0.5] * 6)  # the model's own where a case gives none
    assert len(set(varied["x"])) == 12


def test_a_parameter_that_follows_another_does_so_in_every_case():
    system = mb.System("follower", gravity=(0, 0, 0))
    (m,) = system.parameters(m=1.0)
    (c,) = system.parameters(c=4 * m)
    system.load(mb.JointSpring(system.joint("x", system.world, system.body("box", m), "Tx", q=1.0), c))
    runs = sweep(mb.derive(system), 1.0, cases=[{}, {"m": 2.0}, {"m": 2.0, "c": 2.0}], integrator=TIGHT, samples=2)
    np.testing.assert_array_equal(runs.cases["c"], [4.0, 8.0, 2.0])
    np.testing.assert_allclose(runs.last("x"), np.cos([2.0, 2.0, 1.0]), atol=1e-9)


def test_draws_depend_on_the_seed_and_the_name_alone(eom):
    def drawn(seed, name="m", **more):
        return planned(eom, {"m": mb.Normal(5, 1), **more}, None, None, draws=400, seed=seed).varied(eom)[name]

    np.testing.assert_array_equal(drawn(1), drawn(1))
    np.testing.assert_array_equal(drawn(1), drawn(1, c=mb.Choice([1, 2, 4])))
    assert not np.array_equal(drawn(1), drawn(2))
    assert not np.array_equal(drawn(1), drawn(1, "c", c=mb.Normal(5, 1)))
    assert abs(drawn(1).mean() - 5) < 4 / np.sqrt(400)
    assert abs(drawn(1).std() - 1) < 0.2
    chosen = drawn(1, "c", c=mb.Choice([1, 2, 4]))
    assert set(chosen) == {1, 2, 4}
    assert (np.bincount(chosen.astype(int), minlength=5)[[1, 2, 4]] > 90).all()
    uniform = drawn(1, "c", c=mb.Uniform(-1, 3))
    assert -1 <= uniform.min() < -0.9
    assert 2.9 < uniform.max() <= 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"parameters": {"mm": 1.0}}, "Did you mean 'm'"),
        ({"parameters": {"x": 1.0}}, "no 'x'"),
        ({"initial": {"m": 1.0}}, "no 'm'"),
        ({"cases": [{"y": 1.0}]}, "no 'y'"),
        ({"cases": [{"m": 1.0}], "parameters": {"m": [1.0]}}, "'m' given twice"),
        ({"cases": []}, "list of cases is empty"),
        ({"cases": [{"m": [1.0, 2.0]}]}, "A case has"),
        ({"parameters": {"m": []}}, "'m' has no values"),
        ({"parameters": {"m": [1.0, np.nan]}}, "not finite"),
        ({"parameters": {"m": np.inf}}, "not finite"),
        ({"parameters": {"m": "1.0"}}, "not a value of 'm'"),
        ({"parameters": {"m": [[1.0], [2.0]]}}, "not a value of 'm'"),
        ({"parameters": {"m": [True, False]}}, "not a value of 'm'"),
        ({"draws": 3}, "nothing to draw"),
        ({"parameters": {"m": mb.Uniform(1, 2)}, "draws": 0}, "draws=0"),
    ],
)
def test_wrong_plans(eom, given, words):
    with pytest.raises(MultibodyError) as caught:
        sweep(eom, 1.0, **given)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "make", [lambda: mb.Uniform(2, 1), lambda: mb.Normal(0, -1), lambda: mb.Choice([]), lambda: mb.Choice([np.nan])]
)
def test_distributions_that_are_none(make):
    with refused("distribution-invalid"):
        make()


def test_what_is_wrong_for_all_runs_is_an_error_at_once(eom):
    with refused("name-unknown", "G"):
        sweep(eom, 1.0, inputs={"G": 1.0})
    with refused("duration-missing"):
        sweep(eom)


# how it is run -------------------------------------------------------------------------------------------------------


def test_a_run_of_a_sweep_is_that_of_simulate(eom):
    runs = sweep(eom, 3.0, parameters={"m": [1.0, 3.0]}, initial={"x_dot": [0.0, 1.0]}, inputs={"F": 0.5}, samples=31)
    one = simulate(eom, 3.0, parameters={"m": 3.0}, u={"x_dot": 1.0}, inputs={"F": 0.5}, samples=31)
    np.testing.assert_allclose(runs[3].y, one.y, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(runs[3].r, one.r)
    assert runs[3].parameters == one.parameters
    assert runs[-1].t[-1] == runs[3].t[-1]


def test_what_does_not_move_can_be_swept():
    system = mb.System("table")
    system.joint("stand", system.world, system.body("top", system.parameter("m", 1.0)), mb.Weld())
    runs = mb.sweep(mb.derive(system), 0.1, parameters={"m": [1.0, 2.0]}, workers=1)
    assert runs.status == ["DONE", "DONE"]


def test_the_number_of_workers_changes_nothing(eom):
    runs = [
        sweep(eom, 5.0, parameters={"m": mb.Uniform(1, 2)}, draws=40, seed=3, workers=workers) for workers in (1, 3)
    ]
    np.testing.assert_array_equal(runs[0].values("x"), runs[1].values("x"))


def test_runs_go_on_in_several_threads_at_once(eom):
    together = threading.Barrier(2, timeout=120)

    def meet(run):
        together.wait()
        return threading.get_ident()

    runs = sweep(eom, 0.1, parameters={"m": [1.0, 2.0]}, workers=2, measures={"thread": meet})
    assert runs.status == ["DONE", "DONE"]
    assert len(set(runs.measures["thread"])) == 2


def test_expressions_functions_and_events_take_part(eom):
    system, slide = oscillator()
    eom = mb.derive(system)
    down = Event(slide.coordinate, -1, terminal=True, name="down")
    laws = [-3 * slide.coordinate, lambda t, q, u: -3 * q[0]]
    for law in laws:
        runs = sweep(
            eom, 9.0, parameters={"c": [1.0, 6.0]}, inputs={"F": law}, events=[down], integrator=TIGHT, workers=2
        )
        assert runs.status == ["EVENT", "EVENT"]
        quarter = np.pi / 2 / np.sqrt([4.0, 9.0])
        np.testing.assert_allclose(runs.last("t"), quarter, atol=1e-8)
        assert [run.occurrences[0].name for run in runs] == ["down", "down"]
        np.testing.assert_allclose(runs[0]["F"], -3 * runs[0]["x"], atol=1e-12)
        assert np.isnan(runs.values("x")[:, -1]).all()  # they did not get there
        assert np.isfinite(runs.values("x")[:, 0]).all()


def test_impacts_that_rest():
    system = mb.System("ball", gravity=(0, 0, -9.81))
    height = system.joint("z", system.world, system.body("b", 1.0), "Tz", q=1.0).coordinate
    floor = Impact(height, restitution=0.5, rest=1e-3, name="floor")
    runs = sweep(mb.derive(system), 4.0, initial={"z": [0.5, 1.0]}, events=[floor], integrator=TIGHT)
    assert abs(runs.last("z")).max() < 1e-9
    first = [next(one.t for one in run.occurrences if one.name == "floor") for run in runs]
    np.testing.assert_allclose(first, np.sqrt(2 * np.array([0.5, 1.0]) / 9.81), atol=1e-9)


# failures ------------------------------------------------------------------------------------------------------------


def four_bar():
    """A crank of given length, which not always can be assembled."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0))
    (a,) = system.parameters(a=0.5)
    end = system.world
    for k, (length, angle) in enumerate([(a, 1.5), (2.0, -1.2), (1.5, -0.9)]):
        bar = system.body(f"bar{k}", 1, (length / 2, 0, 0), (0.1, 0.1, 0.1))
        system.joint(f"q{k}", end, bar, "Rz", q=angle)
        end = bar.frame(f"end{k}", (length, 0, 0))
    system.joint("closing", end, system.frame("right", (2, 0, 0)), "Rz", cut=True)
    return system


@pytest.fixture(scope="module")
def cranks():
    return sweep(mb.derive(four_bar()), 0.2, parameters={"a": [0.5, 9.0, 0.6, 8.0]}, samples=5)


def test_a_start_that_cannot_be_assembled_is_a_failed_run_with_its_reason(cranks):
    runs = cranks
    assert runs.status == ["DONE", "NO_START", "DONE", "NO_START"]
    failure = runs.failures[0]
    assert len(runs.failures) == 2
    assert failure.number == 1
    assert failure.values == {"a": 9.0}
    assert "cannot be assembled" in failure.message
    assert runs.complete
    assert np.isnan(runs.values("q0")[1]).all()
    assert np.isfinite(runs.values("q0")[[0, 2]]).all()
    with refused("run-without-trajectory"):
        runs[1]
    assert max(run.residuals.position.max() for run in runs) < 1e-9


def test_a_run_that_fails_keeps_what_it_has_and_says_why():
    system = mb.System("falling", gravity=(0, 0, -9.81))
    slide = system.joint("z", system.world, system.body("b", 1.0), "Tz", q=1.0)
    system.load(mb.JointLoad(slide, mb.graph.sqrt(slide.coordinate)))
    runs = sweep(mb.derive(system), 1.0, initial={"z": [1.0, 100.0]}, measures={"end": lambda run: run.t[-1]})
    assert runs.status[1] == "DONE"
    assert runs.status[0] in ("NOT_FINITE", "STEP_TOO_SMALL")
    assert "The run ended at t = 0.4" in runs.failures[0].message
    assert runs[0].status is Status[runs.status[0]]
    assert runs[0].message == runs.failures[0].message
    got = np.isfinite(runs.values("z")[0])
    assert got[:40].all()
    assert not got[60:].any()
    assert np.isnan(runs.measures["end"][0])
    assert runs.measures["end"][1] == 1.0
    np.testing.assert_array_equal(np.isnan(runs.last("z")), [True, False])


def test_failed_runs_are_counted_and_reported(cranks, caplog, tmp_path):
    """Two lengths of four do not close the loop."""
    assert (cranks.failed, cranks.failure_counts) == (2, {"NO_START": 2})
    assert repr(cranks) == "Sweep('four_bar', 4 of 4 runs, 2 failed)"
    assert "2 NO_START" in str(cranks)
    caplog.clear()
    eom, options = mb.derive(four_bar()), {"parameters": {"a": [0.5, 9.0]}, "samples": 5, "path": tmp_path / "runs"}
    for runs in (lambda: sweep(eom, 0.2, **options), lambda: sweep(eom, 0.2, **options)):  # done, and read again
        caplog.clear()
        runs()
        (said,) = caplog.messages
        assert "1 of 2 runs of the sweep of 'four_bar' failed: 1 NO_START" in said
        assert "run 1 (a=9)" in said
    caplog.clear()
    mb.read_sweep(tmp_path / "runs", eom)
    assert "1 of 2 runs" in caplog.text


def test_a_sweep_without_failures_says_nothing(eom, caplog):
    runs = sweep(eom, 0.1, initial={"x": [0.0, 1.0]})
    assert (runs.failed, runs.failure_counts, caplog.messages) == (0, {}, [])


def test_tables_show_which_runs_failed(cranks):
    pytest.importorskip("xarray")
    assert cranks.to_dataframe()["status"].tolist() == cranks.status
    data = cranks.to_xarray("q0")
    assert data["status"].values.tolist() == cranks.status
    assert data.attrs["failed"] == 2


def test_errors_in_functions_of_the_user_are_failures_of_single_runs(eom):
    def broken(t, q, u):
        return 0.0 / (float(q[0]) - 1) if t == 0 else 0.0

    runs = sweep(eom, 1.0, initial={"x": [0.0, 1.0]}, inputs={"F": broken}, workers=1)
    assert runs.status == ["DONE", "ERROR"]
    assert "ZeroDivisionError" in runs.failures[0].message

    def picky(run):
        if run["x"][0] > 1:
            raise ValueError("too far")
        return "a word" if run["x"][0] == 1 else 7.0

    runs = sweep(eom, 1.0, initial={"x": [0.5, 1.0, 2.0]}, measures={"picky": picky})
    assert runs.status == ["DONE", "MEASURE_FAILED", "MEASURE_FAILED"]
    assert "a word" in runs.failures[0].message
    assert "measure 'picky'" in runs.failures[0].message
    assert runs.failures[1].message == "ValueError: too far"
    assert runs[2].status is Status.DONE
    assert runs[2].message == ""
    np.testing.assert_array_equal(runs.measures["picky"], [7.0, np.nan, np.nan])


# what comes out ------------------------------------------------------------------------------------------------------


def test_tables(grid):
    frame = grid.to_dataframe()
    assert list(frame.columns) == ["m", "x", "status", "message", "seconds", "largest", "ends_1", "ends_2"]
    assert frame.index.name == "number"
    assert (frame["status"] == "DONE").all()
    assert (frame["seconds"] > 0).all()
    np.testing.assert_array_equal(frame["ends_1"], grid.cases["x"])
    data = grid.to_xarray("x", "place")
    assert data["x"].dims == ("run", "t")
    assert data["place"].dims == ("run", "t", "place_0")
    np.testing.assert_array_equal(data["x"].values, grid.values("x"))
    np.testing.assert_array_equal(data["x_start"], grid.cases["x"])
    assert data["x"].attrs["units"] == "m"
    assert set(grid.to_xarray().data_vars) == {"x", "x_dot"}


def test_texts(grid, cranks, monkeypatch):
    assert repr(grid) == "Sweep('oscillator', 6 of 6 runs)"
    text = str(grid)
    for part in ("oscillator", "6 = 2 m × 3 x", "0 s to 2 s, 21 samples", "6 DONE", "memory"):
        assert part in text
    monkeypatch.setattr(sweep_tables, "SHOWN", 1)
    assert "2 DONE, 2 NO_START" in str(cranks)
    assert "run 1 (a=9): The mechanism cannot be assembled" in str(cranks)
    assert "and 1 more" in str(cranks)
    assert repr(cranks) == "Sweep('four_bar', 4 of 4 runs, 2 failed)"


def test_unknown_names_and_numbers(grid):
    with refused("name-unknown", "x_dot"):
        grid.values("x_dt")
    with refused("run-unknown"):
        grid[6]


def test_measures_have_names_of_their_own(eom):
    with refused("name-taken", "x"):
        sweep(eom, 1.0, initial={"x": [1.0, 2.0]}, measures={"x": lambda run: 1.0})


def test_measures_of_different_shapes_are_refused(eom):
    runs = sweep(eom, 1.0, initial={"x": [1.0, 2.0]}, measures={"odd": lambda run: np.ones(int(run["x"][0]))})
    with refused("measure-shapes-differ"):
        runs.measures


# progress and interruptions ------------------------------------------------------------------------------------------


def test_progress_is_reported(eom):
    seen = []
    sweep(eom, 1.0, initial={"x": np.ones(50)}, progress=lambda *numbers: seen.append(numbers))
    assert seen[-1] == (50, 50, 0)
    assert [done for done, _, _ in seen] == sorted({done for done, _, _ in seen})


def test_an_interruption_keeps_what_was_done(eom):
    def stop(done, total, failed):
        if done > 10:
            raise KeyboardInterrupt

    runs = sweep(eom, 20.0, initial={"x": np.linspace(1, 2, 3000)}, integrator=TIGHT, progress=stop)
    done = 3000 - runs.status.count("MISSING")
    assert 10 < done < 3000
    assert not runs.complete
    assert repr(runs) == f"Sweep('oscillator', {done} of 3000 runs)"
    assert not runs.failures
    assert sum(1 for _ in runs) == done
    missing = runs.status.index("MISSING")
    with refused("run-without-trajectory"):
        runs[missing]


def test_an_interruption_in_a_function_of_the_user_leaves_its_run_undone(eom):
    def law(t, q, u):
        if q[0] > 1.5:
            raise KeyboardInterrupt
        return 0.0

    runs = sweep(eom, 0.1, initial={"x": np.linspace(1, 2, 30)}, inputs={"F": law}, workers=1)
    assert not runs.complete
    assert set(runs.status) == {"DONE", "MISSING"}


class _Counting:
    """A controller that remembers how often it was asked."""

    def __init__(self):
        self.count = 0

    def __call__(self, t):
        self.count += 1
        return float(self.count)


def test_controllers_with_a_memory_begin_anew_in_every_run():
    system = mb.System("rail")
    force = system.input("F")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    system.load(mb.JointLoad(slide, force))
    eom = mb.derive(system)
    law = _Counting()
    found = mb.sweep(eom, 1.0, cases=[{}] * 6, inputs={"F": mb.Sampled(law, 0.25)})
    alone = mb.simulate(eom, 1.0, inputs={"F": mb.Sampled(_Counting(), 0.25)})
    np.testing.assert_allclose(found.last("x"), alone["x"][-1], rtol=1e-12)
    assert law.count == 0


def test_values_of_an_array_are_varied_together():
    system = mb.System("rocket")
    cp, k = system.parameter("cp", [0.0, 0.0, 1.0]), system.parameter("k", 2.0)
    hinge = system.joint("j", system.world, system.body("b", 1.0, cp, (1, 1, 1)), "Ry", q=0.3)
    system.load(mb.JointSpring(hinge, k))
    eom = mb.derive(system)
    rows = [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]
    runs = mb.sweep(eom, 0.1, samples=2, parameters={"cp": rows, "k": [2.0, 3.0]})
    listed = mb.sweep(eom, 0.1, samples=2, parameters={"k": [2.0, 3.0]}, cases=[{"cp": row} for row in rows])
    assert runs.shape == listed.shape == (2, 2)
    np.testing.assert_array_equal(runs.last("j"), listed.last("j"))
    alone = [mb.simulate(eom, 0.1, parameters={"cp": row, "k": 3.0})["j"][-1] for row in rows]
    assert set(alone) < set(np.ravel(runs.last("j")))
    with refused("array-wrong-shape", "cp"):
        mb.sweep(eom, 0.1, parameters={"cp": [[1.0, 2.0], [3.0, 4.0]]})
