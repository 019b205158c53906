"""The archive, with a binary for this platform if there is a compiler."""

from __future__ import annotations

import logging
import os
import platform
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from multibody.equations import EquationsOfMotion
from multibody.errors import CompileError, ConversionError, StorageError
from multibody.export.fmi.target import Fmi
from multibody.export.module_names import file_name
from multibody.export.options import check_option, path_of
from multibody.export.program import Program

_log = logging.getLogger("multibody")

LONG = 100_000
"""Bytes of a description in which its first element ends."""

OPTIONS = ("-std=c99", "-fPIC", "-shared", "-fvisibility=hidden")
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86"}
_FMI2_FOLDERS = {
    "x86_64-linux": "linux64", "x86-linux": "linux32", "x86_64-windows": "win64", "x86-windows": "win32",
    "x86_64-darwin": "darwin64",
}  # fmt: skip
_ENDINGS = {"windows": "dll", "darwin": "dylib"}


def write_fmu(
    eom: EquationsOfMotion, path: str | Path, target: Fmi | None = None, *,
    parameters: Mapping[str, float] | None = None, compiler: str | None = None, options: Sequence[str] = ("-O2",),
    overwrite: bool = False,
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
        overwrite: whether a file that is no FMU of multibody may be replaced, too.

    Raises:
        CompileError: if the compiler fails.
        StorageError: if the archive cannot be written, or another file is there.

    Example:
        >>> import multibody as mb
        >>> from multibody.export.fmi import Fmi, write_fmu
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
    command = [
        _compiler() if compiler is None else compiler,
        *OPTIONS,
        *([options] if isinstance(options, str) else options),
    ]
    files |= _binary(files, file_name(program.name, "c"), chosen.version, command)
    return _stored(place, _packed(files))


def _chosen(target: object) -> Fmi:
    made = Fmi() if target is None or target is Fmi else target
    if not isinstance(made, Fmi):
        raise ConversionError(
            f"{made!r:.80} does not write functional mock-up units.",
            where="write_fmu",
            remedy="Give Fmi(version=2), say.",
        )
    return made


def _require_replaceable(path: Path, overwrite: bool) -> None:
    """An error if there is something that was not written here."""
    if not overwrite and os.path.lexists(path) and not _is_ours(path):
        raise StorageError(
            "There is another file already, which is no FMU of multibody.", where=f"'{path}'",
            remedy="Choose another name, or say overwrite=True.",
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


def _compiler() -> str:
    """The first compiler that is there; empty if there is none."""
    names = [name for name in (os.environ.get("CC"), "cc", "gcc", "clang") if name]
    return next((path for path in map(shutil.which, names) if path), "")


def _binary(files: Mapping[str, bytes], identifier: str, version: int, command: list[str]) -> dict[str, bytes]:
    """The binary by its path in the archive; nothing without a compiler or a name for the platform."""
    machine, system = platform.machine().lower(), platform.system().lower()
    tuple_name = f"{_MACHINES.get(machine, machine)}-{system}"
    folder = _FMI2_FOLDERS.get(tuple_name, tuple_name) if version == 2 else tuple_name
    if not command[0]:
        _log.warning("There is no C compiler: the FMU of '%s' contains its sources alone.", identifier)
        return {}
    name = f"{identifier}.{_ENDINGS.get(system, 'so')}"
    return {f"binaries/{folder}/{name}": _compiled(files, name, command)}


def _compiled(files: Mapping[str, bytes], name: str, command: list[str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="multibody-fmu-") as temporary:
        folder = Path(temporary)
        for path, content in files.items():
            if path.startswith("sources/"):
                (folder / Path(path).name).write_bytes(content)
        whole = [*command, "all.c", "-lm", "-o", name]
        try:
            done = subprocess.run(whole, cwd=folder, capture_output=True, check=False)  # noqa: S603 - no shell
        except OSError as error:
            raise CompileError("The C compiler cannot be run.", where=f"'{command[0]}'", cause=str(error)) from error
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip()[-1000:]
            raise CompileError(
                "The C compiler does not take the sources of the FMU.",
                where=f"'{command[0]}'",
                cause=said,
                remedy='Try another compiler, or compiler="" for an FMU with sources alone.',
            )
        return (folder / name).read_bytes()


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


def _stored(path: Path, content: bytes) -> Path:
    """The whole archive, or what was there before."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StorageError(
            "The FMU cannot be written.", where=f"'{path}'", cause=str(error), remedy="Use another folder."
        ) from error
    return path
