"""LLVM's language for a program: functions of limited length that pass values through a workspace.

All functions of the body share one signature::

    void body_k(ptr ports, ptr strides, i64 state, i64 last, ptr hoisted, ptr workspace)

``ports`` holds the address of each input and then each output, ``strides`` the distance in doubles from one state to
the next (0 for a port that all states share). With several lanes, lane k works on state min(state + k, last).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from multibody.compiler.access import Access, Columns, Rows
from multibody.compiler.body import FunctionBody
from multibody.compiler.program import PortProgram
from multibody.compiler.sincos import sincos_function
from multibody.compiler.vector import Vector
from multibody.lowering import split, with_near_operands, workspace


def table_functions(program: PortProgram) -> Iterator[str]:
    """The definition of each table that the program uses."""
    steps = (*program.prepare.operations, *program.main.operations)
    for name, table in {s.node.table.identifier: s.node.table for s in steps if s.op == "table"}.items():
        yield _definition(name, table)


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


CHUNK = 1000
"""Operations per function: the compiler's time grows faster than a function's length."""

STACK = 4096
"""A workspace of more doubles than this is taken from the heap."""

_LIBRARY = {1: "sin cos asin acos atan sinh cosh tanh exp log".split(), 2: "atan2 pow".split()}


@dataclass(frozen=True)
class Module:
    """The text of a compilation unit, and the memory that its functions need."""

    text: str
    workspace: int  # doubles per lane
    hoisted: int  # doubles


def module(program: PortProgram, lanes: int) -> Module:
    """The text for one function: stage for parameters, body, loop over states and, with one lane, single calls."""
    bodies, width = _bodies(program, Vector(lanes), Rows)
    parts = [
        FunctionBody(program, Vector(1), {}).preparation("prepare"),
        *bodies,
        _batch(len(bodies), lanes),
        _single(program, len(bodies), width) if lanes == 1 else "",
    ]
    return _module(program, parts, Vector(lanes), width)


def lane_module(program: PortProgram, lanes: int) -> Module:
    """The same for a block of states whose numbers lie side by side, parameters and all that follows from them, too."""
    bodies, width = _bodies(program, Vector(lanes), Columns)
    parts = [
        FunctionBody(program, Vector(lanes), {}, Columns).preparation("prepare"),
        *bodies,
        _block(len(bodies), width, lanes),
    ]
    return _module(program, parts, Vector(lanes), width)


def _bodies(program: PortProgram, vector: Vector, access: type[Access]) -> tuple[list[str], int]:
    """The functions of the main stage, and the memory for what they pass on."""
    main = with_near_operands(program.main) if len(program.main.operations) > CHUNK else program.main
    chunks = split(main.operations, CHUNK)
    slots, width = workspace(chunks)
    computed = {step.node for step in main.operations}
    first, *more = split([target for target in program.targets if target.node not in computed], CHUNK)
    parts: list[tuple[Any, Any]] = [*((steps, ()) for steps in chunks[:-1]), (chunks[-1], first)]
    parts += [((), stores) for stores in more]  # many zeros of a large matrix, for example
    return [
        FunctionBody(program, vector, slots, access).function(f"body_{k}", steps, stores)
        for k, (steps, stores) in enumerate(parts)
    ], width


def _module(program: PortProgram, parts: Sequence[str], vector: Vector, width: int) -> Module:
    helpers = [
        *[sincos_function(v) for v in sorted({vector, Vector(1)}, key=lambda v: v.lanes)],
        *table_functions(program),
        *_declarations(vector),
    ]
    return Module("\n\n".join(part for part in [*parts, *helpers] if part) + "\n", width, len(program.hoisted))


def _calls(bodies: int, state: str, last: str) -> str:
    args = f"ptr %ports, ptr %strides, i64 {state}, i64 {last}, ptr %hoisted, ptr %workspace"
    return "\n".join(f"  call void @body_{k}({args})" for k in range(bodies))


def _batch(bodies: int, lanes: int) -> str:
    """The loop over the states from %begin to %end."""
    return f"""define void @call_batch(i64 %begin, i64 %end, ptr %ports, ptr %strides, ptr %hoisted, ptr %workspace) {{
  %last = sub i64 %end, 1
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %loop, label %done
loop:
  %state = phi i64 [%begin, %0], [%next, %loop]
{_calls(bodies, "%state", "%last")}
  %next = add i64 %state, {lanes}
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""


def _single(program: PortProgram, bodies: int, width: int) -> str:
    """Calls for one state: plain with one address per port, with a list of ports, and with hoisted values at hand."""
    count = len(program.sizes)
    arguments = ", ".join(f"ptr %p{k}" for k in range(count))
    stores = "\n".join(
        f"  %a{k} = getelementptr ptr, ptr %ports, i64 {k}\n  store ptr %p{k}, ptr %a{k}" for k in range(count)
    )
    return f"""@no_strides = private constant [{max(1, count)} x i64] zeroinitializer

define void @call({arguments}) {{
  %ports = alloca ptr, i64 {max(1, count)}
{stores}
  call void @call_ports(ptr %ports)
  ret void
}}

define void @call_ports(ptr %ports) {{
{_array_text("hoisted", len(program.hoisted))}
  call void @prepare(ptr %ports, ptr %hoisted)
  call void @call_fixed(ptr %ports, ptr %hoisted)
{_freed("hoisted", len(program.hoisted))}
  ret void
}}

define void @call_fixed(ptr %ports, ptr %hoisted) {{
  %strides = getelementptr i64, ptr @no_strides, i64 0
{_array_text("workspace", width)}
{_calls(bodies, "0", "0")}
{_freed("workspace", width)}
  ret void
}}"""


def _block(bodies: int, width: int, lanes: int) -> str:
    """The call for one block of lanes."""
    return f"""define void @call_fixed(ptr %ports, ptr %hoisted) {{
  %strides = inttoptr i64 0 to ptr
{_array_text("workspace", width * lanes)}
{_calls(bodies, "0", "0")}
{_freed("workspace", width * lanes)}
  ret void
}}"""


def _array_text(name: str, doubles: int) -> str:
    if doubles > STACK:
        return f"  %{name} = call ptr @malloc(i64 {8 * doubles})"
    return f"  %{name} = alloca double, i64 {max(1, doubles)}, align 64"


def _freed(name: str, doubles: int) -> str:
    return f"  call void @free(ptr %{name})" if doubles > STACK else ""


def _declarations(vector: Vector) -> Iterator[str]:
    for arity, names in _LIBRARY.items():
        for name in names:
            yield f"declare double @{name}({', '.join(['double'] * arity)})"
    for v in sorted({vector, Vector(1)}, key=lambda v: v.lanes):
        for name, arity in (("fabs", 1), ("sqrt", 1), ("fma", 3), ("minimum", 2), ("maximum", 2)):
            yield f"declare {v.type} @llvm.{name}.{v.suffix}({', '.join([v.type] * arity)})"
    if vector.lanes > 1:
        yield f"declare i1 @llvm.vector.reduce.or.v{vector.lanes}i1({vector.bits})"
    yield "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n!0 = !{}"
