"""Limits of inputs act in every run, whatever the inputs follow, and the run says when they did."""

import json
import logging
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from tests.refusal import refused

import multibody as mb
from multibody.cli import main
from multibody.errors import ModelFileError
from multibody.graph import Table, sin

LEVEL = 3.0
FIRST = np.arcsin(0.3)  # 10·sin t passes 3
CORNERS = [k * np.pi + s * FIRST for k in range(4) for s in (-1, 1) if 0 < k * np.pi + s * FIRST < 10]

INTEGRATORS = {
    "chosen": (None, 1e-8),
    "DormandPrince5": (mb.DormandPrince5(rtol=1e-9), 1e-6),
    "RungeKutta4": (mb.RungeKutta4(step=0.01), 1e-6),
    "SemiImplicitEuler": (mb.SemiImplicitEuler(step=0.001), 1e-3),
    "Symplectic": (mb.Symplectic(step=0.01), 1e-4),
    "Radau": (mb.ScipySolver(method="Radau"), 1e-6),
    "LSODA": (mb.ScipySolver(method="LSODA", rtol=1e-9), 1e-6),
    "Cvode": (mb.Cvode(rtol=1e-9), 1e-6),
}


@cache
def cart(limits=(-LEVEL, LEVEL), mass=1.0, **start):
    """A mass on a line, which a force drives."""
    system = mb.System("cart")
    m = system.parameter("m", mass)
    slide = system.joint("x", system.world, system.body("box", m), "Tx", **start)
    system.load(mb.JointLoad(slide, system.input("F", unit="N", limits=limits)))
    return mb.derive(system)


def impulse(law, end, limits=(-LEVEL, LEVEL), points=CORNERS):
    """∫ clip(law) dt."""
    corners = [0.0, *sorted(one for one in points if one < end), end]
    return sum(quad(lambda t: np.clip(law(t), *limits), a, b, epsabs=1e-13)[0] for a, b in pairwise(corners))


def sine(t):
    return 10 * np.sin(t)


TRIANGLE = [0.0, 1.0, 2.0, 4.0, 10.0], [0.0, 8.0, -8.0, 1.0, 1.0]
EDGES = [0.375, 0.6875 + 0.625, 1 + 11 / 16, 1 + 5 / 16, 2 + 10 / 9]


@cache
def kinds(eom):
    """Ways to give an input, with the impulse that they have after 10 s, and the largest force that they ask for."""
    t = eom.model.time
    wave = impulse(sine, 10.0)
    table = Table("triangle", *TRIANGLE)
    of_table = impulse(lambda t: np.interp(t, *TRIANGLE), 10.0, points=EDGES)
    held = 0.1 * np.clip(sine(0.1 * np.arange(100)), -LEVEL, LEVEL).sum()
    return {
        "number": (7.0, 30.0, 7.0),
        "negative number": (-4, -30.0, -4.0),
        "text": ("10*sin(t)", wave, 10.0),
        "text of a number": ("3 + 2", 30.0, 5.0),
        "expression": (10 * sin(t), wave, 10.0),
        "expression of a parameter": (eom.parameters[0] * 5, 30.0, 5.0),
        "table": (table, of_table, 8.0),
        "function": (sine, wave, 10.0),
        "function of the state": (lambda t, q, u: sine(t) + 0 * u[0], wave, 10.0),
        "controller": (mb.Sampled(sine, 0.1), held, 10.0),
    }


