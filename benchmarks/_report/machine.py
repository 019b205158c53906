"""What figures were measured on: processor, memory, system, and the versions of everybody who takes part."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import multibody

OURS = ("numpy", "scipy", "llvmlite", "numba", "viser")
PEERS = ("sympy", "pydy", "casadi", "pin", "mujoco", "exudyn")


def machine() -> dict[str, str]:
    """Named facts, for the head of the report."""
    return {
        "processor": f"{os.cpu_count()} cores of {_processor()}",
        "memory": _memory(),
        "system": _system(),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "multibody and what it uses": f"multibody {multibody.__version__}, {_versions(OURS)}",
        "peers": _versions(PEERS),
        "C compiler": _compiler(),
    }


def load() -> float:
    """Processes that want to run, in the mean of the last minute; NaN where they are not counted."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def _processor() -> str:
    found = _line("/proc/cpuinfo", r"model name\s*: (.*)")
    return found or platform.processor() or platform.machine()


def _memory() -> str:
    found = _line("/proc/meminfo", r"MemTotal:\s*(\d+) kB")
    return f"{int(found) / 2**20:.0f} GB" if found else "not known"


def _system() -> str:
    named = _line("/etc/os-release", r'PRETTY_NAME="?([^"\n]*)')
    kernel = f"{platform.system()} {platform.release().partition('-')[0]} on {platform.machine()}"
    return f"{named}, {kernel}" if named else kernel


def _compiler() -> str:
    if shutil.which("gcc") is None:
        return "none, so without the figures of C"
    return subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.partition("\n")[0]


def _line(path: str, pattern: str) -> str:
    file = Path(path)
    found = re.search(pattern, file.read_text(encoding="utf-8")) if file.exists() else None
    return found.group(1).strip() if found else ""


def _versions(packages: tuple[str, ...]) -> str:
    return ", ".join(f"{one} {_version(one)}" for one in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(missing)"
