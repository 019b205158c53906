"""Steps end where forces switch: at known times, and where conditions on states change."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.refusal import refused

import multibody as mb
from multibody.graph import Table, evaluate, maximum as max_of, minimum as min_of, parse, sign, smooth, symbols, where
from multibody.graph.piecewise.intervals import Interval, interval_values
from multibody.simulation.events.switching_times import TimeFunction, passages, roots

INTEGRATORS = [
    None, mb.DormandPrince5(), mb.RungeKutta4(step=0.05), mb.ScipySolver(method="DOP853"),
    mb.ScipySolver(method="Radau"), mb.Cvode(), mb.IndependentCoordinates(),
]  # fmt: skip


def cart(**start):
    """A body of 2 kg on a rail, pushed by F."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", mass=2), "Tx", **start)
    system.load(mb.JointLoad(slide, system.input("F")))
    return mb.derive(system), slide


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=str)
def test_a_short_pulse_from_a_table_is_found(integrator):
    eom, _ = cart()
    pulse = Table("pulse", [0, 3, 3.25, 3.5, 100], [0, 0, 8, 0, 0])
    run = mb.simulate(eom, 10.0, inputs={"F": pulse}, integrator=integrator)
    assert run["x_dot"][-1] == pytest.approx(1.0, abs=1e-7)
    assert run["x"][-1] == pytest.approx(6.75, abs=1e-3)


def test_random_pulses_by_tables_and_conditions():
    eom, _ = cart()
    rng = np.random.default_rng(3)
    for _ in range(12):
        width, begin, height = 10 ** rng.uniform(-2, 0.3), rng.uniform(0.1, 55), rng.uniform(1, 9)
        text = f"where(t > {begin!r} and t < {begin + width!r}, {height!r}, 0)"
        table = Table("p", [0, begin, begin + width / 2, begin + width, 100], [0, 0, 2 * height, 0, 0])
        for force in (text, table):
            run = mb.simulate(eom, 60.0, inputs={"F": force})
            assert run["x_dot"][-1] == pytest.approx(height * width / 2, rel=1e-7)


