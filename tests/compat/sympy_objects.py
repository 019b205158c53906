"""Models as people write them with SymPy's mechanics package, each with numbers for its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sm
import sympy.physics.mechanics as me
from sympy import cos, sin

t = me.dynamicsymbols._t


@dataclass
class Written:
    """A SymPy object with numbers; ``q`` and ``u`` are its states in its own order."""

    object: Any
    q: list[Any]
    u: list[Any]
    values: dict[Any, float]
    inputs: list[Any] = field(default_factory=list)


def pendulum_chain(n: int, *, spatial: bool = False) -> Written:
    """n rods of length l in a row, with gravity, as a System of pin joints; not formed.

    The axes of the pins are all along z or, in space, in turn along z and y of the rod before.
    """
    m, l, g = sm.symbols("m l g")
    ground = me.RigidBody("ground")
    system = me.System.from_newtonian(ground)
    parent, at = ground, None
    for k in range(1, n + 1):
        q, u = me.dynamicsymbols(f"q{k} u{k}")
        frame, centre = me.ReferenceFrame(f"F{k}"), me.Point(f"C{k}")
        rod = me.RigidBody(f"rod{k}", centre, frame, m, (me.inertia(frame, 0, m * l**2 / 12, m * l**2 / 12), centre))
        axis = parent.y if spatial and k % 2 == 0 else parent.z
        system.add_joints(
            me.PinJoint(f"J{k}", parent, rod, q, u, parent_point=at, child_point=-l / 2 * rod.x, joint_axis=axis)
        )
        parent, at = rod, l / 2 * rod.x
    system.apply_uniform_gravity(g * ground.x)
    return Written(system, list(system.q), list(system.u), {m: 0.7, l: 1.3, g: 9.81})


def cart_pole() -> Written:
    """A pendulum on a cart that is pushed; a System, not formed."""
    x, v, a, w, F = me.dynamicsymbols("x v a w F")
    M, m, l, g, c = sm.symbols("M m l g c")
    ground, cart = me.RigidBody("ground"), me.RigidBody("cart", mass=M)
    bob = me.RigidBody("bob", mass=m)
    bob.central_inertia = me.inertia(bob.frame, 0, 0, m * l**2 / 5)
    system = me.System.from_newtonian(ground)
    system.add_joints(
        me.PrismaticJoint("slide", ground, cart, x, v, joint_axis=ground.x),
        me.PinJoint("swing", cart, bob, a, w, child_point=l * bob.y, joint_axis=cart.z),
    )
    system.add_loads(me.Force(cart, F * ground.x - c * v * ground.x))
    system.apply_uniform_gravity(-g * ground.y)
    return Written(system, [x, a], [v, w], {M: 3.0, m: 0.8, l: 1.1, g: 9.81, c: 0.4}, [F])


def rolling_disc_kane() -> Written:
    """A disc that rolls without slipping, with yaw, lean and spin; the contact point has no velocity."""
    q1, q2, q3, u1, u2, u3 = me.dynamicsymbols("q1 q2 q3 u1 u2 u3")
    r, m, g = sm.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    w = R.ang_vel_in(N)
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    contact = me.Point("C")
    contact.set_vel(N, 0)
    centre = contact.locatenew("D", r * L.z)
    centre.v2pt_theory(contact, N, R)
    inertia = me.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    disc = me.RigidBody("disc", centre, R, m, (inertia, centre))
    kd = [w.dot(axis) - u for axis, u in zip((L.x, L.y, L.z), (u1, u2, u3), strict=True)]
    method = me.KanesMethod(N, [q1, q2, q3], [u1, u2, u3], kd)
    method.kanes_equations([disc], [(centre, -m * g * Y.z)])
    return Written(method, [q1, q2, q3], [u1, u2, u3], {r: 0.4, m: 1.7, g: 9.81})


def rolling_disc_lagrange() -> Written:
    """The same disc with five coordinates and two nonholonomic constraints; multipliers keep it from slipping."""
    x, y, q1, q2, q3 = q = me.dynamicsymbols("x y q1 q2 q3")
    r, m, g = sm.symbols("r m g")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    centre = O.locatenew("D", x * N.x + y * N.y + r * cos(q2) * N.z)
    centre.set_vel(N, x.diff(t) * N.x + y.diff(t) * N.y - r * sin(q2) * q2.diff(t) * N.z)
    inertia = me.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    disc = me.RigidBody("disc", centre, R, m, (inertia, centre))
    disc.potential_energy = m * g * r * cos(q2)
    slip = centre.vel(N) + me.cross(R.ang_vel_in(N), -r * L.z)
    method = me.LagrangesMethod(
        me.Lagrangian(N, disc), list(q), nonhol_coneqs=[slip.dot(N.x), slip.dot(N.y)], bodies=[disc], frame=N
    )
    method.form_lagranges_equations()
    return Written(method, list(q), [one.diff(t) for one in q], {r: 0.4, m: 1.7, g: 9.81})


def four_bar() -> Written:
    """Three rods between two fixed pins, closed by two holonomic constraints; a System, not formed."""
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    rho, l0, g = sm.symbols("rho l0 g")
    lengths = sm.symbols("l1:4")
    ground = me.RigidBody("ground")
    system = me.System.from_newtonian(ground)
    parent, at = ground, None
    for k, l in enumerate(lengths):
        frame, centre = me.ReferenceFrame(f"A{k + 1}"), me.Point(f"C{k + 1}")
        rod = me.RigidBody(f"rod{k + 1}", centre, frame, rho * l, (me.inertia(frame, 0, 0, rho * l**3 / 12), centre))
        system.add_joints(
            me.PinJoint(
                f"J{k + 1}", parent, rod, q[k], u[k], parent_point=at, child_point=-l / 2 * rod.x, joint_axis=parent.z
            )
        )
        parent, at = rod, l / 2 * rod.x
    tip = parent.masscenter.locatenew("tip", at)
    gap = tip.pos_from(ground.masscenter) - l0 * ground.x
    system.add_holonomic_constraints(*(gap.dot(axis).simplify() for axis in (ground.x, ground.y)))
    system.q_ind, system.q_dep = q[:1], q[1:]
    system.u_ind, system.u_dep = u[:1], u[1:]
    system.apply_uniform_gravity(-g * ground.y)
    values = {rho: 2.0, l0: 2.5, g: 9.81, lengths[0]: 1.0, lengths[1]: 2.2, lengths[2]: 1.8}
    return Written(system, list(system.q), list(system.u), values)


def bicycle() -> Written:
    """Whipple's bicycle with the numbers of Meijaard, Papadopoulos, Ruina and Schwab (2007); not formed.

    Coordinates: yaw, lean, steer and, dependent, pitch. The wheels' angles are not needed, so that their frames have
    angular velocities but no orientation.
    """
    yaw, lean, pitch, steer = me.dynamicsymbols("yaw lean pitch steer")
    w1, w2, w3, w4, w5, w6 = me.dynamicsymbols("w1:7")  # yaw, lean, rear wheel, pitch, steer, front wheel
    rR, rF, tilt, d1, d2, d3 = sm.symbols("rR rF tilt d1 d2 d3")
    xB, zB, xH, zH = sm.symbols("xB zB xH zH")
    mR, mB, mH, mF, g = sm.symbols("mR mB mH mF g")
    names = "IRxx IRyy IBxx IByy IBzz IBxz IHxx IHyy IHzz IHxz IFxx IFyy"
    IRxx, IRyy, IBxx, IByy, IBzz, IBxz, IHxx, IHyy, IHzz, IHxz, IFxx, IFyy = sm.symbols(names)
    # z points down and x forward, as in the paper; the steering axis is tilted backwards
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [yaw, N.z])
    L = Y.orientnew("L", "Axis", [lean, Y.x])
    B = L.orientnew("B", "Axis", [pitch, L.y])
    T = B.orientnew("T", "Axis", [tilt, B.y])  # z along the steering axis
    H = T.orientnew("H", "Axis", [steer, T.z])
    U = H.orientnew("U", "Axis", [-tilt, H.y])  # upright again when nothing is steered
    rear, front = me.ReferenceFrame("rear"), me.ReferenceFrame("front")
    Y.set_ang_vel(N, w1 * N.z)
    L.set_ang_vel(Y, w2 * Y.x)
    B.set_ang_vel(L, w4 * L.y)
    rear.set_ang_vel(B, w3 * B.y)
    H.set_ang_vel(T, w5 * T.z)
    front.set_ang_vel(H, w6 * H.y)
    ground = me.Point("P")
    hub = ground.locatenew("R", -rR * L.z)
    frame_centre = hub.locatenew("Bo", xB * B.x + zB * B.z)
    head = hub.locatenew("S", d1 * T.x)  # the foot of the perpendicular from the hub to the steering axis
    fork_centre = head.locatenew("Ho", xH * H.x + zH * H.z)
    front_hub = head.locatenew("F", d3 * H.x + d2 * H.z)
    down = (Y.z - Y.z.dot(H.y) * H.y).normalize()
    touch = front_hub.locatenew("Q", rF * down)
    ground.set_vel(N, 0)
    hub.v2pt_theory(ground, N, rear)
    frame_centre.v2pt_theory(hub, N, B)
    head.v2pt_theory(hub, N, B)
    fork_centre.v2pt_theory(head, N, H)
    front_hub.v2pt_theory(head, N, H)
    touch.v2pt_theory(front_hub, N, front)
    bodies = [
        me.RigidBody("rear_wheel", hub, rear, mR, (me.inertia(B, IRxx, IRyy, IRxx), hub)),
        me.RigidBody("frame", frame_centre, B, mB, (me.inertia(B, IBxx, IByy, IBzz, 0, 0, IBxz), frame_centre)),
        me.RigidBody("fork", fork_centre, H, mH, (me.inertia(U, IHxx, IHyy, IHzz, 0, 0, IHxz), fork_centre)),
        me.RigidBody("front_wheel", front_hub, front, mF, (me.inertia(H, IFxx, IFyy, IFxx), front_hub)),
    ]
    loads = [(body.masscenter, body.mass * g * N.z) for body in bodies]
    slip = touch.vel(N)
    method = me.KanesMethod(
        N, [yaw, lean, steer], [w2, w3, w5],
        [yaw.diff(t) - w1, lean.diff(t) - w2, steer.diff(t) - w5, pitch.diff(t) - w4],
        q_dependent=[pitch], configuration_constraints=[touch.pos_from(ground).dot(Y.z)],
        u_dependent=[w1, w4, w6], velocity_constraints=[slip.dot(axis) for axis in (Y.x, Y.y, Y.z)],
        bodies=bodies, forcelist=loads, constraint_solver="CRAMER",
    )  # fmt: skip
    values = _benchmark_values(dict(zip("w c".split(), (1.02, 0.08), strict=True)))
    symbols = [rR, rF, tilt, d1, d2, d3, xB, zB, xH, zH, mR, mB, mH, mF, g]
    symbols += [IRxx, IRyy, IBxx, IByy, IBzz, IBxz, IHxx, IHyy, IHzz, IHxz, IFxx, IFyy]
    by_name = {one.name: one for one in symbols}
    return Written(method, list(method.q), list(method.u), {by_name[name]: v for name, v in values.items()})


def _benchmark_values(main: dict[str, float]) -> dict[str, float]:
    """The paper's table 1 (positions from the rear contact, x forward, z down), in the lengths of this model."""
    from math import cos as c, pi, sin as s

    wheelbase, trail, tilt, rear, front = main["w"], main["c"], pi / 10, 0.3, 0.35
    # in the axes T, tilted backwards by the steer axis tilt: x' = x·cos - z·sin, z' = x·sin + z·cos, from the rear hub
    across = lambda x, z: x * c(tilt) - (z + rear) * s(tilt)  # noqa: E731
    along = lambda x, z: x * s(tilt) + (z + rear) * c(tilt)  # noqa: E731
    axis = across(wheelbase + trail, 0.0)  # the steering axis meets the ground at wheelbase + trail
    return {
        "rR": rear, "rF": front, "tilt": tilt, "d1": axis,
        "d3": across(wheelbase, -front) - axis, "d2": along(wheelbase, -front),
        "xB": 0.3, "zB": -0.9 + rear, "xH": across(0.9, -0.7) - axis, "zH": along(0.9, -0.7),
        "mR": 2.0, "mB": 85.0, "mH": 4.0, "mF": 3.0, "g": 9.81,
        "IRxx": 0.0603, "IRyy": 0.12, "IBxx": 9.2, "IByy": 11.0, "IBzz": 2.8, "IBxz": 2.4,
        "IHxx": 0.05892, "IHyy": 0.06, "IHzz": 0.00708, "IHxz": -0.00756, "IFxx": 0.1405, "IFyy": 0.28,
    }  # fmt: skip
