"""Masses, inertias and limits that nothing can have: refused wherever they enter."""

import warnings

import numpy as np
import pytest
import sympy
from sympy.physics import mechanics
from tests.refusal import refused

import multibody as mb
from multibody.errors import ModelError, MultibodyError


def arm(**values):
    system = mb.System("arm")
    m, J = system.parameters(**({"m": 1.0, "J": 0.1} | values))
    body = system.body("bob", m, (0, 0, -1), (J, J, J))
    joint = system.joint("angle", system.world, body, "Ry", q=0.1)
    system.load(mb.JointSpring(joint, 10.0))
    system.load(mb.JointLoad(joint, system.input("M")))
    return system


BAD = [{"m": -1.0}, {"J": -0.5}]
CODES = {"m": "mass-negative", "J": "inertia-negative"}


@pytest.mark.parametrize("values", BAD)
def test_a_model_with_such_defaults_is_refused(values):
    system = arm(**values)
    (code,) = (CODES[name] for name in values)
    with refused(code) as caught:
        mb.derive(system)
    assert "'bob'" in caught.value.where
    assert code in {error.code for error in system.check().errors}


@pytest.mark.parametrize("inertia", [(-1, 1, 1), ((1, 3, 0), (3, 1, 0), (0, 0, 1))])
def test_an_impossible_tensor_is_refused_also_where_other_values_are_missing(inertia):
    system = mb.System("arm")
    body = system.body("bob", system.parameter("m"), (0, 0, system.parameter("l")), inertia)
    system.joint("angle", system.world, body, "Ry")
    with refused("inertia-negative"):
        mb.derive(system)


def test_a_negative_mass_is_refused_also_where_other_values_are_missing():
    system = mb.System("arm")
    system.joint("angle", system.world, system.body("bob", -1, (0, 0, system.parameter("l"))), "Ry")
    with refused("mass-negative"):
        mb.derive(system)


def test_a_hole_is_a_body_of_negative_mass_on_another_one():
    def plate(hole):
        system = mb.System("plate")
        whole = system.body("whole", 4.0, (0, 0, -1), (1, 1, 1))
        system.joint("weld", whole, system.body("hole", hole, (0, 0, -1.5), (-0.05, -0.05, -0.05)), mb.Weld())
        system.joint("angle", system.world, whole, "Ry")
        return system

    assert plate(-0.5).check().ok
    assert any("hole" in one.cause for one in plate(-0.5).check().warnings)
    mb.derive(plate(-0.5))
    with refused("mass-negative"):
        mb.derive(plate(-5.0))
    assert not plate(-5.0).check().ok


USES = {
    "run": lambda eom, p: mb.simulate(eom, 0.1, parameters=p),
    "linear model": lambda eom, p: mb.linearize(eom, parameters=p),
    "symbolic linear model": lambda eom, p: mb.linearize_symbolic(eom, parameters=p),
    "symbolic linear model with a free spring": lambda eom, p: mb.linearize_symbolic(eom, parameters=p, free=["angle"]),
    "numbers of a symbolic linear model": lambda eom, p: mb.linearize_symbolic(eom, free=list(p)).at(**p),
    "consistent start": lambda eom, p: eom.consistent(parameters=p),
    "equilibrium": lambda eom, p: mb.equilibrium(eom, parameters=p),
    "equilibria": lambda eom, p: mb.equilibria(eom, parameters=p),
    "root locus": lambda eom, p: [
        mb.root_locus(mb.along(eom, name, at={"angle": 0.0}), [1.0, value]) for name, value in p.items()
    ],
    "C": lambda eom, p: mb.export(eom, mb.C(), "code", parameters=p),
    "Modelica": lambda eom, p: mb.export(eom, mb.Modelica(), "code", parameters=p),
    "Python": lambda eom, p: mb.export(eom, mb.Python(), "code", parameters=p),
    "page": lambda eom, p: mb.page_html(eom, parameters=p),
    "page of a system": lambda eom, p: mb.page_html(arm(), parameters=p),
    "picture": lambda eom, p: mb.picture(eom, parameters=p),
}


