"""Every formalism on planar and spatial chains and on Wittenburg's tree, beside SymPy's Kane and Lagrange.

Both sides get the same chains with the same seven symbolic parameters. What is counted:

  derive       from the description of the system: here up to explicit accelerations u̇(q, u, p), with SymPy up to
               ``mass_matrix`` and ``forcing``, which are not solved. The best of several runs; what takes SymPy more
               than a second is run once and measured in processor time
  operations   of u̇ here; of mass matrix and forcing with SymPy, as they are and after ``cse``
  code         here LLVM's, with SymPy ``lambdify`` after ``cse``; not contained in ``derive``
  evaluation   of u̇ for one state: here in a compiled loop, with SymPy one call and ``numpy.linalg.solve``

SymPy runs in a process of its own that is ended after a minute. A size is not tried if the two before it let expect
much more than that. Its numbers are compared with ours. Where it does not finish, the key figures count a minute.
Run with ``./dev bench formalisms``.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from _lines import AtLeast, claim

import multibody as mb

FORMALISMS = (
    mb.Recursive(), mb.ArticulatedBody(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange(), mb.Wittenburg(), mb.Modular(),
)  # fmt: skip
AXES = {"planar": "z", "spatial": "xyz"}  # the joint axes take turns
LINKS = (2, 3, 5, 7, 10, 15, 20)
PARAMETERS = {"m": 1.0, "l": 1.0, "c": 0.5, "Ix": 0.1, "Iy": 0.2, "Iz": 0.3, "g": 9.81}
PATIENCE = 60  # seconds for SymPy
STATES = 4096


# the systems --------------------------------------------------------------------------------------------------------


def chain(family: str, links: int) -> mb.System:
    """Equal links along x, each turning about an axis of the one before; gravity along -y."""
    system = mb.System("chain")
    m, l, c, Ix, Iy, Iz, g = system.parameters(**PARAMETERS)
    system.gravity = (0, -g, 0)
    inner: Any = system.world
    for k in range(links):
        body = system.body(f"b{k}", m, (c, 0, 0), (Ix, Iy, Iz))
        system.joint(f"q{k}", inner, body, f"R{AXES[family][k % len(AXES[family])]}")
        inner = body.frame(f"end{k}", (l, 0, 0))
    return system


def five_bodies() -> mb.System:
    """The tree of the Wittenburg seed with the numbers of its appendix."""
    system = mb.System("five_bodies")
    rods = [("rod1", 3, (4, 4, 3.6)), ("rod2", 3, (4, 4, 2.4)), ("tee", 2, (2 / 6, 10 / 24, 2 / 24))]
    rods += [("rod4", 1.5, (0.5, 0.5, 0.3)), ("rod5", 1.5, (0.5, 0.5, 0.3))]
    one, two, tee, four, five = (system.body(name, mass, inertia=tensor) for name, mass, tensor in rods)
    system.joint("q1", system.world, one.frame("top1", (0, 0, 1)), ["Rz", "Rx", "Rz"])
    system.joint("q2", one.frame("end1", (0, 0, -1)), two.frame("top2", (0, 0, 1)), ["Rz", "Rx", "Rz"])
    system.joint("q3", two.frame("end2", (0, 0, -1)), tee.frame("top3", (0, 0, 1)), "Rz")
    system.joint("q4", tee.frame("right", (0.5, 0, 0)), four.frame("top4", (0, 0, 0.5)), "Ry")
    system.joint("q5", tee.frame("left", (-0.5, 0, 0)), five.frame("top5", (0, 0, 0.5)), "Ry")
    return system


def state(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds at which both sides are compared."""
    return np.linspace(0.1, 1.0, count), np.linspace(-1.0, 1.0, count)


# here ---------------------------------------------------------------------------------------------------------------


def best(run: Callable[[], Any], repeats: int = 7, budget: float = 1.0) -> float:
    """The shortest of several runs in seconds: three, or as many more as fit into the budget."""
    times: list[float] = []
    while len(times) < 3 or (len(times) < repeats and sum(times) < budget):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def evaluation(eom: mb.EquationsOfMotion) -> float:
    """Seconds for u̇ of one state, in a compiled loop over single states."""
    function, rng = eom.forward_dynamics, np.random.default_rng(0)
    p = np.array(list(eom.model.parameter_values().values()), dtype=float)
    arrays = [np.zeros(STATES), *rng.normal(size=(2, STATES, len(eom.speeds))), np.zeros((STATES, 0)), p]
    values = list(zip(function.inputs, arrays, [STATES] * 4 + [None], strict=True))
    kernel = function._kernel(frozenset({4}), 1)
    out = {"acceleration": np.empty((STATES, len(eom.speeds)))}
    return best(lambda: kernel.run(function, values, 1, out), 25, 0.5) / STATES


