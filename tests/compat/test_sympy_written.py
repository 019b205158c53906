"""Our systems and equations, written with SymPy's mechanics package."""

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from tests.refusal import refused

import multibody as mb
from multibody.compat.sympy import from_sympy, to_sympy
from multibody.testing.random_loops import random_loops
from multibody.testing.random_models import random_tree

from .sympy_numbers import our_rates, sympy_rates

KINDS = {
    "hinge": "Rz", "slider": mb.Prismatic((1, 2, 3)), "tilted hinge": mb.Revolute((1, 2, 3)),
    "cylindrical": mb.Cylindrical("x"), "planar": mb.Planar("y"), "stack": ["Tz", "Rx", "Ry"],
    "universal": mb.Universal(), "screw": mb.Screw("z", 0.2), "ball": mb.Spherical("zxz"), "quaternion": mb.Spherical(),
    "free": mb.Free("xyz"),
}  # fmt: skip


def two_bodies(kind):
    """A body on a hinge with an offset, and one on a joint of the given kind, with loads of several sorts."""
    system = mb.System("pair", gravity=(0.3, -0.2, -9.81))
    m, k = system.parameters(m=2.0, k=3.0)
    F = system.input("F")
    first = system.body("first", m, (0.1, 0.2, 0.3), (1.0, 0.1, 2.0, 0.2, 0.3, 2.5))
    second = system.body("second", 1.5, (-0.2, 0.1, 0.4), (0.5, 0.6, 0.7))
    flange = first.frame("flange", (0.4, 0, 0.1), mb.Rotation.about_x(mb.pi / 3))
    grip = second.frame("grip", (0, 0.2, 0))
    swing = system.joint("swing", system.world, first, "Ry")
    system.joint("arm", flange, grip, kind)
    system.load(mb.JointLoad(swing, F - k * swing.speed))
    system.load(mb.Force(grip, (1.0, F, -0.5)))
    return system


def same_motion(system, eom, formed=None, seed=0):
    """The rates of our equations against those of the system in SymPy's words, where all constraints are kept."""
    written = to_sympy(system)
    rng = np.random.default_rng(seed)
    rough = rng.normal(size=len(eom.coordinates)) / 2, rng.normal(size=len(eom.speeds))
    state = eom.consistent(*rough)
    q = dict(zip((one.name for one in eom.coordinates), state.q, strict=True))
    u = dict(zip((one.name for one in eom.speeds), state.u, strict=True))
    r = {one.name: 0.8 for one in eom.inputs}
    expected = dict(zip([*q, *u], our_rates(eom, state.q, state.u, list(r.values())), strict=True))
    values = {one.name: value for one, value in eom.model.parameter_values().items()}
    if formed:
        written.form_eoms()
        names = [one.func.__name__ for one in (*written.q, *written.u)]
        inputs = [sm.Function(name)(sm.Symbol("t")) for name in r]
        symbols = {sm.Symbol(name): value for name, value in values.items()}
        own = sympy_rates(written, list(written.q), list(written.u), symbols, inputs)
        n = len(written.q)
        found = own([q[name] for name in names[:n]], [u[name] for name in names[n:]], list(r.values()))
    else:
        back = from_sympy(written, parameters={sm.Symbol(name): value for name, value in values.items()})
        names = [one.name for one in (*back.coordinates, *back.speeds)]
        n = len(back.coordinates)
        found = our_rates(
            back, [q[name] for name in names[:n]], [u[name] for name in names[n:]], [r[one.name] for one in back.inputs]
        )
    assert sorted(names) == sorted(expected)
    scale = max(1.0, *map(abs, expected.values()))
    assert max(abs(found[k] - expected[name]) for k, name in enumerate(names)) < 1e-10 * scale


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_joint(name):
    system = two_bodies(KINDS[name])
    same_motion(system, mb.derive(system))


def test_equations_that_sympy_forms_for_a_tree():
    system = two_bodies("Rz")
    same_motion(system, mb.derive(system), formed=True)


def four_bar():
    system = mb.System("four_bar", gravity=(0, 0, -9.81))
    lengths, parent = {"crank": 1.0, "coupler": 2.2, "rocker": 1.8}, system.world
    for name, length in lengths.items():
        body = system.body(name, 2 * length, (length / 2, 0, 0), (0, length**3 / 6, 0))
        system.joint(f"{name}_angle", parent, body, "Ry", q=0.3)
        parent = body.frame(f"{name}_end", (length, 0, 0))
    system.joint("closing", system.frame("pin", (2.5, 0, 0)), parent, "Ry", cut=True)
    return system


