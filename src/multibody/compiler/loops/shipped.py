"""Loops that are shipped as LLVM code beside their sources, and become machine code when they are first used.

``./dev kernels`` makes the files from the sources; users need neither numba nor a C compiler.
"""

from __future__ import annotations

import ctypes
import lzma
import threading
from collections.abc import Callable
from functools import cached_property
from importlib.resources import files
from typing import Any

from multibody.compiler import engine
from multibody.support.compile_clock import compiling

ENTRY = "advance"
"""The name of the function that is called, in the source and in the code of every loop."""

SUFFIX = ".ll.xz"


class ShippedLoop:
    """A compiled loop; the interpreter lock is released while it runs.

    Threads may run at once, each with a record of its own. Functions of Python that the loop calls by address take the
    lock themselves, as callbacks of ``ctypes`` do.

    Args:
        module: where the source is, which has a function ``advance``; the code is in a file beside it.
    """

    def __init__(self, module: str) -> None:
        self.module = module
        self._lock = threading.Lock()

    def __call__(self, record: ctypes.Structure) -> None:
        """Move on what a record describes; the record says why it stopped."""
        self._function(ctypes.byref(record))

    @property
    def address(self) -> int:
        """Where the machine code begins; it is good as long as this object lives."""
        with self._lock:
            return self._library.address(ENTRY)

    @property
    def text(self) -> str:
        """The LLVM code, below a line of comment on what it was made from."""
        package, _, name = self.module.rpartition(".")
        return lzma.decompress(files(package).joinpath(f"{name}{SUFFIX}").read_bytes()).decode()

    @cached_property
    def _library(self) -> engine.Library:
        with compiling(self.module.rpartition(".")[2]):
            return engine.build(self.text, engine.OPTIMIZED)

    @cached_property
    def _function(self) -> Callable[[Any], None]:
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.address)
