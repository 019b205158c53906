"""Pictures as files, by Pillow; and many pictures on one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ShapeError, StorageError
from multibody.graph.number import is_whole
from multibody.support.files import atomic_file
from multibody.support.optional_libraries import require_library

Image = NDArray[np.uint8]

KINDS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}
INK = (60, 64, 70)


def write_image(image: Image, path: str, overwrite: bool) -> None:
    """Write a picture; the suffix says how."""
    kind = image_kind(path)
    made = require_library("PIL.Image", "view").fromarray(image)
    with atomic_file(path, overwrite) as stream:
        made.save(stream, kind, **({"optimize": True} if kind == "PNG" else {"quality": 92}))


def image_kind(path: str) -> str:
    """How a file with this name is written."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in KINDS:
        raise StorageError(
            f"Pictures are not written as '{suffix or path}'.",
            code="file-kind-unknown",
            where=path,
            remedy=f"Use {', '.join(KINDS)}.",
            suffix=suffix,
        )
    return KINDS[suffix]


def contact_sheet(
    pictures: Sequence[Any], columns: int = 5, titles: Sequence[str] = (), path: str | None = None, *,
    gap: int = 8, overwrite: bool = False,
) -> Image:  # fmt: skip
    """Many pictures of the same size on one sheet, in rows, with titles.

    Args:
        pictures: arrays of shape (height, width, 3), as ``picture`` returns them.
        columns: how many beside each other.
        titles: a line below each, or none.
        path: a file to write, ``.png`` or ``.jpg``.
        gap: between them, in pixels.
        overwrite: whether a file of this name may be replaced.

    Example:
        >>> import numpy as np
        >>> contact_sheet([np.zeros((20, 30, 3), np.uint8)] * 4, columns=2, gap=2).shape
        (46, 66, 3)
    """
    shapes = {np.shape(picture) for picture in pictures}
    fits = len(shapes) == 1 and len(next(iter(shapes))) == 3 and is_whole(columns) and columns > 0
    if not fits or (titles and len(titles) != len(pictures)):
        raise ShapeError(
            "These pictures do not fit on one sheet.",
            code="pictures-do-not-fit",
            cause=f"Their shapes are {sorted(shapes)}; {len(pictures)} pictures, {len(titles)} titles.",
            remedy="Give pictures of one size, one title for each or none, and at least one column.",
        )
    if path is not None:
        image_kind(path)
    sheet = _titled(_laid_out(pictures, columns, gap, 28 if titles else 0), pictures, columns, gap, titles)
    if path is not None:
        write_image(sheet, path, overwrite)
    return sheet


def _laid_out(pictures: Sequence[Any], columns: int, gap: int, line: int) -> Image:
    height, width, _ = np.shape(pictures[0])
    rows, columns = -(-len(pictures) // columns), min(columns, len(pictures))
    sheet = np.full((gap + rows * (height + line + gap), gap + columns * (width + gap), 3), 255, dtype=np.uint8)
    for k, picture in enumerate(pictures):
        y, x = gap + k // columns * (height + line + gap), gap + k % columns * (width + gap)
        sheet[y : y + height, x : x + width] = picture
    return sheet


def _titled(sheet: Image, pictures: Sequence[Any], columns: int, gap: int, titles: Sequence[str]) -> Image:
    if not titles:
        return sheet
    drawing = require_library("PIL.ImageDraw", "view")
    font = require_library("PIL.ImageFont", "view").load_default(size=18)
    page = require_library("PIL.Image", "view").fromarray(sheet)
    pen = drawing.Draw(page)
    height, width, _ = np.shape(pictures[0])
    for k, title in enumerate(titles):
        x = gap + k % columns * (width + gap) + width // 2
        y = gap + k // columns * (height + 28 + gap) + height + 14
        pen.text((x, y), str(title), fill=INK, font=font, anchor="mm")
    return np.asarray(page)
