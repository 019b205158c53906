"""The page on the architecture tells the truth: its picture, its walk, and the order of the packages."""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "multibody"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\|(?: (\d+) \|)? `([\w.]+)` \| `([\w/]+\.py)` \|", re.MULTILINE)
WALK = [(file, function) for number, function, file in ROW.findall(PAGE) if number]


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


graph = script("import_graph")
ROWS = {package: number for number, row in enumerate(graph.layers()) for package in row}


def test_the_picture_of_imports_is_current():
    drawn = graph.drawing(graph.layers(), graph.arrows(PACKAGE))
    assert graph.PICTURE.read_text(encoding="utf-8") == drawn, "run: python docs/import_graph.py"


def test_all_arrows_lead_downward():
    arrows = graph.arrows(PACKAGE)
    assert {"model", "equations", "simulation"} <= {arrow.importer for arrow in arrows}
    assert not [arrow for arrow in arrows if ROWS[arrow.importer] >= ROWS[arrow.imported]]
    below = {}
    for arrow in arrows:
        below.setdefault(arrow.importer, set()).add(arrow.imported)
    assert next(TopologicalSorter(below).static_order()) == "errors"  # there is no circle, and one ground


@pytest.mark.parametrize(
    "text",
    [
        "import source.lower",
        "from source import lower",
        "from source.lower import name",
        "def function():\n    from source.lower import name",
        "if TYPE_CHECKING:\n    from source.lower.inner import name",
    ],
)
def test_an_import_is_seen_wherever_it_stands(text, tmp_path):
    source = tmp_path / "source"
    for name in ("lower", "upper"):
        (source / name).mkdir(parents=True)
    (source / "__init__.py").write_text("import source.upper")
    (source / "upper" / "module.py").write_text(text)
    assert graph.arrows(source) == {("upper", "lower")}


def test_an_arrow_that_a_chain_replaces_is_not_near():
    arrows = {graph.Arrow(*pair) for pair in ("ab", "bc", "ac", "bd", "ad", "ae")}
    assert {a.importer + a.imported for a in graph.nearest(arrows)} == {"ab", "bc", "bd", "ae"}


def test_every_package_is_on_the_page():
    named = re.findall(r"^\| `(\w+)` \| ", PAGE.partition("## Who imports whom")[0], re.MULTILINE)
    assert sorted(named) == sorted(ROWS)


def functions(path):
    """The names of all functions in a file, with the classes that they stand in."""

    def within(node, prefix):
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.ClassDef):
                yield from within(one, f"{prefix}{one.name}.")
            elif isinstance(one, ast.FunctionDef):
                yield prefix + one.name
            else:
                yield from within(one, prefix)

    return set(within(ast.parse(path.read_text(encoding="utf-8")), ""))


def test_every_function_on_the_page_stands_in_its_file():
    rows = ROW.findall(PAGE)
    assert [int(number) for number, *_ in rows if number] == list(range(1, len(WALK) + 1))
    assert len(WALK) > 40
    assert not [(file, name) for _, name, file in rows if name not in functions(PACKAGE / file)]


@pytest.fixture(scope="module")
def steps():
    """What the code on the page enters, in a process of its own."""
    walk = "import json, walk; print(json.dumps(walk.walk(walk.code())))"
    for code in ("import walk; exec(walk.code())", walk):  # first without being watched: loops may be compiled
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT / "docs")))},
        )
        assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_walk_on_the_page_is_the_one_that_the_crane_crab_takes(steps):
    first = list(dict.fromkeys((file, function) for file, function, _ in steps))
    assert [step for step in WALK if step not in first] == []
    assert sorted(WALK, key=first.index) == WALK


def test_no_call_leads_from_a_package_to_one_above(steps):
    def package(file):
        return ROWS[file.split("/")[0].removesuffix(".py")]

    calls = {(caller, file) for file, _, caller in steps if caller}
    assert len(calls) > 50
    assert not [(caller, file) for caller, file in calls if package(caller) > package(file)]
