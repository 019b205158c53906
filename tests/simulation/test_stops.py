"""Stops of joints: on both sides, on joints that act on each other, and within loops; against closed forms."""

import numpy as np
import pytest
from scipy.integrate import quad
from tests.refusal import refused

import multibody as mb
from multibody.graph import less, maximum, sin, where
from multibody.simulation import Cvode, Ida, IndependentCoordinates, Status
from multibody.simulation.events.active_contacts import complementary


def stops(coordinate, low, high, restitution, name, rest=1e-6):
    """Stops on both sides of a coordinate."""
    return [
        mb.Impact(coordinate - low, restitution, rest, f"{name}_low"),
        mb.Impact(high - coordinate, restitution, rest, f"{name}_high"),
    ]


def times_of(run, name):
    """The times of an event."""
    return [one.t for one in run.occurrences if one.name == name]


def block(u=1.0, **given):
    """A block of 2 kg on a rail."""
    system = mb.System("rail", **given)
    return system, system.joint("x", system.world, system.body("block", 2.0), "Tx", u=u)


INTEGRATORS = [
    None, mb.DormandPrince5(), Ida(), mb.RungeKutta4(step=0.01), Cvode(), mb.SemiImplicitEuler(step=0.01),
    mb.ScipySolver(method="Radau"),
]  # fmt: skip


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=repr)
def test_a_block_between_two_walls(integrator):
    """Walls at ±1 m, 4 m/s, e = 1/2: flights of 1/4, then 2/2, 2/1, 2/0.5 s; energy falls by 1/4 at each."""
    system, slide = block(4.0)
    run = mb.simulate(
        mb.derive(system), 8.0, events=stops(slide.coordinate, -1, 1, 0.5, "x"), integrator=integrator, samples=81
    )
    assert run.status is Status.DONE
    assert times_of(run, "x_high") == pytest.approx([0.25, 3.25], abs=1e-9)
    assert times_of(run, "x_low") == pytest.approx([1.25, 7.25], abs=1e-9)
    assert run["x"][-1] == pytest.approx(-1 + 0.75 * 0.25, abs=1e-8)
    assert run["dissipated"][-1] == pytest.approx(16 * (1 - 4.0**-4), rel=1e-9)
    assert run.energy_drift < 1e-9


def test_a_pendulum_between_two_stops():
    """Speeds at the stops by energy: e = 1, so that it goes back and forth with one period, by quadrature."""
    system = mb.System("swing", gravity=(0, -9.81, 0))
    rod = system.body("rod", 1.0, (0.5, 0, 0), mb.diag(0, 1 / 12, 1 / 12))
    hinge = system.joint("a", system.world, rod, "Rz", q=-np.pi / 2, u=4.0)
    run = mb.simulate(
        mb.derive(system), 3.0, events=stops(hinge.coordinate, -np.pi / 2 - 0.4, -np.pi / 2 + 0.6, 1.0, "a")
    )

    def rate(angle):
        return np.sqrt(16 - 3 * 9.81 * (1 - np.cos(angle)))

    right, left = (quad(lambda x: 1 / rate(x), 0, end)[0] for end in (0.6, 0.4))
    expected = np.arange(0, 3, 2 * (left + right)) + right
    assert times_of(run, "a_high") == pytest.approx(expected[expected < 3], abs=1e-6)
    assert run.energy_drift < 1e-7


def arm(**given):
    """Two rods of 1 m and 1 kg, straight, in a plane without gravity."""
    system = mb.System("arm", **given)
    rods = [system.body(name, 1.0, (0.5, 0, 0), mb.diag(0, 1 / 12, 1 / 12)) for name in ("upper", "lower")]
    elbow = rods[0].frame("elbow", (1, 0, 0))
    joints = [system.joint("a", system.world, rods[0], "Rz", u=1.0), system.joint("b", elbow, rods[1], "Rz", u=2.0)]
    return system, joints


