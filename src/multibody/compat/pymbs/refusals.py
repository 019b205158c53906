"""Errors of PyMbs scripts, with the names of commands."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from multibody.errors import ModelError, MultibodyError

_log = logging.getLogger("multibody")


class UsageError(ModelError, TypeError):
    """A PyMbs command that was called with arguments it does not understand."""


class UnsupportedError(MultibodyError, NotImplementedError):
    """Something that PyMbs can do and multibody cannot, or does in another way."""

    code = "pymbs-feature-unsupported"


DIFFERENCES = {
    "addLoop.Transmission": (
        "q1 = ratio*q2 (PyMbs manual, section 3.2.1)", "q2 = ratio*q1, with the second joint following the first"
    ),
    "addSensor.ConstraintForce": (
        "R_2^T*F, along the axes of the joint's second frame (PyMbs manual, section 3.4.1, names no axes; its "
        "other sensors use those of a frame)", "F, along the axes of the world"
    ),
    "addSensor.ConstraintTorque": (
        "R_2^T*L, along the axes of the joint's second frame (PyMbs manual, section 3.4.1, names no axes; its "
        "other sensors use those of a frame)", "L, along the axes of the world"
    ),
}  # fmt: skip
"""Commands for which the manual of PyMbs and its program differ: both formulas."""
MANUAL, PROGRAM = "manual", "program"


def tell_difference(label: str) -> None:
    """Say how the manual and the program differ, and how to choose."""
    manual, program = DIFFERENCES[label]
    _log.warning(
        "%s: the manual says %s; the program PyMbs computes %s. Here the manual counts. Write world.conventions = "
        "'program' to follow the program, or world.conventions = 'manual' to choose the manual without this message.",
        label, manual, program,
    )  # fmt: skip


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
