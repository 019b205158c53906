"""Who takes part in ``simulate.py``: our integrators, SciPy, PyDy, Exudyn and MuJoCo, each on the same mechanisms.

Every ``Runner`` starts from the same state and answers with the same numbers, the positions at the end. It is given a
ladder of settings from loose to tight: tolerances, or numbers of equal steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import multibody as mb
from multibody.model import Link, Model
from multibody.simulation.contract import Watch
from multibody.simulation.integrators.scipy_solvers import ScipySolver
from multibody.simulation.problem.problem import Problem

Vector = np.ndarray
TOLERANCES = tuple(10.0 ** -np.arange(3.0, 13.76, 0.25))


def step_counts(first: int, last: int) -> tuple[int, ...]:
    """Numbers of equal steps, each √2 times the one before."""
    return tuple(int(first * 2 ** (k / 2)) for k in range(int(2 * np.log2(last / first)) + 1))


@dataclass
class Runner:
    """One way to integrate a task.

    Attributes:
        name: for the table; runners of one family compete for its best.
        family: who made it.
        ladder: settings from loose to tight.
        run: a setting to positions at the end; this is timed.
        setup: seconds from the description to the first step.
    """

    name: str
    family: str
    ladder: Sequence[float]
    run: Callable[[Any], Vector]
    setup: float


@dataclass
class Task:
    """What to integrate.

    Attributes:
        system: the mechanism.
        duration: in seconds.
        target: how large errors at the end may be.
        q: start values of coordinates by name, where they are not the model's.
        u: the same for speeds.
        seen: the coordinates at the end to the numbers that count.
    """

    system: Callable[[], mb.System]
    duration: float
    target: float
    q: dict[str, float] | None = None
    u: dict[str, float] | None = None
    seen: Callable[[Vector], Vector] = np.asarray

    def prepare(self) -> float:
        """Derive and compile; the seconds that it takes."""
        begun = perf_counter()
        self.eom = mb.derive(self.system())
        self.start = self.eom.consistent(self.q, self.u)
        self.problem = Problem(self.eom, [])
        self.problem.rhs, self.problem.projection  # noqa: B018 - this compiles
        self.y0 = np.concatenate([self.start.q, self.start.u, np.zeros(self.problem.size - self.size)])
        return perf_counter() - begun

    @property
    def size(self) -> int:
        """Coordinates and speeds."""
        return len(self.eom.coordinates) + len(self.eom.speeds)

    def end(self, y: Vector) -> Vector:
        """What is compared, from a state at the end."""
        return self.seen(y[: len(self.eom.coordinates)])

    def moved(self, integrator: mb.simulation.Integrator) -> Vector:
        """The end of a run of the bare integrator on the prepared problem; NaN if it does not end well."""
        segment = integrator.run(self.problem, 0.0, self.y0, np.array([self.duration]), 0.0, Watch())
        return self.end(segment.last_y if segment.status.ok else np.full_like(segment.last_y, np.nan))


# here ---------------------------------------------------------------------------------------------------------------


def ours(task: Task, setup: float) -> list[Runner]:
    """The bare integrators on the prepared problem, and the call that a user writes."""
    methods = {"order 8": mb.DormandPrince8, "order 5": mb.DormandPrince5}
    runners = [
        Runner(f"multibody, {name}", "ours", TOLERANCES, lambda tol, m=m: task.moved(m(rtol=tol, atol=tol)), setup)
        for name, m in methods.items()
    ]

    def simulated(tolerance: float) -> Vector:
        integrator = mb.DormandPrince8(rtol=tolerance, atol=tolerance)
        return task.seen(mb.simulate(task.eom, task.duration, start=task.start, integrator=integrator).q[-1])

    return [*runners, Runner("mb.simulate, 501 samples", "call", TOLERANCES, simulated, setup)]


# SciPy --------------------------------------------------------------------------------------------------------------


def right_hand_side(task: Task) -> Callable[[float, Vector], Vector]:
    """Our compiled rates of q and u, and nothing else, behind as little Python as possible; no task depends on t."""
    eom, n = task.eom, len(task.eom.coordinates)
    y, rate = np.zeros(task.size), np.zeros(task.size)
    function = eom.function("rates", {"rate": [*eom.rates, *eom.acceleration]})
    call = function.bind(t=np.zeros(()), q=y[:n], u=y[n:], r=np.zeros(0), p=np.zeros(0), rate=rate)

    def rates(_: float, state: Vector) -> Vector:
        y[:] = state
        call()
        return rate.copy()

    return rates


def scipy(task: Task) -> list[Runner]:
    """``solve_ivp``, and SciPy's old interfaces, whose steps are not made in Python."""
    from scipy.integrate import ode, odeint, solve_ivp

    begun = perf_counter()
    rates = right_hand_side(task)
    setup, T, y0 = perf_counter() - begun, task.duration, task.y0[: task.size]

    def ivp(method: str, tol: float) -> Vector:
        return task.end(solve_ivp(rates, (0, T), y0, method, rtol=max(tol, 3e-14), atol=tol).y[:, -1])

    def old_dop853(tol: float) -> Vector:
        solver = ode(rates).set_integrator("dop853", rtol=tol, atol=tol, nsteps=10**6)
        return task.end(solver.set_initial_value(y0).integrate(T))

    def old_lsoda(tol: float) -> Vector:
        return task.end(odeint(rates, y0, [0, T], rtol=tol, atol=tol, tfirst=True, mxstep=10**6)[-1])

    methods: dict[str, tuple[str, Callable[[float], Vector]]] = {
        f"SciPy solve_ivp, {one}": ("SciPy", lambda tol, one=one: ivp(one, tol)) for one in ("DOP853", "RK45", "LSODA")
    }
    methods |= {"SciPy ode, dop853": ("old SciPy", old_dop853), "SciPy odeint": ("old SciPy", old_lsoda)}
    return [Runner(name, family, TOLERANCES, run, setup) for name, (family, run) in methods.items()]


