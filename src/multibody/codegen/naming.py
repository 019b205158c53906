"""Names that mean something, for intermediate results: ``R_W_load_11``, ``w_crab_x``, ``sin_phi``.

A landmark is a quantity that an engineer would write down: a rotation, a position, a velocity. It is recognized by its
fingerprint, wherever it comes from; so the names do not depend on the formalism, which need not know of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from multibody.algebra import Transform, Vec3
from multibody.equations import EquationsOfMotion
from multibody.graph import Expr, Symbol, as_expr
from multibody.lowering import SAME, Operation
from multibody.mechanics.recursion import inward
from multibody.model import Model


def landmarks(eom: EquationsOfMotion) -> dict[Any, str]:
    """Fingerprints of the quantities that have names, in the order in which a reader wants to meet them."""
    return expression_names((name, as_expr(value)) for name, value in _named(eom))


def _named(eom: EquationsOfMotion) -> Iterator[tuple[str, Any]]:
    model, kinetics = eom.model, eom.kinetics
    labels = link_labels(model)
    for symbol, value in model.values.items():  # coordinates and speeds that follow from others
        yield symbol.name, value
    in_world: dict[int, Transform] = {-1: Transform.identity()}
    for link in model.links:
        label, parent = labels[link.index], labels.get(link.parent, "W")
        pose = kinetics.pose_of_link(link.index)
        in_world[link.index] = in_world[link.parent] @ pose if link.parent >= 0 else pose
        yield from _pose(f"{parent}_{label}", pose)
        yield from _pose(f"W_{label}", in_world[link.index])
        velocity = kinetics.velocity_of_link(link.index)
        yield from _vector(f"w_{label}", velocity.resultant)
        yield from _vector(f"v_{label}", velocity.moment)
    for link, motion in zip(model.links, kinetics.drifts, strict=True):
        yield from _vector(f"dw_{labels[link.index]}", motion.spin_rate)
        yield from _vector(f"a_{labels[link.index]}", motion.acceleration)
        yield from _matrix(f"beta_{labels[link.index]}", motion.beta.rows)
    forces = inward(model, kinetics.drifts, kinetics.applied)
    for link in reversed(model.links):
        yield from _vector(f"F_{labels[link.index]}", forces[link.index].resultant)
        yield from _vector(f"L_{labels[link.index]}", forces[link.index].moment)


def link_labels(model: Model) -> dict[int, str]:
    """A name for each link: that of the first body on it, or of the movement that carries it."""
    labels: dict[int, str] = {}
    for body in model.bodies:
        labels.setdefault(model.attachments[body][0], body.name)
    for link in model.links:
        own = [q.name for q in link.q if isinstance(q, Symbol)]
        labels.setdefault(link.index, own[0] if own else f"{link.joint.name}_{link.index}")
    return labels


def _vector(name: str, vector: Vec3) -> Iterator[tuple[str, Any]]:
    for axis, value in zip("xyz", vector, strict=True):
        yield f"{name}_{axis}", value


def _matrix(name: str, rows: Iterable[Iterable[Any]]) -> Iterator[tuple[str, Any]]:
    for i, row in enumerate(rows, 1):
        for j, value in enumerate(row, 1):
            yield f"{name}_{i}{j}", value


def _pose(name: str, pose: Transform) -> Iterator[tuple[str, Any]]:
    yield from _matrix(f"R_{name}", pose.rotation.to_matrix().rows)
    yield from _vector(f"r_{name}", pose.position)


class Namer:
    """Gives each intermediate a name of its own.

    Args:
        taken: names that are in use.
        wanted: names by fingerprint; without any, all intermediates are numbered.
        symbols: names of the symbols, of which other names may be composed.
    """

    def __init__(self, taken: Iterable[str], wanted: Mapping[Any, str], symbols: Mapping[Any, str]) -> None:
        self._used = set(taken)
        self._wanted = wanted
        self._atoms: dict[Any, tuple[str, int]] = {symbol: (name, 1) for symbol, name in symbols.items()}
        self._counts: dict[str, int] = {}

    def name(self, step: Operation, prefix: str) -> str:
        """A name for the result of an operation: from what it is, from its operands, or a number."""
        if not self._wanted:
            return self._numbered(prefix)
        if step.op == SAME:
            return self.free(step.node.name)
        composed, size = self._composed(step)
        wish = composed if step.op in TRIGONOMETRY and composed else self._wanted.get(step.node.fp, composed)
        name = self.free(wish) if wish else self._numbered(prefix)
        if composed:
            self._atoms[step.node] = name, size
        return name

    def free(self, wish: str) -> str:
        """The name that is wished for, with a number if it is in use."""
        name, number = wish, 1
        while name in self._used:
            number += 1
            name = f"{wish}_{number}"
        self._used.add(name)
        return name

    def _numbered(self, prefix: str) -> str:
        while True:
            self._counts[prefix] = self._counts.get(prefix, 0) + 1
            name = f"{prefix}{self._counts[prefix]}"
            if name not in self._used:
                self._used.add(name)
                return name

    def _composed(self, step: Operation) -> tuple[str, int]:
        """sin_phi, inv_m, m_l: functions and products of what has a short name itself, and how many names are in it."""
        parts = [self._atoms.get(arg, ("", MANY)) for arg in step.args]
        texts, size = [text for text, _ in parts], sum(count for _, count in parts)
        if size >= MANY or step.op not in COMPOSED:
            return "", MANY
        name = f"{texts[0]}_sq" if len(set(texts)) < len(texts) else "_".join([*COMPOSED[step.op], *texts])
        return name, size


MANY = 4
"""So many names are too many for a composed one."""

TRIGONOMETRY = frozenset({"sin", "cos", "tan"})
COMPOSED = {"mul": [], "recip": ["inv"]} | {op: [op] for op in "sin cos tan asin acos atan sqrt exp log abs".split()}
"""Operations whose names are composed, and what is put in front."""


def free_names(names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Names that are different from those taken: a name that is gets underscores.

    Example:
        >>> free_names(["m", "q", "q_"], ["q", "u"])
        {'m': 'm', 'q': 'q__', 'q_': 'q_'}
    """
    ordered, used = list(dict.fromkeys(names)), set(taken)
    used.update(name for name in ordered if name not in used)
    result: dict[str, str] = {}
    for name in ordered:
        new = name
        while new in used and (new != name or name in set(taken)):
            new += "_"
        used.add(new)
        result[name] = new
    return result


def expression_names(pairs: Iterable[tuple[str, Expr]]) -> dict[Any, str]:
    """Names by fingerprint, for operations only; the first of two names counts."""
    found: dict[Any, str] = {}
    for name, value in pairs:
        if value.args and value.op != "neg":
            found.setdefault(value.fp, name)
    return found
