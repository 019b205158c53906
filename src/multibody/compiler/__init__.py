"""Compiled functions with named ports, single and in batches, through LLVM.

Example:
    >>> from multibody.compiler import Function
    >>> from multibody.graph import symbols
    >>> x, y = symbols("x y")
    >>> f = Function("f", {"x": x, "y": y}, {"z": x * y + 1})
    >>> f(2.0, 3.0)
    7.0
"""

from multibody.compiler.calls import BoundCall, Results
from multibody.compiler.function import FixedFunction, Function
from multibody.compiler.ports import Port
from multibody.compiler.verb import compile

__all__ = ["BoundCall", "FixedFunction", "Function", "Port", "Results", "compile"]
