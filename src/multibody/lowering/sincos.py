"""Coefficients for sine and cosine, for machine code and for exported C.

Reduction to [-π/4, π/4] by a three-part π/2 (Cody and Waite 1980) with fused multiply-add, then the minimax polynomials
of fdlibm (Sun Microsystems 1993). The error is below 1.5 units in the last place, see tests/compiler/test_sincos.py.
"""

TWO_OVER_PI = 0.6366197723675814
HALF_PI_PARTS = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
"""Three doubles whose sum is π/2."""

SIN_COEFFICIENTS = (
    1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04,
    8.33333333332248946124e-03, -1.66666666666666324348e-01,
)  # fmt: skip
COS_COEFFICIENTS = (
    -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
    -1.38888888888741095749e-03, 4.16666666666666019037e-02,
)  # fmt: skip
"""Highest power first, in the square of the reduced angle."""
