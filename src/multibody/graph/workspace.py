"""Functions and objects that make their expressions apart from all others.

A function that is ``alone`` looks for nodes among those of its arguments and those that it makes. What an object with a
table of its own makes later is made among the expressions that it has made before, as in one isolated block. Neither
depends on other expressions that exist at that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from multibody.graph.node import Node, NodeTable, current_table, default_table, isolated, within
from multibody.graph.traverse import topological

T = TypeVar("T")
P = ParamSpec("P")


def alone(verb: Callable[P, T]) -> Callable[P, T]:
    """A function whose expressions are made in an isolated block of its own; inside another block, in that one.

    Found are expressions among its arguments, also in lists and mappings, and the ``nodes`` of those that have some.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> outside = x * x
        >>> @alone
        ... def product(a, b):
        ...     return a * b + y * y
        >>> product(x + y, x - y)
        (x + y)*(x - y) + y**2
    """

    @wraps(verb)
    def apart(*args: P.args, **named: P.kwargs) -> T:
        if current_table() is not default_table:
            return verb(*args, **named)
        with isolated(*topological(_nodes([*args, *named.values()]))):
            return verb(*args, **named)

    return apart


def _nodes(thing: Any) -> Iterator[Node]:
    """The nodes in nested lists and mappings, and of objects that have some."""
    if isinstance(thing, Node):
        yield thing
    elif isinstance(thing, Mapping):
        yield from _nodes(list(thing.values()))
    elif isinstance(thing, list | tuple | np.ndarray):
        for symbol in thing.flat if isinstance(thing, np.ndarray) else thing:
            yield from _nodes(symbol)
    else:
        yield from getattr(thing, "nodes", ())


def own_table(known: Callable[[], Iterable[Node]]) -> NodeTable:
    """The table of the isolated block that this is called in, or else a new one.

    Args:
        known: gives the expressions that may be found in a new one.
    """
    if current_table() is not default_table:
        return current_table()
    with isolated(*topological(known())) as table:
        return table


def in_own_table(kind: type[T]) -> type[T]:
    """A class whose methods and cached properties make expressions in ``self.table``.

    Left alone are plain properties, names with two underscores, and the property ``kinetics``, which ``table`` needs.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> outside = (x + y) * (x - y) + y * y
        >>> @in_own_table
        ... class Squares:
        ...     table = own_table(lambda: [])
        ...
        ...     def of_x(self):
        ...         return x * x
        >>> Squares().of_x()
        x**2
    """
    for name, member in list(vars(kind).items()):
        if name.startswith("__") or name == "kinetics":
            continue
        if isinstance(member, FunctionType):
            setattr(kind, name, _inside(member))
        elif isinstance(member, cached_property):
            changed = cached_property(_inside(member.func))
            changed.__set_name__(kind, name)
            setattr(kind, name, changed)
    return kind


def _inside(make: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(make)
    def made(self: Any, *args: Any, **named: Any) -> Any:
        if current_table() is self.table:
            return make(self, *args, **named)
        with within(self.table):
            return make(self, *args, **named)

    return made
