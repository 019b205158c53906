"""Coupling: levels, names, matrices, constraint forces, energy, and many runs; and coupling as a formalism."""

import runpy

import numpy as np
import pytest

import multibody as mb
from multibody.codegen import Python
from multibody.graph import all_same, evaluate, same, substitute, symbol
from multibody.simulation.sweeps.shipping import packed, unpacked
from multibody.subsystems import OwnEquations, couple, from_system, newton_euler, subsystem
from multibody.subsystems.explicit import accelerations
from multibody.testing import random_loops, random_tree

FINE = mb.DormandPrince8(rtol=1e-12, atol=1e-13)
NUMBERS = {"m": 2.0, "g": 9.81, "l": 0.7}


def particle(end, **more):
    """A particle in a vertical plane."""
    x, z = f"x{end}", f"z{end}"
    rows = {f"{x}_dot": f"-m*{x}_ddot", f"{z}_dot": f"-m*g - m*{z}_ddot"}
    energy = (f"m*({x}_dot**2 + {z}_dot**2)/2", f"m*g*{z}")
    return subsystem(
        f"P{end}", {0: [x, z], 1: [f"{x}_dot", f"{z}_dot"]}, rows, parameters=NUMBERS, energy=energy, **more
    )


FIRST = ["x1 = l*sin(th1)", "z1 = -l*cos(th1)"]
SECOND = ["x2 = x1 + l*sin(th2)", "z2 = z1 - l*cos(th2)"]


def flat():
    """A double pendulum in one step."""
    parts = [particle(1), particle(2)]
    return couple("D", parts, FIRST + SECOND, variables="th1 th2", independent="th1_dot th2_dot")


def nested():
    """In two steps: the upper pendulum is a subsystem."""
    upper = couple("U", [particle(1)], FIRST, variables="th1", independent="th1_dot")
    return couple("D", [upper, particle(2)], SECOND, variables="th2", independent="th1_dot th2_dot")


def lower_first():
    """The second particle is tied to the first one before that one is tied to anything."""
    lower = couple("L", [particle(1), particle(2)], SECOND, variables="th2", independent="x1_dot z1_dot th2_dot")
    return couple("D", [lower], FIRST, variables="th1", independent="th1_dot th2_dot")


def state(eom, th=(0.4, -0.9), rates=(1.1, -0.7)):
    guess = dict(zip(["th1", "th2"], th, strict=True)), dict(zip(["th1_dot", "th2_dot"], rates, strict=True))
    return eom.consistent(*guess, fixed=["th1", "th2", "th1_dot", "th2_dot"])


def lagrange(th, w, g=9.81, length=0.7):
    """The double pendulum of two equal particles: M(θ)·θ̈ = r(θ, θ̇)."""
    c, s = np.cos(th[0] - th[1]), np.sin(th[0] - th[1])
    M = length * np.array([[2, c], [c, 1]])
    return np.linalg.solve(
        M, [-length * s * w[1] ** 2 - 2 * g * np.sin(th[0]), length * s * w[0] ** 2 - g * np.sin(th[1])]
    )


def accelerations_at(eom, found, values=None, inputs=()):
    """The rates of speeds, by name."""
    rates = eom.forward_dynamics(0.0, found.q, found.u, list(inputs), list(values or NUMBERS.values()))
    return dict(zip([one.name for one in eom.speeds], rates, strict=True))


# levels --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [flat, nested, lower_first, lambda: couple("T", [nested()]).renamed("W")])
def test_levels_do_not_matter(make):
    eom = make().equations()
    a = accelerations_at(eom, state(eom))
    assert [a["th1_dot"], a["th2_dot"]] == pytest.approx(lagrange((0.4, -0.9), (1.1, -0.7)), rel=1e-11)


def test_other_independent_velocities_give_the_same_motion():
    runs = []
    for made in (nested(), couple("V", [nested()], independent="x1_dot x2_dot")):
        eom = made.equations()
        begin = state(eom)
        runs.append(mb.simulate(eom, 0.3, q=begin.q, u=begin.u, integrator=FINE, samples=5))
    for name in ("th1", "th2", "x2", "z2"):
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=1e-9)


