"""Print figures on the structure of the source tree: sizes, imports, cycles, names, and files entered by each verb.

``python docs/structure.py`` prints a Markdown table for this tree; ``python docs/structure.py OTHER …`` prints a column
for each of several source trees; ``python docs/structure.py --violations`` prints all violations of the rules in
``tests/test_structure.py`` as JSON. Imports are read from the syntax trees, wherever in a file they are; those below
``if TYPE_CHECKING:`` count as type imports. A name that is imported from a package counts as an import of the module
that the package takes it from.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "multibody"
VAGUE = re.compile(r"\b(?:one|found|given|thing) (?:=|in)\b|\bfor one in\b")
"""Uses of names that say nothing about the value that they hold."""

FULL_LINES = 6
"""Functions that are shorter are not compared with each other."""

Graph = Mapping[str, frozenset[str]]
"""For each module the modules that it imports."""


class Module(NamedTuple):
    """A source file."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        """Whether it is the ``__init__.py`` of a package."""
        return self.path.name == "__init__.py"


def read_modules(root: Path = ROOT) -> dict[str, Module]:
    """All modules of a source tree by their full names."""
    modules = {}
    for path in sorted((root / "src" / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root / "src").with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        modules[name] = Module(name, path, text, ast.parse(text))
    return modules


# imports -------------------------------------------------------------------------------------------------------------


def import_graph(modules: Mapping[str, Module], *, types: bool = True) -> Graph:
    """Which module imports which; packages that only collect names are replaced by the modules that define these.

    Args:
        modules: as ``read_modules`` returns them.
        types: whether imports below ``if TYPE_CHECKING:`` count.
    """
    sources = {name: _collected_names(one) for name, one in modules.items() if one.is_package}
    graph: dict[str, frozenset[str]] = {}
    for name, module in modules.items():
        targets: set[str] = set()
        for base, wanted in imported_names(module, types=types):
            targets |= set(_resolved(base, wanted, modules, sources))
        graph[name] = frozenset(targets - {name})
    return graph


def imported_names(module: Module, *, types: bool = True) -> Iterator[tuple[str, str]]:
    """Pairs of a module and a name that is imported from it; the name is empty where the module itself is imported."""
    skipped = set() if types else {id(node) for block in _type_blocks(module.tree) for node in ast.walk(block)}
    for node in ast.walk(module.tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((_base(module, node), alias.name) for alias in node.names)


def _base(module: Module, node: ast.ImportFrom) -> str:
    """The module after ``from``, with leading dots replaced."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    parts = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _type_blocks(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from node.body


