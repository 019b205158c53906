"""What is given wrongly is refused by the names that the user knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import (
    C,
    Casadi,
    Cpp,
    Flange,
    Fmi,
    JavaScript,
    Jax,
    Julia,
    Matlab,
    Modelica,
    Program,
    Python,
    Rust,
    SFunction,
    export,
    write_fmu,
)
from multibody.report import Latex, Markdown


def system() -> mb.System:
    """A pendulum with a motor."""
    made = mb.System("pendulum", gravity=(0, 0, -9.81))
    bob = made.body("bob", made.parameter("m", 1.0), (0, 0, -1), (1, 1, 1))
    hinge = made.joint("angle", made.world, bob, "Ry", q=0.3)
    made.load(mb.JointLoad(hinge, made.input("tau", unit="N*m")))
    return made


EOM = mb.derive(system())

NAMED = [C, Cpp, Rust, JavaScript, Julia, Python, Jax, Casadi, Matlab, SFunction, Fmi, Modelica]
SPLIT = [C, Cpp, Rust, JavaScript, Julia, Matlab, SFunction, Fmi, Jax]
SLOPED = [C, Cpp, Rust, JavaScript, Julia, Python]


@pytest.mark.parametrize(
    ("made", "option", "value"),
    [
        *((one, "names", value) for one in NAMED for value in ("pretty", None, ["readable"])),
        *((one, "limit", value) for one in SPLIT for value in (0, -5, "a", 2.5, True)),
        *((one, "jacobians", value) for one in SLOPED for value in ("no", 1, None)),
        *((one, "seconds", value) for one in (Latex, Markdown) for value in (-1, "a", float("nan"), None)),
        *((one, "limit", value) for one in (Latex, Markdown) for value in (-1, "a", 2.5)),
        *((Fmi, option, value) for option in ("tolerance", "step") for value in ("a", 0, -1.0, float("inf"))),
        (Fmi, "tolerance", None), (Fmi, "derivatives", "no"), (Modelica, "partial", "no"),
        *((Modelica, "stabilization", value) for value in ("a", -1, float("inf"), None)),
    ],
)  # fmt: skip
def test_options_that_cannot_be(made: Callable[..., Any], option: str, value: object) -> None:
    with refused("option-invalid", f"{made.__name__}({option}=…)") as error:
        made(**{option: value})
    assert error.value.fields["name"] == option


@pytest.mark.parametrize("version", ["2", 1, True, None])
def test_versions_that_are_not_there(version: Any) -> None:
    with refused("option-invalid"):
        Fmi(version=version)


def test_a_class_stands_for_its_defaults(tmp_path: Path) -> None:
    assert [path.name for path in export(EOM, Python, tmp_path).written] == ["pendulum.py"]
    assert write_fmu(EOM, tmp_path / "pendulum.fmu", Fmi, compiler="").exists()  # type: ignore[arg-type]


def test_one_flange_and_one_file_need_no_list(tmp_path: Path) -> None:
    flange = Flange("shaft", "tau", "angle", "rotational")
    several = [Modelica(flanges=given).files(Program.of(EOM)) for given in ((flange,), [flange], flange)]  # type: ignore[arg-type]
    assert several[0] == several[1] == several[2]
    assert "pendulum_jacobian.m" in Matlab(more="jacobian").files(Program.of(EOM))
    with refused("name-unknown", "mass"):
        Matlab(more="mass")


@pytest.mark.parametrize("given", ["tau", ("tau",), [None]])
def test_what_is_no_flange(given: Any) -> None:
    with refused("flange-expected"):
        Modelica(flanges=given)


@pytest.mark.parametrize("given", ["c", None, 3, dict])
def test_what_is_no_target(given: Any, tmp_path: Path) -> None:
    with refused("target-expected"):
        export(EOM, given, tmp_path)


@pytest.mark.parametrize("given", [C(), "fmi", 2])
def test_what_is_no_fmu(given: Any, tmp_path: Path) -> None:
    with refused("target-expected"):
        write_fmu(EOM, tmp_path / "x.fmu", given)


@pytest.mark.parametrize(
    "use", [lambda eom, folder: export(eom, C(), folder), lambda eom, folder: write_fmu(eom, folder / "x")]
)
def test_what_is_no_equations(use: Callable[..., Any], tmp_path: Path) -> None:
    with refused("equations-expected") as error:
        use(system(), tmp_path)
    assert "mb.derive(system)" in error.value.remedy
    with refused("equations-expected") as error:
        use(None, tmp_path)
    assert error.value.fields == {"kind": "NoneType"}


@pytest.mark.parametrize("folder", [None, 3, "", b"out"])
def test_what_is_no_folder(folder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with refused("path-expected"):
        export(EOM, C(), folder)
    with refused("path-expected"):
        write_fmu(EOM, folder, compiler="")
    assert not list(tmp_path.iterdir())


def test_overwriting_is_wanted_or_not(tmp_path: Path) -> None:
    with refused("option-invalid", "no"):
        export(EOM, C(), tmp_path, overwrite="no")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