def test_a_hanging_pendulum_is_struck_by_a_pulse():
    """The largest angle after the pulse follows from the energy; the pulse itself by a series of small steps."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    hinge = system.joint("a", system.world, system.body("bob", 1, (0, 0, -1)), "Ry")
    system.load(mb.JointLoad(hinge, system.input("M")))
    run = mb.simulate(mb.derive(system), 60.0, inputs={"M": "where(t > 20 and t < 21, 3, 0)"})
    a, v, h = 0.0, 0.0, 1e-5
    for _ in range(100_000):
        v += h * (3 - 9.81 * np.sin(a + 0.5 * h * v))
        a += h * v
    top = np.arccos(np.cos(a) - v * v / (2 * 9.81))
    after = run["a"][run.t > 21.0]
    assert np.abs(after).max() == pytest.approx(top, rel=1e-3)
    assert run.energy_drift < 1e-6


@pytest.mark.parametrize(
    ("force", "momentum"),
    [
        ("where(abs(t - 5) < 0.01, 1, 0)", 0.02),
        ("where(sin(t) > 0.9999, 1, 0)", 4 * np.arccos(0.9999)),
        ("max(0, sin(20*t) - 0.99)", 32 * (np.sin(np.arccos(0.99)) - 0.99 * np.arccos(0.99)) / 10),
        ("sign(sin(7*t))*where(t < 2*pi/7, 1, 0)", 0.0),
        ("where((t - 3)**2 < 1e-6, 1, 0)", 0.002),
    ],
)
def test_conditions_on_formulas_of_time(force, momentum):
    eom, _ = cart()
    run = mb.simulate(eom, 10.0, inputs={"F": force})
    assert 2 * run["x_dot"][-1] == pytest.approx(momentum, abs=1e-8)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=str)
def test_a_narrow_patch_of_force_in_space(integrator):
    eom, slide = cart(u=10.0)
    x = slide.coordinate
    exact = np.sqrt(100 - 2 * 100 * 0.05 / 2)
    for force in (where((x > 20) & (x < 20.05), -100, 0), where(abs(x - 20.025) < 0.025, -100, 0)):
        run = mb.simulate(eom, 5.0, inputs={"F": force}, integrator=integrator)
        assert run["x_dot"][-1] == pytest.approx(exact, abs=1e-6)
    run = mb.simulate(eom, 5.0, inputs={"F": Table("p", [-9, 20, 20.025, 20.05, 99], [0, 0, -200, 0, 0])(x)})
    assert run["x_dot"][-1] == pytest.approx(exact, abs=1e-6)


def test_a_hanging_pendulum_is_struck_once_and_swings_by_0_487_rad():
    """A bob of 1 kg at 1 m, 2.3432 N·m for one second; SciPy integrates the pulse, and energy gives the height."""
    moment, begin = 2.3432, 20.0
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    hinge = system.joint("a", system.world, system.body("bob", 1, (0, 0, -1)), "Ry")
    system.load(mb.JointLoad(hinge, system.input("M")))
    pulse = solve_ivp(
        lambda _, y: [y[1], moment - 9.81 * np.sin(y[0])], (0, 1), [0, 0], "DOP853", rtol=1e-12, atol=1e-12
    )
    angle, rate = pulse.y[:, -1]
    top = np.arccos(np.cos(angle) - rate**2 / (2 * 9.81))
    assert top == pytest.approx(0.487, abs=1e-4)
    eom = mb.derive(system)
    edge = Table("pulse", [0, begin, begin + 1e-9, begin + 1, begin + 1 + 1e-9, 100], [0, 0, moment, moment, 0, 0])
    for law in (f"where(t > {begin} and t < {begin + 1}, {moment}, 0)", edge):
        run = mb.simulate(eom, 60.0, inputs={"M": law}, samples=6001)
        assert np.abs(run["a"][run.t < begin]).max() == 0
        assert np.abs(run["a"]).max() == pytest.approx(top, abs=1e-4)


def test_a_bump_of_0_2_s_lifts_a_quarter_car_by_0_032_m():
    """A body of 300 kg on a wheel of 40 kg, started at the equilibrium; the same by SciPy, piece by piece."""
    stiffness, damping, tire = 2e4, 1500.0, 2e5
    car = mb.System("car", gravity=(0, 0, -9.81))
    wheel, body = car.body("wheel", mass=40), car.body("body", mass=300)
    w, b = car.joint("w", car.world, wheel, "Tz"), car.joint("b", wheel, body, "Tz")
    car.load(mb.JointLoad(b, 300 * 9.81 - stiffness * b.coordinate - damping * b.speed))
    car.load(mb.JointLoad(w, 340 * 9.81 - tire * (w.coordinate - car.input("z"))))
    state, now, lift = np.zeros(4), 2.0, 0.0
    for slope, level, end in ((0.5, 0.0, 2.1), (-0.5, 0.1, 2.2), (0.0, 0.0, 5.0)):

        def rates(t, y, slope=slope, level=level):
            force = stiffness * y[1] + damping * y[3]
            wheel = (force - tire * (y[0] - level - slope * (t - 2))) / 40
            return [y[2], y[3], wheel, -force / 300 - wheel]

        part = solve_ivp(rates, (now, end), state, "DOP853", rtol=1e-10, atol=1e-13, max_step=1e-3)
        state, now, lift = part.y[:, -1], end, max(lift, (part.y[0] + part.y[1]).max())
    assert lift == pytest.approx(0.032, abs=5e-4)
    eom = mb.derive(car)
    table = Table("bump", [0, 2, 2.1, 2.2, 100], [0, 0, 0.05, 0, 0])
    for bump in (table, "where(t > 2 and t < 2.2, 0.05*(1 - abs(t - 2.1)/0.1), 0)"):
        run = mb.simulate(eom, 5.0, inputs={"z": bump}, samples=5001)
        assert (run["w"] + run["b"]).max() == pytest.approx(lift, abs=1e-6)


def test_a_bump_under_a_quarter_car_lifts_it():
    def lift(bump, **options):
        car = mb.System("car", gravity=(0, 0, -9.81))
        z = car.input("z")
        wheel, body = car.body("wheel", mass=40), car.body("body", mass=300)
        w, b = car.joint("w", car.world, wheel, "Tz"), car.joint("b", wheel, body, "Tz")
        car.load(mb.JointLoad(b, 300 * 9.81 - 2e4 * b.coordinate - where(b.speed > 0, 2000, 1000) * b.speed))
        car.load(mb.JointLoad(w, 340 * 9.81 - 2e5 * (w.coordinate - z)))
        run = mb.simulate(mb.derive(car), 5.0, inputs={"z": bump}, **options)
        return float((run["w"] + run["b"]).max())

    fine = mb.RungeKutta4(step=2e-4)
    table = Table("bump", [0, 2, 2.1, 2.2, 100], [0, 0, 0.05, 0, 0])
    for bump in (table, "where(t > 2 and t < 2.2, 0.05*sin(5*pi*(t - 2)), 0)"):
        assert lift(bump) > 0.02
        assert lift(bump) == pytest.approx(lift(bump, integrator=fine), rel=1e-5)
    assert lift(0.0) == 0.0


def test_sweeps_end_their_steps_there_too():
    eom, _ = cart()
    pulse = Table("pulse", [0, 3, 3.25, 3.5, 100], [0, 0, 8, 0, 0])
    found = mb.sweep(eom, 10.0, initial={"x": [0.0, 1.0, 2.0]}, inputs={"F": pulse})
    assert [run["x_dot"][-1] for run in found] == pytest.approx([1.0, 1.0, 1.0], abs=1e-7)


def test_friction_stops_and_stays_or_is_refused():
    def slid(force):
        system = mb.System("block")
        slide = system.joint("x", system.world, system.body("box", mass=1), "Tx", u=2.0)
        system.load(mb.JointLoad(slide, force - sign(slide.speed)))
        return mb.simulate(mb.derive(system), 5.0)

    run = slid(0.0)
    assert run["x"][-1] == pytest.approx(2.0, abs=1e-9)
    assert abs(run["x_dot"][-1]) < 1e-9
    with refused("run-failed") as caught:
        slid(0.3)
    assert caught.value.trajectory.status.name == "SWITCHING"


def test_a_smooth_expression_is_no_root_function():
    eom, slide = cart(u=1.0)
    plain = where(slide.coordinate > 0.5, 1.0, -1.0) * 0.1
    for force in (plain, smooth(plain)):
        functions = mb.simulate(eom, 1.0, inputs={"F": force})
        assert functions.status.ok
    (v,) = symbols("v")
    for one in (abs(v), sign(v), where(v < 1, v, 2 * v), Table("k", [0, 1, 2], [0, 1, 4])(v)):
        assert smooth(one) is not one
        for value in (-0.5, 0.3, 1.7):
            assert evaluate(smooth(one), {v: value}) == evaluate(one, {v: value})
    marked = smooth(where(v < 1, v, abs(v)))
    assert parse(str(marked), [v]) is marked
    assert "smooth" in str(marked)


def test_bounds_hold_for_random_points():
    (t,) = symbols("t")
    rng = np.random.default_rng(1)
    begin = rng.uniform(-5, 5, 200)
    end = begin + rng.exponential(0.5, 200)
    table = Table("k", [-1, 0, 0.5, 2], [3, -1, 4, 0], "cubic")
    texts = ["sin(3*t)*t - cos(t)**2", "exp(-t**2/4)*atan(t)", "max(t, sin(t))/(2 + cos(t))",
             "where(t < 1, t**3, 2 - t)", "sqrt(t**2 + 1)*tanh(t)",
             "atan2(sin(t), cos(t))", "abs(t) + sign(t) + min(t, 2)"]  # fmt: skip
    for expression in [*(parse(text, [t]) for text in texts), table(t), table(2 * t - 1)]:
        low, high = interval_values(expression, t, Interval(begin, end), {})
        for share in rng.uniform(0, 1, 20):
            values = evaluate(expression, {t: begin + share * (end - begin)})
            assert ((low <= values) & (values <= high)).all()


def test_all_roots_of_a_function_of_time_are_found():
    (t,) = symbols("t")
    nothing = np.empty(0)
    found = roots(TimeFunction(parse("sin(20*t)", [t]), t, {}), 0.01, 10.0, nothing)
    assert found == pytest.approx(np.arange(1, 64) * np.pi / 20, abs=1e-12)
    narrow = roots(TimeFunction(parse("(t - 3)**2 - 1e-8", [t]), t, {}), 0.0, 100.0, nothing)
    assert narrow == pytest.approx([3 - 1e-4, 3 + 1e-4], abs=1e-12)
    levels = np.array([0.25, 0.5, 0.999999])
    passed = passages(TimeFunction(parse("sin(t)", [t]), t, {}), levels, 0.0, 3.0, nothing)
    wanted = sorted([*np.arcsin(levels), *(np.pi - np.arcsin(levels))])
    assert all(np.abs(passed - one).min() < 1e-9 for one in wanted)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=str)
def test_events_whose_signals_leap_with_a_condition_happen(integrator):
    """A signal that leaps over zero at a known time, where a state switches it, or with an input."""
    system = mb.System("cart")
    force = system.input("F")
    slide = system.joint("x", system.world, system.body("box", mass=2), "Tx", u=1.0)
    system.load(mb.JointLoad(slide, force))
    eom, x = mb.derive(system), slide.coordinate

    def times(expression, force, **options):
        event = mb.Event(expression, name="leap", **options)
        run = mb.simulate(eom, 8.0, inputs={"F": force}, events=[event], integrator=integrator)
        assert run.t[-1] == (run.occurrences[0].t if options.get("terminal") else 8.0)
        return [one.t for one in run.occurrences]

    patch = where((x > 4) & (x < 4.01), 1e-9, 0)
    assert times(where(x > 4, 1, -1), 0.0, direction=1, terminal=True) == pytest.approx([4], abs=1e-9)
    assert times(where(x > 4, 1, -1), 0.0, direction=-1) == []
    assert times(force - 5e-10, patch) == pytest.approx([4, 4.01], abs=1e-9)
    assert times(force - 5e-10, "where(t > 4 and t < 4.01, 1e-9, 0)", direction=-1) == pytest.approx([4.01], abs=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=str)
def test_conditions_on_time_and_an_input(integrator):
    """2 N from a time on that an input says: as a number, set by an event, or by a controller."""
    system = mb.System("cart")
    begin, width = system.input("begin"), system.input("width")
    slide = system.joint("x", system.world, system.body("box", mass=2), "Tx", u=1.0)
    t = system.time
    pulse = Table("pulse", [0, 0.5, 1], [0, 4, 0])
    system.load(mb.JointLoad(slide, where((t > begin) & (t < begin + width), 2, 0)))
    eom = mb.derive(system)

    def gained(**options):
        return mb.simulate(eom, 10.0, integrator=integrator, **options)["x_dot"][-1] - 1.0

    assert gained(inputs={"begin": 3.0, "width": 20.0}) == pytest.approx(7.0, abs=1e-7)
    assert gained(inputs={"begin": 3.0, "width": 0.01}) == pytest.approx(0.01, abs=1e-7)
    later = mb.Event(slide.coordinate - 2, direction=1, reset={"begin": 6.0}, name="later")
    assert gained(inputs={"begin": 3.0, "width": 20.0}, events=[later]) == pytest.approx(4.0, abs=1e-7)
    law = mb.Sampled(lambda t, q, u: 3.0 if t < 2 else 5.0, 1.0)
    assert gained(inputs={"begin": law, "width": 20.0}) == pytest.approx(5.0, abs=1e-7)
    shifted = mb.System("cart")
    begin = shifted.input("begin")
    slide = shifted.joint("x", shifted.world, shifted.body("box", mass=2), "Tx")
    shifted.load(mb.JointLoad(slide, where(shifted.time > begin, pulse(shifted.time - begin), 0) * 1.0
                              + max_of(0, begin - shifted.time)))  # fmt: skip
    run = mb.simulate(mb.derive(shifted), 4.0, inputs={"begin": 3.0}, integrator=integrator)
    assert run["x_dot"][-1] == pytest.approx((2.0 + 4.5) / 2, abs=1e-7)


HERTZ = {
    "power of a maximum": lambda depth: max_of(depth, 0) ** 1.5,
    "root of a maximum": lambda depth: max_of(depth, 0) * max_of(depth, 0).sqrt(),
    "power in a condition": lambda depth: where(depth > 0, depth**1.5, 0),
    "any power of a maximum": lambda depth: max_of(depth, 0) ** 1.25 * max_of(depth, 0) ** 0.25,
}


@pytest.mark.parametrize(
    "integrator",
    [None, mb.DormandPrince5(), mb.RungeKutta4(step=1e-4), mb.Cvode(), mb.Cvode(method="Adams"), mb.Ida(),
     mb.ScipySolver(method="Radau")], ids=str,
)  # fmt: skip
@pytest.mark.parametrize("law", HERTZ.values(), ids=HERTZ)
def test_laws_without_a_value_beyond_their_branch(law, integrator):
    """An impact by Hertz: depth (5·m·v²/(4·k))^(2/5), 2.9432·depth/v long; the ball leaves as fast as it came."""
    m, v, k = 0.5, 2.0, 1e4
    system = mb.System("impact", gravity=(0, 0, 0))
    z = system.joint("z", system.world, system.body("ball", m), "Tz", q=0.1, u=-v)
    system.load(mb.JointLoad(z, k * law(-z.coordinate)))
    run = mb.simulate(mb.derive(system), 0.2, integrator=integrator, samples=2001)
    depth = (5 * m * v**2 / (4 * k)) ** 0.4
    assert -run["z"].min() == pytest.approx(depth, rel=1e-4)
    assert run["z_dot"][-1] == pytest.approx(v, rel=1e-6)
    lasted = run.t[-1] - (0.1 + run["z"][-1]) / v
    assert lasted == pytest.approx(2.943275 * depth / v, rel=1e-4)


def test_forces_without_a_value_still_end_a_run():
    system = mb.System("root")
    z = system.joint("z", system.world, system.body("ball", 1.0), "Tz", q=0.1, u=-1.0)
    system.load(mb.JointLoad(z, z.coordinate.sqrt() * 0.01 + max_of(z.coordinate - 0.05, 0) ** 1.5))
    with refused("run-failed"):
        mb.simulate(mb.derive(system), 1.0)


@pytest.mark.parametrize(
    ("condition", "seconds_true"),
    [
        ("max(t - 3, 0) > 0", 17.0),
        ("min(t, 3.01) < 3.01", 3.01),
        ("abs(t - 4) - (t - 4) > 0", 4.0),
        ("max(sin(t), 0) > 0", 3 * np.pi + 20 - 6 * np.pi),
        ("min(max(t - 3, 0), 0.5) > 0.2 and max(t, 5) - 5 > 0", 15.0),
        ("max(t - 3, 0) <= 0", 3.0),
    ],
)
def test_conditions_on_functions_of_time_that_stay_at_zero(condition, seconds_true):
    """0 > 0 is false for as long as the function stays at zero; times at which nothing switches end no steps."""
    eom, _ = cart()
    run = mb.simulate(eom, 20.0, inputs={"F": f"where({condition}, 2, 0)"})
    assert run["x_dot"][-1] == pytest.approx(seconds_true, abs=1e-7)
    assert run.statistics.steps < 1000


def switched_oscillator(condition):
    """x'' = -x + 0.4 where x > 0.5, by a condition of x that is written in one way or another."""
    system = mb.System("oscillator")
    slide = system.joint("x", system.world, system.body("box", mass=1), "Tx", q=1.0)
    system.load(mb.JointLoad(slide, -slide.coordinate + 0.4 * condition(slide.coordinate)))
    return mb.derive(system)


@pytest.mark.parametrize(
    "condition",
    [
        lambda x: where(max_of(x - 0.5, 0) > 0, 1, 0),
        lambda x: sign(max_of(x - 0.5, 0)),
        lambda x: where(min_of(x, 0.5) < 0.5, 0, 1),
        lambda x: where(abs(x - 0.5) + (x - 0.5) > 0, 1, 0),
        lambda x: where(Table("ramp", [-9, 0.5, 9], [0, 0, 8.5])(x) > 0, 1, 0),
    ],
    ids=["max", "sign", "min", "abs", "table"],
)
def test_conditions_on_functions_of_states_that_stay_at_zero(condition):
    """Both half motions are arcs of circles in the plane of x and its rate, about 0.4 and about 0."""
    eom = switched_oscillator(condition)
    outer = np.sqrt(0.25 + 0.36 - 0.01)  # the radius about 0, from x = 0.5 with speed sqrt(0.36 - 0.01)
    above = 2 * np.arccos(0.1 / 0.6)
    below = 2 * (np.pi - np.arccos(0.5 / outer))
    for integrator in (None, mb.RungeKutta4(step=0.01)):
        run = mb.simulate(eom, times=[0.0, above / 2 + below / 2, 5 * (above + below)], integrator=integrator)
        assert run["x"][1:] == pytest.approx([-outer, 1.0], abs=1e-6)
        assert run["x_dot"][1:] == pytest.approx([0.0, 0.0], abs=1e-6)


RAMP_FROM_REST = {
    "function of Python": lambda t, q, u: max(t - 2.0, 0.0),
    "text": "max(t - 2, 0)",
    "table": Table("ramp", [0.0, 2.0, 6.0], [0.0, 0.0, 4.0]),
}


@pytest.mark.parametrize("integrator", [None, mb.RungeKutta4(step=1e-3), mb.ScipySolver(method="Radau"), mb.Cvode()])
@pytest.mark.parametrize("force", RAMP_FROM_REST.values(), ids=RAMP_FROM_REST)
def test_a_law_that_rests_on_its_branch_acts_once_it_moves(force, integrator):
    """Drag -v·|v| on a mass at rest, until a force begins: |v| must not keep the branch of v = 0."""
    car = mb.System("car", gravity=(0, 0, 0))
    slide = car.joint("x", car.world, car.body("box", 1.0), "Tx")
    car.load(mb.JointLoad(slide, -slide.speed * abs(slide.speed)))
    car.load(mb.JointLoad(slide, car.input("F")))
    run = mb.simulate(mb.derive(car), duration=5.0, inputs={"F": force}, integrator=integrator)
    exact = solve_ivp(
        lambda t, y: [y[1], t - 2 - y[1] * abs(y[1])], (2.0, 5.0), [0.0, 0.0], rtol=1e-11, atol=1e-13, method="DOP853"
    )
    assert run["x"][-1] == pytest.approx(exact.y[0, -1], rel=1e-5)
