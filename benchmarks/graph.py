"""A 30-link spatial chain: tip position, its Jacobian and its time derivative, here and with SymPy and CasADi.

All three tools run the same text, ``tip``, with their own scalars; then each differentiates with its own means and
makes a function the way its documentation recommends (here ``Function``, SymPy ``lambdify`` with cse, CasADi
``Function`` with buffers). A bound call here works on arrays that were given once, as CasADi's buffers do; a plain call
checks its arguments and makes new arrays. All must find the same numbers. CasADi is also timed with its matrix idiom,
where a link is one 3×3 product, and with the C code that it writes, compiled by gcc; SymPy also with the functions of
Python's ``math``, which are faster for single numbers than NumPy's, its default. The best of several runs counts.

The second table is compile time against size. Run with ``./dev bench graph``.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from operator import add, mul, sub
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from _lines import bar, claim
from _timing import best, per_call

LINKS = 30
SYMPY_LINKS = 16  # SymPy takes a minute; with 30 links its Jacobian is not done after ten
STATES = 10_000
PLANES = ((1, 2), (2, 0), (0, 1))  # what a rotation about x, y, z mixes


def tip(sin: Callable[[Any], Any], cos: Callable[[Any], Any], q: Sequence[Any], l: Sequence[Any]) -> list[Any]:
    """Position of the tip: link k turns about x, y or z by q[k] and is a vector l long."""
    r: list[list[Any]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    p: list[Any] = [0, 0, 0]
    for k, angle in enumerate(q):
        c, s = cos(angle), sin(angle)
        a, b = PLANES[k % 3]
        for row in r:
            row[a], row[b] = row[a] * c + row[b] * s, row[b] * c - row[a] * s
        for i, row in enumerate(r):
            p[i] = p[i] + row[0] * l[0] + row[1] * l[1] + row[2] * l[2]
    return p


def ours(links: int = LINKS) -> tuple[float, Any]:
    """Derivation here."""
    from multibody import graph as g

    def derive() -> Any:
        q = g.symbols(" ".join(f"q{k}" for k in range(links)), "coordinate")
        u = g.symbols(" ".join(f"u{k}" for k in range(links)), "speed")
        l = g.symbols("l1 l2 l3", "parameter")
        p = tip(g.sin, g.cos, q, l)
        jacobian = g.jacobian(p, q)
        return q, u, l, p, jacobian, g.product(jacobian, u)

    return best(derive)


def casadi_scalars() -> tuple[float, Any]:
    """Derivation with CasADi's SX, the same scalar text."""
    import casadi as ca

    def derive() -> Any:
        q, u, l = ca.SX.sym("q", LINKS), ca.SX.sym("u", LINKS), ca.SX.sym("l", 3)
        p = ca.vertcat(*tip(ca.sin, ca.cos, ca.vertsplit(q), ca.vertsplit(l)))
        jacobian = ca.jacobian(p, q)
        return q, u, l, p, jacobian, jacobian @ u

    return best(derive)


def casadi_matrices() -> float:
    """Derivation with CasADi's SX, one matrix product per link."""
    import casadi as ca

    def derive() -> Any:
        q, u, l = ca.SX.sym("q", LINKS), ca.SX.sym("u", LINKS), ca.SX.sym("l", 3)
        r, p = ca.SX.eye(3), ca.SX.zeros(3)
        for k in range(LINKS):
            a, b = PLANES[k % 3]
            turn = ca.SX.eye(3)
            turn[a, a] = turn[b, b] = ca.cos(q[k])
            turn[b, a] = ca.sin(q[k])
            turn[a, b] = -turn[b, a]
            r = r @ turn
            p = p + r @ l
        jacobian = ca.jacobian(p, q)
        return p, jacobian, jacobian @ u

    return best(derive)[0]


def sympy_derivation(links: int) -> tuple[float, Any]:
    """Derivation with SymPy, once."""
    import sympy as sp

    def derive() -> Any:
        q, u, l = sp.symbols(f"q0:{links}"), sp.symbols(f"u0:{links}"), sp.symbols("l1:4")
        p = sp.Matrix(tip(sp.sin, sp.cos, q, l))
        jacobian = p.jacobian(q)
        return q, u, l, p, jacobian, jacobian * sp.Matrix(u)

    return best(derive, 1)


def compile_ours(derived: Any) -> tuple[Any, float, float]:
    """The compiled function, seconds to compile it, seconds to load it from the cache."""
    from multibody.compiler import Function

    q, u, l, p, jacobian, v = derived

    def build() -> Any:
        function = Function("tip", {"q": q, "u": u, "l": l}, {"p": p, "J": jacobian, "v": v})
        return function, function.address

    with tempfile.TemporaryDirectory() as folder:
        os.environ["MULTIBODY_CACHE"] = "off"
        compiling, (function, _) = best(build, 3)
        os.environ["MULTIBODY_CACHE"] = folder
        build()
        cached = best(build)[0]
    return function, compiling, cached


