"""The C code of equations of motion together with shared libraries, for programs that load them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from multibody.codegen.binaries.building import LibrarySource, built
from multibody.codegen.contract import check_option, path_of
from multibody.codegen.naming import module_name
from multibody.codegen.program import Program
from multibody.codegen.targets.c.c import C
from multibody.codegen.writing import stored, write
from multibody.equations import EquationsOfMotion
from multibody.errors import CompileError, ConversionError
from multibody.graph import isolated


def write_library(
    eom: EquationsOfMotion, folder: str | Path, target: C | None = None, *,
    parameters: Mapping[str, float] | None = None, platforms: str | Iterable[str] | None = None,
    compiler: str | None = None, options: Sequence[str] = ("-O2",), overwrite: bool = False,
) -> tuple[Path, ...]:  # fmt: skip
    """Write equations of motion as C code, and compile it to shared libraries.

    The files of ``C()`` go to the folder, and each library to ``binaries/<platform>/<name>.so``, ``.dll`` or ``.dylib``
    below it. All functions of the header can be called.

    Args:
        eom: the equations.
        folder: where the files go; it is made if it does not exist.
        target: settings of the C code; ``C()`` by default.
        parameters: numbers by name, where they are not the defaults.
        platforms: ``"all"``, or names such as ``"x86_64-windows"``, see ``write_fmu``; by default this platform by its
            own compiler.
        compiler: a C compiler that takes the options of gcc; by default ``$CC``, cc, gcc or clang.
        options: for the compiler, such as ``["-O3", "-march=native"]``, or one of them.
        overwrite: whether source files that were changed by hand are replaced, too.

    Returns:
        The libraries.

    Raises:
        CompileError: if there is no compiler, or it fails.
        MissingLibraryError: if platforms are named and ``ziglang`` is not installed; it comes with the extra ``cross``.
    """
    chosen = _chosen(target)
    check_option("overwrite", overwrite, "write_library")
    place, program = path_of(folder, "write_library"), Program.of(eom, parameters)
    with isolated():
        files = chosen.files(program)
    name = module_name(program.name, "c")
    sources = {path: text.encode() for path, text in files.items() if path.endswith((".h", ".c"))}
    found = built(LibrarySource(sources, f"{name}.c", name), "write_library", platforms, compiler, options)
    if not found:
        raise CompileError(
            "There is no C compiler.",
            where="write_library",
            remedy='Install one, or name platforms, such as platforms="all".',
            code="compiler-missing",
        )
    write(place, files, overwrite=overwrite)
    return tuple(
        stored(place / "binaries" / target.name / f"{name}.{target.ending}", binary) for target, binary in found.items()
    )


def _chosen(target: object) -> C:
    made = C() if target is None or target is C else target
    if not isinstance(made, C):
        raise ConversionError(
            f"{made!r:.80} does not write C.",
            where="write_library",
            remedy="Give a target such as C(jacobians=True).",
            code="target-expected",
            value=f"{made!r:.80}",
        )
    return made
