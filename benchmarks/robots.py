"""Forward dynamics of real robots and long chains, beside Pinocchio's C++, MuJoCo and SymPy's Kane.

Pinocchio is timed by ``abaInParallel`` on one thread, so that no Python call is counted; here a compiled loop over
single states stands against it, and the batch, on random states as there. MuJoCo is timed by the steps of its
``rollout`` on one thread, contacts and constraints off, by Euler's method, which adds little to forward dynamics.
Damping and friction of the files are left out, because Pinocchio leaves them out. Before anything is timed, all of them
must find the same accelerations at random states, and SymPy ours. Plain calls from Python, ``eom.forward_dynamics(…)``
and ``pin.aba(…)``, have columns of their own. The best of several runs counts. Run with
``./dev bench robots``.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from _lines import bar, claim
from _timing import Run, best, in_turn, per_call

from multibody.formalisms import ArticulatedBody, EquationsOfMotion, derive
from multibody.io.urdf import read_urdf
from multibody.model import Joint, JointLoad, Model, System
from multibody.testing import random_state

STATES = 4096
DIFFERENT = 64  # configurations among them
ROUNDS = 25
ROBOTS = {
    "Panda": ("panda_description/urdf/panda.urdf", False),
    "UR5": ("ur_description/urdf/ur5_robot.urdf", False),
    "ANYmal": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "Talos": ("talos_data/robots/talos_reduced.urdf", True),
}
WHO = ("multibody", "multibody, batch", "Pinocchio", "MuJoCo")
CHAINS = (7, 32, 100, 300, 1000)
PEER_LINKS = 300  # with 1,000 Pinocchio runs out of memory (24 GB), and MuJoCo refuses so deep a file
AXES = ("Rz", "Rx", "Ry")


def folder() -> Path:
    """Where the package ``example-robot-data`` keeps its robots."""
    import pinocchio

    site = Path(pinocchio.__file__).resolve()
    root = next(p for p in site.parents if (p / "share" / "example-robot-data").is_dir())
    return root / "share" / "example-robot-data" / "robots"


def driven(system: System) -> System:
    """The system with a torque or force as input on every joint that moves."""
    for joint in list(system.all(Joint)):
        if joint.speeds:
            torque = system.input(f"{joint.name}_load", (len(joint.speeds),))
            system.load(JointLoad(joint, torque))
    return system


def spatial_chain(links: int) -> System:
    """A chain of equal links whose axes take turns."""
    system = System("chain")
    inner = system.world
    for k in range(1, links + 1):
        body = system.body(f"b{k}", 1.0, (0.1, 0.02, 0.05), (0.02, 0.001, 0.03, 0.002, 0.0005, 0.04))
        system.joint(f"q{k}", inner if k == 1 else inner.frame(f"f{k}", (0.2, 0, 0.1)), body, AXES[k % 3])
        inner = body
    return system


def ours(eom: EquationsOfMotion, states: int = STATES) -> dict[str, Run]:
    """Forward dynamics here: one state at a time in a compiled loop, and in a batch."""
    model, function = eom.model, eom.forward_dynamics
    q = np.array([random_state(model, seed)[0] for seed in range(DIFFERENT)])
    rng = np.random.default_rng(0)
    arrays = [np.zeros(states), np.tile(q, (states // DIFFERENT, 1)), rng.normal(size=(states, len(model.speeds)))]
    arrays += [rng.normal(size=(states, len(model.input_symbols))), np.zeros(0)]
    counts = [states, states, states, states, None]
    values = list(zip(function.inputs, arrays, counts, strict=True))
    shared = frozenset({4})
    single, batch = function._kernel(shared, 1), function._kernel(shared)
    out = {"acceleration": np.empty((states, len(model.speeds)))}
    return {
        "multibody": Run(lambda: single.run(function, values, 1, out), states),
        "multibody, batch": Run(lambda: batch.run(function, values, 1, out), states),
    }


def pinocchio_model(path: Path, floating: bool) -> Any:
    """A robot from its file."""
    import pinocchio as pin

    return pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []))


def pinocchio_ready(path: Path, floating: bool) -> float:
    """Seconds that Pinocchio takes to read a robot; there is nothing to derive or to compile."""
    return best(lambda: pinocchio_model(path, floating))[0]


def pinocchio(model: Any) -> Run:
    """Pinocchio's articulated-body algorithm."""
    import pinocchio as pin

    pool = pin.ModelPool(model, 1)
    ones = np.ones(model.nq)
    q = np.asfortranarray(np.array([pin.randomConfiguration(model, -ones, ones) for _ in range(STATES)]).T)
    rng = np.random.default_rng(0)
    v, tau = (np.asfortranarray(rng.normal(size=(model.nv, STATES))) for _ in range(2))
    out = np.asfortranarray(np.zeros((model.nv, STATES)))
    return Run(lambda: pin.abaInParallel(1, pool, q, v, tau, out), STATES)


