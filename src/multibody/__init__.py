"""From the description of a mechanical system to its equations of motion, and to all that follows from them."""

from multibody import graph
from multibody.compile import Function

__all__ = ["Function", "graph"]
__version__ = "0.1.0"
