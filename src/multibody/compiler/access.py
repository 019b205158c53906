"""How states lie in memory: loads and stores for several of them at once."""

from __future__ import annotations

from abc import ABC, abstractmethod

from multibody.compiler.program import PortProgram
from multibody.compiler.vector import Vector

INVARIANT = ", !invariant.load !0"  # inputs and finished values do not change while a function runs


class Lines:
    """The text of a function in the making: addresses first, then line by line."""

    def __init__(self) -> None:
        self.head: list[str] = []
        self.body: list[str] = []
        self._count = 0

    def fresh(self) -> str:
        """A name that has not been used."""
        self._count += 1
        return f"%v{self._count}"

    def value(self, text: str) -> str:
        """A new line that computes something; its name."""
        name = self.fresh()
        self.body.append(f"  {name} = {text}")
        return name

    def store(self, kind: str, value: str, place: str, alignment: str = "") -> None:
        """A new line that keeps a value; the place is an expression."""
        self.body.append(f"  store {kind} {value}, ptr {self.value(place)}{alignment}")


class Access(ABC):
    """Loads and stores of one function.

    Args:
        program: the whole program.
        vector: how many states are worked on at once.
        lines: where to write.
    """

    def __init__(self, program: PortProgram, vector: Vector, lines: Lines) -> None:
        self._program, self._v, self._lines = program, vector, lines
        self._ports: set[int] = set()

    @abstractmethod
    def load(self, port: int, position: int) -> str:
        """A value of a port, for all lanes."""

    @abstractmethod
    def hoisted(self, place: int) -> str:
        """A value that depends on parameters alone, for all lanes."""

    @abstractmethod
    def store(self, port: int, position: int, value: str) -> None:
        """Store an output; it may wait for its neighbours."""

    def finish(self) -> None:  # noqa: B027 - those that store at once have nothing to do
        """Store everything that still waits."""

    def preamble(self) -> list[str]:
        """What comes before everything else."""
        return []

    def _base(self, port: int) -> str:
        """The address of a port."""
        if port not in self._ports:
            self._ports.add(port)
            self._lines.head += [
                f"  %place{port} = getelementptr ptr, ptr %ports, i64 {port}",
                f"  %port{port} = load ptr, ptr %place{port}{INVARIANT}",
            ]
        return f"%port{port}"


class Columns(Access):
    """Each number has its lanes side by side, in ports and among the hoisted values: nothing is shared or moved."""

    def load(self, port: int, position: int) -> str:
        """One whole register."""
        return self._loaded(self._base(port), position)

    def hoisted(self, place: int) -> str:
        """One whole register."""
        return self._loaded("%hoisted", place)

    def store(self, port: int, position: int, value: str) -> None:
        """One whole register."""
        place = f"getelementptr {self._v.type}, ptr {self._base(port)}, i64 {position}"
        self._lines.store(self._v.type, value, place, ", align 8")

    def _loaded(self, base: str, position: int) -> str:
        place = self._lines.value(f"getelementptr {self._v.type}, ptr {base}, i64 {position}")
        return self._lines.value(f"load {self._v.type}, ptr {place}, align 8{INVARIANT}")


