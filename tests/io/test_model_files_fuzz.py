"""Whatever is in a model file: it is read, or refused with an error of this library, soon, and without running it."""

from __future__ import annotations

import random
import re
import time
import tracemalloc
from contextlib import suppress

import pytest
from tests.refusal import refused

from multibody.errors import ModelFileError, MultibodyError
from multibody.io.model_files import ModelFile, model_text, read_model
from multibody.io.model_files.build import built
from multibody.io.model_files.documents import Document
from multibody.io.model_files.folder import Folder
from multibody.io.model_files.structure import problems
from multibody.io.model_files.vocabulary import SECTIONS
from multibody.io.model_files.yaml_text.compose import compose, raise_all
from multibody.io.model_files.yaml_text.nodes import List, Mapping, Scalar, SourceText, TextPlace, YamlEntry, YamlNode

from .model_file_samples import EVERYTHING

SMALL = """\
multibody: 1
name: n
parameters: {m: 1, k: [1, 2]}
bodies:
  b: {mass: m, com: [0, 0, "k_1"]}
joints: {q: {parent: world, child: b, kind: Ry}}
sensors: {v: {Velocity: {frame: b}}}
loads:
  l: {JointLoad: {joint: q, value: -3*measured.v_1}}
"""
SECONDS = 2.0

ATTACKS = [
    "__import__('os').system('touch {canary}')", "!!python/object/apply:os.system ['touch {canary}']",
    "!!python/object/new:os.system ['touch {canary}']", "eval(open('{canary}', 'w'))", "().__class__.__bases__[0]",
    "{{0.__class__}}", "${{canary}}", "`touch {canary}`", "$(touch {canary})", "%c%n", "../../../etc/passwd",
]  # fmt: skip
SCALARS = [
    None, True, False, 0, 1, -1, 2.5, 1e308, -1e-308, 10**400, "", " ", "x", "world", "a", "b", "tip", "j", "f", "p",
    "e", "sum", "com", "origin", "Tx", "Revolute", "Spring", "pi", "t", "r", "k_1", "measured.e", "measured.sum_1",
    "parameter.r", "x**2", "sin(", "(" * 300, "x" * 5000, "1/0", "0**-1", "log(0)", "r**r**r**99", "9**9**9",
    "where(r > 0, 1, 2)", "r > 0", "∂φ", "\x00", "\ud800", "a\nb", "inf", "-inf", "nan", "cubic", "xyz", "quaternion",
    "zxz", "-y", "{", "}", "'", "null", "<<", "world.x", "bump", "bump(r)", "bump(bump(x))", "r where r = r",
    "x where x = 1", "`r`", "`", "2r", "r r", "é", "a" * 300,
]  # fmt: skip


def attempt(read, text: str) -> str:
    """What came of it: "read", or the name of the error."""
    begin = time.process_time()  # the machine may be busy with other things
    try:
        read(text)
        result = "read"
    except MultibodyError as error:
        result = type(error).__name__ if str(error) else "nothing said"
    assert time.process_time() - begin < SECONDS, text
    return result


# characters ----------------------------------------------------------------------------------------------------------

PIECES = [
    "{", "}", "[", "]", ":", ": ", "- ", "*a", "&a ", "!x ", "|\n", ">\n", "? ", "<<: ", "\n", "\n  ", "\t", "#",
    " #", "'", '"', "%YAML 1.1\n", "---\n", "...\n", "\0", "\u2028", "\ufeff", "é", "\ud800", "null", "[1, 2]",
    "{a: 1}", "\\", "\r", "@", "`", ", ",
]  # fmt: skip


def garbled(text: str, chance: random.Random) -> str:
    """The text with some characters lost, doubled, exchanged or added."""
    for _ in range(chance.choice([1, 1, 2, 4])):
        i, j = chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)
        size, change = chance.randrange(1, 12), chance.randrange(5)
        if change == 0:
            text = text[:i] + text[i + size :]
        elif change == 1:
            text = text[:i] + chance.choice(PIECES) + text[i:]
        elif change == 2:
            text = text[:i] + text[j : j + size] + text[i:]
        elif change == 3:
            text = text[:i] + chr(chance.randrange(chance.choice([128, 0x3000]))) + text[i + 1 :]
        else:
            lines = text.split("\n")
            text = "\n".join(chance.sample(lines, len(lines)))
    return text + "\n"


