"""Root loci, critical values and sensitivities, against published numbers, closed forms and differences."""

import warnings
from functools import cache

import numpy as np
import pytest
from tests.linearization.bicycle import example
from tests.refusal import refused

import multibody as mb
from multibody.errors import OperatingPointWarning
from multibody.graph import symbols
from multibody.linearization import linearize
from multibody.linearization.derivatives import numbers
from multibody.linearization.spectra.spectrum import eigenvalues, zero_count
from multibody.linearization.state_space.linear_system import LinearSystem
from multibody.linearization.studies.critical_values import critical_values
from multibody.linearization.studies.root_locus import along, root_locus
from multibody.linearization.studies.sensitivity import pole_sensitivities
from multibody.linearization.trim.steady_states import equilibrium

G = 9.81

# Meijaard et al. 2007, recomputed to 20 digits from the parameters
MASS = np.array([[80.81722, 2.3194133220870913477], [2.3194133220870913477, 0.29784188199685552999]])
DAMPING = np.array([[0, 33.866413914924943883], [-0.85035641456978437036, 1.6854039739755967411]])
STIFFNESS = np.array([[-80.95, -2.5995168524987164073], [-2.5995168524987164073, -0.80329488458617688081]])
STIFFNESS_V = np.array([[0, 76.597345895732221519], [0, 2.6543152379460402523]])


def hoop(damping=0.0):
    """A bead on a hoop that turns at Ω: φ'' = Ω²·sin φ·cos φ - g/l·sin φ - d/(m·l²)·φ'."""
    system = mb.System("hoop", gravity=(0, 0, -G))
    rate, l = system.parameters(Omega=6.0, l=0.5)
    ring = system.body("ring", 1.0, inertia=(0.1, 0.1, 0.1))
    system.joint("turn", system.world, ring, "Rz", prescribed=rate * system.time)
    joint = system.joint("phi", ring, system.body("bead", 1.0, (0, 0, -l)), "Ry", q=0.9)
    system.load(mb.JointDamper(joint, damping))
    return mb.derive(system)


def test_branches_hang_together():
    """Halving the steps halves the jumps, but for the double root."""
    rolling, locus = example()["rolling"], example()["locus"]
    coarse = root_locus(rolling, [0.0, 4.0, 10.0])  # found by halving the way
    assert np.sort_complex(coarse.poles[-1]) == pytest.approx(np.sort_complex(locus.poles[-1]), rel=1e-9)
    castering = locus.poles[:, np.argmin(locus.poles[0].real)]
    assert castering[[20, 100, 200]] == pytest.approx([-7.1100801463744, -14.078389692798, -24.624596350174], rel=1e-11)
    assert abs(castering.imag).max() == 0
    assert abs(np.diff(locus.poles, axis=0)).max() < 0.5
    assert coarse.poles[-1][np.argmin(coarse.poles[0].real)] == pytest.approx(castering[-1], rel=1e-12)


def test_weave_and_capsize_are_found_among_all_states():
    """Place, heading and turns of the wheels add poles at zero, which must not blur the one that crosses there."""
    eom, radius = example()["eom"], example()["REAR"]

    def rolling(speed):
        return linearize(eom, {"rear_dot": -speed / radius, "place_rx_dot": 0.0, "steer_dot": 0.0})

    weave, capsize = critical_values(rolling, 3.0, 8.0, points=21)
    assert weave.value == pytest.approx(4.2923825363411039587, rel=1e-10)
    assert weave.pole == pytest.approx(3.4350338486614363036j, rel=1e-10)
    assert capsize.value == pytest.approx(6.0242620153883588899, rel=1e-8)  # the heading is a double zero there
    assert (weave.destabilizing, capsize.destabilizing) == (False, True)


def plain(A):
    """A linear system with nothing but its state matrix."""
    n = len(A)
    names = tuple(f"x{k}" for k in range(n))
    return LinearSystem(A, np.zeros((n, 0)), np.zeros((0, n)), np.zeros((0, 0)), names, (), (), {}, "plain")


