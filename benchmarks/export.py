"""Exported C beside our own machine code, and beside C that SymPy writes: accelerations of single states.

All three compute u̇ in a loop over single states on one core. C is compiled by gcc with ``-O3 -march=native``, ours as
``export(eom, C())`` writes it. SymPy derives the same mechanism by its KanesMethod, in a process of its own that ends
after a few minutes; its mass matrix and right-hand side go through ``cse`` and ``ccode``, and a Cholesky solver written
in C by hand gives the accelerations (LU where the matrix is not symmetric). All must find the same numbers. The time
of the four-bar goes into three sines and cosines, whoever writes the rest. Run with ``./dev bench export``.
"""

from __future__ import annotations

import ctypes
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import multibody as mb
from multibody.equations import EquationsOfMotion
from multibody.export import C, export

sys.path.insert(0, str(Path(__file__).resolve().parent))

import loops
import robots

STATES = 4096
PATIENCE = 400.0
"""Seconds that SymPy gets for each mechanism."""
FLAGS = ["-O3", "-march=native", "-fno-math-errno", "-fPIC", "-shared"]
ROUNDS = 9


def panda() -> mb.System:
    """The arm with a load on every joint."""
    relative, floating = robots.ROBOTS["Panda"]
    return robots.driven(mb.read_urdf(robots.folder() / relative, floating=floating).system)


def four_bar() -> mb.System:
    """The four-bar linkage of SymPy's tutorial."""
    return loops.mechanisms.four_bar("q4")


SYSTEMS: dict[str, Callable[[], mb.System]] = {"Panda": panda, "four-bar": four_bar}


