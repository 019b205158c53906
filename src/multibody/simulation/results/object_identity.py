"""Digests of Python objects by their state: the same in every process, and different where the behavior may differ.

Objects of the user count by their class and its methods, their fields and whatever ``__reduce__`` gives; functions by
their bytecode, constants, defaults, closures and the global names that they refer to. Where an object or a function is
defined, how it is called, documentation and what ``cached_property`` and ``lru_cache`` remember do not count. Modules,
functions and classes of the standard library and of installed packages count by their names, those of other packages
than NumPy and SciPy also by their version.
"""

from __future__ import annotations

import copyreg
import functools
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from hashlib import sha256
from threading import Lock, RLock
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import StorageError
from multibody.graph import Table
from multibody.graph.node import Node
from multibody.model import Joint, Model, System
from multibody.model.body import Body, Frame
from multibody.model.given import ARGUMENTS, MADE_BY
from multibody.simulation.results.code_references import (
    READING_METHODS,
    cached_properties,
    closure_values,
    docstring_place,
    imported_module,
    is_importable,
    is_library,
    names_in,
    reads_outside,
    shared_random_numbers,
    version_of,
)
from multibody.simulation.results.samples import Samples

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
_STATELESS = (type(Lock()), type(RLock()))
_DESCRIPTORS = (
    types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType,
    types.ClassMethodDescriptorType, types.MethodWrapperType,
)  # fmt: skip
_NOT_BEHAVIOR = frozenset(
    """__dict__ __weakref__ __module__ __doc__ __qualname__ __annotations__ __annotate__ __annotate_func__
    __annotations_cache__ __firstlineno__ __static_attributes__ __abstractmethods__ _abc_impl __parameters__
    __orig_bases__ __match_args__ __dataclass_fields__ __dataclass_params__ __conditional_annotations__""".split()
)
_FUNCTION = types.FunctionType
HIDING = frozenset({"globals", "locals", "eval", "exec", "open", "input", "__import__"})
"""Functions of Python with which a function uses names, files or modules that its code does not show."""
WHOLE_MODULES = frozenset({"getattr", "vars", "dir", "__dict__"})
"""Names with which a function may use any attribute of a module."""
REMEDY = (
    "Give a function or an object whose fields can be pickled; leave out open files, generators and windows, or "
    "run the sweep without a path."
)


class UnidentifiedError(StorageError):
    """An object whose state cannot be read, so that a stored result cannot be compared with it."""

    code = "object-not-identified"


PartsOf = Callable[[Any], Mapping[str, str]]
"""Gives the digests of the parts of a system, a model or equations of motion."""


def state_digest(*things: Any, parts_of: PartsOf, what: str = "", of_model: bool = False) -> str:
    """A text of 64 digits for the state of objects; see ``object_digest``.

    Args:
        things: numbers, arrays, expressions, functions, objects of the user and containers of them.
        parts_of: identifies systems, models and equations of motion.
        what: how the user calls them, for errors.
        of_model: whether they are parts of a model, which refer to bodies and joints by their names.

    Raises:
        UnidentifiedError: if the state of an object cannot be read.
    """
    walk = _Walk(what, parts_of, of_model)
    try:
        for thing in things:
            walk.visit(thing)
    except RecursionError as error:
        raise UnidentifiedError(
            "The objects are nested too deeply to be identified.", where=what, remedy=REMEDY
        ) from error
    return walk.digest


