"""The inertia of a rigid body about its center of mass, by the symmetry that it has (MoSs, section 4)."""

from __future__ import annotations

from typing import Any

from multibody.algebra import Symmetric3
from multibody.graph import ZERO, Symbol, symbol
from multibody.subsystems.rigid_body.options import normal, unknown_option

_MOMENTS = {
    "spherical": ("", "", ""),
    "cylindrical x": ("_a", "_r", "_r"),  # axial, radial
    "cylindrical y": ("_r", "_a", "_r"),
    "cylindrical z": ("_r", "_r", "_a"),
    "central": ("_x", "_y", "_z"),
}
_PRODUCTS = {"xy plane": ["xy"], "xz plane": ["xz"], "yz plane": ["yz"], "general": ["xy", "xz", "yz"]}
_OTHER_NAMES = {
    "S": "spherical", "Cx": "cylindrical x", "Cy": "cylindrical y", "Cz": "cylindrical z", "C": "central",
    "xyz": "central", "xy": "xy plane", "z": "xy plane", "xz": "xz plane", "y": "xz plane", "yz": "yz plane",
    "x": "yz plane",
}  # fmt: skip
_SYMMETRIES = {name: name for name in (*_MOMENTS, *_PRODUCTS)} | {n.lower(): full for n, full in _OTHER_NAMES.items()}


def inertia_tensor(label: str, symmetry: Any) -> Symmetric3:
    """The tensor in body axes about the center of mass, made of parameters.

    Args:
        label: of the body; the parameters are called after it.
        symmetry: "spherical" (``I_B``), "cylindrical x" (``I_B_a`` about the axis, ``I_B_r`` across), "central"
            (``I_B_x``, ``I_B_y``, ``I_B_z``), "xy plane" for a plane of symmetry (``I_B_xx`` … and ``I_B_xy``),
            "general"; or the other names of MoSs, such as "S", "Cx", "xyz", "xy". Products are entries of the matrix,
            I_xy = -∫ x·y dm.

    Example:
        >>> inertia_tensor("B", "Cz")
        Symmetric3(I_B_r, I_B_r, I_B_a, 0, 0, 0)
    """
    name = _SYMMETRIES.get(normal(symmetry)) if isinstance(symmetry, str) else None
    if name is None:
        valid = [*_MOMENTS, *_PRODUCTS]
        raise unknown_option("inertia", symmetry, valid, label, further=f", or {', '.join(map(repr, _OTHER_NAMES))}")
    moments = [_parameter(label, end) for end in _MOMENTS.get(name, ("_xx", "_yy", "_zz"))]
    held = _PRODUCTS.get(name, [])
    return Symmetric3(
        *moments, *(_parameter(label, f"_{pair}") if pair in held else ZERO for pair in ("xy", "xz", "yz"))
    )


def _parameter(label: str, end: str) -> Symbol:
    return symbol(f"I_{label}{end}", "parameter")
