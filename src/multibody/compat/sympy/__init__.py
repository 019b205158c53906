"""Models that stay written in SymPy: its objects become equations of motion, and equations of motion its objects."""

from multibody.compat.sympy.exchange import from_sympy, to_sympy

__all__ = ["from_sympy", "to_sympy"]
