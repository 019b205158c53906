"""The vectors and tensors of Wittenburg's method by their names: steps four to eight.

Equation numbers are those of ``method``. Where the printed equations have exchanged indices, the formulas here are
those of the program printed with them: d_ij = Σ T_aj·S_ia·c_ia in (20), and s_j < s_i in the third case of (25).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from multibody.algebra import Inertia, Mat3, Rotation, Symmetric3, Transform, Vec3
from multibody.formalisms.wittenburg.graph import Integers, OrientedGraph
from multibody.formalisms.wittenburg.hinge import Hinge, hinge, is_prescribed, steps_by_joint
from multibody.graph import ZERO, Expr
from multibody.graph.workspace import in_own_table, own_table
from multibody.model import Body, Link, Model
from multibody.model.kinematics import ZERO3

Pair = tuple[int, int]

_NO_INERTIA = Inertia.zero().symbolic()


@in_own_table
class Tables:
    """All that the method calls by name. Bodies 0 … n and hinges 1 … n are numbered along the tree.

    Body 0 is the world, or a body that carries everything else and whose motion is prescribed. Vectors and tensors of
    body i have components along its own axes; for bodies that are welded together, along the axes of the first one.
    Where a joint slides, ``c``, ``d``, ``b0`` and ``K`` depend on its coordinates.

    Args:
        model: a frozen model; joints that close loops are cut, and are no hinges.

    Attributes:
        graph: the oriented graph with S0, S, T, i⁺ and i⁻.
        hinges: each hinge with its axes, by number.
        bodies: the name of each body, by number; the names of bodies welded together are joined by "+".
        table: nodes of its expressions, apart from all others.

    Example:
        >>> from multibody.model import System
        >>> double = System("double")
        >>> upper, lower = double.body("upper", 1, (0, 0, -1)), double.body("lower", 3, (0, 0, -1))
        >>> shoulder = double.joint("shoulder", double.world, upper, "Rx")
        >>> elbow = double.joint("elbow", upper.frame("end", (0, 0, -2)), lower, "Ry")
        >>> tables = Tables(double.freeze())
        >>> tables.d[1, 2], tables.b0[1], tables.p[2]
        (Vec3(0, 0, 2), Vec3(0, 0, 7/4), (Vec3(0, 1, 0),))
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.table = own_table(model.expressions)
        base, joints = _body_0(steps_by_joint(model))
        self._links = {0: base} | {a: links[-1].index for a, links in enumerate(joints, 1)}
        self._on = {
            i: [body for body, (on, _) in model.attachments.items() if on == at] for i, at in self._links.items()
        }
        carrier = {link: i for i, link in self._links.items()}
        self.graph = OrientedGraph([carrier[links[0].parent] for links in joints])
        self.hinges: dict[int, Hinge] = {a: self._hinge(a, links) for a, links in enumerate(joints, 1)}
        self.bodies: dict[int, str] = {i: "+".join(body.name for body in on) for i, on in self._on.items()}

    def _hinge(self, a: int, links: Sequence[Link]) -> Hinge:
        return hinge(links, self.place(self.i_plus[a]), self.place(a))

    def __str__(self) -> str:
        return text(self)

    # bodies and the model's links --------------------------------------------------------------------------------

    def link(self, i: int) -> int:
        """The number of the link that body i consists of; -1 for the world."""
        return self._links[i]

    def body(self, i: int) -> Body:
        """The body whose axes are those of body i."""
        return self._on[i][0]

    def place(self, i: int) -> Transform:
        """X from the frame of body i to that of its link."""
        return self.model.attachments[self.body(i)][1]

    def inertia(self, i: int) -> Inertia:
        """Mass, first moment and tensor of body i in its own frame."""
        return sum((self._part(i, body) for body in self._on[i]), _NO_INERTIA)

    def _part(self, i: int, body: Body) -> Inertia:
        own = Inertia.rigid_body(body.mass, body.com, body.inertia)
        if body is self.body(i):
            return own
        return (self.place(i).inverse() @ self.model.attachments[body][1]).to_parent(own)

    @cached_property
    def centre(self) -> dict[int, Vec3]:
        """The centre of mass of each body in its own frame; the origin for bodies without mass, and for body 0."""
        massive = {i: self.inertia(i) for i in self.hinges if self.m[i] is not ZERO}
        return {i: massive[i].center_of_mass if i in massive else ZERO3 for i in self.bodies}

    # steps one to three: the graph -------------------------------------------------------------------------------

    @property
    def S0(self) -> Integers:
        """The row of the incidence matrix that belongs to body 0 (18)."""
        return self.graph.S0

    @property
    def S(self) -> Integers:
        """The incidence matrix of bodies 1 … n (18)."""
        return self.graph.S

    @property
    def T(self) -> Integers:
        """The path matrix S⁻¹ (19)."""
        return self.graph.T

    @property
    def i_plus(self) -> dict[int, int]:
        """i⁺(a), the body that hinge a sits on (table 1)."""
        return self.graph.i_plus

    @property
    def i_minus(self) -> dict[int, int]:
        """i⁻(a), the body that hinge a carries (table 1)."""
        return self.graph.i_minus

    # steps four and five: hinge vectors --------------------------------------------------------------------------

    @cached_property
    def c(self) -> dict[Pair, Vec3]:
        """c_ia from the centre of mass of body i to hinge a; zero if the hinge is not on the body."""
        found = {(i, a): ZERO3 for i in self.bodies for a in self.hinges}
        for a, joint in self.hinges.items():
            i = self.i_plus[a]
            found[i, a], found[a, a] = joint.on_inner - self.centre[i], joint.on_outer - self.centre[a]
        return found

    @cached_property
    def d(self) -> dict[Pair, Vec3]:
        """d_ij (20): on body i, from the hinge that leads to body j, to the hinge that leads to body 0."""
        return {(i, j): self._d(i, j) for i in self.bodies for j in self.hinges}

    def _d(self, i: int, j: int) -> Vec3:
        """Σ_a T_aj·S_ia·c_ia."""
        S, T = self.S[i - 1] if i else self.S0, self.T
        return sum((self.c[i, a] * int(T[a - 1, j - 1] * S[a - 1]) for a in self.graph.path(j) if S[a - 1]), ZERO3)

    # steps six and seven: masses and tensors ---------------------------------------------------------------------

    @cached_property
    def m(self) -> dict[int, Expr]:
        """Masses (21)."""
        return {i: self.inertia(i).mass for i in self.hinges}

    @cached_property
    def M(self) -> Expr:
        """The mass of all bodies but body 0."""
        return sum(self.m.values(), ZERO)

    @cached_property
    def J(self) -> dict[int, Symmetric3]:
        """Inertia tensors about the centres of mass (22)."""
        return {i: self._J(i) for i in self.hinges}

    def _J(self, i: int) -> Symmetric3:
        inertia = self.inertia(i)
        return inertia.tensor if self.m[i] is ZERO else inertia.central_tensor

    @cached_property
    def b0(self) -> dict[int, Vec3]:
        """b_i0 = Σ_j d_ij·m_j/M (23), from the barycentre of the augmented body i to its inner hinge."""
        return {i: self._first_moment(i) / self.M if self.M is not ZERO else ZERO3 for i in self.hinges}

    def _first_moment(self, i: int) -> Vec3:
        return sum((self.d[i, j] * self.m[j] for j in self.graph.behind(i)), ZERO3)

    @cached_property
    def K(self) -> dict[int, Symmetric3]:
        """K_i = J_i + Σ_k m_k·(d_ik²·E - d_ik·d_ik) (24), the tensor of the augmented body i about its inner hinge."""
        return {i: sum((self._steiner(i, k) for k in self.graph.behind(i)), self.J[i]) for i in self.hinges}

    def _steiner(self, i: int, k: int) -> Symmetric3:
        return Symmetric3.moment(self.d[i, k], self.d[i, k] * self.m[k])

    def K_matrix(self, i: int, j: int) -> Mat3:
        """K_ij (25), along the axes of body 0: it belongs to two bodies that turn relative to each other."""
        if i == j:
            return self.A0[i].turn_symmetric(self.K[i]).to_mat3()
        if i in self.graph.path(j):  # s_i < s_j
            return _tensor(self.A0[j] @ self.b0[j], self.A0[i] @ self.d[i, j] * self.M)
        if j in self.graph.path(i):  # s_j < s_i
            return _tensor(self.A0[j] @ self.d[j, i] * self.M, self.A0[i] @ self.b0[i])
        return Mat3(ZERO3, ZERO3, ZERO3)

    # step eight: axes --------------------------------------------------------------------------------------------

    @cached_property
    def A0(self) -> dict[int, Rotation]:
        """The rotation from the axes of body i to those of body 0: the product of (1) along the path."""
        found = {0: Rotation.identity()}
        for a, joint in self.hinges.items():
            found[a] = found[self.i_plus[a]] @ joint.A
        return found

    @property
    def p(self) -> dict[int, tuple[Vec3, ...]]:
        """The rotation axes p_a1, p_a2 … of each hinge (27)-(31), the blocks of (26), along the axes of body i⁻(a)."""
        return {a: hinge.p for a, hinge in self.hinges.items()}

    @property
    def k(self) -> dict[int, tuple[Vec3, ...]]:
        """The sliding directions k_a1, k_a2 … of each hinge, along the axes of body i⁻(a); zero for a rotation."""
        return {a: hinge.k for a, hinge in self.hinges.items()}