def disturbed(matrix, size, seed):
    """The same poles with other rounding: in another order, with other units, or in coordinates without zeros."""
    rng = np.random.default_rng(seed)
    change = (np.eye(size)[rng.permutation(size)], np.diag(10.0 ** rng.uniform(-3, 3, size)), np.zeros((size, size)))
    change = change[seed % 3] if seed % 3 < 2 else np.linalg.qr(rng.normal(size=(size, size)))[0]
    back = np.linalg.inv(change)

    def family(value):
        A = change @ matrix(value) @ back
        return plain(A * (1 + 1e-14 * rng.normal(size=A.shape)))

    return family


@cache
def bicycle_matrix(speed):
    at = {"rear_dot": -speed / example()["REAR"], "place_rx_dot": 0.0, "steer_dot": 0.0}
    return linearize(example()["eom"], at).A


@pytest.mark.parametrize("seed", range(9))
def test_rounding_does_not_decide_where_weave_and_capsize_are(seed):
    weave, capsize = critical_values(disturbed(bicycle_matrix, 10, seed), 3.0, 8.0, points=21)
    assert weave.value == pytest.approx(4.2923825363411039587, rel=1e-8)
    assert capsize.value == pytest.approx(6.0242620153883588899, rel=1e-8)
    assert (weave.destabilizing, capsize.destabilizing) == (False, True)


MASS_OF_CAR, INERTIA, FRONT, REAR, GRIP_FRONT, GRIP_REAR = 1500.0, 2500.0, 1.5, 1.2, 80e3, 60e3


def car(speed):
    """Place, heading, sideways speed and yaw rate of a car on two tires; place and heading are a triple zero."""
    moment = FRONT * GRIP_FRONT - REAR * GRIP_REAR
    A = np.zeros((5, 5))
    A[0, 1:3] = speed, 1.0
    A[1, 3] = 1.0
    A[2, 2:4] = -(GRIP_FRONT + GRIP_REAR) / (MASS_OF_CAR * speed), -speed - moment / (MASS_OF_CAR * speed)
    A[3, 2:4] = -moment / (INERTIA * speed), -(FRONT**2 * GRIP_FRONT + REAR**2 * GRIP_REAR) / (INERTIA * speed)
    return A


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ends", [(5.0, 40.0), (20.0, 25.0), (10.0, 100.0)])
def test_an_oversteering_car_leaves_its_course(seed, ends):
    """At v² = l²·c₁·c₂/(m·(a·c₁ - b·c₂)), whatever the rounding of its zeros."""
    moment = FRONT * GRIP_FRONT - REAR * GRIP_REAR
    expected = np.sqrt((FRONT + REAR) ** 2 * GRIP_FRONT * GRIP_REAR / (MASS_OF_CAR * moment))
    (found,) = critical_values(disturbed(car, 5, seed), *ends)
    assert found.value == pytest.approx(expected, rel=1e-7)
    assert found.pole == 0
    assert found.destabilizing


@pytest.mark.parametrize("ends", [(0.0, 10.0), (0.0, 11.0), (3.0, 8.0), (-5.0, 20.0)])
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_a_pole_on_a_free_cart_stands_if_its_spring_is_stiff(ends, damping):
    """k > m·g·l; the cart may be anywhere, and may move at any speed."""
    system = mb.System("cart", gravity=(0, 0, -G))
    (k,) = system.parameters(k=1.0)
    base = system.body("base", 1.0)
    system.joint("x", system.world, base, "Tx")
    joint = system.joint("theta", base, system.body("pole", 1.0, (0, 0, 0.5)), "Ry")
    system.load(mb.JointSpring(joint, k))
    system.load(mb.JointDamper(joint, damping))
    (found,) = critical_values(along(mb.derive(system), "k"), *ends)
    assert found.value == pytest.approx(4.905, rel=1e-10)
    assert not found.destabilizing


