"""Shared libraries from generated C: by the compiler of this machine, or for any platform by Zig.

The wheel ``ziglang`` contains a C compiler and the C libraries of all platforms, so that nothing else is needed. It
compiles the library of a platform when that is first used, which takes minutes for Windows; the result is kept.
Platforms have names in FMI 2.0 and 3.0, endings of files, and headers of binaries.
"""

from __future__ import annotations

import logging
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from multibody.compiler.disk_cache import private_folder
from multibody.errors import CompileError, ConversionError, MissingLibraryError
from multibody.support.progress_bars import status_line

_log = logging.getLogger("multibody")

OPTIONS = ("-std=c99", "-fPIC", "-shared")
EXTRA = "cross"
"""The extra of multibody that brings Zig along."""


class LibrarySource(NamedTuple):
    """What is compiled.

    Attributes:
        files: contents by name.
        main: the file that the compiler is given.
        name: of the library, without ending.
        options: that it always needs.
    """

    files: Mapping[str, bytes]
    main: str
    name: str
    options: tuple[str, ...] = ()


def built(
    source: LibrarySource,
    where: str,
    platforms: str | Iterable[str] | None,
    compiler: str | None,
    options: str | Sequence[str],
) -> dict[Platform, bytes]:
    """Libraries by platform.

    Args:
        source: what is compiled.
        where: the function that the user called.
        platforms: names, or ``"all"``; None for this machine by its own compiler, and nothing without one.
        compiler: of this machine; by default the first that is found.
        options: for the compiler.
    """
    more = (options,) if isinstance(options, str) else tuple(options)
    if platforms is None:
        command = system_compiler() if compiler is None else compiler
        return {this_platform(): _compiled(source, [command], this_platform(), more)} if command else {}
    if compiler is not None:
        raise ConversionError(
            "The compiler of this machine makes binaries for this machine alone.",
            where=f"{where}(compiler=…, platforms=…)",
            remedy="Give one of the two; platforms= uses the compiler of the library 'ziglang'.",
            code="compiler-for-other-platforms",
        )
    chosen = chosen_platforms(platforms, where)
    _require_zig()
    found = {}
    with _cache() as kept, status_line(_log.info) as show:
        for k, item in enumerate(chosen, 1):
            show(f"compiling '{source.name}' for {item.name}, {k} of {len(chosen)}; the first time takes minutes")
            command_line = [sys.executable, "-m", "ziglang", "cc", "-target", item.zig, "-s"]
            found[item] = _compiled(source, command_line, item, more, kept)
    return found


def _require_zig() -> None:
    """An error that says how to install it, if it is missing."""
    try:
        import_module("ziglang")
    except ImportError as error:
        raise MissingLibraryError(
            "The library 'ziglang' is needed for binaries for named platforms.",
            cause=str(error),
            remedy=f'Install it: pip install "multibody[{EXTRA}]".',
        ) from error


def system_compiler() -> str:
    """The first compiler that is there; empty if there is none."""
    names = [name for name in (os.environ.get("CC"), "cc", "gcc", "clang") if name]
    return next((path for path in map(shutil.which, names) if path), "")


@contextmanager
def _cache() -> Iterator[dict[str, str]]:
    """The environment that tells Zig where to keep what it has compiled: in the user's own folder, or nowhere."""
    folder, names = private_folder("zig"), ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")
    if folder is not None:
        yield dict.fromkeys(names, str(folder))
        return
    with tempfile.TemporaryDirectory(prefix="multibody-zig-") as temporary:
        yield dict.fromkeys(names, temporary)


def _compiled(
    source: LibrarySource,
    command: list[str],
    platform: Platform,
    options: tuple[str, ...],
    kept: Mapping[str, str] | None = None,
) -> bytes:
    """The library for one platform."""
    with tempfile.TemporaryDirectory(prefix="multibody-build-") as temporary:
        folder, name = Path(temporary), f"{source.name}.{platform.ending}"
        for path, content in source.files.items():
            (folder / path).write_bytes(content)
        whole = [*command, *OPTIONS, *source.options, *options, source.main, "-lm", "-o", name]
        place = f"'{command[0]}'" if kept is None else f"'zig cc', platform '{platform.name}'"
        try:
            done = subprocess.run(  # noqa: S603 - no shell
                whole, cwd=folder, env=os.environ | dict(kept or {}), capture_output=True, check=False
            )
        except OSError as error:
            raise CompileError(
                "The C compiler cannot be run.", code="compiler-missing", where=place, cause=str(error)
            ) from error
        if done.returncode != 0:
            raise CompileError(
                f"The C compiler does not take the sources of '{source.name}'.",
                where=place,
                cause=done.stderr.decode(errors="replace").strip()[-1000:],
                remedy="Try another compiler, or other options.",
                code="compiler-failed",
                name=source.name,
            )
        binary = (folder / name).read_bytes() if (folder / name).exists() else b""
    _require_platform(binary, platform, place, cross=kept is not None)
    return binary


