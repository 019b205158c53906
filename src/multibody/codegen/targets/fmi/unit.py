"""The archive, with binaries for this platform if there is a compiler, or for those that the user names."""

from __future__ import annotations

import logging
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from multibody.codegen.binaries.building import LibrarySource, built
from multibody.codegen.contract import check_option, path_of
from multibody.codegen.naming import file_name
from multibody.codegen.program import Program
from multibody.codegen.targets.fmi.target import Fmi
from multibody.codegen.writing import stored
from multibody.equations import EquationsOfMotion
from multibody.errors import ConversionError, StorageError

_log = logging.getLogger("multibody")

LONG = 100_000
"""Bytes of a description in which its first element ends."""


def write_fmu(
    eom: EquationsOfMotion, path: str | Path, target: Fmi | None = None, *,
    parameters: Mapping[str, float] | None = None, compiler: str | None = None, options: Sequence[str] = ("-O2",),
    overwrite: bool = False, platforms: str | Iterable[str] | None = None,
) -> Path:  # fmt: skip
    """Write equations of motion as a functional mock-up unit.

    The sources are inside. A binary for this platform is, too, if a C compiler is found; otherwise a warning says so,
    and importers that compile can still use it. An FMU of multibody that is there already is replaced, in one step.

    Args:
        eom: the equations.
        path: of the archive, such as ``"crane.fmu"``.
        target: version and settings; ``Fmi()`` by default, which is FMI 3.0.
        parameters: numbers by name, where they are not the defaults.
        compiler: a C compiler that takes the options of gcc; by default ``$CC``, cc, gcc or clang. ``""`` for none.
        options: for the compiler, such as ``["-O3", "-march=native"]``, or one of them.
        overwrite: whether a file that is not an FMU of multibody may be replaced, too.
        platforms: ``"all"``, or some of ``"x86_64-linux"``, ``"aarch64-linux"``, ``"x86_64-windows"``,
            ``"aarch64-windows"``, ``"x86_64-darwin"`` and ``"aarch64-darwin"``. They are compiled on any machine by the
            library ``ziglang``, which comes with the extra ``cross``. By default, this platform by its own compiler.

    Raises:
        CompileError: if the compiler fails.
        MissingLibraryError: if platforms are named and ``ziglang`` is not installed.
        StorageError: if the archive cannot be written, or another file is there.

    Example:
        >>> import multibody as mb
        >>> from multibody.codegen.targets.fmi import Fmi, write_fmu
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> folder = getfixture("tmp_path")
        >>> write_fmu(mb.derive(pendulum), folder / "pendulum.fmu", Fmi(version=2), compiler="").name
        'pendulum.fmu'
    """
    chosen = _chosen(target)
    check_option("overwrite", overwrite, "write_fmu")
    place, program = path_of(path, "write_fmu"), Program.of(eom, parameters)
    _require_replaceable(place, overwrite)
    files: dict[str, bytes] = {name: text.encode() for name, text in chosen.files(program).items()}
    files |= _binaries(files, file_name(program.name, "c"), chosen.version, platforms, compiler, options)
    return stored(place, _packed(files))


def _chosen(target: object) -> Fmi:
    made = Fmi() if target is None or target is Fmi else target
    if not isinstance(made, Fmi):
        raise ConversionError(
            f"{made!r:.80} does not write functional mock-up units.",
            where="write_fmu",
            remedy="Give Fmi(version=2), say.",
            code="target-expected",
            value=f"{made!r:.80}",
        )
    return made


def _require_replaceable(path: Path, overwrite: bool) -> None:
    """An error if there is something that was not written here."""
    if not overwrite and os.path.lexists(path) and not _is_ours(path):
        raise StorageError(
            "There is another file already, which is not an FMU written by multibody.", where=f"'{path}'",
            remedy="Choose another name, or say overwrite=True.", code="file-exists", allowed_by="overwrite",
            path=str(path),
        )  # fmt: skip


def _is_ours(path: Path) -> bool:
    """Whether a file is an FMU that says to come from here."""
    if not path.is_file():
        return False
    try:
        with ZipFile(path) as archive, archive.open("modelDescription.xml") as description:
            return b'generationTool="multibody"' in description.read(LONG)
    except (OSError, LookupError, ValueError, NotImplementedError, RuntimeError, BadZipFile, zlib.error):
        return False


def _binaries(
    files: Mapping[str, bytes], identifier: str, version: int, platforms: str | Iterable[str] | None,
    compiler: str | None, options: str | Sequence[str],
) -> dict[str, bytes]:  # fmt: skip
    """Binaries by their paths in the archive; none without a compiler."""
    sources = {Path(path).name: content for path, content in files.items() if path.startswith("sources/")}
    source = LibrarySource(sources, "all.c", identifier, ("-fvisibility=hidden",))
    found = built(source, "write_fmu", platforms, compiler, options)
    if not found:
        _log.warning("There is no C compiler: the FMU of '%s' contains its sources alone.", identifier)
    return {
        f"binaries/{target.folder(version)}/{identifier}.{target.ending}": binary for target, binary in found.items()
    }


def _packed(files: Mapping[str, bytes]) -> bytes:
    """An archive that depends on the contents alone, the description first."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name in sorted(files, key=lambda name: (name != "modelDescription.xml", name)):
            entry = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()