KINDS = list(kinds(cart()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", INTEGRATORS)
def test_momentum_is_the_impulse_of_the_limited_force(kind, name):
    eom, (integrator, tolerance) = cart(), INTEGRATORS[name]
    law, expected, asked = kinds(eom)[kind]
    run = mb.simulate(eom, 10.0, inputs={"F": law}, integrator=integrator)
    if "function" in kind:
        tolerance = max(tolerance, 2e-3 if name == "SemiImplicitEuler" else 2e-4)  # steps do not end at its corners
    assert run["x_dot"][-1] == pytest.approx(expected, abs=tolerance * 10)
    assert np.abs(run["F"]).max() == LEVEL
    (found,) = run.saturations
    assert (found.input, found.limits) == ("F", (-LEVEL, LEVEL))
    assert abs(found.asked) == pytest.approx(abs(asked), rel=3e-2 if "function" in kind else 1e-3)
    if name != "LSODA":  # which leaves works out of its error control
        assert run.energies.work_of_inputs[-1] == pytest.approx(0.5 * expected**2, rel=3e-3)
        assert run.energy_drift < 3e-3


@pytest.mark.parametrize("name", INTEGRATORS)
def test_when_for_how_long_and_how_much(name):
    """|10·sin t| > 3 but for a time of arcsin 0.3 on both sides of each multiple of π."""
    run = mb.simulate(cart(), 10.0, inputs={"F": "10*sin(t)"}, integrator=INTEGRATORS[name][0])
    (found,) = run.saturations
    assert found.t == pytest.approx(FIRST, abs=1e-9)
    assert found.duration == pytest.approx(10 - 7 * FIRST, abs=1e-6)
    assert abs(found.asked) == pytest.approx(10.0, rel=1e-6)
    assert np.abs(np.sin(found.asked_t)) == pytest.approx(1.0, abs=1e-6)


def test_a_peak_between_two_steps_is_found():
    """A bell of the width 0.02 s, in a run of 10 s whose steps may be as long as 0.2 s."""
    run = mb.simulate(cart(), 10.0, inputs={"F": "50*exp(-((t - 5.0123)/0.02)**2)"})
    width = 0.02 * np.sqrt(np.log(50 / 3))
    (found,) = run.saturations
    assert found.t == pytest.approx(5.0123 - width, abs=1e-8)
    assert found.duration == pytest.approx(2 * width, abs=1e-8)
    assert (found.asked, found.asked_t) == (pytest.approx(50.0, rel=1e-4), pytest.approx(5.0123, abs=1e-3))


@pytest.mark.parametrize("name", ["chosen", "RungeKutta4", "Radau", "Cvode"])
@pytest.mark.parametrize("way", ["text", "function"])
def test_a_saturated_controller_against_scipy(name, way):
    """A cart that a strong controller brings to rest: at full force one way, the other way, then linear."""
    gain, damping, start = 40.0, 8.0, 5.0

    def rate(t, y):
        return [y[1], np.clip(-gain * y[0] - damping * y[1], -LEVEL, LEVEL) / 2.0]

    def edge(sign):
        def reached(t, y):
            return -gain * y[0] - damping * y[1] - sign * LEVEL

        reached.terminal = True
        return reached

    t, y = 0.0, np.array([start, 0.0])
    while t < 8.0:
        # Piece by piece: a step beyond the corner, and on to the next one.
        piece = solve_ivp(rate, (t, 8.0), y, events=[edge(1), edge(-1)], rtol=1e-12, atol=1e-13, method="DOP853")
        t, y = piece.t[-1], piece.y[:, -1]
        if t < 8.0:
            short = solve_ivp(rate, (t, t + 1e-4), y, rtol=1e-12, atol=1e-13, method="DOP853")
            t, y = short.t[-1], short.y[:, -1]
    laws = {"text": f"-{gain}*x - {damping}*x_dot", "function": lambda t, q, u: -gain * q[0] - damping * u[0]}
    integrator = {**dict.fromkeys(INTEGRATORS), "RungeKutta4": mb.RungeKutta4(step=0.001)}[name]
    integrator = integrator or INTEGRATORS[name][0]
    run = mb.simulate(cart(mass=2.0, q=start), 8.0, inputs={"F": laws[way]}, integrator=integrator)
    assert [run["x"][-1], run["x_dot"][-1]] == pytest.approx(y, abs=1e-5)
    (found,) = run.saturations
    assert found.asked == pytest.approx(-gain * start, rel=1e-9)
    assert found.t == 0.0


def test_state_feedback_of_lqr_saturates():
    eom = cart((-0.5, 0.5), q=2.0)
    regulator = mb.lqr(mb.linearize(eom, at={"x": 0.0}), {"x": 10.0}, {"F": 1.0})
    run = mb.simulate(eom, 12.0, inputs=regulator.inputs)
    assert np.abs(run["F"]).max() == 0.5
    assert run.saturations[0].asked == pytest.approx(-2 * np.sqrt(10), rel=1e-6)
    assert abs(run["x"][-1]) < 1e-2


def test_an_observer_knows_that_its_input_is_limited():
    """Without this, the estimate would run away from the state while the force is limited."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx", q=3.0)
    system.load(mb.JointLoad(slide, system.input("F", limits=(-0.5, 0.5))))
    system.sensor("place", mb.Expression(slide.coordinate))
    eom = mb.derive(system)
    linear = mb.linearize(eom, at={"x": 0.0})
    regulator, observer = mb.lqr(linear, {"x": 10.0}, {"F": 1.0}), mb.kalman(linear, {"F": 1.0}, {"place": 1e-4})
    laws = mb.output_feedback(regulator, observer, 0.02)
    run = mb.simulate(eom, 20.0, inputs=laws)
    assert np.abs(run["F"]).max() == 0.5
    assert run.saturations[0].duration > 1
    assert abs(run["x"][-1]) < 0.05


@pytest.mark.parametrize("limits", [(None, 2.0), (-np.inf, 2.0), (-np.inf, 2)])
def test_limits_on_one_side(limits):
    """∫ min(10·sin t, 2) dt up to 2π: the lower half is kept."""
    edge = np.arcsin(0.2)
    expected = 2 * 10 * (1 - np.cos(edge)) + 2 * (np.pi - 2 * edge) - 20
    for law in ("10*sin(t)", sine):
        run = mb.simulate(cart(limits), 2 * np.pi, inputs={"F": law})
        assert run["x_dot"][-1] == pytest.approx(expected, abs=1e-4)
        assert run["F"].min() == pytest.approx(-10, rel=1e-3)
        assert run.saturations[0].limits == (-np.inf, 2.0)


def test_zero_is_held_too():
    """An input that nobody gives is zero, and 1 if that is its lower limit."""
    run = mb.simulate(cart((1.0, 5.0)), 2.0)
    assert run["x_dot"][-1] == pytest.approx(2.0)
    assert run.saturations[0].asked == 0.0


def test_elements_of_an_array_have_the_same_limits():
    system = mb.System("plane")
    joint = system.joint("move", system.world, system.body("box", 1.0), ["Tx", "Ty"])
    F = system.input("F", 2, limits=(-1, 1))
    system.load(mb.JointLoad(joint, F))
    run = mb.simulate(mb.derive(system), 1.0, inputs={"F": [0.5, 4.0]})
    assert run["F_1"][-1] == 0.5
    assert run["F_2"][-1] == 1.0
    assert [one.input for one in run.saturations] == ["F_2"]


def test_a_reset_by_an_event_is_held():
    """The force is 0 until x = 1 with the speed 1, then 2 instead of 9: v² = 1 + 2·2·(x - 1)."""
    eom = cart((-2.0, 2.0), u=1.0)
    event = mb.Event(eom.coordinates[0] - 1, direction=1, reset={"F": 9.0})
    run = mb.simulate(eom, 2.0, events=[event])
    assert run["x_dot"][-1] == pytest.approx(3.0)
    assert run["F"][-1] == 2.0
    (found,) = run.saturations
    assert (found.t, found.duration, found.asked) == (pytest.approx(1.0), pytest.approx(1.0), 9.0)


def test_controllers_and_events_see_the_limited_input():
    """A sensor of the force, and an event of it: 10·sin t reaches 3 and never 3.5."""
    eom = cart()
    F = eom.inputs[0]
    run = mb.simulate(eom, 3.0, inputs={"F": "10*sin(t)"}, events=[mb.Event(F - 2.5, name="a"), mb.Event(F - 3.5)])
    assert {one.name for one in run.occurrences} == {"a"}
    assert run.occurrences[0].t == pytest.approx(np.arcsin(0.25))


# no limits, limits that do not matter --------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [None, (-np.inf, np.inf), (None, None), (-10.0, 10.0), (-20, 20)])
@pytest.mark.parametrize("law", ["10*sin(t)", sine, 9.0, mb.Sampled(sine, 0.1)])
def test_limits_that_are_not_passed_change_nothing(limits, law, caplog):
    run = mb.simulate(cart(limits), 3.0, inputs={"F": law})
    free = mb.simulate(cart(None), 3.0, inputs={"F": law})
    assert run["x"] == pytest.approx(free["x"], abs=1e-9)
    assert run.saturations == ()
    assert "limited" not in str(run)
    assert not caplog.records


def test_without_limits_there_is_nothing_to_switch():
    """The same equations as before: no condition, no step that ends early."""
    eom = cart(None)
    run = mb.simulate(eom, 10.0, inputs={"F": "100*sin(t)"})
    assert eom.model.inputs[0].limits is None
    assert eom.model.inputs[0].slider_range == (-1.0, 1.0)
    assert run["F"].max() > 99


def test_a_slider_limits_nothing():
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("F", slider=(-1, 1))))
    run = mb.simulate(mb.derive(system), 1.0, inputs={"F": 5.0})
    assert run["x_dot"][-1] == pytest.approx(5.0)
    assert run.saturations == ()


@pytest.mark.parametrize("name", ["CartPole", "Pendulum"])
def test_models_of_the_library_have_sliders_and_no_limits(name):
    from multibody import library

    made = {"CartPole": library.cart_pole, "Pendulum": library.pendulum}[name]()
    assert made.freeze().input_limits == {}
    assert made.freeze().inputs[0].slider is not None


# reports -------------------------------------------------------------------------------------------------------------


def test_log_and_printed_run(caplog):
    with caplog.at_level(logging.WARNING, "multibody"):
        run = mb.simulate(cart(), 2.0, inputs={"F": "10*sin(t)"})
    (record,) = caplog.records
    for text in (record.getMessage(), str(run), run._repr_html_()):
        assert "F is held within [-3, 3] from 0.304693 s on" in text
        assert "asked for: 10 at 1.5708 s" in text


def test_a_continued_run_knows_both_parts():
    eom = cart()
    first = mb.simulate(eom, 1.0, inputs={"F": "10*sin(t)"})
    both = first + mb.simulate(eom, 9.0, start=first, inputs={"F": "10*sin(t)"})
    (found,) = both.saturations
    assert found.t == pytest.approx(FIRST)
    assert found.duration == pytest.approx(10 - 7 * FIRST, abs=1e-6)
    assert both["x_dot"][-1] == pytest.approx(impulse(sine, 10.0), abs=1e-6)


def test_a_held_input_goes_on_within_its_limits():
    eom = cart()
    first = mb.simulate(eom, 1.0, inputs={"F": 5.0})
    second = mb.simulate(eom, 1.0, start=first)
    assert second["x_dot"][-1] == pytest.approx(6.0)
    assert second["F"][0] == 3.0


@pytest.mark.parametrize("suffix", ["npz", "parquet", "csv"])
def test_a_run_from_a_file_knows(tmp_path, suffix):
    eom = cart()
    run = mb.simulate(eom, 10.0, inputs={"F": "10*sin(t)"})
    run.save(tmp_path / f"run.{suffix}")
    read = mb.Trajectory.read(tmp_path / f"run.{suffix}", eom, parameters={})
    assert np.array_equal(read["F"], run["F"])
    (found,) = read.saturations
    if suffix == "csv":  # what was asked for is not known
        assert found.duration == pytest.approx(10 - 7 * FIRST, abs=0.2)
        assert np.isnan(found.asked)
    else:
        assert found == run.saturations[0]


def test_the_command_line(tmp_path, capsys):
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("F", limits=(-3, 3))))
    mb.write_model(system, tmp_path / "cart.yaml")
    main(["simulate", str(tmp_path / "cart.yaml"), "-d", "10", "--input", "F=10*sin(t)", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert data["values"]["x_dot"][-1] == pytest.approx(impulse(sine, 10.0), abs=1e-6)
    (found,) = data["saturations"]
    assert (found["input"], found["t"]) == ("F", pytest.approx(FIRST))
    main(["simulate", str(tmp_path / "cart.yaml"), "-d", "10", "--input", "F=10*sin(t)"])
    assert "inputs limited" in "".join(capsys.readouterr())


# sweeps --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", [None, mb.RungeKutta4(step=0.01), mb.Cvode()])
@pytest.mark.parametrize("kind", KINDS)
def test_sweeps(kind, integrator):
    """Masses of 1, 2 and 4 kg: the impulse divided by the mass."""
    eom = cart()
    law, expected, asked = kinds(eom)[kind]
    runs = mb.sweep(eom, 10.0, parameters={"m": [1.0, 2.0, 4.0]}, inputs={"F": law}, integrator=integrator)
    assert runs.last("x_dot") == pytest.approx(expected / np.array([1, 2, 4]), abs=2e-3)
    assert np.abs(runs.values("F")).max() == LEVEL
    assert sorted(runs.saturations) == [0, 1, 2]
    assert all(abs(runs[k].saturations[0].asked) >= 0.97 * abs(asked) for k in range(3))
    assert "F in 3 of 3 runs" in str(runs)


def test_a_sweep_in_which_some_runs_reach_the_limit():
    """A force of m·2: 2, 4 and 8 N, side by side."""
    eom = cart()
    law = 2 * eom.parameters[0]
    runs = mb.sweep(eom, 1.0, parameters={"m": [1.0, 2.0, 4.0]}, inputs={"F": law})
    assert runs.last("x_dot") == pytest.approx([2.0, 1.5, 0.75])
    assert sorted(runs.saturations) == [1, 2]
    assert runs[2].saturations[0].asked == pytest.approx(8.0)
    assert runs[2].saturations[0].duration == pytest.approx(1.0)


def test_a_stored_sweep_knows_and_is_not_continued_with_other_limits(tmp_path):
    path = tmp_path / "runs.sweep"
    arguments = {"inputs": {"F": "10*sin(t)"}, "path": path, "parameters": {"m": [1.0, 2.0]}}
    mb.sweep(cart(), 5.0, **arguments)
    again = mb.read_sweep(path, cart())
    assert again[1].saturations[0].t == pytest.approx(FIRST)
    with refused("sweep-differs"):
        mb.sweep(cart((-2, 2)), 5.0, **arguments)


# errors --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "limits",
    [(3, -3), (1, 2, 3), (1,), (), 5.0, "wide", ("a", "b"), (np.nan, 1), (0, np.nan), (np.inf, np.inf), (True, 2),
     (-np.inf, -np.inf), {"low": 1}, [[0, 1], [2, 3]], (1j, 2)],
)  # fmt: skip
def test_ranges_that_are_none(limits):
    system = mb.System("cart")
    with refused("limits-invalid") as caught:
        system.input("F", limits=limits)
    assert "input 'F'" in str(caught.value)


@pytest.mark.parametrize("slider", [(1, 1), (2, 1), (0, np.inf), (None, 1), 3])
def test_sliders_that_are_none(slider):
    with refused("limits-invalid", "F"):
        mb.System("cart").input("F", slider=slider)


FILE = """
multibody: 1
name: cart
bodies: {box: {mass: 1}}
inputs: {F: {limits: RANGE}}
joints: {x: {parent: world, child: box, kind: Tx}}
loads: {drive: {JointLoad: {joint: x, value: F}}}
"""


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ("[3, -3]", "limits-invalid"),
        ("[inf, inf]", "limits-invalid"),
        ("[a, 2]", "name-unknown"),
        ("[.nan, 1]", "number-invalid"),
        ("[1]", "value-of-wrong-type"),
        ("[1, 2, 3]", "value-of-wrong-type"),
        ("wide", "value-of-wrong-type"),
    ],
)
def test_ranges_in_files_that_are_none(limits, code):
    with refused(code, "line 5", kind=ModelFileError):
        mb.read_model(FILE.replace("RANGE", limits))


@pytest.mark.parametrize(("limits", "speed"), [("[-3, 3]", 3.0), ("[-inf, 2]", 2.0), ("[-1, inf]", 9.0)])
def test_limits_in_files_act(limits, speed, tmp_path):
    system = mb.read_model(FILE.replace("RANGE", limits))
    mb.write_model(system, tmp_path / "again.yaml")
    for one in (system, mb.read_model(tmp_path / "again.yaml")):
        assert mb.simulate(mb.derive(one), 1.0, inputs={"F": 9.0})["x_dot"][-1] == pytest.approx(speed)


def test_a_file_without_limits_has_none():
    system = mb.read_model(FILE.replace("{limits: RANGE}", "{unit: N}"))
    assert mb.simulate(mb.derive(system), 1.0, inputs={"F": 9.0})["x_dot"][-1] == pytest.approx(9.0)


def driven(limits):
    """A joint whose position is an input."""
    system = mb.System("lift")
    s = system.input("s", limits=limits)
    system.joint("z", system.world, system.body("cage", 1.0), "Tz", prescribed=s)
    system.joint("x", system.world, system.body("other", 1.0), "Tx", u=1.0)
    return mb.derive(system)


def test_a_prescribed_motion_does_not_stop_at_a_limit():
    """Its velocity would jump, which takes an infinite force: refused."""
    with refused("prescribed-motion-not-smooth"):
        mb.simulate(driven((-1, 1)), 5.0, inputs={"s": "0.5*t"})
    laws = {"s": lambda t: 0.5 * t, "s_dot": lambda t: 0.5, "s_ddot": lambda t: 0.0}
    with refused("input-beyond-limits"):
        mb.simulate(driven((-1, 1)), 5.0, inputs=laws)
    run = mb.simulate(driven((-1, 4)), 5.0, inputs=laws)
    assert run["s"][-1] == pytest.approx(2.5)
    assert mb.simulate(driven((-1, 1)), 1.0, inputs={"s": 3.0})["s"][-1] == 1.0


# operating points ----------------------------------------------------------------------------------------------------


@cache
def arm(limits):
    """A pendulum with a torque: M = m·g·l·sin φ."""
    system = mb.System("arm", gravity=(0, 0, -9.81))
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -0.5)), "Ry")
    system.load(mb.JointLoad(hinge, system.input("M", limits=limits)))
    return mb.derive(system)


def test_an_equilibrium_beyond_the_limits_is_refused():
    needed = 9.81 * np.sin(0.3)
    with refused("equilibrium-beyond-limits"):
        mb.equilibrium(arm((-2, 2)), fixed={"angle": 0.3}, free=["M"])
    with refused("equilibrium-beyond-limits"):
        mb.equilibria(arm((-2, 2)), fixed={"angle": 0.3}, free=["M"])
    with refused("input-beyond-limits"):
        mb.equilibrium(arm((-2, 2)), at={"M": 2.5})
    assert mb.equilibrium(arm((-3, 3)), fixed={"angle": 0.3}, free=["M"])["M"] == pytest.approx(needed)
    assert mb.equilibrium(arm((-3, needed)), fixed={"angle": 0.3}, free=["M"])["M"] == pytest.approx(needed)
    held = mb.equilibrium(arm((-2, 2)), at={"M": 2.0})
    assert np.sin(held["angle"]) == pytest.approx(2 / 9.81)


def test_a_run_stays_in_an_equilibrium_at_the_limit():
    eom = arm((-2, 2))
    held = mb.equilibrium(eom, at={"M": 2.0})
    run = mb.simulate(eom, 1.0, start=held)
    assert run["angle"] == pytest.approx(held["angle"])
    assert run.saturations == ()


def test_linearization_beyond_the_limits_is_refused():
    for make in (mb.linearize, mb.linearize_symbolic):
        with refused("input-beyond-limits"):
            make(arm((-2, 2)), at={"M": 2.5})
        assert make(arm((-2, 2)), at={"M": 2.0}).inputs == ("M",)
