"""Options that are given as text: read without regard to case and spacing, and an error that lists what there is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from multibody.errors import ModelError
from multibody.graph.names import suggestion


def normal(text: str) -> str:
    """Small letters, and one blank between words.

    Example:
        >>> normal("ZYX Euler_Angles: Redundant")
        'zyx euler angles redundant'
    """
    return " ".join(re.split(r"[\s_:|]+", text.strip().lower()))


def unknown_option(
    what: str, given: object, valid: Iterable[str], label: str, *, short: Iterable[str] = (), further: str = ""
) -> ModelError:
    """The error for an option that does not exist.

    Args:
        what: the argument, by its name.
        given: what the user wrote.
        valid: options, for the message.
        label: of the subsystem.
        short: other spellings, which are not listed.
        further: what can be given besides text.

    Example:
        >>> print(unknown_option("inertia", "sferical", ["spherical", "central"], "B"))
        There is no inertia 'sferical'. [option-unknown]
          where: newton_euler of subsystem 'B'
          cause: Did you mean 'spherical'?
          fix: Use 'spherical', 'central'.
    """
    listed = list(valid)
    wanted = [normal(given) if isinstance(given, str) else given]
    return ModelError(
        f"There is no {what} {given!r:.80}.",
        where=f"newton_euler of subsystem '{label}'",
        cause=suggestion(wanted, [*listed, *short]),
        remedy=f"Use {', '.join(map(repr, listed))}{further}.",
        code="option-unknown",
        name=str(given),
    )