def plain_calls(eom: EquationsOfMotion, model: Any) -> dict[str, float]:
    """Seconds of one call from Python, with arrays that are given with the call, ours and Pinocchio's."""
    import pinocchio as pin

    state, data = next(some_states(eom)), model.createData()
    q, u, r = list(state.q.values()), list(state.u.values()), np.zeros(len(eom.inputs))
    ours = [0.0, np.array(q), np.array(u), r, np.empty(0)]
    theirs = [pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)]
    return {
        "multibody, plain": per_call(lambda: eom.forward_dynamics(*ours)),
        "Pinocchio, plain": per_call(lambda: pin.aba(model, data, *theirs)),
    }


def require_same(who: str, own: np.ndarray, other: np.ndarray) -> None:
    """Stop unless another tool finds our accelerations, relative to the largest one."""
    gap = float(np.max(np.abs(own - other)) / np.max(np.abs(own)))
    if not gap < 1e-8:
        raise AssertionError(f"{who} finds other accelerations: they differ by {gap:.1e}")


class State(NamedTuple):
    """Coordinates, speeds and the loads on them, by symbol, and our accelerations in the order of the speeds."""

    q: dict[Any, float]
    u: dict[Any, float]
    load: dict[Any, float]
    acceleration: np.ndarray


def some_states(eom: EquationsOfMotion) -> Iterator[State]:
    """Three random states, with random loads where there are inputs."""
    model, rng = eom.model, np.random.default_rng(1)
    named = {f"{joint.name}_load_{k}": one for joint in model.joints for k, one in enumerate(joint.speeds, 1)}
    inputs = [named[symbol.name] for symbol in model.input_symbols]  # as ``driven`` calls them
    for seed in range(3):
        q, u, r = random_state(model, seed)[0], rng.normal(size=len(model.speeds)), rng.normal(size=len(inputs))
        found = eom.forward_dynamics(0.0, q, u, r, [])
        load = dict.fromkeys(model.speeds, 0.0) | dict(zip(inputs, r, strict=True))
        yield State(dict(zip(model.coordinates, q, strict=True)), dict(zip(model.speeds, u, strict=True)), load, found)


def require_pinocchio(eom: EquationsOfMotion, model: Any) -> None:
    """Pinocchio finds our accelerations; its free joint has translations first, and the real part of q last."""
    import pinocchio as pin

    joints = {joint.name: joint for joint in eom.model.joints}
    data = model.createData()
    for state in some_states(eom):
        q, v, tau, place = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv), {}
        for name, joint in zip(list(model.names)[1:], list(model.joints)[1:], strict=True):
            own, free = joints[name], joint.nv == 6
            values = [state.q[symbol] for symbol in own.coordinates]
            q[joint.idx_q : joint.idx_q + joint.nq] = [*values[:3], *values[4:], values[3]] if free else values
            for symbol, k in zip(own.speeds, (3, 4, 5, 0, 1, 2) if free else range(joint.nv), strict=True):
                place[symbol] = joint.idx_v + k
                v[joint.idx_v + k], tau[joint.idx_v + k] = state.u[symbol], state.load[symbol]
        found = pin.aba(model, data, q, v, tau)
        require_same("Pinocchio", state.acceleration, np.array([found[place[one]] for one in eom.model.speeds]))


def require_mujoco(eom: EquationsOfMotion, model: Any) -> None:
    """MuJoCo finds our accelerations of the chain."""
    import mujoco

    data = mujoco.MjData(model)
    for state in some_states(eom):
        data.qpos[:], data.qvel[:] = list(state.q.values()), list(state.u.values())
        mujoco.mj_forward(model, data)
        require_same("MuJoCo", state.acceleration, np.array(data.qacc))