def scipy_with_projection(task: Task) -> list[Runner]:
    """SciPy's solver, and our projection after each step; without it, DOP853 ended in a wrong place (2 four-bars)."""
    run = lambda tol: task.moved(ScipySolver(method="DOP853", rtol=tol, atol=tol))  # noqa: E731
    return [Runner("SciPy DOP853, our projection", "SciPy", TOLERANCES, run, 0.0)]


# PyDy ---------------------------------------------------------------------------------------------------------------


def pydy_chain(task: Task, links: int) -> list[Runner]:
    """A chain of uniform rods by SymPy's Kane and PyDy's code, moved by its ``System.integrate`` (``odeint``)."""
    import sympy as sp
    import sympy.physics.mechanics as me
    from pydy.system import System

    begun = perf_counter()
    q, u = me.dynamicsymbols(f"q1:{links + 1}"), me.dynamicsymbols(f"u1:{links + 1}")
    m, l, g = sp.symbols("m l g")
    world, point = me.ReferenceFrame("N"), me.Point("O")
    point.set_vel(world, 0)
    frame, bodies, loads = world, [], []
    for k in range(links):
        new = frame.orientnew(f"A{k}", "Axis", [q[k], frame.z])
        new.set_ang_vel(frame, u[k] * frame.z)
        hinge = point.locatenew(f"P{k}", l * frame.x if k else 0 * frame.x)
        hinge.v2pt_theory(point, world, frame)
        center = hinge.locatenew(f"C{k}", l / 2 * new.x)
        center.v2pt_theory(hinge, world, new)
        tensor = me.inertia(new, 0, m * l**2 / 12, m * l**2 / 12)
        bodies.append(me.RigidBody(f"B{k}", center, new, m, (tensor, center)))
        loads.append((center, -m * g * world.y))
        frame, point = new, hinge
    method = me.KanesMethod(world, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
    method.kanes_equations(bodies, loads)
    constants = {m: 1.0, l: 1.0, g: 9.81}
    start = dict(zip([*q, *u], task.y0[: task.size], strict=True))
    derived = perf_counter() - begun

    def runner(name: str, **generator: str) -> Runner:
        begun = perf_counter()
        system = System(method, constants=constants, initial_conditions=start, times=np.array([0.0, task.duration]))
        system.generate_ode_function(**generator)
        run = lambda tol: task.end(system.integrate(rtol=tol, atol=tol, mxstep=10**6)[-1])  # noqa: E731
        return Runner(f"PyDy, {name}", "PyDy", TOLERANCES, run, derived + perf_counter() - begun)

    runners = [runner("lambdify", generator="lambdify")]  # what it does unless it is told otherwise
    try:
        return [*runners, runner("cython", generator="cython", linear_sys_solver="sympy")]
    except ImportError as missing:
        print(f"  PyDy without cython: {missing}")
        return runners


# Exudyn -------------------------------------------------------------------------------------------------------------


def exudyn_settings(duration: float) -> Any:
    """Nothing is written or shown, one thread."""
    import exudyn as exu

    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = duration
    settings.parallel.numberOfThreads = 1
    return settings


def exudyn_chain(task: Task, links: int, com: float, inertia: float) -> list[Runner]:
    """A chain of hinges as ``ObjectKinematicTree``, its form with the fewest coordinates, by its explicit methods."""
    import exudyn as exu
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

    begun = perf_counter()
    container = exu.SystemContainer()
    system = container.AddSystem()
    node = system.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0] * links, initialCoordinates=list(task.start.q),
            initialCoordinates_t=list(task.start.u), numberOfODE2Coordinates=links,
        )
    )  # fmt: skip
    tensor = np.diag([0, inertia, inertia])
    system.AddObject(
        ObjectKinematicTree(
            nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * links, linkParents=list(range(-1, links - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * links),
            jointOffsets=exu.Vector3DList([[float(k > 0), 0, 0] for k in range(links)]),
            linkInertiasCOM=exu.Matrix3DList([tensor] * links), linkCOMs=exu.Vector3DList([[com, 0, 0]] * links),
            linkMasses=[1.0] * links, baseOffset=[0.0, 0.0, 0.0], gravity=[0, -9.81, 0],
        )
    )  # fmt: skip
    system.Assemble()
    settings, setup = exudyn_settings(task.duration), perf_counter() - begun
    keep = container, system  # the container must live as long as its system

    def run(method: str, setting: float) -> Vector:
        how = settings.timeIntegration
        how.automaticStepSize = adaptive = setting < 1
        if adaptive:
            how.absoluteTolerance = how.relativeTolerance = setting
            how.numberOfSteps, how.initialStepSize, how.minimumStepSize = 1, 1e-3, 1e-5
        else:
            how.numberOfSteps = setting
        keep[1].SolveDynamic(settings, solverType=getattr(exu.DynamicSolverType, method))
        return task.seen(np.array(system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)))

    ladders = {"DOPRI5": TOLERANCES[:33], "RK67": step_counts(50, 10**5), "RK44": step_counts(50, 10**5)}
    return [
        Runner(f"Exudyn, {method}", "Exudyn", ladder, lambda s, method=method: run(method, s), setup)
        for method, ladder in ladders.items()
    ]


