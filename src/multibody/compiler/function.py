"""Functions compiled from expressions: named ports in, named ports out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compiler import engine
from multibody.compiler.batch import BoundBatch, Kernel
from multibody.compiler.block import StateBlock
from multibody.compiler.calls import (
    BoundCall,
    Results,
    addresses,
    arranged,
    collected,
    complain_about_names,
    leading_shape,
)
from multibody.compiler.emit import Module, module
from multibody.compiler.ports import Array, Port, input_ports, output_ports
from multibody.compiler.program import PortProgram, lowered
from multibody.compiler.ufunc import UniversalFunction, allows_ports, not_universal
from multibody.errors import ShapeError
from multibody.graph import names
from multibody.support.progress_bars import compiling


class Function:
    """A compiled function of expressions.

    Inputs and outputs are ports: a name, and a symbol or an array of symbols (inputs) or expressions (outputs). Ports
    that hold nothing but parameters are *fixed ports*: what depends on them alone is computed once per parameter set,
    in ``batch`` and after ``fix``.

    Args:
        name: the function's name, an identifier.
        inputs: symbols by port name, in the order of the positional arguments.
        outputs: expressions by port name.

    Example:
        >>> from multibody.graph import cos, sin, symbol, symbols
        >>> q = symbols("q1 q2", "coordinate")
        >>> l = symbol("l", "parameter")
        >>> tip = Function("tip", {"q": q, "l": l}, {"x": l * cos(q[0] + q[1]), "y": l * sin(q[0] + q[1])})
        >>> tip([0.0, 0.0], 2.0).x
        2.0
        >>> tip.batch(q=[[0.0, 0.0], [0.0, np.pi]], l=2.0).x
        array([ 2., -2.])
        >>> tip.operations
        {'add': 1, 'cos': 1, 'mul': 2, 'sin': 1}
    """

    _background: engine.BackgroundBuild | None = None

    def __init__(self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        self.name = names.check(name, "function", 2 * names.MAX_LENGTH)  # that of a system, and what it computes
        self.inputs: tuple[Port, ...] = input_ports(inputs, name)
        self.outputs: tuple[Port, ...] = output_ports(outputs, self.inputs, name)

    def __deepcopy__(self, memo: object) -> Function:
        """Functions do not change, and are their own copies."""
        return self

    # what it is --------------------------------------------------------------------------------------------------

    @property
    def operations(self) -> dict[str, int]:
        """Operations of one evaluation by kind; without those that depend on parameters alone."""
        return dict(self._operations)

    @cached_property
    def _operations(self) -> dict[str, int]:
        """Counted once: every run asks for their number when it chooses its integrator."""
        return self._program.main.counts

    @property
    def parameter_operations(self) -> dict[str, int]:
        """Operations that are done once per parameter set, by kind."""
        return self._program.prepare.counts

    @property
    def llvm(self) -> str:
        """The code handed to the compiler."""
        return self._module.text

    def report(self) -> str:
        """Ports, operation counts and sizes, as text for people."""
        lines = [f"function {self.name}"]
        for title, ports in (("in", self.inputs), ("out", self.outputs)):
            for port in ports:
                shape = "×".join(map(str, port.shape)) or "scalar"
                lines.append(f"  {title:<3} {port.name:<16} {shape}{'  (fixed)' if port.fixed else ''}")
        for title, counts in (("per call", self.operations), ("per parameter set", self.parameter_operations)):
            text = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing"
            lines.append(f"  {title}: {sum(counts.values())} operations ({text})")
        return "\n".join(lines)

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(port.name for port in ports) for ports in (self.inputs, self.outputs))
        return f"Function({self.name!r}: {inputs} -> {outputs})"

    # calling it --------------------------------------------------------------------------------------------------

    def __call__(self, /, *args: Any, out: Any = None, **named: Any) -> Any:
        """Evaluate: the value of the only output, or all outputs by name.

        Arrays may have dimensions for states before those of their ports; they are broadcast as NumPy does it. A call
        with ``(N, n)`` arrays is a batch of N states; ``batch`` does the same on several threads.

        Args:
            args: values of the input ports in order; or one dictionary, by the names of ports.
            out: an array to write the only output into, or arrays by the names of outputs.
            named: values of input ports by name.

        Example:
            >>> from multibody.graph import symbol
            >>> x, y = symbol("x"), symbol("y")
            >>> product = Function("product", {"x": x, "y": y}, {"z": x * y})
            >>> product([1.0, 2.0, 3.0], 2.0)
            array([2., 4., 6.])
        """
        if not named and out is None:
            try:
                return self._universal(*args)
            except (
                TypeError,
                ValueError,
                IndexError,
            ):  # which NumPy explains in its own words: below, in those of the ports
                pass
        values, arrays = self._fitted(args, named), self._arrays_for_outputs(out)
        states = leading_shape(self, values)
        if allows_ports(self):
            return self._universal(*(value for _, value in values), **({} if arrays is None else {"out": arrays}))
        return self._written(self._in_batch(values, states) if states else self._one_state(values), arrays)

    def _fitted(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[tuple[Port, Array]]:
        """Each input port with its value, as an array that fits."""
        return [(port, port.fitted_states(x, self.name)) for port, x in arranged(self, self.inputs, args, named)]

    def _in_batch(self, values: Sequence[tuple[Port, Array]], states: tuple[int, ...]) -> list[Array]:
        """The outputs for states in any number of dimensions, by ``batch``."""
        flat: dict[str, Any] = {
            port.name: np.broadcast_to(value, states + port.shape).reshape(-1, *port.shape)
            if value.ndim > len(port.shape) else value
            for port, value in values
        }  # fmt: skip
        parts = self._parts(self.batch(**flat))
        return [part.reshape(states + port.shape) for port, part in zip(self.outputs, parts, strict=True)]

    def _one_state(self, values: Sequence[tuple[Port, Array]]) -> list[Array]:
        outputs = [np.empty(port.shape) for port in self.outputs]
        # The list of addresses, and the arrays that it leads to, must live until the call returns.
        arrays = [*(np.require(value, requirements=("C", "A")) for _, value in values), *outputs]
        ports = addresses(arrays)
        self._call(ports.ctypes.data)
        return outputs

    def _arrays_for_outputs(self, out: Any) -> tuple[Array | None, ...] | None:
        """The arrays to write into, in the order of the outputs, each of them None for a new one; None for all new."""
        if out is None:
            return None
        given = out if isinstance(out, Mapping) else {port.name: out for port in self.outputs[:1]}
        known = [port.name for port in self.outputs]
        arrays = all(isinstance(array, np.ndarray) and array.dtype == np.float64 for array in given.values())
        if not arrays or not given.keys() <= set(known) or (given is not out and len(known) > 1):
            raise ShapeError(
                "out must be an array of doubles for the only output, or such arrays by the names of outputs.",
                code="array-not-usable",
                where=f"function '{self.name}'",
                remedy=f"The outputs are: {', '.join(known)}.",
            )
        return tuple(given.get(name) for name in known)

    def _written(self, parts: Sequence[Array], arrays: Sequence[Array | None] | None) -> Any:
        """The outputs of a call, in the arrays that are given for them."""
        places = arrays or [None] * len(parts)
        for part, array in zip(parts, places, strict=True):
            if array is not None:
                array[...] = part
        kept = [part if array is None else array for part, array in zip(parts, places, strict=True)]
        return collected(self._results, kept)

    @property
    def hoisted(self) -> int:
        """How many numbers depend on fixed ports alone."""
        return self._module.hoisted

    def shared_kernel(self) -> Kernel:
        """The loop over states that share all fixed ports."""
        return self._kernel(self._shared)

    def _parts(self, result: Any) -> list[Any]:
        """The outputs of a result."""
        return [result] if len(self.outputs) == 1 else list(result)

    @property
    def __signature__(self) -> inspect.Signature:
        """The input ports, for ``help`` and editors."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(port.name, kind) for port in self.inputs]
        return inspect.Signature([*parameters, inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)])

    def bind(self, /, **arrays: Array) -> BoundCall:
        """A call without arguments that reads and writes the given arrays in place; the fastest way from Python.

        Args:
            arrays: for every port, inputs and outputs, a contiguous array of doubles.

        Example:
            >>> from multibody.graph import symbol
            >>> x = symbol("x")
            >>> square = Function("square", {"x": x}, {"y": x * x})
            >>> x_now, y_now = np.array(3.0), np.array(0.0)
            >>> step = square.bind(x=x_now, y=y_now)
            >>> step()
            >>> float(y_now)
            9.0
        """
        return BoundCall(self, self._library, self._call, arrays)

    def batch(
        self, /, *args: Any, threads: int | None = None, out: Mapping[str, Array] | None = None, **named: Any
    ) -> Any:
        """Evaluate many states at once: arrays get a leading dimension for the states.

        A port without that dimension is shared by all states. Several states go through each instruction, and several
        threads work at once, without the interpreter lock.

        Args:
            args: values of the input ports in order.
            threads: how many threads; by default as many as there are processors, if there is enough to do.
            out: arrays to write outputs into, by name; new memory costs as much time as a hundred operations a state.
            named: values of input ports by name.
        """
        values = [
            (port, *port.fitted_batch(value, self.name)) for port, value in arranged(self, self.inputs, args, named)
        ]
        shared = frozenset(k for k, (port, _, states) in enumerate(values) if states is None and port.fixed)
        outputs = self._kernel(shared).run(self, values, threads, out)
        return collected(self._results, outputs)

    def bind_batch(self, /, **arrays: Array) -> BoundBatch:
        """A call with a number of states that reads and writes rows of the given arrays in place; see ``batch``.

        Args:
            arrays: for every port an array of doubles with a leading dimension for the states, whose rows are
                contiguous; they may be parts of longer rows. An input without that dimension is shared by all states.
                Shared parameters are read now, and not again.

        Example:
            >>> from multibody.graph import symbol
            >>> x = symbol("x")
            >>> square = Function("square", {"x": x}, {"y": x * x})
            >>> pairs, y = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]), np.zeros(3)
            >>> square.bind_batch(x=pairs[:, 0], y=y)(2)
            >>> y
            array([1., 4., 0.])
        """
        return BoundBatch(self, self._kernel, arrays)

    def fix(self, /, **parameters: Any) -> FixedFunction:
        """The same function with its fixed ports filled; what depends on them alone is computed once, now.

        Example:
            >>> from multibody.graph import sqrt, symbol
            >>> x, m = symbol("x"), symbol("m", "parameter")
            >>> f = Function("f", {"x": x, "m": m}, {"y": sqrt(m) * x})
            >>> f.fix(m=4.0)(3.0)
            6.0
        """
        return FixedFunction(self, parameters)

    def block(self, lanes: int) -> StateBlock:
        """The same function for several states at once, for compiled loops; see ``StateBlock``."""
        with compiling(self.name):
            return StateBlock(self, self._program, lanes)

    # machine code ------------------------------------------------------------------------------------------------

    @property
    def hasty(self) -> Function:
        """The same function, with the same results, for few evaluations: made sooner, but half as slow again to run.

        Example:
            >>> from multibody.graph import symbol
            >>> x = symbol("x")
            >>> Function("square", {"x": x}, {"y": x * x}).hasty(3.0)
            9.0
        """
        return self if "_library" in self.__dict__ else self._hasty

    def improved(self) -> bool:
        """Whether careful code is there by now; what was made in haste serves until then.

        Small functions are compiled at once. Careful code for large ones, if it is not on disk, is made by another
        process from the first call of this method on.

        Example:
            >>> from multibody.graph import symbol
            >>> x = symbol("x")
            >>> Function("square", {"x": x}, {"y": x * x}).improved()
            True
        """
        if "_library" in self.__dict__:
            return True
        if self._background is not None and self._background.lost:
            self._background = None
        if self._background is not None and not self._background.failed:
            found = self._background.library()
        elif self._background is not None or not self._is_large:
            found = self._library
        else:
            found = engine.kept(self._module.text)
            self._background = None if found else engine.BackgroundBuild(self._module.text)
        if found is not None:
            self.__dict__["_library"], self._background = found, None
        return found is not None

    @cached_property
    def _is_large(self) -> bool:
        return self._module.text.count("\n") > engine.LARGE

    @cached_property
    def _hasty(self) -> Function:
        return HastyFunction(self)

    @property
    def address(self) -> int:
        """For callers in C, numba or SUNDIALS: ``void f(const double *in_0, …, double *out_0, …)``, one per port."""
        return self._library.address("call")

    @cached_property
    def _results(self) -> type[Results]:
        return Results.kind([port.name for port in self.outputs])

    @cached_property
    def _shared(self) -> frozenset[int]:
        return frozenset(k for k, port in enumerate(self.inputs) if port.fixed)

    @cached_property
    def _program(self) -> PortProgram:
        with compiling(self.name):
            return self._lowered(self._shared)

    def _lowered(self, shared: frozenset[int]) -> PortProgram:
        inputs: list[Any] = [port.items for port in self.inputs]
        return lowered(inputs, [port.items for port in self.outputs], shared)

    @cached_property
    def _module(self) -> Module:
        with compiling(self.name):
            return module(self._program, 1)

    @cached_property
    def _library(self) -> engine.Library:
        with compiling(self.name):
            return engine.build(self._module.text)

    @cached_property
    def _universal(self) -> Callable[..., Any]:
        """The function as NumPy calls it; it knows neither names nor sizes of 1 in other shapes."""
        return UniversalFunction(self, self._library, self._results).caller() if allows_ports(self) else not_universal

    @cached_property
    def _call(self) -> Callable[[int], None]:
        call: Callable[[int], None] = self._library.function("call_ports", 1)
        return call

    @cached_property
    def _kernels(self) -> dict[tuple[frozenset[int], int], Kernel]:
        return {}

    def _kernel(self, shared: frozenset[int], lanes: int | None = None) -> Kernel:
        key = shared, lanes or engine.lanes()
        if key not in self._kernels:
            with compiling(self.name):
                self._kernels[key] = Kernel(self._lowered(shared), key[1])
        return self._kernels[key]