class _Walk:
    """One walk through an object and all that it refers to, which adds one token after the other to a hash."""

    def __init__(self, what: str, parts_of: PartsOf, of_model: bool = False, path: tuple[str, ...] = ()) -> None:
        self._hash = sha256()
        self._what, self._parts_of, self._of_model = what, parts_of, of_model
        self._path = list(path)
        self._numbers: dict[int, int] = {}  # objects that were visited, by id, in the order of visits
        self._open: dict[int, int] = {}  # containers that are being visited, by id, with their depth
        self._kept: list[Any] = []  # keeps ids from being used again

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def visit(self, thing: Any) -> None:
        """Add an object."""
        if type(thing) in (int, float):
            self._token("number", repr(float(thing)) if _is_double(thing) else repr(thing))
        elif type(thing) in _PLAIN:
            self._token(type(thing).__name__, repr(thing))
        elif isinstance(thing, np.generic) and type(thing.item()) in _PLAIN:
            self.visit(thing.item())
        elif isinstance(thing, Node):
            self._token("expression", repr(thing.fp), repr(getattr(thing, "fp2", "")))
        elif isinstance(thing, Table):
            self._token("table", thing.digest)
        elif type(thing) in (list, tuple, dict, set, frozenset, types.MappingProxyType):
            self._container(thing)
        elif isinstance(thing, np.ndarray) and type(thing) is np.ndarray:
            self._array(thing)
        elif isinstance(thing, types.CodeType):
            self._code(thing)
        elif id(thing) in self._numbers:
            self._token("again", str(self._numbers[id(thing)]))
        else:
            self._numbers[id(thing)] = len(self._numbers)
            self._kept.append(thing)
            self._object(thing)

    def _token(self, *texts: str) -> None:
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(data) + data)

    @contextmanager
    def _within(self, place: str) -> Iterator[None]:
        self._path.append(place)
        try:
            yield
        finally:
            self._path.pop()

    def _apart(self, thing: Any) -> str:
        """The digest of an object that does not depend on what was visited before."""
        walk = _Walk(self._what, self._parts_of, self._of_model, tuple(self._path))
        walk._open = dict(self._open)
        walk.visit(thing)
        return walk.digest

    # values ------------------------------------------------------------------------------------------------------

    def _container(self, thing: Any) -> None:
        if id(thing) in self._open:
            self._token("cycle", str(len(self._open) - self._open[id(thing)]))
            return
        self._open[id(thing)] = len(self._open)
        self._kept.append(thing)
        self._token(type(thing).__name__, str(len(thing)))
        if isinstance(thing, Mapping):
            self._pairs(thing)
        elif isinstance(thing, set | frozenset):
            self._token(*sorted(map(self._apart, thing)))
        else:
            for k, entry in enumerate(thing):
                with self._within(f"[{k}]"):
                    self.visit(entry)
        del self._open[id(thing)]

    def _pairs(self, pairs: Mapping[Any, Any]) -> None:
        """Keys and values, in an order that does not depend on how they were entered."""
        texts = {key: key if type(key) is str else self._apart(key) for key in pairs}
        for key in sorted(pairs, key=lambda key: (type(key) is str, texts[key])):
            self._token("key" if type(key) is str else "other key", texts[key])
            with self._within(f"['{key}']" if type(key) is str else "[…]"):
                self.visit(pairs[key])

    def _array(self, values: Any) -> None:
        self._token("array", str(values.dtype), str(values.shape))
        if values.dtype.hasobject:
            for entry in values.ravel():
                self.visit(entry)
        else:
            self._hash.update(np.ascontiguousarray(values).tobytes())

    # objects -----------------------------------------------------------------------------------------------------

    def _object(self, thing: Any) -> None:
        if isinstance(thing, EquationsOfMotion | Model | System):
            self._equations(thing)
        elif isinstance(thing, Frame):
            self._frame(thing)
        elif isinstance(thing, Joint):
            self._token("joint", thing.name)
            if not self._of_model:
                self._fields({name: value for name, value in vars(thing).items() if name != MADE_BY})
        elif isinstance(thing, Samples):
            self._parts("run", {name: getattr(thing, name) for name in ("eom", "t", "y", "r", "p")})
        elif isinstance(thing, Enum):
            self._token("enum", str(thing.name))
            self.visit(thing.value)
            self.visit(type(thing))
        elif isinstance(thing, types.ModuleType):
            self._module(thing)
        elif isinstance(thing, type):
            self._class(thing)
        elif isinstance(thing, _STATELESS):
            self._token("lock")
        elif isinstance(thing, _DESCRIPTORS):
            self._token("descriptor", thing.__name__)
        elif isinstance(thing, np.ufunc):
            self._ufunc(thing)
        else:
            self._callable_or_other(thing)

    def _module(self, module: types.ModuleType) -> None:
        """A module by its name; one of the user with all that it holds, since it may be used in any way."""
        self._token("module", module.__name__)
        if not is_library(module.__name__):
            self._fields({name: value for name, value in vars(module).items() if not name.startswith("__")})

    def _equations(self, thing: EquationsOfMotion | Model | System) -> None:
        self._token("equations")
        self.visit(self._parts_of(thing))

    def _frame(self, frame: Frame) -> None:
        self._token("frame", frame.body.name)
        self.visit(frame.pose.components())
        if isinstance(frame, Body) and not self._of_model:
            self.visit((frame.mass, frame.com.components(), frame.inertia.components()))

    def _callable_or_other(self, thing: Any) -> None:
        if isinstance(thing, types.FunctionType):
            self._function(thing)
        elif isinstance(thing, types.MethodType):
            self._parts("method", {"__self__": thing.__self__, "__func__": thing.__func__})
        elif isinstance(thing, types.BuiltinFunctionType):
            self._builtin(thing)
        elif isinstance(thing, functools.partial):
            self._parts("partial", {"func": thing.func, "args": thing.args, "keywords": thing.keywords})
        elif isinstance(thing, functools._lru_cache_wrapper):
            self._parts("function", {"__wrapped__": thing.__wrapped__})
        elif type(thing).__module__.startswith("numba.") and isinstance(getattr(thing, "py_func", None), _FUNCTION):
            self._parts("compiled by numba", {"py_func": thing.py_func, "options": thing.targetoptions})
        elif isinstance(thing, property):
            self._parts("property", {"get": thing.fget, "set": thing.fset, "delete": thing.fdel})
        elif isinstance(thing, staticmethod | classmethod):
            self._parts(type(thing).__name__, {"function": thing.__func__})
        elif isinstance(thing, functools.cached_property):
            self._parts("property", {"get": thing.func})
        else:
            self._reduced(thing)

    def _parts(self, kind: str, parts: Mapping[str, Any]) -> None:
        self._token(kind)
        for name, part in parts.items():
            with self._within(f".{name}"):
                self.visit(part)

    def _builtin(self, thing: Any) -> None:
        """A function of C: by its name, and the object that it is a method of."""
        owner = thing.__self__
        self._token("builtin", thing.__qualname__)
        if owner is not None and not isinstance(owner, types.ModuleType):
            self.visit(owner)
        else:
            self._token(str(thing.__module__))

    def _ufunc(self, thing: np.ufunc) -> None:
        """A function of NumPy or SciPy by its name; those of ``frompyfunc`` have none that says what they do."""
        name = thing.__name__
        for module in ("numpy", "scipy.special"):
            if getattr(sys.modules.get(module), name, None) is thing:
                self._token("ufunc", module, name)
                return
        raise self._unidentified(thing, "its name does not say what it computes")

    def _reduced(self, thing: Any) -> None:
        """An object by what it is made again from: class, arguments, state, items."""
        reduced = self._reduction(thing)
        if isinstance(reduced, str):
            self._token("global", str(getattr(thing, "__module__", "")), reduced)
            return
        make, arguments, state, items, pairs = (*reduced, *[None] * 5)[:5]
        self._token("object")
        self.visit(make)
        self.visit(tuple(arguments))
        left_out = {*self._remembered(thing), MADE_BY, ARGUMENTS}
        kept: set[Any] = set()
        for part in state if isinstance(state, tuple) else (state,):
            if isinstance(part, dict):
                kept |= {*part}
                self._fields({name: value for name, value in part.items() if name not in left_out})
            else:
                self.visit(part)
        if _is_own_state(thing):
            dropped = {name: value for name, value in fields_of(thing).items() if name not in {*kept, *left_out}}
            self._fields(dropped)
        for sequence in (items, pairs):
            self.visit(None if sequence is None else list(sequence))

    def _remembered(self, thing: Any) -> list[str]:
        """The names of cached properties that hold what they compute; others were overwritten or are out of date."""
        fields, remembered = fields_of(thing), []
        for name, cached in cached_properties(thing.__class__).items():
            if name in fields and not self._is_overwritten(thing, name, cached, fields[name]):
                remembered.append(name)
        return remembered

    def _is_overwritten(self, thing: Any, name: str, cached: functools.cached_property[Any], value: Any) -> bool:
        if is_library(thing.__class__.__module__):
            return False
        with self._within(f".{name}"):
            try:
                return self._apart(cached.func(thing)) != self._apart(value)
            except (UnidentifiedError, RecursionError):
                return False
            except Exception:  # noqa: BLE001 - of any kind, in a property of the user
                return True

    def _reduction(self, thing: Any) -> Any:
        reducer = copyreg.dispatch_table.get(type(thing))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return thing.__reduce_ex__(4) if reducer is None else reducer(thing)
        except RecursionError:
            raise
        except Exception as error:  # of any kind, in an object of the user
            raise self._unidentified(thing, str(error)) from error

    def _fields(self, state: Mapping[Any, Any]) -> None:
        self._token("fields", str(len(state)))
        for name in sorted(state, key=str):
            self._token(str(name))
            with self._within(f".{name}"):
                self.visit(state[name])

    # classes and functions ---------------------------------------------------------------------------------------

    def _class(self, kind: type) -> None:
        """A class: of a library by its name, of the user by its bases and all its members."""
        if is_library(kind.__module__) and is_importable(kind, kind.__module__):
            self._token("class", kind.__module__, kind.__qualname__, version_of(kind.__module__))
            return
        self._token("class of the user", kind.__name__)
        self.visit(tuple(kind.__bases__))
        self.visit(type(kind))
        members = {name: member for name, member in vars(kind).items() if name not in _NOT_BEHAVIOR}
        if issubclass(kind, Enum):
            own = {name: member for name, member in members.items() if name not in kind.__members__}
            members = {name: member for name, member in own.items() if not _is_of_enum(name)}
            self._fields({name: member.value for name, member in kind.__members__.items()})
        self._fields(members)

    def _function(self, function: types.FunctionType) -> None:
        """A function: of a library by its name, of the user by its code and all that it refers to."""
        home = str(function.__globals__.get("__name__"))
        if not is_library(home):
            self._token("function of the user")
            self._code(function.__code__)
            self._captured(function)
            self._globals(function)
        elif is_importable(function, home):
            self._token("function", home, function.__qualname__, version_of(home))
        else:  # made by a function of the library
            self._token("inner function", home, function.__code__.co_qualname, version_of(home))
            if not (self._of_model and home.startswith("multibody.")):  # whose laws differ by what they captured
                self._code(function.__code__)  # it is another one for each version of Python
            self._captured(function)

    def _captured(self, function: types.FunctionType) -> None:
        """Defaults, attributes and the values of variables around a function."""
        self.visit((function.__defaults__, function.__kwdefaults__))
        self._fields(function.__dict__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
            with self._within(f" → '{name}'"):
                self._cell(cell)

    def _cell(self, cell: Any) -> None:
        try:
            value = cell.cell_contents
        except ValueError:
            self._token("empty cell")
        else:
            self.visit(value)

    def _code(self, code: types.CodeType) -> None:
        """Instructions, constants and names of arguments; not file, line and name of a function."""
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self._token("code", code.co_code.hex(), code.co_exceptiontable.hex(), repr(counts), repr(arguments))
        self._token(repr(code.co_names), str(len(code.co_consts)))
        for k, constant in enumerate(code.co_consts):
            if k != docstring_place(code):
                self.visit(constant)

    def _globals(self, function: types.FunctionType) -> None:
        """The global names that a function refers to, what it imports, and what it takes from modules of the user."""
        names, imports, attributes = names_in(function)
        builtins = function.__globals__.get("__builtins__", {})
        builtin = builtins if isinstance(builtins, dict) else vars(builtins)
        hidden = [name for name in names if name in HIDING and name not in function.__globals__]
        hidden += {*names, *attributes} & {"import_module"}
        if hidden:
            raise self._unidentified(function, f"it calls {hidden[0]}(), and does not show what it uses")
        reading = sorted({*names, *attributes} & READING_METHODS)
        used = [function.__globals__[name] for name in names if name in function.__globals__]
        used += [*map(imported_module, imports), *closure_values(function)]
        reading += [text for value in used if (text := reads_outside(value, attributes))]
        if reading:
            raise self._unidentified(
                function, f"it uses {reading[0]}, and what that reads is not stored with the result"
            )
        drawing = shared_random_numbers(function, used)
        if drawing:
            raise self._unidentified(
                function,
                f"it draws from {drawing}(), whose numbers depend on what else the process has drawn; keep a generator "
                "with a seed, such as numpy.random.default_rng(1), in a field of an object",
            )
        whole = bool({*names, *attributes} & WHOLE_MODULES)
        for name in names:
            with self._within(f" → '{name}'"):
                if name in function.__globals__:
                    self._global(function.__globals__[name], None if whole else attributes)
                else:
                    self._token("builtin" if name in builtin else "missing", name)
        for name in imports:
            with self._within(f" → '{name}'"):
                self._global(imported_module(name), None if whole else attributes)

    def _global(self, value: Any, attributes: Iterable[str] | None, within: frozenset[str] = frozenset()) -> None:
        """The value of a global name; of a module of the user, the attributes that are used, or all of them if None."""
        if attributes is None or not isinstance(value, types.ModuleType):
            self.visit(value)
            return
        self._token("module", value.__name__)
        if not is_library(value.__name__) and value.__name__ not in within:
            for name in attributes:
                if name in vars(value):
                    self._token(name)
                    with self._within(f".{name}"):
                        self._global(vars(value)[name], attributes, within | {value.__name__})

    def _unidentified(self, thing: Any, reason: str) -> UnidentifiedError:
        kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
        return UnidentifiedError(
            f"{self._what or 'An object'} cannot be identified, and a stored result cannot be compared with it.",
            where=f"{self._what}{''.join(self._path)}",
            cause=f"There is an object of type {kind.removeprefix('builtins.')}: {reason}.",
            remedy=REMEDY,
        )


def _is_own_state(thing: Any) -> bool:
    """Whether an object is of a class of the user without a ``__reduce__`` of the user's own."""
    kind = type(thing)
    if is_library(kind.__module__) or copyreg.dispatch_table.get(kind):
        return False
    makers = [base for base in kind.__mro__ if {"__reduce__", "__reduce_ex__"} & {*vars(base)}]
    return bool(makers) and is_library(makers[0].__module__)  # otherwise ``__reduce__`` says what the state is


def fields_of(thing: Any) -> dict[str, Any]:
    """The attributes of an object, in its dictionary and its slots."""
    fields = dict(getattr(thing, "__dict__", {}))
    for base in type(thing).__mro__:
        for name, member in vars(base).items():
            if isinstance(member, types.MemberDescriptorType) and not is_library(base.__module__):
                with suppress(AttributeError):
                    fields[name] = member.__get__(thing)
    return fields


_MADE_BY_ENUM = frozenset({"__new__", "__new_member__", "__reduce_ex__", "__set_name__"})


def _is_of_enum(name: str) -> bool:
    """Whether a member of an enumeration was made by Python: ``_member_map_`` and others; ``_missing_`` is behavior."""
    is_private = name.startswith("_") and name.endswith("_") and not name.startswith("__")
    return (is_private and name != "_missing_") or name in _MADE_BY_ENUM


def _is_double(number: float) -> bool:
    """Whether a number, such as a whole one, is a floating-point number: 2 and 2.0 are the same."""
    return type(number) is float or (abs(number) < 2**1000 and float(number) == number)