def test_what_crosses_is_never_taken_for_a_pole_that_is_zero_always():
    """Also where the pole that crosses is tiny, or is zero over a part of the range."""
    (tiny,) = critical_values(lambda x: plain(np.diag([1e-9 * x, 0.0, -1.0])), -2.0, 3.0)
    assert tiny.value == pytest.approx(0.0, abs=1e-12)
    late = critical_values(lambda x: plain(np.diag([max(x - 1.0, 0.0), 0.0, -1.0])), -2.0, 3.0)
    assert [(one.destabilizing, one.pole) for one in late] == [(True, 0)]
    assert critical_values(lambda x: plain(np.array([[0.0, 1.0], [0.0, 0.0]])), -2.0, 3.0) == ()
    assert [zero_count(one) for one in (np.zeros((0, 0)), np.eye(2), np.diag(np.ones(3), 1))] == [0, 0, 4]


def test_a_damped_bead_leaves_the_bottom():
    """At Ω² = g/l, where a real pole crosses zero."""
    (found,) = critical_values(along(hoop(0.2), "Omega", {"phi": 0.0}), 1.0, 10.0)
    assert found.value == pytest.approx(np.sqrt(G / 0.5), rel=1e-12)
    assert found.pole == 0
    assert found.destabilizing


def test_an_undamped_bead_does_so_at_the_same_rate():
    (found,) = critical_values(along(hoop(), "Omega", {"phi": 0.0}), 1.0, 10.0)
    assert found.value == pytest.approx(np.sqrt(G / 0.5), rel=1e-12)
    assert found.destabilizing