def test_a_blow_at_the_elbow_of_an_arm():
    """M·Δu = Wᵀ·Λ with W = (0, -1), and -e times the rate; M of two rods by hand."""
    system, (_, elbow) = arm()
    restitution, limit = 0.6, 0.3
    run = mb.simulate(
        mb.derive(system), 0.3, events=stops(elbow.coordinate, -limit, limit, restitution, "b"), samples=301
    )
    hit = run.occurrences[0]
    place = int(np.searchsorted(run.t, hit.t))
    before, after = run.u[place], run.u[place + 1]
    assert run.t[place] == run.t[place + 1] == hit.t
    m12 = 1 / 3 + np.cos(limit) / 2
    M = np.array([[1 / 3 + 1 + 1 / 3 + np.cos(limit), m12], [m12, 1 / 3]])
    impulse = M @ (after - before)
    assert impulse[0] == pytest.approx(0, abs=1e-9)
    assert impulse[1] < 0
    assert after[1] == pytest.approx(-restitution * before[1], rel=1e-9)
    assert after @ M @ after < before @ M @ before
    assert run.energy_drift < 1e-8


@pytest.mark.parametrize("integrator", [None, mb.RungeKutta4(step=0.01), Cvode()], ids=repr)
def test_a_stop_that_is_left_and_the_other_one(integrator):
    """A force presses a block against a stop until 1 s, then pulls it off: 1 m with 1 m/s² takes √2 s."""
    system, slide = block(0.0)
    system.load(mb.JointLoad(slide, system.input("push")))
    eom = mb.derive(system)
    law = where(less(eom.model.time, 1), -4, 2)
    run = mb.simulate(
        eom, 3.0, events=stops(slide.coordinate, 0, 1, 0.0, "x"), inputs={"push": law}, integrator=integrator
    )
    assert times_of(run, "x_high") == pytest.approx([1 + np.sqrt(2)], abs=1e-6)
    assert run["x_low_pushes"][np.abs(run.t - 0.5).argmin()] == 1
    assert run["x_low_rests"][-1] == run["x_low_pushes"][-1] == 0
    assert run["x_high_rests"][-1] == run["x_high_pushes"][-1] == 1
    assert run["x"][-1] == pytest.approx(1, abs=1e-8)


def pile(restitution=0.3, masses=(2.0, 1.0, 0.5)):
    """Blocks on each other by prismatic joints in series, each with a floor on the one below."""
    system = mb.System("pile", gravity=(0, 0, -10))
    below, contacts = system.world, []
    for k, mass in enumerate(masses):
        body = system.body(f"block{k}", mass)
        joint = system.joint(f"z{k}", below, body, "Tz", q=0.1 + 0.1 * k)
        contacts.append(mb.Impact(joint.coordinate, restitution, 1e-4, f"floor{k}"))
        below = body
    return system, contacts


def test_blocks_on_each_other_rest_together():
    """All rest and push in the end; what was lost is the potential energy."""
    system, contacts = pile()
    run = mb.simulate(mb.derive(system), 3.0, events=contacts)
    assert [run[f"floor{k}_{does}"][-1] for k in range(3) for does in ("rests", "pushes")] == [1] * 6
    assert run.q[-1] == pytest.approx([0, 0, 0], abs=1e-8)
    assert run.u[-1] == pytest.approx([0, 0, 0], abs=1e-8)
    assert run["dissipated"][-1] == pytest.approx(10 * (2 * 0.1 + 1 * 0.3 + 0.5 * 0.6), rel=1e-6)


def test_a_recorded_run_knows_which_contacts_push(tmp_path):
    """From a file and for a run that goes on."""
    system, contacts = pile()
    eom = mb.derive(system)
    run = mb.simulate(eom, 2.0, events=contacts, samples=21)
    run.save(tmp_path / "run.npz")
    again = mb.Trajectory.read(tmp_path / "run.npz", eom, events=contacts)
    assert np.array_equal(again["floor2_pushes"], run["floor2_pushes"])
    assert run["floor2_pushes"][-1] == 1
    assert again.accelerations[-1] == pytest.approx([0, 0, 0], abs=1e-8)