def test_complements_are_orthogonal_at_every_level():
    """Ã·C̃ = 0, and S carries all constraints: A·S = 0."""
    made = nested()
    for level in made.levels():
        if level.invariants:
            zero = level.A.matrix @ level.C.matrix
            assert all(same(entry, 0, points=2) for entry in zero.flat)
    rates = {one.name: entry for one, entry in zip(made.top, made.S.matrix, strict=True)}
    for one in made.all_invariants():
        row = mb.graph.jacobian([one.acceleration], [symbol(f"{n[:-4]}_ddot", "variable") for n in rates])[0]
        assert all(same(sum(a * c for a, c in zip(row, column, strict=True)), 0) for column in made.S.matrix.T)


def test_forces_of_a_level():
    """A motor between the links, an input of the level at which both are known."""
    drive = couple("M", [nested()], own=OwnEquations(dynamics={"th1_dot": "-tau", "th2_dot": "tau"}), inputs="tau")
    eom = drive.equations()
    a = accelerations_at(eom, state(eom), inputs=[0.9])
    c = np.cos(1.3)
    push = np.linalg.solve(2.0 * 0.7**2 * np.array([[2, c], [c, 1]]), [-0.9, 0.9])
    assert [a["th1_dot"], a["th2_dot"]] == pytest.approx(lagrange((0.4, -0.9), (1.1, -0.7)) + push, rel=1e-11)


# names ---------------------------------------------------------------------------------------------------------------


def test_there_and_back_again():
    made = nested()
    other = made.renamed("copy", {"th1": "alpha"}, suffix="_b", shared="g")
    names = {f"{one.name[:-4] if one.name.endswith('_dot') else one.name}": "" for one in other.orders}
    assert {"alpha", "x1_b", "th2_b"} <= set(names)
    assert [one.name for one in other.parameters] == ["m_b", "g", "l_b"]
    back = {"alpha": "th1", "m_b": "m", "l_b": "l"} | {
        one.name: one.name.replace("_b", "") for one in other.orders if "_b" in one.name
    }
    again = other.renamed("D", back)
    assert [one.name for one in again.top] == [one.name for one in made.top]
    for name in ("M", "S", "A", "C", "dynamics"):
        mine, theirs = getattr(again, name), getattr(made, name)
        assert (mine.rows, mine.columns) == (theirs.rows, theirs.columns)
        assert all_same(mine.matrix, theirs.matrix, points=2)
    assert same(again.equations().kinetic_energy, made.equations().kinetic_energy, points=2)


def test_copies_move_each_for_itself():
    """Two double pendulums of one description, with lengths of their own, beside each other."""
    made = nested()
    both = couple("pair", [made, made.renamed("D2", suffix="_b", shared="g m")])
    lengths = {"l": 0.7, "l_b": 0.3}
    eom = both.equations()
    values = [lengths.get(p.name, NUMBERS.get(p.name)) for p in both.parameters]
    known = dict(zip(["th1", "th2", "th1_b", "th2_b"], [0.4, -0.9, 0.5, 0.1], strict=True))
    found = eom.consistent(known, fixed=list(known), parameters=lengths)
    a = dict(
        zip([one.name for one in eom.speeds], eom.forward_dynamics(0.0, found.q, found.u, [], values), strict=True)
    )
    first, second = lagrange((0.4, -0.9), (0, 0)), lagrange((0.5, 0.1), (0, 0), length=0.3)
    assert [a[f"{n}_dot"] for n in known] == pytest.approx([*first, *second], rel=1e-10)


def test_rules_reach_all_parts():
    made = couple("S", [particle(1), particle(2)], ["x_a = x_b"], rename={"x1": "x_a", "x2": "x_b", "m": "mass"})
    assert {one.name for one in made.orders if made.orders[one] == 0} == {"x_a", "z1", "x_b", "z2"}
    assert "mass" in {one.name for one in made.parameters}


def test_shared_parameters_take_the_value_that_one_of_them_has():
    light = subsystem("A", {0: "a", 1: "a_dot"}, ["-m*a_ddot"], parameters="m")
    heavy = subsystem("B", {0: "b", 1: "b_dot"}, ["-m*b_ddot"], parameters={"m": 3.0})
    for parts in ([light, heavy], [heavy, light]):
        (m,) = couple("S", parts).parameters
        assert [str(value) for value in m.default.values()] == ["3"]


# what is told --------------------------------------------------------------------------------------------------------


def test_progress_and_timings():
    told = []
    made = couple("S", [particle(1)], FIRST, variables="th1", progress=lambda *stage: told.append(stage))
    assert [label for label, _, _ in told] == ["S"] * len(told)
    assert [stage for _, stage, _ in told] == list(made.timings)
    assert {"names", "invariants", "dynamics", "constraints", "complement", "reduction"} <= set(made.timings)
    assert [seconds for _, _, seconds in told] == list(made.timings.values())
    assert all(seconds >= 0 for seconds in made.timings.values())


