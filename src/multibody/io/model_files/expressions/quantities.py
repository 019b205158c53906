"""Numbers, formulas and words of a file, which need no part of the system but its symbols."""

from __future__ import annotations

import math
from typing import Any

from multibody.errors import ParseError
from multibody.graph import Constant, Expr, Symbol, Table, as_expr
from multibody.io.model_files.expressions.rotations import read_rotation
from multibody.io.model_files.expressions.symbols import Symbols
from multibody.io.model_files.yaml_text.nodes import List, Scalar, YamlNode, kind_of


class QuantityReader:
    """Reads numbers, formulas, ranges, rotations, texts.

    Attributes:
        symbols: the names that formulas can use.
        tables: the functions that they can call.
    """

    def __init__(self) -> None:
        self.symbols = Symbols()
        self.tables: dict[str, Table] = {}

    def value(self, node: YamlNode) -> Any:
        """A number, a formula, or nested lists of these."""
        if isinstance(node, List):
            return [self.value(item) for item in node.items]
        return self.expression(node)

    def expression(self, node: YamlNode, local: dict[str, Symbol] | None = None) -> Expr | float:
        """A number or a formula."""
        if not isinstance(node, Scalar) or node.value is None or isinstance(node.value, bool):
            node.fail(f"A number or a formula is needed here, not {kind_of(node)}.", code="value-of-wrong-type")
        if not isinstance(node.value, str):
            return node.value
        try:
            return self.symbols.parsed(node.value, self.tables, local)
        except ParseError as error:
            raise node.inside(error.position).located(error) from error

    def number(self, node: YamlNode) -> float:
        """A number, or a formula without symbols such as ``pi/2``."""
        value = as_expr(self.expression(node))
        if not isinstance(value, Constant):
            node.fail("A number is needed here, not a formula with symbols.", code="value-of-wrong-type")
        return float(value.value) if isinstance(node, Scalar) and isinstance(node.value, str) else value_of(node)

    def numbers(self, node: YamlNode) -> Any:
        """A number, or nested lists of numbers."""
        return [self.numbers(item) for item in node.items] if isinstance(node, List) else self.number(node)

    def limit(self, node: YamlNode) -> float:
        """The end of a range; ``inf`` and ``-inf`` where there is none."""
        if isinstance(node, Scalar) and node.value in ("inf", "-inf"):
            return math.copysign(math.inf, -1 if node.value == "-inf" else 1)
        return self.number(node)

    def range(self, node: YamlNode) -> tuple[float, float]:
        """Two numbers, low and high."""
        if not isinstance(node, List) or len(node.items) != 2:
            node.fail(f"A range [low, high] is needed here, not {kind_of(node)}.", code="value-of-wrong-type")
        low, high = map(self.limit, node.items)
        return low, high

    def ranges(self, node: YamlNode) -> Any:
        """A range, or one for each coordinate, null where there is none."""
        several = isinstance(node, List) and any(isinstance(item, List) or is_nothing(item) for item in node.items)
        if several and isinstance(node, List):
            return [None if is_nothing(item) else self.range(item) for item in node.items]
        return self.range(node)

    # plain things ------------------------------------------------------------------------------------------------

    def text(self, node: YamlNode, what: str = "A text") -> str:
        """A text."""
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            node.fail(f"{what} is needed here, not {kind_of(node)}.", code="value-of-wrong-type")
        return node.value

    def whole_number(self, node: YamlNode) -> int:
        """A whole number."""
        if not isinstance(node, Scalar) or not isinstance(node.value, int) or isinstance(node.value, bool):
            node.fail(f"A whole number is needed here, not {kind_of(node)}.", code="value-of-wrong-type")
        return node.value

    def truth(self, node: YamlNode) -> bool:
        """``true`` or ``false``."""
        if not isinstance(node, Scalar) or not isinstance(node.value, bool):
            node.fail(f"true or false is needed here, not {kind_of(node)}.", code="value-of-wrong-type")
        return node.value

    def movements(self, node: YamlNode) -> Any:
        """``Tx``, or a list of such words."""
        return [self.text(item) for item in node.items] if isinstance(node, List) else self.text(node)

    def shape(self, node: YamlNode) -> Any:
        """How many, or rows and columns."""
        sizes = [self.whole_number(item) for item in self.items(node)]
        if not 1 <= len(sizes) <= 2 or not all(1 <= size <= 100 for size in sizes):
            node.fail("A shape is one or two whole numbers from 1 to 100.", code="shape-of-array-invalid")
        return tuple(sizes)

    def colour(self, node: YamlNode) -> Any:
        """A name, ``"#rrggbb"``, or three or four numbers."""
        return self.numbers(node) if isinstance(node, List) else self.text(node, "A colour")

    def rotation(self, node: YamlNode) -> Any:
        """See ``rotations``."""
        return read_rotation(node, self.value)

    def items(self, node: YamlNode) -> tuple[YamlNode, ...]:
        """What a list consists of; a thing alone counts as a list of one."""
        return node.items if isinstance(node, List) else (node,)


def is_nothing(node: YamlNode) -> bool:
    """Whether there is a key without a value."""
    return isinstance(node, Scalar) and node.value is None


def value_of(node: YamlNode) -> float:
    """The number of a scalar."""
    assert isinstance(node, Scalar)
    assert isinstance(node.value, int | float)
    try:
        return float(node.value)
    except OverflowError:
        node.fail("The number is outside the range of floats, up to 1.8e308.", code="number-invalid")
