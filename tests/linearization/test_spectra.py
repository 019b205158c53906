"""Poles, verdicts and critical values do not depend on units, nor on stiff parts elsewhere."""

import warnings

import mpmath as mp
import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import ConditioningWarning
from multibody.graph import cos, sin
from multibody.linearization import (
    along,
    critical_values,
    equilibrium,
    linearize,
    root_locus,
)
from multibody.linearization.spectra.eigenpairs import bounded_eigenvalues, cluster_bounds
from multibody.linearization.spectra.spectrum import DeflatedBlock, spectrum
from multibody.linearization.spectra.stability import stability_of
from multibody.linearization.state_space.linear_system import LinearSystem
from multibody.linearization.studies import critical_values as critical_module

UNITS = {"SI": (1.0, 1.0), "mm-t-s": (1e3, 1e-3), "µm-µg-s": (1e6, 1e9)}
"""How many units of length a meter has, and how many units of mass a kilogram."""
G = 9.81

in_units = pytest.mark.parametrize("unit", UNITS)


def plain(A):
    """A linear system with nothing but its state matrix."""
    n = len(A)
    names = tuple(f"x{k}" for k in range(n))
    return LinearSystem(A, np.zeros((n, 0)), np.zeros((0, n)), np.zeros((0, 0)), names)


def two_masses(unit, m=(1.0, 1.0), k=(1.0, 1.0), c=(0.0, 0.0)):
    """Masses in kg on springs in N/m and dampers in N·s/m, one after the other."""
    _, per_kilogram = UNITS[unit]
    system = mb.System("two", gravity=(0, 0, 0))
    before = system.world
    for name, mass, stiffness, damping in zip("ab", m, k, c, strict=True):
        body = system.body(f"body_{name}", float(mass) * per_kilogram)
        joint = system.joint(name, before, body, "Tx")
        if stiffness:
            system.load(mb.JointSpring(joint, float(stiffness) * per_kilogram))
        if damping:
            system.load(mb.JointDamper(joint, float(damping) * per_kilogram))
        before = body
    return mb.derive(system)


def exact_poles(m, k, c):
    """Those of the two masses, with 60 digits."""
    with mp.workdps(60):
        (m1, m2), (k1, k2), (c1, c2) = ([mp.mpf(float(x)) for x in row] for row in (m, k, c))
        inverse = mp.matrix([[m1 + m2, m2], [m2, m2]]) ** -1
        A = mp.zeros(4)
        A[0, 2] = A[1, 3] = 1
        for i in range(2):
            for j, (stiffness, damping) in enumerate(((k1, c1), (k2, c2))):
                A[2 + i, j], A[2 + i, 2 + j] = -inverse[i, j] * stiffness, -inverse[i, j] * damping
        return np.array([complex(s) for s in mp.eig(A, left=False, right=False)])


def off(poles, exact):
    """The largest relative distance of a pole from the nearest exact one, and back."""
    apart = np.abs(poles[:, None] - exact[None, :])
    return max((apart.min(axis=1) / np.abs(poles)).max(), (apart.min(axis=0) / np.abs(exact)).max())


# poles ---------------------------------------------------------------------------------------------------------------


@in_units
@pytest.mark.parametrize("light", [1e-9, 1e-14, 1e-3])
def test_a_stiff_damper_between_a_heavy_and_a_light_mass(unit, light):
    """Poles from -0.2/s to -1e19/s, each to many digits."""
    m, k, c = (1000.0, light), (8e4, 2e4), (200.0, 1e5)
    lin = linearize(two_masses(unit, m, k, c))
    assert off(lin.poles, exact_poles(m, k, c)) < 1e-11
    assert [mode.pole for mode in lin.modes] == [s for s in lin.poles if s.imag >= 0]
    assert lin.stability == "stable"


@pytest.mark.parametrize("light", [1e-6, 1e-9])
def test_the_same_with_a_coordinate_for_each_place(light):
    """Terms of 1e2/s cancel in the slow motion."""
    system = mb.System("pair", gravity=(0, 0, 0))
    a, b = (system.joint(n, system.world, system.body(f"body_{n}", m), "Tx") for n, m in (("a", 1000.0), ("b", light)))
    pull = 2e4 * (b.coordinate - a.coordinate) + 1e5 * (b.speeds[0] - a.speeds[0])
    system.load(mb.JointLoad(a, pull - 8e4 * a.coordinate - 200.0 * a.speeds[0]))
    system.load(mb.JointLoad(b, -pull))
    lin = linearize(mb.derive(system))
    assert off(lin.poles, exact_poles((1000.0, light), (8e4, 2e4), (200.0, 1e5))) < 1e-9
    assert lin.stability == "stable"


