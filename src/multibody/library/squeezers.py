"""Andrews' squeezing mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from multibody.equations import EquationsOfMotion
from multibody.graph import cos, sin
from multibody.library.check import Check
from multibody.library.library_model import LibraryModel, Row, one_of, tabled_parameters
from multibody.library.observe import accelerations, at_state, moved
from multibody.model import Coil, Cylinder, Frame, JointLoad, Spring, System

ANDREWS_START = {
    "beta": -0.0617138900142764496, "Theta": 0.0, "gamma": 0.455279819163070380, "Phi": 0.222668390165885884,
    "delta": 0.487364979543842550, "Omega": -0.222668390165885884, "epsilon": 1.23054744454982119,
}  # fmt: skip
"""Hairer and Wanner, Solving Ordinary Differential Equations II, section VII.7."""

_MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
_INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
_LENGTHS = {
    "xa": -0.06934, "ya": -0.00227, "xb": -0.03635, "yb": 0.03273, "xc": 0.014, "yc": 0.072, "d": 0.028, "da": 0.0115,
    "e": 0.02, "ea": 0.01421, "zf": 0.02, "fa": 0.01421, "rr": 0.007, "ra": 0.00092, "ss": 0.035, "sa": 0.01874,
    "sb": 0.01043, "sc": 0.018, "sd": 0.02, "zt": 0.04, "ta": 0.02308, "tb": 0.00916, "u": 0.04, "ua": 0.01228,
    "ub": 0.00449, "l0": 0.07785,
}  # fmt: skip
TABLE: Mapping[str, Row] = {
    **{f"m{k}": (m, "kg", f"mass of K{k}") for k, m in enumerate(_MASSES, 1)},
    **{f"I{k}": (J, "kg*m^2", f"moment of inertia of K{k}") for k, J in enumerate(_INERTIAS, 1)},
    **{name: (length, "m", "as in the book's figure 7.1") for name, length in _LENGTHS.items()},
    "c0": (4530.0, "N/m", "stiffness of the spring"),
    "mom": (0.033, "N*m", "drive of the crank"),
}
"""All parameters, by the names of the book."""


def andrews(closed_by: Literal["hinges", "equations"] = "hinges", **values: float) -> System:
    """Andrews' squeezing mechanism: seven bodies in three loops that meet at the point E; a torque drives the crank.

    Args:
        closed_by: ``"hinges"`` at E between the bodies, or the ``"equations"`` g1 … g6 of the book, whose multipliers
            are published.
        values: of parameters by the names of the book, where they are others: ``andrews(mom=0.05)``.
    """
    system = System("andrews", gravity=(0, 0, 0))
    one_of(("hinges", "equations"), closed_by, "closed_by", system.name)
    p = tabled_parameters(system, TABLE, values)
    frames = _tree(system, p)
    system.load(JointLoad(system["beta"], p["mom"]), name="drive")
    system.load(Spring(frames["C"], frames["D"], stiffness=p["c0"], length=p["l0"]), name="spring")
    if closed_by == "hinges":
        for name in ("E3", "E4", "E6"):
            system.joint(f"hinge_{name}", frames["E2"], frames[name], "Rz", cut=True)
    else:
        _equations(system, p)
    for start, end in ("OF", ("F", "E2"), ("B", "E3"), ("E3", "D"), ("B", "D"), "AG", ("G", "E4"), "AH", ("H", "E6")):
        system.draw(frames[start], Cylinder(0.0008), to=frames[end])
    system.draw(frames["C"], Coil(0.003), to=frames["D"])
    return system


def _tree(system: System, p: Mapping[str, Any]) -> dict[str, Frame]:
    """Crank K1 with K2, triangle K3, the pairs K5, K4 and K7, K6 on their pivots; and frames where they meet."""
    pivots = {"O": (0, 0, 0)} | {name: (p[f"x{name.lower()}"], p[f"y{name.lower()}"], 0) for name in "ABC"}
    frames = {name: system.frame(name, place) for name, place in pivots.items()}
    # number, the frame that it turns in, its joint, centre of mass, and frames on it
    parts: Iterable[Any] = (
        (1, "O", "beta", (p["ra"], 0), {"F": (p["rr"], 0)}),
        (2, "F", "Theta", (-p["da"], 0), {"E2": (-p["d"], 0)}),
        (3, "B", "gamma", (p["sb"], -p["sa"]), {"E3": (0, -p["ss"]), "D": (p["sd"], -p["sc"])}),
        (5, "A", "delta", (p["ta"], p["tb"]), {"G": (p["zt"], 0)}),
        (4, "G", "Phi", (0, p["ea"] - p["e"]), {"E4": (0, -p["e"])}),
        (7, "A", "epsilon", (-p["ua"], -p["ub"]), {"H": (0, -p["u"])}),
        (6, "H", "Omega", (p["zf"] - p["fa"], 0), {"E6": (p["zf"], 0)}),
    )
    for k, where, angle, com, points in parts:
        body = system.body(f"K{k}", p[f"m{k}"], (*com, 0), (0, p[f"I{k}"], p[f"I{k}"]))
        system.joint(angle, frames[where], body, "Rz", q=ANDREWS_START[angle])
        frames |= {name: body.frame(name, (*place, 0)) for name, place in points.items()}
    return frames


def _equations(system: System, p: Mapping[str, Any]) -> None:
    """g1 … g6 of the book: the point E, reached from the crank and from the other three."""
    be, th, ga, ph, de, om, ep = (system[name].coordinate for name in ANDREWS_START)
    E = p["rr"] * cos(be) - p["d"] * cos(be + th), p["rr"] * sin(be) - p["d"] * sin(be + th)
    others = (
        (p["ss"] * sin(ga) + p["xb"], -p["ss"] * cos(ga) + p["yb"]),
        (p["e"] * sin(ph + de) + p["zt"] * cos(de) + p["xa"], -p["e"] * cos(ph + de) + p["zt"] * sin(de) + p["ya"]),
        (p["zf"] * cos(om + ep) + p["u"] * sin(ep) + p["xa"], p["zf"] * sin(om + ep) - p["u"] * cos(ep) + p["ya"]),
    )
    for k, other in enumerate(others):
        for i in range(2):
            system.constraint(E[i] - other[i], name=f"g{2 * k + i + 1}")


# numbers -------------------------------------------------------------------------------------------------------------

BOOK = "Hairer and Wanner, Solving Ordinary Differential Equations II, section VII.7"
TEST_SET = "Test set for initial value problems (PSIDE on a Cray C90), good to 1e-9"
RECOMPUTED = "recomputed with 34 digits by extrapolation of the equation for one degree of freedom"


def _at(eom: EquationsOfMotion, t: float, name: str) -> float:
    return float(moved(eom, t)[name][-1])


def _first(eom: EquationsOfMotion, name: str) -> float:
    return accelerations(eom, at_state(eom, {"beta": ANDREWS_START["beta"]}, {"beta_dot": 0.0}))[name]


def _later(name: str, value: float) -> Check:
    return Check(f"{name} at t = 0.03 s", value, TEST_SET, 5e-9, lambda eom: _at(eom, 0.03, name), "rad")


ANDREWS = LibraryModel(
    "andrews",
    "Andrews' squeezing mechanism",
    "Seven bodies in three loops, as small as a hand and as fast as 11000 turns a minute after 0.03 s.",
    BOOK,
    andrews,
    (
        Check("β'' at the start", 14222.4439199541138705911625887, BOOK, 1e-11, lambda eom: _first(eom, "beta_dot"),
              "rad/s^2"),
        Check("Θ'' at the start", -10666.8329399655854029433719415, BOOK, 1e-11, lambda eom: _first(eom, "Theta_dot"),
              "rad/s^2"),
        _later("beta", 0.1581077119629904e2), _later("gamma", 0.4082224013073101e-1),
        _later("Phi", -0.5347301163226948), _later("epsilon", 0.1048080741042263e1),
        Check("beta at t = 0.05 s", 33.8258677669545173, RECOMPUTED, 1e-12, lambda eom: _at(eom, 0.05, "beta"), "rad"),
        Check("beta' at t = 0.05 s", 1144.5355026538475, RECOMPUTED, 1e-10, lambda eom: _at(eom, 0.05, "beta_dot"),
              "rad/s"),
    ),
)  # fmt: skip
