"""Machines that are coupled from subsystems, written to model files and read."""

from dataclasses import replace

import jsonschema
import numpy as np
import pytest
import sympy
from tests.refusal import refused

import multibody as mb
from multibody import modular
from multibody.cli.main import main
from multibody.graph import same, symbol
from multibody.io.model_files import ModelFile, schema
from multibody.io.model_files.coupled.writing import difference
from multibody.model import Input


def pendulum(name="pendulum"):
    system = mb.System(name, gravity=(0, 0, -9.81))
    length = system.parameter("l", 1.2, unit="m", description="of the rod")
    bob = system.body("bob", 2.0, (0, 0, -length), (0.1, 0.1, 0.1))
    hinge = system.joint("angle", system.world, bob, "Ry", q=0.3, limits=(-2, 2))
    end = bob.frame("end", (0.1, 0, -length))
    system.load(mb.JointLoad(hinge, system.input("torque", unit="N*m", limits=(-5, 5)) - 0.1 * hinge.speed))
    system.draw(bob, mb.Sphere(length / 10), position=(0.2, 0, -length))
    system.draw(system.world, mb.Line(), to=end)
    system.sensor("tip", mb.Position(end))
    system.sensor("energy", mb.KineticEnergy(bob))
    return system


def four_bar():
    """A loop that is closed by a constraint, with guesses, and a crank that is driven by a table of time."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0), recognise_loops=False)
    bars = {
        name: system.body(name, 1.0, (length / 2, 0, 0), (0, 0.01, 0.01))
        for name, length in (("crank", 0.3), ("coupler", 1.0), ("rocker", 0.8))
    }
    system.joint("drive", system.world, bars["crank"], "Rz", q=0.3, u=8.0)
    system.joint("swing", system.frame("foot", (0.9, 0, 0)), bars["rocker"], "Rz", guess=2.0, limits=(0.0, 2.0))
    system.joint("knee", bars["crank"].frame("end", (0.3, 0, 0)), bars["coupler"], "Rz", guess=1.0)
    ends = [bars["coupler"].frame("tip", (1.0, 0, 0)), bars["rocker"].frame("top", (0.8, 0, 0))]
    system.constraint(mb.FrameConstraint(*ends, translation="xy"), name="closure")
    return system


def floating():
    system = mb.System("floating")
    body = system.body("ball", 1.5, inertia=(0.1, 0.2, 0.3))
    system.joint("motion", system.world, body, mb.Free())
    return system


def cart(**changed):
    given = {
        "kinematics": {"x": "v"}, "parameters": {"m": 2.0, "d": 0.1, "J": "m*d**2/12", "open": None}, "inputs": "F",
        "energy": ("m*v**2/2", 0), "description": "a cart, with friction",
    } | changed  # fmt: skip
    return modular.subsystem("cart", {0: "x", 1: "v"}, {"v": "F - d*v - m*v_dot + 0*J*open"}, **given)


def hooked():
    """A pendulum with a further variable, to be coupled to."""
    return modular.from_system(pendulum(), variables=["x_E"], constraints={"where": "x_E = -l*sin(angle)"})


def pair():
    first = modular.from_system(pendulum())
    second = first.renamed("second", suffix="_2", shared=["l"]).with_start(angle_2=0.3)
    return modular.couple("pair", [first, second], {"tie": "angle - angle_2"})


def pushed():
    return modular.couple("pushed", [hooked(), cart()], {"touch": "x_E = x"}, independent="angle_dot")


def nested():
    inner = pushed()
    again = inner.renamed("again", suffix="_b", shared="l")
    return modular.couple(
        "whole", [inner, again], ["x = x_b + s", sympy.Symbol("s") - sympy.Symbol("angle") / 3],
        variables=["s"], rename={"F_b": "F"}, own=modular.OwnEquations(dynamics={"s_dot": "-k*s - m_s*s_ddot"},
        energy=("m_s*s_dot**2/2", "k*s**2/2")), parameters={"k": 3.0, "m_s": 0.5}, description="both",
    )  # fmt: skip


def linkage():
    bars = modular.from_system(four_bar(), "bars")
    wheel = modular.subsystem("wheel", {0: "phi", 1: "phi_dot"}, {"phi_dot": "-J*phi_ddot"}, parameters={"J": 0.2})
    return modular.couple("linkage", [bars, wheel], {"gear": "phi - 2*swing"})


def free():
    return modular.couple("held", [modular.from_system(floating())], {"height": "motion_z - 1"})


MACHINES = [pair, pushed, nested, linkage, free, cart, hooked]


@pytest.mark.parametrize("make", MACHINES)
def test_what_is_read_is_what_was_written(make, tmp_path):
    made = make()
    path = mb.write_model(made, tmp_path / "machine.yaml")
    again = mb.read_model(path)
    assert isinstance(again, modular.Subsystem)
    assert mb.model_text(again) == path.read_text()
    ours, theirs = made.equations(), again.equations()
    for name in ("coordinates", "speeds"):
        assert [one.name for one in getattr(ours, name)] == [one.name for one in getattr(theirs, name)]
    assert all(map(same, ours.acceleration, theirs.acceleration))
    for what in ("M", "h", "f", "B"):
        assert all(map(same, getattr(ours, what).flat, getattr(theirs, what).flat))
    assert {one.name: value for one, value in ours.model.start.items()} == {
        one.name: value for one, value in theirs.model.start.items()
    }
    assert {one.name: one.limits for one in ours.model.inputs} == {one.name: one.limits for one in theirs.model.inputs}
    assert list(ours.model.sensors) == list(theirs.model.sensors)
    assert [one.name for one in ours.drawings] == [one.name for one in theirs.drawings]
    jsonschema.validate(_plain(path), schema())


def _plain(path):
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load(path.read_text())


def test_sensors_and_runs_of_a_machine_that_was_read(tmp_path):
    made = pair()
    again = mb.read_model(mb.write_model(made, tmp_path / "pair.yaml"))
    runs = [mb.simulate(one.equations(), 0.5, inputs={"torque": 0.2}, samples=11) for one in (made, again)]
    for name in ("angle", "second_tip", "pendulum_energy"):
        np.testing.assert_array_equal(runs[0][name], runs[1][name])
    mb.write_page(again.equations(), tmp_path / "pair.html", runs[1])
    assert "second_bob" in (tmp_path / "pair.html").read_text()


def test_a_part_that_is_used_several_times_is_written_once():
    text = mb.model_text(pair())
    assert text.count("system:") == 1
    assert "second_2: {label: second" not in text.split("second:")[0]
    leg = modular.from_system(pendulum())
    copies = [leg.renamed(f"leg_{k}", suffix=f"_{k}", shared="l") for k in (1, 2, 3)]
    three = mb.model_text(modular.couple("three", copies, {"a": "angle_1 - angle_2", "b": "angle_1 - angle_3"}))
    assert three.count("system:") == 1
    assert three.count("copy: pendulum") == 3


def test_the_command_line_takes_coupled_machines(tmp_path, capsys):
    path = mb.write_model(pushed(), tmp_path / "pushed.yaml")
    assert main(["simulate", str(path), "--duration", "0.1", "--parameter", "open=1"]) == 0
    assert main(["check", str(path)]) == 0
    assert "pushed" in capsys.readouterr().out
    for arguments in (["compare", str(path)], ["new", str(tmp_path / "new.py"), "--from", str(path)]):
        assert main(arguments) != 0
        assert "error in multibody" not in capsys.readouterr().err
    assert not (tmp_path / "new.py").exists()


def test_values_are_changed_in_place(tmp_path):
    path = mb.write_model(pair(), tmp_path / "pair.yaml")
    file = ModelFile.read(path)
    file.set("subsystems.pendulum.system.parameters.l.value", 0.7)
    file.save()
    (length,) = mb.read_model(path).parameters
    assert float(next(iter(length.default.values())).value) == 0.7


# what cannot be written ----------------------------------------------------------------------------------------------


def test_a_system_that_was_changed_is_not_written(tmp_path):
    system = pendulum()
    part = modular.from_system(system)
    whole = modular.couple("whole", [part, cart()], {"tie": "angle - x"})
    system.body("late", 1.0)
    system.joint("late_joint", system.world, system["late"], "Tx")
    with refused("value-not-writable", "whole") as caught:
        mb.write_model(whole, tmp_path / "whole.yaml")
    assert "from_system" in caught.value.remedy
    assert not (tmp_path / "whole.yaml").exists()


def test_a_value_that_was_changed_is_not_written():
    constraints = {"tie": "angle - x"}
    whole = modular.couple("whole", [modular.from_system(pendulum()), cart()], constraints)
    mb.model_text(whole)
    constraints["tie"] = "angle - 2*x"
    with refused("value-not-writable", "whole") as caught:
        mb.model_text(whole)
    assert "the equations of 'whole'" in caught.value.cause


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (lambda: modular.newton_euler("B", "position", gravity="-z"), "B"),
        (lambda: modular.library.planar.platform("P", 3, mass=1.5, inertia=0.02, radius=0.1), "P"),
        (lambda: modular.from_system(pendulum().freeze()), "pendulum"),
        (lambda: cart(inputs=[Input("F", symbol("F", "input"), limits=(0, 1))]), "cart"),
    ],
)
def test_parts_that_a_file_cannot_hold_are_named(part, name):
    with refused("value-not-writable", name) as caught:
        mb.model_text(modular.couple("whole", [part()]))
    assert caught.value.remedy


def test_equations_are_not_written():
    for thing in (pair().equations(), pendulum().freeze(), modular.linearize(modular.from_system(pendulum()))):
        with refused("value-not-writable"):
            mb.model_text(thing)


# each difference is seen ---------------------------------------------------------------------------------------------


def test_differences_are_found_where_they_are():
    made = pushed()
    assert difference(made, pushed()) == ""
    top, value = made.top[0], made.s[0]
    changes = {
        "the label": {"label": "other"}, "the description": {"description": "x"}, "the start": {"start": {}},
        "the parameters": {"parameters": ()}, "the inputs": {"inputs": ()}, "other names": {"aliases": {"n": value}},
        "the quaternions": {"quaternions": ((top,),)}, "the energy": {"energy": None},
        "the rows": {"rows": {top: value}},
        "the independent variables": {"chosen": (top,)}, "the constraints": {"invariants": ()},
        "the bodies": {"appearance": made.levels()[0].appearance}, "the reference": {"reference": {top: value}},
    }  # fmt: skip
    for what, change in changes.items():
        assert difference(made, replace(made, **change)) == f"{what} of 'pushed'"
    assert difference(made, hooked()) == "the number of parts"
    other = modular.couple("pushed", [hooked(), cart()], {"touch": "x_E = 2*x"}, independent="angle_dot")
    assert difference(made, other) == "the equations of 'pushed'"


# files that mean nothing ---------------------------------------------------------------------------------------------

GOOD = """multibody: 1
name: pair
subsystems:
  a:
    system:
      name: a
      bodies: {bob: {mass: 1, com: [0, 0, -1]}}
      joints: {angle: {parent: world, child: bob, kind: Ry}}
  b: {copy: a, suffix: _2}
  pair: {subsystems: [a, b], constraints: {tie: angle = angle_2}}
