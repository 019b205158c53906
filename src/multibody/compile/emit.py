"""LLVM's language for a program: functions of limited length that pass values through a workspace.

All functions of the body share one signature::

    void body_k(ptr ports, ptr strides, i64 state, i64 last, ptr hoisted, ptr workspace)

``ports`` holds the address of each input and then each output, ``strides`` the distance in doubles from one state to
the next (0 for a port that all states share). With several lanes, lane k works on state min(state + k, last).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from multibody.compile.access import Access, Columns, Rows
from multibody.compile.body import Body, targets
from multibody.compile.order import ordered
from multibody.compile.program import Operation, Program
from multibody.compile.sincos import sincos_function
from multibody.compile.tables import table_functions
from multibody.compile.vector import Vector

CHUNK = 1000
"""Operations per function: the compiler's time grows faster than a function's length."""

STACK = 4096
"""A workspace of more doubles than this is taken from the heap."""

_LIBRARY = {1: "sin cos asin acos atan sinh cosh tanh exp log".split(), 2: "atan2 pow".split()}


@dataclass(frozen=True)
class Module:
    """The text of a compilation unit, and the room that its functions need."""

    text: str
    workspace: int  # doubles per lane
    hoisted: int  # doubles


def module(program: Program, lanes: int) -> Module:
    """The text for one function: stage for parameters, body, loop over states and, with one lane, single calls."""
    bodies, width = _bodies(program, Vector(lanes), Rows)
    parts = [
        Body(program, Vector(1), {}).preparation("prepare"),
        *bodies,
        _batch(len(bodies), lanes),
        _single(program, len(bodies), width) if lanes == 1 else "",
    ]
    return _module(program, parts, Vector(lanes), width)


def lane_module(program: Program, lanes: int) -> Module:
    """The same for a block of states whose numbers lie side by side, parameters and all that follows from them, too."""
    bodies, width = _bodies(program, Vector(lanes), Columns)
    parts = [
        Body(program, Vector(lanes), {}, Columns).preparation("prepare"),
        *bodies,
        _block(len(bodies), width, lanes),
    ]
    return _module(program, parts, Vector(lanes), width)


def _bodies(program: Program, vector: Vector, access: type[Access]) -> tuple[list[str], int]:
    """The functions of the main stage, and the room for what they pass on."""
    steps = ordered(program) if len(program.main) > CHUNK else program.main
    chunks = list(_chunks(steps)) or [()]
    slots, width = _workspace(chunks)
    computed = {step.node for step in program.main}
    first, *more = list(_chunks([one for one in targets(program) if one.node not in computed])) or [()]
    parts: list[tuple[Any, Any]] = [*((steps, ()) for steps in chunks[:-1]), (chunks[-1], first)]
    parts += [((), stores) for stores in more]  # many zeros of a large matrix, for example
    return [
        Body(program, vector, slots, access).function(f"body_{k}", steps, stores)
        for k, (steps, stores) in enumerate(parts)
    ], width


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Pieces of limited length."""
    return (items[k : k + CHUNK] for k in range(0, len(items), CHUNK))


def _module(program: Program, parts: Sequence[str], vector: Vector, width: int) -> Module:
    helpers = [
        *[sincos_function(v) for v in sorted({vector, Vector(1)}, key=lambda v: v.lanes)],
        *table_functions(program),
        *_declarations(vector),
    ]
    return Module("\n\n".join(part for part in [*parts, *helpers] if part) + "\n", width, len(program.hoisted))


def _workspace(chunks: Sequence[Sequence[Operation]]) -> tuple[dict[Any, int], int]:
    """A place for each value that a later function uses; places that are free again are reused."""
    made = {step.node: k for k, steps in enumerate(chunks) for step in steps}
    needed_until = {arg: k for k, steps in enumerate(chunks) for s in steps for arg in s.args if made.get(arg, k) < k}
    slots: dict[Any, int] = {}
    free: list[int] = []
    ending: dict[int, list[int]] = {}
    width = 0
    for k, steps in enumerate(chunks):
        free += ending.pop(k - 1, [])
        for node in (step.node for step in steps if step.node in needed_until):
            if not free:
                free.append(width)
                width += 1
            slots[node] = free.pop()
            ending.setdefault(needed_until[node], []).append(slots[node])
    return slots, width


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


def _single(program: Program, bodies: int, width: int) -> str:
    """Calls for one state: plain with one address per port, with a list of ports, and with hoisted values at hand."""
    count = program.inputs + len(program.outputs)
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
{_room("hoisted", len(program.hoisted))}
  call void @prepare(ptr %ports, ptr %hoisted)
  call void @call_fixed(ptr %ports, ptr %hoisted)
{_freed("hoisted", len(program.hoisted))}
  ret void
}}

define void @call_fixed(ptr %ports, ptr %hoisted) {{
  %strides = getelementptr i64, ptr @no_strides, i64 0
{_room("workspace", width)}
{_calls(bodies, "0", "0")}
{_freed("workspace", width)}
  ret void
}}"""


def _block(bodies: int, width: int, lanes: int) -> str:
    """The call for one block of lanes."""
    return f"""define void @call_fixed(ptr %ports, ptr %hoisted) {{
  %strides = inttoptr i64 0 to ptr
{_room("workspace", width * lanes)}
{_calls(bodies, "0", "0")}
{_freed("workspace", width * lanes)}
  ret void
}}"""


def _room(name: str, doubles: int) -> str:
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
