"""How a subsystem was made: what was given to ``from_system``, ``couple`` and ``renamed``, so that it can be written.

Nothing is computed from it. Whoever writes it down reads it back, and compares: what was given may have changed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from multibody.model import Model, System
from multibody.subsystems.arguments.groups import KnownMotion, KnownRelations, OwnEquations


class Origin:
    """How a subsystem was made."""


class Made(Protocol):
    """A subsystem, as far as its origin knows it."""

    @property
    def label(self) -> str:
        """Its name."""

    @property
    def description(self) -> str:
        """What it is."""

    @property
    def origin(self) -> Origin | None:
        """How it was made; None if that is not known."""


@dataclass(frozen=True, eq=False)
class OfSystem(Origin):
    """Arguments of ``from_system``.

    Attributes:
        system: that it was made from.
        variables: further ones, by order.
        kinematics: their rates.
        constraints: further invariants.
        independent: names of variables.
    """

    system: System | Model
    variables: Mapping[int, Sequence[str]]
    kinematics: Any
    constraints: Any
    independent: Any


@dataclass(frozen=True, eq=False)
class OfParts(Origin):
    """Arguments of ``couple``, and of ``subsystem``, which has no parts.

    Attributes:
        parts: what was coupled, under the names that it has in the whole.
        variables: new ones, by order.
        constraints: among the parts.
        independent: names of variables.
        parameters: new ones.
        inputs: new ones.
        own: what the level adds.
        motion: start values and reference motion.
        relations: identities and redundant constraints.
    """

    parts: tuple[Made, ...]
    variables: Mapping[int, Sequence[str]]
    constraints: Any
    independent: Any
    parameters: Any
    inputs: Any
    own: OwnEquations
    motion: KnownMotion
    relations: KnownRelations


@dataclass(frozen=True, eq=False)
class OfCopy(Origin):
    """Arguments of ``renamed`` or of ``with_start``.

    Attributes:
        source: what was copied.
        names: new names by old ones.
        suffix: of all other names.
        shared: names that stay.
        start: start values that were changed, by name.
    """

    source: Made
    names: Mapping[str, str]
    suffix: str
    shared: Sequence[str]
    start: Mapping[str, float]
