"""Model files that are changed: what a person wrote stays."""

from __future__ import annotations

import os

import numpy as np
import pytest
from ruamel.yaml import YAML
from tests.refusal import refused

from multibody.errors import UnknownNameError
from multibody.graph import parse
from multibody.io.model_files import ModelFile
from multibody.io.model_files.yaml_text.emit import emitted, scalar

HAND_WRITTEN = """\
# a crane
multibody: 1
name: crane   # its name
gravity: [0, 0, -9.81]
parameters:
  m1: 10      # crab
  m2: {value: 1.0, unit: "kg"}   # load
  l:  '1.0'
  empty:

# the parts
bodies:
  crab: { mass: m1 }   # heavy
  load:
    mass: m2
    com:
      - 0
      - 0   # in the middle
      - l

joints:
  slide: {parent: world, child: crab, kind: Tx}
  swing: {parent: crab,
          child: load, kind: Ry}   # over two lines
"""


def changed(*changes: tuple[str, object]) -> list[tuple[str, str]]:
    """The lines that changed, before and after."""
    file = ModelFile(HAND_WRITTEN)
    for place, value in changes:
        file.set(place, value)
        assert file.get(place) == (list(value) if isinstance(value, tuple) else value) or place == "parameters.m2"
    before, after = HAND_WRITTEN.split("\n"), file.text.split("\n")
    old = [line for line in before if line not in after]
    new = [line for line in after if line not in before]
    return list(zip(old, new, strict=False)) or [("", line) for line in new]


@pytest.mark.parametrize(
    ("place", "value", "before", "after"),
    [
        ("parameters.m1", 12.0, "  m1: 10      # crab", "  m1: 12.0      # crab"),
        ("parameters.m2", "2*m1", 'm2: {value: 1.0, unit: "kg"}   # load', 'm2: {value: 2*m1, unit: "kg"}   # load'),
        ("parameters.m2.unit", "t, or kg", 'unit: "kg"', 'unit: "t, or kg"'),
        ("parameters.l", "m1/5", "  l:  '1.0'", "  l:  m1/5"),
        ("parameters.empty", 3, "  empty:", "  empty: 3"),
        ("bodies.load.com.1", "l/2", "      - 0   # in the middle", "      - l/2   # in the middle"),
        ("bodies.crab.com", (0, 0, 1), "crab: { mass: m1 }", "crab: { mass: m1, com: [0, 0, 1] }"),
        ("bodies.crab", {"mass": 3}, "crab: { mass: m1 }   # heavy", "crab: {mass: 3}   # heavy"),
        ("joints.swing.q", 0.3, "child: load, kind: Ry}", "child: load, kind: Ry, q: 0.3}"),
        ("gravity.2", -1.62, "[0, 0, -9.81]", "[0, 0, -1.62]"),
    ],
)  # fmt: skip
def test_only_the_value_changes(place, value, before, after):
    ((old, new),) = changed((place, value))
    assert before in old
    assert new == old.replace(before, after)


def test_new_keys_come_at_the_end_of_their_mapping():
    file = ModelFile(HAND_WRITTEN)
    file.set("parameters.k", {"value": 3, "unit": "N/m"})
    file.set("bodies.load.inertia", [1, 2, 3])
    file.set("description", "A crane: with a load.")
    assert "  empty:\n  k: {value: 3, unit: N/m}\n\n# the parts\n" in file.text
    assert "      - l\n    inertia: [1, 2, 3]\n\njoints:" in file.text
    assert file.text.endswith('  # over two lines\ndescription: "A crane: with a load."\n')
    assert file.get("parameters.k.unit") == "N/m"
    assert file.get("bodies.load.com") == [0, 0, "l"]


def test_lines_end_as_they_did():
    file = ModelFile(HAND_WRITTEN.replace("\n", "\r\n"))
    file.set("parameters.k", 3)
    file.set("bodies.load.inertia", [1, 2, 3])
    assert "  empty:\r\n  k: 3\r\n\r\n# the parts" in file.text
    assert file.text.count("\n") == file.text.count("\r\n") == HAND_WRITTEN.count("\n") + 2


def test_numbers_and_arrays_of_numpy():
    file = ModelFile(HAND_WRITTEN)
    for value in (np.float64(1.5), np.float32(0.5), np.int64(3), np.array(2.0)):
        file.set("parameters.m1", value)
        assert file.get("parameters.m1") == value.item()
    file.set("bodies.load.com", np.array([0.0, 0.1, 1 / 3]))
    assert file.get("bodies.load.com") == [0.0, 0.1, 1 / 3]


@pytest.mark.parametrize("value", [parse("2*x"), 1j, [{1}], b"m"])
def test_values_that_a_file_cannot_hold(value):
    with refused("value-not-writable"):
        ModelFile(HAND_WRITTEN).set("parameters.m1", value)


def test_a_whole_list_is_replaced():
    file = ModelFile(HAND_WRITTEN)
    file.set("bodies.load.com", ["l", 0, 0])
    assert "    com:\n      [l, 0, 0]\n\njoints" in file.text
    assert file.get("bodies.load.com") == ["l", 0, 0]


def test_read_change_save(tmp_path):
    path = tmp_path / "crane.yaml"
    path.write_text(HAND_WRITTEN)
    file = ModelFile.read(path)
    file.set("parameters.m1", 12.5)
    file.set("parameters.empty", 0)
    assert path.read_text() == HAND_WRITTEN
    assert file.system()["m1"].default[file.system()["m1"].symbols] == 12.5
    assert file.save() == path
    assert path.read_text() == HAND_WRITTEN.replace("m1: 10", "m1: 12.5").replace("empty:", "empty: 0")


