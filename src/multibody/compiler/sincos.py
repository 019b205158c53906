"""Sine and cosine written out in LLVM's language, for one number or several at once.

The method is that of ``multibody.lowering.sincos``. Arguments beyond ``LIMIT``, infinities and NaN go to the C library.
The error is below 1.5 units in the last place, see tests/compiler/test_sincos.py.
"""

from __future__ import annotations

from multibody.compiler.vector import Vector
from multibody.lowering.sincos import COS_COEFFICIENTS, HALF_PI_PARTS, SIN_COEFFICIENTS, TWO_OVER_PI

LIMIT = 1e5
"""Up to here three parts of π/2 are enough: the quotient has few bits and the rest is exact to the last place."""

_ROUNDER = 6755399441055744.0  # 1.5·2^52: adding it rounds to an integer that stands in the low bits


def sincos_function(vector: Vector) -> str:
    """The definition of ``@mb_sincos_{lanes}``: sine and cosine of ``%x`` as a pair."""
    v, t, i = vector, vector.type, vector.integer
    lines = [
        f"define internal {{{t}, {t}}} @mb_sincos_{v.lanes}({t} %x) alwaysinline {{",
        f"  %magnitude = call {t} @llvm.fabs.{v.suffix}({t} %x)",
        f"  %scaled = fmul {t} %x, {v.number(TWO_OVER_PI)}",
        f"  %shifted = fadd {t} %scaled, {v.number(_ROUNDER)}",
        f"  %quotient = fsub {t} %shifted, {v.number(_ROUNDER)}",
        f"  %bits = bitcast {t} %shifted to {i}",
        f"  %minus = fneg {t} %quotient",
    ]
    rest = "%x"
    for k, part in enumerate(HALF_PI_PARTS):
        lines.append(f"  %r{k} = call {t} @llvm.fma.{v.suffix}({t} %minus, {t} {v.number(part)}, {t} {rest})")
        rest = f"%r{k}"
    lines.append(f"  %z = fmul {t} {rest}, {rest}")
    lines += _polynomial(v, "s", SIN_COEFFICIENTS) + _polynomial(v, "c", COS_COEFFICIENTS)
    lines += [
        f"  %rz = fmul {t} {rest}, %z",
        f"  %bent = call {t} @llvm.fma.{v.suffix}({t} %rz, {t} %s5, {t} {rest})",
        f"  %nothing = fcmp oeq {t} %x, {v.number(0.0)}",
        f"  %sine = select {v.bits} %nothing, {t} %x, {t} %bent",  # keeps the sign of zero
        f"  %half = fmul {t} %z, {v.number(0.5)}",
        f"  %w = fsub {t} {v.number(1.0)}, %half",
        f"  %lost = fsub {t} {v.number(1.0)}, %w",
        f"  %back = fsub {t} %lost, %half",
        f"  %zz = fmul {t} %z, %z",
        f"  %tail = call {t} @llvm.fma.{v.suffix}({t} %zz, {t} %c5, {t} %back)",
        f"  %cosine = fadd {t} %w, %tail",
        f"  %odd = and {i} %bits, {v.integer_number(1)}",
        f"  %swap = icmp ne {i} %odd, {v.integer_number(0)}",
        f"  %first = select {v.bits} %swap, {t} %cosine, {t} %sine",
        f"  %second = select {v.bits} %swap, {t} %sine, {t} %cosine",
        f"  %next = add {i} %bits, {v.integer_number(1)}",
    ]
    for name, bits, value in (("sin", "%bits", "%first"), ("cos", "%next", "%second")):
        lines += [
            f"  %{name}_two = and {i} {bits}, {v.integer_number(2)}",
            f"  %{name}_sign = shl {i} %{name}_two, {v.integer_number(62)}",
            f"  %{name}_raw = bitcast {t} {value} to {i}",
            f"  %{name}_turned = xor {i} %{name}_raw, %{name}_sign",
            f"  %{name}_fast = bitcast {i} %{name}_turned to {t}",
        ]
    return "\n".join([*lines, *_with_library(v), "}"])


def _polynomial(v: Vector, name: str, coefficients: tuple[float, ...]) -> list[str]:
    """Horner's scheme in %z; the result is %{name}5."""
    t = v.type
    lines = []
    value = v.number(coefficients[0])
    for k, coefficient in enumerate(coefficients[1:], 1):
        term = f"{t} {value}, {t} %z, {t} {v.number(coefficient)}"
        lines.append(f"  %{name}{k} = call {t} @llvm.fma.{v.suffix}({term})")
        value = f"%{name}{k}"
    return lines


def _with_library(v: Vector) -> list[str]:
    """Take the C library's result instead where the argument is large or not a number."""
    t = v.type
    lines = [f"  %large = fcmp ugt {t} %magnitude, {v.number(LIMIT)}"]
    if v.lanes == 1:
        lines.append("  br i1 %large, label %slow, label %done")
    else:
        lines.append(f"  %any = call i1 @llvm.vector.reduce.or.v{v.lanes}i1({v.bits} %large)")
        lines.append("  br i1 %any, label %slow, label %done")
    lines.append("slow:")
    for name in ("sin", "cos"):  # each lane by itself: a result does not depend on its neighbours
        lines += v.call_each(name, ("%x",), f"%{name}_library", f"{name}_lane")
        lines.append(f"  %{name}_slow = select {v.bits} %large, {t} %{name}_library, {t} %{name}_fast")
    lines += ["  br label %done", "done:"]
    for name in ("sin", "cos"):
        lines.append(f"  %{name} = phi {t} [%{name}_fast, %0], [%{name}_slow, %slow]")
    pair = f"{{{t}, {t}}}"
    lines += [
        f"  %pair = insertvalue {pair} undef, {t} %sin, 0",
        f"  %both = insertvalue {pair} %pair, {t} %cos, 1",
        f"  ret {pair} %both",
    ]
    return lines
