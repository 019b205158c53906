"""Tables of nodes that belong to objects which make expressions on demand.

What such an object makes later is made among the expressions that it has made before, as in one isolated block. It does
not depend on other expressions that exist at that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, wraps
from types import FunctionType
from typing import Any, TypeVar

from multibody.graph.node import Node, Table, current_table, default_table, isolated, within
from multibody.graph.traverse import topological

T = TypeVar("T")


def own_table(known: Callable[[], Iterable[Node]]) -> Table:
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