@pytest.mark.parametrize("part", range(4))
def test_garbled_characters(part):
    results = [attempt(read_model, garbled(SMALL, random.Random(1000 * part + k))) for k in range(250)]
    assert set(results) <= {"read", "ModelFileError"}
    assert "read" in results


def test_garbled_characters_of_everything():
    results = [attempt(read_model, garbled(EVERYTHING, random.Random(k))) for k in range(60)]
    assert set(results) <= {"read", "ModelFileError"}


def test_garbled_bytes(tmp_path):
    """Bytes that are no text, in a file."""
    path = tmp_path / "n.yaml"
    for k in range(200):
        chance = random.Random(k)
        content = bytearray(SMALL.encode())
        for _ in range(3):
            content[chance.randrange(len(content))] = chance.randrange(256)
        path.write_bytes(content)
        attempt(lambda _: read_model(path), "")


def test_garbled_files_are_edited_or_refused():
    for k in range(150):
        chance = random.Random(k)
        text = garbled(SMALL, chance)
        place = chance.choice(
            ["parameters.m", "parameters.new", "bodies.b.com", "bodies.b.com.1", "name", "joints.q.q", "x"]
        )
        value = chance.choice([1.5, "2*m", [1, 2], {"value": 3}, None, "a: b", "#"])

        def edited(text: str) -> None:
            file = ModelFile(text)
            file.set(place, value)  # noqa: B023

        attempt(edited, text)


# structure -----------------------------------------------------------------------------------------------------------


def read_nodes(root: Mapping) -> None:
    """As ``read_model`` does, without the text."""
    raise_all(list(problems(root)))
    document = Document(Folder(None), root.at)
    for entry in root:
        if entry.key in (*SECTIONS, "start"):
            inner = entry.value if isinstance(entry.value, Mapping) else ()
            document.sections[entry.key] = {one.key: (one, document.folder) for one in inner}
        elif entry.key not in ("multibody", "include"):
            document.head[entry.key] = entry
    model_text(built(document))


def everywhere(node: YamlNode) -> list[YamlNode]:
    inner = node.items if isinstance(node, List) else [one.value for one in node] if isinstance(node, Mapping) else []
    return [node, *(one for child in inner for one in everywhere(child))]


def replaced(node: YamlNode, old: YamlNode, new: YamlNode) -> YamlNode:
    """The tree with one node in the place of another."""
    if node is old:
        return new
    if isinstance(node, List):
        return List(node.at, node.end, tuple(replaced(item, old, new) for item in node.items))
    if isinstance(node, Mapping):
        entries = {one.key: YamlEntry(one.key, one.at, replaced(one.value, old, new)) for one in node}
        return Mapping(node.at, node.end, entries)
    return node


def mutated(root: Mapping, chance: random.Random, nodes: list[YamlNode], keys: list[str]) -> Mapping:
    """One node exchanged for a scalar, another node, a list of it; or a key lost, renamed or added."""
    old = chance.choice(nodes[1:])
    at: TextPlace = old.at
    choice = chance.randrange(5)
    if choice <= 1:
        new: YamlNode = Scalar(at, at.index, chance.choice(SCALARS))
    elif choice == 2:
        new = chance.choice(nodes)
    elif choice == 3:
        new = List(at, at.index, (old,) * chance.randrange(4))
    else:
        entries = dict(old.entries) if isinstance(old, Mapping) else {}
        if entries:
            entries.pop(chance.choice(list(entries)))
        key = chance.choice(keys)
        entries[key] = YamlEntry(key, at, chance.choice(nodes))
        new = Mapping(at, at.index, entries)
    result = replaced(root, old, new)
    assert isinstance(result, Mapping)
    return result


