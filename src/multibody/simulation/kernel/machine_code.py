"""Compiled loops, each as one function: made by numba once, then kept on disk beside all other machine code.

Later runs load it without numba. The interpreter lock is released while it runs: threads may run at once, each with a
problem of its own. A right-hand side that calls Python back takes the lock itself, as callbacks of ``ctypes`` do.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from multibody.compiler import disk_cache, engine
from multibody.errors import CompileError
from multibody.simulation.kernel.run_record import RunRecord
from multibody.simulation.lanes.lane_record import LaneRun

_SHARED = (
    "integrators/butcher_tableaus", "kernel/dense_output", "kernel/error_floors", "kernel/evaluation", "kernel/loops",
    "kernel/machine_code", "kernel/step_backtracking", "kernel/run_record", "kernel/step_control", "kernel/trial_steps",
    "kernel/step_acceptance",
)  # fmt: skip


class Loop(NamedTuple):
    """A compiled loop: the function ``advance`` of a record in a module, and the files that it depends on."""

    module: str
    record: type[ctypes.Structure]
    sources: tuple[str, ...]
    unrolled: bool


ONE_RUN = Loop(
    "kernel.advance",
    RunRecord,
    ("kernel/advance", "kernel/event_location", "kernel/event_probes", "events/search_constants", *_SHARED),
    unrolled=False,
)
"""States are short: long loops would not pay."""

MANY_RUNS = Loop(
    "lanes.lane_advance",
    LaneRun,
    (
        "lanes/lane_advance",
        "lanes/lane_queue",
        "lanes/lane_record",
        "lanes/lane_registers",
        "lanes/lane_samples",
        "lanes/lane_steps",
        *_SHARED,
    ),
    unrolled=True,
)
"""All loops over lanes have the same length."""

_lock = threading.Lock()


def advance(loop: Loop, run: ctypes.Structure) -> None:
    """Move a run, or many, on; the record's ``code`` says why it stopped."""
    with _lock:
        function = _function(loop)
    answer, error = ctypes.c_void_p(), ctypes.c_void_p()  # numba's functions return what they have through addresses
    if function(ctypes.byref(answer), ctypes.byref(error), ctypes.byref(run)) != 0:
        raise CompileError(
            "The compiled loop failed.",
            code="compiled-loop-failed",
            cause="A fault in multibody.",
            remedy="Please report it.",
        )


@cache
def _function(loop: Loop) -> Callable[..., int]:
    name, text = _kept(loop) or _made(loop)
    library = engine.build(text)
    function: Any = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(library.address(name))
    function.library = library  # it must live as long as the function
    return function


def _key(loop: Loop) -> str:
    import llvmlite
    import llvmlite.binding as llvm

    folder = Path(__file__).parents[1]
    parts = [(folder / f"{name}.py").read_bytes() for name in loop.sources]
    machine = (llvmlite.__version__, llvm.get_process_triple(), llvm.get_host_cpu_name(), _features())
    return "loop-" + sha256(b"\0".join([*parts, *(one.encode() for one in machine)])).hexdigest()


def _kept(loop: Loop) -> tuple[str, str] | None:
    """Name and text from an earlier run."""
    kept = disk_cache.load(_key(loop))
    if kept is None:
        return None
    name, _, text = kept.decode().partition("\n")
    return name, text


def _made(loop: Loop) -> tuple[str, str]:
    """Name and text from numba."""
    from numba import from_dtype, types
    from numba.core.registry import cpu_target

    from multibody.simulation.kernel.loops import lowered

    entry = import_module(f"multibody.simulation.{loop.module}").advance

    context = cpu_target.target_context
    cpu_target.typing_context.refresh()
    context.refresh()
    library = context.codegen().create_library(f"multibody_{loop.module.rpartition('.')[2]}")
    made = lowered(entry, types.none(from_dtype(np.dtype(loop.record))), context, library)
    name = made.fndesc.llvm_func_name
    text = optimised(library.get_llvm_str(), name, loop.unrolled)
    disk_cache.save(_key(loop), f"{name}\n{text}".encode())
    return name, text


def optimised(text: str, name: str, unrolled: bool) -> str:
    """The same with all functions merged into one, as far as that makes it faster."""
    import llvmlite.binding as llvm

    assert not re.search(r"^declare .*numba", text, re.MULTILINE), "a loop uses what only numba's runtime has"
    module = llvm.parse_assembly(text)
    for function in module.functions:
        if not function.is_declaration and function.name != name:
            function.linkage = "internal"
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=_features(), opt=3)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.slp_vectorization, options.loop_unrolling = True, unrolled
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return str(module)


def _features() -> str:
    import llvmlite.binding as llvm

    return str(llvm.get_host_cpu_features().flatten())
