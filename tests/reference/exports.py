"""Exports whose parameters are changed afterwards: generated code against the equations in Python.

A random chain of bodies has parameters that are formulas of others, also of each other. It is written for every target
whose tool is there. The code gets other values for some parameters: for those that the formulas use, for one that is a
formula, for both. Rates and outputs must be those of the equations, where the formulas follow by the same rule.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import multibody as mb
from multibody.codegen import C, Casadi, Cpp, Fmi, JavaScript, Jax, Matlab, Modelica, Program, Python, Rust, write_fmu
from multibody.codegen.writing import write
from multibody.graph import Table, absolute, cos, exp, maximum, sin, sqrt, where

from .case import RIGHT, WRONG, Outcome, generator

TOLERANCE = 1e-9
"""Of rates and outputs, relative to 1 + their size."""

MOVED = 1e-5
"""Likewise, of what Modelica's solver returns."""

JOINTS = ("Rx", "Ry", "Rz", "Tx", "Tz")
DURATION = 0.2

Changes = Mapping[str, float]


class Question(NamedTuple):
    """What is asked of generated code: rates and outputs at a state, for several sets of changed parameters."""

    eom: mb.EquationsOfMotion
    t: float
    q: list[float]
    u: list[float]
    r: list[float]
    changes: tuple[dict[str, float], ...]

    @property
    def name(self) -> str:
        """Of the model."""
        return self.eom.model.name

    @property
    def state(self) -> str:
        """Time, coordinates, speeds, inputs, as most languages write lists of numbers."""
        return ", ".join(map(repr, (self.q, self.u, self.r)))

    def expected(self) -> list[np.ndarray]:
        """By the equations, a row for each set of changes."""
        rows = []
        for changes in self.changes:
            p = list(self.eom.model.parameter_values(changes).values())
            state = (self.t, self.q, self.u, self.r, p)
            measured = [np.ravel(np.asarray(one)) for one in _several(self.eom.sensors(*state))]
            rows.append(np.concatenate([*map(np.ravel, self.eom.state_rate(*state)), *measured]))
        return rows


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else (value,)


# models ----------------------------------------------------------------------------------------------------------


def model(rng: np.random.Generator) -> mb.EquationsOfMotion:
    """A chain of one to three bodies whose masses, lengths, inertias and springs are formulas of a few parameters."""
    system = mb.System("chain", gravity=(0, 0, -9.81))
    rho, scale = system.parameters(rho=rng.uniform(0.5, 2), scale=rng.uniform(0.5, 1.5))
    soft = Table("soft", [0.0, 0.7, 1.4, 3.0], [3.0, 4.0, 2.0, 5.0], "cubic")
    shapes: list[Callable[[Any], Any]] = [
        lambda x: x**2 / 3, lambda x: sqrt(1 + x * x), lambda x: 1 + sin(x) / 2, lambda x: maximum(x, 1.0),
        lambda x: where(x > 1.0, 2 * x, 1 + x), lambda x: exp(-x) + 1, lambda x: absolute(x - 3) + cos(x) ** 2, soft,
    ]  # fmt: skip
    parent: Any = system.world
    length: Any = scale
    for k in range(int(rng.integers(1, 4))):
        length = system.parameter(f"l{k}", _any(rng, shapes)(length), unit="m")
        mass = system.parameter(f"m{k}", rho * length * (1 + k), unit="kg", description="of a bar")
        center = system.parameter(f"c{k}", [length / 10, length * k / 20, -length / 2], unit="m")
        moment = system.parameter(f"J{k}", mass * length**2 / 12 + 0.01 * scale, unit="kg*m^2")
        body = system.body(f"b{k}", mass, tuple(center), (moment, moment, moment))
        joint = system.joint(f"j{k}", parent, body, _any(rng, JOINTS), q=float(rng.uniform(-0.5, 0.5)))
        spring = system.parameter(f"k{k}", moment / scale + _any(rng, shapes)(scale))
        force = system.input(f"F{k}") - spring * joint.coordinate
        system.load(mb.JointLoad(joint, force))
        parent = body.frame(f"end{k}", (0, 0, -length))
    system.sensor("tip", mb.Position(parent))
    system.sensor("pull", mb.Expression(spring * joint.coordinate))
    return mb.derive(system)


def _any(rng: np.random.Generator, choices: Sequence[Any]) -> Any:
    return choices[int(rng.integers(len(choices)))]


