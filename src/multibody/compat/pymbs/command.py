"""Commands that understand their arguments in several orders.

PyMbs has changed the order of its arguments: the tutorial of its manual writes ``addJoint(name, CS1, CS2, …)`` and
``addSensor.Distance(CS1, CS2, symbol)``, the reference ``addJoint(CS1, CS2, …, name)`` and ``addSensor.Distance(symbol,
CS1, CS2)``. What is meant is told by the types: a frame is not a text, a joint is not a number.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from multibody.compat.pymbs.refusals import UsageError
from multibody.graph import Expr
from multibody.graph.number import is_number
from multibody.model.error_context import concerning

Value = Any
"""A number, an expression, or a list or matrix of them."""
Size = Any
"""How many, or rows and columns."""
Movements = Any
"""A text such as ``'Tx'``, or a list of such texts."""
Levels = Any
"""A whole number, or a list of them."""
Range = Any
"""A list of two numbers."""
Limits = Any
"""A list of six numbers: the least and the greatest x, then y, then z."""
Paint = Any
"""A colour: red, green and blue from 0 to 1, or a name."""
Group = Any
"""A body, or a list of bodies."""
Function = Callable[..., Any]
"""A function of Python."""

Method = TypeVar("Method", bound=Callable[..., Any])
OTHER_NAME = {"symbol": "symbol_str", "symbol_str": "symbol"}
"""The manual uses both."""
_HERE = __name__.rpartition(".")[0]


def command(*orders: str) -> Callable[[Method], Method]:
    """A method whose arguments may come in other orders than that of its signature.

    Args:
        orders: the other orders, as names of arguments; those with a default need not be given.

    Example:
        >>> class Shop:
        ...     @command("name mass")
        ...     def addThing(self, mass: Value, name: str = "thing") -> str:
        ...         return f"{name}: {mass}"
        >>> Shop().addThing(3), Shop().addThing("stone", 3), Shop().addThing(name="stone", mass=3)
        ('thing: 3', 'stone: 3', 'stone: 3')
    """

    def decorate(method: Method) -> Method:
        signature = list(inspect.signature(method).parameters.values())[1:]
        known = {argument.name: argument for argument in signature if argument.kind is not argument.VAR_KEYWORD}
        further = len(known) < len(signature)
        forms = [list(known), *(order.split() for order in orders)]

        @wraps(method)
        def called(self: Any, *args: Any, **named: Any) -> Any:
            label = command_name(method)
            with concerning(f"PyMbs' {label}"):
                return method(self, **_sorted(label, forms, known, args, named, further))

        return cast("Method", called)

    return decorate


def command_name(method: Callable[..., Any]) -> str:
    """As a script writes it: ``addLoad.PtPForce``, ``addBody``."""
    owner, _, name = method.__qualname__.rpartition(".")
    owner = owner.rpartition(".")[2]
    verb = f"{owner[:1].lower()}{owner[1:]}"
    return name if not owner.startswith(("Add", "Gen")) else verb if name == "__call__" else f"{verb}.{name}"


def _sorted(
    label: str, forms: Sequence[list[str]], known: Mapping[str, inspect.Parameter], args: tuple[Any, ...],
    named: Mapping[str, Any], further: bool,
) -> dict[str, Any]:  # fmt: skip
    """The arguments by name, by the first order into which they fit; on request also further ones, as they are."""
    others = {key: value for key, value in named.items() if further and key not in known}
    named = {key: value for key, value in named.items() if key not in others}
    named = {key if key in known else OTHER_NAME.get(key, key): value for key, value in named.items()}
    faults = []
    for form in forms:
        given = dict(zip(form, args, strict=False))
        fault = _fault(given, known, named, len(args) - len(form))
        if not fault:
            return given | named | others
        faults.append(fault)
    raise UsageError(
        f"The arguments of {label} are not understood.",
        cause=faults[0],
        remedy=f"Write {' or '.join(_call(label, form, known) for form in forms)}.",
        code="arguments-not-understood",
        name=label,
    )


def _call(label: str, form: Sequence[str], known: Mapping[str, inspect.Parameter]) -> str:
    """A call as a script may write it; what has a default is given by name, with the default."""
    owner = "body" if label == "addFrame" else "world"
    given = [name for name in form if known[name].default is known[name].empty]
    named = [f"{name}={_default(known[name].default)}" for name in form if name not in given]
    return f"{owner}.{label}({', '.join([*given, *named])})"


def _default(value: Any) -> str:
    """A default as Python reads it."""
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def _fault(
    given: Mapping[str, Any], known: Mapping[str, inspect.Parameter], named: Mapping[str, Any], surplus: int
) -> str:
    """Why arguments do not fit into an order; empty if they do."""
    if surplus > 0:
        return f"There are {surplus} arguments too many."
    unknown = [key for key in named if key not in known]
    if unknown:
        return f"There is no argument {', '.join(map(repr, unknown))}."
    twice = [key for key in named if key in given]
    if twice:
        return f"{', '.join(map(repr, twice))} is given twice."
    whole = {**given, **named}
    missing = [key for key, argument in known.items() if argument.default is argument.empty and key not in whole]
    if missing:
        return f"{', '.join(map(repr, missing))} is missing."
    unfit = [key for key, value in whole.items() if not _fits(value, known[key])]
    return f"{unfit[0]!r} cannot be {whole[unfit[0]]!r:.100}." if unfit else ""


def _fits(value: Any, parameter: inspect.Parameter) -> bool:
    """Whether a value is of the kind that the annotation says."""
    kind = str(parameter.annotation)
    if value is None and kind.endswith(" | None"):
        return True
    return _KINDS[kind.removesuffix(" | None")](value)


def is_value(value: Any) -> bool:
    """Whether something is a number or an expression, or made of them."""
    if isinstance(value, Expr) or is_number(value):
        return True
    return isinstance(value, list | tuple | np.ndarray) and all(map(is_value, value))


def _kind_of(name: str) -> Callable[[Any], bool]:
    """Whether something is of a class of this package, which imports this file; or of one that is made from it."""
    return lambda value: any(
        (base.__name__, base.__module__[: len(_HERE)]) == (name, _HERE) for base in type(value).__mro__
    )


_is_frame = _kind_of("PymbsFrame")


def _is_whole(value: Any) -> bool:
    return is_number(value) and float(value).is_integer()


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value > 0


def _are_numbers(value: Any, count: int) -> bool:
    return isinstance(value, list | tuple | np.ndarray) and len(value) == count and all(map(is_number, value))


def _texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(item, str) for item in value))


_KINDS: dict[str, Callable[[Any], bool]] = {
    "PymbsFrame": _is_frame,
    "PymbsJoint": _kind_of("PymbsJoint"),
    "str": lambda value: isinstance(value, str),
    "int": _is_whole,
    "bool": lambda value: isinstance(value, bool | int | np.bool_),
    "Value": is_value,
    "Size": lambda value: all(map(_is_count, value if isinstance(value, list | tuple) else [value])),
    "Levels": lambda value: all(map(_is_whole, value if isinstance(value, list | tuple) else [value])),
    "Range": lambda value: _are_numbers(value, 2),
    "Limits": lambda value: _are_numbers(value, 6),
    "Paint": lambda value: isinstance(value, str) or _are_numbers(value, 3) or _are_numbers(value, 4),
    "Group": lambda value: all(map(_is_frame, value if isinstance(value, list | tuple) else [value])),
    "Movements": _texts,
    "Function": callable,
    "Any": lambda value: True,
}