def test_forces_of_contacts_that_act_on_each_other():
    """Blocks of 2, 1 and 1/2 kg: forces 35, 15 and 5 N, from M⁻¹ of relative coordinates."""
    masses = np.array([2.0, 1.0, 0.5])
    M = np.array([[masses[max(i, j) :].sum() for j in range(3)] for i in range(3)])
    inverse = np.linalg.inv(M)
    assert complementary(inverse, inverse @ [-35.0, -15.0, -5.0]) == pytest.approx([35, 15, 5])
    assert complementary(inverse, inverse @ [-35.0, 15.0, 5.0])[1:] == pytest.approx([0, 0])
    both = np.array([[1.0, -1.0], [-1.0, 1.0]])  # two stops on one joint
    assert complementary(both, np.array([-3.0, 3.0])) == pytest.approx([3, 0])


def test_an_upper_block_is_lifted():
    """Of two blocks that rest on each other the upper one is lifted off where the force exceeds its weight of 10 N."""
    system = mb.System("pile", gravity=(0, 0, -10))
    low, high = system.body("low", 2.0), system.body("high", 1.0)
    z = system.joint("z", system.world, low, "Tz")
    w = system.joint("w", low, high, "Tz")
    lift = system.input("lift")
    system.load(mb.JointLoad(w, lift))
    eom = mb.derive(system)
    contacts = [mb.Impact(z.coordinate, 0, 1e-4, "floor"), mb.Impact(w.coordinate, 0, 1e-4, "between")]
    law = maximum(0, 20 * eom.model.time - 5)
    run = mb.simulate(eom, 1.0, events=contacts, inputs={"lift": law})
    assert run["w"][-1] == pytest.approx(20 * 0.25**3 / 6, abs=1e-7)  # from 0.75 s on
    assert run["z"][-1] == pytest.approx(0, abs=1e-9)
    assert run["floor_rests"][-1] == run["floor_pushes"][-1] == 1
    assert run["between_rests"][-1] == run["between_pushes"][-1] == 0


@pytest.mark.parametrize(
    ("handling", "integrator"),
    [
        (mb.Multipliers(), None),
        (mb.IndependentSpeeds(), None),
        (mb.Multipliers(), Ida(rtol=1e-8)),
        (mb.Multipliers(), IndependentCoordinates()),
    ],
    ids=repr,
)
def test_a_stop_on_the_driven_side_of_gears(handling, integrator):
    """b = -a/2, wheels of 1 and 4 kg·m², so that 1 + 4/4 = 2 kg·m² act at a; b stops at -1, e = 1/2."""
    gears = mb.System("gears")
    inertia = {"a": 1.0, "b": 4.0}
    a, b = (
        gears.joint(n, gears.world, gears.body(f"{n}_wheel", 1, (0, 0, 0), mb.diag(1, 1, inertia[n])), "Rz")
        for n in "ab"
    )
    gears.constraint(a.coordinate + 2 * b.coordinate, name="mesh")
    gears.load(mb.JointLoad(a, 4.0))  # 2 rad/s²
    contacts = stops(b.coordinate, -1, 1, 0.5, "b", 1e-4)
    run = mb.simulate(mb.derive(gears, constraints=handling), 6.0, events=contacts, integrator=integrator)
    first = np.sqrt(2.0)  # a = t² = 2
    assert times_of(run, "b_low")[:3] == pytest.approx(first * np.array([1, 2, 2.5]), abs=1e-6)
    assert run["b_low_rests"][-1] == 1
    assert [run["a"][-1], run["b"][-1]] == pytest.approx([2, -1], abs=1e-8)
    assert run["dissipated"][-1] == pytest.approx(0, abs=1e-6)  # the 8 J of impacts, less those of the torque
    assert run.multipliers[[0, -1], 0] == pytest.approx([-2, -4], rel=1e-6)  # the torque that accelerates, or holds b
    assert run.energy_drift < 1e-7