def pinocchio_chain(links: int) -> Any:
    """The spatial chain."""
    import pinocchio as pin

    model = pin.Model()
    makers = {"Rz": pin.JointModelRZ, "Rx": pin.JointModelRX, "Ry": pin.JointModelRY}
    tensor = np.array([[0.02, 0.001, 0.002], [0.001, 0.03, 0.0005], [0.002, 0.0005, 0.04]])
    joint = 0
    for k in range(1, links + 1):
        place = pin.SE3(np.eye(3), np.array([0.2, 0, 0.1]) if k > 1 else np.zeros(3))
        joint = model.addJoint(joint, makers[AXES[k % 3]](), place, f"q{k}")
        model.appendBodyToJoint(joint, pin.Inertia(1.0, np.array([0.1, 0.02, 0.05]), tensor), pin.SE3.Identity())
    return model


def mujoco_chain(links: int) -> Any:
    """The spatial chain."""
    import mujoco

    inertia = "0.02 0.03 0.04 0.001 0.002 0.0005"
    text, axes = "", {"Rz": "0 0 1", "Rx": "1 0 0", "Ry": "0 1 0"}
    for k in range(1, links + 1):
        position = "0.2 0 0.1" if k > 1 else "0 0 0"
        text += f'<body pos="{position}"><joint axis="{axes[AXES[k % 3]]}"/>'
        text += f'<inertial pos="0.1 0.02 0.05" mass="1" fullinertia="{inertia}"/>'
    option = '<option timestep="1e-6" integrator="Euler"><flag contact="disable" constraint="disable"/></option>'
    xml = f"<mujoco>{option}<worldbody>{text}{'</body>' * links}</worldbody></mujoco>"
    return mujoco.MjModel.from_xml_string(xml)


def mujoco_steps(model: Any) -> Run:
    """Forward dynamics of MuJoCo, by the steps of its own rollout loop."""
    import mujoco
    from mujoco import rollout

    data = mujoco.MjData(model)
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    steps = 2000
    return Run(lambda: rollout.rollout(model, data, state[None], nstep=steps), steps)