def test_the_critical_spin_of_a_rolling_disc():
    """Upright it rolls on if ω² > g/(3·r) (SymPy's mechanics tests: 1/√3 for r = g = m = 1)."""
    table = mb.System("table", gravity=(0, 0, -1))
    disc = table.body("disc", 1.0, inertia=(0.25, 0.5, 0.25))
    table.joint("p", table.world, disc, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"], q=(0, 0, 1, 0, 0, 0))
    table.constraint(mb.RollingDisc(table.world, disc, 1.0), name="grip")
    eom, states = mb.derive(table), ("p_rx", "p_rx_dot", "p_rz_dot")

    def rolling(spin):
        at = {"p_ry_dot": spin, "p_rx_dot": 0.0, "p_rz_dot": 0.0}
        return linearize(eom, at, independent=states).part(*states)

    (found,) = critical_values(rolling, 0.1, 2.0, points=21)
    assert found.value == pytest.approx(1 / np.sqrt(3), rel=1e-9)
    assert not found.destabilizing


def test_a_family_with_its_own_operating_points():
    """A heavier load stretches a spring that becomes harder: ω² = 3·k·x²/m with k·x³ = m·g."""
    system = mb.System("hard")
    (m,) = system.parameters(m=1.0)
    joint = system.joint("x", system.world, system.body("block", m), "Tx", q=1.0)
    system.load(mb.JointLoad(joint, m * G - 100 * joint.coordinate**3))
    eom = mb.derive(system)
    masses = np.array([1.0, 2.0, 4.0])
    locus = root_locus(lambda one: equilibrium(eom, parameters={"m": one}).linear, masses)
    x = np.cbrt(masses * G / 100)
    assert abs(locus.poles[:, 0].imag) == pytest.approx(np.sqrt(300 * x**2 / masses), rel=1e-10)


def test_a_figure_is_written(tmp_path):
    locus = root_locus(along(hoop(0.2), "Omega", {"phi": 0.0}), np.linspace(1.0, 8.0, 8))
    locus.plot("Ω [rad/s]", tmp_path / "locus.png")
    assert (tmp_path / "locus.png").stat().st_size > 5000


def test_what_does_not_exist_is_told():
    with refused("name-unknown", "omega"):
        along(hoop(), "omega")
    with refused("range-empty"):
        root_locus(along(hoop(), "Omega"), [])


def test_eigenvalues_part_by_part():
    rng = np.random.default_rng(0)
    full = rng.normal(size=(5, 5))
    assert np.sort_complex(eigenvalues(full)) == pytest.approx(np.sort_complex(np.linalg.eigvals(full)), rel=1e-10)
    chain = np.diag(np.ones(5), 1)
    order = rng.permutation(6)
    assert (eigenvalues(chain[np.ix_(order, order)]) == 0).all()
    assert eigenvalues(np.zeros((0, 0))).shape == (0,)


# sensitivities -------------------------------------------------------------------------------------------------------


def test_poles_follow_an_equilibrium_that_moves():
    """ω² = Ω² - g²/(l·Ω)², about the tilted equilibrium cos φ = g/(l·Ω²)."""
    found = pole_sensitivities(equilibrium(hoop()), "Omega", "l")
    rate, l = 6.0, 0.5
    frequency = np.sqrt(rate**2 - (G / l / rate) ** 2)
    (one,) = found
    assert one.pole == pytest.approx(1j * frequency, rel=1e-12)
    assert one["Omega"] == pytest.approx(1j * (rate + (G / l) ** 2 / rate**3) / frequency, rel=1e-10)
    assert one["l"] == pytest.approx(1j * G**2 / l**3 / rate**2 / frequency, rel=1e-10)


@pytest.mark.parametrize("speed", [3.0, 5.0, 8.0])
def test_how_the_poles_of_a_bicycle_change_with_its_speed(speed):
    """From M·s² + v·C₁·s + g·K₀ + v²·K₂, whose numbers are published."""
    eom, radius = example()["eom"], example()["REAR"]
    steady = equilibrium(eom, fixed={"rear_dot": -speed / radius}, moving=["place_tx", "rear", "front"])
    assert steady["place_tx_dot"] == pytest.approx(speed, rel=1e-12)
    found = pole_sensitivities(steady, "rear_dot")
    assert len(found) == (3 if speed < 10 else 4)  # a pair and two real ones
    for one in found:
        s = one.pole
        left, _, right = np.linalg.svd(MASS * s**2 + speed * DAMPING * s + G * STIFFNESS + speed**2 * STIFFNESS_V)
        y, x = left[:, -1].conj(), right[-1].conj()
        expected = -y @ (DAMPING * s + 2 * speed * STIFFNESS_V) @ x / (y @ (2 * s * MASS + speed * DAMPING) @ x)
        assert one["rear_dot"] == pytest.approx(-radius * expected, rel=1e-9)


def test_poles_that_are_shared_are_left_out():
    """A free cart has a double pole at zero, two equal oscillators one at i·ω: they have no derivatives."""
    system = mb.System("cars")
    (k,) = system.parameters(k=9.0)
    for name in "ab":
        system.load(mb.JointSpring(system.joint(name, system.world, system.body(f"body_{name}", 1.0), "Tx"), k))
    system.joint("c", system.world, system.body("body_c", 1.0), "Tx")
    system.load(mb.JointSpring(system.joint("d", system.world, system.body("body_d", 1.0), "Tx"), 2 * k))
    (one,) = pole_sensitivities(equilibrium(mb.derive(system)), "k")
    assert one.pole == pytest.approx(1j * np.sqrt(18.0), rel=1e-12)
    assert one["k"] == pytest.approx(1j / np.sqrt(18.0), rel=1e-12)


def four_bar():
    """A crank, a coupler and a rocker with a spring and a damper, closed by a joint."""
    system = mb.System("four_bar", gravity=(0, -G, 0))
    l, k, m = system.parameters(l=0.9, k=40.0, m=2.0)
    crank = system.body("crank", 1.0, (0.15, 0, 0), (0, 0, 0.01))
    coupler = system.body("coupler", m, (l / 2, 0, 0), (0, 0, 0.1))
    rocker = system.body("rocker", 1.5, (0.3, 0, 0), (0, 0, 0.05))
    system.joint("a", system.world, crank, "Rz", q=1.0)
    system.joint("b", crank.frame("tip", (0.3, 0, 0)), coupler, "Rz", q=-0.8)
    joint = system.joint("c", system.frame("foot", (1.0, 0, 0)), rocker, "Rz", q=1.8)
    system.joint("d", coupler.frame("end", (l, 0, 0)), rocker.frame("top", (0.6, 0, 0)), "Rz")
    system.load(mb.JointSpring(joint, k, 1.5))
    system.load(mb.JointDamper(joint, 0.3))
    return mb.derive(system, constraints=mb.Multipliers())


def test_sensitivities_of_a_loop_against_differences():
    eom = four_bar()
    steady = equilibrium(eom)
    found = pole_sensitivities(steady)
    assert found
    for name, value in {"l": 0.9, "k": 40.0, "m": 2.0}.items():
        step = 1e-5 * value
        ends = [equilibrium(eom, at=steady.state, parameters={name: value + s}).poles for s in (step, -step)]
        for one in found:
            near = [poles[np.abs(poles - one.pole).argmin()] for poles in ends]
            assert one[name] == pytest.approx((near[0] - near[1]) / (2 * step), rel=1e-6, abs=1e-8)


def test_what_was_looked_for_cannot_be_varied():
    with refused("name-unknown", "phi"):
        pole_sensitivities(equilibrium(hoop()), "phi")


def test_large_expressions_are_compiled_once_many_numbers_were_asked_for(monkeypatch):
    """A root locus asks for hundreds; walking through a large graph takes long each time."""
    monkeypatch.setattr(numbers, "LARGE", 0)
    monkeypatch.setattr(numbers, "MANY", 4)
    (x,) = symbols("x")
    found = numbers.ExpressionValues([x * x + 1], [x], [x], str)
    values, compiled = zip(
        *((found({x: float(k)}, {x: 1.0})[0], "_function" in vars(found)) for k in range(6)), strict=True
    )
    assert values == tuple(k * k + 1.0 for k in range(6))
    assert compiled == (False, False, False, False, True, True)


def bead(start):
    """A bead on a hoop that turns: at the bottom it becomes unstable at sqrt(g/r)."""
    system = mb.System("bead", gravity=(0, 0, -9.81))
    speed = system.parameter("om", 4.0)
    hoop = system.body("hoop", 1.0, inertia=(1.0, 1.0, 1.0))
    system.joint("turn", system.world, hoop, "Rz", prescribed=speed * system.time)
    angle = system.joint("a", hoop, system.body("bead", 0.1, (0, 0, -0.5)), "Ry", q=start)
    system.load(mb.JointDamper(angle, 0.01))
    return mb.derive(system)


STUDIES = [lambda family: critical_values(family, 1.0, 8.0), lambda family: root_locus(family, np.linspace(1, 8, 9))]


@pytest.mark.parametrize("study", STUDIES)
def test_a_family_that_is_not_at_an_equilibrium_warns_once(study):
    """At 0.05 rad, 4.438 rad/s looks like the critical speed: nothing stays there."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study(along(bead(0.05), "om"))
    assert [one.category for one in caught] == [OperatingPointWarning]
    assert caught[0].filename == __file__
    eom = bead(0.05)
    with pytest.warns(OperatingPointWarning, match="bead"):
        study(lambda om: linearize(eom, parameters={"om": om}))


def test_a_family_at_an_equilibrium_does_not_warn():
    (found,) = critical_values(along(bead(0.0), "om"), 1.0, 8.0)
    assert found.value == pytest.approx(np.sqrt(9.81 / 0.5), rel=1e-9)
