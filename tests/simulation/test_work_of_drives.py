"""Works take part in the control of errors where motion is prescribed."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from tests.refusal import refused

import multibody as mb
from multibody.graph import exp, sin, tanh
from multibody.simulation import Status
from multibody.simulation.problem.run_functions import RunFunctions

INTEGRATORS = [
    None,
    mb.DormandPrince5(),
    mb.Cvode(),
    mb.Cvode(method="Adams"),
    mb.Ida(),
    mb.ScipySolver(),
    mb.ScipySolver(method="RK45"),
    mb.ScipySolver(method="Radau"),
    mb.ScipySolver(method="LSODA"),
    mb.IndependentCoordinates(),
]


def crank(frequency, damping=0.0, scale=1.0, free=False):
    """A rotor of 0.2 kg·m² with the angle sin(ω·t); beside it perhaps a body that moves uniformly."""
    system = mb.System("crank")
    body = system.body("rotor", 2.0 * scale, inertia=(0.1 * scale, 0.2 * scale, 0.1 * scale))
    joint = system.joint("angle", system.world, body, "Ry", prescribed=sin(frequency * system.time))
    if damping:
        system.load(mb.JointDamper(joint, damping))
    if free:
        system.joint("x", system.world, system.body("sled", 1.0), "Tx", u=1.0)
    return mb.derive(system)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=str)
@pytest.mark.parametrize("free", [False, True])
def test_the_work_of_a_fast_drive(integrator, free):
    """ω = 60 rad/s for ten periods: W = J·(θ̇² - ω²)/2 + d·∫θ̇² dt, with θ̇ = ω·cos(ω·t)."""
    frequency, end = 60.0, 1.03
    run = mb.simulate(crank(frequency, 0.05, free=free), end, integrator=integrator)
    speed = frequency * math.cos(frequency * end)
    dissipated = 0.05 * frequency**2 * (end / 2 + math.sin(2 * frequency * end) / (4 * frequency))
    assert run["dissipated"][-1] == pytest.approx(dissipated, rel=1e-5)
    energy = 0.1 * frequency**2
    assert run["work_of_drives"][-1] == pytest.approx(0.1 * speed**2 - energy + dissipated, abs=1e-5 * energy)
    assert run.energy_drift < 1e-5


@pytest.mark.parametrize("integrator", [None, mb.DormandPrince5(), mb.ScipySolver(), mb.Cvode()], ids=str)
def test_the_work_of_a_shaken_pivot(integrator):
    """A pendulum of 1 kg and 0.5 m hangs from a pivot that moves by 20 mm at 50 rad/s: P = Z·ż, by quadrature."""
    system = mb.System("shaken", gravity=(0, 0, -9.81))
    base, bob = system.body("base", 2.0), system.body("bob", 1.0, inertia=(0.01, 0.01, 0.01))
    system.joint("lift", system.world, base, "Tz", prescribed=0.02 * sin(50 * system.time))
    system.joint("swing", base, bob.frame("hinge", (0, 0, 0.5)), "Ry", q=0.5)
    eom = mb.derive(system)
    run = mb.simulate(eom, 2.0, samples=4001, integrator=integrator)
    t, swing, rate = run.t, run["swing"], run["swing_dot"]
    lift = -0.02 * 50**2 * np.sin(50 * t)
    acceleration = -0.5 * (9.81 + lift) * np.sin(swing) / 0.26
    height = lift + 0.5 * (acceleration * np.sin(swing) + rate**2 * np.cos(swing))  # of the bob, upward
    power = (2 * (9.81 + lift) + 9.81 + height) * np.cos(50 * t)  # of the pivot with 0.02·50 = 1 m/s
    h = t[1] - t[0]
    work = h / 3 * (power[0] + 4 * power[1::2].sum() + 2 * power[2:-1:2].sum() + power[-1])  # Simpson
    assert run["work_of_drives"][-1] == pytest.approx(work, abs=1e-5 * np.ptp(run["work_of_drives"]))
    assert run.energy_drift < 1e-5


@pytest.mark.parametrize("integrator", [None, mb.DormandPrince5(), mb.ScipySolver()], ids=str)
@pytest.mark.parametrize("scale", [1e-12, 1e9])
def test_the_work_of_tiny_and_large_bodies(integrator, scale):
    run = mb.simulate(crank(60.0, scale=scale), 1.03, integrator=integrator)
    assert run.energy_drift < 1e-6
    change = 0.1 * scale * 3600 * (math.cos(60 * 1.03) ** 2 - 1)
    assert run["work_of_drives"][-1] == pytest.approx(change, rel=1e-6)


def test_a_motion_that_begins_late():
    """From rest to 1 m within some hundredths of a second, against 3 N: W = 3 J."""
    system = mb.System("lift")
    slide = system.joint(
        "x", system.world, system.body("load", 2.0), "Tx", prescribed=0.5 + 0.5 * tanh((system.time - 3) / 0.02)
    )
    system.load(mb.JointLoad(slide, -3.0))
    run = mb.simulate(mb.derive(system), 6.0)
    assert run["work_of_drives"][-1] == pytest.approx(3.0, rel=1e-7)
    assert run.counts.steps < 400


def test_a_short_motion_that_is_seen():
    """A Gaussian pulse of 50 ms against a damper of 2 N·s/m: ∫2·ẋ² dt."""
    system = mb.System("pulse")
    slide = system.joint(
        "x", system.world, system.body("m", 1.0), "Tx", prescribed=0.1 * exp(-(((system.time - 3) / 0.05) ** 2))
    )
    system.load(mb.JointDamper(slide, 2.0))
    run = mb.simulate(mb.derive(system), 6.0)

    def power(t):
        s = (t - 3) / 0.05
        return 2 * (0.1 * -2 * s / 0.05 * math.exp(-(s**2))) ** 2

    assert run["work_of_drives"][-1] == pytest.approx(quad(power, 2.5, 3.5)[0], rel=1e-6)


def test_a_motion_by_an_input():
    system = mb.System("follower")
    angle = system.input("angle")
    system.joint("drive", system.world, system.body("rotor", 1.0, inertia=(1, 2, 1)), "Ry", prescribed=angle)
    run = mb.simulate(mb.derive(system), 1.03, inputs={"angle": "sin(60*t)"})
    assert run.energy_drift < 1e-6
    assert run["work_of_drives"][-1] == pytest.approx(3600 * (math.cos(60 * 1.03) ** 2 - 1), rel=1e-6)


def test_a_moving_constraint():
    system = mb.System("sliders")
    a = system.joint("a", system.world, system.body("A", 1.0), "Tx")
    b = system.joint("b", system.world, system.body("B", 1e6), "Tx")
    system.constraint(a.coordinate - b.coordinate - 0.3 * sin(80 * system.time), name="push")
    run = mb.simulate(mb.derive(system), 1.03)
    assert run.energy_drift < 1e-6
    assert np.ptp(run["work_of_drives"]) > 250  # 1 kg with up to 24 m/s


@pytest.mark.parametrize("integrator", [None, mb.DormandPrince5()], ids=str)
@pytest.mark.parametrize("free", [False, True])
def test_sweeps(integrator, free):
    system = mb.System("crank")
    (frequency,) = system.parameters(w=60.0)
    body = system.body("rotor", 2.0, inertia=(0.1, 0.2, 0.1))
    system.joint("angle", system.world, body, "Ry", prescribed=sin(frequency * system.time))
    if free:
        system.joint("x", system.world, system.body("sled", 1.0), "Tx", u=1.0)
    values = [10.0, 25.0, 40.0, 60.0, 75.0, 90.0, 120.0, 150.0, 200.0, 300.0]
    found = mb.sweep(mb.derive(system), 1.03, parameters={"w": values}, integrator=integrator, workers=1)
    for run, w in zip(found, values, strict=True):
        assert run["work_of_drives"][-1] == pytest.approx(0.1 * w**2 * (math.cos(1.03 * w) ** 2 - 1), abs=1e-6 * w**2)


def test_works_count_only_where_motion_is_prescribed():
    system = mb.System("spring")
    force = system.input("F")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
    for load in (mb.JointSpring(slide, 4.0), mb.JointDamper(slide, 0.1), mb.JointLoad(slide, force)):
        system.load(load)
    assert RunFunctions(mb.derive(system)).counted_works == 0
    assert RunFunctions(crank(1.0)).counted_works == 3


def test_a_printed_run_says_that_its_drift_is_large():
    """Steps of fixed length that are too long for the drive, but not so long that the run fails."""
    steps = [mb.RungeKutta4(step=h) for h in (0.001, 0.02)]
    fine, coarse = (mb.simulate(crank(60.0), 1.0, integrator=one, on_failure="return") for one in steps)
    assert fine.energy_drift < 1e-3
    assert "more than" not in str(fine)
    assert 1e-3 < coarse.energy_drift < 0.1
    assert coarse.status is Status.DONE
    assert "more than 1e-03: use shorter steps" in str(coarse)


def driven_by_input():
    """A cart whose place is an input, and a pendulum on it."""
    system = mb.System("crane", gravity=(0, 0, -9.81))
    cart = system.body("cart", 2.0)
    system.joint("x", system.world, cart, "Tx", prescribed=system.input("ref"))
    system.joint("a", cart, system.body("bob", 1.0, (0, 0, -1.0)), "Ry", q=0.3)
    return mb.derive(system)


@pytest.mark.parametrize(
    ("inputs", "name"),
    [
        ({"ref": np.sin, "ref_dot": lambda t: 1.0, "ref_ddot": lambda t: -np.sin(t)}, "ref_dot"),
        ({"ref": np.sin, "ref_dot": np.cos, "ref_ddot": lambda t: 0.0}, "ref_ddot"),
        ({"ref": np.sin, "ref_dot": np.cos, "ref_ddot": np.sin}, "ref_ddot"),
        ({"ref": 1.0, "ref_dot": 2.0}, "ref_dot"),
        ({"ref_dot": "2*t"}, "ref_dot"),
        ({"ref": "t", "ref_dot": "3"}, "ref_dot"),
    ],
)
def test_rates_that_are_not_those_of_the_motion_are_refused(inputs, name):
    """A position that contradicts its velocity is no motion, and the energy balance does not see it."""
    eom = driven_by_input()
    with refused("input-rate-wrong", name):
        mb.simulate(eom, 4.0, inputs=inputs)
    with refused("input-rate-wrong", name):
        mb.sweep(eom, 4.0, initial={"a": [0.1, 0.2]}, inputs=inputs, workers=1)


def test_rates_that_belong_to_the_motion_are_accepted():
    eom = driven_by_input()
    expected = mb.simulate(eom, 4.0, inputs={"ref": "sin(t)"})["a"][-1]
    for inputs in (
        {"ref": np.sin, "ref_dot": np.cos, "ref_ddot": lambda t: -np.sin(t)},
        {"ref": "sin(t)", "ref_dot": "cos(t)"},
        {"ref": "sin(t)", "ref_ddot": lambda t: -np.sin(t)},
    ):
        assert mb.simulate(eom, 4.0, inputs=inputs)["a"][-1] == pytest.approx(expected, abs=1e-6)
