"""Systems written to model files and read again: nothing is lost, and nothing is rounded."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from ruamel.yaml import YAML
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.graph import Table, as_expr, cos, parse, pi, sin, where
from multibody.io.model_files import model_text, read_model, schema
from multibody.io.model_files.schema import made_schema, schema_text
from multibody.io.model_files.vocabulary import BASES, LAWS, arguments, words
from multibody.model.given import given_to
from multibody.testing import random_loops, random_system

from .model_file_samples import CRANE, EVERYTHING, fingerprints, numbers

VALIDATOR = jsonschema.Draft202012Validator(made_schema())


def assert_kept(system: mb.System, folder: Path | None = None) -> str:
    """Written, read and written again, a system is the same, and so is the text."""
    text = model_text(system)
    again = read_model(text, folder=folder)
    assert model_text(again) == text
    assert numbers(again.freeze()) == numbers(system.freeze())
    assert fingerprints(again) == fingerprints(system)
    return text


# round trips ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", library.names())
def test_library(name):
    assert_kept(library.find(name).build())


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed):
    assert_kept(random_system(seed, 2, prescribed=0.3, loads=4, sensors=3))


@pytest.mark.parametrize("seed", range(3))
def test_random_loops(seed):
    assert_kept(random_loops(seed, 3))


@pytest.mark.parametrize("text", [CRANE, EVERYTHING])
def test_samples(text):
    for one in (text, assert_kept(read_model(text))):
        VALIDATOR.validate(YAML(typ="safe", pure=True).load(one))


def test_a_file_is_the_system_that_python_builds():
    crane = mb.System("crane", gravity=(0, 0, -9.81))
    m1 = crane.parameter("m1", 10.0)
    m2 = crane.parameter("m2", 1.0, unit="kg", description="hook, and what hangs on it")
    l = crane.parameter("l", 1)
    I = crane.parameter("I", m2 * l**2 / 12)
    F = crane.input("F", unit="N", limits=(-10, 10))
    crab = crane.body("crab", mass=m1)
    load = crane.body("load", mass=m2, inertia=mb.diag(0, I, 0))
    crane.joint("slide", crane.world, crab, "Tx", q=1.0)
    hook = load.frame("hook", (0, 0, l))
    crane.joint("swing", crab, hook, "Ry", q=-1.0, limits=(-float(pi) / 2, float(pi) / 2))
    crane.sensor("v", mb.Velocity(load))
    push = mb.PointToPointForce(crane.world, crab, F - 3 * crane.measured("v")[0])
    crane.load(push, name="push")
    read = read_model(CRANE)
    assert numbers(read.freeze()) == numbers(crane.freeze())
    assert fingerprints(read) == fingerprints(crane)
    assert_kept(crane)


# every word ----------------------------------------------------------------------------------------------------------

BASE = """\
multibody: 1
name: site
parameters: {r: 0.5}
inputs: {F: {}}
tables: {pull: {x: [-1, 0, 2], y: [-1, 0, 3], interpolation: cubic}}
bodies:
  a: {mass: 1, inertia: [1, 2, 3], frames: {tip: {position: [0, 0, 1]}}}
  b: {mass: 2, inertia: [1, 2, 3], frames: {eye: {position: [1, 0.3, 0], rotation: {about: x, angle: 0.2}}}}
joints:
  turn: {parent: world, child: a, kind: Rz, q: 0.1}
  slide: {parent: a, child: b, kind: Ty, q: 0.7}
