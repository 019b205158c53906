"""What engineers ran into: machines that move because they are special, names that mean two things, notations."""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest
import sympy
from tests.refusal import refused

import multibody as mb
from multibody.graph import same
from multibody.subsystems import (
    KnownMotion,
    OwnEquations,
    couple,
    from_system,
    library,
    linearize,
    newton_euler,
    subsystem,
)

from .same_motion import accelerations, values

G = 9.81


# machines that move only because they are special ---------------------------------------------------------------------


def three_cranks(radius=0.4, angle=0.7, **more):
    """A bar on three equal cranks: two would do, and the third one locks it unless all are parallel."""
    rows = {"X_dot": "-m*X_ddot", "Y_dot": "-m*Y_ddot - m*g", "phi_dot": "-J*phi_ddot"}
    bar = subsystem(
        "bar", {0: "X Y phi", 1: list(rows)}, rows, parameters={"m": 1.0, "J": 0.1, "g": G},
        energy=("m*(X_dot**2 + Y_dot**2)/2 + J*phi_dot**2/2", "m*g*Y"),
    )  # fmt: skip
    pins = {}
    for k, x in ((1, "-1/2"), (2, "0"), (3, "1/2")):
        pins |= {f"x{k}": f"X + {x}*cos(phi) = {x} + r*cos(th{k})", f"y{k}": f"Y + {x}*sin(phi) = r*sin(th{k})"}
    start = dict.fromkeys(("th1", "th2", "th3"), angle) | {"X": 0.4 * cos(angle), "Y": 0.4 * sin(angle)}
    return couple(
        "S", [bar], pins, variables="th1 th2 th3", parameters={"r": radius}, motion=KnownMotion(start=start), **more
    )


@pytest.mark.parametrize("independent", [None, "th1_dot", "X_dot"])
@pytest.mark.parametrize("radius", [0.4, None])
def test_three_parallel_cranks_swing_as_a_pendulum(independent, radius):
    made = three_cranks(radius, independent=independent)
    assert len(made.independent) == len(made.redundant) == 1
    eom = made.equations()
    run = mb.simulate(eom, 1.0, u={"th1_dot": 1.0}, fixed=["th1", "th1_dot"], parameters={"r": 0.4}, samples=11)
    pendulum = mb.System("pendulum", gravity=(0, -G, 0))
    pendulum.joint("th", pendulum.world, pendulum.body("bob", 1.0, (0.4, 0, 0)), "Rz", q=0.7, u=1.0)
    expected = mb.simulate(mb.derive(pendulum), 1.0, samples=11)
    assert np.ptp(expected["th"]) > 1
    for name in ("th1", "th2", "th3"):
        assert run[name] == pytest.approx(expected["th"], abs=1e-5)
    assert abs(run["phi"]).max() < 1e-5
    assert run.energy_drift < 1e-5


def test_three_cranks_linearized_about_hanging_down():
    hanging = three_cranks(angle=-pi / 2, independent=["th1", "th1_dot"])
    down = {"X": 0, "Y": "-r", "th1": "-pi/2", "th2": "-pi/2", "th3": "-pi/2"}
    A, _ = linearize(hanging, down).state_space()
    assert str(A.closed()["th1_dot", "th1"]) == "-g/r"


