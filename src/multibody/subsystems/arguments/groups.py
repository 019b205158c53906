"""Groups of arguments of ``couple``: equations of the level itself, known motions, known relations, progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any

from multibody.errors import ModelError
from multibody.graph.names import suggestion


@dataclass(frozen=True)
class OwnEquations:
    """What a level adds to its subsystems.

    Attributes:
        kinematics: rates of new variables, by name, or equations in which they appear.
        dynamics: forces of this level, by the variable in whose row of d̄ they count.
        energy: kinetic and potential energy of what ``dynamics`` adds.
        quaternions: groups of four new coordinates that have unit length.

    Example:
        >>> spring = OwnEquations(dynamics={"v": "-k*x"}, energy=(0, "k*x**2/2"))
    """

    kinematics: Any = ()
    dynamics: Any = ()
    energy: tuple[Any, Any] | None = None
    quaternions: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class KnownMotion:
    """Values of variables that are known, by their names.

    Attributes:
        start: numbers at the beginning of a run.
        reference: a reference motion, expressions of time and parameters; added to those of the subsystems.

    Example:
        >>> hanging = KnownMotion(start={"x": 0.1}, reference={"y": "-l"})
    """

    start: Mapping[str, Any] | None = None
    reference: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class KnownRelations:
    """What is known of the constraints.

    Attributes:
        identities: pairs of expressions that are equal where the constraints are kept, to shorten results; tested.
        redundant: names of constraints that follow from the others where all of them are kept. They are not solved for;
            runs monitor them, and use them where the others alone do not determine the motion.

    Example:
        >>> circle = KnownRelations(identities={"x**2 + y**2": "l**2"})
    """

    identities: Any = ()
    redundant: Iterable[str] = ()


_GROUPS = {"own": OwnEquations, "motion": KnownMotion, "relations": KnownRelations}


def require_groups(label: str, given: Mapping[str, Any], unknown: Iterable[str], known: Iterable[str]) -> None:
    """An error for an argument of another kind than its group, and for one that is in a group, or that does not exist.

    Args:
        label: of the subsystem.
        given: the groups, by the names of their arguments.
        unknown: names of other arguments.
        known: names of arguments that exist.
    """
    places = {field.name: (name, group) for name, group in _GROUPS.items() for field in fields(group)}
    for name in unknown:
        argument, group = places.get(name, ("", None))
        raise ModelError(
            f"couple has no argument '{name}'.",
            where=f"subsystem '{label}'",
            cause=suggestion([name], [*known, *places]) if group is None else f"It belongs to {group.__name__}.",
            remedy=f"The arguments are: {', '.join(known)}."
            if group is None
            else f"Give {argument}={group.__name__}({name}=…); see mb.modular.{group.__name__}.",
            code="argument-unknown",
            name=name,
        )
    for argument, value in given.items():
        group = _GROUPS[argument]
        if value is not None and not isinstance(value, group):
            names = ", ".join(f"{field.name}=…" for field in fields(group))
            raise ModelError(
                f"{value!r:.80} is not a group of arguments.",
                where=f"argument '{argument}' of couple, subsystem '{label}'",
                remedy=f"Give {argument}={group.__name__}({names}).",
                code="argument-group-expected",
                name=argument,
            )


Progress = Callable[[str, str, float], None]
"""Receives the label, the finished stage, and the seconds that it took."""


class Clock:
    """Seconds for each stage, reported to a function of the caller."""

    def __init__(self, label: str, progress: Progress | None) -> None:
        self._label, self._progress = label, progress
        self._last = perf_counter()
        self.seconds: dict[str, float] = {}

    def __call__(self, stage: str) -> None:
        """A stage is finished."""
        now = perf_counter()
        self.seconds[stage], self._last = now - self._last, now
        if self._progress is not None:
            self._progress(self._label, stage, self.seconds[stage])