class HastyFunction(Function):
    """A function whose machine code is made in haste; see ``Function.hasty``."""

    def __init__(self, function: Function) -> None:
        self._whole = function
        self.name, self.inputs, self.outputs = function.name, function.inputs, function.outputs

    @cached_property
    def _program(self) -> PortProgram:
        return self._whole._program

    @cached_property
    def _module(self) -> Module:
        return self._whole._module

    @cached_property
    def _library(self) -> engine.Library:
        with compiling(self.name):
            return engine.build(self._module.text, engine.HASTY)


class FixedFunction:
    """A function with its fixed ports filled; made by ``Function.fix``.

    Attributes:
        function: the function that was fixed.
        inputs: the ports that are left.
    """

    def __init__(self, function: Function, parameters: Mapping[str, Any]) -> None:
        fixed = [port for port in function.inputs if port.fixed]
        values = arranged(function, fixed, (), parameters)
        self.function = function
        self.inputs = tuple(port for port in function.inputs if not port.fixed)
        self.outputs = function.outputs
        self._values = {port.name: port.fitted(value, function.name).copy() for port, value in values}
        self._hoisted = np.empty(max(1, function._module.hoisted))
        arrays = [self._values.get(port.name, self._hoisted) for port in function.inputs]
        ports = addresses(arrays)
        function._library.function("prepare", 2)(ports.ctypes.data, self._hoisted.ctypes.data)
        self._call = function._library.function("call_fixed", 2)

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Evaluate: the value of the only output, or all outputs by name."""
        given = {port.name: port.fitted(v, self.function.name) for port, v in self._arranged(args, named)}
        outputs = [np.empty(port.shape) for port in self.outputs]
        values = self._values | given
        inputs = [values[port.name] for port in self.function.inputs]
        ports = addresses([*inputs, *outputs])  # it must live until the call returns
        self._call(ports.ctypes.data, self._hoisted.ctypes.data)
        return collected(self.function._results, outputs)

    def bind(self, /, **arrays: Array) -> BoundCall:
        """A call without arguments that works in place; see ``Function.bind``."""
        ports = (*self.inputs, *self.outputs)
        complain_about_names(self.function, ports, arrays)
        return BoundCall(self.function, self.function._library, self._call, {**self._values, **arrays}, self._hoisted)

    def batch(
        self, /, *args: Any, threads: int | None = None, out: Mapping[str, Array] | None = None, **named: Any
    ) -> Any:
        """Evaluate many states at once; see ``Function.batch``."""
        given = {port.name: value for port, value in self._arranged(args, named)}
        return self.function.batch(threads=threads, out=out, **self._values, **given)

    def _arranged(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[tuple[Port, Any]]:
        return arranged(self.function, self.inputs, args, named)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value.tolist()}" for name, value in self._values.items())
        return f"{self.function!r} with {shown}"
