"""C and C++, by gcc with all warnings as errors and sanitizers on."""

from __future__ import annotations

import math
import re
from pathlib import Path

import mpmath
import numpy as np
import pytest

import multibody as mb
from multibody.codegen import C, Cpp, Target, export
from multibody.codegen.targets.c import circle
from multibody.graph import sin

from .conftest import named_case
from .driving import Drive, run, tool, written
from .models import Case, still

STRICT = [
    "-O0",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
]

LARGE = ("tree", "panda", "bicycle")
"""Whose derivatives take compilers long with sanitizers."""

C_DRIVER = """#include "{name}.h"
#include <stdio.h>

int main(void)
{{
    double in[{total}], out[{results}];
    {name}_parameters p;
    int k;
    {name}_defaults(&p);
    while (fread(in, sizeof(double), {total}, stdin) == {total}) {{
        const double *q = in + 1, *u = q + {n}, *r = u + {m}, *s = r + {i};
        for (k = 0; k < {p}; ++k)
            ((double *)&p)[k] = s[k];
        {name}_prepare(&p);
{calls}
        fwrite(out, sizeof(double), {results}, stdout);
    }}
    return 0;
}}
"""

CPP_DRIVER = """#include "{name}.hpp"
#include <cstdio>

int main()
{{
    double in[{total}], out[{results}];
    {name}::Parameters p;
    while (std::fread(in, sizeof(double), {total}, stdin) == {total}) {{
        const double *q = in + 1, *u = q + {n}, *r = u + {m}, *s = r + {i};
        for (int k = 0; k < {p}; ++k)
            reinterpret_cast<double *>(&p)[k] = s[k];
        const {name}::Model model(p);
{calls}
        std::fwrite(out, sizeof(double), {results}, stdout);
    }}
    return 0;
}}
"""


def driver(text: str, drive: Drive, form: str) -> str:
    """The source of a program that calls all routines."""
    calls, start = [], 0
    for routine in drive.routines:
        places = []
        for result in drive.case.program.routine(routine).results:
            places.append(f"out + {start}")
            start += result.size
        calls.append("        " + form.format(routine=routine, results=", ".join(places)))
    n, m, i, p = drive.counts
    name = drive.case.eom.model.name
    return text.format(name=name, total=1 + n + m + i + p, results=start, n=n, m=m, i=i, p=p, calls="\n".join(calls))


def test_c(case: Case, tmp_path: Path) -> None:
    gcc = tool("gcc")
    jacobian = case.name not in LARGE
    written(case, C(jacobians=jacobian), tmp_path)
    name, drive = case.eom.model.name, Drive.of(case, jacobian=jacobian)
    form = name + "_{routine}(in[0], q, u, r, &p, {results});"
    (tmp_path / "driver.c").write_text(driver(C_DRIVER, drive, form))
    run(gcc, "-std=c99", *STRICT, "-c", f"{name}.c", "-o", "model.o", folder=tmp_path)
    run(gcc, "-std=c99", *STRICT, "driver.c", "model.o", "-lm", "-o", "driver", folder=tmp_path)
    drive.check(run(tmp_path / "driver", folder=tmp_path, stdin=drive.written()))
    if case.name != "tree":  # whose start is singular
        runs_in_fixed_steps(case, tmp_path)


def runs_in_fixed_steps(case: Case, folder: Path) -> None:
    """The test program beside the model."""
    program = f"{case.eom.model.name}_test"
    run(tool("gcc"), "-std=c99", *STRICT, f"{program}.c", "model.o", "-lm", "-o", program, folder=folder)
    ended = run(folder / program, folder=folder).decode().splitlines()
    assert len(ended) == len(case.program.states)
    assert all(math.isfinite(float(line.partition(" = ")[2])) for line in ended)