class Rows(Access):
    """Each state has its numbers side by side: those of lane k begin at %lane_k times the port's stride.

    Neighbouring numbers of all lanes are a square block, which is transposed in registers.
    """

    def __init__(self, program: PortProgram, vector: Vector, lines: Lines) -> None:
        super().__init__(program, vector, lines)
        self._pointers: dict[int, list[str]] = {}
        self._blocks: dict[tuple[int, int], list[str]] = {}  # loaded: (port, first position) -> values
        self._waiting: dict[tuple[int, int], dict[int, str]] = {}  # to store: (port, first position) -> values

    def preamble(self) -> list[str]:
        """The state that each lane works on: those after the last one repeat it."""
        lines = []
        for lane in range(self._v.lanes):
            lines += [
                f"  %wanted{lane} = add i64 %state, {lane}",
                f"  %inside{lane} = icmp slt i64 %wanted{lane}, %last",
                f"  %lane{lane} = select i1 %inside{lane}, i64 %wanted{lane}, i64 %last",
            ]
        return lines

    def hoisted(self, place: int) -> str:
        """One number for all lanes."""
        address = self._lines.value(f"getelementptr double, ptr %hoisted, i64 {place}")
        return self._splat(self._lines.value(f"load double, ptr {address}{INVARIANT}"))

    def load(self, port: int, position: int) -> str:
        """From a block if there is a whole one; otherwise one number after the other."""
        pointers = self._lane_pointers(port)
        first = position - position % self._v.lanes
        if len(pointers) > 1 and first + self._v.lanes <= self._program.sizes[port]:
            return self._block(port, first)[position - first]
        values = []
        for pointer in pointers:
            place = self._lines.value(f"getelementptr double, ptr {pointer}, i64 {position}")
            values.append(self._lines.value(f"load double, ptr {place}{INVARIANT}"))
        if len(values) == 1:
            return self._splat(values[0])
        collected = "undef"
        for lane, value in enumerate(values):
            collected = self._lines.value(f"insertelement {self._v.type} {collected}, double {value}, i32 {lane}")
        return collected

    def _block(self, port: int, first: int) -> list[str]:
        """As many neighbouring values as there are lanes: a row from each state, transposed once."""
        if (port, first) not in self._blocks:
            rows = []
            for pointer in self._lane_pointers(port):
                place = self._lines.value(f"getelementptr double, ptr {pointer}, i64 {first}")
                rows.append(self._lines.value(f"load {self._v.type}, ptr {place}, align 8{INVARIANT}"))
            lines, columns = self._v.transposed(rows, self._lines.fresh)
            self._lines.body += lines
            self._blocks[port, first] = columns
        return self._blocks[port, first]

    def _splat(self, value: str) -> str:
        if self._v.lanes == 1:
            return value
        first = self._lines.value(f"insertelement {self._v.type} undef, double {value}, i32 0")
        mask = f"<{self._v.lanes} x i32> zeroinitializer"
        return self._lines.value(f"shufflevector {self._v.type} {first}, {self._v.type} undef, {mask}")

    def store(self, port: int, position: int, value: str) -> None:
        """With its neighbours, if they make a whole block."""
        first = position - position % self._v.lanes
        if self._v.lanes > 1 and first + self._v.lanes <= self._program.sizes[port]:
            block = self._waiting.setdefault((port, first), {})
            block[position - first] = value
            if len(block) == self._v.lanes:
                self._store_block(port, first, self._waiting.pop((port, first)))
        else:
            self._store_lanes(port, position, value)

    def finish(self) -> None:
        """Outputs whose neighbours are computed elsewhere."""
        for (port, first), block in self._waiting.items():
            for offset, value in block.items():
                self._store_lanes(port, first + offset, value)
        self._waiting.clear()

    def _store_block(self, port: int, first: int, block: dict[int, str]) -> None:
        """Neighbouring outputs of all lanes at once: transposed, then a row for each state."""
        lines, rows = self._v.transposed([block[k] for k in range(self._v.lanes)], self._lines.fresh)
        self._lines.body += lines
        for pointer, row in zip(self._lane_pointers(port), rows, strict=True):
            self._lines.store(self._v.type, row, f"getelementptr double, ptr {pointer}, i64 {first}", ", align 8")

    def _store_lanes(self, port: int, position: int, value: str) -> None:
        for lane, pointer in enumerate(self._lane_pointers(port)):
            place = f"getelementptr double, ptr {pointer}, i64 {position}"
            text = f"extractelement {self._v.type} {value}, i32 {lane}"
            self._lines.store("double", value if self._v.lanes == 1 else self._lines.value(text), place)

    def _lane_pointers(self, port: int) -> list[str]:
        """The addresses of a port's values, one for each lane; one for all lanes if they share the port."""
        if port not in self._pointers:
            base = self._base(port)
            self._pointers[port] = [base] if port in self._program.shared else self._strided(port, base)
        return self._pointers[port]

    def _strided(self, port: int, base: str) -> list[str]:
        self._lines.head += [
            f"  %splace{port} = getelementptr i64, ptr %strides, i64 {port}",
            f"  %stride{port} = load i64, ptr %splace{port}{INVARIANT}",
        ]
        pointers = []
        for lane in range(self._v.lanes):
            pointers.append(f"{base}_{lane}")
            self._lines.head += [
                f"  %offset{port}_{lane} = mul i64 %lane{lane}, %stride{port}",
                f"  {base}_{lane} = getelementptr double, ptr {base}, i64 %offset{port}_{lane}",
            ]
        return pointers