def question(seed: int) -> Question:
    """A model, a state, and three sets of changes."""
    rng = generator("exports", seed)
    eom = model(rng)
    formulas = [one.name for owner in eom.model.parameters for one in owner.default if owner.name not in _FREE]
    other = _any(rng, formulas)
    free = {name: float(rng.uniform(0.6, 2)) for name in _FREE}
    given = {other: float(rng.uniform(0.8, 1.6))}
    states = [rng.uniform(-1, 1, n).tolist() for n in (len(eom.coordinates), len(eom.speeds), len(eom.inputs))]
    return Question(eom, 0.3, *states, (free, given, {"scale": free["scale"], **given}))


_FREE = ("rho", "scale")


# targets ---------------------------------------------------------------------------------------------------------


def _run(folder: Path, *command: str) -> str:
    """What a program writes."""
    done = subprocess.run([*command], cwd=folder, capture_output=True, text=True, check=False, timeout=200)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr[-1500:]}")
    return done.stdout


def _rows(text: str) -> list[np.ndarray]:
    return [np.array(line.split(), dtype=float) for line in text.splitlines()]


def _files(asked: Question, target: Any, folder: Path) -> Path:
    write(folder, target.files(Program.of(asked.eom)))
    return folder


def _module(asked: Question, target: Any, folder: Path, ending: str = "") -> Any:
    path = _files(asked, target, folder) / f"{asked.name}{ending}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def python(asked: Question, folder: Path) -> list[np.ndarray]:
    """NumPy."""
    made = _module(asked, Python(), folder)
    state = (asked.t, asked.q, asked.u, asked.r)
    given = [made.parameters(**changes) for changes in asked.changes]
    return [np.concatenate([*made.state_rate(*state, p), made.sensors(*state, p)]) for p in given]


def jax(asked: Question, folder: Path) -> list[np.ndarray]:
    """JAX, in double precision."""
    import jax as library

    library.config.update("jax_enable_x64", True)
    made = _module(asked, Jax(), folder, "_jax")
    state = (asked.t, *(library.numpy.array(one) for one in (asked.q, asked.u, asked.r)))
    given = [made.parameters(**changes) for changes in asked.changes]
    return [np.concatenate([*made.state_rate(*state, p), made.sensors(*state, p)]) for p in given]


def casadi(asked: Question, folder: Path) -> list[np.ndarray]:
    """CasADi."""
    made = _module(asked, Casadi(), folder, "_casadi")
    rate, sensors = made.state_rate(), made.sensors()
    state = (asked.t, asked.q, asked.u, asked.r)
    given = [made.parameters(**changes) for changes in asked.changes]
    return [np.concatenate([np.ravel(one.full()) for one in (*rate(*state, p), sensors(*state, p))]) for p in given]


def c(asked: Question, folder: Path) -> list[np.ndarray]:
    """C, by gcc."""
    program = Program.of(asked.eom)
    name, n, m, k = asked.name, len(asked.q), len(asked.u), len(program.outputs)
    lines = [
        f'#include <stdio.h>\n#include "{name}.h"\nint main(void) {{ {name}_parameters p; int i;',
        f"double q[] = {_braces(asked.q)}, u[] = {_braces(asked.u)}, r[] = {_braces(asked.r)}, x[{n + m + k}];",
    ]
    for changes in asked.changes:
        lines += [f"{name}_defaults(&p);", *(f"p.{one} = {value!r};" for one, value in changes.items())]
        lines += [
            f"{name}_prepare(&p); {name}_state_rate({asked.t!r}, q, u, r, &p, x, x + {n});",
            f"{name}_sensors({asked.t!r}, q, u, r, &p, x + {n + m});",
            _PRINT.format(n + m + k),
        ]
    (folder / "main.c").write_text("\n".join([*lines, "return 0; }\n"]))
    _files(asked, C(jacobians=False), folder)
    _run(folder, "gcc", "-std=c99", "main.c", f"{name}.c", "-lm", "-o", "main")
    return _rows(_run(folder, "./main"))


def cpp(asked: Question, folder: Path) -> list[np.ndarray]:
    """C++, by g++."""
    program = Program.of(asked.eom)
    name, n, m, k = asked.name, len(asked.q), len(asked.u), len(program.outputs)
    lines = [
        f'#include <cstdio>\n#include "{name}.hpp"\nint main() {{ int i;',
        f"double q[] = {_braces(asked.q)}, u[] = {_braces(asked.u)}, r[] = {_braces(asked.r)}, x[{n + m + k}];",
    ]
    for changes in asked.changes:
        given = " ".join(f"p.{one} = {value!r};" for one, value in changes.items())
        lines += [
            f"{{ {name}::Parameters p; {given} const {name}::Model model(p);",
            f"model.state_rate({asked.t!r}, q, u, r, x, x + {n});",
            f"model.sensors({asked.t!r}, q, u, r, x + {n + m}); {_PRINT.format(n + m + k)} }}",
        ]
    (folder / "main.cpp").write_text("\n".join([*lines, "return 0; }\n"]))
    _files(asked, Cpp(jacobians=False), folder)
    _run(folder, "g++", "-std=c++11", "main.cpp", "-o", "main")
    return _rows(_run(folder, "./main"))


