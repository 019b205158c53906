"""Platforms that binaries are made for: names of FMI 2.0 and 3.0, endings of files, and headers of binaries."""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

from multibody.errors import ConversionError

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
