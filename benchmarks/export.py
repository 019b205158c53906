"""Exported C beside our own machine code, and beside C that SymPy writes: accelerations of single states.

All three compute u̇ in a loop over single states on one core, and must find the same numbers. C is compiled by gcc with
``-O3 -march=native``.

* Ours is ``export(eom, C())`` as it comes; of two formalisms the one with fewer operations is taken. For the four-bar
  that is Kane's: position and velocity of all three angles are given, accelerations follow from one equation of motion
  and two constraints, without multipliers.
* SymPy derives the same mechanism by its own KanesMethod, in a process that ends after a few minutes; mass matrix and
  right-hand side go through ``cse`` and ``ccode``. SymPy writes no solver: Cholesky's by hand gives u̇, or Gauss' where
  the matrix is not symmetric. (``rhs()``, which solves in formulas, takes more than four minutes for the four-bar.)
* The Panda has numbers for lengths, masses and inertias in both. The four-bar is that of SymPy's tutorial, with its
  joints, and with lengths and density as parameters: SymPy's code computes with them at every call, ours computes what
  follows from them alone once. The same four-bar with numbers in the place of parameters is shown, too.

Operations are counted as well, a sine or cosine as one; those of SymPy's solver are left out. They say what limits the
gain for the four-bar: of so small a mechanism SymPy's formulas are as short as ours. What remains is that sines and
cosines are computed in line, that two reciprocals stand in the place of a solver with pivots, and that what follows
from parameters alone is computed once. Run with ``./dev bench export``.
"""

from __future__ import annotations

import ctypes
import json
import math
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from _lines import claim
from _timing import Run, in_turn

import multibody as mb
from multibody.codegen import C, export
from multibody.equations import EquationsOfMotion

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
    return robots.driven(mb.read_urdf(robots.folder() / relative, floating=floating, dynamics="ignore").system)


def four_bar() -> mb.System:
    """The four-bar linkage of SymPy's tutorial, with lengths and density as parameters, and gravity."""
    system = mb.System("four_bar", gravity=(0, -GRAVITY, 0))
    *lengths, density = system.parameters(**FOUR_BAR)
    end = system.frame("right", (lengths[0] / 2, 0, 0))
    for k, length in enumerate(lengths[1:], 1):
        bar = loops.mechanisms.slender(system, f"bar{k}", length, density * length)
        system.joint(f"q{k}", end, bar, "Rz", q=math.pi / 2)
        end = bar.frame(f"end{k}", (length, 0, 0))
    system.joint("q4", end, system.frame("left", (-lengths[0] / 2, 0, 0)), "Rz", q=math.pi / 2, cut=True)
    return system


def four_bar_with_numbers() -> mb.System:
    """The same without parameters."""
    return loops.mechanisms.four_bar("q4")


GRAVITY = 9.81
FOUR_BAR = {"l1": 2.0, "l2": 1.0, "l3": 2.0, "l4": 1.0, "rho": 5.0}
NUMBERS = "… with numbers"
SYSTEMS: dict[str, Callable[[], mb.System]] = {"Panda": panda, "four-bar": four_bar, NUMBERS: four_bar_with_numbers}


def derived(name: str) -> EquationsOfMotion:
    """By the formalism that needs fewer operations."""
    ways = [mb.derive(SYSTEMS[name](), formalism) for formalism in (mb.Recursive(), mb.Kane())]
    return min(ways, key=operations)


def operations(eom: EquationsOfMotion) -> int:
    """Of the accelerations."""
    return sum(eom.forward_dynamics.operations.values())


