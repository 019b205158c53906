"""Springs, dampers, motors and prescribed motions: what acts between bodies. Values are given as in ``planar``."""

from __future__ import annotations

from typing import Any, Literal

from multibody.errors import ModelError
from multibody.graph import ZERO, time_derivative
from multibody.subsystems.library.part_draft import PartDraft
from multibody.subsystems.library.quantities import Value
from multibody.subsystems.subsystem import Subsystem


def spring_damper(
    label: str, stiffness: Value = None, damping: Value = None, length: Value = None, *, force: str | None = None
) -> Subsystem:
    """A massless spring with a damper, of length l; couple it by a constraint that says what l is.

    Args:
        label: its name.
        stiffness: k.
        damping: c.
        length: l0, without force.
        force: the name of an input, such as "f", which becomes f_S for the spring S: it drives the ends apart.

    Example:
        >>> from multibody.subsystems import couple
        >>> from multibody.subsystems.library.planar import cart
        >>> oscillator = couple("O", [cart("C"), spring_damper("S")], ["l_S = x_C"])
        >>> oscillator.explicit()["x_C_ddot"]
        (k_S*(l0_S - l_S) - c_S*l_S_dot)/m_C
    """
    draft = PartDraft(label)
    L, rate = draft.coordinate("l")
    k, c, L0 = draft.quantity("k", stiffness), draft.quantity("c", damping), draft.quantity("l0", length)
    f = draft.input(force)
    return draft.made(0, k * (L - L0) ** 2 / 2, "a spring and a damper", forces={rate: f - c * rate})


def torsion_spring_damper(
    label: str, stiffness: Value = None, damping: Value = None, angle: Value = 0, *, torque: str | None = None
) -> Subsystem:
    """A massless torsion spring with a damper, twisted by phi; couple it by a constraint that says what phi is.

    Args:
        label: its name.
        stiffness: k.
        damping: c.
        angle: phi0, without torque.
        torque: the name of an input, such as "tau", which becomes tau_S for the spring S: a torque that increases phi.

    Example:
        >>> torsion_spring_damper("S").rows
        {phi_S_dot: -c_S*phi_S_dot - k_S*phi_S}
    """
    draft = PartDraft(label)
    phi, rate = draft.coordinate("phi")
    k, c, phi0 = draft.quantity("k", stiffness), draft.quantity("c", damping), draft.quantity("phi0", angle)
    tau = draft.input(torque)
    return draft.made(
        0, k * (phi - phi0) ** 2 / 2, "a torsion spring and a damper", forces={rate: tau - c * rate}
    )  # fmt: skip


def motor_with_gear(
    label: str, inertia: Value = None, ratio: Value = None, constant: Value = None, resistance: Value = None,
    inductance: Value = None, friction: Value = 0, *, electrics: Literal["dynamic", "quasi-static", "none"] = "dynamic",
) -> Subsystem:  # fmt: skip
    """A direct-current motor, whose rotor turns by theta and whose gear has its output shaft at phi = theta/n.

    Args:
        label: its name.
        inertia: J, of the rotor.
        ratio: n, of the gear.
        constant: k, torque for a current, and voltage for an angular velocity of the rotor.
        resistance: R, of the winding.
        inductance: L, of the winding.
        friction: b, of a torque against the rotor's angular velocity.
        electrics: "dynamic": the current i is a variable, which follows the input U, a voltage; "quasi-static": the
            same without inductance; "none": the current i is an input.

    Example:
        >>> motor = motor_with_gear("M", electrics="quasi-static")
        >>> motor.explicit()["phi_M_ddot"]
        k_M*(U_M - k_M*theta_M_dot)/(J_M*n_M*R_M)
    """
    if electrics not in ("dynamic", "quasi-static", "none"):
        raise ModelError(
            f"{electrics!r} is not a model of the electrics of a motor.",
            where=f"subsystem '{label}'",
            remedy="Give 'dynamic', 'quasi-static' or 'none'.",
            code="motor-electrics-invalid",
        )
    draft = PartDraft(label)
    (theta, w), (phi, out) = draft.coordinate("theta"), draft.coordinate("phi")
    J, n, k = draft.amount("J", inertia), draft.quantity("n", ratio), draft.quantity("k", constant)
    b = draft.quantity("b", friction)
    gear = {"gear": theta - n * phi}
    T = J * w**2 / 2
    if electrics == "none":
        i = draft.input("i")
        return draft.made(T, 0, "a motor", forces={w: k * i - b * w}, constraints=gear, independent=[out.name])
    U, R = draft.input("U"), draft.amount("R", resistance)
    if electrics == "quasi-static":
        torque = k * (U - k * w) / R
        return draft.made(T, 0, "a motor", forces={w: torque - b * w}, constraints=gear, independent=[out.name])
    L, i = draft.amount("L", inductance), draft.speed(f"i_{label}")
    forces = {w: k * i - b * w, i: U - R * i - k * w}
    T = T + L * i**2 / 2  # the energy of the magnetic field belongs to a velocity, as kinetic energy does
    return draft.made(T, 0, "a motor", forces=forces, constraints=gear, independent=[out.name, i.name])


def prescribed_motion(label: str, motion: Any, *, variable: str = "s") -> Subsystem:
    """A variable that follows a function of time; couple by a constraint what it moves.

    Args:
        label: its name.
        motion: a function of the time t, such as ``"a*sin(omega*t)"``, in which all other names are parameters.
        variable: the name of the variable, which gets the label as its ending.

    Example:
        >>> shaker = prescribed_motion("D", "a*sin(omega*t)")
        >>> shaker.explicit()["s_D_ddot"]
        -a*omega**2*sin(omega*t)
    """
    draft = PartDraft(label)
    s, rate = draft.coordinate(variable)
    course = draft.expression(motion)
    reference = {s: course, rate: time_derivative(course, {})}
    return draft.made(ZERO, ZERO, "a prescribed motion", constraints={"motion": s - course}, reference=reference)