def test_a_model_that_makes_no_sense_is_not_saved(tmp_path):
    path = tmp_path / "crane.yaml"
    path.write_text(HAND_WRITTEN)
    file = ModelFile.read(path)
    file.set("bodies.crab.mass", "m3")
    with refused("name-unknown", "m3"):
        file.save()
    assert path.read_text() == HAND_WRITTEN


def test_places_that_do_not_exist():
    file = ModelFile(HAND_WRITTEN)
    for place in ("parameter.m1", "bodies.crap.mass", "gravity.3", "gravity.x", "name.x.y"):
        with pytest.raises(UnknownNameError):
            file.set(place, 1)
        with pytest.raises(UnknownNameError):
            file.get(place)
    with refused("name-unknown") as caught:
        file.get("parameter.m1")
    assert "'parameters'" in caught.value.cause
    assert file.text == HAND_WRITTEN


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_infinite_numbers(value):
    with refused("number-not-finite"):
        ModelFile(HAND_WRITTEN).set("parameters.m1", value)


TEXTS = [
    "", " ", "x", "-x", "- x", "-", "1", "1e5", "0x10", "null", "~", "true", "no", "a: b", "a #b", "#a", "a, b",
    "[a]", "{a}", "'", '"', "\\", "\n", "a\nb", " a\nb ", "a\n\nb", "tab\tx", "\x00", "\x7f", "\x85", "\u2028",
    "\ufeff", "é", "φ", "🦾", "%a", "@a", "`a`", "!a", "&a", "*a", "?", "? a", "|", ">", "<<", "=", "---", "...", "a:",
    ":a", "a\r\nb", "a ", "(x)", "..", ".5", "x" * 300, "1/2", "x*y - 3", "-(x)", "x^2", "a" * 100 + "\n" + "b" * 100,
    "\u00a0", "m·s⁻²", "a\n", "a\nb\n", "a\n\n", "a\n\nb\n\n", "\na\n", "a\n b\n",
]  # fmt: skip


@pytest.mark.parametrize("depth", ["flow", "block"])
def test_every_text_can_be_written(depth):
    """As another reader of YAML reads it, and as we do."""
    inner = {f"k{k}": {"text": text, "list": [text, 1]} for k, text in enumerate(TEXTS)}
    document = {"top": inner} if depth == "block" else {"top": {"x": {"y": inner}}}
    written = emitted(document)
    assert YAML(typ="safe", pure=True).load(written) == document
    assert ModelFile(written).get("top") == document["top"]


def test_numbers_are_written_with_all_digits():
    for number in (0.1, 1e300, -5e-324, 1 / 3, 2.0, 10**40, -7):
        assert ModelFile(f"a: {scalar(number)}\n").get("a") == number


OTHER = HAND_WRITTEN.replace("m1: 10", "m1: 11")


def read_and_changed(path):
    path.write_text(HAND_WRITTEN)
    file = ModelFile.read(path)
    file.set("parameters.m1", 12.5)
    return file


def test_what_another_program_has_changed_is_not_overwritten(tmp_path):
    """Content counts, not the time of the change."""
    path = tmp_path / "crane.yaml"
    file = read_and_changed(path)
    stamp = path.stat()
    path.write_text(OTHER)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    with refused("file-changed") as caught:
        file.save()
    assert "save(overwrite=True)" in caught.value.remedy
    assert "ModelFile.read(path)" in caught.value.remedy
    assert path.read_text() == OTHER
    assert list(tmp_path.iterdir()) == [path]
    file.save(overwrite=True)
    assert path.read_text() == file.text
    file.set("parameters.m1", 13)
    file.save()  # what it has written itself is no change
    assert ModelFile.read(path).get("parameters.m1") == 13


def test_a_file_that_was_touched_only(tmp_path):
    path = tmp_path / "crane.yaml"
    file = read_and_changed(path)
    path.unlink()
    path.write_text(HAND_WRITTEN)
    os.utime(path, (1, 1))
    assert file.save().read_text() == file.text


def test_a_file_that_was_deleted_or_replaced(tmp_path):
    path = tmp_path / "crane.yaml"
    file = read_and_changed(path)
    path.unlink()
    with refused("file-changed"):
        file.save()
    assert not path.exists()
    path.mkdir()
    with refused("path-not-a-file"):
        file.save()
    path.rmdir()
    file.save(overwrite=True)
    assert path.read_text() == file.text


def test_a_change_while_the_file_is_being_written(tmp_path, monkeypatch):
    """The contents are compared once more when the new text is complete."""
    path = tmp_path / "crane.yaml"
    file = read_and_changed(path)
    written = os.fsync

    def changed_meanwhile(number):
        path.write_text(OTHER)
        written(number)

    monkeypatch.setattr(os, "fsync", changed_meanwhile)
    with refused("file-changed"):
        file.save()
    assert path.read_text() == OTHER
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_is_not_saved_over_a_file_that_nobody_read(tmp_path):
    path = tmp_path / "crane.yaml"
    file = ModelFile(HAND_WRITTEN, path)
    path.write_text(OTHER)
    with refused("file-changed"):
        file.save()
    path.unlink()
    assert file.save().read_text() == HAND_WRITTEN


def test_a_mark_at_the_beginning_of_a_file_is_no_change(tmp_path):
    path = tmp_path / "crane.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + HAND_WRITTEN.replace("\n", "\r\n").encode())
    file = ModelFile.read(path)
    file.set("parameters.m1", 12.5)
    assert b"m1: 12.5" in file.save().read_bytes()
