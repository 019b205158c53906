"""What functions and classes refer to, and whether they belong to a library or to the user."""

from __future__ import annotations

import dis
import functools
import random
import site
import sys
import sysconfig
import types
from collections.abc import Iterable
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

import numpy as np

_LASTING = ("multibody", "numpy", "scipy")  # what they call by a name does not change; results are those of a format
_HAS_DOCSTRING = 0x4000000  # flag of code objects from Python 3.13 on
_GLOBAL_NAMES = ("LOAD_GLOBAL", "LOAD_NAME")
_SHARED_DRAWS: tuple[Any, ...] = (random.random, np.random.normal)  # methods of the generators of the whole process


def is_importable(thing: Any, module: str) -> bool:
    """Whether a function or class is the one that a module has under its name, and not one that wraps it."""
    found: Any = sys.modules.get(module)
    for name in thing.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is thing


def docstring_place(code: types.CodeType) -> int | None:
    """The place of the docstring among the constants; None if there is none.

    In a class statement within a function, it is the name of the class.
    """
    if not code.co_consts or not isinstance(code.co_consts[0], str) or code.co_name.startswith("<"):
        return None
    return 0 if sys.version_info < (3, 13) or code.co_flags & _HAS_DOCSTRING else None


def names_in(function: types.FunctionType) -> tuple[list[str], list[str], list[str]]:
    """Global names, imported modules and all names of attributes, in a function and the functions within it."""
    names: set[str] = set()
    imports: set[str] = set()
    attributes: set[str] = set()
    for code in (function.__code__, *_inner(function.__code__)):
        steps = list(dis.get_instructions(code))
        attributes |= {*code.co_names}
        names |= {step.argval for step in steps if step.opname in _GLOBAL_NAMES}
        for k, step in enumerate(steps):
            if step.opname == "IMPORT_NAME":
                level = steps[k - 2].argval if isinstance(steps[k - 2].argval, int) else 0
                imports.add(_absolute_name("." * level + step.argval, function.__globals__.get("__package__")))
    return sorted(names), sorted(imports), sorted(attributes)


def attribute_chains(function: types.FunctionType) -> list[tuple[str, ...]]:
    """Names with the attributes that are taken of them, one of the other, in a function and the functions within it.

    Example:
        >>> import numpy as np
        >>> attribute_chains(lambda t: t + np.random.normal())
        [('np', 'random', 'normal')]
    """
    chains: list[tuple[str, ...]] = []
    for code in (function.__code__, *_inner(function.__code__)):
        open_chain: tuple[str, ...] = ()
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and open_chain:
                open_chain = (*open_chain, step.argval)
                continue
            if len(open_chain) > 1:
                chains.append(open_chain)
            open_chain = (str(step.argval),) if step.opname.startswith("LOAD_") and step.argval is not None else ()
    return chains


def shared_random_numbers(function: types.FunctionType, values: Iterable[Any]) -> str | None:
    """The function by which a function draws from the random numbers that the whole process shares.

    Args:
        function: of the user.
        values: of its global names, and the modules that it imports.

    Returns:
        Its name; None if the function does not draw from them.
    """
    used = list(values)
    for value in used:
        if _draws_from_shared(value):
            return str(value.__name__)
    modules = [value for value in used if isinstance(value, types.ModuleType)]
    for chain in attribute_chains(function):
        if any(_draws_from_shared(_attribute(module, chain[1:])) for module in modules):
            return ".".join(chain)
    return None


def _attribute(module: types.ModuleType, names: Iterable[str]) -> Any:
    """What a module has under names with dots between them, as far as they lead through modules."""
    value: Any = module
    for name in names:
        value = vars(value).get(name) if isinstance(value, types.ModuleType) else None
    return value


def _draws_from_shared(value: Any) -> bool:
    if not isinstance(value, types.MethodType | types.BuiltinMethodType):
        return False
    return any(value.__self__ is draw.__self__ for draw in _SHARED_DRAWS)


def _absolute_name(name: str, package: str | None) -> str:
    try:
        return resolve_name(name, package)
    except (ImportError, ValueError):
        return name


def imported_module(name: str) -> Any:
    """A module that a function imports when it is called; its name if there is none."""
    try:
        return import_module(name)
    except Exception:  # noqa: BLE001 - of any kind, in a module of the user
        return name


