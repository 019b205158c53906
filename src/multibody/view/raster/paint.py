"""The compiled painter: background, triangles, pixels. Loaded late: everything here is translated by numba.

What belongs to the corners of a triangle is interpolated after a division by z, which makes it linear on the canvas
(Heckbert 1989).
"""

from __future__ import annotations

import math
from typing import Any

from multibody.simulate.loops import compiled, doubles, larger, smaller, whole
from multibody.view.raster.canvas import ROW
from multibody.view.raster.shadows import cast_shadows, covered, lit
from multibody.view.raster.spans import after, edge, enters, first, leaves


def paint(canvas: Any) -> None:
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