def four_bar():
    """Three bodies with quaternions on four hinges in space, each of five equations; and the same as a system."""
    l, d, th = (0.3, 0.9, 0.7), 1.0, [1.0, 0.0, 0.0]
    x, y = l[0] * cos(th[0]), l[0] * sin(th[0])
    far, up = sqrt((d - x) ** 2 + y**2), np.arctan2(-y, d - x)
    th[1] = up + np.arccos((far**2 + l[1] ** 2 - l[2] ** 2) / (2 * far * l[1]))
    th[2] = np.arctan2(y + l[1] * sin(th[1]), x + l[1] * cos(th[1]) - d)
    parts, start = [], {}
    middle = [(x / 2, y / 2), (x + l[1] / 2 * cos(th[1]), y + l[1] / 2 * sin(th[1])),
              (d + l[2] / 2 * cos(th[2]), l[2] / 2 * sin(th[2]))]  # fmt: skip
    system = mb.System("four_bar", gravity=(0, -G, 0))
    system.recognise_loops = False
    bodies = []
    for k in range(3):
        inertia = {f"m_b{k}": k + 1.0, f"I_b{k}_x": 0.05, f"I_b{k}_y": 0.07, f"I_b{k}_z": 0.03 * (k + 1), "g": G}
        parts.append(newton_euler(f"b{k}", "quaternion", "-y", parameters=inertia))
        start |= {f"p_b{k}_x": middle[k][0], f"p_b{k}_y": middle[k][1]}
        start |= {f"q_b{k}_t": cos(th[k] / 2), f"q_b{k}_z": sin(th[k] / 2)}
        bodies.append(system.body(f"b{k}", k + 1.0, (l[k] / 2, 0, 0), (0.05, 0.07, 0.03 * (k + 1))))
    ends = [{side: [f"p_b{k}_{a} {side} {l[k] / 2}*R_b{k}_{a}x" for a in "xyz"] for side in "-+"} for k in range(3)]
    hinges = {"A": (["0"] * 3, ends[0]["-"], None, 0), "B": (ends[0]["+"], ends[1]["-"], 0, 1),
              "C": (ends[1]["+"], ends[2]["+"], 1, 2), "D": ([str(d), "0", "0"], ends[2]["-"], None, 2)}  # fmt: skip
    rules = {}
    for name, (one, other, below, above) in hinges.items():
        rules |= {f"{name}_{a}": f"{p} = {q}" for a, p, q in zip("xyz", one, other, strict=True)}
        for c in "xy":  # the axis z of one is across both of the other
            axis = [f"R_b{below}_{a}z" for a in "xyz"] if below is not None else ["0", "0", "1"]
            turned = " + ".join(f"{e}*R_b{above}_{a}{c}" for e, a in zip(axis, "xyz", strict=True))
            rules[f"{name}_{c}{c}"] = f"{turned} = 0"
    system.joint("A", system.world, bodies[0], "Rz", q=th[0])
    system.joint("B", bodies[0].frame("tip", (l[0], 0, 0)), bodies[1], "Rz", q=th[1] - th[0])
    system.joint("D", system.frame("ground", (d, 0, 0)), bodies[2], "Rz", q=th[2])
    end = bodies[2].frame("end_2", (l[2], 0, 0))
    system.joint("C", bodies[1].frame("end_1", (l[1], 0, 0)), end, "Rz", cut=True)
    return couple("S", parts, rules, motion=KnownMotion(start=start), independent="w_b0_z"), mb.derive(system)


def test_a_planar_four_bar_of_spatial_hinges_has_three_equations_too_many():
    made, whole = four_bar()
    assert len(made.all_invariants()) == 17
    ours = made.equations()
    found = accelerations(ours, ours.consistent({}, {"w_b0_z": 2.0}))
    expected = accelerations(whole, whole.consistent({}, {"A_dot": 2.0}))
    assert abs(expected["A_dot"]) > 1
    assert found["w_b0_z"] == pytest.approx(expected["A_dot"], rel=1e-9)
    assert found["w_b2_z"] == pytest.approx(expected["D_dot"], rel=1e-9)


