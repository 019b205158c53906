"""Wittenburg's graph method: A·φ̈ = B for a tree of bodies, from the principle of virtual power.

After J. Wittenburg, "Dynamics of Systems of Rigid Bodies" (1977), chapter 5. Equation numbers are those of the course
work on a chain of five bodies (Samara National Research University), which has the method as eqs. (1) to (31). For
hinges that turn about a point of both bodies the algorithm is the same. In the general case the hinge point slides on
body i⁺(a) with the velocity V_a = Σ k_ai·φ̇_ai; then the centers of mass, which are at r_i = r_0 - Σ_j d_ji, have the
velocities

    ṙ_i = ṙ_0 - Σ_j ω_j × d_ji - Σ_a T_ai·V_a,

and with L_ia = Σ_j T_aj·m_j·d_ij and s_a = σ_a + 2·ω_i⁺(a) × V_a the principle of virtual power gives

    A = (pT)·K·(pT)ᵀ - (pT × L)·kᵀ - [(pT × L)·kᵀ]ᵀ + k·(T·m·Tᵀ)·kᵀ,
    B = -(pT)·(K·(Tᵀ·f - ω̇_0·1) + M' + M - L × s) + (kT)·(m·r̈ - F) + Q,

where r̈ are the accelerations of the centres of mass for φ̈ = 0. Without k-vectors these are (11) and (12), with Q = -pY
for the loads in the hinges. All vectors have components along the axes of body 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from multibody.algebra import Vec3
from multibody.equations import EquationsOfMotion, Handling, Kinetics, Multipliers
from multibody.formalisms.choice import derive, frozen
from multibody.formalisms.contract import Formalism
from multibody.formalisms.wittenburg.resolved import Resolved, Sparse, Vectors
from multibody.formalisms.wittenburg.tables import Pair, Tables
from multibody.graph import ZERO, array
from multibody.graph.linear_algebra import Matrix
from multibody.model import Model, System
from multibody.model.kinematics import ZERO3


class Wittenburg(Formalism):
    """The method of incidence and path matrices, augmented bodies and barycentres; for trees of any branching.

    It takes every model; joints that close loops are cut, so that the graph is a tree.

    Example:
        >>> from multibody.model import System
        >>> pendulum = System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> Wittenburg().derive(pendulum.freeze()).acceleration
        (-9.81*sin(angle),)
        >>> Wittenburg().tables(pendulum).b0[1]
        Vec3(0, 0, 1)
    """

    def tables(self, system: System | Model) -> Tables:
        """Every matrix, vector and tensor of the method by its name; ``print`` shows them all."""
        return Tables(frozen(system, "tables"))

    def matrices(self, system: System | Model) -> tuple[Matrix, Matrix]:
        """A and B of A·φ̈ = B (10), as arrays of expressions; φ̈ are the rates of the model's speeds.

        Closed loops add the forces of their constraints to B.
        """
        eom = derive(system, self)
        return eom.M, eom.f - eom.h

    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """A·φ̈ = B (10) as M·u̇ + h = f: A is the mass matrix, and B = f - h."""
        kinetics = Kinetics(model)
        balance = _BodyBalance(Tables(model), kinetics)
        A, h, f = balance.A(), balance.h(), balance.f()
        solution = (handling or Multipliers()).solve(A, list(h - f), kinetics.constraints)
        return EquationsOfMotion.of(kinetics, "Wittenburg", lambda: (A, h, f), solution)


class _BodyBalance:
    """The matrices A and B of (11)-(13); B = f - h."""

    def __init__(self, tables: Tables, kinetics: Kinetics) -> None:
        self.tables, self.graph, self.kinetics = tables, tables.graph, kinetics
        self.of = Resolved(tables, kinetics)
        self.size = len(tables.model.speeds)

    # A -----------------------------------------------------------------------------------------------------------

    def A(self) -> Matrix:
        """(pT)·K·(pT)ᵀ (11) as p·(T·K·Tᵀ)·pᵀ, and what sliding adds to it."""
        p, k = self.of.p, self.of.k
        m = {(i, i): mass for i, mass in self.tables.m.items()}
        pTKT = contraction(p, self._between_T(self.of.K), lambda vector, tensor: tensor.apply_transposed(vector))
        pTL = contraction(p, self.graph.carried_rows(self.of.L), Vec3.cross)  # with the sign of -T
        kTmT = contraction(k, self._between_T(m), Vec3.__mul__)
        coupling = self._projected(pTL, k)
        return self._projected(pTKT, p) + coupling + coupling.T + self._projected(kTmT, k)

    def _between_T(self, matrix: Mapping[Pair, Any]) -> dict[Pair, Any]:
        """T·X·Tᵀ."""
        return transposed(self.graph.carried_rows(transposed(self.graph.carried_rows(matrix))))

    def _projected(self, left: Sparse, axes: Sparse) -> Matrix:
        """left·pᵀ, or left·kᵀ."""
        result = np.full((self.size, self.size), ZERO, dtype=object)
        for place, entry in contraction(left, transposed(axes), Vec3.dot).items():
            result[place] = entry
        return result

    # B -----------------------------------------------------------------------------------------------------------

    def h(self) -> Matrix:
        """(pT)·(K·(Tᵀ·f - ω̇_0·1) + M' - L × s) - (kT)·m·r̈."""
        moments = {i: self._M_prime(i) - self._K_dw(i) - self._L_cross_s(i) for i in self.graph.numbers}
        forces = {i: ddr * self.tables.m[i] for i, ddr in self.of.ddr.items()}
        return self._T_times(self.of.p, moments) - self._T_times(self.of.k, forces)

    def _K_dw(self, i: int) -> Vec3:
        """Σ_j K_ij·ω̇_j, with ω̇ = -(Tᵀ·f - ω̇_0·1)."""
        related = (*self.graph.path(i), *self.graph.outside(i))
        return sum((self.of.K[i, j] @ self.of.dw[j] for j in related), ZERO3)

    def _L_cross_s(self, i: int) -> Vec3:
        return sum((L.cross(self.of.s[a]) for (row, a), L in self.of.L.items() if row == i), ZERO3)

    def _M_prime(self, i: int) -> Vec3:
        """M'_i (13) without its last term, the moments of the loads."""
        M, b, d, w = self.tables.M, self.of.b, self.of.d, self.of.w
        gyroscopic = w[i].cross(self.of.K[i, i] @ w[i])
        outer = sum((d[i, j].cross(w[j].cross(w[j].cross(b[j]))) for j in self.graph.outside(i)), ZERO3)
        inner = sum((w[j].cross(w[j].cross(d[j, i])) for j in self.graph.inside(i)), ZERO3)
        return -gyroscopic - (outer + b[i].cross(inner - self.of.root(i))) * M

    def f(self) -> Matrix:
        """-(pT)·(M - Σ_j d_ij × F_j) - (kT)·F + Q; the sum is the last term of (13)."""
        F, M = self._loads()
        moments = {i: M[i] - self._moment_of(F, i) for i in self.graph.numbers}
        along = self._T_times(self.of.p, moments) + self._T_times(self.of.k, F)
        return array(self.kinetics.joint_loads) - along

    def _moment_of(self, F: Vectors, i: int) -> Vec3:
        return sum((self.of.d[i, j].cross(F[j]) for j in self.graph.behind(i)), ZERO3)

    def _loads(self) -> tuple[Vectors, Vectors]:
        """F_i and M_i: the force on each body, and its moment about the centre of mass."""
        F, M = dict.fromkeys(self.graph.numbers, ZERO3), dict.fromkeys(self.graph.numbers, ZERO3)
        for i in self.graph.numbers:
            load = self.kinetics.applied.get(self.tables.link(i))
            if load is not None:
                own = self.tables.place(i).to_child(load)
                F[i], M[i] = own.resultant, own.moment_at(self.tables.centre[i])
        return self.of.turned(F), self.of.turned(M)

    def _T_times(self, axes: Sparse, vectors: Vectors) -> Matrix:
        """(pT)·x = p·(T·x), and the same for k."""
        result = np.full(self.size, ZERO, dtype=object)
        carried = self.graph.carried(vectors)
        for (row, a), axis in axes.items():
            result[row] = result[row] - axis.dot(carried[a])
        return result


def contraction(left: Mapping[Pair, Any], right: Mapping[Pair, Any], times: Callable[[Any, Any], Any]) -> Any:
    """The matrix product Σ_k left[i, k]·right[k, j] of sparse matrices, for any kind of product."""
    rows: dict[int, list[tuple[int, Any]]] = {}
    for (k, j), entry in right.items():
        rows.setdefault(k, []).append((j, entry))
    result: dict[Pair, Any] = {}
    for (i, k), entry in left.items():
        for j, other in rows.get(k, []):
            term = times(entry, other)
            result[i, j] = result[i, j] + term if (i, j) in result else term
    return result


def transposed(matrix: Mapping[Pair, Any]) -> dict[Pair, Any]:
    """The same with rows and columns exchanged."""
    return {(j, i): entry for (i, j), entry in matrix.items()}