def test_matrices_print_with_their_names():
    ball = newton_euler("B", "position", "-z", "spherical")
    made = couple("S", [ball], {"rod": "p_B_x*p_B_x + p_B_z**2 - a**2"}, parameters="a",
                  independent="v_B_x v_B_y w_B_x w_B_y w_B_z")  # fmt: skip
    shown = str(made.S).splitlines()
    assert shown[0].split() == ["|", "v_B_x", "v_B_y", "w_B_x", "w_B_y", "w_B_z"]
    assert shown[4].split() == ["v_B_z", "|", "-p_B_x/p_B_z", "0", "0", "0", "0"]
    assert str(made.A).splitlines()[2].startswith("rod |")
    assert "pmatrix" in made.M._repr_latex_() or "matrix" in made.M._repr_latex_()
    numbers = made.M.evaluate({symbol("m_B", "parameter"): 2.0, symbol("I_B", "parameter"): 3.0,
                               symbol("p_B_x", "coordinate"): 3.0, symbol("p_B_z", "coordinate"): -4.0})  # fmt: skip
    np.testing.assert_allclose(np.diag(numbers), [2.0 * (1 + 9 / 16), 2.0, 3.0, 3.0, 3.0])


def test_closed_forms_in_matrices():
    shown = flat().M.closed()
    m, length = symbol("m", "parameter"), symbol("l", "parameter")
    assert same(shown["th1_dot", "th1_dot"], 2 * m * length**2, points=2)


# constraint forces ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [flat, nested, lower_first])
def test_multipliers_are_those_of_the_method_with_multipliers(make):
    made = make()
    found = state(made.equations())
    one, other = (
        made.equations(constraints=handling).constraint_forces(0.0, found.q, found.u, [], list(NUMBERS.values()))
        for handling in (None, mb.Multipliers())
    )
    assert np.abs(other).min() > 0.1
    np.testing.assert_allclose(one, other, rtol=1e-10)


def test_the_force_in_a_rod():
    """At rest, hanging: the upper rod carries both particles."""
    made = nested()
    eom = made.equations()
    found = state(eom, (0.0, 0.0), (0.0, 0.0))
    numbers = eom.constraint_forces(0.0, found.q, found.u, [], list(NUMBERS.values()))
    forces = dict(zip([one.title for one in made.all_invariants()], numbers, strict=True))
    assert forces["U_2"] == pytest.approx(2 * 2.0 * 9.81)
    assert forces["D_2"] == pytest.approx(2.0 * 9.81)


def four_bar(turned=((0, 0, 1), 0.0)):
    """In a plane, which may be turned: of the equations of its loop, some always hold, but for rounding."""
    bar, R = mb.System("four_bar", gravity=(0, -9.81, 0)), mb.Rotation.about(*turned)
    lengths = {"crank": 0.3, "rod": 1.0, "rocker": 0.8}
    rod = {name: bar.body(name, l, (l / 2, 0, 0), (0, 0, l**3 / 12)) for name, l in lengths.items()}
    end = {name: rod[name].frame(name + "_end", (l, 0, 0)) for name, l in lengths.items()}
    bar.joint("drive", bar.frame("base", (0, 0, 0), R), rod["crank"], "Rz", q=1.0, u=2.0)
    bar.joint("knee", end["crank"], rod["rod"], "Rz")
    bar.joint("swing", bar.frame("bearing", R.apply((0.9, 0, 0)), R), rod["rocker"], "Rz", q=1.5)
    bar.joint("pin", end["rod"], end["rocker"], "Rz")
    return bar


LOOPS = {"four_bar": four_bar, "turned": lambda: four_bar(((0.36, 0.48, 0.8), 0.7))}
LOOPS |= {f"random {seed}": lambda seed=seed: random_loops(seed, 4) for seed in (0, 1, 2)}