@pytest.mark.parametrize("formed", [False, True])
def test_a_loop_becomes_holonomic_constraints(formed):
    system = four_bar()
    written = to_sympy(system)
    assert len(written.holonomic_constraints) == len(written.q_dep) == len(written.u_dep) == 2
    same_motion(system, mb.derive(system, constraints=mb.Multipliers()), formed=formed)


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_random_loops(seed):
    kinds = [lambda rng: "Rx", lambda rng: "Ry", lambda rng: "Tz"]
    system = random_loops(seed, 3, 1, kinds=kinds)
    same_motion(system, mb.derive(system, constraints=mb.Multipliers()), seed=seed)


@pytest.mark.parametrize("seed", [1, 4])
def test_random_trees_with_prescribed_joints(seed):
    kinds = [lambda rng: "Rx", lambda rng: "Ty", lambda rng: mb.Weld(), lambda rng: ["Rz", "Tx"]]
    system = random_tree(seed, 4, kinds, prescribed=0.3)
    same_motion(system, mb.derive(system), seed=seed)


@pytest.mark.parametrize("make", [lambda: two_bodies("Rz"), lambda: two_bodies(mb.Spherical()), four_bar])
def test_equations_come_back_as_they_were(make):
    eom = mb.derive(make(), constraints=mb.Multipliers())
    back = from_sympy(to_sympy(eom), parameters={one.name: v for one, v in eom.model.parameter_values().items()})
    assert [one.name for one in back.coordinates] == [one.name for one in eom.coordinates]
    assert [one.name for one in back.speeds] == [one.name for one in eom.speeds]
    state = eom.consistent(u=np.linspace(0.2, 0.9, len(eom.speeds)))
    r = [0.8] * len(eom.inputs)
    expected = our_rates(eom, state.q, state.u, r)
    scale = max(1.0, np.abs(expected).max())
    assert np.abs(our_rates(back, state.q, state.u, r) - expected).max() < 1e-12 * scale


def test_rates_of_inputs_are_written_as_derivatives_and_come_back():
    q, u, f = me.dynamicsymbols("q u f")
    t = me.dynamicsymbols._t
    written = me.SymbolicSystem([q], sm.Matrix([u, f - q * f.diff(t) + f.diff(t, 2)]), speeds=[u])
    back = to_sympy(from_sympy(written))
    assert (back.dyn_implicit_rhs[0] - written.comb_explicit_rhs[1]).expand() == 0
    assert [one.name for one in from_sympy(back).inputs] == ["f", "f_ddot", "f_dot"]


def test_closed_forms_as_a_symbolic_system():
    pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
    m, l = pendulum.parameters(m=2.0, l=1.0)
    pendulum.joint("angle", pendulum.world, pendulum.body("bob", m, (0, 0, -l)), "Ry")
    system = mb.derive(pendulum).to_sympy()
    assert isinstance(system, me.SymbolicSystem)
    t = sm.Symbol("t")
    angle = sm.Function("angle")(t)
    mass, length = sm.symbols("m l")
    assert system.dyn_implicit_mat == sm.Matrix([[mass * length**2]])
    assert system.kin_explicit_rhs == sm.Matrix([angle.diff(t)])
    assert sm.simplify(system.dyn_implicit_rhs[0] + 9.81 * mass * length * sm.sin(angle)) == 0
    assert (system.M, system.q, system.u) == (system.dyn_implicit_mat, system.coordinates, system.speeds)
    system.compute_explicit_form()
    assert sm.simplify(system.comb_explicit_rhs - system.rates.col_join(system.acceleration)) == sm.zeros(2, 1)
    assert [str(one) for one in from_sympy(system).readable().acceleration] == ["-9.81*sin(angle)/l"]


def test_closed_forms_with_constraints_and_of_nothing():
    slide = mb.System("slide", gravity=(0, 0, -9.81))
    first, second = (slide.joint(name, slide.world, slide.body(f"{name}_body", 2), "Tz") for name in "xy")
    slide.constraint(first.coordinate + 2 * second.coordinate)
    found = mb.derive(slide, mb.Lagrange()).to_sympy()
    assert found.comb_explicit_rhs[2:] == found.acceleration[:]
    assert [float(one) for one in found.acceleration] == pytest.approx([-2 * 9.81 / 5, 9.81 / 5])
    given = mb.System("given")
    given.joint("x", given.world, given.body("b", 1), "Tx", prescribed=given.time)
    assert mb.derive(given).to_sympy().states.shape == (0, 1)