def test_a_parallelogram_of_rods_carries_a_platform():
    """As in a Delta robot: both rods say the same of a platform that does not turn, where they are parallel."""
    rod = library.spatial.rod("F", 0.2, 0.8, gravity="-z")
    rods = [rod.renamed(f"F{side}", suffix=f"_{side}", shared="g m_F l_F") for side in "ab"]
    rows = {f"{a}_dot": f"-m*{a}_ddot" for a in "XYZ"}
    rows["Z_dot"] += " - m*g"
    plate = subsystem("P", {0: "X Y Z", 1: list(rows)}, rows, parameters={"m": 0.5, "g": G})
    rules, start = {}, {"Z": -0.8}
    for side, y in (("a", "w"), ("b", "-w")):
        for axis, place, end in zip("xyz", ("0", y, "0"), ("X", f"Y + {y}", "Z"), strict=True):
            rules |= {f"up_{axis}{side}": f"{axis}_A_F_{side} = {place}"}
            rules |= {f"down_{axis}{side}": f"{axis}_B_F_{side} = {end}"}
        sign = 0.06 if side == "a" else -0.06
        start |= {f"y_A_F_{side}": sign, f"y_B_F_{side}": sign, f"z_B_F_{side}": -0.8}
    made = couple(
        "S", [plate, *rods], rules, parameters={"w": 0.06}, motion=KnownMotion(start=start), independent="X_dot Y_dot"
    )
    eom = made.equations()
    state = eom.consistent({"X": 0.3, "Y": -0.1}, {"X_dot": 0.5, "Y_dot": 0.2})
    known, found = values(state), accelerations(eom, state)
    p, v = (np.array([known[name + end] for name in "XYZ"]) for end in ("", "_dot"))
    weight = np.array([0, 0, -G]) * (0.5 + 0.2)  # half of each rod
    M = 0.5 + 2 * 0.2 / 3  # a rod about its upper end
    pull = -(M * v @ v + p @ weight) / (p @ p)
    assert [found[f"{a}_dot"] for a in "XYZ"] == pytest.approx((weight + pull * p) / M, rel=1e-9)


def test_a_start_that_is_singular_only_for_its_time_decides_nothing():
    """At t = 0 both blades are parallel, and would leave the point free along them."""
    rows = {f"{a}_dot": f"-{a}_ddot" for a in "xyz"}
    point = subsystem("P", {0: "x y z", 1: list(rows)}, rows)
    rules = {"still": "x_dot*cos(z) = 0", "turning": "x_dot*cos(t + z) + y_dot*sin(t + z) = 0", "height": "z = 0"}
    assert couple("S", [point], rules).independent == ()


# names ---------------------------------------------------------------------------------------------------------------


def cart():
    return subsystem("cart", {0: "x", 1: "v"}, "F - m*v_dot", kinematics={"x": "v"}, parameters="m", inputs="F")


def test_a_parameter_called_pi_is_no_constant():
    made = subsystem("S", {0: "x", 1: "x_dot"}, "-x_ddot - pi*x", parameters={"pi": 3.0})
    assert made.equations().forward_dynamics(0.0, [2.0], [0.0], [], [3.0]) == pytest.approx([-6.0])
    without = subsystem("S", {0: "x", 1: "x_dot"}, "-x_ddot - pi*x")
    assert without.equations().forward_dynamics(0.0, [2.0], [0.0], [], []) == pytest.approx([-2 * pi])


def test_a_variable_is_not_called_like_the_rate_of_another():
    other = subsystem("other", {0: "v_dot", 1: "w"}, "-w_dot", kinematics={"v_dot": "w"})
    with refused("name-taken", "v_dot", "v"):
        couple("S", [cart(), other])
    with refused("name-taken", "x_dot", "x"):
        subsystem("S", {0: "x_dot", 1: "x"}, {"x": "-x_dot"}, kinematics={"x_dot": "x"})


# notations -----------------------------------------------------------------------------------------------------------


def test_a_matrix_of_sympy_has_one_equation_for_each_row():
    F, m, x, v, a = sympy.symbols("F m x v v_dot")
    made = subsystem("S", {0: "x", 1: "v"}, sympy.Matrix([F - m * a]), kinematics={"x": v}, parameters="m", inputs="F")
    assert str(made.explicit()["v_dot"]) == "F/m"
    held = couple("T", [made], sympy.Matrix([x - 3]))
    assert held.independent == ()


@pytest.mark.parametrize("text", ["x <= 3", "x >= 3", "x != 3", "x == 3"])
def test_a_comparison_is_no_constraint(text):
    with refused("text-not-an-expression"):
        couple("S", [cart()], {"wall": text})


def test_none_means_nothing():
    assert (
        couple("S", [cart()], None, own=OwnEquations(kinematics=None, dynamics=None)).independent == cart().independent
    )