def _collected_names(package: Module) -> dict[str, tuple[str, str]]:
    """Where a package takes its names from: by name the module and the name there."""
    found = {}
    for node in ast.walk(package.tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = (_base(package, node), alias.name)
    return found


def _resolved(
    base: str, name: str, modules: Mapping[str, Module], sources: Mapping[str, Mapping[str, tuple[str, str]]]
) -> Iterator[str]:
    """The modules behind ``from base import name``."""
    if f"{base}.{name}" in modules:
        target = modules[f"{base}.{name}"]
        yield target.name
    elif base in sources and name in sources[base] and sources[base][name] != (base, name):
        yield from _resolved(*sources[base][name], modules, sources)
    elif base in modules:
        yield base


def cycles(graph: Graph) -> list[list[str]]:
    """Groups of modules that import each other: the strongly connected components with more than one node.

    R. Tarjan: Depth-first search and linear graph algorithms. SIAM J. Comput. 1 (1972) 146-160; without recursion.

    Example:
        >>> cycles({"a": frozenset("b"), "b": frozenset("ac"), "c": frozenset()})
        [['a', 'b']]
    """
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []
    for root in graph:
        work = [] if root in index else [(root, iter(sorted(graph[root])))]
        while work:
            node, others = work[-1]
            if node not in index:
                index[node] = lowest[node] = len(index)
                stack.append(node)
            following = next((other for other in others if other in graph and _open(other, index, stack)), None)
            if following is not None and following not in index:
                work.append((following, iter(sorted(graph[following]))))
                continue
            if following is not None:
                lowest[node] = min(lowest[node], index[following])
                continue
            work.pop()
            if work:
                lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
            if lowest[node] == index[node]:
                place = stack.index(node)
                groups.append(sorted(stack[place:]))
                del stack[place:]
    return sorted(group for group in groups if len(group) > 1)


def _open(node: str, index: Mapping[str, int], stack: list[str]) -> bool:
    """Whether a node was not visited, or belongs to a component that is not complete."""
    return node not in index or node in stack


def single_importers(modules: Mapping[str, Module]) -> list[str]:
    """Modules that exactly one other file names in an import; a package that collects names is such a file."""
    importers: Counter[str] = Counter()
    for module in modules.values():
        named = {target for base, name in imported_names(module) for target in (base, f"{base}.{name}")}
        importers.update(named - {module.name})
    return sorted(name for name, one in modules.items() if not one.is_package and importers[name] == 1)


# sizes and names -----------------------------------------------------------------------------------------------------


def directory_sizes(modules: Mapping[str, Module], root: Path = ROOT) -> dict[str, int]:
    """For each directory the number of modules in it, without ``__init__.py``."""
    source = root / "src" / PACKAGE
    sizes: Counter[str] = Counter()
    for module in modules.values():
        sizes[module.path.parent.relative_to(source).as_posix()] += not module.is_package
    return dict(sizes)


def repeated_classes(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """Class names that occur more than once, with the modules that define them."""
    owners: dict[str, list[str]] = {}
    for name, module in modules.items():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                owners.setdefault(node.name, []).append(name)
    return {name: where for name, where in sorted(owners.items()) if len(where) > 1}


def repeated_functions(modules: Mapping[str, Module]) -> list[tuple[str, str]]:
    """Pairs of functions with the same body, whatever the names of functions, arguments and variables are."""
    bodies: dict[str, list[str]] = {}
    for name, module in modules.items():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno + 1 >= FULL_LINES:
                shape = _shape(node)
                if shape:  # a docstring alone, as in a protocol, repeats no rule
                    bodies.setdefault(shape, []).append(f"{name}.{node.name}")
    return sorted((first, other) for first, *others in bodies.values() for other in others)


def _shape(function: ast.FunctionDef) -> str:
    """The body of a function with its own names numbered in the order of their first use."""
    own = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    own |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    numbers: dict[str, int] = {}
    text = "\n".join(ast.dump(statement) for statement in body)
    names = "|".join(map(re.escape, sorted(own))) or "(?!)"
    return re.sub(rf"'({names})'", lambda name: f"'#{numbers.setdefault(name[1], len(numbers))}'", text)


# errors --------------------------------------------------------------------------------------------------------------

CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
TEXT_METHODS = {
    "startswith",
    "endswith",
    "find",
    "index",
    "count",
    "partition",
    "split",
    "match",
    "search",
    "fullmatch",
}


class ErrorClass(NamedTuple):
    """An error class: its bases, and its code if it has one meaning alone."""

    bases: tuple[str, ...]
    code: str


def error_classes(modules: Mapping[str, Module]) -> dict[str, ErrorClass]:
    """All classes below ``MultibodyError`` by name, with the code of the class or of a base."""
    written = {}
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                bases = tuple(base.id for base in node.bases if isinstance(base, ast.Name))
                written[node.name] = ErrorClass(bases, next(_class_codes(node), ""))
    errors = {"MultibodyError": ErrorClass((), "")}
    while more := {name: one for name, one in written.items() if name not in errors and set(one.bases) & set(errors)}:
        for name, (bases, code) in more.items():
            inherited = [errors[base].code for base in bases if base in errors]
            errors[name] = ErrorClass(bases, code or next(filter(None, inherited), ""))
    return errors


def _class_codes(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        value = getattr(statement, "value", None)
        if isinstance(target, ast.Name) and target.id == "code" and isinstance(value, ast.Constant) and value.value:
            yield str(value.value)


def errors_without_code(modules: Mapping[str, Module]) -> list[tuple[str, int]]:
    """Modules and lines in which an error of a class with several meanings is made without a literal code.

    An error that is raised again with more context takes the code of the original: ``code=error.code``. A function that
    makes errors for others passes on what they give: ``**details``.
    """
    general = {name for name, one in error_classes(modules).items() if not one.code}
    return [
        (module.name, node.lineno)
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and _called(node) in general and not _has_code(node)
    ]


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _has_code(call: ast.Call) -> bool:
    for keyword in call.keywords:
        if keyword.arg is None:  # the code is among the details that the caller gives
            return True
        if keyword.arg == "code":
            options = (
                [keyword.value.body, keyword.value.orelse] if isinstance(keyword.value, ast.IfExp) else [keyword.value]
            )
            return all(
                (isinstance(one, ast.Constant) and bool(CODE.fullmatch(str(one.value))))
                or (isinstance(one, ast.Attribute) and one.attr == "code")
                for one in options
            )
    return False


def error_codes(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """All codes in the source tree, with the modules that use them."""
    codes: dict[str, list[str]] = {}
    for module in modules.values():
        for code in _codes_in(module):
            codes.setdefault(code, []).append(module.name)
    return codes


def _codes_in(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef):
            yield from (code for code in _class_codes(node) if CODE.fullmatch(code))
        elif isinstance(node, ast.keyword) and node.arg == "code":
            for part in ast.walk(node.value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and CODE.fullmatch(part.value):
                    yield part.value


def error_text_matches(modules: Mapping[str, Module]) -> list[tuple[str, int]]:
    """Modules and lines that decide something by the text of an error."""
    places = []
    for module in modules.values():
        caught = _caught(module.tree)
        nodes = (node for node in ast.walk(module.tree) if isinstance(node, ast.Compare | ast.Call))
        places += [(module.name, node.lineno) for node in nodes if _looks_at_text(node, caught)]
    return places


def _caught(tree: ast.Module) -> set[str]:
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}


def _looks_at_text(node: ast.Compare | ast.Call, caught: set[str]) -> bool:
    if isinstance(node, ast.Compare):
        if not any(isinstance(one, ast.In | ast.NotIn | ast.Eq | ast.NotEq) for one in node.ops):
            return False
        return any(_is_text(one, caught) for one in (node.left, *node.comparators))
    if not (isinstance(node.func, ast.Attribute) and node.func.attr in TEXT_METHODS):
        return False
    return any(_is_text(one, caught) for one in (node.func.value, *node.args))


def _is_text(node: ast.expr, caught: set[str]) -> bool:
    """Whether it is ``error.what``, ``str(error)`` or ``error.args[0]``."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr="what"):  # an error arranges its own text
            return False
        case ast.Attribute(attr="what"):
            return True
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
            return name in caught
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="args")):
            return name in caught
    return False


# files entered by each verb ------------------------------------------------------------------------------------------

PREPARATION = """
import sys, tempfile
from pathlib import Path
import multibody as mb
crane = mb.System("crane_crab", gravity=(0, 0, -9.81))
m1, m2, l = crane.parameters(m1=10.0, m2=1.0, l=1.0)
force = crane.input("F")
crab = crane.body("crab", mass=m1)
load = crane.body("load", mass=m2, inertia=mb.diag(m2 * l**2 / 12, m2 * l**2 / 12, 0))
crane.joint("slide", crane.world, crab, "Tx", q=1.0)
crane.joint("swing", crab, load.frame("hook", (0, 0, l)), "Ry", q=-1.0)
crane.load(mb.PointToPointForce(crane.world, crab, force))
crane.sensor("d", mb.Distance(crane.world, crab))
eom = mb.derive(crane)
run = mb.simulate(eom, duration=1.0)
folder = tempfile.mkdtemp()
body = mb.modular.newton_euler("B", "position", gravity="-z")
sphere = {"sphere": "p_B_x**2 + p_B_y**2 + p_B_z**2 = a**2"}
"""
VERBS = {
    "simulate": "mb.simulate(eom, duration=1.0)",
    "linearize": "mb.linearize(eom)",
    "export(C)": "mb.export(eom, mb.C(), folder, overwrite=True)",
    "couple": "mb.modular.couple('S', [body], sphere, parameters='a')",
    "write_page": "mb.view.write_page(run, Path(folder) / 'page.html', overwrite=True)",
}
WATCH = """
files = set()
source = str(Path(mb.__file__).parent)

def enter(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(source):
        files.add(frame.f_code.co_filename)

def call():
    {call}

call()
call()
sys.setprofile(enter)
try:
    call()
finally:
    sys.setprofile(None)
print(len(files))
"""


def files_entered(call: str, root: Path = ROOT) -> str:
    """How many files of the package a call enters the third time, in a process of its own; '-' if it fails."""
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", PREPARATION + WATCH.format(call=call)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={"PYTHONPATH": str(root / "src"), "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
    )
    return done.stdout.strip() if done.returncode == 0 else "-"


# rules ---------------------------------------------------------------------------------------------------------------

MAX_MODULES = 15
"""Of a directory; ``library`` may have more."""


def violations(modules: Mapping[str, Module], root: Path = ROOT) -> dict[str, list[str]]:
    """Modules, directories and class names that break a rule, by rule."""
    sizes = directory_sizes(modules, root)
    return {
        "import cycles": [name for group in cycles(import_graph(modules)) for name in group],
        "large directories": sorted(n for n, size in sizes.items() if size > MAX_MODULES and n != "library"),
        "class names used twice": list(repeated_classes(modules)),
        "errors without code": sorted({name for name, _ in errors_without_code(modules)}),
        "decisions by error text": sorted({name for name, _ in error_text_matches(modules)}),
    }


# the table -----------------------------------------------------------------------------------------------------------


def figures(root: Path = ROOT) -> dict[str, str]:
    """All figures of a source tree, by what they count."""
    modules = read_modules(root)
    whole = import_graph(modules)
    loops, loops_at_run_time = cycles(whole), cycles(import_graph(modules, types=False))
    sizes = {name: size for name, size in directory_sizes(modules, root).items() if name != "library"}
    widest = max(sizes, key=lambda name: sizes[name])
    classes = repeated_classes(modules)
    return {
        "files": str(len(modules)),
        "lines": f"{sum(module.text.count(chr(10)) for module in modules.values()):,}",
        "files per directory, median": f"{median(sizes.values()):g}",
        "files per directory, largest": f"{sizes[widest]} ({widest})",
        "modules with one importer": str(len(single_importers(modules))),
        "import cycles (modules in them)": _counted(loops_at_run_time),
        "import cycles with types (modules in them)": _counted(loops),
        "class names used twice": str(len(classes)),
        "pairs of equal functions": str(len(repeated_functions(modules))),
        "uses of one/found/given/thing": str(sum(len(VAGUE.findall(module.text)) for module in modules.values())),
        **{f"files entered by {verb}, warm": files_entered(call, root) for verb, call in VERBS.items()},
    }


def _counted(groups: list[list[str]]) -> str:
    return f"{len(groups)} ({sum(map(len, groups))})"


def table(roots: Iterable[Path]) -> str:
    """The figures of several source trees as a Markdown table."""
    columns = {root.name: figures(root) for root in roots}
    lines = [f"| figure | {' | '.join(columns)} |", f"| --- |{' --- |' * len(columns)}"]
    first = next(iter(columns.values()))
    lines += [f"| {name} | {' | '.join(column[name] for column in columns.values())} |" for name in first]
    return "\n".join(lines)


if __name__ == "__main__" and sys.argv[1:] == ["--violations"]:
    print(json.dumps(violations(read_modules()), indent=2))  # noqa: T201 - a script
elif __name__ == "__main__":
    print(table([Path(name).resolve() for name in sys.argv[1:]] or [ROOT]))  # noqa: T201 - a script
