"""Contents of a SymPy object: equations in the terms of the contract, energies, places of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from multibody.equations.without_bodies import BodyPlace
from multibody.graph import Expr, Symbol
from multibody.graph.linear_algebra import Matrix


@dataclass(frozen=True)
class EnergyTerms:
    """T and V, and what changes their sum besides constraints: the power of forces, and of given motions."""

    kinetic: Expr
    potential: Expr
    inputs: Expr
    dissipated: Expr
    drives: Expr

    def expressions(self) -> list[Expr]:
        """All of them."""
        return [self.kinetic, self.potential, self.inputs, self.dissipated, self.drives]


@dataclass(frozen=True)
class ReadEquations:
    """What was read of a SymPy object.

    Attributes:
        formalism: how the equations were made.
        q, u, rates: coordinates, speeds, and q̇.
        parts: M, h and f.
        constraints: what stays zero, by name: an expression of coordinates, or one that is linear in the speeds.
        energy: where it is known.
        places: of bodies, where they are known.
        acceleration: u̇, where the equations were explicit already.
        auxiliary: forces that auxiliary speeds brought into evidence, by name.
        outputs: further equations that came with the object, by name.
        quaternions: groups of coordinates that have unit length, by their numbers.
        inertias: the name of each body, its mass, zeros, and its tensor about the center of mass; where they are known.
        constraints_known: whether it is known which constraints there are; equations alone do not say.
    """

    formalism: str
    q: tuple[Symbol, ...]
    u: tuple[Symbol, ...]
    rates: tuple[Expr, ...]
    parts: tuple[Matrix, Matrix, Matrix]
    constraints: Mapping[str, Expr] = field(default_factory=dict)
    energy: EnergyTerms | None = None
    places: tuple[BodyPlace, ...] = ()
    acceleration: tuple[Expr, ...] | None = None
    auxiliary: Mapping[str, Expr] = field(default_factory=dict)
    outputs: Mapping[str, Expr] = field(default_factory=dict)
    quaternions: tuple[tuple[int, ...], ...] = ()
    inertias: tuple[tuple[tuple[str, ...], Sequence[Expr]], ...] = ()
    constraints_known: bool = True

    @property
    def motion(self) -> list[Expr]:
        """What the motion depends on."""
        M, h, f = self.parts
        return [*self.rates, *M.flat, *h, *f, *self.constraints.values(), *(self.acceleration or ())]

    def expressions(self) -> list[Expr]:
        """Everything that can be asked for: the motion, energies, places, forces, outputs."""
        energies = self.energy.expressions() if self.energy else []
        places = [component for place in self.places for component in (*place.position, *place.rotation)]
        return [*self.motion, *energies, *places, *self.auxiliary.values(), *self.outputs.values()]
