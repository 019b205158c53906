"""The structure of the source tree: no import cycles, small directories, unique class names, errors with listed codes.

Violations that are still open are listed by rule in ``structure_open.json``; an entry that is no longer needed fails,
so that the lists only shrink. ``python docs/structure.py --violations`` prints the present ones.
"""

import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "error_codes.md").read_text(encoding="utf-8")
OPEN = json.loads((ROOT / "tests" / "structure_open.json").read_text(encoding="utf-8"))


def load_script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and named tuples look for it
    spec.loader.exec_module(module)
    return module


structure = load_script("structure")


@pytest.fixture(scope="module")
def modules():
    return structure.read_modules()


@pytest.fixture(scope="module")
def violations(modules):
    return structure.violations(modules)


@pytest.mark.parametrize("rule", OPEN)
def test_a_rule_holds_except_where_it_is_listed_as_open(rule, violations):
    found, listed = set(violations[rule]), set(OPEN[rule])
    assert not sorted(found - listed), "new violations"
    assert not sorted(listed - found), "no violations any more: remove them from tests/structure_open.json"


def test_all_rules_are_checked(violations):
    assert set(violations) == set(OPEN)


# imports -------------------------------------------------------------------------------------------------------------


def test_layers_hold_for_type_imports_too():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert not settings.get("exclude_type_checking_imports", False)


@pytest.mark.parametrize("cycle", [["a.one", "a.two"], ["a.one", "a.three", "a.two"]])
def test_cycles_through_functions_types_and_packages_are_seen(cycle, tmp_path, monkeypatch):
    """A cycle that consists of a type import, a late import and a name that a package collects."""
    source = tmp_path / "src" / "a"
    (source / "inner").mkdir(parents=True)
    last = "from a.inner import Name" if len(cycle) == 3 else "from a.one import f"
    files = {
        "__init__.py": "",
        "one.py": "if TYPE_CHECKING:\n    from a.two import g\n",
        "two.py": f"def g():\n    {last}\n",
        "inner/__init__.py": "from a.three import Name",
        "three.py": "from a import one",
        "apart.py": "import a.one",
    }
    for name, text in files.items():
        (source / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(structure, "PACKAGE", "a")
    modules = structure.read_modules(tmp_path)
    assert structure.cycles(structure.import_graph(modules)) == [cycle]
    assert structure.cycles(structure.import_graph(modules, types=False)) == []


# errors --------------------------------------------------------------------------------------------------------------


def test_the_page_lists_all_codes_and_no_others(modules):
    listed = re.findall(r"^\| `([a-z0-9-]+)` \| \S.* \| \S.* \|$", PAGE, re.MULTILINE)
    used = structure.error_codes(modules)
    assert len(listed) == len(set(listed)), "listed twice"
    assert len(listed) == len(re.findall(r"^\| `", PAGE, re.MULTILINE)), "a row without meaning or remedy"
    assert not sorted(set(used) - set(listed)), "not on the page"
    assert not sorted(set(listed) - set(used)), "on the page, but not in src"


def test_the_codes_of_each_section_are_sorted():
    for section in PAGE.split("\n## ")[1:]:
        codes = re.findall(r"^\| `([a-z0-9-]+)`", section, re.MULTILINE)
        assert codes == sorted(codes), section.partition("\n")[0]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("ModelError('x')", 1),
        ("ModelError('x', code='')", 1),
        ("ModelError('x', code=code)", 1),
        ("ModelError('x', code='mass-negative')", 0),
        ("ModelError('x', code='a-b' if y else 'c-d')", 0),
        ("ModelError('x', code=error.code)", 0),
        ("def fail(**details):\n    raise ModelError('x', **details)", 0),
        ("MissingValueError('x')", 0),  # the class has the code
        ("class FitError(ModelError):\n    pass\nFitError('x')", 1),
        ("class FitError(ModelError):\n    code = 'fit-bad'\nFitError('x')", 0),
    ],
)
def test_errors_without_code_are_seen(text, missing, tmp_path):
    made = structure.read_modules(_tree(tmp_path, text))
    assert len(structure.errors_without_code(made)) == missing


@pytest.mark.parametrize(
    ("test", "matches"),
    [
        ("'loop' in error.what", 1),
        ("'loop' in str(error)", 1),
        ("error.what.startswith('a')", 1),
        ("re.search('a', str(error))", 1),
        ("error.args[0] == 'a'", 1),
        ("error.code == 'loop-open'", 0),
        ("'loop' in str(other)", 0),
        ("self.what.split('a')", 0),
    ],
)
def test_text_matches_are_seen(test, matches, tmp_path):
    text = f"try:\n    f()\nexcept ValueError as error:\n    x = {test}\n"
    assert len(structure.error_text_matches(structure.read_modules(_tree(tmp_path, text)))) == matches


def _tree(folder, text):
    """A source tree with the project's errors and one module."""
    source = folder / "src" / "multibody"
    source.mkdir(parents=True)
    errors = (ROOT / "src" / "multibody" / "errors.py").read_text(encoding="utf-8")
    (source / "errors.py").write_text(errors, encoding="utf-8")
    (source / "module.py").write_text(text, encoding="utf-8")
    return folder
