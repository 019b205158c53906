"""Closed loops and rolling wheels: from the description to fast accelerations, beside SymPy's KanesMethod.

A four-bar linkage, rows of them, Andrews' squeezing mechanism, a Stewart platform and the Whipple bicycle. Derivation
counts from the first line of the description to u̇ as functions of the state; nothing is taken from a cache.
Accelerations are timed by calls from Python, on arrays that were bound once and plain, in a compiled loop over single
states, and in a batch.

SymPy derives the same mechanisms in a process of its own, which ends after two minutes: then ratios are lower bounds.
Its derivation is ``kanes_equations`` and ``rhs``, which give u̇ too; imports are not timed, caches are empty, and what
takes a few seconds only is the best of three runs. For a call, M and the right-hand side are
lambdified with cse and solved by NumPy, as its documentation recommends. It must find our accelerations. Run with
``./dev bench loops``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _lines import AtLeast, bar, claim
from _timing import best, per_call

import multibody as mb
from multibody.equations import EquationsOfMotion

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "formalisms"))

import mechanisms

STATES = 4096
PATIENCE = 120.0
"""Seconds that SymPy gets for each mechanism."""

QUICK = 4.0
"""Seconds above which SymPy is not timed again."""


def stewart_by_constraints() -> mb.System:
    """The platform without its legs being solved in closed form."""
    system = mechanisms.stewart_platform()
    system.recognise_loops = False
    return system


MECHANISMS: dict[str, Callable[[], mb.System]] = {
    "four-bar": partial(mechanisms.four_bar, "q4"),
    **{f"{n} four-bars": partial(mechanisms.n_four_bar, n) for n in (2, 10, 20, 40)},
    "Andrews": mechanisms.andrews,
    "Stewart platform": mechanisms.stewart_platform,
    "as constraints": stewart_by_constraints,
    "bicycle": mechanisms.bicycle,
}


class Figures(NamedTuple):
    """Seconds, and operations of the accelerations; calls are from Python, on bound arrays and plain."""

    derive: float
    operations: int
    compile: float
    assemble: float
    call: float
    plain: float
    single: float
    batch: float


def measured(build: Callable[[], mb.System]) -> tuple[Figures, EquationsOfMotion]:
    """A mechanism from its description to accelerations."""
    derive, eom = best(lambda: mb.derive(build()), 5)
    function = eom.forward_dynamics
    operations = sum(function.operations.values())
    compiling, _ = best(lambda: function.address, 1)
    assemble, state = best(lambda: moving(eom), 3)
    return Figures(derive, operations, compiling, assemble, *evaluation(eom, state)), eom


def moving(eom: EquationsOfMotion) -> Any:
    """A configuration and a motion near the start, the same in all processes."""
    rng = np.random.default_rng(0)
    guess = [eom.model.start[q] + 0.1 * rng.normal() for q in eom.coordinates]
    return eom.consistent(guess, rng.normal(size=len(eom.speeds)))


def arguments(eom: EquationsOfMotion, state: Any) -> list[Any]:
    """t, q, u, r, p: default parameters, and no inputs."""
    parameters = [float(value) for value in eom.model.parameter_values().values()]
    return [0.0, state.q, state.u, np.zeros(len(eom.inputs)), np.array(parameters)]


def evaluation(eom: EquationsOfMotion, state: Any) -> tuple[float, float, float, float]:
    """Seconds per state of the accelerations: a bound call, a plain one, in a compiled loop, and in a batch."""
    function, values = eom.forward_dynamics, arguments(eom, state)
    out = np.zeros(len(eom.speeds))
    names = [port.name for port in function.inputs]
    call = per_call(function.bind(**dict(zip(names, map(np.asarray, values), strict=True)), acceleration=out))
    plain = per_call(lambda: function(*values))
    assert np.isfinite(out).all()
    np.testing.assert_array_equal(function(*values), out)
    stacked = [np.tile(value, (STATES, 1)) if np.ndim(value) else np.full(STATES, value) for value in values[:-1]]
    ports = list(zip(function.inputs, [*stacked, values[-1]], [STATES] * 4 + [None], strict=True))
    outputs = {"acceleration": np.empty((STATES, len(eom.speeds)))}
    shared = frozenset({4})
    kernels = [function._kernel(shared, 1), function._kernel(shared)]
    rounds = [[best(lambda k=k: k.run(function, ports, 1, outputs), 3)[0] for k in kernels] for _ in range(8)]
    single, batch = (min(times) / STATES for times in zip(*rounds, strict=True))  # both in turn, for noise hits both
    return call, plain, single, batch


# SymPy --------------------------------------------------------------------------------------------------------------


SOLVER = "CRAMER"
"""With LU, its default, SymPy takes pivots that vanish while constraints are kept: NaN, or wrong numbers."""


class Peer(NamedTuple):
    """Equations of SymPy, and our names for its coordinates and speeds."""

    method: Any
    coordinates: list[str]
    speeds: list[str]


def sympy_figures(name: str) -> dict[str, Any]:
    """Seconds that SymPy takes for a mechanism, and its accelerations by name; nothing if it does not end in time."""
    command = [sys.executable, __file__, "--sympy", name]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except subprocess.TimeoutExpired:
        return {}
    return json.loads(run.stdout)


def peer_alone(name: str) -> None:
    """What ``sympy_figures`` reads."""
    import sympy as sp

    eom = mb.derive(MECHANISMS[name]())
    state = moving(eom)
    forming, solving, (method, coordinates, speeds) = min(formed_by_sympy(name), key=lambda times: sum(times[:2]))
    parameters = {sp.Symbol(one.name): value for one, value in eom.model.parameter_values().items()}
    unknowns = [[*method.q, *method.u], list(parameters)]
    equations = [method.mass_matrix_full, method.forcing_full]
    making, function = best(lambda: sp.lambdify(unknowns, equations, cse=True), 1)
    x = [state[one] for one in (*coordinates, *speeds)]
    values = [float(value) for value in parameters.values()]

    def accelerations() -> Any:
        matrix, right = function(x, values)
        return np.linalg.solve(matrix, right)[len(coordinates) :, 0]

    found = dict(zip(speeds, accelerations().tolist(), strict=True))
    times = {"derive": forming + solving, "ready": forming + making, "call": per_call(accelerations)}
    print(json.dumps(times | {"accelerations": found}))


def formed_by_sympy(name: str) -> Iterator[tuple[float, float, Peer]]:
    """Seconds for the equations and for their solution, with empty caches; once more if that was quick."""
    import sympy.physics.mechanics  # noqa: F401 - so that it is not timed
    from sympy.core.cache import clear_cache

    for _ in range(3):
        clear_cache()
        forming, peer = best(PEERS[name], 1)
        solving, _ = best(peer.method.rhs, 1)
        yield forming, solving, peer
        if forming + solving > QUICK:
            break


def require_agreement(eom: EquationsOfMotion, peer: dict[str, Any]) -> None:
    """Both tools find the same accelerations."""
    own = dict(zip([one.name for one in eom.speeds], eom.forward_dynamics(*arguments(eom, moving(eom))), strict=True))
    for name, value in peer["accelerations"].items():
        assert abs(own[name] - value) < 1e-8 * max(map(abs, own.values())), (name, own[name], value)


def sympy_plane(system: mb.System) -> Peer:
    """A plane mechanism of hinges, none of them reversed in the tree; closing points are constraints."""
    import sympy as sp
    import sympy.physics.mechanics as me

    model = system.freeze()
    q = {symbol: me.dynamicsymbols(symbol.name) for symbol in model.coordinates}
    u = {symbol: me.dynamicsymbols("u_" + symbol.name) for symbol in model.coordinates}
    world, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(world, 0)
    frames, points, bodies, loads = {-1: world}, {-1: origin}, [], []

    def point(name: str, link: int, place: Any) -> Any:
        x, y, _ = (float(component) for component in place)
        found = points[link].locatenew(name, x * frames[link].x + y * frames[link].y)
        found.v2pt_theory(points[link], world, frames[link])
        return found

    for link in model.links:
        symbol = link.q[0]
        frame = frames[link.parent].orientnew(f"F{link.index}", "Axis", [q[symbol], world.z])
        frame.set_ang_vel(frames[link.parent], u[symbol] * world.z)
        points[link.index] = point(f"P{link.index}", link.parent, link.before.position)
        frames[link.index] = frame
    for body in model.bodies:
        link, place = model.attachments[body]
        com = point(f"com_{body.name}", link, place.point_to_parent(body.com))
        tensor = me.inertia(frames[link], 0, 0, sp.Float(float(body.inertia.zz)))
        bodies.append(me.RigidBody(body.name, com, frames[link], sp.Float(float(body.mass)), (tensor, com)))
        loads.append((com, float(model.gravity.y) * float(body.mass) * world.y))
    if "spring" in model.loads:
        loads += _loads_of_andrews(system, point, frames)
    gaps, slips = [], []
    for joint in model.cuts:
        ends = [(link, place.position) for link, place in map(model.attachment, (joint.parent, joint.child))]
        one, other = (point(f"{joint.name}_{k}", *end) for k, end in enumerate(ends))
        for axis in (world.x, world.y):
            gaps.append(other.pos_from(one).dot(axis))
            slips.append((other.vel(world) - one.vel(world)).dot(axis))
    first, *rest = q  # one degree of freedom
    method = me.KanesMethod(
        world, [q[first]], [u[first]], [q[k].diff() - u[k] for k in q], q_dependent=[q[k] for k in rest],
        configuration_constraints=gaps, u_dependent=[u[k] for k in rest], velocity_constraints=slips,
        constraint_solver=SOLVER,
    )  # fmt: skip
    method.kanes_equations(bodies, loads)
    names = [one.name for one in q]
    return Peer(method, names, [f"{name}_dot" for name in names])


def _loads_of_andrews(system: mb.System, point: Callable[..., Any], frames: dict[int, Any]) -> list[Any]:
    """The drive of the crank, and the spring from C to D."""
    model = system.freeze()
    crank = next(link.index for link in model.links if link.joint.name == "beta")
    ends = [(link, place.position) for link, place in (model.attachment(system[name]) for name in "CD")]
    C, D = (point(f"spring{k}", *end) for k, end in enumerate(ends))
    line = D.pos_from(C)
    length = line.magnitude()
    pull = -4530.0 * (length - 0.07785) / length * line
    return [(frames[crank], 0.033 * frames[-1].z), (D, pull)]


def sympy_bicycle() -> Peer:
    """The bicycle as in the documentation of SymPy: contact of the rear wheel at rest, three constraints in front."""
    import sympy as sp
    import sympy.physics.mechanics as me

    p = {name: sp.Symbol(name) for name in mechanisms.BICYCLE}
    q1, q2, q4, q5 = me.dynamicsymbols("q1 q2 q4 q5")
    u1, u2, u3, u4, u5, u6 = me.dynamicsymbols("u1:7")
    N = me.ReferenceFrame("N")
    Y, D, F = N.orientnew("Y", "Axis", [q1, N.z]), me.ReferenceFrame("D"), me.ReferenceFrame("F")
    R = Y.orientnew("R", "Axis", [q2, Y.x])
    C = R.orientnew("C", "Axis", [q4, R.y])
    E = C.orientnew("E", "Axis", [q5, C.z])
    for frame, parent, velocity in (
        (Y, N, u1 * Y.z), (R, Y, u2 * R.x), (C, R, u4 * C.y), (D, C, u3 * C.y), (E, C, u5 * E.z), (F, E, u6 * E.y),
    ):  # fmt: skip
        frame.set_ang_vel(parent, velocity)
    contact = me.Point("contact")
    contact.set_vel(N, 0)
    rear = contact.locatenew("rear", -p["rR"] * R.z)
    c_com, head = (rear.locatenew("c", p["l1"] * C.x + p["l2"] * C.z), rear.locatenew("head", p["d1"] * C.x))
    front = head.locatenew("front", p["d3"] * E.x + p["d2"] * E.z)
    e_com = front.locatenew("e", p["l3"] * E.x + p["l4"] * E.z)
    touch = front.locatenew("touch", p["rF"] * (Y.z - E.y.dot(Y.z) * E.y).normalize())
    for place, base, frame in (
        (rear, contact, D), (c_com, rear, C), (head, rear, C), (front, head, E), (e_com, front, E), (touch, front, F),
    ):  # fmt: skip
        place.v2pt_theory(base, N, frame)
    tensors = {
        "mc": (c_com, C, me.inertia(C, p["ic11"], p["ic22"], p["ic33"], 0, 0, p["ic31"])),
        "me": (e_com, E, me.inertia(E, p["ie11"], p["ie22"], p["ie33"], 0, 0, p["ie31"])),
        "md": (rear, D, me.inertia(C, p["id11"], p["id22"], p["id11"])),
        "mf": (front, F, me.inertia(E, p["if11"], p["if22"], p["if11"])),
    }
    bodies = [me.RigidBody(m, com, frame, p[m], (tensor, com)) for m, (com, frame, tensor) in tensors.items()]
    loads = [(com, p[m] * p["g"] * N.z) for m, (com, _, _) in tensors.items()]
    method = me.KanesMethod(
        N, [q1, q2, q5], [u2, u3, u5], [a.diff() - b for a, b in ((q1, u1), (q2, u2), (q4, u4), (q5, u5))],
        q_dependent=[q4], configuration_constraints=[touch.pos_from(contact).dot(Y.z)], u_dependent=[u1, u4, u6],
        velocity_constraints=[touch.vel(N).dot(axis) for axis in (Y.x, Y.y, Y.z)], constraint_solver=SOLVER,
    )  # fmt: skip
    method.kanes_equations(bodies, loads)
    speeds = ["lean_rx_dot", "rear_dot", "steer_dot", "lean_rz_dot", "pitch_dot", "front_dot"]
    return Peer(method, ["lean_rz", "lean_rx", "steer", "pitch"], speeds)


PEERS: dict[str, Callable[[], Peer]] = {
    "four-bar": lambda: sympy_plane(mechanisms.four_bar("q4")),
    "2 four-bars": lambda: sympy_plane(mechanisms.n_four_bar(2)),
    "10 four-bars": lambda: sympy_plane(mechanisms.n_four_bar(10)),
    "Andrews": lambda: sympy_plane(mechanisms.andrews()),
    "bicycle": sympy_bicycle,
}


# results ------------------------------------------------------------------------------------------------------------


def compared(name: str, own: Figures, eom: EquationsOfMotion) -> tuple[dict[str, float], str]:
    """How many times longer SymPy takes to derive, to be ready, and for a call; and the text for the table."""
    peer = sympy_figures(name)
    derived = {"multibody": own.derive, "SymPy Kane": peer.get("derive", AtLeast(PATIENCE))}
    claim("derive loops", name, "ms", derived, 1e-3)
    if not peer:
        least = PATIENCE / own.derive
        return {"derive": least}, f"  no end in {PATIENCE:.0f} s: more than {least:.0f} times longer"
    require_agreement(eom, peer)
    calls = {"multibody, bound": own.call, "multibody, plain": own.plain, "SymPy lambdify": peer["call"]}
    claim("evaluate loops", name, "µs", calls, 1e-6)
    ratios = {
        "derive": peer["derive"] / own.derive,
        "ready": peer["ready"] / (own.derive + own.compile),
        "bound call": peer["call"] / own.call,
        "plain call": peer["call"] / own.plain,
    }
    return ratios, f" {peer['derive']:7.2f}s {peer['call'] * 1e6:6.0f}µs   " + ", ".join(
        f"{key} {value:.0f}" for key, value in ratios.items()
    )


def main() -> None:
    """Measure, print the table, then the line of key figures."""
    os.environ["MULTIBODY_CACHE"] = "off"
    print(f"{'':17} {'speeds':>6} {'equations':>9} {'operations':>10} {'derive':>9} {'compile':>8} {'assemble':>9}"
          f" {'bound':>9} {'plain':>9} {'single':>9} {'batch':>9}    SymPy    call   ratios")  # fmt: skip
    found: dict[str, Figures] = {}
    ratios: dict[str, dict[str, float]] = {}
    for name, build in MECHANISMS.items():
        found[name], eom = measured(build)
        own, text = found[name], ""
        if name in PEERS:
            ratios[name], text = compared(name, own, eom)
        print(f"{name:17} {len(eom.speeds):6d} {len(eom.constraints.independent):9d} {own.operations:10d}"
              f" {own.derive * 1e3:7.1f}ms {own.compile:7.2f}s {own.assemble * 1e3:7.1f}ms"
              f" {own.call * 1e6:7.3f}µs {own.plain * 1e6:7.3f}µs {own.single * 1e6:7.3f}µs {own.batch * 1e6:7.3f}µs"
              f"{text}", flush=True)  # fmt: skip
    kane, _ = best(lambda: mb.derive(mechanisms.bicycle(), mb.Kane()), 5)
    print(f"\nthe bicycle by Kane's method here: {kane * 1e3:.0f} ms")
    ready = {name: own.derive + own.compile for name, own in found.items()}
    figures = {
        "bicycle_derive_vs_sympy": ratios["bicycle"]["derive"],
        "bicycle_kane_vs_sympy": ratios["bicycle"]["derive"] * found["bicycle"].derive / kane,
        "bicycle_call_vs_sympy": ratios["bicycle"].get("bound call", np.nan),
        "bicycle_plain_call_vs_sympy": ratios["bicycle"].get("plain call", np.nan),
        "bicycle_ready_s": ready["bicycle"],
        "andrews_derive_vs_sympy": ratios["Andrews"]["derive"],
        "andrews_eval_us": found["Andrews"].single * 1e6,
        "bicycle_eval_us": found["bicycle"].single * 1e6,
        "stewart_eval_us": found["Stewart platform"].single * 1e6,
        "stewart_ready_s": ready["Stewart platform"],
        "nfourbar40_s": ready["40 four-bars"],
        "nfourbar_growth": ready["40 four-bars"] / ready["20 four-bars"],
    }
    for name in ("2 four-bars", "10 four-bars", "20 four-bars", "40 four-bars"):
        claim("rows of four-bars", name, "s", {"multibody": ready[name]})
    bar(figures)


if __name__ == "__main__":
    peer_alone(sys.argv[2]) if "--sympy" in sys.argv else main()