def rows(build: Callable[[], mb.System], comparison: mb.Comparison) -> Iterator[tuple[str, float]]:
    """A line of the table and the derivation time for every formalism."""
    for formalism, derivation in zip(FORMALISMS, comparison.derivations, strict=True):
        eom = derivation.equations
        assert eom is not None
        seconds = best(lambda one=formalism: mb.derive(build(), one))
        start = perf_counter()
        eom.forward_dynamics.address  # noqa: B018 - this compiles
        code = perf_counter() - start
        figures = f"{derivation.operations:>9,} {'':>9} {code:8.2f} s {evaluation(eom) * 1e6:9.3f} µs"
        yield f"{derivation.name:18} {seconds * 1e3:9.1f} ms {figures}", seconds


# SymPy --------------------------------------------------------------------------------------------------------------


def derived_by_sympy(method: str, family: str, links: int) -> tuple[Any, Any, Any, Any]:
    """Mass matrix, forcing, coordinates and speeds of the chain."""
    import sympy as sp
    import sympy.physics.mechanics as me

    q = me.dynamicsymbols(f"q1:{links + 1}")
    u = [one.diff() for one in q] if method == "Lagrange" else me.dynamicsymbols(f"u1:{links + 1}")
    m, l, c, Ix, Iy, Iz, g = sp.symbols(" ".join(PARAMETERS))
    world, point = me.ReferenceFrame("N"), me.Point("O")
    point.set_vel(world, 0)
    frame, bodies, loads = world, [], []
    for k in range(links):
        axis = getattr(frame, AXES[family][k % len(AXES[family])])
        new = frame.orientnew(f"A{k}", "Axis", [q[k], axis])
        new.set_ang_vel(frame, u[k] * axis)
        hinge = point if k == 0 else point.locatenew(f"P{k}", l * frame.x)
        if k:
            hinge.v2pt_theory(point, world, frame)
        center = hinge.locatenew(f"C{k}", c * new.x)
        center.v2pt_theory(hinge, world, new)
        bodies.append(me.RigidBody(f"B{k}", center, new, m, (me.inertia(new, Ix, Iy, Iz), center)))
        loads.append((center, -m * g * world.y))
        frame, point = new, hinge
    if method == "Lagrange":
        made = me.LagrangesMethod(me.Lagrangian(world, *bodies), q, forcelist=loads, frame=world)
        made.form_lagranges_equations()
    else:
        made = me.KanesMethod(world, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
        made.kanes_equations(bodies, loads)
    return made.mass_matrix, made.forcing, q, u


def run_sympy(method: str, family: str, links: int) -> None:
    """In a process of its own: print what is known as soon as it is known."""
    import sympy as sp
    import sympy.physics.mechanics  # here, so that it is not timed

    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 1))

    def derive() -> Any:
        sp.core.cache.clear_cache()
        return derived_by_sympy(method, family, links)

    start = process_time()
    matrix, forcing, q, u = derive()
    seconds = process_time() - start
    print(json.dumps({"derive": seconds if seconds > 1 else best(derive)}), flush=True)
    x, v = sp.symbols(f"x1:{links + 1}"), sp.symbols(f"v1:{links + 1}")
    plain = dict(zip(u, v, strict=True)), dict(zip(q, x, strict=True))
    both = [one.xreplace(plain[0]).xreplace(plain[1]) for one in (matrix, forcing)]
    start = process_time()
    shared = sp.cse(both)
    function = sp.lambdify((x, v, sp.symbols(" ".join(PARAMETERS))), both, cse=lambda _: shared)
    code = process_time() - start
    arguments = (*state(links), list(PARAMETERS.values()))

    def solved() -> Any:
        return np.linalg.solve(*function(*arguments)).ravel()

    found = {"code": code, "evaluation": best(solved, 200), "acceleration": solved().tolist()}
    counts = [sum(sp.count_ops(one) for one in some) for some in (both, [e for _, e in shared[0]] + shared[1])]
    print(json.dumps(found | {"operations": counts[0], "after_cse": counts[1]}), flush=True)


def sympy_result(method: str, family: str, links: int) -> dict[str, Any]:
    """What SymPy got done in a minute."""
    command = [sys.executable, __file__, "--sympy", method, family, str(links)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, -signal.SIGXCPU):
        done.check_returncode()
    found: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        found |= json.loads(line)
    return found


