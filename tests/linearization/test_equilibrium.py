"""Equilibria and steady motions against closed forms, statics by hand, and runs that stay where they start."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import EquilibriumError
from multibody.graph import exp, sign, sqrt
from multibody.linearization import equilibria, equilibrium, linearize
from multibody.linearization.trim.newton import Trim
from multibody.linearization.trim.random_starts import all_solved
from multibody.linearization.trim.steady_states import _search
from multibody.testing import random_tree

G = 9.81


def pendulum(com=(0, 0, -0.5), damping=0.0):
    arm = mb.System("arm", gravity=(0, 0, -G))
    (m,) = arm.parameters(m=2.0)
    hinge = arm.joint("angle", arm.world, arm.body("bob", m, com), "Ry")
    arm.load(mb.JointLoad(hinge, arm.input("M")))
    arm.load(mb.JointDamper(hinge, damping))
    return mb.derive(arm)


def test_a_pendulum_hangs_or_stands():
    found = equilibria(pendulum(damping=0.1))
    assert [one["angle"] for one in found] == pytest.approx([0.0, np.pi], abs=1e-12)
    assert [one.stability for one in found] == ["stable", "unstable"]
    assert found[1].poles[0].real == pytest.approx((-0.1 + np.sqrt(0.01 + 16 * G / 0.5 / 4 * 0.25)) / 1.0, rel=1e-9)
    assert all(one.residual < 1e-12 and one.freedom == 0 for one in found)


def test_without_damping_it_is_marginal():
    assert equilibrium(pendulum()).stability == "marginal"


def test_a_motor_holds_an_arm():
    held = equilibrium(pendulum(), fixed={"angle": 1.0}, free=["M"])
    assert held["M"] == pytest.approx(2 * G * 0.5 * np.sin(1.0), rel=1e-14)
    assert held.inputs == {"M": held["M"]}


def test_a_mass_is_found_that_balances_a_moment():
    found = equilibrium(pendulum(), fixed={"angle": np.pi / 2, "M": 7.0}, free=["m"])
    assert found["m"] == pytest.approx(7.0 / (G * 0.5), rel=1e-14)


def test_two_angles_for_one_moment():
    found = equilibria(pendulum(), at={"M": 5.0})
    angle = np.arcsin(5.0 / (2 * G * 0.5))
    assert [one["angle"] for one in found] == pytest.approx([angle, np.pi - angle], abs=1e-12)


def test_a_moment_that_no_angle_balances_is_told():
    with pytest.raises(EquilibriumError) as error:
        equilibrium(pendulum(), at={"M": 12.0})
    assert "the balance of forces along 'angle_dot' is -2.19" in str(error.value)  # 12 N·m - 9.81 N·m, at its best
    assert "angle=1.57" in str(error.value)


@pytest.mark.parametrize("how", [mb.Multipliers(), None])
def test_porters_governor(how):
    """The balls are h = (1 + M/m)·g/ω² below the hinges."""
    ball, sleeve, length, spin = 1.0, 2.0, 0.4, 10.0
    system = mb.System("governor", gravity=(0, 0, -G))
    shaft = system.body("shaft", 3.0, inertia=(0.01, 0.01, 0.02))
    ring = system.body("ring", sleeve, inertia=(1e-3, 1e-3, 1e-3))
    system.joint("turn", system.world, shaft, "Rz")
    system.joint("lift", shaft, ring, "Tz", q=-0.6)
    for side, axis in ("left", "y"), ("right", "-y"):
        arm = system.body(side, ball, com=(0, 0, -length))
        system.joint(f"{side}_angle", shaft, arm, mb.Revolute(axis), q=0.7)
        system.constraint(mb.DistanceConstraint(arm.frame(f"{side}_ball", (0, 0, -length)), ring, length))
    eom = mb.derive(system) if how is None else mb.derive(system, constraints=how)
    found = equilibrium(eom, fixed={"turn_dot": spin}, moving=["turn"])
    height = (1 + sleeve / ball) * G / spin**2
    assert length * np.cos(found["left_angle"]) == pytest.approx(height, rel=1e-12)
    assert found["lift"] == pytest.approx(-2 * height, rel=1e-12)
    for force in found.multipliers.values():  # each link carries half of the sleeve
        assert abs(force) == pytest.approx(sleeve * G / 2 / np.cos(found["left_angle"]), rel=1e-10)


def conical():
    """A bob on a rod that swings out of a shaft which turns freely."""
    system = mb.System("conical", gravity=(0, 0, -G))
    shaft = system.body("shaft", 1.0, inertia=(0.1, 0.1, 0.2))
    system.joint("turn", system.world, shaft, "Rz", u=6.0)
    system.joint("angle", shaft, system.body("bob", 1.0, com=(0, 0, -0.5)), "Ry", q=0.8)
    return mb.derive(system)


def test_the_conical_pendulum():
    """cos φ = g/(l·ω²); and hanging down turns unstable at ω² = g/l."""
    found = equilibria(conical(), fixed={"turn_dot": 6.0}, moving=["turn"])
    angles = sorted(one["angle"] for one in found)
    tilt = np.arccos(G / (0.5 * 36.0))
    assert angles == pytest.approx([-tilt, 0.0, tilt, np.pi], abs=1e-9)
    hanging = min(found, key=lambda one: abs(one["angle"]))
    assert hanging.stability == "unstable"
    slow = equilibrium(conical(), fixed={"turn_dot": 4.0}, at={"angle": 0.1}, moving=["turn"])
    assert slow["angle"] == pytest.approx(0.0, abs=1e-12)
    assert slow.stability == "marginal"


def test_a_steady_motion_goes_on():
    eom = conical()
    found = equilibrium(eom, fixed={"turn_dot": 6.0}, moving=["turn"])
    run = mb.simulate(eom, duration=5.0, q={"angle": found["angle"]}, u={"turn_dot": 6.0, "angle_dot": 0.0})
    assert abs(run["angle"] - found["angle"]).max() < 1e-7


def test_a_speed_that_is_fixed_but_not_moving_is_told():
    with pytest.raises(EquilibriumError) as error:
        equilibrium(conical(), fixed={"turn_dot": 6.0})
    assert "the rate of 'turn' is 6" in str(error.value)
    assert "moving" in error.value.remedy


def test_a_rolling_disc_in_a_circle():
    """Ω² = g·cot α/(a·cos α/4 + 3·b/2), with the inclination α and the centre on a circle of radius b."""
    mass, a, alpha, b = 2.0, 0.3, 1.1, 0.8
    table = mb.System("table", gravity=(0, 0, -G))
    disc = table.body("disc", mass, inertia=mb.diag(*(np.array([1, 2, 1]) * mass * a**2 / 4)))
    table.joint("p", table.world, disc, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"])
    table.constraint(mb.RollingDisc(table.world, disc, a), name="grip")
    rate = np.sqrt(G / np.tan(alpha) / (a * np.cos(alpha) / 4 + 1.5 * b))
    found = equilibrium(
        mb.derive(table),
        fixed={"p_rx": np.pi / 2 - alpha, "p_rz_dot": rate},
        at={"p_ry_dot": -5.0},
        moving=["p_tx", "p_ty", "p_rz", "p_ry", "p_tx_dot", "p_ty_dot"],
    )
    assert found["p_ry_dot"] == pytest.approx(-rate * b / a - rate * np.cos(alpha), rel=1e-10)
    assert np.hypot(found["p_tx_dot"], found["p_ty_dot"]) == pytest.approx(rate * b, rel=1e-10)
    assert found["lambda_grip_normal"] == pytest.approx(mass * G, rel=1e-12)
    assert abs(found["lambda_grip_sideways"]) == pytest.approx(mass * rate**2 * b, rel=1e-10)
    assert found.freedom == 4  # place, heading and turn of the disc


def test_a_cart_stays_where_it_is_and_its_freedom_is_known():
    cart = mb.System("cart", gravity=(0, 0, -G))
    box = cart.body("box", 1.0)
    cart.joint("x", cart.world, box, "Tx", q=3.0)
    cart.joint("angle", box, cart.body("pole", 0.2, (0, 0, -0.5)), "Ry", q=0.4)
    found = equilibria(mb.derive(cart))
    assert [(one["x"], one["angle"]) for one in found] == [pytest.approx((3.0, a), abs=1e-9) for a in (0.0, np.pi)]
    assert [one.freedom for one in found] == [1, 1]


def test_a_body_on_three_springs_with_a_quaternion():
    """It hangs straight below, for any start; the sum of the forces carries it."""
    system = mb.System("platform", gravity=(0, 0, -G))
    body = system.body("body", 3.0, inertia=(0.2, 0.3, 0.4))
    system.joint("p", system.world, body, mb.Free(), q=(0.1, 0, -1.0, *np.array([1, 0.1, -0.1, 0.05]) / 1.0111874))
    for k in range(3):
        x, y = np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3)
        top, low = system.frame(f"top{k}", (x, y, 0)), body.frame(f"low{k}", (x, y, 0))
        system.load(mb.SpringDamper(top, low, stiffness=200.0, damping=10.0, length=0.5))
    found = equilibrium(mb.derive(system))
    expected = [0, 0, -(0.5 + 3.0 * G / 600.0), 1, 0, 0, 0]
    assert found.point.q == pytest.approx(expected, abs=1e-9)
    assert found.stability == "marginal"  # it swings sideways without damping


def test_redundant_constraints_share_their_forces():
    """A beam on three rollers: each carries what the least sum of squares says."""
    system = mb.System("beam", gravity=(0, 0, -G))
    beam = system.body("beam", 6.0, inertia=(0.1, 1, 1))
    system.joint("p", system.world, beam, ["Tz", "Ry"])
    for k, x in enumerate((-1.0, 0.0, 1.0)):
        system.constraint(beam_height(system, x), name=f"roller{k}")
    eom = mb.derive(system)
    found = equilibrium(eom)
    assert list(found.multipliers.values()) == pytest.approx([2 * G] * 3, rel=1e-9)


def beam_height(system, x):
    z, turn = (one for joint in system.freeze().joints for one in joint.coordinates)
    return z - x * mb.graph.sin(turn)


def test_parameters_follow_their_formulas():
    """With l₂ = 2·l a search for l moves both."""
    system = mb.System("double", gravity=(0, 0, -G))
    l = system.parameter("l", 1.0)
    far = system.parameter("far", 2 * l)
    hinge = system.joint("angle", system.world, system.body("bob", 1.0, (far, 0, 0)), "Ry")
    system.load(mb.JointLoad(hinge, -5.0))
    found = equilibrium(mb.derive(system), fixed={"angle": 0.0}, free=["l"])
    assert abs(found["l"]) == pytest.approx(5.0 / G / 2, rel=1e-12)
    assert found["far"] == pytest.approx(2 * found["l"], rel=1e-15)


KINDS = (
    lambda rng: rng.choice(["Rx", "Ry", "Rz"]),
    lambda rng: mb.Revolute(rng.normal(size=3)),
    lambda rng: mb.Spherical(),
)


@pytest.mark.parametrize("seed", range(3))
def test_trees_that_can_only_turn_hang_somewhere_and_stand_somewhere(seed):
    """Their potential energy has a largest and a smallest value, which are equilibria; forces vanish in all of them."""
    eom = mb.derive(random_tree(seed, 3, KINDS))
    found = equilibria(eom, tries=16)
    energies = []
    for one in found:
        values = one.point.t, one.point.q, one.point.u, one.point.r, one.point.p
        assert abs(np.asarray(eom.forward_dynamics(*values))).max() < 1e-8
        assert abs(one.point.u).max() < 1e-12
        energies.append(float(eom.function("height", {"V": eom.potential_energy})(*values)))
    assert len(found) >= 2
    assert found[int(np.argmax(energies))].stability == "unstable"
    assert found[int(np.argmin(energies))].stability == "marginal"  # nothing dissipates


def test_names_that_do_not_exist_are_told():
    eom = pendulum()
    with refused("name-unknown", "angel"):
        equilibrium(eom, fixed={"angel": 1.0})
    with refused("name-unknown", "M"):
        equilibrium(eom, moving=["M"])
    with refused("name-fixed-and-free"):
        equilibrium(eom, fixed={"M": 1.0}, free=["M"])


def test_they_are_printed():
    text = str(equilibria(pendulum(damping=0.1)))
    assert text.splitlines()[0].split() == ["angle", "stability", "growth", "[1/s]"]
    assert "unstable" in text


# where slopes vanish or grow without bound ---------------------------------------------------------------------------


def mass_with(law, start):
    system = mb.System("mass", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx", q=start)
    system.load(mb.JointLoad(slide, law(slide.coordinate, slide.speed)))
    return mb.derive(system)


FLAT = {
    "x²": lambda x: x**2,
    "x³": lambda x: x**3,
    "-x³": lambda x: -(x**3),
    "-x·|x|": lambda x: -x * abs(x),
    "-x⁵": lambda x: -(x**5),
}


@pytest.mark.parametrize("start", [0.5, -0.2])
@pytest.mark.parametrize("at", [0.0, 0.3])
@pytest.mark.parametrize("kind", FLAT)
def test_a_multiple_root_is_found_to_rounding_and_is_marginal(kind, at, start):
    """Slopes beside the root have either sign: x² seems to be stable on one side, and unstable on the other."""
    found = equilibrium(mass_with(lambda x, v: FLAT[kind](x - at) - v, start))
    assert found["x"] == pytest.approx(at, abs=1e-12)
    assert found.stability == "marginal"
    assert found.poles == pytest.approx([0.0, -1.0], abs=1e-12)


def test_a_solution_that_may_be_far_off_decides_nothing(monkeypatch):
    """Newton's method alone ends where slopes are lost beside others: its step says how far off that may be."""
    monkeypatch.setattr(Trim, "_sharpened", lambda self, w: w)
    for start, slope in ((0.5, 1.0), (-0.5, -1.0)):
        eom = mass_with(lambda x, v: x**2 - v, start)
        found = equilibrium(eom)
        assert 0.0 < abs(found["x"]) <= sum(found.doubt.values())
        assert (found.stability, linearize(eom, at=found).stability) == ("marginal", "marginal")
        assert np.sign(linearize(eom, at={"x": found["x"]}).A[1, 0]) == slope  # of the number as it is


