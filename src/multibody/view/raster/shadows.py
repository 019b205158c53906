"""Shadows: a map of what the light meets first (Williams 1978). Loaded late: everything here is translated by numba."""

from __future__ import annotations

from typing import Any

from multibody.simulate.loops import compiled, doubles, larger, smaller, whole
from multibody.view.raster.canvas import ROW
from multibody.view.raster.spans import after, edge, enters, first, leaves

NOTHING = -1e30


@compiled
def cast_shadows(canvas: Any) -> None:
    """Fill the map, and the shadow of all of it on the ground, which is soft."""
    shade, size = doubles(canvas.shade), canvas.shade_size
    for i in range(size * size):
        shade[i] = NOTHING
    for k in range(canvas.count):
        cast(canvas, k)
    shrink(canvas)
    for _ in range(2):
        blur(canvas.cover, canvas.scratch, size // 2, canvas.blur)
        blur(canvas.scratch, canvas.cover, size // 2, canvas.blur)


@compiled
def shrink(canvas: Any) -> None:
    """How much of each two by two pixels of the map is covered."""
    shade, cover, half = doubles(canvas.shade), doubles(canvas.cover), canvas.shade_size // 2
    for y in range(half):
        for x in range(half):
            at, total = 2 * (y * canvas.shade_size + x), 0.0
            for one in range(2):
                for other in range(2):
                    total += 0.25 if shade[at + one * canvas.shade_size + other] > NOTHING else 0.0
            cover[y * half + x] = total


@compiled
def cast(canvas: Any, k: int) -> None:
    """One triangle as the light sees it; what can be seen through throws no shadow."""
    row, shade, size, at = doubles(canvas.triangles), doubles(canvas.shade), canvas.shade_size, k * ROW
    if row[at + 30] < 1.0:
        return
    wa, wb, wc = row[at + 2], row[at + 11], row[at + 20]
    ax, ay, az = row[at + 6] / wa, row[at + 7] / wa, row[at + 8] / wa
    bx, by, bz = row[at + 15] / wb, row[at + 16] / wb, row[at + 17] / wb
    cx, cy, cz = row[at + 24] / wc, row[at + 25] / wc, row[at + 26] / wc
    area = edge(ax, ay, bx, by, cx, cy)
    if area == 0.0:
        return
    da, db = (by - cy) / area, (cy - ay) / area
    for y in range(first(smaller(ay, smaller(by, cy))), after(larger(ay, larger(by, cy)), size)):
        a, b = edge(bx, by, cx, cy, 0.0, y) / area, edge(cx, cy, ax, ay, 0.0, y) / area
        low = enters(enters(enters(0.0, a, da), b, db), 1.0 - a - b, -da - db)
        high = leaves(leaves(leaves(size - 1.0, a, da), b, db), 1.0 - a - b, -da - db)
        z, dz = a * az + b * bz + (1.0 - a - b) * cz, da * az + db * bz - (da + db) * cz
        for x in range(first(low), after(high, size)):
            shade[y * size + x] = larger(shade[y * size + x], z + x * dz)


@compiled
def blur(source: int, target: int, size: int, half: int) -> None:
    """The mean over 2·half + 1 neighbours along the rows of a square, whose rows become columns."""
    old, new, share = doubles(source), doubles(target), 1.0 / (2.0 * half + 1.0)
    for line in range(size):
        total = 0.0
        for x in range(-half, size):
            if x + half < size:
                total += old[line * size + x + half]
            if x - half - 1 >= 0:
                total -= old[line * size + x - half - 1]
            if x >= 0:
                new[x * size + line] = total * share


@compiled
def lit(canvas: Any, x: float, y: float, limit: float) -> float:
    """How much light comes to a point of the map that is not above ``limit`` (Reeves, Salesin & Cook 1987)."""
    shade, size = doubles(canvas.shade), canvas.shade_size
    if not (x >= 0.0 and y >= 0.0 and x < size - 1.0 and y < size - 1.0):
        return 1.0
    i, j = whole(x), whole(y)
    s, t, at = x - i, y - j, j * size + i
    a = 1.0 if shade[at] <= limit else 0.0
    b = 1.0 if shade[at + 1] <= limit else 0.0
    c = 1.0 if shade[at + size] <= limit else 0.0
    d = 1.0 if shade[at + size + 1] <= limit else 0.0
    return (1.0 - t) * ((1.0 - s) * a + s * b) + t * ((1.0 - s) * c + s * d)


@compiled
def covered(canvas: Any, x: float, y: float) -> float:
    """How much of the light is kept from a point of the ground, in the map's coordinates."""
    cover, size = doubles(canvas.cover), canvas.shade_size // 2
    x, y = 0.5 * x - 0.25, 0.5 * y - 0.25
    if not (x >= 0.0 and y >= 0.0 and x < size - 1.0 and y < size - 1.0):
        return 0.0
    i, j = whole(x), whole(y)
    s, t, at = x - i, y - j, j * size + i
    above = (1.0 - s) * cover[at] + s * cover[at + 1]
    below = (1.0 - s) * cover[at + size] + s * cover[at + size + 1]
    return (1.0 - t) * above + t * below
