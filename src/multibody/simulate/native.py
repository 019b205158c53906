"""Calling compiled functions by address from compiled loops, with no Python between."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def call(typing_context: Any, address: Any, ports: Any, more: Any) -> Any:
    """``void f(void *ports, void *more)`` at an address; all three arguments are integers."""
    signature = types.void(types.int64, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer])
        function = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(args[1], pointer), builder.inttoptr(args[2], pointer)])
        return context.get_dummy_value()

    return signature, generate
