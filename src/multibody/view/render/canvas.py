"""The record of the compiled painter: numbers and addresses of the arrays of a picture."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

CORNER = 9
"""Numbers of a corner: x, y on the canvas, 1/z; then normal and place in the light's coordinates, both times 1/z."""

ROW = 3 * CORNER + 4
"""Numbers of a triangle: three corners, and its colour with opacity."""

GAMMA = 2.2
"""Light is summed as it is, and stored as screens expect it: to the power of 1/2.2."""


class Canvas(ctypes.Structure):
    """All that the compiled painter sees. Addresses are of arrays of doubles, row by row.

    Two pixels in each direction of the canvas, its *samples*, become one of the picture.
    """

    _fields_ = (
        ("width", ctypes.c_int64),  # in samples
        ("height", ctypes.c_int64),
        ("count", ctypes.c_int64),  # of triangles; those that can be seen through come last, the farthest first
        ("triangles", ctypes.c_int64),
        ("depth", ctypes.c_int64),  # 1/z of what is seen at each sample; 0 for nothing
        ("colour", ctypes.c_int64),  # red, green, blue of each sample
        ("shade_size", ctypes.c_int64),  # of the map of what the light meets first, in its pixels
        ("shade", ctypes.c_int64),  # the map: how near to the light
        ("cover", ctypes.c_int64),  # half as large: the shadow of all of it, from 0 to 1, made soft
        ("scratch", ctypes.c_int64),  # as large as that
        ("blur", ctypes.c_int64),  # how far it is blurred, in its pixels
        ("shade_bias", ctypes.c_double),  # what is nearer to the light than this does not throw a shadow on itself
        ("key", 3 * ctypes.c_double),  # the direction to the light; all in the world's coordinates
        ("fill", 3 * ctypes.c_double),  # the direction to a weaker one without shadows
        ("half", 3 * ctypes.c_double),  # between the light and the eye
        ("up", 3 * ctypes.c_double),
        ("eye", 3 * ctypes.c_double),
        ("ray", 9 * ctypes.c_double),  # the view through a sample: ray[:3] + x·ray[3:6] + y·ray[6:]
        ("to_light", 12 * ctypes.c_double),  # 3×4: from the world's coordinates to those of the map
        ("ground", ctypes.c_int64),  # whether there is one
        ("floor", 3 * ctypes.c_double),  # the middle of the ground
        ("floor_x", 3 * ctypes.c_double),  # its directions, as long as 1/(mesh of the grid)
        ("floor_y", 3 * ctypes.c_double),
        ("floor_reach", ctypes.c_double),  # how far it is seen, in meshes of the grid
        ("floor_pixel", ctypes.c_double),  # the angle of a pixel, by the mesh of the grid
        ("top", 3 * ctypes.c_double),  # colours of the background
        ("bottom", 3 * ctypes.c_double),
        ("encode", ctypes.c_int64),  # 4096 values from 0 to 255 for light from 0 to 1
        ("picture", ctypes.c_int64),  # red, green, blue of each pixel, from 0 to 255
    )


def encoding() -> Vector:
    """Light from 0 to 1 as a screen expects it, from 0 to 255."""
    return 255 * np.linspace(0.0, 1.0, 4096) ** (1 / GAMMA)