def _tensor(a: Vec3, b: Vec3) -> Mat3:
    """(a·b)·E - a·bᵀ."""
    square = a.dot(b)
    return Mat3(Vec3(square, ZERO, ZERO), Vec3(ZERO, square, ZERO), Vec3(ZERO, ZERO, square)) - a.outer(b)


def _body_0(joints: list[list[Link]]) -> tuple[int, list[list[Link]]]:
    """The link that is body 0, and the joints further out: a prescribed joint that carries all is not a hinge."""
    base = -1
    while joints and is_prescribed(joints[0]) and all(links[0].parent != base for links in joints[1:]):
        base, joints = joints[0][-1].index, joints[1:]
    return base, joints


def text(tables: Tables) -> str:
    """All tables, in the order of the method's steps; vectors that are zero are left out."""
    return "\n".join([
        f"{tables.model.name}: the first index is that of the body along whose axes a vector is written",
        "bodies: " + ", ".join(f"{i} {name}" for i, name in tables.bodies.items()),
        *_graph(tables),
        *_vectors("c", tables.c),
        *_vectors("d", tables.d),
        "m = (" + ", ".join(map(str, tables.m.values())) + f"), M = {tables.M}",
        *_tensors("J", tables.J),
        *_vectors("b0", tables.b0),
        *_tensors("K", tables.K),
        *_axes(tables),
    ])  # fmt: skip


