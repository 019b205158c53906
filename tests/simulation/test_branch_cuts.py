"""atan2 in loads and inputs jumps by 2π on its branch cut: steps end there.

The reference is SciPy's DOP853 from jump to jump: between two of them the angle is written without its cut.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibody as mb
from multibody.graph import atan2, cos, evaluate, sin, symbols

INTEGRATORS = (
    mb.DormandPrince8(rtol=1e-10), mb.DormandPrince5(rtol=1e-10), mb.RungeKutta4(step=0.005),
    mb.ScipySolver(rtol=1e-10), mb.Cvode(rtol=1e-11), mb.IndependentCoordinates(rtol=1e-10),
)  # fmt: skip
SQUASHED = 1.3
STIFFNESS = 0.5
END = 6.0


def rotor(speed: float, mark: object = lambda thing: thing) -> mb.EquationsOfMotion:
    """A wheel with a torque k·atan2(sin φ, 1.3·cos φ), which jumps from k·π to -k·π where φ passes π."""
    system = mb.System("rotor")
    wheel = system.body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))
    turn = system.joint("phi", system.world, wheel, "Rz", q=0.1, u=speed)
    angle = turn.coordinate
    system.load(mb.JointLoad(turn, mark(STIFFNESS * atan2(sin(angle), SQUASHED * cos(angle)))))
    return mb.derive(system)


def reference(speed: float) -> np.ndarray:
    """Angle and speed at the end: from cut to cut, with an angle that is smooth between them."""
    t, state, turns = 0.0, np.array([0.1, speed]), 0
    while t < END:

        def rate(t: float, z: np.ndarray, turns: int = turns) -> list[float]:
            away = z[0] - 2 * np.pi * turns
            small = away - np.arctan2((SQUASHED - 1) * np.tan(away), SQUASHED + np.tan(away) ** 2)
            return [z[1], STIFFNESS * small]

        cuts = [lambda t, z, turns=turns, side=side: z[0] - (2 * turns + side) * np.pi for side in (1, -1)]
        for cut, direction in zip(cuts, (1, -1), strict=True):
            cut.terminal, cut.direction = True, direction
        run = solve_ivp(rate, (t, END), state, method="DOP853", rtol=1e-12, atol=1e-12, events=cuts)
        t, state = run.t[-1], run.y[:, -1]
        turns += 1 if len(run.t_events[0]) else -1 if len(run.t_events[1]) else 0
    return state


@pytest.mark.parametrize("speed", [3.0, -3.0, 0.7])
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_a_load_that_jumps_on_the_branch_cut(integrator: mb.Integrator, speed: float) -> None:
    run = mb.simulate(rotor(speed), duration=END, samples=2, integrator=integrator)
    assert np.allclose([run["phi"][-1], run["phi_dot"][-1]], reference(speed), rtol=0, atol=2e-7)


def test_steps_end_at_the_cut_alone() -> None:
    """With 3 rad/s and more the cut is passed a few times; the other zeros of y are no reason for a short step."""
    plain = mb.simulate(rotor(3.0), duration=END, integrator=mb.RungeKutta4(step=0.005, every_step=True))
    turns = np.floor((plain["phi"] + np.pi) / (2 * np.pi))
    assert plain.statistics.steps <= END / 0.005 + 3 * (turns[-1] + 1)


def test_an_angle_that_is_marked_smooth_ends_no_steps() -> None:
    run = mb.simulate(rotor(3.0, mb.smooth), duration=END, integrator=mb.RungeKutta4(step=0.005))
    assert run.statistics.steps == round(END / 0.005)
    assert abs(run["phi"][-1] - reference(3.0)[0]) < 0.1


def test_a_smooth_angle_has_the_same_values() -> None:
    y, x = symbols("y x")
    marked, rng = mb.smooth(atan2(y, x)), np.random.default_rng(0)
    points = [*rng.normal(size=(50, 2)), (0.0, -1.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 0.0), (-1.0, -1.0)]
    for b, a in points:
        assert abs(evaluate([marked], {y: b, x: a})[0] - np.arctan2(b, a)) < 1e-15


def test_an_input_that_follows_an_angle_of_time() -> None:
    """u̇ = atan2(sin 2t, cos 2t) = 2t until π/2, then 2t - 2π: a speed of t² - 2π·(t - π/2) after the jump."""
    system = mb.System("cart")
    way = system.joint("x", system.world, system.body("cart", mass=1.0), "Tx")
    force = system.input("force")
    system.load(mb.JointLoad(way, force))
    t = system.time
    for integrator in INTEGRATORS:
        angle = atan2(sin(2 * t), cos(2 * t))
        run = mb.simulate(
            mb.derive(system), duration=3.0, samples=2, inputs={"force": angle}, integrator=integrator
        )  # fmt: skip
        assert abs(run["x_dot"][-1] - (9.0 - 2 * np.pi * (3.0 - np.pi / 2))) < 1e-8


def test_an_event_counts_the_jump_once() -> None:
    """φ = 2·t passes π, 3π and 5π in 8 s, where the angle jumps over zero, and 0, 2π and 4π, where it is zero."""
    system = mb.System("wheel")
    turn = system.joint("phi", system.world, system.body("wheel", mass=1.0, inertia=(1, 1, 1)), "Rz", q=-0.5, u=2.0)
    angle = turn.coordinate
    event = mb.Event(atan2(sin(angle), cos(angle)), name="zero")
    run = mb.simulate(mb.derive(system), duration=8.0, events=[event])
    assert np.allclose([one.t for one in run.occurrences], [(k * np.pi + 0.5) / 2 for k in range(5)], rtol=0, atol=1e-9)
