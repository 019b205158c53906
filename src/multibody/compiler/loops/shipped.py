"""Loops that are shipped as LLVM code beside their sources, and become machine code when they are first used.

``./dev kernels`` makes the files from the sources; users need neither numba nor a C compiler.
"""

from __future__ import annotations

import ctypes
import lzma
import re
import threading
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from typing import Any

from multibody.compiler import engine
from multibody.errors import CompileError
from multibody.support.progress_bars import compiling

ENTRY = "advance"
"""The name of the function that is called, in the source and in the code of every loop."""

SUFFIX = ".ll.xz"


def layout_digest(record: type[ctypes.Structure] | None) -> str:
    """A digest of the names, types and places of all fields of a record, which shipped code reads and writes."""
    if record is None:
        return "none"
    places = ((name, kind, getattr(record, name)) for name, kind, *_ in record._fields_)
    fields = [f"{name} {kind.__name__} {place.offset} {place.size}" for name, kind, place in places]
    return sha256("\n".join([*fields, str(ctypes.sizeof(record))]).encode()).hexdigest()[:16]


class ShippedLoop:
    """A compiled loop; the interpreter lock is released while it runs.

    Threads may run at once, each with a record of its own. Functions of Python that the loop calls by address take the
    lock themselves, as callbacks of ``ctypes`` do.

    Args:
        module: where the source is, which has a function ``advance``; the code is in a file beside it.
        record: the argument of this function; None if its arguments are addresses.
    """

    def __init__(self, module: str, record: type[ctypes.Structure] | None = None) -> None:
        self.module, self._record = module, record
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

    def _require_layout(self) -> None:
        """An error if the code was made for a record with other fields: it would read and write in wrong places."""
        made_for = re.search(r"; record (\w+)", self.text.partition("\n\n")[0])
        if made_for is None or made_for.group(1) != layout_digest(self._record):
            raise CompileError(
                f"The shipped code of '{self.module}' does not fit the record that it works on.",
                code="shipped-code-outdated",
                where=self.module,
                cause="Files of two versions of multibody are mixed, or the record has changed since.",
                remedy="Install multibody anew; in a working copy, run ./dev kernels.",
            )

    @cached_property
    def _library(self) -> engine.Library:
        self._require_layout()
        with compiling(self.module.rpartition(".")[2]):
            return engine.build(self.text, engine.OPTIMIZED)

    @cached_property
    def _function(self) -> Callable[[Any], None]:
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.address)