def exudyn_four_bars(task: Task, count: int) -> list[Runner]:
    """Plane bodies and hinges, by generalized α.

    Tried with 2,000 steps and more: a spectral radius of 0.9 has smaller errors than 0.6; with 1, and by its
    trapezoidal rule, runs fail or end in a wrong place. For 2 four-bars its dense solver is faster than its sparse one.
    """
    import exudyn as exu
    import exudyn.itemInterface as items  # noqa: N813

    begun = perf_counter()
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(items.ObjectGround())

    def bar(x: float, y: float, angle: float, velocity: list[float]) -> int:
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=velocity))
        body = system.AddObject(items.RigidBody2D(physicsMass=1, physicsInertia=1 / 12, nodeNumber=node))
        marker = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))
        return body

    def hinge(one: int, at: float, other: int, there: float) -> None:
        places = ((one, at), (other, there))
        markers = [items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0]) for body, x in places]
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[system.AddMarker(one) for one in markers]))

    verticals = [bar(k, 0.5, np.pi / 2, [0.5, 0, -1]) for k in range(count + 1)]
    for k, vertical in enumerate(verticals):
        hinge(ground, k, vertical, -0.5)
    for k in range(count):
        across = bar(k + 0.5, 1, 0, [1, 0, 0])
        hinge(verticals[k], 0.5, across, -0.5)
        hinge(across, 0.5, verticals[k + 1], 0.5)
    system.Assemble()
    settings, setup = exudyn_settings(task.duration), perf_counter() - begun
    solvers = exu.LinearSolverType
    settings.linearSolverType = solvers.EXUdense if count < 5 else solvers.EigenSparse
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    keep = container, system  # the container must live as long as its system

    def run(steps: int) -> Vector:
        settings.timeIntegration.numberOfSteps = steps
        keep[1].SolveDynamic(settings)
        return np.array(system.GetObjectOutputBody(verticals[0], exu.OutputVariableType.Position, [0.5, 0, 0])[:2])

    return [Runner("Exudyn, generalized α", "Exudyn", step_counts(2000, 64000), run, setup)]


