"""The compiled painter: shadows, background, triangles, pixels. Loaded late: numba translates everything here.

The barycentric coordinates of a sample are linear in x: v + d·x. A triangle covers a row from the largest x at which
one of them becomes positive to the smallest at which one becomes negative (Pineda 1988). Attributes of the corners are
interpolated after a division by z, which makes them linear on the canvas (Heckbert 1989). Shadows come from a map of
what the light meets first (Williams 1978).
"""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import compiled, doubles, larger, smaller, whole
from multibody.view.render.canvas import ROW

# rows of a triangle --------------------------------------------------------------------------------------------------

BEYOND = 1e18


@compiled
def edge(ax: float, ay: float, bx: float, by: float, x: float, y: float) -> float:
    """Twice the area of the triangle a, b, (x, y): positive if it is counterclockwise."""
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax)


@compiled
def enters(low: float, v: float, d: float) -> float:
    """From where on v + d·x ≥ 0, but not before ``low``."""
    if d > 0.0:
        return larger(low, -v / d)
    return low if d < 0.0 or v >= 0.0 else BEYOND


@compiled
def leaves(high: float, v: float, d: float) -> float:
    """Up to where v + d·x ≥ 0, but not after ``high``."""
    return smaller(high, -v / d) if d < 0.0 else high


@compiled
def first(low: float) -> int:
    """The first whole number from here on, not below 0, nor larger than whole numbers can be."""
    return whole(math.ceil(smaller(larger(low, 0.0), BEYOND)))


@compiled
def after(high: float, size: int) -> int:
    """The one after the last whole number up to here, at most ``size``."""
    return whole(math.floor(larger(smaller(high, size - 1.0), -1.0))) + 1


# shadows -------------------------------------------------------------------------------------------------------------

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


# the picture ---------------------------------------------------------------------------------------------------------


def advance(canvas: Any) -> None:
    """The whole picture."""
    cast_shadows(canvas)
    paint_background(canvas)
    for k in range(canvas.count):
        fill(canvas, k)
    develop(canvas)


# background ----------------------------------------------------------------------------------------------------------


@compiled
def paint_background(canvas: Any) -> None:
    """From the colour at the top to that at the bottom, and the ground before it; the same for four samples."""
    colour, depth, width, height = doubles(canvas.colour), doubles(canvas.depth), canvas.width, canvas.height
    for i in range(width * height):
        depth[i] = 0.0
    for y in range(0, height, 2):
        share = y / height
        for x in range(0, width, 2):
            at = 3 * (y * width + x)
            light = on_ground(canvas, x + 0.5, y + 0.5) if canvas.ground else 1.0
            for i in range(3):
                value = light * (canvas.top[i] + share * (canvas.bottom[i] - canvas.top[i]))
                colour[at + i], colour[at + 3 + i] = value, value
                colour[at + 3 * width + i], colour[at + 3 * width + 3 + i] = value, value


@compiled
def on_ground(canvas: Any, x: float, y: float) -> float:
    """How bright the ground is where the eye meets it through a pixel, from 0 to 1: grid lines and shadows."""
    rise, height = 0.0, 0.0
    for i in range(3):
        rise += canvas.up[i] * (canvas.ray[i] + x * canvas.ray[3 + i] + y * canvas.ray[6 + i])
        height += canvas.up[i] * (canvas.eye[i] - canvas.floor[i])
    if height <= 0.0 or rise >= -1e-9:
        return 1.0
    away = -height / rise
    u, v, lx, ly = 0.0, 0.0, canvas.to_light[3], canvas.to_light[7]
    for i in range(3):
        place = canvas.eye[i] + away * (canvas.ray[i] + x * canvas.ray[3 + i] + y * canvas.ray[6 + i])
        u += canvas.floor_x[i] * (place - canvas.floor[i])
        v += canvas.floor_y[i] * (place - canvas.floor[i])
        lx += canvas.to_light[i] * place
        ly += canvas.to_light[4 + i] * place
    near = larger(0.0, 1.0 - (u * u + v * v) / (canvas.floor_reach * canvas.floor_reach))
    if near == 0.0:
        return 1.0
    line = grid_line(u, v, canvas.floor_pixel * away / math.sqrt(smaller(1.0, -rise)))
    return (1.0 - 0.2 * near * near * line) * (1.0 - 0.42 * covered(canvas, lx, ly))


@compiled
def grid_line(u: float, v: float, pixel: float) -> float:
    """How much of a pixel of the given size is on the lines of a grid with meshes of size one."""
    s, t = math.fabs(u - math.floor(u + 0.5)), math.fabs(v - math.floor(v + 0.5))
    half = larger(0.008, 0.5 * pixel)
    return smaller(1.0, larger(0.0, (half - smaller(s, t)) / pixel + 0.5)) * smaller(1.0, 0.1 / pixel)


