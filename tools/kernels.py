"""Make the shipped code of all compiled loops from their sources: ``./dev kernels``; ``--check`` compares only.

The loops are written in Python and translated by numba (see ``multibody.compiler.loops``). Each is kept as compressed
LLVM code beside its source.
"""

from __future__ import annotations

import ctypes
import lzma
import sys
from pathlib import Path

from multibody.compiler.loops.shipped import SUFFIX
from multibody.compiler.loops.translation import translated
from multibody.simulation.kernel.run_record import RunRecord
from multibody.simulation.lanes.lane_record import LaneRun
from multibody.view.render.canvas import Canvas

SOURCE = Path(__file__).resolve().parents[1] / "src"

LOOPS: dict[str, tuple[type[ctypes.Structure] | None, bool]] = {
    "multibody.compiler.loops.ufunc_loop": (None, False),
    "multibody.simulation.kernel.advance": (RunRecord, False),  # states are short: unrolled loops would not pay
    "multibody.simulation.lanes.lane_advance": (LaneRun, True),  # all loops over lanes have the same length
    "multibody.view.render.kernel": (Canvas, False),
}
"""Modules with the record that their function ``advance`` works on, and whether short loops become straight code."""


def shipped_file(module: str) -> Path:
    """Where the code of a loop is kept."""
    return SOURCE.joinpath(*module.split(".")).with_suffix(SUFFIX)


def main(*arguments: str) -> int:
    """Make or compare the files; the number of files that differ."""
    different = 0
    for module, (record, unrolled) in LOOPS.items():
        text, path = translated(module, record, unrolled=unrolled), shipped_file(module)
        before = lzma.decompress(path.read_bytes()).decode() if path.exists() else ""
        changed = text != before
        different += changed
        if changed and "--check" not in arguments:
            path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
        print(f"{path.relative_to(SOURCE)}: {'different' if changed else 'the same'}, {path.stat().st_size:,} bytes")
    return different if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
