"""The vectors of Wittenburg's method along the axes of body 0, and the motion of all bodies: eqs. (4)-(9) and (14)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from multibody.algebra import Mat3, Vec3
from multibody.formalisms.wittenburg.tables import Pair, Tables
from multibody.graph import ZERO
from multibody.model.kinematics import ZERO3, Kinematics

Vectors = dict[int, Vec3]
"""A vector for each body, or for each hinge."""
Sparse = dict[Pair, Vec3]
"""A matrix of vectors; what is not in it is zero."""


class Resolved:
    """Everything resolved along the axes of body 0, whose own motion is known: ω_0, ω̇_0 and r̈_0.

    Accelerations are those for φ̈ = 0.

    Args:
        tables: of the model.
        kinematics: of the same model.
    """

    def __init__(self, tables: Tables, kinematics: Kinematics) -> None:
        self.tables, self.graph = tables, tables.graph
        base = tables.body(0)
        self.w0 = kinematics.velocity(base).resultant
        self.dw0, ddr0 = kinematics.acceleration(base)
        # weights act like an upward acceleration of body 0: in (13), Σ_j d_ij × m_j·g = M·b_i0 × g
        self.ddr0 = ddr0 - kinematics.pose(base).vector_to_child(tables.model.gravity)

    # geometry ----------------------------------------------------------------------------------------------------

    def turned(self, vectors: Mapping[int, Vec3]) -> Vectors:
        """Vectors of bodies 1 … n, from their own axes."""
        return {i: self.tables.A0[i] @ vectors[i] for i in self.graph.numbers}

    @cached_property
    def d(self) -> Sparse:
        """d_ij for s_i ≤ s_j."""
        tables, numbers = self.tables, self.graph.numbers
        return {(i, j): tables.A0[i] @ tables.d[i, j] for j in numbers for i in (0, *self.graph.path(j))}

    @cached_property
    def b(self) -> Vectors:
        """b_i0."""
        return self.turned(self.tables.b0)

    @cached_property
    def K(self) -> dict[Pair, Mat3]:
        """K_ij (25), where it is not zero."""
        pairs = [(i, j) for i in self.graph.numbers for j in (*self.graph.path(i), *self.graph.outside(i))]
        return {pair: self.tables.K_matrix(*pair) for pair in pairs}

    @cached_property
    def p(self) -> Sparse:
        """The p-vectors, a row for each speed of the model and a column for each hinge (26)."""
        return self._rows({a: hinge.p for a, hinge in self.tables.hinges.items()})

    @cached_property
    def k(self) -> Sparse:
        """The k-vectors in the same places."""
        return self._rows({a: hinge.k for a, hinge in self.tables.hinges.items()})

    def _rows(self, axes: Mapping[int, tuple[Vec3, ...]]) -> Sparse:
        found: Sparse = {}
        for a, hinge in self.tables.hinges.items():
            for axis, partial in zip(axes[a], hinge.partials, strict=True):
                if any(component is not ZERO for component in axis):
                    for row, factor in partial.items():
                        found[row, a] = found.get((row, a), ZERO3) + self.tables.A0[a] @ axis * factor
        return found

    # velocities --------------------------------------------------------------------------------------------------

    @cached_property
    def Omega(self) -> Vectors:
        """Ω_a = Σ p_ai·φ̇_ai (4)."""
        return self.turned({a: hinge.Omega for a, hinge in self.tables.hinges.items()})

    @cached_property
    def w(self) -> Vectors:
        """ω = -Tᵀ·Ω + ω_0·1 (8)."""
        return {i: along + self.w0 for i, along in self.graph.along_paths(self.Omega).items()}

    @cached_property
    def V(self) -> Vectors:
        """V_a = Σ k_ai·φ̇_ai, the velocity of hinge point a relative to body i⁺(a)."""
        return self.turned({a: hinge.V for a, hinge in self.tables.hinges.items()})

    # accelerations for φ̈ = 0 --------------------------------------------------------------------------------------

    @cached_property
    def f(self) -> Vectors:
        """f_a = φ_a + ω*_a with ω*_a = ω_i⁻(a) × Ω_a (14)."""
        phi = self.turned({a: hinge.phi for a, hinge in self.tables.hinges.items()})
        return {a: phi[a] + self.w[a].cross(self.Omega[a]) for a in self.graph.numbers}

    @cached_property
    def dw(self) -> Vectors:
        """ω̇ = -(Tᵀ·f - ω̇_0·1)."""
        return {i: along + self.dw0 for i, along in self.graph.along_paths(self.f).items()}

    @cached_property
    def s(self) -> Vectors:
        """s_a = σ_a + 2·ω_i⁺(a) × V_a."""
        sigma = self.turned({a: hinge.sigma for a, hinge in self.tables.hinges.items()})
        w = {0: self.w0, **self.w}
        return {a: sigma[a] + (w[i] * 2).cross(self.V[a]) for a, i in self.graph.i_plus.items()}

    def root(self, i: int) -> Vec3:
        """r̈_0 in (13): of that hinge of body 0 from which body i hangs, if it stood still on body 0."""
        d = self.d[0, i]
        return self.ddr0 - self.dw0.cross(d) - self.w0.cross(self.w0.cross(d))

    @cached_property
    def ddr(self) -> Vectors:
        """r̈_i = r̈_0 - Σ_j [ω̇_j × d_ji + ω_j × (ω_j × d_ji)] - Σ_a T_ai·s_a, of the centres of mass."""
        slid = self.graph.along_paths(self.s)
        return {i: self.root(i) - self._swung(i) + slid[i] for i in self.graph.numbers}

    def _swung(self, i: int) -> Vec3:
        w, dw, d = self.w, self.dw, self.d
        return sum((dw[j].cross(d[j, i]) + w[j].cross(w[j].cross(d[j, i])) for j in self.graph.path(i)), ZERO3)

    # masses that slide -------------------------------------------------------------------------------------------

    @cached_property
    def L(self) -> Sparse:
        """L_ia = Σ_j T_aj·m_j·d_ij, for hinges that slide.

        It is -M·b_i0 if hinge a carries body i, and -d_ia·(mass behind a) if body i carries hinge a.
        """
        found: Sparse = {}
        for a in (a for a, hinge in self.tables.hinges.items() if hinge.slides):
            mass = sum((self.tables.m[i] for i in self.graph.behind(a)), ZERO)
            found |= {(i, a): self.b[i] * -self.tables.M for i in self.graph.behind(a)}
            found |= {(i, a): self.d[i, a] * -mass for i in self.graph.inside(a)}
        return found
