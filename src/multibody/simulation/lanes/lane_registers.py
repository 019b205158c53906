"""Operations on all lanes at once: whole registers, from addresses to an address. Loaded late.

Loops over lanes in Python would leave it to the compiler to find out that nothing overlaps, which it cannot.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from multibody.simulation.kernel.run_record import LARGEST_FLOOR
from multibody.simulation.lanes.lane_record import LANES

REGISTER = ir.VectorType(ir.DoubleType(), LANES)
ZERO, ONE = (ir.Constant(REGISTER, [number] * LANES) for number in (0.0, 1.0))
MOST = ir.Constant(REGISTER, [LARGEST_FLOOR] * LANES)
FUSED = ("contract",)  # a·b + c in one instruction, with one rounding


def _on_registers(formula: Callable[..., Any]) -> Any:
    """result ← formula(builder, values …): a compiled function of addresses, that of the result first."""
    count = len(inspect.signature(formula).parameters)

    def definition(typing_context: Any, *addresses: Any) -> Any:
        return types.void(*[types.int64] * count), generate

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places = [builder.inttoptr(one, REGISTER.as_pointer()) for one in args]
        values = [builder.load(place, align=8) for place in places[1:]]
        builder.store(formula(builder, *values), places[0], align=8)
        return context.get_dummy_value()

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["typing_context", "result", *list(inspect.signature(formula).parameters)[1:]]
    definition.__signature__ = inspect.Signature([inspect.Parameter(one, kind) for one in names])  # type: ignore[attr-defined]
    definition.__name__, definition.__module__ = formula.__name__.strip("_"), formula.__module__
    return intrinsic(definition)


def _difference(builder: Any, a: Any, b: Any) -> Any:
    return builder.fsub(a, b)


def _plus(builder: Any, a: Any, b: Any) -> Any:
    return builder.fadd(a, b)


def _quotient(builder: Any, a: Any, b: Any) -> Any:
    return builder.fdiv(a, b)


def _minus_product(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """c - a·b."""
    return builder.fsub(c, builder.fmul(a, b, flags=FUSED), flags=FUSED)


def _product_plus(builder: Any, a: Any, b: Any, c: Any) -> Any:
    return builder.fadd(builder.fmul(a, b, flags=FUSED), c, flags=FUSED)


def _product_minus(builder: Any, a: Any, b: Any, c: Any) -> Any:
    return builder.fsub(builder.fmul(a, b, flags=FUSED), c, flags=FUSED)


def _product(builder: Any, a: Any, b: Any) -> Any:
    return builder.fmul(a, b)


def _chosen(builder: Any, mask: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_unordered("!=", mask, ZERO), a, b)


def _absolute(builder: Any, a: Any) -> Any:
    return builder.select(builder.fcmp_ordered("<", a, ZERO), builder.fneg(a), a)


def _plus_weighted_square(builder: Any, total: Any, error: Any, y: Any, new: Any, atol: Any, rtol: Any) -> Any:
    """total + (error/(atol + rtol·max(|y|, |new|)))²; not a number if the error or the new value is not."""
    a, b = _absolute(builder, y), _absolute(builder, new)
    largest = builder.select(builder.fcmp_ordered(">", a, b), a, b)
    allowed = builder.fadd(builder.fmul(rtol, largest, flags=FUSED), atol, flags=FUSED)
    scaled = builder.fmul(error, builder.fdiv(ONE, allowed))
    return builder.fadd(builder.fmul(scaled, scaled, flags=FUSED), total, flags=FUSED)


def _larger(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _largest_of_two(builder: Any, a: Any, b: Any) -> Any:
    return _larger(builder, _absolute(builder, a), _absolute(builder, b))


def _floor(builder: Any, scale: Any, own: Any, common: Any, h: Any, noise: Any) -> Any:
    """min(1e-10, max(own·scale, common, h·noise))."""
    floor = _larger(builder, _larger(builder, builder.fmul(own, scale), common), builder.fmul(h, noise))
    return builder.select(builder.fcmp_ordered("<", floor, MOST), floor, MOST)


difference = _on_registers(_difference)
plus = _on_registers(_plus)
quotient = _on_registers(_quotient)
minus_product = _on_registers(_minus_product)
product = _on_registers(_product)
product_plus = _on_registers(_product_plus)
product_minus = _on_registers(_product_minus)
chosen = _on_registers(_chosen)
plus_weighted_square = _on_registers(_plus_weighted_square)
largest_of_two = _on_registers(_largest_of_two)
floor = _on_registers(_floor)
