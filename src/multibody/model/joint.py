"""A joint between two frames, with the names and start values of its coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, as_expr, symbol
from multibody.model.body import Frame
from multibody.model.joints import Elementary, JointKind, Step
from multibody.model.quantity import is_range, two_ends


@dataclass(frozen=True, eq=False, repr=False)
class Joint:
    """A connection of two frames.

    Attributes:
        name: unique in the system.
        parent: the frame that it starts from.
        child: the frame that it moves.
        kind: what movement it allows.
        coordinates: the symbols of its coordinates; one coordinate has the joint's own name.
        speeds: the symbols of its speeds.
        q: start values of the coordinates.
        u: start values of the speeds.
        limits: range of each coordinate, for sliders and checks; None where it has none.
        prescribed: for a joint whose motion is given, each coordinate as an expression of time and inputs.
        cut: True if it is to close a loop, False if it must not; None to leave the choice.
        written: names of coordinates and speeds whose start values were given.
        guessed: whether ``q`` is a guess that only selects how the mechanism is assembled.
    """

    name: str
    parent: Frame
    child: Frame
    kind: JointKind
    coordinates: tuple[Symbol, ...]
    speeds: tuple[Symbol, ...]
    q: tuple[float, ...]
    u: tuple[float, ...]
    limits: tuple[tuple[float, float] | None, ...]
    prescribed: tuple[Expr, ...] | None
    cut: bool | None = None
    written: frozenset[str] = frozenset()
    guessed: bool = False

    @property
    def coordinate(self) -> Symbol:
        """The only coordinate of a joint with one degree of freedom."""
        return _only(self.coordinates, self.name)

    @property
    def speed(self) -> Symbol:
        """The only speed of a joint with one degree of freedom."""
        return _only(self.speeds, self.name)

    @cached_property
    def angles(self) -> tuple[Symbol, ...]:
        """The coordinates that are angles about one axis."""
        return tuple(own[0] for step, own in _by_step(self.kind.steps(), self.coordinates) if step.motion.is_turn(own))

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.parent.name!r} to {self.child.name!r}, {self.kind!r})"


def _only(symbols: tuple[Symbol, ...], name: str) -> Symbol:
    if len(symbols) != 1:
        raise ModelError(
            f"The joint has {len(symbols)} of them, not one.",
            code="joint-with-several-coordinates",
            where=f"joint '{name}'",
            remedy="Use joint.coordinates[k] or joint.speeds[k].",
            name=name,
        )
    return symbols[0]


def as_kind(kind: Any, name: str) -> JointKind:
    """A kind of joint from an object, a string such as ``"Tx"`` or a list of such strings."""
    if isinstance(kind, type) and issubclass(kind, JointKind):
        return kind()
    if isinstance(kind, str | list | tuple):
        return Elementary(kind)
    if isinstance(kind, JointKind):
        return kind
    raise ModelError(
        f"{kind!r} is not a kind of joint.",
        code="joint-kind-unknown",
        where=f"joint '{name}'",
        remedy="Use a string such as 'Tx', a list such as ['Tx', 'Ry'], or an object such as Revolute('z').",
        name=name,
    )


def joint(
    name: str, parent: Frame, child: Frame, kind: Any, q: Any, u: Any, limits: Any, prescribed: Any, scope: str,
    cut: bool | None = None, guess: Any = None,
) -> Joint:  # fmt: skip
    """A joint with its symbols and start values."""
    if q is not None and guess is not None:
        raise ModelError(
            "Both q and guess are given.",
            code="start-value-twice",
            where=f"joint '{name}'",
            remedy="Give q for start values that should be kept, or guess for values that only select the assembly.",
            name=name,
        )
    what = as_kind(kind, name)
    steps = what.steps()
    coordinates = tuple(_symbols(name, [label for s in steps for label in s.motion.coordinates], "coordinate", scope))
    speeds = tuple(s for step, own in _by_step(steps, coordinates) for s in _speeds(name, step, own, scope))
    rest = [value for step in steps for value in step.motion.rest]
    given = None if prescribed is None else _prescribed(prescribed, len(coordinates), name)
    written = (*(coordinates if q is not None else ()), *(speeds if u is not None else ()))
    return Joint(
        name, parent, child, what, coordinates, speeds,
        _numbers(guess if q is None else q, rest, f"start value q of joint '{name}'"),
        _numbers(u, [0.0] * len(speeds), f"start value u of joint '{name}'"),
        _limits(limits, len(coordinates), name), given, cut, frozenset(symbol.name for symbol in written),
        guess is not None,
    )  # fmt: skip


def _by_step(steps: Sequence[Step], coordinates: Sequence[Symbol]) -> list[tuple[Step, Sequence[Symbol]]]:
    result, start = [], 0
    for step in steps:
        end = start + len(step.motion.coordinates)
        result.append((step, coordinates[start:end]))
        start = end
    return result


def _symbols(name: str, labels: Sequence[str], kind: Any, scope: str) -> list[Symbol]:
    texts = [name] if len(labels) == 1 else [f"{name}_{label}" for label in labels]
    return [symbol(text, kind, scope) for text in texts]


def _speeds(name: str, step: Step, coordinates: Sequence[Symbol], scope: str) -> list[Symbol]:
    if step.motion.speeds:
        return [symbol(f"{name}_{label}", "speed", scope) for label in step.motion.speeds]
    return [symbol(f"{q.name}_dot", "speed", scope) for q in coordinates]


def _numbers(value: Any, default: Sequence[float], where: str) -> tuple[float, ...]:
    if value is None:
        return tuple(default)
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.shape != (len(default),) or not np.isfinite(numbers).all():
        raise ModelError(
            f"{len(default)} finite numbers are needed, not {value!r}.",
            code="start-value-invalid",
            where=where,
            remedy="Give a number or a list.",
        )
    return tuple(map(float, numbers))


def _limits(limits: Any, count: int, name: str) -> tuple[tuple[float, float] | None, ...]:
    if limits is None:
        return (None,) * count
    try:
        several = any(pair is None or np.ndim(pair) for pair in limits)
        pairs = [None if pair is None else two_ends(pair) for pair in (limits if several else [limits])]
    except (TypeError, ValueError):
        pairs = []
    if len(pairs) != count or not all(pair is None or is_range(*pair) for pair in pairs):
        raise ModelError(
            f"{limits!r} is not {'a range' if count == 1 else f'a list of {count} ranges'} (low, high).",
            code="limits-invalid",
            where=f"limits of joint '{name}'",
            remedy="Give (low, high) with low <= high for each coordinate, or None.",
            name=name,
        )
    return tuple(pairs)


def _prescribed(value: Any, count: int, name: str) -> tuple[Expr, ...]:
    given = [value] if isinstance(value, Expr) or np.ndim(value) == 0 else list(value)
    if len(given) != count:
        raise ModelError(
            f"The motion of {count} coordinates is needed, {len(given)} are given.",
            code="prescribed-motion-wrong-size",
            where=f"prescribed motion of joint '{name}'",
            remedy="Give one expression of time and inputs for each coordinate.",
            name=name,
        )
    return tuple(as_expr(expression) for expression in given)