@pytest.mark.parametrize("handling", [mb.Multipliers(), mb.IndependentSpeeds()], ids=repr)
def test_a_stop_on_a_joint_of_a_parallel_linkage(handling):
    """Two equal cranks and a level coupler move as a pendulum; the stop on the second crank also stops the first."""
    system = mb.System("parallel", gravity=(0, -9.81, 0), recognise_loops=False)
    one, two = (system.body(n, 1.0, (0.5, 0, 0), mb.diag(0, 1 / 12, 1 / 12)) for n in ("one", "two"))
    coupler = system.body("coupler", 2.0, (1.0, 0, 0), mb.diag(0, 1, 1))
    ground = system.world.frame("ground", (2, 0, 0))
    start = -np.pi / 2 + 0.8
    system.joint("a", system.world, one, "Rz", q=start)
    b = system.joint("b", ground, two, "Rz", q=start)
    system.joint("c", one.frame("tip", (1, 0, 0)), coupler, "Rz", q=-start)
    system.joint("d", coupler.frame("end", (2, 0, 0)), two.frame("other_tip", (1, 0, 0)), "Rz", q=start)
    limit = -np.pi / 2 - 0.1
    eom = mb.derive(system, constraints=handling)
    run = mb.simulate(eom, 1.0, events=stops(b.coordinate, limit, 0.5, 0.5, "b"))
    assert run.status is Status.DONE
    inertia, weight = 2 / 3 + 2.0, 9.81 * (1.0 + 2.0)  # of θ from straight down: both cranks and the coupler
    speed = np.sqrt(2 * weight * (np.cos(0.1) - np.cos(0.8)) / inertia)
    place = int(np.searchsorted(run.t, run.occurrences[0].t))
    assert run["a_dot"][place] == pytest.approx(-speed, rel=1e-6)
    assert run["a_dot"][place + 1] == pytest.approx(speed / 2, rel=1e-6)
    assert run["b_dot"][place + 1] == pytest.approx(speed / 2, rel=1e-6)
    assert run["dissipated"][place + 1] == pytest.approx(inertia * speed**2 / 2 * 0.75, rel=1e-6)


# stops that are passed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=repr)
def test_a_stop_that_is_passed_is_named(integrator):
    """A contact that must not rest cannot hold what is pressed against it."""
    system = mb.System("ball", gravity=(0, 0, -10))
    fall = system.joint("z", system.world, system.body("ball", 1.0), "Tz", q=0.2)
    floor = mb.Impact(fall.coordinate, 0.0, rest=0.0, name="floor")
    run = mb.simulate(mb.derive(system), 1.0, events=[floor], integrator=integrator, on_failure="return")
    assert run.status is Status.STOP_PASSED
    assert not run.status.ok
    assert "'floor'" in run.message
    assert run["z"].min() > -1e-6


def test_a_sweep_counts_stops_that_are_passed():
    """In each of its runs."""
    system = mb.System("ball", gravity=(0, 0, -10))
    fall = system.joint("z", system.world, system.body("ball", system.parameter("mass", 1.0)), "Tz", q=0.2)
    floor = mb.Impact(fall.coordinate, 0.0, rest=0.0, name="floor")
    found = mb.sweep(mb.derive(system), 1.0, parameters={"mass": [1.0, 2.0]}, events=[floor], samples=5)
    assert [run.status for run in found] == [Status.STOP_PASSED] * 2


def test_stops_without_space_between_them():
    """A block that is held between two stops does not move, whichever way it is pushed."""
    system, slide = block(0.0)
    system.load(mb.JointLoad(slide, sin(system.time)))
    run = mb.simulate(mb.derive(system), 8.0, events=stops(slide.coordinate, 0, 0, 1.0, "x"))
    assert np.abs(run["x"]).max() < 1e-8
    assert run["x_low_pushes"].max() == run["x_high_pushes"].max() == 1


def test_a_block_in_a_closing_gap_stops_the_run():
    """Two stops that move towards each other leave no space: the run fails, and names one of them."""
    system, slide = block(0.0)
    t = system.time
    run = mb.simulate(
        mb.derive(system), 3.0, events=stops(slide.coordinate, t / 2 - 1, 1 - t / 2, 0.0, "x", 1e-3),
        on_failure="return",
    )  # fmt: skip
    assert not run.status.ok


# stops that move -----------------------------------------------------------------------------------------------------


