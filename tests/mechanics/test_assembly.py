"""Closing loops from rough guesses, keeping what is fixed, and saying why if it cannot be done."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import AssemblyError
from multibody.testing.random_loops import random_loops

LENGTHS = {"crank": 0.3, "rod": 1.0, "rocker": 0.8}


def four_bar(far=0.9, **lengths):
    system = mb.System("four_bar", gravity=(0, -9.81, 0))
    sizes = LENGTHS | lengths
    rods = {name: system.body(name, l, (l / 2, 0, 0), (0, 0, l**3 / 12)) for name, l in sizes.items()}
    ends = {name: rods[name].frame(name + "_end", (l, 0, 0)) for name, l in sizes.items()}
    system.joint("drive", system.world, rods["crank"], "Rz", q=1.0)
    system.joint("knee", ends["crank"], rods["rod"], "Rz")
    system.joint("swing", system.frame("bearing", (far, 0, 0)), rods["rocker"], "Rz", q=1.5)
    system.joint("pin", ends["rod"], ends["rocker"], "Rz")
    return system


def derived(system):
    return mb.derive(system, mb.Recursive(), constraints=mb.Multipliers())


def test_what_is_fixed_stays_and_the_loop_closes():
    eom = derived(four_bar())
    state = eom.consistent(q={"drive": 0.8}, u={"drive_dot": 2.0}, fixed=["drive", "drive_dot"])
    assert (state["drive"], state["drive_dot"]) == (0.8, 2.0)
    gaps = eom.constraint_residuals(0.0, state.q, state.u, [], [])
    assert np.abs(gaps.position).max() < 1e-12
    assert np.abs(gaps.velocity).max() < 1e-12
    tip = 0.3 * np.exp(0.8j) + np.exp(1j * (0.8 + state["knee"]))
    assert abs(tip - (0.9 + 0.8 * np.exp(1j * state["swing"]))) < 1e-12


def on_a_rope(length, *starts):
    """Two weights that move freely in space, with a rope between them."""
    system = mb.System("tethered")
    one, other = (system.body(name, 1.0) for name in ("one", "other"))
    for body, start in zip((one, other), starts, strict=True):
        system.joint(f"p_{body.name}", system.world, body, ["Tx", "Ty"], q=start)
    system.constraint(mb.DistanceConstraint(one, other, length), name="rope")
    return system


def test_large_mechanisms_start_from_guesses_that_are_rough_in_proportion():
    state = mb.derive(on_a_rope(200.0, (0, 0), (3.0, -90.0))).consistent()
    assert np.hypot(*(state.q[2:] - state.q[:2])) == pytest.approx(200.0, rel=1e-14)


def test_satellites_on_a_tether_are_closed_as_far_as_their_coordinates_have_digits():
    """A metre is known to 1e-9 m at seven million of them; the run keeps the rope, which turns by u/L·t."""
    system = on_a_rope(1000.0, (6.687e6, 2.069e6), (6.688e6, 2.0691e6))
    system.start(p_one_tx_dot=7000.0, p_other_tx_dot=7000.0, p_one_ty_dot=5.0)
    run = mb.simulate(mb.derive(system), duration=50.0)
    assert run.status.ok
    places = run.q[:, 2:] - run.q[:, :2]
    np.testing.assert_allclose(np.hypot(*places.T), 1000.0, atol=1e-8)
    turned = np.unwrap(np.arctan2(places[:, 1], places[:, 0]))
    np.testing.assert_allclose(turned - turned[0], (turned[1] - turned[0]) / run.t[1] * run.t, atol=1e-8)


def test_both_ways_to_assemble_a_four_bar():
    modes = derived(four_bar()).assembly_modes(fixed=["drive"], q={"drive": 0.8})
    assert len(modes) == 2
    diagonal = 0.9 - 0.3 * np.exp(0.8j)  # from the knee to the bearing: the rods are mirrored in it
    ends = [0.3 * np.exp(0.8j) + np.exp(1j * (0.8 + q[1])) for q in modes]
    seen = [((end - 0.3 * np.exp(0.8j)) / diagonal) for end in ends]
    assert seen[0].real == pytest.approx(seen[1].real)
    assert seen[0].imag == pytest.approx(-seen[1].imag)


def peaucelier(long=0.5, side=0.2, crank=0.2, turned=0.3):
    """Arms from the world to C and D, a rhombus BCPD, and a crank that leads B on a circle through the world.

    The angles at C and D are written, those at B are not, and the loops are closed at C and D. If zero were as good a
    guess as what is written, the rhombus would close folded, with C on D, where it has a freedom of its own.
    """
    system = mb.System("peaucelier", gravity=(0, -9.81, 0))

    def rod(name, l):
        return system.body(name, 0.2, (l / 2, 0, 0), (0, 1e-3, 1e-3))

    B = crank * (1 + np.exp(1j * turned))
    opening = np.arccos((long**2 + abs(B) ** 2 - side**2) / (2 * long * abs(B)))
    angles = {"c": np.angle(B) + opening, "d": np.angle(B) - opening}
    C, D = (long * np.exp(1j * angle) for angle in angles.values())
    driven, arms = rod("crank", crank), {name: rod(f"arm_{name}", long) for name in angles}
    system.joint("turn", system.frame("bearing", (crank, 0, 0)), driven, "Rz", q=turned)
    for name, angle in angles.items():
        system.joint(f"arm_{name}_turn", system.world, arms[name], "Rz", q=angle)
    ends = {}
    for name, near, far in (("c", B - C, D - B), ("d", B - D, C - B)):  # P - C = D - B
        tip = arms[name].frame(f"tip_{name}", (long, 0, 0))
        for kind, side_at in (("far", far), ("near", near)):
            bar = rod(f"{kind}_{name}", side)
            system.joint(f"{kind}_{name}_turn", tip, bar, "Rz", q=np.angle(side_at) - angles[name], cut=kind == "near")
            ends[kind, name] = bar.frame(f"end_{kind}_{name}", (side, 0, 0))
    pin = driven.frame("pin", (crank, 0, 0))
    system.joint("pen", ends["far", "c"], ends["far", "d"], "Rz")
    system.joint("pin_c", pin, ends["near", "c"], "Rz")
    system.joint("pin_d", pin, ends["near", "d"], "Rz")
    system.sensor("place", mb.Position(ends["far", "c"]))
    return system


def test_freedom_is_counted_where_runs_start():
    system = peaucelier()
    analysis = system.analyse()
    assert (analysis.mobility, analysis.generic, analysis.singular) == (1, 1, False)
    eom = mb.derive(system)
    state = eom.consistent()
    x = eom.sensors(0.0, state.q, state.u, [], [])[0]
    assert x == pytest.approx((0.5**2 - 0.2**2) / (2 * 0.2))  # P and B are inverse: |OP|·|OB| = long² - side²


def test_a_loop_that_cannot_close_is_named_with_its_gap():
    with pytest.raises(AssemblyError) as caught:
        derived(four_bar(far=5.0)).consistent()
    assert "'pin' by" in caught.value.what
    assert "drive=" in caught.value.remedy
    gap = float(caught.value.what.split(" by ")[1].rstrip("."))
    assert gap == pytest.approx(5.0 - 0.3 - 1.0 - 0.8, rel=0.05)


def test_too_much_is_held():
    with refused("loop-cannot-close", "pin") as caught:
        derived(four_bar()).consistent(q={"drive": 0.8, "knee": 0.0, "swing": 0.0}, fixed=["drive", "knee", "swing"])
    assert "drive, knee, swing" in caught.value.cause


def test_speeds_that_are_held_and_do_not_fit():
    with refused("speeds-cannot-keep-constraints"):
        derived(four_bar()).consistent(u={"drive_dot": 1.0, "swing_dot": 9.0}, fixed=["drive_dot", "swing_dot"])


def test_names_and_sizes_are_checked():
    eom = derived(four_bar())
    with refused("start-value-unknown", "driver") as caught:
        eom.consistent(q={"driver": 1.0})
    assert "drive, knee, swing" in caught.value.remedy
    with refused("start-value-invalid"):
        eom.consistent(q=[1.0, 2.0])


@pytest.mark.parametrize("seed", range(6))
def test_random_loops_close_from_a_disturbed_start(seed):
    eom = derived(random_loops(seed, 4, 2))
    rng = np.random.default_rng(seed)
    exact = eom.consistent()
    rough = exact.q + 0.05 * rng.normal(size=len(exact.q))
    state = eom.consistent(q=rough, u=rng.normal(size=len(exact.u)))
    gaps = eom.constraint_residuals(0.0, state.q, state.u, [], [])
    assert np.abs(gaps.position).max(initial=0) < 1e-11
    assert np.abs(gaps.velocity).max(initial=0) < 1e-10
    for places in eom.model.quaternions:
        assert np.linalg.norm(state.q[places]) == pytest.approx(1.0, abs=1e-12)


def test_mobility_by_counting_and_by_rank():
    found = four_bar().analyse()
    assert (found.grubler, found.generic, found.mobility) == (-2, 1, 1)
    assert found.redundant == ("pin_fz", "pin_tx", "pin_ty")
    assert not found.singular
    assert "1 near the start" in str(found)


def test_a_flat_parallelogram_is_singular():
    system = four_bar(far=1.0, crank=0.5, rod=1.0, rocker=0.5)
    system.start(drive=0.0, knee=0.0, swing=0.0)
    found = system.analyse()
    assert (found.mobility, found.singular) == (1, True)
    eom = derived(system)
    assert eom.margin({"drive": 0.0, "knee": 0.0, "swing": 0.0}) < 1e-12
    assert eom.margin(eom.consistent(q={"drive": 1.0}, fixed=["drive"]).q) > 0.05
    flat = eom.robust_dynamics(0.0, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [], [])
    assert flat.freedom == 2


def test_independent_speeds_that_become_useless_are_noticed():
    """At a dead point of the rocker the crank no longer follows from it."""
    system = four_bar()
    eom = mb.derive(system, mb.Recursive(), constraints=mb.IndependentSpeeds("swing_dot"))
    dead = np.arccos((0.9**2 + 1.3**2 - 0.8**2) / (2 * 0.9 * 1.3))  # crank and rod in one line
    at_dead_point = eom.consistent(q={"drive": dead, "knee": 0.0, "swing": 2.0}, fixed=["drive", "knee"])
    elsewhere = eom.consistent(q={"drive": dead + 1.0}, fixed=["drive"])
    assert eom.margin(at_dead_point.q) < 1e-9
    assert eom.margin(elsewhere.q) > 1e-3


def test_contradictions_and_impossible_equations_are_errors():
    system = mb.System("stuck")
    particle = system.particle("p", 1)
    system.joint("x", system.frame("up", (0, 0, 1)), particle, "Tx")
    system.constraint(mb.PointOnPlane(system.world, particle), name="floor")
    with refused("constraint-cannot-hold"):
        mb.derive(system)
    driven = mb.System("driven")
    wheels = [driven.joint(n, driven.world, driven.body(n + "_w", 1, (0, 0, 0), (1, 1, 1)), "Rz") for n in "ab"]
    driven.constraint(wheels[0].coordinate - driven.time, name="slow")
    driven.constraint(wheels[0].coordinate - 2 * driven.time, name="fast")
    with refused("constraints-contradict"):
        mb.derive(driven)


def test_what_follows_in_closed_form_cannot_be_given_and_the_error_says_so():
    eom = mb.derive(four_bar())
    with refused("start-value-dependent", "knee"):
        eom.consistent(q={"knee": 1.0})


def test_a_loop_that_stays_open_names_the_inputs_that_its_lengths_follow():
    lever = mb.System("lever")
    arm, rod = (lever.body(name, 1, (0.5, 0, 0), (1, 1, 1)) for name in ("arm", "rod"))
    lever.joint("angle", lever.world, arm, "Rz", q=0.5)
    lever.joint("swing", lever.frame("foot", (1, -0.5, 0)), lever.body("barrel", 1, (0, 0, 0), (1, 1, 1)), "Rz", q=1.2)
    lever.joint("length", lever["barrel"], rod, "Tx", prescribed=lever.input("stroke"))
    lever.joint("eye", rod, arm.frame("tip", (2, 0, 0)), "Rz")
    eom = mb.derive(lever)
    assert eom.consistent(inputs={"stroke": 1.5})["angle"] > 0.0
    with refused("loop-cannot-close"):
        eom.consistent(inputs={"stroke": 0.1})


def test_start_values_that_were_given_are_kept_and_the_others_follow():
    """A slider-crank of which only the crank's angle and speed are given; both of them stay."""
    system = mb.System("press", recognise_loops=False)
    crank, rod, ram = (system.body(name, 1.0, (0.5, 0, 0), (0, 0, 0.1)) for name in ("crank", "rod", "ram"))
    system.joint("angle", system.world, crank, "Rz", q=0.7, u=6.0)
    system.joint("elbow", crank.frame("pin", (1, 0, 0)), rod, "Rz")
    system.joint("stroke", system.world, ram, "Tx")
    system.joint("wrist", rod.frame("end", (3, 0, 0)), ram, "Rz", cut=True)
    state = mb.derive(system).consistent()
    assert (state["angle"], state["angle_dot"]) == (0.7, 6.0)
    assert state["stroke"] == pytest.approx(np.cos(0.7) + np.sqrt(9 - np.sin(0.7) ** 2))
    slope = -np.sin(0.7) - np.sin(0.7) * np.cos(0.7) / np.sqrt(9 - np.sin(0.7) ** 2)
    assert state["stroke_dot"] == pytest.approx(6.0 * slope)
