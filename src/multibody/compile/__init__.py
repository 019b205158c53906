"""Compiled functions with named ports, single and in batches, through LLVM.

Example:
    >>> from multibody.compile import Function
    >>> from multibody.graph import symbols
    >>> x, y = symbols("x y")
    >>> f = Function("f", {"x": x, "y": y}, {"z": x * y + 1})
    >>> f(2.0, 3.0)
    7.0
"""

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from multibody.compile.calls import BoundCall, Results
from multibody.compile.function import FixedFunction, Function
from multibody.compile.ports import Port
from multibody.compile.verb import Equations, compiled

__all__ = ["BoundCall", "FixedFunction", "Function", "Port", "Results", "compiled"]


class _Room(ModuleType):
    """The room itself can be called, because ``multibody.compile`` is the name of the verb as well."""

    def __call__(self, equations: Equations, outputs: Mapping[str, Any] | None = None) -> Function:
        return compiled(equations, outputs)


sys.modules[__name__].__class__ = _Room
