"""Translation of loops to portable LLVM code, by numba; done by the developer, not by the user.

The result is text that any LLVM from version 20 on reads, for any processor with 64 bits: optimized, without a target,
and without attributes and metadata, which differ from version to version and carry no meaning of their own.
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import re
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import numpy as np

from multibody.compiler.loops.shipped import ENTRY, layout_digest

INLINED = 50
"""Functions longer than this remain functions: the user's machine makes machine code of all of it."""

_ATTRIBUTES_WITH_VALUE = "captures|range|initializes|nofpclass|memory|allocsize|dereferenceable"
_ATTRIBUTES = (
    "nocapture|noundef|nonnull|readonly|readnone|writeonly|nofree|local_unnamed_addr|unnamed_addr|immarg|noalias|"
    "dead_on_unwind|dead_on_return|samesign|nneg|nuw|nusw|nsw|disjoint|inbounds"
)


def source_files(module: str) -> list[Path]:
    """The files of a loop: of a module, and of all modules of this package that they import, in alphabetical order."""
    seen, open_ = set[str](), [module]
    while open_:
        name = open_.pop()
        if name not in seen:
            seen.add(name)
            tree = ast.parse(_file(name).read_text(encoding="utf-8"))
            imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            open_ += [module_name for module_name in imported if module_name.startswith("multibody.")]
    return [_file(name) for name in sorted(seen)]


def _file(module: str) -> Path:
    path = Path(__file__).parents[3].joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def digest(module: str) -> str:
    """Of all files of a loop; the first line of its code contains it."""
    return sha256(b"\0".join(path.read_bytes() for path in source_files(module))).hexdigest()


def translated(module: str, record: type[ctypes.Structure] | None, *, unrolled: bool = False) -> str:
    """Portable LLVM code of the function ``advance`` of a module and of all that it calls.

    Args:
        module: written in the language of loops.
        record: the only argument of the function; None if its arguments are addresses.
        unrolled: whether short loops of known length become straight code.
    """
    import llvmlite
    import numba
    from numba import from_dtype, types
    from numba.core.registry import cpu_target

    from multibody.compiler.loops.language import lowered

    entry = getattr(import_module(module), ENTRY)
    count = len(inspect.signature(entry).parameters)
    arguments = [types.int64] * count if record is None else [from_dtype(np.dtype(record))]
    context = cpu_target.target_context
    cpu_target.typing_context.refresh()
    context.refresh()
    library = context.codegen().create_library(f"multibody_{module.rpartition('.')[2]}")
    name = lowered(entry, types.none(*arguments), context, library).fndesc.llvm_func_name
    text = _with_short_names(library.get_llvm_str(), name)
    assert not re.search(r"^declare .*numba", text, re.MULTILINE), "a loop uses what only numba's runtime has"
    assert set(re.findall(r"ret i32 (\S+)", text)) <= {"0", "%common.ret.op"}, "a loop raises an error"
    head = f"; from sources {digest(module)} by numba {numba.__version__}, llvmlite {llvmlite.__version__}\n"
    head += f"; record {layout_digest(record)}\n\n"
    return head + _portable(_optimized(text + _entry(count, by_number=record is None), unrolled=unrolled))


def _with_short_names(text: str, entry: str) -> str:
    """The same with the last part of each function's name only, and without what belongs to Python's runtime."""
    text = re.sub(r"^@_ZN08NumbaEnv.*\n", "", text, flags=re.MULTILINE)
    short: dict[str, str] = {entry: "translated"}

    def shortened(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in short:
            base = _last_part(name)
            taken = {*short.values(), ENTRY}
            short[name] = base if base not in taken else f"{base}.{len(short)}"
        return f"@{short[name]}"

    text = re.sub(r"@(_ZN\w+)", shortened, text)
    return re.sub(r"^define ", "define internal ", text, flags=re.MULTILINE)


def _last_part(mangled: str) -> str:
    """The name of a function within its module; mangled names are lengths and parts, alternately."""
    rest, part = mangled.removeprefix("_ZN"), ""
    while digits := re.match(r"\d+", rest):
        length, rest = int(digits.group()), rest[digits.end() :]
        part, rest = rest[:length], rest[length:]
    return part


def _entry(arguments: int, *, by_number: bool) -> str:
    """``void advance(void *, …)``: numba's functions return results and errors through their first two arguments."""
    outer = ", ".join(f"ptr %p{k}" for k in range(arguments))
    numbers = "".join(f"  %a{k} = ptrtoint ptr %p{k} to i64\n" for k in range(arguments) if by_number)
    inner = ", ".join(f"i64 %a{k}" if by_number else f"ptr %p{k}" for k in range(arguments))
    return f"""
define void @{ENTRY}({outer}) {{
  %result = alloca ptr
  %error = alloca ptr
{numbers}  %code = call i32 @translated(ptr %result, ptr %error, {inner})
  ret void
}}
"""


def _optimized(text: str, *, unrolled: bool) -> str:
    """The same in few functions, for registers of four doubles; a code generator splits or combines them."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(text)
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu="x86-64-v3", features="", opt=2)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.inlining_threshold = INLINED
    options.slp_vectorization, options.loop_vectorization, options.loop_unrolling = True, False, unrolled
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return str(module)


def _portable(text: str) -> str:
    """The same without target, attributes, metadata and comments."""
    for line in (r"target .*", r"source_filename.*", r";.*", r"attributes #.*", r"!.*", r".*@llvm\.lifetime\..*",
                 r".*@llvm\.experimental\.noalias\..*", r".*@llvm\.assume\(.*"):  # fmt: skip
        text = re.sub(rf"(?m)^\s*{line}\n", "", text)
    text = re.sub(r" #\d+\b| +; preds = .*|, ![\w.]+ !\d+", "", text)
    text = re.sub(rf" (?:{_ATTRIBUTES_WITH_VALUE})\((?:[^()]|\([^()]*\))*\)", "", text)
    text = re.sub(rf"\b(?:{_ATTRIBUTES}) (?=[\w@%,)({{<\[ ])", "", text)
    text = re.sub(rf" (?:{_ATTRIBUTES})(?=[,)])", "", text)
    return re.sub(r"\n{2,}", "\n\n", text).strip() + "\n"
