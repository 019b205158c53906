"""Coordinates, speeds and inputs have the order in which the user wrote them, in arrays, matrices, files and code."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.compat.pymbs import MbsSystem
from multibody.graph import same
from multibody.model import Joint, Model, System
from multibody.testing import random_arguments, random_floating_system, random_system, random_tree
from multibody.testing.identities import shuffling_changes_nothing
from multibody.testing.identities.invariance import shuffled

SEEDS = range(6)
FORMALISMS = (
    mb.Kane(), mb.Lagrange(), mb.NewtonEuler(), mb.Recursive(), mb.ArticulatedBody(), mb.Wittenburg()
)  # fmt: skip
PLAIN = (lambda rng: rng.choice(["Rx", "Ry", "Rz"]), lambda rng: ["Tz", "Rx"], lambda rng: rng.choice(["Tx", "Ty"]))
"""Joints whose speeds are the rates of their coordinates."""


def names(symbols: Any) -> list[str]:
    return [one.name for one in symbols]


def as_written(system: System) -> tuple[list[str], list[str]]:
    """Coordinates and speeds of all joints that move, one joint after the other."""
    moving = [joint for joint in system.all(Joint) if joint.prescribed is None]
    return names(q for joint in moving for q in joint.coordinates), names(u for joint in moving for u in joint.speeds)


def places(model: Model, other: Model, what: str) -> list[int]:
    """Where the coordinates, speeds or inputs of one model stand in another one."""
    known = names(getattr(other, what))
    return [known.index(name) for name in names(getattr(model, what))]


def pair(seed: int, formalism: Any = None, **options: Any) -> tuple[Any, Any]:
    """Equations of a tree, and of the same one with its joints in another order."""
    system = random_system(seed, 6, sensors=3, **options)
    other = shuffled(system.freeze(), seed + 50).system
    return mb.derive(system, formalism), mb.derive(other, formalism)


# the model -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_states_stand_in_the_order_of_their_joints(seed):
    """All kinds of joints: several coordinates, quaternions, prescribed motions, joints from child to parent."""
    model = random_tree(seed, 7, prescribed=0.3).freeze()
    for system in (shuffled(model, k).system for k in range(4)):
        frozen = system.freeze()
        assert (names(frozen.coordinates), names(frozen.speeds)) == as_written(system)
        assert [q for q in frozen.start if q in frozen.coordinates] == [*frozen.coordinates]
        assert [u for u in frozen.start if u in frozen.speeds] == [*frozen.speeds]
        assert [link.joint.name for link in frozen.links] == [link.joint.name for link in model.links]


def leaf_first() -> System:
    """A double pendulum of point masses in the plane, its outer joint written first."""
    system = System("leaf_first", gravity=(0, 0, -9.81))
    upper, lower = system.body("upper", 2.0, (0, 0, -1.5)), system.body("lower", 3.0, (0, 0, -0.7))
    system.joint("elbow", upper.frame("end", (0, 0, -1.5)), lower, "Ry", q=0.4)
    system.joint("shoulder", system.world, upper, "Ry", q=-0.2)
    return system


def test_joints_written_leaf_first():
    """M and gravity of the double pendulum in closed form, with the relative angle in front."""
    eom = mb.derive(leaf_first())
    assert names(eom.coordinates) == ["elbow", "shoulder"]
    b, a = 0.3, 1.1
    coupling = 3.0 * 1.5 * 0.7 * np.cos(b)
    outer = 3.0 * 0.7**2
    M = [[outer, outer + coupling], [outer + coupling, 2.0 * 1.5**2 + 3.0 * 1.5**2 + outer + 2 * coupling]]
    np.testing.assert_allclose(eom.mass_matrix(0.0, [b, a], [0.0, 0.0], [], []), M, rtol=1e-14)
    torque = 3.0 * 9.81 * 0.7 * np.sin(a + b)
    bias = [torque, torque + 5.0 * 9.81 * 1.5 * np.sin(a)]
    np.testing.assert_allclose(eom.bias(0.0, [b, a], [0.0, 0.0], [], []), bias, rtol=1e-13)


def test_inputs_stand_as_written_and_their_rates_follow_in_the_same_order():
    system = System("driven")
    first, second = system.input("z"), system.input("a")
    parts = [system.body(name, 1.0, (1, 0, 0), (1, 1, 1)) for name in "pqr"]
    system.joint("outer", parts[1], parts[2], "Rz", prescribed=first)
    system.joint("mid", parts[0], parts[1], "Rz")
    system.joint("inner", system.world, parts[0], "Rz", prescribed=second)
    model = system.freeze()
    assert names(model.input_symbols) == ["z", "a", "z_dot", "z_ddot", "a_dot", "a_ddot"]
    assert names(model.coordinates) == ["mid"]


# derive --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formalism", FORMALISMS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_equations_are_the_same_by_name_with_as_many_operations(seed, formalism):
    eom, other = pair(seed, formalism)
    q, u = (places(eom.model, other.model, what) for what in ("coordinates", "speeds"))
    assert u != sorted(u)
    assert all(same(a, other.acceleration[k]) for a, k in zip(eom.acceleration, u, strict=True))
    assert all(same(a, other.model.rates[k]) for a, k in zip(eom.model.rates, q, strict=True))
    for one, permuted in ((eom.M, other.M[np.ix_(u, u)]), (eom.h, other.h[u]), (eom.f, other.f[u])):
        assert all(same(a, b) for a, b in zip(one.flat, permuted.flat, strict=True))
    if isinstance(formalism, mb.Recursive | mb.ArticulatedBody | mb.Wittenburg):
        assert eom.forward_dynamics.operations == other.forward_dynamics.operations
    at = random_arguments(eom.model, seed)
    moved = at._replace(q=_inverse(at.q, q), u=_inverse(at.u, u))
    np.testing.assert_allclose(eom.forward_dynamics(*at), other.forward_dynamics(*moved)[u], rtol=1e-9, atol=1e-9)


def _inverse(values: Any, where: list[int]) -> Any:
    result = np.empty(len(where))
    result[where] = values
    return result


@pytest.mark.parametrize("seed", SEEDS)
def test_shuffled_joints_move_all_bodies_alike(seed):
    for system in (random_system(seed, 5), random_floating_system(seed, 5)):
        for formalism in (mb.Recursive(), mb.ArticulatedBody()):
            shuffling_changes_nothing(mb.derive(system, formalism), formalism, seed, seed)


def test_speeds_of_the_user_come_first_then_those_that_stay_as_written():
    system = leaf_first()
    elbow, shoulder = system["elbow"], system["shoulder"]
    eom = mb.derive(system, mb.Kane(speeds={"w": elbow.speed + shoulder.speed}))
    assert names(eom.speeds) == ["w", "elbow_dot"]
    assert names(eom.coordinates) == ["elbow", "shoulder"]


# loops ---------------------------------------------------------------------------------------------------------------


def four_bar(order: str, **cut: bool) -> System:
    system = System("bar", gravity=(0, -9.81, 0))
    crank = system.body("crank", 1.0, (0.15, 0, 0), (0, 0, 0.01))
    coupler = system.body("coupler", 2.0, (0.45, 0, 0), (0, 0, 0.1))
    rocker = system.body("rocker", 1.5, (0.3, 0, 0), (0, 0, 0.05))
    ends = {
        "a": (system.world, crank, 1.0), "b": (crank.frame("tip", (0.3, 0, 0)), coupler, -0.8),
        "c": (system.frame("foot", (1.0, 0, 0)), rocker, 1.8),
        "d": (coupler.frame("end", (0.9, 0, 0)), rocker.frame("top", (0.6, 0, 0)), 0.0),
    }  # fmt: skip
    for name in order:
        near, far, guess = ends[name]
        system.joint(name, near, far, "Rz", guess=guess, cut=cut.get(name))
    return system


@pytest.mark.parametrize("order", ["abcd", "dcba", "cbda"])
def test_loops_keep_the_order(order):
    closed, cut = four_bar(order).freeze(), four_bar(order, d=True)
    assert len(closed.coordinates) == 1
    wanted = [name for name in order if name != "d"]
    for handling in (mb.Multipliers(), mb.IndependentSpeeds()):
        eom = mb.derive(cut.freeze().unreduced, constraints=handling)
        assert names(eom.coordinates) == wanted
    full = cut.freeze().unreduced
    run = mb.simulate(mb.derive(full), 0.2, samples=3)
    reference = mb.simulate(mb.derive(four_bar("abcd", d=True).freeze().unreduced), 0.2, samples=3)
    for name in "abc":
        np.testing.assert_allclose(run[name], reference[name], atol=1e-7)
    assert run.q.shape == (3, 3)
    np.testing.assert_array_equal(run.q[:, wanted.index("b")], run["b"])


@pytest.mark.parametrize("order", ["zam", "amz", "mza"])
def test_forces_of_joints_that_close_loops_stand_in_the_order_of_the_joints(order):
    """A plate on four rods: multipliers, and the array of constraint forces, follow the order of writing."""
    system = mb.System("plate", gravity=(0, -9.81, 0))
    places = {"z": 0.3, "a": 0.5, "m": 0.9}
    plate = system.body("plate", 2.0, (0.4, 0, 0), (0, 0, 0.3))
    system.joint("slide", system.world, plate, ["Tx", "Ty", "Rz"])
    for name in order:
        block = system.body(f"block_{name}", 1.0)
        system.joint(f"lift_{name}", system.frame(f"foot_{name}", (places[name], 0, 0)), block, "Tx")
        system.joint(name, block, plate.frame(f"pin_{name}", (places[name], 0, 0)), "Rz", cut=True)
    eom = mb.derive(system)
    owners = list(dict.fromkeys(name.removeprefix("lambda_").split("_")[0] for name in names(eom.multipliers)))
    assert owners == list(order)


# verbs ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_runs_take_and_give_arrays_as_written(seed):
    system = random_system(seed, 5, PLAIN, prescribed=0)
    other = shuffled(system.freeze(), 3).system
    one, two = mb.derive(system), mb.derive(other)
    q, u = (places(one.model, two.model, what) for what in ("coordinates", "speeds"))
    _, at, speeds, *_ = random_arguments(one.model, seed)
    settings = {"duration": 0.05, "samples": 3, "inputs": dict.fromkeys(names(one.inputs), 0.3)}
    first = mb.simulate(one, q=at, u=0.1 * speeds, **settings)
    second = mb.simulate(two, q=_inverse(at, q), u=_inverse(0.1 * speeds, u), **settings)
    np.testing.assert_allclose(first.q, second.q[:, q], atol=1e-7)
    np.testing.assert_allclose(first.u, second.u[:, u], atol=1e-5)
    for k, name in enumerate(as_written(other)[0]):
        np.testing.assert_array_equal(second.q[:, k], second[name])


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_linear_systems_have_states_as_written(seed):
    system = random_system(seed, 5, PLAIN, prescribed=0)
    other = shuffled(system.freeze(), 4).system
    outputs = as_written(system)[0]
    one, two = (mb.linearize(mb.derive(each), outputs=outputs) for each in (system, other))
    assert list(two.states) == [*as_written(other)[0], *as_written(other)[1]]
    assert list(one.inputs) == list(two.inputs)
    x = [list(two.states).index(name) for name in one.states]
    np.testing.assert_allclose(one.A, two.A[np.ix_(x, x)], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.B, two.B[x], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.C, two.C[:, x], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_exported_python_has_arrays_as_written(seed, tmp_path):
    eom, other = pair(seed)
    rates = []
    for k, each in enumerate((eom, other)):
        (path,) = mb.export(each, mb.Python(), tmp_path / str(k)).written
        module = ModuleType("exported")
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
        assert list(module.COORDINATES) == names(each.coordinates)
        assert list(module.SPEEDS) == names(each.speeds)
        rates.append(module)
    _agree(eom, other, seed, lambda k, at: rates[k].state_rate(at.t, at.q, at.u, at.r, rates[k].parameters()))


@pytest.mark.parametrize("seed", SEEDS[:1])
def test_exported_c_has_arrays_as_written(seed, tmp_path):
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed")
    eom, other = pair(seed)
    libraries = []
    for k, each in enumerate((eom, other)):
        folder = tmp_path / str(k)
        mb.export(each, mb.C(jacobians=False), folder)
        library = folder / "model.so"
        subprocess.run([gcc, "-O0", "-shared", "-fPIC", *map(str, folder.glob("*.c")), "-o", str(library), "-lm"],
                       check=True, timeout=300)  # fmt: skip
        libraries.append(ctypes.CDLL(str(library)))

    def rate(k: int, at: Any) -> Any:
        return _called(libraries[k], (eom, other)[k], at)

    _agree(eom, other, seed, rate)


def _called(library: ctypes.CDLL, eom: Any, at: Any) -> Any:
    parameters = (ctypes.c_double * 10_000)()
    library.tree_defaults(parameters)
    library.tree_prepare(parameters)
    q_dot, u_dot = np.zeros(len(eom.coordinates)), np.zeros(len(eom.speeds))
    given = [np.ascontiguousarray(part, dtype=float).ctypes.data_as(ctypes.c_void_p) for part in (at.q, at.u, at.r)]
    library.tree_state_rate.restype = None
    results = [part.ctypes.data_as(ctypes.c_void_p) for part in (q_dot, u_dot)]
    library.tree_state_rate(ctypes.c_double(at.t), *given, parameters, *results)
    return q_dot, u_dot


def _agree(eom: Any, other: Any, seed: int, rate: Any) -> None:
    """Rates of both by name, and those of the first against the equations."""
    q, u = (places(eom.model, other.model, what) for what in ("coordinates", "speeds"))
    at = random_arguments(eom.model, seed)
    moved = at._replace(q=_inverse(at.q, q), u=_inverse(at.u, u))
    first, second = rate(0, at), rate(1, moved)
    np.testing.assert_allclose(first[1], eom.forward_dynamics(*at), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(first[0], np.asarray(second[0])[q], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(first[1], np.asarray(second[1])[u], rtol=1e-9, atol=1e-9)


def test_subsystems_keep_the_order():
    part = mb.modular.from_system(leaf_first())
    eom = part.equations()
    assert names(eom.coordinates) == ["elbow", "shoulder"]
    assert names(eom.speeds) == ["elbow_dot", "shoulder_dot"]


# doors ---------------------------------------------------------------------------------------------------------------


def test_model_files_have_the_order_of_the_file(tmp_path):
    system = leaf_first()
    mb.write_model(system, tmp_path / "model.yaml")
    assert names(mb.read_model(tmp_path / "model.yaml").freeze().coordinates) == ["elbow", "shoulder"]


def urdf(joints: list[str]) -> str:
    """A base with two arms of two links; a link without mass and a fixed one between them."""
    links = "".join(
        f'<link name="{name}"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="{mass}"/><inertia ixx="1" iyy="1" '
        'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for name, mass in zip(("base", "l1", "l2", "r1", "r2", "grip"), range(1, 7), strict=True)
    )
    text = {
        name: f'<joint name="{name}" type="{kind}"><origin xyz="{place}"/><parent link="{near}"/><child link="{far}"/>'
        '<axis xyz="0 1 0"/></joint>'
        for name, kind, near, far, place in (
            ("left", "continuous", "base", "l1", "0 0 1"), ("left_2", "prismatic", "plate", "l2", "1 0 0"),
            ("right", "continuous", "base", "r1", "0 1 0"), ("right_2", "continuous", "r1", "r2", "0 0 2"),
            ("mount", "fixed", "l1", "plate", "0 0.5 0"), ("weld", "fixed", "r2", "grip", "0 0 0.5"),
        )
    }  # fmt: skip
    return f'<robot name="arms">{links}<link name="plate"/>{"".join(text[name] for name in joints)}</robot>'


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("floating", [False, True])
def test_robots_have_the_order_of_the_document(seed, floating):
    joints = ["left", "left_2", "right", "right_2", "mount", "weld"]
    random.Random(seed).shuffle(joints)
    robot = mb.read_urdf(urdf(joints), floating=floating)
    eom = mb.derive(robot.system)
    moving = [name for name in joints if name not in ("mount", "weld")]
    assert names(eom.coordinates)[7 if floating else 0 :] == moving == list(robot.joints)
    assert names(eom.speeds)[6 if floating else 0 :] == [f"{name}_dot" for name in moving]
    reference = mb.derive(mb.read_urdf(urdf(sorted(joints)), floating=floating).system)
    u = places(eom.model, reference.model, "speeds")
    assert all(same(a, reference.acceleration[k]) for a, k in zip(eom.acceleration, u, strict=True))


def test_pymbs_scripts_have_the_order_of_add_joint():
    world = MbsSystem([0, 0, -1])
    arm, hand = world.addBody(1.0, name="arm"), world.addBody(2.0, name="hand")
    arm.addFrame("end", [0, 0, 1])
    for body in (arm, hand):
        body.addFrame("hook", [0, 0, -1])
    world.addJoint(arm.end, hand.hook, "Ry", 0.0, name="wrist")
    world.addJoint(world, arm.hook, ["Rx", "Ry"], [0.0, 0.0], name="shoulder")
    world.genEquations()
    assert names(world.equations.coordinates) == ["wrist", "shoulder_rx", "shoulder_ry"]
