"""Mistakes that a hand could make in a formula, found in a file by its syntax tree.

A flipped sign, a lost term or factor, exchanged arguments, entries or frames, a rotation that is not transposed, sin
for cos, 3 for 2, a condition the wrong way round. Each mistake replaces one expression and leaves all other text.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

EXCHANGED = [
    ("sin", "cos"), ("sinh", "cosh"), ("parent", "child"), ("to_parent", "to_child"), ("resultant", "moment"),
    ("vector_to_parent", "vector_to_child"), ("point_to_parent", "point_to_child"), ("apply", "apply_inverse"),
    ("rows", "columns"), ("velocity", "acceleration"), ("min", "max"), ("less", "less_equal"), ("a", "b"), ("x", "y"),
    ("first", "second"), ("base", "held"), ("position", "velocity"), ("linear", "angular"), ("q", "u"),
]  # fmt: skip
OTHER_NAME = {one: other for a, b in EXCHANGED for one, other in ((a, b), (b, a))}
DROPPED = {"inverse", "transposed", "conjugate", "unit", "neg", "abs", "sqrt"}
"""Calls that may be forgotten, as methods or functions of one argument."""

OTHER_NUMBER = {0: 1, 1: 2, 2: 3, 3: 2, 4: 2, 6: 5, 0.5: 1, 0.25: 0.5}
OPPOSITE = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SILENT = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.AnnAssign)
"""Mistakes here would change what is said, not what is computed; an ``AnnAssign`` is searched for its value alone."""

SAID = {"__repr__", "__str__", "__format__", "__hash__", "_repr_latex_"}
TEXTS = (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple)


@dataclass(frozen=True)
class Mutant:
    """One mistake in one file.

    Attributes:
        path: of the file, in the tree.
        line: where the expression begins.
        function: in which it is; empty outside of functions.
        kind: the sort of mistake.
        start: first byte of the expression.
        stop: first byte after it.
        before: the expression.
        after: what replaces it.
    """

    path: str
    line: int
    function: str
    kind: str
    start: int
    stop: int
    before: str
    after: str

    @property
    def change(self) -> str:
        """The mistake in one line."""
        return f"{self.before} → {self.after}"

    def applied(self, source: bytes) -> bytes:
        """The file with the mistake in it."""
        return source[: self.start] + f"({self.after})".encode() + source[self.stop :]


def sample(path: str, source: bytes, count: int, seed: int) -> list[Mutant]:
    """A number of mistakes, drawn so that each sort gets its turn, and no two from one expression."""
    kinds = defaultdict(list)
    for mutant in mutants(path, source):
        kinds[mutant.kind].append(mutant)
    chance = random.Random(f"{seed} {path}")
    turns = [chance.sample(kinds[kind], len(kinds[kind])) for kind in sorted(kinds)]
    chance.shuffle(turns)
    chosen: dict[int, Mutant] = {}
    while len(chosen) < count and any(turns):
        for turn in turns:
            if turn and len(chosen) < count:
                mutant = turn.pop()
                chosen.setdefault(mutant.start, mutant)
    return sorted(chosen.values(), key=lambda mutant: mutant.start)


def mutants(path: str, source: bytes) -> Iterator[Mutant]:
    """All mistakes that the operators know of, in the order of the text."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(source)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]  # inner ones come later
    for node in _formulas(tree):
        around = [one.name for one in functions if one.lineno <= node.lineno <= (one.end_lineno or 0)]
        start, stop = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        for kind, other in _mistakes(node, names):
            function = around[-1] if around else ""
            yield Mutant(path, node.lineno, function, kind, start, stop, ast.unparse(node), ast.unparse(other))


def _formulas(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that are computed: no annotations, texts, errors or default values."""
    if isinstance(node, ast.expr):
        yield node
    if isinstance(node, ast.FunctionDef):
        parts: list[ast.AST] = [] if node.name in SAID else list(node.body)
    elif isinstance(node, ast.ClassDef):
        parts = list(node.body)
    elif isinstance(node, ast.AnnAssign):
        parts = [node.value] if node.value else []
    elif isinstance(node, ast.Subscript):
        parts = [node.value]
    else:
        parts = [] if isinstance(node, SILENT) else list(ast.iter_child_nodes(node))
    for part in parts:
        yield from _formulas(part)


def _mistakes(node: ast.expr, names: set[str]) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.BinOp(a, op, b) if not any(_is_text(side) for side in (a, b)):
            yield from _of_operation(a, op, b)
        case ast.UnaryOp(ast.USub(), operand) if not isinstance(operand, ast.Constant):
            yield "sign", operand
        case ast.Compare(a, [op], [b]) if type(op) in OPPOSITE:
            yield "condition", ast.Compare(a, [OPPOSITE[type(op)]()], [b])
        case ast.Constant(value) if type(value) in (int, float) and value in OTHER_NUMBER:
            yield "number", ast.Constant(type(value)(OTHER_NUMBER[value]))
        case ast.Attribute(value, "T"):
            yield "not transposed", value
        case ast.Attribute(value, name) if name in OTHER_NAME and isinstance(node.ctx, ast.Load):
            yield "name", ast.Attribute(value, OTHER_NAME[name])
        case ast.Name(name) if OTHER_NAME.get(name) in names and isinstance(node.ctx, ast.Load):
            yield "name", ast.Name(OTHER_NAME[name])
        case ast.List(entries) | ast.Tuple(entries) if len(entries) > 1 and isinstance(node.ctx, ast.Load):
            yield from (("order", type(node)(other, ast.Load())) for other in _exchanged(entries))
        case ast.Call(function, arguments):
            yield from _of_call(function, arguments, node.keywords)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, TEXTS) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _of_operation(a: ast.expr, op: ast.operator, b: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(op, ast.Add | ast.Sub):
        yield "sign", ast.BinOp(a, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), b)
        yield "term", a
        yield "term", b
    if isinstance(op, ast.Mult):
        yield "factor", a
        yield "factor", b
    if isinstance(op, ast.Div | ast.Pow):
        yield "factor", a
    if isinstance(op, ast.MatMult | ast.Div):
        yield "order", ast.BinOp(b, op, a)


def _of_call(
    function: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword]
) -> Iterator[tuple[str, ast.expr]]:
    match function, arguments:
        case ast.Attribute(value, "cross"), [other]:
            yield "order", ast.Call(ast.Attribute(other, "cross"), [value], [])
        case ast.Attribute(value, name), [] if name in DROPPED:
            yield "call", value
        case ast.Name(name), [argument] if name in DROPPED:
            yield "call", argument
        case _, [_, _, *_] if not keywords:
            yield from (("order", ast.Call(function, other, keywords)) for other in _exchanged(arguments))


def _exchanged(entries: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """Neighbours of the same form, the other way round."""
    for k, (a, b) in enumerate(pairwise(entries)):
        if type(a) is type(b) and not _is_text(a) and ast.dump(a) != ast.dump(b):
            yield [*entries[:k], b, a, *entries[k + 2 :]]
