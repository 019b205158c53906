"""The tables of Wittenburg's method as a page to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from multibody.algebra import Symmetric3, Vec3
from multibody.graph import ZERO

if TYPE_CHECKING:
    from multibody.formalisms.wittenburg.tables import Tables


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
    names = [one.name for one in tables.hinges.values()]
    freedoms = [sum(map(bool, one.partials)) for one in tables.hinges.values()]  # not those whose motion is given
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