class States:
    """The same states for all: arrays with one row for each."""

    def __init__(self, eom: EquationsOfMotion) -> None:
        rng = np.random.default_rng(0)
        start = np.array([eom.model.start[q] for q in eom.coordinates])
        guesses = [(start + 0.1 * rng.normal(size=len(start)), rng.normal(size=len(eom.speeds))) for _ in range(64)]
        found = [eom.consistent(*guess) for guess in guesses] * (STATES // 64)  # away from constraints they may differ
        self.q = np.array([state.q for state in found])
        self.u = np.array([state.u for state in found])
        self.r = rng.normal(size=(STATES, len(eom.inputs)))
        self.out = np.zeros((STATES, len(eom.speeds)))


def alternating(runs: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The best time of each, taken in turn, so that noise hits all of them."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            start = perf_counter()
            run()
            times[name].append(perf_counter() - start)
    return {name: min(found) for name, found in times.items()}


# our own -----------------------------------------------------------------------------------------------------------


def by_llvm(eom: EquationsOfMotion, states: States) -> Callable[[], Any]:
    """The loop over single states that ``compile`` makes."""
    function = eom.forward_dynamics
    values = [np.zeros(STATES), states.q, states.u, states.r, np.array(list(eom.model.parameter_values().values()))]
    ports = list(zip(function.inputs, values, [STATES] * 4 + [None], strict=True))
    kernel = function._kernel(frozenset({4}), 1)
    return lambda: kernel.run(function, ports, 1, {"acceleration": states.out})


LOOP = """#include "{name}.h"
void loop(long n, const double *q, const double *u, const double *r, double *out)
{{
    double rate[{nq} + 1];
    {name}_parameters p;
    {name}_defaults(&p);
    for (long k = 0; k < n; ++k)
        {name}_state_rate(0.0, q + {nq} * k, u + {nu} * k, r + {nr} * k, &p, rate, out + {nu} * k);
}}
"""


def by_c(eom: EquationsOfMotion, states: States, folder: Path) -> Callable[[], Any]:
    """The loop over what is exported."""
    export(eom, C(jacobians=False), folder)
    name = eom.model.name
    sizes = {"nq": len(eom.coordinates), "nu": len(eom.speeds), "nr": len(eom.inputs)}
    (folder / "loop.c").write_text(LOOP.format(name=name, **sizes))
    return compiled(folder, [f"{name}.c", "loop.c"], states)


def compiled(folder: Path, sources: list[str], states: States) -> Callable[[], Any]:
    """A call of the function ``loop`` in C sources."""
    subprocess.run(["gcc", *FLAGS, *sources, "-lm", "-o", "loop.so"], cwd=folder, check=True)
    loop = ctypes.CDLL(str(folder / "loop.so")).loop
    arrays = [array.ctypes.data_as(ctypes.c_void_p) for array in (states.q, states.u, states.r, states.out)]
    return lambda: loop(ctypes.c_long(STATES), *arrays)


# SymPy -------------------------------------------------------------------------------------------------------------

SOLVED = """#include <math.h>
static void equations(const double *q, const double *u, const double *r, double *M, double *f)
{{
{lines}
}}
void loop(long n, const double *q, const double *u, const double *r, double *out)
{{
    for (long k = 0; k < n; ++k) {{
        double M[{m}][{m}], f[{m}];
        equations(q + {nq} * k, u + {m} * k, r + {nr} * k, &M[0][0], f);
        {solver}
        for (int i = 0; i < {m}; ++i)
            out[{m} * k + i] = f[i];
    }}
}}
"""

CHOLESKY = """for (int j = 0; j < {m}; ++j) {{ /* M = L·Lᵀ */
            for (int i = 0; i < j; ++i) M[j][j] -= M[j][i] * M[j][i];
            M[j][j] = sqrt(M[j][j]);
            for (int i = j + 1; i < {m}; ++i) {{
                for (int l = 0; l < j; ++l) M[i][j] -= M[i][l] * M[j][l];
                M[i][j] /= M[j][j];
            }}
        }}
        for (int i = 0; i < {m}; ++i) {{
            for (int j = 0; j < i; ++j) f[i] -= M[i][j] * f[j];
            f[i] /= M[i][i];
        }}
        for (int i = {m} - 1; i >= 0; --i) {{
            for (int j = i + 1; j < {m}; ++j) f[i] -= M[j][i] * f[j];
            f[i] /= M[i][i];
        }}"""

GAUSS = """for (int j = 0; j < {m}; ++j) {{
            int best = j;
            for (int i = j + 1; i < {m}; ++i) if (fabs(M[i][j]) > fabs(M[best][j])) best = i;
            for (int l = 0; l < {m}; ++l) {{ const double x = M[j][l]; M[j][l] = M[best][l]; M[best][l] = x; }}
            const double x = f[j]; f[j] = f[best]; f[best] = x;
            for (int i = j + 1; i < {m}; ++i) {{
                const double factor = M[i][j] / M[j][j];
                for (int l = j; l < {m}; ++l) M[i][l] -= factor * M[j][l];
                f[i] -= factor * f[j];
            }}
        }}
        for (int i = {m} - 1; i >= 0; --i) {{
            for (int j = i + 1; j < {m}; ++j) f[i] -= M[i][j] * f[j];
            f[i] /= M[i][i];
        }}"""


def by_sympy(name: str, eom: EquationsOfMotion, states: States, folder: Path) -> Callable[[], Any] | None:
    """The loop over what SymPy writes; None if it does not end in time."""
    command = [sys.executable, __file__, "--sympy", name]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except subprocess.TimeoutExpired:
        return None
    found = json.loads(run.stdout)
    sizes = {"m": len(eom.speeds), "nq": len(eom.coordinates), "nr": len(eom.inputs)}
    solver = (CHOLESKY if found["symmetric"] else GAUSS).format(m=sizes["m"])
    lines = "\n".join(f"    {line}" for line in found["lines"])
    folder.mkdir()
    (folder / "loop.c").write_text(SOLVED.format(lines=lines, solver=solver, **sizes))
    print(f"{name}: SymPy took {found['seconds']:.1f} s and wrote {len(found['lines'])} statements", file=sys.stderr)
    return compiled(folder, ["loop.c"], states)


def sympy_alone(name: str) -> None:
    """What ``by_sympy`` reads: M and f as statements in C, in our order of coordinates and speeds."""
    import sympy as sp

    start = perf_counter()
    M, f, known, symmetric = {"Panda": sympy_tree, "four-bar": sympy_four_bar}[name](SYSTEMS[name]().freeze())
    shared, (matrix, right) = sp.cse([M.xreplace(known), f.xreplace(known)])
    lines = [f"const double {symbol} = {sp.ccode(value)};" for symbol, value in shared]
    lines += [f"M[{k}] = {sp.ccode(value)};" for k, value in enumerate(matrix)]
    lines += [f"f[{k}] = {sp.ccode(value)};" for k, value in enumerate(right)]
    print(json.dumps({"lines": lines, "symmetric": symmetric, "seconds": perf_counter() - start}))


def sympy_tree(model: mb.Model) -> Any:
    """A tree of hinges and sliders by Kane's method, with numbers for lengths, masses and inertias."""
    import sympy as sp
    import sympy.physics.mechanics as me

    n = len(model.speeds)
    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    r = sp.symbols(f"r:{n}")
    world, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(world, 0)
    frames, points, bodies, loads = {-1: world}, {-1: origin}, [], []
    for link in model.links:
        k = link.index
        parent, base = frames[link.parent], points[link.parent]
        R = sp.Matrix([[exact(x) for x in row] for row in link.before.rotation.to_matrix().rows])
        fixed = parent.orientnew(f"B{k}", "DCM", R)
        place = vector(link.before.position, parent)
        hinge = base.locatenew(f"P{k}", place)
        hinge.v2pt_theory(base, world, parent)
        (axis,) = link.motion.axes(link.q)
        turning = [exact(x) for x in axis.resultant]
        sliding = [exact(x) for x in axis.moment]
        along = vector(turning if any(turning) else sliding, fixed)
        if any(turning):
            frame, point = fixed.orientnew(f"F{k}", "Axis", [q[k], along]), hinge
            frame.set_ang_vel(fixed, u[k] * along)
            loads += [(frame, r[k] * along), (parent, -r[k] * along)]
        else:
            frame, point = fixed, hinge.locatenew(f"S{k}", q[k] * along)
            point.set_vel(fixed, u[k] * along)
            point.v1pt_theory(hinge, world, fixed)
            below = base.locatenew(f"T{k}", place + q[k] * along)  # the point of the parent that the slider is at
            below.set_vel(world, hinge.vel(world) + parent.ang_vel_in(world).cross(q[k] * along))
            loads += [(point, r[k] * along), (below, -r[k] * along)]
        frames[k], points[k] = frame, point
        if link.inertia is not None:
            mass = float(link.inertia.mass)
            offset = [exact(float(x) / mass) for x in link.inertia.first_moment]
            com = point.locatenew(f"C{k}", vector(offset, frame))
            com.v2pt_theory(point, world, frame)
            rows = [[exact(x) for x in row] for row in link.inertia.tensor.rows]
            tensor = me.inertia(frame, rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[1][2], rows[0][2])
            bodies.append(me.RigidBody(f"L{k}", com, frame, mass, (tensor, point)))
            pull = [exact(float(x) * mass) for x in model.gravity]
            loads.append((com, pull[0] * world.x + pull[1] * world.y + pull[2] * world.z))
    method = me.KanesMethod(world, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
    method.kanes_equations(bodies, loads)
    return method.mass_matrix, method.forcing, _known(q, u, r), True


def vector(components: Any, frame: Any) -> Any:
    """A vector along the axes of a frame of SymPy."""
    x, y, z = map(exact, components)
    return x * frame.x + y * frame.y + z * frame.z


def exact(x: Any) -> Any:
    """0 and ±1 as integers, so that SymPy sees what vanishes."""
    value = float(x)
    return round(value) if abs(value - round(value)) < 1e-12 else value


def sympy_four_bar(model: mb.Model) -> Any:
    """The constrained mechanism, with the dependent speeds among the unknowns."""
    method, coordinates, speeds = loops.sympy_plane(four_bar())
    assert coordinates == [one.name for one in model.coordinates]
    assert speeds == [one.name for one in model.speeds]
    return method.mass_matrix, method.forcing, _known(method.q, method.u, ()), False


def _known(q: Any, u: Any, r: Any) -> dict[Any, Any]:
    """Places in arrays for coordinates, speeds and inputs."""
    import sympy as sp

    groups = {"q": q, "u": u, "r": r}
    return {one: sp.Symbol(f"{array}[{k}]") for array, group in groups.items() for k, one in enumerate(group)}


# results ------------------------------------------------------------------------------------------------------------


def measured(name: str, folder: Path) -> dict[str, float]:
    """Seconds per state, for each way that there is; all of them give the same accelerations."""
    eom = mb.derive(SYSTEMS[name]())
    states = States(eom)
    runs: dict[str, Callable[[], Any]] = {"llvm": by_llvm(eom, states), "c": by_c(eom, states, folder / name)}
    peer = by_sympy(name, eom, states, folder / f"{name}_sympy")
    if peer is not None:
        runs["sympy"] = peer
    runs["llvm"]()
    expected = states.out.copy()
    for way, run in runs.items():
        states.out[:] = 0.0
        run()
        error = np.abs(states.out - expected).max() / np.abs(expected).max()
        assert error < (1e-11 if way == "c" else 1e-8), (name, way, error)
    return {way: seconds / STATES for way, seconds in alternating(runs).items()}


def talos_seconds() -> float:
    """Seconds of the processor that gcc takes with -O2 for the humanoid's dynamics, mass matrix, bias and energies."""
    relative, floating = robots.ROBOTS["Talos"]
    eom = mb.derive(mb.read_urdf(robots.folder() / relative, floating=floating).system)
    with tempfile.TemporaryDirectory() as folder:
        export(eom, C(), folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(["gcc", "-std=c99", "-O2", "-c", f"{eom.model.name}.c"], cwd=folder, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> None:
    """Measure, print the table, then the line of key figures."""
    print(f"{'':10} {'LLVM':>10} {'C':>10} {'SymPy':>10}   ratios")
    worst, beside_sympy = 0.0, {}
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEMS:
            times = measured(name, Path(folder))
            against_llvm = times["c"] / times["llvm"]
            against_sympy = times.get("sympy", float("nan")) / times["c"]
            ways = [f"{times[way] * 1e6:8.3f}µs" if way in times else "      late" for way in ("llvm", "c", "sympy")]
            print(f"{name:10} {' '.join(ways)}   C/LLVM {against_llvm:.2f}, SymPy/C {against_sympy:.1f}")
            worst, beside_sympy[name] = max(worst, against_llvm), against_sympy
    figures = f"c_vs_sympy_c={beside_sympy['Panda']:.1f} four_bar_c_vs_sympy_c={beside_sympy['four-bar']:.1f}"
    print(f"BAR c_vs_llvm={worst:.2f} {figures} talos_gcc_s={talos_seconds():.1f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sympy"]:
        sympy_alone(sys.argv[2])
    else:
        main()
