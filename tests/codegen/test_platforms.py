"""Binaries for Windows, macOS and Linux from this machine: headers, FMPy, and Wine."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import C, Fmi, Python, write_fmu, write_library
from multibody.codegen.binaries import building
from multibody.codegen.binaries.building import ALL, Platform, chosen_platforms, platform_of, this_platform
from multibody.compiler.disk_cache import private_folder

from .driving import tool

NAMES = ["x86_64-linux", "aarch64-linux", "x86_64-windows", "aarch64-windows", "x86_64-darwin", "aarch64-darwin"]


def pendulum() -> mb.EquationsOfMotion:
    """A mass of 2 kg on a rod of length l, with a torque."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    bob = system.body("bob", 2.0, (0, 0, -system.parameter("l", 0.5)))
    hinge = system.joint("angle", system.world, bob, "Ry", q=0.3)
    system.load(mb.JointLoad(hinge, system.input("torque")))
    return mb.derive(system)


# names and headers -------------------------------------------------------------------------------------------------


def test_names_of_the_standards() -> None:
    """FMI 3.0 section 2.5.1.4.1 and FMI 2.0 section 2.3 name these folders."""
    assert [one.name for one in ALL] == NAMES
    assert [one.folder(3) for one in ALL] == NAMES
    assert {one.name: one.folder(2) for one in ALL if one.machine == "x86_64"} == {
        "x86_64-linux": "linux64", "x86_64-windows": "win64", "x86_64-darwin": "darwin64",
    }  # fmt: skip
    assert chosen_platforms("all", "f") == ALL
    assert chosen_platforms(["win64", "x86_64-windows"], "f") == (Platform("x86_64", "windows"),)
    assert {one.system: one.ending for one in ALL} == {"linux": "so", "windows": "dll", "darwin": "dylib"}


@pytest.mark.parametrize("given", ["amiga", ["x86_64-linux", "amiga"], (), [3], 3])
def test_other_names_are_refused(given: object, tmp_path: Path) -> None:
    for write in (write_fmu, write_library):
        with refused("platform-missing" if given == () else "platform-unknown"):
            write(pendulum(), tmp_path / "x", platforms=given)  # type: ignore[operator]
    assert not any(tmp_path.iterdir())


def header(kind: bytes, machine: int) -> bytes:
    """The first bytes of a library, with fields where the formats have them."""
    data = bytearray(256)
    if kind == b"ELF":
        data[:4] = b"\x7fELF"
        struct.pack_into("<H", data, 18, machine)
    elif kind == b"PE":
        data[:2] = b"MZ"
        struct.pack_into("<I", data, 60, 128)
        data[128:132] = b"PE\0\0"
        struct.pack_into("<H", data, 132, machine)
    else:
        data[:4] = b"\xcf\xfa\xed\xfe"
        struct.pack_into("<I", data, 4, machine)
    return bytes(data)


def test_headers_are_read() -> None:
    """Numbers of the formats: EM_X86_64, EM_AARCH64, IMAGE_FILE_MACHINE_AMD64 and ARM64, CPU_TYPE_X86_64 and ARM64."""
    known = [(b"ELF", 0x3E), (b"ELF", 0xB7), (b"PE", 0x8664), (b"PE", 0xAA64)]
    known += [(b"MACH", 0x1000007), (b"MACH", 0x100000C)]
    assert [platform_of(header(*one)) for one in known] == list(ALL)
    for strange in (b"", b"MZ", header(b"ELF", 3), header(b"PE", 0x14C), header(b"MACH", 7), bytes(256)):
        assert platform_of(strange) is None


# what is refused ---------------------------------------------------------------------------------------------------


def test_a_compiler_of_this_machine_knows_no_other(tmp_path: Path) -> None:
    with refused("compiler-for-other-platforms"):
        write_fmu(pendulum(), tmp_path / "x.fmu", compiler="gcc", platforms="all")


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with refused("library-missing") as caught:
        write_fmu(pendulum(), tmp_path / "x.fmu", platforms=["x86_64-linux"])
    assert "multibody[cross]" in str(caught.value)


def test_a_library_needs_a_compiler(tmp_path: Path) -> None:
    with refused("compiler-missing"):
        write_library(pendulum(), tmp_path / "x", compiler="")
    with refused("target-expected"):
        write_library(pendulum(), tmp_path / "x", Python())  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(("content", "said"), [(b"", "0 bytes"), (header(b"ELF", 0x3E), "x86_64-linux")])
