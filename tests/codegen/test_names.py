"""Names of the user's: everyday ones stay as they are, and none breaks what is written."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import (
    C,
    Casadi,
    Cpp,
    Fmi,
    JavaScript,
    Jax,
    Julia,
    Matlab,
    Modelica,
    Program,
    Python,
    Rust,
    Target,
    export,
)
from multibody.codegen.naming import module_name
from multibody.graph import sin, symbols
from multibody.report import Latex, Markdown

from .driving import run, tool

EVERYDAY = ["k", "c", "r", "w", "name", "value", "h", "J"]


def spring(*more: str, name: str = "spring") -> mb.EquationsOfMotion:
    """An oscillator with everyday names: a coordinate q, an input u, and parameters; more of these may be named."""
    system = mb.System(name)
    given = [system.parameter(one, 1.0 + 0.1 * k, unit="N") for k, one in enumerate([*EVERYDAY, *more])]
    slide = system.joint("q", system.world, system.body("b", given[0]), "Tx", q=1.0)
    force = sum((sin(one * slide.coordinate) + one * one * slide.speed for one in given), system.input("u"))
    system.load(mb.JointLoad(slide, force))
    return mb.derive(system)


def text_of(target: Target, ending: str, *more: str) -> str:
    files = target.files(Program.of(spring(*more)))
    return next(text for name, text in files.items() if name.endswith(ending))


@pytest.mark.parametrize(
    ("target", "ending", "form"),
    [
        (C(), ".h", "    double {};"), (Cpp(), ".hpp", "    double {} ="), (Rust(), ".rs", "    pub {}: f64,"),
        (Matlab(), "_parameters.m", "    p.{} = "), (Modelica(), ".mo", "  parameter Real {}("),
        (Python(), ".py", '    "{}": '), (Jax(), ".py", '    "{}": '), (JavaScript(), ".mjs", '  "{}": '),
    ],
)  # fmt: skip
def test_everyday_names_stay(target: Target, ending: str, form: str) -> None:
    text = text_of(target, ending)
    for name in EVERYDAY:
        assert form.format(name) in text, name


def test_states_and_inputs_keep_everyday_names_in_modelica() -> None:
    text = text_of(Modelica(), ".mo")
    assert "  input Real u(" in text
    assert "  Real q(" in text


@pytest.mark.parametrize(
    ("target", "ending", "line"),
    [
        (C(), ".h", "double int_; /* int [N] */"), (Cpp(), ".hpp", "double int_ = 1.8; // int [N]"),
        (Rust(), ".rs", "pub fn_: f64, /* fn [N] */"), (Matlab(), "_parameters.m", "p.end_ = 2.0; % end [N]"),
        (Modelica(), ".mo", 'parameter Real end_(unit="N") = 2.0 "end";'),
    ],
)  # fmt: skip
def test_another_spelling_is_told(target: Target, ending: str, line: str) -> None:
    assert line in text_of(target, ending, "int", "fn", "end")


def test_octave_is_given_everyday_names_and_lists_them(tmp_path: Path) -> None:
    octave = tool("octave-cli")
    export(spring(), Matlab(), tmp_path)
    script = "p = spring_parameters('k', 7); printf('%g\\n', p.k);"
    script += "try; spring_parameters('l', 1); catch e; disp(e.message); end"
    said = run(octave, "--norc", "--quiet", "--eval", script, folder=tmp_path).decode().splitlines()
    assert said == ["7", f"There is no parameter l. There are: {', '.join(EVERYDAY)}."]


def test_python_and_javascript_list_the_names(tmp_path: Path) -> None:
    (path,) = export(spring(), Python(), tmp_path).written
    module = loaded(path)
    with pytest.raises(TypeError, match=f"no parameter l. There are: {', '.join(EVERYDAY)}"):
        module.parameters(l=1.0)
    export(spring(), JavaScript(), tmp_path)
    script = (
        'import { parameters } from "./spring.mjs"; try { parameters({ l: 1 }) } catch (e) { console.log(e.message) }'
    )
    said = run(tool("node"), "--input-type=module", "-e", script, folder=tmp_path).decode().strip()
    assert said == f"There is no parameter l. There are: {', '.join(EVERYDAY)}."


def loaded(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# words that the files use for themselves ---------------------------------------------------------------------------

OWN = """spring_H SPRING_H SPRING_HPP SPRING_Q spring_u002e_H spring_u002e_HPP parameters Parameters Model start step
derived START_Q START_U changes known RangeError parameterDefaults p_ c_ n_q state_rate prepare defaults guess_x part
ahead c_u005f_ wave sine low high rows""".split()
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]


def test_own_words_as_parameters_in_c(tmp_path: Path) -> None:
    export(spring(*OWN), C(), tmp_path)
    run(tool("gcc"), "-std=c99", *STRICT, "spring.c", "spring_test.c", folder=tmp_path)


def test_own_words_as_parameters_in_cpp(tmp_path: Path) -> None:
    export(spring(*OWN), Cpp(), tmp_path)
    (tmp_path / "main.cpp").write_text(
        '#include "spring.hpp"\nint main() { return spring::Model().parameters().k > 9; }\n'
    )
    run(tool("g++"), "-std=c++11", *STRICT, "-Wshadow", "main.cpp", folder=tmp_path)


def test_own_words_as_parameters_in_rust(tmp_path: Path) -> None:
    export(spring(*OWN), Rust(), tmp_path)
    (tmp_path / "main.rs").write_text(
        "#[allow(dead_code)]\nmod spring;\nfn main() { assert!(spring::START_Q[0] == 1.0); }\n"
    )
    run(tool("rustc"), "-D", "warnings", "main.rs", "-o", "main", folder=tmp_path)
    run(tmp_path / "main", folder=tmp_path)


def test_own_words_as_parameters_in_javascript(tmp_path: Path) -> None:
    export(spring(*OWN), JavaScript(), tmp_path)
    script = 'import * as s from "./spring.mjs"; console.log(s.state_rate(0, [1], [2], [0], s.parameters()).q_dot[0])'
    assert run(tool("node"), "--input-type=module", "-e", script, folder=tmp_path) == b"2\n"


def test_own_words_as_parameters_in_fmi(tmp_path: Path) -> None:
    export(spring(*OWN), Fmi(), tmp_path)
    run(tool("gcc"), "-std=c99", *STRICT, "all.c", folder=tmp_path / "sources")


# names that cannot be distinguished -----------------------------------------------------------------------------------


def cart_with(kind: str, name: str) -> mb.System:
    """A cart with a force F of three entries, and something else."""
    system = mb.System("cart")
    force = system.input("F", 3)
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointLoad(slide, force[1]))
    if kind == "sensor":
        system.sensor(name, mb.Expression(system.time))
    else:
        getattr(system, kind)(name)
    return system


@pytest.mark.parametrize("kind", ["input", "parameter", "sensor"])
def test_names_of_two_quantities_are_refused(kind: str, tmp_path: Path) -> None:
    """The speed of the joint x is called x_dot, and the second entry of a vector F is F_2."""
    for name in ("x_dot", "F_2"):
        with refused("name-taken", name):
            export(mb.derive(cart_with(kind, name)), C(), tmp_path)


@pytest.mark.parametrize("where", ["load", "sensor"])
def test_symbols_without_a_value_are_refused(where: str, tmp_path: Path) -> None:
    system, (k,) = mb.System("cart"), symbols("k")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    if where == "load":
        system.load(mb.JointLoad(slide, -k * slide.coordinate))
    else:
        system.sensor("pull", mb.Expression(k * slide.coordinate))
    with refused("symbol-not-in-system", "k"):
        export(mb.derive(system), C(), tmp_path)


# names of systems --------------------------------------------------------------------------------------------------


def global_names(compiler: str, folder: Path) -> list[str]:
    """What the header that is included declares outside of all namespaces: as a namespace, each is an error."""
    told = run(
        compiler, "-x", "c++", "-std=c++11", "-E", "-P", "-include", "cmath", "/dev/null", folder=folder
    ).decode()
    names = sorted(set(re.findall(r"\b([a-z]\w*)\s*\(", told)) | set(re.findall(r"typedef[^;{]*?\b([a-z]\w*);", told)))
    (folder / "all.cpp").write_text(
        "\n".join(["#include <cmath>", *(f"namespace {one} {{ int a; }}" for one in names)])
    )
    command = [compiler, "-std=c++11", "-fsyntax-only", "-fmax-errors=0", "all.cpp"]
    errors = subprocess.run(command, cwd=folder, capture_output=True, check=False, text=True, timeout=300).stderr
    return [names[int(line) - 2] for line in dict.fromkeys(re.findall(r"all.cpp:(\d+):\d+: error", errors))]


def test_namespaces_are_called_like_nothing_else(tmp_path: Path) -> None:
    names = global_names(tool("g++"), tmp_path)
    assert {"random", "system", "select", "abort", "exit", "rand"} <= set(names)
    assert [name for name in names if module_name(name, "cpp") == name] == []
    spelled = [module_name(name, "cpp") for name in names]
    assert len(set(spelled)) == len(spelled)


@pytest.mark.parametrize("name", ["random", "math", "test", "all", "stdio"])
def test_systems_with_names_of_libraries_and_targets(name: str, tmp_path: Path) -> None:
    """Built by CMake, with the folder of the model among those that are searched for headers."""
    eom = spring(name=name)
    own = module_name(name, "c")
    export(eom, C(), tmp_path)
    run(tool("cmake"), "-S", ".", "-B", "build", folder=tmp_path)
    run(tool("cmake"), "--build", "build", folder=tmp_path)
    assert run(tmp_path / "build" / f"{own}_test", folder=tmp_path).startswith(b"q = ")
    export(eom, Cpp(), tmp_path)
    space = module_name(name, "cpp")
    (tmp_path / "main.cpp").write_text(
        f'#include "{space}.hpp"\n#include <cstdlib>\n#include <cstdio>\nint main() {{ {space}::Model model; }}\n'
    )
    run(tool("g++"), "-I.", "-std=c++11", "-fsyntax-only", "main.cpp", folder=tmp_path)


def test_two_models_share_a_folder(tmp_path: Path) -> None:
    export(spring(name="one"), C(), tmp_path)
    second = export(spring(name="other"), C(), tmp_path)
    assert [path.name for path in second.unchanged] == ["CMakeLists.txt"]
    run(tool("cmake"), "-S", ".", "-B", "build", folder=tmp_path)
    run(tool("cmake"), "--build", "build", folder=tmp_path)
    ends = [run(tmp_path / "build" / f"{name}_test", folder=tmp_path) for name in ("one", "other")]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("name", ["маятник_" * 6, "ö" * 200, "Z" * 200])
def test_names_that_are_longer_than_those_of_files(name: str, tmp_path: Path) -> None:
    """In C, each letter that is not ASCII has seven; file systems take 255 bytes."""
    eom = spring(name=name)
    for target in (C(), Cpp(), Casadi(), Fmi(), JavaScript(), Jax(), Julia(), Latex(), Markdown(), Modelica(), Rust()):
        export(eom, target, tmp_path / type(target).__name__)
    (path,) = export(eom, Python(), tmp_path).written
    assert name == loaded(path).NAME
    assert mb.simulate(eom, duration=0.01).status.name == "DONE"
    assert len({module_name(f"{name[:-1]}{last}", "c") for last in "abc"}) == 3


@pytest.mark.parametrize("name", ["install", "clean"])
def test_an_fmu_may_be_called_like_a_target_of_cmake(name: str, tmp_path: Path) -> None:
    export(spring(name=name), Fmi(), tmp_path)
    run(tool("cmake"), "-S", "sources", "-B", "build", folder=tmp_path)
    run(tool("cmake"), "--build", "build", folder=tmp_path)
    assert [path.stem for path in (tmp_path / "build").glob("*.so")] == [name]


@pytest.mark.parametrize("name", ["types", "time", "random"])
def test_modules_do_not_hide_those_of_python(name: str, tmp_path: Path) -> None:
    (path,) = export(spring(name=name), Python(), tmp_path).written
    script = f"import {path.stem} as model, {name}; print(model.NAME, getattr({name}, '__file__', ''))"
    said = run(sys.executable, "-c", script, folder=tmp_path).decode()
    assert said.startswith(name)
    assert str(tmp_path) not in said


def test_names_of_modules_differ() -> None:
    names = ["math", "math_", "math__", "Math", "int", "int_", "crane", "random", "random_"]
    for language in ("c", "cpp", "python"):
        assert len({module_name(name, language) for name in names}) == len(names)
    assert module_name("crane", "cpp") == "crane"


def test_other_targets_of_python_have_an_ending_of_their_own() -> None:
    files = [*Jax().files(Program.of(spring(name="types"))), *Casadi().files(Program.of(spring(name="types")))]
    assert files == ["types_jax.py", "types_casadi.py"]