@in_units
def test_springs_to_the_ground_and_a_stiff_damper_between_the_masses(unit):
    """1000 kg and 1e-9 kg on 4e4 N/m each: s³ + 0.4·s² + 80·s + 16 = 0 without the light mass, and -1e14/s."""
    _, kilogram = UNITS[unit]
    system = mb.System("pair", gravity=(0, 0, 0))
    a, b = (
        system.joint(name, system.world, system.body(f"body_{name}", mass * kilogram), "Tx")
        for name, mass in (("a", 1000.0), ("b", 1e-9))
    )
    for joint in (a, b):
        system.load(mb.JointSpring(joint, 4e4 * kilogram))
    pull = 1e5 * kilogram * (b.speed - a.speed)
    system.load(mb.JointLoad(a, pull))
    system.load(mb.JointLoad(b, -pull))
    lin = linearize(mb.derive(system))
    assert lin.poles[0] == pytest.approx(-0.09995 + 8.9415j, rel=1e-5)
    assert lin.poles[2:] == pytest.approx([-0.2001, -1e14], rel=1e-6)
    assert [mode.pole for mode in lin.modes] == [s for s in lin.poles if s.imag >= 0]
    assert lin.stability == "stable"


def test_poles_over_twenty_orders_of_magnitude():
    """A chain of decays, each slower by 1e-4 than the one before, tied to each other."""
    rates = 10.0 ** np.arange(12, -12, -4)
    A = np.diag(-rates)
    A[np.arange(5), np.arange(1, 6)] = 0.5 * np.sqrt(rates[:-1] * rates[1:])
    A[np.arange(1, 6), np.arange(5)] = 0.5 * np.sqrt(rates[:-1] * rates[1:])
    found = spectrum(A)
    with mp.workdps(80):
        exact = np.array([complex(s) for s in mp.eig(mp.matrix(A.tolist()), left=False, right=False)])
    assert off(found.poles, exact) < 1e-14
    assert stability_of(*found) == "stable"


@pytest.mark.parametrize("seed", range(8))
def test_error_bounds_hold_for_disturbed_entries(seed):
    """Matrices whose entries are off by 1e-12 have poles within the bounds, also where poles nearly coincide."""
    rng = np.random.default_rng(seed)
    n = 5
    A = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, (n, 1))
    if seed % 2:  # two poles that nearly coincide
        T = rng.normal(size=(n, n))
        A = T @ (np.diag([-1.0, -1.0 - 1e-7, -2.0, -3.0, -4.0]) + np.eye(n, k=1)) @ np.linalg.inv(T)
    poles, bounds, _ = bounded_eigenvalues(A, 1e-12 * np.abs(A))
    for _ in range(20):
        moved = np.linalg.eigvals(A * (1 + 1e-12 * rng.uniform(-1, 1, A.shape)))
        assert (np.abs(poles[:, None] - moved[None, :]).min(axis=1) <= 3 * bounds).all()
    assert (bounds < 1e-3 * np.abs(poles)).all()


def test_bounds_of_double_poles_are_roots():
    bounds = cluster_bounds(np.array([[0, 0, 1.0], [0, 0, 1.0], [1.0, 1.0, 0]]), np.array([np.inf, 1e3, 1e-12]))
    assert bounds[2] == 1e-12
    assert bounds[1] < 1e-3


def test_rigid_motions_are_zeros_exactly():
    """Two masses that a spring ties, each with its own coordinate: no column of A is zero, but two poles are."""
    A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-3.0, 3, -0.3, 0.3], [1, -1, 0.1, -0.1]])
    found = plain(A)
    assert found.poles[:2].tolist() == [0, 0]
    assert found.poles[2:] == pytest.approx([-0.2 + np.sqrt(3.96) * 1j, -0.2 - np.sqrt(3.96) * 1j], rel=1e-12)
    assert found.stability == "marginal"
    block = DeflatedBlock(A + np.diag([0, 0, 1e-9, 0]), 1e-12 * np.abs(A))
    assert block.zeros_left < 2  # a force on the speed of one of them is seen