class Peer:
    """One of SymPy's methods on growing chains of one family, as far as it gets."""

    def __init__(self, method: str, family: str) -> None:
        self.method, self.family = method, family
        self.times: dict[int, float] = {}
        self.over = False

    def expected(self, links: int) -> float:
        """Seconds, if the time goes on growing by the same factor for each link."""
        if len(self.times) < 2:
            return 0.0
        (n1, t1), (n2, t2) = list(self.times.items())[-2:]
        return t2 * (t2 / t1) ** ((links - n2) / (n2 - n1))

    def row(self, links: int, acceleration: np.ndarray) -> str | None:
        """A line of the table; None if it ended at fewer links."""
        title = f"SymPy {self.method}"
        if self.over:
            return None
        expected = self.expected(links)
        if expected > 2 * PATIENCE:
            self.over = True
            return f"{title:18} not tried, {expected:,.0f} s expected"
        found = sympy_result(self.method, self.family, links)
        self.times[links] = found.get("derive", np.inf)
        if not found:
            self.over = True
            return f"{title:18} not done in {PATIENCE} s"
        line = f"{title:18} {found['derive'] * 1e3:9.1f} ms"
        if "code" not in found:
            return f"{line} no code within {PATIENCE} s"
        np.testing.assert_allclose(found["acceleration"], acceleration, rtol=1e-6, atol=1e-6)
        figures = f"{found['operations']:>9,} {found['after_cse']:>9,} {found['code']:8.2f} s"
        return f"{line} {figures} {found['evaluation'] * 1e6:9.3f} µs"


# the table ----------------------------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """The comparison of all formalisms, and the derivation times by name."""

    comparison: mb.Comparison
    times: dict[str, float]


def measured(title: str, build: Callable[[], mb.System], peers: dict[str, Peer]) -> Measured:
    """Print the lines of one system."""
    comparison = mb.compare(build(), FORMALISMS)
    proved = sum(pair.proved for pair in comparison.pairs)
    count = len(comparison.model.speeds)
    print(f"\n{title}, {count} speeds: {proved} of {len(comparison.pairs)} pairs of formalisms proved equal")
    times: dict[str, float] = {}
    for formalism, (line, seconds) in zip(FORMALISMS, rows(build, comparison), strict=True):
        times[type(formalism).__name__] = seconds
        print(f"  {line}", flush=True)
    eom = comparison.derivations[0].equations
    assert eom is not None
    p = list(eom.model.parameter_values().values()) if eom.parameters else []
    acceleration = eom.forward_dynamics(0.0, *state(count), [], p)
    for peer in peers.values():
        line = peer.row(count, acceleration)
        if line is not None:
            print(f"  {line}", flush=True)
    return Measured(comparison, times)


def state_claim(family: str, links: int, times: dict[str, float], peers: dict[str, Peer]) -> None:
    """Everybody's time for the derivation of a chain, where SymPy has tried."""
    tried = {name: peer.times[links] for name, peer in peers.items() if links in peer.times}
    theirs = {f"SymPy {name}": AtLeast(PATIENCE) if np.isinf(time) else time for name, time in tried.items()}
    if family == "spatial" and theirs:
        ours = {f"multibody {name}": times[name] for name in ("Recursive", *peers)}
        claim("derive equations", f"{links} links in space", "ms", ours | theirs, 1e-3)


def main() -> None:
    """Measure, print the table, then the line of key figures."""
    os.environ["MULTIBODY_CACHE"] = "off"
    print(f"{'':20} {'derive':>12} {'operations':>9} {'cse':>8} {'code':>10} {'evaluation':>12}")
    comparisons, ratios = [], {}
    for family in AXES:
        peers = {method: Peer(method, family) for method in ("Kane", "Lagrange")}
        for links in LINKS:
            build = lambda family=family, links=links: chain(family, links)  # noqa: E731
            comparison, times = measured(f"{family} chain", build, peers)
            comparisons.append(comparison)
            state_claim(family, links, times, peers)
            if (family, links) == ("spatial", 5):
                done = {name: min(peer.times.get(5, PATIENCE), PATIENCE) for name, peer in peers.items()}
                ratios = {f"{name.lower()}_vs_sympy_n5": done[name] / times[name] for name in peers}
    comparisons.append(measured("five bodies of Wittenburg", five_bodies, {})[0])
    pairs = [pair for comparison in comparisons for pair in comparison.pairs]
    figures = " ".join(f"{key}={value:.4g}" for key, value in ratios.items())
    print(f"\nBAR {figures} pairs_proved={sum(pair.proved for pair in pairs)} pairs_total={len(pairs)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sympy"]:
        run_sympy(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
