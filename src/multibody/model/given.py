"""Things that know what they were made with, so that they can be written down as the user gave them.

A spring keeps its law as a function and a frame keeps its pose in its body: what the user wrote cannot be read off them
any more, and numbers that were computed from it are rounded. So the arguments are kept beside the result.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from multibody.graph import Expr

P = ParamSpec("P")
T = TypeVar("T")

MADE_BY, ARGUMENTS = "_made_by", "_arguments"
"""The attributes that keep what a thing was made with."""


class _OfConstructor:
    """The signature of a class is that of its ``__init__``, although ``__new__`` takes anything."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("__signature__")  # an instance that can be called has a signature of its own
        if owner.__init__ is object.__init__:  # type: ignore[misc]
            return inspect.Signature()
        signature = inspect.signature(owner.__init__)  # type: ignore[misc]
        return signature.replace(parameters=list(signature.parameters.values())[1:])


class Given:
    """Remembers the arguments of its constructor, whatever its subclasses make of them.

    Example:
        >>> class Wheel(Given):
        ...     def __init__(self, radius, teeth=0):
        ...         self.area = 3 * radius**2
        >>> Wheel(2, teeth=12).given
        {'radius': 2, 'teeth': 12}
    """

    __slots__ = (ARGUMENTS,)
    __signature__ = _OfConstructor()
    _arguments: tuple[tuple[Any, ...], dict[str, Any]]

    if not TYPE_CHECKING:  # the arguments are checked against __init__

        def __new__(cls, *args: Any, **named: Any) -> Any:
            """A new object that knows its arguments."""
            made = super().__new__(cls)
            object.__setattr__(made, ARGUMENTS, (_kept(args), _kept(named)))
            return made

    @property
    def given(self) -> dict[str, Any]:
        """The arguments by name, in the order of the signature; those left to their defaults are missing."""
        args, named = self._arguments
        return dict(inspect.signature(type(self)).bind(*args, **named).arguments)


def arguments(made: Given) -> list[Any]:
    """The values of the arguments without their names, which take longer to find."""
    args, named = made._arguments
    return [*args, *named.values()]


def remembered(method: Callable[P, T]) -> Callable[P, T]:
    """A method that makes something, and leaves with it what it was called with; see ``given_to``."""

    @wraps(method)
    def made(*args: P.args, **named: P.kwargs) -> T:
        result = method(*args, **named)
        object.__setattr__(result, MADE_BY, (method, _kept(args), _kept(named)))
        return result

    return made


def given_to(thing: object) -> dict[str, Any] | None:
    """The arguments of the method that made a thing, ``self`` included; None if it was made in another way.

    Example:
        >>> from multibody.model import System
        >>> crane = System("crane")
        >>> hook = crane.body("crab", mass=10).frame("hook", (0, 0, 1))
        >>> given_to(hook)
        {'self': Body('crab'), 'name': 'hook', 'position': (0, 0, 1)}
    """
    if not hasattr(thing, MADE_BY):
        return None
    method, args, named = getattr(thing, MADE_BY)
    return dict(inspect.signature(method).bind(*args, **named).arguments)


def expressions_in(value: Any) -> Iterator[Expr]:
    """The expressions in an argument, also those within lists, matrices and vectors.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> list(expressions_in([1, (x, "text"), [[y]]]))
        [x, y]
    """
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, np.ndarray):
        yield from (entry for entry in value.flat if isinstance(entry, Expr))
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from expressions_in(entry)
    elif hasattr(value, "components"):
        yield from (component for component in value.components() if isinstance(component, Expr))


def _kept(value: Any) -> Any:
    """The value, safe from changes of lists and arrays that the user goes on to use."""
    if type(value) in (list, tuple):
        return type(value)(map(_kept, value))
    if type(value) is dict:
        return {key: _kept(item) for key, item in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value