def casadi_call(function: Any, arrays: dict[str, np.ndarray]) -> float:
    """Seconds for a call of a function of CasADi on arrays that it reads and writes in place."""
    buffer, call = function.buffer()
    results = [np.zeros(function.nnz_out(k)) for k in range(function.n_out())]
    for k, array in enumerate(arrays.values()):
        buffer.set_arg(k, memoryview(array))
    for k, array in enumerate(results):
        buffer.set_res(k, memoryview(array))
    return per_call(call)


def casadi_c_call(function: Any, arrays: dict[str, np.ndarray]) -> float:
    """The same for the C code that CasADi writes; NaN without gcc."""
    import casadi as ca

    if shutil.which("gcc") is None:
        return float("nan")
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder) / "tip.c", Path(folder) / "tip.so"
        code.write_text(_c_code(function))
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, str(code), "-lm", "-o", str(library)], check=True)
        return casadi_call(ca.external("tip", str(library)), arrays)


def _c_code(function: Any) -> str:
    import casadi as ca

    generator = ca.CodeGenerator("tip.c")
    generator.add(function)
    return generator.dump()


def chain(operations: int) -> Any:
    """A function with about this many operations, no two alike."""
    from multibody import graph as g
    from multibody.compiler import Function

    pick = random.Random(0)
    x = list(g.symbols(" ".join(f"x{k}" for k in range(50))))
    values: list[Any] = list(x)
    while len(values) < operations // 2 + len(x):  # each round makes two operations
        a, b = values[-1], values[pick.randrange(max(0, len(values) - 200), len(values) - 1)]
        values.append(pick.choice((mul, add, sub))(a, b + pick.random()))
    return Function("long", {"x": x}, {"y": values[-1]})


def compile_times() -> None:
    """Compile time against size."""
    os.environ["MULTIBODY_CACHE"] = "off"
    print("\ncompile time against size")
    for size in (5_000, 20_000, 80_000):
        function = chain(size)
        start = perf_counter()
        function.address  # noqa: B018 - this compiles
        seconds = perf_counter() - start
        count = sum(function.operations.values())
        print(f"  {count:7d} operations: {seconds:7.2f} s   {seconds / count * 1e6:6.1f} µs per operation")


def against_sympy() -> dict[str, float]:
    """How many times faster derivation and evaluation are, with as many links as SymPy manages."""
    import sympy as sp

    from multibody.compiler import Function

    time_ours, (q, u, l, p, jacobian, v) = ours(SYMPY_LINKS)
    function = Function("tip", {"q": q, "u": u, "l": l}, {"p": p, "J": jacobian, "v": v})
    rng = np.random.default_rng(0)
    arrays = {"q": rng.normal(size=SYMPY_LINKS), "u": rng.normal(size=SYMPY_LINKS), "l": rng.normal(size=3)}
    outputs = {"p": np.zeros(3), "J": np.zeros((3, SYMPY_LINKS)), "v": np.zeros(3)}
    call_ours = per_call(function.bind(**arrays, **outputs))
    plain_ours = per_call(lambda: function(*arrays.values()))
    time_sympy, (*symbols, s_p, s_j, s_v) = sympy_derivation(SYMPY_LINKS)
    start = perf_counter()
    lambdified = sp.lambdify(symbols, [s_p, s_j, s_v], cse=True)
    made = perf_counter() - start
    call_sympy = per_call(lambda: lambdified(*arrays.values()))
    plain = sp.lambdify(symbols, [s_p, s_j, s_v], modules=["math", "numpy"], cse=True)
    call_plain = per_call(lambda: plain(*arrays.values()))
    for found in (lambdified(*arrays.values()), plain(*arrays.values())):
        for own, other in zip(outputs.values(), found, strict=True):
            np.testing.assert_allclose(own, np.asarray(other, dtype=float).reshape(own.shape), rtol=1e-10, atol=1e-10)
    print(f"\n{SYMPY_LINKS} links: derive {time_ours * 1e3:.1f} ms, SymPy {time_sympy:.1f} s, lambdify {made:.1f} s;"
          f" a bound call {call_ours * 1e6:.3f} µs, a plain one {plain_ours * 1e6:.3f} µs,"
          f" SymPy {call_sympy * 1e6:.1f} µs, by math {call_plain * 1e6:.1f} µs")  # fmt: skip
    case = f"{SYMPY_LINKS} links"
    claim("derive expressions", case, "ms", {"multibody": time_ours, "SymPy": time_sympy}, 1e-3)
    calls = {"multibody, bound": call_ours, "multibody, plain": plain_ours}
    calls |= {"SymPy lambdify": call_sympy, "SymPy lambdify, math": call_plain}
    claim("evaluate expressions", case, "µs", calls, 1e-6)
    return {
        "derive_vs_sympy": time_sympy / time_ours,
        "eval_vs_lambdify": call_sympy / call_ours,
        "eval_vs_lambdify_math": call_plain / call_ours,
        "plain_eval_vs_lambdify": call_sympy / plain_ours,
        "plain_eval_vs_lambdify_math": call_plain / plain_ours,
    }