# MuJoCo -------------------------------------------------------------------------------------------------------------


def numbers(*values: Any) -> str:
    """Numbers as MuJoCo reads them, all digits."""
    return " ".join(repr(float(value)) for value in values)


def mjcf(model: Model, link: Link) -> str:
    """A link and all that it carries."""
    pose, inertia = link.before, link.inertia
    assert inertia is not None
    tensor = inertia.central_tensor
    if len(link.q) > 1:
        joint = f'<freejoint name="{link.joint.name}"/>'
    else:
        axis = link.motion.axes(link.q)[0]
        turns = any(float(one) for one in axis.resultant.components())
        along, kind = (axis.resultant, "hinge") if turns else (axis.moment, "slide")
        joint = f'<joint name="{link.joint.name}" type="{kind}" axis="{numbers(*along.components())}"/>'
    turn = pose.rotation.to_quaternion()
    place = f'pos="{numbers(*pose.position.components())}" quat="{numbers(*turn.components())}"'
    moments = numbers(tensor.xx, tensor.yy, tensor.zz, tensor.xy, tensor.xz, tensor.yz)
    center = numbers(*inertia.center_of_mass.components())
    mass = f'<inertial pos="{center}" mass="{numbers(inertia.mass)}" fullinertia="{moments}"/>'
    return f"<body {place}>{joint}{mass}{''.join(mjcf(model, one) for one in model.children(link.index))}</body>"


def mujoco(task: Task) -> list[Runner]:
    """The same tree of links, without limits and contacts, by the loop of its ``rollout`` on one thread."""
    import mujoco
    from mujoco import rollout

    begun = perf_counter()
    model = task.eom.model
    flags = '<flag contact="disable" constraint="disable" actuation="disable" sensor="disable"/>'
    option = f'<option integrator="RK4" gravity="{numbers(*model.gravity.components())}">{flags}</option>'
    tree = "".join(mjcf(model, link) for link in model.children(-1))
    own = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{tree}</worldbody></mujoco>")
    data = mujoco.MjData(own)
    addresses = {
        symbol: own.joint(joint.name).qposadr[0] + k
        for joint in model.joints
        for k, symbol in enumerate(joint.coordinates)
    }
    places = [addresses[symbol] for symbol in model.coordinates]
    for link in model.links:
        first = own.joint(link.joint.name)
        values = [task.start[one.name] for one in link.joint.speeds]
        values = values[3:] + values[:3] if len(values) == 6 else values  # a base that is not turned: origin first
        data.qvel[first.dofadr[0] : first.dofadr[0] + len(values)] = values
    data.qpos[places] = task.start.q
    start = np.zeros(mujoco.mj_stateSize(own, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(own, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    setup = perf_counter() - begun

    def run(steps: int) -> Vector:
        own.opt.timestep = task.duration / steps
        state, _ = rollout.rollout(own, data, start[None], nstep=steps)
        return task.seen(state[0, -1, 1 : 1 + own.nq][places])

    return [Runner("MuJoCo, RK4", "MuJoCo", step_counts(25, 50000), run, setup)]


def available(make: Callable[[], list[Runner]]) -> list[Runner]:
    """Runners of a peer; one that is not installed is reported, and takes no part."""
    try:
        return make()
    except ImportError as missing:
        print(f"  missing: {missing}")
        return []