"""
FRAMES, JOINTS = ("tip", "eye", "a", "b"), ("slide", "turn")
VALUES = {
    "frames": "[a, b]", "frame or com": "eye", "point": "[1, r, 3]", "law": "{of: x, is: r*x + x**3}",
    "function of 1": "{of: x, is: r*x**4}", "function of 2": "{of: [x, v], is: r*x*v}",
    "function of 3": "{of: [x, y, z], is: x**2 + y**2 - z - r}", "field": "{of: [x, y, z], is: r*x*z}",
    "direction": "[1, 2, 2]", "coordinates": "[turn]", "whole number": "-1", "truth": "false", "movements": "[Tx, Rz]",
    "colour": "[0.1, 0.2, 0.3, 0.4]", "path": "part.stl", "value": "r",
}  # fmt: skip
BY_NAME = {
    "form": "xyz", "normal": "y", "translation": "xz", "rotation": "x", "unit": "N", "vector": "[r, F, 3*t]",
    "acceleration": "[r, 0, 1]", "damping": "{Friction: {coulomb: r, static: 2}}", "torsion": "[1, r, 2]",
    "turns": "5", "scale": "[1, 2, -3]",
}  # fmt: skip
SPECIAL = {
    ("ExpJoint", "value"): "turn**2", ("HexapodWithOffset", "axis"): "z", ("PointOnPlane", "normal"): "[0, 1, r]",
    ("Bushing", "damping"): "r", ("ExpressionConstraint", "value"): "slide - 2*turn - r", ("Screw", "pitch"): "r/3",
    ("GravityField", "field"): "{of: [x, y, z], is: [r*y, -x, 1]}", ("JointSpring", "energy"): "",
    ("Spring", "energy"): "", ("FrameConstraint", "rotation"): "", ("JointFriction", "coulomb"): "{table: pull}",
    ("RollingDisc", "crown"): "r/5",
}  # fmt: skip


def written(word: type) -> str:
    """All arguments of a class, as they stand in a file."""
    frames, joints = iter(FRAMES), iter(JOINTS)
    said = {}
    for one in arguments(word).values():
        if (word.__name__, one.name) in SPECIAL:
            said[one.name] = SPECIAL[word.__name__, one.name]
        elif one.kind in ("joint", "movement"):
            said[one.name] = {"turn": "turn", "slide": "slide"}.get(one.name) or next(joints)
        elif one.kind == "frame":
            said[one.name] = next(frames)
        else:
            said[one.name] = VALUES[one.kind] if one.kind == "direction" else BY_NAME.get(one.name) or VALUES[one.kind]
    return f"{{{word.__name__}: {{{', '.join(f'{key}: {value}' for key, value in said.items() if value)}}}}}"


ALL = [(section, name) for section in BASES for name in words(section)]


def item(section: str, word: type) -> str:
    if section == "joints":
        return f"  thing: {{parent: world, child: c, kind: {written(word)}}}\n"
    if section == "drawings":
        return f"drawings:\n  thing: {{frame: tip, shape: {written(word)}, position: [0, r, 1]}}\n"
    return f"{section}:\n  thing: {written(word)}\n"


@pytest.mark.parametrize(("section", "name"), ALL)
def test_every_class_of_the_vocabulary(section, name, tmp_path):
    """A class that is added to the vocabulary of models has a place in files, or fails here."""
    word = words(section)[name]
    base = BASE.replace("  b: {", "  c: {mass: 1, inertia: [1, 1, 1]}\n  b: {") if section == "joints" else BASE
    text = base + item(section, word)
    VALIDATOR.validate(YAML(typ="safe", pure=True).load(text))
    system = read_model(text, folder=tmp_path)
    made = {"joints": lambda: system["thing"].kind, "drawings": lambda: system.drawings["thing"].shape}.get(
        section, lambda: getattr(system, section)["thing"]
    )()
    assert type(made) is word
    if section == "loops":  # the mechanism has no loop that could be closed
        again = read_model(model_text(system))
        assert model_text(again) == model_text(system)
        assert repr(again.loops["thing"]) == repr(made)
    else:
        kept = assert_kept(system, tmp_path)
        for one in arguments(word).values():
            left_out = (name, one.name) in SPECIAL or name == "Elementary"
            assert left_out or f"{one.name}:" in kept.split(name, maxsplit=1)[1]


def test_the_vocabulary_is_complete():
    public = {name for name in mb.model.__all__ if inspect.isclass(getattr(mb.model, name))}
    bases = tuple(BASES.values())
    concrete = {
        name for name in public
        if issubclass(getattr(mb.model, name), bases) and not inspect.isabstract(getattr(mb.model, name))
    }  # fmt: skip
    assert concrete - {"Shape"} == {name for _, name in ALL}
    assert all(issubclass(word, mb.Friction) for word in LAWS.values())


# notations -----------------------------------------------------------------------------------------------------------


def posed(rotation: str) -> list[int]:
    text = f"multibody: 1\nname: n\nparameters: {{r: 2}}\nframes: {{f: {{rotation: {rotation}}}}}\n"
    system = read_model(text)
    assert model_text(read_model(model_text(system))) == model_text(system)
    return cosines(system["f"])


def cosines(frame: mb.Frame) -> list[int]:
    return [as_expr(one).fp for one in frame.pose.rotation.to_matrix().components()]


def directly(rotation) -> list[int]:
    system = mb.System("n")
    frame = system.frame("f", rotation=rotation)
    again = read_model(model_text(system))["f"]
    assert cosines(again) == cosines(frame)
    return cosines(frame)


@pytest.mark.parametrize(
    ("text", "rotation"),
    [
        ("{about: x, angle: pi/2}", mb.Rotation.about_x(pi / 2)),
        ("{about: y, angle: 0.3}", mb.Rotation.about_y(0.3)),
        ("{about: z, angle: -2*pi/5}", mb.Rotation.about_z(-2 * pi / 5)),
        ("{about: [1, 2, 3], angle: 0.3}", mb.Rotation.about((1, 2, 3), 0.3)),
        ("{euler: zxz, angles: [0.1, -2, 3]}", mb.Rotation.euler("zxz", (0.1, -2, 3))),
        ("{euler: XYZ, angles: [pi/3, 0, pi/7]}", mb.Rotation.euler("XYZ", (pi / 3, 0, pi / 7))),
        ("{quaternion: [1, 2, 3, 4]}", mb.Rotation.quaternion(mb.Quaternion(1, 2, 3, 4))),
        ("{matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ("[{about: x, angle: 0.5}, {about: z, angle: 0.25}]", mb.Rotation.about_x(0.5) @ mb.Rotation.about_z(0.25)),
        ("[]", None),
    ],
)
def test_rotations(text, rotation):
    assert posed(text) == directly(rotation)


def test_rotations_with_parameters():
    system = mb.System("n")
    r = system.parameter("r", 2)
    turns = [
        mb.Rotation.about_x(r), mb.Rotation.about_y(-r / 2), mb.Rotation.about_z(pi / 2 - r),
        mb.Rotation.about((1, 1, 0), r),
        mb.Rotation.euler("xyz", (r, 0.2, 2 * r)), mb.Rotation.about_x(pi / 5) @ mb.Rotation.about_z(r),
    ]  # fmt: skip
    for k, turn in enumerate(turns):
        system.frame(f"f{k}", (r, 0, 0), turn).frame(f"g{k}", (0.1, 0.2, r), turn)
    text = model_text(system)
    assert "f0: {position: [r, 0, 0], rotation: {about: x, angle: r}}" in text
    again = read_model(text)
    for one in system.all(mb.Frame):
        assert cosines(again[one.name]) == cosines(one)
        assert [a.fp for a in one.pose.position] == [b.fp for b in again[one.name].pose.position]


def test_frames_on_frames_stay_exact():
    """0.1 + 0.2 is rounded in a pose: only what was given brings the same fingerprint back."""
    system = mb.System("n")
    first = system.body("b", 1, (0.1, 0, 0), (1, 1, 1), about=(0.3, 0.1, 0)).frame("first", (0.1, 0, 0))
    first.frame("second", (0.2, 0, 0))
    again = read_model(model_text(system))
    assert again["second"].pose.position.x.fp == system["second"].pose.position.x.fp
    assert [one.fp for one in again["b"].inertia.components()] == [one.fp for one in system["b"].inertia.components()]
    assert "{on: first, position: [0.2, 0, 0]}" in model_text(system)


def test_functions_are_written_by_their_formulas():
    system = mb.System("n")
    k, x = system.parameters(k=3.0, x=0.5)
    a, b = system.body("a", 1), system.body("b", 1)
    system.joint("p", system.world, a, "Tx", q=1.0)
    system.joint("q", system.world, b, "Ty", q=1.0)
    table = Table("pull", [0, 1, 3], [0, 0.1, 0.3])
    system.load(mb.Spring(a, b, lambda s: k * s**3 + x), name="cubic")
    system.load(mb.Spring(a, b, energy=lambda s: where(s > 0, k * s * s / 0.3, 0)), name="one_sided")
    system.load(mb.Damper(a, b, table), name="tabled")
    system.load(mb.Damper(a, b, table.derivative()), name="slope")
    system.load(mb.SpringDamper(a, b, law=lambda s, v: table(s) * abs(v)), name="both")
    system.load(mb.GravityField(lambda r: (0, sin(r.x), -k * r.z)), name="field")
    text = assert_kept(system)
    assert "cubic: {Spring: {a: a, b: b, stiffness: {of: x_, is: k*x_**3 + x}}}" in text
    assert "pull: {x: [0.0, 1.0, 3.0], y: [0.0, 0.1, 0.3]}" in text
    assert "x_**2*(1/0.3)" in text or "1/0.3*" in text


def test_names_that_several_things_have():
    system = mb.System("n")
    p = system.parameter("F_1", 2.0)
    F = system.input("F", 2)
    body = system.body("b", 1)
    joint = system.joint("x", system.world, body, "Tx", q=1.0)
    system.sensor("x_dot", mb.Velocity(body))
    system.sensor("where_is", mb.Distance(system.world, body))
    v = system.measured("x_dot")
    system.load(mb.JointLoad(joint, p * F[0] + v[0] + joint.speed + system.measured("where_is")), name="all")
    text = assert_kept(system)
    assert "parameter.F_1" in text
    assert "input.F_1" in text
    assert "measured.x_dot_1" in text
    assert "measured.where_is" in text
    with refused("name-ambiguous") as caught:
        read_model(text.replace("parameter.F_1", "F_1"))
    assert "parameter.F_1 or input.F_1" in caught.value.remedy


def test_a_start_value_of_a_name_that_a_parameter_has_too():
    system = mb.System("n")
    system.parameter("p_tx", 1.0)
    system.joint("p", system.world, system.body("b", 1), ["Tx", "Ty"])
    system.start(p_tx=3.0)
    assert "start:\n  p_tx: 3.0\n" in model_text(system)
    assert read_model(model_text(system)).starts == {"p_tx": 3.0}


def test_parameters_by_tables():
    system = mb.System("n")
    x = system.parameter("x", 0.25)
    system.joint("q", system.world, system.body("b", system.parameter("m", Table("f", [0, 1], [1, 3])(x))), "Tx")
    again = read_model(assert_kept(system)).freeze()
    assert list(again.parameter_values({"x": 0.75}).values()) == [0.75, 2.5]


def test_words_of_the_grammar_as_names():
    system = mb.System("n")
    symbols = system.parameters(**dict.fromkeys(("pi", "where", "sin", "null", "no", "true", "φ", "measured"), 1.5))
    system.joint("and_", system.world, system.body("not_", sum(symbols) * pi), "Tx")
    assert_kept(system)


def test_long_formulas():
    system = mb.System("n")
    joint = system.joint("q", system.world, system.body("b", 1), "Tx")
    value = joint.coordinate
    for k in range(60):
        value = sin(value + k) * cos(value) + value
    system.sensor("s", mb.Expression([value, value**2]))
    text = assert_kept(system)
    assert "where" in text


def test_changes_after_making_are_written():
    system = mb.System("n")
    body = system.body("b", 1, (0, 0, 1), (1, 1, 1))
    other = body.frame("f", (1, 0, 0))
    system.joint("q", system.world, body, "Tx", q=2.0)
    spring = system.load(mb.Spring(system.world, body, 3.0, length=1.0), name="s")
    body.mass, spring.length = parse("5"), 4.5
    other.pose = mb.Transform(mb.Rotation.identity(), mb.Vec3(0, 2, 0).symbolic())
    again = read_model(model_text(system))
    assert again["b"].mass == 5
    assert again["f"].pose.position.y == 2
    assert again.loads["s"].length == 4.5
    assert fingerprints(again) == fingerprints(system)


def test_the_description_is_kept(tmp_path):
    text = "A crane: with 'all' it carries.\n\n  Second line, # no comment."
    system = mb.System("crane", description=text)
    assert read_model(model_text(system)).description == text
    block = read_model("multibody: 1\nname: n\ndescription: |\n  Two\n  lines.\n")
    assert model_text(block).startswith("multibody: 1\nname: n\ndescription: |\n  Two\n  lines.\ngravity")
    assert "description" not in model_text(mb.System("crane"))
    (tmp_path / "part.yaml").write_text("multibody: 1\nname: part\ndescription: of the part\n")
    (tmp_path / "whole.yaml").write_text("multibody: 1\nname: n\ndescription: of the whole\ninclude: part.yaml\n")
    assert read_model(tmp_path / "whole.yaml").description == "of the whole"


def test_couplings_are_written_as_what_they_are_made_of():
    robot = mb.System("robot")
    foot = robot.body("foot", mass=1, inertia=(1, 1, 1))
    robot.joint("base", robot.world, foot, mb.Free())
    mb.contact(robot, "heel", foot)
    mb.hydraulic_cylinder(robot, "leg", robot.frame("up", (0, 0, 5)), foot)
    assert "CmpForce_heel: {Force: {on: foot" in assert_kept(robot)


def test_what_cannot_be_written():
    class Wind(mb.Force):
        pass

    system = mb.System("n")
    body = system.body("b", 1)
    system.joint("q", system.world, body, "Tx")
    system.load(Wind(body, (1, 0, 0)), name="wind")
    with refused("value-not-writable") as caught:
        model_text(system)
    assert "load 'wind'" in caught.value.where
    other = mb.System("m")
    other.load(mb.Damper(other.world, other.body("b", 1), lambda v: float(v)), name="bad")
    with refused("value-not-writable"):
        model_text(other)


# what things remember ------------------------------------------------------------------------------------------------


def test_things_remember_what_they_were_made_with():
    system = mb.System("n")
    b = system.body("b", mass=1)
    assert mb.Damper(system.world, b, damping=3).given == {"a": system.world, "b": b, "damping": 3}
    assert mb.Energy(b, b).given == {"bodies": (b, b)}
    assert mb.Weld().given == {}
    assert given_to(b) == {"self": system, "name": "b", "mass": 1}
    assert given_to(system.world) is None
    sizes = [1, 2, 3]
    force = mb.Force(b, sizes)
    sizes[0] = 9
    assert force.given["vector"] == [1, 2, 3]


def test_remembering_disturbs_nobody():
    kind = mb.Revolute("y")
    for twin in (copy.copy(kind), copy.deepcopy(kind), pickle.loads(pickle.dumps(kind))):
        assert twin.given == {"axis": "y"}
        assert twin.axis == "y"
    assert repr(kind) == "Revolute(axis='y')"
    assert list(inspect.signature(mb.Spring).parameters) == ["a", "b", "stiffness", "length", "energy"]
    assert list(inspect.signature(mb.Friction(1)).parameters) == ["v"]
    with pytest.raises(TypeError, match="unexpected"):
        mb.Revolute(axes="x")


# the schema ----------------------------------------------------------------------------------------------------------


def test_the_published_schema_is_up_to_date():
    assert schema() == made_schema(), "Write multibody.io.model_files.schema.schema_text() to schema.json."
    assert schema_text().endswith("}\n")
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("multibody: 1", "multibody: 2"), ("bodies:", "bodys:"), ("mass: m1", "mas: m1"), ("kind: Tx", "kind: Tq"),
        ("Velocity:", "Velocty:"), ("frame: load", "farme: load"), ("child: crab, ", ""), ("l: 1\n", "l: true\n"),
        ("[-10, 10]", "[-10]"), ("a: world, ", ""), ("  v:", "  2v:"), ("position: [0, 0, l]", "position: {x: 1}"),
    ],
)  # fmt: skip
def test_the_schema_refuses_what_the_reader_refuses(old, new):
    wrong = CRANE.replace(old, new)
    assert wrong != CRANE
    assert not VALIDATOR.is_valid(YAML(typ="safe", pure=True).load(wrong))
    with pytest.raises(mb.errors.ModelFileError):
        read_model(wrong)


# the page ------------------------------------------------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "model_files.md").read_text("utf-8")


def test_the_page_shows_what_works(tmp_path, monkeypatch, capsys):
    crane, *others = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    for text in (crane, *others):
        VALIDATOR.validate(YAML(typ="safe", pure=True).load(text))
        thing = read_model(text)
        if isinstance(thing, mb.System):
            assert_kept(thing)
        else:  # a coupled machine, which is compared when it is written
            assert model_text(read_model(model_text(thing))) == model_text(thing)
    monkeypatch.chdir(tmp_path)
    Path("crane.yaml").write_text(crane)
    exec("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), {})
    assert capsys.readouterr().out.startswith("multibody: 1\nname: crane\n")
    changed = Path("crane.yaml").read_text()
    assert "m1: {value: 12.0, unit: kg, description: mass of the crab}" in changed
    assert "q: 1.0, limits: [-2, 2]}" in changed
    wrong = crane.replace("child: hook", "child: hok")
    Path("crane.yaml").write_text(wrong)
    with pytest.raises(mb.errors.ModelFileError) as caught:
        read_model("crane.yaml")
    shown = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    assert str(caught.value).strip() == shown[1].strip()


def test_the_three_ways_to_close_a_linkage_are_one_motion():
    """The page says that a cut joint or a constraint may stand instead of the loop; the rods are the same."""
    (loop,) = [text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "FourBar" in text]
    line = next(one for one in loop.splitlines() if "FourBar" in one)
    open_chain = loop.replace(f"loops:\n{line}\n", "")
    cut = next(re.finditer(r"`(D: .*?)`", PAGE))[1]
    held = next(re.finditer(r"`({FrameConstraint: .*?)`", PAGE))[1]
    texts = (
        open_chain.replace("joints:\n", f"joints:\n  {cut}\n"),
        open_chain.replace("constraints:\n", f"constraints:\n  pin: {held}\n"),
    )
    run = mb.simulate(mb.derive(read_model(loop)), duration=0.5)
    start = {name: float(run[name][0]) for name in "ABC"}
    for text in texts:
        system = read_model(text)
        system.start(**start)
        other = mb.simulate(mb.derive(system), duration=0.5)
        np.testing.assert_allclose(other["A"], run["A"], rtol=0, atol=1e-6)
    assert np.ptp(run["A"]) > 0.5