def _braces(values: Sequence[float]) -> str:
    return f"{{{', '.join(map(repr, values)) or '0.0'}}}"


_PRINT = 'for (i = 0; i < {}; ++i) printf("%.17g ", x[i]); printf("\\n");'


def rust(asked: Question, folder: Path) -> list[np.ndarray]:
    """Rust, by rustc."""
    program = Program.of(asked.eom)
    sizes = {"q_dot": len(asked.q), "u_dot": len(asked.u), "outputs": len(program.outputs)}
    made = " ".join(f"let mut {one} = [0.0; {size}];" for one, size in sizes.items())
    state = ", ".join(f"&{one!r}" for one in (asked.q, asked.u, asked.r))
    shown = 'for x in q_dot.iter().chain(&u_dot).chain(&outputs) { print!("{:e} ", x); } println!();'
    lines = [f'#[path = "{asked.name}.rs"]\n#[allow(dead_code)]\nmod model;\nfn main() {{']
    for changes in asked.changes:
        given = " ".join(f"p.{one} = {value!r};" for one, value in changes.items())
        lines.append(
            f"{{ let mut p = model::Parameters::default(); {given} p.prepare(); {made}"
            f"model::state_rate({asked.t!r}, {state}, &p, &mut q_dot, &mut u_dot);"
            f"model::sensors({asked.t!r}, {state}, &p, &mut outputs); {shown} }}"
        )
    (folder / "main.rs").write_text("\n".join([*lines, "}\n"]))
    _files(asked, Rust(), folder)
    _run(folder, "rustc", "--edition", "2021", "main.rs", "-o", "main")
    return _rows(_run(folder, "./main"))


def javascript(asked: Question, folder: Path) -> list[np.ndarray]:
    """JavaScript, by Node.js."""
    lines = [f'import * as model from "./{asked.name}.mjs";', f"const state = [{asked.t!r}, {asked.state}];"]
    for changes in asked.changes:
        lines.append(
            f"{{ const p = model.parameters({changes!r}); const rate = model.state_rate(...state, p);"
            "console.log([...rate.q_dot, ...rate.u_dot, ...model.sensors(...state, p).outputs].join(' ')); }"
        )
    (folder / "main.mjs").write_text("\n".join(lines))
    _files(asked, JavaScript(), folder)
    return _rows(_run(folder, "node", "main.mjs"))


def matlab(asked: Question, folder: Path) -> list[np.ndarray]:
    """MATLAB's language, by Octave: by names and values, and by a structure whose fields are changed."""
    _files(asked, Matlab(), folder)
    inputs = "; ".join(map(repr, asked.r))
    (folder / f"{asked.name}_inputs.m").write_text(f"function r = {asked.name}_inputs(t, y, p)\nr = [{inputs}];\nend\n")
    state = "; ".join(map(repr, [*asked.q, *asked.u]))
    lines = [f"y = [{state}];"]
    for changes in asked.changes:
        pairs = ", ".join(f"'{one}', {value!r}" for one, value in changes.items())
        fields = " ".join(f"p.{one} = {value!r};" for one, value in changes.items())
        for given in (f"p = {asked.name}_parameters({pairs});", f"p = {asked.name}_parameters(); {fields}"):
            lines.append(
                f"{given} S = {asked.name}_sensors({asked.t!r}, y, p);"
                f"x = [{asked.name}_der_state({asked.t!r}, y, p); S.tip(:); S.pull];"
                "printf('%.17g ', x); printf('\\n');"
            )
    (folder / "asked.m").write_text("\n".join(lines))
    rows = _rows(_run(folder, "octave-cli", "--norc", "--quiet", "asked.m"))
    if any(np.abs(a - b).max() > 0 for a, b in zip(rows[::2], rows[1::2], strict=True)):
        raise RuntimeError("Names with values and a changed structure do not give the same.")
    return rows[::2]