def _require_platform(binary: bytes, platform: Platform, where: str, *, cross: bool) -> None:
    """An error if a compiler made a binary for another platform, or none at all."""
    found = platform_of(binary)
    if binary and (found == platform or not cross):
        return
    raise CompileError(
        f"The C compiler made no library for {platform.name}.",
        where=where,
        cause=f"The file has {len(binary)} bytes and is for {'an unknown platform' if found is None else found.name}.",
        remedy=f'Install a newer Zig: pip install --upgrade "multibody[{EXTRA}]".'
        if cross
        else "Try another compiler.",
        code="binary-for-wrong-platform",
        name=platform.name,
    )


_MACHINES = {"amd64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86"}
_FMI2_FOLDERS = {
    "x86_64-linux": "linux64", "x86-linux": "linux32", "x86_64-windows": "win64", "x86-windows": "win32",
    "x86_64-darwin": "darwin64",
}  # fmt: skip
_ENDINGS = {"windows": "dll", "darwin": "dylib"}
_ZIG = {"linux": "linux-gnu.2.17", "windows": "windows-gnu", "darwin": "macos"}


class Platform(NamedTuple):
    """A processor and a system, as FMI 3.0 calls them (section 2.5.1.4.1).

    Example:
        >>> Platform("x86_64", "windows").name, Platform("x86_64", "windows").folder(2)
        ('x86_64-windows', 'win64')
    """

    machine: str
    system: str

    @property
    def name(self) -> str:
        """The tuple of FMI 3.0."""
        return f"{self.machine}-{self.system}"

    def folder(self, fmi_version: int) -> str:
        """Where importers look for the binary; platforms without a name in FMI 2.0 are called as in FMI 3.0."""
        return _FMI2_FOLDERS.get(self.name, self.name) if fmi_version == 2 else self.name

    @property
    def ending(self) -> str:
        """Of shared libraries."""
        return _ENDINGS.get(self.system, "so")

    @property
    def zig(self) -> str:
        """The target of Zig; on Linux for systems from 2014 on."""
        return f"{self.machine}-{_ZIG[self.system]}"


ALL = tuple(Platform(machine, system) for system in ("linux", "windows", "darwin") for machine in ("x86_64", "aarch64"))
"""What can be made on any machine."""


def this_platform() -> Platform:
    """The platform that this process runs on."""
    machine = platform.machine().lower()
    return Platform(_MACHINES.get(machine, machine), platform.system().lower())


def chosen_platforms(given: object, where: str) -> tuple[Platform, ...]:
    """Platforms by their names of FMI 3.0 or 2.0, or ``"all"``.

    Example:
        >>> [one.name for one in chosen_platforms(["win64", "aarch64-darwin"], "write_fmu")]
        ['x86_64-windows', 'aarch64-darwin']
    """
    known = {target.folder(version): target for target in ALL for version in (2, 3)}
    names: list[Any] = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    if names == ["all"]:
        return ALL
    wrong = [name for name in names if not isinstance(name, str) or name not in known]
    if wrong or not names:
        raise ConversionError(
            f"{wrong[0]!r:.80} is not a platform." if wrong else "No platform is named.",
            where=f"{where}(platforms=…)",
            remedy=f'Give "all", or some of: {", ".join(target.name for target in ALL)}.',
            code="platform-unknown" if wrong else "platform-missing",
            value=f"{wrong[0]!r:.80}" if wrong else "",
        )
    return tuple(dict.fromkeys(known[name] for name in names))


_ELF = {62: "x86_64", 183: "aarch64"}
_PE = {0x8664: "x86_64", 0xAA64: "aarch64"}
_MACH_O = {0x01000007: "x86_64", 0x0100000C: "aarch64"}


def platform_of(binary: bytes) -> Platform | None:
    """The platform that the header of a shared library names; None if it is none of ours.

    Fields: ``e_machine`` of ELF, ``Machine`` of the COFF header of PE, ``cputype`` of 64-bit Mach-O.

    Example:
        >>> platform_of(b"") is None
        True
    """
    if len(binary) < 64:
        return None
    if binary[:4] == b"\x7fELF":
        machine, system = _ELF.get(struct.unpack_from("<H", binary, 18)[0]), "linux"
    elif binary[:2] == b"MZ":
        at = struct.unpack_from("<I", binary, 60)[0]
        found = struct.unpack_from("<H", binary, at + 4)[0] if binary[at : at + 4] == b"PE\0\0" else 0
        machine, system = _PE.get(found), "windows"
    elif binary[:4] == b"\xcf\xfa\xed\xfe":
        machine, system = _MACH_O.get(struct.unpack_from("<I", binary, 4)[0]), "darwin"
    else:
        return None
    return None if machine is None else Platform(machine, system)
