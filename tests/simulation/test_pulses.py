"""Short pulses on models that are at rest in their equilibria, against solutions that are split at the edges."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import multibody as mb
from multibody.graph import Table, where

INTEGRATORS = [None, mb.DormandPrince5(), mb.RungeKutta4(step=0.01), mb.ScipySolver(method="LSODA"), mb.Cvode()]
BEGIN, WIDTH, HEIGHT = 40.0, 1.0, 2.0
"""Of the torque on a pendulum, in s, s and N m."""

MASS, WHEEL, SPRING, DAMPER, TIRE = 300.0, 40.0, 2e4, 1500.0, 2e5
BUMP_BEGIN, BUMP_WIDTH, BUMP_HEIGHT = 3.0, 0.2, 0.05


def pendulum():
    """A thin rod of 1 m and 1 kg that hangs at rest."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    hinge = system.joint("a", system.world, system.body("rod", 1.0, (0, 0, -0.5), (1 / 12, 1 / 12, 0)), "Ry")
    system.load(mb.JointLoad(hinge, system.input("M")))
    system.load(mb.JointDamper(hinge, 0.05))
    return mb.derive(system), system


def struck_pendulum(times):
    """J·ä = M - d·ȧ - m·g·(l/2)·sin a with J = 1/3, from edge to edge."""
    y, t, found = np.zeros(2), 0.0, []
    for end, torque in ((BEGIN, 0.0), (BEGIN + WIDTH, HEIGHT), (times[-1] + 1, 0.0)):

        def rates(_, y, torque=torque):
            return [y[1], 3 * (torque - 0.05 * y[1] - 9.81 / 2 * np.sin(y[0]))]

        inside = times[(times >= t) & (times < end)]
        done = solve_ivp(rates, (t, end), y, "DOP853", [*inside, end], rtol=1e-12, atol=1e-13)
        found.append(done.y[0, :-1])
        y, t = done.y[:, -1], end
    return np.concatenate(found)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=str)
@pytest.mark.parametrize("kind", ["text", "expression"])
def test_a_hanging_pendulum_is_struck_by_a_torque_of_one_second(integrator, kind):
    eom, system = pendulum()
    t = system.time
    torque = {
        "text": f"where(t > {BEGIN} and t < {BEGIN + WIDTH}, {HEIGHT}, 0)",
        "expression": where(abs(t - BEGIN - WIDTH / 2) < WIDTH / 2, HEIGHT, 0),
    }[kind]
    run = mb.simulate(eom, 60.0, inputs={"M": torque}, integrator=integrator)
    exact = struck_pendulum(run.t)
    assert 0.3 < np.abs(exact).max() < 1.5
    assert run["a"] == pytest.approx(exact, abs=1e-5)
    assert run["a"][run.t <= BEGIN] == pytest.approx(0.0, abs=1e-12)


def test_all_runs_of_a_sweep_are_struck():
    eom, _ = pendulum()
    torque = Table("M", [0, BEGIN, BEGIN + WIDTH / 2, BEGIN + WIDTH, 100], [0, 0, HEIGHT, 0, 0])
    runs = mb.sweep(eom, 60.0, initial={"a": [0.0, 1e-9, -1e-9]}, inputs={"M": torque}, samples=101)
    single = mb.simulate(eom, 60.0, inputs={"M": torque}, samples=101)
    for run in runs:
        assert np.abs(run["a"]).max() > 0.1
        assert run["a"] == pytest.approx(single["a"], abs=1e-6)


def quarter_car():
    system = mb.System("quarter_car", gravity=(0, 0, -9.81))
    wheel, body = system.body("wheel", mass=WHEEL), system.body("body", mass=MASS)
    road = system.input("road")
    w, b = system.joint("w", system.world, wheel, "Tz"), system.joint("b", system.world, body, "Tz")
    suspension = SPRING * (w.coordinate - b.coordinate) + DAMPER * (w.speed - b.speed)
    system.load(mb.JointLoad(b, suspension))
    system.load(mb.JointLoad(w, TIRE * (road - w.coordinate) - suspension))
    return mb.derive(system), system