def test_a_critical_spring_is_marginal():
    """k = m·g·l: the slope of the upright pendulum is zero, and the restoring moment of third order."""
    system = mb.System("inverted", gravity=(0, 0, -9.81))
    hinge = system.joint("a", system.world, system.body("bob", 1.0, (0, 0, 1.0)), "Ry", q=0.3)
    system.load(mb.JointSpring(hinge, 9.81))
    system.load(mb.JointDamper(hinge, 0.1))
    found = equilibrium(mb.derive(system))
    assert found["a"] == pytest.approx(0.0, abs=1e-5)
    assert found.stability == "marginal"


STEEP = {
    "-√|x|": lambda x: -sqrt(abs(x)),
    "√|x|": lambda x: sqrt(abs(x)),
    "-sign(x)·|x|^⅓": lambda x: -sign(x) * abs(x) ** (1 / 3),
    "-sign(x)·|x|^0.9": lambda x: -sign(x) * abs(x) ** 0.9,
    "sign(x)·√|x|": lambda x: sign(x) * sqrt(abs(x)),
}


@pytest.mark.parametrize("damping", [0.0, 1.0])
@pytest.mark.parametrize("start", [0.0, 1e-9, 0.2, -0.2])
@pytest.mark.parametrize("kind", STEEP)
def test_a_law_with_an_infinite_slope_is_undecided(kind, start, damping):
    """It is zero at x = 0, and of x = 1e-170 a verdict says nothing: -√|x| runs away on the left."""
    found = equilibrium(mass_with(lambda x, v: STEEP[kind](x) - damping * v, start))
    assert (found["x"], found.stability, found.lasts) == (0.0, "undecided", True)
    assert "undecided" in str(found)
    with refused("derivative-missing"):
        _ = found.linear


