"""The smoke test of an installation, without any extra: ``python -I smoke.py README.md`` in an empty folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import multibody as mb
from multibody.errors import MissingLibraryError


def public_names() -> None:
    """Every public name is there, without the libraries of the extras."""
    packages = (
        "algebra codegen compiler equations formalisms graph io library linearization lowering mechanics model report "
        "simulation subsystems support view"
    )
    for package in (mb, *(import_module(f"multibody.{name}") for name in packages.split())):
        missing = [name for name in getattr(package, "__all__", ()) if not hasattr(package, name)]
        assert not missing, f"{package.__name__}: {missing}"


def files() -> None:
    """The files beside the code are there."""
    root = Path(mb.__file__).parent
    for name in (
        "py.typed",
        "__init__.pyi",
        "io/model_files/schema.json",
        "view/page/template.html",
        "codegen/targets/fmi/sources/fmi3.c",
        "codegen/targets/fmi/sources/functions.c",
    ):
        assert (root / name).is_file(), name
    assert mb.__version__ == version("multibody")


def readme(path: Path) -> None:
    """The example of the first page runs."""
    example = path.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(compile(example, "README.md", "exec"), {})


def command(*arguments: str) -> str:
    """What the command says; it must end well."""
    done = subprocess.run(
        [Path(sys.executable).with_name("multibody"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"multibody {' '.join(arguments)}: {done.stdout}{done.stderr}"
    return done.stdout


def commands() -> None:
    """The commands that need no extra."""
    assert "Usage" in command("--help")
    assert "pendulum" in command("check", "pendulum")
    command("derive", "pendulum")
    command("simulate", "pendulum", "-d", "1", "-o", "run.csv")
    assert len(Path("run.csv").read_text().splitlines()) > 10
    command("export", "pendulum", "c", "-o", "code")
    assert list(Path("code").glob("*.c"))


def missing_extras() -> None:
    """What needs an extra says so, and which one."""
    system = mb.System("cart")
    system.joint("x", system.world, system.body("box", mass=2), "Tx")
    eom = mb.derive(system)
    run = mb.simulate(eom, duration=1.0)
    wanted: dict[str, tuple[str, Callable[[], object]]] = {
        "pandas": ("data", run.to_dataframe),
        "xarray": ("data", run.to_xarray),
        "pyarrow": ("data", lambda: run.save("run.parquet")),
        "matplotlib": ("plot", lambda: run.plot("x")),
        "sksundae": ("stiff", lambda: mb.simulate(eom, duration=1.0, integrator=mb.Cvode())),
        "control": ("control", lambda: mb.linearize(eom).to_control()),
        "viser": ("view", lambda: mb.show(system)),
    }
    for module, (extra, use) in wanted.items():
        if find_spec(module):
            print(f"  {module} is installed, and not missed")
            continue
        try:
            use()
            said = "nothing"
        except MissingLibraryError as error:
            said = str(error)
        assert f"multibody[{extra}]" in said, f"without {module}: {said}"


def main(page: str) -> None:
    """All of it."""
    for check in (public_names, files, lambda: readme(Path(page)), commands, missing_extras):
        check()
    print("all is well")


if __name__ == "__main__":
    main(*sys.argv[1:])
