"""Several states side by side, for compiled loops that move them together."""

from __future__ import annotations

import numpy as np

from multibody.compiler import engine
from multibody.compiler.calls import BoundBlock
from multibody.compiler.emit import lane_module
from multibody.compiler.ports import Array, Signature
from multibody.compiler.program import PortProgram


class StateBlock:
    """A function for several states at once, with the lanes of each number side by side; made by ``Function.block``.

    Nothing is shared between lanes: parameters are numbers like all others.

    Args:
        function: whose ports it has.
        program: what to compute.
        lanes: how many states.

    Example:
        >>> from multibody.compiler import Function
        >>> from multibody.graph import sqrt, symbol
        >>> x, m = symbol("x"), symbol("m", "parameter")
        >>> f = Function("f", {"x": x, "m": m}, {"y": sqrt(m) * x})
        >>> x_now, m_now, y_now = np.arange(4.0), np.full(4, 9.0), np.zeros(4)
        >>> bound = f.block(4).bind(x=x_now, m=m_now, y=y_now)
        >>> bound.prepare()
        >>> bound()
        >>> y_now
        array([0., 3., 6., 9.])
    """

    def __init__(self, function: Signature, program: PortProgram, lanes: int) -> None:
        self.function, self.lanes = function, lanes
        self._module = lane_module(program, lanes)
        self._library = engine.build(self._module.text)

    def bind(self, /, **arrays: Array) -> BoundBlock:
        """A call that reads and writes the given arrays in place; each has a last dimension for the lanes.

        Its ``prepare()`` must be called whenever parameters have changed.
        """
        hoisted = np.empty((max(1, self._module.hoisted), self.lanes))
        call, prepare = (self._library.function(name, 2) for name in ("call_fixed", "prepare"))
        return BoundBlock(self.function, self._library, (call, prepare), arrays, hoisted)
