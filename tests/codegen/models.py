"""What is exported in the tests, and states to compare at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import multibody as mb
from multibody.codegen import Program
from multibody.graph import (
    Table,
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    equal,
    exp,
    jacobian,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)

STATES = 100


def crane_crab() -> mb.EquationsOfMotion:
    """Section 2.3.2 of the PyMbs manual, with more sensors."""
    crane = mb.System("crane_crab")
    g = crane.parameter("g", 9.81, unit="m/s^2", description="gravity */ \" ''' \\")
    crane.gravity = (0, 0, -g)
    m1, m2, l2 = crane.parameters(m1=10.0, m2=1.0, l2=1.0)
    F = crane.input("F", unit="N", description="driving force\nof the crab")
    crab = crane.body("crab", mass=m1)
    load = crane.body("load", mass=m2, inertia=mb.diag(0, m2 * l2**2 / 12, 0))
    crane.joint("slide", crane.world, crab, "Tx", q=1.0)
    swing = crane.joint("swing", crab, load.frame("hook", (0, 0, l2)), "Ry", q=-1.0)
    crane.load(mb.PointToPointForce(crane.world, crab, F))
    crane.sensor("d", mb.DistanceAndRate(crane.world, crab))
    crane.sensor("R", mb.Orientation(load))
    crane.sensor("a", mb.Acceleration(load))
    crane.sensor("pull", mb.ConstraintForce(swing))
    return mb.derive(crane)


def tree() -> mb.EquationsOfMotion:
    """Every kind of joint, one on the other and beside each other, with parameters, loads, and a given motion."""
    kinds = {
        "turn": "Rz", "shift": "Ty", "revolute": mb.Revolute((1, 2, 2)), "slider": mb.Prismatic((0, 3, 4)),
        "cylinder": mb.Cylindrical((2, 1, 2)), "screw": mb.Screw("x", 0.3), "cross": mb.Universal("x", "y"),
        "table": mb.Planar("z"), "ball": mb.Spherical(), "euler": mb.Spherical("zxz"), "flight": mb.Free(),
        "cardan": mb.Free("xyz"), "stack": ["Tz", "Rx", "Ry"], "weld": mb.Weld(),
    }  # fmt: skip
    system = mb.System("tree", gravity=(1.0, -2.0, -9.0))
    bodies = [system.world]
    for k, (name, kind) in enumerate(kinds.items()):
        mass = system.parameter(f"m_{name}", 1.0 + 0.1 * k, unit="kg")
        body = system.body(f"b_{name}", mass, (0.1, 0.02 * k, -0.1), (2.0 + 0.1 * k, 2.5, 3.0))
        place = (0.3, -0.1 * k, 0.2)
        inner = bodies[-1 if k % 2 else k // 2].frame(f"at_{name}", place, mb.Rotation.about_x(0.2 * k))
        joint = system.joint(name, inner, body, kind)
        if joint.speeds:
            system.load(mb.JointLoad(joint, system.input(f"r_{name}", (len(joint.speeds),))))
        bodies.append(body)
    driven = system.body("driven", 1.0, (0.1, 0, 0), (1, 1, 1))
    system.joint("drive", bodies[3], driven, "Rx", prescribed=sin(2 * system.time) + 0.1 * system.time)
    system.load(mb.SpringDamper(system.world.frame("hook", (1, 1, 1)), driven, 30.0, 1.0, 2.0))
    system.sensor("tip", mb.Position(bodies[-1]))
    system.sensor("speed", mb.Velocity(driven))
    return mb.derive(system)


def still() -> mb.EquationsOfMotion:
    """No states: all that moves is given."""
    system = mb.System("still", gravity=(0, 0, -9.81))
    angle = system.parameter("a", 0.3) * sin(system.time)
    body = system.body("arm", 1.0, (0.1, 0, 0), (1, 1, 1))
    system.joint("drive", system.world, body, "Rx", prescribed=angle)
    system.sensor("turned", mb.Expression(angle))
    return mb.derive(system)


def _four_bar() -> mb.System:
    """A crank that can turn all the way, coupler and rocker, uniform bars."""
    system = mb.System("four_bar", gravity=(0, -9.81, 0))
    density = system.parameter("density", 5.0, unit="kg/m")
    bars = {}
    for name, length in (("crank", 1.0), ("coupler", 3.5), ("rocker", 2.5)):
        mass = density * length
        bars[name] = system.body(name, mass, (length / 2, 0, 0), (0, mass * length**2 / 12, mass * length**2 / 12))
    a = system.joint("a", system.world, bars["crank"], "Rz", q=1.0)
    system.joint("b", bars["crank"].frame("B", (1.0, 0, 0)), bars["coupler"], "Rz")
    system.joint("d", system.frame("D", (3.0, 0, 0)), bars["rocker"], "Rz", q=1.8)
    end = bars["coupler"].frame("C3", (3.5, 0, 0))
    system.loop(mb.FourBar(end, bars["rocker"].frame("C4", (2.5, 0, 0)), posture=1))
    system.load(mb.JointLoad(a, system.input("torque", unit="N*m")))
    system.sensor("end", mb.Position(end))
    return system


def four_bar_explicit() -> mb.EquationsOfMotion:
    """One coordinate, the others in closed form."""
    return mb.derive(_four_bar())


def four_bar_multipliers() -> mb.EquationsOfMotion:
    """All coordinates, and forces that close the loop."""
    return mb.derive(_four_bar(), constraints=mb.Multipliers())


def robots() -> Path:
    """Where the package ``example-robot-data`` keeps its robots."""
    import pinocchio

    return Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"


def panda() -> mb.EquationsOfMotion:
    """The arm with its two fingers, a load on every joint."""
    system = mb.read_urdf(robots() / "panda_description" / "urdf" / "panda.urdf").system
    for joint in list(system.all(mb.Joint)):
        if joint.speeds:
            system.load(mb.JointLoad(joint, system.input(f"{joint.name}_load", (len(joint.speeds),))))
    return mb.derive(system)


def every_operation() -> mb.EquationsOfMotion:
    """A point mass whose sensors need every operation, and whose names are words of many languages."""
    system = mb.System("lambda_model")
    end, double, φ = (system.parameter(name, value) for name, value in (("end", 0.7), ("double", 1.3), ("φ", 0.4)))
    body = system.body("class", 1.0)
    x = system.joint("q", system.world, body, "Tx", q=0.2).coordinate
    r = system.input("r")
    spring = Table("spring", [-1.0, -0.2, 0.3, 1.5], [0.4, 0.1, 0.2, -0.5], "cubic")
    steps = Table("steps", [-0.5, 0.0, 1.0], [1.0, -1.0, 0.5])
    unit = x / sqrt(1 + x * x)
    inside = (x > -0.5) & (x < 0.5)
    formulas = [
        sin(x), cos(x * r), tan(unit), asin(unit), acos(unit), atan(x), atan2(x, r), sinh(x), cosh(x), tanh(r), exp(x),
        log(1 + x * x), sqrt(2 + x), absolute(x), sign(x * r), minimum(x, r), maximum(x, end), (2 + x * x) ** (φ + 1),
        where(inside, x, r), where(inside | (r < 0), double * x, -r), where(~inside & (r <= 1), x - r, 3.0 * x),
        where(equal(sign(x), sign(r)), 1.0, x), spring(x), steps(r), spring(x) * steps(x), 1 / (2 + x), -x * double,
        where(end < double, 1.0, 2.0) * x, maximum(end, double) / (1 + end), x - (r - x) - (x + r) * -(x - 2 * r),
        where(x < 0, sqrt(-x), log(where(x < 0, 1, 1 + x))), 1e-30 * x, x / 3, x * 1e22, where(x < 5, 1, sqrt(x - 5)),
    ]  # fmt: skip
    for k, formula in enumerate(formulas):
        system.sensor(f"s{k}", mb.Expression(formula))
    system.load(mb.Force(body, (r * spring(x), 0, 0)))
    return mb.derive(system)


def bicycle() -> mb.EquationsOfMotion:
    """The benchmark of Whipple's bicycle: wheels that roll without slip, forces in their contacts."""
    centre, foot = np.array([0, 0, -0.3]), np.array([1.1, 0, 0])
    system = mb.System("bicycle", gravity=(0, 0, 9.81))
    ground = system.frame("ground", rotation=mb.Rotation.about_x(mb.pi))
    rider, fork_mass = system.parameter("rider", 85.0, unit="kg"), system.parameter("fork_mass", 4.0, unit="kg")
    inertia = [[9.2, 0, 2.4], [0, 11.0, 0], [2.4, 0, 2.8]]
    frame = system.body("frame", rider, np.array([0.3, 0, -0.9]) - centre, inertia)
    inertia = [[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]]
    fork = system.body("fork", fork_mass, np.array([0.9, 0, -0.7]) - foot, inertia)
    rear = system.body("rear_wheel", 2.0, inertia=(0.0603, 0.12, 0.0603))
    front = system.body("front_wheel", 3.0, inertia=(0.1405, 0.28, 0.1405))
    system.joint("place", system.world, frame, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"], q=(0, 0, -0.3, 0, 0, 0))
    axis = mb.Revolute((np.sin(np.pi / 10), 0, np.cos(np.pi / 10)))
    steer = system.joint("steer", frame.frame("head", foot - centre), fork, axis)
    system.joint("rear", frame, rear, "Ry")
    system.joint("front", fork.frame("axle", np.array([1.02, 0, -0.35]) - foot), front, "Ry")
    system.constraint(mb.RollingDisc(ground, rear, 0.3), name="rear_grip")
    system.constraint(mb.RollingDisc(ground, front, 0.35), name="front_grip")
    system.load(mb.JointLoad(steer, system.input("torque", unit="N*m")))
    system.sensor("saddle", mb.Position(frame))
    return mb.derive(system)


MAKERS: dict[str, Callable[[], mb.EquationsOfMotion]] = {
    "crane_crab": crane_crab,
    "tree": tree,
    "four_bar_explicit": four_bar_explicit,
    "four_bar_multipliers": four_bar_multipliers,
    "panda": panda,
    "every_operation": every_operation,
    "bicycle": bicycle,
}
"""All models."""


@dataclass(frozen=True)
class Case:
    """Equations, and states with what our own compiled functions make of them.

    Attributes:
        name: of the model.
        eom: its equations.
    """

    name: str
    eom: mb.EquationsOfMotion

    @cached_property
    def program(self) -> Program:
        """What is written."""
        return Program.of(self.eom)

    @cached_property
    def states(self) -> list[tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """(t, q, u, r, p): near the start, with unit quaternions, and parameters that are not the defaults."""
        rng = np.random.default_rng(len(self.name))
        start = np.array([one.value for one in self.program.coordinates])
        found = []
        defaults = np.array([one.value for one in self.program.parameters])
        for _ in range(STATES):
            q = start + rng.uniform(-0.6, 0.6, size=len(start))
            for places in self.eom.model.quaternions:
                q[places] /= np.linalg.norm(q[places])
            u, r = rng.normal(size=len(self.program.speeds)), rng.normal(size=len(self.program.inputs))
            found.append((float(rng.uniform(0, 2)), q, u, r, defaults * rng.uniform(0.9, 1.1, size=len(defaults))))
        return found

    @cached_property
    def expected(self) -> dict[str, np.ndarray]:
        """For each result the numbers at all states, flat, by LLVM."""
        eom = self.eom
        functions = {"M": eom.mass_matrix, "bias": eom.bias}
        if eom.outputs:
            functions["outputs"] = eom.sensors
        if eom.multipliers:
            functions["multipliers"] = eom.constraint_forces
        names = ["q_dot", "u_dot", *functions]
        rows: dict[str, list[np.ndarray]] = {name: [] for name in names}
        for state in self.states:
            q_dot, u_dot = eom.state_rate(*state)
            values = [q_dot, u_dot, *(_flat(function(*state)) for function in functions.values())]
            for name, value in zip(names, values, strict=True):
                rows[name].append(np.ravel(value))
        return {name: np.array(row) for name, row in rows.items()}

    @cached_property
    def slopes(self) -> dict[str, np.ndarray]:
        """A and B of the state's rate, from the graph's own derivatives compiled by LLVM."""
        eom = self.eom
        rates = [*eom.rates, *eom.acceleration]
        by_state = jacobian(rates, [*eom.coordinates, *eom.speeds])
        outputs = {"A": by_state} | ({"B": jacobian(rates, list(eom.inputs))} if eom.inputs else {})
        function = eom.function("slopes", outputs)
        found = [function(*state) for state in self.states]
        if len(outputs) == 1:
            return {"A": np.array([np.ravel(one) for one in found])}
        return {name: np.array([np.ravel(one[name]) for one in found]) for name in outputs}

    def agrees(
        self, found: dict[str, np.ndarray], tolerance: float = 1e-12, expected: dict | None = None, states: int = STATES
    ) -> None:
        """The numbers are the same at every state, or at the first of them, relative to the largest of a result."""
        wanted = self.expected if expected is None else expected
        assert found.keys() >= wanted.keys()
        for name, rows in wanted.items():
            assert rows.shape[0] == STATES
            rows = rows[:states]
            values = np.asarray(found[name]).reshape(rows.shape)
            assert np.isfinite(rows).all()
            scale = np.maximum(np.abs(rows).max(axis=1, keepdims=True, initial=0.0), 1e-300)
            worst = np.abs((values - rows) / scale).max(initial=0.0)
            assert worst <= tolerance, f"{self.name}: {name} differs by {worst:.2e}"


def _flat(value: object) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in value]) if isinstance(value, tuple) else np.ravel(value)
