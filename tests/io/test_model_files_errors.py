"""Model files with something wrong in them: where it is, and what may have been meant."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import ModelFileError
from multibody.io.model_files import model_text, read_model, write_model
from multibody.io.model_files.yaml_text.compose import MAX_CHARACTERS, compose
from multibody.io.model_files.yaml_text.nodes import SourceText
from multibody.io.model_files.yaml_text.scalars import resolved

from .model_file_samples import CRANE


def fault(text: str, **named) -> ModelFileError:
    with pytest.raises(ModelFileError) as caught:
        read_model(text, **named)
    return caught.value


def pointed_at(error: ModelFileError, text: str) -> str:
    """What stands where the error points."""
    return text.split("\n")[error.line - 1][error.column - 1 :]


@pytest.mark.parametrize(
    ("old", "new", "points_at", "what", "hint"),
    [
        ("mass: m1", "mass: M1", "M1", "'M1' is unknown", "Did you mean 'm1'?"),
        ("bodies:\n  crab", "bodies:\n\tcrab", "\t", "not YAML", "Indent with spaces"),
        ("mass: m1", "mas: m1", "mas:", "no key 'mas'", "'mass'"),
        ("mass: m1", "mass: 2*mm1 + 1", "mm1", "'mm1' is unknown", "'m1'"),
        ("mass: m1", 'mass: "2*mm1"', "mm1", "'mm1' is unknown", "'m1'"),
        ("3*measured.v_1", "3*v_1", "v_1", "'v_1' is unknown", "measured.v_1"),
        ("3*measured.v_1", "3*measured.w_1", "measured.w_1", "unknown", "measured.v_1"),
        ("F - 3", "measured.v_1 + )", ")", "Expected a number", ""),
        ("child: hook", "child: hok", "hok", "no body or frame 'hok'", "'hook'"),
        ("child: hook", "child: slide", "slide", "no body or frame 'slide'", "hook"),
        ("Velocity:", "Velocty:", "{Velocty", "no class 'Velocty'", "'Velocity'"),
        ("frame: load", "farme: load", "farme", "no key 'farme'", "'frame'"),
        ("a: world, ", "", "{PointToPointForce", "needs 'a'", ""),
        ("sensors:", "sensor:", "sensor:", "no key 'sensor'", "'sensors'"),
        ("kind: Tx", "kind: Tq", "slide:", "'Tq' is not an elementary movement", "Tx"),
        ("kind: Tx", "kind: {Revolut: {}}", "{Revolut", "no class 'Revolut'", "'Revolute'"),
        ("q: 1.0", "q: l", "l}", "A number is needed", ""),
        ("q: 1.0", "q: [1, 2]", "slide:", "1 finite numbers are needed", ""),
        ("[0, I, 0]", "[0, I]", "load:", "inertia", "3×3"),
        ("b: crab", "b: world", "push:", "to itself", ""),
        ("l: 1\n", "l: 1\n  m1: 3\n", "m1: 3", "given twice", "line 5"),
        ("l: 1\n", "l: .inf\n", ".inf", "not a finite number", ""),
        ("l: 1\n", "l: 1e999\n", "1e999", "outside the range", ""),
        ("l: 1\n", "l: l1 please\n", "l1", "'l1' is unknown", "'l'"),
        ("l: 1\n", "l: true\n", "true", "A number or a formula", ""),
        ("l: 1\n", "l: [[1, 2], [3]]\n", "[[1", "equally long", ""),
        ("l: 1\n", "l: slide\n", "slide", "'slide' is unknown", ""),
        ("l: 1\n", "2l: 1\n", "2l", "cannot be the name", "x2l"),
        ("  v:", "  F:", "F:", "already in use", ""),
        ("limits: [-10, 10]", "limits: [1]", "[1]", "range", ""),
        ("multibody: 1", "multibody: 2", "2", "version 1", "update"),
        ("multibody: 1\n", "", "name", "version of the format is missing", "multibody: 1"),
        ("name: crane\n", "", "multibody", "no name", ""),
        ("name: crane", "name: crane x", "crane x", "cannot be the name", "crane_x"),
        ("bodies:\n", "bodies: [\n", "load:", "not YAML", ""),
        ("position: [0, 0, l]", "rotation: {about: x}", "{about", "not a rotation", "angle"),
        ("position: [0, 0, l]", "position: {x: 1}", "{x: 1}", "number or a formula", ""),
        ("{hook: {position: [0, 0, l]}}", "[hook]", "[hook]", "Under 'frames' there must be names", ""),
        ("sensors:\n", "start: [1.0, -1.0]\nsensors:\n", "[1.0", "Under 'start' there must be names", ""),
        ("sensors:\n", "start: {m1: 2}\nsensors:\n", "m1:", "'m1' is not a coordinate or a speed", ""),
        ("parent: world, child: crab", "parent: , child: crab", "{parent", "'parent' is missing", ""),
        ("force: F - 3*measured.v_1", "force: ", "{PointToPointForce", "needs 'force'", ""),
        ("mass: m1", "mass: 3,5", "5}", "no key '5'", "write 3.5 for 3,5"),
        ("F - 3*", "where(F > 0, F, 0) - ", "F, 0)", "no key 'F'", "into quotes"),
        ("l: 1\n", "l: false\n", "false", "not the word false", ""),
        ("F - 3*measured.v_1", "sine(F)", "sine", "function 'sine' is unknown", "'sin'"),
        ("bodies:\n", "tables: {sin: {x: [0, 1], y: [0, 1]}}\nbodies:\n", "{x", "function 'sin' already", ""),
        ("  l: 1\n", "  F: [1, 2]\n  F_1: 3\n  l: F_1\n", "F_1", "'F_1' is already in use", "choose another one"),
        ("{mass: m1}", "{mass: m1", ": {mass: m2", "not YAML", "line 12, column 9"),
    ],
)
def test_errors_point_at_what_is_wrong(old, new, points_at, what, hint):
    wrong = CRANE.replace(old, new)
    assert wrong != CRANE
    error = fault(wrong)
    assert what in error.what
    assert pointed_at(error, wrong).startswith(points_at)
    assert hint in error.cause + error.remedy
    assert f"line {error.line}, column {error.column}" in str(error)
    assert "^" in str(error)


def test_all_problems_of_structure_at_once():
    wrong = CRANE.replace("mass: m1", "mas: m1").replace("Velocity", "Velo").replace("b: crab", "c: crab")
    error = fault(wrong)
    assert [one.line for one in (error, *error.others)] == [12, 18, 20, 20]
    assert str(error).count("line") == 4


def test_all_wrong_things_of_one_section():
    error = fault(CRANE.replace("kind: Tx", "kind: Tq").replace("child: hook", "child: hok"))
    assert [one.line for one in (error, *error.others)] == [15, 16]


def test_at_most_ten_problems():
    error = fault("multibody: 1\nname: n\nbodies:\n" + "".join(f"  b{k}: {{mas: 1}}\n" for k in range(30)))
    assert len(error.others) == 9


def test_the_file_is_named(tmp_path):
    path = tmp_path / "crane.yaml"
    path.write_text(CRANE.replace("mass: m1", "mas: m1"))
    with refused("name-unknown", "mas") as caught:
        read_model(path)
    assert caught.value.file == "crane.yaml"
    assert "crane.yaml, line 12, column 10" in str(caught.value)
    assert isinstance(caught.value, mb.errors.ModelError)


def test_no_file(tmp_path):
    with refused("file-unreadable"):
        read_model(tmp_path / "none.yaml")
    with refused("file-unreadable"):
        read_model("multibody: 1")  # a text has more than one line
    (tmp_path / "latin.yaml").write_bytes("multibody: 1\nname: crâne\n".encode("latin-1"))
    with refused("file-not-utf8") as caught:
        read_model(tmp_path / "latin.yaml")
    assert "latin.yaml, line 2, byte" in caught.value.where


def test_lines_of_windows_are_shown_as_they_are():
    error = fault(CRANE.replace("mass: m1}", "mas: m1}\t# tab").replace("\n", "\r\n"))
    assert error.line == 12
    assert "  crab: {mas: m1} # tab\n" in str(error)


# YAML ----------------------------------------------------------------------------------------------------------------


def test_yaml_without_surprises():
    assert [resolved(one) for one in ("no", "on", "off", "y", "1_000", "0o17", "012", "12:30", "1.", ".5")] == [
        "no", "on", "off", "y", "1_000", 15, 12, "12:30", 1.0, 0.5,
    ]  # fmt: skip
    system = read_model("multibody: 1\nname: n\nparameters: {no: 1, on: 2*no, null: 3, 'true': 4}\n")
    assert system.freeze().parameter_values()[system["on"].symbols] == 2.0
    assert model_text(read_model(model_text(system))) == model_text(system)


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system ['touch {canary}']", "!!python/name:os.system", "!custom 1", "!!str 1", "! 1",
        "&a 1", "*a", "{<<: *a}",
    ],
)  # fmt: skip
def test_no_tags_anchors_and_aliases(text, tmp_path):
    canary = tmp_path / "canary"
    error = fault(CRANE.replace("l: 1\n", f"l: {text.replace('{canary}', str(canary))}\n"))
    assert "are not allowed" in error.what or "not YAML" in error.what
    assert not canary.exists()


def test_formulas_run_no_code(tmp_path):
    canary = tmp_path / "canary"
    for attack in (
        f"__import__('os').system('touch {canary}')", f"open('{canary}', 'w')", "().__class__", "m1.__class__",
        f"exec('open(\\'{canary}\\', \\'w\\')')", "lambda: 1", "[x for x in m1]", "m1 if m1 else l", "{m1}",
    ):  # fmt: skip
        fault(CRANE.replace("l: 1\n", f'l: "{attack}"\n'))
    assert not canary.exists()


def test_billion_laughs():
    layers = "\n".join(f"a{k + 1}: &a{k + 1} [{', '.join([f'*a{k}'] * 9)}]" for k in range(9))
    assert "Anchors" in fault(f"a0: &a0 lol\n{layers}\n").what


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 60 + "]" * 60, "yaml-nested-too-deep"), ("{a: " * 60 + "}" * 60, "yaml-nested-too-deep"),
        ("- " * 60, "yaml-nested-too-deep"), ("#" * (MAX_CHARACTERS + 1), "file-too-large"),
        ("9" * 2000, "number-invalid"), ("a: 1\n---\nb: 2", "yaml-several-documents"),
        ("? [a]\n: 1", "yaml-key-not-a-word"), ("\x00", "yaml-invalid"), ("%YAML 3.7\n--- {", "yaml-invalid"),
        ('"\\xZZ"', "yaml-invalid"), ("\ud800", "yaml-invalid"),
    ],
)  # fmt: skip
def test_texts_that_are_refused(text, code):
    with refused(code, kind=ModelFileError):
        compose(SourceText(f"{text}\n"))


# other files ---------------------------------------------------------------------------------------------------------

MAIN = """\
multibody: 1
name: both
include: [parts/bodies.yaml]
parameters: {m: 3}
joints:
  q: {parent: world, child: b, kind: Tx}
