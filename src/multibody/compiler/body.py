"""Writes the functions that do the work: loads where a value is first used, one line per operation, stores at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from multibody.compiler import engine
from multibody.compiler.access import INVARIANT, Access, Lines, Rows
from multibody.compiler.program import OutputPlace, PortProgram
from multibody.compiler.vector import Vector
from multibody.graph import Constant, Symbol
from multibody.graph.number import finite
from multibody.graph.piecewise.conditions import CONDITIONS
from multibody.lowering import Operation

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq"}
_INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "min": "minimum", "max": "maximum"}
_LOGIC = {"and": "and", "or": "or"}


class FunctionBody:
    """Writes one function.

    Args:
        program: the whole program.
        vector: how many states are worked on at once.
        slots: the place in the workspace of each value that crosses from one function to the next.
        access: how states lie in memory.
    """

    def __init__(
        self, program: PortProgram, vector: Vector, slots: dict[Any, int], access: type[Access] = Rows
    ) -> None:
        self._program = program
        self._v = vector
        self._slots = slots
        self._hoisted = {node: k for k, node in enumerate(program.hoisted)}
        self._targets: dict[Any, list[tuple[int, int]]] = {}
        for node, port, position in program.targets:
            self._targets.setdefault(node, []).append((port, position))
        self._lines = Lines()
        self._access = access(program, vector, self._lines)
        self._names: dict[Any, str] = {}
        self._pairs: dict[Any, str] = {}

    def function(self, name: str, steps: Sequence[Operation], unmoved: Sequence[OutputPlace] = ()) -> str:
        """A part of the main stage; it may also store outputs that are inputs, constants or hoisted values."""
        for step in steps:
            self._operation(step)
            self._keep(step.node)
        for node, port, position in unmoved:
            self._access.store(port, position, self._value(node))
        self._access.finish()
        header = f"define internal void @{name}({SIGNATURE}) {{"
        return "\n".join([header, *self._access.preamble(), *self._lines.head, *self._lines.body, "  ret void", "}"])

    def preparation(self, name: str) -> str:
        """The stage that works on parameters alone and fills %hoisted."""
        places, self._hoisted = self._hoisted, {}
        for step in self._program.prepare.operations:
            self._operation(step)
            if step.node in places:
                self._store(self._as_number(step.node), "%hoisted", places[step.node])
        header = f"define void @{name}(ptr %ports, ptr %hoisted) {{"
        return "\n".join([header, *self._lines.head, *self._lines.body, "  ret void", "}"])

    # values ------------------------------------------------------------------------------------------------------

    def _value(self, node: Any) -> str:
        """The name of a value in this function; it is loaded when it is first used."""
        name = self._names.get(node)
        if name is None:
            name = self._v.number(finite(node.value)) if isinstance(node, Constant) else self._load(node)
            self._names[node] = name
        return name

    def _load(self, node: Any) -> str:
        if isinstance(node, Symbol):
            return self._access.load(*self._program.places[node])
        if node in self._hoisted:
            value = self._access.hoisted(self._hoisted[node])
        else:
            place = self._lines.value(f"getelementptr {self._v.type}, ptr %workspace, i64 {self._slots[node]}")
            value = self._lines.value(f"load {self._v.type}, ptr {place}, align 8{INVARIANT}")
        if node.op not in CONDITIONS:
            return value
        return self._lines.value(f"fcmp une {self._v.type} {value}, {self._v.number(0.0)}")

    # results -----------------------------------------------------------------------------------------------------

    def _keep(self, node: Any) -> None:
        """Store a new value where it is needed later."""
        if node in self._slots:
            self._store(self._as_number(node), "%workspace", self._slots[node])
        if node in self._targets:
            self._output(node)

    def _as_number(self, node: Any) -> str:
        """A value to keep in memory; a condition is kept as 1 or 0."""
        name = self._names[node]
        if node.op not in CONDITIONS:
            return name
        one, zero = self._v.number(1.0), self._v.number(0.0)
        return self._lines.value(f"select {self._v.bits} {name}, {self._v.type} {one}, {self._v.type} {zero}")

    def _store(self, value: str, base: str, place: int) -> None:
        self._lines.store(self._v.type, value, f"getelementptr {self._v.type}, ptr {base}, i64 {place}", ", align 8")

    def _output(self, node: Any) -> None:
        value = self._value(node)
        for port, position in self._targets[node]:
            self._access.store(port, position, value)

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
            return self._lines.value(f"{_ARITHMETIC[op]} {t} {args[0]}, {args[1]}")
        if op in _COMPARISONS:
            return self._lines.value(f"fcmp {_COMPARISONS[op]} {t} {args[0]}, {args[1]}")
        if op in _LOGIC:
            return self._lines.value(f"{_LOGIC[op]} {self._v.bits} {args[0]}, {args[1]}")
        if op in _INTRINSICS:
            operands = ", ".join(f"{t} {arg}" for arg in args)
            return self._lines.value(f"call {t} @llvm.{_INTRINSICS[op]}.{self._v.suffix}({operands})")
        return self._each(op, args)

    def _each(self, function: str, args: list[str]) -> str:
        result = self._lines.fresh()
        self._lines.body += self._v.call_each(function, tuple(args), result, result[1:])
        return result

    def _write_neg(self, step: Operation, a: str) -> str:
        return self._lines.value(f"fneg {self._v.type} {a}")

    def _write_fma(self, step: Operation, a: str, b: str, c: str) -> str:
        t = self._v.type
        if not engine.has_fma():
            return self._written("add", [self._written("mul", [a, b]), c])
        return self._lines.value(f"call {t} @llvm.fma.{self._v.suffix}({t} {a}, {t} {b}, {t} {c})")

    def _write_fms(self, step: Operation, a: str, b: str, c: str) -> str:
        return self._write_fma(step, a, b, self._write_neg(step, c))

    def _write_fnma(self, step: Operation, a: str, b: str, c: str) -> str:
        return self._write_fma(step, self._write_neg(step, a), b, c)

    def _write_recip(self, step: Operation, a: str) -> str:
        return self._lines.value(f"fdiv {self._v.type} {self._v.number(1.0)}, {a}")

    def _write_not(self, step: Operation, a: str) -> str:
        ones = "true" if self._v.lanes == 1 else "<" + ", ".join(["i1 true"] * self._v.lanes) + ">"
        return self._lines.value(f"xor {self._v.bits} {a}, {ones}")

    def _write_where(self, step: Operation, condition: str, a: str, b: str) -> str:
        return self._lines.value(f"select {self._v.bits} {condition}, {self._v.type} {a}, {self._v.type} {b}")

    def _write_sign(self, step: Operation, a: str) -> str:
        """1, -1, or a itself, which is then 0 or not a number."""
        t, v = self._v.type, self._v
        negative = self._lines.value(f"fcmp olt {t} {a}, {v.number(0.0)}")
        lower = self._lines.value(f"select {v.bits} {negative}, {t} {v.number(-1.0)}, {t} {a}")
        positive = self._lines.value(f"fcmp ogt {t} {a}, {v.number(0.0)}")
        return self._lines.value(f"select {v.bits} {positive}, {t} {v.number(1.0)}, {t} {lower}")

    def _write_table(self, step: Operation, a: str) -> str:
        return self._each(step.node.table.identifier, [a])

    def _pair(self, angle: Any, name: str) -> str:
        if angle not in self._pairs:
            t = self._v.type
            self._pairs[angle] = self._lines.value(f"call {{{t}, {t}}} @mb_sincos_{self._v.lanes}({t} {name})")
        return self._pairs[angle]

    def _part(self, step: Operation, name: str, index: int) -> str:
        t = self._v.type
        return self._lines.value(f"extractvalue {{{t}, {t}}} {self._pair(step.args[0], name)}, {index}")

    def _write_sin(self, step: Operation, a: str) -> str:
        return self._part(step, a, 0)

    def _write_cos(self, step: Operation, a: str) -> str:
        return self._part(step, a, 1)

    def _write_tan(self, step: Operation, a: str) -> str:
        return self._lines.value(f"fdiv {self._v.type} {self._part(step, a, 0)}, {self._part(step, a, 1)}")


SIGNATURE = "ptr %ports, ptr %strides, i64 %state, i64 %last, ptr %hoisted, ptr %workspace"
