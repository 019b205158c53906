"""A 30-link spatial chain: tip position, its Jacobian and its time derivative, here and with SymPy and CasADi.

All three tools run the same text, ``tip``, with their own scalars; then each differentiates with its own means and
makes a function the way its documentation recommends (here ``Function``, SymPy ``lambdify`` with cse, CasADi
``Function`` with buffers). CasADi is also timed with its matrix idiom, where a link is one 3×3 product. The best of
several runs counts.

The second table is compile time against size. Run with ``./dev bench graph``.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Sequence
from operator import add, mul, sub
from time import perf_counter
from typing import Any

import numpy as np

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


def best(run: Callable[[], Any], repeats: int = 7) -> tuple[float, Any]:
    """The shortest of several runs, and what the last one returned."""
    shortest, result = float("inf"), None
    for _ in range(repeats):
        result = None  # drop the previous one first: nothing is found that should be made
        start = perf_counter()
        result = run()
        shortest = min(shortest, perf_counter() - start)
    return shortest, result


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


def per_call(call: Callable[[], Any], seconds: float = 0.3) -> float:
    """Seconds per call, the best of several rounds."""
    call()
    rounds = max(1, int(seconds / 7 / max(1e-7, best(call, 3)[0])))

    def run() -> None:
        for _ in range(rounds):
            call()

    return best(run)[0] / rounds


def compile_ours(derived: Any) -> tuple[Any, float, float]:
    """The compiled function, seconds to compile it, seconds to load it from the cache."""
    from multibody.compile import Function

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


def chain(operations: int) -> Any:
    """A function with about this many operations, no two alike."""
    from multibody import graph as g
    from multibody.compile import Function

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


def against_sympy() -> tuple[float, float]:
    """How many times faster derivation and evaluation are, with as many links as SymPy manages."""
    import sympy as sp

    from multibody.compile import Function

    time_ours, (q, u, l, p, jacobian, v) = ours(SYMPY_LINKS)
    function = Function("tip", {"q": q, "u": u, "l": l}, {"p": p, "J": jacobian, "v": v})
    rng = np.random.default_rng(0)
    arrays = {"q": rng.normal(size=SYMPY_LINKS), "u": rng.normal(size=SYMPY_LINKS), "l": rng.normal(size=3)}
    outputs = {"p": np.zeros(3), "J": np.zeros((3, SYMPY_LINKS)), "v": np.zeros(3)}
    call_ours = per_call(function.bind(**arrays, **outputs))
    time_sympy, (*symbols, s_p, s_j, s_v) = sympy_derivation(SYMPY_LINKS)
    start = perf_counter()
    lambdified = sp.lambdify(symbols, [s_p, s_j, s_v], cse=True)
    made = perf_counter() - start
    call_sympy = per_call(lambda: lambdified(*arrays.values()))
    np.testing.assert_allclose(outputs["J"], lambdified(*arrays.values())[1], rtol=1e-10, atol=1e-10)
    print(f"\n{SYMPY_LINKS} links: derive {time_ours * 1e3:.1f} ms, SymPy {time_sympy:.1f} s, lambdify {made:.1f} s;"
          f" one call {call_ours * 1e6:.3f} µs, SymPy {call_sympy * 1e6:.1f} µs")  # fmt: skip
    return time_sympy / time_ours, call_sympy / call_ours


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

    machine = ca.Function("tip", [cq, cu, cl], [cp, cj, cv])
    buffer, call = machine.buffer()
    results = [np.zeros(3), np.zeros((LINKS, 3)), np.zeros(3)]
    for k, array in enumerate(arrays.values()):
        buffer.set_arg(k, memoryview(array))
    for k, array in enumerate(results):
        buffer.set_res(k, memoryview(array))
    call_casadi = per_call(call)
    np.testing.assert_allclose(outputs["J"], machine(*arrays.values())[1].full(), rtol=1e-11, atol=1e-11)

    shared = frozenset({2})
    values = list(zip(function.inputs, (states, speeds, lengths), (STATES, STATES, None), strict=True))
    out = {port.name: np.empty((STATES, *port.shape)) for port in function.outputs}
    single, several = function._kernel(shared, 1), function._kernel(shared)
    rounds = [[best(lambda k=k: k.run(function, values, 1, out), 5)[0] for k in (single, several)] for _ in range(12)]
    loop, batch = (min(times) / STATES for times in zip(*rounds, strict=True))  # both in turn, for noise hits both

    derive_ratio, eval_ratio = against_sympy()

    print(f"\n{LINKS} links              multibody       CasADi SX  (its matrices)")
    rows = {
        "derive [ms]": [1e3 * seconds for seconds in (time_ours, time_casadi, time_casadi_matrices)],
        "one call [µs]": [1e6 * call_ours, 1e6 * call_casadi],
    }
    for title, values in rows.items():
        print(f"  {title:18}" + "".join(f"{value:16.3f}" for value in values))
    print(f"  ready to call after {compiling:.3f} s, from the cache after {cached:.3f} s")
    print(f"  per state in a compiled loop {loop * 1e6:.3f} µs, in a batch on one thread {batch * 1e6:.3f} µs")
    compile_times()
    figures = {
        "derive_vs_sympy": derive_ratio,
        "derive_vs_casadi": time_casadi / time_ours,
        "derive_vs_casadi_matrices": time_casadi_matrices / time_ours,
        "eval_vs_lambdify": eval_ratio,
        "eval_vs_casadi": call_casadi / call_ours,
        "batch_gain": loop / batch,
        "compile_s": compiling,
        "cached_s": cached,
    }
    print("BAR " + " ".join(f"{key}={value:.4g}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
