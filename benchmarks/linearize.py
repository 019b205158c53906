"""n links on a cart: from the description to the matrices of the linear system, here and with SymPy.

With symbols: A and B as functions of everything, coordinates, speeds, the force and all masses and lengths; operations
are those of the compiled function, which shares what is equal (those on parameters alone are counted, too). With
numbers: A and B at one point, upright. Both count from the first line of the description.

SymPy does the same with its own ``n_link_pendulum_on_cart`` and ``KanesMethod.linearize(A_and_B=True)``, in a process
of its own that ends after two minutes; a chain is not tried if those before it let expect much more. Its operations are
those of the matrices as they are printed. Its angles are absolute, ours are relative: so the poles are compared, which
must be the same. Run with ``./dev bench linearize``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
from _lines import AtLeast, claim
from _timing import best

import multibody as mb
from multibody.linearization import LinearSystem, SymbolicLinearSystem, linearize, linearize_symbolic

LINKS = (3, 5, 8, 20, 50)
WITH_SYMBOLS = 20
"""The longest chain that is linearized with symbols: the formulas of A grow with the cube of its length."""
PATIENCE = 120.0
"""Seconds that SymPy gets for each chain."""


def cart(n: int) -> mb.System:
    """Point masses on rods without mass, upright on a cart that a force pushes."""
    system = mb.System("cart")
    g = system.parameter("g", 9.81)
    system.gravity = (0, -g, 0)
    masses = [system.parameter(f"m{k}", 1.0) for k in range(n + 1)]
    lengths = [system.parameter(f"l{k}", 1.0) for k in range(n)]
    carrier = end = system.body("carrier", masses[0])
    system.joint("x", system.world, carrier, "Tx")
    for k in range(n):
        link = system.body(f"link{k}", masses[k + 1], (0, lengths[k], 0))
        system.joint(f"q{k}", end, link, "Rz")
        end = link.frame(f"end{k}", (0, lengths[k], 0))
    system.load(mb.Force(carrier, (system.input("F"), 0, 0)))
    return system


def with_symbols(n: int) -> SymbolicLinearSystem:
    """A and B as expressions of everything."""
    eom = mb.derive(cart(n))
    free = [*eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters]
    return linearize_symbolic(eom, free=free, outputs=[])


def with_numbers(n: int) -> LinearSystem:
    """A and B at one point."""
    return linearize(mb.derive(cart(n)), outputs=[])


def sympy_figures(n: int) -> dict[str, Any]:
    """Seconds and operations that SymPy takes, and its poles; what is not found in time is missing."""
    command = [sys.executable, __file__, "--sympy", str(n)]
    try:
        text = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True).stdout
    except subprocess.TimeoutExpired as late:
        text = late.stdout or b""
    found: dict[str, Any] = {}
    for line in text.decode().splitlines():
        found |= json.loads(line)
    return found


def peer_alone(n: int) -> None:
    """What ``sympy_figures`` reads, line by line."""
    from sympy.physics.mechanics.models import n_link_pendulum_on_cart

    def run() -> Any:
        method = n_link_pendulum_on_cart(n, cart_force=True, joint_torques=False)
        return method, *method.linearize(A_and_B=True)

    seconds, (method, A, B, _) = best(run, 1)
    print(json.dumps({"seconds": seconds}), flush=True)
    print(json.dumps({"poles": peer_poles(method)}), flush=True)
    print(json.dumps({"operations": tree_operations([*A, *B])}), flush=True)


def tree_operations(entries: list[Any]) -> int:
    """How many operations expressions have as they are printed, without sharing; ``count_ops`` would take minutes."""
    from sympy.core.function import AppliedUndef

    known: dict[Any, int] = {}

    def count(node: Any) -> int:
        if node not in known:
            own = len(node.args) - 1 if node.is_Add or node.is_Mul else 1
            leaf = not node.args or isinstance(node, AppliedUndef) or node.is_Derivative
            known[node] = 0 if leaf else own + sum(map(count, node.args))
        return known[node]

    return sum(map(count, entries))


def peer_poles(method: Any) -> list[list[float]]:
    """The poles of SymPy's upright chain: it linearizes again, with numbers from the start."""
    symbols = method.forcing.free_symbols | method.mass_matrix.free_symbols
    numbers = {one: 9.81 if one.name == "g" else 1.0 for one in symbols if one.name != "t"}
    functions = [one for one in method.forcing.atoms(type(method.q[0])) if one.args] + [*method.q, *method.u]
    rest = dict.fromkeys([*functions, *(one.diff() for one in (*method.q, *method.u))], 0)
    A, _, _ = method.linearize(A_and_B=True, op_point=[rest, numbers])
    poles = np.linalg.eigvals(np.array(A.subs(rest).subs(numbers).tolist(), dtype=float))
    return [[float(pole.real), float(pole.imag)] for pole in poles]


