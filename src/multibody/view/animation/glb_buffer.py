"""The binary part of a GLB file: arrays one after the other, each at a multiple of four bytes."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

TARGETS = {"vertices": 34962, "indices": 34963}
FLOAT, SHORT, INT = 5126, 5123, 5125
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


class Buffer:
    """Arrays in one buffer; what is added twice is kept once."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._known: dict[tuple[bytes, str, bool], int] = {}

    def add(self, values: Any, *, bounded: bool = False, target: str = "") -> int:
        """The number of an array of rows, as floats; with the bounds of its columns, where the format wants them."""
        rows = np.ascontiguousarray(values, dtype="<f4")
        bounds = {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()} if bounded else {}
        return self._accessor(rows, FLOAT, KINDS[rows.shape[1]], target, bounds)

    def add_indices(self, numbers: Any) -> int:
        """The number of a list of whole numbers; 65535 means something else to some graphics cards."""
        short = len(numbers) == 0 or int(np.max(numbers)) < 65535
        whole = np.ascontiguousarray(numbers, dtype="<u2" if short else "<u4")
        return self._accessor(whole, SHORT if short else INT, "SCALAR", "indices", {})

    def _accessor(self, array: Any, component: int, kind: str, target: str, bounds: dict[str, Any]) -> int:
        content = array.tobytes()
        key = (content, f"{component} {kind} {target}", bool(bounds))
        if key not in self._known:
            view = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": len(content)}
            self._views.append(view | ({"target": TARGETS[target]} if target else {}))
            self._bytes += content + bytes(-len(content) % 4)
            place = {"bufferView": len(self._views) - 1, "componentType": component, "count": len(array), "type": kind}
            self._known[key] = len(self._accessors)
            self._accessors.append(place | bounds)
        return self._known[key]

    def file(self, document: dict[str, Any]) -> bytes:
        """A GLB file: a header, the document as JSON, and the buffer (glTF 2.0, section 4)."""
        parts = {
            "buffers": [{"byteLength": len(self._bytes)}], "bufferViews": self._views, "accessors": self._accessors
        }  # fmt: skip
        text = json.dumps(document | parts, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        chunks += struct.pack("<I4s", len(self._bytes), b"BIN\0") + bytes(self._bytes)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
