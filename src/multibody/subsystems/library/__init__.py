"""Parts to couple: bodies in the plane and in space, legs of parallel robots, springs, motors, prescribed motions.

Example:
    >>> from multibody.subsystems import couple, library
    >>> crane = couple(
    ...     "crane",
    ...     [library.planar.cart("C", drive="F"), library.planar.rod("R")],
    ...     ["x_A_R = x_C", "y_A_R = 0"],
    ...     independent="x_C_dot theta_R_dot",
    ... )
    >>> crane.M.closed()["x_C_dot", "x_C_dot"]
    m_C + m_R
"""

from multibody.subsystems.library import elements, legs, planar, spatial

__all__ = ["elements", "legs", "planar", "spatial"]
