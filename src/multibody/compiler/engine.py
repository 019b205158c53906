"""The compiler: LLVM's text to machine code in memory, by way of the cache on disk."""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Any

from multibody.compiler import disk_cache
from multibody.errors import CompileError

SMALL = 2_000
"""Lines of text up to which the code generator takes its time; its quicker setting gives hardly slower code."""

LARGE = 5_000
"""Lines of text from which on careful code takes long: it is made in the background, while hasty code serves."""

HASTY, OPTIMIZED, CAREFUL = 0, 1, 2
"""How much is done. In haste it takes a quarter of the time, and the code runs one and a half times as long; results
are the same to the last bit. Text that was optimized before needs a careful code generator, but no passes before it."""

_lock = threading.RLock()  # two threads must not use LLVM's global context concurrently
atexit.register(_lock.acquire)  # LLVM is taken down at exit: a thread's compilation is finished, and no other begins


@cache
def _target() -> Any:
    """The description of this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


@cache
def _features() -> tuple[str, str]:
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def lanes() -> int:
    """How many doubles this processor's registers hold."""
    with _lock:
        features = set(_features()[1].split(","))
    if "+avx512f" in features:
        return 8
    return 4 if "+avx" in features else 2


@cache
def has_fma() -> bool:
    """Whether this processor has a multiplication and addition with one rounding; in software it is very slow."""
    with _lock:
        x86 = _target().triple.startswith(("x86", "i686", "amd64"))
        return not x86 or "+fma" in _features()[1].split(",")


class Library:
    """Machine code in memory; it stays there as long as this object lives."""

    def __init__(self, engine: Any, code: Any) -> None:
        self._engine = engine
        self._code = code

    def address(self, name: str) -> int:
        """Where a function begins."""
        return int(self._engine.get_function_address(name))

    def function(self, name: str, arguments: int) -> Any:
        """A function of addresses and integers, callable from Python; the interpreter lock is released meanwhile."""
        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(self.address(name))


def build(text: str, effort: int = CAREFUL) -> Library:
    """Compile, or fetch from the cache, and load; what was compiled with care serves where haste would do."""
    with _lock:
        _target()
        careful, own = _key(text, CAREFUL), _key(text, effort)
        code = disk_cache.load(careful) or (None if own == careful else disk_cache.load(own))
        if code is None:
            code = _compiled(text, effort)
            disk_cache.save(own, code)
        return _loaded(code)


class BackgroundBuild:
    """Careful code that is made by another process: LLVM in this one would stop all others who compile.

    Args:
        text: LLVM's text.

    Attributes:
        failed: whether no other process can do it.
    """

    def __init__(self, text: str) -> None:
        self._text, self._code, self.failed, self._owner = text, b"", False, os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        try:
            threading.Thread(target=self._work, daemon=True).start()
        except RuntimeError:  # Python is about to exit, or there are no more threads
            self.failed = True

    @property
    def lost(self) -> bool:
        """Whether this process is a copy, made by fork, of the one that waits for the answer."""
        return self._owner != os.getpid()

    def library(self) -> Library | None:
        """The machine code, loaded; None as long as it is not there."""
        if not self._code:
            return None
        with _lock:
            return _loaded(self._code)

    def _work(self) -> None:
        """Start the process, and wait for its answer."""
        script = f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {__name__} import answer; answer()"
        code = b""
        is_program = getattr(sys, "frozen", False)  # a program that contains Python would start itself again
        python = "" if is_program else sys.executable or ""
        path = json.dumps(sys.path, default=str)  # some put other things there, which Python ignores
        with suppress(OSError, ValueError):  # no processes here, or no Python to start
            self._process = subprocess.Popen(  # noqa: S603 - this Python, with our own script
                [python, "-c", script, path],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            atexit.register(self._process.kill)
            code = self._process.communicate(self._text.encode())[0]
            atexit.unregister(self._process.kill)
            code = b"" if self._process.returncode else code
        if code:
            disk_cache.save(_key(self._text, CAREFUL), code)
        self._code, self.failed = code, not code


def answer() -> None:
    """What the other process does: text from its standard input becomes machine code on its standard output."""
    with suppress(AttributeError, OSError):
        os.nice(5)
    text = sys.stdin.buffer.read().decode()
    _target()
    sys.stdout.buffer.write(_compiled(text, CAREFUL))


def kept(text: str) -> Library | None:
    """Careful code from the cache on disk, loaded; None if there is none."""
    with _lock:
        _target()
        code = disk_cache.load(_key(text, CAREFUL))
        return None if code is None else _loaded(code)


def _key(text: str, effort: int) -> str:
    """The name of machine code in the cache."""
    import llvmlite
    import llvmlite.binding as llvm

    version = ".".join(map(str, llvm.llvm_version_info))
    kind = {HASTY: ["hasty"], OPTIMIZED: ["optimized"], CAREFUL: []}[effort]
    parts = [text, *_features(), version, llvmlite.__version__, *kind]
    return sha256("\0".join(parts).encode()).hexdigest()


def _machine(level: int) -> Any:
    cpu, features = _features()
    return _target().create_target_machine(cpu=cpu, features=features, opt=level, jit=True, codemodel="jitdefault")


@cache
def _generator(level: int) -> Any:
    """A code generator, which is used under the lock alone; to make one takes a millisecond."""
    return _machine(level)


@cache
def _inliner(level: int) -> tuple[Any, Any]:
    """What puts marked functions in place of their calls; one for all, because llvmlite never frees it whole."""
    import llvmlite.binding as llvm

    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    return passes, llvm.create_pass_builder(_generator(level), llvm.create_pipeline_tuning_options(speed_level=level))


def _compiled(text: str, effort: int) -> bytes:
    import llvmlite.binding as llvm

    try:
        module = llvm.parse_assembly(text)
    except RuntimeError as error:
        raise CompileError(
            "The compiler did not accept the generated code.",
            code="code-not-compiled",
            where=str(error)[:500],
            cause="A fault in multibody.",
            remedy="Please report it with the expression that caused it.",
        ) from error
    if effort == OPTIMIZED:  # by rules for no processor in particular: sizes and alignments are those of this one
        module.triple, module.data_layout = _target().triple, str(_generator(2).target_data)
    if effort != CAREFUL:
        return bytes(_generator(2 if effort == OPTIMIZED else 0).emit_object(module))
    level = 2 if text.count("\n") < SMALL else 1
    passes, builder = _inliner(level)
    passes.run(module, builder)
    return bytes(_generator(level).emit_object(module))


def _loaded(code: bytes) -> Library:
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(2))
    file = llvm.ObjectFileRef.from_data(code)
    engine.add_object_file(file)
    engine.finalize_object()
    return Library(engine, file)