@pytest.mark.parametrize("kind", STEEP)
def test_a_law_with_an_infinite_slope_elsewhere_decides_nothing(kind):
    """x - 0.3 is known to rounding only, where slopes are large and finite."""
    for start in (0.3, 0.3 + 1e-9, 0.2, -0.2):
        try:
            found = equilibrium(mass_with(lambda x, v: STEEP[kind](x - 0.3) - v, start))
        except EquilibriumError:
            continue
        assert (found["x"], found.stability) == (pytest.approx(0.3, abs=1e-12), "undecided")


def stop(start, decay):
    """A mass that falls on a stop whose force exp(-z/decay) has no other length: it rests at z = -decay·ln(m·g)."""
    system = mb.System("stop", gravity=(0, 0, -G))
    slide = system.joint("z", system.world, system.body("box", 1.0), "Tz", q=start)
    system.load(mb.JointLoad(slide, exp(-slide.coordinate / decay)))
    system.load(mb.JointDamper(slide, 1.0))
    return mb.derive(system)


@pytest.mark.parametrize("start", [0.0, -0.05, -0.3, 1.0])
@pytest.mark.parametrize("decay", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("solve", [lambda eom: [equilibrium(eom)], equilibria])
def test_no_point_of_free_fall_is_an_equilibrium(solve, start, decay):
    """Forces of e^3000 N on the way hide no weight: the mass rests on the stop, or nothing is found."""
    eom = stop(start, decay)
    try:
        found = solve(eom)
    except EquilibriumError:
        return
    assert [one["z"] for one in found] == pytest.approx([-decay * np.log(G)], rel=1e-8)
    (acceleration,) = eom.robust_dynamics(0.0, found[0].point.q, [0.0], [], found[0].point.p).acceleration
    assert abs(acceleration) < 1e-6 * G


def test_what_a_search_has_seen_does_not_change_what_it_accepts():
    """The same search from many starts, then from where the mass falls freely."""
    search = _search(stop(1.0, 1e-3), (), (), None, (), None, None)
    several, _ = all_solved(search, 60, seed=0)
    assert [w[1] for w in several] == pytest.approx([-1e-3 * np.log(G)], rel=1e-8)
    _, error = search.solved(search.start)
    assert error > 1e-3


def test_accelerations_are_solved_for_before_a_point_is_an_equilibrium(monkeypatch):
    """If the terms of the search were as large as those of a stop that is pressed in, it would take any point."""
    monkeypatch.setattr(Trim, "balances", lambda search, w: True)
    monkeypatch.setattr(Trim, "_vanishes", lambda search, w: True)
    search = _search(stop(1.0, 1e-3), (), (), None, (), None, None)
    assert not search._is_solution(search.start)
    rest = search.start.copy()
    rest[1] = -1e-3 * np.log(G)
    assert search._is_solution(rest)
