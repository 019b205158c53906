"""What can go wrong with a PyMbs script, by the name of its command."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from multibody.errors import ModelError, MultibodyError

_log = logging.getLogger("multibody")


class UsageError(ModelError, TypeError):
    """A PyMbs command that was called with arguments it does not understand."""


class UnsupportedError(MultibodyError, NotImplementedError):
    """Something that PyMbs can do and multibody cannot, or does in another way."""


def rigid_only(command: str) -> UnsupportedError:
    """What a command for flexible bodies answers."""
    return UnsupportedError(
        "Bodies are rigid here.",
        where=f"PyMbs' {command}",
        remedy="Divide the body into rigid ones, with springs on the joints between them.",
    )


def unused(command: str, settings: Mapping[str, object]) -> None:
    """Say which settings of PyMbs have no meaning here."""
    if settings:
        _log.warning("%s: not used here: %s.", command, ", ".join(settings))
