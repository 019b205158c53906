"""Sine and cosine in C, for processors with a fused multiply-add: compilers put them in line and share their parts.

The method is that of ``multibody.compile.sincos``: reduction to [-π/4, π/4] by a three-part π/2 (Cody and Waite 1980),
then the minimax polynomials of fdlibm (Sun Microsystems 1993). Without fast ``fma``, for large arguments, infinities
and NaN the C library is called.
"""

from __future__ import annotations

from functools import reduce

_SIN = (
    1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04,
    8.33333333332248946124e-03, -1.66666666666666324348e-01,
)  # fmt: skip
_COS = (
    -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
    -1.38888888888741095749e-03, 4.16666666666666019037e-02,
)  # fmt: skip


def helpers(module: str = "") -> dict[str, str]:
    """The functions ``sine`` and ``cosine``; in C++ the library's functions are in a namespace."""
    wave = _WAVE.format(m=module, sine=_polynomial(_SIN, module), cosine=_polynomial(_COS, module))
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
        const double n = {m}rint(x * 0.6366197723675814);
        const double x1 = {m}fma(-n, 6.123233995736766e-17, {m}fma(-n, 1.5707963267948966, x));
        const double r = {m}fma(-n, -1.4973849048591833e-33, x1);
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