def sympy_seconds(links: int) -> float:
    """Seconds for SymPy's KanesMethod to derive the equations of the chain; it must find our accelerations."""
    import sympy as sp
    import sympy.physics.mechanics as me

    start = perf_counter()
    q, u = me.dynamicsymbols(f"q1:{links + 1}"), me.dynamicsymbols(f"u1:{links + 1}")
    world, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(world, 0)
    frame, point, bodies, loads = world, origin, [], []
    for k in range(links):
        axis = {"Rz": frame.z, "Rx": frame.x, "Ry": frame.y}[AXES[(k + 1) % 3]]
        new = frame.orientnew(f"A{k}", "Axis", [q[k], axis])
        new.set_ang_vel(frame, u[k] * axis)
        hinge = point if k == 0 else point.locatenew(f"P{k}", 0.2 * frame.x + 0.1 * frame.z)
        if k:
            hinge.v2pt_theory(point, world, frame)
        com = hinge.locatenew(f"C{k}", 0.1 * new.x + 0.02 * new.y + 0.05 * new.z)
        com.v2pt_theory(hinge, world, new)
        tensor = me.inertia(new, 0.02, 0.03, 0.04, 0.001, 0.0005, 0.002)
        bodies.append(me.RigidBody(f"B{k}", com, new, sp.Integer(1), (tensor, com)))
        loads.append((com, -9.81 * world.z))
        frame, point = new, hinge
    method = me.KanesMethod(world, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
    method.kanes_equations(bodies, loads)
    seconds = perf_counter() - start
    function = sp.lambdify([q, u], [method.mass_matrix, method.forcing], cse=True)
    for state in some_states(derive(spatial_chain(links))):
        matrix, right = function(list(state.q.values()), list(state.u.values()))
        require_same("SymPy", state.acceleration, np.linalg.solve(matrix, right)[:, 0])
    return seconds


def robots(figures: dict[str, float]) -> None:
    """The table of real robots."""
    print(f"{'':8} {'joints':>6} {'operations':>10} {'read':>7} {'derive':>7} {'compile':>8} {'cached':>7}"
          f" {'Pinocchio':>10} {'single':>8} {'batch':>8}   ratios")  # fmt: skip
    for name, (relative, floating) in ROBOTS.items():
        path = folder() / relative
        with tempfile.TemporaryDirectory() as cache:
            os.environ["MULTIBODY_CACHE"] = cache
            eom, times = ready(path, floating)
            cached = min(sum(ready(path, floating)[1]) for _ in range(3))
            peer_model = pinocchio_model(path, floating)
            require_pinocchio(eom, peer_model)
            seconds = in_turn(ours(eom) | {"Pinocchio": pinocchio(peer_model)}, ROUNDS)
            plain = plain_calls(eom, peer_model)
        single, batch, peer = seconds.values()
        ratios = peer / single, peer / batch
        count = sum(eom.forward_dynamics.operations.values())
        print(f"{name:8} {len(eom.speeds):6d} {count:10d} {times[0]:6.2f}s {times[1]:6.2f}s {times[2]:7.2f}s"
              f" {cached:6.2f}s {peer * 1e6:8.2f}µs {single * 1e6:6.3f}µs {batch * 1e6:6.3f}µs"
              f"   {ratios[0]:.1f} and {ratios[1]:.1f} in batches, by {eom.formalism}; calls from Python:"
              f" {', '.join(f'{who} {one * 1e6:.2f} µs' for who, one in plain.items())}")  # fmt: skip
        figures[f"{name.lower()}_vs_pin"], figures[f"{name.lower()}_batch_vs_pin"] = ratios
        figures[f"{name.lower()}_ready_s"], figures[f"{name.lower()}_cached_s"] = sum(times), cached
        claim("forward dynamics", name, "µs", seconds | plain, 1e-6)
        readied = {"multibody": sum(times), "multibody, cached": cached, "Pinocchio": pinocchio_ready(path, floating)}
        claim("ready", name, "s", readied)


def ready(path: Path, floating: bool) -> tuple[EquationsOfMotion, tuple[float, float, float]]:
    """A robot from its file to a callable function, and the seconds for reading, deriving and compiling."""
    start = perf_counter()
    model: Model = driven(read_urdf(path, floating=floating, dynamics="ignore").system).freeze()
    read = perf_counter()
    eom = derive(model)
    derived = perf_counter()
    eom.forward_dynamics.address  # noqa: B018 - this compiles
    return eom, (read - start, derived - read, perf_counter() - derived)


def chains(figures: dict[str, float]) -> None:
    """The table of spatial chains."""
    print(f"\n{'links':>6} {'operations':>10} {'derive':>8} {'compile':>8} {'Pinocchio':>10} {'MuJoCo':>10}"
          f" {'single':>9} {'batch':>9}")  # fmt: skip
    os.environ["MULTIBODY_CACHE"] = "off"
    for links in CHAINS:
        system = spatial_chain(links)
        start = perf_counter()
        eom = derive(system, ArticulatedBody()) if links > 20 else derive(system)
        derived = perf_counter()
        eom.forward_dynamics.address  # noqa: B018 - this compiles
        compiled = perf_counter()
        runs = ours(eom, 1024 if links > 100 else STATES)
        if links <= PEER_LINKS:
            models = pinocchio_chain(links), mujoco_chain(links)
            require_pinocchio(eom, models[0])
            require_mujoco(eom, models[1])
            runs |= {"Pinocchio": pinocchio(models[0]), "MuJoCo": mujoco_steps(models[1])}
        seconds = in_turn(runs, ROUNDS if links < 100 else 5)
        single, batch, peer, mujoco = (seconds.get(who, np.nan) for who in WHO)
        count = sum(eom.forward_dynamics.operations.values())
        print(f"{links:6d} {count:10d} {derived - start:7.3f}s {compiled - derived:7.2f}s {peer * 1e6:8.2f}µs"
              f" {mujoco * 1e6:8.2f}µs {single * 1e6:7.3f}µs {batch * 1e6:7.3f}µs")  # fmt: skip
        claim("forward dynamics of chains", f"{links} links", "µs", seconds, 1e-6)
        if links == 7:
            figures["chain7_vs_mujoco"] = mujoco / single
            figures["chain7_vs_pin"] = peer / single
    figures["chain1000_s"] = compiled - start


def main() -> None:
    """Measure, print the tables, then the line of key figures."""
    figures: dict[str, float] = {}
    robots(figures)
    chains(figures)
    own, _ = best(lambda: derive(spatial_chain(7)), 5)
    peer = sympy_seconds(7)
    figures["derive7_vs_sympy"] = peer / own
    print(f"\nderive 7 links: {own * 1e3:.1f} ms, SymPy's Kane {peer:.2f} s")
    claim("derive equations", "7 links in space, numbers", "ms", {"multibody": own, "SymPy Kane": peer}, 1e-3)
    bar(figures)


if __name__ == "__main__":
    main()