def test_a_wall_that_moves_does_work():
    """2 kg at rest are hit at 1 m/s with e = 1/2: 1.5 m/s and 3 N·s; 3 J go in, 2.25 J stay, 0.75 J are lost."""
    system, slide = block(0.0)
    wall = mb.Impact(slide.coordinate + 1 - system.time, 0.5, name="wall")
    run = mb.simulate(mb.derive(system), 2.0, events=wall)
    assert times_of(run, "wall") == pytest.approx([1.0], abs=1e-9)
    assert run["x_dot"][-1] == pytest.approx(1.5, rel=1e-9)
    assert [run["work_of_drives"][-1], run["dissipated"][-1]] == pytest.approx([3.0, 0.75], rel=1e-9)
    assert run.energy_drift < 1e-9


@pytest.mark.parametrize("integrator", [None, Ida(rtol=1e-9)], ids=repr)
def test_a_wall_that_pushes_on(integrator):
    """A block rests on a wall at t²/2: in the end it has 2·2²/2 = 4 J from it."""
    system, slide = block(0.0)
    wall = mb.Impact(slide.coordinate - system.time**2 / 2, name="wall")
    run = mb.simulate(mb.derive(system), 2.0, events=wall, integrator=integrator)
    assert len(run.occurrences) == 1
    assert run["x"][-1] == pytest.approx(2.0, abs=1e-7)
    assert run["work_of_drives"][-1] == pytest.approx(4.0, rel=1e-6)
    assert run.energy_drift < 1e-6


def small_block(q, u):
    """A block on a rail that begins at q with speed u."""
    system = mb.System("small")
    slide = system.joint("x", system.world, system.body("block", 1e-9), "Tx", q=q, u=u)
    return mb.derive(system), slide.coordinate


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=repr)
@pytest.mark.parametrize(("size", "times"), [(1e-6, 1.0), (1e-9, 1e4)])
def test_stops_of_micrometers_and_nanometers(integrator, size, times):
    """What counts as a closed gap follows the travel: 0.5 size before the stop with a speed of size per second."""
    eom, x = small_block(0.5 * size, -size)
    if times > 1 and getattr(integrator, "step", None):
        integrator = type(integrator)(step=integrator.step * times / 10)
    run = mb.simulate(eom, 2 * times, events=[mb.Impact(x, 1.0, 0.0, "floor")], integrator=integrator)
    assert times_of(run, "floor") == pytest.approx([0.5], abs=1e-6)
    assert run["x"][-1] == pytest.approx((2 * times - 0.5) * size, rel=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=repr)
@pytest.mark.parametrize("size", [1e3, 1e6])
def test_stops_that_are_far_apart(integrator, size):
    """An impact at 3e6 m/s is located 1e-12 s late, some micrometers behind the wall: no stop was passed."""
    system, slide = block(3.0 * size)
    walls = stops(slide.coordinate, -size, size, 0.8, "x")
    run = mb.simulate(mb.derive(system), 3.0, events=walls, integrator=integrator, samples=31)
    first, second = 1 / 3, 1 / 3 + 2 / 2.4
    assert times_of(run, "x_high") == pytest.approx([first, second + 2 / 1.92], abs=1e-6)
    assert times_of(run, "x_low") == pytest.approx([second], abs=1e-6)
    assert run["x_dot"][-1] / size == pytest.approx(-3 * 0.8**3, rel=1e-6)


def test_gaps_that_are_too_small_for_the_unit_of_length_are_refused():
    eom, x = small_block(0.5e-9, -1e-9)
    with refused("gap-too-small", "floor"):
        mb.simulate(eom, 2.0, events=[mb.Impact(x, 1.0, 0.0, "floor")])


def test_an_overlap_is_measured_by_the_travel_of_its_gap():
    """Half a micrometer is not rounding where a body travels two."""
    eom, x = small_block(-0.5e-6, 1e-6)
    with refused("bodies-overlap", "floor"):
        mb.simulate(eom, 2.0, events=[mb.Impact(x, 1.0, 0.0, "floor")])
    eom, x = small_block(-0.5e-6, 1.0)
    assert mb.simulate(eom, 2.0, events=[mb.Impact(x, 1.0, 0.0, "floor")])["x"][-1] == pytest.approx(2.0, abs=1e-5)