@pytest.mark.parametrize("name", LOOPS)
def test_mechanisms_as_subsystems_have_the_same_motion_and_forces(name):
    """Accelerations, and generalized forces Bᵀ·λ, of which redundant constraints are a part too."""
    model = LOOPS[name]().freeze()
    model = model.unreduced or model  # with its loops, also where they can be solved
    ours, theirs = from_system(model).equations(), mb.derive(model, constraints=mb.Multipliers())
    rng = np.random.default_rng(1)
    start = [theirs.model.start[q] for q in theirs.coordinates]
    found = theirs.consistent(start, 0.3 * rng.normal(size=len(theirs.speeds)))
    values = list(theirs.model.parameter_values().values())
    arguments = (0.0, found.q, found.u, [0.0] * len(theirs.model.input_symbols), values)
    a = theirs.forward_dynamics(*arguments)
    np.testing.assert_allclose(ours.forward_dynamics(*arguments), a, rtol=1e-8, atol=1e-9 * abs(a).max())
    pushed = [generalized(eom, arguments) for eom in (ours, theirs)]
    np.testing.assert_allclose(*pushed, rtol=1e-6, atol=1e-7 * abs(pushed[1]).max())


def generalized(eom, arguments):
    """Bᵀ·λ."""
    _, q, u, r, p = arguments
    model = eom.model
    symbols = (*model.coordinates, *model.speeds, *model.input_symbols, *model.parameter_symbols)
    known = dict(zip(symbols, (*q, *u, *r, *p), strict=True)) | {model.time: 0.0}
    B = np.array(evaluate(list(eom.B.flat), known), dtype=float).reshape(eom.B.shape)
    return B.T @ eom.constraint_forces(*arguments)


# energy --------------------------------------------------------------------------------------------------------------


def test_energy_of_a_run_is_kept():
    eom = nested().equations()
    found = state(eom)
    run = mb.simulate(eom, 2.0, q=found.q, u=found.u, integrator=FINE)
    assert run.energy_drift < 1e-9


def test_energy_balance_with_a_drive_a_damper_and_a_moving_pivot():
    """T + V changes by what the input gives, the damper takes, and the constraint that moves does."""
    upper = couple("U", [particle(1)], ["x1 = s + l*sin(th1)", "z1 = -l*cos(th1)", "s = 0.2*sin(3*t)"],
                   variables="s th1", independent="th1_dot")  # fmt: skip
    made = couple(
        "M", [upper], own=OwnEquations(dynamics={"th1_dot": "tau - d*th1_dot"}), inputs="tau", parameters={"d": 0.3}
    )
    begin = {"q": {"th1": 0.5, "x1": 0.7 * np.sin(0.5), "z1": -0.7 * np.cos(0.5)}}
    run = mb.simulate(made.equations(), 2.0, inputs={"tau": 0.8}, integrator=FINE, **begin)
    assert run.energy_drift < 1e-8
    assert np.ptp(run["kinetic_energy"] + run["potential_energy"]) > 0.1


def test_inertia_of_a_level():
    """A mass that is added at the hinge: its energy is not known unless it is given."""

    def upper(energy=None):
        rod = ["x1 = s + l*sin(th1)", "z1 = -l*cos(th1)"]
        return couple(
            "U", [particle(1)], rod, variables="s th1", parameters={"m0": 0.5}, independent="s_dot th1_dot",
            own=OwnEquations(dynamics={"s_dot": "-m0*s_ddot"}, energy=energy),
        )  # fmt: skip

    assert not upper().equations().energy_known
    known = upper(energy=("m0*s_dot**2/2", 0))
    begin = {"q": {"th1": 0.9, "x1": 0.7 * np.sin(0.9), "z1": -0.7 * np.cos(0.9)}}
    run = mb.simulate(known.equations(), 1.0, integrator=FINE, **begin)
    assert run.energy_drift < 1e-9
    assert np.ptp(run["s"]) > 0.1


def test_energy_that_is_wrong_is_noticed_by_the_balance():
    """A potential energy that does not belong to the forces shows as a power of forces without a potential."""
    wrong = subsystem("W", {0: "z", 1: "z_dot"}, ["-m*g - m*z_ddot"], parameters=NUMBERS, energy=("m*z_dot**2/2", 0))
    power = wrong.energy.dissipated
    assert same(power, symbol("m", "parameter") * symbol("g", "parameter") * symbol("z_dot", "speed"), points=2)


# many runs -----------------------------------------------------------------------------------------------------------


def test_a_sweep_of_a_subsystem():
    swing = couple("U", [particle(1)], FIRST, variables="th1", independent="th1_dot").equations()
    lengths = [0.4, 0.7, 1.1]
    runs = mb.sweep(
        swing, 0.5, parameters={"l": lengths}, initial={"th1": 0.01}, fixed=["th1"], integrator=FINE, samples=3
    )
    ends = [run["th1"][-1] for run in runs]
    assert ends == pytest.approx([0.01 * np.cos(np.sqrt(9.81 / each) * 0.5) for each in lengths], abs=1e-6)


