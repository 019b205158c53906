"""How a language is written: a table of operations, a few templates, and comments that nothing can break out of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from multibody.errors import ConversionError
from multibody.graph import Table
from multibody.graph.text.languages import language

ARITHMETIC = frozenset({"add", "sub", "mul", "neg", "recip"})
"""Operations that every language writes with + - * /."""

FUNCTIONS = frozenset(
    "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max pow where lt le eq and or not "
    "table".split()
)
"""All other operations: a syntax says how each is written."""

CALLED = frozenset(
    "abs acos acosh asin asinh atan atan2 atanh ceil cos cosh exp floor fmax fmin hypot log log10 max min mod pi pow "
    "round sign sin sinh sqrt tan tanh".split()
)
"""Functions that are reserved in every language; members of structures may have their names."""


Place = tuple[str, int, str]
"""Where a value comes from: an array, the position in it, and its name there if it is a structure."""


class Item(NamedTuple):
    """A statement: a new variable, or an entry of a result.

    Attributes:
        name: of the variable or of the result.
        text: its value.
        node: what is computed; None for an entry of a result.
        args: the named nodes in the text.
        position: in the result.
    """

    name: str
    text: str
    node: Any
    args: tuple[Any, ...]
    position: int = 0


@dataclass(frozen=True)
class RoutinePart:
    """A piece of a routine.

    Attributes:
        loads: names to declare first, and where each comes from: array, position, name.
        items: statements in order.
        saves: positions in the workspace, and the names of what is kept there for later pieces.
        arguments: the arrays that it reads, and ``"t"`` if it needs the time.
    """

    loads: tuple[tuple[str, Place], ...]
    items: tuple[Item, ...]
    saves: tuple[tuple[int, str], ...]
    arguments: frozenset[str]


def no_table(table: Table, name: str) -> str:
    """Refuses: for languages in which tabulated functions cannot be written."""
    raise ConversionError(
        f"The tabulated function '{table.name}' cannot be written in this language.",
        remedy="Use a formula in its place, or another target.",
        code="table-not-in-language",
        name=table.name,
    )


@dataclass(frozen=True)
class Syntax:
    """How a language is written.

    Attributes:
        language: its name in ``multibody.graph.text.languages``, which knows the reserved words.
        functions: for every operation in ``FUNCTIONS`` the name of a function, such as ``"Math.sin"``, or a template
            with one ``{}`` for each operand, such as ``"({} < {})"``. A table's own name is ``{name}``.
        places: where the values come from: templates for ``t``, ``q``, ``u``, ``r``, ``p`` (parameters), ``c`` (what
            follows from them) and ``w`` (the workspace of long routines), with ``{k}`` for the position and ``{name}``
            for the name.
        declaration: a template that gives a new variable ``{name}`` its ``{value}``.
        store: a template that puts a ``{value}`` at position ``{k}`` of ``{result}``.
        save: a template that keeps the value of ``{name}`` at position ``{k}`` of the workspace.
        comment: a template with ``{}``.
        first: the first position in an array: 0 or 1.
        zeroed: whether results are zero to begin with, so that zeros need not be stored.
        helpers: for operations that the language does not have: the definition of the function that is called, after
            those that it needs itself, with empty lines between them; what several share is written once.
        table: the definition of a function for a table, under a given name.
        number: how a finite number is written.
        members: what the structure of parameters contains besides them.
        free_members: words that are reserved in the language, but may be members of a structure.
    """

    language: str
    functions: Mapping[str, str]
    places: Mapping[str, str]
    declaration: str = "{name} = {value}"
    store: str = "{result}[{k}] = {value}"
    save: str = "w[{k}] = {name}"
    comment: str = "# {}"
    first: int = 0
    zeroed: bool = False
    helpers: Mapping[str, str] = field(default_factory=dict)
    table: Callable[[Table, str], str] = no_table
    number: Callable[[float], str] = repr
    members: Sequence[str] = ()
    free_members: Collection[str] = ()

    def __post_init__(self) -> None:
        missing = sorted(FUNCTIONS - self.functions.keys())
        if missing:
            raise ConversionError(
                f"The syntax does not say how to write: {', '.join(missing)}.",
                where=f"language '{self.language}'",
                code="syntax-incomplete",
                names=tuple(missing),
            )
        language(self.language)

    def lines(self, part: RoutinePart) -> list[str]:
        """The statements of a part of a routine, one by one."""
        return [
            *(self.declaration.format(name=name, value=self.place(*where)) for name, where in part.loads),
            *(self._statement(item) for item in part.items),
            *(self.save.format(name=name, k=k + self.first) for k, name in part.saves),
        ]

    def _statement(self, item: Item) -> str:
        if item.node is not None:
            return self.declaration.format(name=item.name, value=item.text)
        return self.store.format(result=item.name, k=item.position + self.first, value=item.text)

    def place(self, array: str, k: int, name: str) -> str:
        """Where a value comes from."""
        return self.places[array].format(k=k + self.first, name=name)

    def remark(self, text: str) -> str:
        """A comment in one line; nothing for nothing."""
        return self.comment.format(one_line(text)) if text else ""


_ENDS = {"*/": "* /", "/*": "/ *", "=#": "= #", "#=": "# =", '"""': "'''"}


def one_line(text: str) -> str:
    r"""A user's text for a comment: one line, without anything that ends a comment or hides what follows.

    Example:
        >>> one_line("stop here */ int x;\n/* go on")
        'stop here * / int x; / * go on'
    """
    plain = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    plain = re.sub(" +", " ", plain).strip()
    for end, harmless in _ENDS.items():
        while end in plain:
            plain = plain.replace(end, harmless)
    return plain.rstrip("\\")


def quoted(text: str) -> str:
    r"""A user's text between double quotes, as C, Python, JavaScript, Rust and most languages read it.

    Example:
        >>> print(quoted('5" \\ pipe'))
        "5\" \\ pipe"
    """
    plain = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