def equal_slider_crank():
    """A crank and a rod of 1 m and 1 kg each, and a piston of 1 kg, on a horizontal plane."""
    system = mb.System("slider_crank", recognise_loops=False)
    crank, rod = (system.body(name, 1.0, (0.5, 0, 0), (0, 0, 1 / 12)) for name in ("crank", "rod"))
    piston = system.body("piston", 1.0)
    system.joint("turn", system.world, crank, "Rz")
    system.joint("knee", crank.frame("pin", (1, 0, 0)), rod, "Rz")
    system.joint("stroke", system.world, piston, "Tx")
    system.joint("eye", rod.frame("end", (1, 0, 0)), piston, "Rz", cut=True)
    return system


@pytest.mark.parametrize("write", [to_sympy, lambda eom: eom.to_sympy()])
@pytest.mark.parametrize("handling", [None, mb.Multipliers(), mb.IndependentSpeeds("turn_dot")])
def test_constraints_come_back(write, handling):
    """Through the singular position: T = J(θ)·θ̇²/2 stays as it is, with J = 2/3 + 6·sin²θ."""
    back = from_sympy(write(mb.derive(equal_slider_crank())), constraints=handling)
    assert back.constraints_known
    assert len(back.constraints) == 2
    assert bool(back.independent) == isinstance(handling, mb.IndependentSpeeds)
    angle, speed = np.pi / 4, 2.0
    q = {"turn": angle, "knee": -2 * angle, "stroke": 2 * np.cos(angle)}
    u = {"turn_dot": speed, "knee_dot": -2 * speed, "stroke_dot": -2 * np.sin(angle) * speed}
    run = mb.simulate(back, 0.8, q=q, u=u, samples=21)
    energy = (2 / 3 + 6 * np.sin(run["turn"]) ** 2) * run["turn_dot"] ** 2
    assert run["turn"].max() > np.pi / 2 + 0.3
    assert energy == pytest.approx(np.full(len(energy), (2 / 3 + 3) * speed**2), rel=1e-6)
    assert run["stroke"] == pytest.approx(2 * np.cos(run["turn"]), abs=1e-9)
    assert 0 < run.statistics.constraint_residual < 1e-9


def test_constraints_that_come_back_close_the_loops():
    back = from_sympy(to_sympy(mb.derive(equal_slider_crank())))
    with pytest.warns(mb.StartWarning):
        run = mb.simulate(back, 0.1, q={"turn": 0.5, "knee": -0.9, "stroke": 1.7}, samples=3)
    assert run["stroke"][0] == pytest.approx(2 * np.cos(run["turn"][0]), abs=1e-9)
    at = {"turn": np.pi / 2, "knee": -np.pi, "stroke": 0.0}
    position = [at[one.name] for one in back.coordinates]
    with refused("position-singular"):
        back.forward_dynamics(0.0, position, [0.0] * 3, [], [])


def test_quaternions_and_velocity_constraints_come_back():
    eom = mb.derive(mb.library.rolling_disc())
    back = from_sympy(to_sympy(eom), parameters={one.name: v for one, v in eom.model.parameter_values().items()})
    assert set(back.constraints.names) == {eom.constraints.names[row] for row in eom.constraints.moving}
    spinning = mb.derive(two_bodies(mb.Spherical()))
    assert from_sympy(to_sympy(spinning)).model.quaternions == [list(one) for one in spinning.model.quaternions]


def test_constraints_of_a_symbolic_system_from_elsewhere_are_not_known():
    q, u = me.dynamicsymbols("q u")
    system = me.SymbolicSystem([q], sm.Matrix([u, -q]), speeds=[u])
    with refused("option-without-effect"):
        from_sympy(system, constraints=mb.Multipliers())
    eom = from_sympy(system, start={q: 1.0})
    assert not eom.constraints_known
    run = mb.simulate(eom, 1.0, samples=3)
    assert run.statistics.constraint_residual is None
    assert "constraints  not known" in str(run.statistics)
    assert mb.simulate(mb.derive(mb.library.pendulum()), 0.1, samples=2).statistics.constraint_residual == 0


def test_a_system_writes_itself():
    system = mb.library.pendulum()
    assert system.to_sympy().form_eoms() == to_sympy(system).form_eoms()


def test_what_cannot_be_written():
    with refused("sympy-object-unsupported"):
        to_sympy(1.0)  # type: ignore[call-overload]
