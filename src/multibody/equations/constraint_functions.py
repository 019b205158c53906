"""Machine code for the gaps of loops, which are evaluated often while a mechanism is assembled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multibody.compile import Function


def quickly_compiled(name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Function:
    """A function whose machine code is made in little time; see ``Function.hasty``."""
    from multibody.compile import Function  # late: expressions are made and read without a compiler

    return Function(name, inputs, outputs).hasty