def _graph(tables: Tables) -> Iterable[str]:
    names = [hinge.name for hinge in tables.hinges.values()]
    freedoms = [sum(map(bool, hinge.partials)) for hinge in tables.hinges.values()]  # not those whose motion is given
    yield from _table([
        ["hinge", *names],
        ["a", *tables.hinges],
        ["i+", *tables.i_plus.values()],
        ["i-", *tables.i_minus.values()],
        ["n", *freedoms],
    ])  # fmt: skip
    yield from _matrix("S0", [tables.S0])
    yield from _matrix("S", tables.S)
    yield from _matrix("T", tables.T)


def _table(rows: list[list[Any]]) -> Iterable[str]:
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield " ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


def _matrix(name: str, rows: Iterable[Any]) -> Iterable[str]:
    yield f"{name} ="
    for row in rows:
        yield "  [" + " ".join(f"{entry:2d}" for entry in row) + "]"


def _vectors(name: str, vectors: dict[Any, Vec3]) -> Iterable[str]:
    for at, vector in vectors.items():
        if any(component is not ZERO for component in vector):
            place = at if isinstance(at, int) else ",".join(map(str, at))
            yield f"{name}[{place}] = {_tuple(vector)}"


def _tensors(name: str, tensors: dict[int, Symmetric3]) -> Iterable[str]:
    for i, tensor in tensors.items():
        if all(entry is ZERO for entry in (tensor.xy, tensor.xz, tensor.yz)):
            yield f"{name}[{i}] = diag{_tuple((tensor.xx, tensor.yy, tensor.zz))}"
        else:
            yield f"{name}[{i}] = [" + ", ".join(map(_tuple, tensor.rows)) + "]"


def _axes(tables: Tables) -> Iterable[str]:
    """The p-vectors, and the k-vectors of joints that slide."""
    for a in tables.hinges:
        for name, axes in (("p", tables.p[a]), ("k", tables.k[a])):
            for number, axis in enumerate(axes, 1):
                if any(component is not ZERO for component in axis):
                    yield f"{name}[{a},{number}] = {_tuple(axis)}"


def _tuple(entries: Iterable[Any]) -> str:
    return "(" + ", ".join(map(str, entries)) + ")"