def test_equations_are_exported_and_linearized_like_others(tmp_path):
    """Written as Python they have Lagrange's accelerations; hanging down they swing at ω² = (2 ± √2)·g/l."""
    eom = nested().equations()
    mb.export(eom, Python(), tmp_path)
    written = runpy.run_path(str(tmp_path / "D.py"))
    found = state(eom)
    rates = dict(
        zip([one.name for one in eom.speeds], written["der_state"](0.0, [*found.q, *found.u])[6:], strict=True)
    )
    assert [rates["th1_dot"], rates["th2_dot"]] == pytest.approx(lagrange([0.4, -0.9], [1.1, -0.7]), rel=1e-10)
    hanging = mb.linearize(eom, at={"z1": -0.7, "z2": -1.4})
    expected = np.sqrt((2 + np.sqrt(2) * np.array([-1, 1])) * 9.81 / 0.7)
    assert sorted(set(np.abs(np.linalg.eigvals(hanging.A).imag).round(8))) == pytest.approx(expected, rel=1e-7)


def test_equations_travel_to_other_processes():
    """With the subsystem that they belong to, its energies, and forces that have no place among the multipliers."""
    held = couple("held", [nested()], {"push": "th1_ddot = 1"})
    for made in (nested(), held):
        eom = made.equations()
        arrived = unpacked(packed(eom))
        assert same(arrived.kinetic_energy, eom.kinetic_energy)
        assert all_same(list(arrived.acceleration), list(eom.acceleration))
        assert all_same(list(arrived.f), list(eom.f))
        assert arrived.system.label == made.label


def test_constraints_with_the_same_title_are_all_kept():
    """Two levels of one label, far apart: both have a constraint 1."""
    inner = couple("W", [couple("S", [particle(1)], ["z1 = 0"])])
    other = couple("S", [particle(2)], ["z2 = 0"])
    eom = couple("T", [inner, other]).equations()
    assert len(eom.multipliers) == len(set(eom.multipliers)) == 2
    found = eom.constraint_forces(0.0, [0.0] * 4, [0.0] * 4, [], list(NUMBERS.values()))
    assert found == pytest.approx([2.0 * 9.81] * 2)


# the formalism -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_trees_are_proved_equal(seed):
    model = random_tree(seed, 4).freeze()
    one, other = mb.derive(model, mb.Recursive()), mb.derive(model, mb.Modular())
    assert len(one.acceleration) == len(model.speeds) > 0
    assert all(same(a, b, points=2) for a, b in zip(one.acceleration, other.acceleration, strict=True))
    assert all_same(one.M, other.M, points=2)


@pytest.mark.parametrize("seed", range(4))
def test_trees_with_given_motions(seed):
    model = random_tree(seed, 3, prescribed=0.5).freeze()
    one, other = mb.derive(model, mb.Recursive()), mb.derive(model, mb.Modular())
    assert all(same(a, b, points=2) for a, b in zip(one.acceleration, other.acceleration, strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_loops_are_proved_equal(seed):
    system = random_loops(seed, 4)
    one, other = (mb.derive(system, each, constraints=mb.Multipliers()) for each in (mb.Recursive(), mb.Modular()))
    assert len(one.multipliers) > 0
    assert all_same(one.M, other.M, points=2)
    assert all_same(list(one.acceleration), list(other.acceleration), points=2)
    assert all_same(list(one.multiplier_values), list(other.multiplier_values), points=2)


@pytest.mark.parametrize("seed", range(4))
def test_trees_as_subsystems_are_proved_equal(seed):
    """The other way: from_system, whose symbols have no scope of their own."""
    model = random_tree(seed, 3).freeze()
    made = from_system(model)
    exchange = {
        one: symbol(one.name, one.kind) for one in (*model.coordinates, *model.speeds, *model.parameter_symbols)
    }
    expected = substitute(list(mb.derive(model).acceleration), exchange)
    found = accelerations(made)
    assert all(same(found[one], a, points=2) for one, a in zip(made.top, expected, strict=True))
    energies = substitute([mb.derive(model).kinetic_energy, mb.derive(model).potential_energy], exchange)
    eom = made.equations()
    assert all_same([eom.kinetic_energy, eom.potential_energy], energies, points=2)
    assert evaluate(
        made.energy.dissipated, dict.fromkeys(mb.graph.free_symbols(made.energy.dissipated), 0.7)
    ) == pytest.approx(0)