def test_a_binary_for_another_platform_is_refused(
    content: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the compiler says: here it says that all is well."""
    pytest.importorskip("ziglang")

    def run(command: list[str], cwd: Path, **_: object) -> subprocess.CompletedProcess[bytes]:
        (cwd / command[-1]).write_bytes(content)
        return subprocess.CompletedProcess(command, 0, b"", b"")

    monkeypatch.setattr(building.subprocess, "run", run)
    with refused("binary-for-wrong-platform") as caught:
        write_fmu(pendulum(), tmp_path / "x.fmu", platforms="aarch64-darwin")
    assert said in str(caught.value)
    assert not any(tmp_path.iterdir())


def test_the_cache_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULTIBODY_CACHE", str(tmp_path / "cache"))
    folder = private_folder("zig")
    assert folder == tmp_path / "cache" / "zig"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    assert private_folder("zig") is None
    monkeypatch.setenv("MULTIBODY_CACHE", "off")
    assert private_folder("zig") is None


# what is built -----------------------------------------------------------------------------------------------------


def test_a_library_of_this_machine(tmp_path: Path) -> None:
    """Called by ctypes: a pendulum at rest falls with -g/l·sin(angle)."""
    (path,) = write_library(pendulum(), tmp_path, compiler=tool("gcc"))
    assert path.relative_to(tmp_path).parts[:2] == ("binaries", this_platform().name)
    assert falls(path) == pytest.approx(-9.81 / 0.5 * np.sin(0.3), rel=1e-14)
    assert (tmp_path / "pendulum.h").exists()


def falls(path: Path) -> float:
    """The acceleration of the pendulum at its start."""
    library = ctypes.CDLL(str(path))
    p, (q, u, r, dq, du) = (ctypes.c_double * 64)(), ((ctypes.c_double * 1)() for _ in range(5))
    library.pendulum_defaults(p)
    library.pendulum_start(ctypes.c_double(0.0), q, u, r, p)
    library.pendulum_state_rate(ctypes.c_double(0.0), q, u, r, p, dq, du)
    return du[0]


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_the_linux_binary_runs_in_fmpy(version: int, tmp_path: Path) -> None:
    """Built without the compiler of this machine; for a tenth of a second the motion is ours."""
    pytest.importorskip("ziglang")
    fmpy = pytest.importorskip("fmpy")
    eom, here = pendulum(), this_platform()
    path = write_fmu(eom, tmp_path / "unit.fmu", Fmi(version), platforms=[here.name])
    with ZipFile(path) as archive:
        binary = archive.read(f"binaries/{here.folder(version)}/pendulum.{here.ending}")
    assert platform_of(binary) == here
    end = fmpy.simulate_fmu(str(path), stop_time=0.1, output=["angle"], output_interval=0.05)[-1]
    ours = mb.simulate(eom, 0.1).q[-1, 0]
    assert end[1] == pytest.approx(ours, abs=1e-7)


LOADER = """#include <windows.h>
#include <stdio.h>

typedef void set(double *p);
typedef int start(double, double *, double *, const double *, const double *);
typedef void rate(double, const double *, const double *, const double *, const double *, double *, double *);

int main(int count, char **names)
{
    double p[64], q[1], u[1], r[1] = {0.0}, dq[1], du[1];
    HMODULE library = count > 1 ? LoadLibraryA(names[1]) : NULL;
    if (!library)
        return 2;
    ((set *)(void *)GetProcAddress(library, "pendulum_defaults"))(p);
    ((start *)(void *)GetProcAddress(library, "pendulum_start"))(0.0, q, u, r, p);
    ((rate *)(void *)GetProcAddress(library, "pendulum_state_rate"))(0.0, q, u, r, p, dq, du);
    printf("%.17g", du[0]);
    return 0;
}
"""


@pytest.mark.slow
def test_the_windows_library_runs_in_wine(tmp_path: Path) -> None:
    """Loaded by a program that was compiled for Windows, too."""
    pytest.importorskip("ziglang")
    wine = tool("wine")
    (path,) = write_library(pendulum(), tmp_path, C(), platforms="x86_64-windows")
    (tmp_path / "loader.c").write_text(LOADER)
    with building._cache() as kept:
        zig = [
            sys.executable,
            "-m",
            "ziglang",
            "cc",
            "-target",
            "x86_64-windows-gnu",
            "-s",
            "loader.c",
            "-o",
            "loader.exe",
        ]
        subprocess.run(zig, cwd=tmp_path, env=os.environ | kept, check=True, timeout=300)
    quiet = {"WINEDEBUG": "-all", "WINEPREFIX": str(tmp_path / "wine"), "WINEDLLOVERRIDES": "mscoree,mshtml="}
    said = subprocess.run(
        [wine, "loader.exe", str(path.relative_to(tmp_path)).replace("/", "\\")],
        cwd=tmp_path, env=os.environ | quiet, capture_output=True, timeout=240, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr[-500:]
    assert float(said.stdout) == pytest.approx(-9.81 / 0.5 * np.sin(0.3), rel=1e-14)


@pytest.mark.slow
@pytest.mark.timeout(1800)  # Zig builds the C library of each platform the first time: minutes on a busy machine
def test_one_fmu_for_every_platform(tmp_path: Path) -> None:
    """Six binaries in the folders of the standard, each for its machine."""
    pytest.importorskip("ziglang")
    path = write_fmu(pendulum(), tmp_path / "unit.fmu", platforms="all")
    with ZipFile(path) as archive:
        binaries = [name for name in archive.namelist() if name.startswith("binaries/")]
        found = {name.split("/")[1]: platform_of(archive.read(name)) for name in binaries}
    assert found == {one.name: one for one in ALL}