"""
BODIES = "multibody: 1\nname: other\ngravity: [0, 0, -1.62]\nbodies:\n  b: {mass: m}\n"


def folder(tmp_path, **texts):
    for name, text in texts.items():
        path = tmp_path / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    return tmp_path / "main.yaml"


def test_included_files(tmp_path):
    path = folder(tmp_path, main=MAIN, parts__bodies=BODIES)
    system = read_model(path)
    assert system.name == "both"
    assert system["b"].mass is system["m"].symbols
    assert system.gravity.z == -1.62
    assert read_model(MAIN, folder=tmp_path).freeze().coordinates == system.freeze().coordinates


def test_a_file_that_is_included_twice_counts_once(tmp_path):
    both = MAIN.replace("[parts/bodies.yaml]", "[one.yaml, two.yaml]")
    part = "multibody: 1\ninclude: parts/bodies.yaml\n"
    assert read_model(folder(tmp_path, main=both, one=part, two=part, parts__bodies=BODIES))["b"].name == "b"


@pytest.mark.parametrize(
    ("parts", "line", "code", "cause"),
    [
        ("multibody: 1\nparameters: {m: 4}\nbodies: {b: {}}\n", 4, "name-repeated", "bodies.yaml, line 2"),
        ("multibody: 1\ninclude: bodies.yaml\n", 2, "includes-circular", "bodies.yaml includes bodies.yaml"),
        ("multibody: 1\ninclude: ../main.yaml\n", 2, "includes-circular", "main.yaml includes bodies.yaml"),
        ("multibody: 1\ninclude: ../../secret.yaml\n", 2, "path-outside-folder", ""),
        ("multibody: 1\ninclude: /etc/passwd\n", 2, "path-outside-folder", ""),
        ("multibody: 1\ninclude: none.yaml\n", 2, "file-unreadable", ""),
        ("multibody: 1\ninclude: [{a: 1}]\n", 2, "value-of-wrong-type", ""),
        ('multibody: 1\ninclude: "a\\0b"\n', 2, "path-outside-folder", ""),
        ("multibody: 1\nbodies: {b: {mas: 1}}\n", 2, "name-unknown", "'mass'"),
    ],
)
def test_includes_with_something_wrong(tmp_path, parts, line, code, cause):
    (tmp_path / "secret.yaml").write_text("multibody: 1\n")
    with refused(code, kind=ModelFileError) as caught:
        read_model(folder(tmp_path / "model", main=MAIN, parts__bodies=parts))
    error = caught.value
    assert error.line == line
    assert cause in error.cause
    assert error.file == ("main.yaml" if code == "name-repeated" else "bodies.yaml")


def test_links_do_not_lead_out(tmp_path):
    (tmp_path / "secret.yaml").write_text(BODIES)
    path = folder(tmp_path / "model", main=MAIN)
    (tmp_path / "model" / "parts").mkdir()
    (tmp_path / "model" / "parts" / "bodies.yaml").symlink_to(tmp_path / "secret.yaml")
    with refused("path-outside-folder"):
        read_model(path)


def test_a_text_reads_no_files():
    assert "no file" in fault(MAIN).what
    mesh = CRANE + "drawings: {m: {frame: crab, shape: {Mesh: {path: a.stl}}}}\n"
    assert "folder" in fault(mesh).remedy


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("../meshes/a.stl", "meshes/a.stl"),
        ("/a.stl", "a.stl"),
        ("package://m/a.stl", "package://m/a.stl"),
        ("..", "mesh"),
    ],
)
def test_meshes_that_were_not_found_are_written_so_that_they_are_read(tmp_path, uri, path):
    system = mb.System("s")
    system.draw(system.world, mb.Mesh(None, uri=uri))
    (drawing,) = read_model(write_model(system, tmp_path / "s.yaml")).drawings.values()
    assert (drawing.shape.path, drawing.shape.uri) == (None, path)


def test_meshes_lie_in_the_folder_that_the_caller_names(tmp_path):
    mesh = CRANE + "drawings: {m: {frame: crab, shape: {Mesh: {path: parts/a.stl, scale: 0.001}}}}\n"
    path = folder(tmp_path, main=mesh)
    missing = read_model(path).drawings["m"].shape
    assert missing.path is None
    assert missing.uri == "parts/a.stl"
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.stl").write_text("solid a\nendsolid a\n")
    system = read_model(path)
    assert system.drawings["m"].shape.path == (tmp_path / "parts" / "a.stl").resolve()
    assert "path: parts/a.stl" in model_text(system)
    written = write_model(system, tmp_path / "copy.yaml")
    assert read_model(written).drawings["m"].shape == system.drawings["m"].shape
    path.write_text(mesh.replace("parts/a.stl", "../a.stl"))
    with refused("path-outside-folder"):
        read_model(path, folder=tmp_path)


def test_a_file_is_not_overwritten(tmp_path):
    system = read_model(CRANE)
    path = write_model(system, tmp_path / "crane.yaml")
    assert path.read_text() == model_text(system)
    with refused("file-exists"):
        write_model(system, path)
    assert write_model(system, path, overwrite=True) == path
    assert list(tmp_path.iterdir()) == [path]


def test_formulas_that_lead_in_a_circle() -> None:
    with refused("value-missing"):
        read_model("multibody: 1\nname: n\nparameters: {b: c + 2, c: b + 1}\n").freeze().parameter_values()


def test_every_error_of_model_files_and_xml_has_a_code():
    """They are made by ``Place.error``, ``Node.fail`` and ``_fail``, to which each caller gives its code."""
    folder = Path(mb.__file__).parent / "io"
    calls = [
        (path.name, call)
        for path in folder.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in MAKERS
    ]
    assert len(calls) > 50
    assert not [(name, call.lineno) for name, call in calls if not {"code", None} & {k.arg for k in call.keywords}]


MAKERS = ("error", "fail", "_fail")


def test_an_error_of_the_model_keeps_its_code_and_fields_in_a_file():
    with refused("name-unknown", "line 3", kind=ModelFileError) as caught:
        read_model("multibody: 1\nname: x\nbodies: {a: {mass: 2*zz}}\n")
    assert caught.value.fields["name"] == "zz"