class States:
    """The same states for all: arrays with one row for each."""

    def __init__(self, eom: EquationsOfMotion) -> None:
        rng = np.random.default_rng(0)
        start = np.array([eom.model.start[q] for q in eom.coordinates])
        spread = 0.1 if len(eom.constraints) else 1.0  # where a loop closes, or anywhere
        guesses = [(start + spread * rng.normal(size=len(start)), rng.normal(size=len(eom.speeds))) for _ in range(64)]
        found = [eom.consistent(*guess) for guess in guesses] * (STATES // 64)  # away from constraints they may differ
        self.q = np.array([state.q for state in found])
        self.u = np.array([state.u for state in found])
        self.r = rng.normal(size=(STATES, len(eom.inputs)))
        self.out = np.zeros((STATES, len(eom.speeds)))


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
static void equations(const double *q, const double *u, const double *r, const double *p, double *M, double *f)
{{
{lines}
}}
static const double defaults[] = {{{parameters}}};
const double *parameters = defaults; /* not constant for the compiler, as in our own code */
void loop(long n, const double *q, const double *u, const double *r, double *out)
{{
    for (long k = 0; k < n; ++k) {{
        double M[{m}][{m}], f[{m}];
        equations(q + {nq} * k, u + {m} * k, r + {nr} * k, parameters, &M[0][0], f);
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


def by_sympy(name: str, eom: EquationsOfMotion, states: States, folder: Path) -> tuple[Callable[[], Any], int] | None:
    """The loop over what SymPy writes, and its operations; None if it does not end in time."""
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
    parameters = ", ".join(map(repr, map(float, eom.model.parameter_values().values()))) or "0.0"
    (folder / "loop.c").write_text(SOLVED.format(lines=lines, solver=solver, parameters=parameters, **sizes))
    print(f"{name}: SymPy took {found['seconds']:.1f} s", file=sys.stderr)
    return compiled(folder, ["loop.c"], states), found["operations"]


def sympy_alone(name: str) -> None:
    """What ``by_sympy`` reads: M and f as statements in C, in our order of coordinates and speeds."""
    import sympy as sp

    start = perf_counter()
    M, f, known, symmetric = PEERS[name](SYSTEMS[name]().freeze())
    shared, (matrix, right) = sp.cse([M.xreplace(known), f.xreplace(known)])
    lines = [f"const double {symbol} = {sp.ccode(value)};" for symbol, value in shared]
    lines += [f"M[{k}] = {sp.ccode(value)};" for k, value in enumerate(matrix)]
    lines += [f"f[{k}] = {sp.ccode(value)};" for k, value in enumerate(right)]
    count = int(sp.count_ops([value for _, value in shared]) + sp.count_ops(matrix) + sp.count_ops(right))
    found = {"lines": lines, "symmetric": symmetric, "operations": count, "seconds": perf_counter() - start}
    print(json.dumps(found))


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
    """As SymPy's tutorial writes it, with gravity: dependent coordinates and speeds are among the unknowns."""
    import sympy as sp
    import sympy.physics.mechanics as me

    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    *l, rho = parameters = sp.symbols(list(FOUR_BAR))
    frames, coms = [me.ReferenceFrame(f"N{k}") for k in range(4)], [me.Point(f"C{k}") for k in range(4)]
    tensors = [me.inertia(frame, 0, 0, rho * a**3 / 12) for frame, a in zip(frames, l, strict=True)]
    links = [me.RigidBody(f"L{k}", coms[k], frames[k], rho * l[k], (tensors[k], coms[k])) for k in range(4)]
    joints = [
        me.PinJoint(
            f"J{k}", links[k], links[k + 1], q[k], u[k], parent_point=l[k] / 2 * frames[k].x,
            child_point=-l[k + 1] / 2 * frames[k + 1].x, joint_axis=frames[k].z,
        ) for k in range(3)
    ]  # fmt: skip
    system = me.System(frames[0], coms[0])
    system.add_bodies(links[0])
    system.add_joints(*joints)
    system.apply_uniform_gravity(-GRAVITY * frames[0].y)
    loop = coms[3].pos_from(coms[0]) + l[0] / 2 * frames[0].x + l[3] / 2 * frames[3].x
    system.add_holonomic_constraints(loop.dot(frames[0].x), loop.dot(frames[0].y))
    system.q_ind, system.q_dep = q[:1], q[1:]
    system.u_ind, system.u_dep = u[:1], u[1:]
    system.form_eoms(constraint_solver=loops.SOLVER)
    known = _known(q, u, ()) | {one: sp.Symbol(f"p[{k}]") for k, one in enumerate(parameters)}
    return system.eom_method.mass_matrix, system.eom_method.forcing, known, False


def sympy_four_bar_with_numbers(model: mb.Model) -> Any:
    """The same with numbers, from the description in ``loops``."""
    method, coordinates, speeds = loops.sympy_plane(four_bar_with_numbers())
    assert coordinates == [one.name for one in model.coordinates]
    assert speeds == [one.name for one in model.speeds]
    return method.mass_matrix, method.forcing, _known(method.q, method.u, ()), False


def _known(q: Any, u: Any, r: Any) -> dict[Any, Any]:
    """Places in arrays for coordinates, speeds and inputs."""
    import sympy as sp

    groups = {"q": q, "u": u, "r": r}
    return {one: sp.Symbol(f"{array}[{k}]") for array, group in groups.items() for k, one in enumerate(group)}


PEERS = {"Panda": sympy_tree, "four-bar": sympy_four_bar, NUMBERS: sympy_four_bar_with_numbers}


# results ------------------------------------------------------------------------------------------------------------


class Figures(NamedTuple):
    """Seconds per state for each way that there is, and operations: ours and SymPy's."""

    seconds: dict[str, float]
    own: int
    peer: int | None

    def __str__(self) -> str:
        ways = [f"{self.seconds[way] * 1e9:7.0f}ns" if way in self.seconds else "    late " for way in WAYS]
        counts = f"{self.own:6d} {self.peer if self.peer is not None else '':>6}"
        return f"{' '.join(ways)} {counts}   C/LLVM {self.c_vs_llvm:.2f}, SymPy/C {self.c_vs_sympy:.1f}"

    @property
    def c_vs_llvm(self) -> float:
        """How many times longer C takes than our machine code."""
        return self.seconds["C"] / self.seconds["LLVM"]

    @property
    def c_vs_sympy(self) -> float:
        """How many times longer SymPy's C takes."""
        return self.seconds.get("SymPy", math.nan) / self.seconds["C"]


NAMES = {"LLVM": "multibody", "C": "multibody, C by gcc", "SymPy": "SymPy, C by gcc"}
WAYS = tuple(NAMES)


def measured(name: str, folder: Path) -> Figures:
    """All ways that there are; all of them give the same accelerations."""
    eom = derived(name)
    states = States(eom)
    runs: dict[str, Callable[[], Any]] = {"LLVM": by_llvm(eom, states), "C": by_c(eom, states, folder / name)}
    peer = by_sympy(name, eom, states, folder / f"{name}_sympy")
    if peer is not None:
        runs["SymPy"] = peer[0]
    runs["LLVM"]()
    expected = states.out.copy()
    for way, run in runs.items():
        states.out[:] = 0.0
        run()
        error = np.abs(states.out - expected).max() / np.abs(expected).max()
        assert error < (1e-11 if way == "C" else 1e-8), (name, way, error)
    seconds = in_turn({way: Run(run, STATES) for way, run in runs.items()}, ROUNDS)
    return Figures(seconds, operations(eom), None if peer is None else peer[1])


def talos_seconds() -> float:
    """Seconds of the processor that gcc takes with -O2 for the humanoid: all routines, Jacobians among them."""
    relative, floating = robots.ROBOTS["Talos"]
    eom = mb.derive(mb.read_urdf(robots.folder() / relative, floating=floating, dynamics="ignore").system)
    with tempfile.TemporaryDirectory() as folder:
        export(eom, C(), folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(["gcc", "-std=c99", "-O2", "-c", f"{eom.model.name}.c"], cwd=folder, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> None:
    """Measure, print the table, then the line of key figures."""
    print(f"{'':14} {' '.join(f'{way:>9}' for way in WAYS)} operations   ratios")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEMS:
            found[name] = measured(name, Path(folder))
            print(f"{name:14} {found[name]}", flush=True)
            seconds = {NAMES[way]: time for way, time in found[name].seconds.items()}
            claim("generated C", name.replace("…", "four-bar"), "ns", seconds, 1e-9)
    named = {"panda": found["Panda"], "four_bar": found["four-bar"], "four_bar_numbers": found[NUMBERS]}
    ratios = " ".join(f"{key}_c_vs_sympy_c={one.c_vs_sympy:.1f}" for key, one in named.items())
    slowest = max(one.c_vs_llvm for one in found.values())
    least = min(found[name].c_vs_sympy for name in ("Panda", "four-bar"))
    print(f"BAR c_vs_llvm={slowest:.2f} c_vs_sympy_c={least:.1f} {ratios} talos_gcc_s={talos_seconds():.1f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sympy"]:
        sympy_alone(sys.argv[2])
    else:
        main()
