"""How expressions and tabulated functions are written in Modelica."""

from __future__ import annotations

from multibody.codegen.syntax import Syntax, quoted
from multibody.codegen.targets.python.pythonlike import floats
from multibody.graph import Table


def _functions() -> dict[str, str]:
    same = {op: op for op in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max".split()}
    logic = {"and": "({} and {})", "or": "({} or {})", "not": "(not {})"}
    # Reals must not be compared by == in equations.
    order = {"lt": "({} < {})", "le": "({} <= {})", "eq": "({0} <= {1} and {0} >= {1})"}
    choice = {"where": "(if noEvent({}) then {} else {})", "pow": "({}^{})", "table": "{name}({})"}
    return same | logic | order | choice


def string(text: str) -> str:
    r"""A user's text as a string; it does not end with a backslash, which some tools take for the escape of the quote.

    Example:
        >>> print(string('5" pipe'), string("a\\"))
        "5\" pipe" "a\\ "
    """
    return quoted(f"{text} " if text.endswith("\\") else text)


def table_function(table: Table, name: str) -> str:
    """A tabulated function: a search for the interval, and the polynomial on it."""
    rows = ", ".join(_numbers(row) for row in table.coefficients)
    return _TABLE.format(
        name=name,
        rule=table.rule,
        breaks=_numbers(table.breaks),
        starts=_numbers(table.starts),
        rows=f"{{{rows}}}",
        points=len(table.breaks),
        intervals=len(table.starts),
        powers=len(table.coefficients),
    )


def _numbers(values: object) -> str:
    return f"{{{floats(values)[1:-1]}}}"  # type: ignore[arg-type]


_TABLE = """  function {name} "piecewise polynomial"
    // {rule}
    input Real x;
    output Real y;
  protected
    constant Real breaks[{points}] = {breaks};
    constant Real starts[{intervals}] = {starts} "from where each polynomial is measured";
    constant Real rows[{powers}, {intervals}] = {rows} "a row for each power";
    Integer k;
  algorithm
    k := 1;
    for i in 1:{points} loop
      if x >= breaks[i] then
        k := i + 1;
      end if;
    end for;
    y := rows[{powers}, k];
    for i in 1:{powers} - 1 loop
      if y <> 0.0 then // beyond the ends higher powers are absent, also at infinity
        y := y*(x - starts[k]);
      end if;
      y := y + rows[{powers} - i, k];
    end for;
    if x <> x then // not a number
      y := x;
    end if;
  end {name};"""

SYNTAX = Syntax(
    language="modelica",
    functions=_functions(),
    places=dict.fromkeys("qurpcw", "{name}") | {"t": "time"},
    declaration="{name} = {value};",
    comment="// {}",
    first=1,
    table=table_function,
)
