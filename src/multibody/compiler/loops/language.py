"""The language of compiled loops: functions of numbers, and of one record that holds numbers and addresses of arrays.

The record is what would be a structure in C, such as ``RunRecord``. numba translates a function with all that it calls
to LLVM code, which is shipped (see ``translation`` and ``shipped``): this module is for developers, who have numba.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.compiler import CompilerBase, Flags
from numba.core.compiler_machinery import PassManager
from numba.core.cpu_options import FastMathOptions
from numba.core.typed_passes import NativeLowering, NoPythonBackend, NopythonTypeInference
from numba.core.untyped_passes import FixupArgs, IRProcessing, TranslateByteCode
from numba.extending import intrinsic

Compiled = TypeVar("Compiled", bound=Callable[..., Any])

EPSILON = float(np.finfo(float).eps)

KINDS = {"int": types.int64, "float": types.float64, "bool": types.boolean, "None": types.none}
"""Annotations of compiled functions; any other one represents the type of what is given."""


@intrinsic
def _call(typing_context: Any, address: Any, ports: Any, more: Any) -> Any:
    """``void f(void *ports, void *more)`` at an address; all three arguments are integers."""
    signature = types.void(types.int64, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer])
        function = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(args[1], pointer), builder.inttoptr(args[2], pointer)])
        return context.get_dummy_value()

    return signature, generate


call: Any = _call


def _function_of(count: int) -> Any:
    """A compiled function that calls ``void f(…)`` of so many addresses and integers; its own address comes first."""

    def definition(typing_context: Any, *values: Any) -> Any:
        return types.void(*[types.int64] * (count + 1)), generate

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * count)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()

    names = ["typing_context", "address", *(f"value_{k}" for k in range(count))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    definition.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    return intrinsic(definition)


call_with_six: Any = _function_of(6)


def _library_function(name: str, result: Any, *arguments: Any) -> Any:
    """A compiled function that calls one of C's library."""
    integer = ir.IntType(64)

    def definition(typing_context: Any, value: Any) -> Any:
        return result(*arguments), generate

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType() if result is types.void else integer, [integer] * len(arguments))
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        value = builder.call(function, args)
        return context.get_dummy_value() if result is types.void else value

    return intrinsic(definition)


allocated: Any = _library_function("malloc", types.int64, types.int64)
free: Any = _library_function("free", types.void, types.int64)
clear_floating_point_flags: Any = _library_function("feclearexcept", types.int64, types.int64)


class _Translator(CompilerBase):
    """numba's way from Python to LLVM, without what such plain functions do not need."""

    def define_pipelines(self) -> list[Any]:
        manager: Any = PassManager("plain")
        for step in (
            TranslateByteCode,
            FixupArgs,
            IRProcessing,
            NopythonTypeInference,
            NativeLowering,
            NoPythonBackend,
        ):
            manager.add_pass(step, step.__name__)
        manager.finalize()
        return [manager]


def lowered(function: Callable[..., Any], signature: Any, context: Any, library: Any) -> Any:
    """A function in LLVM's language, put into a library and not yet made into machine code."""
    flags: Any = Flags()
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.fastmath = FastMathOptions({"contract"})  # a·b + c in one instruction, with one rounding
    flags.error_model = "numpy"  # a division by zero gives an infinity, not an error
    kinds = signature.args, signature.return_type
    translator: Any = _Translator(context.typing_context, context, library, *kinds, flags, {})
    return translator.compile_extra(function)


def compiled(function: Compiled) -> Compiled:
    """A function to be called by compiled functions, with types by its annotations.

    numba's own way makes machine code of each function and again of each of its callers; here all functions go into the
    library of the first caller, once, which takes a third of the time.
    """
    names = inspect.signature(function)
    hints = [parameter.annotation for parameter in names.parameters.values()]
    result: Any = KINDS[names.return_annotation]
    known: dict[Any, Any] = {}

    def definition(typing_context: Any, *args: Any) -> Any:
        signature = result(*(KINDS.get(hint, kind) for hint, kind in zip(hints, args, strict=True)))

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            library = context.active_code_library
            if library not in known:
                known[library] = lowered(function, signature, context, library).fndesc
            return context.call_internal(builder, known[library], signature, args)

        return signature, generate

    first = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    definition.__signature__ = inspect.Signature([first, *names.parameters.values()])  # type: ignore[attr-defined]
    definition.__name__, definition.__module__ = function.__name__, function.__module__
    return cast("Compiled", intrinsic(definition))


def _integers(typing_context: Any, address: Any) -> Any:
    """The integers at an address, to be read and written by index."""
    pointer: Any = types.CPointer(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(64).as_pointer())

    return pointer(types.int64), generate


def _doubles(typing_context: Any, address: Any) -> Any:
    """The doubles at an address, to be read and written by index."""
    pointer: Any = types.CPointer(types.float64)
    signature = pointer(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.DoubleType().as_pointer())

    return signature, generate


def _row(typing_context: Any, matrix: Any, k: Any, columns: Any) -> Any:
    """The address of row k of a matrix."""
    signature = types.int64(types.int64, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        matrix, k, columns = args
        return builder.add(matrix, builder.mul(builder.mul(k, columns), ir.Constant(ir.IntType(64), 8)))

    return signature, generate


def _whole(typing_context: Any, value: Any) -> Any:
    """A whole number that was kept as a double."""
    signature = types.int64(types.float64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fptosi(args[0], ir.IntType(64))

    return signature, generate


def _put(typing_context: Any, place: Any, address: Any) -> Any:
    """Keep an address at a place."""
    signature = types.void(types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return signature, generate


doubles: Any = intrinsic(_doubles)
integers: Any = intrinsic(_integers)
put: Any = intrinsic(_put)
row: Any = intrinsic(_row)
whole: Any = intrinsic(_whole)


@compiled
def larger(a: float, b: float) -> float:
    """The larger one; b if one of them is not a number."""
    return a if a > b else b


@compiled
def smaller(a: float, b: float) -> float:
    """The smaller one; b if one of them is not a number."""
    return a if a < b else b


@compiled
def square(a: float) -> float:
    """a²."""
    return a * a


@compiled
def copy(source: int, target: int, count: int) -> None:
    """Target = source."""
    a, b = doubles(source), doubles(target)
    for i in range(count):
        b[i] = a[i]


@compiled
def finite(address: int, count: int) -> bool:
    """Whether there is no NaN and no infinity among the values."""
    values, total = doubles(address), 0.0
    for i in range(count):
        total += 0.0 * values[i]
    return total == 0.0


@compiled
def weighted(run: Any, weights: int, count: int, result: int) -> None:
    """Σ_j w_j·K_j over the first rates, eight entries at once; the width of rows is a multiple of eight."""
    w, total, step = doubles(weights), doubles(result), run.width
    K = doubles(run.K)
    for i in range(0, step, 8):
        a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        at = i
        for j in range(count):
            if w[j] != 0.0:  # a rate that does not count may be old, or not finite
                a0 += w[j] * K[at]
                a1 += w[j] * K[at + 1]
                a2 += w[j] * K[at + 2]
                a3 += w[j] * K[at + 3]
                a4 += w[j] * K[at + 4]
                a5 += w[j] * K[at + 5]
                a6 += w[j] * K[at + 6]
                a7 += w[j] * K[at + 7]
            at += step
        total[i], total[i + 1], total[i + 2], total[i + 3] = a0, a1, a2, a3
        total[i + 4], total[i + 5], total[i + 6], total[i + 7] = a4, a5, a6, a7