@in_units
def test_a_light_body_that_carries_a_heavy_one_is_told(unit):
    """Of 1e-10 kg in 1e-10 kg + 1 kg few digits are left; the verdict does not rely on them."""
    with pytest.warns(ConditioningWarning, match="A light body carries a much heavier one"):
        lin = linearize(two_masses(unit, (1e-11, 1.0), (1.0, 1.0), (0.1, 0.1)))
    assert lin.stability in ("stable", "undecided")
    exact = exact_poles((1e-11, 1.0), (1.0, 1.0), (0.1, 0.1))
    assert (np.abs(lin.poles[:, None] - exact[None, :]).min(axis=1) <= lin.spectrum.bounds).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linearize(two_masses(unit, (1.0, 1e-11), (1.0, 1.0), (0.1, 0.1)))


# verdicts ------------------------------------------------------------------------------------------------------------


@in_units
def test_masses_without_dampers_are_marginal(unit):
    rng = np.random.default_rng(1)
    for _ in range(20):
        lin = linearize(two_masses(unit, 10 ** rng.uniform(-3, 3, 2), 10 ** rng.uniform(-3, 6, 2)))
        assert (lin.stability, lin.stable) == ("marginal", False)
        assert not any(mode.stable for mode in lin.modes)


def pendulum(unit, *, up=False, damping=0.1, length=1.0, time=None):
    per_meter, m = UNITS[unit]
    l = length * per_meter
    system = mb.System("pendulum", gravity=(0, 0, -G * per_meter))
    hinge = system.joint("a", system.world, system.body("bob", m, (0, 0, l if up else -l)), "Ry")
    if damping:
        system.load(mb.JointDamper(hinge, damping * m * l * l))
    if time:
        system.load(mb.JointLoad(hinge, -m * G * per_meter * l * cos(time * system.time) * sin(hinge.coordinate)))
    return mb.derive(system)


def free_cart(unit, damping):
    per_meter, m = UNITS[unit]
    l = per_meter
    system = mb.System("cart", gravity=(0, 0, -G * per_meter))
    (k,) = system.parameters(k=5.0 * m * l * per_meter)
    box = system.body("box", m)
    system.joint("x", system.world, box, "Tx")
    hinge = system.joint("a", box, system.body("pole", m, (0, 0, 0.5 * l)), "Ry")
    system.load(mb.JointSpring(hinge, k))
    system.load(mb.JointDamper(hinge, damping * m * l * l))
    return mb.derive(system)


def gyroscope(unit, spin, damping=0.0):
    """A disc that stands on a stiff ball joint by its spin: it needs J·Ω > 2·√(I·m·g·h)."""
    per_meter, m = UNITS[unit]
    l = per_meter
    system = mb.System("top", gravity=(0, 0, -G * per_meter))
    frames = [system.body(name, 0.0) for name in ("outer", "inner")]
    disc = system.body("disc", m, (0, 0, 0.1 * l), (0.01 * m * l * l, 0.01 * m * l * l, 0.01 * m * l * l))
    first = system.joint("a", system.world, frames[0], "Rx")
    second = system.joint("b", frames[0], frames[1], "Ry")
    system.joint("spin", frames[1], disc, "Rz", u=spin)
    for joint in (first, second):
        system.load(mb.JointDamper(joint, damping * m * l * l))
    return mb.derive(system)