def test_cpp(case: Case, tmp_path: Path) -> None:
    compiler = tool("g++")
    jacobian = case.name not in LARGE
    written(case, Cpp(jacobians=jacobian), tmp_path)
    drive = Drive.of(case, jacobian=jacobian)
    (tmp_path / "driver.cpp").write_text(driver(CPP_DRIVER, drive, "model.{routine}(in[0], q, u, r, {results});"))
    run(compiler, "-std=c++11", *STRICT, "driver.cpp", "-o", "driver", folder=tmp_path)
    drive.check(run(tmp_path / "driver", folder=tmp_path, stdin=drive.written()))


def test_cmake_builds_it_and_the_test_program_keeps_the_constraints(tmp_path: Path) -> None:
    cmake = tool("cmake")
    case = named_case("four_bar_multipliers")
    written(case, C(), tmp_path)
    run(cmake, "-S", tmp_path, "-B", tmp_path / "build", folder=tmp_path)
    run(cmake, "--build", tmp_path / "build", folder=tmp_path)
    lines = run(tmp_path / "build" / "four_bar_test", folder=tmp_path).decode().splitlines()
    end = {name: float(value) for name, _, value in (line.partition(" = ") for line in lines)}
    names = [one.name for one in case.program.states]
    q, u = np.split(np.array([end[name] for name in names]), [len(case.program.coordinates)])
    p = [one.value for one in case.program.parameters]
    gaps = case.eom.constraint_residuals(1.0, q, u, [0.0], p)
    assert max(np.abs(gaps.position).max(), np.abs(gaps.velocity).max()) < 1e-10
    start = np.array([one.value for one in case.program.coordinates])
    weight = [case.eom.function("V", {"V": case.eom.potential_energy})(0.0, at, u, [0.0], p) for at in (start, q)]
    motion = case.eom.function("T", {"T": case.eom.kinetic_energy})(0.0, q, u, [0.0], p)
    assert motion > 1.0
    assert weight[0] == pytest.approx(weight[1] + motion, rel=1e-6)


# without states --------------------------------------------------------------------------------------------------

STILL = """#include "still.hpp"
#include <cstdio>

int main()
{
    const still::Model model;
    double q[1] = {0.0}, u[1] = {0.0}, outputs[1];
    model.start(q, u);
    model.step(0.0, 0.1, q, u, nullptr);
    model.sensors(0.5, q, u, nullptr, outputs);
    std::printf("%.17g", outputs[0]);
}
"""


def test_c_without_states(tmp_path: Path) -> None:
    """A given motion alone: the step has nothing to do, and the test program still runs."""
    export(still(), C(), tmp_path)
    run(tool("gcc"), "-std=c99", *STRICT, "still.c", "still_test.c", "-lm", "-o", "still", folder=tmp_path)
    assert run(tmp_path / "still", folder=tmp_path) == b"t = 1\n"


def test_cpp_without_states(tmp_path: Path) -> None:
    export(still(), Cpp(), tmp_path)
    (tmp_path / "driver.cpp").write_text(STILL)
    run(tool("g++"), "-std=c++11", *STRICT, "driver.cpp", "-o", "driver", folder=tmp_path)
    turned = float(run(tmp_path / "driver", folder=tmp_path))
    assert turned == pytest.approx(0.3 * np.sin(0.5), rel=1e-15)


# names that are macros ---------------------------------------------------------------------------------------------

HEADERS = ["assert", "complex", "errno", "float", "math", "stdio", "stdlib"]
LISTED = (
    "HUGE_VAL NAN INFINITY FP_NAN FP_ZERO FP_INFINITE FP_NORMAL FP_SUBNORMAL M_PI M_E M_PI_2 errno I complex EOF NULL "
    "assert DBL_MAX RAND_MAX EDOM"
).split()


def macros(compiler: str, language: str, folder: Path) -> list[str]:
    """The macros of the header that the written code includes, by the preprocessor itself."""
    told = run(compiler, "-x", language, "-dM", "-E", "-include", "math.h", "/dev/null", folder=folder).decode()
    names = [line.split()[1].partition("(")[0] for line in told.splitlines()]
    ours = [name for name in names if re.match(r"(M_|FP_|HUGE|MATH|SNAN|is|NAN|INF|math|signbit|fpcl)", name)]
    assert {"M_PI", "HUGE_VAL", "FP_NAN"} <= set(ours)
    return ours