def require_agreement(own: LinearSystem, peer: dict[str, Any]) -> None:
    """Both tools find the same poles; those of the cart itself, which are zero twice, only to half of the digits."""
    theirs = np.sort_complex(np.array([complex(*pole) for pole in peer["poles"]]))
    ours = np.sort_complex(own.poles)
    assert np.abs(ours - theirs).max() < 1e-6 * np.abs(ours).max(), (ours, theirs)


def expected(peers: dict[int, dict[str, Any]], n: int) -> float:
    """Seconds for SymPy, if the time goes on growing by the same factor for each link."""
    done = [(links, found["seconds"]) for links, found in peers.items() if found]
    if len(done) < 2:
        return 0.0
    (n1, t1), (n2, t2) = done[-2:]
    return t2 * (t2 / t1) ** ((n - n2) / (n2 - n1))


def main() -> None:
    """Measure, print the table, then the line of key figures."""
    os.environ["MULTIBODY_CACHE"] = "off"
    print(f"{'links':>5} {'with numbers':>13} {'with symbols':>13} {'operations':>11}"
          f"    {'SymPy':>9} {'operations':>11}   ratio")  # fmt: skip
    operations, seconds, ratios = {}, {}, {}
    patient, peers = True, {}
    for n in LINKS:
        seconds[n], numbers = best(lambda n=n: with_numbers(n), 3)
        line, times = f"{n:5d} {seconds[n] * 1e3:11.1f}ms", {"multibody, numbers": seconds[n]}
        if n <= WITH_SYMBOLS:
            time, symbols = best(lambda n=n: with_symbols(n), 3)
            function, times["multibody, symbols"] = symbols.function, time
            operations[n] = sum((*function.operations.values(), *function.parameter_operations.values()))
            line += f" {time * 1e3:11.1f}ms {operations[n]:11d}"
            patient = patient and expected(peers, n) < 2 * PATIENCE
            peer = peers[n] = sympy_figures(n) if patient else {}
            counts = {"multibody": operations[n], "SymPy, as printed": peer.get("operations", float("nan"))}
            claim("operations of linear systems", f"{n} links", "operations", counts)
            if "poles" in peer:
                require_agreement(numbers, peer)
            if peer:
                ratios[n], times["SymPy, symbols"] = peer["seconds"] / time, peer["seconds"]
                line += f"    {peer['seconds']:8.2f}s {peer.get('operations', '?'):>11}   {ratios[n]:.0f}"
            elif patient:
                patient, ratios[n], times["SymPy, symbols"] = False, PATIENCE / time, AtLeast(PATIENCE)
                line += f"    no end in {PATIENCE:.0f} s: more than {ratios[n]:.0f} times longer"
        print(line, flush=True)
        claim("linearize", f"{n} links", "s", times)
    print(f"BAR ops_n5={operations[5]} vs_sympy_n5={ratios.get(5, np.nan):.0f} n50_s={seconds[50]:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sympy"]:
        peer_alone(int(sys.argv[2]))
    else:
        main()
