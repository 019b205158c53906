"""Sine and cosine in C, for processors with a fused multiply-add: compilers put them in line and share their parts.

The method is that of ``multibody.lowering.sincos``. Without fast ``fma``, for large arguments, infinities and NaN the
C library is called.
"""

from __future__ import annotations

from functools import reduce

from multibody.lowering.sincos import COS_COEFFICIENTS, HALF_PI_PARTS, SIN_COEFFICIENTS, TWO_OVER_PI


def helpers(module: str = "") -> dict[str, str]:
    """The functions ``sine`` and ``cosine``; in C++ the library's functions are in a namespace."""
    sine, cosine = (_polynomial(c, module) for c in (SIN_COEFFICIENTS, COS_COEFFICIENTS))
    wave = _WAVE.format(m=module, sine=sine, cosine=cosine, two_over_pi=TWO_OVER_PI, half_pi=HALF_PI_PARTS)
    return {op: f"{wave}\n\n{_ONE.format(name=name, k=k)}" for k, (op, name) in enumerate(FUNCTIONS.items())}


def _polynomial(coefficients: tuple[float, ...], module: str) -> str:
    """Horner's scheme in z."""
    return reduce(lambda value, c: f"{module}fma({value}, z, {c!r})", coefficients[1:], repr(coefficients[0]))


FUNCTIONS = {"sin": "sine", "cos": "cosine"}

_ONE = "static inline double {name}(double x) {{ return wave(x, {k}); }}"

_WAVE = """/* sin(x + k*pi/2) for k = 0 or 1; the error is below 1.5 units in the last place */
static inline double wave(double x, int k)
{{
#ifdef FP_FAST_FMA
    if ({m}fabs(x) <= 1e5) {{
        const double n = {m}rint(x * {two_over_pi});
        const double x1 = {m}fma(-n, {half_pi[1]}, {m}fma(-n, {half_pi[0]}, x));
        const double r = {m}fma(-n, {half_pi[2]}, x1);
        const double z = r * r, half = 0.5 * z, w = 1.0 - half;
        const double s = {m}fma(r * z, {sine}, r);
        const double c = w + {m}fma(z * z, {cosine}, 1.0 - w - half);
        const int quarter = (int)n + k;
        const double value = quarter & 1 ? c : s;
        return quarter & 2 ? -value : value;
    }}
#endif
    return k ? {m}cos(x) : {m}sin(x);
}}"""
