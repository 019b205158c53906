"""Numbers as text: base64 of little-endian binary numbers, which a browser reads as they are."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np

SINGLE = "<f4"
DOUBLE = "<f8"
SHORT = "<u2"
LONG = "<u4"


def packed(values: Any, kind: str = SINGLE) -> str:
    """An array as text, row by row.

    Example:
        >>> packed([0.0, 1.0])
        'AAAAAAAAgD8='
    """
    return b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")


def rounded(values: Any) -> list[float]:
    """A few numbers, as short as single precision allows."""
    return [float(f"{float(value):.7g}") for value in np.ravel(values)]