# triangles -----------------------------------------------------------------------------------------------------------


@compiled
def fill(canvas: Any, k: int) -> None:
    """One triangle, wherever nothing is nearer; one that can be seen through is laid over what is there."""
    row, at, width, height = doubles(canvas.triangles), k * ROW, canvas.width, canvas.height
    depth = doubles(canvas.depth)
    ax, ay, aw = row[at], row[at + 1], row[at + 2]
    bx, by, bw = row[at + 9], row[at + 10], row[at + 11]
    cx, cy, cw = row[at + 18], row[at + 19], row[at + 20]
    area = edge(ax, ay, bx, by, cx, cy)
    if area == 0.0:
        return
    solid, side = row[at + 30] >= 1.0, -1.0 if area > 0.0 else 1.0  # y grows downward on the canvas
    da, db = (by - cy) / area, (cy - ay) / area
    for y in range(first(smaller(ay, smaller(by, cy))), after(larger(ay, larger(by, cy)), height)):
        a, b = edge(bx, by, cx, cy, 0.0, y) / area, edge(cx, cy, ax, ay, 0.0, y) / area
        low = enters(enters(enters(0.0, a, da), b, db), 1.0 - a - b, -da - db)
        high = leaves(leaves(leaves(width - 1.0, a, da), b, db), 1.0 - a - b, -da - db)
        w, dw = a * aw + b * bw + (1.0 - a - b) * cw, da * aw + db * bw - (da + db) * cw
        for x in range(first(low), after(high, width)):
            if w + x * dw > depth[y * width + x]:
                if solid:
                    depth[y * width + x] = w + x * dw
                shade(canvas, at, y * width + x, a + x * da, b + x * db, side / (w + x * dw))


@compiled
def shade(canvas: Any, at: int, sample: int, a: float, b: float, side_z: float) -> None:
    """The colour of one sample of the triangle at ``at``, by its barycentric coordinates."""
    row, colour, c, z = doubles(canvas.triangles), doubles(canvas.colour), 1.0 - a - b, math.fabs(side_z)
    nx = side_z * (a * row[at + 3] + b * row[at + 12] + c * row[at + 21])
    ny = side_z * (a * row[at + 4] + b * row[at + 13] + c * row[at + 22])
    nz = side_z * (a * row[at + 5] + b * row[at + 14] + c * row[at + 23])
    long = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz + 1e-30)
    key = long * (nx * canvas.key[0] + ny * canvas.key[1] + nz * canvas.key[2])
    fill_light = long * (nx * canvas.fill[0] + ny * canvas.fill[1] + nz * canvas.fill[2])
    up = long * (nx * canvas.up[0] + ny * canvas.up[1] + nz * canvas.up[2])
    half = larger(0.0, long * (nx * canvas.half[0] + ny * canvas.half[1] + nz * canvas.half[2]))
    if key > 0.0:
        lx = z * (a * row[at + 6] + b * row[at + 15] + c * row[at + 24])
        ly = z * (a * row[at + 7] + b * row[at + 16] + c * row[at + 25])
        lz = z * (a * row[at + 8] + b * row[at + 17] + c * row[at + 26])
        key *= lit(canvas, lx, ly, lz + canvas.shade_bias / larger(key, 0.2))  # more where light comes from the side
    light = 0.29 + 0.12 * up + 0.62 * larger(key, 0.0) + 0.14 * larger(fill_light, 0.0)
    sharp = half * half * half * half
    sharp = sharp * sharp * sharp * sharp
    gleam = 0.10 * sharp * sharp if key > 0.0 else 0.0
    opacity = row[at + 30]
    for i in range(3):
        seen = row[at + 27 + i] * light + gleam
        colour[3 * sample + i] += opacity * (seen - colour[3 * sample + i])


# pixels --------------------------------------------------------------------------------------------------------------


@compiled
def develop(canvas: Any) -> None:
    """Four samples become a pixel."""
    colour, picture, encode, width = (
        doubles(canvas.colour),
        doubles(canvas.picture),
        doubles(canvas.encode),
        3 * canvas.width,
    )
    place = 0
    for y in range(0, canvas.height, 2):
        for x in range(0, width, 6):
            for i in range(3):
                at = y * width + x + i
                light = 0.25 * (colour[at] + colour[at + 3] + colour[at + width] + colour[at + width + 3])
                picture[place] = encode[whole(4095.0 * smaller(larger(light, 0.0), 1.0))]
                place += 1