MODELS = {
    "hanging": (lambda unit: equilibrium(pendulum(unit)).linear, "stable"),
    "tiny": (lambda unit: equilibrium(pendulum(unit, length=1e-5)).linear, "stable"),
    "hardly damped": (lambda unit: equilibrium(pendulum(unit, damping=1e-9)).linear, "stable"),
    "undamped": (lambda unit: equilibrium(pendulum(unit, damping=0.0)).linear, "marginal"),
    "standing": (lambda unit: equilibrium(pendulum(unit, up=True)).linear, "unstable"),
    "shaken": (lambda unit: equilibrium(pendulum(unit, time=6.0)).linear, "undecided"),
    "free cart": (lambda unit: linearize(free_cart(unit, 0.1)), "marginal"),
    "slow top": (lambda unit: linearize(gyroscope(unit, 10.0), {"spin_dot": 10.0}), "unstable"),
    "fast top": (lambda unit: linearize(gyroscope(unit, 60.0), {"spin_dot": 60.0}), "marginal"),
    "fast top in air": (lambda unit: linearize(gyroscope(unit, 60.0, 1e-3), {"spin_dot": 60.0}), "unstable"),
    "damped": (lambda unit: linearize(two_masses(unit, (1.0, 1e-6), (1.0, 1e3), (0.1, 1.0))), "stable"),
    "negative damper": (lambda unit: linearize(two_masses(unit, (1.0, 1e-6), (1.0, 1e3), (-1e-6, 1.0))), "unstable"),
    "free": (lambda unit: linearize(two_masses(unit, k=(0.0, 1.0), c=(0.0, 0.1))), "marginal"),
}


@in_units
@pytest.mark.parametrize("name", MODELS)
def test_verdicts_are_the_same_in_all_units(name, unit):
    make, expected = MODELS[name]
    lin = make(unit)
    assert (lin.stability, lin.stable) == (expected, expected == "stable")
    if expected == "stable":
        assert all(mode.stable for mode in lin.modes)
    if expected == "unstable":
        assert any(mode.stability == "unstable" for mode in lin.modes)
    assert str(lin)


@pytest.mark.parametrize("name", [name for name in MODELS if name in ("hanging", "undamped", "standing", "shaken")])
def test_an_equilibrium_and_its_linear_system_say_the_same(name):
    options = {"hanging": {}, "undamped": {"damping": 0.0}, "standing": {"up": True}, "shaken": {"time": 6.0}}[name]
    found = equilibrium(pendulum("SI", **options))
    assert found.stability == found.linear.stability == MODELS[name][1]
    assert (found.poles == found.linear.poles).all()
    assert found.stability in str(found)


def test_bounds_decide_between_marginal_and_undecided():
    pair = np.array([-1e-5 + 1j, -1e-5 - 1j])
    assert [stability_of(pair, np.full(2, bound)) for bound in (1e-6, 1e-3)] == ["stable", "undecided"]
    assert stability_of(pair * np.array([1e-5, 1e-5]), np.full(2, 1e-13)) == "stable"
    assert stability_of(-pair, np.full(2, 1e-6)) == "unstable"
    assert stability_of(np.array([1e-9 + 1j, 1e-9 - 1j]), np.full(2, 1e-8)) == "marginal"
    assert stability_of(np.zeros(2), np.zeros(2)) == "marginal"
    assert stability_of(np.array([0.0, -1.0]), np.array([0.1, 1e-12])) == "undecided"


@pytest.mark.parametrize(
    "A",
    [np.zeros((0, 0)), np.zeros((2, 2)), np.array([[1e300, 1], [1, -1e300]]), np.array([[0, 1e-300], [-1e-300, 0]]),
     np.diag(np.ones(5), 1), np.array([[0, 1e200], [-1e-200, 0]]), np.array([[1e-320]])],
)  # fmt: skip
def test_any_matrix_is_printed(A):
    lin = plain(A)
    assert str(lin)
    assert lin._repr_html_()
    assert len(lin.poles) == len(A)


# parts ---------------------------------------------------------------------------------------------------------------


def test_a_coupling_is_seen_beside_a_stiff_part():
    """9/s² beside 1e12/s² elsewhere."""
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    A[3, :3], A[4, :3], A[5, :3] = (-1.0, 9.0, 0.0), (9.0, -20.0, 0.0), (0.0, 0.0, -1e12)
    lin = plain(A)
    with refused("part-not-closed", "x3", "x1"):
        lin.part("x0", "x3")
    assert (A[np.ix_([0, 1, 3, 4], [0, 1, 3, 4])] == lin.part("x0", "x1", "x3", "x4").A).all()
    assert lin.part("x2", "x5").poles == pytest.approx([1e6j, -1e6j])


