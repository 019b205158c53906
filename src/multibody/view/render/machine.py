"""Compilation of the rendering kernel by numba, with a cache on disk."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from multibody.compiler import disk_cache, engine
from multibody.errors import CompileError
from multibody.view.render.canvas import Canvas

SOURCES = ("canvas", "kernel")

_lock = threading.Lock()


def paint(canvas: Canvas) -> None:
    """Paint all that a canvas refers to; the interpreter lock is released meanwhile."""
    with _lock:
        function = _function()
    answer, error = ctypes.c_void_p(), ctypes.c_void_p()  # numba's functions return what they have through addresses
    if function(ctypes.byref(answer), ctypes.byref(error), ctypes.byref(canvas)) != 0:
        raise CompileError(
            "The compiled painter failed.",
            code="painter-failed",
            cause="A fault in multibody.",
            remedy="Please report it.",
        )


@cache
def _function() -> Callable[..., int]:
    name, text = _kept() or _made()
    library = engine.build(text)
    function: Any = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(library.address(name))
    function.library = library  # it must live as long as the function
    return function


def _key() -> str:
    """Of the sources, here and of the language they are written in, and of what translates them."""
    import llvmlite

    here = Path(__file__)
    files = [here.with_name(f"{name}.py") for name in SOURCES]
    files += [here.parents[2] / "simulation" / "kernel" / f"{name}.py" for name in ("loops", "machine_code")]
    parts = [path.read_bytes() for path in files]
    return "painter-" + sha256(b"\0".join([*parts, llvmlite.__version__.encode()])).hexdigest()


def _kept() -> tuple[str, str] | None:
    """Name and text from an earlier run."""
    kept = disk_cache.load(_key())
    if kept is None:
        return None
    name, _, text = kept.decode().partition("\n")
    return name, text


def _made() -> tuple[str, str]:
    """Name and text from numba."""
    from numba import from_dtype, types
    from numba.core.registry import cpu_target

    from multibody.simulation.kernel.loops import lowered
    from multibody.simulation.kernel.machine_code import optimised
    from multibody.view.render.kernel import paint as entry

    context = cpu_target.target_context
    cpu_target.typing_context.refresh()
    context.refresh()
    library = context.codegen().create_library("multibody_painter")
    made = lowered(entry, types.none(from_dtype(np.dtype(Canvas))), context, library)
    name = made.fndesc.llvm_func_name
    text = optimised(library.get_llvm_str(), name, unrolled=False)
    disk_cache.save(_key(), f"{name}\n{text}".encode())
    return name, text
