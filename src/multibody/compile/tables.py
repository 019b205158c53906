"""Tabulated functions in LLVM's language: find the interval by halving, then evaluate its polynomial."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

from multibody.compile.program import Program


def table_functions(program: Program) -> Iterator[str]:
    """The definition of each table that the program uses."""
    steps = (*program.prepare, *program.main)
    for digest, table in {s.node.table.digest: s.node.table for s in steps if s.op == "table"}.items():
        yield _definition(f"table_{digest}", table)


def _array(name: str, values: Iterable[float]) -> str:
    items = [f"double 0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}" for value in values]
    return f"@{name} = private constant [{len(items)} x double] [{', '.join(items)}]"


def _definition(name: str, table: Any) -> str:
    """A function of one double; %k ends as the number of breaks that are <= %x."""
    breaks, starts, rows = table.breaks, table.starts, table.coefficients
    lines = [
        _array(f"{name}_breaks", breaks),
        _array(f"{name}_starts", starts),
        *[_array(f"{name}_c{power}", row) for power, row in enumerate(rows)],
        f"define internal double @{name}(double %x) noinline {{",
        "entry:",
        "  br label %loop",
        "loop:",
        "  %low = phi i64 [0, %entry], [%new_low, %loop]",
        f"  %high = phi i64 [{len(breaks)}, %entry], [%new_high, %loop]",
        "  %total = add i64 %low, %high",
        "  %middle = lshr i64 %total, 1",
        f"  %where = getelementptr double, ptr @{name}_breaks, i64 %middle",
        "  %break = load double, ptr %where",
        "  %left = fcmp olt double %x, %break",
        "  %after = add i64 %middle, 1",
        "  %new_low = select i1 %left, i64 %low, i64 %after",
        "  %new_high = select i1 %left, i64 %middle, i64 %high",
        "  %more = icmp slt i64 %new_low, %new_high",
        "  br i1 %more, label %loop, label %found",
        "found:",
        f"  %begin = getelementptr double, ptr @{name}_starts, i64 %new_low",
        "  %start = load double, ptr %begin",
        "  %s = fsub double %x, %start",
    ]
    value = ""
    for power in reversed(range(len(rows))):
        lines += [
            f"  %p{power} = getelementptr double, ptr @{name}_c{power}, i64 %new_low",
            f"  %c{power} = load double, ptr %p{power}",
        ]
        if value:
            lines += [f"  %z{power} = fcmp oeq double {value}, 0.0", f"  %n{power} = fmul double {value}, %s"]
            lines += [f"  %m{power} = select i1 %z{power}, double 0.0, double %n{power}"]  # absent, also at infinity
            lines += [f"  %v{power} = fadd contract double %m{power}, %c{power}"]
            value = f"%v{power}"
        else:
            value = f"%c{power}"
    return "\n".join([*lines, *_guarded(value), "}"])


def _guarded(value: str) -> list[str]:
    """A table has a value only where its argument is a number."""
    return [
        "  %number = fcmp ord double %x, %x",
        f"  %result = select i1 %number, double {value}, double %x",
        "  ret double %result",
    ]