@pytest.mark.parametrize(("target", "compiler", "language"), [(C(), "gcc", "c"), (Cpp(), "g++", "c++")])
def test_names_that_are_macros(target: Target, compiler: str, language: str, tmp_path: Path) -> None:
    """As names of parameters, joints and inputs, with and without the headers of the user's own program."""
    program = tool(compiler)
    system = mb.System("HUGE_VAL")
    names = [*LISTED, *macros(program, language, tmp_path)]
    body, total = system.world, system.time
    for k, name in enumerate(dict.fromkeys(names)):
        if name in ("NAN", "errno"):
            body = system.body(f"b{k}", 1.0)
            total += system.joint(name, system.world, body, "Tx").coordinate
        else:
            one = system.input(name) if name in ("EOF", "I") else system.parameter(name, 1.0 + k)
            total = sin(total * one) + one
    system.sensor("NULL_", mb.Expression(total))
    system.load(mb.Force(body, (total, 0, 0)))
    paths = export(mb.derive(system), target, tmp_path).written
    (source,) = (path for path in paths if path.suffix in (".c", ".hpp") and "test" not in path.name)
    user = [word for header in HEADERS for word in ("-include", f"{header}.h")]
    for more in ([], user):
        run(program, "-x", language, *more, "-Wall", "-Werror", "-fsyntax-only", source, folder=tmp_path)


# sine and cosine ---------------------------------------------------------------------------------------------------

WAVES = """#include <stdio.h>
#include <math.h>
{helpers}

int main(void)
{{
    double x[2];
    while (fread(x, sizeof(double), 1, stdin) == 1) {{
        const double out[2] = {{sine(x[0]), cosine(x[0])}};
        fwrite(out, sizeof(double), 2, stdout);
    }}
    return 0;
}}
"""


@pytest.mark.parametrize("flags", [["-O0"], ["-O3", "-mfma"], ["-O3", "-mfma", "-ffast-math"]], ids=" ".join)
def test_sine_and_cosine(flags: list[str], tmp_path: Path) -> None:
    """To 1.5 units in the last place, where they are computed in line as well as in the library."""
    fused = "-mfma" in flags
    if fused and " fma " not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has no fused multiply-add")
    texts = circle.helpers()
    (tmp_path / "waves.c").write_text(WAVES.format(helpers=texts["sin"] + "\n" + texts["cos"].split("\n\n")[1]))
    run(tool("gcc"), "-std=c99", "-Wall", "-Werror", *flags, "waves.c", "-lm", "-o", "waves", folder=tmp_path)
    rng = np.random.default_rng(0)
    turns = rng.integers(-60000, 60000, 400) * (np.pi / 2)  # where one of the two is tiny
    near = np.array([k * np.pi / 4 for k in range(-9, 10)])
    far = [1e5, 1e-300, 3e5, 1e22]
    x = np.concatenate([rng.uniform(-10, 10, 2000), rng.uniform(-1e5, 1e5, 1000), turns, near, far])
    found = np.frombuffer(run(tmp_path / "waves", folder=tmp_path, stdin=x.tobytes())).reshape(-1, 2)
    with mpmath.workprec(300):
        for values, function in zip(found.T, (mpmath.sin, mpmath.cos), strict=True):
            truth = [function(mpmath.mpf(float(one))) for one in x]
            error = [abs(mpmath.mpf(float(v)) - t) / math.ulp(float(t)) for v, t in zip(values, truth, strict=True)]
            assert max(error) < (2.0 if "-ffast-math" in flags else 1.5)
    if "-ffast-math" not in flags:
        beyond = np.array([np.inf, -np.inf, np.nan])
        out = np.frombuffer(run(tmp_path / "waves", folder=tmp_path, stdin=beyond.tobytes()))
        assert np.isnan(out).all()