@in_units
def test_a_part_of_a_model_beside_a_stiff_one(unit):
    _, m = UNITS[unit]
    system = mb.System("three", gravity=(0, 0, 0))
    joints = [system.joint(n, system.world, system.body(f"body_{n}", m), "Tx") for n in "abc"]
    a, b, _ = (joint.coordinate for joint in joints)
    system.load(mb.JointLoad(joints[0], m * (9 * b - a)))
    system.load(mb.JointSpring(joints[1], 4.0 * m))
    system.load(mb.JointSpring(joints[2], 1e12 * m))
    lin = linearize(mb.derive(system))
    with refused("part-not-closed", "a_dot", "b"):
        lin.part("a", "a_dot")
    assert lin.part("b", "b_dot").poles == pytest.approx([2j, -2j])
    assert pytest.approx(m * np.array([[4.0, 0.0], [-9.0, 1.0]])) == lin.second_order("b", "a").K


# critical values -----------------------------------------------------------------------------------------------------


@in_units
@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize("ends", [(0.0, 10.0), (0.0, 11.0), (3.0, 8.0)])
def test_a_pole_on_a_free_cart(unit, damping, ends):
    per_meter, m = UNITS[unit]
    moment = m * per_meter**2
    (found,) = critical_values(along(free_cart(unit, damping), "k"), ends[0] * moment, ends[1] * moment)
    assert found.value / moment == pytest.approx(0.5 * G, rel=1e-9)
    assert (found.pole, found.destabilizing) == (0, False)


@pytest.mark.parametrize("ends", [(0.0, 9.81), (0.0, 4.905), (4.9, 4.91), (4.0, 5.81)])
@pytest.mark.parametrize("points", [11, 61])
def test_a_critical_value_on_the_grid_is_located_as_well_as_one_beside_it(ends, points):
    """At a point of the grid two poles are zero."""
    (found,) = critical_values(along(free_cart("SI", 0.0), "k"), *ends, points=points)
    assert found.value == pytest.approx(0.5 * G, rel=1e-12)


@pytest.mark.parametrize("points", [60, 61])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_poles_that_stay_zero_after_a_critical_value_do_not_move_it(points, sign):
    """A negative stiffness that ends at 0.505, and nothing beyond."""
    (found,) = critical_values(lambda p: plain([[0, 1], [max(0.0, sign * (0.505 - p)), 0]]), 0.0, 1.0, points=points)
    assert (found.value, found.destabilizing) == (pytest.approx(0.505, rel=1e-12), sign < 0)


CARS = {"small": (1300.0, 1900.0, 1.45, 1.15, 70e3, 52e3), "large": (1500.0, 2500.0, 1.4, 1.1, 60e3, 50e3)}
"""Mass, moment of inertia, distances of the axles, stiffness of the tires."""


def car(unit, kind="small"):
    """A car that oversteers, and its critical speed V² = c₁·c₂·l²/(m·(a·c₁ - b·c₂))."""
    per_meter, per_kilogram = UNITS[unit]
    m, inertia, a, b, front, rear = CARS[kind]
    system = mb.System("car", gravity=(0, 0, 0))
    body = system.body("chassis", m * per_kilogram, inertia=(0, 0, inertia * per_kilogram * per_meter**2))
    joint = system.joint("p", system.world, body, ["Tx", "Ty", "Rz"])
    psi, (vx, vy, rate) = joint.coordinates[2], joint.speeds
    forward, side = cos(psi) * vx + sin(psi) * vy, cos(psi) * vy - sin(psi) * vx
    force, l = per_kilogram * per_meter, per_meter
    forces = [-c * force * (side + x * l * rate) / forward for c, x in ((front, a), (rear, -b))]
    lateral, moment = forces[0] + forces[1], a * l * forces[0] - b * l * forces[1]
    system.load(mb.JointLoad(joint, (-sin(psi) * lateral, cos(psi) * lateral, moment)))
    return mb.derive(system), np.sqrt(front * rear * (a + b) ** 2 / (m * (a * front - b * rear)))


@in_units
@pytest.mark.parametrize("ends", [(5.0, 60.0), (0.9, 1.2)])
def test_an_oversteering_car(unit, ends):
    (eom, expected), per_meter = car(unit), UNITS[unit][0]
    low, high = (x * (expected if ends[1] < 2 else 1.0) * per_meter for x in ends)
    family = along(eom, "p_tx_dot")
    (found,) = critical_values(family, low, high)
    assert found.value / per_meter == pytest.approx(expected, rel=1e-10)
    assert (found.pole, found.destabilizing) == (0, True)
    assert [family(found.value * share).stability for share in (0.999, 1.001)] == ["marginal", "unstable"]


