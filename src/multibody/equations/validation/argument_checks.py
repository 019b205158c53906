"""Checks of arguments that are to be equations of motion."""

from __future__ import annotations

from typing import Any

from multibody.equations.equations import EquationsOfMotion
from multibody.errors import ModelError, MultibodyError
from multibody.model import Model, System


def require_equations(eom: Any, where: str, call: str = "", *, error: type[MultibodyError] = ModelError) -> None:
    """An error unless equations of motion were given.

    Args:
        eom: the argument.
        where: the function that it was given to.
        call: how this function is called with a system; by default with the derived system first.
        error: class of the error.
    """
    if not isinstance(eom, EquationsOfMotion):
        raise error(
            f"{where} expects equations of motion, got {type(eom).__name__}.",
            code="equations-expected",
            where=where,
            cause=_cause(eom),
            remedy=f"Write {call or f'{where}(mb.derive(system), …)'}.",
            kind=type(eom).__name__,
        )


def _cause(given: Any) -> str:
    if isinstance(given, System | Model):
        return "They were not derived yet."
    return "The arguments are in another order." if isinstance(given, int | float) else ""