def main() -> None:
    """Measure, print a table, then the line of key figures."""
    import casadi as ca

    time_ours, derived = ours()
    time_casadi, (cq, cu, cl, cp, cj, cv) = casadi_scalars()
    time_casadi_matrices = casadi_matrices()
    function, compiling, cached = compile_ours(derived)
    print(function.report())

    rng = np.random.default_rng(0)
    states, speeds, lengths = rng.normal(size=(STATES, LINKS)), rng.normal(size=(STATES, LINKS)), rng.normal(size=3)
    arrays = {"q": states[0].copy(), "u": speeds[0].copy(), "l": lengths}
    outputs = {"p": np.zeros(3), "J": np.zeros((3, LINKS)), "v": np.zeros(3)}
    call_ours = per_call(function.bind(**arrays, **outputs))
    plain_ours = per_call(lambda: function(*arrays.values()))

    machine = ca.Function("tip", [cq, cu, cl], [cp, cj, cv])
    call_casadi, call_casadi_c = casadi_call(machine, arrays), casadi_c_call(machine, arrays)
    plain_casadi = per_call(lambda: machine(*arrays.values()))
    for own, other in zip(outputs.values(), machine(*arrays.values()), strict=True):
        np.testing.assert_allclose(own, other.full().reshape(own.shape), rtol=1e-11, atol=1e-11)

    shared = frozenset({2})
    values = list(zip(function.inputs, (states, speeds, lengths), (STATES, STATES, None), strict=True))
    out = {port.name: np.empty((STATES, *port.shape)) for port in function.outputs}
    single, several = function._kernel(shared, 1), function._kernel(shared)
    rounds = [[best(lambda k=k: k.run(function, values, 1, out), 5)[0] for k in (single, several)] for _ in range(12)]
    loop, batch = (min(times) / STATES for times in zip(*rounds, strict=True))  # both in turn, for noise hits both

    beside_sympy = against_sympy()

    print(f"\n{LINKS} links              multibody       CasADi SX  (its matrices)")
    rows = {
        "derive [ms]": [1e3 * seconds for seconds in (time_ours, time_casadi, time_casadi_matrices)],
        "a bound call [µs]": [1e6 * call_ours, 1e6 * call_casadi],
        "a plain call [µs]": [1e6 * plain_ours, 1e6 * plain_casadi],
    }
    for title, values in rows.items():
        print(f"  {title:18}" + "".join(f"{value:16.3f}" for value in values))
    print(f"  one call of the C code that CasADi writes, by gcc: {1e6 * call_casadi_c:.3f} µs")
    print(f"  ready to call after {compiling:.3f} s, from the cache after {cached:.3f} s")
    print(f"  per state in a compiled loop {loop * 1e6:.3f} µs, in a batch on one thread {batch * 1e6:.3f} µs")
    compile_times()
    figures = {
        "derive_vs_sympy": beside_sympy["derive_vs_sympy"],
        "derive_vs_casadi": time_casadi / time_ours,
        "derive_vs_casadi_matrices": time_casadi_matrices / time_ours,
        "eval_vs_lambdify": beside_sympy["eval_vs_lambdify"],
        "eval_vs_casadi": call_casadi / call_ours,
        "batch_gain": loop / batch,
        "compile_s": compiling,
        "cached_s": cached,
        "eval_vs_lambdify_math": beside_sympy["eval_vs_lambdify_math"],
        "eval_vs_casadi_c": call_casadi_c / call_ours,
        "plain_eval_vs_lambdify": beside_sympy["plain_eval_vs_lambdify"],
        "plain_eval_vs_lambdify_math": beside_sympy["plain_eval_vs_lambdify_math"],
        "plain_eval_vs_casadi": plain_casadi / plain_ours,
    }
    case = f"{LINKS} links"
    derived = {"multibody": time_ours, "CasADi SX": time_casadi, "CasADi SX, by matrices": time_casadi_matrices}
    claim("derive expressions", case, "ms", derived, 1e-3)
    called = {"multibody, bound": call_ours, "multibody, plain": plain_ours}
    called |= {"CasADi, buffers": call_casadi, "CasADi, plain": plain_casadi, "CasADi, C by gcc": call_casadi_c}
    claim("evaluate expressions", case, "µs", called, 1e-6)
    looped = {"multibody, in a loop": loop, "multibody, batch": batch}
    claim("evaluate expressions", f"{case}, no Python", "µs", looped, 1e-6)
    bar(figures)


if __name__ == "__main__":
    main()