def lifted(times, pieces):
    """Deviations from the equilibrium by the exponential of the linear system, enlarged by what makes the road.

    Args:
        times: of the result.
        pieces: for each piece of the road its begin, and the matrix and start of the equations that make it.
    """
    A = np.zeros((4, 4))  # w, b, w', b'
    A[0, 2] = A[1, 3] = 1
    A[2] = np.array([-SPRING - TIRE, SPRING, -DAMPER, DAMPER]) / WHEEL
    A[3] = np.array([SPRING, -SPRING, DAMPER, -DAMPER]) / MASS
    x, found = np.zeros(4), np.zeros((len(times), 2))
    for k, (begin, law, start) in enumerate(pieces):
        end = pieces[k + 1][0] if k + 1 < len(pieces) else times[-1] + 1
        whole = np.block([[A, np.zeros((4, 2))], [np.zeros((2, 4)), np.array(law, dtype=float)]])
        whole[2, 4] = TIRE / WHEEL
        y = np.array([*x, *start])
        for place in np.flatnonzero((times >= begin) & (times < end)):
            found[place] = (expm(whole * (times[place] - begin)) @ y)[:2]
        x = (expm(whole * (end - begin)) @ y)[:4]
    return found.T


FLAT = ([[0, 0], [0, 0]], (0, 0))
RAMP = 2 * BUMP_HEIGHT / BUMP_WIDTH
FREQUENCY = np.pi / BUMP_WIDTH
ROADS = {
    "table": (
        Table("bump", [0, BUMP_BEGIN, BUMP_BEGIN + BUMP_WIDTH / 2, BUMP_BEGIN + BUMP_WIDTH, 100],
              [0, 0, BUMP_HEIGHT, 0, 0]),
        [(0.0, *FLAT), (BUMP_BEGIN, [[0, 1], [0, 0]], (0, RAMP)),
         (BUMP_BEGIN + BUMP_WIDTH / 2, [[0, 1], [0, 0]], (BUMP_HEIGHT, -RAMP)), (BUMP_BEGIN + BUMP_WIDTH, *FLAT)],
    ),
    "where": (
        f"where(t > {BUMP_BEGIN} and t < {BUMP_BEGIN + BUMP_WIDTH}, "
        f"{BUMP_HEIGHT}*sin({FREQUENCY!r}*(t - {BUMP_BEGIN})), 0)",
        [(0.0, *FLAT), (BUMP_BEGIN, [[0, 1], [-(FREQUENCY**2), 0]], (0, BUMP_HEIGHT * FREQUENCY)),
         (BUMP_BEGIN + BUMP_WIDTH, *FLAT)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("integrator", [None, mb.DormandPrince5(), mb.RungeKutta4(step=1e-3), mb.Cvode()], ids=str)
@pytest.mark.parametrize("road", [*ROADS])
def test_a_quarter_car_over_a_bump_starts_at_its_equilibrium(road, integrator):
    eom, _ = quarter_car()
    bump, pieces = ROADS[road]
    rest = mb.equilibrium(eom)
    assert rest["w"] == pytest.approx(-(MASS + WHEEL) * 9.81 / TIRE)
    assert rest["b"] == pytest.approx(rest["w"] - MASS * 9.81 / SPRING)
    run = mb.simulate(eom, 20.0, start=rest, inputs={"road": bump}, integrator=integrator, samples=401)
    exact = lifted(run.t, pieces)
    assert exact[1].max() > 0.01
    for name, values in zip("wb", exact, strict=True):
        assert run[name] - rest[name] == pytest.approx(values, abs=2e-6)


def test_a_quarter_car_on_a_flat_road_stays_at_its_equilibrium():
    eom, _ = quarter_car()
    rest = mb.equilibrium(eom)
    run = mb.simulate(eom, 20.0, start=rest, inputs={"road": 0.0})
    assert run["b"] == pytest.approx(rest["b"], abs=1e-9)
