"""Options that are one of a few words."""

from __future__ import annotations

from collections.abc import Iterable

from multibody.errors import UnknownNameError
from multibody.graph.names import suggestion


def one_of(choices: Iterable[str], given: str, option: str, model: str) -> str:
    """The given word, if it is one of the choices.

    Raises:
        UnknownNameError: if not; it says what may be meant.

    Example:
        >>> one_of(["hinges", "equations"], "hinge", "closed_by", "andrews")
        Traceback (most recent call last):
            ...
        multibody.errors.UnknownNameError: closed_by cannot be 'hinge'. [name-unknown]
          where: andrews
          cause: Did you mean 'hinges'?
          fix: Choose one of hinges, equations.
    """
    known = list(choices)
    if given not in known:
        raise UnknownNameError(
            f"{option} cannot be {given!r:.80}.",
            where=model,
            cause=suggestion([given], known),
            remedy=f"Choose one of {', '.join(known)}.",
        )
    return given
