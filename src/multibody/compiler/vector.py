"""How one number, or several in a register, are written in LLVM's language."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Vector:
    """A value type with ``lanes`` doubles; one lane is a plain double."""

    lanes: int

    @property
    def type(self) -> str:
        """The type of a value."""
        return "double" if self.lanes == 1 else f"<{self.lanes} x double>"

    @property
    def integer(self) -> str:
        """The type of the same bits as integers."""
        return "i64" if self.lanes == 1 else f"<{self.lanes} x i64>"

    @property
    def bits(self) -> str:
        """The type of a condition."""
        return "i1" if self.lanes == 1 else f"<{self.lanes} x i1>"

    @property
    def suffix(self) -> str:
        """The ending of intrinsic functions for this type."""
        return "f64" if self.lanes == 1 else f"v{self.lanes}f64"

    def number(self, value: float) -> str:
        """A constant; LLVM takes the exact bits of a double in hexadecimal."""
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return bits if self.lanes == 1 else "<" + ", ".join([f"double {bits}"] * self.lanes) + ">"

    def integer_number(self, value: int) -> str:
        """An integer constant."""
        return str(value) if self.lanes == 1 else "<" + ", ".join([f"i64 {value}"] * self.lanes) + ">"

    def transposed(self, rows: list[str], fresh: Callable[[], str]) -> tuple[list[str], list[str]]:
        """Rows and columns of a square block of values exchanged, by log2(lanes) rounds of shuffles.

        Returns:
            The lines of code, and the names of the new rows.
        """
        lines: list[str] = []
        step = 1
        while step < self.lanes:
            new = list(rows)
            for i in range(self.lanes):
                if not i & step:
                    a, b = rows[i], rows[i + step]
                    for place, shift in ((i, 0), (i + step, step)):
                        picks = [k - (k & step) + shift + (self.lanes if k & step else 0) for k in range(self.lanes)]
                        mask = ", ".join(f"i32 {pick}" for pick in picks)
                        new[place] = fresh()
                        pair = f"{self.type} {a}, {self.type} {b}"
                        lines.append(f"  {new[place]} = shufflevector {pair}, <{self.lanes} x i32> <{mask}>")
            rows = new
            step *= 2
        return lines, rows

    def call_each(self, function: str, args: tuple[str, ...], result: str, prefix: str) -> list[str]:
        """Call a function of plain doubles for every lane; ``prefix`` makes the names of intermediates unique."""
        if self.lanes == 1:
            return [f"  {result} = call double @{function}({', '.join(f'double {a}' for a in args)})"]
        lines: list[str] = []
        collected = "undef"
        for lane in range(self.lanes):
            operands = []
            for k, arg in enumerate(args):
                lines.append(f"  %{prefix}_{lane}_{k} = extractelement {self.type} {arg}, i32 {lane}")
                operands.append(f"double %{prefix}_{lane}_{k}")
            lines.append(f"  %{prefix}_{lane} = call double @{function}({', '.join(operands)})")
            into = result if lane == self.lanes - 1 else f"%{prefix}_{lane}_in"
            lines.append(f"  {into} = insertelement {self.type} {collected}, double %{prefix}_{lane}, i32 {lane}")
            collected = into
        return lines