def fmi(asked: Question, folder: Path) -> list[np.ndarray]:
    """An FMU, by FMPy."""
    import fmpy
    from fmpy.fmi2 import FMU2Model

    path = write_fmu(asked.eom, folder / "unit.fmu", Fmi(version=2, derivatives=False), compiler="gcc", options="-O0")
    description = fmpy.read_model_description(str(path))
    references = {one.name: one.valueReference for one in description.modelVariables}
    rates = [one.variable for one in description.derivatives]
    wanted = [*(one.valueReference for one in rates), *(one.variable.valueReference for one in description.outputs)]
    states = [one.derivative.name for one in rates]
    spelled = {
        one.name: owner.name if len(owner.default) == 1 else f"{owner.name}[{k}]"
        for owner in asked.eom.model.parameters for k, one in enumerate(owner.default, 1)
    }  # fmt: skip
    rows = []
    unpacked = fmpy.extract(str(path), str(folder / "unpacked"))
    for changes in asked.changes:
        unit = FMU2Model(
            guid=description.guid,
            unzipDirectory=unpacked,
            instanceName="one",
            modelIdentifier=description.modelExchange.modelIdentifier,
        )
        unit.instantiate()
        given = {
            **{spelled[name]: value for name, value in changes.items()},
            **dict(zip(states, [*asked.q, *asked.u], strict=True)),
        }
        given |= dict(zip([one.name for one in asked.eom.inputs], asked.r, strict=True))
        unit.setupExperiment(startTime=asked.t)
        for name, value in given.items():  # one by one, as some importers do
            unit.setReal([references[name]], [value])
        unit.enterInitializationMode()
        unit.exitInitializationMode()
        rows.append(np.array(unit.getReal(wanted)))
        unit.terminate()
        unit.freeInstance()
    return rows


def modelica(asked: Question, folder: Path) -> list[np.ndarray]:
    """Modelica, by rumoca: the states after a while, with inputs that are zero."""
    import rumoca

    ((path, text),) = Modelica(partial=True).files(Program.of(asked.eom)).items()
    still = " ".join(f"{one.name} = 0;" for one in asked.eom.inputs)
    text += f"model asked extends {path.removesuffix('.mo')}; equation {still} end asked;"
    session = rumoca.Session().loads(text, model="asked")
    config = rumoca.SimConfig(solver="rk-like", rtol=1e-9, atol=1e-10)
    names = [one.name for one in (*asked.eom.coordinates, *asked.eom.speeds)]
    rows = []
    for changes in asked.changes:
        run = session.simulate(t=(0, DURATION), dt=DURATION, config=config, params=changes)
        rows.append(np.array([run[name][-1] for name in names]))
    return rows


def _moved(asked: Question) -> list[np.ndarray]:
    """The states that Modelica should find."""
    rows = []
    for changes in asked.changes:
        run = mb.simulate(asked.eom, duration=DURATION, samples=2, parameters=changes)
        rows.append(np.concatenate([run.q[-1], run.u[-1]]))
    return rows


class Tool(NamedTuple):
    """A target, and the program or the library that runs what it writes."""

    answer: Callable[[Question, Path], list[np.ndarray]]
    program: str = ""
    library: str = ""


TOOLS = {
    "Python": Tool(python), "JAX": Tool(jax, library="jax"), "CasADi": Tool(casadi, library="casadi"),
    "C": Tool(c, "gcc"), "C++": Tool(cpp, "g++"), "Rust": Tool(rust, "rustc"), "JavaScript": Tool(javascript, "node"),
    "MATLAB": Tool(matlab, "octave-cli"), "FMI": Tool(fmi, "gcc", "fmpy"), "Modelica": Tool(modelica, library="rumoca"),
}  # fmt: skip
"""All targets that can be run."""


@cache
def tools() -> dict[str, Tool]:
    """The targets whose tools are there."""
    return {
        name: one for name, one in TOOLS.items()
        if (not one.program or shutil.which(one.program)) and (not one.library or importlib.util.find_spec(one.library))
    }  # fmt: skip


def case(seed: int) -> Outcome:
    """All targets for one model."""
    asked = question(seed)
    expected = asked.expected()
    what = f"{len(asked.eom.coordinates)} coordinates, changes {asked.changes}, targets {', '.join(tools())}"
    wrong = []
    for name, tool in tools().items():
        with tempfile.TemporaryDirectory() as temporary:
            found = tool.answer(asked, Path(temporary))
        wanted, tolerance = (_moved(asked), MOVED) if name == "Modelica" else (expected, TOLERANCE)
        for changes, one, right in zip(asked.changes, found, wanted, strict=True):
            gap = np.abs(one - right) / (1 + np.abs(right)) if one.shape == right.shape else np.array([np.inf])
            if not (gap <= tolerance).all():
                wrong.append(f"{name} with {changes}: {one} instead of {right}")
    return Outcome("exports", seed, WRONG if wrong else RIGHT, what, "; ".join(wrong))
