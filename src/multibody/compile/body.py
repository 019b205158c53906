"""Writes the functions that do the work: loads where a value is first used, one line per operation, stores at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from multibody.compile.program import CONDITIONS, Operation, Program
from multibody.compile.vector import Vector
from multibody.graph import Constant, Symbol
from multibody.graph.number import finite

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq"}
_INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "min": "minimum", "max": "maximum"}
_LOGIC = {"and": "and", "or": "or"}
_INVARIANT = ", !invariant.load !0"  # inputs and finished values do not change while a function runs


class Body:
    """Writes one function.

    Args:
        program: the whole program.
        vector: how many states are worked on at once.
        slots: the place in the workspace of each value that crosses from one function to the next.
    """

    def __init__(self, program: Program, vector: Vector, slots: dict[Any, int]) -> None:
        self._program = program
        self._v = vector
        self._slots = slots
        self._hoisted = {node: k for k, node in enumerate(program.hoisted)}
        self._targets: dict[Any, list[tuple[int, int]]] = {}
        for port, values in enumerate(program.outputs, program.inputs):
            for position, value in enumerate(values):
                self._targets.setdefault(value, []).append((port, position))
        self._head: list[str] = []
        self._lines: list[str] = []
        self._names: dict[Any, str] = {}
        self._pairs: dict[Any, str] = {}
        self._pointers: dict[int, list[str]] = {}
        self._blocks: dict[tuple[int, int], list[str]] = {}  # loaded: (port, first position) -> values
        self._waiting: dict[tuple[int, int], dict[int, str]] = {}  # to store: (port, first position) -> values
        self._count = 0

    def function(self, name: str, steps: Sequence[Operation], *, with_unmoved: bool = False) -> str:
        """A part of the main stage; the last one also stores outputs that are inputs, constants or hoisted values."""
        for step in steps:
            self._operation(step)
            self._keep(step.node)
        if with_unmoved:
            computed = {step.node for step in self._program.main}
            for node in [node for node in self._targets if node not in computed]:
                self._output(node)
        self._flush()
        header = f"define internal void @{name}({SIGNATURE}) {{"
        return "\n".join([header, *self._lanes(), *self._head, *self._lines, "  ret void", "}"])

    def preparation(self, name: str) -> str:
        """The stage that works on parameters alone and fills %hoisted; always for one parameter set."""
        places, self._hoisted = self._hoisted, {}
        for step in self._program.prepare:
            self._operation(step)
            if step.node in places:
                value = self._as_number(step.node)
                self._store(value, f"getelementptr double, ptr %hoisted, i64 {places[step.node]}")
        header = f"define void @{name}(ptr %ports, ptr %hoisted) {{"
        return "\n".join([header, *self._head, *self._lines, "  ret void", "}"])

    # values ------------------------------------------------------------------------------------------------------

    def _fresh(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _line(self, text: str) -> str:
        name = self._fresh()
        self._lines.append(f"  {name} = {text}")
        return name

    def _value(self, node: Any) -> str:
        """The name of a value in this function; it is loaded when it is first used."""
        name = self._names.get(node)
        if name is None:
            name = self._v.number(finite(node.value)) if isinstance(node, Constant) else self._load(node)
            self._names[node] = name
        return name

    def _load(self, node: Any) -> str:
        if isinstance(node, Symbol):
            return self._load_lanes(*self._program.places[node])
        if node in self._hoisted:
            place = self._line(f"getelementptr double, ptr %hoisted, i64 {self._hoisted[node]}")
            value = self._splat(self._line(f"load double, ptr {place}{_INVARIANT}"))
        else:
            place = self._line(f"getelementptr {self._v.type}, ptr %workspace, i64 {self._slots[node]}")
            value = self._line(f"load {self._v.type}, ptr {place}{_INVARIANT}")
        if node.op not in CONDITIONS:
            return value
        return self._line(f"fcmp une {self._v.type} {value}, {self._v.number(0.0)}")

    def _load_lanes(self, port: int, position: int) -> str:
        pointers = self._port(port)
        first = position - position % self._v.lanes
        if len(pointers) > 1 and first + self._v.lanes <= self._program.sizes[port]:
            return self._load_block(port, first)[position - first]
        values = []
        for pointer in pointers:
            place = self._line(f"getelementptr double, ptr {pointer}, i64 {position}")
            values.append(self._line(f"load double, ptr {place}{_INVARIANT}"))
        if len(values) == 1:
            return self._splat(values[0])
        collected = "undef"
        for lane, value in enumerate(values):
            collected = self._line(f"insertelement {self._v.type} {collected}, double {value}, i32 {lane}")
        return collected

    def _load_block(self, port: int, first: int) -> list[str]:
        """As many neighbouring values as there are lanes: a row from each state, transposed once."""
        if (port, first) not in self._blocks:
            rows = []
            for pointer in self._port(port):
                place = self._line(f"getelementptr double, ptr {pointer}, i64 {first}")
                rows.append(self._line(f"load {self._v.type}, ptr {place}, align 8{_INVARIANT}"))
            lines, columns = self._v.transposed(rows, self._fresh)
            self._lines += lines
            self._blocks[port, first] = columns
        return self._blocks[port, first]

    def _splat(self, value: str) -> str:
        if self._v.lanes == 1:
            return value
        first = self._line(f"insertelement {self._v.type} undef, double {value}, i32 0")
        mask = f"<{self._v.lanes} x i32> zeroinitializer"
        return self._line(f"shufflevector {self._v.type} {first}, {self._v.type} undef, {mask}")

    def _port(self, port: int) -> list[str]:
        """The addresses of a port's values, one for each lane; one for all lanes if they share the port."""
        if port not in self._pointers:
            self._head += [
                f"  %place{port} = getelementptr ptr, ptr %ports, i64 {port}",
                f"  %port{port} = load ptr, ptr %place{port}{_INVARIANT}",
            ]
            shared = port in self._program.shared
            self._pointers[port] = [f"%port{port}"] if shared else self._lane_pointers(port)
        return self._pointers[port]

    def _lane_pointers(self, port: int) -> list[str]:
        self._head += [
            f"  %splace{port} = getelementptr i64, ptr %strides, i64 {port}",
            f"  %stride{port} = load i64, ptr %splace{port}{_INVARIANT}",
        ]
        pointers = []
        for lane in range(self._v.lanes):
            pointers.append(f"%port{port}_{lane}")
            self._head += [
                f"  %offset{port}_{lane} = mul i64 %lane{lane}, %stride{port}",
                f"  %port{port}_{lane} = getelementptr double, ptr %port{port}, i64 %offset{port}_{lane}",
            ]
        return pointers

    def _lanes(self) -> list[str]:
        """The state that each lane works on."""
        lines = []
        for lane in range(self._v.lanes):
            lines += [
                f"  %wanted{lane} = add i64 %state, {lane}",
                f"  %inside{lane} = icmp slt i64 %wanted{lane}, %last",
                f"  %lane{lane} = select i1 %inside{lane}, i64 %wanted{lane}, i64 %last",
            ]
        return lines

    # results -----------------------------------------------------------------------------------------------------

    def _keep(self, node: Any) -> None:
        """Store a new value where it is needed later."""
        if node in self._slots:
            self._store(self._as_number(node), f"getelementptr {self._v.type}, ptr %workspace, i64 {self._slots[node]}")
        if node in self._targets:
            self._output(node)

    def _as_number(self, node: Any) -> str:
        """A value to keep in memory; a condition is kept as 1 or 0."""
        name = self._names[node]
        if node.op not in CONDITIONS:
            return name
        one, zero = self._v.number(1.0), self._v.number(0.0)
        return self._line(f"select {self._v.bits} {name}, {self._v.type} {one}, {self._v.type} {zero}")

    def _store(self, value: str, place: str) -> None:
        self._lines.append(f"  store {self._v.type} {value}, ptr {self._line(place)}")

    def _output(self, node: Any) -> None:
        value = self._value(node)
        for port, position in self._targets[node]:
            first = position - position % self._v.lanes
            if self._v.lanes > 1 and first + self._v.lanes <= self._program.sizes[port]:
                block = self._waiting.setdefault((port, first), {})
                block[position - first] = value
                if len(block) == self._v.lanes:
                    self._store_block(port, first, self._waiting.pop((port, first)))
            else:
                self._store_lanes(port, position, value)

    def _store_block(self, port: int, first: int, block: dict[int, str]) -> None:
        """Neighbouring outputs of all lanes at once: transposed, then a row for each state."""
        lines, rows = self._v.transposed([block[k] for k in range(self._v.lanes)], self._fresh)
        self._lines += lines
        for pointer, row in zip(self._port(port), rows, strict=True):
            place = self._line(f"getelementptr double, ptr {pointer}, i64 {first}")
            self._lines.append(f"  store {self._v.type} {row}, ptr {place}, align 8")

    def _store_lanes(self, port: int, position: int, value: str) -> None:
        for lane, pointer in enumerate(self._port(port)):
            place = self._line(f"getelementptr double, ptr {pointer}, i64 {position}")
            part = value if self._v.lanes == 1 else self._line(f"extractelement {self._v.type} {value}, i32 {lane}")
            self._lines.append(f"  store double {part}, ptr {place}")

    def _flush(self) -> None:
        """Store the outputs whose neighbours are computed elsewhere."""
        for (port, first), block in self._waiting.items():
            for offset, value in block.items():
                self._store_lanes(port, first + offset, value)
        self._waiting.clear()

    # operations --------------------------------------------------------------------------------------------------

    def _operation(self, step: Operation) -> None:
        args = [self._value(arg) for arg in step.args]
        writer: Callable[..., str] | None = getattr(self, f"_write_{step.op}", None)
        if writer is not None:
            self._names[step.node] = writer(step, *args)
        else:
            self._names[step.node] = self._written(step.op, args)

    def _written(self, op: str, args: list[str]) -> str:
        t = self._v.type
        if op in _ARITHMETIC:
            return self._line(f"{_ARITHMETIC[op]} contract {t} {args[0]}, {args[1]}")
        if op in _COMPARISONS:
            return self._line(f"fcmp {_COMPARISONS[op]} {t} {args[0]}, {args[1]}")
        if op in _LOGIC:
            return self._line(f"{_LOGIC[op]} {self._v.bits} {args[0]}, {args[1]}")
        if op in _INTRINSICS:
            operands = ", ".join(f"{t} {arg}" for arg in args)
            return self._line(f"call {t} @llvm.{_INTRINSICS[op]}.{self._v.suffix}({operands})")
        return self._each(op, args)

    def _each(self, function: str, args: list[str]) -> str:
        result = self._fresh()
        self._lines += self._v.call_each(function, tuple(args), result, result[1:])
        return result

    def _write_neg(self, step: Operation, a: str) -> str:
        return self._line(f"fneg {self._v.type} {a}")

    def _write_recip(self, step: Operation, a: str) -> str:
        return self._line(f"fdiv {self._v.type} {self._v.number(1.0)}, {a}")

    def _write_not(self, step: Operation, a: str) -> str:
        ones = "true" if self._v.lanes == 1 else "<" + ", ".join(["i1 true"] * self._v.lanes) + ">"
        return self._line(f"xor {self._v.bits} {a}, {ones}")

    def _write_where(self, step: Operation, condition: str, a: str, b: str) -> str:
        return self._line(f"select {self._v.bits} {condition}, {self._v.type} {a}, {self._v.type} {b}")

    def _write_sign(self, step: Operation, a: str) -> str:
        """1, -1, or a itself, which is then 0 or not a number."""
        t, v = self._v.type, self._v
        negative = self._line(f"fcmp olt {t} {a}, {v.number(0.0)}")
        lower = self._line(f"select {v.bits} {negative}, {t} {v.number(-1.0)}, {t} {a}")
        positive = self._line(f"fcmp ogt {t} {a}, {v.number(0.0)}")
        return self._line(f"select {v.bits} {positive}, {t} {v.number(1.0)}, {t} {lower}")

    def _write_table(self, step: Operation, a: str) -> str:
        return self._each(f"table_{step.node.table.digest}", [a])

    def _pair(self, angle: Any, name: str) -> str:
        if angle not in self._pairs:
            t = self._v.type
            self._pairs[angle] = self._line(f"call {{{t}, {t}}} @mb_sincos_{self._v.lanes}({t} {name})")
        return self._pairs[angle]

    def _part(self, step: Operation, name: str, index: int) -> str:
        t = self._v.type
        return self._line(f"extractvalue {{{t}, {t}}} {self._pair(step.args[0], name)}, {index}")

    def _write_sin(self, step: Operation, a: str) -> str:
        return self._part(step, a, 0)

    def _write_cos(self, step: Operation, a: str) -> str:
        return self._part(step, a, 1)

    def _write_tan(self, step: Operation, a: str) -> str:
        return self._line(f"fdiv {self._v.type} {self._part(step, a, 0)}, {self._part(step, a, 1)}")


SIGNATURE = "ptr %ports, ptr %strides, i64 %state, i64 %last, ptr %hoisted, ptr %workspace"