def _inner(code: types.CodeType) -> Iterable[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _inner(constant)


def is_library(module: str | None) -> bool:
    """Whether a module belongs to the standard library, to this package or to one that is installed.

    Example:
        >>> is_library("numpy.linalg"), is_library("math"), is_library("__main__")
        (True, True, False)
    """
    top = str(module).partition(".")[0]
    if top == "__main__":
        return False
    loaded = sys.modules.get(str(module)) or sys.modules.get(top)
    if top in sys.stdlib_module_names and (loaded is None or _origin(loaded) in ("built-in", "frozen")):
        return True
    file = getattr(loaded, "__file__", None)
    places = [file] if file else [*(getattr(loaded, "__path__", None) or ())]
    folders = _standard() if top in sys.stdlib_module_names else _installed()  # a user's file may have such a name
    return bool(places) and all(_is_within(place, folders) for place in places)


def _origin(module: Any) -> str:
    return str(getattr(getattr(module, "__spec__", None), "origin", ""))


def _is_within(place: str, folders: Iterable[Path]) -> bool:
    return any(folder in Path(place).parents or folder in Path(place).resolve().parents for folder in folders)


@functools.cache
def _installed() -> tuple[Path, ...]:
    folders = [path for key, path in sysconfig.get_paths().items() if key in ("purelib", "platlib")]
    return (*map(Path, [*folders, site.getusersitepackages()]), Path(__file__).parents[2])


@functools.cache
def _standard() -> tuple[Path, ...]:
    """The folders of Python's own modules, and of installed packages, which may replace modules of earlier versions."""
    folders = [Path(path) for key, path in sysconfig.get_paths().items() if key in ("stdlib", "platstdlib")]
    return (*folders, *(folder.resolve() for folder in folders), *_installed())


_READERS = {
    "builtins": "open input eval exec",
    "gc": "get_objects get_referrers",
    "importlib": "import_module reload",
    "inspect": "currentframe stack",
    "io": "open open_code FileIO",
    "linecache": "getline getlines",
    "numpy": "DataSource fromfile fromregex genfromtxt load loadtxt memmap",
    "operator": "attrgetter",
    "os": "environ environb getcwd getenv getenvb getpid listdir open popen read scandir stat system",
    "scipy.io": "loadmat mmread netcdf_file readsav",
    "scipy.io.wavfile": "read",
    "shelve": "open",
    "socket": "create_connection socket",
    "sqlite3": "connect",
    "subprocess": "Popen check_output getoutput run",
    "sys": "_getframe argv modules path stdin",
    "urllib.request": "urlopen",
}
"""Functions and objects of libraries that read files, the environment or the state of the process, by module."""

READING_METHODS = frozenset(
    {"read_bytes", "read_csv", "read_excel", "read_json", "read_parquet", "read_text", "urlopen"}
)
"""Names of methods that read files, whatever the class of their object."""


def reads_outside(value: Any, attributes: Iterable[str] | None = None) -> str | None:
    """The function or object of a library by which a function reads files, the environment or the process.

    Args:
        value: a module, a function or another object that the function refers to.
        attributes: names of all attributes that the function uses; None for none.

    Returns:
        Its name; None if the value is not known to read anything.

    Example:
        >>> import os, numpy
        >>> reads_outside(numpy, ["loadtxt", "sin"]), reads_outside(os.environ), reads_outside(numpy, ["sin"])
        ('numpy.loadtxt', 'os.environ', None)
    """
    used = {*(attributes or ())}
    if isinstance(value, types.ModuleType):
        name = value.__name__
        found = sorted(used & {*_READERS.get(name, "").split()})
        return f"{name}.{found[0]}" if found else None
    if isinstance(value, type) and issubclass(value, Path.__mro__[-2]) and "open" in used:
        return f"{value.__name__}.open"
    for module, names in _READERS.items():
        members = vars(sys.modules[module]) if module in sys.modules else {}
        for name in names.split():
            if members.get(name) is value and value is not None:
                return f"{module}.{name}"
    return None


def version_of(module: str) -> str:
    """The version of an installed package; empty for those whose functions keep their meaning."""
    top = module.partition(".")[0]
    if top in (*sys.stdlib_module_names, *_LASTING):
        return ""
    return str(getattr(sys.modules.get(top), "__version__", ""))


@functools.cache
def cached_properties(kind: type[Any]) -> dict[str, functools.cached_property[Any]]:
    """The cached properties of a class by name, whose values are not part of an object's state."""
    members = [item for base in reversed(kind.__mro__) for item in vars(base).items()]
    return {name: member for name, member in members if isinstance(member, functools.cached_property)}


def closure_values(function: types.FunctionType) -> list[Any]:
    """The values of the variables of a closure that have a value."""
    found = []
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            continue
    return found
