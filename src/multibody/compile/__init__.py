"""Compiled functions with named ports, single and in batches, through LLVM.

Example:
    >>> from multibody.compile import Function
    >>> from multibody.graph import symbols
    >>> x, y = symbols("x y")
    >>> f = Function("f", {"x": x, "y": y}, {"z": x * y + 1})
    >>> f(2.0, 3.0)
    7.0
"""

from multibody.compile.calls import BoundCall, Results
from multibody.compile.function import FixedFunction, Function
from multibody.compile.ports import Port

__all__ = ["BoundCall", "FixedFunction", "Function", "Port", "Results"]