@pytest.mark.parametrize("ends", [(5.0, 60.0), (10.0, 100.0), (20.0, 22.5)])
def test_the_critical_speed_of_a_large_car(ends):
    eom, expected = car("SI", "large")
    (found,) = critical_values(along(eom, "p_tx_dot"), *ends)
    assert found.value == pytest.approx(expected, rel=1e-10)
    assert round(found.value, 3) == 20.761


@pytest.mark.parametrize("fast", [-1e9, -1e14])
def test_a_fast_part_does_not_move_a_critical_value(fast):
    def family(d):
        A = np.zeros((3, 3))
        A[:2, :2] = [[0, 1], [-4.0, -d]]
        A[2, 2], A[1, 2], A[2, 0] = fast, 3.0, 1.0
        return plain(A)

    (found,) = critical_values(family, -1.0, 2.3)
    assert found.value == pytest.approx(0.0, abs=1e-8)
    assert found.pole == pytest.approx(2j, rel=1e-6)
    slow = root_locus(family, np.linspace(0.1, 1.0, 7)).poles
    assert (slow[:, np.abs(slow[0]) < 10].real < 0).all()


def test_a_small_number_is_located_as_well_as_a_large_one():
    """A damper between -1e-12 and 2e-12 N·s/m, beside 1e-6 kg."""
    (found,) = critical_values(lambda d: plain([[0, 1], [-4.0, -(d - 1e-12) / 1e-6]]), 0.0, 3.1e-12)
    assert found.value == pytest.approx(1e-12, rel=1e-5)


def test_a_range_that_ends_on_the_axis():
    (found,) = critical_values(lambda d: plain([[0, 1], [-4.0, -d]]), -1.0, 0.0)
    assert found.value == pytest.approx(0.0, abs=1e-10)
    assert not found.destabilizing
    assert critical_values(lambda d: plain([[0, 1], [-4.0, -d]]), 0.0, 1.0) == ()


def test_what_cannot_be_verified_is_not_returned(monkeypatch):
    """Another pole on the other side of the axis is noticed."""
    with monkeypatch.context() as patch:
        patch.setattr(critical_module, "_distance", lambda poles: float(poles[0].real) + 0.01)
        with refused("crossing-not-verified"):
            critical_values(lambda d: plain([[0, 1], [-4.0, -d]]), -1.0, 1.3)


# changes between two points of the grid ------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [4e-3, 1e-4])
@pytest.mark.parametrize("entry", [(1, 0), (1, 1)])
def test_a_pole_that_crosses_and_comes_back_within_one_step(width, entry):
    """A stiffness or a damping that is negative between 0.505 ± width; points of the grid are 1/60 apart."""

    def family(p):
        A = np.array([[0.0, 1.0], [-4.0, -1.0]])
        A[entry] = -(p - 0.505 - width) * (p - 0.505 + width)
        return plain(A)

    found = critical_values(family, 0.0, 1.0)
    assert [one.value for one in found] == pytest.approx([0.505 - width, 0.505 + width], rel=1e-6)
    assert [one.destabilizing for one in found] == [True, False]


@pytest.mark.parametrize("coupling", [5e-2, 5e-3, 5e-4])
def test_frequencies_that_meet_and_part_within_one_step(coupling):
    """Two oscillators with a circulatory coupling e: unstable where their stiffnesses differ by less than 2·e."""

    def family(p, sign=-1.0):
        A = np.zeros((4, 4))
        A[:2, 2:] = np.eye(2)
        A[2:, :2] = [[-4.0 - p, coupling], [sign * coupling, -5.0123 + p]]
        return plain(A)

    found = critical_values(family, 0.0, 1.0)
    assert [one.value for one in found] == pytest.approx([0.50615 - coupling, 0.50615 + coupling], rel=1e-9)
    assert [one.destabilizing for one in found] == [True, False]
    assert critical_values(lambda p: family(p, 1.0), 0.0, 1.0) == ()  # of a symmetric coupling, none


def test_a_pole_that_only_touches_the_axis_does_not_cross_it():
    assert critical_values(lambda p: plain([[0, 1], [-4.0, -((p - 0.505) ** 2)]]), 0.0, 1.0) == ()