@pytest.mark.parametrize("part", range(4))
def test_mutated_structure(part):
    root = compose(SourceText(EVERYTHING))
    nodes = everywhere(root)
    keys = [one.key for node in nodes if isinstance(node, Mapping) for one in node] + ["__class__", "", "2x", "self"]
    results = []
    for k in range(200):
        chance = random.Random(10_000 * part + k)
        tree = mutated(root, chance, nodes, keys)
        results.append(attempt(lambda _, tree=tree: read_nodes(tree), repr(k)))
    assert set(results) <= {"read", "ModelFileError"}
    assert results.count("read") > 10


# formulas and names --------------------------------------------------------------------------------------------------

TOKENS = (
    "m k_1 measured.v_1 parameter.m t q q_dot pi ( ) , + - * / ** ^ < == and or not where = sin where( 2 1e3 0 ` . ' x"
).split()


def test_formulas():
    """Through the same symbols as those of a file, but without the file."""
    root = compose(SourceText(SMALL))
    spot = next(node for node in everywhere(root) if isinstance(node, Scalar) and node.value == "-3*measured.v_1")
    results = []
    for k in range(400):
        chance = random.Random(k)
        text = chance.choice(["", " "]).join(chance.choice(TOKENS) for _ in range(chance.randrange(1, 12)))
        tree = replaced(root, spot, Scalar(spot.at, spot.end, text))
        assert isinstance(tree, Mapping)
        results.append(attempt(lambda _, tree=tree: read_nodes(tree), text))
    assert set(results) <= {"read", "ModelFileError"}
    assert results.count("read") > 10


def test_names():
    root = compose(SourceText(SMALL))
    for k in range(300):
        chance = random.Random(k)
        name = "".join(
            chr(chance.choice([chance.randrange(128), chance.randrange(0x3000)])) for _ in range(chance.randrange(6))
        )
        renamed = {("bodies", "b"): "bodies", ("joints", "q"): "joints", ("parameters", "m"): "parameters"}
        section = chance.choice(list(renamed.values()))
        inner = root.entries[section].value
        assert isinstance(inner, Mapping)
        entries = {name: YamlEntry(name, inner.at, next(iter(inner)).value)}
        tree = replaced(root, inner, Mapping(inner.at, inner.end, entries))
        attempt(lambda _, tree=tree: read_nodes(tree), name)


# attacks -------------------------------------------------------------------------------------------------------------


def test_no_code_is_run(tmp_path):
    canary = tmp_path / "canary"
    words = list(re.finditer(r"[\w.*-]+", SMALL))
    for attack in (one.replace("{canary}", str(canary)) for one in ATTACKS):
        for word in words[::3]:
            for quoted in (attack, f'"{attack}"', f"'{attack}'"):
                attempt(
                    lambda text: read_model(text, folder=tmp_path), SMALL[: word.start()] + quoted + SMALL[word.end() :]
                )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 100_000, "a: " + "{a: " * 50_000, "- " * 50_000, "? " * 20_000, "a: '" + "x" * 100_000,
        "\n" * 100_000, "# x\n" * 30_000, "a: [" + "[]," * 10_000, "&a " * 20_000, "!" * 100_000, "a: " + "(" * 99_000,
        "a:\n" + "  b: 1\n" * 20_000, "parameters: {a: " + "+".join(["b"] * 40_000) + "}", "x: |\n" + " a\n" * 50_000,
        '"' + "\\n" * 100_000 + '"', " " * 100_000,
    ],
)  # fmt: skip
def test_large_texts_end_soon(text):
    begin = time.process_time()
    with suppress(ModelFileError):
        read_model(f"multibody: 1\nname: n\n{text}\n")
    assert time.process_time() - begin < SECONDS


def test_memory_is_bounded(monkeypatch):
    """Reading ends with the number of values that is allowed, long before the text does."""
    monkeypatch.setattr("multibody.io.model_files.yaml_text.compose.MAX_NODES", 1000)
    text = "[" + "[], " * 100_000 + "1]"
    tracemalloc.start()
    with refused("file-too-large"):
        compose(SourceText(text))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10e6