# linearized parts ----------------------------------------------------------------------------------------------------


def two_weights():
    """Two copies of a weight by a table of names, whose inner parts keep one label."""
    weight = subsystem("e", {0: "x", 1: "x_dot"}, "-m*x_ddot - k*x", parameters="m k")
    lever = couple("w", [weight], ["y = 2*x"], variables=["y"], independent="y_dot")
    return couple("S", [lever.renamed(f"w{n}", {"x": f"x_{n}", "y": f"y_{n}", "k": f"k_{n}"}) for n in (1, 2)])


def test_a_linearized_part_stands_for_no_other_of_the_same_label():
    whole = two_weights()
    inner = linearize(whole.parts[1].parts[0], part=True)
    found, expected = linearize(whole, subsystems={"e": inner}).explicit(), linearize(whole).explicit()
    assert found.keys() == expected.keys()
    assert all(same(found[name], expected[name]) for name in found)
    assert str(found["y_2_ddot"]) == "-k_2*y_2/m"


def test_a_linearized_part_of_another_name_is_told():
    whole = two_weights()
    with refused("linear-part-of-another-system", "w1"):
        linearize(whole, subsystems={"w1": linearize(whole.parts[1], part=True)})


# energy --------------------------------------------------------------------------------------------------------------


def spring(potential):
    rows = "-k*(x - r) - m*v_dot"
    return subsystem(
        "S", {0: "x", 1: "v"}, rows, kinematics={"x": "v"}, parameters={"k": 50.0, "m": 2.0}, inputs="r",
        energy=("m*v**2/2", potential),
    )  # fmt: skip


def test_energy_that_follows_an_input_would_not_be_in_balance():
    with refused("energy-depends-on-input-or-acceleration"):
        spring("k*(x - r)**2/2")
    eom = spring("k*x**2/2").equations()
    run = mb.simulate(eom, 2.0, inputs={"r": 0.3 * mb.graph.sin(2 * eom.model.time)})
    assert run.energy_drift < 1e-6


def test_a_system_may_be_redundant_where_it_is_closed():
    """Bricard's linkage moves although nothing would be free by counting; as a subsystem too."""
    ring = mb.System("bricard", gravity=(0, -G, 0))
    end = ring.frame("end_0", (1, 0, 0), mb.Rotation.about_x(mb.pi / 2))
    for k in range(1, 6):
        bar = ring.body(f"bar_{k}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12))
        ring.joint(f"q{k}", end, bar, "Rz", q=np.pi / 2)
        end = bar.frame(f"end_{k}", (1, 0, 0), mb.Rotation.about_x((mb.pi if k % 2 == 0 else -mb.pi) / 2))
    ring.joint("q6", end, ring.world, "Rz", q=np.pi / 2)
    made, whole = from_system(ring).equations(), mb.derive(ring)
    state = whole.consistent({}, {"q1_dot": 0.3})
    found, expected = (accelerations(eom, state) for eom in (made, whole))
    assert max(map(abs, expected.values())) > 1
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_spring_whose_rest_length_follows_an_input_keeps_the_balance():
    """What the input does to the stored energy is work of the input, as in the system that the subsystem comes from."""
    system = mb.System("drawn", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("block", 1.0), "Tx", q=0.3)
    rest = 1.0 + system.input("r")
    system.load(mb.Spring(system.frame("wall", (-1, 0, 0)), slide.child, stiffness=20.0, length=rest))
    eom = mb.modular.from_system(system).equations()
    run = mb.simulate(eom, 3.0, inputs={"r": 0.1 * mb.graph.sin(3 * eom.model.time)})
    assert run.energies.work_of_inputs[-1] != 0
    assert run.energy_drift < 1e-6


def test_a_kink_on_the_reference_motion_has_no_derivative():
    rubbed = mb.modular.subsystem("block", {0: "x", 1: "v"}, ["-c*abs(v)*v - b*abs(v) - m*v_dot"],
                                  kinematics={"x": "v"}, parameters="b c m")  # fmt: skip
    with refused("reference-on-a-kink"):
        mb.modular.linearize(rubbed)