"""


def test_a_file_by_hand():
    read = mb.read_model(GOOD)
    assert [one.name for one in read.equations().coordinates] == ["angle", "angle_2"]
    assert mb.read_model(mb.model_text(read)).label == "pair"


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("copy: a,", "copy: c,", "name-unknown", 9),
        ("copy: a,", "copy: pair,", "name-unknown", 9),  # only what stands above
        ("name: pair", "name: other", "name-unknown", 2),
        ("subsystems: [a, b], constraints: {tie: angle = angle_2}", "subsystems: [a]", "subsystem-unused", 9),
        ("suffix: _2", "sufix: _2", "name-unknown", 9),
        ("angle = angle_2", "angle = angel_2", "name-unknown", 10),
        ("mass: 1", "mas: 1", "name-unknown", 7),
        ("suffix: _2}", "suffix: _2, start: {angel_2: 1}}", "value-of-unknown-name", 9),
        ("suffix: _2}", "suffix: _2, start: 3}", "value-unusable", 9),
        ("  b: {copy: a, suffix: _2}", "  b: 3", "value-of-wrong-type", 9),
        ("{tie: angle = angle_2}", "{tie: angle = angle_2}, variables: {x: [y]}", "variable-order-invalid", 10),
        ("multibody: 1\n", "multibody: 1\ngravity: [0, 0, 0]\n", "name-unknown", 2),
        ("      name: a\n", "      include: x.yaml\n", "name-unknown", 6),
        ("name: pair\n", "", "model-name-missing", 1),
        ("      name: a\n", "", "model-name-missing", 6),
    ],
)
def test_mistakes_are_shown_in_their_lines(old, new, code, line):
    assert old in GOOD
    with refused(code) as caught:
        mb.read_model(GOOD.replace(old, new))
    assert caught.value.line == line


def test_included_files(tmp_path):
    head, parts = GOOD.split("subsystems:\n", 1)
    lines = parts.splitlines(keepends=True)
    (tmp_path / "a.yaml").write_text("multibody: 1\nsubsystems:\n" + "".join(lines[:-2]))
    (tmp_path / "pair.yaml").write_text(head + "include: a.yaml\nsubsystems:\n" + "".join(lines[-2:]))
    assert difference(mb.read_model(tmp_path / "pair.yaml"), mb.read_model(GOOD)) == ""
    (tmp_path / "a.yaml").write_text("multibody: 1\nbodies: {late: {mass: 1}}\n")
    with refused("model-file-mixed", "late"):
        mb.read_model(tmp_path / "pair.yaml")
