"""Derivatives of the dynamics as compiled sparse functions, for optimisers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_equations
from multibody.graph import ZERO, Symbol, array, isolated, jacobian, topological


class SparseFunction:
    """A compiled function whose value is a matrix of which most entries are always zero.

    Args:
        name: of the function.
        inputs: symbols by port name, as for ``Function``.
        matrix: of expressions.

    Attributes:
        shape: of the matrix.
        rows, columns: the places of the entries that are not always zero, row by row; they never change.
        values: the compiled function from the inputs to these entries, in the same order.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> slope = SparseFunction("slope", {"x": x, "y": y}, [[y, x], [0, 2 * y]])
        >>> slope.rows.tolist(), slope.columns.tolist(), slope.values(3.0, 5.0).tolist()
        ([0, 0, 1], [0, 1, 1], [5.0, 3.0, 10.0])
        >>> slope(3.0, 5.0).toarray()
        array([[ 5.,  3.],
               [ 0., 10.]])
    """

    def __init__(self, name: str, inputs: Mapping[str, Any], matrix: Any) -> None:
        entries = array(matrix)
        self.shape: tuple[int, int] = entries.shape[0], entries.shape[1]
        filled = np.array([entry is not ZERO for entry in entries.flat], dtype=bool).reshape(self.shape)
        self.rows, self.columns = (places.astype(np.intp) for places in filled.nonzero())
        self.values = Function(name, inputs, {"entries": list(entries[filled])})

    @property
    def operations(self) -> int:
        """How many operations one evaluation takes."""
        return sum(self.values.operations.values())

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The matrix as a ``scipy.sparse.csr_array``, also with entries that happen to be zero."""
        from scipy.sparse import csr_array  # late, because importing it takes long

        starts = np.searchsorted(self.rows, np.arange(self.shape[0] + 1))
        return csr_array((self._entries(args, named), self.columns.copy(), starts), shape=self.shape)

    def dense(self, *args: Any, **named: Any) -> NDArray[np.float64]:
        """The matrix with all its zeros."""
        result = np.zeros(self.shape)
        result[self.rows, self.columns] = self._entries(args, named)
        return result

    def _entries(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> NDArray[np.float64]:
        return np.asarray(self.values(*args, **named)).reshape(-1) if len(self.rows) else np.zeros(0)

    def __repr__(self) -> str:
        return f"SparseFunction({self.values.name!r}: {self.shape[0]}×{self.shape[1]}, {len(self.rows)} entries)"


@dataclass(frozen=True, eq=False)
class DynamicsJacobians:
    """The derivatives of ẋ = (q̇, u̇) as functions of (t, q, u, r, p); each is compiled when it is first asked for.

    Where there are constraints, u̇ contains the constraint forces, and q and u vary independently of each other.

    Attributes:
        eom: the equations of motion that are differentiated.
    """

    eom: EquationsOfMotion

    @cached_property
    def q(self) -> SparseFunction:
        """∂ẋ/∂q."""
        return self._by("q", self.eom.coordinates)

    @cached_property
    def u(self) -> SparseFunction:
        """∂ẋ/∂u."""
        return self._by("u", self.eom.speeds)

    @cached_property
    def r(self) -> SparseFunction:
        """∂ẋ/∂r."""
        return self._by("r", self.eom.inputs)

    @cached_property
    def p(self) -> SparseFunction:
        """∂ẋ/∂p."""
        return self._by("p", self.eom.parameters)

    @cached_property
    def x(self) -> SparseFunction:
        """∂ẋ/∂x with x = (q, u)."""
        return self._by("x", (*self.eom.coordinates, *self.eom.speeds))

    def _by(self, label: str, symbols: tuple[Symbol, ...]) -> SparseFunction:
        eom = self.eom
        outputs = list(eom.explicit_form())
        ports = {"t": eom.model.time, "q": eom.coordinates, "u": eom.speeds, "r": eom.inputs, "p": eom.parameters}
        with isolated(*topological(outputs)):
            slopes = jacobian(outputs, symbols).reshape(len(outputs), len(symbols))
        return SparseFunction(f"{eom.model.name}_slope_by_{label}", ports, slopes)


def jacobians(eom: EquationsOfMotion) -> DynamicsJacobians:
    """The exact derivatives of ẋ = (q̇, u̇) by q, u, r and p as compiled sparse functions.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> m, l = pendulum.parameters(m=2.0, l=0.5)
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", m, (0, 0, -l)), "Ry")
        >>> drive = pendulum.load(mb.JointLoad(hinge, pendulum.input("M")))
        >>> slopes = jacobians(mb.derive(pendulum))
        >>> slopes.q.dense(0.0, [0.0], [0.0], [0.0], [2.0, 0.5])
        array([[  0.  ],
               [-19.62]])
        >>> slopes.r.rows, slopes.r.columns, slopes.r.values(0.0, [0.0], [0.0], [0.0], [2.0, 0.5])
        (array([1]), array([0]), array([2.]))
    """
    require_equations(eom, "jacobians")
    return DynamicsJacobians(eom)