@pytest.mark.parametrize("values", BAD)
@pytest.mark.parametrize("name", USES)
def test_values_of_parameters_are_refused(name, values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refused(*(CODES[parameter] for parameter in values)):
        USES[name](mb.derive(arm()), values)


@pytest.mark.parametrize("values", BAD)
def test_a_sweep_tells_which_runs_are_impossible(values):
    [(name, value)] = values.items()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = mb.sweep(mb.derive(arm()), 0.1, parameters={name: [1.0, value]}, samples=3)
    assert runs.status == ["DONE", "NO_START"]


def test_an_equilibrium_does_not_find_a_negative_mass():
    with refused("equilibrium-beyond-limits"):
        mb.equilibrium(mb.derive(arm()), fixed={"angle": -0.3}, free=["m"], at={"M": 5.0})


def test_model_files_are_refused():
    text = "multibody: 1\nname: a\nbodies:\n  b: {mass: -1}\njoints:\n  x: {parent: world, child: b, kind: Tx}\n"
    with refused("mass-negative"):
        mb.derive(mb.read_model(text))


def test_pymbs_scripts_are_refused():
    from multibody.compat.pymbs import MbsSystem

    world = MbsSystem([0, 0, -1])
    body = world.addBody(name="b", mass=-1.0)
    world.addJoint("x", world, body, "Tx")
    with refused("mass-negative"):
        world.genEquations.Recursive()


def cart(m):
    return mb.modular.subsystem(
        "cart", {0: "x", 1: "v"}, {"v": "F - m*v_dot"}, kinematics={"x": "v"}, parameters={"m": m}, inputs="F"
    )


def test_subsystems_are_refused():
    with refused("mass-matrix-negative"):
        cart(-2.0).equations()
    eom = cart(2.0).equations()
    for use in (lambda: mb.simulate(eom, 0.1, parameters={"m": -2}), lambda: mb.linearize(eom, parameters={"m": -2})):
        with refused("mass-matrix-negative"):
            use()
    ball = mb.modular.newton_euler("B", "position", "-z", "spherical", parameters={"m_B": 1, "I_B": 1, "g": 9.81})
    with refused("inertia-negative", "B"):
        mb.simulate(ball.equations(), 0.1, parameters={"I_B": -2})


def test_models_from_sympy_are_refused():
    (q, u), m = mechanics.dynamicsymbols("q u"), sympy.symbols("m")
    world, point = mechanics.ReferenceFrame("N"), mechanics.Point("P")
    point.set_vel(world, u * world.x)
    method = mechanics.KanesMethod(world, [q], [u], kd_eqs=[q.diff() - u])
    method.kanes_equations([mechanics.Particle("box", point, m)], [(point, -q * world.x)])
    with refused("mass-negative"):
        mb.from_sympy(method, parameters={m: -1})
    with refused("mass-negative"):
        mb.simulate(mb.from_sympy(method, parameters={m: 1}), 0.1, parameters={"m": -1})


# limits --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [
    (1, -1), (np.nan, 1), (0, np.nan), ("0", "1"), "01", "ab", ("low", "high"), (1,), (1, 2, 3), 5, (1j, 2),
    (np.inf, np.inf), (-np.inf, -np.inf),
])  # fmt: skip
def test_limits_that_are_no_range_are_refused(limits):
    system = mb.System("slide")
    with pytest.raises(ModelError):
        system.joint("x", system.world, system.body("box", 1.0), "Tx", limits=limits)
    with pytest.raises(ModelError):
        system.input("F", limits=limits)


def test_limits_that_are_a_range_are_kept():
    system = mb.System("slide")
    assert system.joint("x", system.world, system.body("box", 1.0), "Tx", limits=(-1, np.inf)).limits == ((-1, np.inf),)


# matrices ------------------------------------------------------------------------------------------------------------

TENSOR = np.array([[1.0, 0.1, 0.2], [0.1, 1.2, 0.05], [0.2, 0.05, 0.9]])


def spinning(inertia):
    system = mb.System("top")
    tensor = inertia(system)
    system.joint("j", system.world, system.body("b", 1.0, (0, 0, -1), tensor), mb.Free(), u=(0, 0, 0, 1, 2, 3))
    return system


