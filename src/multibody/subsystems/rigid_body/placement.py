"""Coordinates for position and orientation of a free rigid body (MoSs, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from multibody.algebra import Rotation
from multibody.errors import ModelError
from multibody.graph import Expr, Symbol
from multibody.model.joints.spherical import OrientationCoordinates
from multibody.model.quantity import rate_name
from multibody.subsystems.arguments.vocabulary import variable
from multibody.subsystems.rigid_body.options import normal, unknown_option

AXES = "xyz"
ANGLES = ("psi", "phi", "theta")
SEQUENCES = tuple("".join(axes) for axes in product(AXES, repeat=3) if axes[0] != axes[1] != axes[2])
"""The twelve sequences of Euler angles."""

_WORDS = {"none": ("", False), "position": ("position", False), "position only": ("position", False)}
_WORDS |= {"quaternion": ("quaternion", False)}
_WORDS |= {sequence + end: (sequence, False) for sequence in SEQUENCES for end in ("", " euler angles")}
_WORDS |= {f"{s}{end} redundant": (s, True) for s in SEQUENCES for end in ("", " euler angles")}


@dataclass(frozen=True)
class Placement:
    """A description of position and orientation, with the symbols of one body.

    Attributes:
        label: of the body.
        form: "" for no coordinates, "position", "quaternion", or a sequence of axes.
        redundant: whether the rates of the angles are quasi-velocities too.
    """

    label: str
    form: str
    redundant: bool = False

    @classmethod
    def described(cls, label: str, description: Any) -> Placement:
        """From what a user writes; an error lists all that can be written."""
        words = normal(description) if isinstance(description, str) else ""
        if words not in _WORDS:
            valid = ["none", "position", "quaternion", *(f"{s} euler angles" for s in SEQUENCES)]
            further = "; after the angles 'redundant', if their rates shall be quasi-velocities too"
            raise unknown_option("position", description, valid, label, short=_WORDS, further=further)
        return cls(label, *_WORDS[words])

    # variables ---------------------------------------------------------------------------------------------------

    @property
    def position(self) -> tuple[Symbol, ...]:
        """p: the center of mass, in inertial axes."""
        return self._triple("p", 0) if self.form else ()

    @property
    def orientation(self) -> tuple[Symbol, ...]:
        """Three angles, or a quaternion with its scalar part first."""
        if self._kind is None:
            return ()
        if self.form == "quaternion":
            return tuple(variable(f"q_{self.label}_{axis}", 0) for axis in "txyz")
        return tuple(variable(f"{angle}_{self.label}", 0) for angle in ANGLES)

    @property
    def velocity(self) -> tuple[Symbol, ...]:
        """v: of the center of mass, in inertial axes."""
        return self._triple("v", 1)

    @property
    def spin(self) -> tuple[Symbol, ...]:
        """ω: the angular velocity, in body axes."""
        return self._triple("w", 1)

    @property
    def angle_rates(self) -> tuple[Symbol, ...]:
        """The rates of the angles, where they are quasi-velocities."""
        return tuple(variable(rate_name(angle.name), 1) for angle in self.orientation) if self.redundant else ()

    @property
    def variables(self) -> tuple[Symbol, ...]:
        """All of them."""
        return (*self.position, *self.orientation, *self.velocity, *self.spin, *self.angle_rates)

    def _triple(self, letter: str, order: int) -> tuple[Symbol, ...]:
        return tuple(variable(f"{letter}_{self.label}_{axis}", order) for axis in AXES)

    # how they are related ----------------------------------------------------------------------------------------

    @property
    def _kind(self) -> OrientationCoordinates | None:
        return OrientationCoordinates(self.form) if self.form not in ("", "position") else None

    @property
    def kinematics(self) -> dict[str, Expr]:
        """The rate of every coordinate."""
        rates: dict[Symbol, Expr] = dict(zip(self.position, self.velocity, strict=False))
        if self._kind is not None:
            found = self.angle_rates or self._kind.rates(self.orientation, self.spin)
            rates |= dict(zip(self.orientation, found, strict=True))
        return {variable.name: rate for variable, rate in rates.items()}

    @property
    def invariants(self) -> dict[str, Expr]:
        """ω - E·(rates of the angles), where both are quasi-velocities."""
        if self._kind is None or not self.redundant:
            return {}
        turned = self._kind.spin(self.orientation, self.angle_rates)
        return {f"spin_{axis}": w - e for axis, w, e in zip(AXES, self.spin, turned, strict=True)}

    @property
    def identities(self) -> list[tuple[Expr, int]]:
        """A quaternion has unit length."""
        return [(sum((coordinate**2 for coordinate in q[1:]), start=q[0] ** 2), 1) for q in self.quaternions]

    @property
    def quaternions(self) -> list[tuple[Symbol, ...]]:
        """The four coordinates of unit length."""
        return [self.orientation] if self.form == "quaternion" else []

    @property
    def at_rest(self) -> dict[str, Any]:
        """Coordinates that are not zero where the axes of the body are the inertial ones."""
        return {q[0].name: 1 for q in self.quaternions}

    @property
    def rotation(self) -> Rotation | None:
        """R: components in body axes become components in inertial axes."""
        return None if self._kind is None else self._kind.rotation(self.orientation)

    @property
    def cosines(self) -> dict[str, Expr]:
        """The entries of R by their names, ``R_B_xy`` in row x and column y."""
        if self.rotation is None:
            return {}
        places = product(enumerate(AXES), repeat=2)
        R = self.rotation.to_matrix()
        return {f"R_{self.label}_{row}{column}": R[i, j] for (i, row), (j, column) in places}


def rotation(label: str, description: str) -> Rotation:
    """The rotation from the axes of a body to inertial axes, N|B, as an expression of its coordinates.

    Args:
        label: of the body.
        description: of its orientation, as ``newton_euler`` has it.

    Example:
        >>> rotation("B", "zyx euler angles").apply((0, 0, 1)).z
        cos(phi_B)*cos(theta_B)
    """
    found = Placement.described(label, description).rotation
    if found is None:
        raise ModelError(
            f"{description!r} does not describe an orientation.",
            where=f"rotation of subsystem '{label}'",
            remedy="Use 'quaternion', or a sequence of angles such as 'zyx euler angles'.",
            code="orientation-missing",
        )
    return found
