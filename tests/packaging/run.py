"""What is handed out, from the outside: built, looked into, installed where nothing else is, and with old libraries.

  python tests/packaging/run.py

needs the package index, and some minutes. Everything happens in ``out/package``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import time
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = ROOT / "out" / "package"
FILES = (
    "py.typed",
    "__init__.pyi",
    "io/model_files/schema.json",
    "view/page/template.html",
    "codegen/targets/fmi/sources/fmi3.c",
    "codegen/targets/fmi/sources/functions.c",
)
CHOSEN = (
    "tests/graph/test_parse.py tests/graph/test_functions.py tests/graph/test_numpy.py "
    "tests/graph/test_sympy_bridge.py "
    "tests/algebra/test_rotation.py tests/model/test_joints.py tests/formalisms/test_published.py "
    "tests/compiler/test_function.py tests/simulation/test_front.py tests/simulation/test_store.py "
    "tests/codegen/test_python.py tests/cli/test_failures.py tests/packaging"
).split()
"""Tests that meet every library, with the oldest version that is allowed."""


def run(*argv: str | Path, folder: Path = ROOT) -> None:
    """A program, free of other people's Python paths; it must end well."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    subprocess.run(argv, cwd=folder, env={**kept, "MULTIBODY_CACHE": str(OUT / "cache")}, check=True, timeout=1800)


def built() -> tuple[Path, Path]:
    """The source archive, and the wheel that is made from it."""
    shutil.rmtree(OUT, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", OUT / "dist", ROOT)
    (archive,), (wheel,) = (OUT / "dist").glob("*.tar.gz"), (OUT / "dist").glob("*.whl")
    return archive, wheel


def require_contents(archive: Path, wheel: Path) -> None:
    """All that is needed, and nothing else."""
    with zipfile.ZipFile(wheel) as found:
        names = set(found.namelist())
    tree = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*") if path.is_file()}
    code = {name for name in tree if "__pycache__" not in name and ".egg-info" not in name}
    about = {name for name in names if ".dist-info/" in name}
    assert names - about == code, f"not the same: {sorted((names - about) ^ code)}"
    assert {f"multibody/{name}" for name in FILES} <= names
    assert any(name.endswith("licenses/LICENSE") for name in about)
    with tarfile.open(archive) as packed:
        parts = {Path(name).parts[1] for name in packed.getnames() if len(Path(name).parts) > 1}
    expected = set(
        "src tests examples benchmarks docs tools dev conftest.py mkdocs.yml pyproject.toml PKG-INFO LICENSE".split()
    )
    expected |= {".gitignore", *(path.name for path in ROOT.glob("*.md"))}
    assert parts == expected, f"not the same: {sorted(parts ^ expected)}"


def installed(name: str, *what: str | Path) -> Path:
    """The Python of a new environment with something in it."""
    venv.create(OUT / name, with_pip=True)
    python = OUT / name / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what)
    return python


def clean(wheel: Path) -> None:
    """An installation without extras does what it can, and says what it misses."""
    python, empty = installed("clean", wheel), OUT / "empty"
    empty.mkdir()
    run(python, "-I", HERE / "smoke.py", ROOT / "README.md", folder=empty)


def oldest(wheel: Path) -> None:
    """With the oldest libraries that are allowed; these warn of what came after them."""
    python = installed("oldest", f"{wheel}[all]", "-r", HERE / "oldest.txt")
    small = "not panda and not tree and not bicycle"  # of which one needs a library that no user gets
    options = ("-q", "-p", "no:cacheprovider", "-o", "filterwarnings=default", "-W", "ignore", "-n", "2", "-k", small)
    run(python, "-m", "pytest", *options, *CHOSEN)


def every_llvmlite(wheel: Path) -> None:
    """The oldest and the newest llvmlite that are allowed make machine code of the shipped loops."""
    (pinned,) = (line for line in (HERE / "oldest.txt").read_text().split() if line.startswith("llvmlite=="))
    for name, what in {"oldest_llvmlite": pinned, "newest_llvmlite": "llvmlite"}.items():
        run(installed(name, what), HERE / "loops.py", wheel)


def main() -> None:
    """All of it."""
    begun = time.monotonic()
    archive, wheel = built()
    require_contents(archive, wheel)
    clean(wheel)
    every_llvmlite(wheel)
    if sys.version_info[:2] == (3, 11):  # the oldest libraries go with the oldest Python
        oldest(wheel)
    print(f"{archive.name} and {wheel.name}: all is well, after {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