def test_a_symmetric_matrix_parameter_is_an_inertia():
    """The same motion as with the numbers, also through a model file, and with other values."""
    system = spinning(lambda s: s.parameter("J", TENSOR))
    eom, other = mb.derive(system), 2 * TENSOR
    values = {f"J_{i + 1}_{j + 1}": other[i, j] for i in range(3) for j in range(3)}
    ends = [mb.simulate(eom, 1.0).u[-1], mb.simulate(mb.derive(mb.read_model(mb.model_text(system))), 1.0).u[-1]]
    expected = mb.simulate(mb.derive(spinning(lambda s: TENSOR)), 1.0).u[-1]
    assert np.allclose(ends, expected, rtol=1e-9)
    changed = mb.simulate(mb.derive(spinning(lambda s: other)), 1.0).u[-1]
    assert np.allclose(mb.simulate(eom, 1.0, parameters=values).u[-1], changed, rtol=1e-9)


def test_a_matrix_parameter_must_stay_symmetric():
    eom = mb.derive(spinning(lambda s: s.parameter("J", TENSOR)))
    with refused("inertia-not-symmetric"):
        mb.simulate(eom, 1.0, parameters={"J_2_1": 0.3})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert mb.sweep(eom, 0.1, parameters={"J_2_1": [0.1, 0.3]}, samples=3).status == ["DONE", "NO_START"]


def test_a_matrix_parameter_that_is_not_symmetric_is_no_inertia():
    with refused("matrix-not-symmetric"):
        spinning(lambda s: s.parameter("J", TENSOR + np.triu(TENSOR, 1)))


def test_a_rotation_from_a_matrix():
    turn = mb.Rotation.about("x", 0.3).to_array()
    assert np.allclose(mb.Rotation(turn).to_array(), turn)
    assert mb.Rotation(np.eye(3)) == mb.Rotation.matrix(np.eye(3))
    for wrong in (np.ones((3, 3)), np.diag([1, 1, -1]), np.eye(2), "x", 3, None):
        with pytest.raises(MultibodyError):
            mb.Rotation(wrong)


def test_a_body_that_is_fixed_to_the_world_may_have_any_inertia():
    """It does not move; a robot's base in a file often has a rounded tensor."""
    system = arm()
    system.joint("floor", system.world, system.body("base", 1.0, inertia=(-1, 1, 1)), mb.Weld())
    mb.derive(system)
    assert any("negative" in one.what for one in system.check().warnings)


def carried_top(*motions):
    """A body with a parameter for a moment of inertia; the other two are 0.1."""
    system = mb.System("top_in_space", gravity=(0, 0, -9.81))
    parent = system.world
    for number, other in enumerate(motions[:-1]):
        carrier = system.body(f"carrier{number}", 1.0, (0, 0, -1), (1, 1, 1))
        system.joint(f"carried{number}", parent, carrier, other)
        parent = carrier
    moment = system.parameter("moment", 0.15)
    system.joint("spin", parent, system.body("top", 1.0, (0, 0, -1), (0.1, 0.1, moment)), motions[-1])
    return mb.derive(system)


@pytest.mark.parametrize(
    ("motion", "in_space"),
    [(("Rz",), False), (("Rz", "Tx"), False), ((["Tx", "Ry"], "Ry"), False), (("Rx", "Rz"), True),
     ((mb.Spherical(),), True), ((mb.Free(),), True), ((["Rx", "Rz"],), True)],
)  # fmt: skip
def test_a_run_names_bodies_whose_inertia_only_bodies_in_a_plane_may_have(motion, in_space, caplog):
    eom = carried_top(*motion)
    named = []
    for moment in (0.15, 0.3):
        mb.simulate(eom, 0.01, samples=2, parameters={"moment": moment})
        messages = [record.getMessage() for record in caplog.records]
        named.append([message for message in messages if "inertia-triangle-inequality" in message])
    assert [len(messages) for messages in named] == [0, in_space]
    assert all("body 'top'" in message and "moment=0.3" in message for message in named[1])


def test_a_sweep_names_the_first_run_with_such_an_inertia(caplog):
    eom = carried_top("Rx", "Rz")
    moments = [0.15, 0.3, 0.35, 0.1]
    mb.sweep(eom, 0.01, parameters={"moment": moments}, samples=2)
    messages = [record.getMessage() for record in caplog.records]
    named = [message for message in messages if "inertia-triangle-inequality" in message]
    assert len(named) == 1
    assert "moment=0.3." in named[0]
    caplog.clear()
    mb.sweep(carried_top("Rz"), 0.01, parameters={"moment": moments}, samples=2)
    assert not [record for record in caplog.records if "inertia" in record.getMessage()]
